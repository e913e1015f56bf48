/* SPDX-License-Identifier: BSD-2-Clause */
/* A band of a pass of tracking (track_band.h). */
#include "api/track_band.h"

#include "base/int_math.h"
#include "base/memory.h"
#include "image/image.h"
#include "image/samples.h"
#include "plan/decide.h"
#include "track/measure.h"

#include <math.h>
#include <string.h>

/* Counts the pixels of a rectangle of image a that count, and of those that also count at (bx, by)
 * and on in image b. b: NULL: only a is asked. */
static int64_t count_pixels(const xncc_image *a, int64_t ax, int64_t ay, const xncc_image *b,
                            int64_t bx, int64_t by, int32_t width, int32_t height)
{
    int64_t n = 0;
    const int32_t channels = xncc_image_channels(a);
    for (int32_t y = 0; y < height; y++) {
        const void *row_a = xncc_image_row(a, (int32_t)(ay + y)),
                   *row_b = b ? xncc_image_row(b, (int32_t)(by + y)) : NULL;
        const uint8_t *mask_a = xncc_image_mask_row(a, (int32_t)(ay + y)),
                      *mask_b = b ? xncc_image_mask_row(b, (int32_t)(by + y)) : NULL;
        for (int32_t x = 0; x < width; x++)
            n += xncc_pixel_counts(a, channels, row_a, mask_a, ax + x) &&
                 (!b || xncc_pixel_counts(b, channels, row_b, mask_b, bx + x));
    }
    return n;
}

static const xncc_image *view_of(const xncc_track_band *b, size_t pair, int scene)
{
    return &b->view[2 * pair + (size_t)(scene != b->back)];
}

/* The pixel of the whole image that is the first one of the chips' or of the scenes' views. */
static int64_t first_row(const xncc_track_band *b, int scene)
{
    return b->rows.first[scene == b->back ? XNCC_IMAGE1 : b->warps ? XNCC_DEFORMED : XNCC_IMAGE2];
}

static int64_t first_column(const xncc_track_band *b, int scene)
{
    return scene != b->back && b->warps ? b->warps->warp.left : 0;
}

/* The top-left pixel of a chip, and of its first window, in whole images. */
typedef struct search {
    int64_t left, top, wx, wy;
} search;

static search search_of(const xncc_track_band *b, const xncc_track_place *place)
{
    const xncc_track_options *o = &b->call->options;
    const xncc_displacement *d = &b->found[place->index];
    if (b->back)
        return (search){ (int64_t)place->left + d->whole_dx, (int64_t)place->top + d->whole_dy,
                         (int64_t)place->left - o->search_x, (int64_t)place->top - o->search_y };
    return (search){ place->left, place->top, place->wx, place->wy };
}

/* Without its mask and no-data value; for rectangles of which all pixels count. */
static void unmask(xncc_image *image)
{
    image->mask = NULL;
    image->has_no_data = 0;
}

/* Describes the chip of a point in a pair of images. */
static void get_chip(void *argument, size_t item, size_t part, xncc_chip *chip)
{
    const xncc_track_band *b = argument;
    const xncc_track_options *o = &b->call->options;
    const xncc_image *from = view_of(b, part, 0), *scene = view_of(b, part, 1);
    const xncc_track_place *place = &b->place[item];
    const xncc_displacement *d = &b->found[place->index];
    const search s = search_of(b, place);
    const int64_t left = s.left - first_column(b, 0), top = s.top - first_row(b, 0),
                  wx = s.wx - first_column(b, 1), wy = s.wy - first_row(b, 1), x0 = wx > 0 ? wx : 0,
                  y0 = wy > 0 ? wy : 0, x1 = wx + 2 * (int64_t)o->search_x,
                  y1 = wy + 2 * (int64_t)o->search_y,
                  most_x = (int64_t)scene->width - o->chip_width,
                  most_y = (int64_t)scene->height - o->chip_height;
    const int64_t width = (x1 < most_x ? x1 : most_x) - x0 + 1,
                  height = (y1 < most_y ? y1 : most_y) - y0 + 1;
    *chip = (xncc_chip){ .scene = scene,
                         .x = (int32_t)x0,
                         .y = (int32_t)y0,
                         .width = width > 0 && height > 0 ? (int32_t)width : 0,
                         .height = width > 0 && height > 0 ? (int32_t)height : 0 };
    if (chip->width == 0 || (b->back && (d->state & XNCC_TRACK_MISSING)))
        return;
    const int64_t pixels = (int64_t)o->chip_width * o->chip_height;
    xncc_image view = xncc_image_part(from, (int32_t)left, (int32_t)top, o->chip_width,
                                      o->chip_height);
    if (xncc_image_is_masked(from)) {
        const int64_t n = count_pixels(from, left, top, NULL, 0, 0, o->chip_width, o->chip_height);
        if ((double)n < o->min_valid * (double)pixels)
            return;
        if (n < pixels)
            chip->kind |= XNCC_CHIP_MASKED;
        else
            unmask(&view);
    }
    if (xncc_image_is_masked(scene)) {
        const int32_t w = chip->width - 1 + o->chip_width, h = chip->height - 1 + o->chip_height;
        if (count_pixels(scene, x0, y0, NULL, 0, 0, w, h) < (int64_t)w * h)
            chip->kind |= XNCC_CHIP_SCENE_MASKED;
        else
            chip->scene = &b->plain[scene - b->view];
    }
    chip->pixels = view;
}

