// Kernels that make byte planes of staged or aligned pixels (split_planes.h). Both use blocks of
// 256 threads along a row, and blockIdx.y is the row. No shared memory.
#include "cuda/planes/split_planes.h"

namespace xncc {

namespace {

constexpr int THREADS = 256;

// Copies the staged band through its texture, with the image's edge repeated. One pixel per thread.
// It writes one plane for 8-bit pixels, and a plane of low and a plane of high bytes for 16-bit
// pixels.
template <class Pixel>
__global__ void copy_planes(StageView stage, unsigned char *planes, int64_t pitch,
                            int64_t plane_bytes, int width)
{
    int x = blockIdx.x * THREADS + threadIdx.x;
    int64_t y = blockIdx.y;
    if (x >= width)
        return;
    unsigned v = tex2D<Pixel>(
        stage.pixels, static_cast<float>(min(max(x + stage.left, 0), stage.width - 1)),
        static_cast<float>(min(max(static_cast<int>(y) + stage.top, 0), stage.height - 1)));
    planes[y * pitch + x] = static_cast<unsigned char>(v);
    if (sizeof(Pixel) == 2)
        planes[plane_bytes + y * pitch + x] = static_cast<unsigned char>(v >> 8);
}

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

void launch_copy_planes(xncc_pixel pixel, const StageView &stage, const PlaneTarget &to,
                        int32_t width, int32_t rows, cudaStream_t stream)
{
    const dim3 grid = rows_grid(width, rows, THREADS);
    if (pixel == XNCC_U8)
        copy_planes<unsigned char>
            <<<grid, THREADS, 0, stream>>>(stage, to.data, to.pitch, 0, width);
    else
        copy_planes<unsigned short>
            <<<grid, THREADS, 0, stream>>>(stage, to.data, to.pitch, to.plane_bytes, width);
}

void launch_split_planes(const unsigned char *image, int64_t image_pitch, const PlaneTarget &to,
                         int32_t width, int32_t rows, cudaStream_t stream)
{
    split_planes<<<rows_grid(width / 8, rows, THREADS), THREADS, 0, stream>>>(
        image, image_pitch, to.data, to.pitch, to.plane_bytes, width);
}

} // namespace xncc
