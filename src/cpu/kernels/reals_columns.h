/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums over columns that slide down, and over windows, in vectors (reals_body.h). */
#ifndef XNCC_CPU_KERNELS_REALS_COLUMNS_H
#define XNCC_CPU_KERNELS_REALS_COLUMNS_H

#include "cpu/kernels/reals_vector.h"

REALS_INLINE rd slide_load(const xncc_reals_slide *slide, const void *from, int32_t x)
{
    return rd_samples(slide->pixel, from, x) - slide->pivot;
}

/* What enters and leaves a vector of columns, row by row. */
typedef struct slide_samples {
    rd enter[XNCC_SLIDE_ROWS], leave[XNCC_SLIDE_ROWS];
} slide_samples;

/* The samples and the squares that enter and leave are rounded to multiples of the unit of `high`,
 * as they are added, and what that leaves goes to `low`. rows, leaves: constants. Of rows that only
 * enter, the sums after the last one are written. */
REALS_INLINE void slide_vector(const xncc_reals_columns *c, int32_t x, const slide_samples *v,
                               int rows, int leaves)
{
    rd high[2] = { rd_load(c->high[0] + x), rd_load(c->high[1] + x) },
       low[2] = { rd_load(c->low[0] + x), rd_load(c->low[1] + x) };
    for (int k = 0; k < rows; k++) {
        const rd S = high[0], Q = high[1], enter = v->enter[k];
        high[0] = S + enter;
        high[1] = rd_fma(enter, enter, Q);
        rd rest[2] = { enter - (high[0] - S), rd_fma(enter, enter, Q - high[1]) };
        if (leaves) {
            const rd s = high[0], q = high[1], leave = v->leave[k];
            high[0] = s - leave;
            high[1] = rd_fma(-leave, leave, q);
            rest[0] += (s - high[0]) - leave;
            rest[1] += rd_fma(-leave, leave, q - high[1]);
        }
        for (int i = 0; i < 2; i++) {
            low[i] += rest[i];
            if (leaves || k == rows - 1)
                rd_store(c->sum[i] + (leaves ? k * c->step : 0) + x,
                         (high[i] - c->begin[i]) + low[i]);
        }
    }
    for (int i = 0; i < 2; i++) {
        rd_store(c->high[i] + x, high[i]);
        rd_store(c->low[i] + x, low[i]);
    }
}

/* A whole vector, of which the row may have fewer or none: the others are 0. */
REALS_INLINE rd slide_end(const xncc_reals_slide *slide, const void *from, int32_t x)
{
    double v[REALS_LANES] = { 0 };
    if (x + REALS_LANES <= slide->count)
        return slide_load(slide, from, x);
    for (int32_t i = x; i < slide->count; i++)
        v[i - x] = xncc_sample_value(slide->pixel, from, i) - slide->pivot;
    return rd_load(v);
}

/* The samples of a vector, all of which the rows have if `whole`. */
REALS_INLINE slide_samples slide_take(const xncc_reals_slide *s, int32_t x, int rows, int leaves,
                                      int whole)
{
    slide_samples v;
    for (int k = 0; k < rows; k++) {
        const char *enter = (const char *)s->enter + k * s->pitch,
                   *leave = leaves ? (const char *)s->leave + k * s->pitch : NULL;
        v.enter[k] = whole ? slide_load(s, enter, x) : slide_end(s, enter, x);
        if (leaves)
            v.leave[k] = whole ? slide_load(s, leave, x) : slide_end(s, leave, x);
    }
    return v;
}

