/* SPDX-License-Identifier: BSD-2-Clause */
/* The windows of a rectangle that the bounds of their sums leave in doubt (reals.h). */
#include "cpu/kernels/reals_alone.h"

#include <math.h>
#include <string.h>

/* For every window of the rectangle: are all its samples equal, in every channel? A sample
 * continues a run if it equals its neighbours, so each takes a few steps. */
static void find_flat_windows(xncc_reals_run *r)
{
    const int32_t w = r->job->templ->width, h = r->job->templ->height, width = r->m.stage.width;
    int32_t *down = r->m.run;
    memset(r->m.flat, 1, (size_t)r->stride * (size_t)r->area->height);
    for (int32_t c = 0; c < r->job->templ->channels; c++) {
        memset(down, 0, (size_t)width * sizeof *down);
        for (int32_t yy = 0; yy < r->m.stage.height && !xncc_is_cancelled(r->job->watch); yy++) {
            (void)xncc_reals_read_line(r, yy, c, 0.0, 1, r->m.line);
            const double *v = r->m.line;
            int32_t across = 1;
            for (int32_t x = width - 1; x >= 0; x--) {
                across = x + 1 < width && v[x] == v[x + 1] ? across + 1 : 1;
                down[x] = across < w ? 0 : down[x] > 0 && v[x] == r->m.before[x] ? down[x] + 1 : 1;
            }
            memcpy(r->m.before, v, (size_t)width * sizeof *v);
            if (yy < h - 1)
                continue;
            uint8_t *flat = r->m.flat + (ptrdiff_t)(yy - h + 1) * r->stride;
            for (int32_t x = 0; x < r->area->width; x++)
                flat[x] = flat[x] && down[x] >= h;
        }
    }
}

void xncc_reals_mark_bad(xncc_reals_run *r)
{
    const uint32_t bits = xncc_reals_counts_all(r) ? UINT32_C(0x7fc00000) : XNCC_DOUBT;
    const int32_t w = r->job->templ->width, h = r->job->templ->height, width = r->m.stage.width,
                  channels = r->job->templ->channels;
    int32_t *since = r->m.run; /* rows since the last one with a bad sample, at most h */
    for (int32_t x = 0; x < width; x++)
        since[x] = h;
    for (int32_t yy = 0; yy < r->m.stage.height; yy++) {
        const void *raw = xncc_stage_raw(&r->m.stage, yy);
        int32_t across = w; /* columns since the last one with a bad sample in the window's rows */
        for (int32_t x = width - 1; x >= 0; x--) {
            int bad = 0;
            for (int32_t c = 0; c < channels; c++)
                bad |= !isfinite(
                    xncc_sample_value(r->job->templ->pixel, raw, (int64_t)x * channels + c));
            since[x] = bad ? 0 : since[x] + (since[x] < h);
            across = since[x] < h ? 0 : across + (across < w);
            if (yy < h - 1 || x >= r->area->width || across >= w)
                continue;
            r->area->out[(yy - h + 1) * r->area->pitch + x] = xncc_float_of_bits(bits);
        }
    }
}

/* Sums of n pairs are exact in pairs of doubles if all samples are multiples of a power of two, of
 * which they are at most 2^bits: n * X and S * S then have at most 102 bits. Have samples with this
 * span so few bits? */
static int sums_fit(const xncc_reals_span *span, double n)
{
    const int bits = 51 - (int)ceil(log2(n));
    const double most = xncc_reals_most(span);
    return bits > 0 && most > 0x1p-400 && most < 0x1p400 &&
           span->unit >= ldexp(1.0, ilogb(most) + 1 - bits);
}

/* Are sums in pairs of doubles exact in this rectangle? The samples of the image and of the
 * template must be on grids, for differences of both on one grid. */
static int sums_are_exact(xncc_reals_run *r)
{
    const xncc_template *templ = r->job->templ;
    const double n = (double)templ->width * templ->height * templ->channels;
    xncc_reals_span span = { INFINITY, -INFINITY, INFINITY };
    if (!sums_fit(&r->shared->span, n))
        return 0;
    if (xncc_method_of_difference(r->job->problem->rule.method))
        span = r->shared->span;
    for (int32_t c = 0; c < templ->channels; c++)
        for (int32_t yy = 0; yy < r->m.stage.height; yy++) {
            (void)xncc_reals_read_line(r, yy, c, 0.0, 1, r->m.line);
            r->isa->span(r->m.line, r->m.stage.width, &span);
        }
    return sums_fit(&span, n);
}

