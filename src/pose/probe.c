/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes (probe.h): the sums of windows become scores. */
#include "pose/probe.h"

#include "base/memory.h"
#include "image/image.h"
#include "math/score.h"
#include "plan/machine.h"

#include <math.h>
#include <string.h>

/* n times the largest pixel must not exceed this for products of 63 bits (math/score.h). */
static int needs_u128(const xncc_pose_probe *p)
{
    return p->of.count > UINT64_C(11909805);
}

void xncc_pose_probe_finish(xncc_pose_probe *probe)
{
    probe->root_var = sqrt(
        xncc_difference(probe->of.count, probe->sum2, probe->sum, probe->sum, needs_u128(probe)));
}

/* How many steps the rows of a probe take; 0: it has none. */
static int32_t steps_of(const xncc_pose_probe *p)
{
    const int32_t *span = p->span;
    uint64_t between = 0;
    int32_t steps = 0;
    if (p->of.width < XNCC_PROBE_STEP || p->of.width > XNCC_PROBE_STEPPED / p->of.height)
        return 0;
    for (int32_t r = 0; r < p->of.height; r++, span += 2) {
        between += (uint64_t)(span[1] - span[0]);
        steps += (span[1] - span[0] + XNCC_PROBE_STEP - 1) / XNCC_PROBE_STEP;
    }
    return between == p->of.count ? steps : 0;
}

/* Divides the rows into steps. A step that would leave the window begins earlier. */
static xncc_status make_steps(xncc_pose_probe *p, xncc_error *error)
{
    const int32_t width = p->of.width, steps = steps_of(p);
    if (steps == 0)
        return XNCC_OK;
    p->word = xncc_alloc((uint64_t)steps, XNCC_PROBE_STEP * sizeof *p->word + 2 * sizeof *p->place);
    if (!p->word)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for %d steps", steps);
    p->place = (int32_t *)(void *)(p->word + (size_t)steps * XNCC_PROBE_STEP);
    int16_t *word = p->word;
    int32_t *place = p->place;
    for (int32_t r = 0; r < p->of.height; r++) {
        const uint8_t *row = (const uint8_t *)p->of.pixels + (size_t)r * (size_t)width;
        const int32_t end = p->span[2 * r + 1];
        for (int32_t x = p->span[2 * r]; x < end; x += XNCC_PROBE_STEP) {
            const int32_t at = x + XNCC_PROBE_STEP <= width ? x : width - XNCC_PROBE_STEP;
            uint8_t pixel[XNCC_PROBE_STEP];
            memcpy(pixel, row + at, sizeof pixel);
            for (int32_t i = 0; i < XNCC_PROBE_STEP; i++)
                word[i] = pixel[i]; /* 0 where it does not count */
            if (at < x)
                memset(word, 0, (size_t)(x - at) * sizeof *word);
            place[0] = r;
            place[1] = at;
            word += XNCC_PROBE_STEP;
            place += 2;
        }
    }
    p->steps = steps;
    return XNCC_OK;
}

xncc_status xncc_pose_probe_make(const xncc_probe_loops *loops, xncc_pose_pixels *pixels,
                                 xncc_pose_probe *probe, xncc_error *error)
{
    *probe = (xncc_pose_probe){ .of = *pixels };
    *pixels = (xncc_pose_pixels){ 0 };
    const int32_t height = probe->of.height;
    probe->span = xncc_alloc((uint64_t)height, 2 * sizeof *probe->span);
    if (!probe->span)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for %d rows", height);
    loops->prepare(probe);
    xncc_pose_probe_finish(probe);
    return loops->multiply ? make_steps(probe, error) : XNCC_OK;
}

void xncc_pose_probe_clear(xncc_pose_probe *probe)
{
    xncc_pose_pixels_clear(&probe->of);
    xncc_free(probe->span);
    xncc_free(probe->word);
    *probe = (xncc_pose_probe){ 0 };
}

double xncc_pose_probe_score(const xncc_pose_probe *p, const xncc_probe_sums *s)
{
    const uint64_t n = p->of.count;
    const double var = xncc_difference(n, s->Q, s->S, s->S, needs_u128(p));
    if (var == 0.0 || p->root_var == 0.0)
        return NAN;
    return xncc_difference(n, s->X, s->S, p->sum, needs_u128(p)) / (sqrt(var) * p->root_var);
}

