/* SPDX-License-Identifier: BSD-2-Clause */
/* Teams whose members fail, are cancelled, hold the caller's memory, or have no memory left. */
#include "unit/team.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 31, HEIGHT = 40, W = 6, H = 5, COLUMNS = WIDTH - W + 1, ROWS = HEIGHT - H + 1 };
enum { LIST = 50, TEMPLS = 4, COUNT = 3 };

/* What a round of calls gives. */
typedef struct results {
    float map[ROWS * COLUMNS];
    xncc_match match[LIST];
    xncc_candidate candidate[LIST];
    size_t found, listed;
} results;

static team_scene scene;
static results want;

/* A template, a plan and a batch; the first failure ends the round. */
static xncc_status run_calls(xncc_context *context, results *r, xncc_error *error)
{
    const xncc_map map = { .data = r->map, .width = COLUMNS, .height = ROWS };
    const xncc_find_options all = XNCC_FIND_OPTIONS_INIT;
    xncc_template *templ = NULL;
    const xncc_template *several[TEMPLS];
    xncc_problem p = XNCC_PROBLEM_INIT;
    xncc_plan *plan = NULL;
    memset(r, 0, sizeof *r);
    xncc_status status = xncc_template_create(context, &scene.pixels.view, &templ, error);
    if (!status)
        status = xncc_problem_set(&p, &scene.image.view, templ, error);
    if (!status)
        status = xncc_plan_create(context, &p, NULL, &plan, error);
    if (!status)
        status = xncc_plan_correlate(plan, &scene.image.view, templ, &map, NULL, error);
    if (!status)
        status = xncc_plan_find(plan, &scene.image.view, templ, NULL, r->match, LIST, &r->found,
                                NULL, error);
    for (int i = 0; i < TEMPLS; i++)
        several[i] = templ;
    if (!status)
        status = xncc_find_batch(context, &scene.image.view, several, TEMPLS, &all, NULL,
                                 r->candidate, LIST, &r->listed, error);
    xncc_plan_destroy(plan);
    xncc_template_destroy(templ);
    return status;
}

static const char *warning_of(xncc_context *context)
{
    static char text[XNCC_ERROR_SIZE];
    return xncc_context_warning(context, text, sizeof text);
}

static void check_same(const results *r)
{
    CHECK(memcmp(r, &want, sizeof want) == 0);
}

/* ---- members that fail ---- */

static void plant(int member, team_place place, int later, xncc_status status)
{
    team_note[member].fails = place;
    team_note[member].later = later;
    team_note[member].status = status;
}

/* The others do the work of one that fails, and it is not used again. */
static void check_one_fails(int member, team_place place, int later)
{
    static results got;
    xncc_context *context = team_context(COUNT, 0, 0.0);
    char text[80];
    plant(member, place, later, XNCC_ERROR_DEVICE);
    CHECK_TEXT(warning_of(context), "");
    if (!CHECK_STATUS(run_calls(context, &got, &kit_error), XNCC_OK))
        kit_fail(__FILE__, __LINE__, "%s", kit_error.text);
    check_same(&got);
    snprintf(text, sizeof text, "device %d has failed, and the other devices do its work: planted",
             member);
    /* only the first member in use describes itself */
    if (place != TEAM_DESCRIBE || member == 0) {
        CHECK_TEXT(warning_of(context), text);
        for (int i = 0; i < COUNT; i++)
            team_note[i].runs = 0;
        CHECK_STATUS(run_calls(context, &got, &kit_error), XNCC_OK);
        check_same(&got);
        for (int i = 0; i < COUNT; i++)
            CHECK((team_note[i].runs > 0) == (i != member));
    }
    xncc_context_destroy(context);
    team_reset();
}

/* Another failure than that of a device, or one in a strict team, ends the call. */
static void check_call_ends(int member, team_place place, int strict, xncc_status status)
{
    static results got;
    xncc_context *context = team_context(COUNT, strict, 0.0);
    char text[80];
    plant(member, place, 0, status);
    CHECK_STATUS(run_calls(context, &got, &kit_error), status);
    snprintf(text, sizeof text, "device %d: planted", member);
    CHECK_TEXT(kit_error.text, text);
    CHECK_TEXT(warning_of(context), "");
    plant(member, TEAM_NOWHERE, 0, XNCC_OK); /* it can be used again */
    CHECK_STATUS(run_calls(context, &got, &kit_error), XNCC_OK);
    check_same(&got);
    xncc_context_destroy(context);
    team_reset();
}

