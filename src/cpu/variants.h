/* The variants by instruction set. Only those of the processor that the library is built for exist (CM_CPU_X86). */
#ifndef CM_CPU_VARIANTS_H
#define CM_CPU_VARIANTS_H

#include "cpu/direct.h"

extern const cm_cpu_kernel cm_direct_portable_match;
extern const cm_cpu_kernel cm_direct_avx2_match;
extern const cm_cpu_kernel cm_direct_avxvnni_match;
extern const cm_cpu_kernel cm_direct_avx512_match;
extern const cm_cpu_kernel cm_float_portable_match;
extern const cm_cpu_kernel cm_float_avx2_match;
extern const cm_cpu_kernel cm_float_avx512_match;
extern const cm_cpu_kernel cm_direct_portable_convolve;
extern const cm_cpu_kernel cm_direct_avx2_convolve;
extern const cm_cpu_kernel cm_direct_avx512_convolve;
extern const cm_cpu_kernel cm_fft_portable_match;
extern const cm_cpu_kernel cm_fft_avx2_match;
extern const cm_cpu_kernel cm_fft_avx512_match;

/* The window sums and scores of each. */
extern const cm_isa_windows cm_windows_portable;
extern const cm_isa_windows cm_windows_avx2;
extern const cm_isa_windows cm_windows_avxvnni;
extern const cm_isa_windows cm_windows_avx512;

#endif
