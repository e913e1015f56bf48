/* SPDX-License-Identifier: BSD-2-Clause */
/* Exact scores of a few neighbouring windows of 8-bit pixels, for poses that are tried one by
 * one. */
#ifndef XNCC_POSE_PROBE_H
#define XNCC_POSE_PROBE_H

#include "exactncc/image.h"
#include "pose/resample.h"
#include "pose/running.h"

/* The windows of a probe: side x side, row by row. */
enum { XNCC_PROBE_SIDE = 3, XNCC_PROBE_WINDOWS = 9, XNCC_PROBE_FAR_SIDE = 5, XNCC_PROBE_FAR = 25 };

struct xncc_sampling;

/* The pixels of a step, and the most pixels of a window that is divided into steps: their products
 * have a sum below 2^32. */
enum { XNCC_PROBE_STEP = 16, XNCC_PROBE_STEPPED = 1 << 15 };

/* A template of 8-bit pixels. */
typedef struct xncc_pose_probe {
    xncc_pose_pixels of; /* owned; the mask's bytes are 0 and 255; NULL: there are steps alone */
    int32_t *span;       /* per row the first counting column, and one more than the last; owned */
    uint64_t sum, sum2;  /* over the pixels that count */
    double root_var;     /* of n*sum2 - sum^2; 0: flat */
    /* The pixels that count in steps of XNCC_PROBE_STEP of a row. 0: there are none, since some
     * pixel between the first and the last of a row does not count, or the window is narrower than
     * a step or too large. */
    int32_t steps;
    int16_t *word;  /* per step its pixels, 0 for those that another step has; owned */
    int32_t *place; /* per step the row and the column where it begins */
} xncc_pose_probe;

/* The sums of a window over the pixels that count. */
typedef struct xncc_probe_sums {
    uint64_t S, Q, X;
} xncc_probe_sums;

/* The loops over pixels, for an instruction set. */
typedef struct xncc_pose_loops {
    /* Computes the rows first .. end - 1 of a template of bytes with one channel, at scale 1 or
     * more. Both arrays begin with row `first`, and are 0 where the rows will be. Returns how many
     * pixels count. */
    uint64_t (*byte_rows)(const struct xncc_sampling *sampling, int32_t first, int32_t end,
                          uint8_t *pixels, uint8_t *mask);
    /* Sets span, sum and sum2, and makes the mask's bytes 0 and 255. */
    void (*prepare)(xncc_pose_probe *probe);
    /* Adds S, Q and X of `count` windows (1 .. XNCC_PROBE_FAR). Window i begins at image + at[i].
     * pitch: bytes per row of the image. */
    void (*add)(const xncc_pose_probe *probe, const uint8_t *image, int64_t pitch,
                const int64_t *at, int32_t count, xncc_probe_sums *sum);
    /* The same for X alone, by the steps of the probe. NULL: that is not worth it. */
    void (*multiply)(const xncc_pose_probe *probe, const uint8_t *image, int64_t pitch,
                     const int64_t *at, int32_t count, xncc_probe_sums *sum);
    /* Computes a template out of quads (resample.h) whose sides are at most XNCC_PROBE_SAMPLED, at
     * scale 1 or more, without a disc: of.count, span, sum, sum2 and the steps. of.width, which is
     * at least that of a step, and of.height are set. span has room for XNCC_PROBE_ROOM rows more,
     * place for as many steps more. NULL: there is no such loop. */
    void (*sample)(const struct xncc_sampling *sampling, xncc_pose_probe *probe);
    const xncc_running_loops *running;
} xncc_pose_loops;

enum { XNCC_PROBE_SAMPLED = 1 << 8, XNCC_PROBE_ROOM = 3 };

