/* SPDX-License-Identifier: BSD-2-Clause */
/* What only a GPU has: images and maps in its memory, streams, texture limits, and the shared
 * constant memory. */
#include "check/on_device.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef struct shape {
    int32_t image_width, image_height, width, height;
} shape;

/* An image, a template, their copies on the device, and the map that the CPU computes. */
typedef struct subject {
    check_run *run;
    kit_image image, templ;
    device_image on_device;
    xncc_template *prepared;
    kit_options options;
    kit_map want;
    char name[128];
} subject;

static void fast_reference(subject *s)
{
    double macs = (double)s->want.view.width * s->want.view.height * s->templ.view.width *
                  s->templ.view.height;
    xncc_template *prepared = NULL;
    kit_options options = s->options;
    options.kernel = macs < 1e8
                         ? "reference"
                         : NULL; /* tests on the CPU compare every CPU kernel with the reference */
    if (check_ok(xncc_template_create(s->run->cpu, &s->templ.view, &prepared, &kit_error), s->name))
        check_ok(kit_correlate(s->run->cpu, &s->image.view, prepared, &options, &s->want.view),
                 s->name);
    xncc_template_destroy(prepared);
}

/* Where an image lies, in samples: pad is the unused end of its rows, and shift the distance of its
 * first sample on the device from an aligned address. */
typedef struct place {
    int32_t pad, shift;
} place;

static subject subject_place(check_run *run, xncc_pixel pixel, shape z, xncc_mode mode,
                             uint64_t number, place at)
{
    kit_random random = kit_stream(9000 + number);
    subject s = { .run = run, .options = { .method = (xncc_method)(number % 6), .mode = mode } };
    s.image = kit_image_create(pixel, z.image_width, z.image_height, at.pad, KIT_AFTER);
    s.templ = kit_image_create(pixel, z.width, z.height, 1, KIT_AFTER);
    kit_image_fill(&s.image.view, KIT_NOISE, &random);
    if (mode == XNCC_VALID)
        kit_image_copy(&s.templ.view, &s.image.view,
                       kit_between(&random, 0, z.image_width - z.width),
                       kit_between(&random, 0, z.image_height - z.height));
    else
        kit_image_fill(&s.templ.view, KIT_NOISE, &random);
    s.on_device = device_image_create(&s.image.view, at.shift);
    s.want = check_map_for(&s.image.view, &s.templ.view, mode);
    snprintf(s.name, sizeof s.name, "%s %dx%d (pitch %lld) under %dx%d %s%s",
             xncc_pixel_name(pixel), z.image_width, z.image_height, (long long)s.image.view.pitch,
             z.width, z.height, xncc_method_name(s.options.method),
             mode == XNCC_SAME ? " same" : "");
    check_ok(xncc_template_create(run->context[0], &s.templ.view, &s.prepared, &kit_error), s.name);
    fast_reference(&s);
    return s;
}

static subject subject_make(check_run *run, xncc_pixel pixel, shape z, xncc_mode mode,
                            uint64_t number)
{
    const int32_t odd = (int32_t)(number % 5);
    return subject_place(run, pixel, z, mode, number, (place){ odd, odd });
}

static void subject_free(subject *s)
{
    xncc_template_destroy(s->prepared);
    device_image_destroy(&s->on_device);
    kit_image_destroy(&s->image);
    kit_image_destroy(&s->templ);
    kit_map_destroy(&s->want);
}

static xncc_problem problem_of(const subject *s)
{
    xncc_problem problem = check_problem(&s->image.view, s->templ.view.width, s->templ.view.height);
    problem.rule.method = s->options.method;
    problem.rule.mode = s->options.mode;
    return problem;
}

/* where: bit 0 set: the image is on the device; bit 1 set: the map is */
static void check_placement(const subject *s, const char *kernel, int where)
{
    char what[256];
    snprintf(what, sizeof what, "%s %s, image %s, map %s", s->name, kernel,
             where & 1 ? "device" : "host", where & 2 ? "device" : "host");
    kit_options options = s->options;
    options.kernel = kernel;
    const xncc_image *image = where & 1 ? &s->on_device.view : &s->image.view;
    if (where & 2) {
        device_map map = device_map_create(s->want.view.width, s->want.view.height,
                                           where == 3 ? 5 : 0);
        if (check_ok(kit_correlate(s->run->context[0], image, s->prepared, &options, &map.view),
                     what))
            device_map_check(&map, &s->want.view, what);
        device_map_destroy(&map);
    } else {
        kit_map map = kit_map_create(s->want.view.width, s->want.view.height, 3, KIT_AFTER);
        if (check_ok(kit_correlate(s->run->context[0], image, s->prepared, &options, &map.view),
                     what)) {
            check_same(&map.view, &s->want.view, what);
            CHECK(kit_map_padding_intact(&map));
        }
        kit_map_destroy(&map);
    }
    check_count(s->run, kernel);
}

