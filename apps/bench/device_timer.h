/* SPDX-License-Identifier: BSD-2-Clause */
/* Times on a CUDA device, with image, map and matches in device memory, measured between two
 * events; the rates that the times are compared with; and the few device buffers that the tables
 * need. Only builds with CUDA have an implementation (device_timer.c); the others fail
 * (device_timer_none.c). */
#ifndef DEVICE_TIMER_H
#define DEVICE_TIMER_H

#include "exactncc/plan.h"
#include "fail.h"

/* What to run: xncc_plan_find_on_device if peaks is not NULL, otherwise xncc_plan_correlate or
 * xncc_plan_convolve. */
typedef struct device_job {
    xncc_plan *plan;            /* of a CUDA kernel */
    const xncc_image *image;    /* in host memory, tight rows */
    const xncc_template *templ; /* XNCC_TASK_MATCH; otherwise NULL */
    const xncc_filter *filter;  /* XNCC_TASK_CONVOLVE; otherwise NULL */
    const xncc_map *map;        /* in host memory, tight rows: receives the map of the last run */
    const xncc_peak_rule *peaks;
    xncc_match *match; /* in host memory, peaks->top elements: receives those of the last run */
    size_t *found;
    int32_t cuda_index;
    int32_t repeat; /* number of timed runs, after two that are not counted */
} device_job;

/* The median time in ms, from when the device starts a run to when it ends it, without the host's
 * work of launching. */
xncc_status device_time(const device_job *job, double *ms, app_error *error);

/* Bytes read and written per second by a copy within device memory. */
xncc_status device_copy_rate(int32_t cuda_index, double *bytes_per_second, app_error *error);

/* Multiply-adds of 8-bit integers per second of the tensor cores, at the highest clock that the
 * device reports; 0 if not known. */
xncc_status device_mac_rate(int32_t cuda_index, double *macs_per_second, app_error *error);

/* A copy of an image to the device and, unless map is NULL, of a map back; both have tight rows. */
typedef struct device_copy {
    const xncc_image *image;
    const xncc_map *map;
    int pinned; /* 1: from and to pinned host memory */
    int32_t cuda_index;
    int32_t repeat;
} device_copy;

/* The median time in ms. */
xncc_status device_copy_time(const device_copy *copy, double *ms, app_error *error);

/* Copies a host image with tight rows to device memory. Give view->data to device_free, whatever is
 * returned. */
xncc_status device_image(const xncc_image *image, int32_t cuda_index, xncc_image *view,
                         app_error *error);

/* Allocates device memory. *p is NULL on failure. */
xncc_status device_alloc(int32_t cuda_index, size_t bytes, void **p, app_error *error);

/* Frees device memory. NULL is allowed. */
void device_free(const void *p);

/* Copies device memory to host memory, after all work on the device has ended. */
xncc_status device_fetch(void *to, const void *from, size_t bytes, app_error *error);

/* Makes host memory page-locked for all devices. Give it to device_unlock before it is freed. */
xncc_status device_lock(void *memory, size_t bytes, app_error *error);
void device_unlock(void *memory);

/* Waits for all work on a device. */
xncc_status device_wait(int32_t cuda_index, app_error *error);

#endif
