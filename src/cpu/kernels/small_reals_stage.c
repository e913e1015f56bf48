/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of small maps of floats, and what the maps of a neighbourhood share (small_reals.h).
 */
#include "cpu/kernels/reals_memory.h"
#include "cpu/kernels/small_reals_thread.h"

#include "image/image.h"
#include "math/method.h"

#include <string.h>

/* Windows that a thread keeps at least, and their columns. */
enum { WINDOWS = 20480, COLUMNS = 1024, VECTOR = 16 };

/* Rows of doubles an odd number of cache lines apart, for `width` windows. */
static int64_t pitch_of(const xncc_problem *p, int64_t width)
{
    const int32_t nx = xncc_chip_fft_side(p->image_width);
    return (width + (nx > p->templ_width ? nx : p->templ_width) + VECTOR + 7) / 16 * 16 + 8;
}

static int64_t rows_of(const xncc_problem *p, int64_t height)
{
    return height + xncc_chip_fft_side(p->image_height);
}

static int64_t stride_of(int64_t width)
{
    return (width + VECTOR - 1) / VECTOR * VECTOR;
}

/* Of the doubles of pixels, and of the window sums. */
typedef struct room {
    int64_t pixels, sums;
} room;

static room needed(const xncc_problem *p, int64_t width, int64_t height)
{
    return (room){ pitch_of(p, width) * rows_of(p, height),
                   stride_of(width) * height + 2 * VECTOR };
}

/* As much as the largest map needs, and as much as a square of WINDOWS. */
static room room_of(const xncc_problem *p)
{
    const xncc_extent map = xncc_problem_extent(p);
    const room a = needed(p, map.width, map.height), b = needed(p, 144, WINDOWS / 144);
    return (room){ a.pixels > b.pixels ? a.pixels : b.pixels, a.sums > b.sums ? a.sums : b.sums };
}

int xncc_small_reals_has_room(const xncc_problem *problem, int64_t width, int64_t height)
{
    const room a = needed(problem, width, height), all = room_of(problem);
    return width <= COLUMNS && a.pixels <= all.pixels && a.sums <= all.sums;
}

static void *carve_doubles(char *memory, uint64_t *total, int64_t doubles)
{
    return xncc_carve(memory, total, (uint64_t)doubles * sizeof(double));
}

/* Divides `memory`, from s on, into the parts of a thread's memory, and returns the bytes needed.
 * If memory is NULL, only returns the bytes. */
static uint64_t lay_out(const xncc_small_reals_isa *isa, const xncc_problem *p, char *memory,
                        xncc_small_reals *s)
{
    const xncc_extent map = xncc_problem_extent(p);
    const int32_t nx = xncc_chip_fft_side(p->image_width), ny = xncc_chip_fft_side(p->image_height);
    const int64_t columns = COLUMNS + p->templ_width + 2 * XNCC_REALS_ROOM,
                  pixels = (int64_t)p->templ_width * p->templ_height + XNCC_REALS_ROOM;
    const room all = room_of(p);
    const xncc_chip_fft_bytes bytes = isa->fft->bytes(nx, ny, map.width);
    uint64_t total = 0;
    (void)xncc_carve(memory, &total, sizeof *s);
    s->fft = (xncc_chip_fft_plan){ .nx = nx, .ny = ny };
    s->fft.table = xncc_carve(memory, &total, bytes.table);
    s->fft.columns = xncc_carve(memory, &total, bytes.columns);
    s->fft.back = xncc_carve(memory, &total, bytes.back);
    s->plane = carve_doubles(memory, &total, all.pixels);
    s->S = carve_doubles(memory, &total, all.sums);
    s->Q = carve_doubles(memory, &total, all.sums);
    s->inverse = carve_doubles(memory, &total, all.sums);
    s->relative = carve_doubles(memory, &total, all.sums);
    for (int i = 0; i < 2; i++) {
        s->columns.high[i] = carve_doubles(memory, &total, columns);
        s->columns.low[i] = carve_doubles(memory, &total, columns);
        s->columns.sum[i] = carve_doubles(memory, &total, columns);
    }
    s->columns.rows = 1;
    s->columns.step = 0;
    s->room = carve_doubles(memory, &total, columns);
    s->floats = xncc_carve(memory, &total,
                           (uint64_t)(columns > pixels ? columns : pixels) * sizeof(float));
    s->product_stride = (ptrdiff_t)stride_of(map.width);
    for (int i = 0; i < 2; i++) {
        xncc_small_chip *c = &s->chip[i];
        c->value = carve_doubles(memory, &total, pixels);
        c->part = carve_doubles(memory, &total, pixels);
        c->rows = carve_doubles(memory, &total, (int64_t)nx * ny);
        c->spectrum = xncc_carve(memory, &total, bytes.spectrum);
        c->product = carve_doubles(memory, &total, (int64_t)s->product_stride * ny);
    }
    return total + xncc_refine_layout(p, memory ? memory + total : NULL, &s->refine);
}

