// SPDX-License-Identifier: BSD-2-Clause
// The byte planes of an image of one 8-bit channel: values, squares and counts (make_planes.h).
//
// Thread mapping: a block of 128 threads covers 2048 adjacent pixels of one row, 16 per thread;
// blocks are numbered row by row along blockIdx.x. A thread whose 16 pixels are inside the image
// reads them as aligned 32-bit words and shifts them into place. A thread at an edge or past it
// reads pixel by pixel. Each plane is written as one 16-byte store per thread. No shared memory.
//
// Measured on one H200, 2026-11: 0.075 ms for the planes of a masked 8192 x 8192 match
// (docs/notes/2026-11-masked.md).
#include "cuda/planes/make_planes.h"
#include "cuda/planes/word_load.cuh"

#include "image/samples.h"

namespace xncc {

namespace {

constexpr int THREADS = 128;
constexpr int WORDS = 4, SPAN = 4 * WORDS; // words and pixels per thread

struct BytesJob {
    xncc_image image; // with explicit pitches
    xncc_border border;
    LayoutRect rect;
    LayoutTarget to;
    int32_t across; // blocks per row
    int32_t count;  // planes to write
    uint32_t flip;  // 0x80808080 for signed samples, else 0; the XOR with it biases 4 samples
    int32_t hole;   // the byte that equals the no-data value; -1: there is none
    xncc_general_term plane[XNCC_GENERAL_IMAGE_PLANES]; // sum: an xncc_plane; shift: 8 * digit
};

// A thread's pixels, 4 per word.
struct Pixels {
    uint32_t value[WORDS];  // biased samples; 0 where a pixel does not count
    uint32_t counts[WORDS]; // 1 where a pixel counts, else 0

    // Reads the pixels as words. row, mask: the image row and its mask row (or nullptr);
    // has_words() holds for both.
    __device__ void load(const BytesJob &job, const unsigned char *row, const uint8_t *mask,
                         int64_t column)
    {
        load_words(row + column, value);
#pragma unroll
        for (int i = 0; i < WORDS; i++)
            counts[i] = job.hole < 0
                            ? 0x01010101u
                            : __vsetne4(value[i], static_cast<uint32_t>(job.hole) * 0x01010101u);
        if (mask) {
            uint32_t word[WORDS];
            load_words(mask + column, word);
#pragma unroll
            for (int i = 0; i < WORDS; i++)
                counts[i] &= __vsetne4(word[i], 0);
        }
#pragma unroll
        for (int i = 0; i < WORDS; i++)
            value[i] = (value[i] ^ job.flip) & counts[i] * 255u;
    }
    // Reads the pixels one by one, with the border rule. first: the first column, which may be
    // outside. inside: the row is a row of the image.
    __device__ void gather(const BytesJob &job, const unsigned char *row, const uint8_t *mask,
                           bool inside, int64_t first)
    {
#pragma unroll
        for (int i = 0; i < WORDS; i++) {
            value[i] = counts[i] = 0;
            for (int k = 0; k < 4; k++) {
                const int64_t column = xncc_border_index(job.border, first + 4 * i + k,
                                                         job.image.width);
                uint32_t v = 0, is = job.border == XNCC_BORDER_ZERO;
                if (inside && column >= 0) {
                    v = row[column];
                    is = (!mask || mask[column]) && static_cast<int32_t>(v) != job.hole;
                }
                value[i] |= (is ? v ^ (job.flip & 255) : 0) << (8 * k);
                counts[i] |= is << (8 * k);
            }
        }
    }
};

// Squares each byte of a word. Returns the low bytes of the squares, or their high bytes if
// `high_byte` is not 0.
__device__ __forceinline__ uint32_t squares(uint32_t v, int high_byte)
{
    const uint32_t a = v & 255, b = v >> 8 & 255, c = v >> 16 & 255, d = v >> 24;
    const uint32_t low = a * a | b * b << 16, high = c * c | d * d << 16;
    return __byte_perm(low, high, high_byte ? 0x7531 : 0x6420);
}

// Writes all planes of the list for the thread's 16 pixels.
__global__ __launch_bounds__(THREADS) void spread_bytes(const __grid_constant__ BytesJob job)
{
    const int y = static_cast<int>(blockIdx.x / static_cast<unsigned>(job.across));
    const int x = (static_cast<int>(blockIdx.x % static_cast<unsigned>(job.across)) * THREADS +
                   static_cast<int>(threadIdx.x)) *
                  SPAN;
    if (x >= job.rect.columns)
        return;
    const int64_t line = xncc_border_index(job.border, job.rect.y + y, job.image.height),
                  column = job.rect.x + x;
    const int64_t at = line < 0 ? 0 : line;
    const unsigned char *row = static_cast<const unsigned char *>(job.image.data) +
                               at * job.image.pitch;
    const uint8_t *mask = job.image.mask ? job.image.mask + at * job.image.mask_pitch : nullptr;
    Pixels pixels;
    if (line >= 0 && has_words(row, column, WORDS, job.image.width) &&
        (!mask || has_words(mask, column, WORDS, job.image.width)))
        pixels.load(job, row, mask, column);
    else
        pixels.gather(job, row, mask, line >= 0, column);
    unsigned char *to = job.to.data + y * job.to.pitch + x;
    for (int p = 0; p < job.count; p++, to += job.to.plane) {
        uint32_t word[WORDS];
#pragma unroll
        for (int i = 0; i < WORDS; i++) {
            word[i] = job.plane[p].sum == XNCC_PLANE_COUNT ? pixels.counts[i] : pixels.value[i];
            if (job.plane[p].sum == XNCC_PLANE_SQUARE)
                word[i] = squares(word[i], job.plane[p].shift);
        }
        *reinterpret_cast<uint4 *>(to) = make_uint4(word[0], word[1], word[2], word[3]);
    }
}

// Returns the stored byte whose sample equals the no-data value, or -1 if no sample does.
int32_t hole_of(const xncc_image &image)
{
    const double low = -static_cast<double>(xncc_pixel_bias(image.pixel)), v = image.no_data;
    if (!image.has_no_data || !(v >= low && v <= low + 255.0) ||
        v != static_cast<double>(static_cast<int32_t>(v)))
        return -1;
    return static_cast<int32_t>(v) & 255;
}

} // namespace

cudaError_t launch_byte_planes(const xncc_image &image, xncc_border border, const LayoutRect &rect,
                               const xncc_general_planes &planes, const LayoutTarget &to,
                               cudaStream_t stream)
{
    BytesJob job = {};
    job.image = image;
    job.border = border;
    job.rect = rect;
    job.to = to;
    job.across = ceil_div(rect.columns, THREADS * SPAN);
    job.count = planes.image_count;
    job.flip = xncc_pixel_bias(image.pixel) ? 0x80808080u : 0;
    job.hole = hole_of(image);
    for (int i = 0; i < planes.image_count; i++)
        job.plane[i] = { static_cast<uint8_t>(planes.image[i].kind), 0,
                         static_cast<uint8_t>(8 * planes.image[i].digit) };
    spread_bytes<<<static_cast<unsigned>(job.across) * static_cast<unsigned>(rect.rows), THREADS, 0,
                   stream>>>(job);
    return cudaGetLastError();
}

} // namespace xncc
