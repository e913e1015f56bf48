// SPDX-License-Identifier: BSD-2-Clause
// The steps of kernels float-fft, float-split and float-tiles (products, sums of columns, scores)
// and of kernel float-fused, and windows in doubt.
#ifndef XNCC_CUDA_ENGINE_FLOAT_PASS_H
#define XNCC_CUDA_ENGINE_FLOAT_PASS_H

#include "cuda/direct/settle.h"
#include "cuda/engine/call.h"
#include "cuda/products/exact_sums.h"

namespace xncc {

// X of a band, with the constants of the template.
xncc_status multiply_floats(const Call &call, const Band &band);

// S and Q of the columns of a band's windows.
xncc_status sum_float_columns(const Call &call, const Band &band);

// Scores a band. The map may hold XNCC_DOUBT afterwards.
xncc_status score_floats(const Call &call, const Band &band, const Target &target);

// The step of kernel float-fused. The map may hold XNCC_DOUBT afterwards.
xncc_status score_fused_floats(const Call &call, const Band &band, const Target &target);

// All sums of the windows of a band (plan/float_sums.h).
xncc_status make_float_sums(const Call &call, const Band &band);

// The pivot of each channel of the template.
void set_float_pivots(const Call &call, double *pivot);

// Scores a band from them. The map may hold XNCC_DOUBT afterwards.
xncc_status score_float_sums(const Call &call, const Band &band, const Target &target);

// If many windows are in doubt, and the plan has memory for it, settles them together. doubts: only
// the doubts, what is few, what must be finite, and the work.
xncc_status sum_exactly(const Call &call, const Band &band, const Target &target,
                        const ExactJob &doubts);

// The windows that remain in doubt; empty for other kernels, and where nobody lists them.
SettleList floats_to_settle(const xncc_engine_plan *plan);

} // namespace xncc

#endif
