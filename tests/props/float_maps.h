/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps of floats by every kernel, and their scores beside the oracle's. */
#ifndef TESTS_PROPS_FLOAT_MAPS_H
#define TESTS_PROPS_FLOAT_MAPS_H

#include "kit/oracle_general.h"

enum { FLOAT_METHODS = 6 };

/* An image and a template, and where they are compared: as set, within the image. */
typedef struct float_pair {
    const xncc_image *image, *templ;
    xncc_mode mode;
    xncc_border border;
} float_pair;

/* What the maps are made with. */
extern xncc_context *float_context;

xncc_template *float_template_of(const xncc_image *templ);

/* kernel: NULL for the library's own choice */
kit_map float_map_of(float_pair p, xncc_method method, const char *kernel);

/* The map of `p`, by every kernel, must be `want` at (x, y), times 2^power, bit for bit. */
void check_float_maps(float_pair p, xncc_method method, const xncc_map *want, int32_t x, int32_t y,
                      int power, const char *what);

/* The best match of `p`, and the best ones, must be those of its map. only: a kernel; NULL: every
 * kernel. */
void check_float_matches(float_pair p, xncc_method method, const xncc_map *map, const char *only,
                         const char *what);

/* Some windows of a map must score as the oracle says. */
void check_float_scores(float_pair p, xncc_method method, const xncc_map *map, int windows,
                        const char *what);

#endif
