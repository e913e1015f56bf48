#include "match.cuh"

#include <string.h>

namespace cm {

namespace {

constexpr size_t CHUNK_BYTES = 4u << 20;
constexpr uint64_t WORTH = 2u << 20; // images up to so many bytes are copied in one go
constexpr int32_t PRODUCT_ROWS = 64; // map rows are computed in multiples of so many: no kernel's tile is higher

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
        pitch = rows.row_bytes;
        unsigned char *packed = chunk[at].as<unsigned char>();
        if (rows.source_pitch == pitch)
            memcpy(packed, source, pitch * static_cast<size_t>(rows.rows));
        else
            for (int32_t y = 0; y < rows.rows; y++)
                memcpy(packed + static_cast<size_t>(y) * pitch, source + static_cast<size_t>(y) * rows.source_pitch, pitch);
        source = packed;
    }
    if (code == cudaSuccess)
        code = cudaMemcpy2DAsync(rows.target, rows.target_pitch, source, pitch, rows.row_bytes, static_cast<size_t>(rows.rows),
                                 cudaMemcpyHostToDevice, copies.get());
    if (code == cudaSuccess)
        code = cudaEventRecord(copied[at].get(), copies.get());
    if (code == cudaSuccess)
        code = cudaStreamWaitEvent(stream, copied[at].get(), 0);
    return code;
}

namespace {

// The map rows whose windows lie within the band's first `staged` image rows.
int32_t ready_rows(const StageView &view, int32_t size, int32_t height, int32_t staged)
{
    if (staged == view.height)
        return height;
    int64_t ready = static_cast<int64_t>(staged) - size - view.top + 1;
    return ready < PRODUCT_ROWS ? 0 : static_cast<int32_t>(ready < height ? ready / PRODUCT_ROWS * PRODUCT_ROWS : height);
}

// A band whose image rows come in chunks, each followed by the products that it completes - where there is a target for them.
cm_status put_chunks(const Call &call, int32_t bx, int32_t by, const Target *target)
{
    cm_work *work = call.work;
    StageView view = work->stage.view(bx, by);
    size_t size = cm_pixel_size(work->problem.pixel);
    const unsigned char *first = static_cast<const unsigned char *>(cm_image_row(call.image, work->y.stage_start(by))) +
                                 static_cast<size_t>(work->x.stage_start(bx)) * size;
    UploadRows rows = {};
    rows.source_pitch = static_cast<size_t>(cm_image_pitch(call.image));
    rows.target_pitch = static_cast<size_t>(view.pitch);
    rows.row_bytes = static_cast<size_t>(view.width) * size;
    int32_t step = Upload::chunk_rows(rows.row_bytes), done = 0, height = work->y.length(by);
    bool whole = work->decision.kernel == CM_KERNEL_FFT_CUDA; // its blocks are larger than a chunk
    cm_status status = check(work->upload.begin(first, call.stream), "preparing to copy the image", call.error);
    for (int32_t y = 0; y < view.height && !status; y += step) {
        rows.rows = view.height - y < step ? view.height - y : step;
        rows.source = first + static_cast<size_t>(y) * rows.source_pitch;
        rows.target = const_cast<unsigned char *>(view.data) + static_cast<size_t>(y) * rows.target_pitch;
        status = check(work->upload.put(rows, call.stream), "copying the image to the device", call.error);
        int32_t ready = ready_rows(view, work->problem.height, height, y + rows.rows);
        if (status || !target || ready <= done || (whole && ready < height))
            continue;
        status = put_products(call, bx, by, *target, BandRows{ done, ready - done });
        done = ready;
    }
    return status;
}

bool is_worth_chunks(const Call &call, int32_t bx, int32_t by)
{
    const cm_work *work = call.work;
    uint64_t row_bytes = static_cast<uint64_t>(work->x.stage_length(bx)) * cm_pixel_size(work->problem.pixel);
    return call.image->memory == CM_HOST && row_bytes * static_cast<uint64_t>(work->y.stage_length(by)) > WORTH &&
           Upload::chunk_rows(static_cast<size_t>(row_bytes)) > 0;
}

} // namespace

cm_status put_stage(const Call &call, int32_t bx, int32_t by)
{
    if (is_worth_chunks(call, bx, by))
        return put_chunks(call, bx, by, nullptr);
    return check(call.work->stage.fill(*call.image, bx, by, call.stream), "copying the image to the plan's memory", call.error);
}

cm_status put_image(const Call &call, int32_t bx, int32_t by, const Target &target)
{
    if (is_worth_chunks(call, bx, by))
        return put_chunks(call, bx, by, &target);
    cm_status status = put_stage(call, bx, by);
    return status ? status : put_products(call, bx, by, target, BandRows{ 0, call.work->y.length(by) });
}

} // namespace cm
