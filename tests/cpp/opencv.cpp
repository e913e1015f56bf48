// Views of cv::Mat and cv::cuda::GpuMat say where the matrix has its pixels, and matching through
// them returns what matching without OpenCV returns. SPDX-License-Identifier: BSD-2-Clause
#include "check.hpp"
#include "exactncc/opencv.hpp"

namespace {

// A matrix of a type, with rows that are further apart than they are long.
template <class Matrix> bool is_view(const xncc_image &view, const Matrix &matrix, xncc_pixel pixel)
{
    return view.data == matrix.data && view.width == matrix.cols && view.height == matrix.rows &&
           view.pitch == std::int64_t(std::size_t(matrix.step)) && view.pixel == pixel &&
           view.channels == matrix.channels() && !view.mask && !view.has_no_data;
}

void check_types()
{
    const struct {
        int depth;
        xncc_pixel pixel;
    } types[] = { { CV_8U, XNCC_U8 },   { CV_8S, XNCC_S8 },   { CV_16U, XNCC_U16 },
                  { CV_16S, XNCC_S16 }, { CV_32F, XNCC_F32 }, { CV_64F, XNCC_F64 } };
    for (const auto &type : types)
        for (const int channels : { 1, 3, 4 }) {
            const cv::Mat whole(20, 30, CV_MAKETYPE(type.depth, channels));
            const cv::Mat part = whole(cv::Rect(3, 5, 11, 7));
            CHECK(is_view(exactncc::view(whole), whole, type.pixel));
            CHECK(is_view(exactncc::view(part), part, type.pixel));
            CHECK(exactncc::view(part).memory == XNCC_HOST);
            // A GpuMat over memory of the program needs no device.
            const cv::cuda::GpuMat gpu(20, 30, whole.type(), whole.data, whole.step);
            const cv::cuda::GpuMat gpu_part(gpu, cv::Rect(3, 5, 11, 7));
            CHECK(is_view(exactncc::view(gpu_part), gpu_part, type.pixel));
            CHECK(exactncc::view(gpu_part).memory == XNCC_DEVICE);
            CHECK(exactncc::view(gpu_part).data == part.data);
        }
}

void check_refused()
{
    exactncc::Failure failure;
    for (const cv::Mat &wrong :
         { cv::Mat(4, 4, CV_32S), cv::Mat(4, 4, CV_16F), cv::Mat(), cv::Mat({ 4, 4, 4 }, CV_8U) }) {
        CHECK(!exactncc::view(wrong, &failure).data);
        CHECK(failure.status() == XNCC_ERROR_ARGUMENT && std::strstr(failure.text(), "matrix"));
    }
    cv::Mat bytes(4, 4, CV_8U);
    CHECK(!exactncc::map_view(bytes, &failure).data && failure);
    CHECK(!exactncc::view(bytes, cv::Mat(4, 5, CV_8U), &failure).data && failure);
    CHECK(!exactncc::view(bytes, cv::Mat(4, 4, CV_16U), &failure).data && failure);
    bool thrown = false;
    try {
        exactncc::view(cv::Mat(4, 4, CV_32S));
    } catch (const exactncc::Error &error) {
        thrown = error.status() == XNCC_ERROR_ARGUMENT;
    }
    CHECK(thrown);
}

void check_matching()
{
    Scene plain;
    const exactncc::Context context;
    const cv::Mat scene(Scene::HEIGHT, Scene::WIDTH, CV_8U, plain.pixels.data());
    const cv::Mat patch = scene(cv::Rect(30, 20, 9, 7));
    const exactncc::Template templ(context, exactncc::view(patch)), c(context, plain.patch[0]);
    const auto match = exactncc::find(context, exactncc::view(scene), templ);
    CHECK(same(match, exactncc::find(context, plain.image, c)));
    CHECK(exactncc::rect(match[0], templ) == cv::Rect(30, 20, 9, 7));
    const xncc_candidate candidate = { { 1, 2, 0 }, 0, 3, 4 };
    CHECK(exactncc::rect(candidate) == cv::Rect(1, 2, 3, 4));

    const exactncc::Map expected = exactncc::correlate(context, plain.image, c);
    const cv::Mat map = exactncc::correlate_mat(context, exactncc::view(scene), templ);
    CHECK(map.type() == CV_32FC1 && map.cols == expected.width && map.rows == expected.height);
    cv::Mat wide(expected.height, expected.width + 9, CV_32FC1),
        part = wide.colRange(4, 4 + expected.width);
    exactncc::correlate(context, exactncc::view(scene), templ, exactncc::map_view(part));
    for (int y = 0; y < expected.height; y++) {
        const std::size_t bytes = std::size_t(expected.width) * sizeof(float);
        const float *row = &expected.scores[std::size_t(y * expected.width)];
        CHECK(!std::memcmp(map.ptr(y), row, bytes) && !std::memcmp(part.ptr(y), row, bytes));
    }
    exactncc::Failure failure;
    CHECK(exactncc::correlate_mat(context, exactncc::view(patch), { context, plain.image }, {},
                                  &failure)
              .empty() &&
          failure);

    // Only where the mask is not 0 do pixels count.
    cv::Mat mask(7, 9, CV_8U, cv::Scalar(1));
    mask.at<std::uint8_t>(3, 4) = 0;
    const xncc_image masked = exactncc::view(patch, mask);
    CHECK(masked.mask == mask.data && masked.mask_pitch == 9);
    CHECK(exactncc::Template(context, masked).is_masked());
}

} // namespace

// Compiled only: without CUDA in OpenCV there is no stream to ask.
xncc_map use_stream(cv::cuda::GpuMat &matrix, cv::cuda::Stream &queue, xncc_stream *stream);
xncc_map use_stream(cv::cuda::GpuMat &matrix, cv::cuda::Stream &queue, xncc_stream *stream)
{
    *stream = exactncc::stream(queue);
    return exactncc::map_view(matrix);
}

int main()
{
    check_types();
    check_refused();
    check_matching();
    return report();
}
