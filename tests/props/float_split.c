/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel float-split on images that take blocks of every side, the levels that it shares with
 * float-fft and float-tiles, and float-primes beside samples that are far or not finite: maps are
 * those of the CPU, and some windows score as the oracle says. */
#include "kit/oracle_general.h"

#include <math.h>
#include <string.h>

enum { WINDOWS = 40 };

/* Samples that are far from the others, or not finite; `apart`: how far from each other. */
typedef struct spikes {
    double value;
    int count, apart;
    xncc_method method;
} spikes;

/* Sizes of noise: every `each` columns, samples become 2^fall times smaller; 0: nowhere. All get an
 * offset. Those of a square of side `zeros` in the middle are 0. folded: both halves of the window
 * that the template comes from are alike, with a sample much finer than the others, and those of
 * the template add up to a constant. */
typedef struct sizes {
    int each, fall;
    double offset;
    int zeros, folded;
} sizes;
static const sizes even = { 0, 0, 0.0, 0, 0 }, hole = { 0, 0, 0.0, 160, 0 },
                   folded = { 0, 0, 0.0, 0, 1 };

static kit_map map_of(xncc_context *context, const kit_image *image, const xncc_template *templ,
                      xncc_method method, const char *kernel)
{
    kit_map map = kit_map_create(image->view.width - xncc_template_width(templ) + 1,
                                 image->view.height - xncc_template_height(templ) + 1, 1,
                                 KIT_AFTER);
    if (kit_correlate(context, &image->view, templ,
                      &(kit_options){ .method = method, .kernel = kernel }, &map.view) != XNCC_OK)
        kit_give_up("%s: %s", kernel ? kernel : "(chosen)", kit_error.text);
    return map;
}

static kit_map map_on(xncc_context *context, const kit_image *image, const kit_image *templ,
                      xncc_method method, const char *kernel)
{
    xncc_template *template = NULL;
    if (xncc_template_create(context, &templ->view, &template, &kit_error) != XNCC_OK)
        kit_give_up("no template: %s", kit_error.text);
    kit_map map = map_of(context, image, template, method, kernel);
    xncc_template_destroy(template);
    return map;
}

/* Sample (x, y) of an image, out of noise. */
static void put_sample(const kit_image *image, const sizes *of, int32_t x, int32_t y, double noise)
{
    const double v = of->each ? ldexp(noise, -of->fall * (x / of->each)) : noise;
    const int32_t i = x - image->view.width / 2, j = y - image->view.height / 2;
    const int zero = i >= 0 && j >= 0 && i < of->zeros && j < of->zeros;
    kit_sample_set(&image->view, x, y, 0, zero ? 0.0 : of->offset + v);
}

/* Noise leaves few windows in doubt, and a square of zeros those inside of it. Some samples that
 * outweigh all others are outliers. More of them leave most windows in doubt, and so do regions of
 * other sizes, so that levels follow. */
