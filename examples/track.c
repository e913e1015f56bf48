/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracks the parts of one image in another, in C11. It prints for each point of a grid its place,
 * its displacement to a tenth of a pixel, and the score:
 *
 *     (47.5, 47.5) moved by (3.0, -2.0), score 1.000
 *     ...
 */
#include <exactncc/exactncc.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 160, CHIP = 32, POINTS = 4 };

/* A texture; yours comes from a camera or a file. The second picture shows it moved. */
static void draw(uint8_t *pixels, int dx, int dy)
{
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            const uint32_t at = (uint32_t)(x - dx + 1000) * 2654435761u ^
                                (uint32_t)(y - dy + 1000) * 2246822519u;
            pixels[y * SIDE + x] = (uint8_t)((at ^ at >> 15) * 2654435761u >> 24);
        }
}

int main(void)
{
    static uint8_t first[SIDE * SIDE], second[SIDE * SIDE];
    draw(first, 0, 0);
    draw(second, 3, -2);
    const xncc_image before = { .data = first, .width = SIDE, .height = SIDE, .pixel = XNCC_U8 };
    const xncc_image after = { .data = second, .width = SIDE, .height = SIDE, .pixel = XNCC_U8 };
    const xncc_track_pair pair = { &before, &after };
    const xncc_track_point point[POINTS] = { /* centres of chips; nothing is predicted */
                                             { 47.5, 47.5, 0, 0 },
                                             { 111.5, 47.5, 0, 0 },
                                             { 47.5, 111.5, 0, 0 },
                                             { 111.5, 111.5, 0, 0 }
    };
    xncc_displacement found[POINTS];
    xncc_track_options options = XNCC_TRACK_OPTIONS_INIT;
    xncc_context *context = NULL;
    xncc_error error;
    options.chip_width = options.chip_height = CHIP;
    options.search_x = options.search_y = 8;
    xncc_status status = xncc_context_create(NULL, &context, &error);
    if (status == XNCC_OK)
        status = xncc_track(context, &pair, 1, &options, point, POINTS, found, &error);
    if (status != XNCC_OK)
        fprintf(stderr, "track: %s: %s\n", xncc_status_string(status), error.text);
    for (int i = 0; i < POINTS && status == XNCC_OK; i++) {
        const xncc_displacement *d = &found[i];
        if (d->state & XNCC_TRACK_MISSING)
            printf("(%g, %g) was not found\n", d->x, d->y);
        else
            printf("(%g, %g) moved by (%.1f, %.1f), score %.3f\n", d->x, d->y, d->dx, d->dy,
                   (double)d->score);
    }
    xncc_context_destroy(context);
    return status == XNCC_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
