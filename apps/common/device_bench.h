/* Times on the device, with image, map and matches in device memory, between two CUDA events, and
 * the rates that they are set against. Filled in where the build has CUDA. */
#ifndef APP_DEVICE_BENCH_H
#define APP_DEVICE_BENCH_H

#include "exactncc/plan.h"
#include "fail.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What to run: xncc_plan_find_on_device when there are find options, else xncc_plan_correlate or
 * xncc_plan_convolve. */
typedef struct app_device_job {
    xncc_plan *plan;            /* of a CUDA kernel */
    const xncc_image *image;    /* host, tight rows */
    const xncc_template *templ; /* for XNCC_TASK_MATCH, else NULL */
    const xncc_filter *filter;  /* for XNCC_TASK_CONVOLVE, else NULL */
    const xncc_map *map;        /* host, tight rows: the map of the last run is copied here */
    const xncc_find_options *find;
    xncc_match *match; /* host: the matches of the last run, find->top of them at most */
    size_t *found;
    int32_t cuda_index;
    int32_t repeat; /* timed runs, after two that are not */
} app_device_job;

/* The median in *ms: from where the device begins with a run to its end, without the host's work of
 * launching it. */
xncc_status app_device_time(const app_device_job *job, double *ms, app_error *error);

/* Bytes read and written a second by a copy within device memory. */
xncc_status app_device_copy_rate(int32_t cuda_index, double *bytes_per_second, app_error *error);

/* Multiply-adds of 8-bit integers a second of the tensor cores, at the highest clock that the
 * device reports; 0 when it is not known. */
xncc_status app_device_mac_rate(int32_t cuda_index, double *macs_per_second, app_error *error);

/* The median time of copying an image to the device and, unless map is NULL, a map back, both rows
 * tight. pinned: from and to pinned memory. */
typedef struct app_device_copy {
    const xncc_image *image;
    const xncc_map *map;
    int pinned;
    int32_t cuda_index;
    int32_t repeat;
} app_device_copy;

xncc_status app_device_copy_time(const app_device_copy *copy, double *ms, app_error *error);

/* A copy of a host image with tight rows in device memory; view.data is to be given to
 * app_device_image_free. */
xncc_status app_device_image(const xncc_image *image, int32_t cuda_index, xncc_image *view,
                             app_error *error);
void app_device_image_free(xncc_image *view);

#ifdef __cplusplus
}
#endif
#endif
