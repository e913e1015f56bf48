/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the matches of many templates found in one call, and matches left in device memory,
 * against xncc_find with the CPU's kernel "reference". tests/check/find.c checks that one against
 * the brute-force rule.
 *
 * Usage: batch [--device cpu|cuda] [--brief] [--seed N] */
#include "kit/device.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEMPLATES = 7, CAPACITY = 600, ALL_RULES = 5 };

typedef struct scene {
    xncc_context *context, *cpu;
    kit_image image, templ[TEMPLATES];
    xncc_template *prepared[TEMPLATES], *on_cpu[TEMPLATES];
    void *pixels; /* the image on the device */
    char name[160];
} scene;

typedef struct setting {
    xncc_pixel pixel;
    int32_t image_width, image_height, width, height;
    kit_fill fill;
    /* Copies of the template in the image, so that there are ties and something to find. */
    int copies;
} setting;

static void plant(const scene *s, const setting *z, kit_random *random)
{
    for (int i = 0; i < z->copies; i++) {
        const xncc_image *templ = &s->templ[i % TEMPLATES].view;
        int32_t x0 = kit_between(random, 0, z->image_width - z->width),
                y0 = kit_between(random, 0, z->image_height - z->height);
        for (int32_t y = 0; y < z->height; y++)
            for (int32_t x = 0; x < z->width; x++)
                kit_pixel_set(&s->image.view, x0 + x, y0 + y, kit_pixel(templ, x, y));
    }
    if (z->pixel == XNCC_F32 && z->copies)
        kit_pixel_set(&s->image.view, z->image_width / 2, z->image_height / 2, (double)NAN);
}

static scene scene_make(xncc_context *context, xncc_context *cpu, const setting *z, uint64_t number)
{
    kit_random random = kit_stream(7000 + number);
    scene s = { .context = context, .cpu = cpu };
    s.image = kit_image_create(z->pixel, z->image_width, z->image_height, 3, KIT_AFTER);
    kit_image_fill(&s.image.view, z->fill, &random);
    for (int i = 0; i < TEMPLATES; i++) {
        s.templ[i] = kit_image_create(z->pixel, z->width, z->height, 1, KIT_AFTER);
        kit_image_fill(&s.templ[i].view,
                       i == 3   ? KIT_FLAT
                       : i == 4 ? KIT_CHECKER
                                : KIT_NOISE,
                       &random);
        CHECK_STATUS(xncc_template_create(context, &s.templ[i].view, &s.prepared[i], &kit_error),
                     XNCC_OK);
        CHECK_STATUS(xncc_template_create(cpu, &s.templ[i].view, &s.on_cpu[i], &kit_error),
                     XNCC_OK);
    }
    plant(&s, z, &random);
    size_t bytes = (size_t)s.image.view.pitch * (size_t)z->image_height;
    if (kit_device_present() && (s.pixels = kit_device_alloc(bytes)) != NULL) {
        size_t last = bytes - (size_t)s.image.view.pitch +
                      (size_t)z->image_width * xncc_pixel_size(z->pixel);
        CHECK(kit_device_upload(s.pixels, s.image.view.data, last));
    }
    snprintf(s.name, sizeof s.name, "%s %dx%d (%s) under %dx%d", xncc_pixel_name(z->pixel),
             z->image_width, z->image_height, kit_fill_name(z->fill), z->width, z->height);
    return s;
}

static void scene_free(scene *s)
{
    for (int i = 0; i < TEMPLATES; i++) {
        xncc_template_destroy(s->prepared[i]);
        xncc_template_destroy(s->on_cpu[i]);
        kit_image_destroy(&s->templ[i]);
    }
    kit_image_destroy(&s->image);
    if (s->pixels)
        kit_device_free(s->pixels);
}

static void compare(const char *what, const xncc_match *got, size_t found, const xncc_match *want,
                    size_t wanted)
{
    if (found != wanted)
        kit_fail(__FILE__, __LINE__, "%s: %zu matches, want %zu", what, found, wanted);
    CHECK(found == wanted);
    for (size_t i = 0; i < found && i < wanted; i++)
        if (memcmp(&got[i], &want[i], sizeof *got) != 0) {
            kit_fail(__FILE__, __LINE__, "%s: match %zu is (%d, %d) %.9g, want (%d, %d) %.9g", what,
                     i, got[i].x, got[i].y, (double)got[i].score, want[i].x, want[i].y,
                     (double)want[i].score);
            return;
        }
}

