/* SPDX-License-Identifier: BSD-2-Clause */
/* The `fft` kernels: products by exact overlap-save convolution in double precision. fft.c divides
 * the map into blocks; fft_body.h, built once per instruction set, transforms them.
 * docs/notes/2026-11-cpu-kernels.md has measurements.
 *
 * A row of a block of the image has 2 * nx real elements. The first nx of them are the real parts
 * of nx complex numbers, and the others the imaginary parts. Element j of these is multiplied by
 * the twist, w^j with w the root of one whose power of nx is i. The result, multiplied by w^-j,
 * then has the same form: the transforms multiply polynomials modulo x^nx - i, in which i is the
 * place of x^nx, so that they multiply real polynomials modulo x^(2 nx) + 1. Forward transforms
 * leave their output in the order in which they produce it. The template's spectrum has the same
 * order, and the inverse transform undoes it.
 *
 * Rounding the results gives exact integers: see plan/fft_blocking.h. */
#ifndef XNCC_CPU_KERNELS_FFT_H
#define XNCC_CPU_KERNELS_FFT_H

#include "cpu/kernels/products.h"
#include "plan/fft_blocking.h"

/* A row of pixels, bytes or words. */
typedef struct xncc_fft_pixels {
    const void *row;
    int32_t count; /* at most 2 * nx; the rest of the row counts as shifted pixels of 0 */
    int words;
} xncc_fft_pixels;

/* Sums of products of planes of the image with planes of a template, of which the rows are
 * transformed. Those that are not all 0 have arrays, held by columns (plane_bytes, plane_row_in).
 * Sum k is that of the products of planes i and weight[k] - i. It may take the place of an array of
 * the image, or of the template if that is not needed again. */
typedef struct xncc_fft_sums {
    int all[2], arrays[2], count; /* planes of the image, [0], and of the template, [1]; arrays;
                                     sums */
    const int *array[2];          /* of each plane, or -1 */
    char *const *plane[2];        /* the arrays */
    const uint64_t *row[2]; /* bit k of row[i][y]: row y of array k was written; others are zeros */
    int known;              /* 1: the columns of the template's arrays are transformed, too */
    char *const *sum;
    int32_t wanted;      /* rows of a sum */
    const int *weight;   /* of each sum, the lowest first */
    int32_t part, parts; /* of the columns, as in xncc_fft_source */
    void *buffer; /* XNCC_FFT_COLUMN bytes for each row of each array of the image or sum, whichever
                     are more, 2 * XNCC_FFT_PIECE times that for each of them, and XNCC_FFT_PIECE
                     times that once more */
} xncc_fft_sums;

/* What is convolved: the spectrum of a block of the image that several templates share; NULL: none.
 * And the rows of the array that it comes from, which are zeros from `rows` on, whatever the array
 * holds there; and those of the results that are wanted. 0: all rows. templ_rows: 0, or spectrum[0]
 * is not one, but such an array of the template, of which only the rows are transformed. Columns:
 * part `part` of `parts` of them, which any thread may take; parts 0: all. */
typedef struct xncc_fft_source {
    void *spectrum;
    int known; /* 1: to be used; 0: to be written */
    int32_t rows, wanted, templ_rows, part, parts;
} xncc_fft_source;

/* The columns of an array of which the rows from `rows` on are zeros, whatever the array holds
 * there. Part `part` of `parts` of them, which any thread may transform. */
typedef struct xncc_fft_part {
    char *array;
    int32_t rows, part, parts;
    void *spectrum;
} xncc_fft_part;

/* Planes of the image, of which the rows are transformed, each with the spectrum of its template:
 * 1 to XNCC_FFT_AT_ONCE of them. The rows of the arrays are zeros from `rows` on, whatever the
 * arrays hold there. The sum of all products is left, transformed back but for the rows, in
 * array[0], of which `wanted` rows are wanted; 0: all rows. Where there are more products than
 * these, `sum`, which has the size of a spectrum, is theirs: the first call begins it, and the last
 * one leaves all in its array[0]. */
typedef struct xncc_fft_products {
    int count;
    char *const *array;
    const void *const *templ;
    int32_t rows, wanted;
    void *sum;
    int first, last;
    void *buffer;        /* count * (ny + XNCC_FFT_PIECE) * XNCC_FFT_COLUMN bytes */
    int32_t part, parts; /* of the columns, as in xncc_fft_source */
} xncc_fft_products;

enum {
    XNCC_FFT_COLUMN = 128,
    XNCC_FFT_PIECE = 4,
    XNCC_FFT_AT_ONCE = 4,
    XNCC_FFT_MOST_SUMS = 64 /* planes of an operand, and sums of their products */
};

