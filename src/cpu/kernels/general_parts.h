/* What the files of the general route share for integer pixels: how a problem is divided, what is
 * computed once per template, and a thread's memory. */
#ifndef XNCC_CPU_KERNELS_GENERAL_PARTS_H
#define XNCC_CPU_KERNELS_GENERAL_PARTS_H

#include "cpu/kernels/general.h"

enum { GENERAL_PIECES = 4 };

/* How a problem is divided into tiles. Depends on the problem and the inner kernel alone. */
typedef struct xncc_tile_shape {
    xncc_problem problem, inner; /* the problem, and the plain problem of its products */
    xncc_shape shape;            /* what the inner kernel (the kernel of the products) asks for */
    xncc_sum_recipe recipe;
    int32_t columns, rows;             /* most columns and rows of a rectangle of the map */
    int32_t stride;                    /* elements per row of sums */
    int32_t plane_width, plane_height; /* most columns and rows of an image plane */
    int64_t pitch;                     /* elements per row of an image plane */
    int32_t channels, digits;
    /* Number of 64-bit numbers that a sum consists of, each 16 bits above the previous one. It is 4
     * for u32, whose sums would overflow otherwise, and 1 for all other types. */
    int32_t pieces;
    int varies;  /* 1: some pixels of the image may not count */
    int fits;    /* 1: all terms of the scores fit 63 bits */
    int centred; /* 1: the method compares differences from the mean */
    /* 1: 8-bit samples whose terms fit 63 bits. X is computed last and folded into the score row by
     * row, so no X plane is stored. */
    int fold_x;
    int pairs;                  /* 1: the inner kernel takes two planes of the template at a time */
    int32_t templ_planes;       /* number of planes of the template */
    uint64_t templ_plane_bytes; /* bytes per plane of the template, with what the inner kernel
                                   prepares from it */
} xncc_tile_shape;

xncc_tile_shape xncc_tile_shape_make(const xncc_general_variant *variant,
                                     const xncc_problem *problem);

/* A plane of the template. If no_offset is 1, 128 has been added to its pixels (see xncc_job). */
typedef struct xncc_templ_plane {
    xncc_template templ;
    xncc_score_rule rule;
    void *shared;
    int32_t empty; /* 1: all pixels are 0 */
    int32_t no_offset;
    int32_t made;
} xncc_templ_plane;

/* What begin computes from a template. */
typedef struct xncc_general_shared {
    uint64_t T[XNCC_MAX_CHANNELS];
    xncc_u128 T2[XNCC_MAX_CHANNELS];
    size_t products;
    xncc_product_of *product;
    xncc_templ_plane *templ_plane;
} xncc_general_shared;

/* Is the sum stored for one row at a time instead of as a plane? */
int xncc_general_is_row_sum(const xncc_tile_shape *tile, xncc_sum_id sum);

/* Returns the index of a template plane in xncc_general_shared.templ_plane. */
int32_t xncc_templ_plane_index(const xncc_tile_shape *tile, const xncc_plane_of *plane);

/* A thread's memory. Planes of sums have tile->stride elements per row. A sum that is kept as a row
 * has one row, which is overwritten from row to row. Sums that are not needed are NULL. */
typedef struct xncc_general_memory {
    char *inner[2]; /* scratch of the inner kernel; the second is for pairs */
    xncc_stage stage;
    void *plane;
    uint64_t *sum[XNCC_SUMS][GENERAL_PIECES];
    uint64_t *constant[XNCC_SUMS]; /* a row of equal numbers per sum */
    uint64_t *none;                /* a row of zeros */
    uint64_t *term[3];             /* planes with several channels, rows with one */
    /* Totals of the windows, if the terms do not fit 63 bits and there are several channels. */
    xncc_general *general;
    char *windows;
} xncc_general_memory;

/* Divides `memory` into the parts of a thread's memory and returns the bytes needed. If memory is
 * NULL, only returns the bytes. */
uint64_t xncc_general_layout(const xncc_tile_shape *tile, char *memory, xncc_general_memory *m);

/* A rectangle that is being computed. */
typedef struct xncc_general_run {
    const xncc_job *job;
    const xncc_area *area;
    const xncc_isa_windows *isa;
    const xncc_cpu_kernel *inner;
    const xncc_general_shared *shared;
    xncc_tile_shape tile;
    xncc_general_memory m;
    xncc_sum_source source_of[XNCC_SUMS];   /* where each sum comes from in this rectangle */
    int32_t channel;                        /* the current channel */
    int started[XNCC_SUMS][GENERAL_PIECES]; /* number of products already added to each sum */
    /* The template's term, summed over the channels so far; used if it is the same in every
     * window. */
    uint64_t templ_term;
} xncc_general_run;

/* Adds the terms of columns x .. x + width - 1 of row y, where the current channel's sums are
 * complete. Scores the row if the channel is the last one. */
void xncc_general_row_terms(const xncc_general_run *run, int32_t x, int32_t y, int32_t width);
/* Begins a channel: sets the sums that depend on the template alone. */
void xncc_general_channel(xncc_general_run *run, int32_t channel);
void xncc_general_coverage(const xncc_general_run *run);

#endif
