/* SPDX-License-Identifier: BSD-2-Clause */
/* Matches of one template and of batches, by one-call functions and by plans; and the small calls.
 */
#include "digest.h"

/* Scenes for searches; most are tiny. */
static scene search_scene(run *r, uint64_t i)
{
    scene s = scene_rules(r, i % 3 == 0);
    if (i % 16 == 7) {
        s.problem.image_width = between(&s.random, 200, 400);
        s.problem.image_height = between(&s.random, 150, 300);
        scene_template_sides(&s);
    } else if (i % 4 == 3) {
        scene_small(&s);
    } else {
        scene_tiny(&s);
    }
    return s;
}

static size_t some_capacity(rng *random)
{
    static const size_t some[] = { MATCHES, 40, 16, 5, 1, 0 };
    return once_in(random, 2) ? MATCHES : some[below(random, 6)];
}

void group_find(run *r)
{
    for (uint64_t i = 0; i < 640; i++) {
        scene s = search_scene(r, i);
        if (!scene_make(r, &s))
            continue;
        const kit_find_options options = scene_find_options(&s, 0);
        const size_t capacity = some_capacity(&s.random);
        const double work = scene_work(&s);
        for (int k = next_kernel(r, XNCC_TASK_MATCH, -1, work); !s.made && k >= 0;
             k = next_kernel(r, XNCC_TASK_MATCH, k, work)) {
            xncc_match match[MATCHES] = { { 0, 0, 0 } };
            kit_find_options forced = options;
            size_t found = 4711;
            digest d = { 0, 0 };
            forced.kernel = k ? kernel_name(k) : NULL;
            xncc_status status = kit_find(s.context, scene_image(&s), s.templ, &forced,
                                          capacity ? match : NULL, capacity, &found);
            hash_matches(&d, match, status ? 0 : found);
            record(r, k, status, &d);
        }
        scene_free(&s);
    }
}

void group_refine(run *r)
{
    for (uint64_t i = 0; i < 240; i++) {
        scene s = search_scene(r, i);
        if (!scene_make(r, &s))
            continue;
        kit_find_options options = scene_find_options(&s, 0);
        xncc_match match[16] = { { 0, 0, 0 } };
        xncc_refined refined[16] = { { 0, 0, 0 } };
        size_t found = 0;
        digest d = { 0, 0 };
        options.min_score = -INFINITY;
        options.max_score = 0;
        if (!s.made &&
            !kit_find(s.context, scene_image(&s), s.templ, &options, match, 16, &found)) {
            if (found && once_in(&s.random, 12))
                match[0].x += 4000; /* no position of the map */
            xncc_status status = kit_refine(s.context, scene_image(&s), s.templ, &options, match,
                                            found, refined);
            for (size_t m = 0; !status && m < found; m++) {
                hash_double(&d, refined[m].x);
                hash_double(&d, refined[m].y);
                hash_double(&d, refined[m].score);
            }
            hash_word(&d, found);
            record(r, 0, status, &d);
        }
        scene_free(&s);
    }
}

static kit_suppress_options some_merge(rng *random)
{
    static const double distance[] = { 0, 0.5, 1, 3, 7.5, 100, -1 },
                        overlap[] = { 0, 0.1, 0.3, 0.5, 0.9, 1, 1.5 };
    kit_suppress_options o = { .method = (xncc_method)(below(random, 7) % 6) };
    o.kind = (xncc_suppress_kind)below(random, 2);
    const int32_t which = below(random, 40) < 38 ? below(random, 6) : 6; /* the last is refused */
    o.limit = o.kind == XNCC_SUPPRESS_DISTANCE ? distance[which] : overlap[which];
    o.top = once_in(random, 3) ? (size_t)below(random, 20) : 0;
    return o;
}

/* Draws from few values, so that many are equal. */
static void some_candidates(rng *random, xncc_candidate *candidate, size_t count)
{
    const int32_t spread = between(random, 1, 60), values = between(random, 1, 12);
    for (size_t i = 0; i < count; i++) {
        const int32_t x = below(random, spread) - spread / 3,
                      y = below(random, spread) - spread / 4, score = below(random, values);
        const int32_t number = below(random, 5), width = between(random, 1, 20),
                      height = between(random, 1, 20);
        candidate[i] = (xncc_candidate){
            { x, y, (float)score / 8.0f - 0.25f }, number, width, height
        };
        if (once_in(random, 20))
            candidate[i].match.score = NAN;
        if (once_in(random, 20))
            candidate[i].match.score = -0.0f;
    }
}

