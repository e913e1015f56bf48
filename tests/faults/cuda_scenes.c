/* SPDX-License-Identifier: BSD-2-Clause */
/* The public calls under which calls of CUDA fail (cuda.h). */
#include "cuda_world.h"

#include "kit/device.h"
#include "pretend/pretend.h"

#include "api/objects.h"
#include "cuda/engine/cuda_engine.h"

#include <stdio.h>
#include <string.h>

enum { MANY = 5000, SMALL = 1000 };

static void nothing(void)
{
}

/* ---- what is made and destroyed ---- */

static void destroy_plan(xncc_plan *plan)
{
    quiet_begin();
    xncc_plan_destroy(plan);
    quiet_end();
}

static xncc_status create_context(void)
{
    const xncc_context_options o = {
        .size = sizeof o, .device = XNCC_DEVICE_CUDA, .cuda_index = FAULTS_DEVICE, .threads = 1
    };
    xncc_context *made = NULL;
    const xncc_status status = xncc_context_create(&o, &made, &kit_error);
    CHECK((status == XNCC_OK) == (made != NULL));
    quiet_begin();
    xncc_context_destroy(made);
    quiet_end();
    return status;
}

/* A device that cannot be described is not usable, and the text says why. */
static xncc_status describe_devices(void)
{
    xncc_device_info info = XNCC_DEVICE_INFO_INIT;
    if (xncc_device_count() < 3) {
        (void)snprintf(kit_error.text, sizeof kit_error.text, "fewer devices of CUDA");
        return XNCC_ERROR_DEVICE;
    }
    if (xncc_device_describe(1 + FAULTS_DEVICE, &info, &kit_error) != XNCC_OK) {
        (void)snprintf(kit_error.text, sizeof kit_error.text, "fewer devices of CUDA");
        return XNCC_ERROR_DEVICE;
    }
    CHECK(info.usable == (info.text[0] == 0));
    (void)snprintf(kit_error.text, sizeof kit_error.text, "%.200s of CUDA", info.text);
    return info.usable ? XNCC_OK : XNCC_ERROR_DEVICE;
}

static xncc_status create_template_of(const xncc_image *pixels)
{
    xncc_template *made = NULL;
    const xncc_status status = xncc_template_create(context, pixels, &made, &kit_error);
    CHECK((status == XNCC_OK) == (made != NULL));
    quiet_begin();
    xncc_template_destroy(made);
    quiet_end();
    return status;
}

static xncc_status create_template(void)
{
    return create_template_of(&w.pixels.view);
}

/* From device memory, with a mask. */
static xncc_status create_template_there(void)
{
    xncc_image part = w.there;
    part.width = w.problem.templ_width;
    part.height = w.problem.templ_height;
    part.mask = (uint8_t *)w.map_there.data;
    part.mask_pitch = part.width;
    memset(w.map_there.data, 1, (size_t)part.width * (size_t)part.height);
    return create_template_of(&part);
}

static xncc_status create_filter(void)
{
    static const float tap[9] = { 1, 2, 1, 2, 4, 2, 1, 2, 1 };
    xncc_filter *made = NULL;
    const xncc_status status = kit_filter_create(context, tap, 3, 3, NULL, &made);
    CHECK((status == XNCC_OK) == (made != NULL));
    quiet_begin();
    xncc_filter_destroy(made);
    quiet_end();
    return status;
}

xncc_status create_plan(void)
{
    xncc_plan *made = NULL;
    const xncc_status status = make_plan(XNCC_HOST, &made);
    destroy_plan(made);
    return status;
}

/* ---- maps and searches ---- */

static xncc_status correlate(void)
{
    return xncc_plan_correlate(w.plan, &w.image.view, w.templ[0], &w.map.view, w.stream,
                               &kit_error);
}

/* On one stream, and then on another one. */
static xncc_status correlate_there(void)
{
    const xncc_status status = xncc_plan_correlate(w.plan, &w.there, w.templ[0], &w.map_there,
                                                   w.stream, &kit_error);
    return status
               ? status
               : xncc_plan_correlate(w.plan, &w.there, w.templ[1], &w.map_there, NULL, &kit_error);
}

