/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows in doubt are scored again, with sums of products of a smaller error: a few one by one,
 * many by transforms (reals_run.h). What each costs is weighed as the rows are scored. */
#include "cpu/kernels/reals_slices.h"

#include "image/image.h"

#include <math.h>
#include <string.h>

/* ---- parts of samples ---- */

/* Of samples v and t, less their pivots, let v' and t' be the leading parts. The sum of the
 * products v' t' is a multiple of the product of the units, which is more than twice the bound of
 * the error of the sum of v t that is known already. So it follows, exactly, once the other
 * products are known: v t - v' t' = (v - v') t + v' (t - t'). Their sum is small, and so is its
 * error. */

/* At least the root of the sum of squares of the template. */
static double templ_norm(const xncc_reals_run *r)
{
    return r->shared->norm[0][XNCC_REALS_PLANE_VALUE];
}

/* The samples whose squares are in r->norm. */
static double samples_of(const xncc_reals_run *r)
{
    return (r->variant->fft ? 2.0 : 1.0) * (double)r->m.stage.width * (double)r->m.stage.height;
}

/* The bound of the sums of products that are known. */
static double known_error(const xncc_reals_run *r)
{
    return r->factor * r->norm * templ_norm(r) + XNCC_REALS_TINY;
}

/* Units whose product is four to eight times the bound, in proportion to the samples. */
static xncc_reals_parts choose_parts(const xncc_reals_run *r)
{
    const double known = known_error(r), image = r->norm / sqrt(samples_of(r)),
                 templ = templ_norm(r) / sqrt((double)r->job->general.whole);
    if (!(known > 0x1p-600 && known < 0x1p600 && image > 0x1p-400 && templ > 0x1p-400))
        return (xncc_reals_parts){ 0.0, 0.0 };
    const int both = ilogb(known) + 3, of_image = (both + ilogb(image) - ilogb(templ)) / 2;
    const xncc_reals_parts p = { ldexp(1.0, of_image), ldexp(1.0, both - of_image) };
    if (r->norm > 0x1p50 * p.unit || templ_norm(r) > 0x1p50 * p.templ_unit)
        return (xncc_reals_parts){ 0.0, 0.0 };
    return p;
}

/* The sum of the sizes of the other products is at most this, if the root of the sum of squares of
 * the samples, `count` of them, is at most `norm`. */
static double rests(const xncc_reals_run *r, double norm, double count)
{
    const double of_image = 0.5 * r->parts.unit * sqrt(count),
                 of_templ = 0.5 * r->parts.templ_unit * sqrt((double)r->job->general.whole);
    return 1.01 * (of_image * templ_norm(r) + (norm + of_image) * of_templ);
}

/* Does the sum of the leading parts' products follow, if that of the others is off by `error`? */
static int parts_fit(const xncc_reals_run *r, double error)
{
    return 1.02 * known_error(r) + 1.02 * error <= 0.45 * r->parts.unit * r->parts.templ_unit;
}

/* X from what is known of it and from the sum of the others. It is rounded once. */
static double put_together(const xncc_reals_run *r, double known, double rest)
{
    const double magic = 0x1.8p52 * (r->parts.unit * r->parts.templ_unit);
    return ((known - rest) + magic - magic) + rest;
}

/* The bound of its error relative to |v| |t|, but for the error of the rest: v and t were rounded
 * once, and so was the sum. */
static const double of_roundings = 3.1 * 0x1p-53;

/* ---- what it costs ---- */

/* Multiplications that scoring windows again may cost, per window of the rectangle, where only one
 * by one is possible. */
enum { AGAIN_PER_WINDOW = 128 };

/* What one window costs in about ns. */
static double cost_of_one(const xncc_reals_run *r)
{
    return 300.0 + 0.25 * (double)r->job->general.whole;
}

/* What all windows of the rectangle cost by transforms. */
static double cost_of_all(const xncc_reals_run *r)
{
    const xncc_fft_blocking *c = &r->job->blocks->fft;
    const double points = (double)c->nx * (double)c->ny;
    return 0.55 * points * (log2(points) + 10.0);
}

void xncc_reals_again_begin(xncc_reals_run *r)
{
    const double windows = (double)r->area->width * (double)r->area->height,
                 most = r->variant->fft
                            ? cost_of_all(r) / cost_of_one(r)
                            : AGAIN_PER_WINDOW * windows / (double)r->job->general.whole;
    r->parts = choose_parts(r);
    r->again = r->parts.unit > 0.0 ? (int64_t)most : 0;
    r->tried = r->decided = r->many = 0;
}

