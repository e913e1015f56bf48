/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls and the problems of the tests of cancelling (cancel.h). */
#include "cancel.h"

#include <stdlib.h>
#include <string.h>

static kit_find_options options_of(const cancel_scene *s)
{
    return (kit_find_options){ .kernel = s->kernel, .top = CANCEL_TOP, .min_score = -1.0f };
}

static xncc_best best_of(const cancel_scene *s)
{
    return (xncc_best){ .score = s->map.view, .index = (int32_t *)(void *)s->index.view.data };
}

static const xncc_template *const *templs_of(const cancel_scene *s)
{
    return (const xncc_template *const *)s->templ;
}

/* The part of the map that belongs to the first template. */
static xncc_map map_of(const cancel_scene *s)
{
    xncc_map map = s->map.view;
    map.width = s->problem.image_width - s->problem.templ_width + 1;
    map.pitch = (int64_t)s->map.view.width * (int64_t)sizeof(float);
    return map;
}

static xncc_status plan_correlate(cancel_scene *s)
{
    const xncc_map map = map_of(s);
    return xncc_plan_correlate(s->plan, &s->image.view, s->templ[0], &map, NULL, &kit_error);
}

static xncc_status plan_convolve(cancel_scene *s)
{
    return xncc_plan_convolve(s->plan, &s->image.view, s->filter, &s->map.view, NULL, &kit_error);
}

static xncc_status plan_find(cancel_scene *s)
{
    const kit_find_options o = options_of(s);
    return kit_plan_find(s->plan, &s->image.view, s->templ[0], &o, s->match, CANCEL_TOP, s->found,
                         NULL);
}

static xncc_status correlate(cancel_scene *s)
{
    const xncc_map map = map_of(s);
    return kit_correlate(s->context, &s->image.view, s->templ[0],
                         &(kit_options){ .kernel = s->kernel }, &map);
}

static xncc_status convolve(cancel_scene *s)
{
    return kit_convolve(s->context, &s->image.view, s->filter,
                        &(kit_convolve_options){ .kernel = s->kernel }, &s->map.view);
}

static xncc_status find(cancel_scene *s)
{
    const kit_find_options o = options_of(s);
    return kit_find(s->context, &s->image.view, s->templ[0], &o, s->match, CANCEL_TOP, s->found);
}

static xncc_status plan_find_images(cancel_scene *s)
{
    xncc_image image[CANCEL_TEMPLS];
    xncc_peak_rule rule = XNCC_PEAK_RULE_INIT;
    rule.top = CANCEL_TOP;
    for (int i = 0; i < CANCEL_TEMPLS; i++)
        image[i] = s->image.view;
    return xncc_plan_find_images(s->plan, image, CANCEL_TEMPLS, s->templ[0], &rule, s->match,
                                 CANCEL_TOP, s->found, NULL, &kit_error);
}

static xncc_status batch_find(cancel_scene *s)
{
    return xncc_batch_find(s->batch, &s->image.view, s->candidate, s->found, NULL, &kit_error);
}

static xncc_status batch_best(cancel_scene *s)
{
    const xncc_best best = best_of(s);
    return xncc_batch_best(s->batch, &s->image.view, &best, NULL, &kit_error);
}

static xncc_status find_batch(cancel_scene *s)
{
    const kit_find_options o = options_of(s);
    return kit_find_batch(s->context, &s->image.view, templs_of(s), CANCEL_TEMPLS, &o, NULL,
                          s->candidate, CANCEL_TOP, s->found);
}

static xncc_status refine(cancel_scene *s)
{
    return kit_refine(s->context, &s->image.view, s->templ[0], NULL, s->position, s->positions,
                      s->refined);
}

/* A scan in two steps. */
static xncc_status scan(cancel_scene *s)
{
    const kit_find_options o = options_of(s);
    xncc_scan *scan = NULL;
    xncc_status status = kit_scan_create(s->plan, &s->image.view, s->templ[0], &o, CANCEL_TOP,
                                         &scan);
    if (!status)
        status = xncc_scan_rows(scan, s->image.view.height - 1, &kit_error);
    if (!status)
        status = xncc_scan_finish(scan, s->match, s->found, NULL, &kit_error);
    xncc_scan_destroy(scan);
    return status;
}

