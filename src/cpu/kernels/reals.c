/* SPDX-License-Identifier: BSD-2-Clause */
/* Matching of floats, rectangle by rectangle (reals.h). */
#include "cpu/kernels/reals_run.h"

#include <math.h>
#include <string.h>

/* The mean of some rows, as the pivot of the rectangle: any number serves, and one near the mean
 * makes the bounds small. */
static void choose_pivot(xncc_reals_run *r, int32_t channel)
{
    const xncc_method method = r->job->problem->rule.method;
    const xncc_stage *stage = &r->m.stage;
    r->pivot = r->shared->channel[channel].pivot; /* the same as the template's, or 0 */
    if (!xncc_method_is_centred(method))
        return;
    double sum = 0.0, count = 0.0;
    for (int32_t yy = 0; yy < stage->height; yy += stage->height / 8 + 1) {
        (void)xncc_reals_read_line(r, yy, channel, 0.0, 1);
        for (int32_t i = 0; i < stage->width; i++)
            sum += r->m.line[i];
        count += stage->width;
    }
    r->pivot = r->unit > 0.0 ? rint(sum / count / r->unit) * r->unit
                             : xncc_reals_pivot(sum / count);
}

/* ---- products ---- */

static const xncc_fft_blocking *blocking(const xncc_reals_run *r)
{
    return &r->job->blocks->fft;
}

/* The sum of the squares of the columns that both blocks of a transform read. */
static double shared_square(const xncc_reals_run *r, const xncc_fft_blocking *c)
{
    const int32_t end = xncc_min_i32(c->nx, r->m.stage.width);
    double part[8] = { 0.0 }, square = 0.0;
    int32_t x = c->across;
    for (; x + 8 <= end; x += 8)
        for (int k = 0; k < 8; k++)
            part[k] += r->m.line[x + k] * r->m.line[x + k];
    for (; x < end; x++)
        square += r->m.line[x] * r->m.line[x];
    for (int k = 0; k < 8; k++)
        square += part[k];
    return square;
}

/* Transforms the rows of a plane of the image and multiplies them by a plane of the template.
 * Returns the root of the sum of squares of what was transformed, which holds the columns that both
 * blocks share twice. */
static double transform(xncc_reals_run *r, int32_t channel, int power, void *templ)
{
    const xncc_fft_isa *fft = r->variant->fft;
    const xncc_fft_blocking *c = blocking(r);
    const size_t step = (size_t)fft->row_bytes(c->nx);
    const int32_t rows = r->m.stage.height;
    double square = 0.0;
    memset(r->m.line, 0,
           (size_t)xncc_reals_line_width(r->job->problem, r->job->blocks) * sizeof(double));
    for (int32_t yy = 0; yy < rows && !xncc_is_cancelled(r->job->watch); yy++) {
        const xncc_reals_found found = xncc_reals_read_line(r, yy, channel, r->pivot, power);
        square += found.square + shared_square(r, c);
        r->bad |= found.bad;
        fft->reals_in(r->shared->table, c, r->m.line, r->m.line + c->across,
                      r->m.array + (uint64_t)yy * step);
    }
    memset(r->m.array + (uint64_t)rows * step, 0, (size_t)(c->ny - rows) * step);
    char *const array[2] = { r->m.array, NULL }, *const spectrum[2] = { templ, NULL };
    fft->convolve(r->shared->table, c, r->job->watch, (xncc_fft_source){ NULL, 0 }, array, spectrum,
                  r->m.buffer);
    return 1.01 * sqrt(square + XNCC_REALS_TINY);
}

/* Row y of the products that were transformed last. */
static void transformed_row(const xncc_reals_run *r, int32_t y, double *out)
{
    const xncc_fft_blocking *c = blocking(r);
    const int32_t first = xncc_min_i32(r->area->width, c->across);
    r->variant->fft->reals_out(r->shared->table, c,
                               r->m.array + (uint64_t)y * r->variant->fft->row_bytes(c->nx), first,
                               r->area->width - first, out, out + first);
}