static void check_kernel(const char *kernel, xncc_context *gpu, xncc_context *cpu, xncc_pixel pixel,
                         int32_t width, int32_t height, int32_t columns, int32_t rows, spikes of,
                         sizes noise)
{
    kit_random random = kit_stream(77);
    kit_image image = kit_image_create(pixel, width, height, 1, KIT_AFTER),
              templ = kit_image_create(pixel, columns, rows, 1, KIT_AFTER);
    const int bits = pixel == XNCC_F64 ? 53 : 24; /* all that a sample has */
    const double unit = pixel == XNCC_U32 ? 1.0 : ldexp(1.0, -bits);
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++)
            put_sample(&image, &noise, x, y,
                       unit * (double)kit_below(&random, UINT64_C(1) << bits));
    for (int32_t y = 0; y < rows; y++)
        for (int32_t x = 0; x < columns; x++) {
            const int second = noise.folded && 2 * x >= columns;
            const double v = kit_sample(&image.view, x + 100 - (second ? columns / 2 : 0), y + 50,
                                        0);
            kit_sample_set(&templ.view, x, y, 0, second ? unit * ldexp(1.0, bits) - v : v);
            kit_sample_set(&image.view, x + 100, y + 50, 0, v);
        }
    for (int i = 0; i < 2 && noise.folded; i++)
        kit_sample_set(&image.view, 100 + columns / 4 + i * (columns / 2), 50 + rows / 2, 0,
                       pixel == XNCC_U32 ? 1.0 : 0x1p-70);
    for (int32_t i = 0; i < of.count; i++)
        kit_sample_set(&image.view, (width / 3 + of.apart * i) % width,
                       (height / 2 + of.apart / 2 * i) % height, 0, of.value);
    kit_map want = map_on(cpu, &image, &templ, of.method, NULL),
            got = map_on(gpu, &image, &templ, of.method, kernel);
    int64_t differ = 0;
    for (int32_t y = 0; y < got.view.height; y++)
        for (int32_t x = 0; x < got.view.width; x++)
            differ += memcmp(kit_map_row(&got.view, y) + x, kit_map_row(&want.view, y) + x,
                             sizeof(float)) != 0;
    if (!CHECK(differ == 0))
        kit_fail(__FILE__, __LINE__,
                 "%s, %s, %d x %d, %d of %g, %d in %d columns: %lld windows differ", kernel,
                 xncc_pixel_name(pixel), width, height, of.count, of.value, noise.fall, noise.each,
                 (long long)differ);
    oracle_general oracle = oracle_general_make(&image.view, &templ.view, XNCC_VALID,
                                                XNCC_BORDER_CLAMP);
    for (int i = 0; i < WINDOWS && pixel != XNCC_U32; i++) {
        const int32_t x = kit_between(&random, 0, got.view.width - 1),
                      y = kit_between(&random, 0, got.view.height - 1);
        const float exact = oracle_exact(&oracle, &(kit_options){ .method = of.method }, x, y);
        CHECK(memcmp(&exact, kit_map_row(&got.view, y) + x, sizeof exact) == 0);
    }
    oracle_general_free(&oracle);
    kit_map_destroy(&got);
    kit_map_destroy(&want);
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
}

static void check_split(xncc_context *gpu, xncc_context *cpu, xncc_pixel pixel, int32_t width,
                        int32_t height, int32_t columns, int32_t rows, spikes of, sizes noise)
{
    check_kernel("float-split", gpu, cpu, pixel, width, height, columns, rows, of, noise);
}

