/* SPDX-License-Identifier: BSD-2-Clause */
/* From sums to scores of floats, in vectors of windows (reals_body.h): by bounds, or exactly where
 * the sums are exact. */
#ifndef XNCC_CPU_KERNELS_REALS_SCORES_H
#define XNCC_CPU_KERNELS_REALS_SCORES_H

#include "cpu/kernels/reals_usual.h"

/* What the sums of a vector of windows are. */
typedef struct row_sums {
    rd n, S, Q, X, T, T2;
} row_sums;

/* n * a - b * c, where a, b and c are off by at most ea, eb and ec. Every rounding is at most u of
 * n*a and b*c. */
REALS_INLINE rd_near difference(rd n, rd a, double ea, rd b, double eb, rd c, double ec)
{
    const rd na = n * a, bc = b * c;
    return (rd_near){ na - bc, n * ea + rd_size(b) * ec + rd_size(c) * eb + eb * ec +
                                   0x1p-51 * (rd_size(na) + rd_size(bc)) };
}

/* error_X: bounds of the error of X. */
REALS_INLINE void row_terms(const xncc_reals_row *row, const row_sums *s, rd error_X,
                            rd_near term[3])
{
    const xncc_reals_errors *e = &row->error;
    if (xncc_method_is_centred(row->method)) {
        term[0] = difference(s->n, s->X, 0.0, s->S, e->S_window, s->T, e->T);
        term[0].error += s->n * error_X;
        term[1] = difference(s->n, s->Q, e->Q, s->S, e->S, s->S, e->S);
        term[1].error += e->of_Q * s->n * s->Q;
        if (row->T2)
            term[2] = difference(s->n, s->T2, e->T2, s->T, e->T, s->T, e->T);
        return;
    }
    const rd error_Q = e->Q + e->of_Q * s->Q;
    term[0] = (rd_near){ s->X, error_X };
    if (xncc_method_of_difference(row->method)) {
        term[0].value = (s->Q - 2.0 * s->X) + s->T2;
        term[0].error = error_Q + 2.0 * error_X + e->T2 +
                        0x1p-51 * (s->Q + 2.0 * rd_size(s->X) + s->T2);
    }
    term[1] = (rd_near){ s->Q, error_Q };
    if (row->shift != 0.0) { /* the sum of (v + shift)^2 */
        const double p = row->shift, size = p < 0.0 ? -p : p;
        term[1].value = s->Q + p * (2.0 * s->S + s->n * p);
        term[1].error += 2.0 * size * e->S_window +
                         0x1p-50 * (s->Q + 2.0 * size * rd_size(s->S) + s->n * p * p);
    }
    if (row->T2)
        term[2] = (rd_near){ s->T2, rd_fill(e->T2) };
}

/* v rounded to a multiple of a power of two, of which it is below 2^51. */
REALS_INLINE rd round_to(rd v, double unit)
{
    const double magic = 0x1.8p52 * unit;
    return (v + magic) - magic;
}

/* n * a - b * c, rounded once, of integers times one power of two whose products are below 2^100
 * of it. */
REALS_INLINE rd_near exact_difference(rd n, rd a, rd b, rd c)
{
    const rd na = n * a, bc = b * c, d = na - bc,
             low = rd_product_error(n, a, na) - rd_product_error(b, c, bc);
    return (rd_near){ d + (rd_sum_error(na, -bc, d) + low), { 0 } };
}

/* The terms from sums that are exact once they are rounded. The error is 0 also of a term that is
 * rounded, which is one of a single channel. */
REALS_INLINE void row_exact_terms(const xncc_reals_row *row, row_sums s, rd_near term[3])
{
    const double v = row->unit, t = row->templ_unit;
    s.S = round_to(s.S, v);
    s.Q = round_to(s.Q, v * v);
    s.X = round_to(s.X, v * t);
    s.T = round_to(s.T, t);
    s.T2 = round_to(s.T2, t * t);
    if (xncc_method_is_centred(row->method)) {
        term[0] = exact_difference(s.n, s.X, s.S, s.T);
        term[1] = exact_difference(s.n, s.Q, s.S, s.S);
        term[2] = exact_difference(s.n, s.T2, s.T, s.T);
        return;
    }
    const rd zero = { 0 };
    term[0] = (rd_near){ s.X, zero };
    if (xncc_method_of_difference(row->method))
        term[0].value = (s.Q - 2.0 * s.X) + s.T2;
    term[1] = (rd_near){ s.Q, zero };
    term[2] = (rd_near){ s.T2, zero };
}

/* Adds the terms of the channels before, or stores them for the channels that follow. */
REALS_INLINE void row_total(const xncc_reals_row *row, int32_t x, rd_near term[3])
{
    for (int i = 0; i < 3; i++) {
        double *value = row->total[2 * i] + x, *error = row->total[2 * i + 1] + x;
        if (!row->first) {
            term[i].value += rd_load(value);
            term[i].error += rd_load(error) + 0x1p-52 * rd_size(term[i].value);
        }
        if (!row->last) {
            rd_store(value, term[i].value);
            rd_store(error, term[i].error);
        }
    }
}

/* The score in double, and half the width of the interval that holds the score before it is rounded
 * to float. NaN or an infinity if there is no such interval. The roundings of the formula and of
 * its evaluation here are at most 16 u of the score; a relative error r <= 1/8 of the argument of a
 * root changes the score and 1 / root by at most 0.6 r of it. */