/* When all fail, the text names the last one, and all are named in turn by the warning. */
static void check_all_fail(team_place place)
{
    static results got;
    xncc_context *context = team_context(COUNT, 0, 0.0);
    for (int i = 0; i < COUNT; i++)
        plant(i, place, 0, XNCC_ERROR_DEVICE);
    CHECK_STATUS(run_calls(context, &got, &kit_error), XNCC_ERROR_DEVICE);
    CHECK(strncmp(kit_error.text, "device ", 7) == 0 && strstr(kit_error.text, ": planted"));
    CHECK(strstr(warning_of(context), "planted; device ") != NULL);
    for (int i = 0; i < COUNT; i++)
        plant(i, TEAM_NOWHERE, 0, XNCC_OK);
    CHECK_STATUS(run_calls(context, &got, &kit_error), XNCC_OK); /* by the last one alone */
    check_same(&got);
    xncc_context_destroy(context);
    team_reset();
}

static void check_failures(void)
{
    for (team_place place = TEAM_DESCRIBE; place < TEAM_PLACES; place++) {
        for (int member = 0; member < COUNT; member++) {
            for (int later = 0; later < 3; later++)
                if (later == 0 || place == TEAM_RUN)
                    check_one_fails(member, place, later);
            if (place != TEAM_DESCRIBE || member == 0) {
                check_call_ends(member, place, 1, XNCC_ERROR_DEVICE);
                check_call_ends(member, place, 0, XNCC_ERROR_MEMORY);
            }
        }
        check_all_fail(place);
    }
}

/* ---- cancelling ---- */

static void check_cancelled(int member)
{
    static results got;
    xncc_context *context = team_context(COUNT, 0, 0.0);
    team_note[member].cancels = context;
    CHECK_STATUS(run_calls(context, &got, &kit_error), XNCC_ERROR_CANCELLED);
    CHECK(strncmp(kit_error.text, "cancelled by xncc_context_cancel", 32) == 0);
    CHECK_TEXT(warning_of(context), "");
    team_note[member].cancels = NULL;
    CHECK_STATUS(run_calls(context, &got, &kit_error), XNCC_OK);
    check_same(&got);
    xncc_context_destroy(context);
    team_reset();
}

/* ---- device memory ---- */

/* Says that a member holds the bytes of an image or of a map. */
static void give(int member, const void *from, size_t bytes)
{
    team_note[member].memory = from;
    team_note[member].end = (const char *)from + bytes;
}

static int runs_of(int member)
{
    const int runs = team_note[member].runs;
    team_note[member].runs = 0;
    return runs;
}

static void expect_runs(int one, int two, int three)
{
    CHECK_INT(runs_of(0), one);
    CHECK_INT(runs_of(1), two);
    CHECK_INT(runs_of(2), three);
}

static void check_held(int divided)
{
    static float pixels[ROWS * COLUMNS];
    static int stream;
    xncc_context *context = team_context(COUNT, 0, 0.0);
    const xncc_stream of_caller = (xncc_stream)(void *)&stream;
    const size_t bytes = (size_t)scene.image.view.pitch * HEIGHT;
    xncc_image there = scene.image.view;
    const xncc_map near = { .data = pixels, .width = COLUMNS, .height = ROWS };
    xncc_map far = near;
    xncc_match match[LIST];
    uint32_t found = 0;
    size_t count = 0;
    xncc_template *templ = NULL;
    xncc_plan *plan = NULL;
    xncc_problem p = XNCC_PROBLEM_INIT;
    xncc_preference prefer = XNCC_PREFERENCE_INIT;
    there.memory = far.memory = XNCC_DEVICE;
    if (!divided)
        prefer.image_memory = XNCC_DEVICE;
    CHECK_STATUS(xncc_template_create(context, &scene.pixels.view, &templ, &kit_error), XNCC_OK);
    CHECK_STATUS(xncc_problem_set(&p, &there, templ, &kit_error), XNCC_OK);
    CHECK_STATUS(xncc_plan_create(context, &p, &prefer, &plan, &kit_error), XNCC_OK);
    CHECK_INT(team_note[0].plans, !divided);
    give(1, there.data, bytes);
    if (divided) { /* the plan was divided before */
        CHECK_STATUS(
            xncc_plan_correlate(plan, &scene.image.view, templ, &near, of_caller, &kit_error),
            XNCC_OK);
        expect_runs(1, 1, 1);
        CHECK(team_note[0].stream == of_caller && team_note[1].stream == NULL);
    }
    /* the image is on device 1 */
    memset(pixels, 0, sizeof pixels);
    CHECK_STATUS(xncc_plan_correlate(plan, &there, templ, &near, of_caller, &kit_error), XNCC_OK);
    expect_runs(0, 1, 0);
    CHECK(memcmp(pixels, want.map, sizeof pixels) == 0 && team_note[1].stream == of_caller);
    CHECK_STATUS(xncc_plan_find_on_device(plan, &there, templ, NULL, match, LIST, &found, of_caller,
                                          &kit_error),
                 XNCC_OK);
    expect_runs(0, 1, 0);
    CHECK(found == want.found && memcmp(match, want.match, found * sizeof *match) == 0);
    /* the map is on device 2 */
    give(2, pixels, sizeof pixels);
    memset(pixels, 0, sizeof pixels);
    CHECK_STATUS(xncc_plan_correlate(plan, &scene.image.view, templ, &far, NULL, &kit_error),
                 XNCC_OK);
    expect_runs(0, 0, 1);
    CHECK(memcmp(pixels, want.map, sizeof pixels) == 0);
    /* matches are there, too */
    CHECK_STATUS(xncc_plan_find_on_device(plan, &scene.image.view, templ, NULL,
                                          (xncc_match *)(void *)pixels, 1, &found, NULL,
                                          &kit_error),
                 XNCC_OK);
    expect_runs(0, 0, 1);
    /* from now on the plan is divided no more */
    CHECK_STATUS(
        xncc_plan_find(plan, &scene.image.view, templ, NULL, match, LIST, &count, NULL, &kit_error),
        XNCC_OK);
    expect_runs(1, 0, 0);
    CHECK(count == want.found && memcmp(match, want.match, count * sizeof *match) == 0);
    for (int i = 0; i < COUNT; i++)
        CHECK_INT(team_note[i].plans, 1);
    /* a failure there is the caller's: nobody else can do the work, and the device stays */
    plant(1, TEAM_RUN, 0, XNCC_ERROR_DEVICE);
    CHECK_STATUS(xncc_plan_correlate(plan, &there, templ, &near, NULL, &kit_error),
                 XNCC_ERROR_DEVICE);
    CHECK_TEXT(kit_error.text, "device 1: planted");
    CHECK_TEXT(warning_of(context), "");
    plant(1, TEAM_NOWHERE, 0, XNCC_OK);
    CHECK_STATUS(xncc_plan_correlate(plan, &there, templ, &near, NULL, &kit_error), XNCC_OK);
    xncc_plan_destroy(plan);
    xncc_template_destroy(templ);
    xncc_context_destroy(context);
    team_reset();
}

