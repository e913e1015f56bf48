/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of kernels. There is no other: the decision reads it as data, and the engines by the
 * identifiers that it makes. */
#ifndef XNCC_PLAN_KERNELS_H
#define XNCC_PLAN_KERNELS_H

#include "exactncc/plan.h"

/* The tasks that a kernel serves, combined. */
enum { XNCC_MATCHES = 1 << XNCC_TASK_MATCH, XNCC_CONVOLVES = 1 << XNCC_TASK_CONVOLVE };

/* Which memory holds what, as xncc_kernel_info describes it. A kernel of the CPU has all of it in
 * host memory. The sums of a template reach the score of a kernel on a GPU as a parameter, unless
 * each window has sums of its own. */
#define XNCC_ON_HOST "host memory", "host memory", "host memory", "host memory"
#define XNCC_IN_CONSTANT "constant memory"
#define XNCC_AS_PARAMETER "kernel parameter"

/* K(identifier, name, engine, tasks, image, template or filter, its sums, result); the last four
 * are the members of xncc_kernel_info. A name given by a user also selects every kernel whose name
 * continues it after a hyphen: "direct" selects the best of the direct-* kernels that can serve the
 * problem. */
#define XNCC_KERNEL_LIST(K)                                                                        \
    K(REFERENCE, "reference", XNCC_DEVICE_CPU, XNCC_MATCHES | XNCC_CONVOLVES, XNCC_ON_HOST)        \
    K(DIRECT_PORTABLE, "direct-portable", XNCC_DEVICE_CPU, XNCC_MATCHES | XNCC_CONVOLVES,          \
      XNCC_ON_HOST)                                                                                \
    K(DIRECT_AVX2, "direct-avx2", XNCC_DEVICE_CPU, XNCC_MATCHES | XNCC_CONVOLVES, XNCC_ON_HOST)    \
    K(DIRECT_AVXVNNI, "direct-avxvnni", XNCC_DEVICE_CPU, XNCC_MATCHES, XNCC_ON_HOST)               \
    K(DIRECT_AVX512, "direct-avx512", XNCC_DEVICE_CPU, XNCC_MATCHES | XNCC_CONVOLVES,              \
      XNCC_ON_HOST)                                                                                \
    K(DIRECT_NEON, "direct-neon", XNCC_DEVICE_CPU, XNCC_MATCHES | XNCC_CONVOLVES, XNCC_ON_HOST)    \
    K(DIRECT_DOTPROD, "direct-dotprod", XNCC_DEVICE_CPU, XNCC_MATCHES, XNCC_ON_HOST)               \
    K(FFT_PORTABLE, "fft-portable", XNCC_DEVICE_CPU, XNCC_MATCHES, XNCC_ON_HOST)                   \
    K(FFT_AVX2, "fft-avx2", XNCC_DEVICE_CPU, XNCC_MATCHES, XNCC_ON_HOST)                           \
    K(FFT_AVX512, "fft-avx512", XNCC_DEVICE_CPU, XNCC_MATCHES, XNCC_ON_HOST)                       \
    K(FFT_CUDA, "fft", XNCC_DEVICE_CUDA, XNCC_MATCHES, "texture", "device memory",                 \
      XNCC_AS_PARAMETER, "device memory")                                                          \
    K(FLOAT_FUSED, "float-fused", XNCC_DEVICE_CUDA, XNCC_MATCHES,                                  \
      "device memory, then shared memory", "device memory, then shared memory", "device memory",   \
      "registers")                                                                                 \
    K(FLOAT_FFT, "float-fft", XNCC_DEVICE_CUDA, XNCC_MATCHES, "device memory", "device memory",    \
      "device memory", "device memory")                                                            \
    K(FLOAT_SPLIT, "float-split", XNCC_DEVICE_CUDA, XNCC_MATCHES,                                  \
      "device memory, then shared memory", "device memory", "device memory", "device memory")      \
    K(FLOAT_TILES, "float-tiles", XNCC_DEVICE_CUDA, XNCC_MATCHES,                                  \
      "device memory, then shared memory", "device memory", "device memory", "device memory")      \
    K(FLOAT_PRIMES, "float-primes", XNCC_DEVICE_CUDA, XNCC_MATCHES,                                \
      "device memory, then shared memory", "device memory, then shared memory", "device memory",   \
      "device memory")                                                                             \
    K(TEX_TEX, "tex-tex", XNCC_DEVICE_CUDA, XNCC_MATCHES, "texture", "texture", XNCC_AS_PARAMETER, \
      "device memory")                                                                             \
    K(TEX_CONSTANT, "tex-constant", XNCC_DEVICE_CUDA, XNCC_MATCHES, "texture", XNCC_IN_CONSTANT,   \
      XNCC_AS_PARAMETER, "device memory")                                                          \
    K(SHARED, "shared", XNCC_DEVICE_CUDA, XNCC_MATCHES, "texture, then shared memory",             \
      XNCC_IN_CONSTANT, XNCC_AS_PARAMETER, "device memory")                                        \
    K(TENSOR_WGMMA, "tensor-wgmma", XNCC_DEVICE_CUDA, XNCC_MATCHES,                                \
      "device memory, then shared memory", "device memory, then shared memory", XNCC_AS_PARAMETER, \
      "device memory")                                                                             \
    K(TENSOR_MMA, "tensor-mma", XNCC_DEVICE_CUDA, XNCC_MATCHES,                                    \
      "device memory, then shared memory", "device memory, then registers", XNCC_AS_PARAMETER,     \
      "device memory")                                                                             \
    K(TENSOR_FUSED, "tensor-fused", XNCC_DEVICE_CUDA, XNCC_MATCHES,                                \
      "device memory, then shared memory", "device memory, then shared memory", XNCC_AS_PARAMETER, \
      "registers")                                                                                 \
    K(GENERAL, "general", XNCC_DEVICE_CUDA, XNCC_MATCHES, "device memory, then shared memory",     \
      "device memory, then shared memory", "registers", "registers")                               \
    K(CONV_TILED, "conv-tiled", XNCC_DEVICE_CUDA, XNCC_CONVOLVES,                                  \
      "device memory, then shared memory", XNCC_IN_CONSTANT " or, unrolled, " XNCC_AS_PARAMETER,   \
      "none", "device memory")                                                                     \
    K(CONV_REGISTERS, "conv-registers", XNCC_DEVICE_CUDA, XNCC_CONVOLVES,                          \
      "device memory, then registers", XNCC_AS_PARAMETER, "none", "device memory")                 \
    K(CONV_GLOBAL, "conv-global", XNCC_DEVICE_CUDA, XNCC_CONVOLVES, "device memory",               \
      "device memory", "none", "device memory")                                                    \
    K(CONV_CONSTANT, "conv-constant", XNCC_DEVICE_CUDA, XNCC_CONVOLVES, "device memory",           \
      XNCC_IN_CONSTANT, "none", "device memory")                                                   \
    K(CONV_CACHED_HALO, "conv-cached-halo", XNCC_DEVICE_CUDA, XNCC_CONVOLVES,                      \
      "device memory, own pixels in shared memory", XNCC_IN_CONSTANT, "none", "device memory")

/* XNCC_KERNEL_<identifier>, in the order of the list. */
typedef enum xncc_kernel {
#define XNCC_KERNEL_ID(id, ...) XNCC_KERNEL_##id,
    XNCC_KERNEL_LIST(XNCC_KERNEL_ID)
#undef XNCC_KERNEL_ID
        XNCC_KERNEL_COUNT
} xncc_kernel;

/* Returns 1 for the kernels for floats and u32 that read the image as doubles where it is. */
static inline int xncc_kernel_is_of_doubles(xncc_kernel kernel)
{
    return kernel == XNCC_KERNEL_FLOAT_FUSED || kernel == XNCC_KERNEL_FLOAT_FFT ||
           kernel == XNCC_KERNEL_FLOAT_SPLIT || kernel == XNCC_KERNEL_FLOAT_TILES ||
           kernel == XNCC_KERNEL_FLOAT_PRIMES;
}

/* The rows of the list, indexed by xncc_kernel. */
extern const xncc_kernel_info xncc_kernel_table[XNCC_KERNEL_COUNT];

#endif
