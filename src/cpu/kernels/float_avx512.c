/* direct-avx512 for float pixels, and its convolution. */
#define FLOAT_LANES 8
#define FLOAT_KEEP(v) __asm__("" : "+v"(v))
#define CONVOLVE_LANES 16
#define CONVOLVE_VECTORS 4
#include "cpu/kernels/convolve_body.h"
#include "cpu/kernels/float_body.h"
#include "cpu/kernels/variants.h"

#include <immintrin.h>

static inline fd float_sqrt(fd v)
{
    return (fd)_mm512_sqrt_pd((__m512d)v);
}

static inline cf convolve_fma(cf a, cf b, cf c)
{
    return (cf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}

const xncc_cpu_kernel xncc_float_avx512 = { float_memory_of, float_begin, float_area, NULL };
const xncc_cpu_kernel xncc_convolve_avx512 = { convolve_memory, NULL, convolve_area, NULL };
