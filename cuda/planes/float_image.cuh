// SPDX-License-Identifier: BSD-2-Clause
// Reads the image under a band where it is, as doubles less a pivot, and what else kernels
// for floats by transforms share.
#ifndef XNCC_CUDA_PLANES_FLOAT_IMAGE_CUH
#define XNCC_CUDA_PLANES_FLOAT_IMAGE_CUH

#include "cuda/planes/float_image.h"
#include "cuda/runtime/dispatch.h"

#include "image/samples.h"

extern "C" {
#include "plan/workspace_cuda.h"
}

namespace xncc {

// Sample (x, y) of the band, 0 outside the image if the border says so.
template <xncc_pixel PIXEL>
__device__ __forceinline__ double float_sample(const FloatImage &of, int64_t x, int64_t y)
{
    x += of.x;
    y += of.y;
    if (x < 0 || y < 0 || x >= of.image.width || y >= of.image.height) {
        x = xncc_border_index(of.border, x, of.image.width);
        y = xncc_border_index(of.border, y, of.image.height);
        if (x < 0 || y < 0)
            return 0.0;
    }
    const unsigned char *row = static_cast<const unsigned char *>(of.image.data) +
                               y * of.image.pitch;
    return xncc_sample_value(PIXEL, row, x);
}

// The upper half of the size of a double, which grows with it; that of a NaN is the largest.
__device__ __forceinline__ int32_t upper_half(double v)
{
    return __double2hiint(v) & 0x7fffffff;
}

// A sample less the pivot as fast sums take it: 0 if it is an outlier or not finite.
__device__ __forceinline__ double within(double v, int32_t limit)
{
    return upper_half(v) <= limit ? v : 0.0;
}

// The same less a pivot; 0 where no window of the band reaches.
template <xncc_pixel PIXEL>
__device__ __forceinline__ double float_value(const FloatImage &of, int x, int y, double pivot)
{
    return x < of.columns && y < of.rows ? xncc_sum(float_sample<PIXEL>(of, x, y), -pivot) : 0.0;
}

// Where sample (x, y) is, if it and the samples below it, `rows` in all, are in the image, and
// windows of the band reach them; else nullptr.
template <xncc_pixel PIXEL>
__device__ __forceinline__ const unsigned char *float_column(const FloatImage &of, int x, int y,
                                                             int rows)
{
    const int64_t left = of.x + x, top = of.y + y;
    const bool inside = x < of.columns && y + rows <= of.rows && left >= 0 && top >= 0 &&
                        left < of.image.width && top + rows <= of.image.height;
    return inside ? static_cast<const unsigned char *>(of.image.data) + top * of.image.pitch +
                        left * static_cast<int64_t>(xncc_pixel_digits(PIXEL))
                  : nullptr;
}

// Calls function(v, t) for the outliers of window (x, y), t the template's samples, less its pivot,
// that they meet.
template <class Function>
__device__ void each_outlier(const FloatConstants &c, int width, int height, int x, int y,
                             const Function &function)
{
    for (uint32_t k = 0; k < c.outliers; k++) {
        const FloatOutlier o = c.outlier[k];
        const int i = o.x - x, j = o.y - y;
        if (i >= 0 && i < width && j >= 0 && j < height)
            function(o.v, c.samples[static_cast<int64_t>(j) * width + i]);
    }
}

// Adds the outliers of a window to its S and Q, and the errors of that to their bounds: each sum is
// rounded, and so was the outlier.
__device__ inline void add_outliers(const FloatConstants &c, int width, int height, int x, int y,
                                    xncc_window_sums *s)
{
    each_outlier(c, width, height, x, y, [&](double v, double) {
        s->S += v;
        s->Q = fma(v, v, s->Q);
        s->error_S += 0x1.04p-53 * (fabs(s->S) + fabs(v));
        s->error_Q += 0x1.04p-53 * (fabs(s->Q) + 2.0 * v * v);
    });
}

// The same for X. The template's sample was rounded, too.
__device__ inline void add_outliers_to_X(const FloatConstants &c, int width, int height, int x,
                                         int y, xncc_window_sums *s)
{
    each_outlier(c, width, height, x, y, [&](double v, double t) {
        s->X = fma(v, t, s->X);
        s->error_X += 0x1.04p-53 * (fabs(s->X) + 2.0 * fabs(v * t));
    });
}

// What the sums of a column are if a sample is not finite: no sum has this NaN.
constexpr int MARK_OF_COLUMN = 0x7ff8ba5e; // its upper half

__device__ __forceinline__ double2 mark_of_column()
{
    const double mark = __hiloint2double(MARK_OF_COLUMN, 0);
    return make_double2(mark, mark);
}

__device__ __forceinline__ bool is_marked(double2 column)
{
    return __double2hiint(column.y) == MARK_OF_COLUMN;
}

// The size of a window, from a bound of its Q.
__device__ __forceinline__ int32_t size_of_window(double square)
{
    return upper_half(square) >> 21;
}

// Whether windows of a size are of use to levels: not those of zeros.
__device__ __forceinline__ bool has_level(int32_t size)
{
    return size > size_of_window(0x1p-900);
}

// The largest sample that a window of a size can have, as a limit (FloatConstants): a Q of size s
// is below 2^(2 s - 1021), and its root below 2^(s - 510).
__device__ __forceinline__ int32_t limit_of_size(int32_t size)
{
    return min((size + 513) << 20, ALL_FINITE);
}

// What X is while a window waits for it, with the window's size: no product is this NaN.
constexpr int MARK_OF_WAITING = 0x7ff8ba5f; // its upper half

__device__ __forceinline__ double waiting_product(int32_t size)
{
    return __hiloint2double(MARK_OF_WAITING, size);
}

__device__ __forceinline__ bool is_waiting(double product)
{
    return __double2hiint(product) == MARK_OF_WAITING;
}

// Sample (x, y) of the template.
template <xncc_pixel PIXEL>
__device__ __forceinline__ double templ_sample(const TemplateView &t, int x, int y)
{
    return xncc_sample_value(PIXEL, t.pixels + y * t.pitch, x);
}

// Map element where a block begins.
__device__ __forceinline__ int2 block_start(const FloatBlocks &b, int block)
{
    return make_int2(block % b.across * b.step_x, block / b.across * b.step_y);
}

// Stores X of element (x, y) of a block, unless it is outside the band.
__device__ __forceinline__ void store_product(const FloatProductsJob &job, int2 start, int x, int y,
                                              double value)
{
    x += start.x;
    y += start.y;
    if (x >= job.width || y >= job.height)
        return;
    double *to = job.sums + y * job.pitch + x;
    *to = job.adds ? *to + value : value;
}

// The reach of columns first .. last of a band, at row y of windows.
__device__ __forceinline__ double reach_of(const FloatColumns &of, int first, int last, int y)
{
    const double *reach = of.reach + y / XNCC_COLUMN_STRIP * of.across;
    double all = 0.0;
    for (int i = first / XNCC_COLUMN_BLOCK; i <= last / XNCC_COLUMN_BLOCK && i < of.across; i++)
        all += __ldg(reach + i);
    return all;
}

// Calls a function with the pixel type as a constant, if the type is a float or wide.
template <class Function> void with_float_pixel(xncc_pixel pixel, const Function &function)
{
    with_any_pixel(pixel, [&](auto type) {
        if constexpr (xncc_pixel_is_float(type) || xncc_pixel_is_wide(type))
            function(type);
    });
}

// Calls a function with each of these types.
template <class Function> void each_float_pixel(const Function &function)
{
#define CALL(pixel, name, type) with_float_pixel(pixel, function);
    XNCC_EACH_PIXEL(CALL)
#undef CALL
}

} // namespace xncc

#endif
