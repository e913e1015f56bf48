/* SPDX-License-Identifier: BSD-2-Clause */
/* One template in many images against one call of the reference kernel per image: every place of
 * the images in memory, with stacks of several sizes.
 *
 * Usage: unit_images [--device cpu|cuda] [--brief] [--seed N] */
#include "kit/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 40, CAPACITY = 12, GUARD = 3, LARGE = 2100, CALLS = 6 };

/* Where the images are. */
typedef enum place {
    STACKED,  /* one after the other */
    APART,    /* with other rows between two of them */
    BACKWARD, /* one after the other, the last one first */
    PITCHED,  /* as APART, and with pixels between the rows */
    MIXED,    /* as STACKED, but on a device only those with even numbers */
    PLACES
} place;

static const char *const place_name[PLACES] = { "stacked", "apart", "backward", "pitched",
                                                "mixed" };

typedef struct images_case {
    xncc_pixel pixel;
    int32_t channels, width, height, templ_width, templ_height;
    int count;
    xncc_method method;
    xncc_mode mode;
    int masks;
    size_t top;
} images_case;

static const images_case cases[] = {
    { XNCC_U8, 1, 64, 64, 16, 16, 33, XNCC_CCOEFF_NORMED, XNCC_VALID, 0, 4 },
    { XNCC_U8, 1, 64, 64, 32, 32, 9, XNCC_CCOEFF_NORMED, XNCC_VALID, 0, 1 },
    { XNCC_U8, 1, 61, 37, 7, 11, 17, XNCC_SQDIFF, XNCC_VALID, 0, 12 },
    { XNCC_U8, 3, 48, 40, 9, 8, 6, XNCC_CCOEFF_NORMED, XNCC_VALID, 0, 5 },
    { XNCC_S8, 1, 50, 33, 8, 8, 7, XNCC_CCORR, XNCC_VALID, 0, 3 },
    { XNCC_U16, 1, 80, 48, 16, 9, 5, XNCC_CCORR_NORMED, XNCC_VALID, 0, 6 },
    { XNCC_F32, 1, 40, 44, 8, 8, 6, XNCC_CCOEFF_NORMED, XNCC_VALID, 0, 5 },
    { XNCC_F64, 1, 31, 29, 5, 6, 4, XNCC_SQDIFF_NORMED, XNCC_VALID, 0, 5 },
    { XNCC_U32, 1, 33, 30, 6, 6, 4, XNCC_CCOEFF, XNCC_VALID, 0, 2 },
    { XNCC_U8, 1, 20, 16, 20, 16, 40, XNCC_CCOEFF_NORMED, XNCC_VALID, 0, 3 },
    { XNCC_U8, 1, 30, 22, 30, 1, 11, XNCC_CCOEFF_NORMED, XNCC_VALID, 0, 9 },
    { XNCC_U8, 1, 1, 1, 1, 1, 5, XNCC_SQDIFF, XNCC_VALID, 0, 1 },
    { XNCC_U8, 1, 320, 240, 32, 32, 3, XNCC_CCOEFF_NORMED, XNCC_VALID, 0, 10 },
    { XNCC_U8, 1, 150, 100, 24, 24, 5, XNCC_CCOEFF_NORMED, XNCC_SAME, 0, 7 },
    { XNCC_U8, 1, 36, 36, 8, 8, 6, XNCC_CCOEFF_NORMED, XNCC_FULL, 0, 4 },
    { XNCC_U8, 1, 40, 30, 7, 7, 6, XNCC_CCOEFF_NORMED, XNCC_VALID, 1, 4 },
    /* larger than a piece of an upload */
    { XNCC_U8, 1, LARGE, 2010, 3, 2, 3, XNCC_CCOEFF_NORMED, XNCC_VALID, 0, 6 },
};

/* The images of a case, and the matches of each by the reference. */
typedef struct scene {
    const images_case *c;
    xncc_context *context, *oracle;
    xncc_template *templ, *oracle_templ;
    kit_image pixels, templ_pixels; /* `pixels` has all images below each other */
    xncc_match want[MOST][CAPACITY];
    size_t wanted[MOST];
    char *memory; /* the images where the call finds them, on the host */
    void *device; /* the same on the device; NULL: none */
    xncc_image view[MOST];
} scene;

