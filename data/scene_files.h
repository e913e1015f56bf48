/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures of the scenes, and the files that they are stored in or compared with. */
#ifndef SCENE_FILES_H
#define SCENE_FILES_H

#include <stddef.h>
#include <stdint.h>

/* Values are 16 bits; scenes of 8 bits are stored as bytes. */
typedef struct canvas {
    int width, height, bits;
    uint16_t *value;
} canvas;

static inline uint16_t *canvas_at(const canvas *c, int x, int y)
{
    return &c->value[(size_t)y * (size_t)c->width + (size_t)x];
}

typedef struct scene_store {
    const char *directory;
    int check;
    int wrong;
    char truth[4096];
} scene_store;

/* Writes the picture, or compares it with the existing file, and frees it. samples: 1, or 3 for
 * canvases of red, green and blue. */
void scene_keep(scene_store *s, const char *name, canvas *c, int samples);
void scene_add_truth(scene_store *s, const char *image, const char *templ, int x, int y);
void scene_keep_truth(scene_store *s);

#endif
