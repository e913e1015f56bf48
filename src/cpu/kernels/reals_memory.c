/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of matching floats: what a template becomes, and what a thread needs (reals.h). */
#include "cpu/kernels/reals_memory.h"

static uint64_t plane_bytes(const xncc_reals_variant *variant, const xncc_problem *problem,
                            const xncc_cpu_blocks *blocks)
{
    if (variant->fft && blocks->fft.common) /* only its rows are transformed */
        return variant->fft->row_bytes(blocks->fft.nx) * (uint64_t)problem->templ_height;
    return variant->fft ? (uint64_t)blocks->fft.nx * (uint64_t)blocks->fft.ny * 16
                        : (uint64_t)problem->templ_width * (uint64_t)problem->templ_height * 8;
}

/* A piece of memory that only some problems need. */
static void *carve_if(int needed, char *memory, uint64_t *total, uint64_t bytes)
{
    return needed ? xncc_carve(memory, total, bytes) : NULL;
}

/* Is this sum made by products? */
static int is_product(const xncc_sum_recipe *recipe, xncc_sum_id sum)
{
    return recipe->sum[sum] == XNCC_FROM_PRODUCTS;
}

/* Has a plane of the image several products? S has the plane of X, and T and T2 that of N. */
static int has_common_plane(const xncc_problem *problem, const xncc_sum_recipe *recipe)
{
    return is_product(recipe, XNCC_SUM_S) ||
           (!xncc_problem_image_clips(problem) &&
            (is_product(recipe, XNCC_SUM_T) || is_product(recipe, XNCC_SUM_T2)));
}

/* Divides the memory of the template's integral images. */
static void carve_integrals(const xncc_problem *problem, char *memory, uint64_t *total,
                            xncc_reals_shared *s)
{
    const uint64_t bytes = ((uint64_t)problem->templ_width + 1) *
                           ((uint64_t)problem->templ_height + 1) * sizeof(double);
    const int clips = xncc_problem_image_clips(problem);
    for (int32_t c = 0; c < problem->channels; c++)
        for (int kind = 0; kind < XNCC_REALS_PLANES; kind++) {
            const xncc_sum_id sum = kind == XNCC_REALS_PLANE_VALUE ? XNCC_SUM_T : XNCC_SUM_T2;
            s->integral[c][kind] = carve_if(clips && is_product(&s->recipe, sum), memory, total,
                                            bytes);
        }
    s->integral_count = carve_if(clips, memory, total, bytes);
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
    carve_integrals(problem, memory, &total, s);
    const int clips = xncc_problem_image_clips(problem),
              squares = is_product(&s->recipe, XNCC_SUM_T2) && !clips,
              mask = is_product(&s->recipe, XNCC_SUM_S) || is_product(&s->recipe, XNCC_SUM_Q) ||
                     (!clips && (is_product(&s->recipe, XNCC_SUM_N) ||
                                 s->recipe.sum[XNCC_SUM_N] == XNCC_FROM_WINDOW));
    for (int32_t c = 0; c < problem->channels; c++) {
        s->value[c] = xncc_carve(memory, &total, (pixels + XNCC_REALS_ROOM) * sizeof(double));
        s->plane[c][XNCC_REALS_PLANE_VALUE] = xncc_carve(memory, &total, plane);
        s->plane[c][XNCC_REALS_PLANE_SQUARE] = carve_if(squares, memory, &total, plane);
    }
    s->mask = carve_if(mask, memory, &total, plane);
    if (variant->fft)
        s->table = xncc_carve(memory, &total,
                              variant->fft->table_bytes(blocks->fft.nx, blocks->fft.ny));
    return total;
}

/* The most columns of a rectangle. */
static int32_t columns_of(const xncc_problem *problem, const xncc_cpu_blocks *blocks)
{
    return xncc_min_i32(blocks->columns, xncc_problem_extent(problem).width);
}

