// SPDX-License-Identifier: BSD-2-Clause
// Splits aligned 16-bit pixels (split_planes.h): blocks of 256 threads along a row, 8 pixels per
// thread; blockIdx.y is the row. No shared memory.
#include "cuda/planes/split_planes.h"

namespace xncc {

namespace {

constexpr int THREADS = 256;

// Splits aligned 16-bit pixels into low and high bytes. 8 pixels per thread: one 16-byte load and
// two 8-byte stores.
__global__ void split_planes(const unsigned char *image, int64_t image_pitch, unsigned char *planes,
                             int64_t pitch, int64_t plane_bytes, int width)
{
    int x = (blockIdx.x * THREADS + threadIdx.x) * 8;
    int64_t y = blockIdx.y;
    if (x >= width)
        return;
    uint4 v = __ldcs(reinterpret_cast<const uint4 *>(image + y * image_pitch + 2 * x));
    constexpr unsigned LOW = 0x6420,
                       HIGH = 0x7531; // the low and the high bytes of the 4 samples in 2 words
    uint2 *low = reinterpret_cast<uint2 *>(planes + y * pitch + x),
          *high = reinterpret_cast<uint2 *>(planes + plane_bytes + y * pitch + x);
    *low = make_uint2(__byte_perm(v.x, v.y, LOW), __byte_perm(v.z, v.w, LOW));
    *high = make_uint2(__byte_perm(v.x, v.y, HIGH), __byte_perm(v.z, v.w, HIGH));
}

} // namespace

void launch_split_planes(const unsigned char *image, int64_t image_pitch, const LayoutTarget &to,
                         int32_t width, int32_t rows, cudaStream_t stream)
{
    for (int64_t row = 0; row < rows; row += UINT16_MAX)
        split_planes<<<rows_grid(width / 8, rows - row < UINT16_MAX ? rows - row : UINT16_MAX,
                                 THREADS),
                       THREADS, 0, stream>>>(image + row * image_pitch, image_pitch,
                                             to.data + row * to.pitch, to.pitch, to.plane, width);
}

} // namespace xncc
