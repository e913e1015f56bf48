/* SPDX-License-Identifier: BSD-2-Clause */
/* Teams for tests. Their members pose as CUDA devices: decisions see an H200, and calls are counted
 * and can fail, but each member computes on an engine of the CPU. Memory that a test gives to a
 * member counts as that device's. */
#ifndef UNIT_TEAM_H
#define UNIT_TEAM_H

#include "kit/pixels.h"

#include "api/objects.h"
#include "team/team.h"

#include <stdatomic.h>

enum { MEMBERS = 5 };

/* Where a member can fail. */
typedef enum team_place {
    TEAM_NOWHERE,
    TEAM_DESCRIBE,
    TEAM_PREPARE,
    TEAM_BIND,
    TEAM_RUN,
    TEAM_PLACES
} team_place;

/* What a member was asked to do, and what it answers. */
typedef struct team_notes {
    atomic_long plans, prepared; /* that exist */
    atomic_int runs, waits;      /* since team_reset */
    team_place fails;            /* with `status`, after `later` more calls of this kind */
    atomic_int later;
    xncc_status status;
    xncc_context *cancels;       /* the run cancels this context */
    const char *memory, *end;    /* of the device */
    _Atomic(xncc_stream) stream; /* of the last run */
} team_notes;

extern team_notes team_note[MEMBERS];
void team_reset(void);

/* Makes a context whose CUDA engine is a team of `count` members; 1 is a team as well.
 * handover_ms: as in xncc_team_options. Ends the test if there is no memory. */
xncc_context *team_context(int count, int strict, double handover_ms);
/* The same of engines of CUDA device 0. The test is skipped if there is none. */
xncc_context *team_context_cuda(int count);

/* Images and maps in parts, and several images, on these contexts (by the number of devices).
 * on_cuda: they are engines of CUDA. */
void check_parts(xncc_context *const *team, int on_cuda);

/* Members that fail, calls that are cancelled, memory that runs out. */
void check_faults(void);

/* A scene and a template of noise with `values` different values; few of them make many equal
 * scores. masks: 1: the scene has a mask; 2: a no-data value; 4: the template has a mask. */
typedef struct team_scene {
    kit_image image, pixels;
} team_scene;
typedef struct team_look {
    xncc_pixel pixel;
    int32_t channels, width, height, templ_width, templ_height;
    int masks;
    uint64_t values, number;
} team_look;
team_scene team_scene_make(const team_look *look);
/* Draws a small scene whose pixels have one of `count` types. */
team_look team_look_draw(kit_random *random, const xncc_pixel *pixels, uint64_t count,
                         uint64_t number);
void team_scene_free(team_scene *scene);

/* The CPU's context, with which teams are compared. */
extern xncc_context *team_alone;

#endif
