/* SPDX-License-Identifier: BSD-2-Clause */
/* Images that leave most windows in doubt, so that a GPU makes the exact sums of all
 * (cuda/products/exact_sums.cu, cuda/direct/small_exact.cu), and some that leave a few, which it
 * settles one by one (cuda/direct/settle_long.cu): its maps are those of the CPU, and some windows
 * score as the oracle says. All kernels for floats, methods, pixel types and borders, masks,
 * no-data values, several channels, and blocks of every side. */
#include "props/engine_maps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WINDOWS = 6 };
static const kit_room room = { 1, KIT_AFTER };

typedef enum picture {
    STRIPES, /* of whole rows; those of the template are of whole columns: numerators are 0 */
    FLAT,    /* noise with regions of one value */
    COPIES,  /* the template repeated: distances are 0 */
    APART,   /* rows 2^90 (f32) or 2^200 apart that cancel in every window of even height */
    FADING,  /* columns that get smaller, so that some samples outweigh others */
    BROKEN,  /* stripes with a region that is not finite */
    TWO,     /* noise, and a region of two values, as the template has: some numerators are 0 */
    SPARSE,  /* noise with some samples that are far larger, or smaller */
    COARSE,  /* stripes, of which blocks on the left have few bits, all of them in upper slices */
    PATCH,   /* noise, and stripes under 13 x 7 adjacent windows, and under others smaller ones */
    LARGER,  /* stripes, and behind row 512, where a block may end, noise that is far larger */
    FAR,     /* as APART, 2^98 apart, with all bits of a sample */
    SPREAD,  /* as APART, but columns of many sizes */
    NEARLY,  /* stripes of f64 whose last bits differ: numerators are small, but not 0 */
    PICTURES
} picture;
static const char *const names[PICTURES] = { "stripes", "flat", "copies", "apart",  "fading",
                                             "broken",  "two",  "sparse", "coarse", "patch",
                                             "larger",  "far",  "spread", "nearly" };

static double noise(kit_random *random, xncc_pixel pixel)
{
    const double v = (double)kit_below(random, 1 << 24);
    return pixel == XNCC_U32 ? 200.0 * v : (pixel == XNCC_F64 ? v / 7.0 : v) * 0x1p-24;
}

/* Sample (x, y) of an image with a template of so many columns and rows. */
static double sample(picture of, xncc_pixel pixel, int32_t x, int32_t y, int32_t columns,
                     int32_t rows, kit_random *random)
{
    const int wide = pixel == XNCC_U32;
    const double v = noise(random, pixel), one = wide ? 3e9 : 1.0 / 3.0, two = wide ? 7e8 : -0.7;
    switch (of) {
    case STRIPES: return y % 3 ? one : two;
    case FLAT: return (x / 97 + y / 61) % 3 ? two : v;
    case COPIES: return (double)((x % columns * 7 + y % rows * 13) % 17) * (wide ? 11.0 : one);
    case APART:
        return wide                ? (double)((x * 5 + y / 2 % 2) % 3)
               : y % 4 < 2         ? (y % 2 ? -1.0 : 1.0) * ldexp(1.0 + x % 5, 0)
               : pixel == XNCC_F32 ? (y % 2 ? -1.0 : 1.0) * ldexp(1.0 + x % 3, -90)
                                   : (y % 2 ? -1.0 : 1.0) * ldexp(1.0 + x % 3, -200);
    case FADING: return wide ? v : ldexp(v, -(x / 40) * (pixel == XNCC_F32 ? 6 : 20));
    case BROKEN:
        return y > 200 && x > 300 && x < 340 && !wide ? (x % 2 ? INFINITY : NAN)
                                                      : (y % 3 ? one : two);
    case TWO:
        return x >= 80                ? v
               : kit_below(random, 2) ? (wide ? 7e8 : 101.0) / 7.0
                                      : (wide ? 14e8 : -100.0) / 7.0;
    case SPARSE:
        return wide || x % 97 != 5 || y % 89 != 7 ? v
               : pixel == XNCC_F32                ? ldexp(1.0 + v, y % 2 ? 70 : -60)
                                                  : ldexp(1.0 + v, x % 2   ? 90
                                                                   : y % 2 ? 600
                                                                           : -300);
    case COARSE: return x >= 550 || wide ? (y % 3 ? one : two) : y % 3 ? 1.0 : -0.75;
    case PATCH: {
        const int second = x < 200, left = second ? 20 : 200, top = second ? 30 : 150;
        return x < left || x >= left + 12 + columns || y < top || y >= top + 6 + rows
                   ? v
                   : ldexp(y % 3 ? one : two, second && !wide ? -33 : 0);
    }
    case LARGER: return y < 512 || wide ? (y % 3 ? one : two) : ldexp(floor(1024.0 * v), 40);
    case FAR: return wide ? v : ldexp(y % 2 ? -x % 31 - one : x % 31 + one, y % 4 < 2 ? 0 : -98);
    case NEARLY:
        return (y % 3 ? one : two) *
               (1.0 + (pixel == XNCC_F64 ? (x * 7 + y * 5) % 8 * 0x1p-51 : 0.0));
    case SPREAD: return wide ? v : ldexp(y % 2 ? -x % 31 - one : x % 31 + one, -(x % 6) * 18);
    default: return 0.0;
    }
}

