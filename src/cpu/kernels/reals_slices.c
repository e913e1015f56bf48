/* SPDX-License-Identifier: BSD-2-Clause */
/* Exact sums of products of a rectangle by slices (reals_slices.h). */
#include "cpu/kernels/reals_slices.h"

#include <math.h>

/* ---- how to cut ---- */

static xncc_slicing slicing_of(const xncc_reals_span *span, double unit)
{
    const double most = fmax(fabs(span->low), fabs(span->high));
    xncc_slicing s = { .unit = isinf(unit) ? 1.0 : unit };
    s.exponent = ilogb(s.unit);
    s.bits = most > 0.0 ? ilogb(most) + 1 - s.exponent : 1;
    return s;
}

/* The bits of a slice for which the products stay exact: the sums of direct products are integers
 * below 2^52, and the transforms are off by less than 0.45. */
static int bits_fit(const xncc_reals_run *r, int bits, int pairs)
{
    const double n = (double)r->job->templ->width * (double)r->job->templ->height,
                 samples = 2.0 * (double)r->m.stage.width * (double)r->m.stage.height,
                 products = (double)pairs * ldexp(1.0, 2 * bits - 2);
    if (!r->variant->fft)
        return n * products <= 0x1p52;
    return (r->factor + pairs * 0x1p-51) * 1.01 * sqrt(samples * n) * products <= 0.45;
}

static int slices_of(const xncc_slicing *s, int bits)
{
    return s->bits / bits + 1;
}

int xncc_reals_cut(xncc_reals_run *r, xncc_cut *cut)
{
    const xncc_template *templ = r->job->templ;
    xncc_reals_span image = { 0.0, 0.0, INFINITY }, of_templ = image;
    for (int32_t yy = 0; yy < r->m.stage.height && !xncc_is_cancelled(r->job->watch); yy++) {
        (void)xncc_reals_read_line(r, yy, 0, 0.0, 1);
        r->isa->span(r->m.line, r->m.stage.width, &image);
    }
    for (int32_t j = 0; j < templ->height; j++)
        r->isa->span(r->shared->value[0] + (ptrdiff_t)j * templ->width, templ->width, &of_templ);
    const int difference = xncc_method_of_difference(r->job->problem->rule.method);
    const double both = fmin(image.unit, of_templ.unit);
    cut->image = slicing_of(&image, difference ? both : image.unit);
    cut->templ = slicing_of(&of_templ, difference ? both : of_templ.unit);
    const double most = fmax(fmax(-image.low, image.high), fmax(-of_templ.low, of_templ.high));
    if (!(cut->image.unit > 0x1p-900 && cut->templ.unit > 0x1p-900 && most < 0x1p900))
        return 0;
    const int counted = ilogb((double)templ->width * templ->height) + 2, /* n < 2^counted */
        most_bits = cut->image.bits > cut->templ.bits ? cut->image.bits : cut->templ.bits;
    cut->words = (2 * (most_bits + counted) + 2) / 64 + 1;
    if (cut->words > r->m.words_per_window)
        return 0;
    for (cut->bits = 26; cut->bits > 6; cut->bits--) {
        cut->image.count = slices_of(&cut->image, cut->bits);
        cut->templ.count = slices_of(&cut->templ, cut->bits);
        if (bits_fit(r, cut->bits, xncc_min_i32(cut->image.count, cut->templ.count)))
            break;
    }
    return cut->bits > 6 &&
           (r->variant->fft || (cut->templ.count <= r->m.templ_planes &&
                                cut->image.count + cut->templ.count - 1 <= XNCC_MOST_WEIGHTS));
}

/* ---- slices ---- */

/* Cuts a row of doubles, with zeros past its end, to `out`. Returns 0 if the slice is all 0. */
static int slice_row(const xncc_reals_run *r, const xncc_slicing *s, int bits, int k, int32_t count,
                     double *out)
{
    const double unit = ldexp(s->unit, bits * k);
    return r->isa->slice(r->m.line, count, unit, k + 1 < s->count ? ldexp(unit, bits) : 0.0, out);
}

static void clear_lines(xncc_reals_run *r)
{
    const size_t bytes = (size_t)xncc_reals_line_width(r->job->problem, r->job->blocks) *
                         sizeof(double);
    memset(r->m.line, 0, bytes);
    memset(r->m.before, 0, bytes);
}

