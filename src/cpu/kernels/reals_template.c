/* SPDX-License-Identifier: BSD-2-Clause */
/* What matching of floats computes from a template (reals.h). */
#include "cpu/kernels/reals_memory.h"

#include <math.h>
#include <string.h>

/* The nearest number of 12 bits: subtracting it from a sample of 24 bits is usually exact. */
double xncc_reals_pivot(double mean)
{
    int exponent;
    const double part = frexp(mean, &exponent);
    return isfinite(mean) ? ldexp(rint(part * 4096.0) / 4096.0, exponent) : 0.0;
}

/* The sums of the samples of a channel, and the samples as doubles. */
static void read_channel(const xncc_reals_isa *isa, const xncc_job *job, int32_t channel,
                         const xncc_refine_memory *m, xncc_reals_shared *s)
{
    const xncc_template *templ = job->templ;
    const size_t width = (size_t)templ->width;
    xncc_twofold_sums sums = { { 0, 0 }, { 0, 0 }, { 0, 0 } };
    for (size_t j = 0; j < (size_t)templ->height && !xncc_is_cancelled(job->watch); j++) {
        for (size_t i = 0; i < width; i++) {
            const double v = xncc_sample_value(
                templ->pixel, templ->pixels, (int64_t)(j * width + i) * templ->channels + channel);
            m->v[i] = isfinite(v) ? v : 0.0;
        }
        memcpy(s->value[channel] + j * width, m->v, width * sizeof(double));
        isa->twofold(m->v, m->v, templ->width, &sums);
    }
    memset(s->value[channel] + width * (size_t)templ->height, 0, XNCC_REALS_ROOM * sizeof(double));
    const xncc_twofold zero = { 0.0, 0.0 };
    s->channel[channel].T = xncc_twofold_add(sums.S, zero);
    s->channel[channel].T2 = xncc_twofold_add(sums.Q, zero);
}

int xncc_reals_templ_on_grid(const xncc_reals_isa *isa, const xncc_template *templ,
                             const xncc_reals_shared *shared, double unit)
{
    int on = 1;
    for (int32_t c = 0; c < templ->channels && on; c++)
        for (int32_t j = 0; j < templ->height && on; j++)
            on = isa->on_grid(shared->value[c] + (ptrdiff_t)j * templ->width, templ->width, unit);
    return on;
}

/* Looks for a power of two of which all samples are multiples. */
static void find_unit(const xncc_reals_isa *isa, const xncc_template *templ, xncc_reals_shared *s)
{
    const int bits = xncc_refine_bits((double)templ->width * templ->height * templ->channels);
    for (int32_t c = 0; c < templ->channels; c++)
        for (int32_t j = 0; j < templ->height; j++)
            s->most = fmax(
                s->most,
                isa->range(s->value[c] + (ptrdiff_t)j * templ->width, templ->width, 0.0).most);
    s->unit = xncc_refine_unit(s->most, bits);
    if (s->unit > 0.0 && !xncc_reals_templ_on_grid(isa, templ, s, s->unit))
        s->unit = 0.0;
}

/* Looks for the largest power of two of which all samples are multiples, if sums of samples less a
 * pivot may be exact in double. */
static void find_grid(const xncc_reals_isa *isa, const xncc_job *job, xncc_reals_shared *s)
{
    const xncc_template *templ = job->templ;
    const xncc_method method = job->problem->rule.method;
    xncc_reals_span span = { INFINITY, -INFINITY, INFINITY };
    for (int32_t c = 0; c < templ->channels; c++)
        for (int32_t j = 0; j < templ->height; j++)
            isa->span(s->value[c] + (ptrdiff_t)j * templ->width, templ->width, &span);
    const double most = xncc_method_ignores_offset(method) ? 0.5 * (span.high - span.low)
                                                           : fmax(fabs(span.low), fabs(span.high));
    if (xncc_reals_unit_is_usable(span.unit) && xncc_reals_sums_fit(templ, most / span.unit))
        s->grid = span.unit;
}

/* May sqdiff_normed have a pivot? The image's term is then a sum over the whole window, of squares
 * and of samples. With exact sums a pivot gains nothing. */
static int may_shift(const xncc_job *job, const xncc_reals_shared *s)
{
    return job->problem->rule.method == XNCC_SQDIFF_NORMED && s->grid == 0.0 &&
           job->templ->channels == 1 && s->recipe.sum[XNCC_SUM_Q] == XNCC_FROM_WINDOW &&
           !xncc_problem_image_varies(job->problem);
}

