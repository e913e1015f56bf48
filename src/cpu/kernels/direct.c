/* The part of the `direct` kernels that all instruction sets share.
 *
 * A rectangle of the map is divided into strips of columns. Each strip is computed from top to
 * bottom in blocks of a few rows. Image rows are staged in a ring, so that no kernel reads outside
 * the caller's pixels and the inner loops need no border handling. isa->dot computes the products;
 * window sums slide down with the rows. A template too large for the ring or for 32-bit sums is
 * processed in panels and in chunks of rows, and its sums are accumulated in 64 bits. */
#include "cpu/kernels/windows.h"

#include <assert.h>
#include <string.h>

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

/* How a problem is divided. Depends on the problem and the instruction set alone. */
typedef struct direct_blocking {
    xncc_isa_dot dot;
    int32_t phases, planes, element;
    int32_t panel_width, panel_height, panels_across, panels_down;
    int32_t groups;      /* groups per panel row */
    int32_t chunk;       /* most template rows whose sums fit 32 bits */
    int32_t strip;       /* map columns per strip, a multiple of XNCC_TILE */
    int32_t gather_rows; /* map rows accumulated at a time if there are several panels */
    int narrow;          /* 1: pixels are u8 and there is one chunk, so every sum fits 32 bits */
    int single;          /* 1: the whole template is one panel */
    int64_t row_bytes;   /* bytes per row of the ring */
} direct_blocking;

static int32_t ceil_div(int32_t a, int32_t b)
{
    return a / b + (a % b != 0);
}

static int64_t ring_row_bytes(const direct_blocking *c, int32_t strip)
{
    /* An odd number of cache lines: rows a multiple of 4096 bytes apart would compete for the same
     * cache sets. */
    int64_t bytes = ((int64_t)strip + (int64_t)c->groups * c->phases) * c->element;
    return (bytes + 63) / 128 * 128 + 192;
}

static int64_t ring_rows(const direct_blocking *c)
{
    return (int64_t)c->panel_height + c->dot.rows - 1;
}

static direct_blocking direct_blocking_make(const xncc_direct_isa *isa, const xncc_problem *problem)
{
    int wide_pixels = problem->pixel == XNCC_U16;
    direct_blocking c = { .dot = wide_pixels ? isa->u16 : isa->u8 };
    c.phases = c.dot.form == XNCC_FORM_BYTES ? 4 : c.dot.form == XNCC_FORM_WORDS ? 2 : 1;
    c.planes = wide_pixels ? 2 : 1;
    c.element = c.dot.form == XNCC_FORM_BYTES ? 1 : 2;
    int32_t most_groups = (wide_pixels ? XNCC_MOST_PRODUCTS_U16 : XNCC_MOST_PRODUCTS_U8) / c.phases;
    c.panels_across = ceil_div(problem->width, wide_pixels ? MOST_PANEL_U16 : MOST_PANEL_BYTES);
    c.panel_width = ceil_div(problem->width, c.panels_across);
    c.panels_across = ceil_div(problem->width, c.panel_width);
    c.groups = ceil_div(c.panel_width + c.phases - 1, c.phases);
    c.strip = MOST_STRIP;
    c.panel_height = problem->height;
    while (c.strip > LEAST_STRIP && ring_row_bytes(&c, c.strip) * ring_rows(&c) > RING_BYTES)
        c.strip /= 2;
    c.row_bytes = ring_row_bytes(&c, c.strip);
    int64_t fit = RING_BYTES * 2 / c.row_bytes; /* at least 800 KB / 9 KB */
    if (ring_rows(&c) > fit)
        c.panel_height = ceil_div(problem->height,
                                  ceil_div(problem->height, (int32_t)fit - c.dot.rows + 1));
    c.panels_down = ceil_div(problem->height, c.panel_height);
    c.chunk = xncc_min_i32(most_groups / c.groups, c.panel_height);
    assert(c.chunk >= 1 && c.chunk * c.groups <= most_groups);
    c.single = c.panels_across == 1 && c.panels_down == 1;
    c.narrow = !wide_pixels && c.single && c.chunk == problem->height;
    c.gather_rows = c.single ? c.dot.rows
                             : (int32_t)(GATHER_BYTES / 8 / c.strip / c.dot.rows * c.dot.rows);
    return c;
}

static uint64_t table_dwords(const direct_blocking *c)
{
    return (uint64_t)c->panel_height * (uint64_t)c->planes * (uint64_t)c->groups *
           (uint64_t)c->phases;
}

