/* SPDX-License-Identifier: BSD-2-Clause */
/* The table `devices`: what several devices share, next to the first of them alone. Images and maps
 * are in page-locked host memory, or in parts in the memory of the devices. */
#include "bench_run.h"
#include "bench_several.h"
#include "device_timer.h"
#include "exactncc/batch.h"
#include "exactncc/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TOP = 16, MOST_PARTS = XNCC_MAX_DEVICES };

static const bench_column columns[] = {
    BENCH_KIND,         BENCH_PIXEL,     BENCH_WIDTH,   BENCH_HEIGHT,   BENCH_TEMPL_WIDTH,
    BENCH_TEMPL_HEIGHT, BENCH_TEMPLATES, BENCH_IMAGES,  BENCH_ALONE_MS, BENCH_MS,
    BENCH_SPEEDUP,      BENCH_CHECKED,   BENCH_COLUMNS,
};

/* An image and a map in parts, in the memory of the devices. */
typedef struct held {
    xncc_plan *plan;
    int32_t count;
    int32_t device[MOST_PARTS];
    xncc_part part[MOST_PARTS];
    xncc_image image[MOST_PARTS];
    xncc_map map[MOST_PARTS];
} held;

/* One way to do the work: on the first device, or on all. */
typedef struct side {
    xncc_context *context;
    xncc_plan *plan, *plan_of_images;
    xncc_batch *batch;
    xncc_template **templ; /* `count` of them; the first is that of the plans */
    int32_t count;
    const xncc_image *image;
    const bench_several *images; /* in page-locked memory */
    held held;
    xncc_map map;
    xncc_match match[TOP];
    size_t found;
    xncc_match match_in[BENCH_MOST_IMAGES]; /* the best of each image */
    size_t found_in[BENCH_MOST_IMAGES];
    xncc_candidate *best; /* the best match of each template */
    size_t best_count;
    xncc_error why;
} side;

static xncc_status pass_on(const side *s, app_error *error, xncc_status status)
{
    return status ? app_fail(error, status, "several devices: %s", s->why.text) : XNCC_OK;
}

/* Lists the devices that --device names. Returns how many there are. */
static int32_t list_devices(const app_options *o, int32_t list[MOST_PARTS])
{
    int32_t count = o->device.cuda_count > 0 ? o->device.cuda_count : 0;
    memcpy(list, o->device_list, (size_t)count * sizeof *list);
    for (size_t i = 1; o->device.cuda_count < 0 && i < xncc_device_count(); i++) {
        xncc_device_info info = XNCC_DEVICE_INFO_INIT;
        if (xncc_device_describe(i, &info, NULL) == XNCC_OK && info.usable && count < MOST_PARTS)
            list[count++] = info.index;
    }
    return count;
}

/* Puts the parts of an image on the first `devices` devices, with room for those of the map. */
static xncc_status hold(side *s, const bench_case *c, const app_options *o, int32_t devices,
                        app_error *error)
{
    held *h = &s->held;
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    xncc_plan_info info = XNCC_PLAN_INFO_INIT;
    preference.image_memory = preference.map_memory = XNCC_DEVICE;
    preference.parts = devices;
    (void)list_devices(o, h->device);
    xncc_status status = xncc_plan_create(s->context, &c->problem, &preference, &h->plan, &s->why);
    if (!status)
        status = xncc_plan_describe(h->plan, &info, &s->why);
    for (; h->count < info.devices && !status; h->count++) {
        const int32_t i = h->count;
        xncc_part *part = &h->part[i];
        xncc_image view = c->image;
        void *rows = NULL;
        *part = (xncc_part)XNCC_PART_INIT;
        status = xncc_plan_part(h->plan, i, part, &s->why);
        if (!status)
            status = xncc_image_crop(&c->image, 0, part->image_y, c->image.width,
                                     part->image_height, &view, &s->why);
        if (status)
            break;
        h->map[i] = c->map;
        h->map[i].pitch = 0;
        h->map[i].height = part->map_height;
        h->map[i].memory = XNCC_DEVICE;
        const xncc_status copied = device_image(&view, h->device[i], &h->image[i], error),
                          made = device_alloc(h->device[i],
                                              (size_t)c->map.width * sizeof(float) *
                                                  (size_t)part->map_height,
                                              &rows, error);
        h->map[i].data = rows;
        if (copied || made)
            return copied ? copied : made;
    }
    return pass_on(s, error, status);
}