static xncc_peak_rule rule_of(const images_case *c)
{
    xncc_peak_rule rule = XNCC_PEAK_RULE_INIT;
    rule.top = c->top;
    return rule;
}

static xncc_problem problem_of(const images_case *c)
{
    return kit_problem((xncc_problem){ .pixel = c->pixel,
                                       .channels = c->channels,
                                       .image_width = c->width,
                                       .image_height = c->height,
                                       .templ_width = c->templ_width,
                                       .templ_height = c->templ_height,
                                       .image_masked = c->masks,
                                       .rule.method = c->method,
                                       .rule.mode = c->mode });
}

static xncc_image crop(const xncc_image *of, int32_t x, int32_t y, int32_t width, int32_t height)
{
    xncc_image part;
    CHECK_STATUS(xncc_image_crop(of, x, y, width, height, &part, &kit_error), XNCC_OK);
    return part;
}

/* Fills the images by turns with noise, with what is hard on searches, and with the template. */
static void fill(scene *s, kit_random *random)
{
    static const kit_fill fills[] = { KIT_NOISE, KIT_GRADIENT, KIT_FLAT,
                                      KIT_NOISE, KIT_CHECKER,  KIT_ONE_OFF };
    const images_case *c = s->c;
    kit_image_fill(&s->templ_pixels.view, KIT_NOISE, random);
    for (int i = 0; i < c->count; i++) {
        const xncc_image one = crop(&s->pixels.view, 0, i * c->height, c->width, c->height);
        kit_image_fill(&one, fills[(unsigned)i % (sizeof fills / sizeof *fills)], random);
        if (i % 3)
            continue;
        const xncc_image there = crop(&one, kit_between(random, 0, c->width - c->templ_width),
                                      kit_between(random, 0, c->height - c->templ_height),
                                      c->templ_width, c->templ_height);
        kit_image_copy(&there, &s->templ_pixels.view, 0, 0);
    }
    for (int i = 0; c->masks && i < 200; i++)
        kit_mask_set(&s->pixels.view, kit_between(random, 0, c->width - 1),
                     kit_between(random, 0, s->pixels.view.height - 1), 0);
}

static scene make(const images_case *c, xncc_context *context, uint64_t number)
{
    const kit_room room = { 0, KIT_AFTER };
    scene s = { .c = c, .context = context };
    kit_random random = kit_stream(number);
    s.pixels = kit_image_create_channels(c->pixel, c->channels, c->width, c->height * c->count,
                                         room);
    if (c->masks)
        kit_image_mask(&s.pixels, room);
    s.templ_pixels = kit_image_create_channels(c->pixel, c->channels, c->templ_width,
                                               c->templ_height, room);
    fill(&s, &random);
    s.oracle = kit_context(XNCC_DEVICE_CPU, 1);
    CHECK_STATUS(xncc_template_create(context, &s.templ_pixels.view, &s.templ, &kit_error),
                 XNCC_OK);
    CHECK_STATUS(xncc_template_create(s.oracle, &s.templ_pixels.view, &s.oracle_templ, &kit_error),
                 XNCC_OK);
    xncc_find_options options = XNCC_FIND_OPTIONS_INIT;
    options.rule.method = c->method;
    options.rule.mode = c->mode;
    options.peaks = rule_of(c);
    options.kernel = "reference";
    for (int i = 0; i < c->count; i++) {
        const xncc_image one = crop(&s.pixels.view, 0, i * c->height, c->width, c->height);
        CHECK_STATUS(xncc_find(s.oracle, &one, s.oracle_templ, &options, s.want[i], CAPACITY,
                               &s.wanted[i], &kit_error),
                     XNCC_OK);
    }
    return s;
}

static void destroy(scene *s)
{
    xncc_template_destroy(s->templ);
    xncc_template_destroy(s->oracle_templ);
    xncc_context_destroy(s->oracle);
    kit_image_destroy(&s->pixels);
    kit_image_destroy(&s->templ_pixels);
}

