/* SPDX-License-Identifier: BSD-2-Clause */
/* Problems of matching (random.h): their pixels, maps, matches and plans. */
#include "random/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

kit_random random_stream(const random_problem *p)
{
    return kit_stream(2 * p->number + 1);
}

int random_where(const random_run *run, kit_random *random)
{
    return run->on_gpu ? (int)kit_below(random, 4) : 0;
}

/* Leaves the samples few values; those that are not finite stay. */
static void coarsen(const xncc_image *image, int levels)
{
    const double least = kit_smallest(image->pixel);
    for (int32_t y = 0; y < image->height; y++)
        for (int32_t x = 0; x < image->width; x++)
            for (int32_t c = 0; c < kit_channels(image); c++) {
                const double v = kit_sample(image, x, y, c);
                if (isfinite(v))
                    kit_sample_set(image, x, y, c, least + fmod(fabs(trunc(v - least)), levels));
            }
}

void random_plant(general_subject *s, const xncc_image *templ, int copies)
{
    const xncc_image *image = &s->image.view;
    if (templ->width > image->width || templ->height > image->height)
        return;
    for (int i = 0; i < copies; i++) {
        xncc_image spot;
        const int32_t x = kit_between(&s->random, 0, image->width - templ->width);
        const int32_t y = kit_between(&s->random, 0, image->height - templ->height);
        CHECK_STATUS(xncc_image_crop(image, x, y, templ->width, templ->height, &spot, &kit_error),
                     XNCC_OK);
        kit_image_copy(&spot, templ, 0, 0);
    }
}

/* Rows that are tightly packed may be given as such. */
static void some_pitch(xncc_image *view, kit_random *random)
{
    const int64_t pixel = kit_sample_size(view->pixel) * kit_channels(view);
    if (view->pitch == view->width * pixel && kit_next(random) & 1)
        view->pitch = 0;
    if (view->mask && view->mask_pitch == view->width && kit_next(random) & 1)
        view->mask_pitch = 0;
}

void random_extents(general_subject *s, int full)
{
    const general_case *c = &s->c;
    oracle_general *o = &s->oracle;
    oracle_general_free(o);
    if (full)
        *o = oracle_general_make(&s->image.view, &s->templ.view, c->options.mode,
                                 c->options.border);
    else
        CHECK_STATUS(kit_map_extent(c->options.mode, c->image_width, c->image_height, c->width,
                                    c->height, &o->width, &o->height, &o->x0, &o->y0),
                     XNCC_OK);
}

static int make_template(random_run *run, general_subject *s)
{
    device_image twin = { .memory = NULL };
    if (run->on_gpu && (kit_next(&s->random) & 1))
        twin = device_image_create(&s->templ.view, (int32_t)kit_below(&s->random, 4));
    const int made = check_ok(xncc_template_create(run->check.context[0],
                                                   twin.memory ? &twin.view : &s->templ.view,
                                                   &s->prepared[0], &kit_error),
                              s->name);
    if (twin.memory)
        device_image_destroy(&twin);
    return made;
}

int random_make(random_run *run, const random_problem *p, general_subject *s)
{
    memset(s, 0, sizeof *s);
    s->run = &run->check;
    s->c = p->c;
    s->random = random_stream(p);
    s->image = general_image(&s->c, &s->random);
    if (p->levels)
        coarsen(&s->image.view, p->levels);
    s->templ = general_templ(&s->c, &s->image, &s->random);
    random_plant(s, &s->templ.view, p->copies);
    kit_image_freeze(&s->image);
    kit_image_freeze(&s->templ);
    if (!run->on_gpu) {
        some_pitch(&s->image.view, &s->random);
        some_pitch(&s->templ.view, &s->random);
    }
    general_name(s);
    random_note(run, p, s->name);
    random_extents(s, p->oracle);
    const kit_options *o = &s->c.options;
    s->problem = check_problem(&s->image.view, s->c.width, s->c.height);
    s->problem.rule = kit_match_rule(o);
    s->problem.channels = s->c.channels ? s->c.channels : 1;
    s->problem.image_masked = s->image.view.mask || s->image.view.has_no_data;
    if (!make_template(run, s))
        return 0;
    s->problem.templ_masked = xncc_template_is_masked(s->prepared[0]);
    return 1;
}

