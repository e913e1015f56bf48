/* SPDX-License-Identifier: BSD-2-Clause */
/* Problems of convolution (random.h). */
#include "random/random.h"

#include <stdio.h>

/* One problem: an image, a filter, and the expected result. */
typedef struct filtering {
    random_run *run;
    const random_problem *p;
    kit_random random;
    kit_image image;
    float tap[XNCC_MAX_FILTER * XNCC_MAX_FILTER];
    kit_filter_options options;
    kit_map want;
    char name[200];
} filtering;

static void draw_filter(filtering *f)
{
    const general_case *c = &f->p->c;
    check_taps(f->tap, c->width, c->height,
               (check_taps_fill)kit_below(&f->random, CHECK_TAPS_FILLS), &f->random);
    f->options = (kit_filter_options){ .correlate = kit_between(&f->random, 0, 1) };
    f->options.anchored = kit_between(&f->random, 0, 1);
    f->options.anchor_x = kit_between(&f->random, 0, c->width - 1);
    f->options.anchor_y = kit_between(&f->random, 0, c->height - 1);
    snprintf(f->name, sizeof f->name,
             "%s %dx%d (%s, pitch %lld), filter %dx%d, anchor (%d, %d)%s%s, border %s",
             xncc_pixel_name(c->pixel), c->image_width, c->image_height,
             c->image_fill == GENERAL_HALF ? "half" : kit_fill_name((kit_fill)c->image_fill),
             (long long)f->image.view.pitch, c->width, c->height, f->options.anchor_x,
             f->options.anchor_y, f->options.anchored ? "" : " ignored",
             f->options.correlate ? ", correlate" : "", c->options.border ? "zero" : "clamp");
}

static void convolve_with(filtering *f, xncc_context *context, const char *kernel, const placed *at,
                          int *done)
{
    const general_case *c = &f->p->c;
    const kit_convolve_options options = { .border = c->options.border, .kernel = kernel };
    xncc_filter *filter = NULL;
    *done = check_ok(kit_filter_create(context, f->tap, c->width, c->height, &f->options, &filter),
                     f->name) &&
            check_ok(kit_convolve(context, at->image, filter, &options, at->map), f->name);
    xncc_filter_destroy(filter);
}

static void check_oracle(const filtering *f)
{
    const general_case *c = &f->p->c;
    kit_map exact = kit_map_create(c->image_width, c->image_height, 0, KIT_AFTER);
    f->run->oracle++;
    for (int32_t y = 0; y < c->image_height; y++)
        for (int32_t x = 0; x < c->image_width; x++)
            kit_map_row(&exact.view, y)[x] = oracle_convolve(
                &f->image.view, f->tap, c->width, c->height, &f->options, c->options.border, x, y);
    check_same(&f->want.view, &exact.view, f->name);
    kit_map_destroy(&exact);
}

void random_convolve(random_run *run, const random_problem *p)
{
    static filtering f;
    const char *kernel[CHECK_KERNELS];
    const general_case *c = &p->c;
    char what[260];
    int done = 0;
    f.run = run;
    f.p = p;
    f.random = random_stream(p);
    f.image = general_image(c, &f.random);
    kit_image_freeze(&f.image);
    draw_filter(&f);
    random_note(run, p, f.name);
    f.want = kit_map_create(c->image_width, c->image_height, 0, KIT_AFTER);
    convolve_with(&f, run->check.cpu, "reference",
                  &(placed){ .image = &f.image.view, .map = &f.want.view }, &done);
    if (p->oracle)
        check_oracle(&f);
    xncc_problem problem = check_problem(&f.image.view, c->width, c->height);
    problem.task = XNCC_TASK_CONVOLVE;
    problem.rule.border = c->options.border;
    const size_t kernels = random_kernels(run, &problem, general_work(c), kernel);
    for (size_t k = 0; k < kernels; k++) {
        placed at;
        const int where = random_where(run, &f.random);
        placed_create(&at, &f.image.view, &f.want.view, where, kit_below(&f.random, 60));
        snprintf(what, sizeof what, "%s, %s", f.name, kernel[k]);
        convolve_with(&f, run->check.context[0], kernel[k], &at, &done);
        placed_check(&at, done, &f.want.view, what);
        placed_destroy(&at);
        random_count(run, kernel[k]);
    }
    kit_map_destroy(&f.want);
    kit_image_destroy(&f.image);
}
