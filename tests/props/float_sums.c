/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel float-split where not all pixels count, or with several channels, and kernel general with
 * several channels under small templates: maps are those of the CPU, and some windows score as the
 * oracle says. Masks of template and image, no-data values, borders, methods, pixel types, blocks
 * of several sides, samples that are not finite, samples that are far from the others, and windows
 * and templates without variance, or nearly so.
 */
#include "props/engine_maps.h"

#include <math.h>
#include <stdio.h>

enum { WINDOWS = 12 };

static const kit_room room = { 1, KIT_AFTER };

/* What is in the image besides noise. Images of u32 have noise, FLAT, STRIPES, ZEROS or
 * PATCHES. */
typedef enum content {
    NOISE,
    FLAT,    /* a region of one value */
    BROKEN,  /* some samples that are not finite, */
    RUINED,  /* more than a list of them has room for */
    SPIKE,   /* a sample that is far from the others, */
    SPIKES,  /* more of them than are left out */
    DISTANT, /* a half with samples of another size */
    STRIPES, /* across, and down in the template, so that the numerator is 0 */
    ZEROS,   /* a region of them */
    PATCHES, /* patches that are flat, or but for the last bits of one channel, */
    VAST,    /* or whose squares are larger than any double */
    FLAT_TEMPL,
    FLAT_BROKEN, /* the same, and an image with some samples that are not finite */
    BROKEN_TEMPL /* with a sample that is not finite */
} content;

/* What makes pixels not count, and the image. */
typedef struct problem {
    int32_t width, height, columns, rows, channels;
    int templ_mask, image_mask, no_data;
    xncc_mode mode;
    xncc_border border;
    content content;
} problem;

static double noise(kit_random *random, xncc_pixel pixel)
{
    const double v = (double)kit_below(random, 1 << 24);
    return pixel == XNCC_U32 ? 200.0 * v : (pixel == XNCC_F64 ? v / 7.0 : v) * 0x1p-24;
}

/* A sample of a patch of 24 x 24 pixels, which are 48 apart; v elsewhere. */
static double patch(xncc_pixel pixel, int32_t x, int32_t y, int32_t c, double v)
{
    if (x % 48 >= 24 || y % 48 >= 24)
        return v;
    const int ripples = x / 48 % 2 && c == 0 && (3 * x + 5 * y) % 7 == 0;
    if (pixel == XNCC_U32)
        return 700.0 + ripples;
    return 0.3 + (ripples ? ldexp(1.0, pixel == XNCC_F32 ? -24 : -53) : 0.0);
}

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* The sample at (x, y) of an image with some content, in channel c, of which v is the noise. */
static double with_content(content kind, xncc_pixel pixel, const problem *of, int32_t x, int32_t y,
                           int32_t c, double v)
{
    switch (kind) {
    case STRIPES: return y % 2 ? 0.7 : pixel == XNCC_U32 ? 5.0 : 0.1;
    case ZEROS: return x > of->width / 2 && y > of->height / 2 ? 0.0 : v;
    case PATCHES: return patch(pixel, x, y, c, v);
    case VAST: return x % 48 < 24 && y % 48 < 24 ? v * (pixel == XNCC_F64 ? 1e200 : 1e30) : v;
    case FLAT: return x > of->width / 2 && y > of->height / 2 ? pixel == XNCC_U32 ? 77.0 : 0.3 : v;
    case FLAT_BROKEN:
    case BROKEN: return x % 211 == 17 && y % 173 == 11 ? x % 2 ? INFINITY : NAN : v;
    case RUINED: return y > of->height / 2 && x % 4 == 1 ? NAN : v;
    case SPIKE:
        return x == smaller(300, of->width - 1) && y == smaller(200, of->height - 1) ? 1e30 : v;
    case SPIKES: return x % 20 == 7 && y % 17 == 3 ? -1e6 : v;
    case DISTANT: return x < of->width / 3 ? 1e-9 * v : v;
    default: return v;
    }
}

