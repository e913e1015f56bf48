/* SPDX-License-Identifier: BSD-2-Clause */
/* Small maps from pixels in common (small.h). */
#include "cpu/kernels/small.h"

#include "cpu/kernels/direct.h"
#include "cpu/kernels/scores.h"
#include "image/image.h"
#include "math/method.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Bytes of pixels that a thread keeps at least, and what vectors may read beyond a row. */
enum { PIXELS = 1 << 18, BEYOND = 64 };

/* An odd number of cache lines per row. */
static int64_t pitch_of(const xncc_problem *p, int64_t width)
{
    return (width + p->templ_width - 1 + BEYOND + 63) / 128 * 128 + 64;
}

static int64_t pixels_of(const xncc_problem *p, int64_t width, int64_t height)
{
    return pitch_of(p, width) * (height + p->templ_height - 1);
}

/* Bytes of pixels: PIXELS, or as many as the largest map needs. */
static int64_t room_of(const xncc_problem *p)
{
    const xncc_extent map = xncc_problem_extent(p);
    const int64_t most = pixels_of(p, map.width, map.height);
    return most > PIXELS ? most : PIXELS;
}

int xncc_small_has_room(const xncc_problem *problem, int64_t width, int64_t height)
{
    return pixels_of(problem, width, height) <= room_of(problem);
}

uint64_t xncc_small_layout(const xncc_problem *problem, const xncc_cpu_blocks *blocks,
                           int32_t windows, char *memory, xncc_small *small)
{
    const xncc_extent map = xncc_problem_extent(problem);
    const uint64_t rows = (uint64_t)map.height + (uint64_t)problem->templ_height - 1;
    uint64_t total = 0;
    small->product_stride = xncc_strip_columns(map.width);
    small->pixels = xncc_carve(memory, &total, (uint64_t)room_of(problem));
    small->inverse = xncc_carve(memory, &total, (uint64_t)windows * sizeof *small->inverse);
    small->row = xncc_carve(memory, &total, rows * sizeof *small->row);
    small->table = xncc_carve(memory, &total,
                              (uint64_t)problem->templ_height * (uint64_t)blocks->direct.groups *
                                  sizeof *small->table);
    small->product = xncc_carve(memory, &total,
                                (uint64_t)small->product_stride * (uint64_t)map.height *
                                    sizeof *small->product);
    return total;
}

static uint64_t pixels_per_window(const xncc_job *job)
{
    return (uint64_t)job->problem->templ_width * (uint64_t)job->problem->templ_height;
}

void xncc_small_stage(const xncc_cpu_kernel *self, const xncc_job *job, const xncc_area *area,
                      const xncc_window_plane *windows, xncc_small *small)
{
    const xncc_problem *p = job->problem;
    const xncc_product_kernel *inner = self->variant;
    const int32_t rows = area->height + p->templ_height - 1;
    const size_t bytes = (size_t)area->width + (size_t)p->templ_width - 1;
    assert(xncc_small_has_room(p, area->width, area->height));
    small->pitch = pitch_of(p, area->width);
    small->windows = *windows;
    for (int32_t y = 0; y < rows; y++)
        memcpy(small->pixels + y * small->pitch,
               (const uint8_t *)xncc_image_row(job->image, area->y + y) + area->x, bytes);
    for (int32_t y = 0; y < area->height && xncc_method_is_normed(p->rule.method); y++) {
        const ptrdiff_t at = y * windows->stride;
        inner->rows->inverses(&(xncc_inverses){ .sums = windows->packed + at,
                                                .n = pixels_per_window(job),
                                                .centred = job->blocks->tile.centred,
                                                .count = area->width,
                                                .out = small->inverse + at });
    }
}

/* Writes the digits T - 128 of a chip to the table of its template, and fills the sums of T and its
 * squares. */
static void read_chip(const xncc_job *job, const xncc_isa_rows *isa, const xncc_image *chip,
                      int32_t *table, xncc_template *templ)
{
    const xncc_direct_blocks *c = &job->blocks->direct;
    const int words = c->phases == 2;
    const int32_t width = chip->width;
    int64_t sum, squares;
    for (int32_t y = 0; y < chip->height; y++) {
        const uint8_t *restrict from = xncc_image_row(chip, y);
        int32_t *row = table + (ptrdiff_t)y * c->groups;
        row[c->groups - 1] = 0; /* its last digits may be no pixels */
        int8_t *restrict byte = (int8_t *)(void *)row;
        int16_t *restrict word = (int16_t *)(void *)row;
        for (int32_t i = 0; i < width && !words; i++)
            byte[i] = (int8_t)(from[i] - 128);
        for (int32_t i = 0; i < width && words; i++)
            word[i] = (int16_t)(from[i] - 128);
    }
    isa->digit_sums(table, words, (size_t)chip->height * (size_t)c->groups * (size_t)c->phases,
                    &sum, &squares);
    const int64_t n = (int64_t)templ->whole;
    templ->sum = (uint64_t)(sum + 128 * n);
    templ->sum2 = (uint64_t)(squares + 256 * sum + 16384 * n);
}

