/* The reference kernel for the general route: windows in which some pixels do not count, several
 * channels, and the pixel types that the plain problem does not have. The definitions as the
 * plainest loops; do not optimize. */
#include "cpu/kernels/kernel.h"

#include "image/image.h"
#include "image/samples.h"

/* An image pixel and the template pixel that it meets. */
typedef struct meeting {
    const void *row; /* the image row; NULL: a pixel of the zero border, or none */
    int64_t column;
    int counts; /* 1: the pixel counts in both */
} meeting;

static meeting meet(const xncc_job *job, int64_t left, int64_t top, int32_t i, int32_t j)
{
    const xncc_image *image = job->image;
    const xncc_template *templ = job->templ;
    int64_t x = xncc_border_index(job->problem->border, left + i, image->width);
    int64_t y = xncc_border_index(job->problem->border, top + j, image->height);
    meeting m = { NULL, 0,
                  !templ->mask || templ->mask[(size_t)j * (size_t)templ->width + (size_t)i] };
    if (x < 0 || y < 0) {
        m.counts = m.counts && job->problem->border == XNCC_BORDER_ZERO;
        return m;
    }
    m.row = xncc_image_row(image, (int32_t)y);
    m.column = x;
    m.counts = m.counts && xncc_pixel_counts(image, templ->channels, m.row,
                                             xncc_image_mask_row(image, (int32_t)y), x);
    return m;
}

static uint64_t count(const xncc_job *job, int64_t left, int64_t top)
{
    uint64_t n = 0;
    for (int32_t j = 0; j < job->templ->height; j++)
        for (int32_t i = 0; i < job->templ->width; i++)
            n += (uint64_t)meet(job, left, top, i, j).counts;
    return n;
}

static xncc_u128 product(uint64_t a, uint64_t b)
{
    return xncc_u128_of_product(a, b);
}

static float score_integers(const xncc_job *job, int64_t left, int64_t top, uint64_t n)
{
    const xncc_template *templ = job->templ;
    const uint64_t bias = job->general.bias;
    const int digits = xncc_pixel_digits(templ->pixel);
    const xncc_pixel stored = digits == 1 ? XNCC_U8 : digits == 2 ? XNCC_U16 : XNCC_U32;
    xncc_general general = xncc_general_begin(n);
    for (int32_t c = 0; c < templ->channels; c++) {
        xncc_general_sums s = { 0 };
        for (int32_t j = 0; j < templ->height; j++)
            for (int32_t i = 0; i < templ->width; i++) {
                meeting m = meet(job, left, top, i, j);
                if (!m.counts)
                    continue;
                int64_t at = ((int64_t)j * templ->width + i) * templ->channels + c;
                uint64_t t = xncc_sample(stored, templ->pixels, at);
                uint64_t v = m.row
                                 ? xncc_sample(templ->pixel, m.row, m.column * templ->channels + c)
                                 : bias;
                s.S += v;
                s.T += t;
                s.Q = xncc_u128_add(s.Q, product(v, v));
                s.X = xncc_u128_add(s.X, product(v, t));
                s.T2 = xncc_u128_add(s.T2, product(t, t));
            }
        xncc_general_add(&general, &s, bias);
    }
    return xncc_general_score(job->problem->method, &job->general, &general);
}

/* Sums one row of a channel from left to right. */
static xncc_general_reals row_of_reals(const xncc_job *job, int64_t left, int64_t top, int32_t j,
                                       int32_t c)
{
    const xncc_template *templ = job->templ;
    const double pivot = job->general.pivot[c];
    xncc_general_reals r = { 0.0, 0.0, 0.0, 0.0, 0.0 };
    for (int32_t i = 0; i < templ->width; i++) {
        meeting m = meet(job, left, top, i, j);
        if (!m.counts)
            continue;
        int64_t at = ((int64_t)j * templ->width + i) * templ->channels + c;
        double t = xncc_sum(xncc_sample_value(templ->pixel, templ->pixels, at), -pivot);
        double v = xncc_sum(
            m.row ? xncc_sample_value(templ->pixel, m.row, m.column * templ->channels + c) : 0.0,
            -pivot);
        r.S = xncc_sum(r.S, v);
        r.Q = xncc_sum(r.Q, xncc_product(v, v));
        r.X = xncc_sum(r.X, xncc_product(v, t));
        r.T = xncc_sum(r.T, t);
        r.T2 = xncc_sum(r.T2, xncc_product(t, t));
    }
    return r;
}

static float score_reals(const xncc_job *job, int64_t left, int64_t top, uint64_t n)
{
    xncc_general_real general = xncc_general_real_begin(n);
    for (int32_t c = 0; c < job->templ->channels; c++) {
        xncc_general_reals s = { 0.0, 0.0, 0.0, 0.0, 0.0 };
        for (int32_t j = 0; j < job->templ->height; j++) {
            xncc_general_reals r = row_of_reals(job, left, top, j, c);
            s.S = xncc_sum(s.S, r.S);
            s.Q = xncc_sum(s.Q, r.Q);
            s.X = xncc_sum(s.X, r.X);
            s.T = xncc_sum(s.T, r.T);
            s.T2 = xncc_sum(s.T2, r.T2);
        }
        xncc_general_real_add(&general, &s);
    }
    return xncc_general_real_score(job->problem->method, &job->general, n, &general);
}

float xncc_reference_general(const xncc_job *job, int64_t left, int64_t top)
{
    uint64_t n = count(job, left, top);
    float settled;
    if (xncc_general_score_from_count(job->problem->method, &job->general, n, &settled))
        return settled;
    return xncc_pixel_is_float(job->templ->pixel) ? score_reals(job, left, top, n)
                                                  : score_integers(job, left, top, n);
}
