/* SPDX-License-Identifier: BSD-2-Clause */
/* A problem and what one device makes of it, for comparisons with teams. */
#ifndef UNIT_TEAM_TRY_H
#define UNIT_TEAM_TRY_H

#include "unit/team.h"

enum { TEAM_MOST = 3000 };

typedef struct team_trial {
    team_scene scene;
    xncc_problem problem;
    xncc_peak_rule peaks;
    size_t capacity;
    kit_map map;
    xncc_match match[TEAM_MOST];
    size_t found;
} team_trial;

extern team_trial team_try;

/* Draws a problem, and solves it on one device. */
void team_begin(uint64_t number);
void team_end(void);

/* The template and a plan of the problem, in another context. They end the test if there is no
 * memory. */
xncc_template *team_template(xncc_context *context);
xncc_plan *team_plan(xncc_context *context, int32_t parts, xncc_memory memory);

/* Several images, on these contexts (by the number of devices), which are posed if their devices
 * are engines of the CPU. */
void check_images(xncc_context *const *team, int posed);
void check_failing_images(void);

#endif
