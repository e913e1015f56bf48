/* SPDX-License-Identifier: BSD-2-Clause */
/* Two threads on one context: each with its own plan and template, then both with one shared
 * template and filter, while a third thread asks for progress and the error text. Run under the
 * thread sanitizer. */
#include "kit/oracle.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { THREADS = 3, ROUNDS = 12 };

static xncc_context *context;
static kit_image scene;
static xncc_template *shared_templ;
static xncc_filter *shared_filter;
static const float taps[15] = { 1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12, 13, -14, 15 };
static kit_map shared_want, filter_want;
static atomic_int finished;

static kit_map want_map(const xncc_image *templ)
{
    oracle_sums sums = oracle_sums_make(&scene.view, templ, XNCC_VALID);
    kit_map map = kit_map_create(sums.width, sums.height, 0, KIT_AFTER);
    for (size_t i = 0; i < (size_t)sums.width * (size_t)sums.height; i++)
        map.view.data[i] = oracle_score(&sums, XNCC_CCOEFF_NORMED, XNCC_FLAT_ZERO, i);
    oracle_sums_free(&sums);
    return map;
}

static int same(const kit_map *a, const kit_map *b)
{
    return memcmp(a->view.data, b->view.data, (size_t)a->view.width * (size_t)a->view.height * 4) ==
           0;
}

static void own_plan(int32_t width, int32_t height, uint64_t number)
{
    kit_random random = kit_stream(number);
    kit_image templ = kit_image_create(XNCC_U8, width, height, 0, KIT_AFTER);
    kit_image_fill(&templ.view, KIT_NOISE, &random);
    kit_map want = want_map(&templ.view),
            got = kit_map_create(want.view.width, want.view.height, 0, KIT_AFTER);
    xncc_problem problem = kit_problem((xncc_problem){ .image_width = scene.view.width,
                                                       .image_height = scene.view.height,
                                                       .templ_width = width,
                                                       .templ_height = height });
    xncc_template *template = NULL;
    xncc_plan *plan = NULL;
    CHECK_STATUS(xncc_template_create(context, &templ.view, &template, &kit_error), XNCC_OK);
    CHECK_STATUS(xncc_plan_create(context, &problem, NULL, &plan, &kit_error), XNCC_OK);
    for (int i = 0; i < ROUNDS; i++) {
        kit_map_clear(&got);
        CHECK_STATUS(xncc_plan_correlate(plan, &scene.view, template, &got.view, NULL, &kit_error),
                     XNCC_OK);
        CHECK(same(&got, &want));
        xncc_match match;
        size_t found = 0;
        CHECK_STATUS(kit_plan_find(plan, &scene.view, template,
                                   &(kit_find_options){ .min_score = -1.0f }, &match, 1, &found,
                                   NULL),
                     XNCC_OK);
        CHECK_INT(found, 1);
    }
    xncc_plan_destroy(plan);
    xncc_template_destroy(template);
    kit_image_destroy(&templ);
    kit_map_destroy(&want);
    kit_map_destroy(&got);
}

static void shared_objects(void)
{
    kit_map got = kit_map_create(shared_want.view.width, shared_want.view.height, 0, KIT_AFTER);
    kit_map out = kit_map_create(scene.view.width, scene.view.height, 0, KIT_AFTER);
    for (int i = 0; i < ROUNDS; i++) {
        kit_map_clear(&got);
        CHECK_STATUS(kit_correlate(context, &scene.view, shared_templ, NULL, &got.view), XNCC_OK);
        CHECK(same(&got, &shared_want));
        kit_map_clear(&out);
        CHECK_STATUS(kit_convolve(context, &scene.view, shared_filter, NULL, &out.view), XNCC_OK);
        CHECK(same(&out, &filter_want));
        CHECK_STATUS(kit_correlate(context, &scene.view, shared_templ, NULL, &out.view),
                     XNCC_ERROR_ARGUMENT);
    }
    kit_map_destroy(&got);
    kit_map_destroy(&out);
}

static void *work(void *argument)
{
    int number = *(const int *)argument;
    own_plan(9 + 4 * number, 12 - 3 * number, (uint64_t)number + 10);
    shared_objects();
    atomic_fetch_add(&finished, 1);
    return NULL;
}

static void *watch(void *argument)
{
    (void)argument;
    while (atomic_load(&finished) < THREADS) {
        double progress = xncc_context_progress(context);
        CHECK(progress >= 0.0 && progress <= 1.0);
        sched_yield();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    context = kit_context(kit_device_option(argc, argv), 3);
    kit_random random = kit_stream(1);
    scene = kit_image_create(XNCC_U8, 211, 143, 1, KIT_AFTER);
    kit_image_fill(&scene.view, KIT_NOISE, &random);
    kit_image templ = kit_image_create(XNCC_U8, 13, 11, 0, KIT_AFTER);
    kit_image_copy(&templ.view, &scene.view, 50, 60);
    shared_want = want_map(&templ.view);
    filter_want = kit_map_create(scene.view.width, scene.view.height, 0, KIT_AFTER);
    for (int32_t y = 0; y < scene.view.height; y++)
        for (int32_t x = 0; x < scene.view.width; x++)
            kit_map_row(&filter_want.view, y)[x] = oracle_convolve(&scene.view, taps, 5, 3, NULL,
                                                                   XNCC_BORDER_CLAMP, x, y);
    CHECK_STATUS(xncc_template_create(context, &templ.view, &shared_templ, &kit_error), XNCC_OK);
    CHECK_STATUS(kit_filter_create(context, taps, 5, 3, NULL, &shared_filter), XNCC_OK);
    pthread_t thread[THREADS], watcher;
    int number[THREADS] = { 0, 1, 2 };
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, work, &number[i]) != 0)
            kit_give_up("pthread_create failed");
    if (pthread_create(&watcher, NULL, watch, NULL) != 0)
        kit_give_up("pthread_create failed");
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    pthread_join(watcher, NULL);
    xncc_template_destroy(shared_templ);
    xncc_filter_destroy(shared_filter);
    xncc_context_destroy(context);
    kit_image_destroy(&templ);
    kit_image_destroy(&scene);
    kit_map_destroy(&shared_want);
    kit_map_destroy(&filter_want);
    return kit_finish("threads");
}
