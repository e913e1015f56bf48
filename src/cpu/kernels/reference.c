/* SPDX-License-Identifier: BSD-2-Clause */
/* The reference kernel: every definition of include/exactncc/rules.h and convolve.h as the
 * plainest loop. Kept simple on purpose; do not optimize. */
#include "cpu/kernels/kernel.h"

#include "image/image.h"
#include "image/samples.h"
#include "math/exact_score.h"

#include <math.h>

/* Row j of the window at (left, top), and the template's mask there. */
typedef struct window_row {
    const void *row; /* the image row; NULL: a row of the zero border, or none */
    const uint8_t *mask, *templ_mask;
} window_row;

static window_row row_of(const xncc_job *job, int64_t top, int32_t j)
{
    const xncc_image *image = job->image;
    const xncc_template *templ = job->templ;
    const int64_t y = xncc_border_index(job->problem->rule.border, top + j, image->height);
    window_row r = { NULL, NULL, NULL };
    if (y >= 0) {
        r.row = xncc_image_row(image, (int32_t)y);
        r.mask = xncc_image_mask_row(image, (int32_t)y);
    }
    if (templ && templ->mask)
        r.templ_mask = templ->mask + (size_t)j * (size_t)templ->width;
    return r;
}

/* The image pixel that meets template pixel i. */
typedef struct meeting {
    int counts;     /* 1: the pixel counts in both */
    int inside;     /* 0: a pixel of the zero border, or none */
    int64_t column; /* of the image, if inside */
} meeting;

static meeting meet(const xncc_job *job, const window_row *r, int64_t left, int32_t i)
{
    const xncc_image *image = job->image;
    const int64_t x = xncc_border_index(job->problem->rule.border, left + i, image->width);
    meeting m = { !r->templ_mask || r->templ_mask[i], r->row && x >= 0, x };
    m.counts = m.counts &&
               (m.inside ? xncc_pixel_counts(image, job->templ->channels, r->row, r->mask, x)
                         : job->problem->rule.border == XNCC_BORDER_ZERO);
    return m;
}

/* Adds template row j of channel c, and to *n the pixels that count. */
static void add_integers(const xncc_job *job, int64_t left, int64_t top, int32_t j, int32_t c,
                         xncc_general_sums *s, uint64_t *n)
{
    const xncc_template *templ = job->templ;
    const xncc_pixel stored = xncc_pixel_stored(templ->pixel);
    const window_row r = row_of(job, top, j);
    for (int32_t i = 0; i < templ->width; i++) {
        const meeting m = meet(job, &r, left, i);
        if (!m.counts)
            continue;
        uint64_t t = xncc_sample(stored, templ->pixels,
                                 ((int64_t)j * templ->width + i) * templ->channels + c);
        uint64_t v = m.inside ? xncc_sample(templ->pixel, r.row, m.column * templ->channels + c)
                              : job->general.bias;
        *n += 1;
        s->S += v;
        s->T += t;
        s->Q = xncc_u128_add(s->Q, xncc_u128_of_product(v, v));
        s->X = xncc_u128_add(s->X, xncc_u128_of_product(v, t));
        s->T2 = xncc_u128_add(s->T2, xncc_u128_of_product(t, t));
    }
}

/* Is the call cancelled? Asks before template row j, about every 4096 pixels or every row. */
static int is_stopped(const xncc_job *job, int32_t j)
{
    return (j % 64 == 0 || job->templ->width > 64) && xncc_is_cancelled(job->watch);
}

static float score_integers(const xncc_job *job, int64_t left, int64_t top)
{
    xncc_general general;
    for (int32_t c = 0; c < job->templ->channels; c++) {
        xncc_general_sums s = { 0 };
        uint64_t n = 0;
        for (int32_t j = 0; j < job->templ->height && !is_stopped(job, j); j++)
            add_integers(job, left, top, j, c, &s, &n);
        if (c == 0)
            general = xncc_general_begin(n);
        xncc_general_add(&general, &s, job->general.bias);
    }
    return xncc_general_score(job->problem->rule.method, &job->general, &general);
}

/* Adds template row j of channel c, and to *n the pixels that count. Returns 0 if one of them is a
 * NaN or an infinity. */
