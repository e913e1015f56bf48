/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows that the edges of the image clip: a window has a rectangle of the template, so N, T and
 * T2 come from integral images of it. Entry (x, y) of an integral image is the sum of what the
 * first x columns and y rows of a plane have; a rectangle is made of four of them.
 *
 * Errors. Sums along the rows and then down the columns are pairs of doubles, whose own errors are
 * of the second order, and each is rounded once when it is stored. With A the sizes of all that is
 * added, an entry is off by 2 u A, and the three subtractions of a rectangle round at most A each:
 * 11 u A. Samples less the pivot were rounded, and so were squares: at most 3 u A more. Counts are
 * exact. */
#include "cpu/kernels/reals_run.h"

#include "image/samples.h"

#include <math.h>
#include <string.h>

/* An integral image of the plane of a channel. power: as in xncc_reals_line. */
static void integrate(const xncc_reals_isa *isa, const xncc_job *job,
                      const xncc_reals_shared *shared, const xncc_reals_scratch *m, int32_t channel,
                      int power, double *to)
{
    const int32_t width = job->templ->width, height = job->templ->height;
    double *high = m->room, *low = m->before; /* sums down the columns */
    memset(high, 0, (size_t)width * sizeof(double));
    memset(low, 0, (size_t)width * sizeof(double));
    memset(to, 0, ((size_t)width + 1) * sizeof(double));
    for (int32_t y = 0; y < height && !xncc_is_cancelled(job->watch); y++) {
        xncc_reals_line line = xncc_reals_templ_line(job, channel, y, m->line);
        line.power = power;
        line.pivot = shared->channel[channel].pivot;
        (void)isa->line(&line);
        to += width + 1;
        to[0] = 0.0;
        xncc_twofold row = { 0.0, 0.0 };
        for (int32_t x = 0; x < width; x++) {
            xncc_twofold_put(&row, m->line[x]);
            m->line[x] = row.high + row.low;
        }
        for (int32_t x = 0; x < width; x++) {
            xncc_twofold column = { high[x], low[x] };
            xncc_twofold_put(&column, m->line[x]);
            high[x] = column.high;
            low[x] = column.low;
            to[x + 1] = column.high + column.low;
        }
    }
}

void xncc_reals_integrate(const xncc_reals_isa *isa, const xncc_job *job,
                          const xncc_reals_shared *shared, const xncc_reals_scratch *m)
{
    integrate(isa, job, shared, m, 0, 0, shared->integral_count);
    for (int32_t c = 0; c < job->templ->channels; c++)
        for (int kind = 0; kind < XNCC_REALS_PLANES; kind++)
            if (shared->integral[c][kind])
                integrate(isa, job, shared, m, c, kind == XNCC_REALS_PLANE_VALUE ? 1 : 2,
                          shared->integral[c][kind]);
}

double xncc_reals_clip(const xncc_reals_run *r, xncc_sum_id sum, int32_t channel)
{
    const xncc_reals_shared *s = r->shared;
    const xncc_template *templ = r->job->templ;
    const xncc_stage *stage = &r->m.stage;
    const int32_t width = templ->width, height = templ->height,
                  kind = sum == XNCC_SUM_T ? XNCC_REALS_PLANE_VALUE : XNCC_REALS_PLANE_SQUARE;
    const double *image = sum == XNCC_SUM_N ? s->integral_count : s->integral[channel][kind],
                 norm = s->norm[channel][XNCC_REALS_PLANE_VALUE], u = 0x1p-53;
    for (int32_t y = 0; y < r->area->height; y++) {
        const int64_t top = stage->top + y;
        const double *above = image + (ptrdiff_t)xncc_clip_index(-top, height) * (width + 1),
                     *below = image +
                              (ptrdiff_t)xncc_clip_index(r->job->image->height - top, height) *
                                  (width + 1);
        double *to = r->m.sum[sum] + (ptrdiff_t)y * r->stride;
        for (int32_t x = 0; x < r->area->width; x++) {
            const int32_t left = xncc_clip_index(-(stage->left + x), width),
                          right = xncc_clip_index(r->job->image->width - (stage->left + x), width);
            to[x] = (below[right] - above[right]) - (below[left] - above[left]);
        }
    }
    return 16.0 * u *
           (sum == XNCC_SUM_T ? sqrt((double)r->job->general.whole) * norm : norm * norm);
}
