/* SPDX-License-Identifier: BSD-2-Clause */
/* Images, templates, filters and plans, in host memory and on the device, for scenes. */
#include "cuda_world.h"

#include "kit/device.h"
#include "pretend/pretend.h"

#include <string.h>

world w;

static void *device_alloc(size_t bytes)
{
    pretend_set_device(FAULTS_DEVICE);
    void *made = kit_device_alloc(bytes);
    pretend_set_device(0);
    if (!made)
        kit_give_up("no memory");
    return made;
}

void open_context(size_t device_memory)
{
    const xncc_context_options o = { .size = sizeof o,
                                     .device = XNCC_DEVICE_CUDA,
                                     .cuda_index = FAULTS_DEVICE,
                                     .threads = 1, /* calls have one order */
                                     .device_memory = device_memory };
    CHECK_STATUS(xncc_context_create(&o, &context, &kit_error), XNCC_OK);
}

/* An image with the mask that the problem says. */
kit_image image_of(int32_t width, int32_t height, int masked)
{
    kit_random random = kit_stream(1);
    kit_image image = kit_image_create_channels(w.problem.pixel, w.problem.channels, width, height,
                                                (kit_room){ .side = KIT_AFTER });
    kit_image_fill(&image.view, KIT_NOISE, &random);
    if (masked) {
        kit_image_mask(&image, (kit_room){ .side = KIT_AFTER });
        kit_mask_set(&image.view, 1, 1, 0);
    }
    return image;
}

/* Makes what the scenes of a problem share. */
void open_world(const xncc_problem *problem)
{
    memset(&w, 0, sizeof w);
    w.problem = kit_problem(*problem);
    const xncc_problem *p = &w.problem;
    w.rule = (kit_options){ .method = p->rule.method,
                            .mode = p->rule.mode,
                            .border = p->rule.border };
    w.image = image_of(p->image_width, p->image_height, p->image_masked);
    const size_t row = (size_t)p->image_width * (size_t)p->channels *
                       (size_t)kit_sample_size(p->pixel);
    w.there = w.image.view;
    w.there.data = device_alloc(row * (size_t)p->image_height);
    w.there.pitch = (int64_t)row;
    w.there.mask = NULL;
    w.there.memory = XNCC_DEVICE;
    int32_t width = p->image_width, height = p->image_height, x0, y0;
    if (p->task == XNCC_TASK_MATCH) {
        w.pixels = image_of(p->templ_width, p->templ_height, p->templ_masked);
        for (int i = 0; i < TEMPLATES; i++)
            CHECK_STATUS(xncc_template_create(context, &w.pixels.view, &w.templ[i], &kit_error),
                         XNCC_OK);
        CHECK_STATUS(kit_map_extent(p->rule.mode, p->image_width, p->image_height, p->templ_width,
                                    p->templ_height, &width, &height, &x0, &y0),
                     XNCC_OK);
    } else {
        static float tap[XNCC_MAX_FILTER * XNCC_MAX_FILTER];
        for (int i = 0; i < p->templ_width * p->templ_height; i++)
            tap[i] = (float)(i % 7);
        xncc_filter **const both[] = { &w.filter, &w.other_filter };
        for (int i = 0; i < 2; i++)
            CHECK_STATUS(
                kit_filter_create(context, tap, p->templ_width, p->templ_height, NULL, both[i]),
                XNCC_OK);
    }
    w.map = kit_map_create(width, height, 0, KIT_AFTER);
    w.map_there = (xncc_map){ .data = device_alloc((size_t)width * (size_t)height * sizeof(float)),
                              .width = width,
                              .height = height,
                              .memory = XNCC_DEVICE };
    w.match_there = device_alloc(TOP * sizeof *w.match_there);
    w.found_there = device_alloc(sizeof *w.found_there);
    pretend_set_device(FAULTS_DEVICE);
    w.stream = kit_device_stream();
    pretend_set_device(0);
}

void close_world(void)
{
    kit_device_stream_destroy(w.stream);
    kit_device_free(w.found_there);
    kit_device_free(w.match_there);
    kit_device_free(w.map_there.data);
    kit_device_free((void *)(uintptr_t)w.there.data);
    kit_map_destroy(&w.map);
    for (int i = 0; i < TEMPLATES; i++)
        xncc_template_destroy(w.templ[i]);
    xncc_filter_destroy(w.filter);
    xncc_filter_destroy(w.other_filter);
    kit_image_destroy(&w.image);
    if (w.problem.task == XNCC_TASK_MATCH)
        kit_image_destroy(&w.pixels);
}

xncc_status make_plan(xncc_memory memory, xncc_plan **plan)
{
    const xncc_preference preference = { .size = sizeof preference,
                                         .device = XNCC_DEVICE_CUDA,
                                         .kernel = w.kernel,
                                         .image_memory = memory,
                                         .map_memory = memory,
                                         .images = w.problem.task == XNCC_TASK_MATCH ? IMAGES : 0 };
    const xncc_status status = xncc_plan_create(context, &w.problem, &preference, plan, &kit_error);
    CHECK((status == XNCC_OK) == (*plan != NULL));
    return status;
}

void fill_constants(void)
{
    if (w.sharing && w.filter)
        CHECK_STATUS(xncc_plan_convolve(w.sharing, &w.image.view, w.other_filter, &w.map.view,
                                        w.stream, &kit_error),
                     XNCC_OK);
    else if (w.sharing)
        CHECK_STATUS(xncc_plan_correlate(w.sharing, &w.image.view, w.templ[2], &w.map.view,
                                         w.stream, &kit_error),
                     XNCC_OK);
}

void close_sharing(void)
{
    xncc_plan_destroy(w.sharing);
    w.sharing = NULL;
}

void begin_plan(void)
{
    fill_constants();
    CHECK_STATUS(make_plan(XNCC_HOST, &w.plan), XNCC_OK);
}

void end_plan(void)
{
    xncc_plan_destroy(w.plan);
    w.plan = NULL;
}

void open_constants(void)
{
    if (w.sharing || w.filter || w.problem.pixel != XNCC_F32)
        return;
    w.kernel = "shared";
    (void)make_plan(XNCC_HOST, &w.sharing);
    w.kernel = NULL;
}

xncc_plan_info open_sharing(void)
{
    xncc_plan_info info = XNCC_PLAN_INFO_INIT;
    CHECK_STATUS(make_plan(XNCC_HOST, &w.sharing), XNCC_OK);
    CHECK_STATUS(xncc_plan_describe(w.sharing, &info, &kit_error), XNCC_OK);
    if (info.capturable)
        close_sharing();
    return info;
}
