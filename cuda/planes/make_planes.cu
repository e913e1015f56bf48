#include "cuda/planes/make_planes.h"

#include "image/samples.h"

namespace xncc {

namespace {

constexpr int THREADS = 256;
constexpr int SPAN = 4; // adjacent pixels a thread

// The pixels of a thread: their columns in the image, -1 where there is none, and their row.
struct Place {
    int64_t column[SPAN];
    int64_t line; // -1: none of the pixels is in the image
    const unsigned char *row;
    bool whole; // all are, one beside the other

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

// A thread's first pixel in the rectangle; false: it has none.
__device__ bool seek(const LayoutRect &rect, int across, int *x, int *y)
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

// flip: the bit that biases a signed pixel. The zero border of such pixels is the bias itself.
template <class Pixel>
__global__ void pad(xncc_image image, xncc_border border, LayoutRect rect, LayoutTarget to,
                    int across, Pixel zero)
{
    int x, y;
    if (!seek(rect, across, &x, &y))
        return;
    Place place(image, border, rect, x, y);
    const Pixel *row = reinterpret_cast<const Pixel *>(place.row);
    Group<Pixel> group;
#pragma unroll
    for (int i = 0; i < SPAN; i++) {
        group.v[i] = place.is_inside(i) ? row[place.column[i]] : Pixel(0);
        if constexpr (sizeof(Pixel) < sizeof(float)) // to bias is to turn the top bit
            group.v[i] = static_cast<Pixel>(group.v[i] ^ zero);
    }
    *reinterpret_cast<Group<Pixel> *>(to.data + y * to.pitch +
                                      x * static_cast<int64_t>(sizeof(Pixel))) = group;
}

struct PlaneJob {
    xncc_image image; // pitches given
    xncc_border border;
    LayoutRect rect;
    LayoutTarget to;
    int32_t across, channels, count;
    xncc_general_term plane[XNCC_GENERAL_IMAGE_PLANES]; // sum: xncc_plane; shift: 8 * digit
};

// Do the pixels count? Zeros of the border do.
template <xncc_pixel PIXEL> __device__ uint32_t counts_of(const PlaneJob &job, const Place &place)
{
    xncc_image image = job.image;
    image.pixel = PIXEL; // known to the compiler
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

template <xncc_pixel PIXEL> __global__ void spread_planes(const __grid_constant__ PlaneJob job)
{
    int x, y;
    if (!seek(job.rect, job.across, &x, &y))
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

// Rows are written to the end of their last 16 bytes: the pixels there are of no window.
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
    unsigned blocks = static_cast<unsigned>(across) * static_cast<unsigned>(rect.rows);
    pad<Pixel><<<blocks, THREADS, 0, stream>>>(image, border, rect, to, across, zero);
}

xncc_image with_pitch(const xncc_image &image)
{
    xncc_image full = image;
    full.pitch = xncc_image_pitch(&image);
    full.mask_pitch = image.mask_pitch ? image.mask_pitch : image.width;
    return full;
}

} // namespace

cudaError_t launch_padding(const xncc_image &view, xncc_border border, const LayoutRect &rect,
                           const LayoutTarget &to, cudaStream_t stream)
{
    const xncc_image image = with_pitch(view);
    xncc_general_planes values = {};
    values.image_count = 1;
    values.image[0].kind = XNCC_PLANE_VALUE;
    switch (image.pixel) {
    case XNCC_U8:
    case XNCC_S8:
        return launch_byte_planes(image, border, whole_words(rect, 16), values, to, stream);
    case XNCC_U16: launch_pad<uint16_t>(image, border, rect, to, 0, stream); break;
    case XNCC_S16: launch_pad<uint16_t>(image, border, rect, to, 0x8000, stream); break;
    case XNCC_F32: launch_pad<float>(image, border, rect, to, 0.0f, stream); break;
    case XNCC_U32:
    case XNCC_F64: return cudaErrorInvalidValue; // of the joint route
    }
    return cudaGetLastError();
}

cudaError_t launch_planes(const xncc_image &image, xncc_border border, const LayoutRect &rect,
                          const xncc_general_planes &planes, const LayoutTarget &to,
                          cudaStream_t stream)
{
    PlaneJob job = {};
    job.image = with_pitch(image);
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
    unsigned blocks = static_cast<unsigned>(job.across) * static_cast<unsigned>(job.rect.rows);
    switch (image.pixel) {
    case XNCC_U8: spread_planes<XNCC_U8><<<blocks, THREADS, 0, stream>>>(job); break;
    case XNCC_S8: spread_planes<XNCC_S8><<<blocks, THREADS, 0, stream>>>(job); break;
    case XNCC_U16: spread_planes<XNCC_U16><<<blocks, THREADS, 0, stream>>>(job); break;
    case XNCC_S16: spread_planes<XNCC_S16><<<blocks, THREADS, 0, stream>>>(job); break;
    case XNCC_U32: spread_planes<XNCC_U32><<<blocks, THREADS, 0, stream>>>(job); break;
    case XNCC_F32:
    case XNCC_F64: return cudaErrorInvalidValue; // floats have no planes of bytes
    }
    return cudaGetLastError();
}

xncc_status Source::bring(const xncc_image &image, Upload *upload, cudaStream_t stream,
                          xncc_image *result, xncc_error *error)
{
    *result = image;
    if (image.memory == XNCC_DEVICE)
        return XNCC_OK;
    const xncc_image full = with_pitch(image);
    size_t row = static_cast<size_t>(xncc_image_row_bytes(&image)),
           mask_row = static_cast<size_t>(image.width);
    uint64_t rows = static_cast<uint64_t>(image.height);
    cudaError_t code = pixels.as<void>() ? cudaSuccess : pixels.take(row * rows);
    if (code == cudaSuccess && image.mask && !mask.as<void>())
        code = mask.take(mask_row * rows);
    if (code == cudaSuccess)
        code = upload->put_all(UploadRows{ static_cast<const unsigned char *>(image.data),
                                           static_cast<size_t>(full.pitch),
                                           pixels.as<unsigned char>(), row, row, image.height },
                               stream);
    if (code == cudaSuccess && image.mask)
        code = upload->put_all(UploadRows{ image.mask, static_cast<size_t>(full.mask_pitch),
                                           mask.as<unsigned char>(), mask_row, mask_row,
                                           image.height },
                               stream);
    result->memory = XNCC_DEVICE;
    result->data = pixels.as<void>();
    result->pitch = static_cast<int64_t>(row);
    result->mask = image.mask ? mask.as<uint8_t>() : nullptr;
    result->mask_pitch = static_cast<int64_t>(mask_row);
    return check(code, "copying the image to the plan's memory", error);
}

} // namespace xncc