/* pixel, leaves: as in *slide; rows; constants, of which the loop has nothing to ask. */
REALS_INLINE void slide_rows(xncc_pixel pixel, const xncc_reals_columns *columns,
                             const xncc_reals_slide *slide, int rows, int leaves)
{
    const xncc_reals_columns c = *columns;
    xncc_reals_slide s = *slide;
    int32_t x = 0;
    s.pixel = pixel;
    for (; x + REALS_LANES <= s.count; x += REALS_LANES) {
        const slide_samples v = slide_take(&s, x, rows, leaves, 1);
        slide_vector(&c, x, &v, rows, leaves);
    }
    if (x < s.count) {
        const slide_samples v = slide_take(&s, x, rows, leaves, 0);
        slide_vector(&c, x, &v, rows, leaves);
    }
}

/* rows: a constant. */
REALS_INLINE void slide_pixels(xncc_pixel pixel, const xncc_reals_columns *columns,
                               const xncc_reals_slide *slide, int rows)
{
    if (slide->leave)
        slide_rows(pixel, columns, slide, rows, 1);
    else
        slide_rows(pixel, columns, slide, rows, 0);
}

/* Moves what `low` has of the unit of `high` there. */
static void lower_columns(const xncc_reals_columns *columns, int32_t count)
{
    const xncc_reals_columns c = *columns;
    for (int i = 0; i < 2; i++)
        for (int32_t x = 0; x < count; x += REALS_LANES) {
            const rd high = rd_load(c.high[i] + x), low = rd_load(c.low[i] + x), sum = high + low;
            rd_store(c.high[i] + x, sum);
            rd_store(c.low[i] + x, low - (sum - high));
        }
}

/* rows: those of *slide, a constant. */
REALS_INLINE void slide_some(xncc_reals_columns *columns, const xncc_reals_slide *slide, int rows)
{
    if (columns->added + rows > XNCC_COLUMN_ROWS) {
        lower_columns(columns, slide->count);
        columns->added = 0;
    }
    columns->added += rows;
    REALS_OF_PIXEL(slide->pixel, slide_pixels, columns, slide, rows);
}

static void reals_slide(xncc_reals_columns *columns, const xncc_reals_slide *slide)
{
    xncc_reals_columns c = *columns;
    xncc_reals_slide s = *slide;
    for (int32_t left = s.rows; left > 0;) {
        const int32_t rows = left >= XNCC_SLIDE_ROWS ? XNCC_SLIDE_ROWS : 1;
        if (rows == XNCC_SLIDE_ROWS)
            slide_some(&c, &s, XNCC_SLIDE_ROWS);
        else
            slide_some(&c, &s, 1);
        left -= rows;
        s.enter = (const char *)s.enter + rows * s.pitch;
        if (s.leave)
            s.leave = (const char *)s.leave + rows * s.pitch;
        for (int i = 0; i < 2 && s.leave; i++)
            c.sum[i] += rows * c.step;
    }
    columns->added = c.added;
}

REALS_INLINE void add_rows(xncc_pixel pixel, const xncc_reals_slide *rows, double *sum,
                           double *square)
{
    enum { VECTORS = 4 };
    xncc_reals_slide s = *rows;
    s.pixel = pixel;
    for (int32_t x = 0; x < s.count; x += VECTORS * REALS_LANES) {
        const int whole = x + VECTORS * REALS_LANES <= s.count;
        rd S[VECTORS] = { { 0 } }, Q[VECTORS] = { { 0 } };
        for (int32_t k = 0; k < s.rows; k++) {
            const char *row = (const char *)s.enter + k * s.pitch;
            for (int i = 0; i < VECTORS; i++) {
                const int32_t at = x + i * REALS_LANES;
                const rd v = whole ? slide_load(&s, row, at) : slide_end(&s, row, at);
                S[i] += v;
                Q[i] = rd_fma(v, v, Q[i]);
            }
        }
        for (int i = 0; i < VECTORS; i++) {
            rd_store(sum + x + i * REALS_LANES, S[i]);
            rd_store(square + x + i * REALS_LANES, Q[i]);
        }
    }
}

static void reals_add_columns(const xncc_reals_slide *rows, double *sum, double *square)
{
    REALS_OF_PIXEL(rows->pixel, add_rows, rows, sum, square);
}

