/* SPDX-License-Identifier: BSD-2-Clause */
/* Images and templates with masks, no-data values and channels that plans and calls refuse, and the
 * error texts. */
#include "check/general.h"

#include <math.h>
#include <string.h>

/* Checks the status, and that the text names what is wrong. */
static void refused(xncc_status got, xncc_status want, const char *word)
{
    CHECK_STATUS(got, want);
    if (!CHECK(strstr(kit_error.text, word) != NULL))
        kit_fail(__FILE__, __LINE__, "the text has no \"%s\": %s", word, kit_error.text);
}

typedef struct things {
    check_run *run;
    kit_image image, masked_image, templ, masked_templ;
    xncc_template *plain, *masked;
    kit_map map;
} things;

static void refuse_problem(const things *t, xncc_problem problem, xncc_status want,
                           const char *word)
{
    xncc_plan *plan = NULL;
    refused(xncc_plan_create(t->run->context[0], &problem, NULL, &plan, &kit_error), want, word);
    CHECK(plan == NULL);
    xncc_plan_destroy(plan);
    const char *name[2];
    CHECK_INT(xncc_kernel_list(t->run->context[0], &problem, name, 2), 0);
}

static void check_problems(const things *t)
{
    const xncc_problem fine = kit_problem((xncc_problem){ .image_width = 20,
                                                          .image_height = 15,
                                                          .templ_width = 5,
                                                          .templ_height = 4,
                                                          .channels = 2 });
    xncc_problem p = fine;
    p.channels = XNCC_MAX_CHANNELS + 1;
    refuse_problem(t, p, XNCC_ERROR_ARGUMENT, "channels of 65");
    p.channels = -1;
    refuse_problem(t, p, XNCC_ERROR_ARGUMENT, "channels");
    static const double least[] = { -0.1, 1.5, (double)NAN, (double)INFINITY };
    for (int i = 0; i < 4; i++) {
        p = fine;
        p.rule.min_valid = least[i];
        refuse_problem(t, p, XNCC_ERROR_ARGUMENT, "min_valid");
    }
    p = fine;
    p.rule.mode = (xncc_mode)3;
    refuse_problem(t, p, XNCC_ERROR_ARGUMENT, "mode");
    p = fine;
    p.rule.border = (xncc_border)5;
    refuse_problem(t, p, XNCC_ERROR_ARGUMENT, "border");
    p = fine;
    p.rule.method = (xncc_method)7;
    refuse_problem(t, p, XNCC_ERROR_ARGUMENT, "method");
    p = fine;
    p.pixel = (xncc_pixel)7;
    refuse_problem(t, p, XNCC_ERROR_ARGUMENT, "pixel type");
    p = fine;
    p.templ_width = 21;
    refuse_problem(t, p, XNCC_ERROR_ARGUMENT, "full");
    p = kit_problem((xncc_problem){ .pixel = XNCC_U32,
                                    .image_width = 20000,
                                    .image_height = 20000,
                                    .templ_width = 16385,
                                    .templ_height = 16384 });
    refuse_problem(t, p, XNCC_ERROR_ARGUMENT, "2^28");
    p = kit_problem((xncc_problem){ .task = XNCC_TASK_CONVOLVE,
                                    .image_width = 20,
                                    .image_height = 15,
                                    .templ_width = 3,
                                    .templ_height = 3 });
    p.rule.border = XNCC_BORDER_MIRROR;
    refuse_problem(t, p, XNCC_ERROR_UNSUPPORTED, "border");
    p.rule.border = XNCC_BORDER_ZERO;
    p.pixel = XNCC_S16;
    refuse_problem(t, p, XNCC_ERROR_UNSUPPORTED, "s16");
    p.pixel = XNCC_U8;
    p.channels = 3;
    refuse_problem(t, p, XNCC_ERROR_UNSUPPORTED, "channel");
    p.channels = 1;
    p.image_masked = 1;
    refuse_problem(t, p, XNCC_ERROR_UNSUPPORTED, "mask");
}

static void check_views(const things *t)
{
    xncc_context *context = t->run->context[0];
    xncc_template *none = t->plain;
    xncc_image view = t->templ.view;
    view.channels = 65;
    refused(xncc_template_create(context, &view, &none, &kit_error), XNCC_ERROR_ARGUMENT,
            "65 channels");
    CHECK(none == NULL);
    view.channels = -2;
    refused(xncc_template_create(context, &view, &none, &kit_error), XNCC_ERROR_ARGUMENT,
            "channels");
    view = t->masked_templ.view;
    view.mask_pitch = view.width - 1;
    refused(xncc_template_create(context, &view, &none, &kit_error), XNCC_ERROR_ARGUMENT, "mask");
    view = t->templ.view;
    view.has_no_data = 1;
    view.no_data = 77.0; /* the only value that it holds */
    refused(xncc_template_create(context, &view, &none, &kit_error), XNCC_ERROR_ARGUMENT,
            "none of its pixels");
    CHECK(none == NULL);
    view.channels = 2; /* the row is too short for two samples per pixel */
    view.pitch = view.width;
    refused(xncc_template_create(context, &view, &none, &kit_error), XNCC_ERROR_ARGUMENT, "pitch");
    view = t->masked_image.view;
    view.mask_pitch = 3;
    refused(kit_correlate(context, &view, t->plain, NULL, &t->map.view), XNCC_ERROR_ARGUMENT,
            "mask");
    view = t->image.view;
    view.pixel = XNCC_S8;
    refused(kit_correlate(context, &view, t->plain, NULL, &t->map.view), XNCC_ERROR_ARGUMENT, "s8");
    kit_options full = { .mode = XNCC_FULL };
    refused(kit_correlate(context, &t->image.view, t->plain, &full, &t->map.view),
            XNCC_ERROR_ARGUMENT, "24 x 18");
    full.min_valid = 2.0;
    refused(kit_correlate(context, &t->image.view, t->plain, &full, &t->map.view),
            XNCC_ERROR_ARGUMENT, "min_valid");
}