kit_map random_reference(random_run *run, const random_problem *p, general_subject *s)
{
    kit_map map = check_reference(&run->check, &s->image.view, &s->templ.view, &s->c.options);
    if (!p->oracle)
        return map;
    run->oracle++;
    for (int32_t y = 0; y < map.view.height; y++)
        for (int32_t x = 0; x < map.view.width; x++)
            general_check_element(s, &map.view, x, y);
    return map;
}

void random_map(random_run *run, const random_problem *p)
{
    general_subject s;
    const char *kernel[CHECK_KERNELS];
    char what[400];
    if (random_make(run, p, &s)) {
        kit_map want = random_reference(run, p, &s);
        const size_t kernels = random_kernels(run, &s.problem, general_work(&s.c), kernel);
        for (size_t k = 0; k < kernels; k++) {
            const int where = random_where(run, &s.random);
            kit_options forced = s.c.options;
            forced.kernel = kernel[k];
            run->check.turn = kit_below(&s.random, 60);
            snprintf(what, sizeof what, "%s, %s, image %s, map %s", s.name, kernel[k],
                     where & 1 ? "device" : "host", where & 2 ? "device" : "host");
            general_check_map(&s, &forced, 0, where, &want.view, what);
            random_count(run, kernel[k]);
        }
        kit_map_destroy(&want);
    }
    general_free(&s);
}

/* Draws the options of a search, more widely than general_request_draw, and answers it. */
static void make_request(general_subject *s, const xncc_map *map, general_request *r)
{
    general_request_draw(s, NULL, map, r);
    if (kit_next(&s->random) & 1)
        r->options.top = kit_below(&s->random, UINT64_C(2) << kit_below(&s->random, 8));
    if (kit_next(&s->random) & 1)
        r->options.min_distance = kit_between(&s->random, 0, 15);
    if (kit_next(&s->random) & 1)
        r->capacity = kit_below(&s->random, GENERAL_MATCHES + 1);
    general_request_answer(s, map, r);
}

void random_find(random_run *run, const random_problem *p)
{
    static general_request r;
    static xncc_match got[GENERAL_MATCHES];
    general_subject s;
    const char *kernel[CHECK_KERNELS];
    if (random_make(run, p, &s)) {
        kit_map want = random_reference(run, p, &s);
        const size_t kernels = random_kernels(run, &s.problem, general_work(&s.c), kernel);
        make_request(&s, &want.view, &r);
        for (size_t k = 0; k < kernels; k++) {
            device_image twin = { .memory = NULL };
            size_t found = 12345;
            if (random_where(run, &s.random) & 1)
                twin = device_image_create(&s.image.view, (int32_t)kit_below(&s.random, 4));
            r.options.kernel = kernel[k];
            xncc_status status = kit_find(run->check.context[0],
                                          twin.memory ? &twin.view : &s.image.view, s.prepared[0],
                                          &r.options, got, r.capacity, &found);
            if (check_ok(status, kernel[k]))
                general_compare(&s, &r, "in one call", got, found);
            if (twin.memory)
                device_image_destroy(&twin);
            random_count(run, kernel[k]);
        }
        kit_map_destroy(&want);
    }
    general_free(&s);
}

enum { BATCH = 3 };

/* A problem of a plan: the expected map, and several templates with one request. */
typedef struct planned {
    random_run *run;
    general_subject s;
    kit_map want;
    const xncc_template *templ[BATCH];
    xncc_template *more[BATCH]; /* those that the subject does not own */
    size_t count;
    general_request r[BATCH];
} planned;

