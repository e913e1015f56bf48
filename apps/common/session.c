/* A context made from the options. */
#include "session.h"

#include <stdio.h>
#include <string.h>

enum { DEVICES = 64 };

/* The entry of the CUDA device with this number, or the one that says why there is no device. */
static const xncc_device_info *find_cuda(const xncc_device_info *info, size_t count, int32_t index)
{
    const xncc_device_info *reason = NULL;
    for (size_t i = 0; i < count; i++) {
        if (info[i].device != XNCC_DEVICE_CUDA)
            continue;
        if (info[i].index == index)
            return &info[i];
        if (info[i].index < 0)
            reason = &info[i];
    }
    return reason;
}

xncc_status app_session_open(const app_options *options, app_session *session, app_error *error)
{
    xncc_device_info info[DEVICES];
    memset(session, 0, sizeof *session);
    session->options = options;
    const xncc_device_info *cuda = NULL;
    if (options->device.device != XNCC_DEVICE_CPU) {
        size_t count = xncc_device_describe(info, DEVICES);
        cuda = find_cuda(info, count < DEVICES ? count : DEVICES, options->device.cuda_index);
    }
    xncc_status status = xncc_context_create(&options->device, &session->context);
    if (status && options->device.device == XNCC_DEVICE_CUDA)
        return app_fail(error, status, "--device cuda:%d: %s; use --device cpu",
                        options->device.cuda_index,
                        !cuda           ? "there is no such device"
                        : cuda->text[0] ? cuda->text
                                        : xncc_status_string(status));
    if (status)
        return app_fail(error, status, "cannot start: %s", xncc_status_string(status));
    if (cuda && cuda->usable)
        snprintf(session->device, sizeof session->device, "cuda:%d %s", cuda->index, cuda->name);
    else
        snprintf(session->device, sizeof session->device, "cpu");
    return XNCC_OK;
}

void app_session_close(app_session *session)
{
    xncc_context_destroy(session->context);
    session->context = NULL;
}

xncc_status app_session_fail(const app_session *session, xncc_status status, const char *about,
                             app_error *error)
{
    char text[XNCC_ERROR_SIZE];
    xncc_context_error(session->context, text, sizeof text);
    return app_fail(error, status, "%s: %s", about, text[0] ? text : xncc_status_string(status));
}

const char *app_session_device(const app_session *session, const char *kernel)
{
    xncc_kernel_info k = { .size = sizeof k };
    for (size_t i = 0; i < xncc_kernel_describe(i, &k); i++)
        if (k.engine == XNCC_DEVICE_CPU && strcmp(k.name, kernel) == 0)
            return "cpu";
    return session->device;
}