int32_t xncc_reals_line_width(const xncc_problem *problem, const xncc_cpu_blocks *blocks)
{
    const int32_t pixels = columns_of(problem, blocks) + problem->templ_width - 1,
                  read = 2 * blocks->exact.nx;
    return (pixels > read ? pixels : read) + XNCC_REALS_ROOM;
}

int32_t xncc_reals_stride(const xncc_problem *problem, const xncc_cpu_blocks *blocks)
{
    return (columns_of(problem, blocks) + 31) / 32 * 32;
}

/* Limits a number to a range. */
static int32_t within(int64_t v, int32_t least, int32_t most)
{
    return v < least ? least : v > most ? most : (int32_t)v;
}

/* What memory of exact sums is taken from, and how much of it has been. */
typedef struct carving {
    char *memory;
    uint64_t *total;
} carving;

static void *carve(const carving *from, uint64_t bytes)
{
    return xncc_carve(from->memory, from->total, bytes);
}

/* The most bytes of planes, and of numbers, of exact sums. Threads that fill a map together share
 * those of one thread. */
static int64_t most_bytes(const xncc_cpu_blocks *blocks, int of_planes)
{
    const int64_t mib = (of_planes ? 512 : 256) * (blocks->fft.common ? 2 : 1);
    return mib << 20;
}

/* The memory of the planes of exact sums. Scoring again by transforms (reals_again.c) takes the
 * first arrays. */
static void carve_planes(const xncc_reals_variant *variant, const xncc_problem *problem,
                         const xncc_cpu_blocks *blocks, const carving from[XNCC_EXTRAS],
                         xncc_reals_scratch *m)
{
    enum { LEAST_ARRAYS = 8 };
    const int64_t most = most_bytes(blocks, 1);
    if (blocks->exact.nx) {
        const int32_t nx = blocks->exact.nx, ny = blocks->exact.ny;
        const uint64_t row = variant->exact->row_bytes(nx),
                       array = xncc_max_u64(row * (uint64_t)ny,
                                            variant->exact->plane_bytes(nx, ny)) +
                               XNCC_REALS_STAGGER * sizeof(double);
        m->table = variant->fft
                       ? NULL
                       : carve(&from[XNCC_EXTRA_RARE], variant->exact->table_bytes(nx, ny));
        m->planes_at_once = within(most / (int64_t)array, LEAST_ARRAYS, XNCC_MOST_ARRAYS);
        for (int32_t i = 0; i < m->planes_at_once; i++)
            m->arrays[i] = carve(&from[i < XNCC_AGAIN_ARRAYS ? XNCC_EXTRA_OFTEN : XNCC_EXTRA_RARE],
                                 array);
        m->points = carve(
            &from[XNCC_EXTRA_OFTEN],
            xncc_max_u64(row, XNCC_FFT_COLUMN * ((uint64_t)m->planes_at_once *
                                                     ((uint64_t)ny + 2 * XNCC_FFT_PIECE) +
                                                 XNCC_FFT_PIECE)));
        for (int of = 0; of < 2; of++)
            m->given[of] = carve(&from[XNCC_EXTRA_OFTEN], (uint64_t)ny * sizeof *m->given[of]);
        m->slice_squares = carve(&from[XNCC_EXTRA_OFTEN], (uint64_t)ny * sizeof(double));
        return;
    }
    const int64_t templ = (int64_t)problem->templ_width * problem->templ_height * 8,
                  windows = (int64_t)xncc_reals_stride(problem, blocks) *
                                xncc_min_i32(blocks->rows, xncc_problem_extent(problem).height) +
                            XNCC_REALS_STAGGER;
    m->planes_at_once = XNCC_MOST_WEIGHTS + 1;
    m->templ_planes = within(most / templ, 1, XNCC_MOST_WEIGHTS);
    m->templ_slices = carve(&from[XNCC_EXTRA_RARE], (uint64_t)(templ * m->templ_planes));
    m->weight_sums = carve(&from[XNCC_EXTRA_RARE], (uint64_t)(windows * XNCC_MOST_WEIGHTS * 8));
    const int64_t rows = (int64_t)xncc_min_i32(blocks->rows, xncc_problem_extent(problem).height) +
                         problem->templ_height - 1,
                  plane = xncc_reals_line_width(problem, blocks) * rows * 8;
    m->image_planes = within(most / plane, 1, XNCC_MOST_WEIGHTS);
    m->image_slices = carve(&from[XNCC_EXTRA_RARE], (uint64_t)(plane * m->image_planes));
    m->image_rows = carve(&from[XNCC_EXTRA_RARE], (uint64_t)rows * sizeof *m->image_rows);
}

