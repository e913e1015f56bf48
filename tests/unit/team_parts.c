/* SPDX-License-Identifier: BSD-2-Clause */
/* Images and maps of which each device holds a part, and images that devices share: the results are
 * those of one device, bit for bit. */
#include "unit/team.h"

#include "exactncc/batch.h"
#include "exactncc/parts.h"
#include "kit/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 3000, IMAGES = 9, LIST = 5 };

/* A problem, and what one device makes of it. */
typedef struct trial {
    team_scene scene;
    xncc_problem problem;
    xncc_peak_rule peaks;
    size_t capacity;
    kit_map map;
    xncc_match match[MOST];
    size_t found;
} trial;

static trial t;

static xncc_template *template_of(xncc_context *context)
{
    xncc_template *templ = NULL;
    if (!CHECK_STATUS(xncc_template_create(context, &t.scene.pixels.view, &templ, &kit_error),
                      XNCC_OK))
        kit_give_up("%s", kit_error.text);
    return templ;
}

static xncc_plan *plan_of(xncc_context *context, int32_t parts, xncc_memory memory)
{
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    xncc_plan *plan = NULL;
    preference.parts = parts;
    preference.image_memory = preference.map_memory = memory;
    if (!CHECK_STATUS(xncc_plan_create(context, &t.problem, &preference, &plan, &kit_error),
                      XNCC_OK))
        kit_give_up("%s", kit_error.text);
    return plan;
}

/* Draws a problem, and solves it on one device. */
static void begin(uint64_t number)
{
    static const xncc_pixel pixels[] = { XNCC_U8, XNCC_U16, XNCC_S8, XNCC_F32 };
    static const int32_t apart[] = { XNCC_AUTO, 1, 2, 3, 9 };
    static const size_t tops[] = { 1, 4, 40, MOST };
    const xncc_problem plain = XNCC_PROBLEM_INIT;
    const xncc_peak_rule best = XNCC_PEAK_RULE_INIT;
    kit_random random = kit_stream(number * 31 + 7);
    const team_look look = { .pixel = pixels[kit_below(&random, 4)],
                             .channels = kit_below(&random, 4) ? 1 : 3,
                             .width = kit_between(&random, 9, 40),
                             .height = kit_between(&random, 9, 60),
                             .templ_width = kit_between(&random, 1, 9),
                             .templ_height = kit_between(&random, 1, 9),
                             .masks = kit_below(&random, 3) ? 0 : kit_between(&random, 1, 7),
                             .values = kit_below(&random, 2) ? 3 : 100,
                             .number = number };
    t.scene = team_scene_make(&look);
    t.problem = plain;
    t.peaks = best;
    t.problem.rule.method = (xncc_method)kit_below(&random, 6);
    t.peaks.min_distance = apart[kit_below(&random, 5)];
    t.peaks.min_score = -INFINITY;
    t.capacity = tops[kit_below(&random, 4)];
    xncc_template *templ = template_of(team_alone);
    CHECK_STATUS(xncc_problem_set(&t.problem, &t.scene.image.view, templ, &kit_error), XNCC_OK);
    t.map = kit_map_create(look.width - look.templ_width + 1, look.height - look.templ_height + 1,
                           2, KIT_AFTER);
    xncc_plan *plan = plan_of(team_alone, 0, XNCC_HOST);
    CHECK_STATUS(
        xncc_plan_correlate(plan, &t.scene.image.view, templ, &t.map.view, NULL, &kit_error),
        XNCC_OK);
    CHECK_STATUS(xncc_plan_find(plan, &t.scene.image.view, templ, &t.peaks, t.match, t.capacity,
                                &t.found, NULL, &kit_error),
                 XNCC_OK);
    xncc_plan_destroy(plan);
    xncc_template_destroy(templ);
}

static void end(void)
{
    kit_map_destroy(&t.map);
    team_scene_free(&t.scene);
}

/* ---- parts ---- */

