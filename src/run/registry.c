/* The only place that knows whether CUDA was built. */
#include "run/run.h"

#include "cpu/cpu.h"
#ifdef CM_HAVE_CUDA
#include "cuda_engine.h"
#endif

#include <stdio.h>
#include <string.h>

static cm_status open_cuda(const cm_context_options *options, cm_engine **engine, cm_error *error)
{
#ifdef CM_HAVE_CUDA
    int32_t threads = options->threads ? options->threads : cm_cpu_processors();
    return cm_cuda_engine_create(options->cuda_index, options->device_memory, threads, engine, error);
#else
    (void)options;
    *engine = NULL;
    return cm_fail(error, CM_ERROR_DEVICE, "this build of corrmatch has no CUDA engine; build it where nvcc is found");
#endif
}

cm_status cm_registry_open(const cm_context_options *options, cm_engine *engine[CM_ENGINE_SLOTS], cm_error *error)
{
    cm_status status = CM_OK;
    if (options->device != CM_DEVICE_CPU) {
        cm_error ignored = { "" };
        int must = options->device == CM_DEVICE_CUDA;
        status = open_cuda(options, &engine[cm_slot(CM_DEVICE_CUDA)], must ? error : &ignored);
        if (!must)
            status = CM_OK;
    }
    if (!status && options->device != CM_DEVICE_CUDA)
        status = cm_cpu_engine_create(options->threads, &engine[cm_slot(CM_DEVICE_CPU)], error);
    return status;
}

size_t cm_device_describe(cm_device_info *info, size_t capacity)
{
    if (capacity > 0) {
        memset(info, 0, sizeof *info);
        info->device = CM_DEVICE_CPU;
        info->usable = 1;
        info->processors = cm_cpu_processors();
        (void)snprintf(info->name, sizeof info->name, "%s", cm_cpu_name());
        (void)snprintf(info->text, sizeof info->text, "%s", cm_cpu_features_text());
    }
    size_t left = capacity > 1 ? capacity - 1 : 0;
#ifdef CM_HAVE_CUDA
    return 1 + cm_cuda_describe(left ? info + 1 : NULL, left);
#else
    if (left) {
        memset(info + 1, 0, sizeof *info);
        info[1].device = CM_DEVICE_CUDA;
        info[1].index = -1;
        (void)snprintf(info[1].text, sizeof info[1].text, "this build of corrmatch has no CUDA engine");
    }
    return 2;
#endif
}
