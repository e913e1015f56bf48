// The last pass of the common joint match: ccoeff_normed, one channel of 8 bits, sums of 32 bits.
#ifndef XNCC_CUDA_GENERAL_QUICK_CUH
#define XNCC_CUDA_GENERAL_QUICK_CUH

#include "cuda/engine/general_plan.h"
#include "cuda/score/quotient.cuh"

namespace xncc {

struct MaskedScoreJob {
    // products of planes; nullptr where the sum is the same in every window, or is made here
    const uint32_t *N, *X, *S, *T, *Q[2], *T2[2]; // [1]: of the high bytes of squares
    int64_t pitch;                                // elements
    uint32_t n, sum, sum2; // of the template, for what is the same in every window
    uint32_t least;
    float undefined;
    // for windows that are summed here
    const unsigned char *values, *counts;
    int64_t plane_pitch;
    int32_t templ_width, templ_height;
    float *map;
    int64_t map_pitch; // elements
    int32_t width, height;
};

// A template with a mask: everything the image has a part in is a product. varies: pixels of the
// image need not count either.
cudaError_t launch_quick(const MaskedScoreJob &job, bool varies, cudaStream_t stream);

// The same from the planes themselves, small templates on tensor cores (general_fused.cu): job's sums
// are not read. The products are, in order, of X, S, the high and the low bytes of Q, and, where
// the image varies, N, T, the high and the low bytes of T2.
constexpr int MASKED_PLANES = 4, QUICK_PRODUCTS = 8;
struct MaskedProduct {
    int32_t plane, templ; // of the image, of the template
};
struct MaskedPlanes {
    TensorPlane image; // the first of them
    int64_t plane;     // bytes from one to the next
    const uint4 *taps; // the template's planes as fused_build leaves them, one behind the other
    int32_t templ_bytes, buffers;
    MaskedProduct product[QUICK_PRODUCTS];
};
cudaError_t masked_planes_set_max_shared_memory(const xncc_tensor_blocks &blocks, bool varies, int most);
cudaError_t launch_masked_planes(const MaskedScoreJob &job, const MaskedPlanes &planes,
                                const xncc_tensor_blocks &blocks, bool varies, int processors,
                                cudaStream_t stream);

// A template of which all counts, up to XNCC_WINDOW_WIDTH wide: N, S and Q slide down with the
// windows.
cudaError_t launch_quick_windows(const MaskedScoreJob &job, cudaStream_t stream);

// Sums over whole windows, of the bytes of a plane and of their squares, that fit 32 bits; windows
// up to XNCC_WINDOW_WIDTH wide.
struct SlideJob {
    const unsigned char *bytes;
    int64_t plane_pitch;
    int32_t templ_width, templ_height;
    uint32_t *sums, *squares; // nullptr: not wanted
    int32_t add_sums, add_squares;
    int64_t pitch; // elements
    int32_t width, height;
};
cudaError_t launch_slide(const SlideJob &job, cudaStream_t stream);

// A window's sums: X and Q are at most n 255^2 < 2^32.
struct QuickSums {
    uint32_t n, S, T, X, Q, T2;
};

// The quotient by general.h; sums that feel the bias are not looked at. By value: where they have an
// address, they are stored for every window.
__device__ __noinline__ inline float quick_exact(const QuickSums s, uint32_t least, float undefined)
{
    xncc_general_rule rule = {};
    rule.least = least;
    rule.undefined = undefined;
    xncc_general_sums sums = { s.S, s.T, xncc_u128_of(s.Q), xncc_u128_of(s.X), xncc_u128_of(s.T2) };
    xncc_general general = xncc_general_begin(s.n);
    xncc_general_add(&general, &sums, 0);
    return xncc_general_score(XNCC_CCOEFF_NORMED, &rule, &general);
}

// A double of an integer below 2^51 in magnitude, by one addition.
__device__ __forceinline__ double quick_double(uint64_t v)
{
    return __longlong_as_double(static_cast<long long>(v + 0x4338000000000000u)) -
           6755399441055744.0; // 2^52 + 2^51
}

// False: it has to be had from quick_exact. general_score.cu has the bound; products are below 2^49
// here, so that they are exact.
__device__ __forceinline__ bool quick_quotient(const QuickSums &s, uint32_t least, float *score)
{
    const uint64_t n = s.n;
    const double num = quick_double(n * s.X - static_cast<uint64_t>(s.S) * s.T);
    const double var = quick_double(n * s.Q - static_cast<uint64_t>(s.S) * s.S);
    const double templ = quick_double(n * s.T2 - static_cast<uint64_t>(s.T) * s.T),
                 p = __dmul_rn(var, templ);
    const bool sure = root_quotient(num, p, score);
    return s.n >= least && p != 0.0 && sure;
}

} // namespace xncc

#endif
