/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolution in vectors of CONVOLVE_LANES neighbouring results. Each result still adds its
 * products one by one in the order that include/exactncc/convolve.h defines, so the bits are those
 * of the reference.
 *
 * The including file defines CONVOLVE_LANES, convolve_fma, and CONVOLVE_VECTORS: how many vectors,
 * 4 or 2, are computed side by side. CONVOLVE_ROWS rows of them are the accumulators, which should
 * fit into the registers. */
#ifndef XNCC_CPU_KERNELS_CONVOLVE_BODY_H
#define XNCC_CPU_KERNELS_CONVOLVE_BODY_H

#include "cpu/kernels/border_row.h"
#include "cpu/kernels/kernel.h"
#include "image/image.h"

#include <assert.h>
#include <string.h>

typedef float cf __attribute__((vector_size(4 * CONVOLVE_LANES)));

/* Returns c + a * b, rounded once. */
static inline cf convolve_fma(cf a, cf b, cf c);

enum {
    CONVOLVE_STRIP = XNCC_CONVOLVE_COLUMNS,
    CONVOLVE_ROWS = 4,
    CONVOLVE_TILE = CONVOLVE_VECTORS * CONVOLVE_LANES
};

/* Returns the floats per row of the ring of staged rows. The padding keeps rows from being a power
 * of two apart, and lets whole vectors be read at a row's end. */
static int32_t convolve_row_floats(const xncc_problem *problem)
{
    return (CONVOLVE_STRIP + problem->templ_width + CONVOLVE_TILE + 15) / 16 * 16 + 16;
}

static int32_t convolve_ring(const xncc_problem *problem)
{
    return problem->templ_height + CONVOLVE_ROWS - 1;
}

static xncc_kernel_memory convolve_memory(const xncc_cpu_kernel *self, const xncc_problem *problem,
                                          const xncc_cpu_blocks *blocks)
{
    (void)self;
    (void)blocks;
    /* plus one row of raw pixels of at most 4 bytes each */
    return (xncc_kernel_memory){ .scratch = (uint64_t)(convolve_ring(problem) + 1) *
                                            (uint64_t)convolve_row_floats(problem) *
                                            sizeof(float) };
}

static void convolve_floats(const void *raw, xncc_pixel pixel, int32_t count, float *out)
{
    if (pixel == XNCC_F32)
        memcpy(out, raw, (size_t)count * sizeof *out);
    for (int32_t i = 0; i < count && pixel == XNCC_U8; i++)
        out[i] = (float)((const uint8_t *)raw)[i];
    for (int32_t i = 0; i < count && pixel == XNCC_U16; i++)
        out[i] = (float)((const uint16_t *)raw)[i];
}

typedef struct convolve_sums {
    cf a, b;
#if CONVOLVE_VECTORS == 4
    cf c, d;
#endif
} convolve_sums;

static inline cf convolve_load(const float *from)
{
    cf v;
    memcpy(&v, from, sizeof v);
    return v;
}

__attribute__((always_inline)) static inline convolve_sums convolve_load4(const float *from)
{
    convolve_sums v = { .a = convolve_load(from), .b = convolve_load(from + CONVOLVE_LANES) };
#if CONVOLVE_VECTORS == 4
    v.c = convolve_load(from + 2 * CONVOLVE_LANES);
    v.d = convolve_load(from + 3 * CONVOLVE_LANES);
#endif
    return v;
}

__attribute__((always_inline)) static inline void
convolve_step(convolve_sums *sum, const convolve_sums *image, float tap)
{
    const cf t = tap - (cf){ 0 }; /* minus zero, not plus zero, so that -0 stays -0 */
    sum->a = convolve_fma(t, image->a, sum->a);
    sum->b = convolve_fma(t, image->b, sum->b);
#if CONVOLVE_VECTORS == 4
    sum->c = convolve_fma(t, image->c, sum->c);
    sum->d = convolve_fma(t, image->d, sum->d);
#endif
}

/* Adds the products of one filter row to one map row. */
__attribute__((always_inline)) static inline void
convolve_single(convolve_sums *sum, const float *image, const float *tap, int32_t width)
{
    for (int32_t i = 0; i < width; i++) {
        const convolve_sums v = convolve_load4(image + i);
        convolve_step(sum, &v, tap[i]);
    }
}

/* Adds the products of an image row to CONVOLVE_ROWS map rows: filter row t for the first map row,
 * and the filter rows above it for the following ones. */
__attribute__((always_inline)) static inline void
convolve_all(convolve_sums sum[CONVOLVE_ROWS], const float *image, const float *tap, int32_t width)
{
    const ptrdiff_t w = width;
    for (int32_t i = 0; i < width; i++) {
        const convolve_sums v = convolve_load4(image + i);
        convolve_step(&sum[0], &v, tap[i]);
        convolve_step(&sum[1], &v, tap[i - w]);
        convolve_step(&sum[2], &v, tap[i - 2 * w]);
        convolve_step(&sum[3], &v, tap[i - 3 * w]);
    }
}

