/* One case of `corrmatch bench`: pseudo-random pixels, what is done with them, and the check of a result against
 * `reference`. */
#ifndef APP_BENCH_CASE_H
#define APP_BENCH_CASE_H

#include "corrmatch/plan.h"
#include "fail.h"

typedef struct app_bench_case {
    cm_problem problem;
    cm_image image, pixels; /* pixels: of the template */
    float *coefficients;
    cm_map map;     /* results go here */
    int32_t x0, y0; /* CM_TASK_MATCH: top-left pixel of the window of map element (0, 0) */
} app_bench_case;

/* Takes memory and fills it; the same problem always gives the same pixels. To be closed whatever is returned. */
cm_status app_bench_case_open(const cm_problem *problem, app_bench_case *c, app_error *error);
void app_bench_case_close(app_bench_case *c);

/* Multiply-adds and map elements. */
double app_bench_macs(const app_bench_case *c);
double app_bench_pixels(const app_bench_case *c);

/* Compares the map with the reference kernel's, bit for bit: all of it when that is little work, else three parts of it
 * (the corners top left and bottom right, and the middle). *exact is 1 when they are identical. context: has the CPU
 * engine. */
cm_status app_bench_check(cm_context *context, const app_bench_case *c, int *exact, app_error *error);

#endif