/* Slice k of row j of the template, to m.before. */
static int templ_slice(xncc_reals_run *r, const xncc_cut *cut, int k, int32_t j)
{
    const size_t width = (size_t)r->job->templ->width;
    memcpy(r->m.line, r->shared->value[0] + (size_t)j * width, width * sizeof(double));
    return slice_row(r, &cut->templ, cut->bits, k, (int32_t)width, r->m.before);
}

/* ---- transforms ---- */

/* The spectra that are kept: those of the first slices, and two that are made again whenever they
 * are needed. Slices of the template follow those of the image. */
typedef struct spectra {
    xncc_reals_run *r;
    const xncc_cut *cut;
    int owner[XNCC_MOST_SPECTRA];      /* the slice whose spectrum a place holds; -1: none */
    int8_t zero[2 * XNCC_MOST_SLICES]; /* 1: the slice is all 0 */
} spectra;

/* The spectrum of a slice; NULL if it is all 0. */
static void *spectrum_of(spectra *s, int slice)
{
    xncc_reals_run *r = s->r;
    const xncc_fft_blocking *c = &r->job->blocks->fft;
    const int of_templ = slice >= s->cut->image.count, spare = r->m.spectra - 2,
              place = slice < spare ? slice : spare + of_templ,
              k = of_templ ? slice - s->cut->image.count : slice;
    const size_t step = (size_t)r->variant->fft->row_bytes(c->nx);
    const int32_t rows = of_templ ? r->job->templ->height : r->m.stage.height;
    if (s->zero[slice] || s->owner[place] == slice)
        return s->zero[slice] ? NULL : r->m.spectrum[place];
    int any = 0;
    clear_lines(r);
    for (int32_t y = 0; y < rows && !xncc_is_cancelled(r->job->watch); y++) {
        char *row = r->m.array + (uint64_t)y * step;
        if (of_templ) {
            any |= templ_slice(r, s->cut, k, y);
            r->variant->fft->digits_in(r->shared->table, c, r->m.before, row);
            continue;
        }
        (void)xncc_reals_read_line(r, y, 0, 0.0, 1);
        any |= slice_row(r, &s->cut->image, s->cut->bits, k, r->m.stage.width, r->m.before);
        r->variant->fft->reals_in(r->shared->table, c, r->m.before, r->m.before + c->across, row);
    }
    s->zero[slice] = (int8_t)!any;
    if (!any)
        return NULL;
    memset(r->m.array + (uint64_t)rows * step, 0, (size_t)(c->ny - rows) * step);
    r->variant->fft->columns(r->shared->table, c, r->job->watch, r->m.array, r->m.spectrum[place]);
    s->owner[place] = slice;
    return r->m.spectrum[place];
}

/* Adds the products of weight w, which are one number per window, to the sums of row y. */
static void add_row(xncc_reals_run *r, const xncc_cut *cut, int w, int32_t y, const double *product)
{
    uint64_t *to = r->m.words + (size_t)y * (size_t)r->stride * (size_t)cut->words;
    const int shift = cut->bits * w;
    for (int32_t x = 0; x < r->area->width; x++, to += cut->words) {
        const int64_t v = (int64_t)product[x];
        if (v != 0)
            xncc_words_put(to, cut->words, xncc_u128_of(v < 0 ? 0 - (uint64_t)v : (uint64_t)v),
                           shift, v < 0);
    }
}

static void transformed_weight(xncc_reals_run *r, const xncc_cut *cut, int w)
{
    const double magic = 0x1.8p52;
    const xncc_fft_blocking *c = &r->job->blocks->fft;
    const int32_t first = xncc_min_i32(r->area->width, c->across);
    double *row = r->m.sum[XNCC_SUM_X];
    r->variant->fft->columns_back(r->shared->table, c, r->job->watch, r->m.total_spectrum,
                                  r->m.array, r->m.buffer);
    for (int32_t y = 0; y < r->area->height && !xncc_is_cancelled(r->job->watch); y++) {
        r->variant->fft->reals_out(r->shared->table, c,
                                   r->m.array + (uint64_t)y * r->variant->fft->row_bytes(c->nx),
                                   first, r->area->width - first, row, row + first);
        for (int32_t x = 0; x < r->area->width; x++)
            row[x] = (row[x] + magic) - magic;
        add_row(r, cut, w, y, row);
    }
}

/* The pairs of spectra of a weight. */
typedef struct spectrum_pairs {
    void *image[XNCC_MOST_SLICES], *templ[XNCC_MOST_SLICES];
    int count, more; /* more: 1 if the sum holds products already */
} spectrum_pairs;