/* Pixels of a template, of a batch and of matches to refine, from the device that has them. */
static void check_fetched(void)
{
    xncc_context *context = team_context(COUNT, 0, 0.0);
    xncc_image image = scene.image.view, pixels = scene.pixels.view;
    xncc_template *templ = NULL;
    const xncc_template *several[2];
    const xncc_find_options all = XNCC_FIND_OPTIONS_INIT;
    xncc_candidate candidate[LIST];
    xncc_refined refined[2];
    size_t listed = 0;
    image.memory = pixels.memory = XNCC_DEVICE;
    give(2, pixels.data, (size_t)pixels.pitch * H);
    CHECK_STATUS(xncc_template_create(context, &pixels, &templ, &kit_error), XNCC_OK);
    several[0] = several[1] = templ;
    give(1, image.data, (size_t)image.pitch * HEIGHT);
    for (int i = 0; i < COUNT; i++)
        team_note[i].runs = 0;
    CHECK_STATUS(xncc_find_batch(context, &image, several, 2, &all, NULL, candidate, LIST, &listed,
                                 &kit_error),
                 XNCC_OK);
    expect_runs(0, 1, 0);
    CHECK(listed == LIST);
    CHECK_STATUS(xncc_refine(context, &image, templ, NULL, want.match, 1, refined, &kit_error),
                 XNCC_OK);
    plant(1, TEAM_RUN, 0, XNCC_ERROR_DEVICE);
    CHECK_STATUS(xncc_refine(context, &image, templ, NULL, want.match, 1, refined, &kit_error),
                 XNCC_ERROR_DEVICE);
    CHECK_TEXT(kit_error.text, "device 1: planted");
    xncc_suppressor *suppressor = NULL;
    CHECK_STATUS(xncc_suppressor_create(context, 5, &suppressor, &kit_error),
                 XNCC_ERROR_UNSUPPORTED);
    xncc_template_destroy(templ);
    xncc_context_destroy(context);
    team_reset();
}

/* ---- tracking, on one device ---- */

