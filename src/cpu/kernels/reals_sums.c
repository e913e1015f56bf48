/* SPDX-License-Identifier: BSD-2-Clause */
/* The sums of products of a rectangle, and bounds of their errors (reals_run.h). By transforms, the
 * products of all channels are added before they are transformed back, so that several channels
 * take one inverse transform. */
#include "cpu/kernels/reals_run.h"

#include <math.h>
#include <string.h>

void xncc_reals_choose_pivot(xncc_reals_run *r, int32_t channel)
{
    const xncc_method method = r->job->problem->rule.method;
    const xncc_stage *stage = &r->m.stage;
    r->pivot[channel] = r->shared->channel[channel].pivot; /* the same as the template's, or 0 */
    if (!xncc_method_is_centred(method))
        return;
    double sum = 0.0, count = 0.0;
    for (int32_t yy = 0; yy < stage->height; yy += stage->height / 8 + 1) {
        (void)xncc_reals_read_line(r, yy, channel, 0.0, 1, r->m.line);
        for (int32_t i = 0; i < stage->width; i++)
            sum += r->m.line[i];
        count += stage->width;
    }
    r->pivot[channel] = xncc_reals_pivot(sum / count, r->grid.unit);
}

/* ---- products ---- */

/* What is multiplied: a plane of the image, by one of the template. */
typedef struct factors {
    int32_t channel, power; /* power: as in xncc_reals_line */
    void *templ;
    double norm; /* of the template's plane */
} factors;

double xncc_reals_band(const double *square, int32_t rows, int32_t height)
{
    double sum = 0.0, most = 0.0, all = 0.0;
    for (int32_t y = 0; y < rows; y++) {
        sum += square[y] - (y < height ? 0.0 : square[y - height]);
        all += square[y];
        most = fmax(most, sum);
    }
    return 1.01 * sqrt(most + 0x1p-40 * all + XNCC_REALS_TINY); /* and what subtractions lose */
}

/* Transforms the rows of planes of the image to r->m.array. Returns the roots of the sums of
 * squares of what was transformed in norm[] and band[]. */
static void transform_rows(xncc_reals_run *r, const factors *f, int count, double *norm,
                           double *band)
{
    const xncc_fft_isa *fft = r->variant->fft;
    const xncc_fft_blocking *c = &r->job->blocks->fft;
    const size_t step = (size_t)fft->row_bytes(c->nx);
    const int32_t rows = r->m.stage.height;
    double square[XNCC_FFT_AT_ONCE] = { 0.0 };
    memset(r->m.line, 0, (size_t)r->m.stage.pitch * sizeof(double));
    for (int32_t yy = 0; yy < rows && !xncc_is_cancelled(r->job->watch); yy++)
        for (int k = 0; k < count; k++) {
            const int32_t channel = f[k].channel;
            const xncc_reals_found found = xncc_reals_read_line(r, yy, channel, r->pivot[channel],
                                                                f[k].power, r->m.line);
            square[k] += found.square;
            r->m.row_square[k][yy] = found.square;
            r->bad |= found.bad;
            fft->reals_in(r->shared->table, c, r->m.line, r->m.array[k] + (uint64_t)yy * step);
        }
    for (int k = 0; k < count; k++) {
        norm[k] = 1.01 * sqrt(square[k] + XNCC_REALS_TINY);
        band[k] = xncc_reals_band(r->m.row_square[k], rows, r->job->templ->height);
    }
}

/* A plane of the image times one of the template, transformed back but for the rows. Where planes
 * of the image have several products, the spectrum of the last one is kept for the next. The
 * numbers of counting pixels (power 0) are the same in all channels. */
static double transform(xncc_reals_run *r, const factors *f)
{
    const int known = f->power == r->kept_power && (f->power == 0 || f->channel == r->kept_channel);
    if (!known)
        transform_rows(r, f, 1, &r->kept_norm, &r->kept_band);
    char *const array[2] = { r->m.array[0], NULL }, *const spectrum[2] = { f->templ, NULL };
    r->variant->fft->convolve(r->shared->table, &r->job->blocks->fft, r->job->watch,
                              (xncc_fft_source){ .spectrum = r->m.kept,
                                                 .known = known,
                                                 .rows = r->m.stage.height,
                                                 .wanted = r->area->height },
                              array, spectrum, r->m.buffer);
    r->kept_channel = f->channel;
    r->kept_power = r->m.kept ? f->power : -1;
    return r->kept_norm;
}

