/* SPDX-License-Identifier: BSD-2-Clause */
/* Images and maps of which each device holds a part: the results are those of one device, bit for
 * bit. */
#include "unit/team_try.h"

#include "exactncc/parts.h"
#include "kit/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST = 5 };

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
        const int32_t last = p->map_y + p->map_height,
                      end = last + team_try.problem.templ_height - 1;
        CHECK_INT(p->device, i);
        CHECK_INT(p->map_y, row);
        CHECK(p->map_height > 0);
        CHECK_INT(p->image_y, i > 0 ? row - 1 : 0);
        CHECK_INT(p->image_y + p->image_height, i < v->count - 1 ? end + 1 : end);
        row = last;
        CHECK_STATUS(xncc_image_crop(&team_try.scene.image.view, 0, p->image_y,
                                     team_try.problem.image_width, p->image_height, &v->image[i],
                                     &kit_error),
                     XNCC_OK);
        v->room[i] = kit_map_create(team_try.map.view.width, p->map_height, 1, KIT_AFTER);
        v->map[i] = v->room[i].view;
        v->image[i].memory = v->map[i].memory = memory;
        v->stream[i] = (xncc_stream)(uintptr_t)(i + 1);
    }
    CHECK_INT(row, team_try.map.view.height);
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
                       kit_map_row(&team_try.map.view, v->part[i].map_y + y),
                       (size_t)team_try.map.view.width * sizeof(float)) != 0)
                return 0;
    }
    return 1;
}