static void check_chips(void)
{
    xncc_context *context = team_context(COUNT, 0, 0.0);
    xncc_engine *engine = context->engine[1];
    xncc_problem p = XNCC_PROBLEM_INIT;
    xncc_image there = scene.image.view;
    xncc_watch watch = xncc_watch_make(&context->progress);
    xncc_chip_reads run = {
        .problem = &p, .from = &scene.image.view, .scene = &scene.image.view, .watch = &watch
    };
    there.memory = XNCC_DEVICE;
    CHECK(engine->ops->can_read_chips(engine, &p));
    p.pixel = XNCC_F64;
    CHECK(!engine->ops->can_read_chips(engine, &p));
    CHECK_STATUS(engine->ops->read_chips(engine, &run, &kit_error), XNCC_OK);
    expect_runs(1, 0, 0);
    give(2, there.data, (size_t)there.pitch * HEIGHT);
    for (int which = 0; which < 2; which++) { /* one of the images is on device 2 */
        run.from = which ? &scene.image.view : &there;
        run.scene = which ? &there : &scene.image.view;
        CHECK_STATUS(engine->ops->read_chips(engine, &run, &kit_error), XNCC_OK);
        expect_runs(0, 0, 1);
        plant(2, TEAM_RUN, 0, XNCC_ERROR_DEVICE);
        CHECK_STATUS(engine->ops->read_chips(engine, &run, &kit_error), XNCC_ERROR_DEVICE);
        CHECK_TEXT(kit_error.text, "device 2: planted");
        CHECK_TEXT(warning_of(context), "");
        plant(2, TEAM_NOWHERE, 0, XNCC_OK);
        expect_runs(0, 0, 1);
    }
    run.from = run.scene = &scene.image.view;
    plant(0, TEAM_RUN, 0, XNCC_ERROR_DEVICE); /* the next one does its work */
    CHECK_STATUS(engine->ops->read_chips(engine, &run, &kit_error), XNCC_OK);
    expect_runs(1, 1, 0);
    CHECK_TEXT(warning_of(context),
               "device 0 has failed, and the other devices do its work: planted");
    plant(1, TEAM_RUN, 0, XNCC_ERROR_MEMORY);
    CHECK_STATUS(engine->ops->read_chips(engine, &run, &kit_error), XNCC_ERROR_MEMORY);
    CHECK_TEXT(kit_error.text, "device 1: planted");
    plant(1, TEAM_NOWHERE, 0, XNCC_OK);
    team_note[1].cancels = context;
    CHECK_STATUS(engine->ops->read_chips(engine, &run, &kit_error), XNCC_ERROR_CANCELLED);
    CHECK(strncmp(kit_error.text, "cancelled by xncc_context_cancel", 32) == 0);
    xncc_context_destroy(context);
    team_reset();
}

/* ---- host memory that runs out ---- */

static void check_memory(void)
{
    static results got;
    uint64_t nth = 1;
    for (xncc_status status = XNCC_ERROR_MEMORY; status; nth++) {
        xncc_context *context = team_context(COUNT, 0, 0.0);
        (void)xncc_alloc_fail(nth, 0);
        status = run_calls(context, &got, &kit_error);
        (void)xncc_alloc_fail(0, 0);
        if (status)
            CHECK_STATUS(status, XNCC_ERROR_MEMORY);
        else
            check_same(&got);
        CHECK_TEXT(warning_of(context), "");
        xncc_context_destroy(context);
        team_reset();
    }
    CHECK(nth > 20);
}

/* ---- threads ---- */

static void *use(void *argument)
{
    results *r = argument;
    xncc_context *context = NULL;
    memcpy(&context, r, sizeof(xncc_context *));
    for (int i = 0; i < 5; i++) {
        CHECK_STATUS(run_calls(context, r, &kit_error), XNCC_OK);
        check_same(r);
    }
    return NULL;
}

/* Several threads use a context at once, while one of its devices fails. */
static void check_threads(int fails)
{
    enum { THREADS = 3 };
    static results of[THREADS];
    pthread_t thread[THREADS];
    xncc_context *context = team_context(COUNT, 0, 0.0);
    if (fails)
        plant(1, TEAM_RUN, 4, XNCC_ERROR_DEVICE);
    for (int i = 0; i < THREADS; i++) {
        memcpy(&of[i], &context, sizeof(xncc_context *));
        if (pthread_create(&thread[i], NULL, use, &of[i]))
            kit_give_up("no thread");
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    CHECK((warning_of(context)[0] != 0) == fails);
    xncc_context_destroy(context);
    team_reset();
}

void check_faults(void)
{
    const team_look look = { XNCC_U8, 1, WIDTH, HEIGHT, W, H, 0, 4, 12 };
    scene = team_scene_make(&look);
    CHECK_STATUS(run_calls(team_alone, &want, &kit_error), XNCC_OK);
    CHECK(want.found > 20 && want.listed == LIST);
    for (int i = 0; i < MEMBERS; i++)
        team_note[i].runs = 0;
    check_failures();
    for (int member = 0; member < COUNT; member++)
        check_cancelled(member);
    check_held(0);
    check_held(1);
    check_fetched();
    check_chips();
    check_memory();
    check_threads(0);
    check_threads(1);
    team_scene_free(&scene);
}