/* Puts the images where the call finds them. */
static void put(scene *s, place where, int on_device)
{
    const images_case *c = s->c;
    const size_t row = (size_t)c->width * (size_t)c->channels * xncc_pixel_size(c->pixel),
                 pad = where == PITCHED ? 24 : 0, gap = where == APART || where == PITCHED,
                 pitch = row + pad, each = pitch * ((size_t)c->height + gap);
    s->memory = malloc(each * (size_t)c->count);
    if (!s->memory)
        kit_give_up("no memory for %d images", c->count);
    memset(s->memory, 0xa5, each * (size_t)c->count);
    for (int i = 0; i < c->count; i++) {
        const xncc_image one = crop(&s->pixels.view, 0, i * c->height, c->width, c->height);
        const size_t at = each * (size_t)(where == BACKWARD ? c->count - 1 - i : i);
        for (int32_t y = 0; y < c->height; y++)
            memcpy(s->memory + at + (size_t)y * pitch, (const char *)one.data + (size_t)y * row,
                   row);
        s->view[i] = one;
        s->view[i].data = s->memory + at;
        s->view[i].pitch = (int64_t)pitch;
    }
    s->device = on_device ? kit_device_alloc(each * (size_t)c->count) : NULL;
    if (!on_device)
        return;
    CHECK(s->device && kit_device_upload(s->device, s->memory, each * (size_t)c->count));
    for (int i = 0; i < c->count; i += where == MIXED ? 2 : 1) {
        s->view[i].memory = XNCC_DEVICE;
        s->view[i].data = (char *)s->device + ((const char *)s->view[i].data - s->memory);
    }
}

static void take_back(scene *s)
{
    free(s->memory);
    if (s->device)
        kit_device_free(s->device);
}

/* Compares the images from `first` on. */
static void compare(const scene *s, size_t first, size_t count, const xncc_match *match,
                    const size_t *found, const char *how)
{
    for (size_t i = 0; i < count; i++) {
        const size_t wanted = s->wanted[first + i];
        if (!CHECK(found[i] == wanted &&
                   memcmp(match + i * CAPACITY, s->want[first + i], wanted * sizeof *match) == 0))
            kit_fail(__FILE__, __LINE__,
                     "%s x %d, %d x %d, template %d x %d, mode %d, %d images, %s: image %zu has "
                     "%zu matches, not %zu, or not those",
                     xncc_pixel_name(s->c->pixel), s->c->channels, s->c->width, s->c->height,
                     s->c->templ_width, s->c->templ_height, (int)s->c->mode, s->c->count, how,
                     first + i, found[i], wanted);
    }
}

/* Calls with all images, and with some. asked: the images that the plan is told of. calls: how many
 * of CALLS are made. */
static void run(const scene *s, int32_t asked, size_t calls, const char *how)
{
    static xncc_match match[(MOST + 1) * CAPACITY];
    const images_case *c = s->c;
    size_t found[MOST + 1];
    const xncc_problem problem = problem_of(c);
    const xncc_peak_rule rule = rule_of(c);
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    xncc_plan *plan = NULL;
    preference.images = asked;
    preference.image_memory = s->device ? XNCC_DEVICE : XNCC_HOST;
    CHECK_STATUS(xncc_plan_create(s->context, &problem, &preference, &plan, &kit_error), XNCC_OK);
    const size_t all = (size_t)c->count, some[CALLS][2] = {
        { 0, all }, { all / 2, all - all / 2 }, { 0, 1 }, { all - 1, 1 }, { 0, all - 1 }, { 0, all }
    };
    for (size_t k = 0; k < calls && plan; k++) {
        const size_t first = some[k][0], count = some[k][1];
        memset(match, 0x5a, sizeof match);
        memset(found, 0x5a, sizeof found);
        CHECK_STATUS(xncc_plan_find_images(plan, s->view + first, count, s->templ, &rule, match,
                                           CAPACITY, found, NULL, &kit_error),
                     XNCC_OK);
        compare(s, first, count, match, found, how);
        size_t guard;
        memset(&guard, 0x5a, sizeof guard);
        CHECK(found[count] == guard); /* nothing beyond the arrays */
        for (size_t i = 0; i < CAPACITY * sizeof *match; i++)
            CHECK(((unsigned char *)(match + count * CAPACITY))[i] == 0x5a);
    }
    xncc_plan_destroy(plan);
}

