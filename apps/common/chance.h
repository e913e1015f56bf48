/* SPDX-License-Identifier: BSD-2-Clause */
/* Which scores chance explains: how well a template matches an image that does not show it.
 * Formula, derivation and measurements are in docs/chance.md. */
#ifndef APP_CHANCE_H
#define APP_CHANCE_H

#include "picture.h"

/* How a template looks to somebody who compares it by ccoeff_normed. */
typedef struct app_chance {
    int flat;      /* 1: in every channel, all pixels that count are equal */
    double pixels; /* the effective number of independent pixels; 0 if that is not known */
} app_chance;

/* Looks at the pixels that count. The number of independent pixels is that of the channel with the
 * fewest; it is not known for templates that are flat or have infinite or NaN pixels. Takes time in
 * proportion to the pixels, and at most about 2e6 multiplications per channel. */
app_chance app_chance_look(const app_picture *templ);

/* The score that the best of so many windows of an unrelated image exceeds with a probability of at
 * most 1 percent. 1: any score can be chance. */
double app_chance_limit(double pixels, uint64_t windows);

#endif