static void add_pairs(xncc_reals_run *r, spectrum_pairs *p)
{
    if (p->count == 0)
        return;
    r->variant->fft->add_products(&r->job->blocks->fft, p->count, p->image, p->templ, p->more,
                                  r->m.total_spectrum);
    p->count = 0;
    p->more = 1;
}

static void multiply_by_transforms(xncc_reals_run *r, const xncc_cut *cut)
{
    const int all = cut->image.count + cut->templ.count, keeps_all = all <= r->m.spectra - 2;
    spectra s = { .r = r, .cut = cut };
    for (int i = 0; i < XNCC_MOST_SPECTRA; i++)
        s.owner[i] = -1;
    for (int w = 0; w < all - 1; w++) {
        spectrum_pairs pairs = { .count = 0 };
        const int first = w < cut->templ.count ? 0 : w - cut->templ.count + 1;
        for (int i = first; i < cut->image.count && i <= w; i++) {
            void *image = xncc_is_cancelled(r->job->watch) ? NULL : spectrum_of(&s, i),
                 *templ = image ? spectrum_of(&s, cut->image.count + w - i) : NULL;
            if (!image || !templ)
                continue;
            pairs.image[pairs.count] = image;
            pairs.templ[pairs.count++] = templ;
            if (!keeps_all)
                add_pairs(r, &pairs);
        }
        add_pairs(r, &pairs);
        if (pairs.more)
            transformed_weight(r, cut, w);
    }
}

/* ---- direct products ---- */

/* Cuts the template into planes. Returns a bit for each that is not all 0. */
static uint64_t cut_template(xncc_reals_run *r, const xncc_cut *cut)
{
    const size_t width = (size_t)r->job->templ->width, height = (size_t)r->job->templ->height;
    uint64_t any = 0;
    clear_lines(r);
    for (int k = 0; k < cut->templ.count; k++)
        for (size_t j = 0; j < height; j++) {
            any |= (uint64_t)templ_slice(r, cut, k, (int32_t)j) << k;
            memcpy(r->m.templ_slices + ((size_t)k * height + j) * width, r->m.before,
                   width * sizeof(double));
        }
    return any;
}

static void multiply_directly(xncc_reals_run *r, const xncc_cut *cut)
{
    const int32_t height = r->job->templ->height, rows = r->area->height;
    const int weights = cut->image.count + cut->templ.count - 1;
    const size_t plane = (size_t)r->stride * (size_t)rows,
                 templ = (size_t)r->job->templ->width * (size_t)height;
    const uint64_t any = cut_template(r, cut);
    xncc_reals_meeting meeting = { .line = r->m.before,
                                   .width = r->job->templ->width,
                                   .columns = r->area->width,
                                   .stride = r->stride,
                                   .watch = r->job->watch };
    memset(r->m.weight_sums, 0, plane * (size_t)weights * sizeof(double));
    clear_lines(r);
    for (int32_t yy = 0; yy < r->m.stage.height && !xncc_is_cancelled(r->job->watch); yy++) {
        (void)xncc_reals_read_line(r, yy, 0, 0.0, 1);
        meeting.y = yy;
        meeting.first = yy - height + 1 > 0 ? yy - height + 1 : 0;
        meeting.last = yy < rows - 1 ? yy : rows - 1;
        for (int i = 0; i < cut->image.count; i++) {
            if (!slice_row(r, &cut->image, cut->bits, i, r->m.stage.width, r->m.before))
                continue;
            for (int j = 0; j < cut->templ.count; j++) {
                meeting.templ = r->m.templ_slices + (size_t)j * templ;
                meeting.sum = r->m.weight_sums + (size_t)(i + j) * plane;
                if (any >> j & 1)
                    r->isa->meet(&meeting);
            }
        }
    }
    for (int w = 0; w < weights; w++)
        for (int32_t y = 0; y < rows && !xncc_is_cancelled(r->job->watch); y++)
            add_row(r, cut, w, y,
                    r->m.weight_sums + (size_t)w * plane + (size_t)y * (size_t)r->stride);
}

void xncc_reals_multiply_slices(xncc_reals_run *r, const xncc_cut *cut)
{
    memset(r->m.words, 0,
           (size_t)r->stride * (size_t)r->area->height * (size_t)cut->words * sizeof *r->m.words);
    if (r->variant->fft)
        multiply_by_transforms(r, cut);
    else
        multiply_directly(r, cut);
}
