/* SPDX-License-Identifier: BSD-2-Clause */
/* What matching of floats computes from a template (reals.h). */
#include "cpu/kernels/reals_memory.h"

#include "image/samples.h"

#include <math.h>
#include <string.h>

/* Subtracting a number of 12 bits from a sample of 24 bits is usually exact. */
double xncc_reals_pivot(double mean, double unit)
{
    int exponent = 0;
    const double part = frexp(mean, &exponent),
                 pivot = unit > 0.0 ? rint(mean / unit) * unit
                                    : ldexp(rint(part * 4096.0) / 4096.0, exponent);
    return isfinite(pivot) ? pivot : 0.0;
}

/* The template is read in bands of rows, which the threads of a team share. What is found depends
 * on the bands, but not on the threads. */
enum { MOST_BANDS = 64, BAND_PIXELS = 1 << 15 };

/* What a band was found to hold. */
typedef struct found {
    xncc_twofold_sums sums; /* of the samples and of their squares */
    xncc_reals_span span;
    double square, largest; /* of the plane that is filled: the sum of the squares, and the largest
                               magnitude */
} found;

/* The preparation of a template. */
typedef struct preparation {
    const xncc_reals_variant *variant;
    const xncc_job *job;
    xncc_reals_shared *s;
    xncc_reals_scratch m; /* of the thread that prepares */
    char *own;            /* its scratch memory */
    int32_t bands, rows;  /* bands, and rows of all but the last one */
    found found[MOST_BANDS];
    int32_t channel, power; /* of the plane that is filled; power as in xncc_reals_line */
    void *plane;
} preparation;

/* Returns the thread's row of doubles, which is all zeros. */
static double *line_of(const preparation *p, int32_t slot)
{
    const xncc_job *job = p->job;
    xncc_reals_scratch m;
    (void)xncc_reals_scratch_layout(p->variant, job->problem, job->blocks,
                                    job->team ? job->team->scratch[slot] : p->own, &m);
    memset(m.line, 0, (size_t)xncc_reals_line_width(job->problem, job->blocks) * sizeof(double));
    return m.line;
}

static int32_t band_end(const preparation *p, int32_t first)
{
    return xncc_min_i32(first + p->rows, p->job->templ->height);
}

/* Reads a band of the samples of a channel as doubles, 0 for those that are not finite. */
static void read_band(void *argument, uint64_t index, int32_t slot)
{
    preparation *p = argument;
    const xncc_reals_isa *isa = p->variant->isa;
    const int32_t first = (int32_t)index * p->rows, width = p->job->templ->width;
    double *line = line_of(p, slot);
    found f = { .span = { INFINITY, -INFINITY, INFINITY } };
    for (int32_t j = first; j < band_end(p, first) && !xncc_is_cancelled(p->job->watch); j++) {
        xncc_reals_line row = xncc_reals_templ_line(p->job, p->channel, j, line);
        row.count = NULL; /* a sample that does not count is 0 */
        (void)isa->line(&row);
        memcpy(p->s->value[p->channel] + (ptrdiff_t)j * width, line,
               (size_t)width * sizeof(double));
        isa->twofold(line, NULL, width, &f.sums);
        isa->span(line, width, &f.span);
    }
    p->found[index] = f;
}

/* The first task makes the tables of the transforms, and the others read a band. */
static void make_tables_or_read(void *argument, uint64_t index, int32_t slot)
{
    preparation *p = argument;
    const xncc_fft_blocking *c = &p->job->blocks->fft;
    if (index > 0)
        read_band(p, index - 1, slot);
    else if (p->variant->fft)
        p->variant->fft->tables(c->nx, c->ny, p->s->table);
}

/* The sums of the samples of a channel, and the samples as doubles. Extends their span. */
static void read_channel(preparation *p, int32_t channel)
{
    xncc_reals_shared *s = p->s;
    xncc_reals_span *span = &s->span;
    const xncc_template *templ = p->job->templ;
    xncc_twofold T = { 0.0, 0.0 }, T2 = T;
    p->channel = channel;
    if (channel == 0)
        xncc_job_run(p->job, p->bands + 1, make_tables_or_read, p);
    else
        xncc_job_run(p->job, p->bands, read_band, p);
    for (int32_t i = 0; i < p->bands; i++) {
        const found *f = &p->found[i];
        T = xncc_twofold_add(T, f->sums.S);
        T2 = xncc_twofold_add(T2, f->sums.Q);
        span->low = fmin(span->low, f->span.low);
        span->high = fmax(span->high, f->span.high);
        span->unit = fmin(span->unit, f->span.unit);
    }
    memset(s->value[channel] + (size_t)templ->width * (size_t)templ->height, 0,
           XNCC_REALS_ROOM * sizeof(double));
    s->channel[channel].T = T;
    s->channel[channel].T2 = T2;
}