/* Makes more templates with the subject's rules; those that do not fit the plan are left out. */
static void more_templates(planned *q, const random_problem *p)
{
    general_subject *s = &q->s;
    const kit_image first = s->templ;
    xncc_context *context = q->run->check.context[0];
    while (q->count < BATCH && kit_below(&s->random, 4)) {
        xncc_template *made = NULL;
        s->templ = general_templ(&s->c, &s->image, &s->random);
        if (check_ok(xncc_template_create(context, &s->templ.view, &made, &kit_error), s->name) &&
            xncc_template_is_masked(made) == s->problem.templ_masked) {
            const size_t i = q->count++;
            random_problem like = *p;
            like.oracle = 0;
            kit_map map = random_reference(q->run, &like, s);
            q->r[i].options = q->r[0].options;
            q->r[i].capacity = q->r[0].capacity;
            general_request_answer(s, &map.view, &q->r[i]);
            kit_map_destroy(&map);
            q->templ[i] = q->more[i] = made;
            made = NULL;
        }
        xncc_template_destroy(made);
        kit_image_destroy(&s->templ);
    }
    s->templ = first;
}

static void plan_map(planned *q, xncc_plan *plan, const char *kernel)
{
    general_subject *s = &q->s;
    placed at;
    char what[400];
    const int where = random_where(q->run, &s->random);
    placed_create(&at, &s->image.view, &q->want.view, where, kit_below(&s->random, 60));
    snprintf(what, sizeof what, "%s, %s, by a plan", s->name, kernel);
    xncc_status status = xncc_plan_correlate(plan, at.image, s->prepared[0], at.map, NULL,
                                             &kit_error);
    const int done = check_ok(status, what);
    if (q->run->on_gpu)
        CHECK(kit_device_wait(NULL));
    placed_check(&at, done, &q->want.view, what);
    placed_destroy(&at);
    random_count(q->run, kernel);
}

static void plan_matches(planned *q, xncc_plan *plan, const char *kernel)
{
    static xncc_match got[BATCH * GENERAL_MATCHES];
    general_subject *s = &q->s;
    size_t found[BATCH] = { 12345, 12345, 12345 };
    const general_request *r = &q->r[0];
    if (check_ok(kit_plan_find(plan, &s->image.view, s->prepared[0], &r->options, got, r->capacity,
                               found, NULL),
                 s->name))
        general_compare(s, r, "by a plan", got, found[0]);
    if (check_ok(kit_find_each(q->run->check.context[0], &s->problem, &s->image.view, q->templ,
                               q->count, &r->options, got, r->capacity, found),
                 s->name))
        for (size_t i = 0; i < q->count; i++)
            general_compare(s, &q->r[i], "in a batch", got + i * r->capacity, found[i]);
    general_check_rows(s, plan, r);
    if (q->run->on_gpu && r->capacity > 0)
        general_check_left_on_device(s, plan, r);
    random_count(q->run, kernel);
}

void random_plan(random_run *run, const random_problem *p)
{
    static planned q;
    const char *kernel[CHECK_KERNELS];
    memset(&q, 0, sizeof q);
    q.run = run;
    if (random_make(run, p, &q.s)) {
        const size_t kernels = random_kernels(run, &q.s.problem, general_work(&q.s.c), kernel);
        q.want = random_reference(run, p, &q.s);
        make_request(&q.s, &q.want.view, &q.r[0]);
        q.templ[q.count++] = q.s.prepared[0];
        more_templates(&q, p);
        for (size_t k = 0; k < kernels; k++) {
            xncc_plan *plan = NULL;
            for (size_t i = 0; i < q.count; i++)
                q.r[i].options.kernel = kernel[k];
            if (check_ok(xncc_plan_create(run->check.context[0], &q.s.problem,
                                          &(xncc_preference){ .size = sizeof(xncc_preference),
                                                              .kernel = kernel[k] },
                                          &plan, &kit_error),
                         q.s.name)) {
                plan_map(&q, plan, kernel[k]);
                plan_matches(&q, plan, kernel[k]);
                plan_map(&q, plan, kernel[k]);
            }
            xncc_plan_destroy(plan);
        }
        for (size_t i = 0; i < q.count; i++)
            xncc_template_destroy(q.more[i]);
        kit_map_destroy(&q.want);
    }
    general_free(&q.s);
}