/* Adds the map of a pair to the sums of the item; after the last pair, makes the means of them. */
static void add_pair(const xncc_track_band *b, size_t part, const xncc_chip *chip, const float *map,
                     ptrdiff_t pitch, int32_t slot, xncc_scored *scored)
{
    const xncc_extent e = xncc_problem_extent(&b->run.problem[0]);
    const size_t room = (size_t)e.width * (size_t)e.height, at = (size_t)slot * room;
    double *sum = b->sum + at;
    int32_t *number = b->number + at;
    if (part == 0) {
        memset(sum, 0, room * sizeof *sum);
        memset(number, 0, room * sizeof *number);
    }
    for (int32_t y = 0; y < chip->height && map; y++)
        for (int32_t x = 0; x < chip->width; x++) {
            const float s = map[y * pitch + x];
            if (isnan(s))
                continue;
            sum[y * chip->width + x] += (double)s;
            number[y * chip->width + x]++;
        }
    float *mean = b->mean + at;
    for (size_t i = 0; i < (size_t)chip->width * (size_t)chip->height; i++)
        mean[i] = number[i] ? (float)(sum[i] / (double)number[i]) : NAN;
    scored->score = mean;
    scored->pitch = chip->width;
}

/* The fraction of the chip's pixels that count in image 1 and, if a window of image 2 is given, in
 * it. */
static double valid_of(const xncc_track_band *b, const search *s, const xncc_displacement *d,
                       int window)
{
    const xncc_track_options *o = &b->call->options;
    const size_t pairs = b->call->source.pairs;
    double sum = 0.0;
    for (size_t p = 0; p < pairs; p++) {
        const xncc_image *from = view_of(b, p, 0), *scene = view_of(b, p, 1);
        const double pixels = (double)o->chip_width * (double)o->chip_height;
        const int masked = xncc_image_is_masked(from) || (window && xncc_image_is_masked(scene));
        const int64_t n = masked ? count_pixels(from, s->left, s->top - first_row(b, 0),
                                                window ? scene : NULL,
                                                s->left + d->whole_dx - first_column(b, 1),
                                                s->top + d->whole_dy - first_row(b, 1),
                                                o->chip_width, o->chip_height)
                                 : 0;
        sum += masked ? (double)n / pixels : 1.0;
    }
    return sum / (double)pairs;
}

/* Fills the result of a point from its scores. */
static void set_found(const xncc_track_band *b, const xncc_chip *chip, const search *s,
                      const xncc_scored *scored, xncc_displacement *d)
{
    const xncc_track_options *o = &b->call->options;
    int32_t x = 0, y = 0;
    if (!scored->score || !xncc_scored_best(scored, &x, &y)) {
        d->valid = valid_of(b, s, d, 0);
        return;
    }
    d->state = 0;
    d->whole_dx = (int32_t)(chip->x + x + first_column(b, 1) - s->left);
    d->whole_dy = (int32_t)(chip->y + y + first_row(b, 1) - s->top);
    d->valid = valid_of(b, s, d, 1);
    xncc_scored_measure(scored, x, y, o,
                        d->valid * o->chip_width * o->chip_height * b->call->source.channels *
                            (double)b->call->source.pairs,
                        d);
    d->dx += d->whole_dx;
    d->dy += d->whole_dy;
}

