/* SPDX-License-Identifier: BSD-2-Clause */
/* The problems: rules, sizes, masks and templates. */
#include "digest.h"

scene scene_rules(run *r, int plain)
{
    static const double least[] = { 0, 0, 0, 0.25, 1e-9, 1, 0.7, 0.5 };
    static const xncc_pixel simple[] = { XNCC_U8, XNCC_U16, XNCC_F32 };
    scene s = { .random = problem_random(r) };
    rng *random = &s.random;
    xncc_problem *p = &s.problem;
    s.context = r->context[below(random, CONTEXTS)];
    s.fill = below(random, FILLS) % 3 == 1 ? FILL_NOISE : below(random, FILLS);
    s.templ_fill = once_in(random, 3) ? below(random, FILLS) : FILL_CROP;
    s.image_there = below(random, 2) & r->device_memory;
    s.map_there = below(random, 2) & r->device_memory;
    p->rule.mode = (xncc_mode)below(random, 3);
    p->rule.flat = (xncc_flat)below(random, 2);
    p->rule.border = (xncc_border)below(random, 5);
    p->rule.min_valid = least[below(random, 8)];
    p->channels = once_in(random, 2) ? below(random, 2)
                                     : between(random, 1, once_in(random, 6) ? 9 : 4);
    p->pixel = plain ? simple[below(random, 3)] : (xncc_pixel)below(random, 7);
    p->rule.method = (xncc_method)below(random, plain ? 6 : 7);
    const int image_mask = once_in(random, 4), no_data = once_in(random, 5),
              templ_mask = once_in(random, 3);
    if (plain) {
        p->channels %= 2;
        p->rule.border = XNCC_BORDER_CLAMP;
        *p = kit_problem(*p);
        return s;
    }
    *p = kit_problem(*p);
    s.image_mask = image_mask;
    s.image_no_data = no_data;
    s.templ_mask = templ_mask;
    return s;
}