/* turns: how many sizes of stacks are tried; 1 is brief. */
static void check_case(const images_case *c, xncc_context *context, xncc_device device, int turns)
{
    scene s = make(c, context, (uint64_t)(c - cases));
    const int32_t asked[] = { c->count, 0, 2, 3, 1000 };
    for (int where = 0; where < PLACES; where++)
        for (int on_device = 0; on_device <= (device == XNCC_DEVICE_CUDA); on_device++) {
            /* a copy of a mask would have to follow its image, and has no pitch of its own here */
            if (c->masks && (where != STACKED || on_device))
                continue;
            if (turns == 1 && where != STACKED && where != APART)
                continue;
            put(&s, (place)where, on_device);
            for (int i = 0; i < turns; i++) {
                char how[80];
                (void)snprintf(how, sizeof how, "%s, %s memory, asked for %d", place_name[where],
                               on_device ? "device" : "host", asked[i]);
                run(&s, asked[i], turns == 1 ? 2 : CALLS, how);
            }
            take_back(&s);
        }
    destroy(&s);
}

/* What a plan says of its images. */
static void check_description(xncc_context *context, xncc_device device)
{
    static const struct {
        xncc_mode mode;
        int masks;
        int32_t asked;
        const char *text;
    } wanted[] = {
        { XNCC_VALID, 0, 1, "" },
        { XNCC_VALID, 0, 200, "images: up to 200 in one launch by kernel " },
        { XNCC_SAME, 0, 200, "images: one after the other: windows that leave" },
        { XNCC_VALID, 1, 200, "images: one after the other: images with masks" },
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        char text[2048];
        xncc_plan_info info = XNCC_PLAN_INFO_INIT;
        xncc_preference preference = XNCC_PREFERENCE_INIT;
        const xncc_problem problem = kit_problem((xncc_problem){ .image_width = 64,
                                                                 .image_height = 64,
                                                                 .templ_width = 16,
                                                                 .templ_height = 16,
                                                                 .image_masked = wanted[i].masks,
                                                                 .rule.mode = wanted[i].mode });
        xncc_plan *plan = NULL;
        preference.images = wanted[i].asked;
        CHECK_STATUS(xncc_plan_create(context, &problem, &preference, &plan, &kit_error), XNCC_OK);
        CHECK_STATUS(xncc_plan_describe(plan, &info, &kit_error), XNCC_OK);
        xncc_plan_explain(plan, text, sizeof text);
        const int cuda = device == XNCC_DEVICE_CUDA, stacks = cuda && wanted[i].asked > 1 &&
                                                              !wanted[i].masks &&
                                                              wanted[i].mode == XNCC_VALID;
        CHECK_INT(info.images, stacks ? wanted[i].asked : 1);
        const char *want = wanted[i].asked < 2 ? ""
                           : cuda              ? wanted[i].text
                                               : "images: one after the other: the CPU engine";
        if (!CHECK(*want ? strstr(text, want) != NULL : strstr(text, "images:") == NULL))
            kit_fail(__FILE__, __LINE__, "the text does not say \"%s\": %s", want, text);
        xncc_plan_destroy(plan);
    }
}