/* Chooses the channel's pivot and derives the sum of the samples less the pivot. */
static void set_pivot(const xncc_job *job, xncc_reals_shared *s, xncc_reals_channel *c)
{
    const xncc_method method = job->problem->rule.method;
    const double n = (double)job->general.whole, u = 0x1p-53,
                 k = (double)job->templ->width * (double)job->templ->height;
    const double mean = c->T.high / n;
    const int centred = xncc_method_is_centred(method), shifts = may_shift(job, s);
    if (isfinite(mean) && (xncc_method_ignores_offset(method) || shifts))
        c->pivot = s->grid > 0.0 ? rint(mean / s->grid) * s->grid
                   : centred     ? mean
                                 : xncc_reals_pivot(mean);
    s->shift = shifts ? c->pivot : 0.0;
    const xncc_twofold product = xncc_twofold_product((xncc_twofold){ n, 0.0 },
                                                      (xncc_twofold){ c->pivot, 0.0 });
    c->sum = xncc_twofold_add(c->T, xncc_twofold_negative(product)).high;
    c->sum_error = 2.0 * u * fabs(c->sum) + 2.0 * (k + 10.0) * (k + 10.0) * u * u *
                                                (sqrt(k * c->T2.high) + fabs(product.high));
}

/* Writes the channel's plane of samples less the pivot, or of their squares, to out. Returns the
 * sum of the squares of what was written. */
static double fill_plane(const xncc_job *job, xncc_reals_shared *s, int32_t channel, int kind,
                         double *out)
{
    const xncc_template *templ = job->templ;
    const size_t count = (size_t)templ->width * (size_t)templ->height;
    double square = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double v = !templ->mask || templ->mask[i]
                             ? s->value[channel][i] - s->channel[channel].pivot
                             : 0.0;
        out[i] = kind == XNCC_REALS_PLANE_SQUARE ? v * v : v;
        square += out[i] * out[i];
        s->largest = fmax(s->largest, fabs(v));
    }
    return square;
}

/* Lays a plane of doubles out as the kernel of products reads it. */
static void lay_out(const xncc_reals_variant *variant, const xncc_job *job, const double *plane,
                    const xncc_reals_scratch *m, void *out, const char *table)
{
    const xncc_template *templ = job->templ;
    const size_t width = (size_t)templ->width;
    if (!variant->fft) {
        memcpy(out, plane, width * (size_t)templ->height * sizeof(double));
        return;
    }
    const xncc_fft_blocking *c = &job->blocks->fft;
    const size_t step = (size_t)variant->fft->row_bytes(c->nx);
    memset(m->array, 0, step * (size_t)c->ny);
    memset(m->line, 0, (size_t)c->nx * sizeof(double));
    for (int32_t j = 0; j < templ->height && !xncc_is_cancelled(job->watch); j++) {
        memcpy(m->line, plane + (size_t)j * width, width * sizeof(double));
        variant->fft->digits_in(table, c, m->line, m->array + (uint64_t)j * step);
    }
    variant->fft->columns(table, c, job->watch, m->array, out);
}

/* The template's term of a normed method, rounded once, from sums that are exact (reals_grid.c). */
static double grid_term(const xncc_job *job, const xncc_reals_shared *s)
{
    const double n = (double)job->general.whole;
    double total = 0.0;
    for (int32_t c = 0; c < job->templ->channels; c++) {
        const double T = s->channel[c].sum, T2 = s->channel[c].square, a = n * T2, b = T * T,
                     d = a - b, low = fma(n, T2, -a) - fma(T, T, -b);
        total += xncc_method_is_centred(job->problem->rule.method)
                     ? d + (xncc_sum_error(a, -b, d) + low)
                     : T2;
    }
    return total;
}

/* The template's term of the formula, exactly: that of a window equal to the template. */
static double exact_root(const xncc_job *job, const xncc_reals_shared *s)
{
    const xncc_template *templ = job->templ;
    const xncc_method method = job->problem->rule.method;
    const size_t count = (size_t)templ->width * (size_t)templ->height;
    xncc_exact_terms terms = { { 0 }, { 0 }, { 0 } };
    for (int32_t c = 0; c < templ->channels; c++) {
        xncc_exact_sums sums = { { 0 }, { 0 }, { 0 }, { 0 }, { 0 } };
        for (size_t i = 0; i < count; i++) {
            if (i % (1u << 20) == 0)
                xncc_exact_normalize(&sums);
            if (!templ->mask || templ->mask[i])
                xncc_exact_add_pair(&sums, method, s->value[c][i], s->value[c][i]);
        }
        xncc_exact_normalize(&sums);
        xncc_exact_add_channel(&terms, method, (int64_t)job->general.whole, &sums);
    }
    const xncc_real root = xncc_real_sqrt(
        xncc_wide_round(terms.templ, XNCC_WIDE_DIGITS, XNCC_WIDE_PRODUCTS));
    return ldexp(root.m, root.e);
}

