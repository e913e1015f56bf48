/* The general route of the CPU engine: problems with several channels, masks, any pixel type, or
 * windows that leave the image (XNCC_ROUTE_GENERAL in plan/decide.h).
 *
 * Integers. A rectangle of the map is computed by planes:
 * - the count plane, which says which image pixels count, if not all of them do;
 * - channel by channel, the byte planes that plan/recipe.h lists. Each is laid out with its border
 *   in the thread's scratch memory, and the kernel that serves the plain problem multiplies it with
 *   the template's planes;
 * - the window sums that no product yields;
 * - the terms of the formulas, and the scores.
 *
 * A plane that is all 0 needs no product. In a rectangle whose pixels all count, the sums that
 * depend on the template alone are constants. */
#ifndef XNCC_CPU_KERNELS_GENERAL_H
#define XNCC_CPU_KERNELS_GENERAL_H

#include "cpu/kernels/windows.h"
#include "plan/problem.h"
#include "plan/recipe.h"

/* What serves the integers of the general route: the kernel that computes the products, and the row
 * functions of its instruction set. */
typedef struct xncc_general_variant {
    const xncc_cpu_kernel *inner;
    const xncc_isa_windows *windows;
} xncc_general_variant;

/* The kernel functions of the general route. self->variant is an xncc_general_variant. */
void xncc_planes_shape(const xncc_cpu_kernel *self, const xncc_problem *problem, xncc_shape *shape);
void xncc_planes_begin(const xncc_cpu_kernel *self, const xncc_job *job, void *shared,
                       void *scratch);
void xncc_planes_area(const xncc_cpu_kernel *self, const xncc_job *job, void *scratch,
                      const xncc_area *area);

/* The kernel functions for padded problems of signed pixels. self->variant is the xncc_cpu_kernel
 * that serves unsigned ones. */
void xncc_signed_shape(const xncc_cpu_kernel *self, const xncc_problem *problem, xncc_shape *shape);
void xncc_signed_begin(const xncc_cpu_kernel *self, const xncc_job *job, void *shared,
                       void *scratch);
void xncc_signed_area(const xncc_cpu_kernel *self, const xncc_job *job, void *scratch,
                      const xncc_area *area);

/* A rectangle of the image with its border. Its first pixel is image pixel (left, top), which may
 * lie outside. */
typedef struct xncc_stage {
    const xncc_job *job;
    int64_t left, top;
    int32_t width, height;
    int64_t pitch;  /* elements per row of a plane */
    uint8_t *count; /* plane of 1 (the pixel counts) and 0; NULL: all pixels count */
    uint8_t *ones;  /* a row of ones */
    uint8_t *mask;  /* memory for a row of the mask */
    void *raw;      /* memory for a row of the image */
    void *pick;     /* memory for a row of one channel's samples */
} xncc_stage;

/* Divides `memory` into the four row buffers, which share no cache line, and returns the bytes
 * needed. If memory is NULL, only returns the bytes. */
uint64_t xncc_stage_layout(const xncc_problem *problem, int32_t width, char *memory,
                           xncc_stage *stage);

/* Returns row y of the rectangle: interleaved samples as the image stores them, 0 outside the image
 * with the zero border. */
const void *xncc_stage_raw(const xncc_stage *stage, int32_t y);
/* Writes which pixels of row y count, 1 or 0 each. */
void xncc_stage_count_row(const xncc_stage *stage, int32_t y, uint8_t *out);

/* Fills stage->count and says whether all, some or none of the pixels count. */
typedef enum xncc_counts { XNCC_COUNTS_NONE, XNCC_COUNTS_SOME, XNCC_COUNTS_ALL } xncc_counts;
xncc_counts xncc_stage_counts(xncc_stage *stage);

/* Fills a plane with digits of `bytes` bytes. Returns 0 only if the plane is all 0. */
uint32_t xncc_stage_plane(const xncc_stage *stage, const xncc_isa_windows *isa,
                          const xncc_plane_of *plane, int bytes, void *out);

#endif
