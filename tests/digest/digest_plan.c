/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans, batches, scans, convolution, and results that stay in device memory. */
#include "digest.h"

/* The map of an image by a plan. */
static void plan_map(run *r, int kernel, scene *s, xncc_plan *plan, const xncc_image *image,
                     const xncc_template *templ)
{
    const xncc_problem *p = &s->problem;
    int32_t width, height, x0, y0;
    digest d = { 0, 0 };
    (void)kit_map_extent(p->rule.mode, p->image_width, p->image_height, p->templ_width,
                         p->templ_height, &width, &height, &x0, &y0);
    sheet map = sheet_make(r, width, height, &s->random, s->map_there);
    xncc_status status = xncc_plan_correlate(plan, image, templ, &map.view, NULL, &kit_error);
    if (!status)
        sheet_hash(&map, &d);
    record(r, kernel, status, &d);
    sheet_free(&map);
}

static void plan_find(run *r, int kernel, scene *s, xncc_plan *plan, const xncc_image *image,
                      const xncc_template *templ)
{
    xncc_match match[64] = { { 0, 0, 0 } };
    size_t found = 4711;
    digest d = { 0, 0 };
    kit_find_options options = scene_find_options(s, 0);
    xncc_status status = kit_plan_find(plan, image, templ, &options, match, 64, &found, NULL);
    hash_matches(&d, match, status ? 0 : found);
    record(r, kernel, status, &d);
}

/* One plan with two images and two templates in turn, and an image that does not fit it. */
static void use_plan(run *r, int kernel, scene *s, xncc_plan *plan)
{
    const xncc_problem *p = &s->problem;
    xncc_template *other = NULL;
    picture second = scene_picture(r, s);
    const xncc_image *image[] = { scene_image(s), second.device ? &second.twin : &second.view };
    (void)scene_template(r, s, p->templ_width, p->templ_height, &other);
    plan_map(r, kernel, s, plan, image[0], s->templ);
    plan_find(r, kernel, s, plan, image[1], s->templ);
    plan_find(r, kernel, s, plan, image[0], s->templ);
    if (other) { /* where not every pixel counts in one of them only, it is refused */
        plan_map(r, kernel, s, plan, image[1], other);
        plan_find(r, kernel, s, plan, image[1], other);
        plan_map(r, kernel, s, plan, image[0], other);
    }
    plan_map(r, kernel, s, plan, image[1], s->templ);
    xncc_image wrong = *image[0];
    wrong.height--;
    if (wrong.height > 0)
        plan_find(r, kernel, s, plan, &wrong, s->templ);
    xncc_template_destroy(other);
    picture_free(&second);
}

/* A plan for each kernel on one scene. */
static void each_plan(run *r, scene *s, int more,
                      void (*use)(run *r, int kernel, scene *s, xncc_plan *plan))
{
    const double work = more * scene_work(s);
    const rng before = s->random; /* each kernel has the same images */
    for (int k = next_kernel(r, XNCC_TASK_MATCH, -1, work); !s->made && k >= 0;
         k = next_kernel(r, XNCC_TASK_MATCH, k, work)) {
        xncc_preference want = { .size = sizeof(xncc_preference),
                                 .kernel = k ? kernel_name(k) : NULL };
        xncc_plan *plan = NULL;
        xncc_status status = xncc_plan_create(
            s->context, &s->problem, k || once_in(&s->random, 2) ? &want : NULL, &plan, &kit_error);
        record(r, k, status, &(digest){ 0, 0 });
        if (!status)
            use(r, k, s, plan);
        xncc_plan_destroy(plan);
        s->random = before;
    }
    scene_free(s);
}

void group_plan(run *r)
{
    for (int i = 0; i < 160; i++) {
        scene s = scene_rules(r, i % 3 == 0);
        if (i % 3)
            scene_tiny(&s);
        else
            scene_small(&s);
        if (scene_make(r, &s))
            each_plan(r, &s, 7, use_plan);
    }
}

enum { BANK = 40, EACH = 12 };

