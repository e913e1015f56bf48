/* The oracle: every definition of include/corrmatch/template.h and convolve.h as the plainest loop. Not to be made
 * faster. */
#include "cpu/kernel.h"

#include "image/image.h"

#include <math.h>

static int32_t clamp(int64_t v, int32_t extent)
{
    return v < 0 ? 0 : v >= extent ? extent - 1 : (int32_t)v;
}

static uint64_t integer_pixel(const cm_image *image, int64_t x, int64_t y)
{
    const void *row = cm_image_row(image, clamp(y, image->height));
    int32_t column = clamp(x, image->width);
    return image->pixel == CM_U8 ? ((const uint8_t *)row)[column] : ((const uint16_t *)row)[column];
}

static float float_pixel(const cm_image *image, int64_t x, int64_t y)
{
    if (image->pixel != CM_F32)
        return (float)integer_pixel(image, x, y);
    return ((const float *)cm_image_row(image, clamp(y, image->height)))[clamp(x, image->width)];
}

/* The score of the window whose top-left pixel is (left, top). All three sums fit 64 bits (score.h). */
static float score_integer(const cm_job *job, int64_t left, int64_t top)
{
    const cm_template *part = job->part;
    uint64_t S = 0, Q = 0, X = 0;
    for (int32_t j = 0; j < part->height; j++) {
        for (int32_t i = 0; i < part->width; i++) {
            size_t at = (size_t)j * (size_t)part->width + (size_t)i;
            uint64_t t =
                part->pixel == CM_U8 ? ((const uint8_t *)part->pixels)[at] : ((const uint16_t *)part->pixels)[at];
            uint64_t v = integer_pixel(job->image, left + i, top + j);
            S += v;
            Q += v * v;
            X += v * t;
        }
    }
    return cm_score_integer(job->problem->method, &job->rule, S, Q, X);
}

/* Rows from left to right, then the rows' sums from top to bottom: the order that score.h fixes. */
static float score_float(const cm_job *job, int64_t left, int64_t top)
{
    const cm_template *part = job->part;
    const float *pixels = part->pixels;
    double S = 0.0, Q = 0.0, X = 0.0;
    for (int32_t j = 0; j < part->height; j++) {
        double row_s = 0.0, row_q = 0.0, row_x = 0.0;
        for (int32_t i = 0; i < part->width; i++) {
            double t = cm_centred(pixels[(size_t)j * (size_t)part->width + (size_t)i], job->rule.pivot);
            double v = cm_centred(float_pixel(job->image, left + i, top + j), job->rule.pivot);
            row_s = cm_sum(row_s, v);
            row_q = cm_sum(row_q, cm_product(v, v));
            row_x = cm_sum(row_x, cm_product(v, t));
        }
        S = cm_sum(S, row_s);
        Q = cm_sum(Q, row_q);
        X = cm_sum(X, row_x);
    }
    return cm_score_float(job->problem->method, &job->rule, S, Q, X);
}

static void match_area(const cm_cpu_kernel *self, const cm_job *job, void *scratch, const cm_area *area)
{
    (void)self;
    (void)scratch;
    for (int32_t y = 0; y < area->height; y++) {
        for (int32_t x = 0; x < area->width; x++) {
            int64_t left = (int64_t)job->x0 + area->x + x, top = (int64_t)job->y0 + area->y + y;
            area->out[y * area->pitch + x] =
                job->part->pixel == CM_F32 ? score_float(job, left, top) : score_integer(job, left, top);
        }
    }
}

static float convolve_one(const cm_job *job, int64_t left, int64_t top)
{
    const cm_filter *filter = job->filter;
    const cm_image *image = job->image;
    float sum = 0.0f;
    for (int32_t j = 0; j < filter->height; j++) {
        for (int32_t i = 0; i < filter->width; i++) {
            int64_t x = left + i, y = top + j;
            int outside = x < 0 || y < 0 || x >= image->width || y >= image->height;
            float v = outside && job->problem->border == CM_BORDER_ZERO ? 0.0f : float_pixel(image, x, y);
            sum = fmaf(filter->taps[j * filter->width + i], v, sum);
        }
    }
    return sum;
}

static void convolve_area(const cm_cpu_kernel *self, const cm_job *job, void *scratch, const cm_area *area)
{
    (void)self;
    (void)scratch;
    for (int32_t y = 0; y < area->height; y++)
        for (int32_t x = 0; x < area->width; x++)
            area->out[y * area->pitch + x] =
                convolve_one(job, (int64_t)job->x0 + area->x + x, (int64_t)job->y0 + area->y + y);
}

static void shape(const cm_cpu_kernel *self, const cm_problem *problem, cm_shape *shape)
{
    (void)self;
    (void)problem;
    *shape = (cm_shape){ .columns = 1024, .rows = 4 };
}

const cm_cpu_kernel cm_reference_match = { .shape = shape, .area = match_area };
const cm_cpu_kernel cm_reference_convolve = { .shape = shape, .area = convolve_area };
