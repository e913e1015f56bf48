/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes every allocation of every public call fail, once and from then on. The status must say so,
 * nothing may leak (the address sanitizer checks that), and the context must still work. */
#include "kit/pixels.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

static xncc_device device;
static kit_image image, templ;
static kit_map map;
static const float tap[9] = { 1, 2, 1, 2, 4, 2, 1, 2, 1 };
static xncc_context *context;
static xncc_template *template;
static xncc_filter *filter;
static xncc_plan *plan;

static xncc_status create_context(void)
{
    xncc_context *made = NULL;
    xncc_status status = xncc_context_create(
        &(xncc_context_options){
            .size = sizeof(xncc_context_options), .device = device, .threads = 3 },
        &made, &kit_error);
    CHECK((status == XNCC_OK) == (made != NULL));
    xncc_context_destroy(made);
    return status;
}

static xncc_status create_template(void)
{
    xncc_template *made = NULL;
    xncc_status status = xncc_template_create(context, &templ.view, &made, &kit_error);
    CHECK((status == XNCC_OK) == (made != NULL));
    xncc_template_destroy(made);
    return status;
}

static xncc_status create_filter(void)
{
    xncc_filter *made = NULL;
    xncc_status status = kit_filter_create(context, tap, 3, 3, NULL, &made);
    CHECK((status == XNCC_OK) == (made != NULL));
    xncc_filter_destroy(made);
    return status;
}

static const xncc_preference three_images = { .size = sizeof(xncc_preference), .images = 3 };

static xncc_problem problem_of(xncc_task task)
{
    return kit_problem((xncc_problem){ .task = task,
                                       .pixel = XNCC_U16,
                                       .image_width = image.view.width,
                                       .image_height = image.view.height,
                                       .templ_width = templ.view.width,
                                       .templ_height = templ.view.height });
}

static xncc_status create_plan(void)
{
    xncc_plan *made = NULL;
    xncc_problem problem = problem_of(XNCC_TASK_MATCH);
    xncc_status status = xncc_plan_create(context, &problem, &three_images, &made, &kit_error);
    CHECK((status == XNCC_OK) == (made != NULL));
    xncc_plan_destroy(made);
    return status;
}

static xncc_status correlate(void)
{
    return kit_correlate(context, &image.view, template, NULL, &map.view);
}

static xncc_status find(void)
{
    xncc_match match[40];
    size_t found = 77;
    xncc_status status = kit_find(context, &image.view, template,
                                  &(kit_find_options){ .min_score = -1.0f }, match, 40, &found);
    CHECK(status == XNCC_OK ? found > 1 && found <= 40 : found == 0);
    return status;
}

static xncc_status convolve(void)
{
    xncc_map out = map.view;
    return kit_convolve(context, &image.view, filter, NULL, &out);
}

static xncc_status plan_correlate(void)
{
    return xncc_plan_correlate(plan, &image.view, template, &map.view, NULL, &kit_error);
}

static xncc_status plan_find(void)
{
    xncc_match match[5];
    size_t found = 77;
    return kit_plan_find(plan, &image.view, template, NULL, match, 5, &found, NULL);
}

static xncc_status plan_find_images(void)
{
    const xncc_image images[3] = { image.view, image.view, image.view };
    xncc_match match[15];
    size_t found[3] = { 77, 77, 77 };
    const xncc_status status = xncc_plan_find_images(plan, images, 3, template, NULL, match, 5,
                                                     found, NULL, &kit_error);
    for (int i = 0; i < 3; i++)
        CHECK(status == XNCC_OK ? found[i] > 0 && found[i] <= 5 : found[i] == 0);
    return status;
}

static xncc_status scan(void)
{
    xncc_match match[5];
    xncc_scan *made = NULL;
    size_t found = 77;
    xncc_status status = kit_scan_create(plan, &image.view, template, NULL, 5, &made);
    CHECK((status == XNCC_OK) == (made != NULL));
    if (status)
        return status;
    status = xncc_scan_rows(made, image.view.height - 1, &kit_error);
    xncc_status end = xncc_scan_finish(made, match, &found, NULL, &kit_error);
    CHECK(end == XNCC_OK ? found > 0 && !status : found == 0 && (!status || end == status));
    xncc_scan_destroy(made);
    return end;
}

static xncc_status find_batch(void)
{
    xncc_candidate match[6];
    size_t found = 77;
    const xncc_template *const both[] = { template, template };
    xncc_status status = kit_find_batch(context, &image.view, both, 2, NULL,
                                        &(kit_suppress_options){ .limit = 4 }, match, 6, &found);
    CHECK(status == XNCC_OK ? found > 0 : found == 0);
    return status;
}

static xncc_status best(void)
{
    static int32_t index[68 * 48];
    const xncc_template *const both[] = { template, template };
    return kit_correlate_best(context, &image.view, both, 2, NULL,
                              &(xncc_best){ .score = map.view, .index = index });
}

