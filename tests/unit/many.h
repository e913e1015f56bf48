/* What the parts of the test of many templates share. */
#ifndef UNIT_MANY_H
#define UNIT_MANY_H

#include "kit/device.h"

enum { MANY_PARTS = 9, MANY_PIXELS = 48 * 40, MANY_CHANNELS = 3 };

/* An image with room for every type used. */
typedef struct many_picture {
    xncc_image view;
    float memory[MANY_PIXELS * MANY_CHANNELS];
    uint8_t mask[MANY_PIXELS];
} many_picture;

/* A scene and templates of a mix of sizes, some of them masked and some found in the scene. */
typedef struct many_scene {
    xncc_context *context;
    many_picture scene, pixels[MANY_PARTS];
    xncc_template *part[MANY_PARTS];
    int count;
    void *memory; /* of the scene on the device; NULL: there is none */
    xncc_image there;
    char name[120];
} many_scene;

typedef struct many_kind {
    xncc_pixel pixel;
    int32_t channels;
    xncc_mode mode;
    xncc_border border;
    int masks; /* 1: scene and some templates have masks */
} many_kind;

/* The scene of a round; free with many_scene_free. on_device: make the copy too. */
void many_scene_make(many_scene *s, xncc_context *context, const many_kind *kind, uint64_t number,
                     int on_device);
void many_scene_free(many_scene *s);

/* Does the context have a kernel for each template? The CPU's always has. */
int many_scene_served(const many_scene *s, const xncc_problem *problem);

/* Other pixels in the scene, on the device too. */
void many_scene_change(many_scene *s, kit_random *random);

/* rounds: how many at most. */
void check_many_best(xncc_context *context, int on_device, int rounds);
void check_merger(xncc_context *context, int rounds);

#endif
