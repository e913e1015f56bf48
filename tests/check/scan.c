/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans: in whatever steps the rows of an image arrive, the matches are those of xncc_find, which
 * find.c checks against the brute-force rule. Rows that have not arrived are not read: they hold
 * other pixels until they arrive. */
#include "check/check.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { METHODS = 6, CAPACITY = 300 };

typedef enum split { SPLIT_NONE, SPLIT_ALL, SPLIT_ROWS, SPLIT_STEPS, SPLITS } split;

typedef struct scene {
    check_run *run;
    kit_image image, templ;
    kit_image arriving; /* what is scanned: first noise, then, row by row, the image */
    kit_random random;
    char name[160];
} scene;

typedef struct request {
    xncc_problem problem;
    kit_find_options options;
    const char *kernel;
    size_t capacity, wanted;
    xncc_match want[CAPACITY];
} request;

static void arrive(const scene *s, int32_t from, int32_t to)
{
    const xncc_image *image = &s->image.view, *arriving = &s->arriving.view;
    const size_t bytes = (size_t)image->width * xncc_pixel_size(image->pixel);
    for (int32_t y = from; y < to; y++)
        memcpy((char *)(uintptr_t)arriving->data + y * arriving->pitch,
               (const char *)image->data + y * image->pitch, bytes);
}

static void compare(const scene *s, const request *r, const xncc_match *got, size_t found,
                    const char *how)
{
    int same = found == r->wanted && (found == 0 || memcmp(got, r->want, found * sizeof *got) == 0);
    if (!same)
        kit_fail(__FILE__, __LINE__, "%s, %s%s, %s, %s: %zu matches, want %zu, or others", s->name,
                 xncc_method_name(r->problem.rule.method),
                 r->problem.rule.mode == XNCC_SAME ? " same" : "", r->kernel, how, found,
                 r->wanted);
    CHECK(same);
}

static int32_t step(scene *s, split how, int32_t done)
{
    const int32_t left = s->image.view.height - done;
    return how == SPLIT_ROWS  ? done + 1
           : how == SPLIT_ALL ? done + left
                              : done + kit_between(&s->random, 1, left < 90 ? left : 90);
}

static void check_split(scene *s, xncc_context *context, xncc_plan *plan,
                        const xncc_template *templ, const request *r, split how)
{
    static const char *const name[SPLITS] = { "no rows before the end", "all rows at once",
                                              "row by row", "random steps" };
    static xncc_match got[CAPACITY];
    const int32_t height = s->image.view.height;
    xncc_scan *scan = NULL;
    size_t found = 12345;
    kit_image_fill(&s->arriving.view, KIT_NOISE, &s->random);
    if (!check_ok(kit_scan_create(plan, &s->arriving.view, templ, &r->options, r->capacity, &scan),
                  s->name))
        return;
    CHECK_STATUS(xncc_scan_rows(scan, 0, &kit_error), XNCC_OK);
    int32_t done = 0;
    while (how != SPLIT_NONE && done < height) {
        int32_t next = step(s, how, done);
        arrive(s, done, next);
        done = next;
        CHECK_STATUS(xncc_scan_rows(scan, done, &kit_error), XNCC_OK);
        CHECK_STATUS(xncc_scan_rows(scan, done / 2, &kit_error), XNCC_OK);
    }
    arrive(s, done, height);
    CHECK_STATUS(xncc_scan_finish(scan, got, &found, NULL, &kit_error), XNCC_OK);
    xncc_scan_destroy(scan);
    CHECK(xncc_context_progress(context) == 1.0);
    compare(s, r, got, found, name[how]);
    check_count(s->run, r->kernel);
}

typedef struct writer {
    const scene *scene;
    pthread_t thread;
    atomic_int rows;
} writer;

static void *write_rows(void *argument)
{
    writer *w = argument;
    const int32_t height = w->scene->image.view.height;
    for (int32_t y = 0; y < height; y++) {
        arrive(w->scene, y, y + 1);
        atomic_store(&w->rows, y + 1);
    }
    return NULL;
}

/* Another thread writes the rows while the earlier ones are matched. Also meant for the thread
 * sanitizer. */