const cancel_call cancel_calls[] = {
    { "xncc_plan_correlate", plan_correlate, 0, 0 },
    { "xncc_plan_find", plan_find, 0, 1 },
    { "xncc_plan_find_images", plan_find_images, 0, 1 },
    { "xncc_plan_convolve", plan_convolve, 1, 0 },
    { "xncc_correlate", correlate, 0, 0 },
    { "xncc_find", find, 0, 1 },
    { "xncc_convolve", convolve, 1, 0 },
    { "xncc_batch_find", batch_find, 0, 1 },
    { "xncc_batch_best", batch_best, 0, 0 },
    { "xncc_find_batch", find_batch, 0, 1 },
    { "xncc_refine", refine, 0, 0 },
    { "xncc_scan_finish", scan, 0, 1 },
};
const size_t cancel_call_count = sizeof cancel_calls / sizeof *cancel_calls;

const cancel_call *cancel_call_of(const char *name)
{
    for (size_t i = 0; i < cancel_call_count; i++)
        if (strcmp(cancel_calls[i].name, name) == 0)
            return &cancel_calls[i];
    kit_give_up("there is no call %s", name);
}

/* Noise. Quicker than kit_image_fill, since the images are large. */
static void fill(const xncc_image *image, kit_random *random)
{
    const int64_t samples = (int64_t)image->width * image->height * kit_channels(image),
                  size = kit_sample_size(image->pixel);
    unsigned char *to = (unsigned char *)(uintptr_t)image->data;
    for (int64_t i = 0; i < samples; i++) {
        const uint64_t bits = kit_next(random);
        const float single = (float)(bits >> 44);
        const double twice = (double)(bits >> 40);
        memcpy(to + i * size,
               image->pixel == XNCC_F32   ? (const void *)&single
               : image->pixel == XNCC_F64 ? (const void *)&twice
                                          : (const void *)&bits,
               (size_t)size);
    }
}

/* Makes an image of noise. masked: one pixel in eight does not count. */
static kit_image noise(const cancel_case *c, int32_t width, int32_t height, int masked,
                       kit_random *random)
{
    const kit_room room = { 0, KIT_AFTER };
    kit_image image = kit_image_create_channels(c->pixel, c->channels, width, height, room);
    fill(&image.view, random);
    if (masked)
        kit_image_mask(&image, room);
    for (int32_t y = 0; y < height && masked; y++)
        for (int32_t x = y % 8; x < width; x += 8)
            kit_mask_set(&image.view, x, y, 0);
    return image;
}

static void make_filter(cancel_scene *s, int32_t size)
{
    kit_random random = kit_stream(77);
    float *taps = malloc((size_t)size * (size_t)size * sizeof *taps);
    if (!taps)
        kit_give_up("no memory for a filter");
    for (int32_t i = 0; i < size * size; i++)
        taps[i] = (float)kit_between(&random, -9, 9);
    CHECK_STATUS(kit_filter_create(s->context, taps, size, size, NULL, &s->filter), XNCC_OK);
    free(taps);
}

static void make_templs(cancel_scene *s, const cancel_case *c, kit_random *random)
{
    const kit_find_options o = options_of(s);
    for (int i = 0; i < CANCEL_TEMPLS; i++) {
        kit_image pixels = noise(c, c->size - i / 2, c->size, c->templ_masked, random);
        CHECK_STATUS(xncc_template_create(s->context, &pixels.view, &s->templ[i], &kit_error),
                     XNCC_OK);
        kit_image_destroy(&pixels);
    }
    CHECK_STATUS(
        kit_batch_create(s->context, &s->problem,
                         &(xncc_preference){ .size = sizeof(xncc_preference), .kernel = s->kernel },
                         templs_of(s), CANCEL_TEMPLS,
                         &(kit_batch_options){ .find = &o, .capacity = CANCEL_TOP }, &s->batch),
        XNCC_OK);
    const int32_t wide = s->problem.image_width - c->size - 1; /* without the rim */
    s->positions = (size_t)wide * (size_t)(wide < 256 ? wide : 256);
    s->position = malloc(s->positions * sizeof *s->position);
    s->refined = malloc(s->positions * sizeof *s->refined);
    if (!s->position || !s->refined)
        kit_give_up("no memory for %zu positions", s->positions);
    for (size_t i = 0; i < s->positions; i++)
        s->position[i] = (xncc_match){ 1 + (int32_t)(i % (size_t)wide),
                                       1 + (int32_t)(i / (size_t)wide), 0.0f };
}