static xncc_status find(void)
{
    xncc_match match[TOP];
    size_t found = 77;
    const xncc_status status = kit_plan_find(w.plan, &w.image.view, w.templ[0], NULL, match, TOP,
                                             &found, w.stream);
    CHECK(status == XNCC_OK ? found <= TOP : found == 0);
    return status;
}

/* More matches than the device chooses. */
static xncc_status find_many(void)
{
    static xncc_match match[MANY];
    size_t found = 77;
    const kit_find_options o = { .min_score = -1.0f, .min_distance = 1 };
    const xncc_status status = kit_plan_find(w.plan, &w.image.view, w.templ[0], &o, match, MANY,
                                             &found, NULL);
    CHECK(status == XNCC_OK ? found <= MANY : found == 0);
    return status;
}

static xncc_status find_there(void)
{
    return kit_plan_find_on_device(w.plan, &w.there, w.templ[0], NULL, w.match_there, TOP,
                                   w.found_there, w.stream);
}

static xncc_status find_best_there(void)
{
    const kit_find_options o = { .min_score = -1.0f, .top = 1 };
    return kit_plan_find_on_device(w.plan, &w.there, w.templ[0], &o, w.match_there, TOP,
                                   w.found_there, w.stream);
}

/* From an image of the host, through the host. */
static xncc_status find_to_there(void)
{
    return kit_plan_find_on_device(w.plan, &w.image.view, w.templ[0], NULL, w.match_there, TOP,
                                   w.found_there, w.stream);
}

static xncc_status find_images_of(const xncc_image *image)
{
    xncc_image images[IMAGES + 1];
    xncc_match match[(IMAGES + 1) * TOP];
    size_t found[IMAGES + 1];
    const xncc_peak_rule peaks = XNCC_PEAK_RULE_INIT;
    for (int i = 0; i < IMAGES + 1; i++)
        images[i] = *image;
    const xncc_status status = xncc_plan_find_images(w.plan, images, IMAGES + 1, w.templ[0], &peaks,
                                                     match, TOP, found, w.stream, &kit_error);
    for (int i = 0; i < IMAGES + 1; i++)
        CHECK(status == XNCC_OK ? found[i] <= TOP : found[i] == 0);
    return status;
}

/* They lie apart, on the host and on the device. */
static xncc_status find_images(void)
{
    const xncc_status status = find_images_of(&w.image.view);
    return status ? status : find_images_of(&w.there);
}

static xncc_status find_group(void)
{
    xncc_match match[TEMPLATES * TOP];
    size_t found[TEMPLATES];
    const xncc_templ_group group = { (const xncc_template *const *)w.templ, TEMPLATES, TOP, match,
                                     found };
    const xncc_peak_rule peaks = XNCC_PEAK_RULE_INIT;
    const xncc_status status = xncc_plan_find_group(w.plan, &w.image.view, &group, &peaks, w.stream,
                                                    &kit_error);
    for (int i = 0; i < TEMPLATES; i++)
        CHECK(status == XNCC_OK ? found[i] <= TOP : found[i] == 0);
    return status;
}

static xncc_status scan(void)
{
    xncc_match match[TOP];
    xncc_scan *made = NULL;
    size_t found = 77;
    xncc_status status = kit_scan_create(w.plan, &w.image.view, w.templ[0], NULL, TOP, &made);
    if (!status)
        status = xncc_scan_rows(made, w.problem.image_height / 2, &kit_error);
    if (!status) {
        status = xncc_scan_finish(made, match, &found, w.stream, &kit_error);
        CHECK(status == XNCC_OK ? found <= TOP : found == 0);
    }
    xncc_scan_destroy(made);
    return status;
}

/* On a stream that is captured. */
static void begin_capture(void)
{
    begin_plan();
    (void)correlate_there(); /* the first call must be outside of a capture */
    pretend_clear_error();
    if (!kit_device_capture(w.stream))
        kit_give_up("no capture");
}

static void end_capture(void)
{
    kit_device_graph_destroy(kit_device_graph(w.stream));
    end_plan();
}

static xncc_status capture(void)
{
    return xncc_plan_correlate(w.plan, &w.there, w.templ[0], &w.map_there, w.stream, &kit_error);
}

static xncc_status capture_find(void)
{
    return find_there();
}

/* ---- in one call ---- */

static xncc_status correlate_once(void)
{
    return kit_correlate(context, &w.image.view, w.templ[0], &w.rule, &w.map.view);
}

