/* Device time of a plan: image and map in device memory, between two CUDA events. Filled in where the build has CUDA.
 */
#ifndef APP_DEVICE_BENCH_H
#define APP_DEVICE_BENCH_H

#include "corrmatch/plan.h"
#include "fail.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct app_device_job {
    cm_plan *plan;           /* of a CUDA kernel */
    const cm_image *image;   /* host, tight rows */
    const cm_template *part; /* for CM_TASK_MATCH, else NULL */
    const cm_filter *filter; /* for CM_TASK_CONVOLVE, else NULL */
    const cm_map *map;       /* host, tight rows: the result of the last run is copied here */
    int32_t cuda_index;
    int32_t repeat; /* timed runs, after two that are not */
} app_device_job;

/* The median in *ms. */
cm_status app_device_time(const app_device_job *job, double *ms, app_error *error);

/* Bytes read and written a second by a copy within device memory. */
cm_status app_device_copy_rate(int32_t cuda_index, double *bytes_per_second, app_error *error);

#ifdef __cplusplus
}
#endif
#endif
