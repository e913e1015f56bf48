/* SPDX-License-Identifier: BSD-2-Clause */
/* Pixels and masks of the cases of general.h. */
#include "check/general.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int is_float(xncc_pixel pixel)
{
    return pixel == XNCC_F32 || pixel == XNCC_F64;
}

void general_combine(general_case *c, uint64_t index)
{
    /* 7, 11 and 5 have no common factor: every combination is one residue */
    const int place = (int)(index % GENERAL_PLACES);
    c->options.method = (xncc_method)(index % GENERAL_METHODS);
    c->masks = (general_masks)(index % GENERAL_MASKS);
    c->options.mode = place == 0 ? XNCC_VALID : place <= 5 ? XNCC_SAME : XNCC_FULL;
    c->options.border = place == 0 ? (xncc_border)(index / GENERAL_PLACES % 5)
                                   : (xncc_border)((place - 1) % 5);
}

int general_is_illegal(const general_case *c)
{
    return c->options.mode == XNCC_VALID &&
           (c->width > c->image_width || c->height > c->image_height);
}

general_case general_some_case(xncc_pixel pixel, uint64_t number, const general_sizes *z,
                               int32_t most_channels)
{
    static const double least[] = { 0.0, 0.0, 0.25, 1e-9, 1.0, 0.7 };
    static const int fill[][2] = {
        { KIT_NOISE, GENERAL_CROP },    { KIT_NOISE, KIT_NOISE },
        { KIT_MAX, KIT_MAX },           { KIT_NEAR_FLAT, GENERAL_CROP },
        { KIT_BLOCKS, GENERAL_CROP },   { KIT_CHECKER, KIT_CHECKER },
        { KIT_FLAT, KIT_NOISE },        { KIT_ZERO, KIT_NOISE },
        { KIT_BLOCKS, KIT_MAX },        { KIT_ONE_OFF, KIT_ONE_OFF },
        { KIT_GRADIENT, GENERAL_CROP }, { KIT_NOISE, KIT_FLAT },
        { KIT_ZERO, KIT_ZERO },         { KIT_NEAR_FLAT, KIT_NEAR_FLAT }
    };
    kit_random random = kit_stream(50000 + number * 8 + (uint64_t)pixel);
    const int *f = fill[kit_below(&random, sizeof fill / sizeof *fill)];
    general_case c = { .number = number,
                       .pixel = pixel,
                       .image_width = z->image_width,
                       .image_height = z->image_height,
                       .width = z->width,
                       .height = z->height,
                       .image_fill = f[0],
                       .templ_fill = f[1] };
    /* one channel is what most kernels are for; 0 means one, too */
    c.channels = kit_next(&random) & 1 ? (int32_t)kit_below(&random, 2)
                                       : kit_between(&random, 1, most_channels);
    c.options.min_valid = least[kit_below(&random, sizeof least / sizeof *least)];
    c.options.flat = kit_next(&random) & 1 ? XNCC_FLAT_NAN : XNCC_FLAT_ZERO;
    return c;
}

double general_work(const general_case *c)
{
    const int32_t cut = c->options.mode == XNCC_VALID ? -1 : c->options.mode == XNCC_FULL;
    return ((double)c->image_width + cut * (c->width - 1)) *
           ((double)c->image_height + cut * (c->height - 1)) * c->width * c->height *
           (c->channels > 0 ? c->channels : 1);
}

static kit_room some_room(kit_random *random)
{
    const int32_t pad = kit_between(random, 0, 5);
    return (kit_room){ pad, kit_next(random) & 1 ? KIT_AFTER : KIT_BEFORE };
}

/* A pixel's position. x and y are drawn in separate statements, because the order in which a call's
 * arguments are evaluated depends on the compiler. */
typedef struct spot {
    int32_t x, y;
} spot;

static spot some_spot(kit_random *random, int32_t width, int32_t height)
{
    spot at;
    at.x = kit_between(random, 0, width - 1);
    at.y = kit_between(random, 0, height - 1);
    return at;
}

static spot spot_in(const xncc_image *image, kit_random *random)
{
    return some_spot(random, image->width, image->height);
}

