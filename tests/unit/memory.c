/* Every allocation of every public call is made to fail, once and from then on: the status says so and nothing is left behind (the address
 * sanitizer's leak check sees to that), and the context still works. */
#include "kit/pixels.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

static cm_device device;
static kit_image image, part;
static kit_map map;
static const float tap[9] = { 1, 2, 1, 2, 4, 2, 1, 2, 1 };
static cm_context *context;
static cm_template *template;
static cm_filter *filter;
static cm_plan *plan;

static cm_status create_context(void)
{
    cm_context *made = NULL;
    cm_status status = cm_context_create(&(cm_context_options){ .device = device, .threads = 3 }, &made);
    CHECK((status == CM_OK) == (made != NULL));
    cm_context_destroy(made);
    return status;
}

static cm_status create_template(void)
{
    cm_template *made = NULL;
    cm_status status = cm_template_create(context, &part.view, &made);
    CHECK((status == CM_OK) == (made != NULL));
    cm_template_destroy(made);
    return status;
}

static cm_status create_filter(void)
{
    cm_filter *made = NULL;
    cm_status status = cm_filter_create(context, tap, 3, 3, NULL, &made);
    CHECK((status == CM_OK) == (made != NULL));
    cm_filter_destroy(made);
    return status;
}

static cm_problem problem_of(cm_task task)
{
    return (cm_problem){ .task = task, .pixel = CM_U16, .image_width = image.view.width, .image_height = image.view.height,
                         .width = part.view.width, .height = part.view.height };
}

static cm_status create_plan(void)
{
    cm_plan *made = NULL;
    cm_problem problem = problem_of(CM_TASK_MATCH);
    cm_status status = cm_plan_create(context, &problem, NULL, &made);
    CHECK((status == CM_OK) == (made != NULL));
    cm_plan_destroy(made);
    return status;
}

static cm_status correlate(void)
{
    return cm_correlate(context, &image.view, template, NULL, &map.view);
}

static cm_status find(void)
{
    cm_match match[40];
    size_t found = 77;
    cm_status status = cm_find(context, &image.view, template, &(cm_find_options){ .min_score = -1.0f }, match, 40, &found);
    CHECK(status == CM_OK ? found > 1 && found <= 40 : found == 0);
    return status;
}

static cm_status convolve(void)
{
    cm_map out = map.view;
    return cm_convolve(context, &image.view, filter, NULL, &out);
}

static cm_status plan_correlate(void)
{
    return cm_plan_correlate(plan, &image.view, template, &map.view, NULL);
}

static cm_status plan_find(void)
{
    cm_match match[5];
    size_t found = 77;
    return cm_plan_find(plan, &image.view, template, NULL, match, 5, &found, NULL);
}

static cm_status scan(void)
{
    cm_match match[5];
    cm_scan *made = NULL;
    size_t found = 77;
    cm_status status = cm_scan_create(plan, &image.view, template, NULL, 5, &made);
    CHECK((status == CM_OK) == (made != NULL));
    if (status)
        return status;
    status = cm_scan_rows(made, image.view.height - 1);
    cm_status end = cm_scan_finish(made, match, &found, NULL);
    CHECK(end == CM_OK ? found > 0 && !status : found == 0 && (!status || end == status));
    cm_scan_destroy(made);
    return end;
}

static cm_status find_many(void)
{
    cm_candidate match[6];
    size_t found = 77;
    const cm_template *const both[] = { template, template };
    cm_status status = cm_find_many(context, &image.view, both, 2, NULL, &(cm_merge_options){ .limit = 4 }, match, 6, &found);
    CHECK(status == CM_OK ? found > 0 : found == 0);
    return status;
}

static cm_status best(void)
{
    static int32_t index[68 * 48];
    const cm_template *const both[] = { template, template };
    return cm_correlate_best(context, &image.view, both, 2, NULL, &(cm_best){ .score = map.view, .index = index });
}

static cm_status refine(void)
{
    const cm_match match[2] = { { 0, 0, 1.0f }, { 9, 9, 1.0f } };
    cm_refined refined[2];
    return cm_refine(context, &image.view, template, NULL, match, 2, refined);
}

/* Fails the first, second, ... allocation until the call no longer meets a failure. */
static void exhaust(const char *name, cm_status (*call)(void), int persistent)
{
    enum { MOST = 2000 };
    uint64_t nth = 1;
    CHECK_STATUS(call(), CM_OK);
    for (; nth < MOST; nth++) {
        cm_alloc_fail(nth, persistent);
        cm_status status = call();
        uint64_t asked = cm_alloc_fail(0, 0);
        if (asked < nth) {
            CHECK_STATUS(status, CM_OK);
            break;
        }
        /* a failure may be survived (a smaller workspace, say), but not reported as anything else */
        if (status != CM_ERROR_MEMORY && status != CM_OK)
            kit_fail(__FILE__, __LINE__, "%s with allocation %llu failing: %s", name, (unsigned long long)nth, cm_status_string(status));
        CHECK(status == CM_ERROR_MEMORY || status == CM_OK);
        if (status && context) {
            char text[CM_ERROR_SIZE];
            CHECK(cm_context_error(context, text, sizeof text)[0] != '\0');
        }
    }
    CHECK(nth < MOST);
    CHECK_STATUS(call(), CM_OK);
    printf("%s: %llu allocations%s\n", name, (unsigned long long)(nth - 1), persistent ? ", persistent" : "");
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    device = kit_device_option(argc, argv);
    cm_context_destroy(kit_context(device, 1)); /* skips without a device */
    kit_random random = kit_stream(1);
    image = kit_image_create(CM_U16, 70, 50, 1, KIT_AFTER);
    part = kit_image_create(CM_U16, 3, 3, 0, KIT_AFTER);
    kit_image_fill(&image.view, KIT_NOISE, &random);
    kit_image_fill(&part.view, KIT_NOISE, &random);
    for (int persistent = 0; persistent < 2; persistent++) {
        exhaust("cm_context_create", create_context, persistent);
        context = kit_context(device, 3);
        exhaust("cm_template_create", create_template, persistent);
        exhaust("cm_filter_create", create_filter, persistent);
        exhaust("cm_plan_create", create_plan, persistent);
        cm_problem problem = problem_of(CM_TASK_MATCH);
        CHECK_STATUS(cm_template_create(context, &part.view, &template), CM_OK);
        CHECK_STATUS(cm_filter_create(context, tap, 3, 3, NULL, &filter), CM_OK);
        CHECK_STATUS(cm_plan_create(context, &problem, NULL, &plan), CM_OK);
        map = kit_map_create(68, 48, 0, KIT_AFTER);
        exhaust("cm_correlate", correlate, persistent);
        exhaust("cm_find", find, persistent);
        exhaust("cm_plan_find", plan_find, persistent);
        exhaust("cm_scan", scan, persistent);
        exhaust("cm_find_many", find_many, persistent);
        exhaust("cm_correlate_best", best, persistent);
        exhaust("cm_refine", refine, persistent);
        cm_alloc_fail(1, 1);
        CHECK_STATUS(plan_correlate(), CM_OK); /* a plan allocates nothing when it runs */
        cm_alloc_fail(0, 0);
        kit_map_destroy(&map);
        map = kit_map_create(70, 50, 0, KIT_AFTER);
        exhaust("cm_convolve", convolve, persistent);
        kit_map_destroy(&map);
        cm_plan_destroy(plan);
        cm_filter_destroy(filter);
        cm_template_destroy(template);
        cm_context_destroy(context);
        context = NULL;
    }
    kit_image_destroy(&image);
    kit_image_destroy(&part);
    return kit_finish("memory");
}
