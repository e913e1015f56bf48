/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the batch test share. */
#ifndef UNIT_BATCH_H
#define UNIT_BATCH_H

#include "kit/device.h"

enum { BATCH_TEMPLS = 9, BATCH_PIXELS = 48 * 40, BATCH_CHANNELS = 3 };

/* An image with room for every pixel type used. */
typedef struct batch_picture {
    xncc_image view;
    float memory[BATCH_PIXELS * BATCH_CHANNELS];
    uint8_t mask[BATCH_PIXELS];
} batch_picture;

/* A scene, and templates of various sizes. Some templates are masked, and some occur in the
 * scene. */
typedef struct batch_scene {
    xncc_context *context;
    batch_picture scene, pixels[BATCH_TEMPLS];
    xncc_template *templ[BATCH_TEMPLS];
    int count;
    void *memory; /* the scene on the device; NULL: there is none */
    xncc_image device_scene;
    char name[120];
} batch_scene;

typedef struct batch_kind {
    xncc_pixel pixel;
    int32_t channels;
    xncc_mode mode;
    xncc_border border;
    int masks; /* 1: the scene and some templates have masks */
} batch_kind;

/* Creates the scene of a round; batch_scene_free frees it. on_device: copy it to the device as
 * well. */
void batch_scene_make(batch_scene *s, xncc_context *context, const batch_kind *kind,
                      uint64_t number, int on_device);
void batch_scene_free(batch_scene *s);

/* Does the context have a kernel for each template? The CPU's always does. */
int batch_scene_served(const batch_scene *s, const xncc_problem *problem);

/* Gives the scene other pixels, on the device as well. */
void batch_scene_change(batch_scene *s, kit_random *random);

/* rounds: most rounds to run */
void check_batch_best(xncc_context *context, int on_device, int rounds);
void check_suppressor(xncc_context *context, int rounds);

void check_batch_masks(xncc_context *context);

#endif
