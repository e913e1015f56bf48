#include "prepared.cuh"

namespace cm {

namespace {

// One thread a group of a row.
template <class Pixel>
__global__ void build_groups(const unsigned char *pixels, size_t pitch, int width, int height, int group_count,
                             int group_rows, Pixel *groups)
{
    int64_t at = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at >= static_cast<int64_t>(group_count) * group_rows)
        return;
    int row = static_cast<int>(at % group_rows), column = static_cast<int>(at / group_rows) * CM_THREAD_COLUMNS;
    const Pixel *line = reinterpret_cast<const Pixel *>(pixels + row * pitch);
    for (int i = 0; i < CM_THREAD_COLUMNS; i++)
        groups[at * CM_THREAD_COLUMNS + i] = row < height && column + i < width ? line[column + i] : Pixel(0);
}

cudaError_t launch_groups(const Prepared &p, cudaStream_t stream)
{
    constexpr int THREADS = 256;
    int64_t count = static_cast<int64_t>(p.group_count) * p.group_rows;
    unsigned blocks = static_cast<unsigned>(ceil_div<int64_t>(count, THREADS));
    const unsigned char *pixels = p.pixels.as<unsigned char>();
    if (p.pixel == CM_U8)
        build_groups<<<blocks, THREADS, 0, stream>>>(pixels, p.pitch, p.width, p.height, p.group_count, p.group_rows,
                                                     p.groups.as<uint8_t>());
    else
        build_groups<<<blocks, THREADS, 0, stream>>>(pixels, p.pitch, p.width, p.height, p.group_count, p.group_rows,
                                                     p.groups.as<uint16_t>());
    return cudaGetLastError();
}

cudaError_t upload(Prepared *p, const void *host, size_t row_bytes, cudaStream_t stream)
{
    p->serial = next_serial();
    size_t bytes = p->pitch * static_cast<size_t>(p->height);
    cudaError_t code = p->pixels.take(bytes);
    if (code == cudaSuccess)
        code = cudaMemsetAsync(p->pixels.as<void>(), 0, bytes, stream); // whole rows go to the bank, padding too
    if (code == cudaSuccess)
        code = cudaMemcpy2DAsync(p->pixels.as<void>(), p->pitch, host, row_bytes, row_bytes,
                                 static_cast<size_t>(p->height), cudaMemcpyHostToDevice, stream);
    return code;
}

} // namespace

cm_status prepare_template(const cm_template *part, cudaStream_t stream, Prepared *p, cm_error *error)
{
    size_t row_bytes = static_cast<size_t>(part->width) * cm_pixel_size(part->pixel);
    p->width = part->width;
    p->height = part->height;
    p->pixel = part->pixel;
    p->pitch = ceil_div<size_t>(row_bytes, CM_STAGE_PITCH) * CM_STAGE_PITCH;
    cm_status status = check(upload(p, part->pixels, row_bytes, stream), "copying the template to the device", error);
    if (!status)
        status = check(p->texture.make(p->pixels.as<void>(), pixel_format(p->pixel), static_cast<size_t>(p->width),
                                       static_cast<size_t>(p->height), p->pitch),
                       "making the template's texture", error);
    if (!status && p->pixel != CM_F32) {
        p->group_count = ceil_div<int32_t>(p->width, CM_THREAD_COLUMNS);
        p->group_rows = ceil_div(p->height, 4) * 4;
        status = check(p->groups.take(static_cast<uint64_t>(p->group_count) * static_cast<uint64_t>(p->group_rows) *
                                      p->group_bytes()),
                       "taking memory for the template", error);
        if (!status)
            status = check(launch_groups(*p, stream), "grouping the template's pixels", error);
    }
    // the copy came from pageable memory: it has to be over before another stream reads
    if (!status)
        status = check(cudaStreamSynchronize(stream), "preparing the template", error);
    return status;
}

cm_status prepare_filter(const cm_filter *filter, cudaStream_t stream, Prepared *p, cm_error *error)
{
    size_t row_bytes = static_cast<size_t>(filter->width) * sizeof(float);
    p->width = filter->width;
    p->height = filter->height;
    p->pixel = CM_F32;
    p->pitch = ceil_div<size_t>(row_bytes, 16) * 16;
    cm_status status = check(upload(p, filter->taps, row_bytes, stream), "copying the filter to the device", error);
    if (!status)
        status = check(cudaStreamSynchronize(stream), "preparing the filter", error);
    return status;
}

} // namespace cm