static void let_go(held *h)
{
    xncc_plan_destroy(h->plan);
    for (int32_t i = 0; i < MOST_PARTS; i++) {
        device_free(h->image[i].data);
        device_free(h->map[i].data);
    }
}

/* Templates are crops of the image, at places spread over it. */
static xncc_status bind(side *s, const bench_case *c, int32_t count, app_error *error)
{
    const xncc_problem *p = &c->problem;
    xncc_problem all = *p;
    xncc_batch_options options = XNCC_BATCH_OPTIONS_INIT;
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    xncc_status status = XNCC_OK;
    s->image = &c->image;
    s->templ = calloc((size_t)count, sizeof *s->templ);
    s->best = calloc((size_t)count, sizeof *s->best);
    if (!s->templ || !s->best)
        return app_fail(error, XNCC_ERROR_MEMORY, "out of memory for %d templates", count);
    const int32_t across = p->image_width - p->templ_width + 1,
                  down = p->image_height - p->templ_height + 1;
    for (; s->count < count && !status; s->count++) {
        const int64_t i = s->count;
        xncc_image crop;
        status = xncc_image_crop(&c->image, (int32_t)(i * 91 % across), (int32_t)(i * 37 % down),
                                 p->templ_width, p->templ_height, &crop, &s->why);
        if (!status)
            status = xncc_template_create(s->context, &crop, &s->templ[i], &s->why);
    }
    all.templ_width = all.templ_height = 0;
    options.peaks.top = 1;
    options.capacity = (size_t)count;
    if (!status)
        status = xncc_plan_create(s->context, p, &preference, &s->plan, &s->why);
    if (!status)
        status = xncc_batch_create(s->context, &all, &preference,
                                   (const xncc_template *const *)s->templ, (size_t)count, &options,
                                   &s->batch, &s->why);
    preference.images = (int32_t)s->images->count;
    if (!status)
        status = xncc_plan_create(s->context, p, &preference, &s->plan_of_images, &s->why);
    return pass_on(s, error, status);
}

static void unbind(side *s)
{
    xncc_batch_destroy(s->batch);
    xncc_plan_destroy(s->plan);
    xncc_plan_destroy(s->plan_of_images);
    let_go(&s->held);
    for (int32_t i = 0; i < s->count; i++)
        xncc_template_destroy(s->templ[i]);
    free(s->templ);
    free(s->best);
}

static xncc_status make_map(void *state, app_error *error)
{
    side *s = state;
    return pass_on(s, error,
                   xncc_plan_correlate(s->plan, s->image, s->templ[0], &s->map, NULL, &s->why));
}

static xncc_status find(void *state, app_error *error)
{
    side *s = state;
    xncc_peak_rule rule = XNCC_PEAK_RULE_INIT;
    rule.top = TOP;
    return pass_on(s, error,
                   xncc_plan_find(s->plan, s->image, s->templ[0], &rule, s->match, TOP, &s->found,
                                  NULL, &s->why));
}

static xncc_status find_batch(void *state, app_error *error)
{
    side *s = state;
    return pass_on(s, error,
                   xncc_batch_find(s->batch, s->image, s->best, &s->best_count, NULL, &s->why));
}

static xncc_status find_images(void *state, app_error *error)
{
    side *s = state;
    xncc_peak_rule rule = XNCC_PEAK_RULE_INIT;
    rule.top = 1;
    return pass_on(s, error,
                   xncc_plan_find_images(s->plan_of_images, s->images->image, s->images->count,
                                         s->templ[0], &rule, s->match_in, 1, s->found_in, NULL,
                                         &s->why));
}

