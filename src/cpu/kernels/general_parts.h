/* What the files of the joint route's integers share: how a problem is cut, what is kept of a
 * template, and a thread's memory. */
#ifndef XNCC_CPU_KERNELS_GENERAL_PARTS_H
#define XNCC_CPU_KERNELS_GENERAL_PARTS_H

#include "cpu/kernels/general.h"

enum { GENERAL_PIECES = 4 };

/* A function of the problem alone. */
typedef struct xncc_tile_shape {
    xncc_problem problem, inner; /* of the products */
    xncc_shape shape;            /* of the kernel of the products */
    xncc_sum_recipe needs;
    int32_t columns, rows; /* of a rectangle of the map, at most */
    int32_t stride;        /* from row to row of its sums */
    int32_t wide, high;    /* of its planes, at most */
    int64_t pitch;         /* elements of a plane's row */
    int32_t channels, digits;
    int32_t pieces; /* a sum is of so many 64-bit numbers, each 16 bits above the one before: u32
                       has 4, or else they would overflow */
    int varies;     /* not every pixel of the image need count */
    int fits;       /* all terms of the scores fit 63 bits */
    int centred;    /* the method is of differences from the mean */
    int late;  /* bytes whose terms fit: X comes last, row by row, with the window sums, and nobody
                  keeps them */
    int pairs; /* the kernel of the products takes two of the template's planes at a time */
    int32_t templs;       /* the template's planes */
    uint64_t templ_bytes; /* each, with what the kernel of the products makes of it */
} xncc_tile_shape;

xncc_tile_shape xncc_tile_shape_make(const xncc_general_variant *variant,
                                     const xncc_problem *problem);

/* A plane of the template. Its pixels hold 128 more where bare (xncc_job). */
typedef struct xncc_general_templ {
    xncc_template templ;
    xncc_score_rule rule;
    void *shared;
    int32_t empty; /* all 0 */
    int32_t bare;
    int32_t made;
} xncc_general_templ;

/* What begin makes of a template. */
typedef struct xncc_general_shared {
    uint64_t T[XNCC_MAX_CHANNELS];
    xncc_u128 T2[XNCC_MAX_CHANNELS];
    size_t products;
    xncc_product_of *product;
    xncc_general_templ *templ;
} xncc_general_shared;

/* Does a sum stand in a row, not in a plane? */
int xncc_general_in_row(const xncc_tile_shape *cut, xncc_sum_id sum);

/* Where the template's plane stands in xncc_general_shared.part. */
int32_t xncc_general_templ_index(const xncc_tile_shape *cut, const xncc_plane_of *plane);

/* A thread's memory. Planes of sums have the pitch cut->stride; rows, one after the other, take the
 * same place. Those that are not needed are NULL. */
typedef struct xncc_general_memory {
    char *inner[2]; /* the second for pairs */
    xncc_stage stage;
    void *plane;
    uint64_t *sum[XNCC_SUMS][GENERAL_PIECES];
    uint64_t *constant[XNCC_SUMS]; /* rows */
    uint64_t *none;                /* a row of 0 */
    uint64_t *term[3];             /* planes with several channels, rows with one */
    xncc_general *general;         /* where the terms do not fit, and there are several channels */
    char *windows;
} xncc_general_memory;

/* Bytes of a thread's memory; memory NULL: only counts. */
uint64_t xncc_general_lay(const xncc_tile_shape *cut, char *memory, xncc_general_memory *m);

/* A rectangle under way. */
typedef struct xncc_general_run {
    const xncc_job *job;
    const xncc_area *area;
    const xncc_isa_windows *isa;
    const xncc_cpu_kernel *inner;
    const xncc_general_shared *shared;
    xncc_tile_shape cut;
    xncc_general_memory m;
    xncc_sum_source source_of[XNCC_SUMS];   /* in this rectangle */
    int32_t channel;                        /* under way */
    int started[XNCC_SUMS][GENERAL_PIECES]; /* products that its sums have had */
    uint64_t templ_term; /* the template's term, when it is the same in every window, of the
                           channels so far */
} xncc_general_run;

/* A channel's sums are there in columns x .. x + width - 1 of row y: adds their terms; those of the
 * last channel are scored. */
void xncc_general_row_terms(const xncc_general_run *run, int32_t x, int32_t y, int32_t width);
/* What the template's own sums are in a channel, before its rows. */
void xncc_general_channel(xncc_general_run *run, int32_t channel);
void xncc_general_coverage(const xncc_general_run *run);

#endif
