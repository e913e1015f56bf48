/* SPDX-License-Identifier: BSD-2-Clause */
/* The sums of windows in plain C. Those of a row fit 32 bits: XNCC_MAX_POSE_SIDE * 255 * 255 <
 * 2^32. */
#include "pose/probe.h"

void xncc_probe_loop_portable(const xncc_pose_probe *probe, const uint8_t *image, int64_t pitch,
                              int32_t windows, xncc_probe_sums *sum)
{
    for (int32_t r = 0; r < probe->of.height; r++) {
        const int32_t *span = probe->span + 2 * (size_t)r;
        const size_t at = (size_t)r * (size_t)probe->of.width;
        const uint8_t *templ = (const uint8_t *)probe->of.pixels + at, *mask = probe->of.mask + at;
        for (int32_t w = 0; w < windows; w++) {
            const uint8_t *from = image + r * pitch + w;
            uint32_t S = 0, Q = 0, X = 0;
            for (int32_t i = span[0]; i < span[1]; i++) {
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
}
