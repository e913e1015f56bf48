/* SPDX-License-Identifier: BSD-2-Clause */
/* Problems with templates of several sizes on one image (random.h): their matches in one list, and
 * the best of them at each position. */
#include "random/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 5, CAPACITY = 60 };

/* Templates with their expected maps. The subject holds one of them at a time. */
typedef struct several {
    random_run *run;
    const random_problem *p;
    general_subject s;
    size_t count;
    general_case c[MOST];
    xncc_template *templ[MOST];
    xncc_problem problem[MOST];
    kit_map map[MOST];
    kit_find_options options;
    size_t capacity, wanted;
    xncc_candidate want[MOST * CAPACITY];
} several;

/* Draws the size of one more template. */
static general_case some_case(several *v)
{
    general_case c = v->p->c;
    if (kit_below(&v->s.random, 3)) {
        c.width = kit_between(&v->s.random, 1, c.width);
        c.height = kit_between(&v->s.random, 1, c.height);
    }
    if (general_work(&c) > general_work(&v->p->c) + 1e6) { /* many more windows */
        c.width = v->p->c.width;
        c.height = v->p->c.height;
    }
    if (kit_below(&v->s.random, 3) == 0 && c.masks == GENERAL_BOTH)
        c.masks = GENERAL_IMAGE; /* a template without a mask beside others with one */
    return c;
}

/* Answers the request. In a search flat windows score as with XNCC_FLAT_ZERO, so another map is
 * needed if this one has NaN there. */
static void answer(several *v, const xncc_map *map, general_request *r)
{
    general_subject *s = &v->s;
    if (s->c.options.flat == XNCC_FLAT_ZERO) {
        general_request_answer(s, map, r);
        return;
    }
    kit_options options = s->c.options;
    options.flat = XNCC_FLAT_ZERO;
    kit_map found = check_reference(&v->run->check, &s->image.view, &s->templ.view, &options);
    general_request_answer(s, &found.view, r);
    kit_map_destroy(&found);
}

/* Makes one more template, its map and its part of the expected list. */
static int add_template(several *v)
{
    static general_request r;
    general_subject *s = &v->s;
    const size_t i = v->count;
    xncc_context *context = v->run->check.context[0];
    random_problem p = *v->p;
    s->c = v->c[i] = some_case(v);
    kit_image_destroy(&s->templ);
    s->templ = general_templ(&s->c, &s->image, &s->random);
    random_extents(s, p.oracle);
    if (!check_ok(xncc_template_create(context, &s->templ.view, &v->templ[i], &kit_error), s->name))
        return 0;
    v->count++;
    v->problem[i] = s->problem;
    v->problem[i].templ_width = s->c.width;
    v->problem[i].templ_height = s->c.height;
    v->problem[i].templ_masked = xncc_template_is_masked(v->templ[i]);
    v->map[i] = random_reference(v->run, &p, s);
    if (i == 0) {
        general_request_draw(s, NULL, &v->map[0].view, &r);
        v->options = r.options;
        v->capacity = kit_below(&s->random, CAPACITY + 1);
    }
    r.options = v->options;
    r.capacity = v->capacity;
    answer(v, &v->map[i].view, &r);
    for (size_t k = 0; k < r.wanted; k++)
        v->want[v->wanted++] = (xncc_candidate){ r.want[k], (int32_t)i, s->c.width, s->c.height };
    return 1;
}

/* Puts the expected candidates in order, and suppresses if asked to. The order is that of a
 * suppression that removes nothing. */
static void order(several *v, const kit_suppress_options *merge)
{
    kit_suppress_options none = { .kind = XNCC_SUPPRESS_OVERLAP, .limit = 1.0 };
    if (merge)
        none = *merge;
    none.method = xncc_method_is_distance(v->options.method) ? XNCC_SQDIFF : XNCC_CCOEFF_NORMED;
    CHECK_STATUS(kit_suppress(v->want, v->wanted, &none, &v->wanted), XNCC_OK);
    v->wanted = v->wanted < v->capacity ? v->wanted : v->capacity;
}

static void check_list(several *v, const kit_suppress_options *merge, const char *kernel)
{
    static xncc_candidate got[CAPACITY];
    xncc_context *context = v->run->check.context[0];
    const xncc_image *image = &v->s.image.view;
    device_image twin = { .memory = NULL };
    size_t found = 12345;
    if (random_where(v->run, &v->s.random) & 1)
        twin = device_image_create(image, (int32_t)kit_below(&v->s.random, 4));
    v->options.kernel = kernel;
    const xncc_status status = kit_find_batch(context, twin.memory ? &twin.view : image,
                                              (const xncc_template *const *)v->templ, v->count,
                                              &v->options, merge, got, v->capacity, &found);
    if (check_ok(status, v->s.name) && !CHECK_INT(found, v->wanted))
        kit_fail(__FILE__, __LINE__, "%s, %s: matches of %zu templates", v->s.name, kernel,
                 v->count);
    for (size_t i = 0; !status && i < found && i < v->wanted; i++) {
        const xncc_candidate *g = &got[i], *w = &v->want[i];
        if (memcmp(g, w, sizeof *g) != 0)
            kit_fail(__FILE__, __LINE__,
                     "%s, %s: match %zu is %d at (%d, %d) %.9g, want %d at (%d, %d) %.9g",
                     v->s.name, kernel, i, g->templ, g->match.x, g->match.y, (double)g->match.score,
                     w->templ, w->match.x, w->match.y, (double)w->match.score);
    }
    if (twin.memory)
        device_image_destroy(&twin);
    random_count(v->run, kernel);
}

