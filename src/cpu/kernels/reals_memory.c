/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of matching floats: what a template becomes, and what a thread needs (reals.h). */
#include "cpu/kernels/reals_memory.h"

#include "cpu/kernels/reals_words.h"

static uint64_t plane_bytes(const xncc_reals_variant *variant, const xncc_problem *problem,
                            const xncc_cpu_blocks *blocks)
{
    return variant->fft ? (uint64_t)blocks->fft.nx * (uint64_t)blocks->fft.ny * 16
                        : (uint64_t)problem->templ_width * (uint64_t)problem->templ_height * 8;
}

/* Is this sum made by products? */
static int is_product(const xncc_sum_recipe *recipe, xncc_sum_id sum)
{
    return recipe->sum[sum] == XNCC_FROM_PRODUCTS;
}

uint64_t xncc_reals_shared_layout(const xncc_reals_variant *variant, const xncc_problem *problem,
                                  const xncc_cpu_blocks *blocks, xncc_reals_shared *s)
{
    const uint64_t pixels = (uint64_t)problem->templ_width * (uint64_t)problem->templ_height,
                   plane = plane_bytes(variant, problem, blocks);
    xncc_reals_shared unused;
    char *memory = (char *)s;
    uint64_t total = 0;
    s = s ? s : &unused;
    (void)xncc_carve(memory, &total, sizeof *s);
    s->recipe = xncc_sum_recipe_of(problem);
    const int squares = is_product(&s->recipe, XNCC_SUM_T2),
              mask = is_product(&s->recipe, XNCC_SUM_S) || is_product(&s->recipe, XNCC_SUM_Q) ||
                     is_product(&s->recipe, XNCC_SUM_N) ||
                     s->recipe.sum[XNCC_SUM_N] == XNCC_FROM_WINDOW;
    for (int32_t c = 0; c < problem->channels; c++) {
        s->value[c] = xncc_carve(memory, &total, (pixels + XNCC_REALS_ROOM) * sizeof(double));
        s->plane[c][XNCC_REALS_PLANE_VALUE] = xncc_carve(memory, &total, plane);
        s->plane[c][XNCC_REALS_PLANE_SQUARE] = squares ? xncc_carve(memory, &total, plane) : NULL;
    }
    s->mask = mask ? xncc_carve(memory, &total, plane) : NULL;
    s->table = variant->fft ? xncc_carve(memory, &total,
                                         variant->fft->table_bytes(blocks->fft.nx, blocks->fft.ny))
                            : NULL;
    return total;
}

int32_t xncc_reals_line_width(const xncc_problem *problem, const xncc_cpu_blocks *blocks)
{
    const int32_t pixels = blocks->columns + problem->templ_width - 1,
                  read = blocks->fft.nx ? blocks->fft.across + blocks->fft.nx : 0;
    return (pixels > read ? pixels : read) + XNCC_REALS_ROOM;
}

int32_t xncc_reals_stride(const xncc_cpu_blocks *blocks)
{
    return (blocks->columns + 31) / 32 * 32;
}

/* Limits a number to a range. */
static int32_t within(int64_t v, int32_t least, int32_t most)
{
    return v < least ? least : v > most ? most : (int32_t)v;
}

/* The memory of exact sums, which pages of it that are never touched do not take. Where some pixels
 * do not count, or with several channels, windows in doubt are settled one by one. */
static void carve_exact(const xncc_reals_variant *variant, const xncc_problem *problem,
                        const xncc_cpu_blocks *blocks, char *memory, uint64_t *total,
                        xncc_reals_scratch *m)
{
    enum { WORDS_BYTES = 32 << 20, SPECTRA_BYTES = 160 << 20, LEAST_WORDS = 5, LEAST_SPECTRA = 3 };
    const int served = problem->channels == 1 && !problem->templ_masked &&
                       !xncc_problem_image_varies(problem);
    const int64_t windows = (int64_t)xncc_reals_stride(blocks) * blocks->rows,
                  spectrum = variant->fft ? (int64_t)blocks->fft.nx * blocks->fft.ny * 16 : 0,
                  line = xncc_reals_line_width(problem, blocks);
    m->words_per_window = m->spectra = m->templ_planes = 0;
    if (!served)
        return;
    m->words_per_window = within(WORDS_BYTES / (8 * windows), LEAST_WORDS, XNCC_MOST_WORDS);
    m->words = xncc_carve(memory, total, (uint64_t)(windows * m->words_per_window * 8));
    m->column_words = xncc_carve(memory, total, (uint64_t)(line * 2 * XNCC_MOST_WORDS * 8));
    if (!variant->fft) {
        const int64_t templ = (int64_t)problem->templ_width * problem->templ_height * 8;
        m->templ_planes = within(SPECTRA_BYTES / templ, 1, XNCC_MOST_WEIGHTS);
        m->templ_slices = xncc_carve(memory, total, (uint64_t)(templ * m->templ_planes));
        m->weight_sums = xncc_carve(memory, total, (uint64_t)(windows * XNCC_MOST_WEIGHTS * 8));
        return;
    }
    m->spectra = within(SPECTRA_BYTES / spectrum, LEAST_SPECTRA, XNCC_MOST_SPECTRA);
    for (int32_t i = 0; i < m->spectra; i++)
        m->spectrum[i] = xncc_carve(memory, total, (uint64_t)spectrum);
    m->total_spectrum = xncc_carve(memory, total, (uint64_t)spectrum);
}