static void check_shape(check_run *run, xncc_pixel pixel, shape z, xncc_mode mode, uint64_t number)
{
    subject s = subject_make(run, pixel, z, mode, number);
    xncc_problem problem = problem_of(&s);
    const char *kernel[CHECK_KERNELS];
    size_t kernels = check_kernels(run, &problem, kernel);
    for (size_t k = 0; k < kernels; k++)
        for (int where = 0; where < 4; where++)
            if (run->full || number < 3 || where == 3 || where == (int)(k % 3))
                check_placement(&s, kernel[k], where);
    subject_free(&s);
}

/* Odd pitches, sizes beyond the texture limits in both directions, and large templates. */
static void check_shapes(check_run *run)
{
    static const shape some[] = { { 101, 67, 13, 7 },     { 640, 480, 32, 32 },
                                  { 257, 263, 57, 3 },    { 140001, 12, 16, 5 },
                                  { 40, 66007, 9, 5 },    { 400, 290, 300, 200 },
                                  { 270, 261, 257, 257 }, { 200, 190, 182, 182 },
                                  { 131072, 3, 1, 1 },    { 131073, 3, 2, 2 } };
    uint64_t number = 0;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        for (int p = XNCC_U8; p <= XNCC_F32; p++)
            for (int mode = XNCC_VALID; mode <= XNCC_SAME; mode++, number++)
                if (check_wants(run, (xncc_pixel)p) && (mode == XNCC_VALID || some[i].width <= 64))
                    check_shape(run, (xncc_pixel)p, some[i], (xncc_mode)mode, number);
}

/* Kernels that read byte planes read an image where it is if its first sample and its pitch are
 * multiples of 16 bytes; and every kernel reads it if only one of them is. The last image is so
 * high that a block of the tensor kernels walks down more than one batch of map rows. */
static void check_aligned(check_run *run)
{
    static const shape low = { 640, 75, 20, 18 }, high = { 528, 8000, 20, 18 };
    static const place some[] = { { 0, 0 },  { 4, 0 }, { 0, 4 }, { 16, 0 },
                                  { 0, 16 }, { 4, 4 }, { 0, 0 } };
    static const xncc_pixel pixels[] = { XNCC_U8, XNCC_U16, XNCC_S8 };
    for (size_t p = 0; p < sizeof pixels / sizeof *pixels; p++)
        for (size_t i = 0; check_wants(run, pixels[p]) && i < sizeof some / sizeof *some; i++) {
            subject s = subject_place(run, pixels[p], i < 6 ? low : high, XNCC_VALID, 0, some[i]);
            xncc_problem problem = problem_of(&s);
            const char *kernel[CHECK_KERNELS];
            for (size_t k = 0, kernels = check_kernels(run, &problem, kernel); k < kernels; k++)
                check_placement(&s, kernel[k], 3);
            subject_free(&s);
        }
}

/* If a kernel that cannot take the template is forced, the plan is refused with a text that names
 * the limit. The plan's own choice is another kernel with the right bits. */
static void check_refusal(check_run *run, xncc_pixel pixel, shape z, const char *refused,
                          const char *chosen)
{
    subject s = subject_make(run, pixel, z, XNCC_VALID, 0);
    xncc_problem problem = problem_of(&s);
    xncc_plan *plan = NULL;
    char text[XNCC_ERROR_SIZE];
    CHECK_STATUS(
        xncc_plan_create(run->context[0], &problem,
                         &(xncc_preference){ .size = sizeof(xncc_preference), .kernel = refused },
                         &plan, &kit_error),
        XNCC_ERROR_UNSUPPORTED);
    CHECK(strstr(kit_error.text, refused) != NULL);
    printf("%s for %dx%d: %s\n", refused, z.width, z.height, text);
    xncc_plan_destroy(plan);
    plan = NULL;
    if (check_ok(xncc_plan_create(run->context[0], &problem, NULL, &plan, &kit_error),
                 "plan without a kernel's name")) {
        const char *kernel = kit_plan_kernel(plan);
        printf("falls back to %s\n", kernel);
        CHECK(strcmp(kernel, refused) != 0);
        if (chosen)
            CHECK_TEXT(kernel, chosen);
        check_placement(&s, kernel, 0);
        check_placement(&s, kernel, 3);
    }
    check_placement(&s, "tex-tex", 3);
    xncc_plan_destroy(plan);
    subject_free(&s);
}

