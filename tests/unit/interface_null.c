/* SPDX-License-Identifier: BSD-2-Clause */
/* Null pointers, operands of another context and numbers that are out of range: each is refused
 * with a text that names it, and leaves no object behind. */
#include "unit/interface.h"

#include "kit/pixels.h"

#include <string.h>

enum { WIDTH = 24, HEIGHT = 20, SIDE = 5 };

typedef struct subject {
    xncc_context *context, *other;
    kit_image image;
    kit_map map;
    xncc_template *templ, *foreign; /* of `context`, of `other` */
    xncc_filter *filter;
    xncc_problem problem;
    xncc_plan *plan, *convolves;
} subject;

/* Checks that a call with kit_error was refused, and what its text begins with. */
static void refused(xncc_status got, const char *start)
{
    CHECK_STATUS(got, XNCC_ERROR_ARGUMENT);
    if (!CHECK(strncmp(kit_error.text, start, strlen(start)) == 0))
        kit_fail(__FILE__, __LINE__, "the text does not begin with \"%s\": %s", start,
                 kit_error.text);
}

static subject make(void)
{
    static const float tap[9] = { 0 };
    subject s = { .context = kit_context(XNCC_DEVICE_CPU, 1),
                  .other = kit_context(XNCC_DEVICE_CPU, 1),
                  .image = kit_image_create(XNCC_U8, WIDTH, HEIGHT, 0, KIT_AFTER),
                  .map = kit_map_create(WIDTH - SIDE + 1, HEIGHT - SIDE + 1, 0, KIT_AFTER),
                  .problem = XNCC_PROBLEM_INIT };
    kit_random random = kit_stream(1);
    xncc_image pixels;
    kit_image_fill(&s.image.view, KIT_NOISE, &random);
    CHECK_STATUS(xncc_image_crop(&s.image.view, 3, 2, SIDE, SIDE, &pixels, &kit_error), XNCC_OK);
    CHECK_STATUS(xncc_template_create(s.context, &pixels, &s.templ, &kit_error), XNCC_OK);
    CHECK_STATUS(xncc_template_create(s.other, &pixels, &s.foreign, &kit_error), XNCC_OK);
    CHECK_STATUS(xncc_filter_create(s.context, tap, 3, 3, NULL, &s.filter, &kit_error), XNCC_OK);
    CHECK_STATUS(xncc_problem_set(&s.problem, &s.image.view, s.templ, &kit_error), XNCC_OK);
    CHECK_STATUS(xncc_plan_create(s.context, &s.problem, NULL, &s.plan, &kit_error), XNCC_OK);
    xncc_problem p = s.problem;
    p.task = XNCC_TASK_CONVOLVE;
    p.templ_width = p.templ_height = 3;
    CHECK_STATUS(xncc_plan_create(s.context, &p, NULL, &s.convolves, &kit_error), XNCC_OK);
    return s;
}

static void destroy(subject *s)
{
    xncc_plan_destroy(s->plan);
    xncc_plan_destroy(s->convolves);
    xncc_filter_destroy(s->filter);
    xncc_template_destroy(s->templ);
    xncc_template_destroy(s->foreign);
    kit_map_destroy(&s->map);
    kit_image_destroy(&s->image);
    xncc_context_destroy(s->context);
    xncc_context_destroy(s->other);
}