/* The root of the template's term of a normed method, within 4 u; rounded as in the formula if the
 * samples are on a grid. */
static double templ_root(const xncc_job *job, const xncc_reals_shared *s)
{
    const double n = (double)job->general.whole,
                 k = (double)job->templ->width * (double)job->templ->height;
    xncc_twofold term = { 0.0, 0.0 };
    double sizes = 0.0;
    if (s->grid > 0.0)
        return sqrt(grid_term(job, s));
    for (int32_t c = 0; c < job->templ->channels; c++) {
        const xncc_reals_channel *of = &s->channel[c];
        const xncc_twofold count = { n, 0.0 };
        term = xncc_twofold_add(term, xncc_method_is_centred(job->problem->rule.method)
                                          ? xncc_twofold_difference(count, of->T2, of->T, of->T)
                                          : of->T2);
        sizes += k * of->T2.high;
    }
    const double error = 8.0 * (k + 10.0) * (k + 10.0) * 0x1p-106 * sizes;
    if (term.high > 0x1p-900 && term.high < 0x1p900 && error < 0x1p-54 * term.high)
        return sqrt(term.high);
    return exact_root(job, s);
}

/* The score of a window of zeros in which all pixels count. */
static float zero_score(const xncc_job *job, const xncc_reals_shared *s)
{
    const xncc_method method = job->problem->rule.method;
    const xncc_template *templ = job->templ;
    const size_t count = (size_t)templ->width * (size_t)templ->height;
    if (method == XNCC_CCOEFF || method == XNCC_CCORR)
        return 0.0f;
    if (xncc_method_is_normed(method))
        return xncc_flat_score(method, &job->general, s->templ_root == 0.0);
    xncc_exact_sums sums = { { 0 }, { 0 }, { 0 }, { 0 }, { 0 } };
    for (int32_t c = 0; c < templ->channels; c++)
        for (size_t i = 0; i < count; i++) {
            if (i % (1u << 20) == 0)
                xncc_exact_normalize(&sums);
            xncc_wide_add_product(sums.T2, s->value[c][i], s->value[c][i]); /* 0 if masked */
        }
    xncc_wide_normalize(sums.T2, XNCC_WIDE_DIGITS);
    return xncc_real_to_float(xncc_wide_round(sums.T2, XNCC_WIDE_DIGITS, XNCC_WIDE_PRODUCTS));
}

void xncc_reals_begin(const xncc_cpu_kernel *self, const xncc_job *job, void *shared, void *scratch)
{
    const xncc_reals_variant *variant = self->variant;
    const xncc_template *templ = job->templ;
    xncc_reals_scratch m;
    xncc_reals_shared *s = shared;
    memset(s, 0, sizeof *s);
    (void)xncc_reals_shared_layout(variant, job->problem, job->blocks, s);
    (void)xncc_reals_scratch_layout(variant, job->problem, job->blocks, scratch, &m);
    if (variant->fft)
        variant->fft->tables(job->blocks->fft.nx, job->blocks->fft.ny, s->table);
    for (int32_t c = 0; c < templ->channels; c++)
        read_channel(variant->isa, job, c, &m.refine, s);
    find_grid(variant->isa, job, s);
    for (int32_t c = 0; c < templ->channels; c++) {
        set_pivot(job, s, &s->channel[c]);
        for (int kind = 0; kind < XNCC_REALS_PLANES && s->plane[c][kind]; kind++) {
            const double square = fill_plane(job, s, c, kind, m.plane);
            s->norm[c][kind] = 1.01 * sqrt(square + XNCC_REALS_TINY);
            if (kind == XNCC_REALS_PLANE_VALUE)
                s->channel[c].square = square;
            lay_out(variant, job, m.plane, &m, s->plane[c][kind], s->table);
        }
    }
    find_unit(variant->isa, templ, s);
    if (s->grid > 0.0 && !xncc_reals_sums_fit(templ, s->largest / s->grid))
        s->grid = 0.0;
    if (s->mask) {
        for (size_t i = 0; i < (size_t)templ->width * (size_t)templ->height; i++)
            m.plane[i] = templ->mask && !templ->mask[i] ? 0.0 : 1.0;
        lay_out(variant, job, m.plane, &m, s->mask, s->table);
    }
    if (xncc_method_is_normed(job->problem->rule.method))
        s->templ_root = templ_root(job, s);
    s->zero_score = zero_score(job, s);
}
