/* SPDX-License-Identifier: BSD-2-Clause */
/* The sums of windows of floats and u32 of which not all pixels count, or with several channels, as
 * kernel float-split makes them: every sum is a product of a plane of the image and one of the
 * template. With w and m 1 where a pixel of image and template counts, else 0, and v and t samples
 * less a pivot, the planes are w v, w v^2 and w of the image, and m t, m t^2 and m of the template.
 * If all pixels of the template count, S, Q and N are sums of the plane's pixels themselves, which
 * the score makes from sums of columns. If pixels of the image do not count only because they are
 * outside of it, a window has a rectangle of the template: N, T and T2 come from its integral
 * images. */
#ifndef XNCC_PLAN_FLOAT_SUMS_H
#define XNCC_PLAN_FLOAT_SUMS_H

#include "plan/problem.h"

/* The most channels; what lists have room for: samples that are not finite, windows in doubt, and
 * windows that still are when X has been made again; and the bytes of what is known of the template
 * and the image, with these lists (cuda/planes/float_planes.h). */
enum {
    XNCC_FLOAT_CHANNELS = 8,
    XNCC_FLOAT_BAD = 16384,
    XNCC_FLOAT_DOUBTS = 65536,
    XNCC_FLOAT_HARD = 4096,
    XNCC_FLOAT_TERMS_BYTES = 5120 + 8 * (XNCC_FLOAT_BAD + XNCC_FLOAT_DOUBTS + XNCC_FLOAT_HARD)
};

/* Where a window's sums are: numbers of maps of doubles, of which there are `count`; -1: not in a
 * map. X, Q and T2 are sums over all channels. */
typedef struct xncc_float_sums {
    int32_t channels;
    int32_t varies;  /* 1: the image has a mask or a no-data value, so any pixel may not count */
    int32_t clips;   /* 1: it has none, but pixels outside of it do not count */
    int32_t windows; /* 1: S, Q and N are sums over windows of a plane of the image */
    int32_t X, Q, N, T2;
    int32_t S, T; /* of the first channel; those of the others follow */
    int32_t count;
    int32_t products; /* of two planes */
    /* The most products of one plane of the image, which is transformed once, or of planes of
     * several channels, which are added up before they are transformed back. */
    int32_t together;
    int32_t passes;  /* how often a plane is transformed */
    int32_t planes;  /* of the image, at a time */
    int32_t columns; /* planes whose sums of columns are kept: the channels, and what counts */
} xncc_float_sums;

static inline xncc_float_sums xncc_float_sums_of(const xncc_problem *p)
{
    const int32_t C = p->channels, varies = p->image_masked, windows = !p->templ_masked,
                  own = windows ? 1 : 2 + C; /* maps of X, Q and S */
    xncc_float_sums s;
    s.channels = C;
    s.varies = varies;
    s.clips = xncc_problem_image_clips(p);
    s.windows = windows;
    s.X = 0;
    s.Q = windows ? -1 : 1;
    s.S = windows ? -1 : 2;
    s.T2 = varies ? own : -1;
    s.T = varies ? own + 1 : -1;
    s.N = varies && !windows ? own + 1 + C : -1;
    s.count = own + varies * (1 + C + !windows);
    s.products = (windows ? C : 3 * C) + varies * (!windows + 2 * C);
    s.together = windows ? (C > 1 + varies ? C : 1 + varies) : 2 + varies;
    s.planes = windows ? C : 1;
    s.passes = (windows ? C : 2 * C) + varies * C;
    s.columns = windows ? C + varies : 0;
    return s;
}

#endif
