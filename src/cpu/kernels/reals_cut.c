/* SPDX-License-Identifier: BSD-2-Clause */
/* How samples are cut into slices (reals_cut.h). */
#include "cpu/kernels/reals_cut.h"

#include "cpu/kernels/reals_planes.h"

#include <math.h>

enum { END_OF_RANGE = 900 }; /* the exponents of doubles that are multiplied by weights */

static xncc_slicing slicing_of(const xncc_reals_span *span, double unit)
{
    const double most = xncc_reals_most(span);
    xncc_slicing s = { .scale = 1.0, .exponent = isinf(unit) ? 0 : ilogb(unit) };
    s.bits = most > 0.0 ? ilogb(most) + 1 - s.exponent : 1;
    const int middle = s.exponent + s.bits / 2;
    if (s.exponent <= -END_OF_RANGE || s.exponent + s.bits > END_OF_RANGE)
        s.scale = ldexp(1.0, middle < -1000 ? 1000 : -middle);
    s.unit = ldexp(s.scale, s.exponent);
    return s;
}

/* Is the range of samples far enough from its ends, once they are scaled? */
static int fits_range(const xncc_slicing *s)
{
    return s->unit > ldexp(1.0, -END_OF_RANGE) &&
           ldexp(s->unit, s->bits) <= ldexp(1.0, END_OF_RANGE);
}

/* The largest sum of direct products, which are integers. */
static const double most_directly = 0x1p50;

/* Transforms are off by less than 0.45 then. */
int xncc_reals_slices_fit(const xncc_reals_run *r, int32_t pairs, const xncc_slice_norms *norms)
{
    const double u = 0x1p-53, of_pairs = (4.0 * pairs + 6.0) * u,
                 error = (r->of_slices.factor - r->of_slices.of_rows + of_pairs) * norms->all +
                         r->of_slices.of_rows * norms->rows;
    return r->of_slices.fft ? 1.01 * error <= 0.45 : 1.01 * norms->all <= most_directly;
}

/* The rows of the image that a window has. */
static int32_t window_rows(const xncc_reals_run *r)
{
    return xncc_min_i32(r->job->templ->height, r->m.stage.height);
}

/* Are sums of `pairs` products of integers of two planes exact, of which each product is at most
 * `most` in magnitude? */
static int products_fit(const xncc_reals_run *r, double most, int32_t pairs)
{
    const double n = (double)r->job->templ->width * (double)r->job->templ->height,
                 width = (double)r->m.stage.width, products = pairs * most;
    const xncc_slice_norms norms = { sqrt(width * r->m.stage.height * n) * products,
                                     sqrt(width * window_rows(r) * n) * products };
    return r->of_slices.fft ? xncc_reals_slices_fit(r, pairs, &norms)
                            : n * products <= most_directly;
}

/* The largest magnitude of an integer of a plane. The last plane has the bits that are left. */
static double most_of(const xncc_planes *planes)
{
    const int all = planes->kind == XNCC_PLANES_SQUARE ? 2 * planes->of.bits : planes->of.bits,
              left = all - planes->bits * (planes->count - 1);
    return planes->kind == XNCC_PLANES_COUNT
               ? 1.0
               : ldexp(1.0, left < planes->bits ? planes->bits - 1 : left);
}

int xncc_reals_planes_fit(const xncc_reals_run *r, const xncc_planes *image,
                          const xncc_planes *templ)
{
    return image->count <= XNCC_MOST_PLANES && templ->count <= XNCC_MOST_PLANES &&
           products_fit(r, most_of(image) * most_of(templ),
                        xncc_min_i32(image->count, templ->count));
}

/* The span of the samples of the rectangle. */
static xncc_reals_span measure(xncc_reals_run *r)
{
    xncc_reals_span span = { 0.0, 0.0, INFINITY };
    for (int32_t c = 0; c < r->job->templ->channels; c++)
        for (int32_t yy = 0; yy < r->m.stage.height && !xncc_is_cancelled(r->job->watch); yy++) {
            (void)xncc_reals_read_line(r, yy, c, 0.0, 1, r->m.line);
            r->isa->span(r->m.line, r->m.stage.width, &span);
        }
    return span;
}

/* ---- the bits of slices ---- */

enum { LEAST_BITS = 7 };

/* Planes of samples in slices of so many bits, of the image or the template. */
static xncc_planes cut_planes(const xncc_cut *cut, int of_templ, int32_t channel, int bits)
{
    const xncc_slicing *of = of_templ ? &cut->templ : &cut->image;
    return (xncc_planes){ .kind = XNCC_PLANES_VALUE,
                          .of_templ = of_templ,
                          .channel = channel,
                          .of = *of,
                          .bits = bits,
                          .count = xncc_slices_of(of->bits, bits) - (of_templ ? 0 : cut->joined) };
}

