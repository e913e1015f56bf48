/* SPDX-License-Identifier: BSD-2-Clause */
/* Images that devices share: the results are those of one device, bit for bit. */
#include "unit/team_try.h"

#include <string.h>

enum { IMAGES = 9, LIST = 5 };

/* Images of one size, at different places of the scene, and the matches in each. */
typedef struct several {
    xncc_image image[IMAGES];
    xncc_match match[IMAGES * LIST];
    size_t found[IMAGES];
} several;

static several want, got;

static void find_images(xncc_context *context, several *s)
{
    xncc_template *templ = team_template(context);
    xncc_plan *plan = team_plan(context, 0, XNCC_HOST);
    memset(s->match, 0, sizeof s->match);
    CHECK_STATUS(xncc_plan_find_images(plan, s->image, IMAGES, templ, &team_try.peaks, s->match,
                                       LIST, s->found, NULL, &kit_error),
                 XNCC_OK);
    xncc_plan_destroy(plan);
    xncc_template_destroy(templ);
}

static int same_matches(void)
{
    return memcmp(want.found, got.found, sizeof want.found) == 0 &&
           memcmp(want.match, got.match, sizeof want.match) == 0;
}

/* Images in the memory of the members are searched where they are. */
static void check_held_images(xncc_context *context, int devices)
{
    static char room[IMAGES][1 << 15];
    int held[MEMBERS] = { 0 }, next = 0;
    got = want;
    for (int m = 0; m < devices; m++) { /* member m has some of the images, one after the other */
        team_note[m].memory = room[next];
        for (int i = 0; i < IMAGES; i++) {
            const xncc_image *from = &want.image[i];
            if (i / 2 * 5 % devices != m)
                continue;
            const size_t row = (size_t)from->width * xncc_pixel_size(from->pixel);
            CHECK(row * (size_t)from->height <= sizeof room[0]);
            for (int32_t y = 0; y < from->height; y++)
                memcpy(room[next] + (size_t)y * row, (const char *)from->data + y * from->pitch,
                       row);
            got.image[i].data = room[next++];
            got.image[i].pitch = 0;
            got.image[i].memory = XNCC_DEVICE;
            held[m]++;
        }
        team_note[m].end = room[next];
        team_note[m].runs = 0;
    }
    find_images(context, &got);
    CHECK(same_matches());
    for (int m = 0; m < devices; m++)
        CHECK(held[m] ? team_note[m].runs > 0 : team_note[m].runs == 0);
    team_note[devices - 1].fails = TEAM_RUN;
    team_note[devices - 1].status = XNCC_ERROR_DEVICE;
    xncc_template *templ = team_template(context);
    xncc_plan *plan = team_plan(context, 0, XNCC_HOST);
    CHECK_STATUS(xncc_plan_find_images(plan, got.image, IMAGES, templ, NULL, got.match, LIST,
                                       got.found, NULL, &kit_error),
                 held[devices - 1] ? XNCC_ERROR_DEVICE : XNCC_OK);
    xncc_plan_destroy(plan);
    xncc_template_destroy(templ);
    for (int m = 0; m < devices; m++) {
        team_note[m].fails = TEAM_NOWHERE;
        team_note[m].memory = team_note[m].end = NULL;
    }
}

void check_images(xncc_context *const *team, int posed)
{
    const team_look look = { XNCC_U8, 1, 60, 50, 6, 5, 0, 100, 12 };
    const xncc_problem plain = XNCC_PROBLEM_INIT;
    team_try.scene = team_scene_make(&look);
    team_try.problem = plain;
    team_try.peaks = (xncc_peak_rule)XNCC_PEAK_RULE_INIT;
    team_try.peaks.min_score = -1.0f;
    team_try.problem.image_width = 41;
    team_try.problem.image_height = 33;
    team_try.problem.templ_width = look.templ_width;
    team_try.problem.templ_height = look.templ_height;
    for (int32_t i = 0; i < IMAGES; i++)
        CHECK_STATUS(xncc_image_crop(&team_try.scene.image.view, i, 2 * i, 41, 33, &want.image[i],
                                     &kit_error),
                     XNCC_OK);
    find_images(team_alone, &want);
    for (int devices = 1; devices <= MEMBERS; devices++) {
        if (!team[devices])
            continue;
        memcpy(got.image, want.image, sizeof want.image);
        for (int i = 0; i < devices; i++)
            team_note[i].runs = 0;
        find_images(team[devices], &got);
        CHECK(same_matches());
        for (int i = 0; i < devices && posed; i++)
            CHECK(team_note[i].runs > 0);
        if (posed)
            check_held_images(team[devices], devices);
    }
    team_scene_free(&team_try.scene);
}

/* The others search the images of one that fails. */
void check_failing_images(void)
{
    xncc_context *context = team_context(3, 0, 0.0);
    char text[XNCC_ERROR_SIZE];
    xncc_context *const alone[MEMBERS + 1] = { NULL, NULL, NULL, context };
    team_note[2].fails = TEAM_RUN;
    team_note[2].status = XNCC_ERROR_DEVICE;
    team_note[2].later = 1;
    check_images(alone, 0);
    CHECK(strstr(xncc_context_warning(context, text, sizeof text), "device 2 has failed"));
    team_note[2].fails = TEAM_NOWHERE;
    xncc_context_destroy(context);
}
