/* SPDX-License-Identifier: BSD-2-Clause */
/* The sums of windows in plain C. Those of a row fit 32 bits: XNCC_MAX_POSE_SIDE * 255 * 255 <
 * 2^32. */
#include "pose/probe.h"
#include "pose/sampling.h"

void xncc_probe_prepare_portable(xncc_pose_probe *probe)
{
    const int32_t width = probe->of.width;
    for (int32_t y = 0; y < probe->of.height; y++) {
        const uint8_t *templ = (const uint8_t *)probe->of.pixels + (size_t)y * (size_t)width;
        uint8_t *mask = probe->of.mask + (size_t)y * (size_t)width;
        int32_t first = 0, end = width;
        uint32_t sum = 0, sum2 = 0; /* pixels that do not count are 0 */
        while (end > 0 && !mask[end - 1])
            end--;
        while (first < end && !mask[first])
            first++;
        for (int32_t x = first; x < end; x++) {
            mask[x] = (uint8_t)-mask[x];
            sum += templ[x];
            sum2 += (uint32_t)templ[x] * templ[x];
        }
        probe->sum += sum;
        probe->sum2 += sum2;
        probe->span[2 * (size_t)y] = first;
        probe->span[2 * (size_t)y + 1] = end;
    }
}

static void add(const xncc_pose_probe *probe, const uint8_t *image, int64_t pitch,
                const int64_t *windows, int32_t count, xncc_probe_sums *sum)
{
    for (int32_t r = 0; r < probe->of.height; r++) {
        const int32_t *span = probe->span + 2 * (size_t)r;
        const size_t at = (size_t)r * (size_t)probe->of.width;
        const uint8_t *templ = (const uint8_t *)probe->of.pixels + at, *mask = probe->of.mask + at;
        for (int32_t w = 0; w < count; w++) {
            const uint8_t *from = image + r * pitch + windows[w];
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

static void multiply(const xncc_pose_probe *probe, const uint8_t *image, int64_t pitch,
                     const int64_t *windows, int32_t count, xncc_probe_sums *sum)
{
    for (int32_t k = 0; k < probe->steps; k++) {
        const uint8_t *from = image + probe->place[2 * k] * pitch + probe->place[2 * k + 1];
        const int16_t *word = probe->word + (size_t)k * XNCC_PROBE_STEP;
        for (int32_t w = 0; w < count; w++) {
            int32_t X = 0;
            for (int32_t i = 0; i < XNCC_PROBE_STEP; i++)
                X += from[windows[w] + i] * word[i];
            sum[w].X += (uint64_t)X;
        }
    }
}

const xncc_pose_loops xncc_pose_loops_portable = {
    xncc_pose_byte_rows_portable, xncc_probe_prepare_portable, add, multiply, NULL,
    &xncc_running_portable
};
