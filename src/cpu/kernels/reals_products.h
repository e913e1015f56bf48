/* SPDX-License-Identifier: BSD-2-Clause */
/* Direct products of planes of doubles (reals_body.h). */
#ifndef XNCC_CPU_KERNELS_REALS_PRODUCTS_H
#define XNCC_CPU_KERNELS_REALS_PRODUCTS_H

#include "cpu/kernels/reals_vector.h"

/* Up to four vectors side by side: the first `count` of them, a constant. */
typedef struct reals_four {
    rd a, b, c, d;
} reals_four;

REALS_INLINE reals_four reals_load4(const double *from, int count)
{
    const rd zero = { 0 };
    reals_four v = { rd_load(from), count > 1 ? rd_load(from + REALS_LANES) : zero,
                     count > 2 ? rd_load(from + 2 * REALS_LANES) : zero,
                     count > 3 ? rd_load(from + 3 * REALS_LANES) : zero };
    REALS_KEEP(v.a);
    if (count > 1)
        REALS_KEEP(v.b);
    if (count > 2)
        REALS_KEEP(v.c);
    if (count > 3)
        REALS_KEEP(v.d);
    return v;
}

REALS_INLINE void reals_step(reals_four *sum, const reals_four *image, double factor, int count)
{
    const rd t = rd_fill(factor);
    sum->a = rd_fma(image->a, t, sum->a);
    if (count > 1)
        sum->b = rd_fma(image->b, t, sum->b);
    if (count > 2)
        sum->c = rd_fma(image->c, t, sum->c);
    if (count > 3)
        sum->d = rd_fma(image->d, t, sum->d);
}

REALS_INLINE void reals_store4(double *to, const reals_four *v, int count)
{
    rd_store(to, v->a);
    if (count > 1)
        rd_store(to + REALS_LANES, v->b);
    if (count > 2)
        rd_store(to + 2 * REALS_LANES, v->c);
    if (count > 3)
        rd_store(to + 3 * REALS_LANES, v->d);
}

REALS_INLINE void reals_add(double *to, rd v)
{
    rd_store(to, rd_load(to) + v);
}

REALS_INLINE void reals_add4(double *to, const reals_four *sum, int count)
{
    reals_add(to, sum->a);
    if (count > 1)
        reals_add(to + REALS_LANES, sum->b);
    if (count > 2)
        reals_add(to + 2 * REALS_LANES, sum->c);
    if (count > 3)
        reals_add(to + 3 * REALS_LANES, sum->d);
}

/* Adds the line's products to `rows` (1 or 3) rows of windows, `count` vectors of them: template
 * row t to the row at `to`, and the template rows above it to the following ones. */
REALS_INLINE void reals_tile(const xncc_reals_meeting *m, const double *line, const double *t,
                             double *to, int rows, int count)
{
    const rd zero = { 0 };
    reals_four first = { zero, zero, zero, zero }, second = first, third = first;
    for (int32_t i = 0; i < m->width; i++) {
        const reals_four image = reals_load4(line + i, count);
        reals_step(&first, &image, t[i], count);
        if (rows == 3) {
            reals_step(&second, &image, t[i - (ptrdiff_t)m->width], count);
            reals_step(&third, &image, t[i - 2 * (ptrdiff_t)m->width], count);
        }
    }
    reals_add4(to, &first, count);
    if (rows == 3) {
        reals_add4(to + m->stride, &second, count);
        reals_add4(to + 2 * (ptrdiff_t)m->stride, &third, count);
    }
}

/* The same for whole rows. */
REALS_INLINE void reals_products(const xncc_reals_meeting *m, const double *t, double *to, int rows)
{
    int32_t x = 0;
    for (; x + 3 * REALS_LANES < m->columns; x += 4 * REALS_LANES)
        reals_tile(m, m->line + x, t, to + x, rows, 4);
    if (x + 2 * REALS_LANES < m->columns)
        reals_tile(m, m->line + x, t, to + x, rows, 3);
    else if (x + REALS_LANES < m->columns)
        reals_tile(m, m->line + x, t, to + x, rows, 2);
    else if (x < m->columns)
        reals_tile(m, m->line + x, t, to + x, rows, 1);
}