/* ---- one by one ---- */

/* Row yy of the window at column x as doubles. */
static const double *window_row(xncc_reals_run *r, int32_t x, int32_t yy)
{
    const xncc_template *templ = r->job->templ;
    const char *raw = xncc_stage_raw(&r->m.stage, yy);
    const xncc_reals_line line = { .raw = raw + (size_t)x * xncc_pixel_size(templ->pixel),
                                   .pixel = templ->pixel,
                                   .channels = 1,
                                   .width = templ->width,
                                   .pivot = r->pivot,
                                   .power = 1,
                                   .out = r->m.refine.v };
    (void)r->isa->line(&line);
    return r->m.refine.v;
}

/* The sum of the other products of the window at column x of row y: rows are summed in groups of
 * 16, so that no double takes part in many additions. `bound`: of its error. */
static double window_rest(xncc_reals_run *r, int32_t x, int32_t y, double norm, double *bound)
{
    enum { GROUP = 16 };
    const xncc_template *templ = r->job->templ;
    const double *t = r->shared->value[0];
    const int in_place = xncc_reals_are_in_place(r);
    xncc_reals_slide line = xncc_reals_slide_of(r, in_place, templ->width);
    double group[32], total[32] = { 0 }, sum = 0.0;
    const char *first = in_place ? (const char *)xncc_stage_raw(&r->m.stage, y) +
                                       (size_t)x * xncc_pixel_size(templ->pixel)
                                 : NULL;
    const ptrdiff_t pitch = in_place ? (ptrdiff_t)xncc_image_pitch(r->job->image) : 0;
    for (int32_t j = 0; j < templ->height; j++) {
        line.enter = in_place ? (const void *)(first + j * pitch) : window_row(r, x, y + j);
        if (j % GROUP == 0)
            memset(group, 0, sizeof group);
        r->isa->rests(&line, t + (ptrdiff_t)j * templ->width, r->shared->channel[0].pivot,
                      &r->parts, group);
        if (j % GROUP == GROUP - 1 || j == templ->height - 1)
            for (int i = 0; i < 32; i++)
                total[i] += group[i];
    }
    for (int i = 0; i < 32; i++)
        sum += total[i];
    /* Two multiply-adds per sample, each rounded at most twice. */
    const double additions = 4.0 * (templ->width / 32.0 + 2.0) + GROUP + templ->height / 16.0 +
                             34.0;
    *bound = 1.01 * 0x1p-53 * (additions + 4.0) * rests(r, norm, (double)r->job->general.whole);
    return sum;
}

/* Scores a window again. Returns 1 if it is left in doubt. */
static int score_window(xncc_reals_run *r, int32_t x, int32_t y, const xncc_reals_row *whole)
{
    enum { LANES = 8 };
    double X[LANES] = { 0 }, S[LANES] = { r->m.window[0][x] }, Q[LANES] = { r->m.window[1][x] };
    const double norm = sqrt(1.01 * fabs(Q[0]) + 2.0 * whole->error.Q);
    double of_rest;
    const double rest = window_rest(r, x, y, norm, &of_rest);
    xncc_reals_row row = *whole;
    if (!parts_fit(r, of_rest))
        return 1;
    X[0] = put_together(r, whole->X[x], rest);
    row.error.X = of_rest + of_roundings * norm * templ_norm(r) + XNCC_REALS_TINY;
    row.error.of_X = 0.0;
    row.count = 1;
    row.X = X;
    row.S = S;
    row.Q = Q;
    row.out = whole->out + x;
    return r->isa->score(&row);
}

/* Should all windows be scored again by transforms? y: the row that is being scored. */
static int are_many(const xncc_reals_run *r, int32_t y)
{
    enum { LEAST = 16 };
    const double expected = (double)r->tried * r->area->height / (y + 1.0);
    return r->variant->fft && r->tried >= LEAST && 2 * r->decided >= r->tried &&
           expected * cost_of_one(r) > cost_of_all(r);
}

int xncc_reals_score_again(xncc_reals_run *r, int32_t y, const xncc_reals_row *whole)
{
    enum { TRIES = 32 };
    int doubts = 0;
    for (int32_t x = 0; (x = xncc_reals_next_doubt(whole->out, x, whole->count)) < whole->count;
         x++) {
        r->many = are_many(r, y);
        if (r->many || r->again-- <= 0)
            return 1;
        /* Where windows cancel, a smaller bound decides none of them. */
        if (r->tried >= TRIES && 2 * r->decided < r->tried)
            return 1;
        r->tried++;
        const int open = score_window(r, x, y, whole);
        r->decided += !open;
        doubts |= open;
    }
    return doubts;
}

