/* SPDX-License-Identifier: BSD-2-Clause */
/* direct-avx512 for float pixels, and its convolution. */
#define REALS_LANES 8
#define REALS_ISA xncc_reals_isa_avx512
#define REALS_KEEP(v) __asm__("" : "+v"(v))
#define CONVOLVE_LANES 16
#define CONVOLVE_VECTORS 4
#include "cpu/kernels/convolve_body.h"
#include "cpu/kernels/reals_body.h"
#include "cpu/kernels/variants.h"

#include <immintrin.h>

static inline int rl_any(rl v)
{
    return _mm512_test_epi64_mask((__m512i)v, (__m512i)v) != 0;
}

static inline int ri_any(ri v)
{
    return !_mm256_testz_si256((__m256i)v, (__m256i)v);
}

static inline rd rd_sqrt(rd v)
{
    return (rd)_mm512_sqrt_pd((__m512d)v);
}

static inline rd rd_of_floats(rf v)
{
    return (rd)_mm512_cvtps_pd((__m256)v);
}

static inline rd rd_fma(rd a, rd b, rd c)
{
    return (rd)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}

static inline rd rd_product_error(rd a, rd b, rd p)
{
    return (rd)_mm512_fmsub_pd((__m512d)a, (__m512d)b, (__m512d)p);
}

static inline cf convolve_fma(cf a, cf b, cf c)
{
    return (cf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}

const xncc_cpu_kernel xncc_convolve_avx512 = { convolve_memory, NULL, convolve_area, NULL };