/* The products of a plane of the image with one of the template, directly, to `sum`. */
static double multiply(xncc_reals_run *r, int32_t channel, int power, const double *templ,
                       double *sum)
{
    const int32_t height = r->job->templ->height, rows = r->area->height;
    xncc_reals_meeting meeting = { .line = r->m.line,
                                   .templ = templ,
                                   .width = r->job->templ->width,
                                   .columns = r->area->width,
                                   .sum = sum,
                                   .stride = r->stride,
                                   .watch = r->job->watch };
    double square = 0.0;
    memset(sum, 0, (size_t)r->stride * (size_t)rows * sizeof(double));
    for (int32_t yy = 0; yy < r->m.stage.height && !xncc_is_cancelled(r->job->watch); yy++) {
        const xncc_reals_found found = xncc_reals_read_line(r, yy, channel, r->pivot, power);
        square += found.square;
        r->bad |= found.bad;
        meeting.y = yy;
        meeting.first = yy - height + 1 > 0 ? yy - height + 1 : 0;
        meeting.last = yy < rows - 1 ? yy : rows - 1;
        r->isa->meet(&meeting);
    }
    return 1.01 * sqrt(square + XNCC_REALS_TINY);
}

/* Computes a sum by products and returns a bound of its error. norm: of the template's plane. X by
 * transforms is left transformed, and its rows follow one by one. */
static double product(xncc_reals_run *r, xncc_sum_id sum, int32_t channel, int power, void *templ,
                      double norm)
{
    double of_image;
    if (r->variant->fft) {
        of_image = transform(r, channel, power, templ);
        for (int32_t y = 0; y < r->area->height && sum != XNCC_SUM_X; y++)
            transformed_row(r, y, r->m.sum[sum] + (ptrdiff_t)y * r->stride);
    } else {
        of_image = multiply(r, channel, power, templ, r->m.sum[sum]);
    }
    if (sum == XNCC_SUM_X)
        r->norm = of_image;
    return r->factor * of_image * norm;
}

/* Has this sum a plane? Those of products do, and the number of pixels that count. */
static int is_stored(const xncc_reals_run *r, xncc_sum_id sum)
{
    return r->source[sum] == XNCC_FROM_PRODUCTS ||
           (sum == XNCC_SUM_N && r->source[sum] == XNCC_FROM_WINDOW);
}

/* Counts the pixels of every window that count, in whole numbers. A zero is +0: where there
 * is an instruction for it, gcc rounds a double that becomes an integer and a double again to a
 * double, which may be -0. */
static void count_pixels(xncc_reals_run *r)
{
    double *N = r->m.sum[XNCC_SUM_N];
    if (!is_stored(r, XNCC_SUM_N))
        return;
    (void)product(r, XNCC_SUM_N, 0, 0, r->shared->mask, 1.0);
    for (ptrdiff_t i = 0; i < (ptrdiff_t)r->stride * r->area->height; i++)
        N[i] = rint(N[i]) + 0.0;
}

/* ---- window sums ---- */

/* Row yy as the column sums take it: where it lies, or as doubles in `line`. */
static const void *sliding_row(xncc_reals_run *r, int32_t yy, int32_t channel, int in_place,
                               double *line)
{
    if (in_place)
        return xncc_stage_raw(&r->m.stage, yy);
    (void)xncc_reals_read_line_to(r, yy, channel, r->pivot, 1, line);
    return line;
}

/* Makes the sums over the windows of row y from sums over columns, which slide down. */
static void slide_windows(xncc_reals_run *r, int32_t channel, int32_t y)
{
    const xncc_stage *stage = &r->m.stage;
    const int32_t width = r->job->templ->width, height = r->job->templ->height;
    const int in_place = xncc_reals_are_in_place(r);
    xncc_reals_slide slide = xncc_reals_slide_of(r, in_place, stage->width);
    if (y == 0) {
        const size_t bytes = (size_t)xncc_reals_line_width(r->job->problem, r->job->blocks) *
                             sizeof(double);
        for (int i = 0; i < 4; i++)
            memset(r->m.column[i], 0, bytes);
    } else {
        slide.leave = sliding_row(r, y - 1, channel, in_place, r->m.before);
    }
    for (int32_t yy = y == 0 ? 0 : y + height - 1; yy < y + height; yy++) {
        slide.enter = sliding_row(r, yy, channel, in_place, r->m.line);
        r->isa->slide(r->m.column, &slide);
    }
    for (int i = 0; i < 2; i++)
        r->isa->window(r->m.column[2 * i], width, r->m.room, r->m.window[i], r->area->width);
}

