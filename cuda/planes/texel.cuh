// SPDX-License-Identifier: BSD-2-Clause
// Reads the textures of handles.h.
#ifndef XNCC_CUDA_PLANES_TEXEL_CUH
#define XNCC_CUDA_PLANES_TEXEL_CUH

#include <cuda_runtime.h>

namespace xncc {

// Texel (x, y), or the nearest one inside.
template <class Texel> __device__ Texel fetch(cudaTextureObject_t texture, int x, int y)
{
    return tex2D<Texel>(texture, static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
}

} // namespace xncc

#endif
