// SPDX-License-Identifier: BSD-2-Clause
// What kernels are told of a call (call.h).
#include "cuda/engine/call.h"

namespace xncc {

xncc_general_rule general_rule_of(const Call &call)
{
    const xncc_match_rule &rule = call.plan->problem.rule;
    xncc_general_rule made = xncc_general_rule_make(call.source, rule.flat, rule.min_valid);
    xncc_general_rule_set_pivots(&made, call.source, rule.method);
    return made;
}

PixelsJob make_pixels_job(const Call &call, const Band &band, const Target &target)
{
    const xncc_problem &p = call.plan->problem;
    const LayoutRect rect = rect_of(call.plan, band);
    PixelsJob job = {};
    job.image = xncc_image_with_pitches(&call.image);
    job.border = p.rule.border;
    job.x = rect.x;
    job.y = rect.y;
    if (call.plan->memory.sizes().bytes[XNCC_BUFFER_BAND]) {
        const StageView view = call.plan->stage.view(band.x, band.y);
        job.image = {};
        job.image.data = view.data;
        job.image.pitch = view.pitch;
        job.image.width = view.width;
        job.image.height = view.height;
        job.image.pixel = p.pixel;
        job.border = XNCC_BORDER_CLAMP;
        job.x = view.left;
        job.y = view.top;
    }
    job.width = band.width;
    job.rows = band.height;
    job.pixels = call.templ->pixels.as<unsigned char>();
    job.pitch = static_cast<int64_t>(call.templ->pitch);
    job.mask = call.templ->mask.as<uint8_t>();
    job.templ_width = p.templ_width;
    job.templ_height = p.templ_height;
    job.channels = p.channels;
    job.method = p.rule.method;
    job.rule = general_rule_of(call);
    job.map = target.map;
    job.map_pitch = target.pitch;
    job.tiles = target.tiles;
    job.varies = xncc_problem_image_varies(&p) != 0;
    return job;
}

} // namespace xncc
