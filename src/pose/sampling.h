/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the pixels of a pose lie in the template, in fixed point, and what they weigh. */
#ifndef XNCC_POSE_SAMPLING_H
#define XNCC_POSE_SAMPLING_H

#include "pose/resample.h"

/* Positions are in units of 2^-33 pixels; a window's pixel is a whole number of half pixels from
 * its centre. Sides are at most 2^14, steps per half pixel at most 2^36 * 2^-33: everything is
 * below 2^53. */
typedef struct xncc_sampling {
    const xncc_pose_source *source;
    int32_t width, height;      /* of the window */
    int64_t cos, sin;           /* template positions per half pixel of the window */
    int64_t centre_x, centre_y; /* the template position of the window's centre */
    double per_cos, per_sin;    /* pixels of the window per unit of position; 0: cos, sin is 0 */
    int32_t fine;               /* K: positions per pixel and axis */
    int32_t fine_bits;          /* log2(K) */
    int64_t fine_cos, fine_sin; /* template positions per half step between fine positions */
    double disc;                /* XNCC_SUPPORT_DISC: the square of the radius in half pixels, else
                                   infinite */
} xncc_sampling;

xncc_sampling xncc_sampling_of(const xncc_pose_source *source, const xncc_pose_place *place);

/* One position: the pixel at its upper left, and the weights in 256ths of the next one. */
typedef struct xncc_tap {
    int32_t x, y, wx, wy;
} xncc_tap;

enum { XNCC_TAP_BITS = 8, XNCC_TAP_ONE = 1 << XNCC_TAP_BITS };

/* Finds the pixels and weights of a position. Returns 0 if a pixel with a weight is outside the
 * template or does not count. */
static inline int xncc_tap_at(const xncc_pose_source *from, int64_t u, int64_t v, xncc_tap *tap)
{
    const int64_t half = INT64_C(1) << (32 - XNCC_TAP_BITS);
    const int64_t pu = (u + half) >> (33 - XNCC_TAP_BITS), pv = (v + half) >> (33 - XNCC_TAP_BITS);
    tap->x = (int32_t)(pu >> XNCC_TAP_BITS);
    tap->y = (int32_t)(pv >> XNCC_TAP_BITS);
    tap->wx = (int32_t)(pu & (XNCC_TAP_ONE - 1));
    tap->wy = (int32_t)(pv & (XNCC_TAP_ONE - 1));
    const int32_t right = tap->wx > 0, below = tap->wy > 0;
    if (tap->x < 0 || tap->y < 0 || tap->x + right >= from->width || tap->y + below >= from->height)
        return 0;
    if (!from->mask)
        return 1;
    const uint8_t *mask = from->mask + (size_t)tap->y * (size_t)from->width + tap->x,
                  *next = mask + (below ? from->width : 0);
    return mask[0] && mask[right] && next[0] && next[right];
}

/* Finds the position number (i, j) of pixel (x, y) of the window; returns as above. */
static inline int xncc_tap_of(const xncc_sampling *s, int32_t x, int32_t y, int32_t i, int32_t j,
                              xncc_tap *tap)
{
    const int64_t dx = 2 * (int64_t)x - (s->width - 1), dy = 2 * (int64_t)y - (s->height - 1),
                  di = 2 * (int64_t)i - (s->fine - 1), dj = 2 * (int64_t)j - (s->fine - 1);
    const int64_t u = s->centre_x + s->cos * dx - s->sin * dy + s->fine_cos * di - s->fine_sin * dj,
                  v = s->centre_y + s->sin * dx + s->cos * dy + s->fine_sin * di + s->fine_cos * dj;
    return xncc_tap_at(s->source, u, v, tap);
}

/* Is a pixel of the window outside the disc? */
static inline int xncc_is_beyond_disc(const xncc_sampling *s, int32_t x, int32_t y)
{
    const double dx = 2.0 * x - (s->width - 1), dy = 2.0 * y - (s->height - 1);
    return dx * dx + dy * dy > s->disc;
}

/* A row of the window, where one pixel has one position: that of pixel 0, and the pixels that can
 * count, first .. end - 1. */
typedef struct xncc_sampled_row {
    int64_t u, v;
    int32_t first, end;
} xncc_sampled_row;

/* Leaves out of a row the pixels that lie outside the template along one axis, of which a pixel at
 * either end can stay. The position of pixel 0 is `start`. per: as in xncc_sampling. */
static inline void xncc_cut_row(double start, double per, int32_t extent, xncc_sampled_row *row)
{
    const double low = -0x1p26, high = (extent - 1) * 0x1p33 + 0x1p26; /* 1/128 pixel more */
    if (per == 0.0) {
        row->end = start < low || start > high ? row->first : row->end;
        return;
    }
    const double p = (low - start) * per, q = (high - start) * per;
    const double from = (p < q ? p : q) - 0.5, to = (p < q ? q : p) + 1.5;
    if (from > row->first)
        row->first = from < row->end ? (int32_t)from : row->end;
    if (to < row->end)
        row->end = to > row->first ? (int32_t)to : row->first;
}

static inline xncc_sampled_row xncc_sampled_row_of(const xncc_sampling *s, int32_t y)
{
    const int64_t dy = 2 * (int64_t)y - (s->height - 1), left = 1 - (int64_t)s->width;
    xncc_sampled_row row = { .u = s->centre_x + s->cos * left - s->sin * dy,
                             .v = s->centre_y + s->sin * left + s->cos * dy,
                             .end = s->width };
    xncc_cut_row((double)row.u, s->per_cos, s->source->width, &row);
    xncc_cut_row((double)row.v, s->per_sin, s->source->height, &row);
    return row;
}

/* Computes the pixels first .. end - 1 of row y one by one. `pixels` and `mask` are those of the
 * row. */
uint64_t xncc_pose_byte_pixels(const xncc_sampling *sampling, int32_t y,
                               const xncc_sampled_row *row, uint8_t *pixels, uint8_t *mask);

/* These are byte_rows of xncc_pose_loops. */
uint64_t xncc_pose_byte_rows_portable(const xncc_sampling *sampling, int32_t first, int32_t end,
                                      uint8_t *pixels, uint8_t *mask);
uint64_t xncc_pose_byte_rows_avx2(const xncc_sampling *sampling, int32_t first, int32_t end,
                                  uint8_t *pixels, uint8_t *mask);
uint64_t xncc_pose_byte_rows_avx512(const xncc_sampling *sampling, int32_t first, int32_t end,
                                    uint8_t *pixels, uint8_t *mask);

/* Computes the channels of a pixel of floats to `out`. Returns 0 if the pixel does not count. */
int xncc_pose_real_pixel(const xncc_sampling *sampling, int32_t x, int32_t y, void *out);

#endif