/* The memory of exact sums, which pages of it that are never touched do not take. */
static void carve_exact(const xncc_reals_variant *variant, const xncc_problem *problem,
                        const xncc_cpu_blocks *blocks, const carving from[XNCC_EXTRAS],
                        xncc_reals_scratch *m)
{
    enum { ROWS_OF_DIGITS = XNCC_MOST_DIGITS + XNCC_MOST_PLACES };
    const uint64_t line = (uint64_t)xncc_reals_line_width(problem, blocks) * sizeof(double),
                   stride = (uint64_t)xncc_reals_stride(problem, blocks);
    const carving *often = &from[XNCC_EXTRA_OFTEN];
    const xncc_sum_recipe recipe = xncc_sum_recipe_of(problem);
    /* the most digits of a window that are stored for all windows, and for a row of them */
    uint64_t digits = problem->channels > 1 ? 3 * XNCC_MOST_PLACES : 0;
    const uint64_t of_row = 5 * XNCC_MOST_PLACES + 3 * XNCC_MOST_PLACES;
    for (int s = 0; s < XNCC_SUMS; s++)
        digits += is_product(&recipe, (xncc_sum_id)s) ? XNCC_MOST_PLACES : 0;
    const uint64_t rows = (uint64_t)xncc_min_i32(blocks->rows, xncc_problem_extent(problem).height),
                   all = stride * (digits * rows + of_row),
                   most = (uint64_t)most_bytes(blocks, 0) / sizeof(float);
    m->most_numbers = (size_t)(all < most ? all : most);
    if (blocks->exact.nx) /* begins with its serial */
        m->kept_planes = carve(&from[XNCC_EXTRA_RARE], sizeof *m->kept_planes);
    m->numbers = carve(&from[XNCC_EXTRA_RARE], m->most_numbers * sizeof(float));
    m->plane_rows = carve(often, line * ROWS_OF_DIGITS);
    m->digit_rows = carve(often, line * XNCC_MOST_DIGITS);
    m->leaving_rows = carve(often, line * ROWS_OF_DIGITS);
    m->column_rows = carve(often, line * ROWS_OF_DIGITS);
    m->weight_rows = carve(often, stride * XNCC_MOST_ARRAYS * sizeof(double));
    m->ones = carve(often, (uint64_t)problem->templ_height * sizeof(double));
    carve_planes(variant, problem, blocks, from, m);
}

