/* SPDX-License-Identifier: BSD-2-Clause */
/* What the searches for several templates in one image share: the sums of its windows, and the
 * spectra of its blocks. */
#ifndef XNCC_CPU_CPU_PREPARED_H
#define XNCC_CPU_CPU_PREPARED_H

#include "cpu/cpu_plan.h"

struct xncc_cpu_prepared {
    int in_use; /* 1: for the searches that begin now, all in one image */
    uint64_t *sums;
    xncc_window_plane windows;  /* packed: NULL if they are not shared */
    xncc_image_spectra spectra; /* data: NULL if they are not shared */
    uint64_t pairs;             /* of blocks */
    char *memory, *scratch;     /* of all; scratch_step bytes per thread */
    uint64_t scratch_step;
};

/* Prepares an image for the searches that follow, until xncc_cpu_prepared_end. Does nothing if the
 * kernel shares nothing, or if that takes too much memory. Returns XNCC_OK, XNCC_ERROR_MEMORY, or
 * XNCC_ERROR_CANCELLED. */
xncc_status xncc_cpu_prepared_begin(xncc_engine_plan *plan, const xncc_image *image,
                                    xncc_error *error);

/* The memory is kept for the next image. */
void xncc_cpu_prepared_end(xncc_engine_plan *plan);

/* NULL is allowed. */
void xncc_cpu_prepared_destroy(xncc_cpu_prepared *prepared);

#endif
