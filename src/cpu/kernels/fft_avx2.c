/* SPDX-License-Identifier: BSD-2-Clause */
/* fft-avx2: the transforms for AVX2 and FMA, 4 doubles per vector. */
#include <immintrin.h>

#define FFT_LANES 4
#define FFT_ISA xncc_fft_isa_avx2
#define FFT_STREAM(to, v) _mm256_stream_pd((double *)(to), (__m256d)(v))
#define CHIP_FFT_ISA xncc_chip_fft_avx2
#include "cpu/kernels/fft_body.h"

#include "cpu/kernels/chip_fft_body.h"
