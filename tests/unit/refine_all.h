/* What the parts of the test of refinement share. */
#ifndef UNIT_REFINE_ALL_H
#define UNIT_REFINE_ALL_H

#include "kit/device.h"

/* cm_refine against the fit of the scores of the whole map, at every position of a small map. */
void check_against_map(cm_context *context, const cm_image *scene, const cm_image *part, const cm_find_options *o);

/* The same for problems of every kind. */
void check_every_problem(cm_context *context, int on_device);

#endif