/* The batch makes plans of its own; the given one shows that the kernel serves the problem. */
static void use_bank(run *r, int kernel, scene *s, xncc_plan *plan)
{
    (void)plan;
    static const int counts[] = { 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33, BANK };
    xncc_template *batch[BANK];
    xncc_match match[BANK * EACH] = { { 0, 0, 0 } };
    size_t found[BANK], made = 0;
    const size_t count = (size_t)counts[below(&s->random, scene_work(s) > 1e6 ? 6 : 12)],
                 capacity = (size_t)below(&s->random, EACH + 1);
    for (; made < count &&
           !scene_template(r, s, s->problem.templ_width, s->problem.templ_height, &batch[made]);
         made++) {
        if (xncc_template_is_masked(batch[made]) == s->problem.templ_masked)
            continue;
        xncc_template_destroy(batch[made]); /* it would be refused */
        batch[made] = s->templ;
    }
    for (int round = 0; round < 2; round++) {
        digest d = { 0, 0 };
        kit_find_options options = scene_find_options(s, kernel);
        memset(found, 7, sizeof found);
        xncc_status status = kit_find_each(s->context, &s->problem, scene_image(s),
                                           (const xncc_template *const *)batch, made, &options,
                                           match, capacity, found);
        for (size_t i = 0; !status && i < made; i++)
            hash_matches(&d, match + i * capacity, found[i]);
        record(r, kernel, status, &d);
    }
    while (made-- > 0)
        if (batch[made] != s->templ)
            xncc_template_destroy(batch[made]);
}

void group_plan_batch(run *r)
{
    for (int i = 0; i < 110; i++) {
        scene s = scene_rules(r, i % 2);
        if (i % 4 < 3) {
            scene_tiny(&s);
        } else {
            s.problem.image_width = between(&s.random, 40, 260);
            s.problem.image_height = between(&s.random, 40, 190);
            scene_template_sides(&s);
        }
        if (scene_make(r, &s))
            each_plan(r, &s, 30, use_bank);
    }
}

/* A scan whose rows arrive in steps, then the search of a plan. */
static void use_scan(run *r, int kernel, scene *s, xncc_plan *plan)
{
    enum { SCANNED = 40000 };
    static xncc_match match[SCANNED];
    kit_find_options options = scene_find_options(s, 0);
    const int32_t height = s->problem.image_height,
                  step = between(&s->random, 1, once_in(&s->random, 3) ? height : height / 4 + 1);
    size_t capacity = once_in(&s->random, 2) ? 64 : MATCHES;
    if (once_in(&s->random, 3)) { /* as a rule all positions, so that no wrong one hides */
        options.min_score = -INFINITY;
        options.max_score = 0;
        options.min_distance = 1;
        options.top = 0;
        capacity = SCANNED;
    }
    for (int round = 0; round < 2; round++) {
        xncc_scan *scan = NULL;
        size_t found = 4711;
        xncc_status status = kit_scan_create(plan, scene_image(s), s->templ, &options, capacity,
                                             &scan);
        kept_rows k = keep_rows(&s->image, &s->random);
        for (int32_t rows = 0; !status && rows <= height; rows += step) {
            rows_arrive(&k, rows);
            status = xncc_scan_rows(scan, rows, &kit_error);
        }
        rows_arrive(&k, height);
        free(k.pixels);
        free(k.mask);
        if (!status)
            status = xncc_scan_finish(scan, match, &found, NULL, &kit_error);
        xncc_scan_destroy(scan);
        digest d = { 0, 0 };
        hash_matches(&d, match, status ? 0 : found);
        record(r, kernel, status, &d);
    }
    plan_find(r, kernel, s, plan, scene_image(s), s->templ);
}

void group_scan(run *r)
{
    for (int i = 0; i < 140; i++) {
        scene s = scene_rules(r, i % 2);
        if (i % 5 > 2) { /* high, so that the work begins with the first rows */
            s.problem.image_width = between(&s.random, 20, i % 5 == 4 ? 60 : 300);
            s.problem.image_height = between(&s.random, 200, 700);
            scene_template_sides(&s);
            s.problem.templ_height = between(&s.random, 1, 12);
            if (i % 10 == 4) { /* windows above the image have rows from further below */
                s.problem.rule.mode = XNCC_FULL;
                s.problem.rule.border = i % 20 == 4 ? XNCC_BORDER_MIRROR : XNCC_BORDER_WRAP;
                s.problem.image_width = between(&s.random, 6, 16);
                s.problem.image_height = between(&s.random, 450, 700);
                s.problem.templ_width = between(&s.random, 1, 3);
                s.problem.templ_height = between(&s.random, 150, 440);
            }
        } else if (i % 3) {
            scene_tiny(&s);
        } else {
            scene_small(&s);
        }
        if (scene_make(r, &s))
            each_plan(r, &s, 3, use_scan);
    }
}

typedef struct filtering {
    xncc_context *context;
    picture image;
    xncc_filter *filter;
    int32_t width, height;
    xncc_border border;
    rng random;
    int map_there;
} filtering;