/* The best of the expected maps. In mode XNCC_VALID they begin at the same position. */
static kit_map best_of(const several *v, int32_t *index)
{
    int32_t width = 0, height = 0;
    for (size_t i = 0; i < v->count; i++) {
        width = v->map[i].view.width > width ? v->map[i].view.width : width;
        height = v->map[i].view.height > height ? v->map[i].view.height : height;
    }
    const int smallest = xncc_method_is_distance(v->options.method);
    kit_map best = kit_map_create(width, height, 0, KIT_AFTER);
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++) {
            float *score = kit_map_row(&best.view, y) + x;
            int32_t *at = index + (int64_t)y * width + x;
            *score = NAN;
            *at = -1;
            for (size_t i = 0; i < v->count; i++) {
                if (x >= v->map[i].view.width || y >= v->map[i].view.height)
                    continue;
                const float one = kit_map_row(&v->map[i].view, y)[x];
                if (!isnan(one) && (*at < 0 || (smallest ? one < *score : one > *score))) {
                    *score = one;
                    *at = (int32_t)i;
                }
            }
        }
    return best;
}

static void check_best_scores(several *v, const kit_map *want, const int32_t *index, int32_t *got,
                              const char *kernel)
{
    random_run *run = v->run;
    xncc_context *context = run->check.context[0];
    const size_t bytes = (size_t)want->view.width * (size_t)want->view.height * sizeof *got;
    const int where = random_where(run, &v->s.random);
    int32_t *on_device = where & 2 ? kit_device_alloc(bytes) : NULL;
    char what[400];
    placed at;
    placed_create(&at, &v->s.image.view, &want->view, where, kit_below(&v->s.random, 60));
    snprintf(what, sizeof what, "%s, %s: best of %zu templates", v->s.name, kernel, v->count);
    memset(got, 0x5a, bytes);
    kit_options options = v->p->c.options;
    options.kernel = kernel;
    const xncc_best best = { .score = *at.map, .index = on_device ? on_device : got };
    int done = check_ok(kit_correlate_best(context, at.image,
                                           (const xncc_template *const *)v->templ, v->count,
                                           &options, &best),
                        what);
    placed_check(&at, done, &want->view, what);
    if (on_device)
        done = CHECK(kit_device_download(got, on_device, bytes)) && done;
    for (size_t i = 0; done && i < bytes / sizeof *got; i++)
        if (got[i] != index[i])
            kit_fail(__FILE__, __LINE__, "%s: the index at (%zu, %zu) is %d, want %d", what,
                     i % (size_t)want->view.width, i / (size_t)want->view.width, got[i], index[i]);
    if (on_device)
        kit_device_free(on_device);
    placed_destroy(&at);
    random_count(run, kernel);
}

/* Keeps the kernels that can serve all of the templates. */
static size_t common_kernels(several *v, const char **name)
{
    const char *other[CHECK_KERNELS];
    const double work = general_work(&v->p->c) * (double)v->count;
    size_t count = random_kernels(v->run, &v->problem[0], work, name);
    for (size_t i = 1; i < v->count; i++) {
        const size_t others = random_kernels(v->run, &v->problem[i], work, other);
        size_t kept = 0;
        for (size_t k = 0; k < count; k++)
            for (size_t j = 0; j < others; j++)
                if (strcmp(name[k], other[j]) == 0) {
                    name[kept++] = name[k];
                    break;
                }
        count = kept;
    }
    return count;
}

static void check_all(several *v)
{
    const char *kernel[CHECK_KERNELS];
    kit_random *random = &v->s.random;
    kit_suppress_options merge = { .kind = (xncc_suppress_kind)kit_below(random, 2) };
    merge.limit = (double)kit_below(random, 11) * (merge.kind == XNCC_SUPPRESS_OVERLAP ? 0.1 : 1.0);
    merge.top = kit_below(random, 30);
    const kit_suppress_options *how = kit_next(random) & 1 ? &merge : NULL;
    const size_t kernels = common_kernels(v, kernel);
    order(v, how);
    for (size_t k = 0; k < kernels; k++)
        check_list(v, how, kernel[k]);
    if (v->p->c.options.mode == XNCC_FULL)
        return;
    const size_t most = (size_t)v->p->c.image_width * (size_t)v->p->c.image_height;
    int32_t *index = calloc(2 * most, sizeof *index);
    if (!index)
        kit_give_up("no memory for the indices of %zu positions", most);
    kit_map best = best_of(v, index);
    for (size_t k = 0; k < kernels; k++)
        check_best_scores(v, &best, index, index + most, kernel[k]);
    kit_map_destroy(&best);
    free(index);
}

void random_batch(random_run *run, const random_problem *p)
{
    static several v;
    memset(&v, 0, sizeof v);
    v.run = run;
    v.p = p;
    if (random_make(run, p, &v.s)) {
        const size_t count = 1 + kit_below(&v.s.random, MOST);
        while (v.count < count && add_template(&v))
            continue;
        if (v.count == count)
            check_all(&v);
        for (size_t i = 0; i < v.count; i++) {
            xncc_template_destroy(v.templ[i]);
            kit_map_destroy(&v.map[i]);
        }
    }
    general_free(&v.s);
}
