// SPDX-License-Identifier: BSD-2-Clause
// The textures of a plan's staging memory, and the copies to it.
#include "cuda/planes/stage.h"

namespace xncc {

namespace {

constexpr size_t VECTOR_BYTES = 16; // per texel of StageView::vectors

} // namespace

// If there are several bands, none but the last is smaller than the template. So windows reach past
// the near edge in the first band only, and past the far edge in the last two bands only.
int Stage::shape(const Axis &axis, int32_t band)
{
    int32_t from_end = axis.count() - 1 - band;
    return from_end < 2 ? 2 + from_end : band == 0 ? 0 : 1;
}

cudaError_t Stage::make_textures(int column, int row, int32_t width, int32_t height)
{
    size_t w = static_cast<size_t>(width), h = static_cast<size_t>(height),
           bytes = w * xncc_pixel_size(pixel);
    if (pixels[row][column].get())
        return cudaSuccess;
    cudaError_t code = pixels[row][column].make(memory, pixel_format(pixel), w, h, pitch);
    if (code == cudaSuccess && bytes >= VECTOR_BYTES)
        code = vectors[row][column].make(memory, cudaCreateChannelDesc<uint4>(),
                                         bytes / VECTOR_BYTES, h, pitch);
    return code;
}

cudaError_t Stage::make(xncc_pixel of, const Axis &axis_x, const Axis &axis_y,
                        unsigned char *of_memory, size_t of_pitch)
{
    pixel = of;
    x = axis_x;
    y = axis_y;
    pitch = of_pitch;
    memory = of_memory;
    cudaError_t code = cudaSuccess;
    // one band of each shape
    const int32_t columns[SHAPES] = { 0, 1, x.count() - 1, x.count() - 2 },
                  rows[SHAPES] = { 0, 1, y.count() - 1, y.count() - 2 };
    for (int i = 0; i < SHAPES * SHAPES && code == cudaSuccess; i++) {
        int32_t bx = columns[i % SHAPES], by = rows[i / SHAPES];
        if (bx >= 0 && by >= 0 && bx < x.count() && by < y.count())
            code = make_textures(shape(x, bx), shape(y, by), x.stage_length(bx),
                                 y.stage_length(by));
    }
    return code;
}

cudaError_t Stage::fill(const xncc_image &image, int32_t band_x, int32_t band_y,
                        cudaStream_t stream) const
{
    size_t size = xncc_pixel_size(pixel);
    const unsigned char *source = static_cast<const unsigned char *>(
                                      xncc_image_row(&image, y.stage_start(band_y))) +
                                  static_cast<size_t>(x.stage_start(band_x)) * size;
    return cudaMemcpy2DAsync(
        memory, pitch, source, static_cast<size_t>(xncc_image_pitch(&image)),
        static_cast<size_t>(x.stage_length(band_x)) * size,
        static_cast<size_t>(y.stage_length(band_y)),
        image.memory == XNCC_HOST ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice, stream);
}

cudaError_t Stage::fill_plane(const unsigned char *plane, size_t plane_pitch, int32_t band_x,
                              int32_t band_y, cudaStream_t stream) const
{
    return cudaMemcpy2DAsync(
        memory, pitch, plane, plane_pitch, static_cast<size_t>(x.stage_length(band_x)),
        static_cast<size_t>(y.stage_length(band_y)), cudaMemcpyDeviceToDevice, stream);
}

StageView Stage::view(int32_t band_x, int32_t band_y) const
{
    int column = shape(x, band_x), row = shape(y, band_y);
    StageView v;
    v.pixels = pixels[row][column].get();
    v.vectors = vectors[row][column].get();
    v.data = memory;
    v.pitch = static_cast<int64_t>(pitch);
    v.width = x.stage_length(band_x);
    v.height = y.stage_length(band_y);
    v.vectors_width = static_cast<int32_t>(static_cast<size_t>(v.width) * xncc_pixel_size(pixel) /
                                           VECTOR_BYTES);
    v.left = x.lead(band_x);
    v.top = y.lead(band_y);
    return v;
}

} // namespace xncc
