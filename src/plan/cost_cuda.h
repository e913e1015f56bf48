/* The CUDA kernels as the decision sees them: geometry, limits and cost. Pure C, no CUDA header;
 * the kernels in cuda/ are built on the same numbers. */
#ifndef XNCC_PLAN_COST_CUDA_H
#define XNCC_PLAN_COST_CUDA_H

#include "plan/decide.h"

/* The share of a block and of a thread, in map elements. */
enum {
    XNCC_TILE_WIDTH = 128,   /* of a block of the tiled kernels */
    XNCC_THREAD_COLUMNS = 4, /* adjacent map elements of a thread; template rows are cut into groups
                                of so many pixels */
    XNCC_TILE_WARPS = 8,     /* warps of a `shared` block, one above the other */
    XNCC_THREAD_ROWS_U8 = 8, /* map rows of a thread */
    XNCC_THREAD_ROWS_U16 = 4,
    XNCC_THREAD_ROWS_F32 = 2,
    XNCC_CONV_TILE_HEIGHT = 32,     /* 256 threads, 8 columns and 2 rows each */
    XNCC_CONV_UNROLLED_HEIGHT = 64, /* 256 threads, 32 columns of a row each */
    XNCC_CONV_CHUNK = 8,            /* taps of a filter row that are worked on at a time */
    XNCC_CONV_PARAMETER_BYTES =
        3584 /* of taps that a kernel takes as a parameter, their rows padded to 16 bytes */
};

/* Columns of an unrolled tile to the left of its first window, so that with the anchor in the
 * middle it begins at a whole vector. */
#define XNCC_CONV_SHIFT(width) ((4 - (width) / 2 % 4) % 4)

/* A tile's rows begin at multiples of so many bytes. */
enum { XNCC_TILE_PITCH = 64 };

/* Staged image rows begin at multiples of so many bytes: every device's texture pitch alignment
 * divides it. */
enum { XNCC_STAGE_PITCH = 512 };

/* The widest template: sums over a row of 65536 pixels of 8 bits, and their squares, fit 32 bits
 * (65536 * 255^2 < 2^32). */
enum { XNCC_CUDA_TEMPLATE_SIDE = 65536 };

/* 1 when X, S and Q of every window fit 32 bits: 8-bit pixels and n * 255^2 < 2^32. */
int xncc_cuda_is_narrow(const xncc_problem *problem);

/* 1 when the window sums and the score are one pass that reads the image itself: a block of it
 * spans two warps' columns. */
enum { XNCC_WINDOW_WIDTH = 128 };
int xncc_cuda_is_one_pass(const xncc_problem *problem);

/* The parts of a plan's workspace for bands of width x height map elements, in bytes. */
typedef struct xncc_cuda_buffers {
    uint64_t stage;       /* image rows under the band, with the template's margin */
    uint64_t stage_pitch; /* bytes a staged row */
    uint64_t rows;        /* S and Q of every window row, where they are a pass of their own */
    uint64_t rows_pitch;  /* elements a row of them; S and Q together are an element */
    uint64_t sums;        /* X, where it does not fit the map's own memory */
    uint64_t map;         /* the map's rows, for maps in host memory */
    uint64_t total;
} xncc_cuda_buffers;
xncc_cuda_buffers xncc_cuda_workspace(const xncc_problem *problem, int32_t band_width,
                                      int32_t band_height);

/* 1 for convolutions that conv-tiled has unrolled code for: float images, the widths of Gaussians
 * of sigma 1, 2 and 3.2, and taps that fit a kernel's parameters. */
int xncc_conv_is_unrolled(const xncc_problem *problem);

/* Can the kernel serve the (valid) problem on the machine's CUDA device? Fills the tile, constant,
 * band and estimate fields of *fit. XNCC_ERROR_UNSUPPORTED with a text that names the limit. */
xncc_status xncc_fit_cuda(const xncc_problem *problem, const xncc_machine *machine,
                          xncc_kernel kernel, xncc_decision *fit, xncc_error *error);

#endif
