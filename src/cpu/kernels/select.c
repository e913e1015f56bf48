/* Chooses the code that serves a kernel of the kernel table for a problem. */
#include "cpu/kernels/float_general.h"
#include "cpu/kernels/general.h"
#include "cpu/kernels/variants.h"

/* The code of one kernel per kind of problem; NULL for kinds that it does not serve. */
typedef struct row {
    xncc_kernel kernel;
    const xncc_cpu_kernel *integers, *floats, *convolution;
    const xncc_cpu_kernel *sign_flipped; /* padded problems of signed pixels */
    const xncc_cpu_kernel *general, *general_floats;
} row;

/* Defines the wrappers around a kernel that serve the general route and signed pixels
 * (general.h). */
#define WRAPPED(name, isa)                                                                         \
    static const xncc_general_variant name##_variant = { &xncc_##name##_match,                     \
                                                         &xncc_windows_##isa };                    \
    static const xncc_cpu_kernel name##_general = { xncc_planes_shape, xncc_planes_begin,          \
                                                    xncc_planes_area, NULL, &name##_variant };     \
    static const xncc_cpu_kernel name##_signed = { xncc_signed_shape, xncc_signed_begin,           \
                                                   xncc_signed_area, NULL, &xncc_##name##_match };

WRAPPED(direct_portable, portable)
WRAPPED(fft_portable, portable)
#ifdef XNCC_CPU_X86
WRAPPED(direct_avx2, avx2)
WRAPPED(direct_avxvnni, avxvnni)
WRAPPED(direct_avx512, avx512)
WRAPPED(fft_avx2, avx2)
WRAPPED(fft_avx512, avx512)
#endif

#define PLAIN(name, floats, convolution)                                                           \
    &xncc_##name##_match, floats, convolution, &name##_signed, &name##_general

static const row table[] = {
    { XNCC_KERNEL_REFERENCE, &xncc_reference_match, &xncc_reference_match, &xncc_reference_convolve,
      &xncc_reference_match, &xncc_reference_match, &xncc_reference_match },
    { XNCC_KERNEL_DIRECT_PORTABLE,
      PLAIN(direct_portable, &xncc_float_portable_match, &xncc_direct_portable_convolve),
      &xncc_float_portable_general },
    { XNCC_KERNEL_FFT_PORTABLE, PLAIN(fft_portable, NULL, NULL), NULL },
#ifdef XNCC_CPU_X86
    { XNCC_KERNEL_DIRECT_AVX2,
      PLAIN(direct_avx2, &xncc_float_avx2_match, &xncc_direct_avx2_convolve),
      &xncc_float_avx2_general },
    { XNCC_KERNEL_DIRECT_AVXVNNI, PLAIN(direct_avxvnni, NULL, NULL), NULL },
    { XNCC_KERNEL_DIRECT_AVX512,
      PLAIN(direct_avx512, &xncc_float_avx512_match, &xncc_direct_avx512_convolve),
      &xncc_float_avx512_general },
    { XNCC_KERNEL_FFT_AVX2, PLAIN(fft_avx2, NULL, NULL), NULL },
    { XNCC_KERNEL_FFT_AVX512, PLAIN(fft_avx512, NULL, NULL), NULL },
#endif
};

static const xncc_cpu_kernel *code_of(const row *r, const xncc_problem *problem)
{
    const int floats = xncc_pixel_is_float(problem->pixel);
    if (problem->task == XNCC_TASK_CONVOLVE)
        return r->convolution;
    if (xncc_problem_route(problem) == XNCC_ROUTE_GENERAL)
        return floats ? r->general_floats : r->general;
    return floats ? r->floats : xncc_pixel_bias(problem->pixel) ? r->sign_flipped : r->integers;
}

const xncc_cpu_kernel *xncc_cpu_kernel_of(xncc_kernel kernel, const xncc_problem *problem)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].kernel == kernel)
            return code_of(&table[i], problem);
    return NULL;
}
