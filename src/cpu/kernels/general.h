/* Problems of the joint route (plan/decide.h), and how images of several channels, with masks and
 * borders are laid out for them.
 *
 * Integers: a rectangle of the map is worked on by planes. Where not every pixel need count, the
 * plane that says which do; then, channel by channel, the byte planes that plan/products.h lists,
 * each laid out with its border in the thread's scratch and put under the template's planes by the
 * kernel that serves the plain problem; window sums beside them; the terms of the formulas, and the
 * scores. A plane that is 0 all over takes no product, and in a rectangle whose pixels all count
 * the sums of the template alone are constants. */
#ifndef XNCC_CPU_KERNELS_GENERAL_H
#define XNCC_CPU_KERNELS_GENERAL_H

#include "cpu/kernels/windows.h"
#include "plan/problem.h"
#include "plan/recipe.h"

/* What serves the joint route's integers: the kernel that makes the products, and the rows of its
 * instruction set. */
typedef struct xncc_general_variant {
    const xncc_cpu_kernel *inner;
    const xncc_isa_windows *windows;
} xncc_general_variant;

/* self->variant is a xncc_general_variant. */
void xncc_planes_shape(const xncc_cpu_kernel *self, const xncc_problem *problem, xncc_shape *shape);
void xncc_planes_begin(const xncc_cpu_kernel *self, const xncc_job *job, void *shared,
                       void *scratch);
void xncc_planes_area(const xncc_cpu_kernel *self, const xncc_job *job, void *scratch,
                      const xncc_area *area);

/* Padded problems of signed pixels: self->variant is the xncc_cpu_kernel that serves unsigned ones.
 */
void xncc_signed_shape(const xncc_cpu_kernel *self, const xncc_problem *problem, xncc_shape *shape);
void xncc_signed_begin(const xncc_cpu_kernel *self, const xncc_job *job, void *shared,
                       void *scratch);
void xncc_signed_area(const xncc_cpu_kernel *self, const xncc_job *job, void *scratch,
                      const xncc_area *area);

/* A rectangle of the image, with its border: image pixel (left, top) is the first of width x
 * height. */
typedef struct xncc_stage {
    const xncc_job *job;
    int64_t left, top;
    int32_t width, height;
    int64_t pitch;  /* elements of a plane's row */
    uint8_t *count; /* plane of 1 and 0; NULL: all pixels count */
    uint8_t *ones;  /* a row of them */
    uint8_t *mask;  /* room for a row of the mask */
    void *raw;      /* room for a row of the image */
    void *pick;     /* room for a row of one channel's samples */
} xncc_stage;

/* Bytes of the four rows, 64 apart; memory NULL: only counts. */
uint64_t xncc_stage_lay(const xncc_problem *problem, int32_t width, char *memory,
                        xncc_stage *stage);

/* Row y of the rectangle: the samples as the image has them, interleaved; 0 outside a zero border.
 */
const void *xncc_stage_raw(const xncc_stage *stage, int32_t y);
/* Which pixels of row y count: 1 or 0. */
void xncc_stage_count_row(const xncc_stage *stage, int32_t y, uint8_t *out);

/* Fills stage->count. */
typedef enum xncc_counts { XNCC_COUNTS_NONE, XNCC_COUNTS_SOME, XNCC_COUNTS_ALL } xncc_counts;
xncc_counts xncc_stage_counts(xncc_stage *stage);

/* Fills a plane of digits of `bytes` bytes; returns 0 only where all of it is 0. */
uint32_t xncc_stage_plane(const xncc_stage *stage, const xncc_isa_windows *isa,
                          const xncc_plane_of *plane, int bytes, void *out);

#endif