/* Objects are not made, and the caller's pointer is NULL. */
static void check_objects(const subject *s)
{
    static const float tap[1] = { 1.0f };
    xncc_template *templ = s->templ;
    xncc_filter *filter = s->filter;
    xncc_plan *plan = s->plan;
    refused(xncc_context_create(NULL, NULL, &kit_error), "context is a null pointer");
    CHECK(xncc_context_progress(NULL) >= 1.0);
    xncc_context_cancel(NULL);
    refused(xncc_template_create(NULL, &s->image.view, &templ, &kit_error),
            "context is a null pointer");
    CHECK(templ == NULL);
    refused(xncc_template_create(s->context, &s->image.view, NULL, &kit_error),
            "templ is a null pointer");
    refused(xncc_filter_create(NULL, tap, 1, 1, NULL, &filter, &kit_error),
            "context is a null pointer");
    CHECK(filter == NULL);
    refused(xncc_filter_create(s->context, tap, 1, 1, NULL, NULL, &kit_error),
            "filter is a null pointer");
    xncc_filter_options o = XNCC_FILTER_OPTIONS_INIT;
    o.size = 1;
    refused(xncc_filter_create(s->context, tap, 1, 1, &o, &filter, &kit_error),
            "the size of a struct xncc_filter_options is 1");
    refused(xncc_plan_create(NULL, &s->problem, NULL, &plan, &kit_error),
            "context is a null pointer");
    CHECK(plan == NULL);
    refused(xncc_plan_create(s->context, NULL, NULL, &plan, &kit_error),
            "problem is a null pointer");
    refused(xncc_plan_create(s->context, &s->problem, NULL, NULL, &kit_error),
            "plan is a null pointer");
    refused(xncc_problem_set(NULL, &s->image.view, s->templ, &kit_error),
            "problem is a null pointer");
    refused(xncc_map_measure(XNCC_VALID, 9, 9, 2, 2, NULL, &kit_error), "extent is a null pointer");
    xncc_template_destroy(NULL);
    xncc_filter_destroy(NULL);
    xncc_plan_destroy(NULL);
    xncc_context_destroy(NULL);
}

static void check_runs(const subject *s)
{
    const xncc_image *image = &s->image.view;
    const xncc_map *map = &s->map.view;
    char text[8] = "before";
    xncc_match match;
    size_t found = 5;
    CHECK_TEXT(xncc_plan_explain(s->plan, NULL, 8), "");
    CHECK_TEXT(xncc_plan_explain(s->plan, text, 0), "");
    CHECK_TEXT(text, "before");
    refused(xncc_plan_correlate(NULL, image, s->templ, map, NULL, &kit_error),
            "plan is a null pointer");
    refused(xncc_plan_correlate(s->plan, image, NULL, map, NULL, &kit_error),
            "templ is a null pointer");
    refused(xncc_plan_correlate(s->plan, NULL, s->templ, map, NULL, &kit_error), "image: ");
    refused(xncc_plan_correlate(s->plan, image, s->templ, NULL, NULL, &kit_error),
            "map: the view is a null pointer");
    refused(xncc_plan_correlate(s->plan, image, s->foreign, map, NULL, &kit_error),
            "template: it belongs to another context");
    refused(xncc_plan_correlate(s->convolves, image, s->templ, map, NULL, &kit_error),
            "plan: it was created for another task and takes no template");
    refused(xncc_plan_convolve(NULL, image, s->filter, map, NULL, &kit_error),
            "plan is a null pointer");
    refused(xncc_plan_convolve(s->convolves, image, NULL, map, NULL, &kit_error),
            "filter is a null pointer");
    refused(xncc_plan_convolve(s->plan, image, s->filter, map, NULL, &kit_error),
            "plan: it was created for another task and takes no filter");
    refused(xncc_plan_find(NULL, image, s->templ, NULL, &match, 1, &found, NULL, &kit_error),
            "plan is a null pointer");
    CHECK_INT(found, 0);
    refused(xncc_plan_find(s->plan, image, s->templ, NULL, &match, 1, NULL, NULL, &kit_error),
            "found is a null pointer");
    refused(xncc_plan_find(s->plan, image, s->templ, NULL, NULL, 1, &found, NULL, &kit_error),
            "match is a null pointer");
}

