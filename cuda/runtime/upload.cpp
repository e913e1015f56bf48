#include "cuda/runtime/upload.h"

#include <string.h>

namespace xncc {

namespace {

constexpr size_t CHUNK_BYTES = 4u << 20;
constexpr size_t SLICE_BYTES = 128u << 10; // what a thread copies before it asks for more
constexpr uint64_t WORTH = 2u << 20;       // images up to so many bytes are copied in one go
// Rows on their way to pinned memory, in slices that threads share.
struct Filling {
    UploadRows rows; // target: packed
    int32_t slice;   // rows
};

void fill_slice(void *argument, uint64_t index, int32_t)
{
    const Filling &f = *static_cast<const Filling *>(argument);
    const UploadRows templ = f.rows.from(static_cast<int32_t>(index) * f.slice, f.slice);
    if (templ.source_pitch == templ.target_pitch)
        memcpy(templ.target, templ.source, templ.row_bytes * static_cast<size_t>(templ.rows));
    else
        for (int32_t y = 0; y < templ.rows; y++)
            memcpy(templ.from(y, 1).target, templ.from(y, 1).source, templ.row_bytes);
}

void fill(xncc_pool *copiers, const UploadRows &rows, unsigned char *packed)
{
    Filling f = { rows, static_cast<int32_t>(ceil_div(SLICE_BYTES, rows.row_bytes)) };
    f.rows.target = packed;
    f.rows.target_pitch = rows.row_bytes;
    xncc_pool_run(copiers, static_cast<uint64_t>(ceil_div(rows.rows, f.slice)), fill_slice, &f);
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

cudaError_t Upload::begin(const void *source, cudaStream_t stream)
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

cudaError_t Upload::put(const UploadRows &rows, cudaStream_t stream)
{
    int at = next;
    next = (next + 1) % CHUNKS;
    const unsigned char *source = rows.source;
    size_t pitch = rows.source_pitch;
    cudaError_t code = cudaSuccess;
    if (!pinned) {
        code = cudaEventSynchronize(copied[at].get());
        if (code == cudaSuccess)
            fill(copiers, rows, chunk[at].as<unsigned char>());
        pitch = rows.row_bytes;
        source = chunk[at].as<unsigned char>();
    }
    if (code == cudaSuccess)
        code = cudaMemcpy2DAsync(rows.target, rows.target_pitch, source, pitch, rows.row_bytes,
                                 static_cast<size_t>(rows.rows), cudaMemcpyHostToDevice,
                                 copies.get());
    if (code == cudaSuccess)
        code = cudaEventRecord(copied[at].get(), copies.get());
    if (code == cudaSuccess)
        code = cudaStreamWaitEvent(stream, copied[at].get(), 0);
    return code;
}

bool Upload::is_worth(uint64_t row_bytes, int32_t rows)
{
    return row_bytes * static_cast<uint64_t>(rows) > WORTH &&
           chunk_rows(static_cast<size_t>(row_bytes)) > 0;
}

cudaError_t Upload::put_all(const UploadRows &rows, cudaStream_t stream)
{
    if (!is_worth(rows.row_bytes, rows.rows))
        return cudaMemcpy2DAsync(rows.target, rows.target_pitch, rows.source, rows.source_pitch,
                                 rows.row_bytes, static_cast<size_t>(rows.rows),
                                 cudaMemcpyHostToDevice, stream);
    const int32_t step = chunk_rows(rows.row_bytes);
    cudaError_t code = begin(rows.source, stream);
    for (int32_t y = 0; y < rows.rows && code == cudaSuccess; y += step)
        code = put(rows.from(y, step), stream);
    return code;
}

} // namespace xncc
