/* Positions to fractions of a pixel: small maps of crops around each match, and a surface through their scores. */
#include "corrmatch/refine.h"

#include "base/memory.h"
#include "image/image.h"
#include "peaks/fit.h"
#include "run/run.h"

#include <math.h>

/* Along one axis: the windows wanted (by their first pixel, 1 .. 3 of them) and the pixels of the image that they see.
 */
typedef struct span {
    int32_t first, last;   /* windows */
    int32_t start, length; /* pixels */
    int beyond;            /* a window reaches beyond the image */
} span;

/* low and count: the windows of the whole map. 0 when at is none of them. */
static int span_of(int32_t low, int32_t count, int32_t image, int32_t part, int32_t at, span *s)
{
    const int32_t high = low + count - 1;
    if (at < low || at > high)
        return 0;
    s->first = at > low ? at - 1 : at;
    s->last = at < high ? at + 1 : at;
    const int64_t end = (int64_t)s->last + part;
    s->beyond = s->first < 0 || end > image;
    s->start = s->first < 0 ? 0 : s->first;
    s->length = (end < image ? (int32_t)end : image) - s->start;
    return 1;
}

/* What is kept from one match to the next: all but those at the rim have crops of one size, and so one plan. */
typedef struct refiner {
    cm_context *context;
    const cm_image *image;
    const cm_template *part;
    cm_problem problem;
    cm_mode mode;                     /* of the map that the matches are from */
    int32_t width, height, left, top; /* that map's extents, and its first window */
    cm_plan *plan;
    cm_map map; /* of the crop, and its first window in the crop */
    int32_t x0, y0;
} refiner;

static cm_status ready_plan(refiner *r, cm_mode mode, int32_t width, int32_t height, cm_error *error)
{
    if (r->plan && r->problem.mode == mode && r->problem.image_width == width && r->problem.image_height == height)
        return CM_OK;
    cm_plan_destroy(r->plan);
    r->plan = NULL;
    cm_free(r->map.data);
    r->problem.mode = mode;
    r->problem.image_width = width;
    r->problem.image_height = height;
    cm_status status = cm_map_extent(mode, width, height, r->problem.width, r->problem.height, &r->map.width,
                                     &r->map.height, &r->x0, &r->y0);
    uint64_t count = (uint64_t)r->map.width * (uint64_t)r->map.height;
    r->map.data = status ? NULL : cm_alloc(count, sizeof *r->map.data);
    if (!r->map.data)
        return cm_fail(error, status ? status : CM_ERROR_MEMORY, "refine: no memory for %llu scores",
                       (unsigned long long)count);
    return cm_plan_create(r->context, &r->problem, &(cm_preference){ .image_memory = r->image->memory }, &r->plan);
}

/* Windows inside the image come from the map of their crop in mode valid. Where one reaches beyond it, the crop ends at
 * the image's own edge there, so that the border's pixels are those of the whole image, and the map's own mode has a
 * score for it. */
static cm_status score_around(refiner *r, const cm_match *match, const span *x, const span *y, cm_fit_scores *scores,
                              cm_error *error)
{
    cm_image crop;
    cm_status status = cm_image_crop(r->image, x->start, y->start, x->length, y->length, &crop);
    if (status)
        return cm_fail(error, status, "refine: no crop at (%d, %d)", x->start, y->start);
    status = ready_plan(r, x->beyond || y->beyond ? r->mode : CM_VALID, x->length, y->length, error);
    if (!status)
        status = cm_plan_correlate(r->plan, &crop, r->part, &r->map, NULL);
    const float *first = r->map.data;
    for (int32_t i = 0; i < 9 && !status; i++) {
        const int32_t wx = match->x + i % 3 - 1, wy = match->y + i / 3 - 1;
        const int there = wx >= x->first && wx <= x->last && wy >= y->first && wy <= y->last;
        scores->s[i / 3][i % 3] =
            there ? first[(int64_t)(wy - y->start - r->y0) * r->map.width + (wx - x->start - r->x0)] : NAN;
    }
    return status;
}

static cm_status refine_match(refiner *r, const cm_match *match, cm_refined *refined, cm_error *error)
{
    span x, y;
    cm_fit_scores scores;
    if (!span_of(r->left, r->width, r->image->width, r->problem.width, match->x, &x) ||
        !span_of(r->top, r->height, r->image->height, r->problem.height, match->y, &y))
        return cm_fail(error, CM_ERROR_ARGUMENT,
                       "refine: (%d, %d) is no position of a %d x %d template in a %d x %d image; give matches of this "
                       "image, template and mode",
                       match->x, match->y, r->problem.width, r->problem.height, r->image->width, r->image->height);
    cm_status status = score_around(r, match, &x, &y, &scores, error);
    if (status)
        return status;
    const cm_fit fit = cm_fit_peak(&scores, cm_method_is_distance(r->problem.method));
    *refined =
        (cm_refined){ match->x + fit.dx, match->y + fit.dy, isnan(fit.score) ? (double)match->score : fit.score };
    return CM_OK;
}

static cm_status prepare(refiner *r, const cm_find_options *o, cm_error *error)
{
    const cm_image *image = r->image;
    const cm_template *part = r->part;
    cm_status status = cm_image_check(image, "image", error);
    if (status)
        return status;
    if (image->pixel != cm_template_pixel(part))
        return cm_fail(error, CM_ERROR_ARGUMENT, "refine: the image is %s and the template %s; give both one type",
                       cm_pixel_name(image->pixel), cm_pixel_name(cm_template_pixel(part)));
    /* Flat windows get no value: their 0 is no score that a surface should pass through. */
    r->problem = (cm_problem){ .task = CM_TASK_MATCH,
                               .pixel = image->pixel,
                               .width = cm_template_width(part),
                               .height = cm_template_height(part),
                               .method = o->method,
                               .border = o->border,
                               .flat = CM_FLAT_NAN };
    if (cm_map_extent(r->mode, image->width, image->height, r->problem.width, r->problem.height, &r->width, &r->height,
                      &r->left, &r->top))
        return cm_fail(error, CM_ERROR_ARGUMENT,
                       "refine: a %d x %d template has no map in a %d x %d image in mode %d; give what cm_find took",
                       r->problem.width, r->problem.height, image->width, image->height, (int)r->mode);
    return CM_OK;
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
    refiner r = { .context = context, .image = image, .part = part, .mode = o->mode };
    cm_status status = prepare(&r, o, &error);
    if (status)
        return cm_context_note(context, status, &error);
    for (size_t i = 0; i < count && !status; i++)
        status = refine_match(&r, &match[i], &refined[i], &error);
    cm_plan_destroy(r.plan);
    cm_free(r.map.data);
    /* Where the text is empty, the plan has left its own in the context. */
    return status && !error.text[0] ? status : cm_context_note(context, status, &error);
}