static kit_image make_image(const problem *of, xncc_pixel pixel, kit_random *random)
{
    kit_image image = kit_image_create_channels(pixel, of->channels, of->width, of->height, room);
    if (of->image_mask)
        kit_image_mask(&image, room);
    for (int32_t y = 0; y < of->height; y++)
        for (int32_t x = 0; x < of->width; x++) {
            for (int32_t c = 0; c < of->channels; c++) {
                double v = noise(random, pixel);
                if (pixel != XNCC_U32 || of->content == FLAT ||
                    (of->content >= STRIPES && of->content <= PATCHES))
                    v = with_content(of->content, pixel, of, x, y, c, v);
                if (of->no_data && (x / 50 + y / 40) % 7 == 3)
                    v = pixel == XNCC_U32 ? 99.0 : pixel == XNCC_F32 ? NAN : -1.0;
                kit_sample_set(&image.view, x, y, c, v);
            }
            if (of->image_mask)
                kit_mask_set(&image.view, x, y, (x / 30 + y / 20) % 5 != 1);
        }
    if (of->no_data) {
        image.view.has_no_data = 1;
        image.view.no_data = pixel == XNCC_U32 ? 99.0 : pixel == XNCC_F32 ? NAN : -1.0;
    }
    return image;
}

static kit_image make_templ(const problem *of, const kit_image *image, kit_random *random)
{
    kit_image templ = kit_image_create_channels(image->view.pixel, of->channels, of->columns,
                                                of->rows, room);
    if (of->templ_mask)
        kit_image_mask(&templ, room);
    for (int32_t y = 0; y < of->rows; y++)
        for (int32_t x = 0; x < of->columns; x++) {
            for (int32_t c = 0; c < of->channels; c++) {
                double v = noise(random, image->view.pixel);
                if (of->content == STRIPES)
                    v = x % 2 ? 7.0 : 8.0;
                if (of->content == FLAT_TEMPL || of->content == FLAT_BROKEN)
                    v = 7.0 + c;
                if (of->content == BROKEN_TEMPL && image->view.pixel != XNCC_U32 && c == 1 &&
                    x == 2)
                    v = NAN;
                kit_sample_set(&templ.view, x, y, c, v);
            }
            if (of->templ_mask)
                kit_mask_set(&templ.view, x, y, kit_below(random, 4) > 0);
        }
    return templ;
}

static void check(xncc_context *gpu, xncc_context *cpu, const problem *of, xncc_pixel pixel,
                  xncc_method method)
{
    kit_random random = kit_stream(53);
    kit_image image = make_image(of, pixel, &random), templ = make_templ(of, &image, &random);
    char what[160];
    (void)snprintf(what, sizeof what,
                   "%d x %d x %d under %d x %d, masks %d %d, no data %d, border %d, content %d",
                   of->width, of->height, of->channels, of->columns, of->rows, of->templ_mask,
                   of->image_mask, of->no_data, (int)of->border, (int)of->content);
    const int varies = of->image_mask || of->no_data || of->border == XNCC_BORDER_OVERLAP,
              small = of->columns <= 16 && of->rows <= 16 && !of->templ_mask &&
                      (!varies || of->channels == 1);
    const engine_pair engines = { gpu, cpu, small ? "general" : "float-split" };
    const kit_options options = { .method = method,
                                  .mode = of->mode,
                                  .border = of->border,
                                  .flat = of->content == FLAT_BROKEN ? XNCC_FLAT_NAN
                                                                     : XNCC_FLAT_ZERO };
    check_engine_maps(&engines, &image.view, &templ.view, &options, WINDOWS, &random, what);
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
}