/* Notes the largest power of two of which all samples are multiples, if sums of samples less a
 * pivot may be exact in double. */
static void find_grid(const xncc_job *job, xncc_reals_shared *s)
{
    const xncc_reals_span *span = &s->span;
    const double most = xncc_method_ignores_offset(job->problem->rule.method)
                            ? 0.5 * (span->high - span->low)
                            : xncc_reals_most(span);
    if (xncc_reals_unit_is_usable(span->unit) && xncc_reals_sums_fit(job->templ, most / span->unit))
        s->grid = span->unit;
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
    const int shifts = may_shift(job, s);
    if (isfinite(mean) && (xncc_method_ignores_offset(method) || shifts))
        c->pivot = s->grid == 0.0 && xncc_method_is_centred(method)
                       ? mean
                       : xncc_reals_pivot(mean, s->grid);
    s->shift = shifts ? c->pivot : 0.0;
    const xncc_twofold product = xncc_twofold_product((xncc_twofold){ n, 0.0 },
                                                      (xncc_twofold){ c->pivot, 0.0 });
    c->sum = xncc_twofold_add(c->T, xncc_twofold_negative(product)).high;
    c->sum_error = 2.0 * u * fabs(c->sum) + 2.0 * (k + 10.0) * (k + 10.0) * u * u *
                                                (sqrt(k * c->T2.high) + fabs(product.high));
}

/* Fills a band of a plane as the kernel of products reads it: for transforms, transforms its rows,
 * to the plane if its columns are not transformed. */
static void fill_band(void *argument, uint64_t index, int32_t slot)
{
    preparation *p = argument;
    const xncc_reals_isa *isa = p->variant->isa;
    const xncc_fft_isa *fft = p->variant->fft;
    const xncc_fft_blocking *c = &p->job->blocks->fft;
    const int32_t first = (int32_t)index * p->rows, width = p->job->templ->width;
    double *line = line_of(p, slot);
    char *array = c->common ? p->plane : p->m.array[0];
    found f = { .square = 0.0 };
    for (int32_t j = first; j < band_end(p, first) && !xncc_is_cancelled(p->job->watch); j++) {
        xncc_reals_line row = xncc_reals_templ_line(p->job, p->channel, j, line);
        row.power = p->power;
        row.pivot = p->s->channel[p->channel].pivot;
        f.square += isa->line(&row).square;
        f.largest = fmax(f.largest, isa->range(line, width, 0.0).most);
        if (fft)
            fft->reals_in(p->s->table, c, line, array + (uint64_t)j * fft->row_bytes(c->nx));
        else
            memcpy((double *)p->plane + (ptrdiff_t)j * width, line, (size_t)width * sizeof(double));
    }
    p->found[index] = f;
}

/* Transforms columns of a plane of which the rows are transformed. */
static void transform_part(void *argument, uint64_t index, int32_t slot)
{
    const preparation *p = argument;
    const xncc_job *job = p->job;
    (void)slot;
    p->variant->fft->columns(p->s->table, &job->blocks->fft, job->watch,
                             &(xncc_fft_part){ .array = p->m.array[0],
                                               .rows = job->templ->height,
                                               .part = (int32_t)index,
                                               .parts = p->bands,
                                               .spectrum = p->plane });
}

/* Fills the plane of a channel: of samples less the pivot, of their squares (power 2), or of 1
 * where a pixel counts (power 0). */