static int32_t least_of(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

void scene_tiny(scene *s)
{
    xncc_problem *p = &s->problem;
    rng *random = &s->random;
    p->image_width = between(random, 1, 26);
    p->image_height = between(random, 1, 24);
    const int beyond = p->rule.mode != XNCC_VALID ||
                       once_in(random, 40); /* in mode valid it is refused */
    p->templ_width = between(random, 1, beyond ? 30 : p->image_width);
    p->templ_height = between(random, 1, beyond ? 28 : p->image_height);
    const int kind = below(random, 12);
    if (kind == 0 || kind == 1)
        p->templ_width = 1;
    if (kind == 0 || kind == 2)
        p->templ_height = 1;
    if (kind == 3 || kind == 4)
        p->templ_width = p->image_width;
    if (kind == 3 || kind == 5)
        p->templ_height = p->image_height;
}

void scene_template_sides(scene *s)
{
    static const int32_t side[] = { 1,  2,  3,  4,  5,  7,  8,  9,   11,  13,  15,  16,  17, 19,
                                    23, 24, 29, 31, 32, 33, 37, 41,  43,  48,  49,  56,  57, 58,
                                    61, 63, 64, 65, 67, 96, 97, 100, 101, 127, 128, 129, 130 };
    const int32_t sides = (int32_t)(sizeof side / sizeof *side);
    s->problem.templ_width = least_of(side[below(&s->random, sides)], s->problem.image_width);
    s->problem.templ_height = least_of(side[below(&s->random, sides)], s->problem.image_height);
    if (once_in(&s->random, 2)) /* most are small */
        s->problem.templ_height = least_of(side[below(&s->random, 22)], s->problem.image_height);
}

void scene_small(scene *s)
{
    s->problem.image_width = between(&s->random, 20, 150);
    s->problem.image_height = between(&s->random, 12, 110);
    scene_template_sides(s);
}

static void mask_rectangle(uint8_t *mask, const xncc_image *v, rng *random, int32_t width,
                           int32_t height)
{
    int32_t x0 = between(random, -width / 2, v->width - 1),
            y0 = between(random, -height / 2, v->height - 1);
    for (int32_t y = y0 < 0 ? 0 : y0; y < y0 + height && y < v->height; y++)
        for (int32_t x = x0 < 0 ? 0 : x0; x < x0 + width && x < v->width; x++)
            mask[v->mask_pitch * y + x] = 0;
}

enum mask {
    MASK_ALL,
    MASK_NONE,
    MASK_FEW_HOLES,
    MASK_HOLES,
    MASK_RECTANGLES,
    MASK_ELLIPSE,
    MASK_LAST_ROW,
    MASK_NOT_LAST_ROW,
    MASK_NOT_LAST_COLUMN,
    MASK_ONE,
    MASKS
};

static int mask_counts(int kind, const xncc_image *v, int32_t x, int32_t y, rng *random)
{
    const int64_t a = 2 * (int64_t)x + 1 - v->width, b = 2 * (int64_t)y + 1 - v->height,
                  w = v->width, h = v->height;
    switch (kind) {
    case MASK_NONE: return 0;
    case MASK_FEW_HOLES: return below(random, 100) >= 3;
    case MASK_HOLES: return below(random, 100) >= 30;
    case MASK_ELLIPSE: return a * a * h * h + b * b * w * w <= w * w * h * h;
    case MASK_LAST_ROW: return y == v->height - 1;
    case MASK_NOT_LAST_ROW: return v->height == 1 || y < v->height - 1;
    case MASK_NOT_LAST_COLUMN: return v->width == 1 || x < v->width - 1;
    case MASK_ONE: return x == v->width / 2 && y == v->height / 3;
    default: return 1;
    }
}

/* Makes a mask with holes. unit: the approximate size of a hole. */
static void give_mask(picture *p, rng *random, int32_t width, int32_t height)
{
    static const uint8_t counts[] = { 1, 255, 2, 128 }; /* every byte but 0 does */
    xncc_image *v = &p->view;
    const int kind = once_in(random, 3) ? MASK_HOLES : below(random, MASKS);
    v->mask_pitch = v->width + below(random, 6);
    p->mask_memory = memory_junk((size_t)v->mask_pitch * (size_t)v->height + 2 * GUARD + 3, random);
    uint8_t *mask = p->mask_memory + GUARD + below(random, 4);
    for (int32_t y = 0; y < v->height; y++)
        for (int32_t x = 0; x < v->width; x++)
            mask[v->mask_pitch * y + x] = mask_counts(kind, v, x, y, random)
                                              ? counts[below(random, 4)]
                                              : 0;
    for (int i = 0; kind == MASK_RECTANGLES && i < 3; i++) {
        int32_t w = between(random, 1, 2 * width), h = between(random, 1, 2 * height);
        mask_rectangle(mask, v, random, w, h);
    }
    v->mask = mask;
}

/* Gives some pixels the no-data value, in all channels or in one. */
static void give_no_data(xncc_image *v, rng *random)
{
    static const double odd[] = { -1, 0.5, 1e300, 300 };
    const int32_t channels = v->channels ? v->channels : 1, percent = below(random, 40),
                  kind = below(random, 10);
    const int32_t x0 = below(random, v->width), y0 = below(random, v->height);
    v->has_no_data = 1;
    v->no_data = kind == 0 ? pixel_largest(v->pixel) : sample_get(v, x0, y0, 0);
    if (pixel_is_float(v->pixel) && once_in(random, 2))
        v->no_data = (double)NAN;
    for (int32_t y = 0; y < v->height; y++)
        for (int32_t x = 0; x < v->width; x++) {
            const int32_t at = below(random, 100), first = at == 99 ? below(random, channels) : 0;
            for (int32_t c = first; c < channels && (at < percent || at == 99); c++)
                sample_put(v, x, y, c, v->no_data);
        }
    if (kind == 1 && !pixel_is_float(v->pixel))
        v->no_data = odd[below(random, 4)]; /* some of which no pixel has */
}

static void copy_pixels(const xncc_image *to, int32_t tx, int32_t ty, const xncc_image *from,
                        int32_t fx, int32_t fy, int32_t width, int32_t height)
{
    const int64_t pixel = (int64_t)xncc_pixel_size(to->pixel) * (to->channels ? to->channels : 1);
    for (int32_t y = 0; y < height; y++)
        memcpy((char *)to->data + to->pitch * (ty + y) + pixel * tx,
               (const char *)from->data + from->pitch * (fy + y) + pixel * fx,
               (size_t)(pixel * width));
}

picture scene_picture(const run *r, scene *s)
{
    const xncc_problem *p = &s->problem;
    picture image = picture_make(p->pixel, p->channels, p->image_width, p->image_height,
                                 &s->random);
    picture_fill(&image.view, s->fill, &s->random);
    if (pixel_is_float(p->pixel) && once_in(&s->random, 8)) {
        const int32_t x = below(&s->random, p->image_width), y = below(&s->random, p->image_height);
        sample_put(&image.view, x, y, 0, once_in(&s->random, 2) ? (double)NAN : -(double)INFINITY);
    }
    if (s->image_no_data)
        give_no_data(&image.view, &s->random);
    if (s->image_mask)
        give_mask(&image, &s->random, p->templ_width, p->templ_height);
    if (s->image_there)
        picture_upload(r, &image);
    return image;
}

/* Some templates are cut from the image; of others, copies are put into the image. */
static picture template_pixels(const run *r, scene *s, int32_t width, int32_t height)
{
    const xncc_problem *p = &s->problem;
    rng *random = &s->random;
    picture t = picture_make(p->pixel, p->channels, width, height, random);
    const int fits = width <= p->image_width && height <= p->image_height;
    picture_fill(&t.view, s->templ_fill == FILL_CROP ? FILL_NOISE : s->templ_fill, random);
    if (fits && s->templ_fill == FILL_CROP) {
        const int32_t x = below(random, p->image_width - width + 1),
                      y = below(random, p->image_height - height + 1);
        copy_pixels(&t.view, 0, 0, &s->image.view, x, y, width, height);
    }
    for (int i = 0; fits && s->templ_fill == FILL_NOISE && i < 2; i++) {
        const int32_t x = below(random, p->image_width - width + 1),
                      y = below(random, p->image_height - height + 1);
        copy_pixels(&s->image.view, x, y, &t.view, 0, 0, width, height);
    }
    for (int32_t y = 0; y < height && pixel_is_float(p->pixel);
         y++) /* templates are finite, as a rule */
        for (int32_t x = 0; x < width; x++)
            for (int32_t c = 0; c < (p->channels ? p->channels : 1); c++)
                if (!isfinite(sample_get(&t.view, x, y, c)))
                    sample_put(&t.view, x, y, c, 1);
    if (pixel_is_float(p->pixel) && once_in(random, 100))
        sample_put(&t.view, width / 2, 0, 0, (double)NAN);
    if (s->templ_mask && once_in(random, 6))
        give_no_data(&t.view, random);
    else if (s->templ_mask)
        give_mask(&t, random, width / 2 + 1, height / 2 + 1);
    if (s->map_there)
        picture_upload(r, &t);
    return t;
}

static xncc_status make_template(const run *r, scene *s, int32_t width, int32_t height,
                                 xncc_template **result)
{
    picture t = template_pixels(r, s, width, height);
    xncc_status status = xncc_template_create(s->context, t.device ? &t.twin : &t.view, result,
                                              &kit_error);
    picture_free(&t);
    return status;
}

xncc_status scene_template(const run *r, scene *s, int32_t width, int32_t height,
                           xncc_template **result)
{
    const int planted = s->templ_fill == FILL_NOISE; /* the image is not changed any more */
    if (planted)
        s->templ_fill = FILL_BLOBS;
    xncc_status status = make_template(r, s, width, height, result);
    if (planted)
        s->templ_fill = FILL_NOISE;
    return status;
}

int scene_make(run *r, scene *s)
{
    xncc_problem *p = &s->problem;
    if (!problem_begins(r,
                        "%s x%d %dx%d fill %d under %dx%d fill %d %s mode %d border %d flat %d "
                        "least %g masks %d%d%d",
                        xncc_pixel_name(p->pixel), p->channels, p->image_width, p->image_height,
                        s->fill, p->templ_width, p->templ_height, s->templ_fill,
                        xncc_method_name(p->rule.method), (int)p->rule.mode, (int)p->rule.border,
                        (int)p->rule.flat, p->rule.min_valid, s->image_mask, s->image_no_data,
                        s->templ_mask))
        return 0;
    const int there = s->image_there;
    s->image_there = 0; /* not yet: copies of the template come first */
    s->image = scene_picture(r, s);
    s->image_there = there;
    s->made = make_template(r, s, p->templ_width, p->templ_height, &s->templ);
    if (there)
        picture_upload(r, &s->image);
    p->image_masked = s->image_mask || s->image_no_data;
    p->templ_masked = s->made ? 0 : xncc_template_is_masked(s->templ);
    digest d = { .value = (uint64_t)p->templ_masked };
    record(r, 0, s->made, &d);
    return 1;
}

void scene_free(scene *s)
{
    xncc_template_destroy(s->templ);
    picture_free(&s->image);
}

const xncc_image *scene_image(const scene *s)
{
    return s->image.device ? &s->image.twin : &s->image.view;
}

/* The number of products of bytes, as an estimate of the work. */
double scene_work(const scene *s)
{
    static const double price[] = { [XNCC_U8] = 1,  [XNCC_U16] = 2,  [XNCC_F32] = 4, [XNCC_S8] = 1,
                                    [XNCC_S16] = 2, [XNCC_U32] = 12, [XNCC_F64] = 8 };
    const xncc_problem *p = &s->problem;
    int32_t w = 1, h = 1, x, y;
    (void)kit_map_extent(p->rule.mode, p->image_width, p->image_height, p->templ_width,
                         p->templ_height, &w, &h, &x, &y);
    const int varies = p->image_masked ||
                       (p->rule.mode != XNCC_VALID && p->rule.border == XNCC_BORDER_OVERLAP);
    return (double)w * h * p->templ_width * p->templ_height * (p->channels ? p->channels : 1) *
           price[p->pixel] * (varies ? 3 : 1);
}

kit_options scene_options(const scene *s, int kernel)
{
    const xncc_problem *p = &s->problem;
    return (kit_options){ .method = p->rule.method,
                          .mode = p->rule.mode,
                          .border = p->rule.border,
                          .flat = p->rule.flat,
                          .min_valid = p->rule.min_valid,
                          .kernel = kernel ? kernel_name(kernel) : NULL };
}

/* Draws the search options anew at each call, except for the kernel. */
kit_find_options scene_find_options(scene *s, int kernel)
{
    static const float least[] = { -INFINITY, -INFINITY, 0, 0.5f, 0.97f, -0.2f },
                       most[] = { 0, 0, 1e4f, 0.6f, INFINITY };
    static const size_t top[] = { 0, 0, 1, 3, 17, 1000 };
    static const int32_t distance[] = { 0, 1, 1, 2, 3, 5, 9 };
    const xncc_problem *p = &s->problem;
    kit_find_options o = { .method = p->rule.method,
                           .mode = p->rule.mode,
                           .border = p->rule.border,
                           .min_valid = p->rule.min_valid };
    o.kernel = kernel ? kernel_name(kernel) : NULL;
    o.top = top[below(&s->random, 6)];
    o.min_score = least[below(&s->random, 6)];
    o.max_score = most[below(&s->random, 5)];
    o.min_distance = distance[below(&s->random, 7)];
    return o;
}

kept_rows keep_rows(const picture *p, rng *random)
{
    kept_rows k = { .p = p,
                    .rows = p->device ? p->view.height
                                      : 0 }; /* in device memory they have all arrived */
    const size_t height = (size_t)p->view.height;
    k.pixel_bytes = (size_t)p->view.pitch * height;
    k.mask_bytes = p->view.mask ? (size_t)p->view.mask_pitch * height : 0;
    k.pixels = memory_junk(k.pixel_bytes + 1, random);
    k.mask = memory_junk(k.mask_bytes + 1, random);
    memcpy(k.pixels, p->view.data, k.pixel_bytes);
    if (k.mask_bytes)
        memcpy(k.mask, p->view.mask, k.mask_bytes);
    if (k.rows)
        return k;
    memset((void *)(uintptr_t)p->view.data, 0x5A, k.pixel_bytes);
    if (k.mask_bytes)
        memset((void *)(uintptr_t)p->view.mask, once_in(random, 2), k.mask_bytes);
    return k;
}

void rows_arrive(kept_rows *k, int32_t rows)
{
    const xncc_image *v = &k->p->view;
    for (; k->rows < rows; k->rows++) {
        memcpy((char *)(uintptr_t)v->data + v->pitch * k->rows, k->pixels + v->pitch * k->rows,
               (size_t)v->pitch);
        if (k->mask_bytes)
            memcpy((char *)(uintptr_t)v->mask + v->mask_pitch * k->rows,
                   k->mask + v->mask_pitch * k->rows, (size_t)v->mask_pitch);
    }
}
