/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenes with three objects at known poses, and searches for them. */
#ifndef UNIT_POSE_SCENE_H
#define UNIT_POSE_SCENE_H

#include "kit/pixels.h"

#include "exactncc/pose.h"

enum {
    POSE_SCENE_W = 150,
    POSE_SCENE_H = 120,
    POSE_TEMPL_W = 32,
    POSE_TEMPL_H = 24,
    POSE_MOST = 64
};

typedef struct pose_scene {
    kit_image image, patch;
    xncc_template *templ;
    xncc_pose_match truth[3];
} pose_scene;

/* The value of a scene, about 0 .. 255, at a place near an object with this pose. */
double pose_placed(double x, double y, const xncc_pose_match *at);

/* Writes a value of about 0 .. 255 as a sample. */
void pose_put(const xncc_image *image, int32_t x, int32_t y, double v);

pose_scene pose_scene_make(xncc_context *context, xncc_pixel pixel, int32_t channels);
void pose_scene_free(pose_scene *s);

/* Searches for the scene's template. match: POSE_MOST elements. Returns the number found. */
size_t pose_search(xncc_context *context, const pose_scene *s, const xncc_pose_options *o,
                   xncc_pose_match *match);

/* Does a match have a pose, within so many pixels, degrees and parts of the scale? */
int pose_is_at(const xncc_pose_match *m, const xncc_pose_match *truth, double pixels,
               double degrees, double scale);

/* All three objects are the best matches, and nothing else scores as well. */
void pose_check_found(const pose_scene *s, const xncc_pose_match *match, size_t found,
                      double pixels, double degrees);

#endif