uint64_t xncc_small_reals_layout(const xncc_small_reals_isa *isa, const xncc_problem *problem,
                                 char *memory, xncc_small_reals **small)
{
    xncc_small_reals unused, *s = memory ? (void *)memory : &unused;
    const uint64_t total = lay_out(isa, problem, memory, s);
    if (!memory)
        return total;
    s->isa = isa;
    isa->fft->tables(&s->fft);
    for (int i = 0; i < 2; i++)
        memset(s->chip[i].rows, 0, (size_t)s->fft.nx * (size_t)s->fft.ny * sizeof(double));
    *small = s;
    return total;
}

/* Row y of the neighbourhood as floats: integers are converted. */
static const void *row_of(const xncc_job *job, const xncc_small_reals *s, int32_t y, int32_t count)
{
    const xncc_pixel pixel = job->problem->pixel;
    const char *row = (const char *)xncc_image_row(job->image, s->top + y) +
                      (size_t)s->left * xncc_pixel_size(pixel);
    if (xncc_pixel_is_float(pixel))
        return row;
    xncc_small_reals_floats(pixel, row, count, s->floats);
    return s->floats;
}

static xncc_reals_found read_row(const xncc_job *job, const xncc_small_reals *s, int32_t y,
                                 int32_t count, double *out)
{
    const xncc_pixel pixel = job->problem->pixel;
    const xncc_reals_line line = { .raw = row_of(job, s, y, count),
                                   .pixel = xncc_pixel_is_float(pixel) ? pixel : XNCC_F32,
                                   .channels = 1,
                                   .width = count,
                                   .pivot = s->pivot,
                                   .power = 1,
                                   .out = out };
    return s->isa->reals->line(&line);
}

/* Looks for a unit of the samples, as reals_grid.c does: 1 for integers. Samples that span so many
 * units that no sum is exact have none. */
static void find_unit(const xncc_job *job, xncc_small_reals *s, int32_t rows, int32_t count)
{
    const xncc_problem *p = job->problem;
    const double n = (double)p->templ_width * (p->templ_height + 1.0),
                 most_units = 2.0 * sqrt(0x1p49 / n) + 2.0;
    xncc_reals_span span = { INFINITY, -INFINITY, INFINITY };
    s->unit = 0.0;
    s->pivot = 0.0;
    if (!xncc_pixel_is_float(p->pixel)) {
        s->unit = 1.0;
        return;
    }
    for (int32_t y = 0; y < rows; y++) {
        (void)read_row(job, s, y, count, s->plane);
        s->isa->reals->span(s->plane, count, &span);
        if (!(span.high - span.low <= most_units * span.unit))
            return;
    }
    s->unit = isinf(span.unit) ? 1.0 : xncc_reals_unit_is_usable(span.unit) ? span.unit : 0.0;
}

/* The mean of some rows, as a multiple of the unit. */
static void choose_pivot(const xncc_job *job, xncc_small_reals *s, int32_t rows, int32_t count)
{
    double sum = 0.0, samples = 0.0;
    s->pivot = 0.0;
    if (!xncc_method_is_centred(job->problem->rule.method))
        return;
    for (int32_t y = 0; y < rows; y += rows / 8 + 1) {
        (void)read_row(job, s, y, count, s->plane);
        for (int32_t i = 0; i < count; i++)
            sum += s->plane[i];
        samples += count;
    }
    s->pivot = xncc_reals_pivot(sum / samples, s->unit);
}

