/* SPDX-License-Identifier: BSD-2-Clause */
/* How samples are cut into slices (reals_cut.h). */
#include "cpu/kernels/reals_cut.h"

#include "cpu/kernels/reals_planes.h"

#include <math.h>
#include <string.h>

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

/* What transforms may be off by: less than the 1/2 that could round to another integer. */
static const double most_by_transforms = 0.49;

/* The largest sum of norms' products, of all pairs of planes that have one weight, each product
 * times `factor`, and times `of_rounding` for each rounding that it takes part in: sums begin with
 * the lowest plane of the image, and the product is rounded, too. */
static double largest_sum(const xncc_slice_norms *norms, double factor, double of_rounding)
{
    double largest = 0.0;
    for (int32_t w = 0; w < norms->count[0] + norms->count[1] - 1; w++) {
        const int32_t first = w < norms->count[1] ? 0 : w - norms->count[1] + 1,
                      end = xncc_min_i32(w + 1, norms->count[0]);
        double sum = 0.0;
        for (int32_t i = first; i < end; i++) {
            const int32_t roundings = xncc_min_i32(end - i + 1, end - first);
            sum += (factor + of_rounding * roundings) * norms->of[0][i] * norms->of[1][w - i];
        }
        largest = fmax(largest, sum);
    }
    return largest;
}

static double norm_of_all(const double *norm, int32_t count)
{
    double square = 0.0;
    for (int32_t k = 0; k < count; k++)
        square += norm[k] * norm[k];
    return sqrt(square);
}

/* Slices are not rounded, and that of a pair counts its product. */
int xncc_reals_slices_fit(const xncc_reals_run *r, const xncc_slice_norms *norms)
{
    const double u = 0x1p-53, of_rounding = XNCC_FFT_OF_PAIR_ROUNDING * u,
                 of_pair = XNCC_FFT_OF_PAIR - (XNCC_FFT_OF_SAMPLES - XNCC_FFT_OF_SCALE);
    if (!r->of_slices.fft)
        return 1.01 * largest_sum(norms, 1.0, 0.0) <= most_directly;
    const double factor = r->of_slices.factor - r->of_slices.of_rows + of_pair * u,
                 of_rows = r->of_slices.of_rows * norms->band *
                           norm_of_all(norms->of[1], norms->count[1]);
    return 1.01 * (largest_sum(norms, factor, of_rounding) + of_rows) <= most_by_transforms;
}

/* The rows of the image that a window has. */
static int32_t window_rows(const xncc_reals_run *r)
{
    return xncc_min_i32(r->job->templ->height, r->m.stage.height);
}

/* The largest magnitude of an integer of plane k. The last plane has the bits that are left. */
static double most_of(const xncc_planes *planes, int32_t k)
{
    const int all = planes->kind == XNCC_PLANES_SQUARE ? 2 * planes->of.bits : planes->of.bits;
    return planes->kind == XNCC_PLANES_COUNT ? 1.0
           : k < planes->count - 1           ? ldexp(1.0, planes->bits - 1)
                                             : ldexp(1.0, all - planes->bits * k);
}

int xncc_reals_planes_fit(const xncc_reals_run *r, const xncc_planes *image,
                          const xncc_planes *templ)
{
    const double width = (double)r->m.stage.width,
                 n = (double)r->job->templ->width * (double)r->job->templ->height;
    const double pixels[] = { r->of_slices.fft ? width * r->m.stage.height : n, n };
    const xncc_planes *planes[] = { image, templ };
    xncc_slice_norms norms = { .count = { image->count, templ->count } };
    if (image->count > XNCC_MOST_PLANES || templ->count > XNCC_MOST_PLANES)
        return 0;
    for (int i = 0; i < 2; i++)
        for (int32_t k = 0; k < norms.count[i]; k++)
            norms.of[i][k] = sqrt(pixels[i]) * most_of(planes[i], k);
    norms.band = sqrt((double)window_rows(r) / r->m.stage.height) *
                 norm_of_all(norms.of[0], norms.count[0]);
    return xncc_reals_slices_fit(r, &norms);
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
                          .count = xncc_slices_of(of->bits, bits) - cut->joined[of_templ] };
}

static int fits_surely(const xncc_reals_run *r, const xncc_cut *cut, int bits)
{
    const xncc_planes image = cut_planes(cut, 0, 0, bits), templ = cut_planes(cut, 1, 0, bits);
    return xncc_reals_planes_fit(r, &image, &templ);
}

/* Samples of some rows of the image, [0], and of the template, [1], in the memory of digits. They
 * are read once, and then cut into slices of different bits. */
enum { MOST_ROWS = 128, LEAST_IN_ROW = 16, MOST_SAMPLES = MOST_ROWS * LEAST_IN_ROW };

typedef struct samples {
    double *of[2];
    int32_t rows[2], in_row[2], step[2]; /* in_row: a multiple of LEAST_IN_ROW, with zeros */
    double factor[2];                    /* the samples of a row, divided by those that are here */
    int32_t channel;                     /* -1: none are read yet */
} samples;

/* Reads those of row y. Where rows are next to each other, their samples are not. */
static void read_row(xncc_reals_run *r, const xncc_planes *planes, samples *s, int32_t y)
{
    const int i = planes->of_templ;
    const int32_t width = xncc_reals_read_samples(r, planes, y),
                  count = xncc_min_i32(width, s->in_row[i]),
                  first = (int32_t)((int64_t)y * 97 % (width - count + 1));
    double *to = s->of[i] + (ptrdiff_t)s->rows[i]++ * s->in_row[i];
    memset(to, 0, (size_t)s->in_row[i] * sizeof *to);
    memcpy(to, r->m.line + first, (size_t)count * sizeof *to);
    s->factor[i] = (double)width / count;
}

