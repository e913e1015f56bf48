/* The tensor kernels as the decision sees them: blocks of the template, shared memory, workspace
 * and cost. Pure C; cuda/tensor*.cu are built on the same numbers. */
#ifndef XNCC_PLAN_COST_TENSOR_H
#define XNCC_PLAN_COST_TENSOR_H

#include "base/host_device.h"
#include "plan/general_planes.h"

enum {
    XNCC_TENSOR_COLUMNS =
        512, /* map elements of a tile's row: 64 rows of an m64 product, 8 elements each */
    XNCC_TENSOR_ROWS = 16,      /* map rows of a tile */
    XNCC_TENSOR_PERIOD = 8,     /* image rows that a tile takes in at a time */
    XNCC_TENSOR_WARPGROUPS = 3, /* tiles a block works on at once */
    XNCC_TENSOR_MMA_DOWN = 2,   /* tiles that a block of tensor-mma works on, one above the other */
    XNCC_TENSOR_WIDTH = 128, /* the widest block of a template, and the widest window that the fused
                                score of 16 bits takes */
    XNCC_TENSOR_SCORE_WIDTH = 384, /* the same of 8 bits */
    XNCC_TENSOR_CORE = 128,        /* bytes of 8 x 16 template pixels as the products read them */
    XNCC_TENSOR_SPARE_ROWS =
        24, /* rows of X below the band that are written or read, and mean nothing */
    XNCC_TENSOR_FUSED_PITCH = 592, /* tensor-fused: bytes of an image row in shared memory, */
    XNCC_TENSOR_FUSED_BATCH =
        8, /* map rows at a time; the template's are made a multiple of them, */
    XNCC_TENSOR_FUSED_SPARE = 8,       /* rows there beside the template's, */
    XNCC_TENSOR_FUSED_WINDOWS = 20608, /* bytes of window sums before them, */
    XNCC_TENSOR_FUSED_BLOCKS = 4,      /* and the most blocks of a multiprocessor, */
    XNCC_TENSOR_PLANES_BLOCKS = 3      /* of joint problems */
};

/* tensor-fused: rows of a template with the zeros that make them a multiple of a batch. */
static XNCC_HD int32_t xncc_tensor_fused_rows(int32_t height)
{
    return (height + XNCC_TENSOR_FUSED_BATCH - 1) / XNCC_TENSOR_FUSED_BATCH *
           XNCC_TENSOR_FUSED_BATCH;
}

/* Is the kernel one of the tensor's? In joint problems they add to sums. */
int xncc_kernel_is_tensor(xncc_kernel kernel);

/* Bytes from one image row of a period to the next in shared memory, for `arrays` chunks of 16
 * template pixels. */
int32_t xncc_tensor_row_bytes(int32_t arrays);

/* The parts of the workspace in bytes, for a band of width x height map elements. */
typedef struct xncc_tensor_buffers {
    uint64_t plane_pitch, plane; /* the band's image, a byte a pixel: two planes for 16 bits */
    uint64_t sums_pitch, sums; /* X, 32 bits: elements a row, and bytes; four of them for 16 bits */
    uint64_t toeplitz;         /* the template as the products read it: one plane */
    int32_t planes;
    uint64_t total;
} xncc_tensor_buffers;
xncc_tensor_buffers xncc_tensor_workspace(const xncc_problem *problem,
                                          const xncc_tensor_blocks *blocks, int32_t width,
                                          int32_t height);

/* Chooses blocks: fills fit->tensor, fit->shared_bytes and fit->estimate_ms. XNCC_ERROR_UNSUPPORTED
 * with a text that names the limit. */
xncc_status xncc_fit_tensor(const xncc_problem *problem, const xncc_machine *machine,
                            xncc_kernel kernel, xncc_decision *fit, xncc_error *error);

/* The same for tensor-fused and the planes of bytes of a joint problem, of the image and of the
 * template. */
xncc_status xncc_fit_tensor_planes(const xncc_problem *product, const xncc_machine *machine,
                                   const xncc_general_planes *planes, xncc_decision *fit,
                                   xncc_error *error);

/* What the products of a fitted problem take, without sums over windows and scores. */
double xncc_tensor_product_ms(const xncc_problem *problem, const xncc_machine *machine,
                              xncc_kernel kernel, const xncc_tensor_blocks *blocks);

/* 1 when window sums and score are the tensor kernels' own pass. */
int xncc_tensor_scores(const xncc_problem *problem);

#endif
