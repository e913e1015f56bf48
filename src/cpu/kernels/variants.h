/* The builds of each kernel for the instruction sets. The x86 ones exist only if the library is
 * built for x86-64 (XNCC_CPU_X86). */
#ifndef XNCC_CPU_KERNELS_VARIANTS_H
#define XNCC_CPU_KERNELS_VARIANTS_H

#include "cpu/kernels/direct.h"

extern const xncc_cpu_kernel xncc_direct_portable_match;
extern const xncc_cpu_kernel xncc_direct_avx2_match;
extern const xncc_cpu_kernel xncc_direct_avxvnni_match;
extern const xncc_cpu_kernel xncc_direct_avx512_match;
extern const xncc_cpu_kernel xncc_float_portable_match;
extern const xncc_cpu_kernel xncc_float_avx2_match;
extern const xncc_cpu_kernel xncc_float_avx512_match;
extern const xncc_cpu_kernel xncc_direct_portable_convolve;
extern const xncc_cpu_kernel xncc_direct_avx2_convolve;
extern const xncc_cpu_kernel xncc_direct_avx512_convolve;
extern const xncc_cpu_kernel xncc_fft_portable_match;
extern const xncc_cpu_kernel xncc_fft_avx2_match;
extern const xncc_cpu_kernel xncc_fft_avx512_match;

/* The window sums and scores of each instruction set. */
extern const xncc_isa_windows xncc_windows_portable;
extern const xncc_isa_windows xncc_windows_avx2;
extern const xncc_isa_windows xncc_windows_avxvnni;
extern const xncc_isa_windows xncc_windows_avx512;

#endif
