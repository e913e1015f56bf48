/* Two threads on one context: each with its own plan and template, and both with one shared template and filter, while a third asks for
 * progress and the error text. Run under the thread sanitizer. */
#include "kit/oracle.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { THREADS = 3, ROUNDS = 12 };

static cm_context *context;
static kit_image scene;
static cm_template *shared_part;
static cm_filter *shared_filter;
static const float taps[15] = { 1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12, 13, -14, 15 };
static kit_map shared_want, filter_want;
static atomic_int finished;

static kit_map want_map(const cm_image *part)
{
    oracle_sums sums = oracle_sums_make(&scene.view, part, CM_VALID);
    kit_map map = kit_map_create(sums.width, sums.height, 0, KIT_AFTER);
    for (size_t i = 0; i < (size_t)sums.width * (size_t)sums.height; i++)
        map.view.data[i] = oracle_score(&sums, CM_CCOEFF_NORMED, CM_FLAT_ZERO, i);
    oracle_sums_free(&sums);
    return map;
}

static int same(const kit_map *a, const kit_map *b)
{
    return memcmp(a->view.data, b->view.data, (size_t)a->view.width * (size_t)a->view.height * 4) == 0;
}

static void own_plan(int32_t width, int32_t height, uint64_t number)
{
    kit_random random = kit_stream(number);
    kit_image part = kit_image_create(CM_U8, width, height, 0, KIT_AFTER);
    kit_image_fill(&part.view, KIT_NOISE, &random);
    kit_map want = want_map(&part.view), got = kit_map_create(want.view.width, want.view.height, 0, KIT_AFTER);
    cm_problem problem = { .image_width = scene.view.width, .image_height = scene.view.height, .width = width, .height = height };
    cm_template *template = NULL;
    cm_plan *plan = NULL;
    CHECK_STATUS(cm_template_create(context, &part.view, &template), CM_OK);
    CHECK_STATUS(cm_plan_create(context, &problem, NULL, &plan), CM_OK);
    for (int i = 0; i < ROUNDS; i++) {
        kit_map_clear(&got);
        CHECK_STATUS(cm_plan_correlate(plan, &scene.view, template, &got.view, NULL), CM_OK);
        CHECK(same(&got, &want));
        cm_match match;
        size_t found = 0;
        CHECK_STATUS(cm_plan_find(plan, &scene.view, template, &(cm_find_options){ .min_score = -1.0f }, &match, 1, &found, NULL), CM_OK);
        CHECK_INT(found, 1);
    }
    cm_plan_destroy(plan);
    cm_template_destroy(template);
    kit_image_destroy(&part);
    kit_map_destroy(&want);
    kit_map_destroy(&got);
}

static void shared_objects(void)
{
    kit_map got = kit_map_create(shared_want.view.width, shared_want.view.height, 0, KIT_AFTER);
    kit_map out = kit_map_create(scene.view.width, scene.view.height, 0, KIT_AFTER);
    for (int i = 0; i < ROUNDS; i++) {
        kit_map_clear(&got);
        CHECK_STATUS(cm_correlate(context, &scene.view, shared_part, NULL, &got.view), CM_OK);
        CHECK(same(&got, &shared_want));
        kit_map_clear(&out);
        CHECK_STATUS(cm_convolve(context, &scene.view, shared_filter, NULL, &out.view), CM_OK);
        CHECK(same(&out, &filter_want));
        CHECK_STATUS(cm_correlate(context, &scene.view, shared_part, NULL, &out.view), CM_ERROR_ARGUMENT);
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
    char text[CM_ERROR_SIZE];
    while (atomic_load(&finished) < THREADS) {
        double progress = cm_context_progress(context);
        CHECK(progress >= 0.0 && progress <= 1.0);
        CHECK(strlen(cm_context_error(context, text, sizeof text)) < sizeof text);
        CHECK(strchr(text, '\n') == NULL);
        sched_yield();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    context = kit_context(kit_device_option(argc, argv), 3);
    kit_random random = kit_stream(1);
    scene = kit_image_create(CM_U8, 211, 143, 1, KIT_AFTER);
    kit_image_fill(&scene.view, KIT_NOISE, &random);
    kit_image part = kit_image_create(CM_U8, 13, 11, 0, KIT_AFTER);
    kit_image_copy(&part.view, &scene.view, 50, 60);
    shared_want = want_map(&part.view);
    filter_want = kit_map_create(scene.view.width, scene.view.height, 0, KIT_AFTER);
    for (int32_t y = 0; y < scene.view.height; y++)
        for (int32_t x = 0; x < scene.view.width; x++)
            kit_map_row(&filter_want.view, y)[x] = oracle_convolve(&scene.view, taps, 5, 3, NULL, CM_BORDER_CLAMP, x, y);
    CHECK_STATUS(cm_template_create(context, &part.view, &shared_part), CM_OK);
    CHECK_STATUS(cm_filter_create(context, taps, 5, 3, NULL, &shared_filter), CM_OK);
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
    cm_template_destroy(shared_part);
    cm_filter_destroy(shared_filter);
    cm_context_destroy(context);
    kit_image_destroy(&part);
    kit_image_destroy(&scene);
    kit_map_destroy(&shared_want);
    kit_map_destroy(&filter_want);
    return kit_finish("threads");
}
