/* SPDX-License-Identifier: BSD-2-Clause */
/* The table `images`: one template in many small images on the CPU, by one call of all threads,
 * next to one thread alone, and next to as many threads that have nothing in common. */
#include "bench_run.h"
#include "bench_several.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 256 };

/* A call searches images of so many pixels together, but at least one image per thread. */
static const size_t enough_pixels = (size_t)1 << 24;

static const bench_column columns[] = {
    BENCH_PIXEL,  BENCH_WIDTH,      BENCH_HEIGHT,   BENCH_TEMPL_WIDTH, BENCH_TEMPL_HEIGHT,
    BENCH_IMAGES, BENCH_THREADS,    BENCH_ALONE_MS, BENCH_APART_MS,    BENCH_MS,
    BENCH_SHARE,  BENCH_OVER_APART, BENCH_CHECKED,  BENCH_COLUMNS,
};

/* A context of its own, and the images that it searches. */
typedef struct worker {
    xncc_context *context;
    xncc_template *templ;
    xncc_plan *plan;
    const xncc_image *image;
    size_t count;
    xncc_match *match; /* the best of each image */
    size_t *found;
    xncc_status status;
    xncc_error why;
} worker;

/* What is timed. */
typedef struct trial {
    bench_several images;
    int32_t threads;
    worker one, all; /* one thread, and all in one call */
    worker apart[MOST_THREADS];
    xncc_match match[2 * BENCH_MOST_IMAGES]; /* of `one`, and of the others */
    size_t found[2 * BENCH_MOST_IMAGES];
} trial;

static xncc_status pass_on(const worker *w, app_error *error)
{
    return w->status ? app_fail(error, w->status, "images: %s", w->why.text) : XNCC_OK;
}

/* Opens a worker for the images `first` .. `first` + count - 1. Its results go to the first half of
 * the lists (half 0) or to the second one (1). */
static xncc_status worker_open(worker *w, trial *t, const bench_case *c, int32_t threads,
                               size_t first, size_t count, int half, app_error *error)
{
    xncc_context_options options = XNCC_CONTEXT_OPTIONS_INIT;
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    options.device = XNCC_DEVICE_CPU;
    options.threads = threads;
    preference.images = (int32_t)count;
    w->image = t->images.image + first;
    w->count = count;
    w->match = t->match + half * BENCH_MOST_IMAGES + first;
    w->found = t->found + half * BENCH_MOST_IMAGES + first;
    w->status = xncc_context_create(&options, &w->context, &w->why);
    if (!w->status)
        w->status = xncc_template_create(w->context, &c->pixels, &w->templ, &w->why);
    if (!w->status)
        w->status = xncc_plan_create(w->context, &c->problem, &preference, &w->plan, &w->why);
    return pass_on(w, error);
}

static void worker_close(worker *w)
{
    xncc_plan_destroy(w->plan);
    xncc_template_destroy(w->templ);
    xncc_context_destroy(w->context);
}

static void *work(void *argument)
{
    worker *w = argument;
    xncc_peak_rule rule = XNCC_PEAK_RULE_INIT;
    rule.top = 1;
    w->status = xncc_plan_find_images(w->plan, w->image, w->count, w->templ, &rule, w->match, 1,
                                      w->found, NULL, &w->why);
    return NULL;
}

static xncc_status run_one(void *state, app_error *error)
{
    trial *t = state;
    (void)work(&t->one);
    return pass_on(&t->one, error);
}

static xncc_status run_all(void *state, app_error *error)
{
    trial *t = state;
    (void)work(&t->all);
    return pass_on(&t->all, error);
}

static xncc_status run_apart(void *state, app_error *error)
{
    trial *t = state;
    pthread_t thread[MOST_THREADS];
    xncc_status status = XNCC_OK;
    int32_t started = 0;
    for (; started < t->threads; started++)
        if (pthread_create(&thread[started], NULL, work, &t->apart[started]))
            break;
    for (int32_t i = 0; i < started; i++) {
        pthread_join(thread[i], NULL);
        if (!status)
            status = pass_on(&t->apart[i], error);
    }
    return started < t->threads ? app_fail(error, XNCC_ERROR_MEMORY, "images: no more threads")
                                : status;
}