static xncc_status make_parts(void *state, app_error *error)
{
    side *s = state;
    const held *h = &s->held;
    xncc_status status = pass_on(s, error,
                                 xncc_plan_correlate_parts(h->plan, h->image, (size_t)h->count,
                                                           s->templ[0], h->map, NULL, &s->why));
    for (int32_t i = 0; i < h->count && !status; i++)
        status = device_wait(h->device[i], error);
    return status;
}

static xncc_status find_parts(void *state, app_error *error)
{
    side *s = state;
    const held *h = &s->held;
    xncc_peak_rule rule = XNCC_PEAK_RULE_INIT;
    rule.top = TOP;
    return pass_on(s, error,
                   xncc_plan_find_parts(h->plan, h->image, (size_t)h->count, s->templ[0], &rule,
                                        s->match, TOP, &s->found, NULL, &s->why));
}

/* Brings the parts of a map to the host. */
static xncc_status fetch_parts(side *s, app_error *error)
{
    const held *h = &s->held;
    xncc_status status = XNCC_OK;
    for (int32_t i = 0; i < h->count && !status; i++)
        status = device_fetch(
            s->map.data + (size_t)s->map.width * (size_t)h->part[i].map_y, h->map[i].data,
            (size_t)h->map[i].width * sizeof(float) * (size_t)h->map[i].height, error);
    return status;
}

/* What is timed, and what makes the results of the two ways the same. */
typedef enum work { MAP, FIND, BATCH, IMAGES, PARTS, FIND_PARTS, WORKS } work;

static int same_results(work w, const side *a, const side *b)
{
    const size_t elements = (size_t)a->map.width * (size_t)a->map.height;
    if (w == MAP || w == PARTS)
        return memcmp(a->map.data, b->map.data, elements * sizeof(float)) == 0;
    if (w == IMAGES)
        return memcmp(a->found_in, b->found_in, sizeof a->found_in) == 0 &&
               memcmp(a->match_in, b->match_in, sizeof a->match_in) == 0;
    if (w == FIND || w == FIND_PARTS)
        return a->found == b->found && memcmp(a->match, b->match, a->found * sizeof *a->match) == 0;
    return a->best_count == b->best_count &&
           memcmp(a->best, b->best, a->best_count * sizeof *a->best) == 0;
}

static xncc_status add_rows(bench_run *run, bench_section *section, const bench_case *c,
                            side *alone, side *all, app_error *error)
{
    static bench_call *const call[WORKS] = { make_map,    find,       find_batch,
                                             find_images, make_parts, find_parts };
    static const char *const name[WORKS] = { "map",    "find",      "batch",
                                             "images", "map parts", "find parts" };
    xncc_status status = XNCC_OK;
    for (work w = MAP; w < WORKS && !status; w++) {
        double one = 0.0, shared = 0.0;
        if ((w == IMAGES && all->images->count == 0) || (w >= PARTS && !all->held.plan))
            continue;
        bench_note_set(&run->note, "timing several devices: %s", name[w]);
        status = bench_wall(run, call[w], alone, &one, error);
        if (!status)
            status = bench_wall(run, call[w], all, &shared, error);
        if (!status && w == PARTS)
            status = fetch_parts(alone, error);
        if (!status && w == PARTS)
            status = fetch_parts(all, error);
        if (status)
            break;
        const int exact = same_results(w, alone, all);
        run->wrong += !exact;
        bench_row row = bench_row_of(run, c, "", exact);
        app_value *v = row.value;
        v[BENCH_KIND].text = name[w];
        v[BENCH_TEMPLATES].integer = w == BATCH ? all->count : 1;
        v[BENCH_IMAGES].integer = w == IMAGES ? (int64_t)all->images->count : 1;
        v[BENCH_ALONE_MS].real = one;
        v[BENCH_MS].real = shared;
        v[BENCH_SPEEDUP].real = one / shared;
        status = bench_section_row(section, &row, error);
    }
    return status;
}