void xncc_reals_transformed_row(const xncc_reals_run *r, int32_t y, double *out)
{
    const xncc_fft_blocking *c = &r->job->blocks->fft;
    r->variant->fft->reals_out(r->shared->table, c, xncc_reals_array_row(r, r->m.array[0], y),
                               r->area->width, out);
}

/* The products of a plane of the image with one of the template, directly, to `sum`. */
static double multiply(xncc_reals_run *r, const factors *f, double *sum)
{
    const int32_t height = r->job->templ->height, rows = r->area->height;
    xncc_reals_meeting meeting = { .line = r->m.line,
                                   .templ = f->templ,
                                   .width = r->job->templ->width,
                                   .columns = r->area->width,
                                   .sum = sum,
                                   .stride = r->stride,
                                   .watch = r->job->watch };
    double square = 0.0;
    memset(sum, 0, (size_t)r->stride * (size_t)rows * sizeof(double));
    for (int32_t yy = 0; yy < r->m.stage.height && !xncc_is_cancelled(r->job->watch); yy++) {
        const xncc_reals_found found = xncc_reals_read_line(r, yy, f->channel, r->pivot[f->channel],
                                                            f->power, r->m.line);
        square += found.square;
        r->bad |= found.bad;
        meeting.y = yy;
        meeting.first = yy - height + 1 > 0 ? yy - height + 1 : 0;
        meeting.last = yy < rows - 1 ? yy : rows - 1;
        r->isa->meet(&meeting);
    }
    return 1.01 * sqrt(square + XNCC_REALS_TINY);
}

/* Computes a sum by products, one that is stored, and returns a bound of its error. */
static double product(xncc_reals_run *r, xncc_sum_id sum, const factors *f)
{
    double of_image;
    if (r->variant->fft) {
        of_image = transform(r, f);
        for (int32_t y = 0; y < r->area->height; y++)
            xncc_reals_transformed_row(r, y, r->m.sum[sum] + (ptrdiff_t)y * r->stride);
    } else {
        of_image = multiply(r, f, r->m.sum[sum]);
    }
    return r->factor * of_image * f->norm;
}

/* ---- the number of pixels ---- */

int xncc_reals_is_stored(const xncc_reals_run *r, xncc_sum_id sum)
{
    return r->source[sum] == XNCC_FROM_PRODUCTS ||
           (sum == XNCC_SUM_N && r->source[sum] == XNCC_FROM_WINDOW);
}

void xncc_reals_count_pixels(xncc_reals_run *r)
{
    double *N = r->m.sum[XNCC_SUM_N];
    if (!xncc_reals_is_stored(r, XNCC_SUM_N))
        return;
    if (xncc_problem_image_clips(r->job->problem)) {
        (void)xncc_reals_clip(r, XNCC_SUM_N, 0);
        return;
    }
    (void)product(r, XNCC_SUM_N, &(factors){ .power = 0, .templ = r->shared->mask, .norm = 1.0 });
    for (ptrdiff_t i = 0; i < (ptrdiff_t)r->stride * r->area->height; i++)
        N[i] = rint(N[i]) + 0.0;
}

/* ---- the sums of channels ---- */

static factors factors_of(const xncc_reals_run *r, xncc_sum_id sum, int32_t channel)
{
    const int kind = sum == XNCC_SUM_T2 ? XNCC_REALS_PLANE_SQUARE : XNCC_REALS_PLANE_VALUE,
              of_image = sum == XNCC_SUM_S || sum == XNCC_SUM_Q,
              of_count = sum == XNCC_SUM_T || sum == XNCC_SUM_T2;
    return (factors){ .channel = channel,
                      .power = of_count            ? 0
                               : sum == XNCC_SUM_Q ? 2
                                                   : 1,
                      .templ = of_image ? r->shared->mask : r->shared->plane[channel][kind],
                      .norm = of_image ? sqrt((double)r->job->general.whole)
                                       : r->shared->norm[channel][kind] };
}