/* ---- all of them ---- */

static double round_to(double v, double unit)
{
    const double magic = 0x1.8p52 * unit;
    return (v + magic) - magic;
}

/* The arrays: v', v - v', t and t - t'. */
enum { LEADING, REST, TEMPL, TEMPL_REST, ARRAYS };
_Static_assert(ARRAYS == (int)XNCC_AGAIN_ARRAYS, "they are not rare memory");

static void transform_parts(xncc_reals_run *r, int of_templ)
{
    const xncc_fft_isa *fft = r->variant->fft;
    const xncc_fft_blocking *c = &r->job->blocks->fft;
    const xncc_template *templ = r->job->templ;
    const size_t line = (size_t)xncc_reals_line_width(r->job->problem, r->job->blocks),
                 step = (size_t)fft->row_bytes(c->nx);
    const int32_t rows = of_templ ? templ->height : r->m.stage.height,
                  width = of_templ ? templ->width : r->m.stage.width;
    const double unit = of_templ ? r->parts.templ_unit : r->parts.unit,
                 pivot = r->shared->channel[0].pivot;
    double *const first = r->m.plane_rows, *const second = first + line;
    const int at = of_templ ? TEMPL : LEADING;
    xncc_reals_clear_planes(r);
    for (int32_t y = 0; y < rows && !xncc_is_cancelled(r->job->watch); y++) {
        const double *from = r->m.line;
        if (of_templ) {
            from = r->shared->value[0] + (ptrdiff_t)y * width;
            for (int32_t x = 0; x < width; x++) {
                first[x] = from[x] - pivot;
                second[x] = first[x] - round_to(first[x], unit);
            }
        } else {
            (void)xncc_reals_read_line(r, y, 0, r->pivot, 1);
            for (int32_t x = 0; x < width; x++) {
                first[x] = round_to(from[x], unit);
                second[x] = from[x] - first[x];
            }
        }
        for (int k = 0; k < 2; k++) {
            const double *part = k ? second : first;
            char *row = r->m.arrays[at + k] + (size_t)y * step;
            if (of_templ)
                fft->digits_in(r->shared->table, c, part, row);
            else
                fft->reals_in(r->shared->table, c, part, part + c->across, row);
        }
    }
    for (int k = 0; k < 2; k++)
        memset(r->m.arrays[at + k] + (size_t)rows * step, 0, (size_t)(c->ny - rows) * step);
}

int xncc_reals_sharpen(xncc_reals_run *r, xncc_reals_errors *error)
{
    static const uint8_t pair[][2] = { { REST, TEMPL }, { LEADING, TEMPL_REST } };
    static const int begin[] = { 0, 2 };
    const double of_rest = 1.01 * (r->factor + 0x1p-50) * rests(r, r->norm, samples_of(r));
    if (!parts_fit(r, of_rest) || of_rest > known_error(r))
        return 0;
    transform_parts(r, 0);
    transform_parts(r, 1);
    const xncc_fft_sums sums = { .planes = ARRAYS,
                                 .count = 1,
                                 .array = r->m.arrays,
                                 .begin = begin,
                                 .pair = pair,
                                 .buffer = r->m.columns_buffer };
    r->variant->fft->sums(r->shared->table, &r->job->blocks->fft, r->job->watch, &sums);
    error->of_rest = of_rest;
    error->of_X = of_roundings * templ_norm(r);
    error->X = of_rest + error->of_X * r->norm + XNCC_REALS_TINY;
    return 1;
}

void xncc_reals_sharp_row(xncc_reals_run *r, int sharp, int32_t y, double *out)
{
    const xncc_fft_isa *fft = r->variant->fft;
    const xncc_fft_blocking *c = &r->job->blocks->fft;
    const size_t at = (size_t)y * (size_t)fft->row_bytes(c->nx);
    const int32_t first = xncc_min_i32(r->area->width, c->across), second = r->area->width - first;
    double *rest = r->m.weight_rows;
    fft->results(r->m.array + at, first, second, out, out + first);
    if (!sharp)
        return;
    fft->reals_out(r->shared->table, c, r->m.arrays[0] + at, first, second, rest, rest + first);
    for (int32_t x = 0; x < r->area->width; x++)
        out[x] = put_together(r, out[x], rest[x]);
}
