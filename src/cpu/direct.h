/* The `direct` kernels: sums of products by SIMD, window sums that slide, the score by the row. direct.c drives, one
 * file for each instruction set fills a cm_direct_isa. docs/performance-cpu.md explains the layout and what was
 * measured.
 *
 * Correlation as phases. With P template pixels in a dword (4 bytes, or 2 words) an accumulator lane l of phase p is
 * the map column P*l + p. Image dword l + g, loaded unshifted, meets the template row shifted right by p pixels: its
 * dword g, the same for all lanes. So a template row is stored as table[g][p] dwords, g < groups = ceil((w + P - 1) /
 * P), zero where the shift leaves nothing. With P = 1 (portable C) there is one phase and a dword is one template
 * pixel. */
#ifndef CM_CPU_DIRECT_H
#define CM_CPU_DIRECT_H

#include "cpu/joint_rows.h"
#include "cpu/kernel.h"

/* How pixels are staged and the template tabulated.
 * BYTES: image u8, template T - 128 as s8; a product is at most 255 * 128 = 32640 in size.
 * WORDS: for u8: image and T - 128 as s16, the same products.
 *        for u16: image I - 32768 as s16, template T - 32896 = 256*a + b with a, b in -128 .. 127 (that covers exactly
 * 65536 values), a and b as s16 in two planes; a product is at most 32768 * 128 = 2^22 in size. SINGLE: the image as
 * for WORDS, one template pixel a dword. */
typedef enum cm_form { CM_FORM_BYTES, CM_FORM_WORDS, CM_FORM_SINGLE } cm_form;

/* An accumulator of 32 bits takes P products for each group: P * 32640 (u8) or P * 2^22 (u16). So many groups fit 2^31
 * - 1. */
enum { CM_MOST_PRODUCTS_U8 = 65792, CM_MOST_PRODUCTS_U16 = 511 };

/* Sums of products for up to isa->rows rows of the map. */
typedef struct cm_dot {
    const void *const
        *row; /* staged image rows, at the column that the first template column meets; rows + live - 1 of them */
    const int32_t *table; /* table[((j * groups + g) * planes + plane) * phases + p] */
    int32_t rows;         /* template rows, rows * groups within the bound above */
    int32_t groups;
    int32_t live;    /* map rows wanted, 1 .. */
    int32_t columns; /* map columns, a multiple of the tile */
    int32_t *out;    /* out[(r * planes + plane) * stride + x] */
    ptrdiff_t stride;
} cm_dot;

/* Column sums as one number: sum in the low 32 bits, sum of squares above, added modulo 2^64; true window sums have
 * both fields below 2^32 (see narrow in windows.h), so what a field borrows on the way cancels out. */
typedef struct cm_wide_row {
    const uint64_t *X, *S, *Q;
} cm_wide_row;

/* A row of exact sums to give away: X gets x32 (or, where that is NULL, gathered) + 128 * S, shifted; S is NULL where
 * the products need no S. When packed S holds S and Q, else Q stands apart. */
typedef struct cm_given_row {
    const int32_t *x32;
    const int64_t *gathered;
    const uint64_t *S, *Q;
    uint64_t *X, *out_S, *out_Q;
    int32_t packed, count, shift, add;
} cm_given_row;

typedef struct cm_isa_windows {
    void (*add_u8)(uint64_t *column, const uint8_t *enter, int32_t count);
    void (*slide_u8)(uint64_t *column, const uint8_t *enter, const uint8_t *leave, int32_t count);
    /* window[x] = sum of column[x .. x + width - 1] */
    void (*window)(const uint64_t *column, int32_t width, uint64_t *window, int32_t count);
    void (*score)(cm_method method, const cm_score_rule *rule, const int32_t *x, const uint64_t *window, float *out,
                  int32_t count);
    /* Without bounds on the sums: S and Q apart. */
    void (*wide_add)(uint64_t *S, uint64_t *Q, const void *enter, cm_pixel pixel, int32_t count);
    void (*wide_slide)(uint64_t *S, uint64_t *Q, const void *enter, const void *leave, cm_pixel pixel, int32_t count);
    void (*wide_score)(cm_method method, const cm_score_rule *rule, const cm_wide_row *row, float *out, int32_t count);
    /* Parts of the joint route (cpu/joint.h). */
    void (*give)(const cm_given_row *row);
    uint32_t (*plane)(const cm_plane_row *row);
    void (*fold)(const cm_fold_row *row);
    void (*joint_score)(cm_method method, const cm_joint_rule *rule, const cm_joint_row *row);
} cm_isa_windows;

/* How one pixel type's products are made. */
typedef struct cm_isa_dot {
    cm_form form;
    int32_t rows; /* map rows that one pass computes, at most CM_MOST_ROWS */
    void (*dot)(const cm_dot *dot);
} cm_isa_dot;

enum { CM_MOST_ROWS = 6, CM_TILE = 64 /* columns; every isa's tile divides it */ };

typedef struct cm_direct_isa {
    cm_isa_dot u8, u16;
    const cm_isa_windows *windows;
} cm_direct_isa;

/* What direct.c does for every instruction set; self->variant is a cm_direct_isa. */
void cm_direct_shape(const cm_cpu_kernel *self, const cm_problem *problem, cm_shape *shape);
void cm_direct_begin(const cm_cpu_kernel *self, const cm_job *job, void *shared, void *scratch);
void cm_direct_area(const cm_cpu_kernel *self, const cm_job *job, void *scratch, const cm_area *area);

#endif
