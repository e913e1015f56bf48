/* What the files of the joint route's integers share: how a problem is cut, what is kept of a template, and a thread's
 * memory. */
#ifndef CM_CPU_JOINT_PARTS_H
#define CM_CPU_JOINT_PARTS_H

#include "cpu/joint.h"

enum { JOINT_PIECES = 4 };

/* A function of the problem alone. */
typedef struct cm_joint_cut {
    cm_problem problem, inner; /* of the products */
    cm_shape shape;            /* of the kernel of the products */
    cm_needs needs;
    int32_t columns, rows; /* of a rectangle of the map, at most */
    int32_t stride;        /* from row to row of its sums */
    int32_t wide, high;    /* of its planes, at most */
    int64_t pitch;         /* elements of a plane's row */
    int32_t channels, digits;
    int32_t pieces; /* a sum is of so many 64-bit numbers, each 16 bits above the one before: u32 has 4, or else they
                       would overflow */
    int varies;     /* not every pixel of the image need count */
    int fits;       /* all terms of the scores fit 63 bits */
    int centred;    /* the method is of differences from the mean */
    int late;       /* bytes whose terms fit: X comes last, row by row, with the window sums, and nobody keeps them */
    int pairs;      /* the kernel of the products takes two of the template's planes at a time */
    int32_t parts;  /* the template's planes */
    uint64_t part_bytes; /* each, with what the kernel of the products makes of it */
} cm_joint_cut;

cm_joint_cut cm_joint_cut_make(const cm_joint_variant *variant, const cm_problem *problem);

/* A plane of the template. Its pixels hold 128 more where bare (cm_job). */
typedef struct cm_joint_part {
    cm_template part;
    cm_score_rule rule;
    void *shared;
    int32_t empty; /* all 0 */
    int32_t bare;
    int32_t made;
} cm_joint_part;

/* What begin makes of a template. */
typedef struct cm_joint_shared {
    uint64_t T[CM_MAX_CHANNELS];
    cm_u128 T2[CM_MAX_CHANNELS];
    size_t products;
    cm_product_of *product;
    cm_joint_part *part;
} cm_joint_shared;

/* Does a sum stand in a row, not in a plane? */
int cm_joint_in_row(const cm_joint_cut *cut, cm_sum_id sum);

/* Where the template's plane stands in cm_joint_shared.part. */
int32_t cm_joint_part_index(const cm_joint_cut *cut, const cm_plane_of *plane);

/* A thread's memory. Planes of sums have the pitch cut->stride; rows, one after the other, take the same place. Those
 * that are not needed are NULL. */
typedef struct cm_joint_memory {
    char *inner[2]; /* the second for pairs */
    cm_stage stage;
    void *plane;
    uint64_t *sum[CM_SUMS][JOINT_PIECES];
    uint64_t *constant[CM_SUMS]; /* rows */
    uint64_t *none;              /* a row of 0 */
    uint64_t *term[3];           /* planes with several channels, rows with one */
    cm_joint *joint;             /* where the terms do not fit, and there are several channels */
    char *windows;
} cm_joint_memory;

/* Bytes of a thread's memory; memory NULL: only counts. */
uint64_t cm_joint_lay(const cm_joint_cut *cut, char *memory, cm_joint_memory *m);

/* A rectangle under way. */
typedef struct cm_joint_run {
    const cm_job *job;
    const cm_area *area;
    const cm_isa_windows *isa;
    const cm_cpu_kernel *inner;
    const cm_joint_shared *shared;
    cm_joint_cut cut;
    cm_joint_memory m;
    cm_had had[CM_SUMS];                /* in this rectangle */
    int32_t channel;                    /* under way */
    int started[CM_SUMS][JOINT_PIECES]; /* products that its sums have had */
    uint64_t part_term; /* the template's term, when it is the same in every window, of the channels so far */
} cm_joint_run;

/* A channel's sums are there in columns x .. x + width - 1 of row y: adds their terms; those of the last channel are
 * scored. */
void cm_joint_row_terms(const cm_joint_run *run, int32_t x, int32_t y, int32_t width);
/* What the template's own sums are in a channel, before its rows. */
void cm_joint_channel(cm_joint_run *run, int32_t channel);
void cm_joint_coverage(const cm_joint_run *run);

#endif