static xncc_status refine(void)
{
    const xncc_match match[2] = { { 0, 0, 1.0f }, { 9, 9, 1.0f } };
    xncc_refined refined[2];
    return kit_refine(context, &image.view, template, NULL, match, 2, refined);
}

/* Fails the first, the second, ... allocation until the call succeeds without meeting a failure. */
static void exhaust(const char *name, xncc_status (*call)(void), int persistent)
{
    enum { MOST = 2000 };
    uint64_t nth = 1, asked = 0;
    CHECK_STATUS(call(), XNCC_OK);
    for (; nth < MOST; nth += kit_shortest() ? 3 : 1) {
        xncc_alloc_fail(nth, persistent);
        xncc_status status = call();
        asked = xncc_alloc_fail(0, 0);
        if (asked < nth) {
            CHECK_STATUS(status, XNCC_OK);
            break;
        }
        /* a call may survive a failure (for example with a smaller workspace), but must not report
         * it as anything else */
        if (status != XNCC_ERROR_MEMORY && status != XNCC_OK)
            kit_fail(__FILE__, __LINE__, "%s with allocation %llu failing: %s", name,
                     (unsigned long long)nth, xncc_status_string(status));
        CHECK(status == XNCC_ERROR_MEMORY || status == XNCC_OK);
        if (status && context) {
            CHECK(kit_error.text[0] != '\0');
        }
    }
    CHECK(nth < MOST);
    CHECK_STATUS(call(), XNCC_OK);
    printf("%s: %llu allocations%s\n", name, (unsigned long long)asked,
           persistent ? ", persistent" : "");
}

static xncc_status track(void)
{
    const xncc_track_pair pair[2] = { { &image.view, &image.view }, { &image.view, &image.view } };
    const xncc_track_point point[2] = { { 20, 20, 0, 0 }, { 40, 30, 1, 1 } };
    xncc_track_options o = XNCC_TRACK_OPTIONS_INIT;
    xncc_displacement found[2];
    o.chip_width = o.chip_height = 5;
    o.search_x = o.search_y = 2;
    o.back = 1;
    xncc_track_pass pass = XNCC_TRACK_PASS_INIT;
    pass.chip_width = pass.chip_height = 15;
    pass.search_x = pass.search_y = 2;
    o.coarse = &pass;
    o.coarse_count = 1;
    o.deform = 2;
    return xncc_track(context, pair, 2, &o, point, 2, found, &kit_error);
}

static xncc_status track_check(void)
{
    xncc_displacement found[9] = { { .x = 0 } };
    for (int i = 0; i < 9; i++)
        found[i].x = i;
    return xncc_track_check(NULL, found, 9, &kit_error);
}

/* A template of some size, and one that is turned. */
static xncc_template *cut(int32_t x, int32_t y)
{
    xncc_image part;
    xncc_template *made = NULL;
    CHECK_STATUS(xncc_image_crop(&image.view, x, y, 14, 12, &part, &kit_error), XNCC_OK);
    CHECK_STATUS(xncc_template_create(context, &part, &made, &kit_error), XNCC_OK);
    return made;
}

static xncc_template *large, *other;

static xncc_status resample(void)
{
    xncc_template *made = NULL;
    const xncc_status status = xncc_template_resample(large, 21.0, 1.2, XNCC_SUPPORT_WHOLE, &made,
                                                      &kit_error);
    CHECK((status == XNCC_OK) == (made != NULL));
    xncc_template_destroy(made);
    return status;
}

static xncc_status find_poses(xncc_pose_search search)
{
    static xncc_pose_match match[8];
    const xncc_template *const both[] = { large, other };
    xncc_pose_options o = XNCC_POSE_OPTIONS_INIT;
    size_t found = 77;
    o.search = search;
    o.angles = (xncc_pose_range){ -4.0, 4.0, 4.0 };
    const xncc_status status = xncc_find_poses(context, &image.view, both, 2, &o, match, 8, &found,
                                               &kit_error);
    CHECK(status == XNCC_OK ? found > 0 : found == 0);
    return status;
}

static xncc_status every_pose(void)
{
    return find_poses(XNCC_POSES_EXHAUSTIVE);
}

static xncc_status pyramid(void)
{
    return find_poses(XNCC_POSES_PYRAMID);
}

static xncc_status batch(void)
{
    static xncc_candidate match[8];
    const xncc_template *const both[] = { large, other };
    xncc_problem problem = XNCC_PROBLEM_INIT;
    xncc_batch_options o = XNCC_BATCH_OPTIONS_INIT;
    xncc_suppress_rule rule = XNCC_SUPPRESS_RULE_INIT;
    xncc_batch *made = NULL;
    size_t found = 77;
    o.capacity = 8;
    o.suppress = &rule;
    CHECK_STATUS(xncc_problem_set(&problem, &image.view, NULL, &kit_error), XNCC_OK);
    xncc_status status = xncc_batch_create(context, &problem, NULL, both, 2, &o, &made, &kit_error);
    CHECK((status == XNCC_OK) == (made != NULL));
    if (!status) {
        status = xncc_batch_find(made, &image.view, match, &found, NULL, &kit_error);
        CHECK(status == XNCC_OK ? found > 0 : found == 0);
    }
    xncc_batch_destroy(made);
    return status;
}

