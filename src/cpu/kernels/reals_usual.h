/* SPDX-License-Identifier: BSD-2-Clause */
/* From sums to scores of floats where nothing is asked but the usual (reals_body.h): normed methods
 * of windows of which all pixels count, by a product with an inverse. */
#ifndef XNCC_CPU_KERNELS_REALS_USUAL_H
#define XNCC_CPU_KERNELS_REALS_USUAL_H

#include "cpu/kernels/reals_vector.h"
#include "cpu/kernels/store_part.h"

#include <float.h>

/* A number and a bound of its error. */
typedef struct rd_near {
    rd value, error;
} rd_near;

REALS_INLINE rd row_load(const double *from, int32_t x, double constant)
{
    return from ? rd_load(from + x) : rd_fill(constant);
}

/* The bound of the error of X from the squares of the window itself, in all channels. */
REALS_INLINE rd of_window(const xncc_reals_row *row, rd Q)
{
    const xncc_reals_errors *e = &row->error;
    return e->of_X * rd_sqrt(1.01 * rd_size(Q) + 2.0 * e->Q) + (e->of_rest + XNCC_REALS_TINY);
}

/* 1 / root of the image's term, and 0.6 times a bound of the term's relative error. */
typedef struct rd_inverse {
    rd value, relative;
} rd_inverse;

/* There is no bound, which is then infinite, where the term may be 0: so too where it is negative,
 * or 0, and the root or the product is not a number. The error has the factor 0.6 and one that
 * makes up for the roundings of the bound. */
REALS_INLINE rd_inverse inverse_of(rd_near term)
{
    const rd inverse = 1.0 / rd_sqrt(term.value), relative = term.error * (inverse * inverse);
    return (rd_inverse){ inverse,
                         rd_choose(relative <= 0.6 * 0.125, relative, rd_fill(DBL_MAX) * 2.0) };
}

/* What a bound of an image's term is multiplied by for inverse_of. */
static const double of_inverse = 1.01 * 0.6;

/* A channel's n * Q - S * S, the error of which is off by what the sum of all channels has in
 * common, and times of_inverse. */
typedef struct variance {
    double n, of_S, of_nQ;
} variance;

/* Where the sum over the channels is positive, that of S * S is at most that of n * Q, so that the
 * roundings of the terms and of their sum are at most (2 * channels + 6) u of the latter. */
REALS_INLINE variance variance_make(double n, const xncc_reals_errors *e, int channels)
{
    return (variance){ n, of_inverse * 2.0 * e->S,
                       of_inverse * (e->of_Q + 0x1.1p-53 * (2 * channels + 6)) };
}

REALS_INLINE rd_near variance_of(const variance *v, rd S, rd Q, rd fixed)
{
    const rd nQ = v->n * Q;
    return (rd_near){ rd_fma(-S, S, nQ),
                      rd_fma(rd_size(S), rd_fill(v->of_S), rd_fma(nQ, rd_fill(v->of_nQ), fixed)) };
}

/* The part of the error of a channel's variance that is the same for all windows. */
REALS_INLINE double variance_fixed(double n, const xncc_reals_errors *e)
{
    return of_inverse * (n * e->Q + e->S * e->S);
}

static void reals_inverses(const xncc_reals_inverses *row)
{
    const xncc_reals_errors *e = &row->error;
    const variance of = variance_make(row->n, e, 1);
    const rd fixed = rd_fill(variance_fixed(row->n, e));
    for (int32_t x = 0; x < row->count; x += REALS_LANES) {
        const rd S = rd_load(row->S + x), Q = rd_load(row->Q + x);
        const rd_inverse r = inverse_of(row->centred
                                            ? variance_of(&of, S, Q, fixed)
                                            : (rd_near){ Q, rd_fma(Q, rd_fill(of_inverse * e->of_Q),
                                                                   rd_fill(of_inverse * e->Q)) });
        rd_store(row->inverse + x, r.value);
        rd_store(row->relative + x, r.relative);
    }
}