/* Coefficients of all magnitudes, of mixed magnitudes, near the smallest floats, or a single one.
 */
static void some_taps(rng *random, float *tap, int32_t count)
{
    const int32_t kind = below(random, 6);
    for (int32_t i = 0; i < count; i++) {
        const float v = (float)between(random, -8388607, 8388607) * 0x1p-23f;
        tap[i] = kind == 0   ? 0.0f
                 : kind == 1 ? v * 1e-37f
                 : kind == 2 ? ldexpf(v, between(random, -20, 20))
                             : v;
    }
    if (kind == 0)
        tap[below(random, count)] = 1.0f;
}

/* The filter, and the image for it. */
static int filtering_make(run *r, filtering *f, xncc_pixel pixel, int32_t width, int32_t height)
{
    static float tap[(XNCC_MAX_FILTER + 1) * XNCC_MAX_FILTER];
    rng *random = &f->random;
    const int32_t correlate = below(random, 2), anchored = below(random, 2),
                  x = below(random, f->width), y = below(random, f->height);
    kit_filter_options o = { correlate, anchored, x, y };
    if (once_in(random, 3))
        o.anchor_x = once_in(random, 2) ? f->width - 1 : 0;
    if (once_in(random, 40))
        o.anchor_y = f->height; /* refused */
    if (!problem_begins(r, "%s %dx%d with filter %dx%d correlate %d anchored %d (%d, %d) border %d",
                        xncc_pixel_name(pixel), width, height, f->width, f->height, o.correlate,
                        o.anchored, o.anchor_x, o.anchor_y, (int)f->border))
        return 0;
    some_taps(random, tap, f->width * f->height);
    if (once_in(random, 60))
        tap[f->width / 2] = INFINITY;
    xncc_status status = kit_filter_create(f->context, tap, f->width, f->height,
                                           once_in(random, 4) ? NULL : &o, &f->filter);
    record(r, 0, status, &(digest){ 0, 0 });
    if (status)
        return 0;
    f->image = picture_make(pixel, below(random, 2), width, height, random);
    picture_fill(&f->image.view, below(random, 3) ? FILL_NOISE : below(random, FILLS), random);
    if (below(random, 2))
        picture_upload(r, &f->image);
    f->map_there = below(random, 2) & r->device_memory;
    return 1;
}

static void convolve_by(run *r, int k, filtering *f, int by_plan)
{
    const xncc_image *v = f->image.device ? &f->image.twin : &f->image.view;
    const kit_convolve_options options = { f->border, k ? kernel_name(k) : NULL };
    digest d = { 0, 0 };
    sheet out = sheet_make(r, v->width, v->height, &f->random, f->map_there);
    xncc_status status;
    if (by_plan) {
        const xncc_problem p = kit_problem((xncc_problem){ .task = XNCC_TASK_CONVOLVE,
                                                           .pixel = v->pixel,
                                                           .image_width = v->width,
                                                           .image_height = v->height,
                                                           .templ_width = f->width,
                                                           .templ_height = f->height,
                                                           .rule.border = f->border });
        xncc_plan *plan = NULL;
        status = xncc_plan_create(
            f->context, &p,
            &(xncc_preference){ .size = sizeof(xncc_preference), .kernel = options.kernel }, &plan,
            &kit_error);
        if (!status)
            status = xncc_plan_convolve(plan, v, f->filter, &out.view, NULL, &kit_error);
        if (!status)
            status = xncc_plan_convolve(plan, v, f->filter, &out.view, NULL, &kit_error);
        if (!status) /* before the plan goes */
            sheet_hash(&out, &d);
        xncc_plan_destroy(plan);
    } else {
        status = kit_convolve(f->context, v, f->filter, &options, &out.view);
        if (!status)
            sheet_hash(&out, &d);
    }
    record(r, k, status, &d);
    sheet_free(&out);
}

static void filtering_work(run *r, filtering *f)
{
    const double work = 100.0 * f->width * f->height * f->image.view.width * f->image.view.height;
    const int by_plan = once_in(&f->random, 3);
    for (int k = next_kernel(r, XNCC_TASK_CONVOLVE, -1, work); k >= 0;
         k = next_kernel(r, XNCC_TASK_CONVOLVE, k, work))
        convolve_by(r, k, f, by_plan);
    picture_free(&f->image);
    xncc_filter_destroy(f->filter);
}

