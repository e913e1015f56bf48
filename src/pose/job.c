/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of hits, templates of poses, and xncc_template_resample. */
#include "pose/job.h"

#include "base/float_env.h"
#include "base/memory.h"
#include "image/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int in_order(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* The order of hits: by the magnitude of the score, largest first, then as pose.h says. */
static int compare(const void *left, const void *right)
{
    const xncc_pose_hit *a = left, *b = right;
    const float p = fabsf(a->score), q = fabsf(b->score);
    const int by[] = { (p < q) - (p > q),
                       in_order(a->pose.y, b->pose.y),
                       in_order(a->pose.x, b->pose.x),
                       in_order(a->templ, b->templ),
                       in_order(a->pose.scale, b->pose.scale),
                       in_order(a->pose.angle, b->pose.angle),
                       (a->score < b->score) - (a->score > b->score) };
    for (size_t i = 0; i < sizeof by / sizeof by[0]; i++)
        if (by[i])
            return by[i];
    return 0;
}

void xncc_pose_hits_settle(xncc_pose_hits *hits)
{
    if (hits->count > 1)
        qsort(hits->hit, hits->count, sizeof *hits->hit, compare);
    if (hits->count > XNCC_MOST_HITS)
        hits->count = XNCC_MOST_HITS;
}

xncc_status xncc_pose_hits_add(xncc_pose_hits *hits, const xncc_pose_hit *hit, xncc_error *error)
{
    if (hits->count == 2 * XNCC_MOST_HITS)
        xncc_pose_hits_settle(hits);
    if (hits->count == hits->room) {
        const size_t room = hits->room ? 2 * hits->room : 1024;
        xncc_pose_hit *more = xncc_alloc(room, sizeof *more);
        if (!more)
            return xncc_fail(error, XNCC_ERROR_MEMORY,
                             "poses: no memory for %zu matches; give a higher min_score", room);
        if (hits->count > 0)
            memcpy(more, hits->hit, hits->count * sizeof *more);
        xncc_free(hits->hit);
        hits->hit = more;
        hits->room = room;
    }
    hits->hit[hits->count++] = *hit;
    return XNCC_OK;
}

xncc_pose_source xncc_pose_source_of(const xncc_template *templ, xncc_support support)
{
    return (xncc_pose_source){ .width = templ->width,
                               .height = templ->height,
                               .pixel = templ->pixel,
                               .channels = templ->channels,
                               .pixels = templ->pixels,
                               .mask = templ->mask,
                               .support = support,
                               .loops = xncc_pose_loops_of(
                                   xncc_context_cpu(templ->context).cpu.features) };
}

/* The pixels as an image, which has no bias. */
static xncc_image view_of(const xncc_pose_source *source, xncc_pose_pixels *pixels)
{
    xncc_flip_bias(source->pixel, pixels->pixels, pixels->pixels,
                   (size_t)pixels->width * (size_t)pixels->height * (size_t)source->channels);
    return (xncc_image){ .data = pixels->pixels,
                         .width = pixels->width,
                         .height = pixels->height,
                         .pixel = source->pixel,
                         .channels = source->channels,
                         .mask = pixels->mask };
}

xncc_status xncc_pose_template_make(xncc_context *context, const xncc_pose_source *source,
                                    xncc_pose_pixels *pixels, xncc_template **templ,
                                    xncc_error *error)
{
    const xncc_image view = view_of(source, pixels);
    return xncc_template_make(context, &view, templ, error);
}

static xncc_status check_pose(double angle, double scale, xncc_support support, xncc_error *error)
{
    if ((unsigned)support > XNCC_SUPPORT_DISC)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "poses: %d is not a support", (int)support);
    if (!isfinite(angle) || !(scale >= XNCC_MIN_SCALE && scale <= XNCC_MAX_SCALE))
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "poses: angle %g or scale %g is out of range; scales are within %g .. %g",
                         angle, scale, XNCC_MIN_SCALE, XNCC_MAX_SCALE);
    return XNCC_OK;
}

xncc_status xncc_template_resample(const xncc_template *templ, double angle, double scale,
                                   xncc_support support, xncc_template **result, xncc_error *error)
{
    XNCC_ENTER;
    if (result)
        *result = NULL;
    if (!templ || !result)
        return xncc_fail_null(error, templ ? "result" : "templ");
    xncc_status status = check_pose(angle, scale, support, error);
    if (status)
        return status;
    xncc_pose_pixels pixels;
    const xncc_pose_source source = xncc_pose_source_of(templ, support);
    const xncc_pose_place place = xncc_pose_place_of(&source, angle, scale);
    status = xncc_pose_resample(&source, &place, &pixels, error);
    if (!status && pixels.count == 0)
        status = xncc_fail(error, XNCC_ERROR_ARGUMENT,
                           "poses: no pixel of the %d x %d template counts at angle %g and scale "
                           "%g; take a larger scale",
                           templ->width, templ->height, angle, scale);
    if (!status) {
        const xncc_image view = view_of(&source, &pixels);
        status = xncc_template_create(templ->context, &view, result, error);
    }
    xncc_pose_pixels_clear(&pixels);
    return xncc_done(status, error);
}
