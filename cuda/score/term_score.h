// The last pass of a general match: from a window's sums, term by term, to its score.
#ifndef XNCC_CUDA_SCORE_TERM_SCORE_H
#define XNCC_CUDA_SCORE_TERM_SCORE_H

#include "cuda/runtime/handles.h"
#include "math/general_score.h"

extern "C" {
#include "plan/general_planes.h"
}

namespace xncc {

// A term of sums as the score takes it in. Those of a channel stand together.
struct GeneralTerm {
    uint8_t sum, shift, plane;
    uint8_t next; // 0, or 1 + the channel that this term ends
};

struct GeneralScoreJob {
    xncc_general_rule rule;
    xncc_method method;
    int32_t channels, count;
    GeneralTerm term[XNCC_GENERAL_TERMS];
    // what is the same in every window; 0 where terms make it
    uint64_t n, T[XNCC_MAX_CHANNELS];
    xncc_u128 T2;
    const void *sums;     // 32 or, wide, 64 bits
    int64_t pitch, plane; // elements from row to row, from term to term
    int32_t wide, narrow_score;
    float *map;
    int64_t map_pitch; // elements
    int32_t width, height;
};
cudaError_t launch_general_score(const GeneralScoreJob &job, cudaStream_t stream);

} // namespace xncc

#endif
