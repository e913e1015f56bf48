/* The reference kernel: every definition of include/exactncc/template.h and convolve.h as the
 * plainest loop. Kept simple on purpose; do not optimize. */
#include "cpu/kernels/kernel.h"

#include "image/image.h"
#include "image/samples.h"
#include "plan/problem.h"

#include <math.h>

/* Returns the biased sample at (x, y), which may be outside the image. Outside the image, the zero
 * border has samples of 0. */
static uint64_t integer_pixel(const xncc_job *job, int64_t x, int64_t y)
{
    const xncc_image *image = job->image;
    int64_t column = xncc_border_index(job->problem->border, x, image->width);
    int64_t line = xncc_border_index(job->problem->border, y, image->height);
    if (column < 0 || line < 0)
        return xncc_pixel_bias(image->pixel);
    return xncc_sample(image->pixel, xncc_image_row(image, (int32_t)line), column);
}

static float float_pixel(const xncc_job *job, int64_t x, int64_t y)
{
    const xncc_image *image = job->image;
    int64_t column = xncc_border_index(job->problem->border, x, image->width);
    int64_t line = xncc_border_index(job->problem->border, y, image->height);
    if (column < 0 || line < 0)
        return 0.0f;
    return (float)xncc_sample_value(image->pixel, xncc_image_row(image, (int32_t)line), column);
}

/* Returns the score of the window whose top-left pixel is (left, top). All three sums fit 64 bits
 * (score.h). */
static float score_integer(const xncc_job *job, int64_t left, int64_t top)
{
    const xncc_template *templ = job->templ;
    uint64_t S = 0, Q = 0, X = 0;
    for (int32_t j = 0; j < templ->height; j++) {
        for (int32_t i = 0; i < templ->width; i++) {
            size_t at = (size_t)j * (size_t)templ->width + (size_t)i;
            uint64_t t = xncc_pixel_digits(templ->pixel) == 1
                             ? ((const uint8_t *)templ->pixels)[at]
                             : ((const uint16_t *)templ->pixels)[at];
            uint64_t v = integer_pixel(job, left + i, top + j);
            S += v;
            Q += v * v;
            X += v * t;
        }
    }
    return xncc_score_integer(job->problem->method, &job->rule, S, Q, X);
}

/* Sums each row from left to right and then the rows from top to bottom: the order that score.h
 * defines. */
static float score_float(const xncc_job *job, int64_t left, int64_t top)
{
    const xncc_template *templ = job->templ;
    const float *pixels = templ->pixels;
    double S = 0.0, Q = 0.0, X = 0.0;
    for (int32_t j = 0; j < templ->height; j++) {
        double row_s = 0.0, row_q = 0.0, row_x = 0.0;
        for (int32_t i = 0; i < templ->width; i++) {
            double t = xncc_centred(pixels[(size_t)j * (size_t)templ->width + (size_t)i],
                                    job->rule.pivot);
            double v = xncc_centred(float_pixel(job, left + i, top + j), job->rule.pivot);
            row_s = xncc_sum(row_s, v);
            row_q = xncc_sum(row_q, xncc_product(v, v));
            row_x = xncc_sum(row_x, xncc_product(v, t));
        }
        S = xncc_sum(S, row_s);
        Q = xncc_sum(Q, row_q);
        X = xncc_sum(X, row_x);
    }
    return xncc_score_float(job->problem->method, &job->rule, S, Q, X);
}

static void match_area(const xncc_cpu_kernel *self, const xncc_job *job, void *scratch,
                       const xncc_area *area)
{
    (void)self;
    (void)scratch;
    const xncc_route route = xncc_problem_route(job->problem);
    for (int32_t y = 0; y < area->height; y++) {
        for (int32_t x = 0; x < area->width; x++) {
            int64_t left = (int64_t)job->x0 + area->x + x, top = (int64_t)job->y0 + area->y + y;
            area->out[y * area->pitch + x] = route == XNCC_ROUTE_GENERAL
                                                 ? xncc_reference_general(job, left, top)
                                             : job->templ->pixel == XNCC_F32
                                                 ? score_float(job, left, top)
                                                 : score_integer(job, left, top);
        }
    }
}

static float convolve_one(const xncc_job *job, int64_t left, int64_t top)
{
    const xncc_filter *filter = job->filter;
    float sum = 0.0f;
    for (int32_t j = 0; j < filter->height; j++)
        for (int32_t i = 0; i < filter->width; i++)
            sum = fmaf(filter->taps[j * filter->width + i], float_pixel(job, left + i, top + j),
                       sum);
    return sum;
}

static void convolve_area(const xncc_cpu_kernel *self, const xncc_job *job, void *scratch,
                          const xncc_area *area)
{
    (void)self;
    (void)scratch;
    for (int32_t y = 0; y < area->height; y++)
        for (int32_t x = 0; x < area->width; x++)
            area->out[y * area->pitch + x] = convolve_one(job, (int64_t)job->x0 + area->x + x,
                                                          (int64_t)job->y0 + area->y + y);
}

static void reference_shape(const xncc_cpu_kernel *self, const xncc_problem *problem,
                            xncc_shape *shape)
{
    (void)self;
    (void)problem;
    *shape = (xncc_shape){ .columns = 1024, .rows = 4 };
}

const xncc_cpu_kernel xncc_reference_match = { .shape = reference_shape, .area = match_area };
const xncc_cpu_kernel xncc_reference_convolve = { .shape = reference_shape, .area = convolve_area };