/* What settling one window costs in about ns: by pairs of doubles, and exactly. */
enum { OF_PAIRS = 300, OF_ROW = 25, OF_SUMS = 500, SUMS_PER_PIXEL = 40 };

/* of_pixel: what each of its pixels costs, beside its rows. */
static double cost_of_window(const xncc_reals_run *r, double of_pixel)
{
    const double width = r->job->templ->width, height = r->job->templ->height;
    return OF_PAIRS + of_pixel * width * height + OF_ROW * height;
}

/* By pairs; where pixels of the image may not count, there are more sums. */
static double cost_of_pairs(const xncc_reals_run *r)
{
    return cost_of_window(r, r->m.stage.count ? 3.0 : r->job->templ->mask ? 1.5 : 0.6);
}

/* Of a window of which some pixels may not count, by its own samples. */
static double cost_of_masked(const xncc_reals_run *r)
{
    return cost_of_window(r, 0.55);
}

/* By what is tried first. */
static double cost_of_one(const xncc_reals_run *r)
{
    return xncc_reals_counts_all(r) ? cost_of_pairs(r) : cost_of_masked(r);
}

/* What settling all windows of a rectangle together costs: so much per window and direct product,
 * or per point and level of a transform. Half of that is for each sum of products. */
static double cost_of_together(const xncc_reals_run *r)
{
    const xncc_fft_blocking *c = &r->job->blocks->exact;
    const double points = (double)c->nx * (double)c->ny,
                 n = (double)r->job->templ->width * r->job->templ->height,
                 windows = (double)r->area->width * r->area->height,
                 cost = r->of_slices.fft
                            ? fmax(80.0 * windows, 1.2 * points * (log2(points) + 10.0))
                            : (20.0 + fmin(0.6 * n, 60.0)) * windows;
    int sums = 0;
    for (int s = 0; s < XNCC_SUMS; s++)
        sums += r->source[s] == XNCC_FROM_PRODUCTS;
    return 0.5 * (1.0 + sums) * cost;
}

/* Windows that are settled one by one. tried, decided: of those of which some pixels do not count,
 * by their own samples. */
typedef struct settling {
    xncc_alone alone;
    int64_t tried, decided;
} settling;

/* By all sums of the window again, if pixels may not count. Where windows cancel, that decides none
 * of them, and is not tried any more. */
static int settle_masked(settling *t, int32_t x, int32_t y, float *at)
{
    enum { TRIES = 32 };
    if (xncc_reals_counts_all(t->alone.r) || (t->tried >= TRIES && 2 * t->decided < t->tried))
        return 0;
    const int decided = xncc_reals_settle_masked(t->alone.r, x, y, at);
    t->tried++;
    t->decided += decided;
    return decided;
}

/* Settles a window: by pairs of doubles, by pairs of doubles without errors if the rectangle is on
 * a grid, or exactly. Returns what that costs. */
static double settle(settling *t, int32_t x, int32_t y, float *at)
{
    xncc_reals_run *r = t->alone.r;
    xncc_refine_memory *m = &r->m.refine;
    const int64_t left = r->m.stage.left + x, top = r->m.stage.top + y;
    const double cost = cost_of_pairs(r);
    if (settle_masked(t, x, y, at))
        return cost_of_masked(r);
    const int by = xncc_reals_refine(r->isa, r->job, m, left, top, at);
    m->far = by == 2;
    if (by)
        return cost;
    if (!r->grid_known) {
        r->grid_known = 1;
        m->exact = sums_are_exact(r);
        if (m->exact && xncc_reals_refine(r->isa, r->job, m, left, top, at))
            return 2.0 * cost;
    }
    if (!xncc_reals_settle_alone(&t->alone, x, y, at))
        *at = xncc_reference_real(r->job, left, top);
    return cost + OF_SUMS + (double)SUMS_PER_PIXEL * r->job->templ->width * r->job->templ->height;
}

