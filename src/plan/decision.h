/* The result of the decision: a kernel, its blocks and bands, and its estimated time. Plain data
 * that the engines bind. */
#ifndef XNCC_PLAN_DECISION_H
#define XNCC_PLAN_DECISION_H

#include "plan/cpu_blocks.h"

#include <stdint.h>

/* The size of a reason text, in bytes. */
enum { XNCC_REASON_SIZE = 200 };

/* How the tensor kernels divide a template: into across x down blocks, each `chunks` chunks of
 * bytes wide (16 bytes for tensor-wgmma, 32 for the others) and, if half is 1, half a chunk more.
 * All zero for other kernels. */
typedef struct xncc_tensor_blocks {
    int32_t across, down;
    int32_t width, height; /* pixels of a block; those beyond the template count as 0 */
    int32_t chunks, half;
    int32_t periods;   /* groups of XNCC_TENSOR_PERIOD image rows under a tile; 0: tensor-fused */
    int32_t stages;    /* groups of image rows per tile that shared memory holds; tensor-fused:
                          blocks per multiprocessor */
    int32_t staged;    /* 1: X is written to global memory through shared memory */
    int32_t row_bytes; /* from one image row to the next in shared memory */
    int32_t shared_bytes; /* shared memory per thread block */
    uint64_t toeplitz;    /* bytes of a block in the form that the products read */
} xncc_tensor_blocks;

/* How kernel fft on CUDA divides image and template. All zero for other kernels. */
typedef struct xncc_fft_blocks {
    int32_t width, height; /* points of a transform */
    int32_t batch;         /* transforms at a time */
    int32_t columns, rows; /* pixels of a piece of the template; usually there is one piece */
} xncc_fft_blocks;

/* How the CUDA engine serves a general problem. All zero for other problems. */
typedef struct xncc_general_blocks {
    int32_t map_rows; /* rows of the map that the plan holds: all of them if there is room */
    int32_t products; /* products of byte planes; 0 for kernel general */
    int32_t windows;  /* sums over whole windows of the image; 0 for kernel general */
} xncc_general_blocks;

/* Fields that a kernel does not use are 0. */
typedef struct xncc_decision {
    xncc_kernel kernel;
    xncc_device engine;
    xncc_cpu_blocks cpu; /* CPU */
    /* CUDA. The map elements of a thread block, the tile that it reads into shared memory (pitch in
     * bytes, a multiple of 64), and the rows of the template that constant memory holds at a
     * time. */
    int32_t tile_width, tile_height;
    int32_t tile_pitch, tile_rows;
    int32_t shared_bytes;
    int32_t constant_rows;
    /* CUDA. The part of the map that is computed at a time, in elements: all of it if it fits. */
    int32_t band_width, band_height;
    xncc_fft_blocks fft;
    xncc_tensor_blocks tensor;
    xncc_general_blocks general;
    double estimate_ms;    /* from the cost tables; comparable on one machine only */
    int32_t has_runner_up; /* 1: the next two fields are valid */
    xncc_kernel runner_up; /* the kernel with the second lowest estimate */
    double runner_up_ms;
    char reason[XNCC_REASON_SIZE]; /* why the kernel was chosen, for people */
} xncc_decision;

#endif
