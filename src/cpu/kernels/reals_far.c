/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows of doubles that are far apart, so that the bounds of a whole rectangle are of no use to
 * them: sums in double of scaled samples, in which a window has no others than its own
 * (reals_run.h).
 *
 * A strip of rows of windows is scored at a time. Its samples are multiplied by one power of two,
 * and all sums are made of products of lines, without a subtraction: S and Q over columns, by a
 * template of ones, then over windows; X where windows are in doubt. Where many stay so, sums of
 * the sizes of what was added give smaller bounds. The sums serve windows whose
 * samples are neither too large nor too small, which is about 500 binary places. What is below
 * them takes its turn with the next power of two. */
#include "cpu/kernels/reals_run.h"

#include <math.h>
#include <string.h>

enum {
    STRIP = XNCC_MOST_ARRAYS / 3, /* rows of windows, with three rows of sums each */
    TILE = 64,                    /* windows of a row for which X is made or not */
    FEW = 96                      /* made if one of so many windows is in doubt */
};

/* Scaled samples below LEAST count as 0. Where the squares of a window are below LEAST_ROOT^2, they
 * may not be enough. */
#define LEAST 0x1p-300
#define LEAST_ROOT 0x1p-100
#define LEAST_SQUARES (LEAST_ROOT * LEAST_ROOT)
#define LOST_PRODUCTS 0x1p-180 /* at least what X loses by that, over the roots of Q and T2 */

typedef struct strip {
    xncc_reals_run *r;
    double *templ;        /* the template's scaled samples, or what their sizes are multiplied by */
    double T, T2, size_T; /* their sums, and |T| with room for the error of T, or 0: not needed */
    double templ_scale;
    double relative; /* what sums are off by, relative to the sum of sizes */
    double scale;    /* of the image */
    int32_t y, rows, lines;
    double *line, *square, *column[2]; /* a line of scaled samples, and their squares; sums */
} strip;

/* The rows of sums of windows. */
enum { OF_S, OF_Q, OF_X, OF_SIZES };

static double *sums_of(const strip *s, int sum, int32_t y)
{
    if (sum == OF_SIZES) /* the sums of columns are not needed any more */
        return s->column[0] + (ptrdiff_t)y * s->r->stride;
    return s->r->m.weight_rows + (ptrdiff_t)(sum * STRIP + y) * s->r->stride;
}

/* Are the sums of a window with this Q of use? */
static int is_usable(double Q)
{
    return Q >= LEAST_SQUARES && Q <= 0x1p800;
}

/* Reads line y of the strip, scaled, and its squares. */
static void read_line(const strip *s, int32_t y)
{
    const int32_t width = s->r->m.stage.width;
    (void)xncc_reals_read_line(s->r, s->y + y, 0, 0.0, 1, s->r->m.line);
    xncc_reals_scale(s->r->m.line, width, s->scale, LEAST, s->line);
    for (int32_t i = 0; i < width; i++)
        s->square[i] = s->line[i] * s->line[i];
}

/* The largest magnitude of the strip's samples that are below a limit. */
static double largest_below(const strip *s, double limit)
{
    double most = 0.0;
    for (int32_t y = 0; y < s->lines; y++) {
        (void)xncc_reals_read_line(s->r, s->y + y, 0, 0.0, 1, s->r->m.line);
        for (int32_t i = 0; i < s->r->m.stage.width; i++) {
            const double size = fabs(s->r->m.line[i]);
            most = size < limit && size > most ? size : most;
        }
    }
    return most;
}

/* Adds the products of line y of the strip and of rows of a template to the sums of `columns`
 * windows of each row that contains the line. */
static void add_products(const strip *s, int32_t y, const double *line, const double *templ,
                         int32_t width, int32_t columns, double *sum, int32_t stride)
{
    const int32_t above = y - s->r->job->templ->height + 1;
    s->r->isa->meet(&(xncc_reals_meeting){ .line = line,
                                           .templ = templ,
                                           .width = width,
                                           .y = y,
                                           .first = above > 0 ? above : 0,
                                           .last = xncc_min_i32(y, s->rows - 1),
                                           .columns = columns,
                                           .sum = sum,
                                           .stride = stride,
                                           .watch = s->r->job->watch });
}

