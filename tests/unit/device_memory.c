/* SPDX-License-Identifier: BSD-2-Clause */
/* The limit of device memory: maps, searches and batches of 360 templates with every kernel, and
 * what the device reports as allocated for them. Nothing else may use the device meanwhile. */
#include "kit/device.h"
#include "kit/pixels.h"

#include "api/objects.h"

#include <stdio.h>
#include <string.h>

/* A plan has up to three blocks, and the device allocates in units of 2 MiB. */
enum { UNIT = 2 << 20, BLOCKS = 3, KERNELS = 32, TEMPLATES = 360, TOP = 5 };

typedef struct subject {
    xncc_problem problem;
    const char *name;
    int32_t templates; /* for the batch */
} subject;

/* What a limit held in, over all plans. */
typedef struct tally {
    int plans, refused, full; /* full: plans that took more than half of the limit */
} tally;

static kit_image image_of(const subject *s, int32_t width, int32_t height, uint64_t seed)
{
    kit_random random = kit_stream(seed);
    const int32_t channels = s->problem.channels ? s->problem.channels : 1;
    kit_image image = kit_image_create_channels(s->problem.pixel, channels, width, height,
                                                (kit_room){ .side = KIT_AFTER });
    kit_image_fill(&image.view, KIT_NOISE, &random);
    return image;
}

/* Runs everything that a plan can do with images on the host, and returns the most memory that the
 * device reported as taken since `before`. */
static size_t run_plan(xncc_plan *plan, const subject *s, const xncc_image *image,
                       const xncc_template *const *templ, size_t before)
{
    static xncc_match match[TEMPLATES * TOP];
    static size_t found[TEMPLATES];
    const kit_find_options options = { .min_score = -1.0f };
    int32_t width, height, x0, y0;
    CHECK_STATUS(kit_map_extent(s->problem.rule.mode, image->width, image->height,
                                s->problem.templ_width, s->problem.templ_height, &width, &height,
                                &x0, &y0),
                 XNCC_OK);
    kit_map map = kit_map_create(width, height, 0, KIT_AFTER);
    size_t most = before - kit_device_free_bytes();
    CHECK_STATUS(xncc_plan_correlate(plan, image, templ[0], &map.view, NULL, &kit_error), XNCC_OK);
    size_t taken = before - kit_device_free_bytes();
    most = taken > most ? taken : most;
    CHECK_STATUS(kit_plan_find(plan, image, templ[0], &options, match, TOP, found, NULL), XNCC_OK);
    taken = before - kit_device_free_bytes();
    most = taken > most ? taken : most;
    const xncc_templ_group group = { templ, (size_t)s->templates, TOP, match, found };
    xncc_peak_rule peaks = XNCC_PEAK_RULE_INIT;
    peaks.min_score = -INFINITY;
    CHECK_STATUS(xncc_plan_find_group(plan, image, &group, &peaks, NULL, &kit_error), XNCC_OK);
    taken = before - kit_device_free_bytes();
    kit_map_destroy(&map);
    return taken > most ? taken : most;
}

/* measures: 0 runs the kernel once, so that its code is loaded; 1 checks the memory. */
static void check_kernel(xncc_context *context, const subject *s, const char *kernel, size_t limit,
                         int measures, tally *t)
{
    kit_image image = image_of(s, s->problem.image_width, s->problem.image_height, 1);
    static xncc_template *templ[TEMPLATES];
    for (int i = 0; i < s->templates; i++) {
        kit_image of = image_of(s, s->problem.templ_width, s->problem.templ_height,
                                2 + (uint64_t)i);
        CHECK_STATUS(xncc_template_create(context, &of.view, &templ[i], &kit_error), XNCC_OK);
        kit_image_destroy(&of);
    }
    xncc_plan *plan = NULL;
    const size_t before = kit_device_free_bytes();
    const xncc_preference preference = { .size = sizeof(xncc_preference),
                                         .device = XNCC_DEVICE_CUDA,
                                         .kernel = kernel };
    xncc_status status = xncc_plan_create(context, &s->problem, &preference, &plan, &kit_error);
    if (status) {
        CHECK_STATUS(status, XNCC_ERROR_UNSUPPORTED);
        t->refused += measures;
    } else {
        const size_t most = run_plan(plan, s, &image.view, (const xncc_template *const *)templ,
                                     before);
        const unsigned long long says = plan->decision.workspace.total;
        if (measures && (!CHECK(most <= limit + (size_t)UNIT * BLOCKS) ||
                         !CHECK(most <= says + (size_t)UNIT * BLOCKS) || !CHECK(says <= limit)))
            kit_fail(__FILE__, __LINE__, "%s, %s, limit %zu: the device reports %zu, the plan %llu",
                     s->name, kernel, limit, most, says);
        t->plans += measures;
        t->full += measures && most > limit / 2;
    }
    xncc_plan_destroy(plan);
    for (int i = 0; i < s->templates; i++)
        xncc_template_destroy(templ[i]);
    kit_image_destroy(&image);
}