void group_merge(run *r)
{
    for (int i = 0; i < 260; i++) {
        rng random = problem_random(r);
        const size_t count = (size_t)below(&random, i % 10 == 0 ? MATCHES : 60);
        if (!problem_begins(r, "%d candidates", (int)count))
            continue;
        static xncc_candidate candidate[MATCHES];
        some_candidates(&random, candidate, count);
        if (once_in(&random, 30) && count)
            candidate[count / 2].width = 0;
        const kit_suppress_options options = some_merge(&random);
        size_t kept = 4711;
        digest d = { 0, 0 };
        xncc_status status = kit_suppress(candidate, count, once_in(&random, 8) ? NULL : &options,
                                          &kept);
        hash_candidates(&d, candidate, status ? count : kept);
        record(r, 0, status, &d);
    }
}

enum { MANY = 12 };

/* Several templates on the image of a scene, which has the first. */
typedef struct bundle {
    scene s;
    xncc_template *templ[MANY];
    size_t count;
    double work;
} bundle;

static int bundle_make(run *r, bundle *b, int plain)
{
    *b = (bundle){ .s = scene_rules(r, plain) };
    scene *s = &b->s;
    scene_small(s);
    s->problem.image_width = between(&s->random, 12, 120);
    s->problem.image_height = between(&s->random, 10, 80);
    scene_template_sides(s);
    if (!scene_make(r, s))
        return 0;
    if (s->made) {
        scene_free(s);
        return 0;
    }
    const int one_size = once_in(&s->random, 4), keep = s->templ_mask;
    b->templ[0] = s->templ;
    b->work = scene_work(s);
    const xncc_problem first = s->problem;
    for (b->count = 1; b->count < (size_t)between(&s->random, 1, MANY); b->count++) {
        if (!one_size)
            scene_template_sides(s);
        s->templ_mask = keep && !once_in(&s->random, 3);
        s->templ_fill = once_in(&s->random, 2) ? FILL_CROP : below(&s->random, FILLS);
        const xncc_status made = scene_template(r, s, s->problem.templ_width,
                                                s->problem.templ_height, &b->templ[b->count]);
        if (made)
            break;
        b->work += scene_work(s);
        if (once_in(&s->random, 5)) { /* the same twice */
            xncc_template_destroy(b->templ[b->count]);
            b->templ[b->count] = b->templ[b->count - 1];
        }
    }
    s->problem.templ_width = first.templ_width;
    s->problem.templ_height = first.templ_height;
    s->templ_mask = keep;
    return 1;
}

static void bundle_free(bundle *b)
{
    for (size_t i = b->count; i-- > 1;)
        if (b->templ[i] != b->templ[i - 1])
            xncc_template_destroy(b->templ[i]);
    scene_free(&b->s);
}

void group_batch(run *r)
{
    for (int i = 0; i < 200; i++) {
        bundle b;
        if (!bundle_make(r, &b, i % 2))
            continue;
        scene *s = &b.s;
        const kit_find_options options = scene_find_options(s, 0);
        const kit_suppress_options merge = some_merge(&s->random);
        const size_t capacity = some_capacity(&s->random),
                     count = once_in(&s->random, 20) ? 0 : b.count;
        const int merges = below(&s->random, 3);
        for (int k = next_kernel(r, XNCC_TASK_MATCH, -1, b.work); k >= 0;
             k = next_kernel(r, XNCC_TASK_MATCH, k, b.work)) {
            static xncc_candidate match[MATCHES];
            kit_find_options forced = options;
            size_t found = 4711;
            digest d = { 0, 0 };
            forced.kernel = k ? kernel_name(k) : NULL;
            xncc_status status = kit_find_batch(
                s->context, scene_image(s), (const xncc_template *const *)b.templ, count, &forced,
                merges ? &merge : NULL, capacity ? match : NULL, capacity, &found);
            hash_candidates(&d, match, status ? 0 : found);
            record(r, k, status, &d);
        }
        bundle_free(&b);
    }
}

/* Two maps for the best template at each position: its score and its number. */
typedef struct best_sheets {
    sheet score, index;
    xncc_best view;
} best_sheets;

