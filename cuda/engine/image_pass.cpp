// SPDX-License-Identifier: BSD-2-Clause
// The image step: a band copied for textures, laid out with its border, or cut into byte planes.
#include "cuda/engine/image_pass.h"

#include "cuda/engine/product_pass.h"

#include "image/samples.h"

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

// Copies a band from the host chunk by chunk. After each chunk, X is computed for the map rows that
// it completes, unless target is nullptr.
xncc_status copy_chunks(const Call &call, const Band &band, const Target *target)
{
    xncc_engine_plan *plan = call.plan;
    StageView view = plan->stage.view(band.x, band.y);
    size_t size = xncc_pixel_size(plan->problem.pixel);
    const unsigned char *first = static_cast<const unsigned char *>(
                                     xncc_image_row(&call.image, plan->y.stage_start(band.y))) +
                                 static_cast<size_t>(plan->x.stage_start(band.x)) * size;
    const UploadRows rows = { first,
                              static_cast<size_t>(xncc_image_pitch(&call.image)),
                              const_cast<unsigned char *>(view.data),
                              static_cast<size_t>(view.pitch),
                              static_cast<size_t>(view.width) * size,
                              view.height };
    int32_t step = Upload::chunk_rows(rows.row_bytes), done = 0;
    // The blocks of kernel fft are larger than a chunk, so it waits for the whole band.
    bool whole = plan->decision.kernel == XNCC_KERNEL_FFT_CUDA;
    xncc_status status = check(plan->upload.begin_image(first, call.stream),
                               "preparing to copy the image", call.error);
    for (int32_t y = 0; y < view.height && !status; y += step) {
        const UploadRows chunk = rows.from(y, step);
        status = xncc_check_cancelled(plan->watch, call.error);
        if (!status)
            status = check(plan->upload.copy_chunk(chunk, call.stream),
                           "copying the image to the device", call.error);
        int32_t ready = ready_rows(view, plan->problem.templ_height, band.height, y + chunk.rows);
        if (status || !target || ready <= done || (whole && ready < band.height))
            continue;
        status = multiply_rows(call, band, *target, done, ready - done);
        done = ready;
    }
    return status;
}

bool is_chunked(const Call &call, const Band &band)
{
    const xncc_engine_plan *plan = call.plan;
    uint64_t row_bytes = static_cast<uint64_t>(plan->x.stage_length(band.x)) *
                         xncc_pixel_size(plan->problem.pixel);
    return call.image.memory == XNCC_HOST &&
           Upload::is_chunked(row_bytes, plan->y.stage_length(band.y));
}

// True if the band's rows of bytes, from `data` on, can be read by kernels that read byte planes:
// in aligned pieces of 16 bytes. Sets *columns to the bytes that are read per row. Rows of copies
// in the plan's memory may be read up to the next multiple of 16 bytes.
bool reads_in_place(const xncc_image &image, bool padded, const unsigned char *data,
                    int32_t *columns)
{
    if (padded)
        *columns = ceil_div(*columns, 16) * 16;
    return xncc_image_pitch(&image) % 16 == 0 && reinterpret_cast<uintptr_t>(data) % 16 == 0 &&
           *columns % 16 == 0;
}

// True if the kernels of the plan flip the signs of bytes that they read (TensorPlane::flip).
bool flips_signs(const xncc_decision &d)
{
    return xncc_decision_has(&d, XNCC_STEP_FUSED) ||
           (xncc_decision_has(&d, XNCC_STEP_STRIP_SCORE) && d.kernel == XNCC_KERNEL_TENSOR_WGMMA);
}

