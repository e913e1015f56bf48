// SPDX-License-Identifier: BSD-2-Clause
// The image pixels under a band of the map. They are copied to memory of the plan whose pitch suits
// textures, and kernels read them through texture objects or directly.
#ifndef XNCC_CUDA_PLANES_STAGE_H
#define XNCC_CUDA_PLANES_STAGE_H

#include "cuda/runtime/handles.h"

namespace xncc {

// How one dimension of a map is divided into bands.
struct Axis {
    int32_t image = 0;  // image pixels
    int32_t map = 0;    // map elements
    int32_t origin = 0; // the image pixel where the window of map element 0 begins; 0 or negative
    int32_t size = 0;   // template pixels
    int32_t band = 0;   // map elements per band; the last band may be shorter

    int32_t count() const // the number of bands
    {
        return ceil_div(map, band);
    }
    int32_t start(int32_t i) const // the first map element of band i
    {
        return i * band;
    }
    int32_t length(int32_t i) const // the map elements of band i
    {
        return map - start(i) < band ? map - start(i) : band;
    }
    int32_t stage_start(int32_t i) const // the first image pixel under band i
    {
        return start(i) + origin > 0 ? start(i) + origin : 0;
    }
    int32_t stage_length(int32_t i) const // the image pixels under band i
    {
        int64_t end = static_cast<int64_t>(start(i)) + origin + length(i) + size - 1;
        return static_cast<int32_t>(end < image ? end : image) - stage_start(i);
    }
    // The staged pixel where the window of the band's first element begins: 0, or negative at the
    // image's edge.
    int32_t lead(int32_t i) const
    {
        return start(i) + origin - stage_start(i);
    }
};

// A staged band, as kernels see it.
struct StageView {
    // The pixels. Outside the band the texture repeats the band's edge. Wherever windows reach past
    // the band, that edge is the edge of the image.
    cudaTextureObject_t pixels;
    // The same memory with 16 bytes per texel. Read only texels 0 .. vectors_width-1 of a row.
    cudaTextureObject_t vectors;
    const unsigned char *data; // the same memory
    int64_t pitch;             // bytes per row
    int32_t width, height;     // pixels
    int32_t vectors_width;     // 16-byte texels that are wholly inside a row
    // The staged pixel where the window of the band's map element (0, 0) begins: 0 or negative.
    int32_t left, top;
};

// A view of a plan's staging memory. Textures for every shape of band are made with it, so that
// executing the plan creates none.
class Stage {
  public:
    // Makes the textures over `memory`, which the caller owns. pitch: its bytes per row.
    cudaError_t make(xncc_pixel pixel, const Axis &x, const Axis &y, unsigned char *memory,
                     size_t pitch);

    // Enqueues the copy of a band's pixels. The image is on the host or on the device.
    cudaError_t fill(const xncc_image &image, int32_t band_x, int32_t band_y,
                     cudaStream_t stream) const;

    // As fill, from a byte plane in device memory that holds only the band.
    cudaError_t fill_plane(const unsigned char *plane, size_t plane_pitch, int32_t band_x,
                           int32_t band_y, cudaStream_t stream) const;

    // The view of a band. It must be the one that fill copied last.
    StageView view(int32_t band_x, int32_t band_y) const;

  private:
    // The shapes of a band in one dimension: that of the first band, of a middle band, and of the
    // last two bands, whose windows may reach past the edge.
    static constexpr int SHAPES = 4;
    static int shape(const Axis &axis, int32_t band);
    cudaError_t make_textures(int column, int row, int32_t width, int32_t height);

    Axis x, y;
    xncc_pixel pixel = XNCC_U8;
    size_t pitch = 0;
    unsigned char *memory = nullptr;
    Texture pixels[SHAPES][SHAPES], vectors[SHAPES][SHAPES];
};

} // namespace xncc

#endif