/* A map, a search, and the map again. posed: the devices are engines of the CPU. */
static void check_trial(xncc_context *context, int32_t parts, int posed)
{
    static xncc_match match[TEAM_MOST];
    const xncc_memory memory = posed && context != team_alone && team_try.found % 2 ? XNCC_DEVICE
                                                                                    : XNCC_HOST;
    xncc_template *templ = team_template(context);
    xncc_plan *plan = team_plan(context, parts, memory);
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
        CHECK_STATUS(xncc_plan_find_parts(plan, v.image, (size_t)v.count, templ, &team_try.peaks,
                                          match, team_try.capacity, &found, stream, &kit_error),
                     XNCC_OK);
        CHECK(found == team_try.found && memcmp(match, team_try.match, found * sizeof *match) == 0);
        for (int32_t i = 0; i < v.count && posed && context != team_alone; i++)
            CHECK(team_note[i].runs > 1 && team_note[i].stream == v.stream[i]);
    }
    /* Images in one piece are served, too. */
    if (memory == XNCC_HOST) {
        kit_map whole = kit_map_create(team_try.map.view.width, team_try.map.view.height, 0,
                                       KIT_AFTER);
        CHECK_STATUS(xncc_plan_correlate(plan, &team_try.scene.image.view, templ, &whole.view, NULL,
                                         &kit_error),
                     XNCC_OK);
        for (int32_t y = 0; y < whole.view.height; y++)
            CHECK(memcmp(kit_map_row(&whole.view, y), kit_map_row(&team_try.map.view, y),
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
    team_begin(3);
    /* not with a mask, which would lie there, too */
    for (uint64_t number = 4; team_try.scene.image.view.mask; number++) {
        team_end();
        team_begin(number);
    }
    xncc_template *templ = team_template(context);
    xncc_plan *plan = team_plan(context, 2, XNCC_DEVICE);
    views_open(&v, plan, XNCC_DEVICE);
    team_try.found = team_try.found < LIST ? team_try.found : LIST;
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
    CHECK_STATUS(xncc_plan_find_parts(plan, v.image, (size_t)v.count, templ, &team_try.peaks, match,
                                      team_try.capacity < LIST ? team_try.capacity : LIST, &found,
                                      NULL, &kit_error),
                 XNCC_OK);
    CHECK(found == team_try.found && memcmp(match, team_try.match, found * sizeof *match) == 0);
    views_close(&v);
    xncc_plan_destroy(plan);
    xncc_template_destroy(templ);
    for (int i = 0; i < 2 * MEMBERS; i++)
        kit_device_free(memory[i]);
    team_end();
}

/* No other device has the part of one that fails; afterwards it is used again. */
static void check_failing_part(xncc_context *context)
{
    char text[XNCC_ERROR_SIZE];
    size_t found = 1;
    views v;
    team_begin(5);
    xncc_template *templ = team_template(context);
    xncc_plan *plan = team_plan(context, 3, XNCC_HOST);
    views_open(&v, plan, XNCC_HOST);
    team_note[1].fails = TEAM_RUN;
    team_note[1].status = XNCC_ERROR_DEVICE;
    team_note[0].waits = team_note[2].waits = 0;
    CHECK_STATUS(
        xncc_plan_correlate_parts(plan, v.image, (size_t)v.count, templ, v.map, NULL, &kit_error),
        XNCC_ERROR_DEVICE);
    CHECK_TEXT(kit_error.text, "device 1: planted");
    CHECK(team_note[0].waits > 0 && team_note[2].waits > 0);
    CHECK_STATUS(xncc_plan_find_parts(plan, v.image, (size_t)v.count, templ, NULL, team_try.match,
                                      1, &found, NULL, &kit_error),
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
    team_end();
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
    team_begin(5);
    xncc_template *templ = team_template(context);
    xncc_plan *plan = team_plan(context, 3, XNCC_HOST), *whole = team_plan(context, 0, XNCC_HOST);
    views_open(&v, plan, XNCC_HOST);
    CHECK(strstr(xncc_plan_explain(plan, text, sizeof text),
                 "devices: 3, each with its part of image and map: "));
    check_refused(context, &team_try.problem, 4, XNCC_ERROR_ARGUMENT,
                  "the preference has 4 parts; the context has 3 devices, which can have one each");
    check_refused(
        context, &team_try.problem, -1, XNCC_ERROR_ARGUMENT,
        "the preference has -1 parts; the context has 3 devices, which can have one each");
    check_refused(team_alone, &team_try.problem, 2, XNCC_ERROR_ARGUMENT,
                  "the preference has 2 parts; the context has 1 device, which can have one each");
    team_try.problem.rule.mode = XNCC_SAME;
    check_refused(context, &team_try.problem, 2, XNCC_ERROR_UNSUPPORTED,
                  "images in parts can be matched in mode valid only; store the pixels that the "
                  "border adds around the image");
    team_try.problem.rule.mode = XNCC_VALID;
    xncc_problem filter = team_try.problem;
    filter.task = XNCC_TASK_CONVOLVE;
    filter.image_masked = filter.templ_masked = 0;
    filter.pixel = XNCC_U8;
    filter.channels = 1;
    filter.rule = (xncc_match_rule)XNCC_MATCH_RULE_INIT;
    check_refused(context, &filter, 2, XNCC_ERROR_UNSUPPORTED,
                  "images in parts can be matched in mode valid only; store the pixels that the "
                  "border adds around the image");
    preference.parts = 2;
    xncc_problem all = team_try.problem;
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
    CHECK_STATUS(xncc_plan_find_parts(whole, v.image, (size_t)v.count, templ, NULL, team_try.match,
                                      1, &found, NULL, NULL),
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
    CHECK_STATUS(xncc_plan_find_parts(plan, NULL, (size_t)v.count, templ, NULL, team_try.match, 1,
                                      &found, NULL, NULL),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_plan_find_parts(plan, v.image, (size_t)v.count, templ, NULL, NULL, 1, &found,
                                      NULL, NULL),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_plan_find_parts(plan, v.image, (size_t)v.count, templ, NULL, team_try.match,
                                      1, NULL, NULL, NULL),
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
    CHECK_STATUS(xncc_plan_find_parts(plan, v.image, (size_t)v.count, templ, NULL, team_try.match,
                                      1, &found, NULL, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    CHECK_TEXT(kit_error.text, "part 1: image: 29 x 16 pixels of u16 with 1 channel; 29 x 15 of "
                               "u16 with 1 channel are needed");
    views_close(&v);
    xncc_plan_destroy(plan);
    xncc_plan_destroy(whole);
    xncc_template_destroy(templ);
    team_end();
}

/* A part cannot be on a device that is not used any more. */
static void check_lost_part(void)
{
    xncc_context *context = team_context(3, 0, 0.0);
    size_t found = 0;
    views v;
    team_begin(5);
    xncc_template *templ = team_template(context);
    team_note[1].fails = TEAM_RUN;
    team_note[1].status = XNCC_ERROR_DEVICE;
    xncc_plan *plan = team_plan(context, 0, XNCC_HOST);
    CHECK_STATUS(xncc_plan_find(plan, &team_try.scene.image.view, templ, NULL, team_try.match, 1,
                                &found, NULL, &kit_error),
                 XNCC_OK);
    team_note[1].fails = TEAM_NOWHERE;
    xncc_plan_destroy(plan);
    plan = team_plan(context, 2, XNCC_HOST);
    views_open(&v, plan, XNCC_HOST);
    CHECK_STATUS(
        xncc_plan_correlate_parts(plan, v.image, (size_t)v.count, templ, v.map, NULL, &kit_error),
        XNCC_ERROR_DEVICE);
    CHECK_TEXT(kit_error.text, "device 1: it has failed before, and is not used any more");
    views_close(&v);
    xncc_plan_destroy(plan);
    xncc_template_destroy(templ);
    xncc_context_destroy(context);
    team_end();
}

void check_parts(xncc_context *const *team, int on_cuda)
{
    for (int i = 0; i < (kit_short() || on_cuda ? 40 : 200); i++) {
        team_begin((uint64_t)i);
        check_trial(team_alone, 1, 1);
        for (int devices = 1; devices <= MEMBERS; devices++)
            if (team[devices])
                check_trial(team[devices], devices, !on_cuda);
        team_end();
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
