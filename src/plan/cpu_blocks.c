/* SPDX-License-Identifier: BSD-2-Clause */
/* The blocks of the CPU kernels: rectangles, strips, panels, transforms and tiles. */
#include "plan/cpu_blocks.h"

#include "base/int_math.h"
#include "image/samples.h"
#include "math/method.h"
#include "plan/problem.h"

#include <assert.h>

enum {
    MOST_STRIP = 2048, /* map columns */
    LEAST_STRIP = 256,
    RING_BYTES = 448 << 10,  /* with the table and the rows of sums, this stays within 1 MB of
                                second-level cache */
    MOST_PANEL_BYTES = 2048, /* most template columns per panel, u8 */
    MOST_PANEL_U16 =
        496, /* the same for u16; one row stays within XNCC_MOST_PRODUCTS_U16 in every form */
    GATHER_BYTES = 1 << 20
};

/* Tiles of byte planes. */
enum {
    MOST_COLUMNS = 384,
    MOST_ROWS = 132,           /* a multiple of the rows that each kernel computes at a time */
    MOST_COLUMNS_128_BIT = 256 /* if each window keeps 128-bit numbers */
};

/* A direct kernel: template pixels per dword, and map rows at a time; for u8 and for u16. And the
 * most columns of a map that is computed with a column per lane: beyond, hardly a lane is wasted by
 * the phases, either. */
typedef struct form {
    xncc_kernel kernel;
    int32_t phases[2], rows[2];
    int32_t lanes_columns;
} form;

static const form forms[] = {
    { XNCC_KERNEL_DIRECT_PORTABLE, { 1, 1 }, { XNCC_PORTABLE_ROWS, XNCC_PORTABLE_ROWS }, 0 },
    { XNCC_KERNEL_DIRECT_AVX2, { 2, 2 }, { XNCC_AVX2_ROWS_U8, XNCC_AVX2_ROWS_U16 }, 72 },
    { XNCC_KERNEL_DIRECT_AVXVNNI, { 4, 2 }, { XNCC_AVXVNNI_ROWS, XNCC_AVXVNNI_ROWS }, 144 },
    { XNCC_KERNEL_DIRECT_AVX512, { 4, 2 }, { XNCC_AVX512_ROWS, XNCC_AVX512_ROWS }, 144 },
    { XNCC_KERNEL_DIRECT_NEON, { 2, 2 }, { XNCC_NEON_ROWS, XNCC_NEON_ROWS }, 0 },
    { XNCC_KERNEL_DIRECT_DOTPROD, { 4, 2 }, { XNCC_NEON_ROWS, XNCC_NEON_ROWS }, 0 },
};

/* An odd number of cache lines: rows a multiple of 4096 bytes apart would compete for the same
 * cache sets. */
static int64_t odd_lines(int64_t bytes)
{
    return (bytes + 63) / 128 * 128 + 192;
}

static int64_t ring_row_bytes(const xncc_direct_blocks *c, int32_t strip)
{
    return odd_lines(((int64_t)strip + (int64_t)c->groups * c->phases) * c->element);
}

/* Whether the map is so narrow that it is computed with a column per lane. */
static int has_lanes(const xncc_problem *problem, const form *f)
{
    return xncc_problem_extent(problem).width <= f->lanes_columns;
}

/* The blocks of a template that is correlated with one plane. */
static void direct_blocks(const xncc_problem *problem, const form *f, xncc_cpu_blocks *blocks)
{
    const int words = blocks->words;
    xncc_direct_blocks c = { .rows = f->rows[words],
                             .phases = f->phases[words],
                             .planes = words ? 2 : 1,
                             .element = f->phases[words] == 4 ? 1 : 2,
                             .strip = MOST_STRIP,
                             .panel_height = problem->templ_height,
                             .lanes = has_lanes(problem, f) };
    c.shifts = c.lanes ? 1 : c.phases;
    if (c.lanes) {
        c.rows = XNCC_LANES_ROWS;
        c.element = words ? 2 : 1;
    }
    const int32_t most_groups = (words ? XNCC_MOST_PRODUCTS_U16 : XNCC_MOST_PRODUCTS_U8) / c.phases;
    c.panel_width = xncc_ceil_div(
        problem->templ_width,
        xncc_ceil_div(problem->templ_width, words ? MOST_PANEL_U16 : MOST_PANEL_BYTES));
    c.groups = xncc_ceil_div(c.panel_width + c.shifts - 1, c.phases);
    while (c.strip > LEAST_STRIP && ring_row_bytes(&c, c.strip) * xncc_ring_rows(&c) > RING_BYTES)
        c.strip /= 2;
    c.row_bytes = ring_row_bytes(&c, c.strip);
    const int64_t fit = RING_BYTES * 2 / c.row_bytes; /* at least 800 KB / 9 KB */
    if (xncc_ring_rows(&c) > fit)
        c.panel_height = xncc_ceil_div(
            problem->templ_height, xncc_ceil_div(problem->templ_height, (int32_t)fit - c.rows + 1));
    c.chunk = xncc_smaller(most_groups / c.groups, c.panel_height);
    c.chunk = xncc_ceil_div(c.panel_height, xncc_ceil_div(c.panel_height, c.chunk)); /* alike */
    assert(c.chunk >= 1 && c.chunk * c.groups <= most_groups);
    c.single = c.panel_width == problem->templ_width && c.panel_height == problem->templ_height;
    c.gather_rows = c.single ? c.rows : (int32_t)(GATHER_BYTES / 8 / c.strip / c.rows * c.rows);
    /* A rectangle has enough rows that summing up the image rows above its first window costs
     * little, and few enough for an even load on the threads. */
    const int64_t step = c.gather_rows,
                  rows = ((64 + problem->templ_height / 2 + c.rows - 1) / c.rows * c.rows + step -
                          1) /
                         step * step;
    blocks->direct = c;
    blocks->narrow = !words && c.single && c.chunk == problem->templ_height;
    blocks->strip = blocks->columns = c.strip;
    blocks->rows = rows > XNCC_MAX_SIDE ? XNCC_MAX_SIDE : (int32_t)rows;
}