/* Arguments that are legal in themselves but do not fit the plan. */
static void check_misfits(const things *t)
{
    xncc_context *context = t->run->context[0];
    xncc_match match[2];
    size_t found = 9;
    for (int masks = 0; masks < 4; masks++) {
        xncc_problem p = kit_problem((xncc_problem){ .image_width = 20,
                                                     .image_height = 15,
                                                     .templ_width = 5,
                                                     .templ_height = 4,
                                                     .image_masked = masks & 1,
                                                     .templ_masked = masks >> 1 });
        const xncc_template *right = masks >> 1 ? t->masked : t->plain,
                            *wrong = masks >> 1 ? t->plain : t->masked;
        xncc_plan *plan = NULL;
        if (!check_ok(xncc_plan_create(context, &p, NULL, &plan, &kit_error),
                      "a plan for what is refused"))
            return;
        refused(xncc_plan_correlate(plan, &t->image.view, wrong, &t->map.view, NULL, &kit_error),
                XNCC_ERROR_ARGUMENT, "templ_masked");
        refused(kit_plan_find(plan, &t->image.view, wrong, NULL, match, 2, &found, NULL),
                XNCC_ERROR_ARGUMENT, "templ_masked");
        CHECK_INT(found, 0);
        xncc_status masked = xncc_plan_correlate(plan, &t->masked_image.view, right, &t->map.view,
                                                 NULL, &kit_error);
        if (masks & 1)
            check_ok(masked, "a masked image for a plan that allows it");
        else
            refused(masked, XNCC_ERROR_ARGUMENT, "image_masked");
        xncc_image view = t->image.view;
        view.has_no_data = 1;
        xncc_status no_data = xncc_plan_correlate(plan, &view, right, &t->map.view, NULL,
                                                  &kit_error);
        if (masks & 1)
            check_ok(no_data, "an image with a no-data value for a plan that allows it");
        else
            refused(no_data, XNCC_ERROR_ARGUMENT, "image_masked");
        view = t->image.view;
        view.channels = 2;
        view.width = 10;
        refused(xncc_plan_correlate(plan, &view, right, &t->map.view, NULL, &kit_error),
                XNCC_ERROR_ARGUMENT, "channels");
        xncc_plan_destroy(plan);
    }
    xncc_problem p = kit_problem((xncc_problem){ .image_width = 20,
                                                 .image_height = 15,
                                                 .templ_width = 5,
                                                 .templ_height = 4,
                                                 .channels = 3 });
    xncc_plan *plan = NULL;
    if (check_ok(xncc_plan_create(context, &p, NULL, &plan, &kit_error),
                 "a plan of three channels"))
        refused(xncc_plan_correlate(plan, &t->image.view, t->plain, &t->map.view, NULL, &kit_error),
                XNCC_ERROR_ARGUMENT, "channel");
    xncc_plan_destroy(plan);
}

void general_check_refusals(check_run *run)
{
    const kit_room room = { 2, KIT_AFTER };
    kit_random random = kit_stream(4711);
    things t = { .run = run };
    t.image = kit_image_create_channels(XNCC_U8, 0, 20, 15, room);
    t.masked_image = kit_image_create_channels(XNCC_U8, 1, 20, 15, room);
    t.templ = kit_image_create_channels(XNCC_U8, 1, 5, 4, room);
    t.masked_templ = kit_image_create_channels(XNCC_U8, 1, 5, 4, room);
    t.map = kit_map_create(16, 12, 0, KIT_AFTER);
    kit_image_fill(&t.image.view, KIT_NOISE, &random);
    kit_image_fill(&t.masked_image.view, KIT_NOISE, &random);
    kit_image_fill(&t.masked_templ.view, KIT_NOISE, &random);
    for (int32_t y = 0; y < 4; y++)
        for (int32_t x = 0; x < 5; x++)
            kit_pixel_set(&t.templ.view, x, y, 77.0);
    kit_image_mask(&t.masked_image, room);
    kit_image_mask(&t.masked_templ, room);
    kit_mask_set(&t.masked_templ.view, 1, 2, 0);
    if (check_ok(xncc_template_create(run->context[0], &t.templ.view, &t.plain, &kit_error),
                 "a template") &&
        check_ok(xncc_template_create(run->context[0], &t.masked_templ.view, &t.masked, &kit_error),
                 "a masked template")) {
        check_problems(&t);
        check_views(&t);
        check_misfits(&t);
    }
    xncc_template_destroy(t.plain);
    xncc_template_destroy(t.masked);
    kit_map_destroy(&t.map);
    kit_image_destroy(&t.image);
    kit_image_destroy(&t.masked_image);
    kit_image_destroy(&t.templ);
    kit_image_destroy(&t.masked_templ);
}
