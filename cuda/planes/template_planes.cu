// SPDX-License-Identifier: BSD-2-Clause
// Kernels that rearrange a template's pixels: groups for the plain kernels, and byte planes.
#include "cuda/planes/template_planes.h"

#include "cuda/runtime/dispatch.h"

namespace xncc {

namespace {

constexpr int THREADS = 256;

// Copies a template's pixels to groups of XNCC_THREAD_COLUMNS adjacent pixels; pixels past the
// template are 0. One thread per group; blocks of THREADS threads in one dimension.
template <class Pixel>
__global__ void build_groups(const unsigned char *pixels, size_t pitch, int width, int height,
                             int group_count, int group_rows, Pixel *groups)
{
    int64_t at = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at >= static_cast<int64_t>(group_count) * group_rows)
        return;
    int row = static_cast<int>(at % group_rows),
        column = static_cast<int>(at / group_rows) * XNCC_THREAD_COLUMNS;
    const Pixel *line = reinterpret_cast<const Pixel *>(pixels + row * pitch);
    for (int i = 0; i < XNCC_THREAD_COLUMNS; i++)
        groups[at * XNCC_THREAD_COLUMNS + i] = row < height && column + i < width ? line[column + i]
                                                                                  : Pixel(0);
}

// Writes one byte of each of a template's pixels to each plane: of the sample, of its square, or 1
// if the pixel counts. One thread per pixel (blockIdx.x) and plane (blockIdx.y). Sample: the
// stored, biased type. A square needs at most 64 bits.
template <class Sample> __global__ void spread_templ(const __grid_constant__ TemplPlanes job)
{
    int64_t at = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    int x = static_cast<int>(at % job.width), y = static_cast<int>(at / job.width);
    if (y >= job.height)
        return;
    xncc_general_term plane = job.plane[blockIdx.y];
    uint64_t value = !job.mask || job.mask[at];
    if (plane.sum != XNCC_PLANE_COUNT) {
        uint64_t v = reinterpret_cast<const Sample *>(
            job.pixels + y * job.pitch)[static_cast<int64_t>(x) * job.channels + plane.channel];
        value = (plane.sum == XNCC_PLANE_SQUARE ? v * v : v) >> plane.shift;
    }
    job.to[blockIdx.y][y * job.to_pitch + x] = static_cast<unsigned char>(value);
}

} // namespace

cudaError_t launch_template_groups(const DeviceTemplate &p, cudaStream_t stream)
{
    int64_t count = static_cast<int64_t>(p.group_count) * p.group_rows;
    unsigned blocks = static_cast<unsigned>(ceil_div<int64_t>(count, THREADS));
    const unsigned char *pixels = p.pixels.as<unsigned char>();
    with_integer(p.pixel, [&](auto of) {
        build_groups<<<blocks, THREADS, 0, stream>>>(pixels, p.pitch, p.width, p.height,
                                                     p.group_count, p.group_rows,
                                                     p.groups.as<decltype(of)>());
    });
    return cudaGetLastError();
}

cudaError_t launch_template_planes(const DeviceTemplate &templ, const xncc_general_planes &planes,
                                   const DeviceTemplate *to, cudaStream_t stream)
{
    TemplPlanes job = {};
    job.pixels = templ.pixels.as<unsigned char>();
    job.pitch = static_cast<int64_t>(templ.pitch);
    job.mask = templ.mask.as<uint8_t>();
    job.width = templ.width;
    job.height = templ.height;
    job.channels = templ.channels;
    job.count = planes.templ_count;
    if (job.count == 0)
        return cudaSuccess;
    job.to_pitch = static_cast<int64_t>(to[0].pitch);
    for (int i = 0; i < job.count; i++) {
        job.plane[i] = { static_cast<uint8_t>(planes.templ[i].kind),
                         static_cast<uint8_t>(planes.templ[i].channel),
                         static_cast<uint8_t>(8 * planes.templ[i].digit) };
        job.to[i] = to[i].pixels.as<unsigned char>();
    }
    int64_t pixels = static_cast<int64_t>(templ.width) * templ.height;
    const dim3 grid = make_grid(ceil_div<int64_t>(pixels, THREADS), job.count);
    if (templ.pixel == XNCC_U8)
        spread_templ<uint8_t><<<grid, THREADS, 0, stream>>>(job);
    else if (templ.pixel == XNCC_U16)
        spread_templ<uint16_t><<<grid, THREADS, 0, stream>>>(job);
    else
        spread_templ<uint32_t><<<grid, THREADS, 0, stream>>>(job);
    return cudaGetLastError();
}

} // namespace xncc
