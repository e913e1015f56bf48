// Brings the pixels under a band into the plan's memory, in chunks where the image is on the host.
#include "cuda/engine/match_passes.h"

namespace xncc {

namespace {

constexpr int32_t PRODUCT_ROWS =
    64; // map rows are computed in multiples of so many: no kernel's tile is higher

// The map rows whose windows lie within the band's first `staged` image rows.
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

// A band whose image rows come in chunks, each followed by the products that it completes - where
// there is a target for them.
xncc_status put_chunks(const Call &call, int32_t bx, int32_t by, const Target *target)
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
    bool whole = plan->decision.kernel ==
                 XNCC_KERNEL_FFT_CUDA; // its blocks are larger than a chunk
    xncc_status status = check(plan->upload.begin_image(first, call.stream),
                               "preparing to copy the image", call.error);
    for (int32_t y = 0; y < view.height && !status; y += step) {
        const UploadRows chunk = rows.from(y, step);
        status = check(plan->upload.copy_chunk(chunk, call.stream),
                       "copying the image to the device", call.error);
        int32_t ready = ready_rows(view, plan->problem.height, height, y + chunk.rows);
        if (status || !target || ready <= done || (whole && ready < height))
            continue;
        status = put_products(call, bx, by, *target, BandRows{ done, ready - done });
        done = ready;
    }
    return status;
}

bool is_worth_chunks(const Call &call, int32_t bx, int32_t by)
{
    const xncc_engine_plan *plan = call.plan;
    uint64_t row_bytes = static_cast<uint64_t>(plan->x.stage_length(bx)) *
                         xncc_pixel_size(plan->problem.pixel);
    return call.image->memory == XNCC_HOST &&
           Upload::is_chunked(row_bytes, plan->y.stage_length(by));
}

} // namespace

xncc_status put_stage(const Call &call, int32_t bx, int32_t by)
{
    if (is_worth_chunks(call, bx, by))
        return put_chunks(call, bx, by, nullptr);
    return check(call.plan->stage.fill(*call.image, bx, by, call.stream),
                 "copying the image to the plan's memory", call.error);
}

xncc_status put_image(const Call &call, int32_t bx, int32_t by, const Target &target)
{
    if (is_worth_chunks(call, bx, by))
        return put_chunks(call, bx, by, &target);
    xncc_status status = put_stage(call, bx, by);
    return status ? status
                  : put_products(call, bx, by, target, BandRows{ 0, call.plan->y.length(by) });
}

} // namespace xncc