/* The views of the parts. */
typedef struct views {
    int32_t count;
    xncc_part part[MEMBERS];
    xncc_image image[MEMBERS];
    xncc_map map[MEMBERS];
    kit_map room[MEMBERS];
    xncc_stream stream[MEMBERS];
} views;

static void views_open(views *v, const xncc_plan *plan, xncc_memory memory)
{
    xncc_plan_info info = XNCC_PLAN_INFO_INIT;
    int32_t row = 0;
    CHECK_STATUS(xncc_plan_describe(plan, &info, &kit_error), XNCC_OK);
    v->count = info.devices;
    for (int32_t i = 0; i < v->count; i++) {
        xncc_part *p = &v->part[i];
        *p = (xncc_part)XNCC_PART_INIT;
        CHECK_STATUS(xncc_plan_part(plan, i, p, &kit_error), XNCC_OK);
        const int32_t last = p->map_y + p->map_height, end = last + t.problem.templ_height - 1;
        CHECK_INT(p->device, i);
        CHECK_INT(p->map_y, row);
        CHECK(p->map_height > 0);
        CHECK_INT(p->image_y, i > 0 ? row - 1 : 0);
        CHECK_INT(p->image_y + p->image_height, i < v->count - 1 ? end + 1 : end);
        row = last;
        CHECK_STATUS(xncc_image_crop(&t.scene.image.view, 0, p->image_y, t.problem.image_width,
                                     p->image_height, &v->image[i], &kit_error),
                     XNCC_OK);
        v->room[i] = kit_map_create(t.map.view.width, p->map_height, 1, KIT_AFTER);
        v->map[i] = v->room[i].view;
        v->image[i].memory = v->map[i].memory = memory;
        v->stream[i] = (xncc_stream)(uintptr_t)(i + 1);
    }
    CHECK_INT(row, t.map.view.height);
}

static void views_close(views *v)
{
    for (int32_t i = 0; i < v->count; i++)
        kit_map_destroy(&v->room[i]);
}

static int has_rows(const views *v)
{
    for (int32_t i = 0; i < v->count; i++) {
        if (!kit_map_padding_intact(&v->room[i]))
            return 0;
        for (int32_t y = 0; y < v->part[i].map_height; y++)
            if (memcmp(kit_map_row(&v->room[i].view, y),
                       kit_map_row(&t.map.view, v->part[i].map_y + y),
                       (size_t)t.map.view.width * sizeof(float)) != 0)
                return 0;
    }
    return 1;
}

/* A map, a search, and the map again. posed: the devices are engines of the CPU. */
static void check_trial(xncc_context *context, int32_t parts, int posed)
{
    static xncc_match match[MOST];
    const xncc_memory memory = posed && context != team_alone && t.found % 2 ? XNCC_DEVICE
                                                                             : XNCC_HOST;
    xncc_template *templ = template_of(context);
    xncc_plan *plan = plan_of(context, parts, memory);
    size_t found = 0;
    views v;
    views_open(&v, plan, memory);
    const xncc_stream *stream = posed ? v.stream : NULL;
    for (int turn = 0; turn < 2; turn++) {
        for (int32_t i = 0; i < v.count; i++) {
            kit_map_clear(&v.room[i]);
            team_note[i].runs = 0;
        }
        CHECK_STATUS(xncc_plan_correlate_parts(plan, v.image, (size_t)v.count, templ, v.map, stream,
                                               &kit_error),
                     XNCC_OK);
        CHECK(has_rows(&v));
        for (int32_t i = 0; i < v.count && posed && context != team_alone; i++) {
            CHECK_INT(team_note[i].runs, 1);
            CHECK(team_note[i].stream == v.stream[i]);
        }
        CHECK_STATUS(xncc_plan_find_parts(plan, v.image, (size_t)v.count, templ, &t.peaks, match,
                                          t.capacity, &found, stream, &kit_error),
                     XNCC_OK);
        CHECK(found == t.found && memcmp(match, t.match, found * sizeof *match) == 0);
        for (int32_t i = 0; i < v.count && posed && context != team_alone; i++)
            CHECK(team_note[i].runs > 1 && team_note[i].stream == v.stream[i]);
    }
    /* Images in one piece are served, too. */
    if (memory == XNCC_HOST) {
        kit_map whole = kit_map_create(t.map.view.width, t.map.view.height, 0, KIT_AFTER);
        CHECK_STATUS(
            xncc_plan_correlate(plan, &t.scene.image.view, templ, &whole.view, NULL, &kit_error),
            XNCC_OK);
        for (int32_t y = 0; y < whole.view.height; y++)
            CHECK(memcmp(kit_map_row(&whole.view, y), kit_map_row(&t.map.view, y),
                         (size_t)whole.view.width * sizeof(float)) == 0);
        kit_map_destroy(&whole);
    }
    views_close(&v);
    xncc_plan_destroy(plan);
    xncc_template_destroy(templ);
}

