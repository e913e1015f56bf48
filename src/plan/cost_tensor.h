/* The tensor kernels as the decision sees them: blocks of the template, shared memory, workspace and cost. Pure C; cuda/tensor*.cu are
 * built on the same numbers. */
#ifndef CM_PLAN_COST_TENSOR_H
#define CM_PLAN_COST_TENSOR_H

#include "base/both.h"
#include "plan/joint_planes.h"

enum {
    CM_TENSOR_COLUMNS = 512,   /* map elements of a tile's row: 64 rows of an m64 product, 8 elements each */
    CM_TENSOR_ROWS = 16,       /* map rows of a tile */
    CM_TENSOR_PERIOD = 8,      /* image rows that a tile takes in at a time */
    CM_TENSOR_WARPGROUPS = 3,  /* tiles a block works on at once */
    CM_TENSOR_MMA_DOWN = 2,    /* tiles that a block of tensor-mma works on, one above the other */
    CM_TENSOR_WIDTH = 128,     /* the widest block of a template, and the widest window that the fused score of 16 bits takes */
    CM_TENSOR_SCORE_WIDTH = 384, /* the same of 8 bits */
    CM_TENSOR_CORE = 128,      /* bytes of 8 x 16 template pixels as the products read them */
    CM_TENSOR_SPARE_ROWS = 24,  /* rows of X below the band that are written or read, and mean nothing */
    CM_TENSOR_FUSED_PITCH = 592,     /* tensor-fused: bytes of an image row in shared memory, */
    CM_TENSOR_FUSED_BATCH = 8,       /* map rows at a time; the template's are made a multiple of them, */
    CM_TENSOR_FUSED_SPARE = 8,       /* rows there beside the template's, */
    CM_TENSOR_FUSED_WINDOWS = 20608, /* bytes of window sums before them, */
    CM_TENSOR_FUSED_BLOCKS = 4,      /* and the most blocks of a multiprocessor, */
    CM_TENSOR_PLANES_BLOCKS = 3      /* of joint problems */
};

/* tensor-fused: rows of a template with the zeros that make them a multiple of a batch. */
static CM_BOTH int32_t cm_tensor_fused_rows(int32_t height)
{
    return (height + CM_TENSOR_FUSED_BATCH - 1) / CM_TENSOR_FUSED_BATCH * CM_TENSOR_FUSED_BATCH;
}

/* Is the kernel one of the tensor's? In joint problems they add to sums. */
int cm_kernel_is_tensor(cm_kernel kernel);

/* Bytes from one image row of a period to the next in shared memory, for `arrays` chunks of 16 template pixels. */
int32_t cm_tensor_row_bytes(int32_t arrays);

/* The parts of the workspace in bytes, for a band of width x height map elements. */
typedef struct cm_tensor_parts {
    uint64_t plane_pitch, plane; /* the band's image, a byte a pixel: two planes for 16 bits */
    uint64_t sums_pitch, sums;   /* X, 32 bits: elements a row, and bytes; four of them for 16 bits */
    uint64_t toeplitz;           /* the template as the products read it: one plane */
    int32_t planes;
    uint64_t total;
} cm_tensor_parts;
cm_tensor_parts cm_tensor_workspace(const cm_problem *problem, const cm_tensor_blocks *blocks, int32_t width, int32_t height);

/* Chooses blocks: fills fit->tensor, fit->shared_bytes and fit->estimate_ms. CM_ERROR_UNSUPPORTED with a text that names the limit. */
cm_status cm_fit_tensor(const cm_problem *problem, const cm_machine *machine, cm_kernel kernel, cm_decision *fit, cm_error *error);

/* The same for tensor-fused and the planes of bytes of a joint problem, of the image and of the template. */
cm_status cm_fit_tensor_planes(const cm_problem *product, const cm_machine *machine, const cm_joint_planes *planes, cm_decision *fit,
                               cm_error *error);

/* What the products of a fitted problem take, without sums over windows and scores. */
double cm_tensor_product_ms(const cm_problem *problem, const cm_machine *machine, cm_kernel kernel, const cm_tensor_blocks *blocks);

/* 1 when window sums and score are the tensor kernels' own pass. */
int cm_tensor_scores(const cm_problem *problem);

#endif