xncc_problem cancel_problem(const cancel_case *c, int32_t side)
{
    return kit_problem((xncc_problem){ .task = c->convolve ? XNCC_TASK_CONVOLVE : XNCC_TASK_MATCH,
                                       .pixel = c->pixel,
                                       .image_width = side,
                                       .image_height = side,
                                       .templ_width = c->size,
                                       .templ_height = c->size,
                                       .channels = c->channels,
                                       .image_masked = c->image_masked,
                                       .templ_masked = c->templ_masked });
}

cancel_scene cancel_scene_make(xncc_context *context, const cancel_case *c, const char *kernel,
                               int32_t side)
{
    cancel_scene s = { .context = context, .kernel = kernel };
    kit_random random = kit_stream((uint64_t)side);
    const int32_t map = c->convolve ? side : side - c->size + 1;
    s.problem = cancel_problem(c, side);
    s.image = noise(c, side, side, c->image_masked, &random);
    CHECK_STATUS(
        xncc_plan_create(context, &s.problem,
                         &(xncc_preference){ .size = sizeof(xncc_preference), .kernel = kernel },
                         &s.plan, &kit_error),
        XNCC_OK);
    /* the best of templates of two sizes is as wide as the map of the smaller ones */
    s.map = kit_map_create(c->convolve ? map : map + 1, map, 0, KIT_AFTER);
    s.index = kit_map_create(s.map.view.width, map, 0, KIT_AFTER);
    if (c->convolve)
        make_filter(&s, c->size);
    else
        make_templs(&s, c, &random);
    cancel_forget(&s);
    return s;
}

void cancel_scene_free(cancel_scene *s)
{
    xncc_batch_destroy(s->batch);
    xncc_plan_destroy(s->plan);
    for (int i = 0; i < CANCEL_TEMPLS; i++)
        xncc_template_destroy(s->templ[i]);
    xncc_filter_destroy(s->filter);
    kit_image_destroy(&s->image);
    kit_map_destroy(&s->map);
    kit_map_destroy(&s->index);
    free(s->position);
    free(s->refined);
}

/* FNV-1a, by words of 32 bits. */
static uint64_t hash(uint64_t h, const void *data, size_t bytes)
{
    const unsigned char *from = data;
    for (size_t i = 0; i + 4 <= bytes; i += 4) {
        uint32_t word;
        memcpy(&word, from + i, sizeof word);
        h = (h ^ word) * UINT64_C(0x100000001b3);
    }
    return h;
}

uint64_t cancel_results(const cancel_scene *s)
{
    const size_t map = (size_t)s->map.view.width * (size_t)s->map.view.height * sizeof(float);
    uint64_t h = hash(UINT64_C(0xcbf29ce484222325), s->map.view.data, map);
    h = hash(h, s->index.view.data, map);
    h = hash(h, s->found, sizeof s->found);
    for (int i = 0; i < CANCEL_TEMPLS; i++)
        if (s->found[i] <= CANCEL_TOP)
            h = hash(h, s->match + i * CANCEL_TOP, s->found[i] * sizeof *s->match);
    h = hash(h, s->candidate, sizeof s->candidate);
    return hash(h, s->refined, s->refined ? s->positions * sizeof *s->refined : 0);
}

void cancel_forget(cancel_scene *s)
{
    kit_map_clear(&s->map);
    kit_map_clear(&s->index);
    memset(s->match, 0, sizeof s->match);
    memset(s->candidate, 0, sizeof s->candidate);
    memset(s->found, 0, sizeof s->found);
    if (s->refined)
        memset(s->refined, 0, s->positions * sizeof *s->refined);
}