/* Images and maps in the memory of a device. */
static void check_in_device_memory(xncc_context *context)
{
    void *memory[2 * MEMBERS] = { NULL };
    size_t found = 0;
    views v;
    begin(3);
    for (uint64_t number = 4; t.scene.image.view.mask; number++) { /* it would lie there, too */
        end();
        begin(number);
    }
    xncc_template *templ = template_of(context);
    xncc_plan *plan = plan_of(context, 2, XNCC_DEVICE);
    views_open(&v, plan, XNCC_DEVICE);
    t.found = t.found < LIST ? t.found : LIST;
    xncc_match match[LIST];
    for (int32_t i = 0; i < v.count; i++) {
        const size_t row = (size_t)v.image[i].width * xncc_pixel_size(v.image[i].pixel) *
                           (size_t)(v.image[i].channels ? v.image[i].channels : 1),
                     rows = (size_t)v.image[i].height,
                     bytes = (size_t)v.map[i].width * sizeof(float) * (size_t)v.map[i].height;
        char *tight = malloc(row * rows);
        memory[2 * i] = kit_device_alloc(row * rows);
        memory[2 * i + 1] = kit_device_alloc(bytes);
        if (!tight || !memory[2 * i] || !memory[2 * i + 1])
            kit_give_up("no memory");
        for (size_t y = 0; y < rows; y++)
            memcpy(tight + y * row, (const char *)v.image[i].data + y * (size_t)v.image[i].pitch,
                   row);
        CHECK(kit_device_upload(memory[2 * i], tight, row * rows));
        free(tight);
        v.image[i].data = memory[2 * i];
        v.map[i].data = memory[2 * i + 1];
        v.image[i].pitch = v.map[i].pitch = 0;
    }
    CHECK_STATUS(
        xncc_plan_correlate_parts(plan, v.image, (size_t)v.count, templ, v.map, NULL, &kit_error),
        XNCC_OK);
    CHECK(kit_device_wait(NULL));
    for (int32_t i = 0; i < v.count; i++)
        for (int32_t y = 0; y < v.map[i].height; y++)
            CHECK(kit_device_download(kit_map_row(&v.room[i].view, y),
                                      (float *)v.map[i].data + (size_t)y * (size_t)v.map[i].width,
                                      (size_t)v.map[i].width * sizeof(float)));
    CHECK(has_rows(&v));
    CHECK_STATUS(xncc_plan_find_parts(plan, v.image, (size_t)v.count, templ, &t.peaks, match,
                                      t.capacity < LIST ? t.capacity : LIST, &found, NULL,
                                      &kit_error),
                 XNCC_OK);
    CHECK(found == t.found && memcmp(match, t.match, found * sizeof *match) == 0);
    views_close(&v);
    xncc_plan_destroy(plan);
    xncc_template_destroy(templ);
    for (int i = 0; i < 2 * MEMBERS; i++)
        kit_device_free(memory[i]);
    end();
}

