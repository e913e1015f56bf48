/* SPDX-License-Identifier: BSD-2-Clause */
/* The scores of a rectangle of floats (reals_run.h). */
#include "cpu/kernels/reals_run.h"

#include <math.h>
#include <string.h>

/* ---- window sums ---- */

/* Are there sums over windows that slide? */
static int has_window_sums(const xncc_reals_run *r)
{
    return r->source[XNCC_SUM_S] == XNCC_FROM_WINDOW || r->source[XNCC_SUM_Q] == XNCC_FROM_WINDOW;
}

/* Does Q slide with the windows? It comes with S also where the method has no use for it: then only
 * the bounds have. */
static int has_Q_of_windows(const xncc_reals_run *r)
{
    return has_window_sums(r) && r->source[XNCC_SUM_Q] != XNCC_FROM_PRODUCTS;
}

/* ---- errors ---- */

/* The bounds of the sums of a channel, but for those of the products, which are known already.
 * docs/numerics.md derives them. */
static void complete_errors(const xncc_reals_run *r, int32_t channel, xncc_reals_errors *e)
{
    const xncc_template *templ = r->job->templ;
    const xncc_reals_channel *of = &r->shared->channel[channel];
    const double u = 0x1p-53, n = (double)templ->width * (double)templ->height;
    e->X += XNCC_REALS_TINY;
    e->Q += XNCC_REALS_TINY;
    e->T2 += XNCC_REALS_TINY;
    e->S_window = e->S;
    xncc_reals_slid_errors(templ->width, templ->height, r->m.stage.height, r->norm[channel],
                           r->source[XNCC_SUM_S] == XNCC_FROM_WINDOW || r->shared->shift != 0.0,
                           has_Q_of_windows(r), e);
    if (r->source[XNCC_SUM_T] != XNCC_FROM_PRODUCTS)
        e->T = of->sum_error;
    if (r->source[XNCC_SUM_T2] != XNCC_FROM_PRODUCTS)
        e->T2 += (n + 8.0) * u * of->square;
}

/* ---- scores ---- */

/* Channels first .. end - 1, whose rows are scored in turn. */
typedef struct channels {
    int32_t first, end;
    int by_rows; /* 1: all channels, so that only a row of their terms is kept */
} channels;

/* A row of a plane of sums, if the sum is stored. */
static const double *stored(const xncc_reals_run *r, xncc_sum_id sum, int32_t y)
{
    return xncc_reals_is_stored(r, sum) ? r->m.sum[sum] + (ptrdiff_t)y * r->stride : NULL;
}

/* Is X the only sum that comes from products? Then all channels are scored row by row, and the last
 * one has the X of all of them if it comes from transforms. */
static int goes_by_rows(const xncc_reals_run *r)
{
    return r->source[XNCC_SUM_S] != XNCC_FROM_PRODUCTS &&
           r->source[XNCC_SUM_Q] != XNCC_FROM_PRODUCTS &&
           r->source[XNCC_SUM_T] != XNCC_FROM_PRODUCTS &&
           r->source[XNCC_SUM_T2] != XNCC_FROM_PRODUCTS;
}

/* Row y of the X that a channel adds to the numerator; NULL: none. */
static const double *row_of_X(const xncc_reals_run *r, const channels *of, int32_t c, int32_t y)
{
    if (r->variant->fft)
        return c == of->end - 1 ? r->m.sum[XNCC_SUM_X] : NULL;
    return r->m.sum[XNCC_SUM_X] +
           ((ptrdiff_t)(c - of->first) * r->area->height + y) * (ptrdiff_t)r->stride;
}

/* Makes the sums of row y of a channel, of which X is there if it comes from transforms. */
static void sum_row(xncc_reals_run *r, const channels *of, int32_t c, int32_t y)
{
    xncc_reals_row *row = &r->m.row[c];
    if (has_window_sums(r))
        xncc_reals_slide_windows(r, c, y);
    row->X = row_of_X(r, of, c, y);
    row->S = r->source[XNCC_SUM_S] == XNCC_FROM_WINDOW || row->shift != 0.0
                 ? r->m.window[c][0]
                 : stored(r, XNCC_SUM_S, y);
    row->Q = has_Q_of_windows(r) ? r->m.window[c][1] : stored(r, XNCC_SUM_Q, y);
    row->N = stored(r, XNCC_SUM_N, y);
    row->T = stored(r, XNCC_SUM_T, y);
    row->T2 = stored(r, XNCC_SUM_T2, y);
    for (int i = 0; i < 6; i++)
        row->total[i] = r->m.total[i] ? r->m.total[i] + (ptrdiff_t)(of->by_rows ? 0 : y) * r->stride
                                      : NULL;
    row->out = r->area->out + y * r->area->pitch;
}

/* At least the squares of the windows of all channels but the last one, whose sums are those of a
 * row; NULL if there is one channel. */
static const double *squares_before(const xncc_reals_run *r, int32_t last)
{
    double *square = r->m.squares;
    for (int32_t x = 0; x < r->area->width && last > 0; x++)
        square[x] = 0.0;
    for (int32_t c = 0; c < last; c++)
        for (int32_t x = 0; x < r->area->width; x++)
            square[x] += fabs(r->m.window[c][1][x]) + 2.0 * r->m.row[c].error.Q;
    return last > 0 ? square : NULL;
}

/* Scores row y. Returns 1 if there is a doubt. */
static int score_channels(xncc_reals_run *r, const channels *of, int32_t y)
{
    for (int32_t c = of->first; c < of->end; c++)
        sum_row(r, of, c, y);
    if (r->many)
        r->m.row[of->end - 1].before_Q = squares_before(r, of->end - 1);
    return r->isa->score(&r->m.row[of->first], of->end - of->first);
}

