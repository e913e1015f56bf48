#include "cuda/planes/device_template.h"

namespace xncc {

namespace {

// One thread a group of a row.
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

cudaError_t launch_groups(const DeviceTemplate &p, cudaStream_t stream)
{
    constexpr int THREADS = 256;
    int64_t count = static_cast<int64_t>(p.group_count) * p.group_rows;
    unsigned blocks = static_cast<unsigned>(ceil_div<int64_t>(count, THREADS));
    const unsigned char *pixels = p.pixels.as<unsigned char>();
    if (p.pixel == XNCC_U8)
        build_groups<<<blocks, THREADS, 0, stream>>>(pixels, p.pitch, p.width, p.height,
                                                     p.group_count, p.group_rows,
                                                     p.groups.as<uint8_t>());
    else
        build_groups<<<blocks, THREADS, 0, stream>>>(pixels, p.pitch, p.width, p.height,
                                                     p.group_count, p.group_rows,
                                                     p.groups.as<uint16_t>());
    return cudaGetLastError();
}

cudaError_t upload(DeviceTemplate *p, const void *host, size_t row_bytes, cudaStream_t stream)
{
    p->serial = next_serial();
    size_t bytes = p->pitch * static_cast<size_t>(p->height);
    cudaError_t code = p->pixels.take(bytes);
    if (code == cudaSuccess)
        code = cudaMemsetAsync(p->pixels.as<void>(), 0, bytes,
                               stream); // whole rows go to the bank, padding too
    if (code == cudaSuccess)
        code = cudaMemcpy2DAsync(p->pixels.as<void>(), p->pitch, host, row_bytes, row_bytes,
                                 static_cast<size_t>(p->height), cudaMemcpyHostToDevice, stream);
    return code;
}

xncc_pixel stored_pixel(xncc_pixel pixel)
{
    return pixel == XNCC_S8 ? XNCC_U8 : pixel == XNCC_S16 ? XNCC_U16 : pixel;
}

// The texture and the groups.
cudaError_t make_plain(DeviceTemplate *p)
{
    cudaError_t code = p->texture.make(p->pixels.as<void>(), pixel_format(p->pixel),
                                       static_cast<size_t>(p->width),
                                       static_cast<size_t>(p->height), p->pitch);
    if (code != cudaSuccess || p->pixel == XNCC_F32)
        return code;
    p->group_count = ceil_div<int32_t>(p->width, XNCC_THREAD_COLUMNS);
    p->group_rows = ceil_div(p->height, 4) * 4;
    return p->groups.take(static_cast<uint64_t>(p->group_count) *
                          static_cast<uint64_t>(p->group_rows) * p->group_bytes());
}

cudaError_t upload_mask(DeviceTemplate *p, const xncc_template *templ, cudaStream_t stream)
{
    size_t bytes = static_cast<size_t>(templ->width) * static_cast<size_t>(templ->height);
    cudaError_t code = p->mask.take(bytes);
    return code == cudaSuccess ? cudaMemcpyAsync(p->mask.as<void>(), templ->mask, bytes,
                                                 cudaMemcpyHostToDevice, stream)
                               : code;
}

// Pixels that do not count are 0. At most 2^31 samples of 16 bits, or 2^28 of 32, a channel: 60
// bits.
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
    else if (p->pixel == XNCC_U32)
        sum_samples<uint32_t>(templ, p);
}

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

cudaError_t launch_templ_planes(const DeviceTemplate &templ, const xncc_general_planes &planes,
                                DeviceTemplate *to, cudaStream_t stream)
{
    constexpr int THREADS = 256;
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
    dim3 grid(static_cast<unsigned>(ceil_div<int64_t>(pixels, THREADS)),
              static_cast<unsigned>(job.count));
    if (templ.pixel == XNCC_U8)
        spread_templ<uint8_t><<<grid, THREADS, 0, stream>>>(job);
    else if (templ.pixel == XNCC_U16)
        spread_templ<uint16_t><<<grid, THREADS, 0, stream>>>(job);
    else
        spread_templ<uint32_t><<<grid, THREADS, 0, stream>>>(job);
    cudaError_t code = cudaGetLastError();
    for (int i = 0; i < job.count && code == cudaSuccess; i++)
        code = to[i].refresh(stream);
    return code;
}

cudaError_t DeviceTemplate::make_plane(int32_t columns, int32_t rows, bool plain)
{
    width = columns;
    height = rows;
    pitch = ceil_div<size_t>(static_cast<size_t>(columns), XNCC_STAGE_PITCH) * XNCC_STAGE_PITCH;
    size_t bytes = pitch * static_cast<size_t>(rows);
    cudaError_t code = pixels.take(bytes);
    if (code == cudaSuccess)
        code = cudaMemset(pixels.as<void>(), 0, bytes); // whole rows go to the bank, padding too
    return code == cudaSuccess && plain ? make_plain(this) : code;
}

cudaError_t DeviceTemplate::refresh(cudaStream_t stream)
{
    serial = next_serial(); // what banks and transforms hold is of the bytes before
    return groups.as<void>() ? launch_groups(*this, stream) : cudaSuccess;
}

xncc_status prepare_template(const xncc_template *templ, int64_t most_height, cudaStream_t stream,
                             DeviceTemplate *p, xncc_error *error)
{
    size_t row_bytes = static_cast<size_t>(templ->width) * static_cast<size_t>(templ->channels) *
                       xncc_pixel_size(templ->pixel);
    p->width = templ->width;
    p->height = templ->height;
    p->channels = templ->channels;
    p->pixel = stored_pixel(templ->pixel);
    p->pitch = ceil_div<size_t>(row_bytes, XNCC_STAGE_PITCH) * XNCC_STAGE_PITCH;
    sum_template(templ, p);
    bool plain = templ->channels == 1 && !templ->mask && p->pixel <= XNCC_F32 &&
                 templ->width <= XNCC_CUDA_TEMPLATE_SIDE && templ->height <= most_height;
    xncc_status status = check(upload(p, templ->pixels, row_bytes, stream),
                               "copying the template to the device", error);
    if (!status && templ->mask)
        status = check(upload_mask(p, templ, stream), "copying the template's mask to the device",
                       error);
    if (!status && plain)
        status = check(make_plain(p), "taking memory for the template", error);
    if (!status && plain && p->pixel != XNCC_F32)
        status = check(launch_groups(*p, stream), "grouping the template's pixels", error);
    // the copy came from pageable memory: it has to be over before another stream reads
    if (!status)
        status = check(cudaStreamSynchronize(stream), "preparing the template", error);
    return status;
}

xncc_status prepare_filter(const xncc_filter *filter, cudaStream_t stream, DeviceTemplate *p,
                           xncc_error *error)
{
    size_t row_bytes = static_cast<size_t>(filter->width) * sizeof(float);
    p->width = filter->width;
    p->height = filter->height;
    p->pixel = XNCC_F32;
    p->pitch = ceil_div<size_t>(row_bytes, 16) * 16;
    xncc_status status = check(upload(p, filter->taps, row_bytes, stream),
                               "copying the filter to the device", error);
    if (!status)
        status = check(cudaStreamSynchronize(stream), "preparing the filter", error);
    return status;
}

} // namespace xncc
