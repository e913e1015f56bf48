/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracking: checks the arguments, and runs the passes. */
#include "api/track_pass.h"

#include "base/float_env.h"
#include "base/memory.h"
#include "base/options.h"
#include "image/image.h"
#include "track/outliers.h"

#include <math.h>

enum { MOST_SEARCH = 4096, MOST_OVERSAMPLE = 64, MOST_PASSES = 64, MOST_DEFORM = 64 };

static xncc_status check_chip(int32_t width, int32_t height, int32_t search_x, int32_t search_y,
                              xncc_error *error)
{
    if (width < 1 || height < 1 || width > XNCC_MAX_SIDE / 2 || height > XNCC_MAX_SIDE / 2)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "track: a chip of %d x %d pixels is not within 1 .. %d", width, height,
                         XNCC_MAX_SIDE / 2);
    if (search_x < 0 || search_y < 0 || search_x > MOST_SEARCH || search_y > MOST_SEARCH)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "track: a search of %d x %d pixels around the prediction is not within 0 "
                         ".. %d",
                         search_x, search_y, MOST_SEARCH);
    return XNCC_OK;
}

static xncc_status check_deform(const xncc_track_options *o, xncc_error *error)
{
    if (o->deform < 0 || o->deform > MOST_DEFORM || o->reserved != 0)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "track: %d deformations are not within 0 .. %d, or reserved is not 0",
                         o->deform, MOST_DEFORM);
    if (o->deform_step_x < 1 || o->deform_step_y < 1)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "track: the chips of the grid for the deformation are %d and %d pixels "
                         "apart; at least 1 is needed",
                         o->deform_step_x, o->deform_step_y);
    return XNCC_OK;
}

static xncc_status check_sizes(const xncc_track_options *o, xncc_error *error)
{
    if (o->coarse_count > MOST_PASSES)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "track: %llu coarse passes are not within 0 .. %d",
                         (unsigned long long)o->coarse_count, MOST_PASSES);
    if (o->coarse_count > 0 && !o->coarse)
        return xncc_fail_null(error, "options->coarse");
    if (!(o->min_valid >= 0.0 && o->min_valid <= 1.0))
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "track: min_valid, the least fraction of pixels that count, is %g and not "
                         "within 0 .. 1",
                         o->min_valid);
    return check_chip(o->chip_width, o->chip_height, o->search_x, o->search_y, error);
}

static xncc_status check_options(const xncc_track_options *o, xncc_error *error)
{
    if ((unsigned)o->method > XNCC_CCORR_NORMED)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "track: %s is not a method of tracking; take ccoeff_normed, ccoeff, ccorr "
                         "or ccorr_normed",
                         xncc_method_name(o->method));
    if ((unsigned)o->fit > XNCC_TRACK_OVERSAMPLED)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "track: %d is not a fit", (int)o->fit);
    if (o->oversample < 2 || o->oversample > MOST_OVERSAMPLE ||
        (o->oversample & (o->oversample - 1)))
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "track: oversampling by %d is not one of 2, 4, 8, 16, 32 and 64",
                         o->oversample);
    if (o->back != 0 && o->back != 1)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "track: back is %d, not 0 or 1", o->back);
    const xncc_status status = check_deform(o, error);
    return status ? status : check_sizes(o, error);
}

static xncc_status check_source(const xncc_track_source *s, xncc_error *error)
{
    if (!s->read)
        return xncc_fail_null(error, "source->read");
    if (s->pairs < 1 || s->rows < 1)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "track: %llu pairs of images, %d rows at once; at least 1 of each is "
                         "needed",
                         (unsigned long long)s->pairs, s->rows);
    if (s->width1 < 1 || s->height1 < 1 || s->width2 < 1 || s->height2 < 1 ||
        s->width1 > XNCC_MAX_SIDE || s->height1 > XNCC_MAX_SIDE || s->width2 > XNCC_MAX_SIDE ||
        s->height2 > XNCC_MAX_SIDE)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "track: images of %d x %d and %d x %d pixels are not within 1 .. %d",
                         s->width1, s->height1, s->width2, s->height2, XNCC_MAX_SIDE);
    return XNCC_OK;
}