/* One thread's memory. */
typedef struct direct_scratch {
    char *ring;
    /* Twice as many pointers as the ring has rows: for every k in the ring, row[k .. k + rows - 1]
     * are consecutive image rows. */
    const void **row;
    int32_t *x32; /* sums of one call of dot: dot.rows * planes rows */
    int64_t *x64; /* sums in 64 bits, gather_rows rows; unused if narrow */
    void *raw;    /* an image row with its border */
    char *windows;
    int32_t *table; /* the current panel's table if there are several panels */
} direct_scratch;

/* Divides `memory` into the parts of a scratch area and returns the bytes needed. If memory is
 * NULL, only returns the bytes. */
static uint64_t direct_scratch_layout(const direct_blocking *c, const xncc_problem *problem,
                                      char *memory, direct_scratch *s)
{
    enum { PIECES = 7 };
    uint64_t strip = (uint64_t)c->strip, rows = (uint64_t)ring_rows(c);
    uint64_t bytes[PIECES] = { rows * (uint64_t)c->row_bytes,
                               2 * rows * sizeof(void *),
                               strip * sizeof(int32_t) * (uint64_t)(c->dot.rows * c->planes),
                               c->narrow ? 0 : strip * sizeof(int64_t) * (uint64_t)c->gather_rows,
                               (strip + (uint64_t)c->panel_width) * sizeof(uint16_t),
                               xncc_windows_bytes(problem, c->narrow, c->strip),
                               c->single ? 0 : table_dwords(c) * sizeof(int32_t) };
    uint64_t at[PIECES], total = 0;
    for (int i = 0; i < PIECES; i++) {
        at[i] = total;
        total += (bytes[i] + 63) / 64 * 64 + 64;
    }
    if (memory)
        *s = (direct_scratch){ memory + at[0],
                               (const void **)(void *)(memory + at[1]),
                               (int32_t *)(void *)(memory + at[2]),
                               (int64_t *)(void *)(memory + at[3]),
                               memory + at[4],
                               memory + at[5],
                               (int32_t *)(void *)(memory + at[6]) };
    return total;
}

void xncc_direct_shape(const xncc_cpu_kernel *self, const xncc_problem *problem, xncc_shape *shape)
{
    direct_blocking c = direct_blocking_make(self->variant, problem);
    *shape = (xncc_shape){ .columns = c.strip };
    /* A rectangle has enough rows that summing up the image rows above its first window costs
     * little, and few enough for an even load on the threads. */
    int64_t area_rows = (int64_t)64 + problem->height / 2;
    area_rows = (area_rows + c.dot.rows - 1) / c.dot.rows * c.dot.rows;
    if (!c.single)
        area_rows = (area_rows + c.gather_rows - 1) / c.gather_rows * c.gather_rows;
    shape->rows = area_rows > XNCC_MAX_SIDE ? XNCC_MAX_SIDE : (int32_t)area_rows;
    shape->scratch_bytes = direct_scratch_layout(&c, problem, NULL, NULL);
    shape->shared_bytes = c.single ? table_dwords(&c) * sizeof(int32_t) : 0;
}

/* Returns template pixel (i, j) in the form that the kernel multiplies: one number per plane. */
static void template_digits(const xncc_template *templ, int32_t i, int32_t j, int32_t digit[2])
{
    size_t at = (size_t)j * (size_t)templ->width + (size_t)i;
    if (templ->pixel == XNCC_U8) {
        digit[0] = ((const uint8_t *)templ->pixels)[at] - 128;
        return;
    }
    int32_t t = ((const uint16_t *)templ->pixels)[at] - 32896;
    digit[1] = ((t + 32896) & 255) -
               128; /* 32896 = 128 * 257, so t + 32896 and t + 128 have the same low byte */
    digit[0] = (t - digit[1]) / 256;
}

/* Adds template pixel i of a row to every phase. Shifted by p pixels, it is pixel i + p. */
static void table_add_pixel(const direct_blocking *c, int32_t *row, int32_t i,
                            const int32_t digit[2])
{
    for (int32_t plane = 0; plane < c->planes; plane++) {
        for (int32_t p = 0; p < c->phases; p++) {
            int32_t g = (i + p) / c->phases, within = (i + p) % c->phases;
            char *to = (char *)&row[((ptrdiff_t)g * c->planes + plane) * c->phases + p];
            if (c->phases == 1)
                memcpy(to, &digit[plane], 4);
            else if (c->element == 1)
                *(int8_t *)(to + within) = (int8_t)digit[plane];
            else
                memcpy(to + 2 * within, &(int16_t){ (int16_t)digit[plane] }, 2);
        }
    }
}