static int fft_blocks(const xncc_problem *problem, xncc_cpu_blocks *blocks)
{
    if (!xncc_fft_blocking_make(problem, &blocks->fft))
        return 0;
    blocks->narrow = !blocks->words &&
                     (int64_t)problem->templ_width * problem->templ_height <= XNCC_MOST_PRODUCTS_U8;
    blocks->columns = blocks->fft.across;
    blocks->rows = blocks->least_rows = blocks->fft.down;
    blocks->strip = xncc_strip_columns(blocks->columns);
    return 1;
}

/* The terms, and the products that they are made of, are at most channels * (n * m)^2 with m the
 * largest biased sample (math/general_score.h). */
static int terms_fit(const xncc_problem *p)
{
    const double most = (double)p->templ_width * (double)p->templ_height *
                        (double)xncc_pixel_max(p->pixel);
    return (double)p->channels * most * most < 0x1p63;
}

static void tile_of(const xncc_problem *p, xncc_tile_blocks *t)
{
    *t = (xncc_tile_blocks){ .recipe = xncc_sum_recipe_of(p),
                             .whole = xncc_problem_route(p) != XNCC_ROUTE_GENERAL,
                             .channels = p->channels,
                             .varies = xncc_problem_image_varies(p),
                             .fits = terms_fit(p) };
    t->digits = t->whole ? 1 : xncc_pixel_digits(p->pixel);
    t->centred = xncc_method_is_centred(p->rule.method);
    t->fold_x = t->whole || (t->fits && t->digits == 1 && p->rule.method != XNCC_COVERAGE);
    /* the count plane, the digits of each channel and, if T2 varies, the digits of their squares */
    t->templ_planes = 1 + t->channels * t->digits *
                              (t->recipe.sum[XNCC_SUM_T2] == XNCC_FROM_PRODUCTS ? 3 : 1);
}

/* Makes the rectangle small enough for the planes of its sums, and divides their memory. */
static void shrink_to_tile(const xncc_problem *p, xncc_cpu_blocks *b)
{
    const xncc_extent map = xncc_problem_extent(p);
    xncc_tile_blocks *t = &b->tile;
    if (b->least_rows == 0) {
        b->columns = xncc_smaller(b->columns, t->fits || t->channels == 1 ? MOST_COLUMNS
                                                                          : MOST_COLUMNS_128_BIT);
        b->rows = xncc_smaller(xncc_smaller(b->rows, MOST_ROWS), map.height);
    }
    b->columns = xncc_smaller(b->columns, map.width);
    t->stride = xncc_strip_columns(b->columns);
    t->plane_width = b->columns + p->templ_width - 1;
    t->plane_height = b->rows + p->templ_height - 1;
    t->pitch = odd_lines(t->plane_width);
}

/* How exact sums of floats are made: by the transforms of the map, or by others for a rectangle of
 * direct products. Measured on an AMD EPYC (Zen 4) with 64 x 64 to 378 x 21 samples: products
 * modulo primes take as long where there are about 4.5 of them for each point and level of the
 * transforms.
 */
static void exact_blocks(const xncc_problem *problem, xncc_cpu_blocks *blocks)
{
    const xncc_extent map = xncc_problem_extent(problem);
    const int32_t columns = xncc_smaller(blocks->columns, map.width),
                  rows = xncc_smaller(blocks->rows, map.height);
    const double products = (double)columns * rows * problem->templ_width * problem->templ_height;
    blocks->exact = blocks->fft;
    if (blocks->fft.nx == 0 &&
        xncc_fft_blocking_of_rectangle(problem, columns, rows, &blocks->exact) &&
        products < 4.5 * blocks->exact.points)
        blocks->exact = (xncc_fft_blocking){ 0 };
}