static xncc_status check_pass(const xncc_track_pass *p, const xncc_track_source *s,
                              xncc_error *error)
{
    xncc_status status = check_chip(p->chip_width, p->chip_height, p->search_x, p->search_y, error);
    if (status)
        return status;
    if (p->chip_width > s->width1 || p->chip_height > s->height1)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "track: a coarse pass has chips of %d x %d pixels, but image 1 has %d x "
                         "%d; take smaller chips",
                         p->chip_width, p->chip_height, s->width1, s->height1);
    if (p->step_x < 1 || p->step_y < 1)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "track: the chips of a coarse pass are %d and %d pixels apart; at least 1 "
                         "is needed",
                         p->step_x, p->step_y);
    if ((p->median != 0 && p->median != 1) || !(p->limit > 0.0))
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "track: in a coarse pass median is %d, not 0 or 1, or the limit %g is not "
                         "above 0",
                         p->median, p->limit);
    return XNCC_OK;
}

/* Reads the coarse passes, which have the size that the first one says. The caller frees
 * call->coarse. */
static xncc_status read_passes(xncc_track_call *call, xncc_error *error)
{
    const xncc_track_options *o = &call->options;
    xncc_status status = XNCC_OK;
    if (o->coarse_count == 0)
        return XNCC_OK;
    call->coarse = xncc_alloc(o->coarse_count, sizeof *call->coarse);
    if (!call->coarse)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "track: no memory for %llu passes",
                         (unsigned long long)o->coarse_count);
    for (size_t i = 0; i < o->coarse_count && !status; i++) {
        const void *pass = (const char *)o->coarse + i * o->coarse->size;
        status = XNCC_READ(&call->coarse[i], pass, xncc_track_pass, XNCC_TRACK_PASS_INIT, limit,
                           error);
        if (!status)
            status = check_pass(&call->coarse[i], &call->source, error);
    }
    return status;
}

/* on_device: 1 if all images are in device memory. */
static xncc_status track(xncc_context *context, const xncc_track_source *source, int on_device,
                         const xncc_track_options *options, const xncc_track_point *point,
                         size_t count, xncc_displacement *found, xncc_float_env *host,
                         xncc_error *error)
{
    xncc_track_call call = { .context = context,
                             .device = context->engine[xncc_slot(XNCC_DEVICE_CUDA)],
                             .on_device = on_device,
                             .watch = xncc_watch_make(&context->progress),
                             .host = host };
    xncc_status status = XNCC_READ(&call.options, options, xncc_track_options,
                                   XNCC_TRACK_OPTIONS_INIT, reserved, error);
    if (!status)
        status = XNCC_READ(&call.source, source, xncc_track_source, XNCC_TRACK_SOURCE_INIT,
                           argument, error);
    if (!status)
        status = check_options(&call.options, error);
    if (!status)
        status = check_source(&call.source, error);
    if (!status)
        status = xncc_context_helper(context, &call.engine, error);
    if (!status)
        status = read_passes(&call, error);
    if (!status)
        status = xncc_track_run(&call, point, count, found, error);
    xncc_free(call.coarse);
    return xncc_done(status, error);
}

static xncc_status check_pointers(const xncc_context *context, const void *source,
                                  const xncc_track_point *point, size_t count,
                                  const xncc_displacement *found, const char *name,
                                  xncc_error *error)
{
    return context && source && (!count || (point && found))
               ? XNCC_OK
               : xncc_fail_null(error, !context  ? "context"
                                       : !source ? name
                                       : !point  ? "point"
                                                 : "found");
}

xncc_status xncc_track_rows(xncc_context *context, const xncc_track_source *source,
                            const xncc_track_options *options, const xncc_track_point *point,
                            size_t count, xncc_displacement *found, xncc_error *error)
{
    XNCC_ENTER;
    const xncc_status status = check_pointers(context, source, point, count, found, "source",
                                              error);
    return status ? status
                  : track(context, source, 0, options, point, count, found, &float_env, error);
}

/* The images of xncc_track as a source. */
static xncc_status read_pair(void *argument, size_t pair, int32_t which, int32_t y, int32_t height,
                             xncc_image *view, xncc_error *error)
{
    const xncc_track_pair *pairs = argument;
    const xncc_image *image = which == 1 ? pairs[pair].image1 : pairs[pair].image2;
    return xncc_image_crop(image, 0, y, image->width, height, view, error);
}