/* Large offsets and magnitudes, to which floats are sensitive. */
static void fill_floats(const xncc_image *image, kit_random *random)
{
    static const double scale[] = { 1.0, 1.0, 0x1p-40, 0x1p20, 0x1p450, 0x1p-600 },
                        offset[] = { 0.0, 1e6, -3e7, 1e12 };
    const int large = image->pixel == XNCC_F64;
    double by = scale[kit_below(random, large ? 6 : 2)],
           add = by > 1e100 || by < 1e-100 ? 0.0 : offset[kit_below(random, large ? 4 : 2)];
    for (int32_t y = 0; y < image->height; y++)
        for (int32_t x = 0; x < image->width; x++)
            for (int32_t c = 0; c < kit_channels(image); c++)
                kit_sample_set(image, x, y, c, kit_sample(image, x, y, c) * by + add);
}

static void mask_rectangle(const xncc_image *image, kit_random *random, int32_t width,
                           int32_t height)
{
    int32_t x0 = kit_between(random, -width / 2, image->width - 1),
            y0 = kit_between(random, -height / 2, image->height - 1);
    for (int32_t y = y0 < 0 ? 0 : y0; y < y0 + height && y < image->height; y++)
        for (int32_t x = x0 < 0 ? 0 : x0; x < x0 + width && x < image->width; x++)
            kit_mask_set(image, x, y, 0);
}

static void mask_some(const xncc_image *image, kit_random *random, uint64_t percent)
{
    static const uint8_t counts[] = { 1, 255, 2, 128 }; /* every byte except 0 does */
    for (int32_t y = 0; y < image->height; y++)
        for (int32_t x = 0; x < image->width; x++)
            kit_mask_set(image, x, y,
                         kit_below(random, 100) < percent ? 0 : counts[kit_below(random, 4)]);
}

/* Pixels that do not count may hold anything. */
static void spoil(const xncc_image *image, kit_random *random)
{
    if (!is_float(image->pixel))
        return;
    for (int32_t y = 0; y < image->height; y++)
        for (int32_t x = 0; x < image->width; x++)
            if (!kit_mask(image, x, y) && (kit_next(random) & 3) == 0)
                kit_sample_set(image, x, y, 0,
                               kit_next(random) & 1 ? (double)NAN : (double)INFINITY);
}

static void mask_image(const general_case *c, kit_image *image, kit_random *random)
{
    kit_image_mask(image, some_room(random));
    const uint64_t kind = kit_below(random, 16);
    if (kind == 0)
        mask_some(&image->view, random, 100); /* nothing counts */
    else if (kind == 1)
        mask_some(&image->view, random, 0); /* everything counts */
    else
        mask_some(&image->view, random, kind < 6 ? 3 : kind < 11 ? 25 : 0);
    for (uint64_t i = 0; kind > 1 && i < 1 + kind % 3;
         i++) { /* holes: some contain whole windows */
        const spot size = some_spot(random, 2 * c->width + 1, 2 * c->height + 1);
        mask_rectangle(&image->view, random, size.x + 1, size.y + 1);
    }
    spoil(&image->view, random);
}

/* Gives some pixels the no-data value in all channels, and some in one channel only. The latter
 * still count, unless the value is a NaN. */
static void give_no_data(kit_image *image, kit_random *random, uint64_t percent)
{
    xncc_image *view = &image->view;
    static const double odd[] = { -1.0, 0.5, 1e300 };
    const uint64_t kind = kit_below(random, 8);
    view->has_no_data = 1;
    const spot of = spot_in(view, random);
    view->no_data = kit_sample(view, of.x, of.y, 0);
    if (kind == 0)
        view->no_data = kit_largest(view->pixel);
    if (is_float(view->pixel) && (kit_next(random) & 1))
        view->no_data = (double)NAN;
    for (int32_t y = 0; y < view->height; y++)
        for (int32_t x = 0; x < view->width; x++) {
            uint64_t at = kit_below(random, 100);
            int32_t first = at == 99 ? kit_between(random, 0, kit_channels(view) - 1) : 0;
            for (int32_t i = first; i < kit_channels(view) && (at < percent || at == 99); i++)
                kit_sample_set(view, x, y, i, view->no_data);
        }
    if (kind == 1 && !isnan(view->no_data) && !is_float(view->pixel))
        view->no_data =
            odd[kit_below(random, 3)]; /* -1, or a value that no integer of the type has */
}

