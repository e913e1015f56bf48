/* Times on the device, with image, map and matches in device memory, between two CUDA events, and the rates that they
 * are set against. Filled in where the build has CUDA. */
#ifndef APP_DEVICE_BENCH_H
#define APP_DEVICE_BENCH_H

#include "corrmatch/plan.h"
#include "fail.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What to run: cm_plan_find_on_device when there are find options, else cm_plan_correlate or cm_plan_convolve. */
typedef struct app_device_job {
    cm_plan *plan;           /* of a CUDA kernel */
    const cm_image *image;   /* host, tight rows */
    const cm_template *part; /* for CM_TASK_MATCH, else NULL */
    const cm_filter *filter; /* for CM_TASK_CONVOLVE, else NULL */
    const cm_map *map;       /* host, tight rows: the map of the last run is copied here */
    const cm_find_options *find;
    cm_match *match; /* host: the matches of the last run, find->top of them at most */
    size_t *found;
    int32_t cuda_index;
    int32_t repeat; /* timed runs, after two that are not */
} app_device_job;

/* The median in *ms: from where the device begins with a run to its end, without the host's work of launching it. */
cm_status app_device_time(const app_device_job *job, double *ms, app_error *error);

/* Bytes read and written a second by a copy within device memory. */
cm_status app_device_copy_rate(int32_t cuda_index, double *bytes_per_second, app_error *error);

/* Multiply-adds of 8-bit integers a second of the tensor cores, at the highest clock that the device reports; 0 when it
 * is not known. */
cm_status app_device_mac_rate(int32_t cuda_index, double *macs_per_second, app_error *error);

/* The median time of copying an image to the device and, unless map is NULL, a map back, both rows tight. pinned: from
 * and to pinned memory. */
typedef struct app_device_copy {
    const cm_image *image;
    const cm_map *map;
    int pinned;
    int32_t cuda_index;
    int32_t repeat;
} app_device_copy;

cm_status app_device_copy_time(const app_device_copy *copy, double *ms, app_error *error);

/* A copy of a host image with tight rows in device memory; view.data is to be given to app_device_image_free. */
cm_status app_device_image(const cm_image *image, int32_t cuda_index, cm_image *view, app_error *error);
void app_device_image_free(cm_image *view);

#ifdef __cplusplus
}
#endif
#endif
