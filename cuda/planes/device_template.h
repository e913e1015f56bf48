// SPDX-License-Identifier: BSD-2-Clause
// Templates and filters in device memory. They are prepared once, when the template or filter is
// created.
#ifndef XNCC_CUDA_PLANES_DEVICE_TEMPLATE_H
#define XNCC_CUDA_PLANES_DEVICE_TEMPLATE_H

#include "cuda/runtime/constant_cache.h"

extern "C" {
#include "template/template.h"
}

namespace xncc {

// A template, a filter, or one byte plane of a template.
struct DeviceTemplate {
    uint64_t serial = 0; // next_serial() of the current pixels; caches compare it
    int32_t width = 0, height = 0;
    xncc_pixel pixel = XNCC_U8; // as stored: signed samples are biased and unsigned; filters: f32
    int32_t channels = 1;

    DeviceMemory pixels; // rows, with interleaved channels
    size_t pitch = 0;    // bytes per row of `pixels`; the padding is 0
    DeviceMemory
        mask; // templates: 1 where a pixel counts, else 0, tightly packed; empty: all count

    // Integer templates: sums of the biased samples that count.
    uint64_t sum[XNCC_MAX_CHANNELS] = {}; // per channel
    xncc_u128 sum2 = {};                  // of the squares, over all channels

    // The members below are set for templates, and byte planes of templates, that plain kernels
    // read.

    Texture texture; // over `pixels`

    // Integer pixels again, in groups of 4 adjacent pixels: group g of row j is element g *
    // group_rows + j. Rows are padded with zeros to whole groups, and each column of groups to a
    // multiple of 4 rows.
    DeviceMemory groups;
    int32_t group_count = 0; // groups per row
    int32_t group_rows = 0;  // rows, padded

    // Makes a byte plane in `memory`, which the caller owns and has filled with zeros: whole rows
    // go to constant memory, padding too. If `plain` is set, what the plain kernels need follows
    // the bytes there. The caller writes the bytes on the device and then calls refresh().
    cudaError_t make_plane(int32_t width, int32_t height, bool plain, unsigned char *memory);
    // Announces new pixels: sets a new serial and enqueues the update of `groups`.
    cudaError_t refresh(cudaStream_t stream);

    // Bytes of one group.
    size_t group_bytes() const
    {
        return XNCC_THREAD_COLUMNS * xncc_pixel_size(pixel);
    }
};

// Copy a template or filter to the current device. They use the stream and wait for it, so the
// result can be used on any stream. max_texture_height: rows that a texture of the device may have.
xncc_status prepare_template(const xncc_template *templ, int64_t max_texture_height,
                             cudaStream_t stream, DeviceTemplate *prepared, xncc_error *error);
xncc_status prepare_filter(const xncc_filter *filter, cudaStream_t stream, DeviceTemplate *prepared,
                           xncc_error *error);

// Makes the form of a template in form_bytes() bytes of a block of device memory, which begin at a
// multiple of XNCC_STAGE_PITCH. The caller copies what is written at `host` there, and that memory
// holds zeros before; then it calls refresh().
uint64_t form_bytes(const xncc_template *templ, int64_t max_texture_height);
cudaError_t place_template(const xncc_template *templ, int64_t max_texture_height,
                           unsigned char *device, unsigned char *host, DeviceTemplate *prepared);

} // namespace xncc

#endif