/* ---- errors ---- */

/* The bounds of the sums of a channel, but for those of the products, which are known already.
 * docs/numerics.md derives them. */
static void complete_errors(const xncc_reals_run *r, int32_t channel, xncc_reals_errors *e)
{
    const xncc_template *templ = r->job->templ;
    const xncc_reals_channel *of = &r->shared->channel[channel];
    const double u = 0x1p-53, n = (double)templ->width * (double)templ->height,
                 steps = (double)r->m.stage.height, width = (double)templ->width,
                 height = (double)templ->height, doublings = 4.0 + ceil(log2(width + 1.0));
    const double slid = width * steps * 0x1p-100, norm = r->norm;
    e->X += XNCC_REALS_TINY;
    e->Q += XNCC_REALS_TINY;
    e->T2 += XNCC_REALS_TINY;
    e->of_Q = 8.0 * u;
    if (r->source[XNCC_SUM_S] == XNCC_FROM_WINDOW || r->shared->shift != 0.0) {
        e->S = slid * sqrt(height) * norm;
        e->S_window = doublings * u * sqrt(n) * norm + e->S;
        e->of_Q += 2.0 * doublings * u;
    } else {
        e->S_window = e->S;
    }
    if (r->source[XNCC_SUM_Q] == XNCC_FROM_WINDOW) {
        e->Q += slid * norm * norm;
        e->of_Q += doublings * u;
    }
    if (r->source[XNCC_SUM_T] != XNCC_FROM_PRODUCTS)
        e->T = of->sum_error;
    if (r->source[XNCC_SUM_T2] != XNCC_FROM_PRODUCTS)
        e->T2 += (width * height + 8.0) * u * of->square;
}

/* ---- scores ---- */

static void *templ_plane(const xncc_reals_run *r, xncc_sum_id sum, int32_t channel, double *norm)
{
    const int kind = sum == XNCC_SUM_T2 ? XNCC_REALS_PLANE_SQUARE : XNCC_REALS_PLANE_VALUE;
    if (sum == XNCC_SUM_S || sum == XNCC_SUM_Q) {
        *norm = sqrt((double)r->job->general.whole);
        return r->shared->mask;
    }
    *norm = r->shared->norm[channel][kind];
    return r->shared->plane[channel][kind];
}

/* Computes the sums of a channel that come from products, X last, and the bounds of all errors.
 * Says whether the sums are exact once they are rounded. */
static xncc_reals_errors channel_products(xncc_reals_run *r, int32_t channel, int *exact)
{
    static const xncc_sum_id order[] = { XNCC_SUM_S, XNCC_SUM_Q, XNCC_SUM_T, XNCC_SUM_T2,
                                         XNCC_SUM_X };
    xncc_reals_errors e = { 0 };
    double *const error[XNCC_SUMS] = { [XNCC_SUM_S] = &e.S,
                                       [XNCC_SUM_Q] = &e.Q,
                                       [XNCC_SUM_T] = &e.T,
                                       [XNCC_SUM_T2] = &e.T2,
                                       [XNCC_SUM_X] = &e.X };
    double norm = 1.0;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        const xncc_sum_id sum = order[i];
        if (r->source[sum] != XNCC_FROM_PRODUCTS)
            continue;
        const int of_count = sum == XNCC_SUM_T || sum == XNCC_SUM_T2;
        void *plane = templ_plane(r, sum, channel, &norm);
        *error[sum] = product(r, sum, channel,
                              of_count            ? 0
                              : sum == XNCC_SUM_Q ? 2
                                                  : 1,
                              plane, norm);
    }
    /* Direct products are of the window's samples alone. */
    if (!r->variant->fft && r->job->templ->channels == 1 &&
        r->source[XNCC_SUM_Q] != XNCC_FROM_NOWHERE)
        e.of_X = 1.01 * r->factor * norm;
    *exact = xncc_reals_sums_are_exact(r, &e);
    complete_errors(r, channel, &e);
    return e;
}