/* One of a list of kernels, of which the first cannot take the template. */
typedef struct fall_back {
    const char *list, *taken;
    const char *limit; /* a part of the text that says why the first one is refused */
} fall_back;

/* The plan takes the next kernel of the list, says why, and has the bits of `reference`. */
static void check_fall_back(check_run *run, xncc_pixel pixel, shape z, xncc_mode mode,
                            const fall_back *f)
{
    subject s = subject_make(run, pixel, z, mode, 0);
    kit_map want = check_reference(run, &s.image.view, &s.templ.view, &s.options);
    device_map map = device_map_create(want.view.width, want.view.height, 0);
    const xncc_problem problem = problem_of(&s);
    const xncc_preference list = { .size = sizeof list,
                                   .kernel = f->list,
                                   .image_memory = XNCC_DEVICE,
                                   .map_memory = XNCC_DEVICE };
    xncc_plan *plan = NULL;
    char text[2048];
    if (check_ok(xncc_plan_create(run->context[0], &problem, &list, &plan, &kit_error), f->list)) {
        CHECK_TEXT(kit_plan_kernel(plan), f->taken);
        const char *refused = strstr(xncc_plan_explain(plan, text, sizeof text),
                                     "\nrefused before it: ");
        CHECK(refused != NULL && strstr(refused, f->limit) != NULL);
        printf("%s for %dx%d: %s\n", f->list, z.width, z.height, text);
        if (check_ok(xncc_plan_correlate(plan, &s.on_device.view, s.prepared, &map.view, NULL,
                                         &kit_error),
                     s.name) &&
            CHECK(kit_device_wait(NULL)))
            device_map_check(&map, &want.view, s.name);
        check_count(run, f->taken);
    }
    xncc_plan_destroy(plan);
    /* the same list with the one-call function */
    check_placement(&s, f->list, 0);
    device_map_destroy(&map);
    kit_map_destroy(&want);
    subject_free(&s);
}

/* The two reasons for which `shared` falls back. A tile of 79 rows under 3500 columns exceeds the
 * shared memory of a thread block; 16 rows of 3500 pixels fit the constant memory. Sixteen rows of
 * 8000 pixels exceed the constant memory. */
static void check_lists(check_run *run)
{
    static const shape wide = { 3551, 41, 3500, 16 }, wider = { 8031, 27, 8000, 16 },
                       crossing = { 1000, 4, 3500, 16 };
    static const fall_back tile = { "shared,tex-tex", "tex-tex",
                                    "shared needs a tile of 288192 bytes" },
                           tile_constant = { "shared,tex-constant,tex-tex", "tex-constant",
                                             "shared needs a tile of 288192 bytes" },
                           constant = { "shared,tex-tex", "tex-tex",
                                        "shared needs 16 template rows of 8000 bytes in constant "
                                        "memory" },
                           row = { "tex-constant,shared,tex-tex", "tex-tex",
                                   "tex-constant needs 66000 bytes of constant memory" };
    check_fall_back(run, XNCC_U8, wide, XNCC_VALID, &tile);
    check_fall_back(run, XNCC_U8, wide, XNCC_VALID, &tile_constant);
    check_fall_back(run, XNCC_U8, crossing, XNCC_SAME, &tile);
    check_fall_back(run, XNCC_U8, wider, XNCC_VALID, &constant);
    check_fall_back(run, XNCC_U16, (shape){ 33031, 12, 33000, 3 }, XNCC_VALID, &row);
}

/* Sixteen rows of 8000 pixels exceed the constant memory. One row of 33000 16-bit pixels does so
 * alone, so that only tex-tex remains. */
static void check_fallback(check_run *run)
{
    check_lists(run);
    check_refusal(run, XNCC_U8, (shape){ 8051, 41, 8000, 24 }, "shared", NULL);
    check_refusal(run, XNCC_U16, (shape){ 33051, 12, 33000, 3 }, "shared", "tex-tex");
    check_refusal(run, XNCC_U16, (shape){ 33051, 12, 33000, 3 }, "tex-constant", "tex-tex");
}

