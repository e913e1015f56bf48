/* One case of `exactncc bench`: pseudo-random pixels, what is done with them, and the check of a
 * result against `reference`. */
#ifndef APP_BENCH_CASE_H
#define APP_BENCH_CASE_H

#include "exactncc/plan.h"
#include "fail.h"

/* A rectangle of windows (matching) or of output pixels, wholly inside the image with all that they
 * read. */
typedef struct app_bench_region {
    int32_t x, y, width, height;
} app_bench_region;

enum { APP_BENCH_REGIONS = 3 };

typedef struct app_bench_case {
    xncc_problem problem;
    xncc_image image, pixels; /* pixels: of the template */
    uint8_t *mask;            /* of the template, or NULL */
    float *coefficients;
    xncc_map map;   /* results go here */
    int32_t x0, y0; /* XNCC_TASK_MATCH: top-left pixel of the window of map element (0, 0) */
    /* What results are compared with, from app_bench_expect. */
    float *whole; /* the whole map, or NULL */
    app_bench_region region[APP_BENCH_REGIONS];
    float *templ[APP_BENCH_REGIONS]; /* the reference kernel's scores there; all NULL when whole is
                                       the reference kernel's */
    int expected;
} app_bench_case;

/* Takes memory and fills it; the same problem always gives the same pixels. To be closed whatever
 * is returned. */
xncc_status app_bench_case_open(const xncc_problem *problem, app_bench_case *c, app_error *error);
void app_bench_case_close(app_bench_case *c);

/* Pseudo-random samples, the same for the same seed (not 0). */
void app_bench_fill(void *data, xncc_pixel pixel, size_t count, uint64_t seed);

/* Samples a pixel of a problem. */
size_t app_bench_channels(const xncc_problem *problem);

/* Multiply-adds and map elements. */
double app_bench_macs(const app_bench_case *c);
double app_bench_pixels(const app_bench_case *c);

/* The most multiply-adds that the reference kernel is asked for in a check. */
extern const double app_bench_reference_macs;

/* Computes, once a case (to be called before every kernel all the same), what its results have to
 * be: the reference kernel's map where that is little work. Else the reference kernel's scores in
 * three parts of it (the corners top left and bottom right, and the middle), and the whole map by
 * the fastest kernel of another kind than `kernel`, where there is one. checker has the CPU engine,
 * context the engine of `kernel`. */
xncc_status app_bench_expect(xncc_context *checker, xncc_context *context, app_bench_case *c,
                             const char *kernel, app_error *error);

/* 1 when the map is what was expected, bit for bit. */
int app_bench_check(const app_bench_case *c);

/* Whether two kernels are of one kind: direct-avx2 and direct-portable are, conv-tiled and
 * conv-global are not. */
int app_bench_same_kind(const char *a, const char *b);

#endif
