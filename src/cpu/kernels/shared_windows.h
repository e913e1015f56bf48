/* SPDX-License-Identifier: BSD-2-Clause */
/* What several searches in one image share: window sums (xncc_job.windows), and the spectra of its
 * blocks (xncc_job.spectra). */
#ifndef XNCC_CPU_KERNELS_SHARED_WINDOWS_H
#define XNCC_CPU_KERNELS_SHARED_WINDOWS_H

#include "cpu/kernels/kernel.h"

/* Returns 1 if the kernel takes shared window sums. */
int xncc_shares_windows(const xncc_cpu_kernel *self, const xncc_cpu_blocks *blocks);

/* The bytes of scratch memory for areas up to `width` windows wide. */
uint64_t xncc_shared_windows_bytes(int32_t templ_width, int32_t width);

/* Computes the sums of the windows at (area->x, area->y) and on of the image, which are inside it,
 * to `out`, area->pitch elements per row. */
void xncc_shared_windows_fill(const xncc_cpu_kernel *self, const xncc_job *job,
                              const xncc_area *area, void *scratch, uint64_t *out);

/* Returns the bytes of the spectrum of a block, or 0 if the kernel takes none. */
uint64_t xncc_shared_spectrum_bytes(const xncc_cpu_kernel *self, const xncc_cpu_blocks *blocks);

#endif