/* Fills a panel's table with template rows j0, j0 + 1, ... and columns i0, i0 + 1, ... */
static void table_fill(const direct_blocking *c, const xncc_template *templ, int32_t j0, int32_t i0,
                       int32_t *table)
{
    int32_t rows = xncc_min_i32(c->panel_height, templ->height - j0),
            width = xncc_min_i32(c->panel_width, templ->width - i0);
    memset(table, 0, table_dwords(c) * sizeof(int32_t));
    for (int32_t j = 0; j < rows; j++) {
        int32_t *row = table + (ptrdiff_t)j * c->groups * c->planes * c->phases;
        for (int32_t i = 0; i < width; i++) {
            int32_t digit[2] = { 0, 0 };
            template_digits(templ, i0 + i, j0 + j, digit);
            table_add_pixel(c, row, i, digit);
        }
    }
}

void xncc_direct_begin(const xncc_cpu_kernel *self, const xncc_job *job, void *shared, void *memory)
{
    (void)memory;
    direct_blocking c = direct_blocking_make(self->variant, job->problem);
    if (c.single)
        table_fill(&c, job->templ, 0, 0, shared);
}

/* A strip of the rectangle that is being computed. */
typedef struct strip {
    const xncc_job *job;
    const xncc_area *area;
    direct_blocking c;
    direct_scratch s;
    xncc_windows windows;
    int32_t x, width; /* first map column, number of columns */
} strip;

static void stage_words(const void *raw, xncc_pixel pixel, int16_t *restrict out, int32_t count)
{
    if (pixel == XNCC_U8) {
        const uint8_t *restrict in = raw;
        for (int32_t i = 0; i < count; i++)
            out[i] = in[i];
    } else {
        const uint16_t *restrict in = raw;
        for (int32_t i = 0; i < count; i++)
            out[i] = (int16_t)(in[i] ^ 0x8000); /* I - 32768 */
    }
}

/* Stages image row image_y, from the column that panel column i0 meets at the strip's first window,
 * in a slot of the ring. */
static void stage_row(strip *t, int32_t i0, int32_t panel_width, int64_t image_y, int64_t slot)
{
    int32_t count = t->width + panel_width - 1;
    char *to = t->s.ring + slot * t->c.row_bytes;
    const void *raw = xncc_border_row_pixels(t->job, image_y, (int64_t)t->job->x0 + t->x + i0,
                                             count, t->s.raw);
    if (t->c.dot.form == XNCC_FORM_BYTES)
        memcpy(to, raw, (size_t)count);
    else
        stage_words(raw, t->job->image->pixel, (int16_t *)(void *)to, count);
}

/* A panel of the template that moves down the map rows of a strip. */
typedef struct panel {
    int32_t j0, i0, height, width;
    const int32_t *table;
    int64_t staged; /* number of image rows staged so far in this pass */
} panel;

/* Stages the image rows that the block at map row first + done needs and are missing, and returns
 * the pointers to them. */
static const void *const *panel_rows(strip *t, panel *p, int32_t first, int32_t done, int32_t live)
{
    int64_t rows = ring_rows(&t->c), need = (int64_t)done + live - 1 + p->height;
    int64_t top = (int64_t)t->job->y0 + first + p->j0;
    for (; p->staged < need; p->staged++)
        stage_row(t, p->i0, p->width, top + p->staged, p->staged % rows);
    return t->s.row + done % rows;
}

/* Computes the products of one block of map rows with one panel. If narrow, they are in x32;
 * otherwise they are added to the rows at x64. */
static void panel_block(strip *t, const panel *p, const void *const *row, int32_t live,
                        int64_t *x64)
{
    const direct_blocking *c = &t->c;
    assert(live >= 1 && live <= c->dot.rows);
    for (int32_t j = 0; j < p->height; j += c->chunk) {
        xncc_dot dot = { .row = row + j,
                         .table = p->table +
                                  (size_t)j * (size_t)(c->planes * c->groups * c->phases),
                         .rows = xncc_min_i32(c->chunk, p->height - j),
                         .groups = c->groups,
                         .live = live,
                         .columns = (t->width + XNCC_TILE - 1) / XNCC_TILE * XNCC_TILE,
                         .out = t->s.x32,
                         .stride = c->strip };
        c->dot.dot(&dot);
        for (int32_t r = 0; r < live && !c->narrow; r++) {
            int64_t *restrict sum = x64 + (ptrdiff_t)r * c->strip;
            const int32_t *restrict high = t->s.x32 + (ptrdiff_t)(r * c->planes) * c->strip;
            const int32_t *restrict low = high + c->strip;
            if (c->planes == 1) {
                for (int32_t x = 0; x < t->width; x++)
                    sum[x] += high[x];
            } else {
                for (int32_t x = 0; x < t->width; x++)
                    sum[x] += (int64_t)high[x] * 256 + low[x];
            }
        }
    }
}