static int64_t count_doubts(const xncc_reals_run *r)
{
    const float doubt = xncc_float_of_bits(XNCC_DOUBT);
    int64_t count = 0;
    for (int32_t y = 0; y < r->area->height; y++) {
        const float *row = r->area->out + y * r->area->pitch;
        int32_t of_row = 0;
        for (int32_t x = 0; x < r->area->width; x++)
            of_row += xncc_same_float(row[x], doubt);
        count += of_row;
    }
    return count;
}

static void fill_flat_windows(xncc_reals_run *r, float score)
{
    find_flat_windows(r);
    for (int32_t y = 0; y < r->area->height; y++) {
        float *row = r->area->out + y * r->area->pitch;
        for (int32_t x = 0; (x = xncc_reals_next_doubt(row, x, r->area->width)) < r->area->width;
             x++)
            if (r->m.flat[(ptrdiff_t)y * r->stride + x])
                row[x] = score;
    }
}

/* Are all samples of each channel of a window equal? */
static int is_flat(const xncc_reals_run *r, int32_t x, int32_t y)
{
    const xncc_template *templ = r->job->templ;
    const int32_t channels = templ->channels;
    double first[XNCC_MAX_CHANNELS];
    for (int32_t j = 0; j < templ->height; j++) {
        const char *raw = xncc_reals_raw(r, x, y + j, templ->width);
        for (int32_t i = 0; i < templ->width * channels; i++) {
            const double v = xncc_sample_value(templ->pixel, raw, i);
            if (j == 0 && i < channels)
                first[i] = v;
            if (v != first[i % channels])
                return 0;
        }
    }
    return 1;
}

/* Is one of some windows in doubt flat? */
static int some_are_flat(const xncc_reals_run *r)
{
    enum { EACH = 8 }; /* rows, and windows of a row */
    for (int32_t y = 0; y < r->area->height; y += r->area->height / EACH + 1) {
        const float *row = r->area->out + y * r->area->pitch;
        for (int32_t x = 0; (x = xncc_reals_next_doubt(row, x, r->area->width)) < r->area->width;
             x += r->area->width / EACH + 1)
            if (is_flat(r, x, y))
                return 1;
    }
    return 0;
}

/* Settles windows one by one until all are settled, or `most` is spent. If several of them are
 * flat, all that are flat are found at once. Returns 1 if all are settled. */
static int settle_each(xncc_reals_run *r, const float *of_flat, double most)
{
    enum { FLATS = 8, SMALL = 256 };
    const int small = r->job->general.whole <= SMALL;
    settling t = { .alone = { .r = r } };
    double spent = 0.0;
    int flats = 0;
    for (int32_t y = 0; y < r->area->height && !xncc_is_cancelled(r->job->watch); y++) {
        float *row = r->area->out + y * r->area->pitch;
        for (int32_t x = 0; (x = xncc_reals_next_doubt(row, x, r->area->width)) < r->area->width;
             x++) {
            if (spent > most)
                return 0;
            if (of_flat && small && is_flat(r, x, y)) {
                row[x] = *of_flat;
                continue;
            }
            spent += settle(&t, x, y, row + x);
            if (of_flat && !small && xncc_same_float(row[x], *of_flat) && ++flats == FLATS)
                fill_flat_windows(r, *of_flat);
        }
    }
    return 1;
}

/* The score of a window whose samples are all equal, if that is the same for all of them: in
 * *room; else NULL. */
static const float *score_of_flat(const xncc_reals_run *r, float *room)
{
    const xncc_method method = r->job->problem->rule.method;
    *room = method == XNCC_CCOEFF ? 0.0f : r->job->general.undefined;
    return xncc_reals_counts_all(r) && xncc_method_is_centred(method) ? room : NULL;
}

int xncc_reals_settle_few(xncc_reals_run *r)
{
    float score;
    const float *of_flat = score_of_flat(r, &score);
    const double most = cost_of_together(r);
    int64_t doubts = count_doubts(r);
    if (of_flat && (double)doubts * cost_of_one(r) > most && some_are_flat(r)) {
        fill_flat_windows(r, *of_flat);
        doubts = count_doubts(r);
    }
    return (double)doubts * cost_of_one(r) <= most && settle_each(r, of_flat, most);
}

void xncc_reals_settle_rest(xncc_reals_run *r)
{
    float score;
    xncc_reals_settle_far(r);
    (void)settle_each(r, score_of_flat(r, &score), INFINITY);
}
