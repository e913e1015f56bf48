/* SPDX-License-Identifier: BSD-2-Clause */
/* Floats that are integers times a power of two (reals_run.h): pictures of 8 and 16 bits stored as
 * floats, labels, counts. Their sums are exact in double, as long as they have few enough bits. */
#include "cpu/kernels/reals_run.h"

#include <math.h>

/* Units between the least and the largest sample for which it is worth a closer look. */
static const double most_units = 1 << 25;

/* Extends the span by row yy of all channels. Where all pixels count, it does not matter which
 * sample is of which channel, so they are read as they lie, `width` at a time. */
static void add_row(const xncc_reals_run *r, int32_t yy, xncc_reals_span *span)
{
    const xncc_stage *stage = &r->m.stage;
    const xncc_pixel pixel = r->job->templ->pixel;
    const int32_t channels = r->job->templ->channels;
    const char *raw = xncc_stage_raw(stage, yy);
    for (int32_t c = 0; c < channels; c++) {
        if (stage->count) {
            (void)xncc_reals_read_line(r, yy, c, 0.0, 1, r->m.line);
        } else {
            const size_t at = (size_t)c * (size_t)stage->width * xncc_pixel_size(pixel);
            (void)r->isa->line(&(xncc_reals_line){ .raw = raw + at,
                                                   .pixel = pixel,
                                                   .channels = 1,
                                                   .width = stage->width,
                                                   .power = 1,
                                                   .out = r->m.line });
        }
        r->isa->span(r->m.line, stage->width, span);
    }
}

static const xncc_reals_grid none = { 0.0, 0.0, 0.0, 0.0 };

xncc_reals_grid xncc_reals_find_grid(const xncc_reals_run *r)
{
    xncc_reals_span span = { INFINITY, -INFINITY, INFINITY };
    if (r->shared->grid == 0.0)
        return none;
    for (int32_t yy = 0; yy < r->m.stage.height && !xncc_is_cancelled(r->job->watch); yy++) {
        add_row(r, yy, &span);
        if (span.high - span.low > most_units * span.unit)
            return none;
    }
    if (isinf(span.unit)) /* all samples are 0 */
        span.unit = r->shared->grid;
    if (!xncc_reals_unit_is_usable(span.unit))
        return none;
    xncc_reals_grid grid = { span.unit, r->shared->grid, span.low, span.high };
    if (xncc_method_of_difference(r->job->problem->rule.method))
        grid.unit = grid.templ_unit = fmin(grid.unit, grid.templ_unit);
    return grid;
}

xncc_reals_grid xncc_reals_merge_grids(const xncc_reals_grid *a, const xncc_reals_grid *b)
{
    const xncc_reals_grid both = { fmin(a->unit, b->unit), fmin(a->templ_unit, b->templ_unit),
                                   fmin(a->low, b->low), fmax(a->high, b->high) };
    return both.high - both.low > most_units * both.unit ? none : both;
}

int xncc_reals_sums_are_exact(const xncc_reals_run *r, int32_t channel, const xncc_reals_errors *e)
{
    const double half = 0.49, v = r->grid.unit, t = r->grid.templ_unit;
    const xncc_template *templ = r->job->templ;
    if (v == 0.0)
        return 0;
    const double pivot = r->pivot[channel],
                 most = fmax(fabs(r->grid.high - pivot), fabs(r->grid.low - pivot)) / v,
                 templ_most = r->shared->largest / t;
    return xncc_reals_sums_fit(templ, fmax(most, templ_most)) && e->X <= half * v * t &&
           e->S <= half * v && e->Q <= half * v * v && e->T <= half * t && e->T2 <= half * t * t;
}
