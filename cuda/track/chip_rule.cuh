// SPDX-License-Identifier: BSD-2-Clause
// The scores of a chip: those of math/score.h, by the quotient of cuda/score/quotient.cuh.
#ifndef XNCC_CUDA_TRACK_CHIP_RULE_CUH
#define XNCC_CUDA_TRACK_CHIP_RULE_CUH

#include "cuda/runtime/warp.cuh"
#include "cuda/score/score_common.cuh"
#include "cuda/track/chip_block.cuh"

namespace xncc {

// The constants of the chip's scores.
template <int PLANES> struct ChipRule {
    xncc_score_rule rule = {};
    double n, lowered, sum, unit; // n, -n 2^52, the chip's sum, and the reciprocal of its root
    bool centred;

    __device__ explicit ChipRule(const ChipBlock &b) : centred(b.job.centred != 0)
    {
        rule.n = static_cast<uint64_t>(b.job.chip_width) * static_cast<uint64_t>(b.job.chip_height);
        for (unsigned w = 0; w < blockDim.x / WARP_LANES; w++) {
            rule.sum += b.shared->templ_sum[w];
            rule.sum2 += b.shared->templ_sum2[w];
        }
        rule.undefined = __int_as_float(0x7fc00000);
        rule.nan_flat = 1;
        // of the roots, the method needs one
        rule.root_sum2 = rule.root_var = sqrt(
            centred ? xncc_difference(rule.n, rule.sum2, rule.sum, rule.sum, 0)
                    : static_cast<double>(rule.sum2));
        n = static_cast<double>(rule.n);
        lowered = -n * LIFT;
        sum = static_cast<double>(rule.sum);
        unit = 1.0 / rule.root_var;
    }
    // 2^52 + v.
    __device__ __forceinline__ static double lift(uint64_t v)
    {
        return __hiloint2double(LIFTED_HIGH_WORD, static_cast<int>(v));
    }
    // Numerator and variance, rounded once; of bytes all sums are integers below 2^53, so that
    // each step is exact.
    __device__ __forceinline__ void parts(uint32_t S, uint64_t Q, uint64_t X, double *num,
                                          double *var) const
    {
        if (PLANES == 1) {
            const double s = __dadd_rn(lift(S), -LIFT);
            *num = centred ? fma(-sum, s, fma(n, lift(X), lowered)) : __dadd_rn(lift(X), -LIFT);
            *var = centred ? fma(-s, s, fma(n, lift(Q), lowered)) : __dadd_rn(lift(Q), -LIFT);
        } else if (centred) {
            *num = s64_to_double(static_cast<int64_t>(rule.n * X) -
                                 static_cast<int64_t>(rule.sum * S));
            *var = s64_to_double(static_cast<int64_t>(rule.n * Q) -
                                 static_cast<int64_t>(static_cast<uint64_t>(S) * S));
        } else {
            *num = u64_to_double(X);
            *var = u64_to_double(Q);
        }
    }
    // The score of a window.
    __device__ __forceinline__ float score(uint32_t S, uint64_t Q, uint64_t X) const
    {
        double num, var;
        float score;
        parts(S, Q, X, &num, &var);
        if (!fast_quotient(num, var, unit, &score))
            score = xncc_score_integer(centred ? XNCC_CCOEFF_NORMED : XNCC_CCORR_NORMED, &rule, S,
                                       Q, X);
        return score;
    }
};

} // namespace xncc

#endif
