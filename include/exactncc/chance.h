/* exactncc: which scores chance explains. SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_CHANCE_H
#define EXACTNCC_CHANCE_H

#include "context.h"
#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a template looks to somebody who compares it by XNCC_CCOEFF_NORMED. Formula, derivation and
 * measurements are in docs/chance.md. */
typedef struct xncc_chance {
    int32_t flat;  /* 1: in every channel, all pixels that count are equal */
    double pixels; /* the effective number of independent pixels; 0 if that is not known */
} xncc_chance;

/* Looks at the pixels of a template that count. The number of independent pixels is that of the
 * channel with the fewest; it is not known for templates that are flat or have infinite or NaN
 * pixels. Takes time in proportion to the pixels, and at most about 2e6 multiplications per
 * channel.
 *
 * - templ: a view in host memory.
 * - chance: receives the answer; zeros after a failure.
 *
 * Returns XNCC_OK or XNCC_ERROR_ARGUMENT. Any thread may call it. */
XNCC_API xncc_status xncc_chance_look(const xncc_image *templ, xncc_chance *chance,
                                      xncc_error *error);

/* Returns the score that the best of so many windows of an unrelated image exceeds with a
 * probability of at most 1 percent. 1: any score can be chance, as with at most two independent
 * pixels. Several poses of a template are as many times the windows. Any thread may call it. */
XNCC_API double xncc_chance_limit(double pixels, double windows);

#ifdef __cplusplus
}
#endif
#endif
