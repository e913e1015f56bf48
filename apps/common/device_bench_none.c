/* The build has no CUDA: no plan can be of a CUDA kernel. */
#include "device_bench.h"

#include <string.h>

static xncc_status no_cuda(app_error *error)
{
    return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                    "this build has no CUDA; build with a CUDA compiler");
}

xncc_status app_device_time(const app_device_job *job, double *ms, app_error *error)
{
    (void)job;
    *ms = 0.0;
    return no_cuda(error);
}

xncc_status app_device_copy_rate(int32_t cuda_index, double *bytes_per_second, app_error *error)
{
    (void)cuda_index;
    *bytes_per_second = 0.0;
    return no_cuda(error);
}

xncc_status app_device_mac_rate(int32_t cuda_index, double *macs_per_second, app_error *error)
{
    (void)cuda_index;
    *macs_per_second = 0.0;
    return no_cuda(error);
}

xncc_status app_device_copy_time(const app_device_copy *copy, double *ms, app_error *error)
{
    (void)copy;
    *ms = 0.0;
    return no_cuda(error);
}

xncc_status app_device_image(const xncc_image *image, int32_t cuda_index, xncc_image *view,
                             app_error *error)
{
    (void)image;
    (void)cuda_index;
    memset(view, 0, sizeof *view);
    return no_cuda(error);
}

void app_device_image_free(xncc_image *view)
{
    (void)view;
}
