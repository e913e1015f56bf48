/* SPDX-License-Identifier: BSD-2-Clause */
/* What an attack on a bound is (attack.c), and sums that are exact. */
#ifndef UNIT_ATTACK_H
#define UNIT_ATTACK_H

#include "math/exact_score.h"

#include <math.h>
#include <stdint.h>

enum { MOST = 64 };

/* An input: numbers, whose meaning the attack knows. */
typedef struct input {
    double v[2 * MOST];
    int count;
} input;

/* Returns the error over the bound. */
typedef double attacked(const input *in, void *state);

typedef struct attack {
    const char *name;
    attacked *ratio;
    int least, most; /* numbers of an input */
    int whole;       /* 1: only integers up to 2^20 */
    void *state;
} attack;

/* The attacks on the bounds of whole transforms (attack_transforms.c), and the end of the memory
 * that they have. */
enum { TRANSFORM_ATTACKS = 4 };
void attack_transforms_begin(attack attacks[TRANSFORM_ATTACKS]);
void attack_transforms_end(void);

/* A sum of products, exactly. */
typedef struct exact_sum {
    int64_t digit[XNCC_WIDE_DIGITS];
} exact_sum;

static inline double rounded(exact_sum *s)
{
    xncc_wide_normalize(s->digit, XNCC_WIDE_DIGITS);
    const xncc_real r = xncc_wide_round(s->digit, XNCC_WIDE_DIGITS, XNCC_WIDE_PRODUCTS);
    return ldexp(r.m, r.e);
}

#endif
