/* SPDX-License-Identifier: BSD-2-Clause */
/* Several pretended CUDA devices share calls. Each device does its part on streams and in memory of
 * its own, within the limit. Each call of CUDA on one of them fails in turn: the others do its work
 * and the context says so, or the error names it, and nothing is lost. Kernels do not run, so
 * results are not compared. */
#include "exactncc/parts.h"
#include "kit/pixels.h"
#include "pretend/pretend.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { DEVICES = 4, UNUSED = 2, FAULTY = 1, SIDE = 3000, TEMPL = 24, TOP = 8, TEMPLS = 6 };
enum { SMALL = 1000, IMAGES = 24 };

static const size_t LIMIT = (size_t)48 << 20;

static atomic_int left;       /* calls on the device until one fails; 0: none */
static atomic_int met, harms; /* 1: it failed; 1: and something is lost by it */
static atomic_int calls;      /* on the device */
static int lasts;             /* 1: all later ones fail as well */

int pretend_fails(const char *call, const char *detail, const void *place)
{
    (void)place;
    /* which device is current is a matter of the thread */
    if (pretend_device() != FAULTY || strcmp(call, "cudaGetDevice") == 0 ||
        strcmp(call, "cudaSetDevice") == 0)
        return 0;
    atomic_fetch_add(&calls, 1);
    if (lasts ? !met && !(atomic_load(&left) && atomic_fetch_sub(&left, 1) == 1)
              : !(atomic_load(&left) && atomic_fetch_sub(&left, 1) == 1))
        return 0;
    met = 1;
    harms |= !pretend_may_be_lost(call, detail);
    return 1;
}

static kit_image scene;
static kit_map map;

/* The devices have a part of the image and of the map each. */
static xncc_status use_parts(xncc_context *context, const xncc_problem *problem,
                             const xncc_template *templ, xncc_error *error)
{
    static xncc_match match[TOP];
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    xncc_image image[DEVICES];
    xncc_map rows[DEVICES];
    xncc_plan_info info = XNCC_PLAN_INFO_INIT;
    xncc_plan *plan = NULL;
    size_t found = 0;
    preference.parts = 3;
    xncc_status status = xncc_plan_create(context, problem, &preference, &plan, error);
    if (!status)
        status = xncc_plan_describe(plan, &info, error);
    for (int32_t i = 0; i < info.devices && !status; i++) {
        xncc_part part = XNCC_PART_INIT;
        CHECK_STATUS(xncc_plan_part(plan, i, &part, NULL), XNCC_OK);
        CHECK_STATUS(
            xncc_image_crop(&scene.view, 0, part.image_y, SIDE, part.image_height, &image[i], NULL),
            XNCC_OK);
        rows[i] = map.view;
        rows[i].data = kit_map_row(&map.view, part.map_y);
        rows[i].height = part.map_height;
    }
    if (!status)
        status = xncc_plan_correlate_parts(plan, image, (size_t)info.devices, templ, rows, NULL,
                                           error);
    CHECK_INT(pretend_under_way(), 0);
    if (!status)
        status = xncc_plan_find_parts(plan, image, (size_t)info.devices, templ, NULL, match, TOP,
                                      &found, NULL, error);
    CHECK_INT(pretend_under_way(), 0);
    xncc_plan_destroy(plan);
    return status;
}

/* The devices share small images. */
static xncc_status use_images(xncc_context *context, const xncc_template *templ, xncc_error *error)
{
    static xncc_match match[IMAGES * TOP];
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    xncc_problem p = XNCC_PROBLEM_INIT;
    xncc_image image[IMAGES];
    xncc_plan *plan = NULL;
    size_t found[IMAGES];
    preference.images = IMAGES;
    for (int i = 0; i < IMAGES; i++)
        CHECK_STATUS(xncc_image_crop(&scene.view, i, i, SMALL, SMALL, &image[i], NULL), XNCC_OK);
    xncc_status status = xncc_problem_set(&p, image, templ, error);
    if (!status)
        status = xncc_plan_create(context, &p, &preference, &plan, error);
    if (!status)
        status = xncc_plan_find_images(plan, image, IMAGES, templ, NULL, match, TOP, found, NULL,
                                       error);
    CHECK_INT(pretend_under_way(), 0);
    xncc_plan_destroy(plan);
    return status;
}