/* A row of a plane of sums, if the sum is stored. */
static const double *stored(const xncc_reals_run *r, xncc_sum_id sum, int32_t y)
{
    return is_stored(r, sum) ? r->m.sum[sum] + (ptrdiff_t)y * r->stride : NULL;
}

/* Are there sums over windows that slide? */
static int has_window_sums(const xncc_reals_run *r)
{
    return r->source[XNCC_SUM_S] == XNCC_FROM_WINDOW || r->source[XNCC_SUM_Q] == XNCC_FROM_WINDOW;
}

/* Scores row y, of which X is there if it comes from transforms. Returns 1 if there is a doubt. */
static int score_row(xncc_reals_run *r, int32_t channel, int32_t y, xncc_reals_row *row)
{
    if (has_window_sums(r))
        slide_windows(r, channel, y);
    row->X = r->variant->fft ? r->m.sum[XNCC_SUM_X] : stored(r, XNCC_SUM_X, y);
    row->S = r->source[XNCC_SUM_S] == XNCC_FROM_WINDOW || row->shift != 0.0
                 ? r->m.window[0]
                 : stored(r, XNCC_SUM_S, y);
    row->Q = r->source[XNCC_SUM_Q] == XNCC_FROM_WINDOW ? r->m.window[1] : stored(r, XNCC_SUM_Q, y);
    row->N = stored(r, XNCC_SUM_N, y);
    row->T = stored(r, XNCC_SUM_T, y);
    row->T2 = stored(r, XNCC_SUM_T2, y);
    for (int i = 0; i < 6; i++)
        row->total[i] = r->m.total[i] ? r->m.total[i] + (ptrdiff_t)y * r->stride : NULL;
    row->out = r->area->out + y * r->area->pitch;
    return r->isa->score(row);
}

/* Scores all rows again with sums of products of a smaller error. `rows` of them have been scored.
 * Returns 1 if there is a doubt. */
static int score_all_again(xncc_reals_run *r, int32_t channel, int32_t rows, xncc_reals_row *row)
{
    int doubts = 0;
    for (int32_t y = rows; y < r->area->height; y++)
        transformed_row(r, y, r->m.sum[XNCC_SUM_X]);
    const int sharp = xncc_reals_sharpen(r, &row->error);
    for (int32_t y = 0; y < r->area->height && !xncc_is_cancelled(r->job->watch); y++) {
        xncc_reals_sharp_row(r, sharp, y, r->m.sum[XNCC_SUM_X]);
        doubts |= score_row(r, channel, y, row);
    }
    return doubts;
}

/* Scores the rows of a channel. Returns 1 if there is a doubt. */
static int score_channel(xncc_reals_run *r, int32_t channel)
{
    const xncc_reals_channel *of = &r->shared->channel[channel];
    const xncc_method method = r->job->problem->rule.method;
    int exact;
    const xncc_reals_errors error = channel_products(r, channel, &exact);
    r->exact = exact && (channel == 0 || r->exact);
    xncc_reals_row row = { .method = method,
                           .count = r->area->width,
                           .n = (double)r->job->general.whole,
                           .templ_sum = of->sum,
                           .templ_square = of->square,
                           .templ_root = r->shared->templ_root,
                           .shift = r->shared->shift,
                           .error = error,
                           .first = channel == 0,
                           .last = channel == r->job->templ->channels - 1,
                           .least = (double)r->job->general.least,
                           .unit = exact ? r->unit : 0.0,
                           .templ_unit = r->templ_unit,
                           .exact = r->exact,
                           .flat = xncc_flat_score(method, &r->job->general, 0),
                           .equal = xncc_flat_score(method, &r->job->general, 1) };
    /* The bound of the products is the largest one, if all other sums are window sums. */
    const int again = r->job->general.whole >= 256 && has_window_sums(r) &&
                      r->job->templ->channels == 1 && xncc_reals_counts_all(r) && !r->bad;
    int doubts = 0;
    int32_t y = 0;
    if (again)
        xncc_reals_again_begin(r);
    for (; y < r->area->height && !r->many && !xncc_is_cancelled(r->job->watch); y++) {
        if (r->variant->fft)
            transformed_row(r, y, r->m.sum[XNCC_SUM_X]);
        if (score_row(r, channel, y, &row))
            doubts |= again ? xncc_reals_score_again(r, y, &row) : 1;
    }
    return r->many ? score_all_again(r, channel, y, &row) : doubts;
}

