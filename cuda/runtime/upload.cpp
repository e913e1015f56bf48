// SPDX-License-Identifier: BSD-2-Clause
// Copies images to the device: a pool of threads fills pinned chunks in turn, and the copy engine
// empties them.
#include "cuda/runtime/upload.h"

#include <string.h>

namespace xncc {

namespace {

constexpr size_t CHUNK_BYTES = 4u << 20;
constexpr size_t SLICE_BYTES = 128u << 10; // the unit of work of a copying thread
constexpr uint64_t MIN_BYTES = 2u << 20;   // images up to this size are copied in one call

// The rows of one chunk, which the threads copy to pinned memory slice by slice.
struct ChunkFill {
    UploadRows rows; // the target is the chunk, tightly packed
    int32_t slice;   // rows per slice
};

void fill_slice(void *argument, uint64_t index, int32_t)
{
    const ChunkFill &f = *static_cast<const ChunkFill *>(argument);
    const UploadRows piece = f.rows.from(static_cast<int32_t>(index) * f.slice, f.slice);
    if (piece.source_pitch == piece.target_pitch)
        memcpy(piece.target, piece.source, piece.row_bytes * static_cast<size_t>(piece.rows));
    else
        for (int32_t y = 0; y < piece.rows; y++)
            memcpy(piece.from(y, 1).target, piece.from(y, 1).source, piece.row_bytes);
}

void fill_chunk(xncc_pool *copiers, const UploadRows &rows, unsigned char *packed)
{
    ChunkFill f = { rows, static_cast<int32_t>(ceil_div(SLICE_BYTES, rows.row_bytes)) };
    f.rows.target = packed;
    f.rows.target_pitch = rows.row_bytes;
    xncc_pool_run(copiers, static_cast<uint64_t>(ceil_div(rows.rows, f.slice)), fill_slice, &f);
}

// Images that the threads copy to pinned memory, tightly packed.
struct ImagesFill {
    const xncc_image *image;
    unsigned char *target;
    size_t row_bytes;
};

void fill_image(void *argument, uint64_t index, int32_t)
{
    const ImagesFill &f = *static_cast<const ImagesFill *>(argument);
    const xncc_image &image = f.image[index];
    unsigned char *to = f.target + index * f.row_bytes * static_cast<size_t>(image.height);
    for (int32_t y = 0; y < image.height; y++, to += f.row_bytes)
        memcpy(to, xncc_image_row(&image, y), f.row_bytes);
}

} // namespace

cudaError_t Upload::make()
{
    if (made)
        return cudaSuccess;
    cudaError_t code = copies.get() ? cudaSuccess : copies.make();
    if (code == cudaSuccess && !begun.get())
        code = begun.make();
    for (int i = 0; i < CHUNKS && code == cudaSuccess; i++) {
        if (!copied[i].get())
            code = copied[i].make();
        if (code == cudaSuccess && !chunk[i].as<void>())
            code = chunk[i].take(CHUNK_BYTES);
    }
    made = code == cudaSuccess;
    return code;
}

cudaError_t Upload::begin_image(const void *source, cudaStream_t stream)
{
    cudaPointerAttributes attributes = {};
    cudaError_t code = make();
    if (code == cudaSuccess)
        code = cudaPointerGetAttributes(&attributes, source);
    pinned = attributes.type == cudaMemoryTypeHost;
    if (code == cudaSuccess)
        code = cudaEventRecord(begun.get(), stream);
    if (code == cudaSuccess)
        code = cudaStreamWaitEvent(copies.get(), begun.get(), 0);
    return code;
}

int32_t Upload::chunk_rows(size_t row_bytes)
{
    return row_bytes < CHUNK_BYTES ? static_cast<int32_t>(CHUNK_BYTES / row_bytes) : 0;
}

cudaError_t Upload::take_chunk(int *at)
{
    *at = next;
    next = (next + 1) % CHUNKS;
    return pinned ? cudaSuccess : cudaEventSynchronize(copied[*at].get());
}

cudaError_t Upload::send(cudaError_t code, int at, const UploadRows &rows, cudaStream_t stream)
{
    if (code == cudaSuccess)
        code = cudaMemcpy2DAsync(rows.target, rows.target_pitch, rows.source, rows.source_pitch,
                                 rows.row_bytes, static_cast<size_t>(rows.rows),
                                 cudaMemcpyHostToDevice, copies.get());
    if (code == cudaSuccess)
        code = cudaEventRecord(copied[at].get(), copies.get());
    if (code == cudaSuccess)
        code = cudaStreamWaitEvent(stream, copied[at].get(), 0);
    // what is not on the caller's stream, nobody else waits for
    if (code != cudaSuccess)
        forgive(cudaStreamSynchronize(copies.get()));
    return code;
}

cudaError_t Upload::copy_chunk(const UploadRows &rows, cudaStream_t stream)
{
    int at = 0;
    UploadRows from = rows;
    const cudaError_t code = take_chunk(&at);
    if (!pinned && code == cudaSuccess) {
        from.source = chunk[at].as<unsigned char>();
        from.source_pitch = rows.row_bytes;
        fill_chunk(copiers, rows, chunk[at].as<unsigned char>());
    }
    return send(code, at, from, stream);
}

cudaError_t Upload::copy_images(const xncc_image *image, size_t count, const UploadRows &to,
                                cudaStream_t stream)
{
    const size_t rows = static_cast<size_t>(to.rows), each = to.row_bytes * rows,
                 most = CHUNK_BYTES / each;
    cudaError_t code = begin_image(image->data, stream);
    const bool alone = most == 0 || (pinned && each >= SLICE_BYTES);
    pinned = false;
    for (size_t i = 0, some; i < count && code == cudaSuccess && !xncc_is_cancelled(watch);
         i += some) {
        UploadRows piece = to;
        piece.target += i * rows * to.target_pitch;
        some = alone ? 1 : count - i < most ? count - i : most;
        if (alone) {
            piece.source = static_cast<const unsigned char *>(image[i].data);
            piece.source_pitch = static_cast<size_t>(xncc_image_pitch(&image[i]));
            code = copy_rows(piece, stream);
            continue;
        }
        int at = 0;
        code = take_chunk(&at);
        piece.source = chunk[at].as<unsigned char>();
        piece.source_pitch = to.row_bytes;
        piece.rows = static_cast<int32_t>(rows * some);
        ImagesFill fill = { image + i, chunk[at].as<unsigned char>(), to.row_bytes };
        if (code == cudaSuccess)
            xncc_pool_run(copiers, some, fill_image, &fill);
        code = send(code, at, piece, stream);
    }
    return code;
}

bool Upload::is_chunked(uint64_t row_bytes, int32_t rows)
{
    return row_bytes * static_cast<uint64_t>(rows) > MIN_BYTES &&
           chunk_rows(static_cast<size_t>(row_bytes)) > 0;
}

cudaError_t Upload::copy_rows(const UploadRows &rows, cudaStream_t stream)
{
    if (!is_chunked(rows.row_bytes, rows.rows))
        return cudaMemcpy2DAsync(rows.target, rows.target_pitch, rows.source, rows.source_pitch,
                                 rows.row_bytes, static_cast<size_t>(rows.rows),
                                 cudaMemcpyHostToDevice, stream);
    const int32_t step = chunk_rows(rows.row_bytes);
    cudaError_t code = begin_image(rows.source, stream);
    for (int32_t y = 0; y < rows.rows && code == cudaSuccess && !xncc_is_cancelled(watch);
         y += step)
        code = copy_chunk(rows.from(y, step), stream);
    return code;
}

xncc_status bring_to_device(xncc_image *image, unsigned char *memory, Upload *upload,
                            cudaStream_t stream, xncc_error *error)
{
    const xncc_image host = *image;
    const size_t row = static_cast<size_t>(xncc_image_row_bytes(&host)),
                 mask_row = static_cast<size_t>(host.width);
    image->memory = XNCC_DEVICE;
    image->data = memory;
    image->pitch = source_pitch(static_cast<int64_t>(row));
    cudaError_t code = upload->copy_rows(UploadRows{ static_cast<const unsigned char *>(host.data),
                                                     static_cast<size_t>(xncc_image_pitch(&host)),
                                                     memory, static_cast<size_t>(image->pitch), row,
                                                     host.height },
                                         stream);
    if (host.mask) {
        unsigned char *mask = memory + image->pitch * host.height;
        image->mask = mask;
        image->mask_pitch = source_pitch(host.width);
        if (code == cudaSuccess)
            code = upload->copy_rows(
                UploadRows{ host.mask, static_cast<size_t>(xncc_image_mask_pitch(&host)), mask,
                            static_cast<size_t>(image->mask_pitch), mask_row, host.height },
                stream);
    }
    return check(code, "copying the image to the device", error);
}

} // namespace xncc
