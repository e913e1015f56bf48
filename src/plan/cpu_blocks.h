/* SPDX-License-Identifier: BSD-2-Clause */
/* How a CPU kernel divides a problem. Made once, by the decision; the CPU engine reads it and
 * searches nothing again. Plain data, and a pure function of the problem and the kernel. */
#ifndef XNCC_PLAN_CPU_BLOCKS_H
#define XNCC_PLAN_CPU_BLOCKS_H

#include "base/int_math.h"
#include "plan/fft_blocking.h"
#include "plan/kernels.h"
#include "plan/recipe.h"

/* Map rows that the inner loop of a `direct` kernel computes at a time. */
enum {
    XNCC_PORTABLE_ROWS = 4,
    XNCC_AVX2_ROWS_U8 = 6,
    XNCC_AVX2_ROWS_U16 = 3,
    XNCC_AVXVNNI_ROWS = 3,
    XNCC_AVX512_ROWS = 6,
    XNCC_NEON_ROWS = 6
};

/* Map rows of a narrow map that a `direct` kernel computes at a time. */
enum { XNCC_LANES_ROWS = 12 };

/* Strips of the map have a multiple of this many columns. */
enum { XNCC_STRIP_STEP = 64 };

/* The columns of a strip that holds so many columns of the map. */
static inline int32_t xncc_strip_columns(int32_t columns)
{
    return (int32_t)xncc_round_up((uint64_t)columns, XNCC_STRIP_STEP);
}

/* The rectangles of floats and of convolution. */
enum {
    XNCC_FLOAT_COLUMNS = 256,
    XNCC_FLOAT_ROWS = 64,
    XNCC_CONVOLVE_COLUMNS = 512,
    XNCC_CONVOLVE_ROWS = 64
};

/* The most products that a 32-bit accumulator of a `direct` kernel can add without exceeding
 * 2^31 - 1. A product is at most 32640 (u8) or 2^22 (u16) in magnitude (cpu/kernels/direct.h). */
enum { XNCC_MOST_PRODUCTS_U8 = 65792, XNCC_MOST_PRODUCTS_U16 = 511 };

/* How a `direct` kernel divides the template into panels, and the map into strips of columns. */
typedef struct xncc_direct_blocks {
    int32_t rows;    /* map rows computed at a time */
    int32_t lanes;   /* 1: a narrow map, where each lane of a vector is a map column */
    int32_t phases;  /* template pixels per dword of the table: 4 bytes, 2 words, or 1 */
    int32_t shifts;  /* copies of each template row in the table: 1 per phase; 1 if lanes is 1 */
    int32_t planes;  /* template digits: 1 for u8, 2 for u16 */
    int32_t element; /* bytes of a staged image pixel */
    int32_t panel_width, panel_height;
    int32_t groups;      /* dwords per row of a panel, for each shift and plane */
    int32_t chunk;       /* most template rows whose sums fit 32 bits */
    int32_t strip;       /* most columns of a strip, a multiple of XNCC_STRIP_STEP */
    int32_t single;      /* 1: the whole template is one panel */
    int32_t gather_rows; /* map rows whose sums are accumulated before they are scored */
    int64_t row_bytes;   /* from one staged image row to the next */
} xncc_direct_blocks;

/* The staged image rows that are kept at a time. */
static inline int64_t xncc_ring_rows(const xncc_direct_blocks *c)
{
    return (int64_t)c->panel_height + c->rows - 1;
}

/* How the planes and sums of a rectangle are kept (integers). */
typedef struct xncc_tile_blocks {
    xncc_sum_recipe recipe;
    /* 1: X is one product of the samples themselves, which are read where the image is. All other
     * sums are window sums and constants. 0: planes of bytes are laid out. */
    int32_t whole;
    int32_t channels;
    int32_t digits;       /* byte planes per channel; 1 if whole */
    int32_t varies;       /* 1: some pixels of the image may not count */
    int32_t fits;         /* 1: all terms of the scores fit 63 bits */
    int32_t centred;      /* 1: the method compares differences from the mean */
    int32_t fold_x;       /* 1: rows of X become scores at once, so no plane of X is stored */
    int32_t templ_planes; /* planes of the template */
    int32_t stride;       /* elements per row of a plane of sums */
    int32_t plane_width, plane_height; /* most columns and rows of an image plane */
    int64_t pitch;                     /* elements per row of an image plane */
} xncc_tile_blocks;

/* Maps that small searches compute whole. */
typedef enum xncc_small_kind {
    XNCC_SMALL_NONE,
    XNCC_SMALL_BYTES, /* bytes, by cpu/kernels/small.h */
    XNCC_SMALL_REALS  /* floats and integers of 16 bits, by cpu/kernels/small_reals.h */
} xncc_small_kind;

/* The most points of a side of a scene of XNCC_SMALL_REALS: those of the largest transform. */
enum { XNCC_SMALL_REALS_SIDE = 128 };

/* The blocks of a problem. Parts that a kernel does not use are 0. */
typedef struct xncc_cpu_blocks {
    int32_t columns, rows; /* the rectangle of the map that a thread computes; any other works */
    /* Rectangles should have a multiple of this many rows, since the kernel computes that many at a
     * time. 0: any number of rows is fine. */
    int32_t least_rows;
    /* The products of integers: of planes of bytes, or of words (the samples of 16 bits). */
    int32_t words;         /* 1: of words */
    int32_t narrow;        /* 1: bytes, and every sum of a window fits 32 bits */
    xncc_small_kind small; /* how many small searches compute whole maps, from pixels that they have
                              in common */
    int32_t strip;         /* most columns of a strip whose window sums slide down */
    xncc_direct_blocks direct;
    xncc_fft_blocking fft;
    xncc_fft_blocking exact; /* floats: the transforms of exact sums of a rectangle; nx 0: such sums
                                are direct products (cpu/kernels/reals_slices.h) */
    xncc_tile_blocks tile;
} xncc_cpu_blocks;

/* Fills *blocks for a legal problem. Returns 1, or 0 if the kernel cannot serve the problem. */
int xncc_cpu_blocks_make(const xncc_problem *problem, xncc_kernel kernel, xncc_cpu_blocks *blocks);

/* Fills *blocks for the products of half images, from which a batch takes upper bounds of its
 * scores (cpu/kernels/halves.h). Returns 1, or 0 if the problem or the kernel has no such bounds.
 */
int xncc_cpu_half_blocks(const xncc_problem *problem, xncc_kernel kernel, xncc_cpu_blocks *blocks);

#endif
