/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenes with three objects at known poses, and the searches for them. */
#include "unit/pose_scene.h"

#include <math.h>
#include <string.h>

/* A smooth pattern without symmetry, as a function of the place. */
static double pattern(double x, double y)
{
    return 120.0 + 45.0 * sin(0.31 * x + 0.4 * sin(0.17 * y)) + 40.0 * cos(0.23 * y - 0.11 * x) +
           25.0 * sin(0.53 * x - 0.37 * y + 1.0);
}

static double background(double x, double y)
{
    return 110.0 + 40.0 * sin(0.19 * x - 0.09 * y) + 35.0 * cos(0.27 * y + 0.05 * x + 2.0) +
           20.0 * sin(0.45 * y);
}

double pose_placed(double x, double y, const xncc_pose_match *at)
{
    const double r = at->angle * 3.14159265358979 / 180.0, dx = x - at->center_x,
                 dy = y - at->center_y, u = (cos(r) * dx - sin(r) * dy) / at->scale,
                 v = (sin(r) * dx + cos(r) * dy) / at->scale;
    return fabs(u) <= POSE_TEMPL_W / 2.0 && fabs(v) <= POSE_TEMPL_H / 2.0
               ? pattern(u + (POSE_TEMPL_W - 1) / 2.0, v + (POSE_TEMPL_H - 1) / 2.0)
               : background(x, y);
}

void pose_put(const xncc_image *image, int32_t x, int32_t y, double v)
{
    const int32_t channels = image->channels ? image->channels : 1;
    for (int32_t c = 0; c < channels; c++) {
        char *at = (char *)(uintptr_t)image->data + y * image->pitch +
                   (size_t)(x * channels + c) * xncc_pixel_size(image->pixel);
        const double w = c == 0 ? v : 100.0 + 0.3 * v;
        switch (image->pixel) {
        case XNCC_U8: *(uint8_t *)at = (uint8_t)(w + 0.5); break;
        case XNCC_S8: *(int8_t *)at = (int8_t)floor(w - 127.5); break;
        case XNCC_U16: *(uint16_t *)(void *)at = (uint16_t)(40.0 * w + 3000.0); break;
        case XNCC_S16: *(int16_t *)(void *)at = (int16_t)(40.0 * w - 6000.0); break;
        case XNCC_U32: *(uint32_t *)(void *)at = (uint32_t)(1e6 * w); break;
        case XNCC_F32: *(float *)(void *)at = (float)(0.01 * w - 1.0); break;
        case XNCC_F64: *(double *)(void *)at = 1e5 * w; break;
        }
    }
}

pose_scene pose_scene_make(xncc_context *context, xncc_pixel pixel, int32_t channels)
{
    static const xncc_pose_match truth[3] = {
        { .center_x = 36.3, .center_y = 40.7, .angle = 33.4, .scale = 1.0 },
        { .center_x = 108.6, .center_y = 35.2, .angle = 201.9, .scale = 1.0 },
        { .center_x = 80.1, .center_y = 88.4, .angle = 310.2, .scale = 1.0 }
    };
    const kit_room room = { 3, KIT_AFTER };
    pose_scene s = {
        .image = kit_image_create_channels(pixel, channels, POSE_SCENE_W, POSE_SCENE_H, room),
        .patch = kit_image_create_channels(pixel, channels, POSE_TEMPL_W, POSE_TEMPL_H, room)
    };
    memcpy(s.truth, truth, sizeof truth);
    for (int32_t y = 0; y < POSE_SCENE_H; y++)
        for (int32_t x = 0; x < POSE_SCENE_W; x++) {
            int k = 0;
            for (int i = 1; i < 3; i++)
                if (hypot(x - truth[i].center_x, y - truth[i].center_y) <
                    hypot(x - truth[k].center_x, y - truth[k].center_y))
                    k = i;
            pose_put(&s.image.view, x, y, pose_placed(x, y, &truth[k]));
        }
    for (int32_t y = 0; y < POSE_TEMPL_H; y++)
        for (int32_t x = 0; x < POSE_TEMPL_W; x++)
            pose_put(&s.patch.view, x, y, pattern(x, y));
    CHECK_STATUS(xncc_template_create(context, &s.patch.view, &s.templ, &kit_error), XNCC_OK);
    return s;
}

void pose_scene_free(pose_scene *s)
{
    xncc_template_destroy(s->templ);
    kit_image_destroy(&s->image);
    kit_image_destroy(&s->patch);
}

size_t pose_search(xncc_context *context, const pose_scene *s, const xncc_pose_options *o,
                   xncc_pose_match *match)
{
    size_t found = 99;
    const xncc_template *templ = s->templ;
    memset(match, 0, POSE_MOST * sizeof *match);
    if (!CHECK_STATUS(xncc_find_poses(context, &s->image.view, &templ, 1, o, match, POSE_MOST,
                                      &found, &kit_error),
                      XNCC_OK))
        kit_fail(__FILE__, __LINE__, "%s", kit_error.text);
    return found;
}

int pose_is_at(const xncc_pose_match *m, const xncc_pose_match *truth, double pixels,
               double degrees, double scale)
{
    return fabs(m->center_x - truth->center_x) <= pixels &&
           fabs(m->center_y - truth->center_y) <= pixels &&
           fabs(remainder(m->angle - truth->angle, 360.0)) <= degrees &&
           fabs(m->scale - truth->scale) <= scale;
}

void pose_check_found(const pose_scene *s, const xncc_pose_match *match, size_t found,
                      double pixels, double degrees)
{
    if (!CHECK(found >= 3))
        return;
    for (int k = 0; k < 3; k++) {
        int hits = 0;
        for (int i = 0; i < 3; i++)
            hits += pose_is_at(&match[i], &s->truth[k], pixels, degrees, 1e-9);
        if (!CHECK_INT(hits, 1))
            for (int i = 0; i < 3; i++)
                kit_fail(__FILE__, __LINE__, "object %d: match %.3f %.3f %.3f score %.4f", k,
                         match[i].center_x, match[i].center_y, match[i].angle,
                         (double)match[i].score);
    }
}
