// SPDX-License-Identifier: BSD-2-Clause
// The arguments of the formula (math/exact_score.h) modulo a prime, from sums modulo it.
#ifndef XNCC_CUDA_PLANES_RESIDUE_TERMS_CUH
#define XNCC_CUDA_PLANES_RESIDUE_TERMS_CUH

#include "cuda/planes/residues.cuh"

#include "math/method.h"

namespace xncc {

// The bits of the arguments of the formula, of samples of so many bits and of so many channels of n
// pixels: n * X, S * sumT and 2 * X are below 2^(bits - 1).
static __device__ __host__ constexpr int bits_of_terms(int bits, int n_log2, int channels_log2)
{
    return 2 * bits + 2 * n_log2 + channels_log2 + 2;
}

// What a prime leaves of the sums of a window in a channel.
struct ResidueSums {
    uint32_t X, Q, S;
    uint32_t T, T2, n; // if pixels of the image may not count
};

// What a prime leaves of the sums of a channel of the template, of n pixels.
struct ResidueTempl {
    uint32_t n, T, T2;
};

// Adds what a channel has of the argument of the formula that is of the template.
template <class Prime>
__device__ __forceinline__ void add_templ(xncc_method method, const Prime &prime,
                                          const ResidueTempl &of, uint32_t *templ)
{
    *templ = prime.residue_of(xncc_method_is_centred(method)
                                  ? *templ + uint64_t{ of.n } * of.T2 +
                                        uint64_t{ prime.value() - of.T } * of.T
                                  : uint64_t{ *templ } + of.T2);
}

// The same for the numerator.
template <class Prime>
__device__ __forceinline__ void add_numerator(xncc_method method, const Prime &prime,
                                              const ResidueTempl &of, const ResidueSums &sums,
                                              uint32_t *numerator)
{
    const uint64_t minus_S = prime.value() - sums.S;
    *numerator = prime.residue_of(
        *numerator + (xncc_method_is_centred(method) ? uint64_t{ of.n } * sums.X + minus_S * of.T
                      : xncc_method_of_difference(method)
                          ? uint64_t{ sums.Q } + 2 * (prime.value() - sums.X) + of.T2
                          : sums.X));
}

// The same for the image.
template <class Prime>
__device__ __forceinline__ void add_image(xncc_method method, const Prime &prime,
                                          const ResidueTempl &of, const ResidueSums &sums,
                                          uint32_t *image)
{
    const uint64_t minus_S = prime.value() - sums.S;
    *image = prime.residue_of(*image + (xncc_method_is_centred(method)
                                            ? uint64_t{ of.n } * sums.Q + minus_S * sums.S
                                            : sums.Q));
}

} // namespace xncc

#endif