static xncc_status use(const xncc_context_options *o, char *warning, xncc_error *error)
{
    static xncc_match match[TOP];
    static xncc_candidate candidate[TOP];
    xncc_context *context = NULL;
    xncc_template *templ = NULL;
    xncc_image part;
    xncc_problem p = XNCC_PROBLEM_INIT;
    xncc_plan *plan = NULL;
    xncc_find_options few = XNCC_FIND_OPTIONS_INIT;
    const xncc_template *several[TEMPLS];
    size_t found = 0;
    few.peaks.top = 2;
    warning[0] = '\0';
    CHECK_STATUS(xncc_image_crop(&scene.view, 5, 6, TEMPL, TEMPL, &part, NULL), XNCC_OK);
    xncc_status status = xncc_context_create(o, &context, error);
    if (!status)
        status = xncc_template_create(context, &part, &templ, error);
    for (int i = 0; i < TEMPLS; i++)
        several[i] = templ;
    if (!status)
        status = xncc_problem_set(&p, &scene.view, templ, error);
    if (!status)
        status = xncc_plan_create(context, &p, NULL, &plan, error);
    if (!status)
        status = xncc_plan_correlate(plan, &scene.view, templ, &map.view, NULL, error);
    CHECK_INT(pretend_under_way(), 0); /* nobody uses the caller's memory any more */
    if (!status)
        status = xncc_plan_find(plan, &scene.view, templ, NULL, match, TOP, &found, NULL, error);
    CHECK_INT(pretend_under_way(), 0);
    xncc_plan_destroy(plan);
    if (!status)
        status = xncc_find_batch(context, &scene.view, several, TEMPLS, &few, NULL, candidate, TOP,
                                 &found, error);
    CHECK_INT(pretend_under_way(), 0);
    if (!status) /* without a device that has failed, there are too few for the parts */
        status = xncc_context_warning(context, warning, XNCC_ERROR_SIZE)[0]
                     ? XNCC_OK
                     : use_parts(context, &p, templ, error);
    if (!status)
        status = use_images(context, templ, error);
    if (context)
        (void)xncc_context_warning(context, warning, XNCC_ERROR_SIZE);
    xncc_template_destroy(templ);
    xncc_context_destroy(context);
    return status;
}

static const int32_t list[] = { 3, FAULTY, 0 };

static xncc_context_options options(int strict)
{
    xncc_context_options o = XNCC_CONTEXT_OPTIONS_INIT;
    o.device = XNCC_DEVICE_CUDA;
    o.threads = 3;
    o.cuda_list = list;
    o.cuda_count = 3;
    o.device_memory = LIMIT;
    o.strict = strict;
    return o;
}

static void check_misuse(void)
{
    const char *misuse = pretend_misuse();
    if (!CHECK(misuse == NULL))
        kit_fail(__FILE__, __LINE__, "%s", misuse);
}

/* Every device of the list works, and no other one. */
static void check_shared(void)
{
    char warning[XNCC_ERROR_SIZE];
    const xncc_context_options o = options(0);
    pretend_forget();
    if (!CHECK_STATUS(use(&o, warning, &kit_error), XNCC_OK))
        kit_give_up("%s", kit_error.text);
    CHECK_TEXT(warning, "");
    for (int i = 0; i < DEVICES; i++) {
        CHECK((pretend_pieces(i) > 20) == (i != UNUSED));
        /* a plan at a time, and templates */
        CHECK(pretend_peak(i) <= LIMIT + (1 << 20));
    }
    check_misuse();
}

/* The nth call on the device fails, and with `lasting` all that follow. */
static int check_failure(int nth, int lasting, int strict)
{
    char warning[XNCC_ERROR_SIZE];
    const xncc_context_options o = options(strict);
    const pretend_objects before = pretend_count();
    xncc_error error = { "" };
    met = harms = 0;
    lasts = lasting;
    atomic_store(&left, nth);
    const xncc_status status = use(&o, warning, &error);
    atomic_store(&left, 0);
    const int failed = met, lost = harms;
    met = lasts = 0;
    const pretend_objects after = pretend_count();
    const int quiet = !lost && !status && !warning[0];
    int told = status ? strstr(error.text, "CUDA device 1") != NULL
                      : strncmp(warning, "CUDA device 1 has failed, and the other", 39) == 0;
    if (strict && lost)
        told = told && status != XNCC_OK;
    if (!CHECK(told || quiet) || !CHECK(memcmp(&before, &after, sizeof before) == 0))
        kit_fail(__FILE__, __LINE__, "call %d, lasting %d, strict %d: status %d, %s, warning '%s'",
                 nth, lasting, strict, (int)status, error.text, warning);
    check_misuse();
    pretend_clear_error();
    return failed;
}