/* Arguments that are refused, and which image the text names. */
static void check_refusals(xncc_context *context)
{
    kit_image image = kit_image_create(XNCC_U8, 30, 20, 0, KIT_AFTER);
    xncc_template *templ = NULL;
    xncc_problem problem = XNCC_PROBLEM_INIT;
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    xncc_plan *plan = NULL, *refused = NULL;
    xncc_match match[9];
    size_t found[3];
    kit_random random = kit_stream(7);
    kit_image_fill(&image.view, KIT_NOISE, &random);
    const xncc_image pixels = crop(&image.view, 1, 1, 6, 6),
                     small = crop(&image.view, 0, 0, 29, 20);
    xncc_image view[3] = { image.view, image.view, small };
    CHECK_STATUS(xncc_template_create(context, &pixels, &templ, &kit_error), XNCC_OK);
    CHECK_STATUS(xncc_problem_set(&problem, &image.view, templ, &kit_error), XNCC_OK);
    preference.images = -1;
    CHECK_STATUS(xncc_plan_create(context, &problem, &preference, &refused, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    CHECK(strstr(kit_error.text, "-1 images") != NULL);
    preference.images = 3;
    CHECK_STATUS(xncc_plan_create(context, &problem, &preference, &plan, &kit_error), XNCC_OK);
    for (int i = 0; i < 3; i++)
        found[i] = 9;
    CHECK_STATUS(
        xncc_plan_find_images(plan, view, 3, templ, NULL, match, 3, found, NULL, &kit_error),
        XNCC_ERROR_ARGUMENT);
    CHECK(strncmp(kit_error.text, "image 2: 29 x 20", 16) == 0);
    CHECK(found[0] == 0 && found[1] == 0 && found[2] == 0);
    view[1].data = NULL;
    CHECK_STATUS(
        xncc_plan_find_images(plan, view, 3, templ, NULL, match, 3, found, NULL, &kit_error),
        XNCC_ERROR_ARGUMENT);
    CHECK(strncmp(kit_error.text, "image 1: ", 9) == 0);
    const struct {
        const xncc_image *image;
        xncc_match *match;
        size_t *found;
        const char *text;
    } null[] = { { NULL, match, found, "image is a null pointer" },
                 { view, NULL, found, "match is a null pointer" },
                 { view, match, NULL, "found is a null pointer" } };
    for (int i = 0; i < 3; i++) {
        found[0] = 9;
        CHECK_STATUS(xncc_plan_find_images(plan, null[i].image, 1, templ, NULL, null[i].match, 3,
                                           null[i].found, NULL, &kit_error),
                     XNCC_ERROR_ARGUMENT);
        CHECK_TEXT(kit_error.text, null[i].text);
        CHECK_INT(found[0], null[i].found ? 0 : 9);
    }
    CHECK_STATUS(
        xncc_plan_find_images(NULL, view, 1, templ, NULL, match, 3, found, NULL, &kit_error),
        XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_plan_find_images(plan, NULL, 0, templ, NULL, NULL, 3, NULL, NULL, &kit_error),
                 XNCC_OK);
    CHECK_STATUS(
        xncc_plan_find_images(plan, view, 1, templ, NULL, NULL, 0, found, NULL, &kit_error),
        XNCC_OK);
    CHECK_INT(found[0], 0);
    xncc_plan_destroy(plan);
    xncc_template_destroy(templ);
    kit_image_destroy(&image);
}

/* The place of each image is checked, also if all else is as in the first one. */
static void check_alignment(xncc_context *context)
{
    kit_image image = kit_image_create(XNCC_U16, 20, 10, 1, KIT_AFTER);
    xncc_template *templ = NULL;
    xncc_problem problem = XNCC_PROBLEM_INIT;
    xncc_plan *plan = NULL;
    xncc_match match[2];
    size_t found[2];
    kit_random random = kit_stream(8);
    kit_image_fill(&image.view, KIT_NOISE, &random);
    const xncc_image pixels = crop(&image.view, 1, 1, 6, 6);
    xncc_image view[2] = { image.view, image.view };
    CHECK_STATUS(xncc_template_create(context, &pixels, &templ, &kit_error), XNCC_OK);
    CHECK_STATUS(xncc_problem_set(&problem, &image.view, templ, &kit_error), XNCC_OK);
    CHECK_STATUS(xncc_plan_create(context, &problem, NULL, &plan, &kit_error), XNCC_OK);
    view[1].data = (const char *)view[1].data + 1;
    CHECK_STATUS(
        xncc_plan_find_images(plan, view, 2, templ, NULL, match, 1, found, NULL, &kit_error),
        XNCC_ERROR_ARGUMENT);
    CHECK(strncmp(kit_error.text, "image 1: data is not aligned", 28) == 0);
    xncc_plan_destroy(plan);
    xncc_template_destroy(templ);
    kit_image_destroy(&image);
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    const xncc_device device = kit_device_option(argc, argv);
    const int brief = kit_flag(argc, argv, "brief");
    const int turns = brief ? 1 : device == XNCC_DEVICE_CUDA ? 5 : 2;
    for (int32_t threads = kit_shortest() ? 4 : 1; threads <= (device == XNCC_DEVICE_CUDA ? 1 : 4);
         threads += 3) {
        xncc_context *context = kit_context(device, threads);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i += kit_shortest() ? 3 : 1)
            if (cases[i].width < LARGE || (device == XNCC_DEVICE_CUDA && !brief))
                /* of the two larger ones the smaller one */
                check_case(&cases[kit_shortest() && i == 12 ? 13 : i], context, device, turns);
        check_description(context, device);
        check_refusals(context);
        check_alignment(context);
        CHECK(xncc_context_progress(context) >= 1.0);
        xncc_context_destroy(context);
    }
    return kit_finish("unit_images");
}
