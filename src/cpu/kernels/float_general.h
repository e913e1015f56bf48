/* The general route (general.h) for float pixels: one kernel per instruction set of `direct`, built
 * from float_general_body.h. */
#ifndef XNCC_CPU_KERNELS_FLOAT_GENERAL_H
#define XNCC_CPU_KERNELS_FLOAT_GENERAL_H

#include "cpu/kernels/kernel.h"

extern const xncc_cpu_kernel xncc_float_portable_general;
extern const xncc_cpu_kernel xncc_float_avx2_general;
extern const xncc_cpu_kernel xncc_float_avx512_general;

#endif