// Byte planes of the image under a band. An image that is itself a byte plane is read where it is,
// if its rows are aligned and no window reaches past the image.
xncc_status make_planes(const Call &call, Band *band)
{
    const xncc_engine_plan *plan = call.plan;
    const xncc_problem &p = plan->problem;
    const xncc_general_planes &planes = plan->decision.planes;
    const xncc_workspace &w = plan->memory.sizes();
    const LayoutRect rect = rect_of(plan, *band);
    const LayoutTarget to = { plan->memory.as<unsigned char>(XNCC_BUFFER_PLANES),
                              static_cast<int64_t>(w.plane_pitch), static_cast<int64_t>(w.plane) };
    band->image = { to.data, to.pitch, ceil_div(rect.columns, 16) * 16, rect.rows, 0 };
    // the only plane is the pixels
    const bool whole = planes.image_count == 1 && p.rule.mode == XNCC_VALID &&
                       !xncc_problem_image_varies(&p);
    const bool flips = p.pixel == XNCC_S8 && !call.many && flips_signs(plan->decision);
    if (whole && (p.pixel == XNCC_U8 || flips)) {
        int32_t columns = rect.columns;
        const unsigned char *data = static_cast<const unsigned char *>(
                                        xncc_image_row(&call.image, static_cast<int32_t>(rect.y))) +
                                    rect.x;
        if (reads_in_place(call.image, call.rows_padded, data, &columns)) {
            band->image = { data, xncc_image_pitch(&call.image), columns, rect.rows,
                            flips ? FLIP_SIGNS : 0 };
            return XNCC_OK;
        }
    }
    if (plan->planes_there)
        return XNCC_OK;
    return check(launch_planes(call.image, p.rule.border, rect, planes, to, call.stream),
                 "making the image's byte planes", call.error);
}

// Copies the pixels under a band.
xncc_status fill_band(const Call &call, const Band &band, const Target *target, bool *multiplied)
{
    const xncc_engine_plan *plan = call.plan;
    if (xncc_decision_has(&plan->decision, XNCC_STEP_BORDER)) {
        const LayoutTarget to = { plan->memory.as<unsigned char>(XNCC_BUFFER_BAND),
                                  static_cast<int64_t>(plan->memory.sizes().band_pitch), 0 };
        return check(launch_padding(call.image, plan->problem.rule.border, rect_of(plan, band), to,
                                    call.stream),
                     "laying out the image", call.error);
    }
    if (is_chunked(call, band)) {
        *multiplied = target != nullptr;
        return copy_chunks(call, band, target);
    }
    return check(plan->stage.fill(call.image, band.x, band.y, call.stream),
                 "copying the image to the plan's memory", call.error);
}

} // namespace

xncc_status image_bind(xncc_engine_plan *plan, xncc_error *error)
{
    const xncc_problem &p = plan->problem;
    const xncc_decision &d = plan->decision;
    const xncc_extent map = xncc_problem_extent(&p);
    const bool as_is = xncc_decision_has(&d, XNCC_STEP_BAND) != 0;
    // Other steps lay out the image with its border first.
    plan->x = { as_is ? p.image_width : map.width + p.templ_width - 1, map.width,
                as_is ? map.x0 : 0, p.templ_width, d.band_width };
    plan->y = { as_is ? p.image_height : map.height + p.templ_height - 1, map.height,
                as_is ? map.y0 : 0, p.templ_height, d.band_height };
    if (!d.workspace.bytes[XNCC_BUFFER_BAND])
        return XNCC_OK;
    const xncc_problem of = xncc_problem_read(&p);
    return check(plan->stage.make(of.pixel, plan->x, plan->y,
                                  plan->memory.as<unsigned char>(XNCC_BUFFER_BAND),
                                  static_cast<size_t>(d.workspace.band_pitch)),
                 "making the textures of the image", error);
}

xncc_status bring_image(Call *call)
{
    xncc_engine_plan *plan = call->plan;
    if (call->image.memory == XNCC_DEVICE || xncc_decision_has(&plan->decision, XNCC_STEP_BAND))
        return XNCC_OK;
    xncc_status status = plan->memory.need(XNCC_BUFFER_SOURCE, call->error);
    if (status)
        return status;
    call->rows_padded = true;
    status = bring_to_device(&call->image, plan->memory.as<unsigned char>(XNCC_BUFFER_SOURCE),
                             &plan->upload, call->stream, call->error);
    return status ? status : xncc_check_cancelled(plan->watch, call->error);
}

xncc_status prepare_image(const Call &call, Band *band, const Target *target, bool *multiplied)
{
    *multiplied = false;
    const xncc_decision &d = call.plan->decision;
    if (xncc_decision_has(&d, XNCC_STEP_PIXELS) || xncc_kernel_is_of_doubles(d.kernel))
        return XNCC_OK;
    return xncc_decision_has(&d, XNCC_STEP_PLANES) ? make_planes(call, band)
                                                   : fill_band(call, *band, target, multiplied);
}

} // namespace xncc