/* The call returns when the map is complete, also one in device memory. */
static xncc_status correlate_once_there(void)
{
    return kit_correlate(context, &w.there, w.templ[0], &w.rule, &w.map_there);
}

static xncc_status find_once(void)
{
    xncc_match match[TOP];
    size_t found = 77;
    const xncc_status status = kit_find(context, &w.image.view, w.templ[0], NULL, match, TOP,
                                        &found);
    CHECK(status == XNCC_OK ? found <= TOP : found == 0);
    return status;
}

static xncc_status list_kernels(void)
{
    const char *name[KERNELS];
    if (xncc_kernel_list(context, &w.problem, name, KERNELS) > 0)
        return XNCC_OK;
    (void)snprintf(kit_error.text, sizeof kit_error.text, "no kernel for CUDA");
    return XNCC_ERROR_DEVICE;
}

static const xncc_match places[2] = { { 0, 0, 1.0f }, { 9, 9, 1.0f } };

static xncc_status refine(void)
{
    xncc_refined refined[2];
    return kit_refine(context, &w.image.view, w.templ[0], NULL, places, 2, refined);
}

static xncc_status refine_there(void)
{
    xncc_refined refined[2];
    return kit_refine(context, &w.there, w.templ[0], NULL, places, 2, refined);
}

static xncc_status resample(void)
{
    xncc_template *made = NULL;
    const xncc_status status = xncc_template_resample(w.templ[0], 21.0, 1.2, XNCC_SUPPORT_WHOLE,
                                                      &made, &kit_error);
    CHECK((status == XNCC_OK) == (made != NULL));
    quiet_begin();
    xncc_template_destroy(made);
    quiet_end();
    return status;
}

/* A context of its own, since it keeps what tracking needs on the device. */
static xncc_context *other;

static void begin_track(void)
{
    other = context;
    open_context(0);
}

static void end_track(void)
{
    xncc_context_destroy(context);
    context = other;
}

/* Forward and back. */
static xncc_status track_images(const xncc_image *image)
{
    static xncc_displacement found[MANY];
    static xncc_track_point point[MANY];
    const xncc_track_pair pair = { image, image };
    xncc_track_options o = XNCC_TRACK_OPTIONS_INIT;
    o.chip_width = o.chip_height = 8;
    o.search_x = o.search_y = 3;
    o.fit = XNCC_TRACK_OVERSAMPLED; /* so that there are several blocks of chips */
    o.back = 1;
    for (int i = 0; i < MANY; i++)
        point[i] = (xncc_track_point){ 20.0 + i % 60, 20.0 + i / 60 % 60, 0.0, 0.0 };
    return xncc_track(context, &pair, 1, &o, point, MANY, found, &kit_error);
}

static xncc_status track(void)
{
    return track_images(&w.image.view);
}

static xncc_status track_there(void)
{
    return track_images(&w.there);
}

/* ---- convolutions ---- */

static xncc_status convolve(void)
{
    return xncc_plan_convolve(w.plan, &w.image.view, w.filter, &w.map.view, w.stream, &kit_error);
}

static xncc_status convolve_there(void)
{
    return xncc_plan_convolve(w.plan, &w.there, w.filter, &w.map_there, w.stream, &kit_error);
}

static xncc_status convolve_once(void)
{
    return kit_convolve(context, &w.image.view, w.filter, NULL, &w.map.view);
}

static xncc_status convolve_once_there(void)
{
    return kit_convolve(context, &w.there, w.filter, NULL, &w.map_there);
}

/* ---- all of it ---- */

static const scene of_context[] = { { "context", nothing, create_context, nothing, 1 },
                                    { "devices", nothing, describe_devices, nothing, 1 } };

static const scene of_templates[] = {
    { "template", nothing, create_template, nothing, 1 },
    { "template in device memory", nothing, create_template_there, nothing, 1 },
    { "filter", nothing, create_filter, nothing, 1 },
};

/* With every kernel. */
static const scene of_matches[] = {
    { "plan", nothing, create_plan, nothing, 1 },
    { "correlate", begin_plan, correlate, end_plan, 1 },
    { "correlate in device memory", begin_plan, correlate_there, end_plan, 0 },
    { "find", begin_plan, find, end_plan, 1 },
    { "find on the device", begin_plan, find_there, end_plan, 0 },
    { "find the best on the device", begin_plan, find_best_there, end_plan, 0 },
    { "find on the device, from the host", begin_plan, find_to_there, end_plan, 1 },
    { "find a group", begin_plan, find_group, end_plan, 1 },
    { "find in images", begin_plan, find_images, end_plan, 1 },
};

