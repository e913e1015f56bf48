// SPDX-License-Identifier: BSD-2-Clause
// Kernels that collect candidates in device memory and make one list of them by suppression. The
// result is that of xncc_suppress (exactncc/suppress.h).
#ifndef XNCC_CUDA_PEAKS_NMS_DEVICE_H
#define XNCC_CUDA_PEAKS_NMS_DEVICE_H

#include "cuda/runtime/handles.h"

extern "C" {
#include "exactncc/suppress.h"
}

namespace xncc {

// The progress of a suppression, in device memory. All zero: the list is empty.
struct SuppressState {
    uint32_t count;  // candidates in the list; room + 1: more than there is room for
    uint32_t valid;  // candidates that have a score
    uint32_t before; // length of the result before the last chunk
    uint32_t taken;  // length of the result after it
    uint32_t full;   // 1: the result has all the matches that were asked for
};

// A growing list of candidates in device memory.
struct CandidateList {
    xncc_candidate *candidate; // `room` of them
    SuppressState *state;
    uint32_t room;
};

// A suppression. All arrays are in device memory and have `room` elements.
struct SuppressJob {
    xncc_suppress_rule rule;
    int32_t smallest;                // 1: small scores are good
    uint32_t room;                   // the most candidates
    uint32_t top;                    // the most results
    const xncc_candidate *candidate; // the list
    xncc_candidate *sorted;          // the candidates with a score, best first
    uint32_t *rank;                  // the place of each candidate in `sorted`
    uint8_t *suppressed;             // 1: a sorted candidate lost against a better one
    SuppressState *state;
    xncc_candidate *result; // `top` elements
    uint32_t *kept;         // the number of results; UINT32_MAX: too many candidates
};

// Appends *found matches to the list. match and found are in device memory; `form` gives the other
// fields of each candidate.
cudaError_t launch_add_matches(const CandidateList &to, const xncc_match *match,
                               const uint32_t *found, const xncc_candidate &form,
                               cudaStream_t stream);

// Appends `count` candidates in device memory to the list.
cudaError_t launch_add_candidates(const CandidateList &to, const xncc_candidate *candidate,
                                  uint32_t count, cudaStream_t stream);

// Makes the list. Launches three kernels, and up to two for each 1,024 candidates that there is
// room for; those with nothing to do end at once.
cudaError_t launch_suppress(const SuppressJob &job, cudaStream_t stream);

} // namespace xncc

#endif
