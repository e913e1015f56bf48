/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes (probe.h): the sums of windows become scores. */
#include "pose/probe.h"

#include "base/memory.h"
#include "image/image.h"
#include "math/score.h"
#include "plan/machine.h"
#include "pose/sampling.h"

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

/* Allocates words and places for so many steps, and places for `more`. */
static xncc_status add_steps(xncc_pose_probe *p, int32_t steps, int32_t more, xncc_error *error)
{
    p->word = xncc_alloc_unset((uint64_t)(steps + more),
                               XNCC_PROBE_STEP * sizeof *p->word + 2 * sizeof *p->place);
    if (!p->word)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for %d steps", steps);
    p->place = (int32_t *)(void *)(p->word + (size_t)steps * XNCC_PROBE_STEP);
    return XNCC_OK;
}

/* Divides the rows into steps. A step that would leave the window begins earlier. */
static xncc_status make_steps(xncc_pose_probe *p, xncc_error *error)
{
    const int32_t width = p->of.width, steps = steps_of(p);
    const xncc_status status = steps > 0 ? add_steps(p, steps, 0, error) : XNCC_OK;
    if (status || steps == 0)
        return status;
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

static xncc_status add_spans(xncc_pose_probe *p, xncc_error *error)
{
    p->span = xncc_alloc((uint64_t)p->of.height + XNCC_PROBE_ROOM, 2 * sizeof *p->span);
    if (!p->span)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for %d rows", p->of.height);
    return XNCC_OK;
}

xncc_status xncc_pose_probe_make(const xncc_pose_loops *loops, xncc_pose_probe *probe,
                                 xncc_error *error)
{
    const xncc_status status = add_spans(probe, error);
    if (status)
        return status;
    loops->prepare(probe);
    xncc_pose_probe_finish(probe);
    return loops->multiply ? make_steps(probe, error) : XNCC_OK;
}

/* Can a template be made by steps alone? Running sums must have room for the windows around it. */
static int can_sample(const xncc_sampling *s)
{
    const xncc_pose_source *from = s->source;
    const int32_t more = XNCC_PROBE_FAR_SIDE - 1;
    return from->loops->sample && from->quads && from->width <= XNCC_PROBE_SAMPLED &&
           from->height <= XNCC_PROBE_SAMPLED && s->fine == 1 && s->disc == INFINITY &&
           s->width >= XNCC_PROBE_STEP && xncc_running_has_room(s->width + more, s->height + more);
}

static xncc_status sample(const xncc_sampling *s, xncc_pose_probe *probe, xncc_error *error)
{
    const int32_t steps = s->height * (s->width / XNCC_PROBE_STEP + 1);
    probe->of.width = s->width;
    probe->of.height = s->height;
    xncc_status status = add_spans(probe, error);
    if (!status)
        status = add_steps(probe, steps, XNCC_PROBE_ROOM, error);
    if (status)
        return status;
    s->source->loops->sample(s, probe);
    xncc_pose_probe_finish(probe);
    return XNCC_OK;
}

xncc_status xncc_pose_probe_of(const xncc_pose_source *source, const xncc_pose_place *place,
                               xncc_pose_probe *probe, xncc_error *error)
{
    const xncc_sampling s = xncc_sampling_of(source, place);
    *probe = (xncc_pose_probe){ 0 };
    if (can_sample(&s))
        return sample(&s, probe, error);
    const xncc_status status = xncc_pose_resample(source, place, &probe->of, error);
    return status ? status : xncc_pose_probe_make(source->loops, probe, error);
}

uint64_t xncc_pose_probe_bytes(const xncc_pose_probe *p)
{
    const uint64_t pixels = (uint64_t)p->of.width * (uint64_t)p->of.height;
    return (p->of.pixels ? 2 * pixels : 0) +
           (uint64_t)p->steps * (XNCC_PROBE_STEP * sizeof *p->word + 2 * sizeof *p->place);
}

void xncc_pose_probe_clear(xncc_pose_probe *probe)
{
    xncc_pose_pixels_clear(&probe->of);
    xncc_free(probe->span);
    xncc_free(probe->word);
    *probe = (xncc_pose_probe){ 0 };
}

/* The score of a window, NaN if it is flat. */
static double score_of(const xncc_pose_probe *p, const xncc_probe_sums *s)
{
    const uint64_t n = p->of.count;
    const double var = xncc_difference(n, s->Q, s->S, s->S, needs_u128(p));
    if (var == 0.0 || p->root_var == 0.0)
        return NAN;
    return xncc_difference(n, s->X, s->S, p->sum, needs_u128(p)) / (sqrt(var) * p->root_var);
}

/* How many of the `side` windows from `at` on lie in the image, along one axis; less than 1: none.
 * *first: receives the first of them. */
static int32_t inside(int32_t at, int32_t side, int32_t window, int32_t extent, int32_t *first)
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
    list->across = inside(block->x, side, width, image->width, &left);
    list->down = inside(block->y, side, height, image->height, &top);
    list->left = left;
    list->top = top;
    list->count = 0;
    list->wanted = 0;
    for (int32_t y = top; y < top + list->down; y++)
        for (int32_t x = left; x < left + list->across; x++) {
            const int32_t number = (y - block->y) * side + x - block->x;
            if (!(block->wanted >> number & 1))
                continue;
            list->wanted |= 1u << number;
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
        score[list->number[i]] = score_of(probe, &sum[i]);
}

/* The bits of the windows in the fifth column of a block of 5 x 5. */
enum { FIFTH = 0x1084210 };
_Static_assert(XNCC_PROBE_FAR_SIDE == XNCC_RUNNING_BESIDE + 1, "one column is left over");

/* Sets S and Q of the windows of a list. The sums of those to the right of a row go where the first
 * ones of the next row do, so that they must come before. */
static void take_sums(const xncc_pose_probe *probe, const xncc_running *running,
                      const xncc_probe_block *block, const xncc_probe_list *list,
                      xncc_probe_sums *sum)
{
    const int32_t side = block->side, column = list->left - block->x;
    uint64_t both[XNCC_PROBE_FAR + XNCC_RUNNING_BESIDE];
    for (int fifth = list->across > XNCC_RUNNING_BESIDE; fifth >= 0; fifth--) {
        const uint32_t wanted = fifth ? list->wanted & FIFTH : list->wanted;
        if (!wanted)
            continue;
        const int32_t x = column + fifth * XNCC_RUNNING_BESIDE,
                      first = __builtin_ctz(wanted) / side,
                      last = (31 - __builtin_clz(wanted)) / side;
        xncc_running_windows(running, block->x + x, block->y + first, probe->span, probe->of.height,
                             last - first + 1, side, both + first * side + x);
    }
    for (int32_t i = 0; i < list->count; i++) {
        sum[i].S = both[list->number[i]] & UINT32_MAX;
        sum[i].Q = both[list->number[i]] >> 32;
    }
}

void xncc_pose_probe_scores(const xncc_pose_probe *probe, const xncc_pose_loops *loops,
                            const xncc_image *image, xncc_running *running,
                            const xncc_probe_block *block, double *score)
{
    const int32_t width = probe->of.width, height = probe->of.height;
    const int64_t pitch = xncc_image_pitch(image);
    xncc_probe_list list;
    xncc_probe_sums sum[XNCC_PROBE_FAR] = { { 0, 0, 0 } };
    xncc_probe_list_make(block, width, height, image, &list);
    if (probe->of.count == 0)
        list.count = 0;
    if (list.count > 0 && running && probe->steps > 0 &&
        xncc_running_cover(running, image, list.left, list.top, width + list.across - 1,
                           height + list.down - 1)) {
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

const xncc_pose_loops *xncc_pose_loops_of(uint32_t features)
{
#if defined(XNCC_CPU_X86)
#if defined(XNCC_CPU_VNNI)
    if (features & XNCC_CPU_AVX512_VNNI)
        return &xncc_pose_loops_avx512;
#endif
    if (features & XNCC_CPU_AVX2_FMA)
        return &xncc_pose_loops_avx2;
#else
    (void)features;
#endif
    return &xncc_pose_loops_portable;
}