/* No other device has the part of one that fails; afterwards it is used again. */
static void check_failing_part(xncc_context *context)
{
    char text[XNCC_ERROR_SIZE];
    size_t found = 1;
    views v;
    begin(5);
    xncc_template *templ = template_of(context);
    xncc_plan *plan = plan_of(context, 3, XNCC_HOST);
    views_open(&v, plan, XNCC_HOST);
    team_note[1].fails = TEAM_RUN;
    team_note[1].status = XNCC_ERROR_DEVICE;
    team_note[0].waits = team_note[2].waits = 0;
    CHECK_STATUS(
        xncc_plan_correlate_parts(plan, v.image, (size_t)v.count, templ, v.map, NULL, &kit_error),
        XNCC_ERROR_DEVICE);
    CHECK_TEXT(kit_error.text, "device 1: planted");
    CHECK(team_note[0].waits > 0 && team_note[2].waits > 0);
    CHECK_STATUS(xncc_plan_find_parts(plan, v.image, (size_t)v.count, templ, NULL, t.match, 1,
                                      &found, NULL, &kit_error),
                 XNCC_ERROR_DEVICE);
    CHECK_INT(found, 0);
    team_note[1].fails = TEAM_NOWHERE;
    CHECK_TEXT(xncc_context_warning(context, text, sizeof text), "");
    CHECK_STATUS(
        xncc_plan_correlate_parts(plan, v.image, (size_t)v.count, templ, v.map, NULL, &kit_error),
        XNCC_OK);
    CHECK(has_rows(&v));
    views_close(&v);
    xncc_plan_destroy(plan);
    xncc_template_destroy(templ);
    end();
}

static void check_refused(xncc_context *context, const xncc_problem *problem, int32_t parts,
                          xncc_status status, const char *says)
{
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    xncc_plan *plan = NULL;
    preference.parts = parts;
    CHECK_STATUS(xncc_plan_create(context, problem, &preference, &plan, &kit_error), status);
    CHECK_TEXT(kit_error.text, says);
    CHECK(!plan);
}

