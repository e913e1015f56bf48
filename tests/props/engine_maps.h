/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps of a GPU beside those of the CPU and the oracle's scores. */
#ifndef TESTS_PROPS_ENGINE_MAPS_H
#define TESTS_PROPS_ENGINE_MAPS_H

#include "kit/oracle_general.h"

/* What makes the map that is checked, by a kernel, and what makes the one that it must be. */
typedef struct engine_pair {
    xncc_context *gpu, *cpu;
    const char *kernel;
} engine_pair;

/* The maps of both engines must have the same bits, but for those of a NaN, and so many windows,
 * drawn at random, must score as the oracle says; none if pixels are u32. options: without a
 * kernel. what: for the text of a failure. */
void check_engine_maps(const engine_pair *engines, const xncc_image *image, const xncc_image *templ,
                       const kit_options *options, int windows, kit_random *random,
                       const char *what);

#endif
