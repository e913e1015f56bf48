/* SPDX-License-Identifier: BSD-2-Clause */
/* Where candidates climb to, against a climb that scores all windows of every pose that it tries.
 */
#include "unit/pose.h"
#include "unit/pose_scene.h"

#include "cpu/cpu.h"
#include "pose/climb.h"

#include <math.h>
#include <string.h>

enum { SIDE = 96, ANGLES = 90, COUNT = 60 };

/* Takes the best of the nine windows of a pose near `at`, if it is better than *best. Returns 1 if
 * so, and if it is not the middle window of the pose of `at`. *chosen: 1 if so. */
static int take_better(xncc_pose_rung *r, const xncc_pose_candidate *at, int32_t angle, int sign,
                       xncc_pose_candidate *best, int *chosen)
{
    const xncc_stored_pose *pose;
    double score[XNCC_PROBE_WINDOWS];
    int moved = 0;
    *chosen = 0;
    CHECK_STATUS(xncc_pose_store_take(&r->poses, angle, 0, 0, 0, &pose, &kit_error), XNCC_OK);
    const int32_t w = pose->probe.of.width, h = pose->probe.of.height,
                  x = (int32_t)floor((at->x + 0.5) / r->size - 0.5 * w + 0.5),
                  y = (int32_t)floor((at->y + 0.5) / r->size - 0.5 * h + 0.5);
    const xncc_probe_block block = { x - 1, y - 1, XNCC_PROBE_SIDE, XNCC_PROBE_ALL };
    xncc_pose_probe_scores(&pose->probe, r->poses.source.loops, r->image, NULL, &block, score);
    for (int32_t i = 0; i < XNCC_PROBE_WINDOWS; i++) {
        if (!(sign * score[i] > sign * best->score))
            continue;
        const int32_t wx = x + i % 3 - 1, wy = y + i / 3 - 1;
        *best = (xncc_pose_candidate){ (wx + 0.5 * w) * r->size - 0.5,
                                       (wy + 0.5 * h) * r->size - 0.5,
                                       score[i],
                                       { angle, 0, wx, wy, w, h } };
        moved = i != XNCC_PROBE_WINDOWS / 2 || angle != at->pose.angle;
        *chosen = 1;
    }
    xncc_pose_store_give(pose);
    return moved;
}

static void climb(xncc_pose_rung *r, int moves, xncc_pose_candidate *c)
{
    const int sign = c->score < 0.0 ? -1 : 1;
    xncc_pose_candidate best = *c;
    int moved = 1;
    best.score = 0.0;
    for (int n = 0; n < moves && moved; n++) {
        const int reach = n == 0 ? 3 : r->level == 0 ? 2 : 1;
        moved = 0;
        for (int i = -reach; i <= reach; i++) {
            int chosen;
            const int to = take_better(r, c,
                                       xncc_pose_index(&r->poses.grid.angle, c->pose.angle + i),
                                       sign, &best, &chosen);
            moved = chosen ? to : moved;
        }
        *c = best;
    }
}

void check_climb(xncc_context *context)
{
    const kit_room room = { 3, KIT_AFTER };
    kit_random r = kit_stream(15);
    kit_image image = kit_image_create_channels(XNCC_U8, 1, SIDE, SIDE, room);
    pose_scene s = pose_scene_make(context, XNCC_U8, 1);
    xncc_engine *cpu = NULL;
    CHECK_STATUS(xncc_context_helper(context, &cpu, &kit_error), XNCC_OK);
    const xncc_pose_job job = { .context = context,
                                .watch = xncc_watch_make(&context->progress),
                                .pool = xncc_cpu_engine_pool(cpu) };
    for (int32_t y = 0; y < SIDE; y++)
        for (int32_t x = 0; x < SIDE; x++)
            pose_put(&image.view, x, y,
                     rint(127 + 60 * cos(x / 3.0 + 0.1 * y) + 55 * cos(y / 4.0 - 0.002 * x * y) +
                          kit_between(&r, -6, 6)));
    for (int32_t level = 0; level < 2; level++) {
        static xncc_pose_candidate want[COUNT], got[COUNT];
        xncc_pose_rung rung = {
            .job = &job,
            .image = &image.view,
            .poses = { .source = xncc_pose_source_of(s.templ, XNCC_SUPPORT_WHOLE),
                       .grid = { { 0.0, 360.0 / ANGLES, ANGLES, 1 }, { 1.0, 0.0, 1, 0 } },
                       .parities = 1 },
            .level = level,
            .size = ldexp(1.0, level)
        };
        const int moves = level ? 3 : XNCC_MOST_MOVES;
        CHECK_STATUS(xncc_pose_store_open(&rung.poses, &kit_error), XNCC_OK);
        for (int n = 0; n < COUNT; n++) {
            want[n] = (xncc_pose_candidate){ .x = (double)kit_below(&r, SIDE) * rung.size,
                                             .y = (double)kit_below(&r, SIDE) * rung.size,
                                             .score = n % 2 ? 0.5 : -0.5,
                                             .pose.angle = (int32_t)kit_below(&r, ANGLES) };
            got[n] = want[n];
            climb(&rung, moves, &want[n]);
        }
        const xncc_pose_grid above = rung.poses.grid;
        CHECK_STATUS(xncc_pose_climb(&rung, &above, moves, got, COUNT, &kit_error), XNCC_OK);
        CHECK(memcmp(got, want, sizeof got) == 0);
        xncc_pose_store_clear(&rung.poses);
    }
    pose_scene_free(&s);
    kit_image_destroy(&image);
}