static void check_batches(const subject *s)
{
    const xncc_template *templ[2] = { s->templ, s->foreign }, *none[1] = { NULL };
    xncc_problem p = s->problem;
    xncc_batch *batch = NULL;
    p.templ_width = p.templ_height = 0;
    refused(xncc_batch_create(s->context, &p, NULL, templ, 2, NULL, &batch, &kit_error),
            "template 1 belongs to another context");
    refused(xncc_batch_create(s->context, &p, NULL, none, 1, NULL, &batch, &kit_error),
            "template 0 is a null pointer");
    refused(xncc_batch_create(s->context, &p, NULL, NULL, 1, NULL, &batch, &kit_error),
            "batch: templ is a null pointer");
    refused(
        xncc_batch_create(s->context, &p, NULL, templ, (size_t)1 << 31, NULL, &batch, &kit_error),
        "batch: 2147483648 templates are more than 2^31 - 1");
    refused(xncc_batch_create(s->context, &s->problem, NULL, templ, 1, NULL, &batch, &kit_error),
            "batch: templ_width, templ_height and templ_masked of the problem must be 0");
    p.task = XNCC_TASK_CONVOLVE;
    refused(xncc_batch_create(s->context, &p, NULL, templ, 1, NULL, &batch, &kit_error),
            "batch: the task is not matching");
    refused(xncc_batch_create(s->context, NULL, NULL, templ, 1, NULL, &batch, &kit_error),
            "problem is a null pointer");
    CHECK(batch == NULL);
    xncc_batch_destroy(NULL);
}

static void check_poses(const subject *s)
{
    const xncc_template *templ[2] = { s->templ, s->foreign }, *none[1] = { NULL };
    const xncc_image *image = &s->image.view;
    xncc_pose_match match;
    size_t found = 5;
    refused(xncc_find_poses(s->context, image, templ, 2, NULL, &match, 1, &found, &kit_error),
            "template 1 belongs to another context");
    CHECK_INT(found, 0);
    refused(xncc_find_poses(s->context, image, none, 1, NULL, &match, 1, &found, &kit_error),
            "template 0 is a null pointer");
    refused(xncc_find_poses(s->context, image, templ, (size_t)1 << 31, NULL, &match, 1, &found,
                            &kit_error),
            "poses: 2147483648 templates are more than 2^31 - 1");
    refused(xncc_find_poses(s->context, image, templ, 1, NULL, NULL, 1, &found, &kit_error),
            "match is a null pointer");
    refused(xncc_find_poses(s->context, image, NULL, 1, NULL, &match, 1, &found, &kit_error),
            "templ is a null pointer");
    refused(xncc_find_poses(s->context, image, templ, 1, NULL, &match, 1, NULL, &kit_error),
            "found is a null pointer");
}

static xncc_status no_rows(void *argument, size_t pair, int32_t which, int32_t y, int32_t height,
                           xncc_image *view, xncc_error *error)
{
    (void)argument, (void)pair, (void)which, (void)y, (void)height, (void)view, (void)error;
    CHECK(0 && "no rows may be asked for");
    return XNCC_ERROR_ARGUMENT;
}

static void check_track_sources(const subject *s)
{
    const xncc_track_point point = { 10.0, 10.0, 0.0, 0.0 };
    xncc_displacement found;
    for (int i = 0; i < 8; i++) {
        xncc_track_source source = XNCC_TRACK_SOURCE_INIT;
        int32_t *side[4] = { &source.width1, &source.height1, &source.width2, &source.height2 };
        source.read = no_rows;
        source.rows = 10;
        source.pairs = 1;
        for (int k = 0; k < 4; k++)
            *side[k] = 100;
        *side[i / 2] = i % 2 ? XNCC_MAX_SIDE + 1 : 0;
        refused(xncc_track_rows(s->context, &source, NULL, &point, 1, &found, &kit_error),
                "track: images of ");
    }
}

void check_null(void)
{
    subject s = make();
    check_objects(&s);
    check_runs(&s);
    check_batches(&s);
    check_poses(&s);
    check_track_sources(&s);
    destroy(&s);
}