static xncc_status suppress(void)
{
    static xncc_candidate candidate[50];
    const xncc_suppress_rule rule = XNCC_SUPPRESS_RULE_INIT;
    size_t kept = 77;
    for (int32_t i = 0; i < 50; i++)
        candidate[i] = (xncc_candidate){ { i, i, 0.5f }, i, 9, 9 };
    const xncc_status status = xncc_suppress(XNCC_CCOEFF_NORMED, candidate, 50, &rule, &kept,
                                             &kit_error);
    CHECK(status == XNCC_OK ? kept > 0 : kept == 0);
    return status;
}

static xncc_status join(void)
{
    static xncc_match candidate[50], match[8];
    xncc_problem problem = XNCC_PROBLEM_INIT;
    size_t found = 77;
    for (int32_t i = 0; i < 50; i++)
        candidate[i] = (xncc_match){ i, 40 - i % 40, 0.5f };
    CHECK_STATUS(xncc_problem_set(&problem, &image.view, template, &kit_error), XNCC_OK);
    problem.rule.mode = XNCC_SAME;
    const xncc_status status = xncc_join(&problem, NULL, candidate, 50, match, 8, &found,
                                         &kit_error);
    CHECK(status == XNCC_OK ? found > 0 : found == 0);
    return status;
}

/* The calls of templates with a size that poses need. */
static void exhaust_large(int persistent)
{
    large = cut(10, 12);
    other = cut(40, 20);
    exhaust("xncc_template_resample", resample, persistent);
    exhaust("xncc_batch", batch, persistent);
    exhaust("xncc_suppress", suppress, persistent);
    exhaust("xncc_join", join, persistent);
    exhaust("xncc_find_poses, every pose", every_pose, persistent);
    if (device == XNCC_DEVICE_CPU)
        exhaust("xncc_find_poses, pyramid", pyramid, persistent);
    xncc_template_destroy(large);
    xncc_template_destroy(other);
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    device = kit_device_option(argc, argv);
    xncc_context_destroy(kit_context(device, 1)); /* skips the test if there is no device */
    kit_random random = kit_stream(1);
    image = kit_image_create(XNCC_U16, 70, 50, 1, KIT_AFTER);
    templ = kit_image_create(XNCC_U16, 3, 3, 0, KIT_AFTER);
    kit_image_fill(&image.view, KIT_NOISE, &random);
    kit_image_fill(&templ.view, KIT_NOISE, &random);
    for (int persistent = 0; persistent < 2; persistent++) {
        exhaust("xncc_context_create", create_context, persistent);
        context = kit_context(device, 3);
        exhaust("xncc_template_create", create_template, persistent);
        exhaust("xncc_filter_create", create_filter, persistent);
        exhaust("xncc_plan_create", create_plan, persistent);
        xncc_problem problem = problem_of(XNCC_TASK_MATCH);
        CHECK_STATUS(xncc_template_create(context, &templ.view, &template, &kit_error), XNCC_OK);
        CHECK_STATUS(kit_filter_create(context, tap, 3, 3, NULL, &filter), XNCC_OK);
        CHECK_STATUS(xncc_plan_create(context, &problem, &three_images, &plan, &kit_error),
                     XNCC_OK);
        map = kit_map_create(68, 48, 0, KIT_AFTER);
        exhaust("xncc_correlate", correlate, persistent);
        exhaust("xncc_find", find, persistent);
        exhaust("xncc_plan_find", plan_find, persistent);
        exhaust("xncc_plan_find_images", plan_find_images, persistent);
        exhaust("xncc_scan", scan, persistent);
        exhaust("xncc_find_batch", find_batch, persistent);
        exhaust("xncc_batch_best", best, persistent);
        exhaust("xncc_refine", refine, persistent);
        if (device == XNCC_DEVICE_CPU)
            exhaust("xncc_track", track, persistent);
        exhaust("xncc_track_check", track_check, persistent);
        exhaust_large(persistent);
        xncc_alloc_fail(1, 1);
        CHECK_STATUS(plan_correlate(), XNCC_OK); /* running a plan allocates nothing */
        xncc_alloc_fail(0, 0);
        kit_map_destroy(&map);
        map = kit_map_create(70, 50, 0, KIT_AFTER);
        exhaust("xncc_convolve", convolve, persistent);
        kit_map_destroy(&map);
        xncc_plan_destroy(plan);
        xncc_filter_destroy(filter);
        xncc_template_destroy(template);
        xncc_context_destroy(context);
        context = NULL;
    }
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
    return kit_finish("memory");
}