typedef struct request {
    xncc_problem problem;
    kit_find_options options;
    size_t capacity;
    char what[320];
} request;

/* Calls xncc_plan_find_on_device on a stream and once more as a graph, and checks what is in device
 * memory afterwards. */
static void check_left_on_device(const scene *s, xncc_plan *plan, const request *r, int i,
                                 const xncc_match *want, size_t wanted)
{
    static xncc_match got[CAPACITY];
    xncc_image image = s->image.view;
    image.data = s->pixels;
    image.memory = XNCC_DEVICE;
    uint32_t found = 12345;
    size_t bytes = r->capacity * sizeof(xncc_match);
    xncc_match *match = kit_device_alloc(bytes);
    uint32_t *count = kit_device_alloc(sizeof *count);
    xncc_stream stream = kit_device_stream();
    if (!match || !count || !stream)
        kit_give_up("no device memory or stream for the test");
    memset(got, 0x5a, sizeof got);
    CHECK(kit_device_upload(match, got, bytes));
    CHECK_STATUS(kit_plan_find_on_device(plan, &image, s->prepared[i], &r->options, match,
                                         r->capacity, count, stream),
                 XNCC_OK);
    CHECK(kit_device_wait(stream));
    CHECK(kit_device_download(&found, count, sizeof found));
    CHECK(kit_device_download(got, match, bytes));
    compare(r->what, got, found, want, wanted);
    xncc_peak_rule none = XNCC_PEAK_RULE_INIT;
    none.top = 0;
    CHECK_STATUS(xncc_plan_find_on_device(plan, &image, s->prepared[i], &none, match, r->capacity,
                                          count, stream, &kit_error),
                 XNCC_OK);
    CHECK(kit_device_wait(stream) && kit_device_download(&found, count, sizeof found));
    CHECK_INT(found, 0);
    xncc_plan_info info = XNCC_PLAN_INFO_INIT;
    CHECK_STATUS(xncc_plan_describe(plan, &info, &kit_error), XNCC_OK);
    CHECK(kit_device_capture(stream));
    xncc_status status = kit_plan_find_on_device(plan, &image, s->prepared[i], &r->options, match,
                                                 r->capacity, count, stream);
    CHECK_STATUS(status, info.capturable ? XNCC_OK : XNCC_ERROR_DEVICE);
    void *graph = kit_device_graph(stream);
    if (!status && CHECK(graph != NULL)) {
        memset(got, 0x5a, sizeof got);
        CHECK(kit_device_upload(match, got, bytes));
        CHECK(kit_device_graph_run(graph, stream));
        CHECK(kit_device_download(&found, count, sizeof found));
        CHECK(kit_device_download(got, match, bytes));
        compare(r->what, got, found, want, wanted);
    }
    if (graph)
        kit_device_graph_destroy(graph);
    kit_device_stream_destroy(stream);
    kit_device_free(match);
    kit_device_free(count);
}

/* Checks so many templates that a device processes them in several rounds. Each template is given
 * repeatedly. */
static void check_long_batch(const scene *s, request *r, const xncc_match (*want)[CAPACITY],
                             const size_t *wanted)
{
    enum { LONG = 53 };
    static xncc_match got[LONG * CAPACITY];
    static size_t found[LONG];
    const xncc_template *templ[LONG];
    for (int i = 0; i < LONG; i++)
        templ[i] = s->prepared[(i + i / TEMPLATES) % TEMPLATES];
    xncc_status status = kit_find_each(s->context, &r->problem, &s->image.view, templ, LONG,
                                       &r->options, got, r->capacity, found);
    CHECK_STATUS(status, XNCC_OK);
    for (int i = 0; i < LONG && !status; i++) {
        int of = (i + i / TEMPLATES) % TEMPLATES;
        compare(r->what, got + (size_t)i * r->capacity, found[i], want[of], wanted[of]);
    }
}