/* Checks an image against the first one of its kind, and against the type of all. */
static xncc_status check_image(const xncc_context *context, const xncc_image *image,
                               const xncc_image *like, const xncc_image *first, int which,
                               xncc_error *error)
{
    xncc_status status = xncc_image_check(image, which == 1 ? "image 1" : "image 2", error);
    if (status)
        return status;
    if (image->memory != XNCC_HOST && !context->engine[xncc_slot(XNCC_DEVICE_CUDA)])
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "track: image %d is in device memory, which this context does not have; "
                         "create a context with XNCC_DEVICE_CUDA or XNCC_DEVICE_AUTO",
                         which);
    if (image->pixel != first->pixel || xncc_image_channels(image) != xncc_image_channels(first))
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "track: an image %d is %s with %d channel%s, but the first image 1 is %s "
                         "with %d; all must have one type",
                         which, xncc_pixel_name(image->pixel), xncc_image_channels(image),
                         xncc_plural(xncc_image_channels(image)), xncc_pixel_name(first->pixel),
                         xncc_image_channels(first));
    if (image->width != like->width || image->height != like->height)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "track: an image %d has %d x %d pixels, but the first one has %d x %d",
                         which, image->width, image->height, like->width, like->height);
    return XNCC_OK;
}

xncc_status xncc_track(xncc_context *context, const xncc_track_pair *pair, size_t pairs,
                       const xncc_track_options *options, const xncc_track_point *point,
                       size_t count, xncc_displacement *found, xncc_error *error)
{
    XNCC_ENTER;
    xncc_track_source source = XNCC_TRACK_SOURCE_INIT;
    int on_device = 1;
    xncc_status status = check_pointers(context, pair, point, count, found, "pair", error);
    for (size_t p = 0; p < pairs && !status; p++) {
        if (!pair[p].image1 || !pair[p].image2)
            return xncc_fail_null(error, pair[p].image1 ? "image2" : "image1");
        const xncc_image *first = pair[0].image1;
        status = check_image(context, pair[p].image1, first, first, 1, error);
        if (!status)
            status = check_image(context, pair[p].image2, pair[0].image2, first, 2, error);
        on_device = on_device && pair[p].image1->memory != XNCC_HOST &&
                    pair[p].image2->memory != XNCC_HOST;
    }
    if (status)
        return status;
    source.pairs = pairs;
    source.rows = XNCC_MAX_SIDE;
    source.read = read_pair;
    source.argument = (void *)(uintptr_t)pair;
    if (pairs > 0) {
        source.pixel = pair[0].image1->pixel;
        source.channels = xncc_image_channels(pair[0].image1);
        source.width1 = pair[0].image1->width;
        source.height1 = pair[0].image1->height;
        source.width2 = pair[0].image2->width;
        source.height2 = pair[0].image2->height;
    }
    return track(context, &source, on_device, options, point, count, found, &float_env, error);
}

xncc_status xncc_track_check(const xncc_track_check_options *options, xncc_displacement *found,
                             size_t count, xncc_error *error)
{
    XNCC_ENTER;
    xncc_track_check_options o;
    if (count && !found)
        return xncc_fail_null(error, "found");
    xncc_status status = XNCC_READ(&o, options, xncc_track_check_options,
                                   XNCC_TRACK_CHECK_OPTIONS_INIT, reserved, error);
    if (status)
        return status;
    if (o.neighbours < 3 || o.neighbours > XNCC_MOST_NEIGHBOURS)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "track: %d neighbours are not within 3 .. %d",
                         o.neighbours, XNCC_MOST_NEIGHBOURS);
    if (!(o.limit > 0.0) || !(o.noise > 0.0 && isfinite(o.noise)))
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "track: a limit of %g and a noise of %g must be above 0", o.limit,
                         o.noise);
    if ((o.replace != 0 && o.replace != 1) || o.reserved != 0)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "track: replace is %d, not 0 or 1, or reserved is not 0", o.replace);
    return xncc_done(xncc_outliers_mark(&o, found, count, error), error);
}