/* With the fastest one, on small images. */
static const scene of_problems[] = {
    { "find many", begin_plan, find_many, end_plan, 1 },
    { "scan", begin_plan, scan, end_plan, 1 },
    { "correlate at once", fill_constants, correlate_once, nothing, 1 },
    { "correlate at once, in device memory", fill_constants, correlate_once_there, nothing, 1 },
    { "find at once", fill_constants, find_once, nothing, 1 },
    { "kernels", nothing, list_kernels, nothing, 1 },
    { "refine", fill_constants, refine, nothing, 1 },
    { "refine in device memory", fill_constants, refine_there, nothing, 1 },
    { "resample", nothing, resample, nothing, 1 },
    { "track", begin_track, track, end_track, 1 },
    { "track in device memory", begin_track, track_there, end_track, 1 },
};

/* With kernels that can be captured. */
static const scene of_capture = { "capture", begin_capture, capture, end_capture, 0 };
static const scene of_capture_find = { "capture a search", begin_capture, capture_find, end_capture,
                                       0 };

static const scene of_filters[] = {
    { "plan", nothing, create_plan, nothing, 1 },
    { "convolve", begin_plan, convolve, end_plan, 1 },
    { "convolve in device memory", begin_plan, convolve_there, end_plan, 0 },
};

static const scene of_convolutions[] = {
    { "convolve at once", fill_constants, convolve_once, nothing, 1 },
    { "convolve at once, in device memory", fill_constants, convolve_once_there, nothing, 1 },
};

void exhaust_all(const char *part, const scene *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        exhaust(part, &list[i]);
}

/* Every kernel that can serve the problem. */
static void with_kernels(const xncc_problem *problem, const char *what)
{
    const char *kernel[KERNELS];
    open_world(problem);
    const size_t count = xncc_kernel_list(context, &w.problem, kernel, KERNELS);
    CHECK(count > 0 && count <= KERNELS);
    for (size_t k = 0; k < count; k++) {
        char part[100];
        (void)snprintf(part, sizeof part, "%s, %s", what, kernel[k]);
        w.kernel = kernel[k];
        const xncc_plan_info info = open_sharing();
        if (w.filter) {
            EXHAUST_ALL(part, of_filters);
        } else {
            EXHAUST_ALL(part, of_matches);
            if (info.capturable)
                exhaust(part, &of_capture);
            if (info.capturable && info.bands == 1)
                exhaust(part, &of_capture_find);
        }
        close_sharing();
    }
    w.kernel = NULL;
    close_world();
}

/* The library's own choice. */
static void with_library(const xncc_problem *problem, const char *what)
{
    open_world(problem);
    (void)open_sharing();
    open_constants();
    if (w.filter) {
        EXHAUST_ALL(what, of_convolutions);
    } else {
        EXHAUST_ALL(what, of_templates);
        exhaust_batches(what);
        if (w.problem.image_width < SMALL) {
            EXHAUST_ALL(what, of_problems);
            exhaust_poses(what);
        }
    }
    close_sharing();
    close_world();
}

#define SIZES(w, h, tw, th)                                                                        \
    .image_width = (w), .image_height = (h), .templ_width = (tw), .templ_height = (th)

