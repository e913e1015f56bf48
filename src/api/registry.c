/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens and describes the engines. The only file of src/ that knows whether CUDA was built. */
#include "api/objects.h"

#include "base/float_env.h"
#include "base/options.h"
#include "cpu/cpu.h"
#ifdef XNCC_HAVE_CUDA
#include "cuda/engine/cuda_engine.h"
#endif

#include <stdio.h>

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

size_t xncc_device_count(void)
{
#ifdef XNCC_HAVE_CUDA
    return 1 + xncc_cuda_count();
#else
    return 2;
#endif
}

static void describe_cpu(xncc_device_info *info)
{
    info->device = XNCC_DEVICE_CPU;
    info->usable = 1;
    info->processors = xncc_cpu_processors();
    (void)snprintf(info->name, sizeof info->name, "%s", xncc_cpu_name());
    (void)snprintf(info->text, sizeof info->text, "%s", xncc_cpu_features_text());
}

/* number: from 0. */
static void describe_cuda(size_t number, xncc_device_info *info)
{
#ifdef XNCC_HAVE_CUDA
    xncc_cuda_describe(number, info);
#else
    (void)number;
    info->device = XNCC_DEVICE_CUDA;
    info->index = -1;
    (void)snprintf(info->text, sizeof info->text, "this build of exactncc has no CUDA engine");
#endif
}

xncc_status xncc_device_describe(size_t number, xncc_device_info *info, xncc_error *error)
{
    XNCC_ENTER;
    xncc_device_info all = XNCC_DEVICE_INFO_INIT;
    if (!info)
        return xncc_fail_null(error, "info");
    if (number >= xncc_device_count())
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "device %zu is not within 0 .. %zu, the devices that there are", number,
                         xncc_device_count() - 1);
    if (number == 0)
        describe_cpu(&all);
    else
        describe_cuda(number - 1, &all);
    return XNCC_GIVE(info, &all, xncc_device_info, texture_pitch, error);
}
