/* SPDX-License-Identifier: BSD-2-Clause */
/* The builds of the kernels for the instruction sets. The x86 ones exist only if the library is
 * built for x86-64 (XNCC_CPU_X86), and those of NEON only for aarch64 (XNCC_CPU_ARM64), where the
 * portable transforms are vectors of NEON already. */
#ifndef XNCC_CPU_KERNELS_VARIANTS_H
#define XNCC_CPU_KERNELS_VARIANTS_H

#include "cpu/kernels/direct.h"
#include "cpu/kernels/fft.h"
#include "cpu/kernels/reals.h"

extern const xncc_direct_isa xncc_direct_isa_portable, xncc_direct_isa_avx2,
    xncc_direct_isa_avxvnni, xncc_direct_isa_avx512, xncc_direct_isa_neon, xncc_direct_isa_dotprod;
extern const xncc_isa_rows xncc_rows_portable, xncc_rows_avx2, xncc_rows_avxvnni, xncc_rows_avx512,
    xncc_rows_neon, xncc_rows_dotprod;
extern const xncc_fft_isa xncc_fft_isa_portable, xncc_fft_isa_avx2, xncc_fft_isa_avx512;
extern const xncc_reals_isa xncc_reals_isa_portable, xncc_reals_isa_avx2, xncc_reals_isa_avx512,
    xncc_reals_isa_neon;
extern const xncc_cpu_kernel xncc_convolve_portable, xncc_convolve_avx2, xncc_convolve_avx512,
    xncc_convolve_neon;

#endif