/* A channel's n * X - S * T, the error of which is off by what is the same for all windows. */
typedef struct numerator {
    double n, T, of_S, of_nX;
} numerator;

/* The roundings of the terms and of their sum are at most (channels + 3) u of the sizes of all n *
 * X and S * T. per_S: the error of T. */
REALS_INLINE numerator numerator_make(double n, double T, double per_S, int channels)
{
    const double of_sizes = 0x1p-53 * (channels + 3);
    return (numerator){ n, T, per_S + 1.0625 * of_sizes * (T < 0.0 ? -T : T), of_sizes };
}

/* X: NULL, as a constant, if the channel adds none. */
REALS_INLINE rd_near numerator_of(const numerator *v, const rd *X, rd S, rd fixed)
{
    const rd nX = X ? v->n * *X : rd_fill(0.0);
    return (rd_near){ rd_fma(S, rd_fill(-v->T), nX),
                      rd_fma(rd_size(S), rd_fill(v->of_S),
                             X ? rd_fma(rd_size(nX), rd_fill(v->of_nX), fixed) : fixed) };
}

/* As row_score and row_decide. The inverse of the template's root, `factor`, and the products with
 * it round four times more than there: 20 u. Returns where the scores are known. An error that is
 * no number makes both ends of the interval none, and an infinite one makes them differ. */
REALS_INLINE ri quotient_of(rd_near term, double factor, rd_inverse of, ri *score)
{
    const rd over = of.value * factor, value = term.value * over,
             wide = rd_fma(of.relative + 0x1.4p-49, rd_size(value),
                           (1.01 + of.relative) * (term.error * over));
    const rf low = __builtin_convertvector(value - wide, rf),
             high = __builtin_convertvector(value + wide, rf);
    *score = (ri)low;
    return ((ri)low == (ri)high) & (low == low);
}

static int reals_quotients(const xncc_reals_quotients *row)
{
    const xncc_reals_quotients q = *row;
    const numerator of_row = numerator_make(q.n, q.templ_sum, q.per_S, 1);
    const ri doubt = (ri){ 0 } + (int32_t)XNCC_DOUBT;
    ri doubts = { 0 };
    for (int32_t x = 0; x < q.count; x += REALS_LANES) {
        const rd_inverse of = { rd_load(q.inverse + x), rd_load(q.relative + x) };
        const rd X = rd_load(q.X + x);
        ri low;
        const ri decided = quotient_of(
                     numerator_of(&of_row, &X, rd_load(q.S + x), rd_fill(q.error)), q.factor, of,
                     &low),
                 bits = (low & decided) | (doubt & ~decided);
        memcpy(q.out + x, &bits, sizeof bits);
        ri in_row = (ri){ 0 } - 1;
        for (int32_t k = q.count - x; k < REALS_LANES; k++)
            in_row[k] = 0;
        doubts |= ~decided & in_row;
    }
    return ri_any(doubts);
}

/* The most frequent kind of row is computed without questions about the others: ccoeff_normed of
 * channels of which all pixels count. */
typedef struct usual_row {
    const double *X[XNCC_MAX_CHANNELS], *S[XNCC_MAX_CHANNELS], *Q[XNCC_MAX_CHANNELS];
    variance variance[XNCC_MAX_CHANNELS];
    numerator numerator[XNCC_MAX_CHANNELS];
    double of_variance, of_numerator; /* what all windows have in common; of_numerator: but for X */
    double of_X;                      /* the error of all n * X */
} usual_row;

REALS_INLINE usual_row usual_make(const xncc_reals_row *row, int channels)
{
    usual_row u; /* only the part of these channels is written */
    u.of_variance = u.of_numerator = u.of_X = 0.0;
    for (int c = 0; c < channels; c++) {
        const xncc_reals_errors *e = &row[c].error;
        const double n = row[c].n, T = row[c].templ_sum;
        u.X[c] = row[c].X;
        u.S[c] = row[c].S;
        u.Q[c] = row[c].Q;
        u.variance[c] = variance_make(n, e, channels);
        u.numerator[c] = numerator_make(n, T, e->T, channels);
        u.of_variance += variance_fixed(n, e);
        u.of_numerator += ((T < 0.0 ? -T : T) + e->T) * e->S_window;
        u.of_X += row[c].X ? n * e->X : 0.0;
    }
    return u;
}

