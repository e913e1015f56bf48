/* direct-avx2 for float pixels, and its convolution. */
#define FLOAT_LANES 4
#define FLOAT_KEEP(v) ((void)(v))
#define CONVOLVE_LANES 8
#define CONVOLVE_VECTORS 2
#include "cpu/kernels/convolve_body.h"
#include "cpu/kernels/float_body.h"
#include "cpu/kernels/variants.h"

#include <immintrin.h>

static inline fd float_sqrt(fd v)
{
    return (fd)_mm256_sqrt_pd((__m256d)v);
}

static inline cf convolve_fma(cf a, cf b, cf c)
{
    return (cf)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}

const xncc_cpu_kernel xncc_float_avx2 = { float_memory_of, float_begin, float_area, NULL };
const xncc_cpu_kernel xncc_convolve_avx2 = { convolve_memory, NULL, convolve_area, NULL };