uint64_t xncc_reals_scratch_layout(const xncc_reals_variant *variant, const xncc_problem *problem,
                                   const xncc_cpu_blocks *blocks, char *memory,
                                   xncc_reals_scratch *m)
{
    const xncc_sum_recipe recipe = xncc_sum_recipe_of(problem);
    const uint64_t line = (uint64_t)xncc_reals_line_width(problem, blocks),
                   stride = (uint64_t)xncc_reals_stride(blocks),
                   plane = stride * (uint64_t)blocks->rows * sizeof(double),
                   height = (uint64_t)blocks->rows + (uint64_t)problem->templ_height,
                   varies = xncc_problem_image_varies(problem) ? 1 : 0;
    uint64_t total = 0;
    m->line = xncc_carve(memory, &total, line * sizeof(double));
    m->before = xncc_carve(memory, &total, line * sizeof(double));
    for (int i = 0; i < 4; i++)
        m->column[i] = xncc_carve(memory, &total, line * sizeof(double));
    m->room = xncc_carve(memory, &total, line * sizeof(double));
    for (int i = 0; i < 2; i++)
        m->window[i] = xncc_carve(memory, &total, stride * sizeof(double));
    m->run = xncc_carve(memory, &total, line * sizeof(int32_t));
    for (int s = 0; s < XNCC_SUMS; s++) {
        const int stored = is_product(&recipe, (xncc_sum_id)s) ||
                           (s == XNCC_SUM_N && recipe.sum[s] == XNCC_FROM_WINDOW);
        const uint64_t bytes = s == XNCC_SUM_X && variant->fft ? stride * sizeof(double) : plane;
        m->sum[s] = stored ? xncc_carve(memory, &total, bytes) : NULL;
    }
    for (int i = 0; i < 6; i++)
        m->total[i] = problem->channels > 1 ? xncc_carve(memory, &total, plane) : NULL;
    m->plane = xncc_carve(memory, &total,
                          (uint64_t)problem->templ_width * (uint64_t)problem->templ_height *
                              sizeof(double));
    m->flat = xncc_carve(memory, &total, stride * (uint64_t)blocks->rows);
    m->stage.count = xncc_carve(memory, &total, varies * line * height);
    m->array = variant->fft
                   ? xncc_carve(memory, &total,
                                variant->fft->row_bytes(blocks->fft.nx) * (uint64_t)blocks->fft.ny)
                   : NULL;
    m->buffer = variant->fft
                    ? xncc_carve(memory, &total, 2 * (uint64_t)blocks->fft.ny * XNCC_FFT_COLUMN)
                    : NULL;
    carve_exact(variant, problem, blocks, memory, &total, m);
    total += xncc_refine_layout(problem, memory ? memory + total : NULL, &m->refine);
    return total +
           xncc_stage_layout(problem, (int32_t)line, memory ? memory + total : NULL, &m->stage);
}

xncc_kernel_memory xncc_reals_memory(const xncc_cpu_kernel *self, const xncc_problem *problem,
                                     const xncc_cpu_blocks *blocks)
{
    const xncc_reals_variant *variant = self->variant;
    xncc_reals_scratch unused;
    return (xncc_kernel_memory){ .shared = xncc_reals_shared_layout(variant, problem, blocks, NULL),
                                 .scratch = xncc_reals_scratch_layout(variant, problem, blocks,
                                                                      NULL, &unused) };
}