REALS_INLINE rd_near near_sum(rd_near a, rd_near b)
{
    return (rd_near){ a.value + b.value, a.error + b.error };
}

REALS_INLINE rd_near usual_variance(const usual_row *u, int channels, int32_t x)
{
    const rd zero = { 0 };
    rd_near sum = variance_of(&u->variance[0], rd_load(u->S[0] + x), rd_load(u->Q[0] + x),
                              rd_fill(u->of_variance));
    for (int c = 1; c < channels; c++)
        sum = near_sum(
            sum, variance_of(&u->variance[c], rd_load(u->S[c] + x), rd_load(u->Q[c] + x), zero));
    return sum;
}

REALS_INLINE rd_near usual_channel(const usual_row *u, int c, int32_t x, rd fixed)
{
    const rd S = rd_load(u->S[c] + x);
    if (!u->X[c])
        return numerator_of(&u->numerator[c], NULL, S, fixed);
    const rd X = rd_load(u->X[c] + x);
    return numerator_of(&u->numerator[c], &X, S, fixed);
}

/* The last channel has X. */
REALS_INLINE rd_near usual_numerator(const usual_row *u, int channels, int32_t x, rd of_X)
{
    const rd X = rd_load(u->X[channels - 1] + x), zero = { 0 };
    rd_near sum = numerator_of(&u->numerator[channels - 1], &X, rd_load(u->S[channels - 1] + x),
                               of_X + u->of_numerator);
    for (int c = 0; c < channels - 1; c++)
        sum = near_sum(sum, usual_channel(u, c, x, zero));
    return sum;
}

/* channels: a constant for the usual numbers of them. */
REALS_INLINE int score_usual(const xncc_reals_row *row, int channels)
{
    const usual_row u = usual_make(row, channels);
    const xncc_reals_row *const last = &row[channels - 1];
    const double factor = 1.0 / last->templ_root, n = last->n;
    const int32_t count = last->count, bounded = last->error.of_X > 0.0;
    const ri doubt = (ri){ 0 } + (int32_t)XNCC_DOUBT;
    float *const out = last->out;
    ri decided = (ri){ 0 } - 1;
    for (int32_t x = 0; x < count; x += REALS_LANES) {
        const rd_inverse of = inverse_of(usual_variance(&u, channels, x));
        ri low, known = quotient_of(usual_numerator(&u, channels, x, rd_fill(u.of_X)), factor, of,
                                    &low);
        if (bounded && ri_any(~known)) {
            const rd Q = row_load(last->before_Q, x, 0.0) + rd_load(u.Q[channels - 1] + x);
            known = quotient_of(usual_numerator(&u, channels, x, n * of_window(last, Q)), factor,
                                of, &low);
        }
        const ri bits = (low & known) | (doubt & ~known);
        if (x + REALS_LANES > count) {
            const ri part = bits;
            xncc_store_part(out + x, &part, (size_t)(count - x) * sizeof(float));
            for (int32_t k = 0; k < count - x; k++)
                decided[k] &= known[k];
            break;
        }
        memcpy(out + x, &bits, sizeof bits);
        decided &= known;
    }
    return ri_any(~decided);
}

/* Functions of their own, so that one channel does not pay for the room that several take. */
__attribute__((noinline)) static int score_one(const xncc_reals_row *row)
{
    return score_usual(row, 1);
}

__attribute__((noinline)) static int score_several(const xncc_reals_row *row, int channels)
{
    return channels == 3 ? score_usual(row, 3) : score_usual(row, channels);
}

#endif
