/* SPDX-License-Identifier: BSD-2-Clause */
#include "props/float_maps.h"

#include <math.h>
#include <string.h>

enum { MOST_KERNELS = 64 };

xncc_context *float_context;

xncc_template *float_template_of(const xncc_image *templ)
{
    xncc_template *template = NULL;
    if (xncc_template_create(float_context, templ, &template, &kit_error) != XNCC_OK)
        kit_give_up("no template: %s", kit_error.text);
    return template;
}

/* The kernels for a pair; the reference, which is slow, only for small templates. */
static size_t kernels_of(float_pair p, xncc_method method, const char **name)
{
    const kit_options options = { .method = method, .mode = p.mode, .border = p.border };
    const char *all[MOST_KERNELS];
    const size_t count = kit_kernels(float_context, p.image, p.templ, &options, all, MOST_KERNELS);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (p.templ->width * p.templ->height < 200 || strcmp(all[i], "reference") != 0)
            name[kept++] = all[i];
    CHECK(kept > 0);
    return kept;
}

kit_map float_map_of(float_pair p, xncc_method method, const char *kernel)
{
    const int all = p.mode == XNCC_SAME;
    kit_map map = kit_map_create(p.image->width - (all ? 0 : p.templ->width - 1),
                                 p.image->height - (all ? 0 : p.templ->height - 1), 1, KIT_AFTER);
    xncc_template *template = float_template_of(p.templ);
    const kit_options options = {
        .method = method, .kernel = kernel, .mode = p.mode, .border = p.border
    };
    if (kit_correlate(float_context, p.image, template, &options, &map.view) != XNCC_OK)
        kit_give_up("%s: %s", kernel ? kernel : "(chosen)", kit_error.text);
    xncc_template_destroy(template);
    return map;
}

void check_float_maps(float_pair p, xncc_method method, const xncc_map *want, int32_t x, int32_t y,
                      int power, const char *what)
{
    const char *kernel[MOST_KERNELS];
    const size_t kernels = kernels_of(p, method, kernel);
    for (size_t k = 0; k < kernels; k++) {
        kit_map got = float_map_of(p, method, kernel[k]);
        int same = 1;
        for (int32_t j = 0; j < got.view.height; j++)
            for (int32_t i = 0; i < got.view.width; i++) {
                const float v = ldexpf(kit_map_row(want, y + j)[x + i], power);
                same &= memcmp(&kit_map_row(&got.view, j)[i], &v, sizeof v) == 0;
            }
        if (!CHECK(same))
            kit_fail(__FILE__, __LINE__, "%s: %s x %d, template %dx%d, %s, %s", what,
                     xncc_pixel_name(p.image->pixel), p.image->channels, p.templ->width,
                     p.templ->height, xncc_method_name(method), kernel[k]);
        kit_map_destroy(&got);
    }
}

/* The best `top` matches by a kernel must be those of the map. */
static void check_matches(float_pair p, xncc_method method, const xncc_map *map, const char *kernel,
                          size_t top, const char *what)
{
    enum { MOST = 64 };
    const int smallest = xncc_method_is_distance(method);
    const oracle_peak_rule rule = { smallest, smallest ? INFINITY : -INFINITY, 2, top };
    const kit_find_options options = { .method = method,
                                       .mode = p.mode,
                                       .border = p.border,
                                       .kernel = kernel,
                                       .top = top,
                                       .min_score = -INFINITY,
                                       .min_distance = 2 };
    xncc_match want[MOST], got[MOST];
    size_t found = 0;
    const size_t wanted = oracle_peaks(map, &rule, want);
    xncc_template *template = float_template_of(p.templ);
    CHECK_STATUS(kit_find(float_context, p.image, template, &options, got, MOST, &found), XNCC_OK);
    if (!CHECK(found == wanted && memcmp(got, want, wanted * sizeof *want) == 0))
        kit_fail(__FILE__, __LINE__, "%s: %s, template %dx%d, %s, %s, top %zu: other matches", what,
                 xncc_pixel_name(p.image->pixel), p.templ->width, p.templ->height,
                 xncc_method_name(method), kernel, top);
    xncc_template_destroy(template);
}

void check_float_matches(float_pair p, xncc_method method, const xncc_map *map, const char *only,
                         const char *what)
{
    const char *kernel[MOST_KERNELS] = { only };
    const size_t kernels = only ? 1 : kernels_of(p, method, kernel);
    for (size_t k = 0; k < kernels; k++)
        for (size_t top = 1; top <= 40; top += 39)
            check_matches(p, method, map, kernel[k], top, what);
}

void check_float_scores(float_pair p, xncc_method method, const xncc_map *map, int windows,
                        const char *what)
{
    kit_random random = kit_stream(950);
    const kit_options options = { .method = method };
    const int is_float = p.image->pixel == XNCC_F32 || p.image->pixel == XNCC_F64;
    oracle_general oracle = oracle_general_make(p.image, p.templ, p.mode, p.border);
    for (int i = 0; i < windows; i++) {
        int32_t x = kit_between(&random, 0, map->width - 1);
        int32_t y = kit_between(&random, 0, map->height - 1);
        if (i < 6) { /* in the corner, and in the last column */
            x = i < 3 ? i : map->width - 1;
            y = i < 3 ? i : 6 * (i - 3);
        }
        const float want = is_float ? oracle_exact(&oracle, &options, x, y)
                                    : oracle_general_score(&oracle, &options, x, y);
        if (!CHECK(memcmp(&want, &kit_map_row(map, y)[x], sizeof want) == 0))
            kit_fail(__FILE__, __LINE__, "%s: %s, template %dx%d, %s at %d, %d: %a, not %a", what,
                     xncc_pixel_name(p.image->pixel), p.templ->width, p.templ->height,
                     xncc_method_name(method), x, y, (double)kit_map_row(map, y)[x], (double)want);
    }
    oracle_general_free(&oracle);
}