/* Makes the sums of the windows of row y, as xncc_reals_run does. */
static void sum_windows(const xncc_problem *p, xncc_small_reals *s, int32_t y, int32_t count)
{
    xncc_reals_slide slide = { .pixel = XNCC_F64, .count = count, .rows = 1 };
    if (y > 0)
        slide.leave = s->plane + (y - 1) * s->pitch;
    for (int32_t yy = y == 0 ? 0 : y + p->templ_height - 1; yy < y + p->templ_height; yy++) {
        slide.enter = s->plane + yy * s->pitch;
        s->isa->reals->slide(&s->columns, &slide);
    }
    for (int i = 0; i < 2; i++)
        s->isa->reals->window(s->columns.sum[i], p->templ_width, s->room,
                              (i ? s->Q : s->S) + y * s->stride, s->width);
}

/* Inverts the roots of the windows of row y. */
static void invert(const xncc_problem *p, const xncc_small_reals *s, int32_t y)
{
    const ptrdiff_t at = y * s->stride;
    const xncc_reals_inverses row = { .S = s->S + at,
                                      .Q = s->Q + at,
                                      .n = (double)p->templ_width * p->templ_height,
                                      .error = s->error,
                                      .centred = xncc_method_is_centred(p->rule.method),
                                      .count = s->width,
                                      .inverse = s->inverse + at,
                                      .relative = s->relative + at };
    if (xncc_method_is_normed(p->rule.method))
        s->isa->reals->inverses(&row);
}

int xncc_small_reals_stage(const xncc_job *job, const xncc_area *area, xncc_small_reals *s)
{
    const xncc_problem *p = job->problem;
    const int32_t count = area->width + p->templ_width - 1,
                  rows = area->height + p->templ_height - 1;
    const int64_t all = rows_of(p, area->height);
    double square = 0.0;
    int bad = 0;
    s->left = area->x;
    s->top = area->y;
    s->width = area->width;
    s->height = area->height;
    s->pitch = (ptrdiff_t)pitch_of(p, area->width);
    s->stride = (ptrdiff_t)stride_of(area->width);
    find_unit(job, s, rows, count);
    choose_pivot(job, s, rows, count);
    for (int32_t y = 0; y < rows; y++) {
        double *to = s->plane + y * s->pitch;
        const xncc_reals_found found = read_row(job, s, y, count, to);
        square += found.square;
        bad |= found.bad;
        memset(to + count, 0, (size_t)(s->pitch - count) * sizeof *to);
    }
    memset(s->plane + rows * s->pitch, 0, (size_t)(all - rows) * (size_t)s->pitch * sizeof(double));
    s->norm = 1.01 * sqrt(square + XNCC_REALS_TINY);
    if (bad || !(s->norm < 0x1p200))
        return 0;
    s->error = (xncc_reals_errors){ .Q = XNCC_REALS_TINY };
    xncc_reals_slid_errors(p->templ_width, p->templ_height, (double)s->height + p->templ_height,
                           s->norm, 1, 1, &s->error);
    s->most = xncc_pixel_is_float(p->pixel) ? 0.0 : XNCC_SMALL_REALS_MOST;
    for (int32_t y = 0; y < rows && s->unit > 0.0 && xncc_pixel_is_float(p->pixel); y++)
        s->most = fmax(s->most,
                       s->isa->reals->range(s->plane + y * s->pitch, count, 0.0).most / s->unit);
    xncc_reals_columns_begin(&s->columns, s->norm, p->templ_height,
                             (size_t)count + XNCC_REALS_ROOM);
    for (int32_t y = 0; y < area->height && !xncc_is_cancelled(job->watch); y++) {
        sum_windows(p, s, y, count);
        invert(p, s, y);
    }
    return 1;
}
