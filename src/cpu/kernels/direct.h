/* The `direct` kernels: sums of products in SIMD, sliding window sums, and a score computed row by
 * row. direct.c is the part that all instruction sets share; one file per instruction set defines
 * an xncc_direct_isa.
 *
 * Correlation in phases. Let P be the number of template pixels in a dword (4 bytes, or 2 words of
 * 16 bits). Accumulator lane l of phase p is the map column P*l + p. Image dword l + g, loaded
 * without a shift, is multiplied by dword g of the template row shifted right by p pixels, which is
 * the same for all lanes. So a template row is stored as table[g][p] dwords with g < groups =
 * ceil((w + P - 1) / P), zero where the shift leaves no pixel. With P = 1 (portable C) there is one
 * phase, and a dword is one template pixel. */
#ifndef XNCC_CPU_KERNELS_DIRECT_H
#define XNCC_CPU_KERNELS_DIRECT_H

#include "cpu/kernels/general_rows.h"
#include "cpu/kernels/kernel.h"

/* How pixels are staged and how the template is tabulated.
 * - XNCC_FORM_BYTES: the image is u8, the template T - 128 as s8. A product is at most 255 * 128 =
 *   32640 in magnitude.
 * - XNCC_FORM_WORDS, u8: image and T - 128 as s16; the same products.
 * - XNCC_FORM_WORDS, u16: the image is I - 32768 as s16. The template is T - 32896 = 256*a + b with
 *   a and b in -128 .. 127, which covers exactly 65536 values; a and b are s16 in two planes. A
 *   product is at most 32768 * 128 = 2^22 in magnitude.
 * - XNCC_FORM_SINGLE: the image as for XNCC_FORM_WORDS, one template pixel per dword. */
typedef enum xncc_form { XNCC_FORM_BYTES, XNCC_FORM_WORDS, XNCC_FORM_SINGLE } xncc_form;

/* The most products that a 32-bit accumulator can add without exceeding 2^31 - 1. A product is at
 * most 32640 (u8) or 2^22 (u16) in magnitude, and each group adds P of them. */
enum { XNCC_MOST_PRODUCTS_U8 = 65792, XNCC_MOST_PRODUCTS_U16 = 511 };

/* The arguments of a kernel's dot function, which computes sums of products for up to isa->rows
 * rows of the map. */
typedef struct xncc_dot {
    /* Staged image rows, each from the column that the first template column meets: rows + live - 1
     * of them. */
    const void *const *row;
    const int32_t *table; /* table[((j * groups + g) * planes + plane) * phases + p] */
    int32_t rows;         /* template rows; rows * groups * P is within the bound above */
    int32_t groups;
    int32_t live;    /* map rows to compute, at least 1 */
    int32_t columns; /* map columns, a multiple of the kernel's tile */
    int32_t *out;    /* out[(r * planes + plane) * stride + x] */
    ptrdiff_t stride;
} xncc_dot;

/* The sums of a row of windows, 64 bits each. Narrow rows (windows.h) are packed instead: S in the
 * low 32 bits and Q in the high 32 bits of one number, added modulo 2^64. A column sum may borrow
 * between the two fields while it slides; the sums of whole windows have both fields below 2^32, so
 * the borrows cancel. */
typedef struct xncc_wide_row {
    const uint64_t *X, *S, *Q;
} xncc_wide_row;

/* A row of exact sums to be written out. X receives (x32, or `gathered` if x32 is NULL) + 128 * S,
 * shifted left by `shift`. S is NULL if the products need no S. If packed, S holds S and Q
 * together; otherwise Q is separate. */
typedef struct xncc_emit_row {
    const int32_t *x32;
    const int64_t *gathered;
    const uint64_t *S, *Q;
    uint64_t *X, *out_S, *out_Q;
    int32_t packed, count, shift, add;
} xncc_emit_row;

typedef struct xncc_isa_windows {
    void (*add_u8)(uint64_t *column, const uint8_t *enter, int32_t count);
    void (*slide_u8)(uint64_t *column, const uint8_t *enter, const uint8_t *leave, int32_t count);
    /* window[x] = sum of column[x .. x + width - 1] */
    void (*window)(const uint64_t *column, int32_t width, uint64_t *window, int32_t count);
    void (*score)(xncc_method method, const xncc_score_rule *rule, const int32_t *x,
                  const uint64_t *window, float *out, int32_t count);
    /* The following keep S and Q apart, in 64 bits each, for windows of any size. */
    void (*wide_add)(uint64_t *S, uint64_t *Q, const void *enter, xncc_pixel pixel, int32_t count);
    void (*wide_slide)(uint64_t *S, uint64_t *Q, const void *enter, const void *leave,
                       xncc_pixel pixel, int32_t count);
    void (*wide_score)(xncc_method method, const xncc_score_rule *rule, const xncc_wide_row *row,
                       float *out, int32_t count);
    /* The following serve the general route (general.h, general_rows.h). */
    void (*emit)(const xncc_emit_row *row);
    uint32_t (*plane)(const xncc_plane_row *row);
    void (*accumulate_terms)(const xncc_terms_row *row);
    void (*general_score)(xncc_method method, const xncc_general_rule *rule,
                          const xncc_general_row *row);
} xncc_isa_windows;

/* How the products of one pixel type are computed. */
typedef struct xncc_isa_dot {
    xncc_form form;
    int32_t rows; /* map rows per call, at most XNCC_MOST_ROWS */
    void (*dot)(const xncc_dot *dot);
} xncc_isa_dot;

enum { XNCC_MOST_ROWS = 6, XNCC_TILE = 64 /* columns; every instruction set's tile divides it */ };

typedef struct xncc_direct_isa {
    xncc_isa_dot u8, u16;
    const xncc_isa_windows *windows;
} xncc_direct_isa;

/* The functions that all instruction sets share. self->variant is an xncc_direct_isa. */
void xncc_direct_shape(const xncc_cpu_kernel *self, const xncc_problem *problem, xncc_shape *shape);
void xncc_direct_begin(const xncc_cpu_kernel *self, const xncc_job *job, void *shared,
                       void *scratch);
void xncc_direct_area(const xncc_cpu_kernel *self, const xncc_job *job, void *scratch,
                      const xncc_area *area);

#endif