static void reals_meet(const xncc_reals_meeting *m)
{
    int32_t to = m->first;
    for (; to + 2 <= m->last && !xncc_is_cancelled(m->watch); to += 3)
        reals_products(m, m->templ + (ptrdiff_t)(m->y - to) * m->width,
                       m->sum + (ptrdiff_t)to * m->stride, 3);
    for (; to <= m->last; to++)
        reals_products(m, m->templ + (ptrdiff_t)(m->y - to) * m->width,
                       m->sum + (ptrdiff_t)to * m->stride, 1);
}

/* Rows of windows at a time. */
enum { GATHERED_ROWS = 3 };

/* The same as gather_line for a single vector: each sum is made in two, of every other sample,
 * since one would wait for the product before. */
REALS_INLINE void gather_vector(const xncc_reals_gathering *g, const double *line, const double *t,
                                reals_four sum[GATHERED_ROWS], int first, int rows)
{
    const rd zero = { 0 };
    rd even[GATHERED_ROWS] = { zero, zero, zero }, odd[GATHERED_ROWS] = { zero, zero, zero };
    const rd single = reals_load4(line, 1).a; /* if the width is odd */
    int32_t i = g->width % 2;
    for (int r = 0; r < rows && i; r++)
        sum[first + r].a = rd_fma(single, rd_fill(t[-r * g->templ_step]), sum[first + r].a);
    if (i == g->width)
        return;
    for (; i < g->width; i += 2) {
        const rd v = reals_load4(line + i, 1).a, w = reals_load4(line + i + 1, 1).a;
        for (int r = 0; r < rows; r++) {
            const double *of_row = t + i - r * g->templ_step;
            even[r] = rd_fma(v, rd_fill(of_row[0]), even[r]);
            odd[r] = rd_fma(w, rd_fill(of_row[1]), odd[r]);
        }
    }
    for (int r = 0; r < rows; r++)
        sum[first + r].a += even[r] + odd[r];
}

/* Adds the products of a row of the image to rows `first` .. `first` + rows - 1 of windows (both
 * constants). t: the row of the template under the first one of these; those of the others are
 * above it. */
REALS_INLINE void gather_line(const xncc_reals_gathering *g, const double *line, const double *t,
                              reals_four sum[GATHERED_ROWS], int first, int rows, int count)
{
    if (count == 1) {
        gather_vector(g, line, t, sum, first, rows);
        return;
    }
    for (int32_t i = 0; i < g->width; i++) {
        const reals_four image = reals_load4(line + i, count);
        for (int r = 0; r < rows; r++)
            reals_step(&sum[first + r], &image, t[i - r * g->templ_step], count);
    }
}

/* `count` vectors of the windows from column x on, of `rows` rows from row y on. A row of the image
 * meets all of them but at both ends of the template. */
REALS_INLINE void gather_tile(const xncc_reals_gathering *g, int32_t x, int32_t y, int rows,
                              int count)
{
    const rd zero = { 0 };
    const reals_four none = { zero, zero, zero, zero };
    reals_four sum[GATHERED_ROWS] = { none, none, none };
    for (int r = 0; r < rows && g->more; r++)
        sum[r] = reals_load4(g->sum + (y + r) * g->stride + x, count);
    for (int32_t j = 0; j < g->height + rows - 1; j++) {
        const int before = j >= g->height ? j - g->height + 1 : 0, end = j < rows ? j + 1 : rows;
        const double *line = g->line + (y + j) * g->step + x,
                     *t = g->templ + (j - before) * g->templ_step;
        if (rows == 3 && end - before == 3)
            gather_line(g, line, t, sum, 0, 3, count);
        else if (rows > 1 && before == 0 && end == 2)
            gather_line(g, line, t, sum, 0, 2, count);
        else if (rows == 3 && before == 1 && end == 3)
            gather_line(g, line, t, sum, 1, 2, count);
        else if (before == 0)
            gather_line(g, line, t, sum, 0, 1, count);
        else if (before == 1)
            gather_line(g, line, t, sum, 1, 1, count);
        else
            gather_line(g, line, t, sum, 2, 1, count);
    }
    for (int r = 0; r < rows; r++)
        reals_store4(g->sum + (y + r) * g->stride + x, &sum[r], count);
}