/* One plan with many images and templates, on the caller's stream. */
static void check_reuse(check_run *run)
{
    enum { ROUNDS = 24 };
    shape z = { 321, 203, 21, 17 };
    subject s[3];
    for (uint64_t i = 0; i < 3; i++)
        s[i] = subject_make(run, XNCC_U8, z, XNCC_VALID, 30 + 6 * i);
    xncc_problem problem = problem_of(&s[0]);
    const char *kernel[CHECK_KERNELS];
    size_t kernels = check_kernels(run, &problem, kernel);
    xncc_stream stream[2] = { kit_device_stream(),
                              kit_device_stream() }; /* the plan itself keeps its calls apart */
    for (size_t k = 0; k < kernels; k++) {
        xncc_plan *plan = NULL;
        xncc_preference want = { .size = sizeof(xncc_preference),
                                 .kernel = kernel[k],
                                 .image_memory = XNCC_DEVICE,
                                 .map_memory = XNCC_DEVICE };
        if (!check_ok(xncc_plan_create(run->context[0], &problem, &want, &plan, &kit_error),
                      kernel[k]))
            continue;
        device_map map[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            const subject *one = &s[i % 3];
            map[i] = device_map_create(one->want.view.width, one->want.view.height, i % 4);
            check_ok(xncc_plan_correlate(plan, &one->on_device.view, one->prepared, &map[i].view,
                                         stream[i / 2 % 2], &kit_error),
                     one->name);
        }
        CHECK(kit_device_wait(stream[0]) && kit_device_wait(stream[1]));
        for (int i = 0; i < ROUNDS; i++) {
            /* the pitches of the three images differ, and so do the templates */
            device_map_check(&map[i], &s[i % 3].want.view, s[i % 3].name);
            device_map_destroy(&map[i]);
            check_count(run, kernel[k]);
        }
        xncc_plan_destroy(plan);
    }
    kit_device_stream_destroy(stream[0]);
    kit_device_stream_destroy(stream[1]);
    for (int i = 0; i < 3; i++)
        subject_free(&s[i]);
}

/* A plan still works after a plan for a smaller template has been created. */
static void check_beside(check_run *run)
{
    static const shape z = { 400, 300, 20, 90 };
    for (int p = XNCC_U8; p <= XNCC_U16; p++) {
        if (!check_wants(run, (xncc_pixel)p))
            continue;
        subject s = subject_make(run, (xncc_pixel)p, z, XNCC_VALID, 6);
        xncc_problem problem = problem_of(&s), smaller = problem;
        smaller.templ_height = 4;
        const char *kernel[CHECK_KERNELS];
        size_t kernels = check_kernels(run, &problem, kernel);
        for (size_t k = 0; k < kernels; k++) {
            xncc_preference want = { .size = sizeof(xncc_preference),
                                     .kernel = kernel[k],
                                     .image_memory = XNCC_DEVICE,
                                     .map_memory = XNCC_DEVICE };
            xncc_plan *plan = NULL, *beside = NULL;
            device_map map = device_map_create(s.want.view.width, s.want.view.height, 0);
            check_ok(xncc_plan_create(run->context[0], &problem, &want, &plan, &kit_error),
                     kernel[k]);
            xncc_status made = xncc_plan_create(run->context[0], &smaller, &want, &beside,
                                                &kit_error);
            CHECK(made == XNCC_OK || made == XNCC_ERROR_UNSUPPORTED);
            check_ok(xncc_plan_correlate(plan, &s.on_device.view, s.prepared, &map.view, NULL,
                                         &kit_error),
                     kernel[k]);
            CHECK(kit_device_wait(NULL));
            device_map_check(&map, &s.want.view, s.name);
            check_count(run, kernel[k]);
            device_map_destroy(&map);
            xncc_plan_destroy(beside);
            xncc_plan_destroy(plan);
        }
        subject_free(&s);
    }
}

/* One of two threads that use different templates with the one constant memory of the device. */
typedef struct contender {
    subject s;
    const char *kernel;
    int rounds;
} contender;