static void check_subject(const subject *of, size_t limit, int measures, tally *t)
{
    const subject full = { kit_problem(of->problem), of->name, of->templates }, *s = &full;
    const char *kernel[KERNELS];
    xncc_context *context = NULL;
    CHECK_STATUS(xncc_context_create(&(xncc_context_options){ .size = sizeof(xncc_context_options),
                                                              .device = XNCC_DEVICE_CUDA,
                                                              .device_memory = limit },
                                     &context, &kit_error),
                 XNCC_OK);
    if (!context)
        return;
    const size_t count = xncc_kernel_list(context, &s->problem, kernel, KERNELS);
    CHECK(count <= KERNELS);
    for (size_t i = 0; i < count && i < KERNELS; i++)
        check_kernel(context, s, kernel[i], limit, measures, t);
    xncc_context_destroy(context);
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    if (!kit_device_present())
        kit_skip("there is no CUDA device");
    static const subject subjects[] = {
        { { .pixel = XNCC_U8,
            .image_width = 1203,
            .image_height = 900,
            .templ_width = 24,
            .templ_height = 24 },
          "u8",
          TEMPLATES },
        { { .pixel = XNCC_U8,
            .image_width = 1203,
            .image_height = 900,
            .templ_width = 24,
            .templ_height = 24,
            .rule.method = XNCC_SQDIFF },
          "u8 sqdiff",
          24 },
        { { .pixel = XNCC_U16,
            .image_width = 900,
            .image_height = 700,
            .templ_width = 33,
            .templ_height = 20 },
          "u16",
          40 },
        { { .pixel = XNCC_S8,
            .image_width = 900,
            .image_height = 700,
            .templ_width = 33,
            .templ_height = 20,
            .rule.mode = XNCC_SAME,
            .rule.border = XNCC_BORDER_MIRROR },
          "s8, mirrored",
          40 },
        { { .pixel = XNCC_U8,
            .image_width = 700,
            .image_height = 500,
            .templ_width = 16,
            .templ_height = 31,
            .channels = 3 },
          "u8, 3 channels",
          40 },
        { { .pixel = XNCC_U8,
            .image_width = 700,
            .image_height = 500,
            .templ_width = 16,
            .templ_height = 31,
            .rule.mode = XNCC_FULL,
            .rule.border = XNCC_BORDER_OVERLAP },
          "u8, overlap",
          40 },
        { { .pixel = XNCC_F32,
            .image_width = 640,
            .image_height = 480,
            .templ_width = 9,
            .templ_height = 9 },
          "f32",
          24 },
        { { .pixel = XNCC_U8,
            .image_width = 1500,
            .image_height = 1100,
            .templ_width = 300,
            .templ_height = 200 },
          "u8, large",
          3 },
    };
    tally t = { 0 };
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        check_subject(&subjects[i], (size_t)192 << 20, 0, &t);
        for (size_t mib = 12; mib <= 192; mib *= 4)
            check_subject(&subjects[i], mib << 20, 1, &t);
    }
    printf("%d plans, %d refused, %d took more than half of their limit\n", t.plans, t.refused,
           t.full);
    CHECK(t.plans > 50 && t.full > 5);
    return kit_finish("device memory");
}
