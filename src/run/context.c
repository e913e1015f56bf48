#include "run/run.h"

#include "base/memory.h"
#include "image/image.h"

#include <stdio.h>

enum { MOST_THREADS = 1024 };

cm_status cm_context_create(const cm_context_options *options, cm_context **context)
{
    if (!context)
        return CM_ERROR_ARGUMENT;
    *context = NULL;
    const cm_context_options none = { .device = CM_DEVICE_AUTO };
    const cm_context_options *o = options ? options : &none;
    if ((unsigned)o->device > CM_DEVICE_CUDA || o->threads < 0 || o->threads > MOST_THREADS || o->cuda_index < 0)
        return CM_ERROR_ARGUMENT;
    cm_context *c = cm_alloc(1, sizeof *c);
    if (!c)
        return CM_ERROR_MEMORY;
    if (pthread_mutex_init(&c->lock, NULL) != 0) {
        cm_free(c);
        return CM_ERROR_MEMORY;
    }
    cm_status status = cm_registry_open(o, c->engine, &c->last);
    if (status) {
        cm_context_destroy(c);
        return status;
    }
    *context = c;
    return CM_OK;
}

void cm_context_destroy(cm_context *context)
{
    if (!context)
        return;
    for (int slot = 0; slot < CM_ENGINE_SLOTS; slot++)
        if (context->engine[slot])
            context->engine[slot]->ops->destroy(context->engine[slot]);
    (void)pthread_mutex_destroy(&context->lock);
    cm_free(context);
}

cm_status cm_context_note(cm_context *context, cm_status status, const cm_error *error)
{
    if (status && context) {
        (void)pthread_mutex_lock(&context->lock);
        context->last = *error;
        (void)pthread_mutex_unlock(&context->lock);
    }
    return status;
}

const char *cm_context_error(const cm_context *context, char *text, size_t size)
{
    if (!text || size == 0)
        return "";
    text[0] = '\0';
    if (!context)
        return text;
    cm_context *c = (cm_context *)(uintptr_t)context; /* the lock is not part of what the caller sees as const */
    (void)pthread_mutex_lock(&c->lock);
    (void)snprintf(text, size, "%s", c->last.text);
    (void)pthread_mutex_unlock(&c->lock);
    return text;
}

double cm_context_progress(const cm_context *context)
{
    if (!context)
        return 1.0;
    uint64_t total = atomic_load(&context->progress.total), done = atomic_load(&context->progress.done);
    return total == 0 || done >= total ? 1.0 : (double)done / (double)total;
}

cm_machine cm_context_machine(const cm_context *context)
{
    cm_machine machine = { .cpu.absent = 1 };
    for (int slot = 0; slot < CM_ENGINE_SLOTS; slot++)
        if (context->engine[slot])
            context->engine[slot]->ops->describe(context->engine[slot], &machine);
    return machine;
}

/* Brings device pixels and their mask to the host; *owned is then to be freed. */
static cm_status bring(cm_context *context, const cm_image *pixels, cm_image *host, void **owned, cm_error *error)
{
    *host = *pixels;
    *owned = NULL;
    if (pixels->memory == CM_HOST)
        return CM_OK;
    cm_engine *cuda = context->engine[cm_slot(CM_DEVICE_CUDA)];
    if (!cuda)
        return cm_fail(error, CM_ERROR_ARGUMENT, "template: its pixels lie in device memory and this context has no device");
    uint64_t row = (uint64_t)cm_image_row_bytes(pixels), width = (uint64_t)pixels->width, mask_row = pixels->mask ? width : 0;
    char *bytes = cm_alloc((uint64_t)pixels->height, row + mask_row);
    *owned = bytes;
    if (!bytes)
        return cm_fail(error, CM_ERROR_MEMORY, "template: no memory for %d x %d pixels", pixels->width, pixels->height);
    host->data = bytes;
    host->pitch = (int64_t)row;
    host->memory = CM_HOST;
    cm_status status = cuda->ops->fetch(cuda, pixels, bytes, error);
    if (!status && pixels->mask) {
        uint8_t *mask = (uint8_t *)bytes + row * (uint64_t)pixels->height;
        cm_image view = { .data = pixels->mask, .width = pixels->width, .height = pixels->height, .pitch = pixels->mask_pitch,
                          .pixel = CM_U8, .memory = CM_DEVICE };
        host->mask = mask;
        host->mask_pitch = pixels->width;
        status = cuda->ops->fetch(cuda, &view, mask, error);
    }
    return status;
}

