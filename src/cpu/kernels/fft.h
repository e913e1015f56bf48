/* The `fft` kernel: products by exact overlap-save convolution in double precision. fft.c cuts the
 * map into blocks and drives; one build of fft_body.h for each instruction set transforms.
 * docs/performance-cpu.md has the measurements.
 *
 * Two neighbouring blocks of the image travel as the real and the imaginary part of one complex
 * array: the template is real, so the two results come back as the real and the imaginary part.
 * Forward transforms leave their output in whatever order they produce it, the template's spectrum
 * has the same order, and the inverse undoes it.
 *
 * Rounding the results gives exact integers: plan/cut_fft.h. */
#ifndef XNCC_CPU_KERNELS_FFT_H
#define XNCC_CPU_KERNELS_FFT_H

#include "cpu/kernels/windows.h"
#include "plan/fft_blocking.h"

/* Rows of pixels of the two blocks. */
typedef struct xncc_fft_pixels {
    const void *a, *b;
    int32_t count_a, count_b; /* at most nx; what follows counts as shifted pixels of 0 */
    xncc_pixel pixel;
} xncc_fft_pixels;

/* One instruction set's transforms. Arrays are complex, ny rows of row_bytes(nx) bytes; a spectrum
 * has as many bytes as nx * ny complex numbers. */
typedef struct xncc_fft_isa {
    uint64_t (*row_bytes)(int32_t nx);
    uint64_t (*table_bytes)(int32_t nx, int32_t ny);
    void (*tables)(int32_t nx, int32_t ny, void *table);
    /* A row of pixels, shifted by 128 or 32768, into a transformed row of an array. */
    void (*row_in)(const void *table, const xncc_fft_blocking *cut, const xncc_fft_pixels *pixels,
                   void *row);
    /* nx template digits likewise. */
    void (*digits_in)(const void *table, const xncc_fft_blocking *cut, const double *digit,
                      void *row);
    /* An array of such rows into a spectrum, scaled by 1 / (nx * ny). */
    void (*columns)(const void *table, const xncc_fft_blocking *cut, char *array, void *spectrum);
    /* The columns of array[0] forward, times the conjugate of each plane's spectrum, backward into
     * array[plane]. buffer: 2 * ny vectors of complex numbers, XNCC_FFT_COLUMN bytes each. */
    void (*convolve)(const void *table, const xncc_fft_blocking *cut, char *const array[2],
                     char *const spectrum[2], void *buffer);
    /* A row back to integers: `count` of the real and of the imaginary part. */
    void (*row_out)(const void *table, const xncc_fft_blocking *cut, void *row, int32_t count,
                    int64_t *a, int64_t *b);
    const xncc_isa_windows *windows;
} xncc_fft_isa;

enum { XNCC_FFT_COLUMN = 128 };

/* What fft.c does for every instruction set; self->variant is a xncc_fft_isa. */
void xncc_fft_shape(const xncc_cpu_kernel *self, const xncc_problem *problem, xncc_shape *shape);
void xncc_fft_begin(const xncc_cpu_kernel *self, const xncc_job *job, void *shared, void *scratch);
void xncc_fft_area(const xncc_cpu_kernel *self, const xncc_job *job, void *scratch,
                   const xncc_area *area);
void xncc_fft_pair(const xncc_cpu_kernel *self, const xncc_job job[2], void *const scratch[2],
                   const xncc_area area[2]);

#endif