/* Makes S and Q of all windows of the strip. */
static void sum_windows(const strip *s)
{
    const xncc_reals_run *r = s->r;
    const int32_t pitch = (int32_t)r->m.stage.pitch;
    for (int i = 0; i < 2; i++)
        memset(s->column[i], 0, (size_t)s->rows * (size_t)pitch * sizeof(double));
    for (int32_t y = 0; y < s->lines && !xncc_is_cancelled(r->job->watch); y++) {
        read_line(s, y);
        add_products(s, y, s->line, r->m.ones, 1, r->m.stage.width, s->column[0], pitch);
        add_products(s, y, s->square, r->m.ones, 1, r->m.stage.width, s->column[1], pitch);
    }
    for (int32_t y = 0; y < s->rows; y++)
        for (int i = 0; i < 2; i++)
            r->isa->window(s->column[i] + (ptrdiff_t)y * pitch, r->job->templ->width, r->m.room,
                           sums_of(s, i ? OF_Q : OF_S, y), r->area->width);
}

/* Notes in r->m.run which tiles have enough windows in doubt that the sums serve. Returns 1 if
 * there are windows in doubt whose samples are too small for them. */
static int choose_tiles(const strip *s)
{
    const xncc_area *area = s->r->area;
    int small = 0;
    for (int32_t x = 0; x < area->width; x += TILE) {
        const int32_t columns = xncc_min_i32(TILE, area->width - x);
        int32_t open = 0;
        for (int32_t y = 0; y < s->rows; y++) {
            const float *row = area->out + (s->y + y) * area->pitch + x;
            const double *Q = sums_of(s, OF_Q, y) + x;
            for (int32_t i = 0; (i = xncc_reals_next_doubt(row, i, columns)) < columns; i++) {
                open += is_usable(Q[i]);
                small |= Q[i] < LEAST_SQUARES;
            }
        }
        s->r->m.run[x / TILE] = open > 0 && open * FEW >= columns * s->rows;
    }
    return small;
}

/* Writes row j of the template's scaled samples. */
static void scale_row(const strip *s, int32_t j, double *to)
{
    const int32_t width = s->r->job->templ->width;
    xncc_reals_scale(s->r->shared->value[0] + (ptrdiff_t)j * width, width, s->templ_scale, LEAST,
                     to);
}

/* Writes the template of X, its scaled samples; or that of sums of sizes, their magnitudes and the
 * share of |T| that S is multiplied by. */
static void write_template(const strip *s, int sum)
{
    const xncc_template *templ = s->r->job->templ;
    const double more = s->size_T / (double)s->r->job->general.whole;
    double *row = s->templ;
    for (int32_t j = 0; j < templ->height; j++, row += templ->width) {
        scale_row(s, j, row);
        for (int32_t i = 0; i < templ->width && sum == OF_SIZES; i++)
            row[i] = fabs(row[i]) + more;
    }
}

/* Makes X, or sums of sizes, of the windows of the tiles that were chosen. */
static void multiply(const strip *s, int sum)
{
    const xncc_reals_run *r = s->r;
    const int32_t width = r->area->width;
    double *to = sums_of(s, sum, 0);
    write_template(s, sum);
    memset(to, 0, (size_t)STRIP * (size_t)r->stride * sizeof *to);
    for (int32_t y = 0; y < s->lines && !xncc_is_cancelled(r->job->watch); y++) {
        read_line(s, y);
        for (int32_t i = 0; i < r->m.stage.width && sum == OF_SIZES; i++)
            s->line[i] = fabs(s->line[i]);
        for (int32_t x = 0; x < width; x += TILE)
            if (r->m.run[x / TILE])
                add_products(s, y, s->line + x, s->templ, r->job->templ->width,
                             xncc_min_i32(TILE, width - x), to + x, r->stride);
    }
}

/* A bound of the numerator's error from the sum of sizes. */
static double error_by_sizes(const strip *s, double Q, double sizes)
{
    const double n = (double)s->r->job->general.whole,
                 lost = LOST_PRODUCTS * xncc_bound_root(Q) * xncc_bound_root(s->T2);
    return (xncc_method_is_centred(s->r->job->problem->rule.method) ? n : 1.0) *
           ((1.01 * s->relative + 0x1p-50) * sizes + lost);
}

/* Scores the windows in doubt of the tiles that were chosen, by the bounds of their sums or by
 * those that the sums of sizes give. */
