/* The oracle's part for windows of which not every pixel counts, for several channels, and for the pixel types that the plain
 * problem has not: the definitions as the plainest loops. Not to be made faster. */
#include "cpu/kernel.h"

#include "image/image.h"
#include "image/samples.h"

/* A pixel of the image under a pixel of the template. */
typedef struct meeting {
    const void *row;  /* of the image; NULL: a pixel of the zero border */
    int64_t column;
    int counts;       /* in both */
} meeting;

static meeting meet(const cm_job *job, int64_t left, int64_t top, int32_t i, int32_t j)
{
    const cm_image *image = job->image;
    const cm_template *part = job->part;
    int64_t x = cm_border_index(job->problem->border, left + i, image->width);
    int64_t y = cm_border_index(job->problem->border, top + j, image->height);
    meeting m = { NULL, 0, !part->mask || part->mask[(size_t)j * (size_t)part->width + (size_t)i] };
    if (x < 0 || y < 0) {
        m.counts = m.counts && job->problem->border == CM_BORDER_ZERO;
        return m;
    }
    m.row = cm_image_row(image, (int32_t)y);
    m.column = x;
    m.counts = m.counts && cm_pixel_counts(image, part->channels, m.row, cm_image_mask_row(image, (int32_t)y), x);
    return m;
}

static uint64_t count(const cm_job *job, int64_t left, int64_t top)
{
    uint64_t n = 0;
    for (int32_t j = 0; j < job->part->height; j++)
        for (int32_t i = 0; i < job->part->width; i++)
            n += (uint64_t)meet(job, left, top, i, j).counts;
    return n;
}

static cm_u128 product(uint64_t a, uint64_t b)
{
    return cm_mul_wide(a, b);
}

static float score_integers(const cm_job *job, int64_t left, int64_t top, uint64_t n)
{
    const cm_template *part = job->part;
    const uint64_t bias = job->joint.bias;
    const int digits = cm_pixel_digits(part->pixel);
    const cm_pixel stored = digits == 1 ? CM_U8 : digits == 2 ? CM_U16 : CM_U32;
    cm_joint joint = cm_joint_begin(n);
    for (int32_t c = 0; c < part->channels; c++) {
        cm_joint_sums s = { 0 };
        for (int32_t j = 0; j < part->height; j++)
            for (int32_t i = 0; i < part->width; i++) {
                meeting m = meet(job, left, top, i, j);
                if (!m.counts)
                    continue;
                int64_t at = ((int64_t)j * part->width + i) * part->channels + c;
                uint64_t t = cm_sample(stored, part->pixels, at);
                uint64_t v = m.row ? cm_sample(part->pixel, m.row, m.column * part->channels + c) : bias;
                s.S += v;
                s.T += t;
                s.Q = cm_u128_add(s.Q, product(v, v));
                s.X = cm_u128_add(s.X, product(v, t));
                s.T2 = cm_u128_add(s.T2, product(t, t));
            }
        cm_joint_add(&joint, &s, bias);
    }
    return cm_joint_score(job->problem->method, &job->joint, &joint);
}

/* One row of a channel's sums, from left to right. */
static cm_joint_reals row_of_reals(const cm_job *job, int64_t left, int64_t top, int32_t j, int32_t c)
{
    const cm_template *part = job->part;
    const double pivot = job->joint.pivot[c];
    cm_joint_reals r = { 0.0, 0.0, 0.0, 0.0, 0.0 };
    for (int32_t i = 0; i < part->width; i++) {
        meeting m = meet(job, left, top, i, j);
        if (!m.counts)
            continue;
        int64_t at = ((int64_t)j * part->width + i) * part->channels + c;
        double t = cm_sum(cm_sample_value(part->pixel, part->pixels, at), -pivot);
        double v = cm_sum(m.row ? cm_sample_value(part->pixel, m.row, m.column * part->channels + c) : 0.0, -pivot);
        r.S = cm_sum(r.S, v);
        r.Q = cm_sum(r.Q, cm_product(v, v));
        r.X = cm_sum(r.X, cm_product(v, t));
        r.T = cm_sum(r.T, t);
        r.T2 = cm_sum(r.T2, cm_product(t, t));
    }
    return r;
}

static float score_reals(const cm_job *job, int64_t left, int64_t top, uint64_t n)
{
    cm_joint_real joint = cm_joint_real_begin(n);
    for (int32_t c = 0; c < job->part->channels; c++) {
        cm_joint_reals s = { 0.0, 0.0, 0.0, 0.0, 0.0 };
        for (int32_t j = 0; j < job->part->height; j++) {
            cm_joint_reals r = row_of_reals(job, left, top, j, c);
            s.S = cm_sum(s.S, r.S);
            s.Q = cm_sum(s.Q, r.Q);
            s.X = cm_sum(s.X, r.X);
            s.T = cm_sum(s.T, r.T);
            s.T2 = cm_sum(s.T2, r.T2);
        }
        cm_joint_real_add(&joint, &s);
    }
    return cm_joint_real_score(job->problem->method, &job->joint, n, &joint);
}

float cm_reference_joint(const cm_job *job, int64_t left, int64_t top)
{
    uint64_t n = count(job, left, top);
    float settled;
    if (cm_joint_is_settled(job->problem->method, &job->joint, n, &settled))
        return settled;
    return cm_pixel_is_float(job->part->pixel) ? score_reals(job, left, top, n) : score_integers(job, left, top, n);
}
