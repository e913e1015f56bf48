/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts, templates and filters: creation, destruction and progress. */
#include "api/objects.h"

#include "base/float_env.h"
#include "base/memory.h"
#include "base/options.h"
#include "image/image.h"

enum { MOST_THREADS = 1024 };

static xncc_status check_list(const xncc_context_options *o, xncc_error *error)
{
    if (o->cuda_count < XNCC_EVERY_DEVICE || o->cuda_count > XNCC_MAX_DEVICES)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "context: cuda_count is %d, not XNCC_EVERY_DEVICE or 0 .. %d",
                         o->cuda_count, XNCC_MAX_DEVICES);
    if (o->cuda_count > 0 && !o->cuda_list)
        return xncc_fail_null(error, "cuda_list");
    for (int32_t i = 0; i < o->cuda_count; i++) {
        if (o->cuda_list[i] < 0)
            return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                             "context: the device number %d is negative", o->cuda_list[i]);
        for (int32_t k = 0; k < i; k++)
            if (o->cuda_list[k] == o->cuda_list[i])
                return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                                 "context: CUDA device %d is twice in the list; name each once",
                                 o->cuda_list[i]);
    }
    return XNCC_OK;
}

static xncc_status check_options(const xncc_context_options *o, xncc_error *error)
{
    if ((unsigned)o->device > XNCC_DEVICE_CUDA)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "context: %d is not a device", (int)o->device);
    if (o->threads < 0 || o->threads > MOST_THREADS)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "context: %d threads are not within 0 .. %d",
                         o->threads, MOST_THREADS);
    if (o->cuda_index < 0)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "context: the device number %d is negative",
                         o->cuda_index);
    if (o->strict != 0 && o->strict != 1)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "context: strict is %d, not 0 or 1",
                         o->strict);
    return check_list(o, error);
}

xncc_status xncc_context_create(const xncc_context_options *options, xncc_context **context,
                                xncc_error *error)
{
    XNCC_ENTER;
    xncc_context_options o;
    if (!context)
        return xncc_fail_null(error, "context");
    *context = NULL;
    xncc_status status = XNCC_READ(&o, options, xncc_context_options, XNCC_CONTEXT_OPTIONS_INIT,
                                   device_memory, error);
    if (!status)
        status = check_options(&o, error);
    if (status)
        return status;
    xncc_context *c = xncc_alloc(1, sizeof *c);
    if (!c)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "context: no memory");
    c->threads = o.threads;
    status = xncc_registry_open(&o, c->engine, error);
    if (status)
        xncc_context_destroy(c);
    else
        *context = c;
    return xncc_done(status, error);
}

void xncc_context_destroy(xncc_context *context)
{
    if (!context)
        return;
    for (int slot = 0; slot < XNCC_ENGINE_SLOTS; slot++)
        if (context->engine[slot])
            context->engine[slot]->ops->destroy(context->engine[slot]);
    xncc_engine *helper = atomic_load(&context->helper);
    if (helper)
        helper->ops->destroy(helper);
    xncc_free(context);
}

double xncc_context_progress(const xncc_context *context)
{
    if (!context)
        return 1.0;
    uint64_t total = atomic_load(&context->progress.total),
             done = atomic_load(&context->progress.done);
    return total == 0 || done >= total ? 1.0 : (double)done / (double)total;
}

const char *xncc_context_warning(const xncc_context *context, char *text, size_t size)
{
    if (!text || size == 0)
        return "";
    text[0] = '\0';
    for (int slot = 0; context && slot < XNCC_ENGINE_SLOTS; slot++)
        if (context->engine[slot] && context->engine[slot]->ops->warning)
            context->engine[slot]->ops->warning(context->engine[slot], text, size);
    return text;
}

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "a signal handler may use lock-free atomics only");

void xncc_context_cancel(xncc_context *context)
{
    if (context)
        atomic_fetch_add(&context->progress.cancels, UINT64_C(1));
}

xncc_engine *xncc_context_engine(const xncc_context *context, xncc_device engine)
{
    xncc_engine *own = context->engine[xncc_slot(engine)];
    return own || engine == XNCC_DEVICE_CUDA ? own : atomic_load(&context->helper);
}

xncc_status xncc_context_machine(const xncc_context *context, xncc_machine *machine,
                                 xncc_error *error)
{
    xncc_status status = XNCC_OK;
    *machine = (xncc_machine){ .cpu.absent = 1 };
    for (int slot = 0; slot < XNCC_ENGINE_SLOTS && !status; slot++)
        if (context->engine[slot])
            status = context->engine[slot]->ops->describe(context->engine[slot], machine, error);
    return status;
}

xncc_machine xncc_context_cpu(const xncc_context *context)
{
    xncc_machine machine = { .cpu.absent = 1 };
    const xncc_engine *cpu = xncc_context_engine(context, XNCC_DEVICE_CPU);
    if (cpu)
        (void)cpu->ops->describe(cpu, &machine, NULL);
    return machine;
}

