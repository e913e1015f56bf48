/* Positions to fractions of a pixel: the scores around each match, and a surface through them. */
#include "corrmatch/refine.h"

#include "base/memory.h"
#include "image/image.h"
#include "peaks/fit.h"
#include "run/patch.h"

#include <math.h>

enum { SIDE = 3 }; /* of the neighbourhood, in windows */

/* What is kept from one match to the next. The windows around a match lie in a patch of the image and its border, and its map in mode
 * valid has their scores: by the same rule as the whole map's, since the same pixels count. */
typedef struct refiner {
    cm_context *context;
    const cm_template *part;
    cm_problem whole; /* that the matches are from */
    cm_extent map;    /* its map */
    cm_patch patch;
    cm_plan *plan; /* of patches */
    float score[SIDE][SIDE];
} refiner;

/* Along one axis: the windows of the map that lie around one of them. low and count: of the map. 0 when at is none of them. */
typedef struct span {
    int64_t first, last;
} span;

static int span_of(int32_t low, int32_t count, int32_t at, span *s)
{
    const int64_t high = (int64_t)low + count - 1;
    if (at < low || at > high)
        return 0;
    s->first = at > low ? at - 1 : at;
    s->last = at < high ? (int64_t)at + 1 : at;
    return 1;
}

static cm_status refine_match(refiner *r, const cm_match *match, cm_refined *refined, cm_error *error)
{
    const cm_map map = { .data = r->score[0], .width = SIDE, .height = SIDE };
    span x, y;
    cm_fit_scores scores;
    if (!span_of(r->map.x0, r->map.width, match->x, &x) || !span_of(r->map.y0, r->map.height, match->y, &y))
        return cm_fail(error, CM_ERROR_ARGUMENT,
                       "refine: (%d, %d) is no position of a %d x %d template in a %d x %d image; give matches of this "
                       "image, template and mode",
                       match->x, match->y, r->whole.width, r->whole.height, r->whole.image_width, r->whole.image_height);
    cm_status status = cm_patch_fill(&r->patch, (int64_t)match->x - 1, (int64_t)match->y - 1, error);
    if (!status)
        status = cm_plan_correlate(r->plan, &r->patch.view, r->part, &map, NULL);
    if (status)
        return status;
    for (int i = 0; i < SIDE * SIDE; i++) {
        const int64_t wx = (int64_t)match->x + i % SIDE - 1, wy = (int64_t)match->y + i / SIDE - 1;
        const int there = wx >= x.first && wx <= x.last && wy >= y.first && wy <= y.last;
        scores.s[i / SIDE][i % SIDE] = there ? r->score[i / SIDE][i % SIDE] : NAN;
    }
    const cm_fit fit = cm_fit_peak(&scores, cm_method_is_distance(r->whole.method));
    *refined =
        (cm_refined){ match->x + fit.dx, match->y + fit.dy, isnan(fit.score) ? (double)match->score : fit.score };
    return CM_OK;
}

/* The problem that the matches are from. */
static cm_status state_problem(refiner *r, const cm_image *image, const cm_find_options *o, cm_error *error)
{
    const cm_template *part = r->part;
    cm_status status = cm_image_check(image, "image", error);
    if (status)
        return status;
    if (image->pixel != part->pixel || cm_image_channels(image) != part->channels)
        return cm_fail(error, CM_ERROR_ARGUMENT,
                       "refine: the image is %s of %d channels and the template %s of %d; give both one type",
                       cm_pixel_name(image->pixel), cm_image_channels(image), cm_pixel_name(part->pixel), part->channels);
    /* Flat windows get no value: their 0 is no score that a surface should pass through. */
    r->whole = (cm_problem){ .task = CM_TASK_MATCH,
                             .pixel = image->pixel,
                             .image_width = image->width,
                             .image_height = image->height,
                             .width = part->width,
                             .height = part->height,
                             .method = o->method,
                             .mode = o->mode,
                             .border = o->border,
                             .flat = CM_FLAT_NAN,
                             .channels = part->channels,
                             .image_masked = cm_image_is_masked(image),
                             .part_masked = cm_template_masked(part),
                             .min_valid = o->min_valid };
    return cm_problem_check(&r->whole, error);
}

static cm_status prepare(refiner *r, const cm_image *image, const cm_find_options *o, cm_error *error)
{
    cm_status status = state_problem(r, image, o, error);
    if (status)
        return status;
    if (r->whole.width > CM_MAX_SIDE - SIDE || r->whole.height > CM_MAX_SIDE - SIDE)
        return cm_fail(error, CM_ERROR_UNSUPPORTED, "refine: a template of %d x %d is too large for it", r->whole.width,
                       r->whole.height);
    r->map = cm_problem_extent(&r->whole);
    cm_problem inner = r->whole;
    inner.image_width = inner.width + SIDE - 1;
    inner.image_height = inner.height + SIDE - 1;
    inner.image_masked = inner.image_masked || (inner.mode != CM_VALID && inner.border == CM_BORDER_OVERLAP);
    inner.mode = CM_VALID;
    inner.border = CM_BORDER_CLAMP;
    r->patch = (cm_patch){ .context = r->context, .image = image, .border = r->whole.border, .masked = inner.image_masked };
    status = cm_patch_make(&r->patch, inner.image_width, inner.image_height, error);
    return status ? status : cm_plan_create(r->context, &inner, NULL, &r->plan);
}

cm_status cm_refine(cm_context *context, const cm_image *image, const cm_template *part, const cm_find_options *options,
                    const cm_match *match, size_t count, cm_refined *refined)
{
    static const cm_find_options none = { .method = CM_CCOEFF_NORMED };
    const cm_find_options *o = options ? options : &none;
    cm_error error = { "" };
    if (!context)
        return CM_ERROR_ARGUMENT;
    if (!part || (count && (!match || !refined)))
        return cm_context_note(
            context, cm_fail(&error, CM_ERROR_ARGUMENT, "refine: template, match or refined is a null pointer"),
            &error);
    refiner r = { .context = context, .part = part };
    cm_status status = prepare(&r, image, o, &error);
    for (size_t i = 0; i < count && !status; i++)
        status = refine_match(&r, &match[i], &refined[i], &error);
    cm_plan_destroy(r.plan);
    cm_patch_clear(&r.patch);
    /* Where the text is empty, the plan has left its own in the context. */
    return status && !error.text[0] ? status : cm_context_note(context, status, &error);
}