REALS_INLINE rd_near row_score(const xncc_reals_row *row, rd n, const rd_near term[3])
{
    if (!xncc_method_is_normed(row->method)) {
        rd_near q = term[0];
        if (row->method == XNCC_CCOEFF)
            q = (rd_near){ q.value / n, q.error / n * 1.01 };
        q.error += 0x1p-51 * rd_size(q.value);
        return q;
    }
    rd root_templ = rd_fill(row->templ_root), of_templ = { 0 };
    rl valid = term[1].value > 0.0;
    if (row->T2) {
        root_templ = rd_sqrt(term[2].value);
        of_templ = term[2].error / term[2].value;
        valid &= (term[2].value > 0.0) & (of_templ <= 0.125);
    }
    const rd over = 1.0 / (rd_sqrt(term[1].value) * root_templ), of_image = over * root_templ,
             relative = term[1].error * (of_image * of_image) * 1.01,
             of_roots = 0.6 * (relative + of_templ);
    valid &= relative <= 0.125;
    rd_near q = { term[0].value * over, { 0 } };
    q.error = (1.01 + of_roots) * (term[0].error * over) + (of_roots + 0x1p-49) * rd_size(q.value);
    q.error = rd_choose(valid, q.error, rd_fill(DBL_MAX) * 2.0);
    return q;
}

/* The bits of the scores from exact terms: the formula itself. */
REALS_INLINE ri row_exact_score(const xncc_reals_row *row, rd n, const rd_near term[3])
{
    const rd q = term[0].value;
    if (row->method == XNCC_CCOEFF)
        return (ri) __builtin_convertvector(q / n, rf);
    if (!xncc_method_is_normed(row->method))
        return (ri) __builtin_convertvector(q, rf);
    const rd root = row->T2 ? rd_sqrt(term[2].value) : rd_fill(row->templ_root);
    const ri flat = __builtin_convertvector((term[1].value == 0.0) | (root == 0.0), ri),
             zero = __builtin_convertvector(q == 0.0, ri);
    int32_t of_flat, of_equal;
    memcpy(&of_flat, &row->flat, sizeof of_flat);
    memcpy(&of_equal, &row->equal, sizeof of_equal);
    const ri score = (ri) __builtin_convertvector(q / (rd_sqrt(term[1].value) * root), rf);
    return (score & ~flat) | (flat & ((of_equal & zero) | (of_flat & ~zero)));
}

/* The scores, and where both ends of their intervals are one float. */
REALS_INLINE ri row_decide(const xncc_reals_row *row, rd n, const rd_near term[3], ri *score)
{
    const rd_near q = row_score(row, n, term);
    *score = (ri) __builtin_convertvector(q.value - q.error, rf);
    return (*score == (ri) __builtin_convertvector(q.value + q.error, rf)) &
           __builtin_convertvector(q.error <= rd_fill(DBL_MAX), ri);
}

REALS_INLINE int score_windows(const xncc_reals_row *row)
{
    ri doubts = { 0 };
    const ri doubt = (ri){ 0 } + (int32_t)XNCC_DOUBT, nan = (ri){ 0 } + 0x7fc00000;
    for (int32_t x = 0; x < row->count; x += REALS_LANES) {
        const row_sums s = { row_load(row->N, x, row->n),
                             row_load(row->S, x, 0.0),
                             row_load(row->Q, x, 0.0),
                             row_load(row->X, x, 0.0),
                             row_load(row->T, x, row->templ_sum),
                             row_load(row->T2, x, row->templ_square) };
        rd_near term[3] = { { rd_fill(0.0), rd_fill(0.0) } };
        if (row->unit > 0.0)
            row_exact_terms(row, s, term);
        else
            row_terms(row, &s, rd_fill(row->error.X), term);
        if (row->total[0])
            row_total(row, x, term);
        if (!row->last)
            continue;
        const ri scored = __builtin_convertvector(s.n >= row->least, ri);
        ri low, decided = (ri){ 0 } - 1;
        if (row->exact) {
            low = row_exact_score(row, s.n, term);
        } else {
            decided = row_decide(row, s.n, term, &low);
            if (row->error.of_X > 0.0 && ri_any(~decided)) {
                row_terms(row, &s, of_window(row, row_load(row->before_Q, x, 0.0) + s.Q), term);
                if (row->total[0])
                    row_total(row, x, term);
                decided = row_decide(row, s.n, term, &low);
            }
        }
        const ri bits = (((low & decided) | (doubt & ~decided)) & scored) | (nan & ~scored);
        const int32_t left = row->count - x < REALS_LANES ? row->count - x : REALS_LANES;
        if (left == REALS_LANES) { /* a size that is not known to the compiler takes a call */
            memcpy(row->out + x, &bits, sizeof bits);
        } else {
            const ri part = bits;
            xncc_store_part(row->out + x, &part, (size_t)left * sizeof(float));
        }
        ri in_row = { 0 };
        for (int32_t k = 0; k < left && left < REALS_LANES; k++)
            in_row[k] = -1;
        doubts |= ~decided & scored & (left < REALS_LANES ? in_row : (ri){ 0 } - 1);
    }
    return ri_any(doubts);
}

static int is_usual(const xncc_reals_row *row)
{
    return row->method == XNCC_CCOEFF_NORMED && !row->N && !row->T && !row->T2 &&
           row->unit == 0.0 && !row->exact && row->n >= row->least;
}

static int reals_score(const xncc_reals_row *row, int32_t channels)
{
    int usual = row[0].first && row[channels - 1].last && is_usual(row), doubts = 0;
    if (usual && channels == 1)
        return score_one(row);
    for (int32_t c = 1; c < channels; c++)
        usual = usual && is_usual(&row[c]);
    if (usual)
        return score_several(row, channels);
    for (int32_t c = 0; c < channels; c++)
        doubts |= score_windows(&row[c]);
    return doubts;
}

#endif
