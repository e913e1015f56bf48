// The image under a band of the map: copied into memory of the plan whose pitch suits textures, and
// seen through texture objects.
#ifndef XNCC_CUDA_PLANES_STAGE_H
#define XNCC_CUDA_PLANES_STAGE_H

#include "cuda/runtime/handles.h"

namespace xncc {

// How one side of a map is cut into bands. `origin` is where the window of map element 0 begins in
// the image (0 or less).
struct Axis {
    int32_t image = 0, map = 0, origin = 0, size = 0, band = 0;

    int32_t count() const
    {
        return ceil_div(map, band);
    }
    int32_t start(int32_t i) const // of band i, in map elements
    {
        return i * band;
    }
    int32_t length(int32_t i) const // map elements of band i
    {
        return map - start(i) < band ? map - start(i) : band;
    }
    int32_t stage_start(int32_t i) const // the first image pixel under band i
    {
        return start(i) + origin > 0 ? start(i) + origin : 0;
    }
    int32_t stage_length(int32_t i) const // image pixels under band i
    {
        int64_t end = static_cast<int64_t>(start(i)) + origin + length(i) + size - 1;
        return static_cast<int32_t>(end < image ? end : image) - stage_start(i);
    }
    int32_t lead(int32_t i) const // staged position of the window of the band's first element: 0,
                                  // or negative at the image's edge
    {
        return start(i) + origin - stage_start(i);
    }
};

// A staged band as kernels see it. Outside 0 .. width-1, 0 .. height-1 `pixels` repeats the edge,
// which is the image's own edge wherever a band's windows reach past it.
struct StageView {
    cudaTextureObject_t pixels;
    cudaTextureObject_t
        vectors; // the same memory, 16 bytes a texel; not to be read outside 0 .. vectors_width-1
    const unsigned char *data; // the same memory
    int64_t pitch;
    int32_t width, height;
    int32_t vectors_width; // texels wholly inside the band
    int32_t left,
        top; // staged pixel where the window of the band's map element (0, 0) begins: 0 or negative
};

// A plan's staging memory and the textures of every shape of band, so that none is made later.
class Stage {
  public:
    cudaError_t make(xncc_pixel pixel, const Axis &x, const Axis &y,
                     const xncc_cuda_buffers &buffers);

    // Puts the copy of a band's pixels on the stream.
    cudaError_t fill(const xncc_image &image, int32_t band_x, int32_t band_y,
                     cudaStream_t stream) const;

    // The same of a plane of bytes that holds the band alone, from its first element on.
    cudaError_t fill_plane(const unsigned char *plane, size_t plane_pitch, int32_t band_x,
                           int32_t band_y, cudaStream_t stream) const;

    StageView view(int32_t band_x, int32_t band_y) const;

  private:
    // A band's extent: of the first, of those in the middle, and of the last two, whose windows may
    // reach past the edge.
    static constexpr int SHAPES = 4;
    static int shape(const Axis &axis, int32_t band);
    cudaError_t make_textures(int column, int row, int32_t width, int32_t height);

    Axis x, y;
    xncc_pixel pixel = XNCC_U8;
    size_t pitch = 0;
    DeviceMemory memory;
    Texture pixels[SHAPES][SHAPES], vectors[SHAPES][SHAPES];
};

} // namespace xncc

#endif