/* Compares the displacement with the one found on the way back. */
static void set_loop(const xncc_track_band *b, const xncc_chip *chip, const search *s,
                     const xncc_scored *scored, xncc_displacement *d)
{
    xncc_displacement back = { .state = 0 };
    int32_t x = 0, y = 0;
    if (!scored->score || !xncc_scored_best(scored, &x, &y))
        return;
    xncc_scored_measure(scored, x, y, &b->call->options, 0.0, &back);
    const double dx = back.dx + (double)(chip->x + x + first_column(b, 1) - s->left),
                 dy = back.dy + (double)(chip->y + y + first_row(b, 1) - s->top);
    d->loop = sqrt((d->dx + dx) * (d->dx + dx) + (d->dy + dy) * (d->dy + dy));
}

static void put_map(void *argument, size_t item, size_t part, const xncc_chip *chip,
                    const float *map, ptrdiff_t pitch, int32_t slot)
{
    const xncc_track_band *b = argument;
    const xncc_track_place *place = &b->place[item];
    xncc_displacement *d = &b->found[place->index];
    const xncc_extent e = xncc_problem_extent(&b->run.problem[0]);
    xncc_scored scored = {
        map, pitch, chip->width, chip->height, b->row_best + (ptrdiff_t)slot * e.height, b->scan
    };
    const search s = search_of(b, place);
    if (b->call->source.pairs > 1)
        add_pair(b, part, chip, map, pitch, slot, &scored);
    if (part + 1 < b->call->source.pairs)
        return;
    if (b->back)
        set_loop(b, chip, &s, &scored, d);
    else
        set_found(b, chip, &s, &scored, d);
}

static void set_problem(const xncc_track_call *call, int32_t kind, xncc_problem *problem)
{
    const xncc_track_options *o = &call->options;
    const xncc_problem none = XNCC_PROBLEM_INIT;
    *problem = none;
    problem->pixel = call->source.pixel;
    problem->channels = call->source.channels;
    problem->templ_width = o->chip_width;
    problem->templ_height = o->chip_height;
    problem->image_width = o->chip_width + 2 * o->search_x;
    problem->image_height = o->chip_height + 2 * o->search_y;
    problem->templ_masked = kind & XNCC_CHIP_MASKED ? 1 : 0;
    problem->image_masked = kind & XNCC_CHIP_SCENE_MASKED ? 1 : 0;
    problem->rule.method = o->method;
    problem->rule.flat = XNCC_FLAT_NAN;
    problem->rule.min_valid = o->min_valid;
}

/* The fastest loops for a processor. */
static const xncc_scan *scan_of(uint32_t features)
{
#ifdef XNCC_CPU_X86
    if (features & XNCC_CPU_AVX2_FMA)
        return &xncc_scan_avx2;
#endif
    (void)features;
    return &xncc_scan_portable;
}

xncc_status xncc_track_band_make(xncc_track_band *b, const xncc_track_call *call,
                                 const xncc_track_warps *warps, xncc_displacement *found,
                                 xncc_error *error)
{
    const xncc_machine machine = xncc_context_cpu(call->context);
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    xncc_status status = XNCC_OK;
    *b = (xncc_track_band){ .call = call, .found = found, .warps = warps };
    b->engine = call->context->engine[xncc_slot(XNCC_DEVICE_CPU)];
    b->scan = scan_of(machine.cpu.features);
    b->run.watch = &call->watch;
    b->run.kinds = XNCC_CHIP_MASKED | XNCC_CHIP_SCENE_MASKED;
    b->run.parts = call->source.pairs;
    b->run.get = get_chip;
    b->run.put = put_map;
    preference.device = XNCC_DEVICE_CPU;
    preference.kernel = call->options.kernel;
    for (int32_t kind = 0; kind < XNCC_CHIP_KINDS && !status; kind++) {
        set_problem(call, kind, &b->run.problem[kind]);
        status = xncc_decide(&b->run.problem[kind], &machine, &preference, &b->run.decision[kind],
                             error);
    }
    if (status)
        return status;
    const xncc_extent e = xncc_problem_extent(&b->run.problem[0]);
    const uint64_t windows = (uint64_t)e.width * (uint64_t)e.height,
                   threads = (uint64_t)(machine.cpu.threads > 1 ? machine.cpu.threads : 1),
                   room = windows * threads;
    b->row_best = xncc_alloc((uint64_t)e.height * threads, sizeof *b->row_best);
    b->view = xncc_alloc(call->source.pairs, 2 * sizeof *b->view);
    b->plain = xncc_alloc(call->source.pairs, 2 * sizeof *b->plain);
    if (call->source.pairs > 1) {
        b->sum = xncc_alloc(room, sizeof *b->sum);
        b->number = xncc_alloc(room, sizeof *b->number);
        b->mean = xncc_alloc(room, sizeof *b->mean);
    }
    if (!b->row_best || !b->view || !b->plain ||
        (call->source.pairs > 1 && (!b->sum || !b->number || !b->mean)))
        return xncc_fail(error, XNCC_ERROR_MEMORY, "track: no memory for the scores of %llu pairs",
                         (unsigned long long)call->source.pairs);
    return XNCC_OK;
}