static cm_status make_template(cm_context *context, const cm_image *pixels, cm_template *part, cm_error *error)
{
    part->context = context;
    part->serial = atomic_fetch_add(&context->templates, 1) + 1;
    cm_status status = cm_image_check(pixels, "template", error);
    if (status)
        return status;
    cm_image host;
    void *owned;
    status = bring(context, pixels, &host, &owned, error);
    if (!status)
        status = cm_template_fill(part, &host, error);
    cm_free(owned);
    for (int slot = 0; slot < CM_ENGINE_SLOTS && !status; slot++)
        if (context->engine[slot])
            status = context->engine[slot]->ops->prepare_template(context->engine[slot], part, &part->prepared[slot],
                                                                  error);
    return status;
}

cm_status cm_template_create(cm_context *context, const cm_image *pixels, cm_template **result)
{
    cm_error error = { "" };
    if (!result)
        return cm_context_note(context, cm_fail(&error, CM_ERROR_ARGUMENT, "template: result is a null pointer"), &error);
    *result = NULL;
    if (!context)
        return CM_ERROR_ARGUMENT;
    cm_template *part = cm_alloc(1, sizeof *part);
    cm_status status = part ? make_template(context, pixels, part, &error)
                            : cm_fail(&error, CM_ERROR_MEMORY, "template: no memory");
    if (status)
        cm_template_destroy(part);
    else
        *result = part;
    return cm_context_note(context, status, &error);
}

static void release(cm_context *context, void *prepared[CM_ENGINE_SLOTS])
{
    for (int slot = 0; slot < CM_ENGINE_SLOTS; slot++)
        if (prepared[slot])
            context->engine[slot]->ops->release(context->engine[slot], prepared[slot]);
}

void cm_template_destroy(cm_template *part)
{
    if (!part)
        return;
    release(part->context, part->prepared);
    cm_template_clear(part);
    cm_free(part);
}

cm_status cm_filter_create(cm_context *context, const float *coefficients, int32_t width, int32_t height,
                           const cm_filter_options *options, cm_filter **result)
{
    static const cm_filter_options none = { 0 };
    cm_error error = { "" };
    if (!result)
        return cm_context_note(context, cm_fail(&error, CM_ERROR_ARGUMENT, "filter: result is a null pointer"), &error);
    *result = NULL;
    if (!context)
        return CM_ERROR_ARGUMENT;
    cm_filter *filter = cm_alloc(1, sizeof *filter);
    if (!filter)
        return cm_context_note(context, cm_fail(&error, CM_ERROR_MEMORY, "filter: no memory"), &error);
    filter->context = context;
    cm_status status = cm_filter_fill(filter, coefficients, width, height, options ? options : &none, &error);
    for (int slot = 0; slot < CM_ENGINE_SLOTS && !status; slot++)
        if (context->engine[slot])
            status = context->engine[slot]->ops->prepare_filter(context->engine[slot], filter, &filter->prepared[slot],
                                                                &error);
    if (status)
        cm_filter_destroy(filter);
    else
        *result = filter;
    return cm_context_note(context, status, &error);
}

void cm_filter_destroy(cm_filter *filter)
{
    if (!filter)
        return;
    release(filter->context, filter->prepared);
    cm_filter_clear(filter);
    cm_free(filter);
}