/* Every pixel type and border, including those that are refused. */
void group_convolve(run *r)
{
    static const int32_t side[] = { 1,  2,  3,  4,  5,  6,  7,  8,  9, 11,
                                    13, 15, 16, 17, 19, 23, 27, 31, 33 };
    for (int i = 0; i < 420; i++) {
        filtering f = { .context = r->context[i % CONTEXTS], .random = problem_random(r) };
        f.width = side[below(&f.random, 19)];
        f.height = once_in(&f.random, 2) ? f.width : side[below(&f.random, 19)];
        if (once_in(&f.random, 30))
            f.width = between(&f.random, 1, 128); /* 128 is refused */
        f.border = (xncc_border)(once_in(&f.random, 25) ? 2 : below(&f.random, 2));
        const int32_t width = between(&f.random, 1, 140), height = between(&f.random, 1, 90);
        const xncc_pixel pixel = (xncc_pixel)(i % 10 == 9 ? 3 + i / 10 % 4 : i % 3);
        if (filtering_make(r, &f, pixel, width, height))
            filtering_work(r, &f);
    }
}

/* Large images, large filters. */
void group_filters(run *r)
{
    static const int32_t z[][4] = { { 1000, 700, 3, 3 },   { 1021, 633, 5, 5 },
                                    { 641, 479, 27, 27 },  { 40001, 5, 7, 3 },
                                    { 33, 66001, 2, 4 },   { 300, 200, 64, 31 },
                                    { 400, 300, 9, 9 },    { 500, 400, 17, 17 },
                                    { 130, 70, 127, 127 }, { 2100, 1300, 3, 5 } };
    for (int i = 0; i < 30; i++) {
        const int32_t *s = z[i / 3];
        filtering f = { .context = r->context[i % CONTEXTS],
                        .random = problem_random(r),
                        .width = s[2],
                        .height = s[3] };
        f.border = (xncc_border)below(&f.random, 2);
        if (filtering_make(r, &f, (xncc_pixel)(i % 3), s[0], s[1]))
            filtering_work(r, &f);
    }
}

/* Matches that stay in device memory, and the merged matches of two searches. */
static void use_device(run *r, int kernel, scene *s, xncc_plan *plan)
{
    enum { MOST = 64 };
    char blank[MOST * sizeof(xncc_candidate)];
    xncc_candidate merged[MOST];
    xncc_match match[MOST];
    uint32_t number[2] = { 4711, 4711 };
    memset(blank, 0x33, sizeof blank);
    xncc_match *there = device_copy(r, blank, sizeof match);
    xncc_candidate *result = device_copy(r, blank, sizeof merged);
    uint32_t *found = device_copy(r, number, sizeof number);
    xncc_suppressor *suppressor = NULL;
    xncc_status status = xncc_suppressor_create(s->context, 2 * MOST, &suppressor, &kit_error);
    const kit_suppress_options by = { s->problem.rule.method, XNCC_SUPPRESS_OVERLAP, 0.4, 0 };
    for (int i = 0; i < 2 && !status; i++) {
        const kit_find_options options = scene_find_options(s, 0);
        digest d = { 0, 0 };
        status = kit_plan_find_on_device(plan, scene_image(s), s->templ, &options, there, MOST,
                                         found, NULL);
        if (!status) {
            device_back(match, there, sizeof match);
            device_back(number, found, sizeof number);
            hash_matches(&d, match, number[0] < MOST ? number[0] : MOST);
        }
        record(r, kernel, status, &d);
        if (!status)
            status = xncc_suppressor_add(suppressor, there, found, 3, s->problem.templ_width,
                                         s->problem.templ_height, NULL, &kit_error);
        if (!status)
            status = kit_suppressor_run(suppressor, &by, result, MOST, found + 1, NULL);
    }
    digest d = { 0, 0 };
    if (!status) {
        device_back(merged, result, sizeof merged);
        device_back(number, found, sizeof number);
        hash_word(&d, number[1]);
        hash_numbers(&d, merged, sizeof merged); /* the rest is as it was */
    }
    record(r, kernel, status, &d);
    xncc_suppressor_destroy(suppressor);
    device_free(there);
    device_free(result);
    device_free(found);
}

void group_device(run *r)
{
    for (int i = 0; i < 160 && r->device_memory; i++) {
        scene s = scene_rules(r, i % 2);
        if (i % 4 == 3)
            scene_small(&s);
        else
            scene_tiny(&s);
        if (scene_make(r, &s))
            each_plan(r, &s, 2, use_device);
    }
}
