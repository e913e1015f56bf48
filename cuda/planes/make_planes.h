// Images laid out for kernels that know neither borders nor masks: the pixels of a rectangle that
// may reach past the image, as one plane of them or as planes of bytes.
#ifndef XNCC_CUDA_PLANES_MAKE_PLANES_H
#define XNCC_CUDA_PLANES_MAKE_PLANES_H

#include "cuda/runtime/upload.h"

extern "C" {
#include "plan/general_planes.h"
}

namespace xncc {

// In image coordinates.
struct LayoutRect {
    int64_t x, y;
    int32_t columns, rows;
};

// Where it goes; rows begin at multiples of 16 bytes, and are written up to such a multiple.
struct LayoutTarget {
    unsigned char *data;
    int64_t pitch;
    int64_t plane; // bytes from plane to plane
};

// One plane of pixels, signed ones biased. The image lies in device memory, has one channel, and
// all of its pixels count.
cudaError_t launch_padding(const xncc_image &image, xncc_border border, const LayoutRect &rect,
                           const LayoutTarget &to, cudaStream_t stream);

// The planes of bytes that the list of an integer problem names.
cudaError_t launch_planes(const xncc_image &image, xncc_border border, const LayoutRect &rect,
                          const xncc_general_planes &planes, const LayoutTarget &to,
                          cudaStream_t stream);

// The same for one channel of 8 bits (make_planes_u8.cu): pitches given, columns a multiple of 16.
cudaError_t launch_byte_planes(const xncc_image &image, xncc_border border, const LayoutRect &rect,
                               const xncc_general_planes &planes, const LayoutTarget &to,
                               cudaStream_t stream);

// An image where kernels can read it. The memory for images from the host is taken by the first of
// them.
class Source {
  public:
    xncc_status bring(const xncc_image &image, Upload *upload, cudaStream_t stream,
                      xncc_image *result, xncc_error *error);

  private:
    DeviceMemory pixels, mask;
};

} // namespace xncc

#endif