/* Are the results of the last run those of one thread? */
static int is_exact(const trial *t)
{
    const size_t count = t->images.count;
    return memcmp(t->found, t->found + BENCH_MOST_IMAGES, count * sizeof *t->found) == 0 &&
           memcmp(t->match, t->match + BENCH_MOST_IMAGES, count * sizeof *t->match) == 0;
}

static xncc_status add_row(bench_run *run, bench_section *section, const bench_case *c, trial *t,
                           app_error *error)
{
    double one = 0.0, all = 0.0, apart = 0.0;
    bench_note_set(&run->note, "timing images of %d x %d", c->image.width, c->image.height);
    xncc_status status = bench_wall(run, run_one, t, &one, error);
    if (!status)
        status = bench_wall(run, run_all, t, &all, error);
    int exact = is_exact(t);
    if (!status)
        status = bench_wall(run, run_apart, t, &apart, error);
    exact = exact && is_exact(t);
    run->wrong += !status && !exact;
    if (status)
        return status;
    bench_row row = bench_row_of(run, c, "", exact);
    app_value *v = row.value;
    v[BENCH_IMAGES].integer = (int64_t)t->images.count;
    v[BENCH_THREADS].integer = t->threads;
    v[BENCH_ALONE_MS].real = one;
    v[BENCH_APART_MS].real = apart;
    v[BENCH_MS].real = all;
    v[BENCH_SHARE].real = one / (all * t->threads);
    v[BENCH_OVER_APART].real = apart / all;
    return bench_section_row(section, &row, error);
}

static xncc_status add_size(bench_run *run, bench_section *section, const xncc_problem *problem,
                            app_error *error)
{
    bench_case c;
    trial *t = calloc(1, sizeof *t);
    if (!t)
        return app_fail(error, XNCC_ERROR_MEMORY, "out of memory for a list of images");
    const int32_t threads = app_threads(&run->options->common);
    t->threads = threads < MOST_THREADS ? threads : MOST_THREADS;
    const size_t pixels = (size_t)problem->image_width * (size_t)problem->image_height,
                 many = enough_pixels / pixels,
                 images = many > (size_t)t->threads ? many : (size_t)t->threads;
    xncc_status status = bench_case_open(problem, &c, error);
    if (!status)
        status = bench_several_open(&t->images, &c, images, error);
    const size_t count = t->images.count, each = count / (size_t)t->threads;
    if (!status)
        status = worker_open(&t->one, t, &c, 1, 0, count, 0, error);
    if (!status)
        status = worker_open(&t->all, t, &c, t->threads, 0, count, 1, error);
    for (int32_t i = 0; i < t->threads && !status; i++) {
        const size_t first = (size_t)i * each;
        status = worker_open(&t->apart[i], t, &c, 1, first,
                             i < t->threads - 1 ? each : count - first, 1, error);
    }
    if (!status)
        status = add_row(run, section, &c, t, error);
    worker_close(&t->one);
    worker_close(&t->all);
    for (int32_t i = 0; i < t->threads; i++)
        worker_close(&t->apart[i]);
    bench_several_close(&t->images);
    bench_case_close(&c);
    free(t);
    return status;
}

xncc_status bench_images(bench_run *run, app_error *error)
{
    static const app_sizes images = { { { 64, 64 }, { 256, 256 }, { 640, 480 } }, 3 },
                           templs = { { { 16, 16 }, { 32, 32 } }, 2 };
    const app_options *o = &run->options->common;
    const app_sizes *size = o->sizes.count ? &o->sizes : &images;
    const app_sizes *templ = o->templates.count ? &o->templates : &templs;
    xncc_status status = XNCC_OK;
    bench_section *section = bench_section_add(
        &run->report, "images",
        "One template in many images on the CPU: one thread, threads with contexts of their own, "
        "and one call",
        columns);
    for (int i = 0; i < size->count; i++)
        for (int k = 0; k < templ->count && !status; k++) {
            xncc_problem problem = app_options_problem(o, XNCC_TASK_MATCH, size->size[i],
                                                       templ->size[k]);
            problem.templ_masked = 0;
            if (templ->size[k].width <= size->size[i].width &&
                templ->size[k].height <= size->size[i].height)
                status = add_size(run, section, &problem, error);
        }
    return status;
}
