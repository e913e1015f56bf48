/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds a turned and enlarged object. It prints its centre, angle and scale, which are about those
 * that it was drawn with:
 *
 *     centre 96.0, 64.0, angle 30.0, scale 1.20
 */
#include <exactncc/exactncc.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { WIDTH = 200, HEIGHT = 140, SIDE = 32 };

/* The object, by the distance from its centre. */
static double object(double x, double y)
{
    return 128.0 + 60.0 * sin(0.4 * x + 0.1 * y) + 50.0 * cos(0.3 * y - 0.01 * x * x);
}

/* Yours come from a camera or a file. */
static void draw(uint8_t *scene, uint8_t *pattern)
{
    const double angle = 30.0 * 3.14159265358979 / 180.0, scale = 1.2, c = cos(angle),
                 s = sin(angle);
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const double dx = i % WIDTH - 96.0, dy = i / WIDTH - 64.0; /* from the object's centre */
        const double u = (c * dx - s * dy) / scale, v = (s * dx + c * dy) / scale;
        const int inside = fabs(u) <= SIDE / 2.0 && fabs(v) <= SIDE / 2.0;
        scene[i] = (uint8_t)(inside ? object(u, v) : 90.0 + 30.0 * sin(0.2 * dx) * cos(0.15 * dy));
    }
    for (int i = 0; i < SIDE * SIDE; i++)
        pattern[i] = (uint8_t)object(i % SIDE - (SIDE - 1) / 2.0, i / SIDE - (SIDE - 1) / 2.0);
}

int main(void)
{
    static uint8_t scene[WIDTH * HEIGHT], pattern[SIDE * SIDE];
    const xncc_image image = { .data = scene, .width = WIDTH, .height = HEIGHT, .pixel = XNCC_U8 },
                     patch = { .data = pattern, .width = SIDE, .height = SIDE, .pixel = XNCC_U8 };
    xncc_context *context = NULL;
    xncc_template *templ = NULL;
    xncc_error error;
    xncc_pose_match match;
    size_t found = 0;
    xncc_pose_options options = XNCC_POSE_OPTIONS_INIT; /* the full circle */
    options.scales.first = 0.8;
    options.scales.last = 1.5;
    draw(scene, pattern);
    xncc_status status = xncc_context_create(NULL, &context, &error);
    if (!status)
        status = xncc_template_create(context, &patch, &templ, &error);
    if (!status)
        status = xncc_find_poses(context, &image, (const xncc_template *const *)&templ, 1, &options,
                                 &match, 1, &found, &error);
    if (status)
        fprintf(stderr, "%s\n", error.text);
    else if (found)
        printf("centre %.1f, %.1f, angle %.1f, scale %.2f\n", match.center_x, match.center_y,
               match.angle, match.scale);
    xncc_template_destroy(templ);
    xncc_context_destroy(context);
    return status || !found;
}