static found fill_plane(preparation *p, int32_t channel, int32_t power, void *plane)
{
    found all = { .square = 0.0 };
    p->channel = channel;
    p->power = power;
    p->plane = plane;
    xncc_job_run(p->job, p->bands, fill_band, p);
    if (p->variant->fft && !p->job->blocks->fft.common)
        xncc_job_run(p->job, p->bands, transform_part, p);
    for (int32_t i = 0; i < p->bands; i++) {
        all.square += p->found[i].square;
        all.largest = fmax(all.largest, p->found[i].largest);
    }
    return all;
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

/* The template's term of the formula, rounded once: that of a window equal to the template. A
 * sample that does not count is 0. */
static xncc_real exact_term(const xncc_job *job, const xncc_reals_shared *s)
{
    const xncc_template *templ = job->templ;
    const int centred = xncc_method_is_centred(job->problem->rule.method);
    const size_t count = (size_t)templ->width * (size_t)templ->height;
    int64_t term[XNCC_WIDE_DIGITS] = { 0 };
    for (int32_t c = 0; c < templ->channels; c++) {
        int64_t T[XNCC_WIDE_VALUE_DIGITS] = { 0 }, T2[XNCC_WIDE_DIGITS] = { 0 };
        for (size_t i = 0; i < count; i++) {
            const double t = s->value[c][i];
            xncc_wide_add_product(T2, t, t);
            if (centred)
                xncc_wide_add(T, t);
            if (i % (1u << 20) == 0 || i == count - 1) {
                xncc_wide_normalize(T, XNCC_WIDE_VALUE_DIGITS);
                xncc_wide_normalize(T2, XNCC_WIDE_DIGITS);
            }
        }
        xncc_wide_add_multiple(term, T2, centred ? (int64_t)job->general.whole : 1);
        if (centred)
            xncc_wide_subtract_product(term, T, T);
    }
    return xncc_wide_round(term, XNCC_WIDE_DIGITS, XNCC_WIDE_PRODUCTS);
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
    const xncc_real root = xncc_real_sqrt(exact_term(job, s));
    return ldexp(root.m, root.e);
}

/* The score of a window of zeros in which all pixels count. */
static float zero_score(const xncc_job *job, const xncc_reals_shared *s)
{
    const xncc_method method = job->problem->rule.method;
    if (method == XNCC_CCOEFF || method == XNCC_CCORR)
        return 0.0f;
    if (xncc_method_is_normed(method))
        return xncc_flat_score(method, &job->general, s->templ_root == 0.0);
    return xncc_real_to_float(exact_term(job, s));
}

/* Fills the planes of a channel. */
static void fill_planes(preparation *p, int32_t channel)
{
    xncc_reals_shared *s = p->s;
    void *const *plane = s->plane[channel];
    const found value = fill_plane(p, channel, 1, plane[XNCC_REALS_PLANE_VALUE]);
    s->norm[channel][XNCC_REALS_PLANE_VALUE] = 1.01 * sqrt(value.square + XNCC_REALS_TINY);
    s->channel[channel].square = value.square;
    s->largest = fmax(s->largest, value.largest);
    if (plane[XNCC_REALS_PLANE_SQUARE])
        s->norm[channel][XNCC_REALS_PLANE_SQUARE] =
            1.01 * sqrt(fill_plane(p, channel, 2, plane[XNCC_REALS_PLANE_SQUARE]).square +
                        XNCC_REALS_TINY);
}

void xncc_reals_begin(const xncc_cpu_kernel *self, const xncc_job *job, void *shared, void *scratch)
{
    const xncc_reals_variant *variant = self->variant;
    const xncc_template *templ = job->templ;
    xncc_reals_shared *s = shared;
    preparation p = { .variant = variant, .job = job, .s = s, .own = scratch };
    memset(s, 0, sizeof *s);
    s->span = (xncc_reals_span){ INFINITY, -INFINITY, INFINITY };
    (void)xncc_reals_shared_layout(variant, job->problem, job->blocks, s);
    (void)xncc_reals_scratch_layout(variant, job->problem, job->blocks, scratch, &p.m);
    p.rows = xncc_ceil_div(templ->height, MOST_BANDS);
    if (p.rows < BAND_PIXELS / templ->width)
        p.rows = BAND_PIXELS / templ->width;
    p.bands = xncc_ceil_div(templ->height, p.rows);
    for (int32_t c = 0; c < templ->channels; c++)
        read_channel(&p, c);
    find_grid(job, s);
    for (int32_t c = 0; c < templ->channels; c++) {
        set_pivot(job, s, &s->channel[c]);
        fill_planes(&p, c);
    }
    if (s->grid > 0.0 && !xncc_reals_sums_fit(templ, s->largest / s->grid))
        s->grid = 0.0;
    if (s->mask)
        (void)fill_plane(&p, 0, 0, s->mask);
    if (s->integral_count)
        xncc_reals_integrate(variant->isa, job, s, &p.m);
    if (xncc_method_is_normed(job->problem->rule.method))
        s->templ_root = templ_root(job, s);
    s->zero_score = zero_score(job, s);
}