/* thorough: also check long batches, and matches left on the device */
static void check_request(const scene *s, xncc_plan *plan, request *r, int thorough)
{
    static xncc_match want[TEMPLATES][CAPACITY], got[TEMPLATES * CAPACITY + 1];
    size_t wanted[TEMPLATES], found[TEMPLATES];
    const xncc_template *templ[TEMPLATES];
    char what[200];
    memcpy(what, r->what, sizeof what);
    kit_find_options reference = r->options;
    reference.kernel = "reference";
    for (int i = 0; i < TEMPLATES; i++) {
        templ[i] = s->prepared[i];
        wanted[i] = 0;
        CHECK_STATUS(kit_find(s->cpu, &s->image.view, s->on_cpu[i], &reference, want[i],
                              r->capacity, &wanted[i]),
                     XNCC_OK);
    }
    memset(got, 0x5a, sizeof got);
    xncc_status status = kit_find_each(s->context, &r->problem, &s->image.view, templ, TEMPLATES,
                                       &r->options, got, r->capacity, found);
    CHECK_STATUS(status, XNCC_OK);
    for (int i = 0; i < TEMPLATES && !status; i++) {
        snprintf(r->what, sizeof r->what, "%.199s, batch, template %d", what, i);
        compare(r->what, got + (size_t)i * r->capacity, found[i], want[i], wanted[i]);
        snprintf(r->what, sizeof r->what, "%.199s, left on the device, template %d", what, i);
        if (thorough && s->pixels != NULL && s->context != s->cpu)
            check_left_on_device(s, plan, r, i, want[i], wanted[i]);
    }
    snprintf(r->what, sizeof r->what, "%.199s, long batch", what);
    if (thorough && r->capacity == 1)
        check_long_batch(s, r, (const xncc_match(*)[CAPACITY])want, wanted);
    const unsigned char *after = (const unsigned char *)&got[TEMPLATES * r->capacity];
    CHECK(*after == 0x5a);
}

/* rules: how many of the list to check. If it is 1, the check is not thorough. */
static void check_plan(const scene *s, const setting *z, xncc_problem problem, const char *kernel,
                       size_t rules)
{
    static const struct {
        size_t top, capacity;
        int32_t distance;
        float limit;
    } rule[ALL_RULES] = { { 1, 1, 0, -INFINITY },
                          { 16, 16, 3, -INFINITY },
                          { 0, CAPACITY, 1, -INFINITY },
                          { 5, 9, 1000, -INFINITY },
                          { 0, CAPACITY, 2, 0.25f } };
    xncc_plan *plan = NULL;
    problem.pixel = z->pixel;
    CHECK_STATUS(
        xncc_plan_create(s->context, &problem,
                         &(xncc_preference){ .size = sizeof(xncc_preference), .kernel = kernel },
                         &plan, &kit_error),
        XNCC_OK);
    if (!plan)
        return;
    for (size_t k = 0; k < rules; k++) {
        request r = { .problem = problem,
                      .options = { .kernel = kernel,
                                   .method = problem.rule.method,
                                   .mode = problem.rule.mode,
                                   .top = rule[k].top,
                                   .min_distance = rule[k].distance,
                                   .min_score = rule[k].limit },
                      .capacity = rule[k].capacity };
        if (isfinite(rule[k].limit))
            r.options.max_score = problem.rule.method == XNCC_SQDIFF ? 1e6f : 0.75f;
        snprintf(r.what, sizeof r.what, "%.100s %s%s %s, rule %zu", s->name,
                 xncc_method_name(problem.rule.method),
                 problem.rule.mode == XNCC_SAME ? " same" : "", kit_plan_kernel(plan), k);
        check_request(s, plan, &r, rules > 1);
    }
    xncc_plan_destroy(plan);
}

/* Checks each of the tensor kernels that can serve the problem, since the decision takes only one
 * of them. */
static void check_tensor(xncc_context *context, const scene *s, const setting *z,
                         xncc_problem problem, size_t rules)
{
    const char *kernel[32];
    size_t count = xncc_kernel_list(context, &problem, kernel, sizeof kernel / sizeof *kernel);
    for (size_t i = 0; i < count && i < sizeof kernel / sizeof *kernel; i++)
        if (strncmp(kernel[i], "tensor", 6) == 0)
            check_plan(s, z, problem, kernel[i], rules);
}

static xncc_problem problem_of(const setting *z)
{
    return kit_problem((xncc_problem){ .pixel = z->pixel,
                                       .image_width = z->image_width,
                                       .image_height = z->image_height,
                                       .templ_width = z->width,
                                       .templ_height = z->height,
                                       .rule.method = XNCC_CCOEFF_NORMED });
}