static best_sheets best_make(const run *r, bundle *b)
{
    const xncc_problem *p = &b->s.problem;
    int32_t least_width = p->templ_width, least_height = p->templ_height, width = p->image_width,
            height = p->image_height;
    for (size_t i = 0; i < b->count; i++) {
        const int32_t w = xncc_template_width(b->templ[i]), h = xncc_template_height(b->templ[i]);
        least_width = w < least_width ? w : least_width;
        least_height = h < least_height ? h : least_height;
    }
    if (p->rule.mode == XNCC_VALID) {
        width -= least_width - 1;
        height -= least_height - 1;
    }
    best_sheets m = { .score = sheet_make(r, width, height, &b->s.random, b->s.map_there) };
    m.index = sheet_make(r, width, height, &b->s.random, b->s.map_there);
    m.view = (xncc_best){ m.score.view, (int32_t *)(void *)m.index.view.data, m.index.view.pitch };
    return m;
}

static void best_record(run *r, int kernel, xncc_status status, best_sheets *m)
{
    digest d = { 0, 0 };
    if (!status) {
        sheet_hash(&m->score, &d);
        const digest scores = d;
        sheet_hash(&m->index, &d); /* -1 looks like a NaN */
        hash_word(&d, d.nans - scores.nans);
        d.nans = scores.nans;
    }
    record(r, kernel, status, &d);
    sheet_free(&m->score);
    sheet_free(&m->index);
}

void group_best(run *r)
{
    for (int i = 0; i < 200; i++) {
        bundle b;
        if (!bundle_make(r, &b, i % 2))
            continue;
        scene *s = &b.s;
        if (s->problem.rule.mode == XNCC_FULL && i % 8) /* which is refused */
            s->problem.rule.mode = XNCC_SAME;
        for (int k = next_kernel(r, XNCC_TASK_MATCH, -1, b.work); k >= 0;
             k = next_kernel(r, XNCC_TASK_MATCH, k, b.work)) {
            kit_options options = scene_options(s, k);
            best_sheets m = best_make(r, &b);
            xncc_status status = kit_correlate_best(s->context, scene_image(s),
                                                    (const xncc_template *const *)b.templ, b.count,
                                                    &options, &m.view);
            best_record(r, k, status, &m);
        }
        bundle_free(&b);
    }
}

/* A batch that is bound once and used for two images. */
static void use_bound(run *r, int kernel, bundle *b, xncc_batch *batch, size_t capacity)
{
    static xncc_candidate match[MATCHES];
    scene *s = &b->s;
    picture other = scene_picture(r, s);
    const xncc_image *image[] = { scene_image(s), other.device ? &other.twin : &other.view,
                                  scene_image(s) };
    for (int i = 0; i < 3; i++) {
        size_t found = 4711;
        digest d = { 0, 0 };
        xncc_status status = xncc_batch_find(batch, image[i], capacity ? match : NULL, &found, NULL,
                                             &kit_error);
        hash_candidates(&d, match, status ? 0 : found);
        record(r, kernel, status, &d);
        best_sheets m = best_make(r, b);
        status = xncc_batch_best(batch, image[i], &m.view, NULL, &kit_error);
        best_record(r, kernel, status, &m);
    }
    picture_free(&other);
}

void group_bound(run *r)
{
    for (int i = 0; i < 90; i++) {
        bundle b;
        if (!bundle_make(r, &b, i % 2))
            continue;
        scene *s = &b.s;
        const kit_find_options find = scene_find_options(s, 0);
        const kit_suppress_options merge = some_merge(&s->random);
        kit_batch_options options = { .find = once_in(&s->random, 5) ? NULL : &find };
        options.suppress = once_in(&s->random, 2) ? NULL : &merge;
        options.capacity = some_capacity(&s->random);
        const rng before = s->random; /* each kernel has the same images */
        const double work = 6 * b.work;
        for (int k = next_kernel(r, XNCC_TASK_MATCH, -1, work); k >= 0;
             k = next_kernel(r, XNCC_TASK_MATCH, k, work)) {
            xncc_preference want = { .size = sizeof(xncc_preference),
                                     .kernel = k ? kernel_name(k) : NULL };
            xncc_batch *batch = NULL;
            xncc_status status = kit_batch_create(s->context, &s->problem, &want,
                                                  (const xncc_template *const *)b.templ, b.count,
                                                  once_in(&s->random, 9) ? NULL : &options, &batch);
            record(r, k, status, &(digest){ 0, 0 });
            if (!status)
                use_bound(r, k, &b, batch, options.capacity);
            xncc_batch_destroy(batch);
            s->random = before;
        }
        bundle_free(&b);
    }
}