static const struct {
    const char *what;
    size_t device_memory;
    xncc_problem problem;
} subjects[] = {
    { "u8", 0, { .pixel = XNCC_U8, SIZES(203, 120, 24, 16) } },
    { "u8 sqdiff", 0, { .pixel = XNCC_U8, SIZES(203, 120, 12, 16), .rule.method = XNCC_SQDIFF } },
    { "u8, uploaded in chunks", 0, { .pixel = XNCC_U8, SIZES(2100, 1010, 9, 9) } },
    { "u8, in bands", 1 << 20, { .pixel = XNCC_U8, SIZES(1203, 700, 40, 30) } },
    { "u8, large", 0, { .pixel = XNCC_U8, SIZES(500, 400, 300, 200) } },
    { "u16", 0, { .pixel = XNCC_U16, SIZES(203, 120, 33, 20) } },
    { "s8, mirrored",
      0,
      { .pixel = XNCC_S8,
        SIZES(203, 120, 33, 20),
        .rule.mode = XNCC_SAME,
        .rule.border = XNCC_BORDER_MIRROR } },
    { "u8, 3 channels", 0, { .pixel = XNCC_U8, SIZES(203, 120, 16, 31), .channels = 3 } },
    { "u8, overlap",
      0,
      { .pixel = XNCC_U8,
        SIZES(203, 120, 16, 31),
        .rule.mode = XNCC_FULL,
        .rule.border = XNCC_BORDER_OVERLAP } },
    { "u8, masked",
      0,
      { .pixel = XNCC_U8, SIZES(203, 120, 16, 31), .image_masked = 1, .templ_masked = 1 } },
    { "u8, masked templates", 0, { .pixel = XNCC_U8, SIZES(400, 300, 40, 40), .templ_masked = 1 } },
    { "u32", 0, { .pixel = XNCC_U32, SIZES(203, 120, 9, 9) } },
    { "f32", 0, { .pixel = XNCC_F32, SIZES(203, 120, 9, 9) } },
    { "f64", 0, { .pixel = XNCC_F64, SIZES(203, 120, 9, 9) } },
    { "f32, masked templates",
      0,
      { .pixel = XNCC_F32, SIZES(203, 120, 26, 30), .templ_masked = 1 } },
    { "f64, masked, 2 channels",
      0,
      { .pixel = XNCC_F64, SIZES(203, 120, 26, 30), .channels = 2, .image_masked = 1 } },
};

static const xncc_problem filters[] = {
    { .task = XNCC_TASK_CONVOLVE, .pixel = XNCC_U8, SIZES(203, 120, 3, 3) },
    { .task = XNCC_TASK_CONVOLVE, .pixel = XNCC_U16, SIZES(203, 120, 11, 7) },
    { .task = XNCC_TASK_CONVOLVE, .pixel = XNCC_F32, SIZES(203, 120, 7, 7) },
};

void all_scenes(void)
{
    /* what all devices of the process share is made once */
    CHECK_STATUS(first_calls(), XNCC_OK);
    EXHAUST_ALL("any", of_context);
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        open_context(subjects[i].device_memory);
        with_kernels(&subjects[i].problem, subjects[i].what);
        pretend_all_pinned(i % 2 == 0);
        with_library(&subjects[i].problem, subjects[i].what);
        pretend_all_pinned(0);
        xncc_context_destroy(context);
        printf("%s\n", subjects[i].what);
    }
    open_context(0);
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        with_kernels(&filters[i], "filter");
        with_library(&filters[i], "filter");
    }
    xncc_context_destroy(context);
    context = NULL;
}

/* Maps by cuFFT, which is loaded then, and by the kernel that needs the driver's tensor maps. */
xncc_status first_calls(void)
{
    static const char *const kernel[] = { "fft", "tensor-wgmma", "shared", "float-fft",
                                          "float-split" };
    const xncc_context_options o = {
        .size = sizeof o, .device = XNCC_DEVICE_CUDA, .cuda_index = FAULTS_DEVICE, .threads = 1
    };
    xncc_context *made = NULL;
    xncc_template *templ = NULL;
    xncc_problem problem = { .pixel = XNCC_U8, SIZES(90, 80, 12, 12) };
    xncc_status status = xncc_context_create(&o, &made, &kit_error);
    for (int i = 0; i < 5 && !status; i++) {
        w.problem = kit_problem(problem);
        w.problem.pixel = i >= 3 ? XNCC_F32 : XNCC_U8;
        kit_image image = image_of(90, 80, 0), pixels = image_of(12, 12, 0);
        kit_map map = kit_map_create(79, 69, 0, KIT_AFTER);
        status = xncc_template_create(made, &pixels.view, &templ, &kit_error);
        if (!status)
            status = kit_correlate(made, &image.view, templ, &(kit_options){ .kernel = kernel[i] },
                                   &map.view);
        quiet_begin();
        xncc_template_destroy(templ);
        quiet_end();
        templ = NULL;
        kit_map_destroy(&map);
        kit_image_destroy(&image);
        kit_image_destroy(&pixels);
    }
    quiet_begin();
    xncc_context_destroy(made);
    quiet_end();
    return status;
}
