// Brings an image to where kernels can read it.
#ifndef XNCC_CUDA_PLANES_IMAGE_SOURCE_H
#define XNCC_CUDA_PLANES_IMAGE_SOURCE_H

#include "cuda/runtime/upload.h"

namespace xncc {

// The device copy of a plan's image and mask from host memory.
class ImageSource {
  public:
    // Sets *result to a view in device memory: the image itself if it is there, else a copy, which
    // is put on the stream. The first image from the host allocates the memory; all images of a
    // plan have the same size. error may be NULL.
    xncc_status bring(const xncc_image &image, Upload *upload, cudaStream_t stream,
                      xncc_image *result, xncc_error *error);

  private:
    DeviceMemory pixels, mask; // tightly packed rows
};

} // namespace xncc

#endif