/* Adds the next sums over `power` columns, and those over the 2 * power that follow, as far as the
 * width has these bits. */
REALS_INLINE void add_columns(const double *part, int64_t power, int bits, int64_t done,
                              double *window, int32_t count)
{
    const double *one = part + done, *two = one + (bits & 1 ? power : 0);
    for (int32_t x = 0; x < count; x += REALS_LANES) {
        rd v = done ? rd_load(window + x) : rd_fill(0.0);
        if (bits & 1)
            v = done ? v + rd_load(one + x) : rd_load(one + x);
        if (bits & 2) {
            const rd both = rd_load(two + x) + rd_load(two + x + power);
            v = done || bits & 1 ? v + both : both;
        }
        rd_store(window + x, v);
    }
}

#if REALS_LANES == 8
/* The elements from the k-th of a on, and those of b that follow. */
#define REALS_SHIFT(a, b, k)                                                                       \
    REALS_SHUFFLE(a, b, k, (k) + 1, (k) + 2, (k) + 3, (k) + 4, (k) + 5, (k) + 6, (k) + 7)

/* Sums over four columns, of which a has the first, and b those that follow. */
REALS_INLINE rd four_columns(rd a, rd b)
{
    return (a + REALS_SHIFT(a, b, 1)) + (REALS_SHIFT(a, b, 2) + REALS_SHIFT(a, b, 3));
}

/* Sums over 8 columns, or over 16: `power`, a constant. The same additions as in reals_window, but
 * sums over four columns are not stored, and no vector is loaded across two lines of the cache. */
REALS_INLINE void first_columns(const double *column, int power, double *to, int64_t end)
{
    rd next = rd_load(column + REALS_LANES), last = rd_load(column + 2 * REALS_LANES),
       four = four_columns(rd_load(column), next), four_next = four_columns(next, last),
       eight = four + REALS_SHIFT(four, four_next, 4);
    for (int64_t x = 0; x < end; x += REALS_LANES) {
        const rd behind = rd_load(column + x + 3 * REALS_LANES),
                 four_last = four_columns(last, behind),
                 eight_next = four_next + REALS_SHIFT(four_next, four_last, 4);
        rd_store(to + x, power == 8 ? eight : eight + eight_next);
        last = behind;
        four_next = four_last;
        eight = eight_next;
    }
}
#endif

/* For each two bits of the width, sums over a power of four of columns. */
static void reals_window(const double *column, int32_t width, double *room, double *window,
                         int32_t count)
{
    int64_t done = 0;
    const double *part = column; /* sums over `power` columns */
    int64_t begin = 1;
#if REALS_LANES == 8
    if (width == 8 || width == 16) {
        if (width == 8)
            first_columns(column, 8, window, count);
        else
            first_columns(column, 16, window, count);
        return;
    }
    if (width % 16 == 0) {
        first_columns(column, 16, room, count + (int64_t)width - 15);
        part = room;
        begin = 16;
    }
#endif
    for (int64_t power = begin; power <= width; power *= 4) {
        const int bits = (int)(width / power % 4);
        if (bits == 1)
            add_columns(part, power, 1, done, window, count);
        else if (bits == 2)
            add_columns(part, power, 2, done, window, count);
        else if (bits == 3)
            add_columns(part, power, 3, done, window, count);
        done += bits * power;
        if (4 * power > width)
            return;
        const int last = 4 * power == width; /* the next sums are the result */
        double *to = last ? window : room;
        const int64_t end = last ? count : count + width - 3 * power;
        for (int64_t x = 0; x < end; x += REALS_LANES)
            rd_store(to + x, (rd_load(part + x) + rd_load(part + x + power)) +
                                 (rd_load(part + x + 2 * power) + rd_load(part + x + 3 * power)));
        if (last)
            return;
        part = room;
    }
}

#endif
