// SPDX-License-Identifier: BSD-2-Clause
// The byte planes of the samples of an image whose pixels all count, for pixels of 2, 3, 4, 6 or 8
// bytes (make_planes.h). A pixel's bytes are the planes, in the order of the list: a channel's low
// byte comes before its high byte.
//
// Thread mapping: a block of 256 threads covers 1024 adjacent pixels of one row, 4 per thread, or
// twice as many pixels of two bytes; blocks are numbered row by row along blockIdx.x. A thread
// whose pixels are inside the image reads them as aligned words; a warp's words are adjacent, so
// each line of memory is read once. Other threads read byte by byte. Each plane is written as one
// store of 4 or 8 bytes per thread. No shared memory.
//
// Template parameter: BYTES per pixel.
#include "cuda/planes/make_planes.h"
#include "cuda/planes/word_load.cuh"
#include "cuda/runtime/dispatch.h"

#include "image/samples.h"

namespace xncc {

namespace {

constexpr int THREADS = 256;
// Adjacent pixels per thread.
template <int BYTES> constexpr int SPAN = BYTES == 2 ? 8 : 4;

struct SplitJob {
    xncc_image image; // with explicit pitches
    xncc_border border;
    LayoutRect rect;
    LayoutTarget to;
    int32_t across; // blocks per row
    int32_t digits; // bytes per sample
    uint32_t flip;  // 0x80808080 for signed samples, else 0; XORed onto the highest bytes
};

// Reads a thread's pixels byte by byte, with the border rule. line: the image row, or -1 outside.
// Outside the image a sample is 0.
template <int BYTES, int WORDS>
__device__ void gather(const SplitJob &job, const unsigned char *row, int64_t line, int64_t first,
                       uint32_t (&word)[WORDS])
{
#pragma unroll
    for (int k = 0; k < 4 * WORDS; k++) {
        const int64_t column = xncc_border_index(job.border, first + k / BYTES, job.image.width);
        const uint32_t v = line >= 0 && column >= 0 ? row[column * BYTES + k % BYTES] : 0;
        word[k / 4] = k % 4 ? word[k / 4] | v << (8 * (k % 4)) : v;
    }
}

// Selects byte `low` of the first word and byte `high` of the second one (__byte_perm), both
// counted from the thread's first byte.
__device__ constexpr unsigned pair_of(int low, int high)
{
    return static_cast<unsigned>(low % 4 | (4 + high % 4) << 4);
}

// Words that are stored at once.
template <int COUNT> struct alignas(COUNT * sizeof(uint32_t)) Words {
    uint32_t v[COUNT];
};

template <int BYTES>
__global__ __launch_bounds__(THREADS) void split_channels(const __grid_constant__ SplitJob job)
{
    const int y = static_cast<int>(blockIdx.x / static_cast<unsigned>(job.across));
    const int x = (static_cast<int>(blockIdx.x % static_cast<unsigned>(job.across)) * THREADS +
                   static_cast<int>(threadIdx.x)) *
                  SPAN<BYTES>;
    if (x >= job.rect.columns)
        return;
    const int64_t line = xncc_border_index(job.border, job.rect.y + y, job.image.height),
                  first = job.rect.x + x;
    const unsigned char *row = static_cast<const unsigned char *>(job.image.data) +
                               (line < 0 ? 0 : line) * job.image.pitch;
    constexpr int GROUPS = SPAN<BYTES> / 4, WORDS = GROUPS * BYTES;
    uint32_t word[WORDS];
    if (line >= 0 &&
        has_words(row, first * BYTES, WORDS, static_cast<int64_t>(job.image.width) * BYTES))
        load_words(row + first * BYTES, word);
    else
        gather<BYTES>(job, row, line, first, word);
    unsigned char *to = job.to.data + y * job.to.pitch + x;
#pragma unroll
    for (int p = 0; p < BYTES; p++, to += job.to.plane) {
        const uint32_t flip = (p + 1) % job.digits == 0 ? job.flip : 0;
        Words<GROUPS> plane;
#pragma unroll
        for (int i = 0; i < GROUPS; i++) {
            // the bytes of four pixels
            const int a = i * 4 * BYTES + p, b = a + BYTES, c = b + BYTES, d = c + BYTES;
            const uint32_t low = __byte_perm(word[a / 4], word[b / 4], pair_of(a, b)),
                           high = __byte_perm(word[c / 4], word[d / 4], pair_of(c, d));
            plane.v[i] = __byte_perm(low, high, 0x5410) ^ flip;
        }
        *reinterpret_cast<Words<GROUPS> *>(to) = plane;
    }
}

} // namespace

bool serves_split_channels(const xncc_image &image, const xncc_general_planes &planes)
{
    const int digits = xncc_pixel_digits(image.pixel), bytes = xncc_image_channels(&image) * digits;
    if (image.mask || image.has_no_data || planes.image_count != bytes)
        return false;
    for (int i = 0; i < bytes; i++)
        if (planes.image[i].kind != XNCC_PLANE_VALUE || planes.image[i].channel != i / digits ||
            planes.image[i].digit != i % digits)
            return false;
    return bytes == 2 || bytes == 3 || bytes == 4 || bytes == 6 || bytes == 8;
}

cudaError_t launch_split_channels(const xncc_image &image, xncc_border border,
                                  const LayoutRect &rect, const LayoutTarget &to,
                                  cudaStream_t stream)
{
    const int digits = xncc_pixel_digits(image.pixel);
    SplitJob job = { image, border, rect, to, 0, digits, 0 };
    job.flip = xncc_pixel_bias(image.pixel) ? 0x80808080u : 0;
    const bool served = with_one_of<2, 3, 4, 6, 8>(
        xncc_image_channels(&image) * digits, [&](auto bytes) {
            job.across = ceil_div(rect.columns, THREADS * SPAN<bytes>);
            const dim3 grid = make_grid(int64_t{ job.across } * rect.rows);
            split_channels<bytes><<<grid, THREADS, 0, stream>>>(job);
            return true;
        });
    return served ? cudaGetLastError() : cudaErrorInvalidValue;
}

} // namespace xncc