/* A map that is being scored. */
typedef struct map {
    const xncc_job *job;
    const xncc_isa_rows *isa;
    const xncc_template *templ;
    const xncc_area *area;
    const xncc_small *small;
    const uint64_t *sums; /* of the first window */
} map;

/* Scores rows first .. end - 1 by the formula. */
static void score_rows(const map *m, int32_t first, int32_t end)
{
    const xncc_templ_sums sums = { .T = { m->templ->sum }, .T2 = { m->templ->sum2 } };
    const xncc_match_rule *rule = &m->job->problem->rule;
    xncc_job job = *m->job;
    job.templ = m->templ;
    job.general = xncc_general_rule_make(m->templ, rule->flat, rule->min_valid);
    xncc_scores scores = { .isa = m->isa, .job = &job, .area = m->area, .templ = &sums };
    xncc_scores_channel(&scores, 0);
    for (int32_t y = first; y < end; y++)
        xncc_scores_row(&scores, 0, y,
                        &(xncc_row){ .x32 = m->small->product + y * m->small->product_stride,
                                     .S = m->sums + y * m->small->windows.stride,
                                     .factor = 128,
                                     .packed = 1,
                                     .count = m->area->width });
}

/* The inverse of the template's root for the methods that have one; 0: there is none. */
static double inverse_of(const map *m)
{
    const xncc_template *t = m->templ;
    const uint64_t term = m->job->blocks->tile.centred ? t->whole * t->sum2 - t->sum * t->sum
                                                       : t->sum2;
    return !xncc_method_is_normed(m->job->problem->rule.method) || term == 0
               ? 0.0
               : 1.0 / sqrt((double)term);
}

/* Products are X - 128 * S, so that the numerator is n * X - S * T = n * product + (128 * n - T) *
 * S, or X = product + 128 * S. Rows without certain bits, and all rows where flat windows have a
 * score or there are no inverses, are scored by the formula. */
static void score(const map *m)
{
    const xncc_small *small = m->small;
    const xncc_area *area = m->area;
    const double n = (double)m->templ->whole, factor = inverse_of(m);
    const int centred = m->job->blocks->tile.centred;
    const xncc_quotients q = { .product = small->product,
                               .product_stride = small->product_stride,
                               .sums = m->sums,
                               .inverse = small->inverse + (m->sums - small->windows.packed),
                               .stride = small->windows.stride,
                               .out = area->out,
                               .pitch = area->pitch,
                               .width = area->width,
                               .height = area->height,
                               .per_product = centred ? n : 1.0,
                               .per_sum = centred ? 128.0 * n - (double)m->templ->sum : 128.0,
                               .factor = factor };
    if (factor == 0.0 || m->job->problem->rule.flat != XNCC_FLAT_NAN) {
        score_rows(m, 0, area->height);
        return;
    }
    for (int32_t y = 0; (y = m->isa->quotients(&q, y)) < area->height; y++)
        score_rows(m, y, y + 1);
}

void xncc_small_map(const xncc_cpu_kernel *self, const xncc_job *job, const xncc_image *chip,
                    const xncc_area *area, const xncc_small *small)
{
    const xncc_product_kernel *inner = self->variant;
    const xncc_direct_isa *isa = inner->variant;
    const ptrdiff_t left = area->x - (ptrdiff_t)small->windows.left,
                    top = area->y - (ptrdiff_t)small->windows.top;
    const int32_t rows = area->height + chip->height - 1;
    xncc_template templ = { .width = chip->width,
                            .height = chip->height,
                            .pixel = XNCC_U8,
                            .channels = 1,
                            .whole = pixels_per_window(job),
                            .finite = 1 };
    const map m = { .job = job,
                    .isa = inner->rows,
                    .templ = &templ,
                    .area = area,
                    .small = small,
                    .sums = small->windows.packed + top * small->windows.stride + left };
    read_chip(job, inner->rows, chip, small->table, &templ);
    for (int32_t y = 0; y < rows; y++)
        small->row[y] = small->pixels + (top + y) * small->pitch + left;
    isa->u8_lanes(&(xncc_dot){ .row = small->row,
                               .table = small->table,
                               .rows = chip->height,
                               .groups = job->blocks->direct.groups,
                               .live = area->height,
                               .columns = area->width,
                               .out = small->product,
                               .stride = small->product_stride });
    score(&m);
}
