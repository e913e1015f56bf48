// SPDX-License-Identifier: BSD-2-Clause
// Reads bytes from any address as aligned 32-bit words.
#ifndef XNCC_CUDA_PLANES_WORD_LOAD_CUH
#define XNCC_CUDA_PLANES_WORD_LOAD_CUH

#include <stdint.h>

namespace xncc {

// Tells whether load_words may read `words` words from byte `first` of a row of `bytes` bytes: all
// aligned words that hold one of their bytes must be inside the row.
__device__ __forceinline__ bool has_words(const unsigned char *row, int64_t first, int words,
                                          int64_t bytes)
{
    const int64_t misfit = static_cast<int64_t>(reinterpret_cast<uintptr_t>(row + first) & 3);
    return first >= misfit && first - misfit + 4 * (misfit ? words + 1 : words) <= bytes;
}

// Reads the words from any address, and shifts them into place.
template <int WORDS>
__device__ __forceinline__ void load_words(const unsigned char *from, uint32_t (&word)[WORDS])
{
    const unsigned misfit = static_cast<unsigned>(reinterpret_cast<uintptr_t>(from) & 3);
    const uint32_t *base = reinterpret_cast<const uint32_t *>(from - misfit);
    uint32_t low = __ldg(base);
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        const uint32_t high = i + 1 < WORDS || misfit ? __ldg(base + i + 1) : 0;
        word[i] = __funnelshift_r(low, high, 8 * misfit);
        low = high;
    }
}

} // namespace xncc

#endif
