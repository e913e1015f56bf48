// Peak search without a map: for 8-bit windows whose products X lie where the map would be (score.cuh, one pass). Tiles are judged by a
// pass over image and products that writes a number a tile; the scores of the few tiles that matter are computed where they are needed.
#ifndef CM_CUDA_PEAKS_WINDOWS_CUH
#define CM_CUDA_PEAKS_WINDOWS_CUH

#include "peaks.cuh"
#include "score.cuh"

namespace cm {

constexpr int MOST_SLOTS = 4;

// The rule of each slot's template.
struct PeakScores {
    cm_score_rule rule[MOST_SLOTS];
};

// Candidates of the listed tiles, like launch_peak_collect. scores: of slot 0, with X in the map's place; `rules` are the slots' own.
cudaError_t launch_window_collect(const PeakJob &job, const ScoreJob &scores, const PeakScores &rules, int slots, cudaStream_t stream);

} // namespace cm

#endif