/* Scores all rows with sums of products that were transformed back before; with those of a smaller
 * error, if `sharp`. Returns 1 if there is a doubt. */
static int score_sums(xncc_reals_run *r, const channels *of, int sharp)
{
    int doubts = 0;
    for (int32_t y = 0; y < r->area->height && !xncc_is_cancelled(r->job->watch); y++) {
        xncc_reals_sharp_row(r, sharp, y, r->m.sum[XNCC_SUM_X]);
        doubts |= score_channels(r, of, y);
    }
    return doubts;
}

/* Scores all rows again with sums of products of a smaller error, but not those of a part of a map.
 * `rows` of them have been scored. Returns 1 if there is a doubt. */
static int score_all_again(xncc_reals_run *r, const channels *of, int32_t rows)
{
    for (int32_t y = rows; y < r->area->height; y++)
        xncc_reals_transformed_row(r, y, r->m.sum[XNCC_SUM_X]);
    return r->common > 0 || score_sums(r, of, xncc_reals_sharpen(r, &r->m.row[of->end - 1].error));
}

/* What the rows of a channel have in common, but for the errors of X, and whether its sums are
 * exact. */
static xncc_reals_row row_begin(const xncc_reals_run *r, int32_t channel)
{
    const xncc_reals_channel *of = &r->shared->channel[channel];
    const xncc_method method = r->job->problem->rule.method;
    return (xncc_reals_row){ .method = method,
                             .count = r->area->width,
                             .n = (double)r->job->general.whole,
                             .templ_sum = of->sum,
                             .templ_square = of->square,
                             .templ_root = r->shared->templ_root,
                             .shift = r->shared->shift,
                             .first = channel == 0,
                             .last = channel == r->job->templ->channels - 1,
                             .least = (double)r->job->general.least,
                             .templ_unit = r->grid.templ_unit,
                             .flat = xncc_flat_score(method, &r->job->general, 0),
                             .equal = xncc_flat_score(method, &r->job->general, 1) };
}

/* Computes the sums of some channels that come from products, and the bounds of all errors. */
static void make_sums(xncc_reals_run *r, const channels *of)
{
    int exact = of->first == 0 || r->exact;
    for (int32_t c = of->first; c < of->end; c++) {
        r->m.row[c] = row_begin(r, c);
        if (!r->common)
            xncc_reals_choose_pivot(r, c);
        xncc_reals_products(r, c, &r->m.row[c].error);
    }
    xncc_reals_products_X(r, of->first, of->end, r->m.row);
    for (int32_t c = of->first; c < of->end; c++) {
        xncc_reals_errors *e = &r->m.row[c].error;
        exact = xncc_reals_sums_are_exact(r, c, e) && exact;
        complete_errors(r, c, e);
    }
    r->exact = exact;
    for (int32_t c = of->first; c < of->end; c++) {
        r->m.row[c].unit = exact ? r->grid.unit : 0.0;
        r->m.row[c].exact = exact;
    }
}

/* Scores the rows of some channels. Returns 1 if there is a doubt. */
static int score_rows(xncc_reals_run *r, const channels *of)
{
    make_sums(r, of);
    /* The bound of X is the largest one, if S and Q are window sums. */
    const int clips = xncc_problem_image_clips(r->job->problem) && !r->job->templ->mask &&
                      r->job->templ->channels == 1,
              again = r->job->general.whole >= 256 && has_window_sums(r) &&
                      (r->variant->fft || r->job->templ->channels == 1) &&
                      (xncc_reals_counts_all(r) || clips) && !r->bad,
              few = has_window_sums(r) && xncc_reals_are_few(r);
    int doubts = 0;
    int32_t y = 0;
    if (few)
        xncc_reals_few_begin(r);
    else if (again)
        xncc_reals_again_begin(r);
    for (; y < r->area->height && !r->many && !xncc_is_cancelled(r->job->watch); y++) {
        if (r->variant->fft)
            xncc_reals_transformed_row(r, y, r->m.sum[XNCC_SUM_X]);
        if (score_channels(r, of, y))
            doubts |= few     ? xncc_reals_score_few(r, y, r->m.row)
                      : again ? xncc_reals_score_again(r, y, r->m.row)
                              : 1;
    }
    if (again && !few && !r->many)
        doubts |= xncc_reals_score_listed(r, r->m.row);
    return r->many ? score_all_again(r, of, y) : doubts;
}

void xncc_reals_bound_part(xncc_reals_run *r)
{
    make_sums(r, &(channels){ 0, 1, 1 });
}

int xncc_reals_sharpen_map(xncc_reals_run *all, xncc_reals_errors *error)
{
    xncc_reals_bound_part(all);
    xncc_reals_again_begin(all);
    *error = all->m.row[0].error;
    return xncc_reals_sharpen(all, error);
}

int xncc_reals_score_sharp(xncc_reals_run *r, int sharp, const xncc_reals_errors *error)
{
    const channels of = { 0, 1, 1 };
    xncc_reals_bound_part(r);
    xncc_reals_errors *e = &r->m.row[0].error;
    e->X = error->X;
    e->of_X = error->of_X;
    e->of_rest = error->of_rest;
    return score_sums(r, &of, sharp);
}

int xncc_reals_score(xncc_reals_run *r)
{
    const int32_t all = r->job->templ->channels;
    int doubts = 0;
    if (goes_by_rows(r))
        return score_rows(r, &(channels){ 0, all, 1 });
    for (int32_t c = 0; c < all && !xncc_is_cancelled(r->job->watch); c++)
        doubts |= score_rows(r, &(channels){ c, c + 1, 0 });
    return doubts;
}