/* Reads those of a channel. */
static void read_samples(xncc_reals_run *r, int32_t channel, samples *s)
{
    const int64_t room = XNCC_MOST_DIGITS / 2 * r->m.stage.pitch;
    const int32_t most = room < MOST_SAMPLES ? (int32_t)room : MOST_SAMPLES;
    if (s->channel == channel)
        return;
    s->channel = channel;
    for (int i = 0; i < 2; i++) {
        const xncc_planes planes = { .of_templ = i, .channel = channel };
        const int32_t rows = i ? r->job->templ->height : r->m.stage.height,
                      width = i ? r->job->templ->width : r->m.stage.width,
                      step = xncc_ceil_div(rows, most / LEAST_IN_ROW) | 1, /* odd, since rows often
                                                                             differ by turns */
            some = most / xncc_ceil_div(rows, step);
        s->step[i] = step;
        s->rows[i] = 0;
        s->in_row[i] = xncc_min_i32(some / LEAST_IN_ROW, xncc_ceil_div(width, LEAST_IN_ROW)) *
                       LEAST_IN_ROW;
        s->of[i] = r->m.digit_rows + (ptrdiff_t)i * most;
        for (int32_t y = step / 2; y < rows && !xncc_is_cancelled(r->job->watch); y += step)
            read_row(r, &planes, s, y);
    }
}

/* About the norms of all planes, and that of all of them in as many adjacent rows as a window has,
 * by samples. */
static void sample_norms(xncc_reals_run *r, const samples *s, const xncc_planes *planes,
                         xncc_slice_norms *norms)
{
    const double margin = 1.015;
    const int i = planes->of_templ;
    const int32_t window = xncc_min_i32(xncc_ceil_div(window_rows(r), s->step[i]), s->rows[i]);
    double square[XNCC_MOST_PLANES] = { 0.0 }, of_rows[MOST_ROWS] = { 0.0 };
    for (int32_t y = 0; y < s->rows[i]; y++) {
        double of_row[XNCC_MOST_PLANES] = { 0.0 };
        memcpy(r->m.line, s->of[i] + (ptrdiff_t)y * s->in_row[i],
               (size_t)s->in_row[i] * sizeof(double));
        (void)xncc_reals_slice_line(r, planes, s->in_row[i], r->m.plane_rows, of_row);
        for (int32_t k = 0; k < planes->count; k++) {
            square[k] += of_row[k];
            of_rows[y] += of_row[k];
        }
    }
    const double of_all = margin * sqrt(s->factor[i] * s->step[i]);
    norms->count[i] = planes->count;
    for (int32_t k = 0; k < planes->count; k++)
        norms->of[i][k] = of_all * sqrt(square[k]);
    norms->band = of_all * xncc_reals_band(of_rows, s->rows[i], window);
}

/* Will the slices of the cut probably do? */
static int fits_probably(xncc_reals_run *r, const xncc_cut *cut, samples *s)
{
    for (int32_t c = 0; c < r->job->templ->channels; c++) {
        xncc_slice_norms norms;
        read_samples(r, c, s);
        for (int i = 1; i >= 0; i--) { /* the image last: the band is its own */
            const xncc_planes planes = cut_planes(cut, i, c, cut->bits);
            sample_norms(r, s, &planes, &norms);
        }
        if (!xncc_reals_slices_fit(r, &norms))
            return 0;
    }
    return 1;
}

/* Has the last slice hardly any bits, so that the one before may have them as well? */
static int is_faint(const xncc_slicing *of, int bits)
{
    enum { FEW_BITS = 2 };
    const int32_t count = xncc_slices_of(of->bits, bits);
    return count > 1 && of->bits - bits * (count - 1) <= FEW_BITS;
}

/* The norms of planes are mostly far below their bounds: a sample has few slices that are not 0,
 * and few of those are as large as they may be. So wider slices than are sure to do are tried if
 * there are fewer of them then; and of those, the narrowest. Where the last slice has hardly any
 * bits, it is tried without, of both or of the image alone. */
void xncc_reals_widen_slices(xncc_reals_run *r, xncc_cut *cut, int most)
{
    enum { MOST_MORE = 3 };
    samples s = { .channel = -1 };
    cut->joined[0] = cut->joined[1] = 0; /* of slices that did not do */
    for (cut->bits = xncc_min_i32(cut->sure + MOST_MORE, most); cut->bits > cut->sure;
         cut->bits--) {
        const int image = is_faint(&cut->image, cut->bits),
                  templ = is_faint(&cut->templ, cut->bits);
        const int32_t narrower = cut->bits - 1;
        cut->joined[0] = image;
        cut->joined[1] = templ;
        if ((image || templ) && fits_probably(r, cut, &s))
            return;
        cut->joined[1] = 0;
        if (image && templ && fits_probably(r, cut, &s))
            return;
        cut->joined[0] = 0;
        if ((xncc_slices_of(cut->image.bits, cut->bits) <
                 xncc_slices_of(cut->image.bits, narrower) ||
             xncc_slices_of(cut->templ.bits, cut->bits) <
                 xncc_slices_of(cut->templ.bits, narrower)) &&
            fits_probably(r, cut, &s))
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
    cut->joined[0] = cut->joined[1] = 0;
    for (cut->sure = XNCC_DIGIT_BITS; !fits_surely(r, cut, cut->sure); cut->sure--)
        if (cut->sure == LEAST_BITS)
            return 0;
    cut->bits = cut->sure;
    return 1;
}