static void *contend(void *argument)
{
    contender *c = argument;
    xncc_context *context = c->s.run->context[0];
    xncc_problem problem = problem_of(&c->s);
    xncc_preference want = { .size = sizeof(xncc_preference),
                             .kernel = c->kernel,
                             .image_memory = XNCC_DEVICE,
                             .map_memory = XNCC_DEVICE };
    xncc_plan *plan = NULL;
    xncc_stream stream = kit_device_stream();
    device_map map = device_map_create(c->s.want.view.width, c->s.want.view.height, 1);
    if (check_ok(xncc_plan_create(context, &problem, &want, &plan, &kit_error), c->s.name))
        for (int i = 0; i < c->rounds && kit_failures() == 0; i++) {
            for (int burst = 0; burst < 4; burst++)
                check_ok(xncc_plan_correlate(plan, &c->s.on_device.view, c->s.prepared, &map.view,
                                             stream, &kit_error),
                         c->s.name);
            CHECK(kit_device_wait(stream));
            device_map_check(&map, &c->s.want.view, c->s.name);
        }
    device_map_destroy(&map);
    kit_device_stream_destroy(stream);
    xncc_plan_destroy(plan);
    return NULL;
}

static void check_contention(check_run *run)
{
    static const shape z[2] = { { 900, 500, 31, 33 }, { 757, 601, 40, 27 } };
    xncc_problem problem = kit_problem((xncc_problem){ .pixel = XNCC_U8,
                                                       .image_width = 900,
                                                       .image_height = 500,
                                                       .templ_width = 31,
                                                       .templ_height = 33 });
    const char *kernel[CHECK_KERNELS];
    size_t kernels = check_kernels(run, &problem, kernel);
    for (size_t k = 0; k < kernels; k++) {
        contender c[2];
        pthread_t thread[2];
        for (uint64_t i = 0; i < 2; i++)
            c[i] = (contender){ subject_make(run, XNCC_U8, z[i], XNCC_VALID, 6 * i), kernel[k],
                                run->full ? 400 : 100 };
        for (int i = 0; i < 2; i++)
            if (pthread_create(&thread[i], NULL, contend, &c[i]) != 0)
                kit_give_up("pthread_create failed");
        for (int i = 0; i < 2; i++) {
            pthread_join(thread[i], NULL);
            subject_free(&c[i].s);
        }
        check_count(run, kernel[k]);
    }
}

/* Matches from an image in device memory, with a template created from device memory. */
static void check_found(check_run *run)
{
    subject s = subject_make(run, XNCC_U16, (shape){ 200, 150, 12, 10 }, XNCC_VALID, 0);
    device_image templ = device_image_create(&s.templ.view, 3);
    xncc_template *prepared = NULL;
    xncc_match want[8], got[8];
    oracle_peak_rule rule = { 0, -INFINITY, 5, 8 };
    size_t wanted = oracle_peaks(&s.want.view, &rule, want), found = 0;
    kit_find_options options = { .min_score = -INFINITY };
    if (check_ok(xncc_template_create(run->context[0], &templ.view, &prepared, &kit_error),
                 "template in device memory") &&
        check_ok(kit_find(run->context[0], &s.on_device.view, prepared, &options, got, 8, &found),
                 s.name))
        CHECK(found == wanted && memcmp(got, want, wanted * sizeof *want) == 0);
    xncc_template_destroy(prepared);
    device_image_destroy(&templ);
    subject_free(&s);
}

/* A call that is captured into a graph has the same result when the graph runs. Kernels whose
 * filter is in memory that plans share refuse to be captured. */
static void check_captured(xncc_context *context, const xncc_problem *problem,
                           const xncc_image *image, const xncc_filter *filter, const char *kernel,
                           const xncc_map *want)
{
    xncc_preference force = { .size = sizeof(xncc_preference),
                              .device = XNCC_DEVICE_CUDA,
                              .kernel = kernel,
                              .image_memory = XNCC_DEVICE,
                              .map_memory = XNCC_DEVICE };
    xncc_plan *plan = NULL;
    char what[160], why[1024];
    snprintf(what, sizeof what, "graph of %dx%d, filter %dx%d, %s", image->width, image->height,
             problem->templ_width, problem->templ_height, kernel);
    if (!check_ok(xncc_plan_create(context, problem, &force, &plan, &kit_error), what))
        return;
    int shares = strcmp(kernel, "conv-constant") == 0 || strcmp(kernel, "conv-cached-halo") == 0 ||
                 (strcmp(kernel, "conv-tiled") == 0 &&
                  !strstr(xncc_plan_explain(plan, why, sizeof why), "128 x 64"));
    device_map map = device_map_create(image->width, image->height, 0),
               again = device_map_create(image->width, image->height, 0);
    xncc_stream stream = kit_device_stream();
    check_ok(xncc_plan_convolve(plan, image, filter, &map.view, stream, &kit_error), what);
    CHECK(kit_device_wait(stream) && kit_device_capture(stream));
    xncc_status status = xncc_plan_convolve(plan, image, filter, &again.view, stream, &kit_error);
    void *graph = kit_device_graph(stream);
    CHECK_STATUS(status, shares ? XNCC_ERROR_DEVICE : XNCC_OK);
    if (!status && CHECK(graph != NULL && kit_device_graph_run(graph, stream)))
        device_map_check(&again, want, what);
    if (graph)
        kit_device_graph_destroy(graph);
    kit_device_stream_destroy(stream);
    device_map_destroy(&map);
    device_map_destroy(&again);
    xncc_plan_destroy(plan);
}