static double templ_sample(picture of, xncc_pixel pixel, const kit_image *image, int32_t x,
                           int32_t y, int32_t c)
{
    const int wide = pixel == XNCC_U32;
    if (of == STRIPES || of == BROKEN || of == COARSE || of == PATCH || of == LARGER ||
        of == NEARLY)
        return x % 2 ? (wide ? 5.0 : 0.25) : (wide ? 4e9 : 1e-3);
    if (of == TWO)
        return (x * 5 + y * 3) % 4 / 2 ? (wide ? 7e8 : 103.0) / 7.0 : (wide ? 21e8 : -99.0) / 7.0;
    if (of == SPREAD && !wide)
        return 1.0 + x % 2;
    if (of == FAR && !wide)
        return ldexp(1.0 + x % 2, y % 4 < 2 ? 0 : -60);
    if (of == APART && !wide)
        return ldexp(1.0 + x % 2, y % 4 < 2 ? 0 : pixel == XNCC_F32 ? -60 : -150);
    return kit_sample(&image->view, (image->view.width - 50) % 100 + x, 70 + y, c);
}

typedef struct shape {
    const char *kernel;
    int32_t width, height, columns, rows;
    int32_t channels;
    int templ_mask, image_mask, no_data;
} shape;

/* The value of pixels that do not count, but are samples like others where nothing says that. */
static double no_data_of(xncc_pixel pixel)
{
    return pixel == XNCC_U32 ? 99.0 : pixel == XNCC_F32 ? NAN : -1.0;
}

static void check_exact(xncc_context *gpu, xncc_context *cpu, const shape *of, picture kind,
                        xncc_pixel pixel, xncc_method method, xncc_mode mode, xncc_border border)
{
    kit_random random = kit_stream(31);
    const int32_t channels = of->channels;
    /* a mask of whole rows and columns, under which numerators of stripes are 0 still */
    const int in_rows = strcmp(of->kernel, "general") == 0;
    kit_image image = kit_image_create_channels(pixel, channels, of->width, of->height, room),
              templ = kit_image_create_channels(pixel, channels, of->columns, of->rows, room);
    if (of->image_mask)
        kit_image_mask(&image, room);
    if (of->templ_mask)
        kit_image_mask(&templ, room);
    image.view.has_no_data = of->no_data;
    image.view.no_data = of->no_data ? no_data_of(pixel) : 0.0;
    for (int32_t y = 0; y < of->height; y++)
        for (int32_t x = 0; x < of->width; x++) {
            for (int32_t c = 0; c < channels; c++) {
                const double v = sample(kind, pixel, x, y + 5 * c, of->columns, of->rows, &random);
                kit_sample_set(&image.view, x, y, c,
                               of->no_data && (x / 50 + y / 40) % 7 == 3 ? no_data_of(pixel) : v);
            }
            if (of->image_mask)
                kit_mask_set(&image.view, x, y, (x / 30 + y / 20) % 5 != 1);
        }
    for (int32_t y = 0; y < of->rows; y++)
        for (int32_t x = 0; x < of->columns; x++) {
            for (int32_t c = 0; c < channels; c++)
                kit_sample_set(&templ.view, x, y, c, templ_sample(kind, pixel, &image, x, y, c));
            if (of->templ_mask)
                kit_mask_set(&templ.view, x, y,
                             in_rows ? x % 5 != 1 && y % 6 != 2 : (x + 2 * y) % 7 != 3);
        }
    char what[160];
    (void)snprintf(what, sizeof what,
                   "%s, %d x %d x %d under %d x %d, masks %d %d, no data %d, mode %d", names[kind],
                   of->width, of->height, channels, of->columns, of->rows, of->templ_mask,
                   of->image_mask, of->no_data, (int)mode);
    const engine_pair engines = { gpu, cpu, of->kernel };
    const kit_options options = { .method = method, .mode = mode, .border = border };
    check_engine_maps(&engines, &image.view, &templ.view, &options, WINDOWS, &random, what);
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
}