static void check_setting(xncc_context *context, xncc_context *cpu, const setting *z,
                          uint64_t number)
{
    scene s = scene_make(context, cpu, z, number);
    for (int c = 0; c < 12; c++) {
        xncc_problem problem = problem_of(z);
        problem.rule.method = (xncc_method)(c % 6);
        problem.rule.mode = c < 6 ? XNCC_VALID : XNCC_SAME;
        if (context == cpu && c % 5)
            continue; /* one loop serves every plan of the CPU */
        check_plan(&s, z, problem, NULL, ALL_RULES);
        if (context != cpu && c < 2)
            check_plan(&s, z, problem, c ? "shared" : "tex-tex", ALL_RULES);
        if (context != cpu && problem.rule.method == XNCC_CCOEFF_NORMED)
            check_tensor(context, &s, z, problem, ALL_RULES);
    }
    scene_free(&s);
}

static void check_sizes(xncc_context *context, xncc_context *cpu, const setting *z, uint64_t number,
                        size_t rules)
{
    scene s = scene_make(context, cpu, z, number);
    check_tensor(context, &s, z, problem_of(z), rules);
    scene_free(&s);
}

/* The products computed by a device's matrix units depend on the template's width, and the tiles of
 * the search are twice as high on large maps. */
static void check_products(xncc_context *context, xncc_context *cpu, int brief)
{
    static const int32_t width[] = { 1,  9,  64, 17, 25,  33,  41,  49, 57,
                                     73, 81, 89, 97, 105, 113, 121, 128 };
    static const setting large = { XNCC_U8, 2100, 2021, 5, 3, KIT_NOISE, 6 };
    for (int32_t i = 0; i < (brief ? 3 : (int32_t)(sizeof width / sizeof *width)); i++) {
        const setting z = {
            XNCC_U8, 530 + width[i], 31 + 3 * i, width[i], 2 + i % 12, KIT_NOISE, 4
        };
        check_sizes(context, cpu, &z, 200 + (uint64_t)i, brief ? 1 : 2);
    }
    if (!brief)
        check_sizes(context, cpu, &large, 300, 1);
}

static void check_arguments(xncc_context *context, xncc_context *cpu)
{
    setting z = { XNCC_U8, 30, 20, 5, 4, KIT_NOISE, 0 };
    scene s = scene_make(context, cpu, &z, 99);
    xncc_problem problem = kit_problem((xncc_problem){
        .image_width = 30, .image_height = 20, .templ_width = 5, .templ_height = 4 });
    xncc_plan *plan = NULL;
    xncc_match match[4];
    CHECK_STATUS(xncc_plan_create(context, &problem, NULL, &plan, &kit_error), XNCC_OK);
    CHECK_STATUS(
        kit_plan_find_on_device(plan, &s.image.view, s.prepared[0], NULL, NULL, 2, NULL, NULL),
        XNCC_ERROR_ARGUMENT);
    if (context == cpu) {
        uint32_t count = 0;
        CHECK_STATUS(kit_plan_find_on_device(plan, &s.image.view, s.prepared[0], NULL, match, 2,
                                             &count, NULL),
                     XNCC_ERROR_ARGUMENT);
    }
    xncc_plan_destroy(plan);
    scene_free(&s);
}

int main(int argc, char **argv)
{
    static const setting some[] = {
        { XNCC_U8, 211, 97, 9, 7, KIT_NOISE, 5 },     { XNCC_U8, 300, 60, 16, 16, KIT_ZERO, 3 },
        { XNCC_U8, 140, 50, 1, 1, KIT_BLOCKS, 0 },    { XNCC_U8, 265, 70, 130, 12, KIT_NOISE, 2 },
        { XNCC_U16, 130, 90, 8, 11, KIT_CHECKER, 4 }, { XNCC_F32, 150, 61, 6, 5, KIT_NOISE, 6 },
        { XNCC_U8, 190, 120, 5, 5, KIT_GRADIENT, 0 }, { XNCC_U8, 7, 7, 7, 7, KIT_NOISE, 1 },
    };
    kit_start(argc, argv);
    xncc_device device = kit_device_option(argc, argv);
    xncc_context *context = kit_context(device, 0);
    xncc_context *cpu = device == XNCC_DEVICE_CPU ? context : kit_context(XNCC_DEVICE_CPU, 0);
    const int brief = kit_flag(argc, argv, "brief");
    for (uint64_t i = 0; i < sizeof some / sizeof *some && !brief; i++)
        if (!kit_short() || (i % 4 == 1 && (i > 1 || !kit_shortest())))
            check_setting(context, cpu, &some[i], i);
    if (cpu != context)
        check_products(context, cpu, brief);
    if (!brief)
        check_arguments(context, cpu);
    if (cpu != context)
        xncc_context_destroy(cpu);
    xncc_context_destroy(context);
    return kit_finish("batch");
}
