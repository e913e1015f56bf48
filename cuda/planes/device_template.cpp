// SPDX-License-Identifier: BSD-2-Clause
// Copies templates and filters to the device and sums their samples.
#include "cuda/planes/device_template.h"

#include "cuda/planes/template_planes.h"
#include "image/samples.h"

#include <string.h>

namespace xncc {

namespace {

// Copies tightly packed rows of `row_bytes` bytes to p->pixels, whose pitch and height are set.
cudaError_t copy_pixels(DeviceTemplate *p, const void *host, size_t row_bytes, cudaStream_t stream)
{
    p->serial = next_serial();
    size_t bytes = p->pitch * static_cast<size_t>(p->height);
    cudaError_t code = p->pixels.take(bytes);
    if (code == cudaSuccess)
        code = cudaMemsetAsync(p->pixels.as<void>(), 0, bytes,
                               stream); // whole rows go to constant memory, padding too
    if (code == cudaSuccess)
        code = cudaMemcpy2DAsync(p->pixels.as<void>(), p->pitch, host, row_bytes, row_bytes,
                                 static_cast<size_t>(p->height), cudaMemcpyHostToDevice, stream);
    return code;
}

// Tells whether plain kernels can read a template.
bool is_plain(const xncc_template *templ, int64_t max_texture_height)
{
    return templ->channels == 1 && !templ->mask && xncc_pixel_stored(templ->pixel) <= XNCC_F32 &&
           templ->width <= XNCC_CUDA_TEMPLATE_SIDE && templ->height <= max_texture_height;
}

// The extents of the groups of integer pixels, and their bytes.
void size_groups(DeviceTemplate *p)
{
    p->group_count = ceil_div<int32_t>(p->width, XNCC_THREAD_COLUMNS);
    p->group_rows = ceil_div(p->height, 4) * 4;
}

uint64_t groups_bytes(const DeviceTemplate &p)
{
    return static_cast<uint64_t>(p.group_count) * static_cast<uint64_t>(p.group_rows) *
           p.group_bytes();
}

// Makes the texture and the groups. memory: where the groups are; nullptr: they are allocated.
cudaError_t make_plain(DeviceTemplate *p, unsigned char *memory)
{
    cudaError_t code = p->texture.make(p->pixels.as<void>(), pixel_format(p->pixel),
                                       static_cast<size_t>(p->width),
                                       static_cast<size_t>(p->height), p->pitch);
    if (code != cudaSuccess || p->pixel == XNCC_F32)
        return code;
    size_groups(p);
    if (memory) {
        p->groups.use(memory);
        return cudaSuccess;
    }
    return p->groups.take(groups_bytes(*p));
}

cudaError_t copy_mask(DeviceTemplate *p, const xncc_template *templ, cudaStream_t stream)
{
    size_t bytes = static_cast<size_t>(templ->width) * static_cast<size_t>(templ->height);
    cudaError_t code = p->mask.take(bytes);
    return code == cudaSuccess ? cudaMemcpyAsync(p->mask.as<void>(), templ->mask, bytes,
                                                 cudaMemcpyHostToDevice, stream)
                               : code;
}

// Sums the samples of each channel, and the squares of all. Samples that do not count are 0. A
// channel has at most 2^31 samples of 16 bits or 2^28 of 32 bits, so its sum is below 2^60.
template <class Sample> void sum_samples(const xncc_template *templ, DeviceTemplate *p)
{
    const Sample *sample = static_cast<const Sample *>(templ->pixels);
    uint64_t pixels = static_cast<uint64_t>(templ->width) * static_cast<uint64_t>(templ->height);
    for (uint64_t i = 0; i < pixels; i++)
        for (int32_t c = 0; c < templ->channels; c++, sample++) {
            p->sum[c] += *sample;
            p->sum2 = xncc_u128_add(p->sum2,
                                    xncc_u128_of(static_cast<uint64_t>(*sample) * *sample));
        }
}

void sum_template(const xncc_template *templ, DeviceTemplate *p)
{
    if (templ->channels == 1 && p->pixel <= XNCC_U16) {
        p->sum[0] = templ->sum;
        p->sum2 = xncc_u128_of(templ->sum2);
    } else if (p->pixel == XNCC_U8)
        sum_samples<uint8_t>(templ, p);
    else if (p->pixel == XNCC_U16)
        sum_samples<uint16_t>(templ, p);
    else if (xncc_pixel_is_wide(p->pixel))
        sum_samples<uint32_t>(templ, p);
}

// Blocks of pixels, masks and groups begin at multiples of this many bytes, as textures must.
constexpr uint64_t BLOCK = XNCC_STAGE_PITCH;

uint64_t row_bytes_of(const xncc_template *templ)
{
    return static_cast<uint64_t>(templ->width) * static_cast<uint64_t>(templ->channels) *
           xncc_pixel_size(templ->pixel);
}

// Everything but the pixels and the mask.
void describe(const xncc_template *templ, DeviceTemplate *p)
{
    p->width = templ->width;
    p->height = templ->height;
    p->channels = templ->channels;
    p->pixel = xncc_pixel_stored(templ->pixel);
    p->pitch = ceil_div<size_t>(row_bytes_of(templ), XNCC_STAGE_PITCH) * XNCC_STAGE_PITCH;
    sum_template(templ, p);
}

uint64_t pixel_bytes(const xncc_template *templ)
{
    const uint64_t pitch = ceil_div<uint64_t>(row_bytes_of(templ), XNCC_STAGE_PITCH) *
                           XNCC_STAGE_PITCH;
    return ceil_div(pitch * static_cast<uint64_t>(templ->height), BLOCK) * BLOCK;
}

} // namespace

cudaError_t DeviceTemplate::make_plane(int32_t columns, int32_t rows, bool plain,
                                       unsigned char *memory)
{
    width = columns;
    height = rows;
    pitch = ceil_div<size_t>(static_cast<size_t>(columns), XNCC_STAGE_PITCH) * XNCC_STAGE_PITCH;
    pixels.use(memory);
    return plain ? make_plain(this, memory + pitch * static_cast<size_t>(rows)) : cudaSuccess;
}

cudaError_t DeviceTemplate::refresh(cudaStream_t stream)
{
    serial = next_serial(); // constant caches and template spectra hold the previous bytes
    return groups.as<void>() ? launch_template_groups(*this, stream) : cudaSuccess;
}

xncc_status prepare_template(const xncc_template *templ, int64_t max_texture_height,
                             cudaStream_t stream, DeviceTemplate *p, xncc_error *error)
{
    describe(templ, p);
    const bool plain = is_plain(templ, max_texture_height);
    xncc_status status = check(copy_pixels(p, templ->pixels, row_bytes_of(templ), stream),
                               "copying the template to the device", error);
    if (!status && templ->mask)
        status = check(copy_mask(p, templ, stream), "copying the template's mask to the device",
                       error);
    if (!status && plain)
        status = check(make_plain(p, nullptr), "allocating the template", error);
    if (!status && plain && p->pixel != XNCC_F32)
        status = check(launch_template_groups(*p, stream), "grouping the template's pixels", error);
    // Another stream may read the template next, and the source is pageable memory.
    if (!status)
        status = check(cudaStreamSynchronize(stream), "preparing the template", error);
    return status;
}

uint64_t form_bytes(const xncc_template *templ, int64_t max_texture_height)
{
    DeviceTemplate sizes;
    sizes.width = templ->width;
    sizes.height = templ->height;
    sizes.pixel = xncc_pixel_stored(templ->pixel);
    if (is_plain(templ, max_texture_height) && sizes.pixel != XNCC_F32)
        size_groups(&sizes);
    const uint64_t more = templ->mask ? static_cast<uint64_t>(templ->width) *
                                            static_cast<uint64_t>(templ->height)
                                      : groups_bytes(sizes);
    return pixel_bytes(templ) + ceil_div(more, BLOCK) * BLOCK;
}

cudaError_t place_template(const xncc_template *templ, int64_t max_texture_height,
                           unsigned char *device, unsigned char *host, DeviceTemplate *p)
{
    unsigned char *const more = device + pixel_bytes(templ);
    describe(templ, p);
    p->pixels.use(device);
    const size_t row = row_bytes_of(templ);
    const unsigned char *from = static_cast<const unsigned char *>(templ->pixels);
    for (int32_t y = 0; y < templ->height; y++)
        memcpy(host + static_cast<size_t>(y) * p->pitch, from + static_cast<size_t>(y) * row, row);
    if (templ->mask) {
        p->mask.use(more);
        memcpy(host + pixel_bytes(templ), templ->mask,
               static_cast<size_t>(templ->width) * static_cast<size_t>(templ->height));
    }
    return is_plain(templ, max_texture_height) ? make_plain(p, more) : cudaSuccess;
}

xncc_status prepare_filter(const xncc_filter *filter, cudaStream_t stream, DeviceTemplate *p,
                           xncc_error *error)
{
    size_t row_bytes = static_cast<size_t>(filter->width) * sizeof(float);
    p->width = filter->width;
    p->height = filter->height;
    p->pixel = XNCC_F32;
    p->pitch = ceil_div<size_t>(row_bytes, 16) * 16;
    xncc_status status = check(copy_pixels(p, filter->taps, row_bytes, stream),
                               "copying the filter to the device", error);
    if (!status)
        status = check(cudaStreamSynchronize(stream), "preparing the filter", error);
    return status;
}

} // namespace xncc
