/* Which code serves a row of the kernel table. */
#include "cpu/variants.h"

static const cm_cpu_kernel *matching(cm_kernel kernel)
{
    switch (kernel) {
    case CM_KERNEL_REFERENCE:
        return &cm_reference_match;
    case CM_KERNEL_DIRECT_PORTABLE:
        return &cm_direct_portable_match;
    case CM_KERNEL_FFT_PORTABLE:
        return &cm_fft_portable_match;
#ifdef CM_CPU_X86
    case CM_KERNEL_FFT_AVX2:
        return &cm_fft_avx2_match;
    case CM_KERNEL_FFT_AVX512:
        return &cm_fft_avx512_match;
    case CM_KERNEL_DIRECT_AVX2:
        return &cm_direct_avx2_match;
    case CM_KERNEL_DIRECT_AVXVNNI:
        return &cm_direct_avxvnni_match;
    case CM_KERNEL_DIRECT_AVX512:
        return &cm_direct_avx512_match;
#endif
    default:
        return NULL;
    }
}

static const cm_cpu_kernel *convolving(cm_kernel kernel)
{
    switch (kernel) {
    case CM_KERNEL_REFERENCE:
        return &cm_reference_convolve;
    default:
        return NULL;
    }
}

const cm_cpu_kernel *cm_cpu_kernel_of(cm_kernel kernel, const cm_problem *problem)
{
    return problem->task == CM_TASK_MATCH ? matching(kernel) : convolving(kernel);
}
