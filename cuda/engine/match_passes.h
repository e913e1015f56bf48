// The passes of a match, for the files that put them in order: match.cpp for maps, device_find.cpp
// for matches.
#ifndef XNCC_CUDA_ENGINE_MATCH_PASSES_H
#define XNCC_CUDA_ENGINE_MATCH_PASSES_H

#include "cuda/engine/engine_plan.h"
#include "cuda/score/column_score.h"

namespace xncc {

// One template on one image.
struct Call {
    xncc_engine_plan *plan;
    const xncc_image *image;
    const xncc_template *source;
    const DeviceTemplate *templ; // its form on the device
    xncc_score_rule rule;
    cudaStream_t stream;
    xncc_error *error;
};

// A band's part of the map on the device.
struct Target {
    float *map;
    int64_t pitch; // elements
};

// X of a band whose pixels are staged, where the job says.
xncc_status correlate(const Call &call, CorrelateJob job);

Call make_call(xncc_engine_plan *plan, const xncc_image *image, const xncc_template *templ,
               cudaStream_t stream, xncc_error *error);

// Rows of a band, in map elements.
struct BandRows {
    int32_t first, count;
};

// Do the tensor kernels do all of a match? Then a band's passes are: its image, as a plane that
// they read; X (Tensor::correlate); the scores.
bool is_all_tensor(const xncc_engine_plan *plan);
xncc_status put_plane(const Call &call, int32_t bx, int32_t by, TensorPlane *plane);
// skip: nullptr, or a word on the device; where it is not 0 nothing is done.
xncc_status put_tensor_scores(const Call &call, int32_t bx, int32_t by, const TensorPlane &plane,
                              const Target &target, const uint32_t *skip);

// May matches then be had from X without a map?
bool finds_from_products(const xncc_engine_plan *plan);
// Slots of the tensor's X, or of what it is made of, with the template and the rule of each.
struct ProductSearch {
    const PeakJob &search; // of all slots
    const TensorPlane &plane;
    const DeviceTemplate *const *templs;
    const xncc_score_rule *rules;
    int first_slot, slots;
};
// From X, the best scores of the tiles of slots first .. first + count - 1 of the job; or X and the
// best scores of all of its slots (begins: for the first time on this image).
xncc_status put_tiles(xncc_engine_plan *plan, const ProductSearch &job, int first, int count,
                      cudaStream_t stream, xncc_error *error);
xncc_status put_batch_tiles(xncc_engine_plan *plan, const ProductSearch &job, bool begins,
                            cudaStream_t stream, xncc_error *error);
// Then, for all slots at once, the matches.
xncc_status put_matches(xncc_engine_plan *plan, const ProductSearch &job, cudaStream_t stream,
                        xncc_error *error);

// Otherwise:
// The band's pixels to the plan's memory.
xncc_status put_stage(const Call &call, int32_t bx, int32_t by);
// The same and X of all of it: one after the other, or in chunks where the image comes from the
// host.
xncc_status put_image(const Call &call, int32_t bx, int32_t by, const Target &target);
// S and Q of the staged band's window rows, where they are a pass of their own. They serve every
// template with the rule's pivot.
xncc_status put_sums(const Call &call, int32_t bx, int32_t by);
// X of some rows of the band; their windows are staged.
xncc_status put_products(const Call &call, int32_t bx, int32_t by, const Target &target,
                         const BandRows &rows);
// The last pass over a band that has the others behind it.
ScoreJob make_score_job(const Call &call, int32_t bx, int32_t by, const Target &target);
xncc_status put_scores(const Call &call, const ScoreJob &job);

// A joint problem's scores of some rows of the map. The map's first rows come first.
xncc_status put_general(const Call &call, int32_t first, int32_t rows, const Target &target);
// Takes what a map and its search want: axes, rows of the map (work->parts.map bytes), and the way
// to the host.
xncc_status bind_map(xncc_engine_plan *plan, int32_t band_width, int32_t band_height,
                     xncc_error *error);
xncc_status general_bind(xncc_engine_plan *plan, xncc_error *error);

// Takes what a plan needs to search on the device.
xncc_status find_bind(xncc_engine_plan *plan, xncc_error *error);

// match_find by fetching the map, for what the search on the device does not serve.
xncc_status find_by_fetching(const Call &call, const xncc_peak_rule *rule, xncc_match *match,
                             size_t *found);

} // namespace xncc

#endif
