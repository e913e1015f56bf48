/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the code that serves a kernel of the kernel table for a problem. */
#include "cpu/kernels/integers.h"
#include "cpu/kernels/reals.h"
#include "cpu/kernels/small_reals.h"
#include "cpu/kernels/variants.h"

#include "image/samples.h"

/* The code of one kernel per kind of problem; NULL for kinds that it does not serve. */
typedef struct row {
    xncc_kernel kernel;
    const xncc_cpu_kernel *integers, *reals, *convolution;
    /* Small maps of floats: the functions of the kernel's instruction set. The kernels that take no
     * floats have those of a narrower one. */
    const xncc_cpu_kernel *small_reals;
    const xncc_chip_fft_isa *small_fft;
} row;

/* Integers by a kernel of products. */
#define INTEGERS(name)                                                                             \
    &(const xncc_cpu_kernel)                                                                       \
    {                                                                                              \
        xncc_integers_memory, xncc_integers_begin, xncc_integers_area, &xncc_##name                \
    }

static const row table[] = {
    { XNCC_KERNEL_REFERENCE, &xncc_reference_match, &xncc_reference_match, &xncc_reference_convolve,
      NULL, NULL },
    { XNCC_KERNEL_DIRECT_PORTABLE, INTEGERS(direct_portable), &xncc_reals_direct_portable,
      &xncc_convolve_portable, &xncc_reals_direct_portable, &xncc_chip_fft_portable },
    { XNCC_KERNEL_FFT_PORTABLE, INTEGERS(fft_portable), &xncc_reals_fft_portable, NULL,
      &xncc_reals_fft_portable, &xncc_chip_fft_portable },
#ifdef XNCC_CPU_X86
    { XNCC_KERNEL_DIRECT_AVX2, INTEGERS(direct_avx2), &xncc_reals_direct_avx2, &xncc_convolve_avx2,
      &xncc_reals_direct_avx2, &xncc_chip_fft_avx2 },
    { XNCC_KERNEL_FFT_AVX2, INTEGERS(fft_avx2), &xncc_reals_fft_avx2, NULL, &xncc_reals_fft_avx2,
      &xncc_chip_fft_avx2 },
#endif
#ifdef XNCC_CPU_VNNI
    { XNCC_KERNEL_DIRECT_AVXVNNI, INTEGERS(direct_avxvnni), NULL, NULL, &xncc_reals_direct_avx2,
      &xncc_chip_fft_avx2 },
    { XNCC_KERNEL_DIRECT_AVX512, INTEGERS(direct_avx512), &xncc_reals_direct_avx512,
      &xncc_convolve_avx512, &xncc_reals_direct_avx512, &xncc_chip_fft_avx512 },
    { XNCC_KERNEL_FFT_AVX512, INTEGERS(fft_avx512), &xncc_reals_fft_avx512, NULL,
      &xncc_reals_fft_avx512, &xncc_chip_fft_avx512 },
#endif
#ifdef XNCC_CPU_ARM64
    { XNCC_KERNEL_DIRECT_NEON, INTEGERS(direct_neon), &xncc_reals_direct_neon, &xncc_convolve_neon,
      &xncc_reals_direct_neon, &xncc_chip_fft_portable },
    { XNCC_KERNEL_DIRECT_DOTPROD, INTEGERS(direct_dotprod), NULL, NULL, &xncc_reals_direct_neon,
      &xncc_chip_fft_portable },
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

int xncc_small_reals_isa_of(xncc_kernel kernel, xncc_small_reals_isa *isa)
{
    const row *r = row_of(kernel);
    if (!r || !r->small_reals)
        return 0;
    const xncc_reals_variant *variant = r->small_reals->variant;
    *isa = (xncc_small_reals_isa){ variant->isa, r->small_fft };
    return 1;
}
