/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the code that serves a kernel of the kernel table for a problem. */
#include "cpu/kernels/integers.h"
#include "cpu/kernels/small_reals.h"
#include "cpu/kernels/variants.h"

#include "image/samples.h"

/* The code of one kernel per kind of problem; NULL for kinds that it does not serve. */
typedef struct row {
    xncc_kernel kernel;
    const xncc_cpu_kernel *integers, *reals, *convolution;
    /* Small maps of floats. The kernels that take no floats have functions of a narrower
     * instruction set. */
    xncc_small_reals_isa small;
} row;

/* Integers by a kernel of products, `direct` or `fft`, of which the latter takes pairs. */
#define INTEGERS(products, isa, pairs)                                                             \
    &(const xncc_cpu_kernel)                                                                       \
    {                                                                                              \
        xncc_integers_memory, xncc_integers_begin, xncc_integers_area,                             \
            &(const xncc_product_kernel)                                                           \
        {                                                                                          \
            xncc_##products##_memory, xncc_##products##_begin, xncc_##products##_compute, pairs,   \
                &xncc_##products##_isa_##isa, &xncc_rows_##isa                                     \
        }                                                                                          \
    }

/* Floats, directly or by the transforms fft; and the transforms of exact sums. */
#define REALS(isa, fft, exact)                                                                     \
    &(const xncc_cpu_kernel)                                                                       \
    {                                                                                              \
        xncc_reals_memory, xncc_reals_begin, xncc_reals_area, &(const xncc_reals_variant)          \
        {                                                                                          \
            &xncc_reals_isa_##isa, fft, &xncc_fft_isa_##exact                                      \
        }                                                                                          \
    }

#define SMALL(isa, fft)                                                                            \
    {                                                                                              \
        &xncc_reals_isa_##isa, &xncc_chip_fft_##fft                                                \
    }

static const row table[] = {
    { XNCC_KERNEL_REFERENCE,
      &xncc_reference_match,
      &xncc_reference_match,
      &xncc_reference_convolve,
      { NULL, NULL } },
    { XNCC_KERNEL_DIRECT_PORTABLE, INTEGERS(direct, portable, 0), REALS(portable, NULL, portable),
      &xncc_convolve_portable, SMALL(portable, portable) },
    { XNCC_KERNEL_FFT_PORTABLE, INTEGERS(fft, portable, 1),
      REALS(portable, &xncc_fft_isa_portable, portable), NULL, SMALL(portable, portable) },
#ifdef XNCC_CPU_X86
    { XNCC_KERNEL_DIRECT_AVX2, INTEGERS(direct, avx2, 0), REALS(avx2, NULL, avx2),
      &xncc_convolve_avx2, SMALL(avx2, avx2) },
    { XNCC_KERNEL_FFT_AVX2, INTEGERS(fft, avx2, 1), REALS(avx2, &xncc_fft_isa_avx2, avx2), NULL,
      SMALL(avx2, avx2) },
#endif
#ifdef XNCC_CPU_VNNI
    { XNCC_KERNEL_DIRECT_AVXVNNI, INTEGERS(direct, avxvnni, 0), NULL, NULL, SMALL(avx2, avx2) },
    { XNCC_KERNEL_DIRECT_AVX512, INTEGERS(direct, avx512, 0), REALS(avx512, NULL, avx512),
      &xncc_convolve_avx512, SMALL(avx512, avx512) },
    { XNCC_KERNEL_FFT_AVX512, INTEGERS(fft, avx512, 1), REALS(avx512, &xncc_fft_isa_avx512, avx512),
      NULL, SMALL(avx512, avx512) },
#endif
#ifdef XNCC_CPU_ARM64
    { XNCC_KERNEL_DIRECT_NEON, INTEGERS(direct, neon, 0), REALS(neon, NULL, portable),
      &xncc_convolve_neon, SMALL(neon, portable) },
    { XNCC_KERNEL_DIRECT_DOTPROD, INTEGERS(direct, dotprod, 0), NULL, NULL, SMALL(neon, portable) },
#endif
};

static const row *row_of(xncc_kernel kernel)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].kernel == kernel)
            return &table[i];
    return NULL;
}

const xncc_cpu_kernel *xncc_cpu_kernel_of(xncc_kernel kernel, const xncc_problem *problem)
{
    const row *r = row_of(kernel);
    return !r                                         ? NULL
           : problem->task == XNCC_TASK_CONVOLVE      ? r->convolution
           : xncc_pixel_is_of_doubles(problem->pixel) ? r->reals
                                                      : r->integers;
}

const xncc_small_reals_isa *xncc_small_reals_isa_of(xncc_kernel kernel)
{
    const row *r = row_of(kernel);
    return r && r->small.reals ? &r->small : NULL;
}
