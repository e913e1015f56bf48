/* SPDX-License-Identifier: BSD-2-Clause */
/* Every kind of TIFF is read pixel for pixel as it was written. With a directory as its argument
 * the program leaves the files there, each with a template cut at (20, 13), and prints a line per
 * file: its name, and exact or lossy. */
#include "flavour.h"
#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tiff.h>
#include <unistd.h>

enum { WIDTH = 67, HEIGHT = 53, TEMPL_X = 20, TEMPL_Y = 13, TEMPL_WIDTH = 17, TEMPL_HEIGHT = 15 };

static int failures;

static uint8_t templ_grey(int x, int y)
{
    return flavour_scene(TEMPL_X + x, TEMPL_Y + y);
}

/* All channels: the colours, which are equal, and the extra samples except the first, which is
 * alpha and never 0. */
static void check_channels(const char *path, const flavour *f, int width, int height,
                           flavour_grey grey)
{
    app_picture p;
    app_error error;
    app_reading reading = app_default_reading;
    reading.channels = APP_SUM;
    if (app_picture_load(path, 0, &reading, &p, &error)) {
        printf("FAIL %s: all channels: %s\n", f->name, error.text);
        failures++;
        return;
    }
    const int used = f->photometric == PHOTOMETRIC_RGB || f->photometric == PHOTOMETRIC_YCBCR ? 3
                                                                                              : 1;
    const int colours = f->photometric == PHOTOMETRIC_PALETTE ? 3 : used, extra = f->samples - used;
    const int channels = colours + (extra > 1 ? extra - 1 : 0);
    int ok = p.width == width && p.height == height && p.pixel == flavour_sample(f) &&
             p.channels == channels && !p.mask;
    double worst = 0.0;
    for (size_t i = 0; ok && i < app_picture_samples(&p); i++) {
        const int c = (int)(i % (size_t)channels), at = (int)(i / (size_t)channels);
        const uint8_t level = c < colours ? grey(at % width, at / width)
                                          : flavour_extra(used + 1 + c - colours);
        worst = fmax(worst, fabs(app_picture_value(&p, i) - flavour_expect(f, level)));
    }
    if (!ok || worst > flavour_tolerance(f)) {
        printf("FAIL %s: %d channels for %d, off by up to %g\n", f->name, p.channels, channels,
               worst);
        failures++;
    }
    app_picture_free(&p);
}

static void check_file(const char *path, const flavour *f, int width, int height, flavour_grey grey)
{
    app_picture p;
    app_error error;
    double worst = 0.0;
    if (app_picture_load(path, 0, &app_default_reading, &p, &error)) {
        printf("FAIL %s: %s\n", f->name, error.text);
        failures++;
        return;
    }
    int ok = p.width == width && p.height == height && p.pixel == flavour_sample(f);
    for (int y = 0; y < height && ok; y++)
        for (int x = 0; x < width; x++)
            worst = fmax(worst, fabs(app_picture_value(&p, (size_t)y * (size_t)width + (size_t)x) -
                                     flavour_expect(f, grey(x, y))));
    if (!ok || worst > flavour_tolerance(f)) {
        printf("FAIL %s: %d x %d %s, off by up to %g\n", f->name, p.width, p.height,
               xncc_pixel_name(p.pixel), worst);
        failures++;
    }
    app_picture_free(&p);
    check_channels(path, f, width, height, grey);
}

int main(int argc, char **argv)
{
    const int keeps = argc > 1 && argv[1][0] != '-'; /* the files, in a folder */
    const char *directory = keeps ? argv[1] : ".";
    int done = 0, left_out = 0;
    for (int i = 0; i < flavour_count; i++) {
        const flavour *f = &flavours[i];
        char scene[4096], templ[4096];
        snprintf(scene, sizeof scene, "%s/%s.tif", directory, f->name);
        snprintf(templ, sizeof templ, "%s/%s.templ.tif", directory, f->name);
        int wrote = flavour_write(scene, f, WIDTH, HEIGHT, flavour_scene);
        if (wrote == 1)
            wrote = flavour_write(templ, f, TEMPL_WIDTH, TEMPL_HEIGHT, templ_grey);
        if (wrote < 0) {
            printf("FAIL %s: cannot be written\n", f->name);
            failures++;
        } else if (wrote == 0) {
            left_out++;
        } else {
            check_file(scene, f, WIDTH, HEIGHT, flavour_scene);
            check_file(templ, f, TEMPL_WIDTH, TEMPL_HEIGHT, templ_grey);
            done++;
            if (keeps)
                printf("%s %s\n", f->name, f->tolerance > 0.0 ? "lossy" : "exact");
        }
        if (!keeps) {
            unlink(scene);
            unlink(templ);
        }
    }
    fprintf(stderr, "%d kinds of TIFF that this libtiff cannot write; %d checks, %d failed\n",
            left_out, done, failures);
    return failures != 0;
}
