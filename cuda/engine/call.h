// SPDX-License-Identifier: BSD-2-Clause
// The arguments that the passes of a match share, and what kernels are told of them.
#ifndef XNCC_CUDA_ENGINE_CALL_H
#define XNCC_CUDA_ENGINE_CALL_H

#include "cuda/direct/general.h"
#include "cuda/engine/engine_plan.h"
#include "cuda/planes/byte_plane.h"
#include "cuda/planes/make_planes.h"
#include "cuda/runtime/map_job.h"

namespace xncc {

// A match of one template on one image.
struct Call {
    xncc_engine_plan *plan;
    xncc_image image;            // where the plan's first step reads it (bring_image)
    bool rows_padded;            // its rows may be read up to the next multiple of 16 bytes
    const xncc_template *source; // the template
    const DeviceTemplate *templ; // its form on the device
    xncc_score_rule rule;        // its scoring rule
    bool mask_done;              // the products with its mask are there: the last template's
    bool many;                   // many templates read the image: signed bytes are laid out once
    cudaStream_t stream;
    xncc_error *error;
};

// Where the scores of a band go, in device memory.
struct Target {
    float *map;          // the band's first element
    int64_t pitch;       // elements per row
    MapTiles tiles = {}; // where the best score of each tile goes (tiles_of, score_pass.h)
};

// A band of the map.
struct Band {
    int32_t x, y;          // its column and its row of bands
    int32_t width, height; // map elements
    // Steps that read byte planes: the first plane of the image; the others follow it
    // (xncc_workspace::plane).
    TensorPlane image;
};

// The image pixels under a band. Windows that reach past the image are included.
inline LayoutRect rect_of(const xncc_engine_plan *plan, const Band &band)
{
    const xncc_extent map = xncc_problem_extent(&plan->problem);
    return { static_cast<int64_t>(map.x0) + plan->x.start(band.x),
             static_cast<int64_t>(map.y0) + plan->y.start(band.y),
             band.width + plan->problem.templ_width - 1,
             band.height + plan->problem.templ_height - 1 };
}

// True if the plan's map is one band.
inline bool is_one_band(const xncc_engine_plan *plan)
{
    return plan->x.count() == 1 && plan->y.count() == 1;
}

// Copies map rows to the caller's map on the host.
inline cudaError_t download(const xncc_map &map, int32_t row, int32_t rows, const Target &source,
                            cudaStream_t stream)
{
    size_t bytes = static_cast<size_t>(map.width) * sizeof(float);
    return cudaMemcpy2DAsync(xncc_map_row(&map, row), static_cast<size_t>(xncc_map_pitch(&map)),
                             source.map, static_cast<size_t>(source.pitch) * sizeof(float), bytes,
                             static_cast<size_t>(rows), cudaMemcpyDeviceToHost, stream);
}

// The same match of another template.
inline Call with_template(const Call &call, const xncc_template *templ)
{
    const xncc_match_rule &rule = call.plan->problem.rule;
    Call one = call;
    one.source = templ;
    one.templ = device_template_of(templ->prepared);
    one.rule = xncc_score_rule_make(templ, rule.method, rule.flat);
    return one;
}

inline Call make_call(xncc_engine_plan *plan, const xncc_image *image, const xncc_template *templ,
                      cudaStream_t stream, xncc_error *error)
{
    Call call = {};
    call.plan = plan;
    call.image = *image;
    call.stream = stream;
    call.error = error;
    return with_template(call, templ);
}

inline void set_map(MapJob *job, const Band &band, const Target &target)
{
    *job = { target.map, target.pitch, band.width, band.height, target.tiles };
}

// Forgets the best scores of all tiles, if there are tiles.
inline xncc_status clear_tiles(const Call &call, const Band &band, const MapTiles &tiles)
{
    if (!tiles.best)
        return XNCC_OK;
    const size_t all = static_cast<size_t>(tiles.across) *
                       static_cast<size_t>(ceil_div(band.height, tiles.rows));
    return check(cudaMemsetAsync(tiles.best, 0, all * sizeof *tiles.best, call.stream),
                 "clearing the tiles", call.error);
}

inline Band make_band(const xncc_engine_plan *plan, int32_t x, int32_t y)
{
    return Band{ x, y, plan->x.length(x), plan->y.length(y), {} };
}

// What the score takes from the template and the match rule.
xncc_general_rule general_rule_of(const Call &call);

// The windows of the band, for kernels that look at every pixel by itself. The image is the call's
// or, if the plan stages bands, what is staged.
PixelsJob make_pixels_job(const Call &call, const Band &band, const Target &target);

} // namespace xncc

#endif