int main(int argc, char **argv)
{
    static const problem problems[] = {
        { 700, 500, 24, 30, 1, 1, 0, 0, XNCC_VALID, XNCC_BORDER_CLAMP, NOISE },
        { 700, 500, 60, 41, 1, 0, 1, 0, XNCC_VALID, XNCC_BORDER_CLAMP, FLAT },
        { 640, 480, 33, 70, 1, 0, 0, 1, XNCC_VALID, XNCC_BORDER_CLAMP, NOISE },
        { 640, 480, 50, 20, 1, 1, 1, 0, XNCC_SAME, XNCC_BORDER_ZERO, NOISE },
        { 600, 400, 41, 43, 1, 0, 0, 0, XNCC_SAME, XNCC_BORDER_OVERLAP, NOISE },
        { 600, 400, 41, 43, 1, 1, 0, 0, XNCC_SAME, XNCC_BORDER_OVERLAP, FLAT },
        { 520, 390, 32, 32, 3, 0, 0, 0, XNCC_VALID, XNCC_BORDER_CLAMP, FLAT },
        { 520, 390, 27, 35, 3, 1, 0, 0, XNCC_SAME, XNCC_BORDER_MIRROR, NOISE },
        { 520, 390, 40, 21, 2, 0, 1, 1, XNCC_VALID, XNCC_BORDER_CLAMP, NOISE },
        { 600, 500, 30, 30, 1, 1, 0, 0, XNCC_VALID, XNCC_BORDER_CLAMP, BROKEN },
        { 600, 500, 30, 30, 2, 0, 1, 0, XNCC_VALID, XNCC_BORDER_CLAMP, BROKEN },
        { 1900, 300, 310, 30, 1, 1, 0, 0, XNCC_VALID, XNCC_BORDER_CLAMP, NOISE },
        { 980, 980, 130, 120, 1, 0, 1, 0, XNCC_VALID, XNCC_BORDER_CLAMP, NOISE },
        { 420, 410, 12, 9, 8, 1, 1, 0, XNCC_VALID, XNCC_BORDER_CLAMP, NOISE },
        { 1400, 90, 20, 24, 1, 0, 1, 0, XNCC_VALID, XNCC_BORDER_CLAMP, NOISE },
        { 601, 502, 22, 31, 1, 1, 0, 0, XNCC_VALID, XNCC_BORDER_CLAMP, RUINED },
        { 640, 400, 18, 25, 3, 0, 0, 0, XNCC_VALID, XNCC_BORDER_CLAMP, SPIKE },
        { 640, 400, 40, 33, 1, 1, 0, 0, XNCC_VALID, XNCC_BORDER_CLAMP, SPIKES },
        { 600, 405, 35, 28, 1, 0, 1, 0, XNCC_SAME, XNCC_BORDER_CLAMP, DISTANT },
        { 600, 405, 35, 28, 2, 1, 0, 0, XNCC_VALID, XNCC_BORDER_CLAMP, SPIKE },
        { 100, 1000, 20, 32, 2, 0, 0, 0, XNCC_VALID, XNCC_BORDER_CLAMP, NOISE },
        { 90, 2030, 20, 32, 2, 0, 0, 0, XNCC_VALID, XNCC_BORDER_CLAMP, NOISE },
        { 80, 4080, 20, 32, 3, 0, 0, 0, XNCC_VALID, XNCC_BORDER_CLAMP, NOISE },
        { 300, 260, 8, 8, 3, 0, 0, 0, XNCC_VALID, XNCC_BORDER_CLAMP, PATCHES },
        { 300, 260, 8, 8, 3, 0, 0, 0, XNCC_SAME, XNCC_BORDER_ZERO, PATCHES },
        { 300, 260, 6, 9, 2, 0, 0, 0, XNCC_VALID, XNCC_BORDER_CLAMP, PATCHES },
        { 299, 261, 16, 16, 4, 0, 0, 0, XNCC_SAME, XNCC_BORDER_MIRROR, NOISE },
        { 290, 270, 7, 5, 3, 0, 0, 0, XNCC_VALID, XNCC_BORDER_CLAMP, VAST },
        { 290, 270, 4, 16, 2, 0, 0, 0, XNCC_VALID, XNCC_BORDER_CLAMP, FLAT },
        { 290, 270, 15, 3, 3, 0, 0, 0, XNCC_VALID, XNCC_BORDER_CLAMP, BROKEN },
        { 290, 270, 5, 6, 3, 0, 0, 0, XNCC_VALID, XNCC_BORDER_CLAMP, FLAT_TEMPL },
        { 290, 270, 5, 6, 3, 0, 0, 0, XNCC_VALID, XNCC_BORDER_CLAMP, BROKEN_TEMPL },
        { 290, 270, 13, 10, 3, 0, 0, 0, XNCC_VALID, XNCC_BORDER_CLAMP, DISTANT },
        { 290, 270, 1, 1, 2, 0, 0, 0, XNCC_VALID, XNCC_BORDER_CLAMP, VAST },
        { 290, 270, 8, 8, 3, 0, 0, 0, XNCC_VALID, XNCC_BORDER_CLAMP, STRIPES },
        { 290, 270, 2, 2, 3, 0, 0, 0, XNCC_VALID, XNCC_BORDER_CLAMP, STRIPES },
        { 290, 270, 6, 4, 2, 0, 0, 0, XNCC_VALID, XNCC_BORDER_CLAMP, STRIPES },
        { 290, 270, 5, 5, 3, 0, 0, 0, XNCC_VALID, XNCC_BORDER_CLAMP, ZEROS },
        { 290, 270, 5, 5, 3, 0, 0, 0, XNCC_SAME, XNCC_BORDER_ZERO, ZEROS },
        { 290, 270, 5, 5, 2, 0, 0, 0, XNCC_VALID, XNCC_BORDER_CLAMP, ZEROS },
        { 500, 400, 34, 37, 3, 0, 0, 0, XNCC_SAME, XNCC_BORDER_OVERLAP, NOISE },
        { 500, 400, 34, 37, 2, 1, 0, 0, XNCC_FULL, XNCC_BORDER_OVERLAP, NOISE },
        { 30, 400, 40, 33, 1, 0, 0, 0, XNCC_SAME, XNCC_BORDER_OVERLAP, NOISE },
        { 2300, 200, 24, 30, 2, 0, 0, 0, XNCC_VALID, XNCC_BORDER_CLAMP, NOISE },
        { 330, 240, 128, 70, 1, 1, 0, 0, XNCC_VALID, XNCC_BORDER_CLAMP, SPIKE },
        { 300, 250, 90, 95, 1, 0, 0, 0, XNCC_FULL, XNCC_BORDER_OVERLAP, FLAT },
        { 64, 64, 40, 40, 1, 0, 0, 0, XNCC_FULL, XNCC_BORDER_OVERLAP, SPIKE },
        { 420, 410, 20, 24, 8, 0, 1, 0, XNCC_VALID, XNCC_BORDER_CLAMP, NOISE },
        { 290, 270, 5, 6, 3, 0, 0, 0, XNCC_VALID, XNCC_BORDER_CLAMP, FLAT_BROKEN },
        { 300, 260, 8, 8, 1, 0, 1, 0, XNCC_VALID, XNCC_BORDER_CLAMP, PATCHES },
        { 300, 260, 16, 16, 1, 0, 1, 0, XNCC_SAME, XNCC_BORDER_MIRROR, NOISE },
        { 301, 259, 13, 7, 1, 0, 0, 1, XNCC_SAME, XNCC_BORDER_ZERO, BROKEN },
        { 299, 261, 9, 16, 1, 0, 0, 0, XNCC_FULL, XNCC_BORDER_OVERLAP, NOISE },
        { 290, 270, 5, 6, 1, 0, 1, 0, XNCC_VALID, XNCC_BORDER_CLAMP, FLAT_BROKEN },
        { 290, 270, 3, 11, 1, 0, 1, 1, XNCC_SAME, XNCC_BORDER_OVERLAP, FLAT },
        { 290, 270, 16, 2, 1, 0, 1, 0, XNCC_VALID, XNCC_BORDER_CLAMP, VAST },
        { 290, 270, 1, 1, 1, 0, 1, 0, XNCC_VALID, XNCC_BORDER_CLAMP, NOISE },
        { 290, 270, 6, 6, 1, 0, 1, 0, XNCC_VALID, XNCC_BORDER_CLAMP, ZEROS },
        { 64, 64, 40, 40, 2, 1, 0, 0, XNCC_FULL, XNCC_BORDER_OVERLAP, SPIKE },
        { 980, 980, 130, 120, 3, 0, 0, 0, XNCC_VALID, XNCC_BORDER_CLAMP, NOISE },
        { 900, 700, 90, 95, 2, 0, 1, 0, XNCC_VALID, XNCC_BORDER_CLAMP, NOISE },
        { 900, 700, 90, 95, 3, 1, 0, 0, XNCC_SAME, XNCC_BORDER_MIRROR, NOISE },
        { 900, 700, 90, 95, 2, 0, 0, 1, XNCC_SAME, XNCC_BORDER_ZERO, NOISE },
        { 900, 700, 90, 95, 2, 0, 0, 0, XNCC_SAME, XNCC_BORDER_OVERLAP, NOISE },
    };
    static const xncc_pixel pixels[] = { XNCC_F32, XNCC_F64, XNCC_U32 };
    static const xncc_method methods[] = { XNCC_CCOEFF_NORMED, XNCC_SQDIFF, XNCC_CCORR_NORMED,
                                           XNCC_CCOEFF,        XNCC_CCORR,  XNCC_SQDIFF_NORMED };
    kit_start(argc, argv);
    xncc_context *gpu = kit_context(kit_device_option(argc, argv), 2),
                 *cpu = kit_context(XNCC_DEVICE_CPU, 2);
    const int brief = kit_flag(argc, argv, "brief");
    for (int i = 0; i < (int)(sizeof problems / sizeof *problems); i += brief ? 3 : 1) {
        check(gpu, cpu, problems + i, pixels[i % 3], XNCC_CCOEFF_NORMED);
        if (!brief) /* another method by turns */
            check(gpu, cpu, problems + i, pixels[(i + 1) % 3], methods[1 + i % 5]);
    }
    xncc_context_destroy(gpu);
    xncc_context_destroy(cpu);
    return kit_finish("float_sums");
}
