// Templates and filters as the device holds them, made once when they are created.
#ifndef XNCC_CUDA_PLANES_DEVICE_TEMPLATE_H
#define XNCC_CUDA_PLANES_DEVICE_TEMPLATE_H

#include "cuda/runtime/constant_cache.h"

extern "C" {
#include "plan/general_planes.h"
}

namespace xncc {

struct DeviceTemplate {
    uint64_t serial = 0;
    int32_t width = 0, height = 0;
    xncc_pixel pixel = XNCC_U8; // as stored: signed ones biased; of a filter: XNCC_F32
    int32_t channels = 1;

    DeviceMemory pixels; // row by row
    size_t pitch = 0;    // bytes
    DeviceMemory
        mask; // templates: 1 where a pixel counts, else 0, tightly packed; none when all count

    // Templates for windows of general.h, of integers: the sums over the pixels that count, of each
    // channel and of all.
    uint64_t sum[XNCC_MAX_CHANNELS] = {};
    xncc_u128 sum2 = {};

    // Templates of which plain kernels can take the pixels, and planes of bytes:
    Texture texture; // over pixels

    // Integer pixels once more, in groups of 4 adjacent pixels: group g of row j at element g *
    // group_rows + j. Rows are padded to whole groups, and groups to a multiple of 4 rows, with
    // zeros.
    DeviceMemory groups;
    int32_t group_count = 0, group_rows = 0;

    // Takes memory for the bytes of a plane, with what plain kernels read where that is wanted; its
    // bytes are written on the device, and then refresh() puts the rest on the stream.
    cudaError_t make_plane(int32_t width, int32_t height, bool plain);
    cudaError_t refresh(cudaStream_t stream);

    size_t group_bytes() const
    {
        return XNCC_THREAD_COLUMNS * xncc_pixel_size(pixel);
    }
};

// Bytes of a joint problem's template: plane i of the list to part i.
struct TemplPlanes {
    const unsigned char *pixels;
    int64_t pitch;
    const uint8_t *mask;
    int32_t width, height, channels, count;
    int64_t to_pitch;
    xncc_general_term plane[XNCC_GENERAL_TEMPL_PLANES]; // sum: xncc_plane; shift: 8 * digit
    unsigned char *to[XNCC_GENERAL_TEMPL_PLANES];
};
cudaError_t launch_templ_planes(const DeviceTemplate &templ, const xncc_general_planes &planes,
                                DeviceTemplate *to, cudaStream_t stream);

// The device is the current one; the stream is used and waited for. most_height: of a texture.
xncc_status prepare_template(const xncc_template *templ, int64_t most_height, cudaStream_t stream,
                             DeviceTemplate *prepared, xncc_error *error);
xncc_status prepare_filter(const xncc_filter *filter, cudaStream_t stream, DeviceTemplate *prepared,
                           xncc_error *error);

} // namespace xncc

#endif