/* ---- rectangles ---- */

/* Where the sums come from. If all pixels of the rectangle count, those that depend on the template
 * alone are constants. */
static void resolve_sources(xncc_reals_run *r, xncc_counts counts)
{
    if (counts == XNCC_COUNTS_ALL)
        r->m.stage.count = NULL;
    for (int s = 0; s < XNCC_SUMS; s++)
        r->source[s] = xncc_sum_source_in(&r->shared->recipe, (xncc_sum_id)s,
                                          counts == XNCC_COUNTS_ALL);
}

/* Scores that follow from the number of pixels that count: XNCC_COVERAGE, or NaN everywhere. */
static void score_from_counts(const xncc_reals_run *r, int nothing)
{
    const xncc_method method = r->job->problem->rule.method;
    for (int32_t y = 0; y < r->area->height; y++)
        for (int32_t x = 0; x < r->area->width; x++) {
            const double *N = stored(r, XNCC_SUM_N, y);
            const uint64_t n = nothing ? 0 : N ? (uint64_t)N[x] : r->job->general.whole;
            float score = NAN;
            (void)xncc_general_score_from_count(method, &r->job->general, n, &score);
            r->area->out[y * r->area->pitch + x] = method == XNCC_COVERAGE ? score : NAN;
        }
}

static void run_begin(xncc_reals_run *r, void *scratch)
{
    const xncc_template *templ = r->job->templ;
    const xncc_fft_blocking *c = blocking(r);
    (void)xncc_reals_scratch_layout(r->variant, r->job->problem, r->job->blocks, scratch, &r->m);
    xncc_stage *stage = &r->m.stage;
    r->m.refine.exact = 0;
    stage->job = r->job;
    stage->left = (int64_t)r->job->x0 + r->area->x;
    stage->top = (int64_t)r->job->y0 + r->area->y;
    stage->width = r->area->width + templ->width - 1;
    stage->height = r->area->height + templ->height - 1;
    stage->pitch = xncc_reals_line_width(r->job->problem, r->job->blocks);
    r->stride = xncc_reals_stride(r->job->problem, r->job->blocks);
    r->factor = r->variant->fft
                    ? xncc_fft_real_error(c)
                    : 1.01 * 0x1p-53 * ((double)templ->width + (double)templ->height + 6.0);
    memset(r->m.line, 0, (size_t)stage->pitch * sizeof(double));
}

void xncc_reals_area(const xncc_cpu_kernel *self, const xncc_job *job, void *scratch,
                     const xncc_area *area)
{
    const xncc_reals_variant *variant = self->variant;
    xncc_reals_run r = {
        .variant = variant, .isa = variant->isa, .job = job, .shared = job->shared, .area = area
    };
    run_begin(&r, scratch);
    const xncc_counts counts = xncc_problem_image_varies(job->problem)
                                   ? xncc_stage_counts(&r.m.stage)
                                   : XNCC_COUNTS_ALL;
    resolve_sources(&r, counts);
    if (job->problem->rule.method != XNCC_COVERAGE &&
        (!job->templ->finite || counts == XNCC_COUNTS_NONE)) {
        score_from_counts(&r, 1);
        return;
    }
    count_pixels(&r);
    if (job->problem->rule.method == XNCC_COVERAGE) {
        score_from_counts(&r, 0);
        return;
    }
    int doubts = 0;
    xncc_reals_find_grid(&r);
    for (int32_t c = 0; c < job->templ->channels && !xncc_is_cancelled(job->watch); c++) {
        choose_pivot(&r, c);
        doubts |= score_channel(&r, c);
    }
    if (r.bad)
        xncc_reals_mark_bad(&r);
    if ((doubts || r.bad) && !xncc_is_cancelled(job->watch))
        xncc_reals_settle(&r);
}