/* Extents, crops, names, and calls that are refused. */
static void small_calls(run *r, rng *random)
{
    int32_t side[4], out[4] = { -7, -7, -7, -7 };
    digest d = { 0, 0 };
    for (int i = 0; i < 4; i++)
        side[i] = once_in(random, 12) ? below(random, 3) * (XNCC_MAX_SIDE / 2 + 1)
                                      : between(random, 1, 900);
    xncc_status status = kit_map_extent((xncc_mode)below(random, 4), side[0], side[1], side[2],
                                        side[3], &out[0], &out[1], &out[2], &out[3]);
    hash_numbers(&d, out, sizeof out);
    record(r, 0, status, &d);
    const int32_t type = below(random, 7), channels = below(random, 5);
    picture p = picture_make((xncc_pixel)type, channels, 20, 15, random);
    xncc_image crop = { .data = NULL };
    const int32_t x = below(random, 22) - 1, y = below(random, 17) - 1, w = below(random, 12),
                  h = below(random, 9);
    status = xncc_image_crop(&p.view, x, y, w, h, &crop, &kit_error);
    d = (digest){ status ? 0 : (uint64_t)((const unsigned char *)crop.data - p.memory), 0 };
    hash_numbers(&d,
                 (int32_t[]){ crop.width, crop.height, (int32_t)crop.pitch, (int32_t)crop.pixel,
                              crop.channels },
                 20);
    record(r, 0, status, &d);
    picture_free(&p);
    xncc_method method = XNCC_CCORR;
    const int number = below(random, 9);
    hash_text(&d, xncc_method_name((xncc_method)number));
    hash_text(&d, xncc_pixel_name((xncc_pixel)number));
    hash_text(&d, xncc_status_string((xncc_status)number));
    hash_word(&d, xncc_pixel_size((xncc_pixel)number) * 2 +
                      (uint64_t)xncc_method_is_distance((xncc_method)number));
    status = xncc_method_parse(xncc_method_name((xncc_method)number), &method, &kit_error);
    hash_word(&d, method);
    record(r, 0, status, &d);
}

/* Random problems, many of them illegal: the kernels that could serve each, which differ between
 * machines. */
static void ask_kernels(run *r, rng *random)
{
    if (r->common)
        return;
    xncc_problem p = kit_problem(
        (xncc_problem){ .task = once_in(random, 4) ? XNCC_TASK_CONVOLVE : XNCC_TASK_MATCH });
    p.pixel = (xncc_pixel)below(random, 8);
    p.image_width = between(random, 0, 3000);
    p.image_height = between(random, 1, 2000);
    p.templ_width = between(random, 1, 200);
    p.templ_height = between(random, 0, 200);
    p.rule.method = (xncc_method)(once_in(random, 20) ? 9 : below(random, 7));
    p.rule.mode = (xncc_mode)below(random, 3);
    p.rule.border = (xncc_border)(once_in(random, 20)
                                      ? 5
                                      : below(random, p.task == XNCC_TASK_MATCH ? 5 : 3));
    p.channels = once_in(random, 2) ? 0 : below(random, 66);
    p.image_masked = once_in(random, 3);
    p.templ_masked = once_in(random, 3);
    p.rule.min_valid = (double)below(random, 12) / 10;
    const char *name[64] = { NULL };
    digest d = { 0, 0 };
    d.value = xncc_kernel_list(r->context[below(random, 2)], &p, name, 64);
    for (int k = 1; k < KERNELS; k++)
        for (size_t i = 0; i < d.value && i < 64; i++)
            if (strcmp(name[i], kernel_name(k)) == 0)
                d.nans |= (uint64_t)1 << k;
    hash_word(&d, d.nans);
    d.nans = 0;
    record(r, 0, XNCC_OK, &d);
}

void group_calls(run *r)
{
    for (int i = 0; i < 200; i++) {
        rng random = problem_random(r);
        if (!problem_begins(r, "small calls"))
            continue;
        small_calls(r, &random);
        ask_kernels(r, &random);
    }
}