/* Wrong arguments. */
static void check_refusals(xncc_context *context)
{
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    const xncc_batch_options options = XNCC_BATCH_OPTIONS_INIT;
    xncc_batch *batch = NULL;
    xncc_part part = XNCC_PART_INIT;
    char text[2048], says[XNCC_ERROR_SIZE];
    size_t found = 1;
    views v;
    begin(5);
    xncc_template *templ = template_of(context);
    xncc_plan *plan = plan_of(context, 3, XNCC_HOST), *whole = plan_of(context, 0, XNCC_HOST);
    views_open(&v, plan, XNCC_HOST);
    CHECK(strstr(xncc_plan_explain(plan, text, sizeof text),
                 "devices: 3, each with its part of image and map: "));
    check_refused(context, &t.problem, 4, XNCC_ERROR_ARGUMENT,
                  "the preference has 4 parts; the context has 3 devices, which can have one each");
    check_refused(
        context, &t.problem, -1, XNCC_ERROR_ARGUMENT,
        "the preference has -1 parts; the context has 3 devices, which can have one each");
    check_refused(team_alone, &t.problem, 2, XNCC_ERROR_ARGUMENT,
                  "the preference has 2 parts; the context has 1 device, which can have one each");
    t.problem.rule.mode = XNCC_SAME;
    check_refused(context, &t.problem, 2, XNCC_ERROR_UNSUPPORTED,
                  "images in parts can be matched in mode valid only; store the pixels that the "
                  "border adds around the image");
    t.problem.rule.mode = XNCC_VALID;
    xncc_problem filter = t.problem;
    filter.task = XNCC_TASK_CONVOLVE;
    filter.image_masked = filter.templ_masked = 0;
    filter.pixel = XNCC_U8;
    filter.channels = 1;
    filter.rule = (xncc_match_rule)XNCC_MATCH_RULE_INIT;
    check_refused(context, &filter, 2, XNCC_ERROR_UNSUPPORTED,
                  "images in parts can be matched in mode valid only; store the pixels that the "
                  "border adds around the image");
    preference.parts = 2;
    xncc_problem all = t.problem;
    all.templ_width = all.templ_height = 0;
    CHECK_STATUS(xncc_batch_create(context, &all, &preference, (const xncc_template *const *)&templ,
                                   1, &options, &batch, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    CHECK_TEXT(kit_error.text,
               "batch: the preference has 2 parts, and a batch searches images in one piece");

    CHECK_STATUS(xncc_plan_part(whole, 0, &part, &kit_error), XNCC_ERROR_ARGUMENT);
    CHECK_TEXT(kit_error.text,
               "plan: it was made for images in one piece; set parts in the preference");
    CHECK_STATUS(
        xncc_plan_correlate_parts(whole, v.image, (size_t)v.count, templ, v.map, NULL, NULL),
        XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_plan_find_parts(whole, v.image, (size_t)v.count, templ, NULL, t.match, 1,
                                      &found, NULL, NULL),
                 XNCC_ERROR_ARGUMENT);
    CHECK_INT(found, 0);
    CHECK_STATUS(xncc_plan_part(plan, 3, &part, &kit_error), XNCC_ERROR_ARGUMENT);
    CHECK_TEXT(kit_error.text, "part: 3 is not one of 0 .. 2");
    CHECK_STATUS(xncc_plan_part(plan, -1, &part, NULL), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_plan_part(plan, 0, NULL, NULL), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_plan_part(NULL, 0, &part, NULL), XNCC_ERROR_ARGUMENT);
    part.size = 3;
    CHECK_STATUS(xncc_plan_part(plan, 0, &part, NULL), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(
        xncc_plan_correlate_parts(NULL, v.image, (size_t)v.count, templ, v.map, NULL, NULL),
        XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_plan_correlate_parts(plan, NULL, (size_t)v.count, templ, v.map, NULL, NULL),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_plan_correlate_parts(plan, v.image, (size_t)v.count, NULL, v.map, NULL, NULL),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_plan_correlate_parts(plan, v.image, (size_t)v.count, templ, NULL, NULL, NULL),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_plan_find_parts(plan, NULL, (size_t)v.count, templ, NULL, t.match, 1, &found,
                                      NULL, NULL),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_plan_find_parts(plan, v.image, (size_t)v.count, templ, NULL, NULL, 1, &found,
                                      NULL, NULL),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_plan_find_parts(plan, v.image, (size_t)v.count, templ, NULL, t.match, 1, NULL,
                                      NULL, NULL),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_plan_find_parts(plan, v.image, (size_t)v.count, templ, NULL, NULL, 0, &found,
                                      NULL, NULL),
                 XNCC_OK);
    CHECK_STATUS(xncc_plan_correlate_parts(plan, v.image, 2, templ, v.map, NULL, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    CHECK_TEXT(kit_error.text, "parts: there are 2; the plan has 3");
    v.map[2].height--;
    CHECK_STATUS(
        xncc_plan_correlate_parts(plan, v.image, (size_t)v.count, templ, v.map, NULL, &kit_error),
        XNCC_ERROR_ARGUMENT);
    (void)snprintf(says, sizeof says, "part 2: map: %d x %d elements; %d x %d are needed",
                   v.map[2].width, v.map[2].height, v.map[2].width, v.map[2].height + 1);
    CHECK_TEXT(kit_error.text, says);
    v.image[1].height++;
    CHECK_STATUS(xncc_plan_find_parts(plan, v.image, (size_t)v.count, templ, NULL, t.match, 1,
                                      &found, NULL, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    CHECK_TEXT(kit_error.text, "part 1: image: 29 x 16 pixels of u16 with 1 channel; 29 x 15 of "
                               "u16 with 1 channel are needed");
    views_close(&v);
    xncc_plan_destroy(plan);
    xncc_plan_destroy(whole);
    xncc_template_destroy(templ);
    end();
}

/* ---- several images ---- */

/* Images of one size, at different places of the scene, and the matches in each. */
typedef struct several {
    xncc_image image[IMAGES];
    xncc_match match[IMAGES * LIST];
    size_t found[IMAGES];
} several;

static several want, got;

static void find_images(xncc_context *context, several *s)
{
    xncc_template *templ = template_of(context);
    xncc_plan *plan = plan_of(context, 0, XNCC_HOST);
    memset(s->match, 0, sizeof s->match);
    CHECK_STATUS(xncc_plan_find_images(plan, s->image, IMAGES, templ, &t.peaks, s->match, LIST,
                                       s->found, NULL, &kit_error),
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
    xncc_template *templ = template_of(context);
    xncc_plan *plan = plan_of(context, 0, XNCC_HOST);
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

static void check_images(xncc_context *const *team, int posed)
{
    const team_look look = { XNCC_U8, 1, 60, 50, 6, 5, 0, 100, 12 };
    const xncc_problem plain = XNCC_PROBLEM_INIT;
    t.scene = team_scene_make(&look);
    t.problem = plain;
    t.peaks = (xncc_peak_rule)XNCC_PEAK_RULE_INIT;
    t.peaks.min_score = -1.0f;
    t.problem.image_width = 41;
    t.problem.image_height = 33;
    t.problem.templ_width = look.templ_width;
    t.problem.templ_height = look.templ_height;
    for (int32_t i = 0; i < IMAGES; i++)
        CHECK_STATUS(
            xncc_image_crop(&t.scene.image.view, i, 2 * i, 41, 33, &want.image[i], &kit_error),
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
    team_scene_free(&t.scene);
}

/* A part cannot be on a device that is not used any more. */
static void check_lost_part(void)
{
    xncc_context *context = team_context(3, 0, 0.0);
    size_t found = 0;
    views v;
    begin(5);
    xncc_template *templ = template_of(context);
    team_note[1].fails = TEAM_RUN;
    team_note[1].status = XNCC_ERROR_DEVICE;
    xncc_plan *plan = plan_of(context, 0, XNCC_HOST);
    CHECK_STATUS(xncc_plan_find(plan, &t.scene.image.view, templ, NULL, t.match, 1, &found, NULL,
                                &kit_error),
                 XNCC_OK);
    team_note[1].fails = TEAM_NOWHERE;
    xncc_plan_destroy(plan);
    plan = plan_of(context, 2, XNCC_HOST);
    views_open(&v, plan, XNCC_HOST);
    CHECK_STATUS(
        xncc_plan_correlate_parts(plan, v.image, (size_t)v.count, templ, v.map, NULL, &kit_error),
        XNCC_ERROR_DEVICE);
    CHECK_TEXT(kit_error.text, "device 1: it has failed before, and is not used any more");
    views_close(&v);
    xncc_plan_destroy(plan);
    xncc_template_destroy(templ);
    xncc_context_destroy(context);
    end();
}

/* The others search the images of one that fails. */
static void check_failing_images(void)
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

void check_parts(xncc_context *const *team, int on_cuda)
{
    for (int i = 0; i < (kit_short() || on_cuda ? 40 : 200); i++) {
        begin((uint64_t)i);
        check_trial(team_alone, 1, 1);
        for (int devices = 1; devices <= MEMBERS; devices++)
            if (team[devices])
                check_trial(team[devices], devices, !on_cuda);
        end();
    }
    check_images(team, !on_cuda);
    if (on_cuda) {
        check_in_device_memory(team[2]);
    } else {
        check_refusals(team[3]);
        check_failing_part(team[3]);
        check_failing_images();
        check_lost_part();
    }
}