void xncc_reals_products(xncc_reals_run *r, int32_t channel, xncc_reals_errors *e)
{
    /* After N and before X, with which they share the spectra of planes. */
    static const xncc_sum_id order[] = { XNCC_SUM_T, XNCC_SUM_T2, XNCC_SUM_Q, XNCC_SUM_S };
    double *const error[XNCC_SUMS] = {
        [XNCC_SUM_S] = &e->S, [XNCC_SUM_Q] = &e->Q, [XNCC_SUM_T] = &e->T, [XNCC_SUM_T2] = &e->T2
    };
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (r->source[order[i]] == XNCC_FROM_PRODUCTS) {
            const factors f = factors_of(r, order[i], channel);
            *error[order[i]] = xncc_problem_image_clips(r->job->problem) && f.power == 0
                                   ? xncc_reals_clip(r, order[i], channel)
                                   : product(r, order[i], &f);
        }
}

/* The bound of the error of X of a channel by transforms. templ: the norm of the template. */
static double error_of(const xncc_reals_run *r, int32_t channel, double templ)
{
    return ((r->factor - r->of_rows) * r->norm[channel] + r->of_rows * r->band[channel]) * templ;
}

/* Adds the products of up to XNCC_FFT_AT_ONCE channels to those of the channels from `first` on,
 * and leaves the sum of all of them in r->m.array[0]. Returns what they add to the bound of its
 * error. */
static double transform_some(xncc_reals_run *r, int32_t first, int32_t from, int32_t end)
{
    const int count = xncc_min_i32(end - from, XNCC_FFT_AT_ONCE);
    factors f[XNCC_FFT_AT_ONCE];
    const void *templ[XNCC_FFT_AT_ONCE];
    const double of_additions = 1.01 * 0x1p-53 * (end - first - 1);
    double error = 0.0;
    for (int k = 0; k < count; k++) {
        f[k] = factors_of(r, XNCC_SUM_X, from + k);
        templ[k] = f[k].templ;
    }
    transform_rows(r, f, count, &r->norm[from], &r->band[from]);
    r->variant->fft->add(r->shared->table, &r->job->blocks->fft, r->job->watch,
                         &(xncc_fft_products){ .count = count,
                                               .array = r->m.array,
                                               .templ = templ,
                                               .rows = r->m.stage.height,
                                               .wanted = r->area->height,
                                               .sum = r->m.spectrum,
                                               .first = from == first,
                                               .last = from + count == end,
                                               .buffer = r->m.buffer });
    for (int k = 0; k < count; k++)
        error += error_of(r, from + k, f[k].norm) + of_additions * r->norm[from + k] * f[k].norm;
    return error;
}

/* X of some channels by transforms, which are left in r->m.array[0]. Returns the bound of its
 * error. */
static double transform_together(xncc_reals_run *r, int32_t first, int32_t end)
{
    double error = 0.0;
    if (end - first == 1) {
        const factors f = factors_of(r, XNCC_SUM_X, first);
        r->norm[first] = transform(r, &f);
        r->band[first] = r->kept_band;
        return error_of(r, first, f.norm);
    }
    for (int32_t c = first; c < end; c += XNCC_FFT_AT_ONCE)
        error += transform_some(r, first, c, end);
    return error;
}

void xncc_reals_products_X(xncc_reals_run *r, int32_t first, int32_t end, xncc_reals_row *row)
{
    const ptrdiff_t plane = (ptrdiff_t)r->stride * r->area->height;
    if (r->common) {
        row[first].error.X = error_of(r, first, factors_of(r, XNCC_SUM_X, first).norm);
        return;
    }
    if (r->variant->fft) {
        row[end - 1].error.X = transform_together(r, first, end);
        return;
    }
    for (int32_t c = first; c < end; c++) {
        const factors f = factors_of(r, XNCC_SUM_X, c);
        r->norm[c] = multiply(r, &f, r->m.sum[XNCC_SUM_X] + (c - first) * plane);
        row[c].error.X = r->factor * r->norm[c] * f.norm;
    }
    /* Direct products are of the window's samples alone. */
    if (r->job->templ->channels == 1 && r->source[XNCC_SUM_Q] != XNCC_FROM_NOWHERE)
        row[first].error.of_X = 1.01 * r->factor * r->shared->norm[first][XNCC_REALS_PLANE_VALUE];
}
