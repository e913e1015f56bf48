/* SPDX-License-Identifier: BSD-2-Clause */
/* A context made from the options. */
#include "session.h"

#include "warn.h"

#include <stdio.h>
#include <string.h>

/* A text that is being written. What does not fit is cut. */
typedef struct writer {
    char *text;
    size_t size, used;
} writer;

static void put_number(writer *w, int32_t number)
{
    if (w->used < w->size)
        w->used += (size_t)snprintf(w->text + w->used, w->size - w->used, "%s%d",
                                    w->used ? "," : "cuda:", number);
}

/* The CUDA devices as --device asks for them. */
static void put_asked(const app_options *options, writer *w)
{
    const int32_t count = options->device.cuda_count;
    if (count < 0)
        w->used = (size_t)snprintf(w->text, w->size, "cuda:all");
    if (count == 0)
        put_number(w, options->device.cuda_index);
    for (int32_t i = 0; i < count; i++)
        put_number(w, options->device_list[i]);
}

/* The CUDA devices of the context, with those that "all" stands for, and the name of the first. */
static void name_devices(const app_options *options, const xncc_device_info *first, char *text,
                         size_t size)
{
    writer w = { text, size, 0 };
    xncc_device_info info = XNCC_DEVICE_INFO_INIT;
    if (options->device.cuda_count >= 0)
        put_asked(options, &w);
    else
        for (size_t i = 1; i < xncc_device_count(); i++)
            if (xncc_device_describe(i, &info, NULL) == XNCC_OK && info.usable)
                put_number(&w, info.index);
    if (w.used < size)
        snprintf(text + w.used, size - w.used, " %s", first->name);
}

/* Describes the CUDA device with this number; -1: the first one that is usable, or says in
 * info->text why there is none. */
static void find_cuda(int32_t index, xncc_device_info *info)
{
    const size_t count = xncc_device_count();
    for (size_t i = 1; i < count; i++)
        if (xncc_device_describe(i, info, NULL) == XNCC_OK &&
            (index < 0 ? info->usable : info->index == index))
            return;
}

/* The first device of the context, for find_cuda. */
static int32_t first_device(const app_options *options)
{
    const int32_t count = options->device.cuda_count;
    return count > 0 ? options->device_list[0] : count < 0 ? -1 : options->device.cuda_index;
}

/* Replaces the context by one with this device. */
static xncc_status open_context(app_session *s, xncc_device device, app_error *error)
{
    xncc_context_options o = s->options->device;
    char asked[160];
    put_asked(s->options, &(writer){ asked, sizeof asked, 0 });
    o.cuda_list = s->options->device_list;
    o.strict = s->options->strict;
    xncc_device_info cuda = XNCC_DEVICE_INFO_INIT;
    xncc_error why;
    o.device = device;
    app_session_close(s);
    const xncc_status status = xncc_context_create(&o, &s->context, &why);
    if (status && device == XNCC_DEVICE_CUDA)
        return app_fail(error, status, "--device %s: %s; use --device cpu", asked, why.text);
    if (status)
        return app_pass_on(error, status, "cannot start", &why);
    if (device != XNCC_DEVICE_CPU)
        find_cuda(first_device(s->options), &cuda);
    if (device == XNCC_DEVICE_CUDA && !cuda.usable) {
        app_session_close(s);
        return app_fail(error, XNCC_ERROR_DEVICE,
                        "--device %s: CUDA cannot be used: %s; use --device cpu", asked,
                        cuda.text[0] ? cuda.text : "the device cannot be described");
    }
    if (cuda.usable)
        name_devices(s->options, &cuda, s->device, sizeof s->device);
    else
        snprintf(s->device, sizeof s->device, "cpu");
    if (!cuda.usable && cuda.text[0])
        snprintf(s->why, sizeof s->why, "CUDA cannot be used: %s", cuda.text);
    return XNCC_OK;
}

xncc_status app_session_open(const app_options *options, app_session *s, app_error *error)
{
    *s = (app_session){ .options = options };
    if (options->device.device != XNCC_DEVICE_AUTO)
        snprintf(s->why, sizeof s->why, "--device asks for it");
    return open_context(s, options->device.device, error);
}

xncc_status app_session_begin(const app_options *options, app_session *s, app_error *error)
{
    if (options->device.device != XNCC_DEVICE_AUTO)
        return app_session_open(options, s, error);
    *s = (app_session){ .options = options, .waiting = 1 };
    return open_context(s, XNCC_DEVICE_CPU, error);
}

xncc_status app_session_decide(app_session *s, const app_auto_job *job, void (*release)(void *data),
                               void *data, app_error *error)
{
    if (!s->waiting)
        return XNCC_OK;
    const app_auto_choice choice = app_auto_choose(job);
    snprintf(s->why, sizeof s->why, "%s", choice.why);
    if (!choice.cuda)
        return XNCC_OK;
    release(data);
    s->waiting = 0;
    return open_context(s, XNCC_DEVICE_AUTO, error);
}

void app_session_close(app_session *session)
{
    char text[XNCC_ERROR_SIZE];
    if (xncc_context_warning(session->context, text, sizeof text)[0])
        app_warn("%s", text);
    xncc_context_destroy(session->context);
    session->context = NULL;
}

const char *app_kernel_name(const char *name)
{
    xncc_kernel_info info = XNCC_KERNEL_INFO_INIT;
    for (size_t i = 0; i < xncc_kernel_count(); i++)
        if (xncc_kernel_describe(i, &info, NULL) == XNCC_OK && strcmp(info.name, name) == 0)
            return info.name;
    return "";
}

const char *app_session_engine(const app_session *session, const xncc_plan_info *info)
{
    return info->engine == XNCC_DEVICE_CPU ? "cpu" : session->device;
}
