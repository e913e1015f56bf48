/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens and describes the engines. The only file of src/ that knows whether CUDA was built. */
#include "api/objects.h"

#include "base/float_env.h"
#include "base/options.h"
#include "cpu/cpu.h"
#ifdef XNCC_HAVE_CUDA
#include "cuda/engine/cuda_engine.h"
#include "team/team.h"
#endif

#include <stdio.h>

#ifdef XNCC_HAVE_CUDA
/* Writes the numbers of the devices that the options ask for, and returns how many there are. If
 * every device is asked for and none is usable, that is the first one, whose engine will say why.
 */
static int32_t list_devices(const xncc_context_options *options, int32_t list[XNCC_MAX_DEVICES])
{
    int32_t count = 0;
    list[0] = options->cuda_index;
    if (options->cuda_count == 0)
        return 1;
    for (int32_t i = 0; i < options->cuda_count; i++)
        list[count++] = options->cuda_list[i];
    if (options->cuda_count != XNCC_EVERY_DEVICE)
        return count;
    list[0] = 0;
    for (size_t i = 0; i < xncc_cuda_count() && count < XNCC_MAX_DEVICES; i++) {
        xncc_device_info info = XNCC_DEVICE_INFO_INIT;
        xncc_cuda_describe(i, &info);
        if (info.usable)
            list[count++] = info.index;
    }
    return count ? count : 1;
}
#endif

static xncc_status open_cuda(const xncc_context_options *options, xncc_engine **engine,
                             xncc_error *error)
{
#ifdef XNCC_HAVE_CUDA
    const int32_t threads = options->threads ? options->threads : xncc_cpu_processors();
    const xncc_team_options team = { XNCC_DEVICE_CUDA, options->strict, XNCC_HANDOVER_MS };
    int32_t list[XNCC_MAX_DEVICES];
    xncc_recruit recruit[XNCC_MAX_DEVICES];
    const int32_t count = list_devices(options, list),
                  each = threads / count > 1 ? threads / count : 1;
    xncc_status status = XNCC_OK;
    int32_t made = 0;
    while (made < count && !status) {
        (void)snprintf(recruit[made].name, sizeof recruit[made].name, "CUDA device %d", list[made]);
        status = xncc_cuda_engine_create(list[made], options->device_memory, each,
                                         &recruit[made].engine, error);
        made += !status;
    }
    if (!status && count == 1)
        *engine = recruit[0].engine;
    else if (!status)
        status = xncc_team_create(recruit, count, &team, engine, error);
    for (int32_t i = 0; i < made && status; i++)
        recruit[i].engine->ops->destroy(recruit[i].engine);
    return status;
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
        status = xncc_registry_open_cpu(options->threads, &engine[xncc_slot(XNCC_DEVICE_CPU)],
                                        error);
    return status;
}

xncc_status xncc_registry_open_cpu(int32_t threads, xncc_engine **engine, xncc_error *error)
{
    return xncc_cpu_engine_create(threads, engine, error);
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
