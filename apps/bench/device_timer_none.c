/* SPDX-License-Identifier: BSD-2-Clause */
/* The device timer of a build without CUDA: no plan can be of a CUDA kernel, so nothing calls it.
 */
#include "device_timer.h"

#include <string.h>

static xncc_status no_cuda(app_error *error)
{
    return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                    "this build has no CUDA; build with a CUDA compiler");
}

xncc_status device_time(const device_job *job, double *ms, app_error *error)
{
    (void)job;
    *ms = 0.0;
    return no_cuda(error);
}

xncc_status device_copy_rate(int32_t cuda_index, double *bytes_per_second, app_error *error)
{
    (void)cuda_index;
    *bytes_per_second = 0.0;
    return no_cuda(error);
}

xncc_status device_mac_rate(int32_t cuda_index, double *macs_per_second, app_error *error)
{
    (void)cuda_index;
    *macs_per_second = 0.0;
    return no_cuda(error);
}

xncc_status device_copy_time(const device_copy *copy, double *ms, app_error *error)
{
    (void)copy;
    *ms = 0.0;
    return no_cuda(error);
}

xncc_status device_image(const xncc_image *image, int32_t cuda_index, xncc_image *view,
                         app_error *error)
{
    (void)image;
    (void)cuda_index;
    memset(view, 0, sizeof *view);
    return no_cuda(error);
}

xncc_status device_alloc(int32_t cuda_index, size_t bytes, void **p, app_error *error)
{
    (void)cuda_index;
    (void)bytes;
    *p = NULL;
    return no_cuda(error);
}

void device_free(const void *p)
{
    (void)p;
}

xncc_status device_fetch(void *to, const void *from, size_t bytes, app_error *error)
{
    (void)to;
    (void)from;
    (void)bytes;
    return no_cuda(error);
}

xncc_status device_lock(void *memory, size_t bytes, app_error *error)
{
    (void)memory;
    (void)bytes;
    return no_cuda(error);
}

void device_unlock(void *memory)
{
    (void)memory;
}

xncc_status device_wait(int32_t cuda_index, app_error *error)
{
    (void)cuda_index;
    return no_cuda(error);
}