static int is_fft(xncc_kernel kernel)
{
    return kernel == XNCC_KERNEL_FFT_PORTABLE || kernel == XNCC_KERNEL_FFT_AVX2 ||
           kernel == XNCC_KERNEL_FFT_AVX512;
}

/* Whether a map of bytes is small: narrow, with a column per lane, and of so few products that a
 * call is cancelled in time though no map is left half done. */
static int is_small_bytes(const xncc_problem *p, const xncc_cpu_blocks *b)
{
    enum { MOST_WINDOWS = 1 << 14, MOST_PRODUCTS = 1 << 28 };
    const xncc_extent map = xncc_problem_extent(p);
    const int64_t windows = (int64_t)map.width * map.height;
    return b->direct.lanes && b->narrow && b->tile.whole && p->pixel == XNCC_U8 &&
           p->rule.mode == XNCC_VALID && windows <= MOST_WINDOWS &&
           windows * p->templ_width * p->templ_height <= MOST_PRODUCTS;
}

/* Whether a map of other pixels is small: its scene fits a transform, floats hold the samples, and
 * large scores are good. */
static int is_small_reals(const xncc_problem *p)
{
    return p->task == XNCC_TASK_MATCH && p->pixel != XNCC_U8 && p->pixel != XNCC_U32 &&
           xncc_problem_is_single(p) && p->rule.mode == XNCC_VALID &&
           p->rule.method != XNCC_COVERAGE && !xncc_method_of_difference(p->rule.method) &&
           p->image_width <= XNCC_SMALL_REALS_SIDE && p->image_height <= XNCC_SMALL_REALS_SIDE;
}

static xncc_small_kind small_kind(const xncc_problem *p, const xncc_cpu_blocks *b)
{
    return is_small_bytes(p, b) ? XNCC_SMALL_BYTES
           : is_small_reals(p)  ? XNCC_SMALL_REALS
                                : XNCC_SMALL_NONE;
}

int xncc_cpu_blocks_make(const xncc_problem *problem, xncc_kernel kernel, xncc_cpu_blocks *blocks)
{
    *blocks = (xncc_cpu_blocks){ .columns = 1024, .rows = 4 };
    if (kernel == XNCC_KERNEL_REFERENCE)
        return 1;
    if (problem->task == XNCC_TASK_CONVOLVE || xncc_pixel_is_of_doubles(problem->pixel)) {
        const int convolve = problem->task == XNCC_TASK_CONVOLVE;
        if (is_fft(kernel) && (convolve || !fft_blocks(problem, blocks)))
            return 0;
        if (!is_fft(kernel)) {
            blocks->columns = convolve ? XNCC_CONVOLVE_COLUMNS : XNCC_FLOAT_COLUMNS;
            blocks->rows = convolve ? XNCC_CONVOLVE_ROWS : XNCC_FLOAT_ROWS;
        }
        if (!convolve)
            exact_blocks(problem, blocks);
        blocks->small = small_kind(problem, blocks);
        return 1;
    }
    const xncc_problem inner = xncc_problem_read(problem);
    tile_of(problem, &blocks->tile);
    blocks->words = inner.pixel == XNCC_U16;
    if (is_fft(kernel) && !fft_blocks(&inner, blocks))
        return 0;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i].kernel == kernel)
            direct_blocks(&inner, &forms[i], blocks);
    if (!blocks->tile.whole)
        shrink_to_tile(problem, blocks);
    blocks->small = small_kind(problem, blocks);
    return 1;
}

int xncc_cpu_half_blocks(const xncc_problem *problem, xncc_kernel kernel, xncc_cpu_blocks *blocks)
{
    /* Smaller templates cost little as they are, and larger images much memory, 15 bytes per pixel.
     * The arithmetic of the bounds fits 64 bits up to the most pixels of a template. */
    enum { LEAST_SIDE = 16, MOST_PIXELS = 1 << 14, MOST_IMAGE = 1 << 23 };
    xncc_problem half = *problem;
    half.image_width /= 2;
    half.image_height /= 2;
    half.templ_width /= 2;
    half.templ_height /= 2;
    *blocks = (xncc_cpu_blocks){ 0 };
    if (problem->task != XNCC_TASK_MATCH || problem->pixel != XNCC_U8 || problem->channels != 1 ||
        problem->rule.method != XNCC_CCOEFF_NORMED || problem->rule.mode != XNCC_VALID ||
        xncc_problem_route(problem) != XNCC_ROUTE_PLAIN || is_fft(kernel) ||
        kernel == XNCC_KERNEL_REFERENCE || problem->templ_width < LEAST_SIDE ||
        problem->templ_height < LEAST_SIDE ||
        (int64_t)problem->templ_width * problem->templ_height > MOST_PIXELS ||
        (int64_t)problem->image_width * problem->image_height > MOST_IMAGE)
        return 0;
    return xncc_cpu_blocks_make(&half, kernel, blocks) && blocks->narrow && blocks->direct.single;
}
