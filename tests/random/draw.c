/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws problems (random.h): sizes, pixels, rules. */
#include "random/random.h"

/* The largest sides: of an image, and of a thin one. */
typedef struct limits {
    int32_t width, height, length;
} limits;

static int32_t some_prime(kit_random *random, int32_t most)
{
    static const int32_t prime[] = { 2,  3,  5,  7,   11,  13,  17,  19,  23,  29,
                                     31, 37, 61, 127, 131, 193, 257, 293, 509, 521 };
    int32_t side;
    do
        side = prime[kit_below(random, sizeof prime / sizeof *prime)];
    while (side > most);
    return side;
}

/* Sides beside the steps of vectors, tiles and blocks. */
static int32_t some_step(kit_random *random, int32_t most)
{
    int32_t side;
    do
        side = (1 << kit_between(random, 2, 9)) * kit_between(random, 1, 3) +
               kit_between(random, -1, 1);
    while (side > most);
    return side;
}

/* 1 .. most; short sides are as probable as long ones. */
static int32_t some_side(kit_random *random, int32_t most)
{
    int32_t below = 1;
    while (below < most && (kit_next(random) & 3))
        below *= 2;
    return kit_between(random, 1, below < most ? below : most);
}

static general_sizes up_to(kit_random *random, int32_t image_width, int32_t image_height,
                           int32_t side)
{
    general_sizes z;
    z.image_width = kit_between(random, 1, image_width);
    z.image_height = kit_between(random, 1, image_height);
    z.width = kit_between(random, 1, side);
    z.height = kit_between(random, 1, side);
    return z;
}

static general_sizes tiny(kit_random *random, const limits *most)
{
    (void)most;
    return up_to(random, 24, 24, 12);
}

static general_sizes small(kit_random *random, const limits *most)
{
    (void)most;
    return up_to(random, 150, 90, 40);
}

static general_sizes steps(kit_random *random, const limits *most)
{
    general_sizes z;
    (void)most;
    z.image_width = some_step(random, 520);
    z.image_height = some_step(random, 130);
    z.width = some_step(random, 130);
    z.height = some_step(random, 66);
    return z;
}

static general_sizes primes(kit_random *random, const limits *most)
{
    general_sizes z;
    (void)most;
    z.image_width = some_prime(random, 521);
    z.image_height = some_prime(random, 131);
    z.width = some_prime(random, 61);
    z.height = some_prime(random, 61);
    return z;
}

/* One pixel: the image, the template or both. */
static general_sizes single(kit_random *random, const limits *most)
{
    const uint64_t which = kit_below(random, 3);
    general_sizes z = small(random, most);
    if (which != 0)
        z.image_width = z.image_height = 1;
    if (which != 1)
        z.width = z.height = 1;
    return z;
}

/* The template is as large as the image, or a little smaller. */
static general_sizes whole(kit_random *random, const limits *most)
{
    general_sizes z;
    z.image_width = some_side(random, most->width / 2);
    z.image_height = some_side(random, most->height / 2);
    z.width = z.image_width - kit_between(random, 0, 6) * (int32_t)kit_below(random, 2);
    z.height = z.image_height - kit_between(random, 0, 6) * (int32_t)kit_below(random, 2);
    z.width = z.width < 1 ? 1 : z.width;
    z.height = z.height < 1 ? 1 : z.height;
    return z;
}

/* One side is long. */
static general_sizes thin(kit_random *random, const limits *most)
{
    general_sizes z;
    z.image_width = kit_between(random, 1, most->length);
    z.image_height = kit_between(random, 1, 9);
    z.width = kit_next(random) & 1 ? some_side(random, most->length) : some_side(random, 40);
    z.height = kit_between(random, 1, 9);
    if (kit_next(random) & 1)
        z = (general_sizes){ z.image_height, z.image_width, z.height, z.width };
    return z;
}

static general_sizes large(kit_random *random, const limits *most)
{
    general_sizes z;
    z.image_width = kit_between(random, most->width / 4, most->width);
    z.image_height = kit_between(random, most->height / 4, most->height);
    z.width = some_side(random, 200);
    z.height = some_side(random, 200);
    return z;
}

