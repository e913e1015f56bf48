/* SPDX-License-Identifier: BSD-2-Clause */
/* direct-avx2 for float pixels, and its convolution. */
#define REALS_LANES 4
#define REALS_ISA xncc_reals_isa_avx2
#define REALS_KEEP(v) ((void)(v))
#define CONVOLVE_LANES 8
#define CONVOLVE_VECTORS 2
#include "cpu/kernels/convolve_body.h"
#include "cpu/kernels/reals_body.h"
#include "cpu/kernels/variants.h"

#include <immintrin.h>

static inline int rl_any(rl v)
{
    return !_mm256_testz_si256((__m256i)v, (__m256i)v);
}

static inline int ri_any(ri v)
{
    return !_mm_testz_si128((__m128i)v, (__m128i)v);
}

static inline rd rd_sqrt(rd v)
{
    return (rd)_mm256_sqrt_pd((__m256d)v);
}

static inline rd rd_of_floats(rf v)
{
    return (rd)_mm256_cvtps_pd((__m128)v);
}

static inline rd rd_fma(rd a, rd b, rd c)
{
    return (rd)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}

static inline rd rd_product_error(rd a, rd b, rd p)
{
    return (rd)_mm256_fmsub_pd((__m256d)a, (__m256d)b, (__m256d)p);
}

static inline cf convolve_fma(cf a, cf b, cf c)
{
    return (cf)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}

const xncc_cpu_kernel xncc_convolve_avx2 = { convolve_memory, NULL, convolve_area, NULL };
