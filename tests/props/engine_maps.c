/* SPDX-License-Identifier: BSD-2-Clause */
#include "props/engine_maps.h"

#include <math.h>
#include <string.h>

static int same_score(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static xncc_template *template_of(xncc_context *context, const xncc_image *pixels)
{
    xncc_template *templ = NULL;
    if (xncc_template_create(context, pixels, &templ, &kit_error) != XNCC_OK)
        kit_give_up("no template: %s", kit_error.text);
    return templ;
}

void check_engine_maps(const engine_pair *engines, const xncc_image *image, const xncc_image *templ,
                       const kit_options *given, int windows, kit_random *random, const char *what)
{
    xncc_template *on_gpu = template_of(engines->gpu, templ),
                  *on_cpu = template_of(engines->cpu, templ);
    kit_options options = *given;
    int32_t width, height, x0, y0;
    CHECK_STATUS(kit_map_extent(options.mode, image->width, image->height, templ->width,
                                templ->height, &width, &height, &x0, &y0),
                 XNCC_OK);
    kit_map want = kit_map_create(width, height, 1, KIT_AFTER),
            got = kit_map_create(width, height, 1, KIT_AFTER);
    CHECK_STATUS(kit_correlate(engines->cpu, image, on_cpu, &options, &want.view), XNCC_OK);
    options.kernel = engines->kernel;
    CHECK_STATUS(kit_correlate(engines->gpu, image, on_gpu, &options, &got.view), XNCC_OK);
    int64_t differ = 0;
    for (int32_t y = 0; y < got.view.height; y++)
        for (int32_t x = 0; x < got.view.width; x++)
            differ += !same_score(kit_map_row(&got.view, y)[x], kit_map_row(&want.view, y)[x]);
    if (!CHECK(differ == 0))
        kit_fail(__FILE__, __LINE__, "%s, %s, %s, %s: %lld windows differ", what, engines->kernel,
                 xncc_pixel_name(image->pixel), xncc_method_name(options.method),
                 (long long)differ);
    oracle_general oracle = oracle_general_make(image, templ, options.mode, options.border);
    for (int i = 0; i < windows && image->pixel != XNCC_U32; i++) {
        const int32_t x = kit_between(random, 0, got.view.width - 1),
                      y = kit_between(random, 0, got.view.height - 1);
        CHECK(same_score(oracle_exact(&oracle, given, x, y), kit_map_row(&got.view, y)[x]));
    }
    oracle_general_free(&oracle);
    xncc_template_destroy(on_gpu);
    xncc_template_destroy(on_cpu);
    kit_map_destroy(&got);
    kit_map_destroy(&want);
}
