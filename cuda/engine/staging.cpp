// Copies the pixels under a band to the plan's memory, in chunks if the image is on the host.
#include "cuda/engine/staging.h"

#include "cuda/engine/product_pass.h"

namespace xncc {

namespace {

// X is computed in multiples of this many map rows: no kernel's tile is higher.
constexpr int32_t PRODUCT_ROWS = 64;

// How many map rows of the band can be computed once its first `staged` image rows have arrived.
// size: template rows. height: map rows of the band.
int32_t ready_rows(const StageView &view, int32_t size, int32_t height, int32_t staged)
{
    if (staged == view.height)
        return height;
    int64_t ready = static_cast<int64_t>(staged) - size - view.top + 1;
    return ready < PRODUCT_ROWS
               ? 0
               : static_cast<int32_t>(ready < height ? ready / PRODUCT_ROWS * PRODUCT_ROWS
                                                     : height);
}

// Stages a band chunk by chunk. After each chunk, X is computed for the map rows that it completes,
// unless target is nullptr.
xncc_status stage_in_chunks(const Call &call, int32_t bx, int32_t by, const Target *target)
{
    xncc_engine_plan *plan = call.plan;
    StageView view = plan->stage.view(bx, by);
    size_t size = xncc_pixel_size(plan->problem.pixel);
    const unsigned char *first = static_cast<const unsigned char *>(
                                     xncc_image_row(call.image, plan->y.stage_start(by))) +
                                 static_cast<size_t>(plan->x.stage_start(bx)) * size;
    const UploadRows rows = { first,
                              static_cast<size_t>(xncc_image_pitch(call.image)),
                              const_cast<unsigned char *>(view.data),
                              static_cast<size_t>(view.pitch),
                              static_cast<size_t>(view.width) * size,
                              view.height };
    int32_t step = Upload::chunk_rows(rows.row_bytes), done = 0, height = plan->y.length(by);
    // The blocks of kernel fft are larger than a chunk, so it waits for the whole band.
    bool whole = plan->decision.kernel == XNCC_KERNEL_FFT_CUDA;
    xncc_status status = check(plan->upload.begin_image(first, call.stream),
                               "preparing to copy the image", call.error);
    for (int32_t y = 0; y < view.height && !status; y += step) {
        const UploadRows chunk = rows.from(y, step);
        status = check(plan->upload.copy_chunk(chunk, call.stream),
                       "copying the image to the device", call.error);
        int32_t ready = ready_rows(view, plan->problem.height, height, y + chunk.rows);
        if (status || !target || ready <= done || (whole && ready < height))
            continue;
        status = multiply_rows(call, bx, by, *target, BandRows{ done, ready - done });
        done = ready;
    }
    return status;
}

bool is_chunked(const Call &call, int32_t bx, int32_t by)
{
    const xncc_engine_plan *plan = call.plan;
    uint64_t row_bytes = static_cast<uint64_t>(plan->x.stage_length(bx)) *
                         xncc_pixel_size(plan->problem.pixel);
    return call.image->memory == XNCC_HOST &&
           Upload::is_chunked(row_bytes, plan->y.stage_length(by));
}

} // namespace

xncc_status stage_band(const Call &call, int32_t bx, int32_t by)
{
    if (is_chunked(call, bx, by))
        return stage_in_chunks(call, bx, by, nullptr);
    return check(call.plan->stage.fill(*call.image, bx, by, call.stream),
                 "copying the image to the plan's memory", call.error);
}

xncc_status stage_and_multiply(const Call &call, int32_t bx, int32_t by, const Target &target)
{
    if (is_chunked(call, bx, by))
        return stage_in_chunks(call, bx, by, &target);
    xncc_status status = stage_band(call, bx, by);
    return status ? status
                  : multiply_rows(call, bx, by, target, BandRows{ 0, call.plan->y.length(by) });
}

} // namespace xncc