kit_image general_image(const general_case *c, kit_random *random)
{
    kit_image image = kit_image_create_channels(c->pixel, c->channels, c->image_width,
                                                c->image_height, some_room(random));
    kit_image_fill(&image.view, c->image_fill == GENERAL_HALF ? KIT_NOISE : (kit_fill)c->image_fill,
                   random);
    if (is_float(c->pixel))
        fill_floats(&image.view, random);
    for (int32_t y = 0; y < c->image_height && c->image_fill == GENERAL_HALF; y++)
        for (int32_t x = c->image_width / 2; x < c->image_width; x++)
            for (int32_t i = 0; i < kit_channels(&image.view); i++)
                kit_sample_set(&image.view, x, y, i, 0.0);
    if (is_float(c->pixel) && (kit_next(random) & 7) == 0) {
        const spot at = spot_in(&image.view, random);
        kit_sample_set(&image.view, at.x, at.y, 0,
                       kit_next(random) & 1 ? (double)NAN : -(double)INFINITY);
    }
    const int both = c->masks == GENERAL_BOTH ? (int)kit_below(random, 3) : -1;
    if (c->masks == GENERAL_NO_DATA || both > 0)
        give_no_data(&image, random, both > 0 ? 10 : kit_below(random, 50));
    if (c->masks == GENERAL_IMAGE || both == 0 || both == 2)
        mask_image(c, &image, random);
    return image;
}

static void mask_templ(kit_image *templ, kit_random *random)
{
    const uint64_t kind = kit_below(random, 8);
    const int32_t w = templ->view.width, h = templ->view.height;
    kit_image_mask(templ, some_room(random));
    mask_some(&templ->view, random, kind == 0 ? 0 : kind == 1 ? 100 : kind < 6 ? 30 : 3);
    for (int32_t y = 0; y < h && kind > 6; y++) /* an ellipse */
        for (int32_t x = 0; x < w; x++)
            kit_mask_set(&templ->view, x, y,
                         hypot((2.0 * x + 1) / w - 1, (2.0 * y + 1) / h - 1) < 1.0);
    const spot sure = spot_in(&templ->view, random);
    kit_mask_set(&templ->view, sure.x, sure.y,
                 1); /* at least one pixel; for kind 1, only this one */
    spoil(&templ->view, random);
}

/* Makes the no-data value of a template one that occurs in it, so that some pixels do not count;
 * but not all of them. */
static void templ_no_data(kit_image *templ, kit_random *random)
{
    xncc_image *view = &templ->view;
    int32_t x = kit_between(random, 0, view->width - 1),
            y = kit_between(random, 0, view->height - 1);
    double value = kit_sample(view, x, y, 0);
    view->has_no_data = 1;
    view->no_data = value;
    for (int32_t i = 0; i < kit_channels(view); i++)
        kit_sample_set(view, x, y, i, value);
    x = kit_between(random, 0, view->width - 1);
    y = kit_between(random, 0, view->height - 1);
    /* this one counts */
    kit_sample_set(view, x, y, 0, value > 1.0 ? value - 1.0 : value + 1.0);
    const double changed = kit_sample(view, x, y, 0);
    if (changed == value || isnan(changed)) /* it is too large to change by 1, or a NaN */
        kit_sample_set(view, x, y, 0, 1.0);
}

kit_image general_templ(const general_case *c, const kit_image *image, kit_random *random)
{
    kit_image templ = kit_image_create_channels(c->pixel, c->channels, c->width, c->height,
                                                some_room(random));
    const int fits = c->width <= c->image_width && c->height <= c->image_height;
    if (c->templ_fill == GENERAL_CROP && fits) {
        const spot at = some_spot(random, c->image_width - c->width + 1,
                                  c->image_height - c->height + 1);
        kit_image_copy(&templ.view, &image->view, at.x, at.y);
    } else {
        kit_image_fill(&templ.view,
                       c->templ_fill == GENERAL_CROP ? KIT_NOISE : (kit_fill)c->templ_fill, random);
    }
    const int finite = (kit_next(random) & 7) != 0; /* most templates are */
    for (int32_t y = 0; y < c->height && is_float(c->pixel) && finite; y++)
        for (int32_t x = 0; x < c->width; x++)
            for (int32_t i = 0; i < kit_channels(&templ.view); i++)
                if (!isfinite(kit_sample(&templ.view, x, y, i)))
                    kit_sample_set(&templ.view, x, y, i, 1.0);
    if (c->masks == GENERAL_TEMPL || c->masks == GENERAL_BOTH) {
        if ((kit_next(random) & 7) == 0)
            templ_no_data(&templ, random);
        else
            mask_templ(&templ, random);
    }
    return templ;
}

