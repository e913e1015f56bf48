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

void xncc_reals_clear_planes(xncc_reals_run *r)
{
    const size_t line = (size_t)r->m.stage.pitch;
    memset(r->m.line, 0, line * sizeof(double));
    memset(r->m.digit_rows, 0, line * XNCC_MOST_DIGITS * sizeof(double));
    memset(r->m.plane_rows, 0, line * XNCC_MOST_PLANES * sizeof(double));
}

uint64_t xncc_reals_slice_line(const xncc_reals_run *r, const xncc_slicing *of, int bits,
                               int32_t count, int32_t width, double *out, double *square)
{
    const xncc_reals_slicing slicing = { of->scale, of->unit, ldexp(1.0, bits), count,
                                         (ptrdiff_t)r->m.stage.pitch };
    double unused = 0.0;
    return r->isa->slices(r->m.line, width, &slicing, out, square ? square : &unused);
}

static uint64_t square_line(xncc_reals_run *r, const xncc_planes *planes, int32_t width,
                            double *out)
{
    const size_t line = (size_t)r->m.stage.pitch;
    const int32_t digits = xncc_slices_of(planes->of.bits, XNCC_DIGIT_BITS);
    uint64_t any = 0;
    (void)xncc_reals_slice_line(r, &planes->of, XNCC_DIGIT_BITS, digits, width, r->m.digit_rows,
                                NULL);
    r->isa->digits->squares(r->m.digit_rows, (ptrdiff_t)line, digits, width, out, planes->count);
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

uint64_t xncc_reals_read_planes(xncc_reals_run *r, const xncc_planes *planes, int32_t y,
                                double *out, double *square)
{
    const int32_t width = planes->of_templ ? r->job->templ->width : r->m.stage.width;
    if (planes->kind == XNCC_PLANES_COUNT)
        return count_line(r, planes, y, out);
    if (planes->of_templ)
        xncc_reals_read_templ_line(r, planes->channel, y);
    else
        (void)xncc_reals_read_line(r, y, planes->channel, 0.0, 1, r->m.line);
    return planes->kind == XNCC_PLANES_SQUARE
               ? square_line(r, planes, width, out)
               : xncc_reals_slice_line(r, &planes->of, planes->bits, planes->count, width, out,
                                       square);
}