static int fits_surely(const xncc_reals_run *r, const xncc_cut *cut, int bits)
{
    const xncc_planes image = cut_planes(cut, 0, 0, bits), templ = cut_planes(cut, 1, 0, bits);
    return xncc_reals_planes_fit(r, &image, &templ);
}

/* About the sum of the squares of all planes of a channel, from some of their rows, and about the
 * largest one of the rows of a window. */
static xncc_slice_norms sample_squares(xncc_reals_run *r, const xncc_planes *planes)
{
    enum { ROWS = 24 };
    const int32_t rows = planes->of_templ ? r->job->templ->height : r->m.stage.height,
                  step = rows / ROWS | 1; /* odd, since rows often differ by turns */
    double all = 0.0, most = 0.0;
    for (int32_t y = step / 2; y < rows && !xncc_is_cancelled(r->job->watch); y += step) {
        double square = 0.0;
        (void)xncc_reals_read_planes(r, planes, y, r->m.plane_rows, &square);
        all += square;
        most = fmax(most, square);
    }
    return (xncc_slice_norms){ all * step, fmin(all * step, most * window_rows(r)) };
}

/* Of image and template, in slices of so many bits; all 0: unknown. */
typedef struct sampled {
    int bits;
    xncc_slice_norms norms;
} sampled;

static xncc_slice_norms scale_norms(const xncc_slice_norms *of, double factor)
{
    return (xncc_slice_norms){ of->all * factor, of->rows * factor };
}

/* Will the slices of the cut probably do? A slice of one bit less is about half as large, or a
 * little more, so that a sample of more bits may answer. */
static int fits_probably(xncc_reals_run *r, const xncc_cut *cut, sampled *known)
{
    const double margin = 1.1;
    const xncc_slice_norms least = scale_norms(&known->norms,
                                               ldexp(1.0, 2 * (cut->bits - known->bits)));
    for (int32_t c = 0; c < r->job->templ->channels; c++) {
        const xncc_planes image = cut_planes(cut, 0, c, cut->bits),
                          templ = cut_planes(cut, 1, c, cut->bits);
        const int32_t pairs = xncc_min_i32(image.count, templ.count);
        if (c == 0 && !xncc_reals_slices_fit(r, pairs, &least))
            return 0;
        const xncc_slice_norms square = sample_squares(r, &image);
        const double of_templ = sample_squares(r, &templ).all;
        *known = (sampled){ cut->bits,
                            { sqrt(square.all * of_templ), sqrt(square.rows * of_templ) } };
        const xncc_slice_norms likely = scale_norms(&known->norms, margin);
        if (!xncc_reals_slices_fit(r, pairs, &likely))
            return 0;
    }
    return 1;
}

/* The 2-norms of planes are mostly far below their bounds: a sample has few slices that are not 0,
 * and few of those are as large as they may be. So wider slices than are sure to do are tried if
 * there are fewer of them then; and of those, the narrowest. If the last slice of the image has
 * hardly any bits, it is tried without. */
void xncc_reals_widen_slices(xncc_reals_run *r, xncc_cut *cut)
{
    enum { MOST_MORE = 4, FEW_BITS = 1 };
    const int most = xncc_min_i32(cut->sure + MOST_MORE, XNCC_DIGIT_BITS);
    sampled known = { most, { 0.0, 0.0 } };
    for (cut->bits = most; cut->bits > cut->sure; cut->bits--) {
        const int32_t image = xncc_slices_of(cut->image.bits, cut->bits),
                      templ = xncc_slices_of(cut->templ.bits, cut->bits);
        cut->joined = image > 1 && cut->image.bits - cut->bits * (image - 1) <= FEW_BITS;
        if (cut->joined && fits_probably(r, cut, &known))
            return;
        cut->joined = 0;
        if ((image < xncc_slices_of(cut->image.bits, cut->bits - 1) ||
             templ < xncc_slices_of(cut->templ.bits, cut->bits - 1)) &&
            fits_probably(r, cut, &known))
            return;
    }
}

int xncc_reals_cut(xncc_reals_run *r, xncc_cut *cut)
{
    const xncc_reals_span image = measure(r), templ = r->shared->span;
    const int difference = xncc_method_of_difference(r->job->problem->rule.method);
    const double both = fmin(image.unit, templ.unit);
    cut->image = slicing_of(&image, difference ? both : image.unit);
    cut->templ = slicing_of(&templ, difference ? both : templ.unit);
    if (!fits_range(&cut->image) || !fits_range(&cut->templ))
        return 0;
    cut->joined = 0;
    for (cut->sure = XNCC_DIGIT_BITS; !fits_surely(r, cut, cut->sure); cut->sure--)
        if (cut->sure == LEAST_BITS)
            return 0;
    cut->bits = cut->sure;
    return 1;
}