/* Asks for the rows of an image, and checks what was given. */
static xncc_status read_rows(const xncc_track_band *b, size_t pair, int which, xncc_image *view,
                             xncc_error *error)
{
    const xncc_track_source *s = &b->call->source;
    const int32_t y = (int32_t)b->rows.first[which],
                  height = (int32_t)(b->rows.end[which] - b->rows.first[which]),
                  width = which ? s->width2 : s->width1;
    xncc_float_env_leave(b->call->host);
    xncc_status status = s->read(s->argument, pair, which + 1, y, height, view, error);
    *b->call->host = xncc_float_env_enter();
    if (!status)
        status = xncc_image_check(view, which ? "image 2" : "image 1", error);
    if (status)
        return status;
    if (view->memory != XNCC_HOST || view->width != width || view->height != height ||
        view->pixel != s->pixel || xncc_image_channels(view) != s->channels)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "track: rows %d .. %d of image %d are %d x %d pixels of %s with %d "
                         "channel%s; %d x %d of %s with %d in host memory are needed",
                         y, y + height - 1, which + 1, view->width, view->height,
                         xncc_pixel_name(view->pixel), xncc_image_channels(view),
                         xncc_plural(xncc_image_channels(view)), width, height,
                         xncc_pixel_name(s->pixel), s->channels);
    return XNCC_OK;
}

/* Replaces the view of image 2 by that of the deformed image. */
static xncc_status deform(xncc_track_band *b, size_t pair, xncc_error *error)
{
    const int32_t y = (int32_t)b->rows.first[XNCC_DEFORMED],
                  rows = (int32_t)(b->rows.end[XNCC_DEFORMED] - b->rows.first[XNCC_DEFORMED]);
    xncc_image *view = &b->view[2 * pair + 1];
    const uint64_t bytes = xncc_round_up(xncc_track_warps_bytes(b->warps, view, rows), 64);
    if (pair == 0) {
        xncc_free(b->deformed);
        b->deformed = xncc_alloc(b->call->source.pairs, bytes);
    }
    if (!b->deformed)
        return xncc_fail(error, XNCC_ERROR_MEMORY,
                         "track: no memory for %d deformed rows of %d pixels", rows,
                         b->warps->warp.width);
    const xncc_image from = *view;
    return xncc_track_warps_run(b->warps, &from, (int32_t)b->rows.first[XNCC_IMAGE2], y, rows,
                                b->deformed + pair * bytes, view, error);
}

xncc_status xncc_track_band_run(xncc_track_band *b, xncc_error *error)
{
    xncc_status status = XNCC_OK;
    for (size_t i = 0; i < 2 * b->call->source.pairs && !status; i++) {
        status = read_rows(b, i / 2, (int)(i % 2), &b->view[i], error);
        if (!status && b->warps && i % 2)
            status = deform(b, i / 2, error);
        b->plain[i] = b->view[i];
        unmask(&b->plain[i]);
    }
    b->run.argument = b;
    b->run.count = b->count;
    for (b->back = 0; b->back <= b->call->options.back && !status; b->back++)
        status = b->engine->ops->chips(b->engine, &b->run, error);
    return status;
}

void xncc_track_band_clear(xncc_track_band *b)
{
    xncc_free(b->row_best);
    xncc_free(b->view);
    xncc_free(b->plain);
    xncc_free(b->sum);
    xncc_free(b->number);
    xncc_free(b->mean);
    xncc_free(b->deformed);
}
