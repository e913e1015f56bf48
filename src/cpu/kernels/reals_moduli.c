/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses primes, and computes what integers modulo them need (reals_moduli.h). */
#include "cpu/kernels/reals_moduli.h"

#include <math.h>

/* The largest primes below a power of two: what they are below it. */
typedef struct prime_list {
    int bits;
    int16_t below[XNCC_MOST_MODULI];
} prime_list;

static const prime_list lists[] = {
    [XNCC_MODULI_OF_MANY] = { 23, { 15,  21,  27,  37,  61,  69,  135, 147, 157, 159, 169,
                                    181, 187, 199, 231, 237, 289, 307, 321, 325, 331 } },
    [XNCC_MODULI_OF_FEW] = { 24, { 3,   17,  33,  63,  75,  77,  89,  95,  117, 167, 189,
                                   227, 243, 245, 249, 255, 275, 279, 285, 297, 315 } }
};
#define LOST_BITS 0.001 /* each of them has at least so many bits less */

static int64_t prime(const prime_list *list, int32_t i)
{
    return ((int64_t)1 << list->bits) - list->below[i];
}

static const int64_t digit_unit = 1 << XNCC_DIGIT_BITS;

/* The residue of the least magnitude. v: from 0 to p - 1. */
static double centred(int64_t v, int64_t p)
{
    return (double)(2 * v > p ? v - p : v);
}

/* The inverse of v modulo p, by Euclid's algorithm: rest is v times factor modulo p. */
static int64_t inverse_of(int64_t v, int64_t p)
{
    int64_t rest[] = { p, v }, factor[] = { 0, 1 };
    while (rest[1] > 1) {
        const int64_t q = rest[0] / rest[1], next = rest[0] - q * rest[1],
                      of_next = factor[0] - q * factor[1];
        rest[0] = rest[1];
        factor[0] = factor[1];
        rest[1] = next;
        factor[1] = of_next;
    }
    return factor[1] < 0 ? factor[1] + p : factor[1];
}

/* The product of all primes, in digits from 0 to 2^XNCC_DIGIT_BITS - 1. Returns how many it has. */
static int32_t multiply_all(const prime_list *list, int32_t count, int64_t digit[XNCC_MOST_DIGITS])
{
    int32_t places = 1;
    digit[0] = 1;
    for (int32_t i = 0; i < count; i++) {
        int64_t over = 0;
        for (int32_t k = 0; k < places; k++) {
            over += digit[k] * prime(list, i);
            digit[k] = over % digit_unit;
            over /= digit_unit;
        }
        if (over)
            digit[places++] = over;
    }
    return places;
}

/* A number divided by a prime that divides it. */
static void divide(const int64_t *digit, int32_t places, int64_t p, int64_t *out)
{
    int64_t rest = 0;
    for (int32_t k = places - 1; k >= 0; k--) {
        rest = rest * digit_unit + digit[k];
        out[k] = rest / p;
        rest %= p;
    }
}

static int64_t modulo(const int64_t *digit, int32_t places, int64_t p)
{
    int64_t rest = 0;
    for (int32_t k = places - 1; k >= 0; k--)
        rest = (rest * digit_unit + digit[k]) % p;
    return rest;
}

/* The digits of the least magnitude; the last one takes what is over. */
static void write_digits(const int64_t *digit, int32_t places, double *out, ptrdiff_t step)
{
    int64_t over = 0;
    for (int32_t k = 0; k < places; k++) {
        const int64_t v = digit[k] + over;
        over = k < places - 1 && 2 * v >= digit_unit;
        out[k * step] = (double)(v - over * digit_unit);
    }
}

int xncc_moduli_make(xncc_moduli_kind kind, int bits, int32_t slices, xncc_moduli *m)
{
    const prime_list *list = &lists[kind];
    /* the sum is to be less than a quarter of the product */
    const double count = ceil((bits + 2.0) / (list->bits - LOST_BITS));
    int64_t all[XNCC_MOST_DIGITS], rest[XNCC_MOST_DIGITS];
    if (count > XNCC_MOST_MODULI || slices > XNCC_MODULI_SLICES ||
        count * list->bits > XNCC_DIGIT_BITS * XNCC_MOST_DIGITS)
        return 0;
    m->count = (int32_t)count;
    m->slices = slices;
    m->places = multiply_all(list, m->count, all);
    write_digits(all, m->places, m->whole, 1);
    for (int32_t i = 0; i < m->count; i++) {
        const int64_t p = prime(list, i);
        int64_t power = 1;
        m->modulus[i] = (double)p;
        m->inverse[i] = 1.0 / (double)p;
        for (int32_t k = 0; k < slices; k++) {
            m->power[i][k] = centred(power, p);
            power = (power << XNCC_MODULI_BITS) % p;
        }
        divide(all, m->places, p, rest);
        write_digits(rest, m->places, &m->weight[0][i], XNCC_MOST_MODULI);
        m->cofactor[i] = centred(inverse_of(modulo(rest, m->places, p), p), p);
    }
    return 1;
}
