/* SPDX-License-Identifier: BSD-2-Clause */
/* Integers modulo primes (reals_moduli.h), in vectors. Every operation is exact but for products
 * with the inverse of a prime, of which only the nearest integer matters: another one near it leads
 * to a residue that is a little larger. */
#ifndef XNCC_CPU_KERNELS_REALS_MODULI_BODY_H
#define XNCC_CPU_KERNELS_REALS_MODULI_BODY_H

#include "cpu/kernels/reals_digits_body.h"

/* A residue of v, an integer below 2^53, modulo prime i. */
REALS_INLINE rd2 residue(const xncc_moduli *m, int32_t i, rd2 v)
{
    const rd2 over = rd2_round((rd2){ v.a * m->inverse[i], v.b * m->inverse[i] }, 1.0);
    return rd2_fma(over, rd2_fill(-m->modulus[i]), v);
}

/* The sum of some products, made in two, of which neither waits for the other. The first number has
 * the factor 1. */
REALS_INLINE rd2 sum_of_slices(const rd2 *v, const double *factor, int32_t count)
{
    rd2 sum = v[0], other = rd2_fill(0.0);
    for (int32_t k = 1; k < count; k += 2)
        other = rd2_fma(v[k], rd2_fill(factor[k]), other);
    for (int32_t k = 2; k < count; k += 2)
        sum = rd2_fma(v[k], rd2_fill(factor[k]), sum);
    return rd2_add(sum, other);
}

/* slices: m->slices, or a constant, whose vectors stay in registers. */
REALS_INLINE void residues_of(const xncc_moduli *m, const double *slice, ptrdiff_t step,
                              int32_t count, double *out, ptrdiff_t out_step, int32_t slices)
{
    int32_t x = 0;
    for (; x < count; x += DIGITS_AT_ONCE) {
        rd2 v[XNCC_MODULI_SLICES];
        for (int32_t k = 0; k < slices; k++)
            v[k] = rd2_load(slice + k * step + x);
        for (int32_t i = 0; i < m->count; i++)
            rd2_store(out + i * out_step + x, residue(m, i, sum_of_slices(v, m->power[i], slices)));
    }
    for (int32_t i = 0; i < m->count; i++)
        rd2_store(out + i * out_step + x, rd2_fill(0.0));
}

static void moduli_residues(const xncc_moduli *m, const double *slice, ptrdiff_t step,
                            int32_t count, double *out, ptrdiff_t out_step)
{
    if (m->slices == 6) /* the widest range of samples that is fast */
        residues_of(m, slice, step, count, out, out_step, 6);
    else
        residues_of(m, slice, step, count, out, out_step, m->slices);
}

static void moduli_reduce(const xncc_moduli *m, int32_t i, double factor, double *sum,
                          int32_t count)
{
    for (int32_t x = 0; x < count; x += DIGITS_AT_ONCE) {
        const rd2 v = rd2_load(sum + x);
        rd2_store(sum + x, residue(m, i, (rd2){ v.a * factor, v.b * factor }));
    }
}

/* moduli: m->count, or a constant, whose residues stay in registers. What other digits and the
 * number of multiples bring comes last, so that sums need not wait for it; and each sum is made in
 * two, of which neither waits for the other. */
REALS_INLINE void combine(const xncc_moduli *m, const double *const *sum, int32_t count,
                          const xncc_numbers *to, int32_t moduli)
{
    const rd none = { 0 }, down = rd_fill(1.0 / digit_unit);
    for (int32_t x = 0; x < count; x += REALS_LANES) {
        rd a[XNCC_MOST_MODULI], whole = none, over = none;
        for (int32_t i = 0; i < moduli; i++) {
            const rd2 v = { rd_load(sum[i] + x), none };
            a[i] = residue(m, i, v).a;
            whole = rd_fma(a[i], rd_fill(m->inverse[i]), whole);
        }
        whole = round_to(whole, 1.0);
        for (int32_t k = 0; k < to->count; k++) {
            rd v = none, other = none;
            for (int32_t i = 0; i < moduli && k < m->places; i += 2)
                v = rd_fma(a[i], rd_fill(m->weight[k][i]), v);
            for (int32_t i = 1; i < moduli && k < m->places; i += 2)
                other = rd_fma(a[i], rd_fill(m->weight[k][i]), other);
            if (k < m->places)
                other = rd_fma(whole, rd_fill(-m->whole[k]), other);
            v = rd_fma(over, down, v + other);
            over = round_to(v, digit_unit);
            const rf digit = __builtin_convertvector(v - over, rf);
            memcpy(to->digit + k * to->step + x, &digit, sizeof digit);
        }
    }
}

static void moduli_combine(const xncc_moduli *m, const double *const *sum, int32_t count,
                           const xncc_numbers *to)
{
    switch (m->count) { /* those of doubles of the widest range that is fast */
    case 13: combine(m, sum, count, to, 13); break;
    case 14: combine(m, sum, count, to, 14); break;
    default: combine(m, sum, count, to, m->count);
    }
}

static const xncc_moduli_isa moduli_isa = { moduli_residues, moduli_reduce, moduli_combine };

#endif