/* Contexts whose list cannot be served. */
static void check_lists(void)
{
    static const struct {
        int32_t count, list[3];
        xncc_status status;
        const char *text;
    } cases[] = {
        { 2,
          { 0, 4 },
          XNCC_ERROR_DEVICE,
          "there is no CUDA device 4: this machine has 4, counted from 0" },
        { 3,
          { 0, 1, 0 },
          XNCC_ERROR_ARGUMENT,
          "context: CUDA device 0 is twice in the list; name each once" },
        { 2, { 0, -1 }, XNCC_ERROR_ARGUMENT, "context: the device number -1 is negative" },
        { -2,
          { 0 },
          XNCC_ERROR_ARGUMENT,
          "context: cuda_count is -2, not XNCC_EVERY_DEVICE or 0 .. 64" },
        { 65,
          { 0 },
          XNCC_ERROR_ARGUMENT,
          "context: cuda_count is 65, not XNCC_EVERY_DEVICE or 0 .. 64" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        xncc_context_options o = options(0);
        xncc_context *context = NULL;
        const pretend_objects before = pretend_count();
        o.cuda_list = cases[i].list;
        o.cuda_count = cases[i].count;
        CHECK_STATUS(xncc_context_create(&o, &context, &kit_error), cases[i].status);
        CHECK_TEXT(kit_error.text, cases[i].text);
        const pretend_objects after = pretend_count();
        CHECK(context == NULL && memcmp(&before, &after, sizeof before) == 0);
    }
}

/* How many devices share a call. */
static int32_t devices_of(int32_t count, const int32_t *devices)
{
    xncc_context_options o = options(0);
    xncc_context *context = NULL;
    xncc_problem p = XNCC_PROBLEM_INIT;
    xncc_plan *plan = NULL;
    xncc_plan_info info = XNCC_PLAN_INFO_INIT;
    o.cuda_list = devices;
    o.cuda_count = count;
    p.image_width = p.image_height = 16384;
    p.templ_width = p.templ_height = 64;
    CHECK_STATUS(xncc_context_create(&o, &context, &kit_error), XNCC_OK);
    CHECK_STATUS(xncc_plan_create(context, &p, NULL, &plan, &kit_error), XNCC_OK);
    CHECK_STATUS(xncc_plan_describe(plan, &info, NULL), XNCC_OK);
    xncc_plan_destroy(plan);
    xncc_context_destroy(context);
    return info.devices;
}

int main(int argc, char **argv)
{
    char warning[XNCC_ERROR_SIZE];
    kit_start(argc, argv);
    const int step = !kit_flag(argc, argv, "brief") ? 1 : kit_short() ? 15 : 5;
    kit_random random = kit_stream(1);
    pretend_devices(DEVICES, -1);
    scene = kit_image_create(XNCC_U8, SIDE, SIDE, 0, KIT_AFTER);
    kit_image_fill(&scene.view, KIT_NOISE, &random);
    map = kit_map_create(SIDE - TEMPL + 1, SIDE - TEMPL + 1, 0, KIT_AFTER);
    const xncc_context_options o = options(0);
    CHECK_STATUS(use(&o, warning, &kit_error), XNCC_OK); /* what a process keeps is made */
    check_shared();
    check_lists();
    CHECK_INT(devices_of(3, list), 3);
    CHECK_INT(devices_of(1, list), 1);
    CHECK_INT(devices_of(XNCC_EVERY_DEVICE, NULL), DEVICES);
    atomic_store(&calls, 0);
    CHECK_STATUS(use(&o, warning, &kit_error), XNCC_OK);
    CHECK(calls > 100);
    printf("%d calls on the device\n", (int)calls);
    for (int pinned = 0; pinned < 2; pinned++) {
        int nth = 1 + pinned;
        pretend_all_pinned(pinned);
        while (check_failure(nth, 0, 0) && check_failure(nth, 1, 0) && check_failure(nth, 0, 1))
            nth += step;
        CHECK(nth > 100);
    }
    kit_map_destroy(&map);
    kit_image_destroy(&scene);
    return kit_finish("team");
}