static void score_windows(const strip *s, int by)
{
    const xncc_area *area = s->r->area;
    const xncc_method method = s->r->job->problem->rule.method;
    const double n = (double)s->r->job->general.whole;
    for (int32_t y = 0; y < s->rows; y++) {
        float *row = area->out + (s->y + y) * area->pitch;
        for (int32_t x = 0; (x = xncc_reals_next_doubt(row, x, area->width)) < area->width; x++) {
            const xncc_double_sums all = { .S = sums_of(s, OF_S, y)[x],
                                           .Q = sums_of(s, OF_Q, y)[x],
                                           .X = sums_of(s, OF_X, y)[x],
                                           .T = s->T,
                                           .T2 = s->T2 };
            xncc_bounded_terms terms = { { 0.0, 0.0 }, { 0.0, 0.0 }, { 0.0, 0.0 } };
            if (!s->r->m.run[x / TILE] || !is_usable(all.Q))
                continue;
            xncc_bounded_add_channel(&terms, method, n, &all, s->relative);
            if (by == OF_SIZES)
                terms.numerator.error = error_by_sizes(s, all.Q, sums_of(s, OF_SIZES, y)[x]);
            row[x] = xncc_bounded_score(method, n, &terms); /* or in doubt, as it was */
        }
    }
}

static int has_doubts(const strip *s)
{
    int some = 0;
    for (int32_t y = 0; y < s->rows && !some; y++)
        some = xncc_reals_has_doubts(s->r, s->y + y);
    return some;
}

static void score_strip(strip *s)
{
    double most = has_doubts(s) ? largest_below(s, INFINITY) : 0.0;
    while (most > 0.0 && !xncc_is_cancelled(s->r->job->watch)) {
        s->scale = xncc_reals_scale_to(most, 380); /* Q is below 2^800 then */
        sum_windows(s);
        int small = 0;
        for (int sum = OF_X; sum <= OF_SIZES; sum++) {
            small |= choose_tiles(s);
            multiply(s, sum);
            score_windows(s, sum);
        }
        most = small ? largest_below(s, LEAST_ROOT / s->scale) : 0.0;
    }
}

/* Sums the scaled template. */
static void sum_template(strip *s)
{
    const xncc_template *templ = s->r->job->templ;
    xncc_twofold_sums sums = { { 0.0, 0.0 }, { 0.0, 0.0 }, { 0.0, 0.0 } };
    double sizes = 0.0;
    for (int32_t j = 0; j < templ->height; j++) {
        scale_row(s, j, s->line);
        s->r->isa->twofold(s->line, NULL, templ->width, &sums);
        for (int32_t i = 0; i < templ->width; i++)
            sizes += fabs(s->line[i]);
    }
    s->T = sums.S.high + sums.S.low;
    s->T2 = sums.Q.high + sums.Q.low;
    if (xncc_method_is_centred(s->r->job->problem->rule.method))
        s->size_T = fabs(s->T) +
                    0x1p51 * xncc_near_error((double)s->r->job->general.whole, 2.0 * sizes);
}

/* A score that is a quotient is the same if all samples of the image, or of the template, are
 * multiplied by one number. */
static int can_scale(const xncc_reals_run *r)
{
    const xncc_method method = r->job->problem->rule.method;
    return r->job->templ->pixel == XNCC_F64 && r->job->templ->channels == 1 &&
           xncc_reals_counts_all(r) && xncc_method_is_normed(method) &&
           !xncc_method_of_difference(method) && xncc_reals_most(&r->shared->span) > 0.0;
}

void xncc_reals_settle_far(xncc_reals_run *r)
{
    if (!can_scale(r))
        return;
    const xncc_template *templ = r->job->templ;
    const int32_t pitch = (int32_t)r->m.stage.pitch;
    const double additions = (double)templ->width + (double)templ->height + 6.0;
    strip s = { .r = r,
                .templ = r->of_slices.fft ? (double *)(void *)r->m.arrays[0] : r->m.templ_slices,
                .templ_scale = xncc_reals_scale_to(xncc_reals_most(&r->shared->span), 0),
                .relative = fmax(1.01 * additions * 0x1p-53, 0x1p-50),
                .line = r->m.digit_rows,
                .square = r->m.digit_rows + pitch,
                .column = { r->m.column_rows, r->m.leaving_rows } };
    memset(r->m.digit_rows, 0, 2 * (size_t)pitch * sizeof(double));
    sum_template(&s);
    for (int32_t j = 0; j < templ->height; j++)
        r->m.ones[j] = 1.0;
    for (; s.y < r->area->height; s.y += STRIP) {
        s.rows = xncc_min_i32(STRIP, r->area->height - s.y);
        s.lines = s.rows + templ->height - 1;
        score_strip(&s);
    }
}
