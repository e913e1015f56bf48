/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows in doubt of which some pixels do not count: all sums of one window again, from its own
 * samples, so that their errors are relative to these and not to all samples of the rectangle. They
 * are added as in reals_again.c, in a fraction of the time that pairs of doubles take. */
#include "cpu/kernels/reals_run.h"

#include <math.h>
#include <string.h>

enum { LEAST_PIXELS = 256 }; /* of a window: pairs of doubles take as long for smaller ones */

/* Bounds of the sums of the sizes that are added. */
typedef struct sizes {
    double of[XNCC_SUMS];
} sizes;

/* v: |v|; t: |t|; n: pixels. */
static sizes sizes_of(double v, double t, double n)
{
    return (sizes){ .of = { [XNCC_SUM_X] = 1.01 * v * t,
                            [XNCC_SUM_S] = 1.01 * v * sqrt(n),
                            [XNCC_SUM_Q] = 1.01 * v * v,
                            [XNCC_SUM_T] = 1.01 * t * sqrt(n),
                            [XNCC_SUM_T2] = 1.01 * t * t } };
}

/* What sums begin with, from the sizes in the whole rectangle. Returns 0 if some are too large. */
static int choose_beginnings(const sizes *whole, sizes *most)
{
    for (int s = 0; s < XNCC_SUMS; s++) {
        if (!(whole->of[s] < 0x1p600))
            return 0;
        most->of[s] = fmax(whole->of[s], 0x1p-590);
    }
    return 1;
}

/* A channel's row j of the window at column x of row y of the rectangle. */
static xncc_reals_pixels row_of(const xncc_reals_run *r, int32_t channel, int32_t x, int32_t y,
                                int32_t j)
{
    const xncc_template *templ = r->job->templ;
    const xncc_stage *stage = &r->m.stage;
    const ptrdiff_t at = (ptrdiff_t)j * templ->width;
    const void *raw = xncc_reals_raw(r, x, y + j, templ->width);
    xncc_reals_pixels row = { .raw = raw,
                              .pixel = templ->pixel,
                              .width = templ->width,
                              .pivot = r->pivot[channel],
                              .templ = r->shared->value[channel] + at,
                              .templ_pivot = r->shared->channel[channel].pivot,
                              .count = stage->count ? stage->count + (y + j) * stage->pitch + x
                                                    : NULL,
                              .mask = templ->mask ? templ->mask + at : NULL };
    if (templ->channels > 1) {
        r->isa->pick(&(xncc_reals_line){ .raw = raw,
                                         .pixel = templ->pixel,
                                         .channels = templ->channels,
                                         .channel = channel,
                                         .width = templ->width,
                                         .out = r->m.refine.v });
        row.raw = r->m.refine.v;
        row.pixel = XNCC_F64;
    }
    return row;
}

/* The sums of a channel of a window, each at the beginning of a vector. Returns a bound of |v|. */
static double sum_channel(const xncc_reals_run *r, int32_t channel, int32_t x, int32_t y,
                          const sizes *most, double sum[XNCC_SUMS][XNCC_MOST_LANES])
{
    const xncc_template *templ = r->job->templ;
    xncc_reals_cut_sums begun[XNCC_SUMS], sums[XNCC_SUMS];
    for (int s = 0; s < XNCC_SUMS; s++)
        xncc_reals_cut_begin(&begun[s], most->of[s]);
    memcpy(sums, begun, sizeof sums);
    for (int32_t j = 0; j < templ->height; j++) {
        const xncc_reals_pixels row = row_of(r, channel, x, y, j);
        r->isa->pixels(&row, sums);
    }
    for (int s = 0; s < XNCC_SUMS; s++) {
        memset(sum[s], 0, sizeof sum[s]);
        sum[s][0] = xncc_reals_cut_total(&sums[s], &begun[s]);
    }
    return sqrt(1.01 * fabs(sum[XNCC_SUM_Q][0]) +
                2.0 * xncc_reals_cut_error(templ->width, templ->height, 0.0, most->of[XNCC_SUM_Q]));
}

/* Sets the bounds of the sums of a channel. v, t: |v| and |t|. */
static void bound_sums(const xncc_reals_run *r, const sizes *most, double v, double t,
                       xncc_reals_row *row)
{
    const sizes own = sizes_of(v, t, (double)r->job->general.whole);
    double error[XNCC_SUMS];
    for (int s = 0; s < XNCC_SUMS; s++)
        error[s] = xncc_reals_cut_error(r->job->templ->width, r->job->templ->height, own.of[s],
                                        most->of[s]) +
                   XNCC_REALS_TINY;
    row->error.X = error[XNCC_SUM_X];
    row->error.S = row->error.S_window = error[XNCC_SUM_S];
    row->error.Q = error[XNCC_SUM_Q];
    row->error.of_Q = 0x1p-50;
    if (row->T) /* else a constant that is known */
        row->error.T = error[XNCC_SUM_T];
    if (row->T2)
        row->error.T2 = error[XNCC_SUM_T2];
}

int xncc_reals_settle_masked(xncc_reals_run *r, int32_t x, int32_t y, float *score)
{
    const xncc_template *templ = r->job->templ;
    double sum[XNCC_MAX_CHANNELS][XNCC_SUMS][XNCC_MOST_LANES],
        total[6][XNCC_MOST_LANES] = { { 0 } };
    xncc_reals_row row[XNCC_MAX_CHANNELS];
    if (r->bad || r->exact || (double)templ->width * templ->height < LEAST_PIXELS)
        return 0;
    for (int32_t c = 0; c < templ->channels; c++) {
        const double t = r->shared->norm[c][XNCC_REALS_PLANE_VALUE];
        const sizes whole = sizes_of(r->norm[c], t, (double)r->job->general.whole);
        sizes most;
        if (!choose_beginnings(&whole, &most))
            return 0;
        const double v = sum_channel(r, c, x, y, &most, sum[c]);
        if (r->m.row[c].N)
            sum[c][XNCC_SUM_N][0] = r->m.sum[XNCC_SUM_N][(ptrdiff_t)y * r->stride + x];
        row[c] = xncc_reals_row_of_one(&r->m.row[c], sum[c], total, score);
        bound_sums(r, &most, v, t, &row[c]);
    }
    return !r->isa->score(row, templ->channels);
}
