/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/team_try.h"

team_trial team_try;

xncc_template *team_template(xncc_context *context)
{
    xncc_template *templ = NULL;
    if (!CHECK_STATUS(
            xncc_template_create(context, &team_try.scene.pixels.view, &templ, &kit_error),
            XNCC_OK))
        kit_give_up("%s", kit_error.text);
    return templ;
}

xncc_plan *team_plan(xncc_context *context, int32_t parts, xncc_memory memory)
{
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    xncc_plan *plan = NULL;
    preference.parts = parts;
    preference.image_memory = preference.map_memory = memory;
    if (!CHECK_STATUS(xncc_plan_create(context, &team_try.problem, &preference, &plan, &kit_error),
                      XNCC_OK))
        kit_give_up("%s", kit_error.text);
    return plan;
}

void team_begin(uint64_t number)
{
    static const xncc_pixel pixels[] = { XNCC_U8, XNCC_U16, XNCC_S8, XNCC_F32 };
    static const int32_t apart[] = { XNCC_AUTO, 1, 2, 3, 9 };
    static const size_t tops[] = { 1, 4, 40, TEAM_MOST };
    const xncc_problem plain = XNCC_PROBLEM_INIT;
    const xncc_peak_rule best = XNCC_PEAK_RULE_INIT;
    kit_random random = kit_stream(number * 31 + 7);
    const team_look look = team_look_draw(&random, pixels, 4, number);
    team_try.scene = team_scene_make(&look);
    team_try.problem = plain;
    team_try.peaks = best;
    team_try.problem.rule.method = (xncc_method)kit_below(&random, 6);
    team_try.peaks.min_distance = apart[kit_below(&random, 5)];
    team_try.peaks.min_score = -INFINITY;
    team_try.capacity = tops[kit_below(&random, 4)];
    xncc_template *templ = team_template(team_alone);
    CHECK_STATUS(xncc_problem_set(&team_try.problem, &team_try.scene.image.view, templ, &kit_error),
                 XNCC_OK);
    team_try.map = kit_map_create(look.width - look.templ_width + 1,
                                  look.height - look.templ_height + 1, 2, KIT_AFTER);
    xncc_plan *plan = team_plan(team_alone, 0, XNCC_HOST);
    CHECK_STATUS(xncc_plan_correlate(plan, &team_try.scene.image.view, templ, &team_try.map.view,
                                     NULL, &kit_error),
                 XNCC_OK);
    CHECK_STATUS(xncc_plan_find(plan, &team_try.scene.image.view, templ, &team_try.peaks,
                                team_try.match, team_try.capacity, &team_try.found, NULL,
                                &kit_error),
                 XNCC_OK);
    xncc_plan_destroy(plan);
    xncc_template_destroy(templ);
}

void team_end(void)
{
    kit_map_destroy(&team_try.map);
    team_scene_free(&team_try.scene);
}