int main(int argc, char **argv)
{
    /* blocks of 512, 1024 and 2048 columns and rows */
    static const shape shapes[] = {
        { "float-fused", 700, 400, 5, 8, 1, 0, 0, 0 },
        { "float-fused", 640, 480, 16, 16, 1, 0, 0, 0 },
        { "float-tiles", 700, 400, 24, 20, 1, 0, 0, 0 },
        { "float-tiles", 1010, 350, 45, 38, 1, 0, 0, 0 },
        { "float-fft", 700, 400, 60, 50, 1, 0, 0, 0 },
        { "float-fft", 400, 990, 30, 72, 1, 0, 0, 0 },
        { "float-split", 700, 500, 90, 100, 1, 0, 0, 0 },
        { "float-split", 1900, 300, 310, 30, 1, 0, 0, 0 },
        { "float-split", 300, 1900, 30, 310, 1, 0, 0, 0 },
        { "float-split", 980, 980, 130, 120, 1, 0, 0, 0 },
        { "float-split", 400, 1400, 20, 660, 1, 0, 0, 0 },
        { "float-split", 1600, 1600, 540, 560, 1, 0, 0, 0 }, /* a block of 2048 x 2048 */
        { "float-primes", 320, 270, 12, 16, 1, 0, 0, 0 },
        { "float-primes", 700, 420, 90, 60, 1, 0, 0, 0 },
    };
    /* with channels or masks */
    static const shape others[] = {
        { "float-split", 700, 420, 24, 30, 3, 0, 0, 0 },
        { "float-split", 650, 400, 60, 41, 1, 1, 0, 0 },
        { "float-split", 640, 380, 33, 50, 1, 0, 1, 0 },
        { "float-split", 600, 410, 40, 21, 2, 1, 0, 1 },
        { "float-split", 980, 600, 130, 120, 1, 1, 1, 0 },
        { "float-split", 1900, 320, 310, 30, 2, 0, 0, 0 },
        { "float-split", 620, 430, 41, 44, 1, 0, 0, 0 }, /* border overlap */
        { "float-split", 560, 400, 28, 28, 4, 0, 1, 0 },
        { "float-split", 540, 360, 40, 70, 6, 0, 0, 0 },
        { "general", 300, 260, 9, 14, 3, 0, 0, 0 },
        { "general", 290, 270, 12, 7, 1, 1, 0, 0 },
        { "general", 300, 260, 16, 16, 1, 0, 1, 0 },
        { "general", 310, 250, 8, 8, 2, 1, 0, 1 },
        { "general", 420, 300, 24, 19, 1, 1, 0, 0 }, /* larger ones: by exact_sums.cu */
        { "general", 330, 400, 18, 25, 3, 0, 0, 0 },
        { "general", 400, 320, 20, 20, 1, 0, 1, 1 },
    };
    static const xncc_pixel pixels[] = { XNCC_F32, XNCC_F64, XNCC_U32 };
    static const xncc_method methods[] = { XNCC_CCOEFF_NORMED, XNCC_SQDIFF, XNCC_CCORR_NORMED,
                                           XNCC_CCOEFF,        XNCC_CCORR,  XNCC_SQDIFF_NORMED };
    static const xncc_border borders[] = { XNCC_BORDER_CLAMP, XNCC_BORDER_ZERO, XNCC_BORDER_MIRROR,
                                           XNCC_BORDER_WRAP };
    kit_start(argc, argv);
    xncc_context *gpu = kit_context(kit_device_option(argc, argv), 2),
                 *cpu = kit_context(XNCC_DEVICE_CPU, 2);
    const int brief = kit_flag(argc, argv, "brief"); /* every third shape, with one picture */
    for (int i = 0; i < (int)(sizeof shapes / sizeof *shapes); i += brief ? 3 : 1)
        for (int kind = brief ? i % 9 : 0; kind < PICTURES; kind += brief ? PICTURES : 1) {
            const int number = brief ? i / 3 : 9 * i + kind; /* what goes by turns */
            /* most windows of a large template would hold a sample that is far from the others */
            if (kind == SPARSE && shapes[i].columns * shapes[i].rows > 500)
                continue;
            if (shapes[i].columns > 500 && kind != STRIPES && kind != FAR && kind != NEARLY)
                continue; /* these take long on the CPU */
            /* the first method for every picture, and another one by turns */
            check_exact(gpu, cpu, shapes + i, (picture)kind, pixels[(kind + i + number) % 3],
                        XNCC_CCOEFF_NORMED, XNCC_VALID, XNCC_BORDER_CLAMP);
            if (!brief)
                check_exact(gpu, cpu, shapes + i, (picture)kind, pixels[(kind + i + 1) % 2],
                            methods[1 + number % 5], number % 4 < 2 ? XNCC_SAME : XNCC_VALID,
                            borders[number / 4 % 4]);
        }
    for (int i = 0; i < (int)(sizeof others / sizeof *others); i += brief ? 2 : 1)
        for (int kind = brief ? i : 0; kind < PICTURES; kind += brief ? PICTURES : 1) {
            const shape *of = others + i;
            const int number = 9 * i + kind,
                      overlap = of->channels == 1 && !of->templ_mask && !of->image_mask;
            if (kind == SPARSE)
                continue;
            check_exact(gpu, cpu, of, (picture)kind, pixels[(kind + i) % 3], XNCC_CCOEFF_NORMED,
                        overlap ? XNCC_SAME : XNCC_VALID,
                        overlap ? XNCC_BORDER_OVERLAP : XNCC_BORDER_CLAMP);
            if (!brief)
                check_exact(gpu, cpu, of, (picture)kind, pixels[(kind + i + 1) % 2],
                            methods[1 + number % 5],
                            overlap || number % 4 < 2 ? XNCC_SAME : XNCC_VALID,
                            overlap ? XNCC_BORDER_OVERLAP : borders[number / 4 % 4]);
        }
    xncc_context_destroy(gpu);
    xncc_context_destroy(cpu);
    return kit_finish("float_exact");
}
