/* SPDX-License-Identifier: BSD-2-Clause */
/* Which values of a picture are shown as black and as white. */
#ifndef APP_STRETCH_H
#define APP_STRETCH_H

#include "common/picture.h"

typedef struct app_stretch {
    double low, high; /* shown as 0 and as 255 */
    int stretched;    /* 0: the values are shown as they are */
} app_stretch;

/* A u8 picture is shown as it is. Of any other, 0.5 percent of the samples are at most `low` and
 * 0.5 percent at least `high`. Only finite samples of pixels that count are considered, and only of
 * the channels that are shown. If both percentiles are equal, `low` is the smallest of these
 * samples and `high` the largest. If there are none, both are 0. Returns 0 if there is no memory.
 */
int app_stretch_find(const app_picture *picture, app_stretch *stretch);

/* The channels that are shown: the first three, in colour, or the first, in grey. */
int app_stretch_channels(const app_picture *picture);

/* The level, 0 .. 255, of a sample: (v - low) / (high - low), limited to 0 .. 1, times 255,
 * rounded; 0 if it is NaN or if low equals high. */
unsigned char app_stretch_level(const app_stretch *stretch, double value);

#endif