/* Are nine windows a block of 3 x 3? Their addresses then need fewer registers. */
static inline int xncc_probe_is_block(const int64_t *at, int64_t pitch)
{
    int same = 1;
    for (int32_t w = 1; w < XNCC_PROBE_WINDOWS; w++)
        same &= at[w] == at[0] + w / XNCC_PROBE_SIDE * pitch + w % XNCC_PROBE_SIDE;
    return same;
}

/* The windows of a probe that are asked for: those whose top-left pixels are (x, y) .. (x + side -
 * 1, y + side - 1), with side 3 or 5. Bit i of `wanted` stands for window i, row by row. */
typedef struct xncc_probe_block {
    int32_t x, y, side;
    uint32_t wanted;
} xncc_probe_block;

#define XNCC_PROBE_ALL (~UINT32_C(0))
#define XNCC_PROBE_NINE UINT32_C(0x1ff)

/* Those of them that lie in the image: their numbers in the block, and where they begin. The ones
 * of the block that lie there, wanted or not, begin in `across` columns from `left` on and `down`
 * rows from `top` on; there are none if one of the numbers is less than 1. */
typedef struct xncc_probe_list {
    int32_t left, top, across, down, count;
    uint32_t wanted; /* the bits of the block */
    uint8_t number[XNCC_PROBE_FAR];
    int64_t at[XNCC_PROBE_FAR]; /* from the image's first byte on */
} xncc_probe_list;

/* Makes a probe of 8-bit pixels: of `of`; the other members are 0. Returns XNCC_OK or
 * XNCC_ERROR_MEMORY; xncc_pose_probe_clear must follow in any case. */
xncc_status xncc_pose_probe_make(const xncc_pose_loops *loops, xncc_pose_probe *probe,
                                 xncc_error *error);
void xncc_pose_probe_clear(xncc_pose_probe *probe);

/* Makes the probe of a template at a place, by steps alone if that is possible. Then its scores
 * need running sums. Returns the statuses of xncc_pose_resample; xncc_pose_probe_clear must follow
 * in any case. */
xncc_status xncc_pose_probe_of(const xncc_pose_source *source, const xncc_pose_place *place,
                               xncc_pose_probe *probe, xncc_error *error);

/* The bytes of memory that a probe has. */
uint64_t xncc_pose_probe_bytes(const xncc_pose_probe *probe);

/* Sets root_var from of.count, sum and sum2, which xncc_pose_probe_make does as well. */
void xncc_pose_probe_finish(xncc_pose_probe *probe);

/* Lists the windows of a block that lie in the image. width, height: of a window. */
void xncc_probe_list_make(const xncc_probe_block *block, int32_t width, int32_t height,
                          const xncc_image *image, xncc_probe_list *list);

/* Writes the scores of a block from the sums of its list. NaN: the window is flat, not in the
 * image, or not wanted. */
void xncc_probe_list_scores(const xncc_pose_probe *probe, const xncc_probe_list *list,
                            const xncc_probe_sums *sum, int32_t side, double *score);

/* Computes the scores of a block, as above. They are those of xncc_correlate before the rounding to
 * float. running: sums of the image, of which the caller will ask for more blocks nearby, or NULL.
 */
void xncc_pose_probe_scores(const xncc_pose_probe *probe, const xncc_pose_loops *loops,
                            const xncc_image *image, xncc_running *running,
                            const xncc_probe_block *block, double *score);

/* Asks for the pixels of a window that will soon be read, if the image is larger than a cache. Any
 * part of the window may lie outside the image. */
void xncc_probe_fetch(const xncc_image *image, int32_t x, int32_t y, int32_t width, int32_t height);

/* Returns the fastest loops for a processor (plan/machine.h). */
const xncc_pose_loops *xncc_pose_loops_of(uint32_t features);

extern const xncc_pose_loops xncc_pose_loops_portable, xncc_pose_loops_avx2, xncc_pose_loops_avx512;

void xncc_probe_prepare_portable(xncc_pose_probe *probe);
void xncc_probe_sample_avx2(const struct xncc_sampling *sampling, xncc_pose_probe *probe);

#endif
