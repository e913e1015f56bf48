/* A context made from the options. */
#include "session.h"

#include <stdio.h>
#include <string.h>

/* Describes the CUDA device with this number. Returns 1 if it can be used. */
static int find_cuda(int32_t index, xncc_device_info *info)
{
    const size_t count = xncc_device_count();
    for (size_t i = 1; i < count; i++)
        if (xncc_device_describe(i, info, NULL) == XNCC_OK && info->index == index)
            return info->usable;
    return 0;
}

xncc_status app_session_open(const app_options *options, app_session *session, app_error *error)
{
    const xncc_context_options *o = &options->device;
    xncc_device_info cuda = XNCC_DEVICE_INFO_INIT;
    xncc_error why;
    memset(session, 0, sizeof *session);
    session->options = options;
    const xncc_status status = xncc_context_create(o, &session->context, &why);
    if (status && o->device == XNCC_DEVICE_CUDA)
        return app_fail(error, status, "--device cuda:%d: %s; use --device cpu", o->cuda_index,
                        why.text);
    if (status)
        return app_pass_on(error, status, "cannot start", &why);
    if (o->device != XNCC_DEVICE_CPU && find_cuda(o->cuda_index, &cuda))
        snprintf(session->device, sizeof session->device, "cuda:%d %s", cuda.index, cuda.name);
    else
        snprintf(session->device, sizeof session->device, "cpu");
    return XNCC_OK;
}

void app_session_close(app_session *session)
{
    xncc_context_destroy(session->context);
    session->context = NULL;
}

const char *app_session_engine(const app_session *session, const xncc_plan_info *info)
{
    return info->engine == XNCC_DEVICE_CPU ? "cpu" : session->device;
}
