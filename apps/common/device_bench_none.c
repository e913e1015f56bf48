/* The build has no CUDA: no plan can be of a CUDA kernel. */
#include "device_bench.h"

cm_status app_device_time(const app_device_job *job, double *ms, app_error *error)
{
    (void)job;
    *ms = 0.0;
    return app_fail(error, CM_ERROR_UNSUPPORTED, "this build has no CUDA; build with a CUDA compiler");
}

cm_status app_device_copy_rate(int32_t cuda_index, double *bytes_per_second, app_error *error)
{
    *bytes_per_second = 0.0;
    return app_fail(error, CM_ERROR_UNSUPPORTED, "cuda:%d: this build has no CUDA; build with a CUDA compiler",
                    cuda_index);
}
