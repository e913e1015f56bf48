/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes (probe.h): the sums of windows become scores. */
#include "pose/probe.h"

#include "base/memory.h"
#include "image/image.h"
#include "math/score.h"
#include "plan/machine.h"

#include <math.h>

/* n times the largest pixel must not exceed this for products of 63 bits (math/score.h). */
static int needs_u128(const xncc_pose_probe *p)
{
    return p->of.count > UINT64_C(11909805);
}

xncc_status xncc_pose_probe_make(xncc_pose_pixels *pixels, xncc_pose_probe *probe,
                                 xncc_error *error)
{
    *probe = (xncc_pose_probe){ .of = *pixels };
    *pixels = (xncc_pose_pixels){ 0 };
    const int32_t width = probe->of.width, height = probe->of.height;
    probe->span = xncc_alloc((uint64_t)height, 2 * sizeof *probe->span);
    if (!probe->span)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for %d rows", height);
    for (int32_t y = 0; y < height; y++) {
        const uint8_t *templ = (const uint8_t *)probe->of.pixels + (size_t)y * (size_t)width;
        uint8_t *mask = probe->of.mask + (size_t)y * (size_t)width;
        int32_t first = 0, end = width;
        uint32_t sum = 0, sum2 = 0; /* as in probe_portable.c; pixels that do not count are 0 */
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
    probe->root_var = sqrt(
        xncc_difference(probe->of.count, probe->sum2, probe->sum, probe->sum, needs_u128(probe)));
    return XNCC_OK;
}

void xncc_pose_probe_clear(xncc_pose_probe *probe)
{
    xncc_pose_pixels_clear(&probe->of);
    xncc_free(probe->span);
    *probe = (xncc_pose_probe){ 0 };
}

static double score_of(const xncc_pose_probe *p, const xncc_probe_sums *s)
{
    const uint64_t n = p->of.count;
    const double var = xncc_difference(n, s->Q, s->S, s->S, needs_u128(p));
    if (var == 0.0 || p->root_var == 0.0)
        return NAN;
    return xncc_difference(n, s->X, s->S, p->sum, needs_u128(p)) / (sqrt(var) * p->root_var);
}

void xncc_pose_probe_scores(const xncc_pose_probe *probe, xncc_probe_loop loop,
                            const xncc_image *image, int32_t x, int32_t y, int32_t side,
                            double *score)
{
    const int32_t width = probe->of.width, height = probe->of.height;
    const int32_t first = x < 0 ? -x : 0,
                  last = x + side - 1 + width > image->width ? image->width - width - x : side - 1;
    for (int32_t i = 0; i < side * side; i++)
        score[i] = NAN;
    if (x <= -side || first > last)
        return;
    for (int32_t j = 0; j < side; j++) {
        xncc_probe_sums sum[XNCC_PROBE_FAR_SIDE] = { { 0, 0, 0 } };
        if (y + j < 0 || y + j + height > image->height)
            continue;
        loop(probe, (const uint8_t *)xncc_image_row(image, y + j) + x + first,
             xncc_image_pitch(image), last - first + 1, sum);
        for (int32_t i = first; i <= last; i++)
            score[j * side + i] = score_of(probe, &sum[i - first]);
    }
}

xncc_probe_loop xncc_probe_loop_of(uint32_t features)
{
#if defined(XNCC_CPU_X86)
    if (features & XNCC_CPU_AVX2_FMA)
        return xncc_probe_loop_avx2;
#else
    (void)features;
#endif
    return xncc_probe_loop_portable;
}
