/* Which code serves a row of the kernel table. */
#include "cpu/float_joint.h"
#include "cpu/joint.h"
#include "cpu/variants.h"

/* The code of one kernel for what it serves; NULL for what it does not. */
typedef struct row {
    cm_kernel kernel;
    const cm_cpu_kernel *integers, *floats, *convolution;
    const cm_cpu_kernel *turned; /* padded problems of signed pixels */
    const cm_cpu_kernel *joint, *joint_floats;
} row;

/* The wrappers around a kernel for what is not plain: cpu/joint.h. */
#define WRAPPED(name, isa)                                                                                             \
    static const cm_joint_variant name##_variant = { &cm_##name##_match, &cm_windows_##isa };                          \
    static const cm_cpu_kernel name##_joint = { cm_planes_shape, cm_planes_begin, cm_planes_area, NULL,                \
                                                &name##_variant };                                                     \
    static const cm_cpu_kernel name##_signed = { cm_signed_shape, cm_signed_begin, cm_signed_area, NULL,               \
                                                 &cm_##name##_match };

WRAPPED(direct_portable, portable)
WRAPPED(fft_portable, portable)
#ifdef CM_CPU_X86
WRAPPED(direct_avx2, avx2)
WRAPPED(direct_avxvnni, avxvnni)
WRAPPED(direct_avx512, avx512)
WRAPPED(fft_avx2, avx2)
WRAPPED(fft_avx512, avx512)
#endif

#define PLAIN(name, floats, convolution) &cm_##name##_match, floats, convolution, &name##_signed, &name##_joint

static const row table[] = {
    { CM_KERNEL_REFERENCE, &cm_reference_match, &cm_reference_match, &cm_reference_convolve, &cm_reference_match,
      &cm_reference_match, &cm_reference_match },
    { CM_KERNEL_DIRECT_PORTABLE, PLAIN(direct_portable, &cm_float_portable_match, &cm_direct_portable_convolve),
      &cm_float_portable_joint },
    { CM_KERNEL_FFT_PORTABLE, PLAIN(fft_portable, NULL, NULL), NULL },
#ifdef CM_CPU_X86
    { CM_KERNEL_DIRECT_AVX2, PLAIN(direct_avx2, &cm_float_avx2_match, &cm_direct_avx2_convolve), &cm_float_avx2_joint },
    { CM_KERNEL_DIRECT_AVXVNNI, PLAIN(direct_avxvnni, NULL, NULL), NULL },
    { CM_KERNEL_DIRECT_AVX512, PLAIN(direct_avx512, &cm_float_avx512_match, &cm_direct_avx512_convolve),
      &cm_float_avx512_joint },
    { CM_KERNEL_FFT_AVX2, PLAIN(fft_avx2, NULL, NULL), NULL },
    { CM_KERNEL_FFT_AVX512, PLAIN(fft_avx512, NULL, NULL), NULL },
#endif
};

static const cm_cpu_kernel *code_of(const row *r, const cm_problem *problem)
{
    const int floats = cm_pixel_is_float(problem->pixel);
    if (problem->task == CM_TASK_CONVOLVE)
        return r->convolution;
    if (cm_problem_route(problem) == CM_ROUTE_JOINT)
        return floats ? r->joint_floats : r->joint;
    return floats ? r->floats : cm_pixel_bias(problem->pixel) ? r->turned : r->integers;
}

const cm_cpu_kernel *cm_cpu_kernel_of(cm_kernel kernel, const cm_problem *problem)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].kernel == kernel)
            return code_of(&table[i], problem);
    return NULL;
}
