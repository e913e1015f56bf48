/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the test of poses. */
#ifndef UNIT_POSE_H
#define UNIT_POSE_H

#include "kit/pixels.h"

/* The instruction sets to test: none, and one more each time that the processor has. */
enum { POSE_SETS = 3 };
uint32_t pose_features_of(int set);

/* pose_resample.c: templates at poses, against an oracle of their own. */
void check_resampling(xncc_context *context);

/* pose_search.c: xncc_find_poses. */
void check_searches(xncc_context *context, xncc_device device);

/* pose_sizes.c: on a GPU, templates of several sizes. */
void check_sizes(xncc_context *context, xncc_device device);

/* pose_levels.c: the levels of images and templates. */
void check_levels(void);

/* pose_sieve.c: which candidates go on from a level. */
void check_sieve(void);

/* pose_running.c: running sums, and the scores that they give. */
void check_running(void);

/* pose_sample.c: probes by steps alone. */
void check_sampled(void);

/* pose_climb.c: where candidates climb to. */
void check_climb(xncc_context *context);

/* pose_many.c: many objects, and how many poses are tried. */
void check_many(xncc_context *context, xncc_device device);

#endif
