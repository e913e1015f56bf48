/* SPDX-License-Identifier: BSD-2-Clause */
/* Refines matches to sub-pixel positions by fitting a surface to the scores around each match. */
#include "exactncc/refine.h"

#include "base/float_env.h"
#include "base/memory.h"
#include "image/image.h"
#include "peaks/subpixel.h"
#include "api/halo_copy.h"

#include <math.h>

enum { SIDE = 3 }; /* the neighbourhood is SIDE x SIDE windows */

/* State that is kept from one match to the next. The windows around a match are in a patch of the
 * image with its border. The patch's map in mode valid has the same scores as the whole map,
 * because the same pixels count. */
typedef struct refiner {
    xncc_watch watch; /* of the call */
    const xncc_template *templ;
    xncc_problem whole; /* the problem that the matches come from */
    xncc_extent map;    /* its map */
    xncc_patch patch;   /* its image, context and stream are those of the call */
    xncc_plan *plan;    /* for patches */
    float score[SIDE][SIDE];
} refiner;

/* Does the map have a window? */
static int has_window(const xncc_extent *map, int64_t x, int64_t y)
{
    return x >= map->x0 && x - map->x0 < map->width && y >= map->y0 && y - map->y0 < map->height;
}

static xncc_status refine_match(refiner *r, const xncc_match *match, xncc_refined *refined,
                                xncc_error *error)
{
    const xncc_map map = { .data = r->score[0], .width = SIDE, .height = SIDE };
    xncc_fit_scores scores;
    if (!has_window(&r->map, match->x, match->y))
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "refine: (%d, %d) is not a position of a %d x %d template in a %d x %d "
                         "image; pass matches of this image, template and mode",
                         match->x, match->y, r->whole.templ_width, r->whole.templ_height,
                         r->whole.image_width, r->whole.image_height);
    xncc_status status = xncc_patch_fill(&r->patch, (int64_t)match->x - 1, (int64_t)match->y - 1,
                                         error);
    if (!status)
        status = xncc_plan_correlate(r->plan, &r->patch.view, r->templ, &map, NULL, error);
    if (status)
        return status;
    for (int i = 0; i < SIDE * SIDE; i++) {
        const int64_t wx = (int64_t)match->x + i % SIDE - 1, wy = (int64_t)match->y + i / SIDE - 1;
        scores.s[i / SIDE][i % SIDE] = has_window(&r->map, wx, wy) ? r->score[i / SIDE][i % SIDE]
                                                                   : NAN;
    }
    const xncc_fit fit = xncc_fit_peak(&scores, xncc_method_is_distance(r->whole.rule.method));
    *refined = (xncc_refined){ match->x + fit.dx, match->y + fit.dy,
                               isnan(fit.score) ? (double)match->score : fit.score };
    return XNCC_OK;
}

/* Sets r->whole to the problem that the matches come from. */
static xncc_status state_problem(refiner *r, const xncc_match_rule *rule, xncc_error *error)
{
    const xncc_template *templ = r->templ;
    const xncc_image *image = r->patch.image;
    const xncc_problem none = XNCC_PROBLEM_INIT;
    r->whole = none;
    if (rule)
        r->whole.rule = *rule;
    xncc_status status = xncc_problem_set(&r->whole, image, templ, error);
    if (!status)
        status = xncc_problem_check(&r->whole, error);
    if (status)
        return status;
    if (image->pixel != templ->pixel || xncc_image_channels(image) != templ->channels)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "refine: the image is %s with %d channel%s, but the template is %s with "
                         "%d; both must have one type",
                         xncc_pixel_name(image->pixel), xncc_image_channels(image),
                         xncc_plural(xncc_image_channels(image)), xncc_pixel_name(templ->pixel),
                         templ->channels);
    /* Flat windows get no value: their score of 0 is not one that a surface should pass through. */
    r->whole.rule.flat = XNCC_FLAT_NAN;
    return XNCC_OK;
}

static xncc_status prepare(refiner *r, const xncc_match_rule *rule, xncc_error *error)
{
    xncc_status status = state_problem(r, rule, error);
    if (status)
        return status;
    if (r->whole.templ_width > XNCC_MAX_SIDE - SIDE || r->whole.templ_height > XNCC_MAX_SIDE - SIDE)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "refine: a template of %d x %d is too large", r->whole.templ_width,
                         r->whole.templ_height);
    r->map = xncc_problem_extent(&r->whole);
    xncc_problem inner = r->whole;
    inner.image_width = inner.templ_width + SIDE - 1;
    inner.image_height = inner.templ_height + SIDE - 1;
    inner.image_masked = xncc_problem_image_varies(&inner);
    inner.rule.mode = XNCC_VALID;
    inner.rule.border = XNCC_BORDER_CLAMP;
    r->patch.part = (xncc_rectangle){ .width = inner.image_width,
                                      .height = inner.image_height,
                                      .border = r->whole.rule.border,
                                      .masked = inner.image_masked };
    if (r->patch.image->memory == XNCC_DEVICE &&
        !r->patch.context->engine[xncc_slot(XNCC_DEVICE_CUDA)])
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "image: it is in device memory, but this context has no device");
    status = xncc_plan_create(r->patch.context, &inner, NULL, &r->plan, error);
    if (!status)
        xncc_watch_join(&r->plan->watch, &r->watch);
    return status;
}

xncc_status xncc_refine_on_stream(xncc_context *context, const xncc_image *image,
                                  const xncc_template *templ, const xncc_match_rule *rule,
                                  const xncc_match *match, size_t count, xncc_refined *refined,
                                  xncc_stream stream, xncc_error *error)
{
    XNCC_ENTER;
    if (!context || !templ || (count && (!match || !refined)))
        return xncc_fail_null(error, !context ? "context"
                                     : !templ ? "templ"
                                     : !match ? "match"
                                              : "refined");
    refiner r = { .watch = xncc_watch_make(&context->progress),
                  .templ = templ,
                  .patch = {
                      .context = context, .image = image, .watch = &r.watch, .stream = stream } };
    xncc_status status = prepare(&r, rule, error);
    for (size_t i = 0; i < count && !status; i++)
        status = refine_match(&r, &match[i], &refined[i], error);
    xncc_plan_destroy(r.plan);
    xncc_patch_clear(&r.patch);
    return xncc_done(status, error);
}

xncc_status xncc_refine(xncc_context *context, const xncc_image *image, const xncc_template *templ,
                        const xncc_match_rule *rule, const xncc_match *match, size_t count,
                        xncc_refined *refined, xncc_error *error)
{
    XNCC_ENTER;
    return xncc_refine_on_stream(context, image, templ, rule, match, count, refined, NULL, error);
}
