/* The list of kernels. There is no other: the decision reads it as data, and the engines by the
 * identifiers that it makes. */
#ifndef XNCC_PLAN_KERNELS_H
#define XNCC_PLAN_KERNELS_H

#include "exactncc/plan.h"

/* The tasks that a kernel serves, combined. */
enum { XNCC_MATCHES = 1 << XNCC_TASK_MATCH, XNCC_CONVOLVES = 1 << XNCC_TASK_CONVOLVE };

/* K(identifier, name, engine, tasks). A name given by a user also selects every kernel whose name
 * continues it after a hyphen: "direct" selects the best of the direct-* kernels that can serve the
 * problem. */
#define XNCC_KERNEL_LIST(K)                                                                        \
    K(REFERENCE, "reference", XNCC_DEVICE_CPU, XNCC_MATCHES | XNCC_CONVOLVES)                      \
    K(DIRECT_PORTABLE, "direct-portable", XNCC_DEVICE_CPU, XNCC_MATCHES | XNCC_CONVOLVES)          \
    K(DIRECT_AVX2, "direct-avx2", XNCC_DEVICE_CPU, XNCC_MATCHES | XNCC_CONVOLVES)                  \
    K(DIRECT_AVXVNNI, "direct-avxvnni", XNCC_DEVICE_CPU, XNCC_MATCHES)                             \
    K(DIRECT_AVX512, "direct-avx512", XNCC_DEVICE_CPU, XNCC_MATCHES | XNCC_CONVOLVES)              \
    K(FFT_PORTABLE, "fft-portable", XNCC_DEVICE_CPU, XNCC_MATCHES)                                 \
    K(FFT_AVX2, "fft-avx2", XNCC_DEVICE_CPU, XNCC_MATCHES)                                         \
    K(FFT_AVX512, "fft-avx512", XNCC_DEVICE_CPU, XNCC_MATCHES)                                     \
    K(FFT_CUDA, "fft", XNCC_DEVICE_CUDA, XNCC_MATCHES)                                             \
    K(TEX_TEX, "tex-tex", XNCC_DEVICE_CUDA, XNCC_MATCHES)                                          \
    K(TEX_CONSTANT, "tex-constant", XNCC_DEVICE_CUDA, XNCC_MATCHES)                                \
    K(SHARED, "shared", XNCC_DEVICE_CUDA, XNCC_MATCHES)                                            \
    K(TENSOR_WGMMA, "tensor-wgmma", XNCC_DEVICE_CUDA, XNCC_MATCHES)                                \
    K(TENSOR_MMA, "tensor-mma", XNCC_DEVICE_CUDA, XNCC_MATCHES)                                    \
    K(TENSOR_FUSED, "tensor-fused", XNCC_DEVICE_CUDA, XNCC_MATCHES)                                \
    K(GENERAL, "general", XNCC_DEVICE_CUDA, XNCC_MATCHES)                                          \
    K(CONV_TILED, "conv-tiled", XNCC_DEVICE_CUDA, XNCC_CONVOLVES)                                  \
    K(CONV_REGISTERS, "conv-registers", XNCC_DEVICE_CUDA, XNCC_CONVOLVES)                          \
    K(CONV_GLOBAL, "conv-global", XNCC_DEVICE_CUDA, XNCC_CONVOLVES)                                \
    K(CONV_CONSTANT, "conv-constant", XNCC_DEVICE_CUDA, XNCC_CONVOLVES)                            \
    K(CONV_CACHED_HALO, "conv-cached-halo", XNCC_DEVICE_CUDA, XNCC_CONVOLVES)

/* XNCC_KERNEL_<identifier>, in the order of the list. */
typedef enum xncc_kernel {
#define XNCC_KERNEL_ID(id, name, engine, tasks) XNCC_KERNEL_##id,
    XNCC_KERNEL_LIST(XNCC_KERNEL_ID)
#undef XNCC_KERNEL_ID
        XNCC_KERNEL_COUNT
} xncc_kernel;

/* A row of the list. */
typedef struct xncc_kernel_row {
    const char *name;   /* as users spell it */
    xncc_device engine; /* XNCC_DEVICE_CPU or XNCC_DEVICE_CUDA */
    int tasks;          /* XNCC_MATCHES, XNCC_CONVOLVES */
} xncc_kernel_row;

/* The rows, indexed by xncc_kernel. */
extern const xncc_kernel_row xncc_kernel_table[XNCC_KERNEL_COUNT];

#endif