/* Scores map row y from its products: x32 if narrow, `gathered` otherwise. */
static void score_row(strip *t, int32_t y, const int32_t *x32, int64_t *gathered)
{
    xncc_windows_score(&t->windows, y, y == t->area->y, x32, gathered);
}

static void strip_single(strip *t)
{
    const xncc_area *a = t->area;
    panel p = { .height = t->job->templ->height,
                .width = t->job->templ->width,
                .table = t->job->shared };
    for (int32_t done = 0; done < a->height; done += t->c.dot.rows) {
        int32_t live = xncc_min_i32(t->c.dot.rows, a->height - done);
        const void *const *row = panel_rows(t, &p, a->y, done, live);
        if (!t->c.narrow)
            memset(t->s.x64, 0, (size_t)live * (size_t)t->c.strip * sizeof *t->s.x64);
        panel_block(t, &p, row, live, t->s.x64);
        for (int32_t r = 0; r < live; r++)
            score_row(t, a->y + done + r, t->s.x32 + (ptrdiff_t)r * t->c.strip,
                      t->s.x64 + (ptrdiff_t)r * t->c.strip);
    }
}

/* Accumulates the products of all panels for map rows first .. first + count - 1. */
static void gather_panels(strip *t, int32_t first, int32_t count)
{
    const direct_blocking *c = &t->c;
    const xncc_template *templ = t->job->templ;
    memset(t->s.x64, 0, (size_t)count * (size_t)c->strip * sizeof *t->s.x64);
    for (int32_t j0 = 0; j0 < templ->height; j0 += c->panel_height) {
        for (int32_t i0 = 0; i0 < templ->width; i0 += c->panel_width) {
            panel p = { .j0 = j0, .i0 = i0, .table = t->s.table };
            p.height = xncc_min_i32(c->panel_height, templ->height - j0);
            p.width = xncc_min_i32(c->panel_width, templ->width - i0);
            table_fill(c, templ, j0, i0, t->s.table);
            for (int32_t done = 0; done < count; done += c->dot.rows) {
                int32_t live = xncc_min_i32(c->dot.rows, count - done);
                const void *const *row = panel_rows(t, &p, first, done, live);
                panel_block(t, &p, row, live, t->s.x64 + (ptrdiff_t)done * c->strip);
            }
        }
    }
}

static void strip_gathered(strip *t)
{
    const xncc_area *a = t->area;
    for (int32_t done = 0; done < a->height; done += t->c.gather_rows) {
        int32_t count = xncc_min_i32(t->c.gather_rows, a->height - done);
        gather_panels(t, a->y + done, count);
        for (int32_t r = 0; r < count; r++)
            score_row(t, a->y + done + r, NULL, t->s.x64 + (ptrdiff_t)r * t->c.strip);
    }
}

void xncc_direct_area(const xncc_cpu_kernel *self, const xncc_job *job, void *memory,
                      const xncc_area *area)
{
    const xncc_direct_isa *isa = self->variant;
    strip t = { .job = job, .area = area, .c = direct_blocking_make(isa, job->problem) };
    (void)direct_scratch_layout(&t.c, job->problem, memory, &t.s);
    int64_t rows = ring_rows(&t.c);
    for (int64_t i = 0; i < 2 * rows; i++)
        t.s.row[i] = t.s.ring + (i % rows) * t.c.row_bytes;
    for (int32_t x = 0; x < area->width; x += t.c.strip) {
        t.x = area->x + x;
        t.width = xncc_min_i32(t.c.strip, area->width - x);
        xncc_windows_begin(&t.windows, isa->windows, job, t.c.narrow, t.c.strip, t.s.windows);
        xncc_windows_place(&t.windows, area, t.x, t.width);
        if (t.c.single)
            strip_single(&t);
        else
            strip_gathered(&t);
    }
}
