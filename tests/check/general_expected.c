/* SPDX-License-Identifier: BSD-2-Clause */
/* The expected maps of the cases of general.h. */
#include "check/general.h"

#include <string.h>

static int is_float(xncc_pixel pixel)
{
    return pixel == XNCC_F32 || pixel == XNCC_F64;
}

void general_check_element(const general_subject *s, const xncc_map *map, int32_t x, int32_t y)
{
    const kit_options *o = &s->c.options;
    const float got = kit_map_row(map, y)[x],
                want = is_float(s->c.pixel) ? oracle_exact(&s->oracle, o, x, y)
                                            : oracle_general_score(&s->oracle, o, x, y);
    if ((got != got && want != want) || memcmp(&got, &want, sizeof got) == 0)
        CHECK(1);
    else
        kit_fail(__FILE__, __LINE__, "%s: at (%d, %d) it is %.9g, want %.9g", s->name, x, y,
                 (double)got, (double)want);
}

kit_map general_expected(general_subject *s, const char *first)
{
    const int reference = is_float(s->c.pixel);
    xncc_context *context = reference ? s->run->cpu : s->run->context[0];
    kit_options options = s->c.options;
    xncc_template *own = NULL;
    kit_map map = kit_map_create(s->oracle.width, s->oracle.height, 0, KIT_AFTER);
    options.kernel = reference ? "reference" : first;
    int done = !reference ||
               check_ok(xncc_template_create(context, &s->templ.view, &own, &kit_error), s->name);
    if (done)
        done = check_ok(
            kit_correlate(context, &s->image.view, own ? own : s->prepared[0], &options, &map.view),
            s->name);
    xncc_template_destroy(own);
    if (!done)
        return map;
    const double most = s->run->full ? 3e7 : 1.5e6;
    const int32_t step = 1 + (int32_t)(general_work(&s->c) / most);
    for (int32_t y = 0; y < map.view.height; y++)
        for (int32_t x = y % step; x < map.view.width; x += step)
            general_check_element(s, &map.view, x, y);
    general_check_element(s, &map.view, map.view.width - 1, map.view.height - 1);
    return map;
}