static inline void convolve_store(float *out, const convolve_sums *sum, int32_t left)
{
    float value[CONVOLVE_TILE];
    memcpy(value, sum, sizeof value);
    memcpy(out, value, sizeof *out * (size_t)(left < CONVOLVE_TILE ? left : CONVOLVE_TILE));
}

/* Computes CONVOLVE_ROWS map rows at strip column x. row[jj] is staged image row jj. */
static void convolve_tile(const xncc_filter *filter, const float *const *row, int32_t x,
                          convolve_sums sum[CONVOLVE_ROWS])
{
    const cf zero = { 0 };
    convolve_sums none = { .a = zero, .b = zero };
#if CONVOLVE_VECTORS == 4
    none.c = none.d = zero;
#endif
    convolve_sums s[CONVOLVE_ROWS] = { none, none, none, none };
    const int32_t width = filter->width, height = filter->height;
    for (int32_t jj = 0; jj < height + CONVOLVE_ROWS - 1; jj++) {
        const float *image = row[jj] + x, *tap = filter->taps + (ptrdiff_t)jj * width;
        if (jj >= CONVOLVE_ROWS - 1 && jj < height) {
            convolve_all(s, image, tap, width);
            continue;
        }
        if (jj < height)
            convolve_single(&s[0], image, tap, width);
        if (jj >= 1 && jj - 1 < height)
            convolve_single(&s[1], image, tap - width, width);
        if (jj >= 2 && jj - 2 < height)
            convolve_single(&s[2], image, tap - 2 * (ptrdiff_t)width, width);
        if (jj >= 3)
            convolve_single(&s[3], image, tap - 3 * (ptrdiff_t)width, width);
    }
    memcpy(sum, s, sizeof s);
}

typedef struct convolve_strip {
    const xncc_job *job;
    const xncc_area *area;
    float *ring;
    void *raw;
    int32_t x, width;
    int32_t floats, rows; /* of the ring: floats per row, number of rows */
    int32_t step;         /* columns to compute before asking whether the call is cancelled */
} convolve_strip;

/* Computes `live` map rows from row `done` on, in the strip's columns first .. end - 1. row[jj] is
 * staged image row jj. */
__attribute__((always_inline)) static inline void convolve_tiles(const convolve_strip *t,
                                                                 const float *const *row,
                                                                 int32_t done, int32_t live,
                                                                 int32_t first, int32_t end)
{
    for (int32_t x = first; x < end; x += CONVOLVE_TILE) {
        convolve_sums sum[CONVOLVE_ROWS];
        convolve_tile(t->job->filter, row, x, sum);
        for (int32_t r = 0; r < live; r++)
            convolve_store(t->area->out + (done + r) * t->area->pitch + (t->x - t->area->x) + x,
                           &sum[r], t->width - x);
    }
}

/* Computes map rows done .. done + live - 1 of the area. Small filters take the whole strip at
 * once. */
static void convolve_block(const convolve_strip *t, int32_t done, int32_t live)
{
    const float *row[XNCC_MAX_FILTER + CONVOLVE_ROWS - 1];
    for (int32_t jj = 0; jj < t->rows; jj++)
        row[jj] = t->ring + (ptrdiff_t)((done + jj) % t->rows) * t->floats;
    if (t->step >= t->width) {
        convolve_tiles(t, row, done, live, 0, t->width);
        return;
    }
    for (int32_t x = 0; x < t->width && !xncc_is_cancelled(t->job->watch); x += t->step)
        convolve_tiles(t, row, done, live, x, xncc_min_i32(x + t->step, t->width));
}

static void convolve_down(const convolve_strip *t)
{
    const xncc_job *job = t->job;
    int32_t staged = 0, count = t->width + job->filter->width - 1;
    int64_t left = (int64_t)job->x0 + t->x, top = (int64_t)job->y0 + t->area->y;
    for (int32_t done = 0; done < t->area->height && !xncc_is_cancelled(job->watch);
         done += CONVOLVE_ROWS) {
        for (; staged < done + t->rows; staged++)
            convolve_floats(xncc_border_row(job->image, job->problem->rule.border, top + staged,
                                            left, count, t->raw),
                            job->image->pixel, count,
                            t->ring + (ptrdiff_t)(staged % t->rows) * t->floats);
        convolve_block(t, done, xncc_min_i32(CONVOLVE_ROWS, t->area->height - done));
    }
}

static void convolve_area(const xncc_cpu_kernel *self, const xncc_job *job, void *scratch,
                          const xncc_area *area)
{
    (void)self;
    assert(job->filter->height <= XNCC_MAX_FILTER);
    convolve_strip t = { .job = job, .area = area, .ring = scratch };
    t.floats = convolve_row_floats(job->problem);
    t.rows = convolve_ring(job->problem);
    t.raw = t.ring + (ptrdiff_t)t.rows * t.floats;
    t.step = xncc_columns_to_ask((int64_t)CONVOLVE_ROWS * job->filter->width * job->filter->height,
                                 CONVOLVE_TILE);
    for (int32_t x = 0; x < area->width; x += CONVOLVE_STRIP) {
        t.x = area->x + x;
        t.width = xncc_min_i32(CONVOLVE_STRIP, area->width - x);
        convolve_down(&t);
    }
}

#endif
