/* SPDX-License-Identifier: BSD-2-Clause */
/* What loops over several windows at once share. */
#ifndef XNCC_POSE_PROBE_WINDOWS_H
#define XNCC_POSE_PROBE_WINDOWS_H

#include "pose/probe.h"

/* The sums of all windows stay in registers only if these loops are unrolled. XNCC_SANITIZED: a
 * build with sanitizers, whose checks need not be repeated for each window. */
#if defined(XNCC_SANITIZED)
#define UNROLLED
#elif defined(__clang__)
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 9")
#endif

/* Where windows begin: at from[w], or in a block of 3 x 3 that begins at from[0]. */
typedef struct place {
    const uint8_t *from[XNCC_PROBE_WINDOWS];
    int64_t pitch;
    int block;
} place;

__attribute__((always_inline)) static inline const uint8_t *at_window(const place *p, int32_t w)
{
    return p->block ? p->from[0] + w / XNCC_PROBE_SIDE * p->pitch + w % XNCC_PROBE_SIDE
                    : p->from[w];
}

#endif