/* The context with the first device alone. */
static xncc_status open_alone(const app_options *o, xncc_context **context, app_error *error)
{
    xncc_context_options options = o->device;
    xncc_error why;
    options.cuda_index = options.cuda_count > 0 ? o->device_list[0] : 0;
    options.cuda_count = 0;
    const xncc_status status = xncc_context_create(&options, context, &why);
    return status ? app_fail(error, status, "%s", why.text) : XNCC_OK;
}

/* The rows of one size of templates. */
static xncc_status add_size(bench_run *run, bench_section *section, const xncc_problem *problem,
                            app_error *error)
{
    bench_case c;
    static bench_several images; /* it and the sides are large; one thread measures */
    static side alone, all;
    memset(&alone, 0, sizeof alone);
    memset(&all, 0, sizeof all);
    memset(&images, 0, sizeof images);
    all.context = run->session.context;
    alone.images = all.images = &images;
    const app_options *o = &run->options->common;
    xncc_status status = bench_case_open(problem, &c, error);
    const size_t bytes = (size_t)c.extent.width * (size_t)c.extent.height * sizeof(float);
    float *second = status ? NULL : malloc(bytes);
    alone.map = all.map = c.map;
    all.map.data = second;
    if (!status && !second)
        status = app_fail(error, XNCC_ERROR_MEMORY, "out of memory for a second map");
    const size_t pixels = (size_t)problem->image_width * (size_t)problem->image_height *
                          xncc_pixel_size(problem->pixel) * (size_t)problem->channels;
    void *const lock[] = { (void *)(uintptr_t)c.image.data, c.map.data, second };
    const size_t size[] = { pixels, bytes, bytes };
    int locked = 0;
    for (; locked < 3 && !status; locked++)
        status = device_lock(lock[locked], size[locked], error);
    if (!status)
        status = open_alone(o, &alone.context, error);
    if (!status)
        status = bench_several_open(&images, &c, BENCH_MOST_IMAGES, error);
    if (!status && images.count > 0)
        status = device_lock(images.pixels, images.bytes, error);
    const int images_locked = !status && images.count > 0;
    if (!status)
        status = bind(&alone, &c, run->options->batch, error);
    if (!status)
        status = bind(&all, &c, run->options->batch, error);
    const int valid = problem->rule.mode == XNCC_VALID; /* other modes have no parts */
    if (!status && valid)
        status = hold(&alone, &c, o, 1, error);
    if (!status && valid)
        status = hold(&all, &c, o, list_devices(o, all.held.device), error);
    if (!status)
        status = add_rows(run, section, &c, &alone, &all, error);
    unbind(&alone);
    unbind(&all);
    xncc_context_destroy(alone.context);
    while (locked > 0)
        device_unlock(lock[--locked]);
    free(second);
    if (images_locked)
        device_unlock(images.pixels);
    bench_several_close(&images);
    bench_case_close(&c);
    return status;
}

xncc_status bench_devices(bench_run *run, app_error *error)
{
    const bench_options *o = run->options;
    static const app_sizes sizes = { .size = { { 64, 64 }, { 128, 128 } }, .count = 2 };
    const app_sizes *templ = o->common.templates.count ? &o->common.templates : &sizes;
    const app_size size = bench_image_size(run, 8192, 8192);
    xncc_status status = XNCC_OK;
    if (o->common.device.cuda_count == 0) /* of all tables, this one is left out */
        return XNCC_OK;
    bench_section *section = bench_section_add(&run->report, "devices",
                                               "Several devices, and the first of them alone; "
                                               "page-locked host memory, or parts on the devices",
                                               columns);
    for (int i = 0; i < templ->count && !status; i++) {
        xncc_problem problem = app_options_problem(&o->common, XNCC_TASK_MATCH, size,
                                                   templ->size[i]);
        problem.templ_masked = 0;
        if (templ->size[i].width <= size.width && templ->size[i].height <= size.height)
            status = add_size(run, section, &problem, error);
    }
    return status;
}