/* Few windows under a large template: beside sizes where sums exceed 32, 62 or 63 bits, or larger.
 */
static general_sizes heavy(kit_random *random, const limits *most)
{
    static const int32_t side[] = { 182, 215, 257 };
    const int32_t same = side[kit_below(random, 3)] + kit_between(random, -2, 2),
                  free = (int32_t)kit_below(random, 3);
    general_sizes z;
    z.width = free ? kit_between(random, 170, most->width * 2 / 3) : same;
    z.height = free ? kit_between(random, 170, most->height * 2 / 3) : same;
    z.image_width = z.width + kit_between(random, 0, 3);
    z.image_height = z.height + kit_between(random, 0, 3);
    return z;
}

/* What a heavy problem needs besides its sizes: windows inside the image, and mostly bright pixels,
 * half of the pixels, or any. */
static void make_heavy(kit_random *random, general_case *c)
{
    static const int fill[][2] = { { KIT_MAX, KIT_MAX },
                                   { KIT_MAX, GENERAL_CROP },
                                   { KIT_NEAR_FLAT, GENERAL_CROP },
                                   { KIT_CHECKER, GENERAL_CROP },
                                   { KIT_NOISE, GENERAL_CROP } };
    const int *f = fill[kit_below(random, sizeof fill / sizeof *fill)];
    c->options.mode = XNCC_VALID;
    c->image_fill = f[0];
    c->templ_fill = f[1];
    c->channels = kit_below(random, 4) ? 1 : 2;
}

/* *is_heavy: set to 1 if the sizes are to be used with make_heavy. */
static general_sizes draw_sizes(const random_run *run, kit_random *random, int *is_heavy)
{
    static const struct {
        general_sizes (*draw)(kit_random *random, const limits *most);
        uint64_t percent, percent_gpu;
    } kind[] = { { tiny, 40, 25 }, { small, 23, 23 }, { steps, 12, 15 },
                 { primes, 6, 8 }, { single, 3, 3 },  { whole, 5, 6 },
                 { thin, 5, 6 },   { large, 3, 9 },   { heavy, 3, 5 } };
    const int gpu = run->check.device == XNCC_DEVICE_CUDA;
    const limits most = gpu ? (limits){ 3000, 2000, 20000 } : (limits){ 700, 500, 5000 };
    uint64_t at = kit_below(random, 100);
    size_t i = 0;
    while (at >= (gpu ? kind[i].percent_gpu : kind[i].percent)) {
        at -= gpu ? kind[i].percent_gpu : kind[i].percent;
        i++;
    }
    *is_heavy = kind[i].draw == heavy;
    return kind[i].draw(random, &most);
}

/* Makes the template smaller, then the image, until the reference takes at most a second or so. */
static void bound_work(general_case *c, double most)
{
    if (c->options.mode == XNCC_VALID && c->width > c->image_width)
        c->width = c->image_width;
    if (c->options.mode == XNCC_VALID && c->height > c->image_height)
        c->height = c->image_height;
    while (general_work(c) > most) {
        int32_t *side = c->width >= c->height ? &c->width : &c->height;
        if (*side == 1)
            side = c->image_width >= c->image_height ? &c->image_width : &c->image_height;
        *side = (*side + 1) / 2;
    }
}

static void draw_pixels(kit_random *random, general_case *c)
{
    c->image_fill = kit_next(random) & 1 ? KIT_NOISE : (int)kit_below(random, KIT_FILLS);
    if (kit_below(random, 12) == 0)
        c->image_fill = GENERAL_HALF;
    c->templ_fill = kit_next(random) & 1 ? (int)GENERAL_CROP : (int)kit_below(random, KIT_FILLS);
}

