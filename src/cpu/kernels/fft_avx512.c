/* SPDX-License-Identifier: BSD-2-Clause */
/* fft-avx512: the transforms for AVX-512, 8 doubles per vector. */
#include <immintrin.h>

#define FFT_LANES 8
#define FFT_ISA xncc_fft_isa_avx512
#define FFT_STREAM(to, v) _mm512_stream_pd((double *)(to), (__m512d)(v))
#define CHIP_FFT_ISA xncc_chip_fft_avx512
#include "cpu/kernels/fft_body.h"

#include "cpu/kernels/chip_fft_body.h"
