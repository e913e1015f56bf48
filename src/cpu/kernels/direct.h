/* The `direct` kernels: sums of products by SIMD, window sums that slide, the score by the row.
 * direct.c drives, one file for each instruction set fills a xncc_direct_isa.
 * docs/performance-cpu.md explains the layout and what was measured.
 *
 * Correlation as phases. With P template pixels in a dword (4 bytes, or 2 words) an accumulator
 * lane l of phase p is the map column P*l + p. Image dword l + g, loaded unshifted, meets the
 * template row shifted right by p pixels: its dword g, the same for all lanes. So a template row is
 * stored as table[g][p] dwords, g < groups = ceil((w + P - 1) / P), zero where the shift leaves
 * nothing. With P = 1 (portable C) there is one phase and a dword is one template pixel. */
#ifndef XNCC_CPU_KERNELS_DIRECT_H
#define XNCC_CPU_KERNELS_DIRECT_H

#include "cpu/kernels/general_rows.h"
#include "cpu/kernels/kernel.h"

/* How pixels are staged and the template tabulated.
 * BYTES: image u8, template T - 128 as s8; a product is at most 255 * 128 = 32640 in size.
 * WORDS: for u8: image and T - 128 as s16, the same products.
 *        for u16: image I - 32768 as s16, template T - 32896 = 256*a + b with a, b in -128 .. 127
 * (that covers exactly 65536 values), a and b as s16 in two planes; a product is at most 32768 *
 * 128 = 2^22 in size. SINGLE: the image as for WORDS, one template pixel a dword. */
typedef enum xncc_form { XNCC_FORM_BYTES, XNCC_FORM_WORDS, XNCC_FORM_SINGLE } xncc_form;

/* An accumulator of 32 bits takes P products for each group: P * 32640 (u8) or P * 2^22 (u16). So
 * many groups fit 2^31
 * - 1. */
enum { XNCC_MOST_PRODUCTS_U8 = 65792, XNCC_MOST_PRODUCTS_U16 = 511 };

/* Sums of products for up to isa->rows rows of the map. */
typedef struct xncc_dot {
    const void *const *row; /* staged image rows, at the column that the first template column
                               meets; rows + live - 1 of them */
    const int32_t *table;   /* table[((j * groups + g) * planes + plane) * phases + p] */
    int32_t rows;           /* template rows, rows * groups within the bound above */
    int32_t groups;
    int32_t live;    /* map rows wanted, 1 .. */
    int32_t columns; /* map columns, a multiple of the tile */
    int32_t *out;    /* out[(r * planes + plane) * stride + x] */
    ptrdiff_t stride;
} xncc_dot;

/* Column sums as one number: sum in the low 32 bits, sum of squares above, added modulo 2^64; true
 * window sums have both fields below 2^32 (see narrow in windows.h), so what a field borrows on the
 * way cancels out. */
typedef struct xncc_wide_row {
    const uint64_t *X, *S, *Q;
} xncc_wide_row;

/* A row of exact sums to give away: X gets x32 (or, where that is NULL, gathered) + 128 * S,
 * shifted; S is NULL where the products need no S. When packed S holds S and Q, else Q stands
 * apart. */
typedef struct xncc_given_row {
    const int32_t *x32;
    const int64_t *gathered;
    const uint64_t *S, *Q;
    uint64_t *X, *out_S, *out_Q;
    int32_t packed, count, shift, add;
} xncc_given_row;

typedef struct xncc_isa_windows {
    void (*add_u8)(uint64_t *column, const uint8_t *enter, int32_t count);
    void (*slide_u8)(uint64_t *column, const uint8_t *enter, const uint8_t *leave, int32_t count);
    /* window[x] = sum of column[x .. x + width - 1] */
    void (*window)(const uint64_t *column, int32_t width, uint64_t *window, int32_t count);
    void (*score)(xncc_method method, const xncc_score_rule *rule, const int32_t *x,
                  const uint64_t *window, float *out, int32_t count);
    /* Without bounds on the sums: S and Q apart. */
    void (*wide_add)(uint64_t *S, uint64_t *Q, const void *enter, xncc_pixel pixel, int32_t count);
    void (*wide_slide)(uint64_t *S, uint64_t *Q, const void *enter, const void *leave,
                       xncc_pixel pixel, int32_t count);
    void (*wide_score)(xncc_method method, const xncc_score_rule *rule, const xncc_wide_row *row,
                       float *out, int32_t count);
    /* Parts of the joint route (cpu/joint.h). */
    void (*give)(const xncc_given_row *row);
    uint32_t (*plane)(const xncc_plane_row *row);
    void (*fold)(const xncc_fold_row *row);
    void (*general_score)(xncc_method method, const xncc_general_rule *rule,
                          const xncc_general_row *row);
} xncc_isa_windows;

/* How one pixel type's products are made. */
typedef struct xncc_isa_dot {
    xncc_form form;
    int32_t rows; /* map rows that one pass computes, at most XNCC_MOST_ROWS */
    void (*dot)(const xncc_dot *dot);
} xncc_isa_dot;

enum { XNCC_MOST_ROWS = 6, XNCC_TILE = 64 /* columns; every isa's tile divides it */ };

typedef struct xncc_direct_isa {
    xncc_isa_dot u8, u16;
    const xncc_isa_windows *windows;
} xncc_direct_isa;

/* What direct.c does for every instruction set; self->variant is a xncc_direct_isa. */
void xncc_direct_shape(const xncc_cpu_kernel *self, const xncc_problem *problem, xncc_shape *shape);
void xncc_direct_begin(const xncc_cpu_kernel *self, const xncc_job *job, void *shared,
                       void *scratch);
void xncc_direct_area(const xncc_cpu_kernel *self, const xncc_job *job, void *scratch,
                      const xncc_area *area);

#endif