static void draw_rules(kit_random *random, general_case *c)
{
    static const double least[] = { 0.0, 0.0, 0.25, 1e-9, 1.0, 0.7 };
    static const xncc_mode mode[] = { XNCC_VALID, XNCC_VALID, XNCC_VALID,
                                      XNCC_SAME,  XNCC_SAME,  XNCC_FULL };
    c->options.method = (xncc_method)(kit_below(random, 3) ? kit_below(random, GENERAL_METHODS)
                                                           : XNCC_CCOEFF_NORMED);
    c->options.mode = mode[kit_below(random, sizeof mode / sizeof *mode)];
    c->options.border = (xncc_border)kit_below(random, 5);
    c->options.flat = kit_next(random) & 1 ? XNCC_FLAT_NAN : XNCC_FLAT_ZERO;
    c->options.min_valid = least[kit_below(random, sizeof least / sizeof *least)];
    if (kit_below(random, 4) == 0)
        c->options.min_valid = (double)kit_below(random, 1001) / 1000;
    c->masks = kit_below(random, 3) == 0 ? GENERAL_NONE
                                         : (general_masks)kit_below(random, GENERAL_MASKS);
    c->pixel = (xncc_pixel)kit_below(random, XNCC_F64 + 1);
    c->channels = kit_below(random, 3) ? (int32_t)kit_below(random, 2) : kit_between(random, 1, 4);
}

/* What most kernels are made for (XNCC_ROUTE_PLAIN). */
static void make_plain(kit_random *random, general_case *c)
{
    c->pixel = (xncc_pixel)kit_below(random, XNCC_F32 + 1);
    c->channels = 1;
    c->masks = GENERAL_NONE;
    c->options.border = XNCC_BORDER_CLAMP;
}

static void draw_filter(kit_random *random, general_case *c)
{
    make_plain(random, c);
    c->options = (kit_options){ .mode = XNCC_SAME };
    c->options.border = kit_next(random) & 1 ? XNCC_BORDER_ZERO : XNCC_BORDER_CLAMP;
    c->width = some_side(random, XNCC_MAX_FILTER);
    c->height = kit_next(random) & 1 ? some_side(random, XNCC_MAX_FILTER)
                : c->width < 33      ? c->width
                                     : 3;
}

random_problem random_draw(const random_run *run, uint64_t number)
{
    static const random_task task[] = { RANDOM_MAP,  RANDOM_MAP,   RANDOM_MAP,     RANDOM_MAP,
                                        RANDOM_FIND, RANDOM_FIND,  RANDOM_FIND,    RANDOM_PLAN,
                                        RANDOM_PLAN, RANDOM_BATCH, RANDOM_CONVOLVE };
    kit_random random = kit_stream(2 * number);
    int is_heavy = 0;
    const general_sizes z = draw_sizes(run, &random, &is_heavy);
    random_problem p = { .number = number };
    p.task = task[kit_below(&random, sizeof task / sizeof *task)];
    p.context = kit_below(&random, RANDOM_CONTEXTS);
    p.c = (general_case){ .number = number,
                          .image_width = z.image_width,
                          .image_height = z.image_height,
                          .width = z.width,
                          .height = z.height };
    draw_rules(&random, &p.c);
    draw_pixels(&random, &p.c);
    if (kit_below(&random, 4) == 0)
        make_plain(&random, &p.c);
    if (is_heavy)
        make_heavy(&random, &p.c);
    if (p.task == RANDOM_CONVOLVE)
        draw_filter(&random, &p.c);
    else if (p.task != RANDOM_MAP && p.task != RANDOM_BATCH)
        p.c.options.flat = XNCC_FLAT_ZERO; /* a search has no such option */
    if (p.c.width > z.image_width / 2 && kit_next(&random) & 1)
        p.c.options.mode = p.task == RANDOM_CONVOLVE ? XNCC_SAME : XNCC_VALID;
    const uint64_t cost = kit_below(&random, 256);
    const double most = cost == 0                                                    ? 2e8
                        : cost < 8                                                   ? 3e7
                        : is_heavy || (double)z.image_width * z.image_height > 80000 ? 2e7
                                                                                     : 2e6;
    /* these need several results of the reference */
    bound_work(&p.c, p.task == RANDOM_PLAN || p.task == RANDOM_BATCH ? most / 4 : most);
    p.levels = kit_below(&random, 8) ? 0 : kit_between(&random, 2, 4);
    p.copies = kit_below(&random, 3) ? 0 : kit_between(&random, 1, 6);
    p.oracle = kit_below(&random, 20) == 0 && general_work(&p.c) < 1e6;
    return p;
}
