/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds a template in an image, in C11. It prints the version of the library, then x, y and score
 * of each match, best first:
 *
 *     exactncc 1.0.0
 *     30 20 1
 *     90 60 1
 */
#include <exactncc/exactncc.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 160, HEIGHT = 120, SIDE = 16, MATCHES = 8 };

/* A scene of two equal patterns on a dark ground; yours comes from a camera or a file. */
static void draw(uint8_t *pixels)
{
    static const int corner[2][2] = { { 30, 20 }, { 90, 60 } };
    for (int i = 0; i < 2; i++)
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++)
                pixels[(corner[i][1] + y) * WIDTH + corner[i][0] + x] = (uint8_t)(37 *
                                                                                  (x * x + 3 * y) %
                                                                                  251);
}

/* Finds the matches. Returns their number, or -1 after it has printed what is wrong. */
static int find(xncc_context *context, const xncc_image *scene, const xncc_image *pattern,
                xncc_match *match)
{
    xncc_template *templ = NULL;
    size_t found = 0;
    xncc_error error;
    xncc_find_options options = XNCC_FIND_OPTIONS_INIT;
    options.peaks.min_score = 0.9f;
    xncc_status status = xncc_template_create(context, pattern, &templ, &error);
    if (status == XNCC_OK)
        status = xncc_find(context, scene, templ, &options, match, MATCHES, &found, &error);
    if (status != XNCC_OK)
        fprintf(stderr, "find_c11: %s: %s\n", xncc_status_string(status), error.text);
    xncc_template_destroy(templ);
    return status == XNCC_OK ? (int)found : -1;
}

int main(void)
{
    int found = -1;
    xncc_match match[MATCHES];
    xncc_context *context = NULL;
    uint8_t *pixels = calloc(HEIGHT, WIDTH);
    if (!pixels) {
        fprintf(stderr, "find_c11: out of memory\n");
        return EXIT_FAILURE;
    }
    draw(pixels);
    const xncc_image scene = { .data = pixels, .width = WIDTH, .height = HEIGHT, .pixel = XNCC_U8 };
    xncc_image pattern;
    xncc_error error;
    xncc_status status = xncc_image_crop(&scene, 30, 20, SIDE, SIDE, &pattern, &error);
    if (status == XNCC_OK)
        status = xncc_context_create(NULL, &context, &error); /* NULL: the best device there is */
    if (status == XNCC_OK)
        found = find(context, &scene, &pattern, match);
    else
        fprintf(stderr, "find_c11: %s: %s\n", xncc_status_string(status), error.text);
    if (found >= 0)
        printf("exactncc %s\n", xncc_version());
    for (int i = 0; i < found; i++)
        printf("%" PRId32 " %" PRId32 " %.9g\n", match[i].x, match[i].y, (double)match[i].score);
    xncc_context_destroy(context);
    free(pixels);
    return found >= 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