/* The transforms of one instruction set. Arrays are complex, with ny rows of row_bytes(nx) bytes,
 * each made of 2 * nx real elements. A spectrum has the size of nx * ny complex numbers. */
typedef struct xncc_fft_isa {
    uint64_t (*row_bytes)(int32_t nx);
    uint64_t (*table_bytes)(int32_t nx, int32_t ny);
    void (*tables)(int32_t nx, int32_t ny, void *table);
    /* Transforms a row of pixels, shifted by 128 (u8) or 32768 (u16), into a row of an array. */
    void (*row_in)(const void *table, const xncc_fft_blocking *blocking,
                   const xncc_fft_pixels *pixels, void *row);
    /* Transforms a row of 2 * nx doubles. */
    void (*reals_in)(const void *table, const xncc_fft_blocking *blocking, const double *line,
                     void *row);
    /* Transforms columns of an array of such rows into a spectrum, scaled by 1 / (nx * ny). Stops
     * if the call is cancelled. */
    void (*columns)(const void *table, const xncc_fft_blocking *blocking, const xncc_watch *watch,
                    const xncc_fft_part *part);
    /* Transforms the columns of array[0], multiplies them by the conjugate of each plane's
     * spectrum, and transforms back into array[plane]. buffer: 2 * ny vectors of complex numbers,
     * XNCC_FFT_COLUMN bytes each. Stops if the call is cancelled. If source.spectrum is not NULL,
     * it receives the transformed columns or, if source.known is 1, has them, and array[0] is only
     * written. */
    void (*convolve)(const void *table, const xncc_fft_blocking *blocking, const xncc_watch *watch,
                     xncc_fft_source source, char *const array[2], char *const spectrum[2],
                     void *buffer);
    /* Adds up products (xncc_fft_products). Stops if the call is cancelled. */
    void (*add)(const void *table, const xncc_fft_blocking *blocking, const xncc_watch *watch,
                const xncc_fft_products *products);
    /* The bytes of a plane that is held by columns. */
    uint64_t (*plane_bytes)(int32_t nx, int32_t ny);
    /* Transforms row y of a plane, 2 * nx doubles. buffer: of row_bytes(nx) bytes. */
    void (*plane_row_in)(const void *table, const xncc_fft_blocking *blocking, const double *line,
                         void *buffer, char *plane, int32_t y);
    /* Sums of products of planes (xncc_fft_sums): transforms the columns of the planes, and leaves
     * the transformed back columns of the sums. Stops if the call is cancelled. */
    void (*sums)(const void *table, const xncc_fft_blocking *blocking, const xncc_watch *watch,
                 const xncc_fft_sums *sums);
    /* Transforms row y of a sum back. out has room for whole vectors. */
    void (*plane_row_out)(const void *table, const xncc_fft_blocking *blocking, char *plane,
                          int32_t y, void *buffer, int32_t count, double *out);
    /* Transforms a row back and rounds its first `count` elements to integers. */
    void (*row_out)(const void *table, const xncc_fft_blocking *blocking, void *row, int32_t count,
                    int64_t *out);
    /* The same, for results that fit 32 bits, also after adding `more`. */
    void (*row_out_narrow)(const void *table, const xncc_fft_blocking *blocking, void *row,
                           int32_t count, int32_t more, int32_t *out);
    /* The same without rounding. out has room for whole vectors. */
    void (*reals_out)(const void *table, const xncc_fft_blocking *blocking, void *row,
                      int32_t count, double *out);
    /* The elements of a row that reals_out has transformed back. */
    void (*results)(const xncc_fft_blocking *blocking, const void *row, int32_t count, double *out);
} xncc_fft_isa;

/* The functions that all instruction sets share. self->variant is an xncc_fft_isa. */
xncc_kernel_memory xncc_fft_memory(const xncc_product_kernel *self, const xncc_cpu_blocks *blocks,
                                   int32_t width);
void xncc_fft_begin(const xncc_product_kernel *self, const xncc_cpu_blocks *blocks,
                    const xncc_template *templ, const xncc_watch *watch, void *shared,
                    void *scratch);
/* The bytes of the spectrum of a block (xncc_image_spectra), or 0 for another kernel. */
uint64_t xncc_fft_spectrum_bytes(const xncc_product_kernel *self, const xncc_cpu_blocks *blocks);
void xncc_fft_compute(const xncc_product_kernel *self, const xncc_plane_product *product,
                      void *const *scratch, int count);

#endif
