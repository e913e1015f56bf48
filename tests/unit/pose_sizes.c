/* SPDX-License-Identifier: BSD-2-Clause */
/* Exhaustive searches on a GPU whose templates have several sizes and masks, in scenes that are
 * large enough for searches without maps. Plans of several sizes share the planes of the image, in
 * memory that the engine keeps from scene to scene. */
#include "unit/pose.h"
#include "unit/pose_scene.h"

#include "image/image.h"

#include <math.h>
#include <string.h>

enum { WIDE = 600, HIGH = 450, TEMPL_W = 48, TEMPL_H = 40 };

static pose_scene make(int number)
{
    const kit_room room = { 1, KIT_AFTER };
    const pose_scene s = { .image = kit_image_create_channels(XNCC_U8, 1, WIDE, HIGH, room),
                           .patch = kit_image_create_channels(XNCC_U8, 1, TEMPL_W, TEMPL_H, room) };
    kit_random random = kit_stream((uint64_t)number);
    for (int32_t y = 0; y < HIGH; y++)
        for (int32_t x = 0; x < WIDE; x++)
            pose_put(&s.image.view, x, y,
                     108 + 45 * sin(0.13 * x + 0.05 * y + number) + 45 * sin(0.11 * y - 0.07 * x) +
                         (double)kit_below(&random, 40));
    kit_image_copy(&s.patch.view, &s.image.view, 200, 150);
    return s;
}

static size_t search(xncc_context *context, pose_scene *s, xncc_pose_match *match)
{
    xncc_pose_options o = XNCC_POSE_OPTIONS_INIT;
    o.search = XNCC_POSES_EXHAUSTIVE;
    o.angles = (xncc_pose_range){ -16, 16, 4 };
    o.min_score = 0.2f;
    o.top = POSE_MOST;
    CHECK_STATUS(xncc_template_create(context, &s->patch.view, &s->templ, &kit_error), XNCC_OK);
    const size_t found = pose_search(context, s, &o, match);
    xncc_template_destroy(s->templ);
    s->templ = NULL;
    return found;
}

void check_sizes(xncc_context *context, xncc_device device)
{
    if (device != XNCC_DEVICE_CUDA)
        return;
    xncc_context *cpu = kit_context(XNCC_DEVICE_CPU, 2);
    for (int number = 0; number < 3; number++) {
        pose_scene s = make(number);
        xncc_pose_match got[POSE_MOST], want[POSE_MOST];
        const size_t found = search(context, &s, got);
        CHECK(found > 3);
        CHECK_INT(search(cpu, &s, want), found);
        CHECK(memcmp(got, want, sizeof got) == 0);
        pose_scene_free(&s);
    }
    xncc_context_destroy(cpu);
}
