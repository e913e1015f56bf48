// exactncc with OpenCV: views of cv::Mat and cv::cuda::GpuMat. Nothing is copied.
// SPDX-License-Identifier: BSD-2-Clause
//
//     cv::Mat scene = ..., patch = scene(cv::Rect(70, 30, 16, 16));
//     exactncc::Context context;
//     exactncc::Template templ(context, exactncc::view(patch));
//     for (const xncc_match &match : exactncc::find(context, exactncc::view(scene), templ))
//         cv::rectangle(scene, exactncc::rect(match, templ), 255);
//
// A program that includes this header needs OpenCV's module core, and nothing else of OpenCV.
// GpuMat needs an OpenCV that was built with CUDA only where the program allocates one.
//
// Depths: CV_8U, CV_8S, CV_16U, CV_16S, CV_32F and CV_64F, with any number of channels up to
// XNCC_MAX_CHANNELS. CV_32S and CV_16F are refused: convert them with convertTo. All channels make
// one score, as in cv::matchTemplate.
#ifndef EXACTNCC_OPENCV_HPP
#define EXACTNCC_OPENCV_HPP

#include "exactncc.hpp"

#include <opencv2/core.hpp>
#include <opencv2/core/cuda.hpp>

#include <cstdio>

namespace exactncc {
namespace detail {

inline xncc_status refuse(xncc_error *error, const char *problem, const char *advice)
{
    std::snprintf(error->text, sizeof error->text, "view: the matrix %s; %s", problem, advice);
    return XNCC_ERROR_ARGUMENT;
}

// What cv::Mat and cv::cuda::GpuMat have in common becomes an image.
template <class Matrix>
xncc_status view_matrix(const Matrix &matrix, xncc_memory memory, xncc_image *image,
                        xncc_error *error)
{
    *image = {};
    if (matrix.rows < 1 || matrix.cols < 1)
        return refuse(error, "is empty or has more than two dimensions",
                      "give it rows and columns");
    switch (matrix.depth()) {
    case CV_8U: image->pixel = XNCC_U8; break;
    case CV_8S: image->pixel = XNCC_S8; break;
    case CV_16U: image->pixel = XNCC_U16; break;
    case CV_16S: image->pixel = XNCC_S16; break;
    case CV_32F: image->pixel = XNCC_F32; break;
    case CV_64F: image->pixel = XNCC_F64; break;
    default:
        return refuse(error, "has a depth other than 8U, 8S, 16U, 16S, 32F and 64F",
                      "convert it with convertTo");
    }
    image->data = matrix.data;
    image->width = matrix.cols;
    image->height = matrix.rows;
    image->channels = matrix.channels();
    image->pitch = static_cast<std::int64_t>(static_cast<std::size_t>(matrix.step));
    image->memory = memory;
    return XNCC_OK;
}

template <class Matrix>
xncc_image view_of(const Matrix &matrix, xncc_memory memory, Failure *failure)
{
    Call call(failure);
    xncc_image image = {};
    return call.succeeds(view_matrix(matrix, memory, &image, call.error())) ? image : xncc_image{};
}

template <class Matrix>
xncc_image masked_view_of(const Matrix &matrix, const Matrix &mask, xncc_memory memory,
                          Failure *failure)
{
    Call call(failure);
    xncc_image image = {};
    if (!call.succeeds(view_matrix(matrix, memory, &image, call.error())))
        return {};
    const bool fits = mask.type() == CV_8UC1 && mask.rows == matrix.rows &&
                      mask.cols == matrix.cols;
    if (!fits && !call.succeeds(refuse(call.error(),
                                       "has another size than its mask, or the mask "
                                       "is not CV_8UC1",
                                       "give a mask of one byte per pixel")))
        return {};
    image.mask = mask.data;
    image.mask_pitch = static_cast<std::int64_t>(static_cast<std::size_t>(mask.step));
    return image;
}

template <class Matrix> xncc_map map_view_of(Matrix &matrix, xncc_memory memory, Failure *failure)
{
    Call call(failure);
    xncc_image image = {};
    if (!call.succeeds(view_matrix(matrix, memory, &image, call.error())))
        return {};
    if (matrix.type() != CV_32FC1 &&
        !call.succeeds(refuse(call.error(), "is not CV_32FC1, which a map is", "create it anew")))
        return {};
    return { reinterpret_cast<float *>(matrix.data), image.width, image.height, image.pitch,
             memory };
}

} // namespace detail

// A view of the pixels of a matrix, which must outlive it. A region of interest is a view of its
// pixels alone. mask: pixels where it is 0 do not count.
inline xncc_image view(const cv::Mat &matrix, Failure *failure = nullptr)
{
    return detail::view_of(matrix, XNCC_HOST, failure);
}
inline xncc_image view(const cv::Mat &matrix, const cv::Mat &mask, Failure *failure = nullptr)
{
    return detail::masked_view_of(matrix, mask, XNCC_HOST, failure);
}

// The same in device memory, that of the context's device.
inline xncc_image view(const cv::cuda::GpuMat &matrix, Failure *failure = nullptr)
{
    return detail::view_of(matrix, XNCC_DEVICE, failure);
}
inline xncc_image view(const cv::cuda::GpuMat &matrix, const cv::cuda::GpuMat &mask,
                       Failure *failure = nullptr)
{
    return detail::masked_view_of(matrix, mask, XNCC_DEVICE, failure);
}

// A view of a CV_32FC1 matrix as a map, which a call writes.
inline xncc_map map_view(cv::Mat &matrix, Failure *failure = nullptr)
{
    return detail::map_view_of(matrix, XNCC_HOST, failure);
}
inline xncc_map map_view(cv::cuda::GpuMat &matrix, Failure *failure = nullptr)
{
    return detail::map_view_of(matrix, XNCC_DEVICE, failure);
}

// The CUDA stream of an OpenCV stream.
inline xncc_stream stream(const cv::cuda::Stream &stream)
{
    return static_cast<xncc_stream>(stream.cudaPtr());
}

// Returns the scores as a CV_32FC1 matrix, as cv::matchTemplate does. For an image without rows and
// columns, or a template that does not fit, it is empty after a failure.
inline cv::Mat correlate_mat(const Context &context, const xncc_image &image, const Template &templ,
                             const CorrelateOptions &options = {}, Failure *failure = nullptr)
{
    const xncc_extent extent = detail::measure(image, templ, options.rule.mode, failure);
    if (failure && *failure)
        return {};
    cv::Mat map(extent.height, extent.width, CV_32FC1);
    correlate(
        context, image, templ,
        map_view(map.ptr<float>(), map.cols, map.rows, static_cast<std::int64_t>(map.step[0])),
        options, failure);
    return failure && *failure ? cv::Mat() : map;
}

// The window of a match.
inline cv::Rect rect(const xncc_match &match, const Template &templ)
{
    return { match.x, match.y, templ.width(), templ.height() };
}
inline cv::Rect rect(const xncc_candidate &match)
{
    return { match.match.x, match.match.y, match.width, match.height };
}

} // namespace exactncc

#endif