int32_t xncc_probe_inside(int32_t at, int32_t side, int32_t window, int32_t extent, int32_t *first)
{
    const int32_t end = extent - window + 1 < at + side ? extent - window + 1 : at + side;
    *first = at > 0 ? at : 0;
    return end - *first;
}

void xncc_probe_list_make(const xncc_probe_block *block, int32_t width, int32_t height,
                          const xncc_image *image, xncc_probe_list *list)
{
    const int32_t side = block->side;
    const int64_t pitch = xncc_image_pitch(image);
    int32_t left, top;
    const int32_t across = xncc_probe_inside(block->x, side, width, image->width, &left),
                  down = xncc_probe_inside(block->y, side, height, image->height, &top);
    list->count = 0;
    for (int32_t y = top; y < top + down; y++)
        for (int32_t x = left; x < left + across; x++) {
            const int32_t number = (y - block->y) * side + x - block->x;
            if (!(block->wanted >> number & 1))
                continue;
            list->number[list->count] = (uint8_t)number;
            list->at[list->count++] = y * pitch + x;
        }
}

void xncc_probe_list_scores(const xncc_pose_probe *probe, const xncc_probe_list *list,
                            const xncc_probe_sums *sum, int32_t side, double *score)
{
    for (int32_t i = 0; i < side * side; i++)
        score[i] = NAN;
    for (int32_t i = 0; i < list->count; i++)
        score[list->number[i]] = xncc_pose_probe_score(probe, &sum[i]);
}

/* Sets S and Q of the windows of a list. */
static void take_sums(const xncc_pose_probe *probe, const xncc_running *running,
                      const xncc_probe_block *block, const xncc_probe_list *list,
                      xncc_probe_sums *sum)
{
    uint64_t both[XNCC_PROBE_FAR];
    for (int32_t j = 0; j < block->side; j++)
        xncc_running_windows(running, block->x, block->y + j, probe->span, probe->of.height,
                             block->side, both + j * block->side);
    for (int32_t i = 0; i < list->count; i++) {
        sum[i].S = both[list->number[i]] & UINT32_MAX;
        sum[i].Q = both[list->number[i]] >> 32;
    }
}

void xncc_pose_probe_scores(const xncc_pose_probe *probe, const xncc_probe_loops *loops,
                            const xncc_image *image, xncc_running *running,
                            const xncc_probe_block *block, double *score)
{
    const int32_t width = probe->of.width, height = probe->of.height, more = block->side - 1;
    const int64_t pitch = xncc_image_pitch(image);
    xncc_probe_list list;
    xncc_probe_sums sum[XNCC_PROBE_FAR] = { { 0, 0, 0 } };
    xncc_probe_list_make(block, width, height, image, &list);
    if (list.count > 0 && running && probe->steps > 0 &&
        xncc_running_cover(running, image, block->x, block->y, width + more, height + more)) {
        take_sums(probe, running, block, &list, sum);
        loops->multiply(probe, image->data, pitch, list.at, list.count, sum);
    } else if (list.count > 0) {
        loops->add(probe, image->data, pitch, list.at, list.count, sum);
    }
    xncc_probe_list_scores(probe, &list, sum, block->side, score);
}

void xncc_probe_fetch(const xncc_image *image, int32_t x, int32_t y, int32_t width, int32_t height)
{
    enum { LINE = 64, CACHE = 1 << 19, MOST = 1 << 15 };
    const int64_t pitch = xncc_image_pitch(image), pixels = (int64_t)width * height;
    const int32_t right = x + width < image->width ? x + width : image->width,
                  bottom = y + height < image->height ? y + height : image->height;
    const int32_t left = x > 0 ? x : 0, top = y > 0 ? y : 0;
    if (pitch * image->height < CACHE || pixels > MOST)
        return;
    for (int32_t j = top; j < bottom && left < right; j++) {
        const char *row = (const char *)image->data + j * pitch;
        for (int32_t i = left; i < right; i += LINE)
            __builtin_prefetch(row + i, 0, 2);
        __builtin_prefetch(row + right - 1, 0, 2);
    }
}

const xncc_probe_loops *xncc_probe_loops_of(uint32_t features)
{
#if defined(XNCC_CPU_X86)
    if (features & XNCC_CPU_AVX512_VNNI)
        return &xncc_probe_avx512;
    if (features & XNCC_CPU_AVX2_FMA)
        return &xncc_probe_avx2;
#else
    (void)features;
#endif
    return &xncc_probe_portable;
}