static int add_reals(const xncc_job *job, int64_t left, int64_t top, int32_t j, int32_t c,
                     xncc_exact_sums *s, int64_t *n)
{
    const xncc_template *templ = job->templ;
    const window_row row = row_of(job, top, j);
    for (int32_t i = 0; i < templ->width; i++) {
        const meeting m = meet(job, &row, left, i);
        if (!m.counts)
            continue;
        const int64_t at = ((int64_t)j * templ->width + i) * templ->channels + c;
        const double t = xncc_sample_value(templ->pixel, templ->pixels, at),
                     v = m.inside ? xncc_sample_value(templ->pixel, row.row,
                                                      m.column * templ->channels + c)
                                  : 0.0;
        if (!isfinite(v) || !isfinite(t))
            return 0;
        xncc_exact_add_pair(s, job->problem->rule.method, v, t);
        *n += 1;
        if (*n % (INT64_C(1) << 28) == 0)
            xncc_exact_normalize(s);
    }
    return 1;
}

/* The number of pixels of a window that count. */
static uint64_t count_pixels(const xncc_job *job, int64_t left, int64_t top)
{
    uint64_t n = 0;
    for (int32_t j = 0; j < job->templ->height && !is_stopped(job, j); j++) {
        const window_row row = row_of(job, top, j);
        for (int32_t i = 0; i < job->templ->width; i++)
            n += (uint64_t)meet(job, &row, left, i).counts;
    }
    return n;
}

float xncc_reference_real(const xncc_job *job, int64_t left, int64_t top)
{
    const xncc_method method = job->problem->rule.method;
    const uint64_t counted = count_pixels(job, left, top);
    float score;
    if (xncc_general_score_from_count(method, &job->general, counted, &score))
        return score;
    xncc_exact_terms terms = { { 0 }, { 0 }, { 0 } };
    for (int32_t c = 0; c < job->templ->channels; c++) {
        xncc_exact_sums s = { { 0 }, { 0 }, { 0 }, { 0 }, { 0 } };
        int64_t n = 0;
        for (int32_t j = 0; j < job->templ->height && !is_stopped(job, j); j++) {
            if (!add_reals(job, left, top, j, c, &s, &n))
                return NAN;
        }
        xncc_exact_normalize(&s);
        xncc_exact_add_channel(&terms, method, n, &s);
    }
    return xncc_exact_score(method, &job->general, (int64_t)counted, &terms);
}

static void match_area(const xncc_cpu_kernel *self, const xncc_job *job, void *scratch,
                       const xncc_area *area)
{
    (void)self;
    (void)scratch;
    const int floats = xncc_pixel_is_float(job->templ->pixel);
    for (int32_t y = 0; y < area->height; y++) {
        for (int32_t x = 0; x < area->width; x++) {
            int64_t left = (int64_t)job->x0 + area->x + x, top = (int64_t)job->y0 + area->y + y;
            area->out[y * area->pitch + x] = floats ? xncc_reference_real(job, left, top)
                                                    : score_integers(job, left, top);
        }
    }
}

/* Returns the sum of the products of the taps and the pixels, in their order. */
static float convolve_one(const xncc_job *job, int64_t left, int64_t top)
{
    const xncc_filter *filter = job->filter;
    const xncc_image *image = job->image;
    float sum = 0.0f;
    for (int32_t j = 0; j < filter->height; j++) {
        const window_row r = row_of(job, top, j);
        for (int32_t i = 0; i < filter->width; i++) {
            const int64_t x = xncc_border_index(job->problem->rule.border, left + i, image->width);
            const float pixel = r.row && x >= 0 ? (float)xncc_sample_value(image->pixel, r.row, x)
                                                : 0.0f;
            sum = fmaf(filter->taps[j * filter->width + i], pixel, sum);
        }
    }
    return sum;
}

static void convolve_area(const xncc_cpu_kernel *self, const xncc_job *job, void *scratch,
                          const xncc_area *area)
{
    (void)self;
    (void)scratch;
    const int32_t step = xncc_columns_to_ask((int64_t)job->filter->width * job->filter->height, 1);
    for (int32_t y = 0; y < area->height; y++) {
        for (int32_t x = 0; x < area->width && !xncc_is_cancelled(job->watch);) {
            const int32_t end = xncc_min_i32(x + step, area->width);
            for (; x < end; x++)
                area->out[y * area->pitch + x] = convolve_one(job, (int64_t)job->x0 + area->x + x,
                                                              (int64_t)job->y0 + area->y + y);
        }
    }
}

const xncc_cpu_kernel xncc_reference_match = { .area = match_area };
const xncc_cpu_kernel xncc_reference_convolve = { .area = convolve_area };
