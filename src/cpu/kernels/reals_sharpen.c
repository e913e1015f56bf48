/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of products of a smaller error for all windows of a rectangle, by transforms of samples that
 * are cut in two (reals_run.h). If threads fill the map together, they share the transforms.
 *
 * Of samples v and t, less their pivots, let v' and t' be the leading parts. The sum of the
 * products v' t' is a multiple of the product of the units, which is more than twice the bound of
 * the error of the sum of v t that is known already. So it follows, exactly, once the other
 * products are known: v t - v' t' = (v - v') t + v' (t - t'). Their sum is small, and so is its
 * error. */
#include "cpu/kernels/reals_run.h"

#include <math.h>
#include <string.h>

/* ---- parts of samples ---- */

/* The samples whose squares are in r->all_norm. */
static double samples_of(const xncc_reals_run *r)
{
    return (double)r->m.stage.width * (double)r->m.stage.height * (double)r->job->templ->channels;
}

/* In proportion to the samples. The product of the units is four to eight times the bound. */
xncc_reals_parts xncc_reals_choose_parts(const xncc_reals_run *r)
{
    const double known = r->known, image = r->all_norm / sqrt(samples_of(r)),
                 templ = r->all_templ / sqrt(xncc_reals_samples_of_window(r));
    if (!(known > 0x1p-600 && known < 0x1p600 && image > 0x1p-400 && templ > 0x1p-400))
        return (xncc_reals_parts){ 0.0, 0.0 };
    const int both = ilogb(known) + 3, of_image = (both + ilogb(image) - ilogb(templ)) / 2;
    const xncc_reals_parts p = { ldexp(1.0, of_image), ldexp(1.0, both - of_image) };
    if (r->all_norm > 0x1p50 * p.unit || r->all_templ > 0x1p50 * p.templ_unit)
        return (xncc_reals_parts){ 0.0, 0.0 };
    return p;
}

/* The sum of the sizes of the other products is at most this, if the root of the sum of squares of
 * the samples, `count` of them, is at most `norm`. */
static double rests(const xncc_reals_run *r, double norm, double count)
{
    const double of_image = 0.5 * r->parts.unit * sqrt(count),
                 of_templ = 0.5 * r->parts.templ_unit * sqrt(xncc_reals_samples_of_window(r));
    return 1.01 * (of_image * r->all_templ + (norm + of_image) * of_templ);
}

/* Does the sum of the leading parts' products follow, if that of the others is off by `error`? */
static int parts_fit(const xncc_reals_run *r, double error)
{
    return 1.02 * r->known + 1.02 * error <= 0.45 * r->parts.unit * r->parts.templ_unit;
}

/* X from what is known of it and from the sum of the others. It is rounded once. */
static double put_together(const xncc_reals_run *r, double known, double rest)
{
    const double magic = 0x1.8p52 * (r->parts.unit * r->parts.templ_unit);
    return ((known - rest) + magic - magic) + rest;
}

/* The bound of its error relative to |v| |t|, but for the error of the rest: v and t were rounded
 * once, and so was the sum. */
static const double of_roundings = 3.1 * 0x1p-53;

static double round_to(double v, double unit)
{
    const double magic = 0x1.8p52 * unit;
    return (v + magic) - magic;
}

/* ---- transforms ---- */

/* Arrays of transforms: v' and v - v', of which the second is that of t - t' before; and spectra:
 * of t - t', of the sum, and of t if there is none. */
enum { LEADING = XNCC_SHARP_SUMS, REST, TEMPL_REST, SUM, TEMPL, ARRAYS };
_Static_assert(ARRAYS == (int)XNCC_AGAIN_ARRAYS, "they are not rare memory");

typedef struct sharpening {
    xncc_reals_run *r;
    const xncc_fft_isa *fft;
    const xncc_fft_blocking *blocking;
    int32_t channel, parts; /* parts of the columns */
} sharpening;

/* A thread's two rows of doubles, with zeros past their end. */
static void clear_rows(const xncc_reals_run *own, double *part[2])
{
    const size_t line = (size_t)own->m.stage.pitch;
    memset(own->m.plane_rows, 0, 2 * line * sizeof(double));
    for (size_t k = 0; k < 2; k++)
        part[k] = own->m.plane_rows + k * line;
}

/* Transforms some rows of t - t'. */
static void transform_templ_rows(void *argument, uint64_t index, int32_t slot)
{
    const sharpening *s = argument;
    const xncc_reals_run *r = s->r;
    const xncc_template *templ = r->job->templ;
    const double pivot = r->shared->channel[s->channel].pivot;
    const int32_t first = (int32_t)index * XNCC_REALS_BAND_ROWS,
                  end = xncc_min_i32(first + XNCC_REALS_BAND_ROWS, templ->height);
    double *part[2];
    xncc_reals_run own;
    xncc_reals_run_in(r, slot, &own);
    clear_rows(&own, part);
    for (int32_t y = first; y < end && !xncc_is_cancelled(r->job->watch); y++) {
        const double *value = r->shared->value[s->channel] + (ptrdiff_t)y * templ->width;
        for (int32_t x = 0; x < templ->width; x++) {
            const double t = value[x] - pivot;
            part[REST][x] = t - round_to(t, r->parts.templ_unit);
        }
        s->fft->reals_in(r->shared->table, s->blocking, part[REST],
                         xncc_reals_array_row(r, r->m.arrays[REST], y));
    }
}

/* Transforms columns of an array of the template to a spectrum. */
static void transform_columns(const sharpening *s, void *array, uint64_t part, int spectrum)
{
    s->fft->columns(s->r->shared->table, s->blocking, s->r->job->watch,
                    &(xncc_fft_part){ .array = array,
                                      .rows = s->r->job->templ->height,
                                      .part = (int32_t)part,
                                      .parts = s->parts,
                                      .spectrum = s->r->m.arrays[spectrum] });
}

/* Transforms columns of t - t', and of t if that has only its rows transformed. */
static void transform_templ_columns(void *argument, uint64_t index, int32_t slot)
{
    const sharpening *s = argument;
    (void)slot;
    transform_columns(s, s->r->m.arrays[REST], index, TEMPL_REST);
    if (s->blocking->common)
        transform_columns(s, s->r->shared->plane[s->channel][XNCC_REALS_PLANE_VALUE], index, TEMPL);
}

/* Transforms some rows of v' and v - v'. */
static void transform_image_rows(void *argument, uint64_t index, int32_t slot)
{
    const sharpening *s = argument;
    const int32_t first = (int32_t)index * XNCC_REALS_BAND_ROWS, width = s->r->m.stage.width,
                  end = xncc_min_i32(first + XNCC_REALS_BAND_ROWS, s->r->m.stage.height);
    double *part[2];
    xncc_reals_run own;
    xncc_reals_run_in(s->r, slot, &own);
    clear_rows(&own, part);
    for (int32_t y = first; y < end && !xncc_is_cancelled(own.job->watch); y++) {
        (void)xncc_reals_read_line(&own, y, s->channel, own.pivot[s->channel], 1, own.m.line);
        for (int32_t x = 0; x < width; x++) {
            part[LEADING][x] = round_to(own.m.line[x], own.parts.unit);
            part[REST][x] = own.m.line[x] - part[LEADING][x];
        }
        for (int k = LEADING; k <= REST; k++)
            s->fft->reals_in(own.shared->table, s->blocking, part[k],
                             xncc_reals_array_row(s->r, s->r->m.arrays[k], y));
    }
}

/* Adds both products of a channel to the sum, in some columns, which the last channel leaves in the
 * array of v'. */
static void add_columns(void *argument, uint64_t index, int32_t slot)
{
    const sharpening *s = argument;
    const xncc_reals_run *r = s->r;
    const void *const templ[] = {
        [LEADING] = r->m.arrays[TEMPL_REST],
        [REST] = s->blocking->common ? r->m.arrays[TEMPL]
                                     : r->shared->plane[s->channel][XNCC_REALS_PLANE_VALUE]
    };
    xncc_reals_run own;
    xncc_reals_run_in(r, slot, &own);
    s->fft->add(r->shared->table, s->blocking, r->job->watch,
                &(xncc_fft_products){ .count = 2,
                                      .array = r->m.arrays,
                                      .templ = templ,
                                      .rows = r->m.stage.height,
                                      .wanted = r->area->height,
                                      .sum = r->m.arrays[SUM],
                                      .first = s->channel == 0,
                                      .last = s->channel == r->job->templ->channels - 1,
                                      .buffer = own.m.buffer,
                                      .part = (int32_t)index,
                                      .parts = s->parts });
}

int xncc_reals_sharpen(xncc_reals_run *r, xncc_reals_errors *error)
{
    const xncc_job *job = r->job;
    const int32_t channels = job->templ->channels,
                  templ_bands = xncc_ceil_div(job->templ->height, XNCC_REALS_BAND_ROWS),
                  bands = xncc_ceil_div(r->m.stage.height, XNCC_REALS_BAND_ROWS);
    const double of_rest = 1.01 * (r->factor + channels * 0x1p-50) *
                           rests(r, r->all_norm, samples_of(r));
    sharpening s = { .r = r,
                     .fft = r->variant->fft,
                     .blocking = &job->blocks->fft,
                     .parts = xncc_reals_parts_of(r) };
    if (!parts_fit(r, of_rest) || of_rest > r->known)
        return 0;
    r->m.kept_planes->serial = 0; /* their arrays may be among those that are written */
    for (s.channel = 0; s.channel < channels; s.channel++) {
        xncc_job_run(job, templ_bands, transform_templ_rows, &s);
        xncc_job_run(job, s.parts, transform_templ_columns, &s);
        xncc_job_run(job, bands, transform_image_rows, &s);
        xncc_job_run(job, s.parts, add_columns, &s);
    }
    error->of_rest = of_rest;
    error->of_X = of_roundings * r->all_templ;
    error->X = of_rest + error->of_X * r->all_norm + XNCC_REALS_TINY;
    return 1;
}

void xncc_reals_sharp_row(const xncc_reals_run *r, int sharp, int32_t y, double *out)
{
    const xncc_fft_isa *fft = r->variant->fft;
    const xncc_fft_blocking *c = &r->job->blocks->fft;
    double *rest = r->m.weight_rows;
    fft->results(c, xncc_reals_array_row(r, r->m.array[0], y), r->area->width, out);
    if (!sharp)
        return;
    fft->reals_out(r->shared->table, c, xncc_reals_array_row(r, r->m.arrays[LEADING], y),
                   r->area->width, rest);
    for (int32_t x = 0; x < r->area->width; x++)
        out[x] = put_together(r, out[x], rest[x]);
}
