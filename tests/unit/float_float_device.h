/* SPDX-License-Identifier: BSD-2-Clause */
/* The scores in float-float arithmetic as the device computes them. Weak symbols: null in programs
 * without the device code. */
#ifndef UNIT_PAIRS_DEVICE_H
#define UNIT_PAIRS_DEVICE_H

#include "math/float_float.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pair_case {
    int64_t num;
    uint64_t var;
    xncc_float_float unit;
    int32_t narrow;
    int32_t sure; /* what xncc_ff_quotient returned */
    float score;
} pair_case;

/* Scores the cases on the device. Returns 0 if that failed. */
__attribute__((weak)) int pairs_on_device(pair_case *cases, size_t count);

/* Returns the largest |y sqrt(x) - 1| of the device's seeds y over all floats x in 1 .. 4, which
 * represent all others; negative if that failed. */
__attribute__((weak)) double pairs_worst_seed(void);

#ifdef __cplusplus
}
#endif
#endif
