// SPDX-License-Identifier: BSD-2-Clause
// Kernels that lay out a rectangle of an image with its border, as pixels or as byte planes. Images
// of one 8-bit channel have faster kernels of their own in make_planes_u8.cu, and images of several
// channels or bytes of which all pixels count in split_channels.cu.
//
// Thread mapping of both kernels: a block of 256 threads covers 1024 adjacent pixels of one row, 4
// per thread. Blocks are numbered row by row along blockIdx.x: `across` blocks per row. No shared
// memory.
#include "cuda/planes/make_planes.h"

#include "cuda/runtime/dispatch.h"

#include "image/samples.h"

namespace xncc {

namespace {

constexpr int THREADS = 256;
constexpr int SPAN = 4; // adjacent pixels per thread

// Where a thread's pixels are in the image, after the border rule.
struct Place {
    int64_t column[SPAN];     // the image column of each pixel; -1: outside the image
    int64_t line;             // their image row; -1: outside the image
    const unsigned char *row; // the first byte of that row, or of row 0 where line is -1
    bool whole;               // all pixels are inside the image, in adjacent columns

    __device__ Place(const xncc_image &image, xncc_border border, const LayoutRect &rect, int x,
                     int y)
    {
        line = xncc_border_index(border, rect.y + y, image.height);
#pragma unroll
        for (int i = 0; i < SPAN; i++)
            column[i] = xncc_border_index(border, rect.x + x + i, image.width);
        row = static_cast<const unsigned char *>(image.data) + (line < 0 ? 0 : line) * image.pitch;
        whole = line >= 0 && column[0] >= 0 && rect.x + x >= 0 && rect.x + x + SPAN <= image.width;
    }
    __device__ bool is_inside(int i) const
    {
        return line >= 0 && column[i] >= 0;
    }
};

// Finds the thread's first pixel in the rectangle. Returns false if the thread has none.
__device__ bool find_pixels(const LayoutRect &rect, int across, int *x, int *y)
{
    *y = static_cast<int>(blockIdx.x / static_cast<unsigned>(across));
    *x = (static_cast<int>(blockIdx.x % static_cast<unsigned>(across)) * THREADS +
          static_cast<int>(threadIdx.x)) *
         SPAN;
    return *x < rect.columns;
}

template <class Pixel> struct alignas(SPAN * sizeof(Pixel)) Group {
    Pixel v[SPAN];
};

// Writes the rectangle as one plane of pixels. zero: the stored value of a sample 0, that is the
// bias: the top bit for signed samples, else 0. Biasing a signed sample flips its top bit, so the
// XOR also turns the raw 0 outside the image into the stored value of 0.
template <class Pixel>
__global__ void pad(xncc_image image, xncc_border border, LayoutRect rect, LayoutTarget to,
                    int across, Pixel zero)
{
    int x, y;
    if (!find_pixels(rect, across, &x, &y))
        return;
    Place place(image, border, rect, x, y);
    const Pixel *row = reinterpret_cast<const Pixel *>(place.row);
    Group<Pixel> group;
#pragma unroll
    for (int i = 0; i < SPAN; i++) {
        group.v[i] = place.is_inside(i) ? row[place.column[i]] : Pixel(0);
        if constexpr (sizeof(Pixel) < sizeof(float)) // floats have no bias
            group.v[i] = static_cast<Pixel>(group.v[i] ^ zero);
    }
    *reinterpret_cast<Group<Pixel> *>(to.data + y * to.pitch +
                                      x * static_cast<int64_t>(sizeof(Pixel))) = group;
}

struct PlaneJob {
    xncc_image image; // with explicit pitches
    xncc_border border;
    LayoutRect rect;
    LayoutTarget to;
    int32_t across;                                     // blocks per row
    int32_t channels;                                   // of the image
    int32_t count;                                      // planes to write
    xncc_general_term plane[XNCC_GENERAL_IMAGE_PLANES]; // sum: an xncc_plane; shift: 8 * digit
};

// Returns one byte per pixel of the thread: 1 if the pixel counts, else 0. A pixel that the border
// rule maps to no image pixel counts only with the zero border.
template <xncc_pixel PIXEL> __device__ uint32_t counts_of(const PlaneJob &job, const Place &place)
{
    xncc_image image = job.image;
    image.pixel = PIXEL; // a constant for the compiler
    if (place.whole && !image.mask && !image.has_no_data)
        return 0x01010101u;
    uint32_t counts = 0;
#pragma unroll
    for (int i = 0; i < SPAN; i++) {
        bool is = job.border == XNCC_BORDER_ZERO;
        if (place.is_inside(i))
            is = xncc_pixel_counts(&image, job.channels, place.row,
                                   image.mask ? image.mask + place.line * image.mask_pitch
                                              : nullptr,
                                   place.column[i]) != 0;
        counts |= static_cast<uint32_t>(is) << (8 * i);
    }
    return counts;
}

// Writes the byte planes of the list: for each pixel, byte `digit` of the biased sample of a
// channel, byte `digit` of its square, or 1 if the pixel counts. Everything is 0 where a pixel does
// not count. Samples are read once for each run of planes of the same channel. v has 32 bits: no
// integer sample is larger.
template <xncc_pixel PIXEL> __global__ void spread_planes(const __grid_constant__ PlaneJob job)
{
    int x, y;
    if (!find_pixels(job.rect, job.across, &x, &y))
        return;
    Place place(job.image, job.border, job.rect, x, y);
    uint32_t counts = counts_of<PIXEL>(job, place), v[SPAN] = {};
    unsigned char *to = job.to.data + y * job.to.pitch + x;
    for (int p = 0, channel = -1; p < job.count; p++, to += job.to.plane) {
        xncc_general_term plane = job.plane[p];
        if (plane.sum == XNCC_PLANE_COUNT) {
            *reinterpret_cast<uint32_t *>(to) = counts;
            continue;
        }
        if (plane.channel != channel) {
            channel = plane.channel;
            const unsigned char *first = place.row +
                                         (place.column[0] * job.channels + channel) *
                                             static_cast<int64_t>(xncc_pixel_digits(PIXEL));
#pragma unroll
            for (int i = 0; i < SPAN; i++) {
                if (place.whole) {
                    v[i] = counts >> (8 * i) & 1
                               ? static_cast<uint32_t>(xncc_sample(PIXEL, first, i * job.channels))
                               : 0;
                    continue;
                }
                uint64_t sample = xncc_pixel_bias(PIXEL);
                if (place.is_inside(i))
                    sample = xncc_sample(PIXEL, place.row,
                                         place.column[i] * job.channels + channel);
                v[i] = counts >> (8 * i) & 1 ? static_cast<uint32_t>(sample) : 0;
            }
        }
        uint32_t word = 0;
#pragma unroll
        for (int i = 0; i < SPAN; i++) {
            uint64_t value = plane.sum == XNCC_PLANE_SQUARE ? static_cast<uint64_t>(v[i]) * v[i]
                                                            : v[i];
            word |= static_cast<uint32_t>(value >> plane.shift & 255) << (8 * i);
        }
        *reinterpret_cast<uint32_t *>(to) = word;
    }
}

// Widens the rectangle so that each row is written to the end of its last 16 bytes. No window reads
// the added pixels.
LayoutRect whole_words(LayoutRect rect, int per_word)
{
    rect.columns = ceil_div(rect.columns, per_word) * per_word;
    return rect;
}

template <class Pixel>
void launch_pad(const xncc_image &image, xncc_border border, LayoutRect rect,
                const LayoutTarget &to, Pixel zero, cudaStream_t stream)
{
    rect = whole_words(rect, 16 / static_cast<int>(sizeof(Pixel)));
    int across = ceil_div(rect.columns, THREADS * SPAN);
    const dim3 grid = make_grid(int64_t{ across } * rect.rows);
    pad<Pixel><<<grid, THREADS, 0, stream>>>(image, border, rect, to, across, zero);
}

} // namespace

cudaError_t launch_padding(const xncc_image &view, xncc_border border, const LayoutRect &rect,
                           const LayoutTarget &to, cudaStream_t stream)
{
    const xncc_image image = xncc_image_with_pitches(&view);
    xncc_general_planes values = {};
    values.image_count = 1;
    values.image[0].kind = XNCC_PLANE_VALUE;
    if (xncc_pixel_digits(image.pixel) == 1)
        return launch_byte_planes(image, border, whole_words(rect, 16), values, to, stream);
    if (xncc_pixel_digits(image.pixel) == 2)
        launch_pad(image, border, rect, to, static_cast<uint16_t>(xncc_pixel_bias(image.pixel)),
                   stream);
    else if (image.pixel == XNCC_F32)
        launch_pad(image, border, rect, to, 0.0f, stream);
    else
        return cudaErrorInvalidValue; // these are general problems, not padded ones
    return cudaGetLastError();
}

cudaError_t launch_planes(const xncc_image &image, xncc_border border, const LayoutRect &rect,
                          const xncc_general_planes &planes, const LayoutTarget &to,
                          cudaStream_t stream)
{
    PlaneJob job = {};
    job.image = xncc_image_with_pitches(&image);
    job.border = border;
    job.rect = whole_words(rect, 16);
    job.to = to;
    job.across = ceil_div(job.rect.columns, THREADS * SPAN);
    job.channels = xncc_image_channels(&image);
    job.count = planes.image_count;
    for (int i = 0; i < planes.image_count; i++)
        job.plane[i] = { static_cast<uint8_t>(planes.image[i].kind),
                         static_cast<uint8_t>(planes.image[i].channel),
                         static_cast<uint8_t>(8 * planes.image[i].digit) };
    if (job.count == 0)
        return cudaSuccess;
    if (job.channels == 1 && xncc_pixel_digits(image.pixel) == 1)
        return launch_byte_planes(job.image, border, job.rect, planes, to, stream);
    if (serves_split_channels(job.image, planes))
        return launch_split_channels(job.image, border, job.rect, to, stream);
    if (xncc_pixel_is_float(image.pixel))
        return cudaErrorInvalidValue; // floats have no byte planes
    const dim3 grid = make_grid(int64_t{ job.across } * job.rect.rows);
    with_any_pixel(image.pixel, [&](auto type) {
        if constexpr (!xncc_pixel_is_float(type))
            spread_planes<type><<<grid, THREADS, 0, stream>>>(job);
    });
    return cudaGetLastError();
}

} // namespace xncc