xncc_status xncc_context_helper(xncc_context *context, xncc_engine **engine, xncc_error *error)
{
    xncc_engine *none = NULL, *made = NULL;
    *engine = xncc_context_engine(context, XNCC_DEVICE_CPU);
    if (*engine)
        return XNCC_OK;
    const xncc_status status = xncc_registry_open_cpu(context->threads, &made, error);
    if (status)
        return status;
    *engine = made;
    if (!atomic_compare_exchange_strong(&context->helper, &none, made)) {
        made->ops->destroy(made); /* another call was first */
        *engine = none;
    }
    return XNCC_OK;
}

static xncc_status fill_template(xncc_context *context, const xncc_image *pixels,
                                 xncc_template *templ, xncc_error *error)
{
    templ->context = context;
    templ->serial = atomic_fetch_add(&context->templates, 1) + 1;
    xncc_status status = xncc_image_check(pixels, "template", error);
    if (status)
        return status;
    xncc_image host;
    void *owned;
    status = xncc_context_fetch(context, pixels, "template", &host, &owned, error);
    if (!status)
        status = xncc_template_fill(templ, &host, error);
    xncc_free(owned);
    return status;
}

xncc_status xncc_template_make(xncc_context *context, const xncc_image *pixels,
                               xncc_template **result, xncc_error *error)
{
    *result = NULL;
    xncc_template *templ = xncc_alloc(1, sizeof *templ);
    const xncc_status status = templ ? fill_template(context, pixels, templ, error)
                                     : xncc_fail(error, XNCC_ERROR_MEMORY, "template: no memory");
    if (status)
        xncc_template_destroy(templ);
    else
        *result = templ;
    return status;
}

/* Makes the engines' forms of a template or of a filter; the other one is NULL. */
static xncc_status prepare(const xncc_context *context, const xncc_template *templ,
                           const xncc_filter *filter, void *prepared[XNCC_ENGINE_SLOTS],
                           xncc_error *error)
{
    xncc_status status = XNCC_OK;
    for (int slot = 0; slot < XNCC_ENGINE_SLOTS && !status; slot++) {
        xncc_engine *engine = context->engine[slot];
        if (engine && engine->ops->prepare)
            status = engine->ops->prepare(engine, templ, filter, &prepared[slot], error);
    }
    return status;
}

xncc_status xncc_template_create(xncc_context *context, const xncc_image *pixels,
                                 xncc_template **result, xncc_error *error)
{
    XNCC_ENTER;
    if (result)
        *result = NULL;
    if (!context || !result)
        return xncc_fail_null(error, context ? "templ" : "context");
    xncc_template *templ = NULL;
    xncc_status status = xncc_template_make(context, pixels, &templ, error);
    if (!status)
        status = prepare(context, templ, NULL, templ->prepared, error);
    if (status)
        xncc_template_destroy(templ);
    else
        *result = templ;
    return xncc_done(status, error);
}

xncc_status xncc_template_check_listed(const xncc_template *templ, size_t i,
                                       const xncc_context *context, xncc_pixel pixel,
                                       int32_t channels, xncc_error *error)
{
    if (!templ)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "template %zu is a null pointer", i);
    if (templ->context != context)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "template %zu belongs to another context", i);
    if (templ->pixel != pixel || templ->channels != channels)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "template %zu is %s with %d channel%s, but the image is %s with %d; all "
                         "must have one type",
                         i, xncc_pixel_name(templ->pixel), templ->channels,
                         xncc_plural(templ->channels), xncc_pixel_name(pixel), channels);
    return XNCC_OK;
}

static void release(xncc_context *context, void *prepared[XNCC_ENGINE_SLOTS])
{
    for (int slot = 0; slot < XNCC_ENGINE_SLOTS; slot++)
        if (prepared[slot])
            context->engine[slot]->ops->release(context->engine[slot], prepared[slot]);
}

void xncc_template_destroy(xncc_template *templ)
{
    if (!templ)
        return;
    release(templ->context, templ->prepared);
    xncc_template_clear(templ);
    xncc_free(templ);
}

xncc_status xncc_filter_create(xncc_context *context, const float *coefficients, int32_t width,
                               int32_t height, const xncc_filter_options *options,
                               xncc_filter **result, xncc_error *error)
{
    XNCC_ENTER;
    xncc_filter_options o;
    if (result)
        *result = NULL;
    if (!context || !result)
        return xncc_fail_null(error, context ? "filter" : "context");
    xncc_status status = XNCC_READ(&o, options, xncc_filter_options, XNCC_FILTER_OPTIONS_INIT,
                                   anchor_y, error);
    if (status)
        return status;
    xncc_filter *filter = xncc_alloc(1, sizeof *filter);
    if (!filter)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "filter: no memory");
    filter->context = context;
    status = xncc_filter_fill(filter, coefficients, width, height, &o, error);
    if (!status)
        status = prepare(context, NULL, filter, filter->prepared, error);
    if (status)
        xncc_filter_destroy(filter);
    else
        *result = filter;
    return xncc_done(status, error);
}

void xncc_filter_destroy(xncc_filter *filter)
{
    if (!filter)
        return;
    release(filter->context, filter->prepared);
    xncc_free(filter->taps);
    xncc_free(filter);
}
