/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of planes of slices (reals_planes.h). */
#include "cpu/kernels/reals_planes.h"

#include <math.h>
#include <string.h>

void xncc_reals_read_templ_line(xncc_reals_run *r, int32_t channel, int32_t j)
{
    const xncc_template *templ = r->job->templ;
    const size_t width = (size_t)templ->width;
    memcpy(r->m.line, r->shared->value[channel] + (size_t)j * width, width * sizeof(double));
    memset(r->m.line + width, 0, XNCC_REALS_ROOM * sizeof(double));
}

void xncc_reals_clear_planes(xncc_reals_run *r, int32_t planes)
{
    const size_t line = (size_t)r->m.stage.pitch;
    memset(r->m.line, 0, line * sizeof(double));
    memset(r->m.digit_rows, 0, line * XNCC_MOST_DIGITS * sizeof(double));
    memset(r->m.plane_rows, 0, line * (size_t)planes * sizeof(double));
}

int xncc_reals_take_slice(const xncc_reals_run *r, const xncc_planes *planes, int32_t k,
                          int32_t width, double *out, double *square)
{
    const int is_last = k == planes->count - 1;
    const double factor = is_last ? 1.0 / ldexp(planes->of.unit, planes->bits * k)
                                  : ldexp(1.0, planes->bits);
    if (is_last && planes->of.scale != 1.0)
        xncc_reals_scale(r->m.line, width, planes->of.scale, 0.0, r->m.line);
    return r->isa->slice(r->m.line, width, factor, out, square);
}

uint64_t xncc_reals_slice_line(const xncc_reals_run *r, const xncc_planes *planes, int32_t width,
                               double *out, double *square)
{
    uint64_t any = 0;
    for (int32_t k = planes->count - 1; k >= 0; k--)
        any |= (uint64_t)xncc_reals_take_slice(r, planes, k, width,
                                               out + (ptrdiff_t)k * r->m.stage.pitch, &square[k])
               << k;
    return any;
}

static uint64_t square_line(xncc_reals_run *r, const xncc_planes *planes, int32_t width,
                            double *out)
{
    const size_t line = (size_t)r->m.stage.pitch;
    xncc_planes digits = *planes;
    double unused[XNCC_MOST_PLANES] = { 0.0 };
    uint64_t any = 0;
    digits.count = xncc_slices_of(planes->of.bits, XNCC_DIGIT_BITS);
    (void)xncc_reals_slice_line(r, &digits, width, r->m.digit_rows, unused);
    r->isa->digits->squares(r->m.digit_rows, (ptrdiff_t)line, digits.count, width, out,
                            planes->count);
    for (int32_t k = 0; k < planes->count; k++)
        any |= (uint64_t)(r->isa->range(out + (size_t)k * line, width, 0.0).most > 0.0) << k;
    return any;
}

/* Which pixels of row y count, 1 or 0 each. */
static uint64_t count_line(xncc_reals_run *r, const xncc_planes *planes, int32_t y, double *out)
{
    const xncc_template *templ = r->job->templ;
    if (!planes->of_templ) {
        (void)xncc_reals_read_line(r, y, 0, 0.0, 0, out);
        return 1;
    }
    for (int32_t i = 0; i < templ->width; i++)
        out[i] = !templ->mask || templ->mask[(size_t)y * (size_t)templ->width + (size_t)i];
    return 1;
}

int32_t xncc_reals_read_samples(xncc_reals_run *r, const xncc_planes *planes, int32_t y)
{
    if (planes->of_templ)
        xncc_reals_read_templ_line(r, planes->channel, y);
    else
        (void)xncc_reals_read_line(r, y, planes->channel, 0.0, 1, r->m.line);
    return planes->of_templ ? r->job->templ->width : r->m.stage.width;
}

uint64_t xncc_reals_read_planes(xncc_reals_run *r, const xncc_planes *planes, int32_t y,
                                double *out, double *square)
{
    if (planes->kind == XNCC_PLANES_COUNT)
        return count_line(r, planes, y, out);
    const int32_t width = xncc_reals_read_samples(r, planes, y);
    return planes->kind == XNCC_PLANES_SQUARE
               ? square_line(r, planes, width, out)
               : xncc_reals_slice_line(r, planes, width, out, square);
}
