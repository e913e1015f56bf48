// Score maps: the passes over a band, and matching by whole maps.
//
// A band is computed in one of three ways:
// - General problems: GeneralPlan does everything.
// - The tensor kernels do everything (is_all_tensor): the image as a byte plane (prepare_plane), X
//   (TensorPlan::correlate), the scores (score_tensor_band).
// - Otherwise: staging and X (staging.h), S and Q of window rows (sum_window_rows), the scores
//   (score_band).
#ifndef XNCC_CUDA_ENGINE_MATCH_H
#define XNCC_CUDA_ENGINE_MATCH_H

#include "cuda/engine/call.h"
#include "cuda/score/column_score.h"

namespace xncc {

// Allocates the memory that every map needs: the axes, the map rows on the device
// (plan->buffers.map bytes), and the pinned rows. band_width, band_height: map elements per band.
xncc_status bind_map(xncc_engine_plan *plan, int32_t band_width, int32_t band_height,
                     xncc_error *error);

// Computes a whole map. The image is where the plan's route needs it (dispatch.h).
xncc_status match_correlate(xncc_engine_plan *plan, const xncc_image *image,
                            const xncc_template *templ, const xncc_map *map, xncc_stream stream,
                            xncc_error *error);

// Finds matches by fetching the map and searching it on the host, for searches that the device does
// not serve. Waits.
xncc_status find_by_fetching(const Call &call, const xncc_peak_rule *rule, xncc_match *match,
                             size_t *found);

// The passes. bx, by: the column and row of the band.

// True if the tensor kernels compute the scores too.
bool is_all_tensor(const xncc_engine_plan *plan);
// Provides the band's image as byte planes: the image itself if it can be read in place, else a
// copy.
xncc_status prepare_plane(const Call &call, int32_t bx, int32_t by, TensorPlane *plane);
// Computes the scores of a band whose X the tensor plan has. skip: a word in device memory, or
// nullptr; if the word is not 0, the kernels do nothing.
xncc_status score_tensor_band(const Call &call, int32_t bx, int32_t by, const TensorPlane &plane,
                              const Target &target, const uint32_t *skip);

// Computes S and Q of the window rows of a staged band, if they are a pass of their own. They serve
// all templates with the same pivot.
xncc_status sum_window_rows(const Call &call, int32_t bx, int32_t by);
// Computes the scores of a staged band from S, Q and X.
ScoreJob make_score_job(const Call &call, int32_t bx, int32_t by, const Target &target);
xncc_status score_band(const Call &call, const ScoreJob &job);

} // namespace xncc

#endif