static void check_writer(scene *s, xncc_plan *plan, const xncc_template *templ, const request *r)
{
    static xncc_match got[CAPACITY];
    const int32_t height = s->image.view.height;
    writer w = { .scene = s };
    xncc_scan *scan = NULL;
    size_t found = 12345;
    kit_image_fill(&s->arriving.view, KIT_NOISE, &s->random);
    if (!check_ok(kit_scan_create(plan, &s->arriving.view, templ, &r->options, r->capacity, &scan),
                  s->name))
        return;
    if (pthread_create(&w.thread, NULL, write_rows, &w) != 0)
        kit_give_up("no thread for the writer");
    for (int32_t rows = 0; rows < height;) {
        rows = atomic_load(&w.rows);
        CHECK_STATUS(xncc_scan_rows(scan, rows, &kit_error), XNCC_OK);
        sched_yield();
    }
    CHECK_STATUS(xncc_scan_finish(scan, got, &found, NULL, &kit_error), XNCC_OK);
    pthread_join(w.thread, NULL);
    xncc_scan_destroy(scan);
    compare(s, r, got, found, "written meanwhile");
}

/* A scan that is destroyed before its end leaves its plan usable. */
static void check_left(scene *s, xncc_context *context, xncc_plan *plan, const xncc_template *templ,
                       const request *r)
{
    static xncc_match got[CAPACITY];
    xncc_scan *scan = NULL, *second = NULL;
    size_t found = 12345;
    if (!check_ok(kit_scan_create(plan, &s->image.view, templ, &r->options, r->capacity, &scan),
                  s->name))
        return;
    CHECK_STATUS(xncc_scan_rows(scan, s->image.view.height * 3 / 4, &kit_error), XNCC_OK);
    CHECK_STATUS(
        kit_plan_find(plan, &s->image.view, templ, &r->options, got, r->capacity, &found, NULL),
        XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(kit_scan_create(plan, &s->image.view, templ, &r->options, r->capacity, &second),
                 XNCC_ERROR_ARGUMENT);
    CHECK(second == NULL);
    CHECK_STATUS(xncc_scan_rows(scan, -1, &kit_error), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_scan_rows(scan, s->image.view.height + 1, &kit_error), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_scan_finish(scan, got, NULL, NULL, &kit_error), XNCC_ERROR_ARGUMENT);
    xncc_scan_destroy(scan);
    CHECK(xncc_context_progress(context) == 1.0);
    CHECK_STATUS(
        kit_plan_find(plan, &s->image.view, templ, &r->options, got, r->capacity, &found, NULL),
        XNCC_OK);
    compare(s, r, got, found, "after a scan that was left");
    if (check_ok(kit_scan_create(plan, &s->image.view, templ, &r->options, r->capacity, &scan),
                 s->name)) {
        CHECK_STATUS(xncc_scan_finish(scan, got, &found, NULL, &kit_error), XNCC_OK);
        compare(s, r, got, found, "without steps");
        CHECK_STATUS(xncc_scan_finish(scan, got, &found, NULL, &kit_error), XNCC_ERROR_ARGUMENT);
        CHECK_INT(found, 0);
        CHECK_STATUS(xncc_scan_rows(scan, s->image.view.height, &kit_error), XNCC_ERROR_ARGUMENT);
    }
    xncc_scan_destroy(scan);
}

static void check_null(xncc_context *context, const xncc_template *templ, const xncc_image *image)
{
    xncc_problem problem = check_problem(image, 1, 1);
    xncc_plan *plan = NULL;
    xncc_scan *scan = NULL;
    size_t found = 3;
    xncc_scan_destroy(NULL);
    CHECK_STATUS(xncc_scan_rows(NULL, 1, &kit_error), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_scan_finish(NULL, NULL, &found, NULL, &kit_error), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(kit_scan_create(NULL, image, templ, NULL, 1, &scan), XNCC_ERROR_ARGUMENT);
    if (!check_ok(xncc_plan_create(context, &problem, NULL, &plan, &kit_error),
                  "a plan for one pixel"))
        return;
    CHECK_STATUS(kit_scan_create(plan, NULL, templ, NULL, 1, &scan), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(kit_scan_create(plan, image, NULL, NULL, 1, &scan), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(kit_scan_create(plan, image, templ, NULL, 1, NULL), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(kit_scan_create(plan, image, templ, NULL, 1, &scan),
                 XNCC_ERROR_ARGUMENT); /* the template does not fit */
    CHECK(scan == NULL);
    xncc_plan_destroy(plan);
}

static void check_kernel(scene *s, request *r)
{
    check_run *run = s->run;
    xncc_context *context = run->context[run->turn % CHECK_THREAD_COUNTS]; /* check_split advances
                                                                              run->turn by SPLITS */
    xncc_template *templ = NULL;
    xncc_plan *plan = NULL;
    if (check_ok(xncc_template_create(context, &s->templ.view, &templ, &kit_error), s->name) &&
        check_ok(xncc_plan_create(
                     context, &r->problem,
                     &(xncc_preference){ .size = sizeof(xncc_preference), .kernel = r->kernel },
                     &plan, &kit_error),
                 s->name)) {
        for (int how = 0; how < SPLITS; how++)
            check_split(s, context, plan, templ, r, (split)how);
        check_writer(s, plan, templ, r);
        if (r->problem.rule.method == XNCC_CCOEFF_NORMED)
            check_left(s, context, plan, templ, r);
        if (r->problem.rule.method == XNCC_CCORR)
            check_null(context, templ, &s->image.view);
    }
    xncc_plan_destroy(plan);
    xncc_template_destroy(templ);
}

static void check_case(scene *s, xncc_method method, xncc_mode mode)
{
    static request r;
    static const int32_t distance[] = { 0, 1, 3 };
    xncc_template *templ = NULL;
    const char *kernel[CHECK_KERNELS];
    r.problem = check_problem(&s->image.view, s->templ.view.width, s->templ.view.height);
    r.problem.rule.method = method;
    r.problem.rule.mode = mode;
    r.options = (kit_find_options){ .method = method,
                                    .mode = mode,
                                    .min_score = -INFINITY,
                                    .kernel = "reference",
                                    .min_distance = distance[s->run->turn % 3] };
    r.capacity = (int)method % 2 ? 40 : CAPACITY;
    size_t kernels = check_kernels(s->run, &r.problem, kernel);
    check_ok(xncc_template_create(s->run->cpu, &s->templ.view, &templ, &kit_error), s->name);
    check_ok(
        kit_find(s->run->cpu, &s->image.view, templ, &r.options, r.want, r.capacity, &r.wanted),
        s->name);
    xncc_template_destroy(templ);
    for (size_t k = 0; k < kernels; k++) {
        r.kernel = kernel[k];
        check_kernel(s, &r);
    }
}

typedef struct setting {
    int32_t image_width, image_height, width, height;
    kit_fill fill;
} setting;

static void check_setting(check_run *run, xncc_pixel pixel, const setting *z, uint64_t number)
{
    scene s = { .run = run, .random = kit_stream(9000 + number) };
    s.image = kit_image_create(pixel, z->image_width, z->image_height, 2, KIT_AFTER);
    s.arriving = kit_image_create(pixel, z->image_width, z->image_height, 5, KIT_AFTER);
    s.templ = kit_image_create(pixel, z->width, z->height, 0, KIT_AFTER);
    kit_image_fill(&s.image.view, z->fill, &s.random);
    kit_image_fill(&s.templ.view, KIT_NOISE, &s.random);
    for (int i = 0; i < 6; i++) { /* ties, one of them at the bottom */
        int32_t x0 = kit_between(&s.random, 0, z->image_width - z->width),
                last = z->image_height - z->height;
        int32_t y0 = i ? kit_between(&s.random, 0, last) : last;
        for (int32_t y = 0; y < z->height; y++)
            for (int32_t x = 0; x < z->width; x++)
                kit_pixel_set(&s.image.view, x0 + x, y0 + y, kit_pixel(&s.templ.view, x, y));
    }
    snprintf(s.name, sizeof s.name, "scan of %s %dx%d (%s) under %dx%d", xncc_pixel_name(pixel),
             z->image_width, z->image_height, kit_fill_name(z->fill), z->width, z->height);
    for (int c = 0; c < 2 * METHODS; c++)
        if (!kit_short() || c == XNCC_CCOEFF_NORMED || c == XNCC_CCORR || c == METHODS + 4)
            check_case(&s, (xncc_method)(c % METHODS), c < METHODS ? XNCC_VALID : XNCC_SAME);
    kit_image_destroy(&s.image);
    kit_image_destroy(&s.arriving);
    kit_image_destroy(&s.templ);
}

void check_scan(check_run *run)
{
    /* high images, so that there are several bands on any number of threads */
    static const setting some[] = {
        { 37, 460, 7, 6, KIT_NOISE },
        { 24, 380, 5, 31, KIT_BLOCKS },
        { 12, 9, 3, 9, KIT_NOISE },
    };
    for (int p = XNCC_U8; p <= XNCC_F32; p++)
        for (uint64_t i = 0; i < sizeof some / sizeof *some; i++)
            if (check_wants(run, (xncc_pixel)p))
                check_setting(run, (xncc_pixel)p, &some[i], i);
}