int main(int argc, char **argv)
{
    static const int32_t sides[][2] = {
        { 510, 510 },  { 1020, 510 }, { 2040, 510 }, { 4090, 510 },
        { 510, 1020 }, { 510, 2040 }, { 510, 4090 }, { 1500, 1300 }
    };
    static const xncc_pixel pixels[] = { XNCC_F32, XNCC_F64, XNCC_U32 };
    static const spikes none = { 0 }, distance = { 0.0, 0, 0, XNCC_SQDIFF },
                        some[] = {
                            { 1e30, 1, 0, XNCC_CCOEFF_NORMED },
                            { -1e9, 32, 7, XNCC_CCORR_NORMED },
                            { INFINITY, 1, 0, XNCC_CCOEFF },
                            { 1e30, 33, 3, XNCC_CCOEFF_NORMED },
                            { NAN, 200, 611, XNCC_SQDIFF },
                            { 1e30, 20, 401, XNCC_SQDIFF_NORMED },
                            { -1e9, 40, 3, XNCC_CCOEFF_NORMED },
                            { 1e4, 9, 31, XNCC_CCOEFF_NORMED },
                        };
    /* levels: of two sizes and zeros, of many, of too many to have one each, with spikes, by each
     * method */
    static const struct {
        spikes of;
        sizes noise;
    } regions[] = {
        { { 0.0, 0, 0, XNCC_CCOEFF_NORMED }, { 260, 40, 0.0, 160, 0 } },
        { { 0.0, 0, 0, XNCC_CCOEFF }, { 80, 9, 0.0, 0, 0 } },
        { { 0.0, 0, 0, XNCC_CCOEFF_NORMED }, { 9, 1, 0.0, 0, 0 } },
        { { 1e30, 50, 37, XNCC_SQDIFF_NORMED }, { 200, 25, 0.0, 0, 0 } },
        { { -1e25, 100, 23, XNCC_CCORR_NORMED }, { 150, 17, 0.0, 0, 0 } },
        { { 1e20, 60, 29, XNCC_CCOEFF_NORMED }, { 0, 0, 1000.0, 0, 0 } },
        { { 1e-30, 40, 11, XNCC_CCORR }, { 350, 60, 0.0, 0, 0 } },
        { { NAN, 40, 61, XNCC_SQDIFF }, { 255, 31, 0.0, 0, 0 } },
    };
    kit_start(argc, argv);
    xncc_context *gpu = kit_context(kit_device_option(argc, argv), 2),
                 *cpu = kit_context(XNCC_DEVICE_CPU, 2);
    const int brief = kit_flag(argc, argv, "brief");
    for (size_t i = 0; i < 3 && !brief; i++) {
        for (size_t k = 0; k < sizeof sides / sizeof *sides; k++)
            check_split(gpu, cpu, pixels[i], sides[k][0], sides[k][1], 40, 30, none, even);
        /* some windows are in doubt to the end, which several blocks share */
        check_split(gpu, cpu, pixels[i], 1020, 1020, 300, 200, none, even);
        /* the distance to the template's own window is 0: long integers settle it */
        check_split(gpu, cpu, pixels[i], 1020, 510, 40, 30, distance, even);
        check_split(gpu, cpu, pixels[i], 1020, 510, 300, 200, distance, even);
        /* so is its correlation with a folded window, and no part of that is */
        check_split(gpu, cpu, pixels[i], 1020, 510, 40, 30, none, folded);
        check_split(gpu, cpu, pixels[i], 1020, 510, 300, 200, none, folded);
        check_split(gpu, cpu, pixels[i], 1020, 510, 40, 30, none, hole);
    }
    for (size_t i = 0; i < 8; i++) {
        if (brief) {
            check_split(gpu, cpu, pixels[i % 3], 700, 300, 90, 150, i % 3 == 2 ? none : some[i],
                        i % 3 == 2 ? hole : even);
            if (i == 0 || i == 4)
                check_split(gpu, cpu, pixels[i / 4], 700, 300, 150, 90, regions[i].of,
                            regions[i].noise);
            if (i == 1 || i == 4)
                check_kernel(i == 1 ? "float-tiles" : "float-fft", gpu, cpu, pixels[i / 4], 700,
                             300, 40, 30, regions[i].of, regions[i].noise);
            continue;
        }
        check_split(gpu, cpu, pixels[i % 2], 2040, 510, 40, 30, some[i], even);
        check_split(gpu, cpu, pixels[i / 4], 1020, 510, i % 2 ? 150 : 70, i % 3 ? 20 : 130,
                    regions[i].of, regions[i].noise);
        for (int k = 0; k < 2; k++)
            check_kernel(k ? "float-tiles" : "float-fft", gpu, cpu, pixels[(i + (size_t)k) % 2],
                         i % 2 ? 1020 : 1900, 510, i % 3 == 1 ? 17 : 45, i % 3 ? 40 : 19,
                         regions[i].of, regions[i].noise);
        check_split(gpu, cpu, pixels[(i + 1) % 2], 1500, 700, 90, 150, some[i], even);
        for (int k = 0; k < 2; k++)
            check_kernel("float-primes", gpu, cpu, pixels[(i + (size_t)k) % 3], 700, 300,
                         k ? 14 : 90, k ? 9 : 50, some[i], even);
    }
    xncc_context_destroy(gpu);
    xncc_context_destroy(cpu);
    return kit_finish("float_split");
}
