/* What a joint problem takes on CUDA: memory, bands and time. Pure C; cuda/joint*.cu are built on
 * the same numbers. */
#ifndef XNCC_PLAN_COST_GENERAL_CUDA_H
#define XNCC_PLAN_COST_GENERAL_CUDA_H

#include "plan/general_planes.h"

/* Bytes, but for the pitches; in doubles, which compare right where 64 bits overflow, and are exact
 * for all that fits a device. For bands of width x height map elements. */
typedef struct xncc_general_buffers {
    double image_pitch, image; /* a plane of the image: bytes a row */
    double term_pitch, term;   /* a plane of sums: elements a row */
    double rows;               /* sums along rows, for the windows */
    double templ;  /* the template's planes, all of them, and what kernels make of them */
    double stage;  /* for kernels that read textures */
    double source; /* an image from the host, with its mask */
    double map;    /* of the rows of the map that the plan keeps */
    double total;
} xncc_general_buffers;
xncc_general_buffers xncc_general_workspace(const xncc_problem *problem,
                                            const xncc_general_planes *planes,
                                            const xncc_decision *decision);

/* Can a kernel serve a problem of the joint route? As xncc_fit_cuda. */
xncc_status xncc_fit_general_cuda(const xncc_problem *problem, const xncc_machine *machine,
                                  xncc_kernel kernel, xncc_decision *fit, xncc_error *error);

/* Bytes of an image from the host, with its mask. */
double xncc_cuda_source_bytes(const xncc_problem *problem);

/* The planes and sums of a kernel; 0 as xncc_general_planes_make. tensor-fused makes products of
 * every sum, as where the template has a mask. */
int xncc_general_planes_for(const xncc_problem *problem, xncc_kernel kernel,
                            xncc_general_planes *planes);

/* The common case: ccoeff_normed of one channel of 8 bits, sums of 32 bits. The engine has a last
 * pass for it (cuda/masked_score_u8.cuh). */
int xncc_general_is_u8_masked(const xncc_problem *problem, const xncc_general_planes *planes);

#endif
