/* SPDX-License-Identifier: BSD-2-Clause */
/* What the areas of the check program share, and other test programs with them (check.h). */
#include "check/check.h"

#include <math.h>
#include <string.h>

int check_same(const xncc_map *got, const xncc_map *want, const char *what)
{
    for (int32_t y = 0; y < want->height; y++) {
        const float *a = kit_map_row(got, y), *b = kit_map_row(want, y);
        if (memcmp(a, b, (size_t)want->width * sizeof(float)) == 0)
            continue;
        for (int32_t x = 0; x < want->width; x++) {
            if ((a[x] != a[x] && b[x] != b[x]) || memcmp(a + x, b + x, sizeof(float)) == 0)
                continue;
            kit_fail(__FILE__, __LINE__, "%s: at (%d, %d) it is %.9g, want %.9g", what, x, y,
                     (double)a[x], (double)b[x]);
            return 0;
        }
    }
    return CHECK(1);
}

int check_ok(xncc_status status, const char *what)
{
    if (status == XNCC_OK)
        return CHECK(1);
    kit_fail(__FILE__, __LINE__, "%s: %s: %s", what, xncc_status_string(status), kit_error.text);
    return 0;
}

xncc_problem check_problem(const xncc_image *image, int32_t width, int32_t height)
{
    return kit_problem((xncc_problem){ .pixel = image->pixel,
                                       .image_width = image->width,
                                       .image_height = image->height,
                                       .templ_width = width,
                                       .templ_height = height });
}

kit_map check_map_for(const xncc_image *image, const xncc_image *templ, xncc_mode mode)
{
    int32_t more = mode == XNCC_VALID ? -1 : mode == XNCC_FULL ? 1 : 0;
    return kit_map_create(image->width + more * (templ->width - 1),
                          image->height + more * (templ->height - 1), 0, KIT_AFTER);
}

int check_is_long(const xncc_image *image, const xncc_image *templ, xncc_mode mode)
{
    const xncc_problem problem = check_problem(image, templ->width, templ->height);
    const double more = mode == XNCC_FULL   ? templ->width
                        : mode == XNCC_SAME ? 0
                                            : -templ->width,
                 lower = mode == XNCC_FULL   ? templ->height
                         : mode == XNCC_SAME ? 0
                                             : -templ->height;
    return (problem.pixel == XNCC_F32 || problem.pixel == XNCC_F64) &&
           (image->width + more) * (image->height + lower) * templ->width * templ->height > 3e5;
}

kit_map check_reference(check_run *run, const xncc_image *image, const xncc_image *templ,
                        const kit_options *options)
{
    kit_map map = check_map_for(image, templ, options->mode);
    kit_options forced = *options;
    forced.kernel = check_is_long(image, templ, options->mode) ? "direct-portable" : "reference";
    xncc_template *prepared = NULL;
    if (check_ok(xncc_template_create(run->cpu, templ, &prepared, &kit_error),
                 "template for the reference"))
        check_ok(kit_correlate(run->cpu, image, prepared, &forced, &map.view), "reference");
    xncc_template_destroy(prepared);
    return map;
}

void check_taps(float *tap, int32_t width, int32_t height, check_taps_fill fill, kit_random *random)
{
    int32_t count = width * height;
    for (int32_t i = 0; i < count; i++) {
        float v = (float)kit_between(random, -8388607, 8388607) * 0x1p-23f;
        tap[i] = fill == CHECK_TAPS_DELTA  ? 0.0f
                 : fill == CHECK_TAPS_TINY ? v * 1e-37f
                 : fill == CHECK_TAPS_WILD ? ldexpf(v, kit_between(random, -20, 20))
                                           : v;
    }
    if (fill == CHECK_TAPS_DELTA)
        tap[kit_between(random, 0, count - 1)] = 1.0f;
}
