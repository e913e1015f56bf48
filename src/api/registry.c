/* Opens and describes the engines. The only file of src/ that knows whether CUDA was built. */
#include "api/objects.h"

#include "cpu/cpu.h"
#ifdef XNCC_HAVE_CUDA
#include "cuda/engine/cuda_engine.h"
#endif

#include <stdio.h>
#include <string.h>

static xncc_status open_cuda(const xncc_context_options *options, xncc_engine **engine,
                             xncc_error *error)
{
#ifdef XNCC_HAVE_CUDA
    int32_t threads = options->threads ? options->threads : xncc_cpu_processors();
    return xncc_cuda_engine_create(options->cuda_index, options->device_memory, threads, engine,
                                   error);
#else
    (void)options;
    *engine = NULL;
    return xncc_fail(error, XNCC_ERROR_DEVICE,
                     "this build of exactncc has no CUDA engine; rebuild it with nvcc installed");
#endif
}

xncc_status xncc_registry_open(const xncc_context_options *options,
                               xncc_engine *engine[XNCC_ENGINE_SLOTS], xncc_error *error)
{
    xncc_status status = XNCC_OK;
    if (options->device != XNCC_DEVICE_CPU) {
        xncc_error ignored = { "" };
        int must = options->device == XNCC_DEVICE_CUDA;
        status = open_cuda(options, &engine[xncc_slot(XNCC_DEVICE_CUDA)], must ? error : &ignored);
        if (!must)
            status = XNCC_OK;
    }
    if (!status && options->device != XNCC_DEVICE_CUDA)
        status = xncc_cpu_engine_create(options->threads, &engine[xncc_slot(XNCC_DEVICE_CPU)],
                                        error);
    return status;
}

size_t xncc_device_describe(xncc_device_info *info, size_t capacity)
{
    if (capacity > 0) {
        memset(info, 0, sizeof *info);
        info->device = XNCC_DEVICE_CPU;
        info->usable = 1;
        info->processors = xncc_cpu_processors();
        (void)snprintf(info->name, sizeof info->name, "%s", xncc_cpu_name());
        (void)snprintf(info->text, sizeof info->text, "%s", xncc_cpu_features_text());
    }
    size_t left = capacity > 1 ? capacity - 1 : 0;
#ifdef XNCC_HAVE_CUDA
    return 1 + xncc_cuda_describe(left ? info + 1 : NULL, left);
#else
    if (left) {
        memset(info + 1, 0, sizeof *info);
        info[1].device = XNCC_DEVICE_CUDA;
        info[1].index = -1;
        (void)snprintf(info[1].text, sizeof info[1].text,
                       "this build of exactncc has no CUDA engine");
    }
    return 2;
#endif
}