static void check_filter(check_run *run, shape z, xncc_pixel pixel, uint64_t number)
{
    static float tap[XNCC_MAX_FILTER * XNCC_MAX_FILTER];
    kit_random random = kit_stream(12000 + number);
    for (int32_t i = 0; i < z.width * z.height; i++)
        tap[i] = (float)kit_between(&random, -1000, 1000) / 512.0f;
    kit_image image = kit_image_create(pixel, z.image_width, z.image_height, (int32_t)(number % 4),
                                       KIT_AFTER);
    kit_image_fill(&image.view, KIT_NOISE, &random);
    device_image twin = device_image_create(&image.view, (int32_t)(number % 3));
    kit_map want = kit_map_create(z.image_width, z.image_height, 0, KIT_AFTER);
    xncc_problem problem = check_problem(&image.view, z.width, z.height);
    problem.task = XNCC_TASK_CONVOLVE;
    problem.rule.border = number & 1 ? XNCC_BORDER_ZERO : XNCC_BORDER_CLAMP;
    kit_convolve_options options = { .border = problem.rule.border };
    xncc_filter *on_cpu = NULL, *filter = NULL;
    const char *kernel[CHECK_KERNELS];
    check_ok(kit_filter_create(run->cpu, tap, z.width, z.height, NULL, &on_cpu), "filter");
    check_ok(kit_filter_create(run->context[0], tap, z.width, z.height, NULL, &filter), "filter");
    check_ok(kit_convolve(run->cpu, &image.view, on_cpu, &options, &want.view),
             "convolution on the CPU");
    for (size_t k = 0, kernels = check_kernels(run, &problem, kernel); k < kernels; k++) {
        char what[160];
        snprintf(what, sizeof what, "device %s %dx%d, filter %dx%d, %s", xncc_pixel_name(pixel),
                 z.image_width, z.image_height, z.width, z.height, kernel[k]);
        device_map map = device_map_create(z.image_width, z.image_height, (int32_t)(number % 3));
        options.kernel = kernel[k];
        if (check_ok(kit_convolve(run->context[0], &twin.view, filter, &options, &map.view), what))
            device_map_check(&map, &want.view, what);
        device_map_destroy(&map);
        check_captured(run->context[0], &problem, &twin.view, filter, kernel[k], &want.view);
        check_count(run, kernel[k]);
    }
    xncc_filter_destroy(on_cpu);
    xncc_filter_destroy(filter);
    kit_map_destroy(&want);
    device_image_destroy(&twin);
    kit_image_destroy(&image);
}

static void check_filters(check_run *run)
{
    static const shape some[] = {
        { 1920, 1080, 3, 3 }, { 1920, 1080, 5, 5 }, { 641, 479, 27, 27 },
        { 140001, 5, 7, 3 },  { 33, 66001, 2, 4 },  { 300, 200, 127, 127 }
    };
    for (uint64_t i = 0; i < sizeof some / sizeof *some; i++)
        for (uint64_t p = XNCC_U8; p <= XNCC_F32; p++)
            if (check_wants(run, (xncc_pixel)p))
                check_filter(run, some[i], (xncc_pixel)p, 3 * i + p);
}

void check_device(check_run *run)
{
    if (run->device != XNCC_DEVICE_CUDA)
        kit_give_up("check device needs --device cuda");
    if (!kit_device_present())
        kit_skip("this build or machine has no CUDA device");
    static const struct {
        const char *name;
        void (*check)(check_run *run);
    } templ[] = { { "shapes", check_shapes },   { "fallback", check_fallback },
                  { "aligned", check_aligned }, { "reuse", check_reuse },
                  { "beside", check_beside },   { "threads", check_contention },
                  { "find", check_found },      { "filters", check_filters } };
    for (size_t i = 0; i < sizeof templ / sizeof *templ; i++)
        if (check_in_group(run, templ[i].name))
            templ[i].check(run);
}
