/* SPDX-License-Identifier: BSD-2-Clause */
/* What a batch prepares before its searches without bounds: of the image, which all templates
 * share, the sums of its windows and the spectra of its blocks; and each template, for all images.
 */
#ifndef XNCC_CPU_CPU_PREPARED_H
#define XNCC_CPU_CPU_PREPARED_H

#include "cpu/cpu_plan.h"

struct xncc_cpu_prepared {
    int in_use; /* 1: for the searches that begin now, all in one image */
    uint64_t *sums;
    xncc_window_plane windows;  /* packed: NULL if they are not shared */
    xncc_image_spectra spectra; /* data: NULL if they are not shared */
    uint64_t blocks;            /* of the image */
    char *memory, *scratch;     /* of all; scratch_step bytes per thread */
    uint64_t scratch_step;
    xncc_cpu_prepared_templ *templ; /* and their memory; NULL: each search prepares its own */
    size_t count;
};

/* Prepares the image, and the templates that are not done, for the searches that follow, until
 * xncc_cpu_prepared_end. Leaves out what the kernel does not share, and what takes too much memory.
 * Returns XNCC_OK, XNCC_ERROR_MEMORY, or XNCC_ERROR_CANCELLED. */
xncc_status xncc_cpu_prepared_begin(xncc_templ_run *run, xncc_error *error);

/* Gives a search what is prepared for it. */
void xncc_cpu_prepared_use(xncc_engine_plan *plan, xncc_job *job);

/* The memory is kept for the next image. */
void xncc_cpu_prepared_end(xncc_engine_plan *plan);

/* NULL is allowed. */
void xncc_cpu_prepared_destroy(xncc_cpu_prepared *prepared);

#endif
