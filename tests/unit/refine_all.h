/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the refinement test share. */
#ifndef UNIT_REFINE_ALL_H
#define UNIT_REFINE_ALL_H

#include "kit/device.h"

/* Compares xncc_refine with a fit to the scores of the whole map, at every position of a small
 * map. */
void check_against_map(xncc_context *context, const xncc_image *scene, const xncc_image *templ,
                       const kit_find_options *o);

/* The same for problems of every kind. */
void check_every_problem(xncc_context *context, int on_device);

#endif
