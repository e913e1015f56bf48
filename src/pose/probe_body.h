/* SPDX-License-Identifier: BSD-2-Clause */
/* The loop of a probe, compiled once per instruction set. The including file defines PROBE_ROW, the
 * name of the function. Sums of a row fit 32 bits: XNCC_MAX_POSE_SIDE * 255 * 255 < 2^32. */
#include "pose/probe.h"

void PROBE_ROW(const uint8_t *image, const uint8_t *templ, const uint8_t *mask, int32_t count,
               int32_t windows, xncc_probe_sums *sum)
{
    for (int32_t w = 0; w < windows; w++) {
        const uint8_t *from = image + w;
        uint32_t S = 0, Q = 0, X = 0;
        for (int32_t i = 0; i < count; i++) {
            const uint8_t v = from[i] & mask[i];
            S += v;
            Q += (uint32_t)((uint16_t)v * (uint16_t)v);
            X += (uint32_t)((uint16_t)v * (uint16_t)templ[i]);
        }
        sum[w].S += S;
        sum[w].Q += Q;
        sum[w].X += X;
    }
}
