/* The part of the `fft` kernels that all instruction sets share: transforms blocks of the image in
 * pairs, multiplies by the template's spectrum, transforms back, rounds, and scores. */
#include "cpu/kernels/fft.h"

#include <assert.h>
#include <string.h>

static uint64_t round_up_64(uint64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static uint64_t spectrum_bytes(const xncc_fft_blocking *c)
{
    return (uint64_t)c->nx * (uint64_t)c->ny * 16;
}

static uint64_t array_bytes(const xncc_fft_isa *isa, const xncc_fft_blocking *c)
{
    return round_up_64(isa->row_bytes(c->nx) * (uint64_t)c->ny);
}

static int32_t strip_room(const xncc_fft_blocking *c)
{
    return (2 * c->across + 63) / 64 * 64;
}

static int is_narrow(const xncc_problem *problem)
{
    return problem->pixel == XNCC_U8 &&
           (int64_t)problem->width * problem->height <= XNCC_MOST_PRODUCTS_U8;
}

/* One thread's memory. */
typedef struct fft_scratch {
    char *array[2];
    void *buffer;
    int64_t *sum[2]; /* one row of results per plane, for both blocks */
    int32_t *x32;
    void *raw[2];
    char *windows;
} fft_scratch;

static uint64_t fft_scratch_layout(const xncc_fft_isa *isa, const xncc_fft_blocking *c,
                                   const xncc_problem *problem, char *memory, fft_scratch *s)
{
    enum { PIECES = 9 };
    uint64_t strip = (uint64_t)strip_room(c), total = 0, at[PIECES];
    uint64_t two = c->planes == 2 ? 1 : 0;
    uint64_t bytes[PIECES] = { array_bytes(isa, c),
                               two * array_bytes(isa, c),
                               2 * (uint64_t)c->ny * XNCC_FFT_COLUMN,
                               strip * sizeof(int64_t),
                               two * strip * sizeof(int64_t),
                               strip * sizeof(int32_t),
                               (uint64_t)c->nx * sizeof(uint16_t),
                               (uint64_t)c->nx * sizeof(uint16_t),
                               xncc_windows_bytes(problem, is_narrow(problem), strip_room(c)) };
    for (int i = 0; i < PIECES; i++) {
        at[i] = total;
        total += round_up_64(bytes[i]) + 64;
    }
    if (memory)
        *s = (fft_scratch){ { memory + at[0], memory + at[1] },
                            memory + at[2],
                            { (int64_t *)(void *)(memory + at[3]),
                              (int64_t *)(void *)(memory + at[4]) },
                            (int32_t *)(void *)(memory + at[5]),
                            { memory + at[6], memory + at[7] },
                            memory + at[8] };
    return total;
}

/* Divides the shared memory into the spectra of the template, one per plane, and the tables. */
static void shared_layout(const xncc_fft_blocking *c, char *shared, char *spectrum[2], char **table)
{
    spectrum[0] = shared;
    spectrum[1] = shared + (c->planes - 1) * (ptrdiff_t)spectrum_bytes(c);
    *table = shared + c->planes * (ptrdiff_t)spectrum_bytes(c);
}

void xncc_fft_shape(const xncc_cpu_kernel *self, const xncc_problem *problem, xncc_shape *shape)
{
    const xncc_fft_isa *isa = self->variant;
    xncc_fft_blocking c = { 0 };
    *shape = (xncc_shape){ 0 };
    if (!xncc_fft_blocking_make(problem, &c))
        return;
    shape->columns = 2 * c.across;
    shape->rows = c.down;
    shape->least_rows = c.down;
    shape->scratch_bytes = fft_scratch_layout(isa, &c, problem, NULL, NULL);
    shape->shared_bytes = (uint64_t)c.planes * spectrum_bytes(&c) +
                          round_up_64(isa->table_bytes(c.nx, c.ny)) + array_bytes(isa, &c) +
                          (uint64_t)c.nx * sizeof(double);
}

/* Returns template row j in the form that the kernel multiplies (see xncc_form): one digit per
 * pixel. */
static void template_row_digits(const xncc_template *templ, int32_t j, int plane, double *digit)
{
    for (int32_t i = 0; i < templ->width; i++) {
        size_t at = (size_t)j * (size_t)templ->width + (size_t)i;
        if (templ->pixel == XNCC_U8) {
            digit[i] = (double)((const uint8_t *)templ->pixels)[at] - 128.0;
        } else {
            int32_t t = ((const uint16_t *)templ->pixels)[at];
            digit[i] = (double)((plane == 0 ? t >> 8 : t & 255) - 128);
        }
    }
}

void xncc_fft_begin(const xncc_cpu_kernel *self, const xncc_job *job, void *shared, void *memory)
{
    const xncc_fft_isa *isa = self->variant;
    xncc_fft_blocking c = { 0 };
    fft_scratch s = { 0 };
    char *spectrum[2], *table;
    if (!xncc_fft_blocking_make(job->problem, &c))
        return;
    shared_layout(&c, shared, spectrum, &table);
    (void)fft_scratch_layout(isa, &c, job->problem, memory, &s);
    char *array = s.array[0];
    double *digit = s.buffer; /* its ny * 256 bytes hold nx doubles, because nx <= 32 * ny */
    assert(c.nx <= 32 * c.ny);
    isa->tables(c.nx, c.ny, table);
    memset(digit, 0, (size_t)c.nx * sizeof *digit);
    for (int plane = 0; plane < c.planes; plane++) {
        memset(array, 0, array_bytes(isa, &c));
        for (int32_t j = 0; j < job->templ->height; j++) {
            template_row_digits(job->templ, j, plane, digit);
            isa->digits_in(table, &c, digit, array + (uint64_t)j * isa->row_bytes(c.nx));
        }
        isa->columns(table, &c, array, spectrum[plane]);
    }
}

/* The pair of blocks that is being computed: map columns x .. x + width - 1. The first
 * blocking.across of them belong to the first block. */
typedef struct block {
    const xncc_fft_isa *isa;
    const xncc_job *job;
    xncc_fft_blocking c;
    fft_scratch s;
    const void *table;
    int32_t x, y, width, height;
} block;

static void block_in(const block *b)
{
    const xncc_job *job = b->job;
    int32_t w = job->templ->width, rows = b->height + job->templ->height - 1;
    int32_t width_a = xncc_min_i32(b->width, b->c.across), width_b = b->width - width_a;
    xncc_fft_pixels p = {
        .b = b->s.raw[1], /* never a null pointer, even if there is no second block */
        .count_a = width_a + w - 1,
        .count_b = width_b ? width_b + w - 1 : 0,
        .pixel = job->image->pixel
    };
    int64_t left = (int64_t)job->x0 + b->x, top = (int64_t)job->y0 + b->y;
    uint64_t step = b->isa->row_bytes(b->c.nx);
    for (int32_t j = 0; j < rows; j++) {
        p.a = xncc_border_row_pixels(job, top + j, left, p.count_a, b->s.raw[0]);
        if (width_b)
            p.b = xncc_border_row_pixels(job, top + j, left + b->c.across, p.count_b, b->s.raw[1]);
        b->isa->row_in(b->table, &b->c, &p, b->s.array[0] + (uint64_t)j * step);
    }
    memset(b->s.array[0] + (uint64_t)rows * step, 0, (size_t)(b->c.ny - rows) * step);
}

/* Computes a row of products of both blocks. For u8, the image was shifted by 128 as well. Adding
 * 128 * sum T' undoes that and leaves the same products as the `direct` kernels compute. */
static void block_products(const block *b, int32_t r)
{
    const xncc_score_rule *rule = &b->job->rule;
    uint64_t step = b->isa->row_bytes(b->c.nx);
    int32_t width_a = xncc_min_i32(b->width, b->c.across);
    for (int plane = 0; plane < b->c.planes; plane++)
        b->isa->row_out(b->table, &b->c, b->s.array[plane] + (uint64_t)r * step, width_a,
                        b->s.sum[plane], b->s.sum[plane] + width_a);
    int64_t *restrict sum = b->s.sum[0];
    if (b->c.planes == 2) {
        const int64_t *restrict low = b->s.sum[1];
        for (int32_t x = 0; x < b->width; x++)
            sum[x] = sum[x] * 256 + low[x];
        return;
    }
    int64_t constant = 128 * ((int64_t)rule->sum - 128 * (int64_t)rule->n);
    for (int32_t x = 0; x < b->width; x++)
        sum[x] += constant;
    if (is_narrow(b->job->problem))
        for (int32_t x = 0; x < b->width; x++)
            b->s.x32[x] = (int32_t)sum[x];
}

/* Prepares what is the same for all blocks of a job. */
static void block_begin(block *b, xncc_windows *windows, void *memory, char *spectrum[2])
{
    char *table;
    (void)fft_scratch_layout(b->isa, &b->c, b->job->problem, memory, &b->s);
    shared_layout(&b->c, (char *)(uintptr_t)b->job->shared, spectrum, &table);
    b->table = table;
    xncc_windows_begin(windows, b->isa->windows, b->job, is_narrow(b->job->problem),
                       strip_room(&b->c), b->s.windows);
}

/* Selects the blocks at column x and row y of the rectangle. */
static void block_place(block *b, xncc_windows *windows, const xncc_area *area, int32_t x,
                        int32_t y)
{
    b->x = area->x + x;
    b->y = area->y + y;
    b->width = xncc_min_i32(2 * b->c.across, area->width - x);
    b->height = xncc_min_i32(b->c.down, area->height - y);
    xncc_windows_place(windows, area, b->x, b->width);
}

static void block_row(const block *b, xncc_windows *windows, int32_t r)
{
    block_products(b, r);
    xncc_windows_score(windows, b->y + r, r == 0, b->s.x32, b->s.sum[0]);
}

void xncc_fft_area(const xncc_cpu_kernel *self, const xncc_job *job, void *memory,
                   const xncc_area *area)
{
    block b = { .isa = self->variant, .job = job };
    xncc_windows windows;
    char *spectrum[2];
    if (!xncc_fft_blocking_make(job->problem, &b.c))
        return;
    block_begin(&b, &windows, memory, spectrum);
    for (int32_t y = 0; y < area->height; y += b.c.down) {
        for (int32_t x = 0; x < area->width; x += 2 * b.c.across) {
            block_place(&b, &windows, area, x, y);
            block_in(&b);
            b.isa->convolve(b.table, &b.c, b.s.array, spectrum, b.s.buffer);
            for (int32_t r = 0; r < b.height; r++)
                block_row(&b, &windows, r);
        }
    }
}

/* Transforms the image once and multiplies its columns by both spectra, as if these were two digits
 * of one template. */
void xncc_fft_pair(const xncc_cpu_kernel *self, const xncc_job job[2], void *const memory[2],
                   const xncc_area area[2])
{
    block b[2] = { { .isa = self->variant, .job = &job[0] },
                   { .isa = self->variant, .job = &job[1] } };
    xncc_windows windows[2];
    char *spectrum[2][2];
    assert(job[0].problem == job[1].problem && job[0].image == job[1].image);
    if (!xncc_fft_blocking_make(job[0].problem, &b[0].c))
        return;
    b[1].c = b[0].c;
    for (int i = 0; i < 2; i++)
        block_begin(&b[i], &windows[i], memory[i], spectrum[i]);
    xncc_fft_blocking both = b[0].c;
    both.planes = 2;
    char *const arrays[2] = { b[0].s.array[0], b[1].s.array[0] }, *const spectra[2] = {
        spectrum[0][0], spectrum[1][0]
    };
    for (int32_t y = 0; y < area->height; y += both.down) {
        for (int32_t x = 0; x < area->width; x += 2 * both.across) {
            for (int i = 0; i < 2; i++)
                block_place(&b[i], &windows[i], &area[i], x, y);
            block_in(&b[0]);
            b[0].isa->convolve(b[0].table, &both, arrays, spectra, b[0].s.buffer);
            for (int32_t r = 0; r < b[0].height; r++) {
                block_row(&b[0], &windows[0], r);
                block_row(&b[1], &windows[1], r);
            }
        }
    }
}