REALS_INLINE void gather_rows(const xncc_reals_gathering *g, int32_t y, int rows)
{
    int32_t x = 0;
    for (; x + 3 * REALS_LANES < g->columns; x += 4 * REALS_LANES)
        gather_tile(g, x, y, rows, 4);
    if (x + 2 * REALS_LANES < g->columns)
        gather_tile(g, x, y, rows, 3);
    else if (x + REALS_LANES < g->columns)
        gather_tile(g, x, y, rows, 2);
    else if (x < g->columns)
        gather_tile(g, x, y, rows, 1);
}

static void reals_gather(const xncc_reals_gathering *g)
{
    int32_t y = 0;
    for (; y + GATHERED_ROWS <= g->rows && !xncc_is_cancelled(g->watch); y += GATHERED_ROWS)
        gather_rows(g, y, GATHERED_ROWS);
    if (g->rows - y == 2)
        gather_rows(g, y, 2);
    else if (y < g->rows)
        gather_rows(g, y, 1);
}

/* Planes of the template at a time. */
enum { SPREAD_PLANES = 8 };

/* The products of a vector of windows with `planes` planes of the template from `first` on. */
REALS_INLINE void spread_vector(const xncc_reals_spreading *g, int32_t x, int32_t y, int32_t first,
                                int planes)
{
    enum {
        WIDE = 64
    }; /* samples of a row of the template, beside which a question costs nothing */
    const rd zero = { 0 };
    rd sum[SPREAD_PLANES] = { zero, zero, zero, zero, zero, zero, zero, zero };
    const double *const line = g->line + y * g->step + x, *t = g->templ + first;
    double *const to = g->sum + first * g->sum_step + y * g->stride + x;
    for (int32_t j = 0; j < g->height; j++) {
        if (g->width >= WIDE && xncc_is_cancelled(g->watch))
            break;
        if (!(g->used[y + j] & g->bit)) {
            t += (ptrdiff_t)g->width * g->planes;
            continue;
        }
        for (int32_t i = 0; i < g->width; i++, t += g->planes) {
            const rd image = rd_load(line + j * g->step + i);
            for (int k = 0; k < planes; k++)
                sum[k] = rd_fma(image, rd_fill(t[k]), sum[k]);
        }
    }
    for (int k = 0; k < planes; k++) {
        double *const own = to + k * g->sum_step;
        rd_store(own, g->more >> (first + k) & 1 ? rd_load(own) + sum[k] : sum[k]);
    }
}

/* A row of windows. planes: a constant. */
REALS_INLINE void spread_row(const xncc_reals_spreading *g, int32_t y, int32_t first, int planes)
{
    for (int32_t x = 0; x < g->columns; x += REALS_LANES)
        spread_vector(g, x, y, first, planes);
}

static void reals_spread(const xncc_reals_spreading *g)
{
    for (int32_t y = 0; y < g->rows && !xncc_is_cancelled(g->watch); y++)
        for (int32_t k = 0; k < g->planes; k += SPREAD_PLANES)
            switch (g->planes - k) {
            case 1: spread_row(g, y, k, 1); break;
            case 2: spread_row(g, y, k, 2); break;
            case 3: spread_row(g, y, k, 3); break;
            case 4: spread_row(g, y, k, 4); break;
            case 5: spread_row(g, y, k, 5); break;
            case 6: spread_row(g, y, k, 6); break;
            case 7: spread_row(g, y, k, 7); break;
            default: spread_row(g, y, k, SPREAD_PLANES); break;
            }
}

#endif
