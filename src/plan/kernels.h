/* The list of kernels: the only one. The decision reads it as data, the engines as code. */
#ifndef CM_PLAN_KERNELS_H
#define CM_PLAN_KERNELS_H

#include "corrmatch/plan.h"

enum { CM_MATCHES = 1 << CM_TASK_MATCH, CM_CONVOLVES = 1 << CM_TASK_CONVOLVE };

/* K(identifier, name, engine, tasks). A name given by a user also means every kernel whose name continues it after a hyphen: "direct" is
 * the best feasible of the direct-* kernels. */
#define CM_KERNEL_LIST(K)                                                       \
    K(REFERENCE, "reference", CM_DEVICE_CPU, CM_MATCHES | CM_CONVOLVES)         \
    K(DIRECT_PORTABLE, "direct-portable", CM_DEVICE_CPU, CM_MATCHES | CM_CONVOLVES) \
    K(DIRECT_AVX2, "direct-avx2", CM_DEVICE_CPU, CM_MATCHES | CM_CONVOLVES)     \
    K(DIRECT_AVXVNNI, "direct-avxvnni", CM_DEVICE_CPU, CM_MATCHES)              \
    K(DIRECT_AVX512, "direct-avx512", CM_DEVICE_CPU, CM_MATCHES | CM_CONVOLVES) \
    K(FFT_PORTABLE, "fft-portable", CM_DEVICE_CPU, CM_MATCHES)                  \
    K(FFT_AVX2, "fft-avx2", CM_DEVICE_CPU, CM_MATCHES)                          \
    K(FFT_AVX512, "fft-avx512", CM_DEVICE_CPU, CM_MATCHES)                      \
    K(FFT_CUDA, "fft", CM_DEVICE_CUDA, CM_MATCHES)                              \
    K(TEX_TEX, "tex-tex", CM_DEVICE_CUDA, CM_MATCHES)                           \
    K(TEX_CONSTANT, "tex-constant", CM_DEVICE_CUDA, CM_MATCHES)                 \
    K(SHARED, "shared", CM_DEVICE_CUDA, CM_MATCHES)                             \
    K(TENSOR_WGMMA, "tensor-wgmma", CM_DEVICE_CUDA, CM_MATCHES)                 \
    K(TENSOR_MMA, "tensor-mma", CM_DEVICE_CUDA, CM_MATCHES)                     \
    K(TENSOR_FUSED, "tensor-fused", CM_DEVICE_CUDA, CM_MATCHES)                 \
    K(JOINT, "joint", CM_DEVICE_CUDA, CM_MATCHES)                               \
    K(CONV_TILED, "conv-tiled", CM_DEVICE_CUDA, CM_CONVOLVES)                   \
    K(CONV_REGISTERS, "conv-registers", CM_DEVICE_CUDA, CM_CONVOLVES)           \
    K(CONV_GLOBAL, "conv-global", CM_DEVICE_CUDA, CM_CONVOLVES)                 \
    K(CONV_CONSTANT, "conv-constant", CM_DEVICE_CUDA, CM_CONVOLVES)             \
    K(CONV_CACHED_HALO, "conv-cached-halo", CM_DEVICE_CUDA, CM_CONVOLVES)

typedef enum cm_kernel {
#define CM_KERNEL_ID(id, name, engine, tasks) CM_KERNEL_##id,
    CM_KERNEL_LIST(CM_KERNEL_ID)
#undef CM_KERNEL_ID
    CM_KERNEL_COUNT
} cm_kernel;

typedef struct cm_kernel_row {
    const char *name;
    cm_device engine;
    int tasks;
} cm_kernel_row;

extern const cm_kernel_row cm_kernel_table[CM_KERNEL_COUNT];

#endif
