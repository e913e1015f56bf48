/* Memory, bands and estimated time of a general problem on CUDA. cuda/engine/general_plan.cpp uses
 * the same numbers. Pure functions of plain data. */
#ifndef XNCC_PLAN_COST_GENERAL_CUDA_H
#define XNCC_PLAN_COST_GENERAL_CUDA_H

#include "base/error.h"
#include "plan/decision.h"
#include "plan/general_planes.h"
#include "plan/machine.h"

/* The buffers of a plan, for the bands of its decision, in bytes. They are doubles, which compare
 * correctly where 64 bits would overflow, and are exact for everything that fits a device. */
typedef struct xncc_general_buffers {
    double image_pitch; /* bytes per row of an image plane */
    double image;       /* one image plane */
    double term_pitch;  /* elements per row of a term */
    double term;        /* one term */
    double rows;        /* sums along rows, for window sums */
    double templ;       /* all template planes, in every form that the kernels read */
    double stage;       /* the image of kernels that read textures */
    double source;      /* an image from the host, with its mask */
    double map;         /* the rows of the map that the plan holds */
    double total;       /* all of these, with as many planes and terms as there are */
} xncc_general_buffers;
xncc_general_buffers xncc_general_workspace(const xncc_problem *problem,
                                            const xncc_general_planes *planes,
                                            const xncc_decision *decision);

/* xncc_fit_cuda for a general problem (XNCC_ROUTE_GENERAL). */
xncc_status xncc_fit_general_cuda(const xncc_problem *problem, const xncc_machine *machine,
                                  xncc_kernel kernel, xncc_decision *fit, xncc_error *error);

/* Bytes of the device copy of an image from the host, with its mask. */
double xncc_cuda_source_bytes(const xncc_problem *problem);

/* xncc_general_planes_make for a kernel on a machine. tensor-fused makes every sum from products,
 * as if the template had a mask. */
int xncc_general_planes_for(const xncc_problem *problem, const xncc_machine *machine,
                            xncc_kernel kernel, xncc_general_planes *planes);

/* Returns 1 for the most common case, for which the engine has a special score pass
 * (cuda/score/masked_score_u8.h): ccoeff_normed of one channel of 8 bits with sums of 32 bits. */
int xncc_general_is_u8_masked(const xncc_problem *problem, const xncc_general_planes *planes);

#endif
