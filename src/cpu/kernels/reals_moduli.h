/* SPDX-License-Identifier: BSD-2-Clause */
/* Integers modulo primes, for exact sums of products of samples of many bits (reals_residues.h).
 * Modulo a prime p an integer has a residue of about p / 2 at most in magnitude, so that doubles
 * hold sums of products of residues exactly: of 500 products with p below 2^23, and of 125 below
 * 2^24. A sum of products of the integers follows from those modulo several primes if it is less
 * than a quarter of the product of the primes in magnitude (the Chinese remainder theorem; Knuth,
 * "The Art of Computer Programming", volume 2, section 4.3.2): with P the product and a the residue
 * of the sum times p / P, which exists modulo p, the sum is that of a * (P / p) over all primes,
 * less a multiple of P; and the sum of a / p is that multiple and less than a quarter.
 * docs/numerics.md has the bounds. */
#ifndef XNCC_CPU_KERNELS_REALS_MODULI_H
#define XNCC_CPU_KERNELS_REALS_MODULI_H

#include "cpu/kernels/reals_digits.h"

/* Integers are cut into slices of so many bits, at most so many of them: times a residue each,
 * their sum is below 2^53. */
enum { XNCC_MOST_MODULI = 21, XNCC_MODULI_BITS = 27, XNCC_MODULI_SLICES = 15 };

/* The primes: for few products they have more bits, and are fewer. */
typedef enum xncc_moduli_kind {
    XNCC_MODULI_OF_MANY,
    XNCC_MODULI_OF_FEW,
    XNCC_MODULI_KINDS
} xncc_moduli_kind;

/* The most products of residues that are added to a residue before the sum is reduced. */
static inline int32_t xncc_moduli_products(xncc_moduli_kind kind)
{
    return kind == XNCC_MODULI_OF_FEW ? 125 : 500;
}

/* Primes, and numbers modulo each of them, of the least magnitude. */
typedef struct xncc_moduli {
    int32_t count;
    int32_t slices; /* of an integer */
    int32_t places; /* digits of the product of all primes */
    double modulus[XNCC_MOST_MODULI], inverse[XNCC_MOST_MODULI]; /* inverse: 1 / p, rounded */
    double power[XNCC_MOST_MODULI][XNCC_MODULI_SLICES]; /* 2^(XNCC_MODULI_BITS * k) modulo p */
    double cofactor[XNCC_MOST_MODULI];                  /* p / P modulo p */
    /* The digits of P / p, and of P. */
    double weight[XNCC_MOST_DIGITS][XNCC_MOST_MODULI], whole[XNCC_MOST_DIGITS];
} xncc_moduli;

/* Chooses primes for sums of up to `bits` bits and a sign, of integers of so many slices. Returns 0
 * if there are too few primes, or too many slices. */
int xncc_moduli_make(xncc_moduli_kind kind, int bits, int32_t slices, xncc_moduli *m);

/* The functions of an instruction set (reals_moduli_body.h), for rows of `count` integers, in whole
 * vectors. Rows of slices are `step` apart. */
typedef struct xncc_moduli_isa {
    /* The residues of integers, from their slices: modulo prime i, at out + i * out_step. Zeros
     * follow each row, to the end of its last pair of vectors and in the next one. */
    void (*residues)(const xncc_moduli *m, const double *slice, ptrdiff_t step, int32_t count,
                     double *out, ptrdiff_t out_step);
    /* The residues of sums modulo prime i times a factor, 1 or less than p, in their place. */
    void (*reduce)(const xncc_moduli *m, int32_t i, double factor, double *sum, int32_t count);
    /* Integers from what they are, times p / P, modulo each prime, sum[i]. They fit the numbers. */
    void (*combine)(const xncc_moduli *m, const double *const *sum, int32_t count,
                    const xncc_numbers *to);
} xncc_moduli_isa;

#endif
