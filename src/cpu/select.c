/* Which code serves a row of the kernel table. */
#include "cpu/variants.h"

/* The code of one kernel for what it serves; NULL for what it does not. */
typedef struct row {
    cm_kernel kernel;
    const cm_cpu_kernel *integers, *floats, *convolution;
} row;

static const row table[] = {
    { CM_KERNEL_REFERENCE, &cm_reference_match, &cm_reference_match, &cm_reference_convolve },
    { CM_KERNEL_DIRECT_PORTABLE, &cm_direct_portable_match, &cm_float_portable_match, &cm_direct_portable_convolve },
    { CM_KERNEL_FFT_PORTABLE, &cm_fft_portable_match, NULL, NULL },
#ifdef CM_CPU_X86
    { CM_KERNEL_DIRECT_AVX2, &cm_direct_avx2_match, &cm_float_avx2_match, &cm_direct_avx2_convolve },
    { CM_KERNEL_DIRECT_AVXVNNI, &cm_direct_avxvnni_match, NULL, NULL },
    { CM_KERNEL_DIRECT_AVX512, &cm_direct_avx512_match, &cm_float_avx512_match, &cm_direct_avx512_convolve },
    { CM_KERNEL_FFT_AVX2, &cm_fft_avx2_match, NULL, NULL },
    { CM_KERNEL_FFT_AVX512, &cm_fft_avx512_match, NULL, NULL },
#endif
};

const cm_cpu_kernel *cm_cpu_kernel_of(cm_kernel kernel, const cm_problem *problem)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].kernel != kernel)
            continue;
        if (problem->task == CM_TASK_CONVOLVE)
            return table[i].convolution;
        return problem->pixel == CM_F32 ? table[i].floats : table[i].integers;
    }
    return NULL;
}
