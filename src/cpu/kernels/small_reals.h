/* SPDX-License-Identifier: BSD-2-Clause */
/* Many small searches of floats, or of integers that floats hold, whose maps are computed whole
 * (XNCC_SMALL_REALS). What the searches of a neighbourhood have in common is made once: their
 * pixels as doubles, and the window sums. The products are Fourier transforms of two chips at a
 * time (chip_fft.h). As in reals.h, a score is decided by an interval that holds it, or is exact if
 * all sums are; the few windows that are left in doubt are settled one by one. A map that this does
 * not serve is left to the kernel of larger maps. */
#ifndef XNCC_CPU_KERNELS_SMALL_REALS_H
#define XNCC_CPU_KERNELS_SMALL_REALS_H

#include "cpu/kernels/chip_fft.h"
#include "cpu/kernels/kernel.h"

/* The functions of an instruction set. */
typedef struct xncc_small_reals_isa {
    const struct xncc_reals_isa *reals;
    const xncc_chip_fft_isa *fft;
} xncc_small_reals_isa;

/* Returns those of a kernel of the kernel table; NULL if there are none. */
const xncc_small_reals_isa *xncc_small_reals_isa_of(xncc_kernel kernel);

/* What a thread has (small_reals_thread.h). */
typedef struct xncc_small_reals xncc_small_reals;

/* Prepares a thread's memory, and returns the bytes needed. If memory is NULL, only returns the
 * bytes. */
uint64_t xncc_small_reals_layout(const xncc_small_reals_isa *isa, const xncc_problem *problem,
                                 char *memory, xncc_small_reals **small);

/* Whether the memory has room for a rectangle of windows. The largest map always fits. */
int xncc_small_reals_has_room(const xncc_problem *problem, int64_t width, int64_t height);

/* Reads the pixels of a rectangle of windows, which are all inside the image, and makes the window
 * sums. Returns 0 if no map can be made of them: a sample is not finite, or too large. */
int xncc_small_reals_stage(const xncc_job *job, const xncc_area *area, xncc_small_reals *small);

/* A map that is wanted: of a chip, a view of the template's extents of which all pixels count, in a
 * rectangle of the windows that were staged. */
typedef struct xncc_reals_map {
    const xncc_image *chip;
    xncc_area area;
    int32_t done; /* set: 1 if the map was made; 0: it is to be made in another way */
} xncc_reals_map;

/* Makes one or two maps of the windows that were staged. The job's template is not used. */
void xncc_small_reals_maps(const xncc_job *job, xncc_reals_map *map, int count,
                           xncc_small_reals *small);

#endif