uint64_t xncc_reals_scratch_layout(const xncc_reals_variant *variant, const xncc_problem *problem,
                                   const xncc_cpu_blocks *blocks, char *memory,
                                   xncc_reals_scratch *m)
{
    const xncc_sum_recipe recipe = xncc_sum_recipe_of(problem);
    const uint64_t line = (uint64_t)xncc_reals_line_width(problem, blocks),
                   stride = (uint64_t)xncc_reals_stride(problem, blocks),
                   doubles = line * sizeof(double), sums = stride * sizeof(double),
                   plane = sums * (uint64_t)blocks->rows,
                   height = (uint64_t)blocks->rows + (uint64_t)problem->templ_height,
                   channels = (uint64_t)problem->channels,
                   varies = xncc_problem_image_varies(problem) ? 1 : 0,
                   samples = (uint64_t)problem->templ_width * channels + XNCC_REALS_ROOM;
    const int several = channels > 1;
    uint64_t total = 0;
    void **extra = xncc_carve(memory, &total, XNCC_EXTRAS * sizeof *extra); /* the first words */
    m->line = xncc_carve(memory, &total, doubles);
    m->before = xncc_carve(memory, &total, doubles);
    for (int32_t c = 0; c < problem->channels; c++)
        for (int i = 0; i < 2; i++) {
            xncc_reals_columns *columns = &m->columns[c];
            columns->high[i] = xncc_carve(memory, &total, doubles);
            columns->low[i] = xncc_carve(memory, &total, doubles);
            columns->rows = several ? 1 : XNCC_SLIDE_ROWS;
            columns->step = (ptrdiff_t)line;
            columns->sum[i] = c ? m->columns[0].sum[i]
                                : xncc_carve(memory, &total, (uint64_t)columns->rows * doubles);
            m->window[c][i] = xncc_carve(memory, &total, sums);
        }
    m->squares = carve_if(several, memory, &total, sums);
    for (int i = 0; i < 2; i++)
        m->pivots[i] = carve_if(several, memory, &total, samples * sizeof(double));
    m->room = xncc_carve(memory, &total, doubles);
    m->small_templ = xncc_carve(memory, &total, XNCC_SMALL_TEMPLATE * sizeof(double));
    m->row = xncc_carve(memory, &total, channels * sizeof *m->row);
    m->run = xncc_carve(memory, &total, line * sizeof(int32_t));
    for (int s = 0; s < XNCC_SUMS; s++) {
        const int stored = is_product(&recipe, (xncc_sum_id)s) ||
                           (s == XNCC_SUM_N && recipe.sum[s] == XNCC_FROM_WINDOW);
        const uint64_t bytes = s != XNCC_SUM_X ? plane : variant->fft ? sums : plane * channels;
        m->sum[s] = carve_if(stored, memory, &total, bytes);
    }
    for (int i = 0; i < 6; i++)
        m->total[i] = carve_if(several, memory, &total, plane);
    m->flat = xncc_carve(memory, &total, stride * (uint64_t)blocks->rows);
    m->stage.count = xncc_carve(memory, &total, varies * line * height);
    if (variant->fft) {
        const uint64_t ny = (uint64_t)blocks->fft.ny,
                       spectrum = plane_bytes(variant, problem, blocks);
        for (int k = 0; k < XNCC_FFT_AT_ONCE && k < problem->channels; k++) {
            m->array[k] = xncc_carve(memory, &total, variant->fft->row_bytes(blocks->fft.nx) * ny);
            m->row_square[k] = xncc_carve(memory, &total, ny * sizeof(double));
        }
        m->spectrum = carve_if(channels > XNCC_FFT_AT_ONCE, memory, &total, spectrum);
        m->buffer = xncc_carve(memory, &total,
                               XNCC_FFT_AT_ONCE * (ny + XNCC_FFT_PIECE) * XNCC_FFT_COLUMN);
        m->kept = carve_if(has_common_plane(problem, &recipe), memory, &total, spectrum);
    }
    carving from[XNCC_EXTRAS];
    for (int i = 0; i < XNCC_EXTRAS; i++) {
        m->extra_bytes[i] = 0;
        from[i] = (carving){ memory ? extra[i] : NULL, &m->extra_bytes[i] };
    }
    carve_exact(variant, problem, blocks, from, m);
    total += xncc_refine_layout(problem, memory ? memory + total : NULL, &m->refine);
    return total +
           xncc_stage_layout(problem, (int32_t)line, memory ? memory + total : NULL, &m->stage);
}

xncc_kernel_memory xncc_reals_memory(const xncc_cpu_kernel *self, const xncc_problem *problem,
                                     const xncc_cpu_blocks *blocks)
{
    const xncc_reals_variant *variant = self->variant;
    xncc_reals_scratch unused;
    const uint64_t scratch = xncc_reals_scratch_layout(variant, problem, blocks, NULL, &unused);
    return (xncc_kernel_memory){ .shared = xncc_reals_shared_layout(variant, problem, blocks, NULL),
                                 .scratch = scratch,
                                 .extra = { unused.extra_bytes[0], unused.extra_bytes[1] } };
}