void general_name(general_subject *s)
{
    static const char *const masks[GENERAL_MASKS] = { "no masks", "template mask", "image mask",
                                                      "no-data", "both masks" };
    static const char *const mode[] = { "valid", "same", "full" }, *const border[] = {
        "clamp", "zero", "mirror", "wrap", "overlap"
    };
    const general_case *c = &s->c;
    snprintf(
        s->name, sizeof s->name,
        "case %llu: %s x %d, %dx%d (%s, pitch %lld) under %dx%d (%s), %s, %s %s, %s%s, at least %g",
        (unsigned long long)c->number, xncc_pixel_name(c->pixel), c->channels, c->image_width,
        c->image_height,
        c->image_fill == GENERAL_HALF ? "half" : kit_fill_name((kit_fill)c->image_fill),
        (long long)s->image.view.pitch, c->width, c->height,
        c->templ_fill == GENERAL_CROP ? "crop" : kit_fill_name((kit_fill)c->templ_fill),
        masks[c->masks], mode[c->options.mode], border[c->options.border],
        xncc_method_name(c->options.method), c->options.flat == XNCC_FLAT_NAN ? " nan" : "",
        c->options.min_valid);
}

static int make_templates(general_subject *s)
{
    int made = 1;
    const int on_device = s->run->device == XNCC_DEVICE_CUDA && kit_device_present();
    for (int i = 0; i < CHECK_THREAD_COUNTS && made; i++) {
        device_image twin = { .memory = NULL };
        if (on_device && i > 0)
            twin = device_image_create(&s->templ.view, i);
        made = check_ok(xncc_template_create(s->run->context[i],
                                             twin.memory ? &twin.view : &s->templ.view,
                                             &s->prepared[i], &kit_error),
                        s->name);
        if (twin.memory)
            device_image_destroy(&twin);
    }
    return made;
}

int general_make(general_subject *s, check_run *run, const general_case *c)
{
    memset(s, 0, sizeof *s);
    s->run = run;
    s->c = *c;
    s->random = kit_stream(c->number * 8 + (uint64_t)c->pixel);
    s->image = general_image(c, &s->random);
    s->templ = general_templ(c, &s->image, &s->random);
    kit_image_freeze(&s->image);
    kit_image_freeze(&s->templ);
    general_name(s);
    s->oracle = oracle_general_make(&s->image.view, &s->templ.view, c->options.mode,
                                    c->options.border);
    s->problem = check_problem(&s->image.view, c->width, c->height);
    s->problem.rule = kit_match_rule(&c->options);
    s->problem.channels = c->channels ? c->channels : 1;
    s->problem.image_masked = s->image.view.mask || s->image.view.has_no_data;
    s->problem.templ_masked = s->oracle.templ_counts < (int64_t)c->width * c->height;
    return make_templates(s) &&
           CHECK_INT(xncc_template_is_masked(s->prepared[0]), s->problem.templ_masked) &&
           CHECK_INT(xncc_template_channels(s->prepared[0]), kit_channels(&s->image.view));
}

static void free_templates(general_subject *s)
{
    for (int i = 0; i < CHECK_THREAD_COUNTS; i++) {
        xncc_template_destroy(s->prepared[i]);
        s->prepared[i] = NULL;
    }
}

int general_change(general_subject *s, int what)
{
    if (what & (GENERAL_OTHER_IMAGE | GENERAL_UNMASKED_IMAGE)) {
        static const kit_fill fill[] = { KIT_NOISE, KIT_ZERO, KIT_BLOCKS, KIT_NEAR_FLAT, KIT_MAX };
        s->c.image_fill = (int)fill[kit_below(&s->random, 5)];
        general_case c = s->c;
        c.masks = what & GENERAL_UNMASKED_IMAGE ? GENERAL_NONE : c.masks;
        kit_image_destroy(&s->image);
        s->image = general_image(&c, &s->random);
        kit_image_freeze(&s->image);
        general_name(s);
    }
    const int64_t pixels = (int64_t)s->c.width * s->c.height;
    for (int tries = 0; tries < 50; tries++) {
        if (what & GENERAL_OTHER_TEMPL) {
            kit_image_destroy(&s->templ);
            s->templ = general_templ(&s->c, &s->image, &s->random);
            kit_image_freeze(&s->templ);
        }
        oracle_general_free(&s->oracle);
        s->oracle = oracle_general_make(&s->image.view, &s->templ.view, s->c.options.mode,
                                        s->c.options.border);
        if ((s->oracle.templ_counts < pixels) == (s->problem.templ_masked != 0)) {
            if (what & GENERAL_OTHER_TEMPL)
                free_templates(s);
            return !(what & GENERAL_OTHER_TEMPL) || make_templates(s);
        }
    }
    return 0;
}

void general_free(general_subject *s)
{
    free_templates(s);
    oracle_general_free(&s->oracle);
    kit_image_destroy(&s->image);
    kit_image_destroy(&s->templ);
}
