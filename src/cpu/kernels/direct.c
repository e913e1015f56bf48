/* Drives the `direct` kernels: a rectangle of the map is cut into strips of columns, a strip goes
 * down block by block of a few rows. Image rows are staged in a ring (so that no kernel reads
 * outside the caller's pixels, and borders cost nothing further in), products come from isa->dot,
 * window sums slide down with the rows. A template too large for the ring or for 32-bit sums is
 * taken in panels and chunks of rows, whose sums are gathered in 64 bits. */
#include "cpu/kernels/windows.h"

#include <string.h>

enum {
    MOST_STRIP = 2048, /* map columns */
    LEAST_STRIP = 256,
    RING_BYTES = 448 << 10,  /* with the table and the rows of sums this stays within 1 MB of
                                second-level cache */
    MOST_PANEL_BYTES = 2048, /* template columns at a time */
    MOST_PANEL_U16 = 496,    /* a row of it stays within XNCC_MOST_PRODUCTS_U16 in every form */
    GATHER_BYTES = 1 << 20
};

/* How a problem is cut; a function of the problem alone. */
typedef struct cut {
    xncc_isa_dot dot;
    int32_t phases, planes, element;
    int32_t panel_width, panel_height, panels_across, panels_down;
    int32_t groups;      /* of a panel's row */
    int32_t chunk;       /* template rows whose sums fit 32 bits */
    int32_t strip;       /* map columns, a multiple of XNCC_TILE */
    int32_t gather_rows; /* map rows gathered at a time when there are several panels */
    int narrow;          /* u8 and one chunk: every sum fits 32 bits */
    int single;          /* one panel */
    int64_t row_bytes;   /* of the ring */
} cut;

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t ceil_div(int32_t a, int32_t b)
{
    return a / b + (a % b != 0);
}

static int64_t ring_row_bytes(const cut *c, int32_t strip)
{
    /* one odd cache line: rows a multiple of 4096 bytes apart would fight for the same sets */
    int64_t bytes = ((int64_t)strip + (int64_t)c->groups * c->phases) * c->element;
    return (bytes + 63) / 128 * 128 + 192;
}

static int64_t ring_rows(const cut *c)
{
    return (int64_t)c->panel_height + c->dot.rows - 1;
}

static cut cut_make(const xncc_direct_isa *isa, const xncc_problem *problem)
{
    int wide_pixels = problem->pixel == XNCC_U16;
    cut c = { .dot = wide_pixels ? isa->u16 : isa->u8 };
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
    c.chunk = smaller(most_groups / c.groups, c.panel_height);
    c.single = c.panels_across == 1 && c.panels_down == 1;
    c.narrow = !wide_pixels && c.single && c.chunk == problem->height;
    c.gather_rows = c.single ? c.dot.rows
                             : (int32_t)(GATHER_BYTES / 8 / c.strip / c.dot.rows * c.dot.rows);
    return c;
}

static uint64_t table_dwords(const cut *c)
{
    return (uint64_t)c->panel_height * (uint64_t)c->planes * (uint64_t)c->groups *
           (uint64_t)c->phases;
}

/* One thread's memory. */
typedef struct scratch {
    char *ring;
    const void **row; /* twice the ring's rows: row[k .. k + rows - 1] are consecutive image rows
                         for every k in the ring */
    int32_t *x32;     /* the sums of one dot, block rows * planes of them */
    int64_t *x64;     /* gathered sums, gather_rows of them; not when narrow */
    void *raw;        /* an image row with its border */
    char *windows;
    int32_t *table; /* of the panel at hand when there are several */
} scratch;

/* Lays the scratch out in memory (NULL: only counts); returns its bytes. */
static uint64_t scratch_lay(const cut *c, const xncc_problem *problem, char *memory, scratch *s)
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
        *s = (scratch){ memory + at[0],
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
    cut c = cut_make(self->variant, problem);
    *shape = (xncc_shape){ .columns = c.strip };
    /* Rows: many enough that the rows above a rectangle, summed up before its first window, do not
     * count; few enough for an even load. */
    int64_t area_rows = (int64_t)64 + problem->height / 2;
    area_rows = (area_rows + c.dot.rows - 1) / c.dot.rows * c.dot.rows;
    if (!c.single)
        area_rows = (area_rows + c.gather_rows - 1) / c.gather_rows * c.gather_rows;
    shape->rows = area_rows > XNCC_MAX_SIDE ? XNCC_MAX_SIDE : (int32_t)area_rows;
    shape->scratch_bytes = scratch_lay(&c, problem, NULL, NULL);
    shape->shared_bytes = c.single ? table_dwords(&c) * sizeof(int32_t) : 0;
}

/* Template pixel (i, j) as the forms take it, one number for each plane. */
static void digits(const xncc_template *templ, int32_t i, int32_t j, int32_t digit[2])
{
    size_t at = (size_t)j * (size_t)templ->width + (size_t)i;
    if (templ->pixel == XNCC_U8) {
        digit[0] = ((const uint8_t *)templ->pixels)[at] - 128;
        return;
    }
    int32_t t = ((const uint16_t *)templ->pixels)[at] - 32896;
    digit[1] = ((t + 32896) & 255) -
               128; /* 32896 = 128 * 257: t + 32896 and t + 128 agree in the low byte */
    digit[0] = (t - digit[1]) / 256;
}

/* Puts template pixel i of a row into every phase: shifted by p it is pixel i + p. */
static void table_put(const cut *c, int32_t *row, int32_t i, const int32_t digit[2])
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

/* Writes a panel's table: template rows j0 .. and columns i0 .. */
static void table_fill(const cut *c, const xncc_template *templ, int32_t j0, int32_t i0,
                       int32_t *table)
{
    int32_t rows = smaller(c->panel_height, templ->height - j0),
            width = smaller(c->panel_width, templ->width - i0);
    memset(table, 0, table_dwords(c) * sizeof(int32_t));
    for (int32_t j = 0; j < rows; j++) {
        int32_t *row = table + (ptrdiff_t)j * c->groups * c->planes * c->phases;
        for (int32_t i = 0; i < width; i++) {
            int32_t digit[2] = { 0, 0 };
            digits(templ, i0 + i, j0 + j, digit);
            table_put(c, row, i, digit);
        }
    }
}

void xncc_direct_begin(const xncc_cpu_kernel *self, const xncc_job *job, void *shared, void *memory)
{
    (void)memory;
    cut c = cut_make(self->variant, job->problem);
    if (c.single)
        table_fill(&c, job->templ, 0, 0, shared);
}

/* A strip of a rectangle under way. */
typedef struct strip {
    const xncc_job *job;
    const xncc_area *area;
    cut c;
    scratch s;
    xncc_windows windows;
    int32_t x, width; /* map columns */
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

/* Stages the image row that meets template row j of the panel's first column i0 for map row y. */
static void stage(strip *t, int32_t i0, int32_t panel_width, int64_t image_y, int64_t slot)
{
    int32_t count = t->width + panel_width - 1;
    char *to = t->s.ring + slot * t->c.row_bytes;
    const void *raw = xncc_border_row(t->job, image_y, (int64_t)t->job->x0 + t->x + i0, count,
                                      t->s.raw);
    if (t->c.dot.form == XNCC_FORM_BYTES)
        memcpy(to, raw, (size_t)count);
    else
        stage_words(raw, t->job->image->pixel, (int16_t *)(void *)to, count);
}

/* A panel of the template on its way down the map rows first .. first + count - 1 of a strip. */
typedef struct panel {
    int32_t j0, i0, height, width;
    const int32_t *table;
    int64_t staged; /* image rows of this pass staged so far, counted from the first one */
} panel;

/* The window's image rows for the block at map row `first + done`: stages what is missing and
 * returns the first pointer. */
static const void *const *panel_rows(strip *t, panel *p, int32_t first, int32_t done, int32_t live)
{
    int64_t rows = ring_rows(&t->c), need = (int64_t)done + live - 1 + p->height;
    int64_t top = (int64_t)t->job->y0 + first + p->j0;
    for (; p->staged < need; p->staged++)
        stage(t, p->i0, p->width, top + p->staged, p->staged % rows);
    return t->s.row + done % rows;
}

/* One block of map rows under one panel: x32 when narrow, else added to the gathered rows at x64.
 */
static void panel_block(strip *t, const panel *p, const void *const *row, int32_t live,
                        int64_t *x64)
{
    const cut *c = &t->c;
    for (int32_t j = 0; j < p->height; j += c->chunk) {
        xncc_dot dot = { .row = row + j,
                         .table = p->table +
                                  (size_t)j * (size_t)(c->planes * c->groups * c->phases),
                         .rows = smaller(c->chunk, p->height - j),
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

/* Scores map row y from its products: x32 when narrow, else gathered. */
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
        int32_t live = smaller(t->c.dot.rows, a->height - done);
        const void *const *row = panel_rows(t, &p, a->y, done, live);
        if (!t->c.narrow)
            memset(t->s.x64, 0, (size_t)live * (size_t)t->c.strip * sizeof *t->s.x64);
        panel_block(t, &p, row, live, t->s.x64);
        for (int32_t r = 0; r < live; r++)
            score_row(t, a->y + done + r, t->s.x32 + (ptrdiff_t)r * t->c.strip,
                      t->s.x64 + (ptrdiff_t)r * t->c.strip);
    }
}

/* All panels over map rows first .. first + count - 1. */
static void gather(strip *t, int32_t first, int32_t count)
{
    const cut *c = &t->c;
    const xncc_template *templ = t->job->templ;
    memset(t->s.x64, 0, (size_t)count * (size_t)c->strip * sizeof *t->s.x64);
    for (int32_t j0 = 0; j0 < templ->height; j0 += c->panel_height) {
        for (int32_t i0 = 0; i0 < templ->width; i0 += c->panel_width) {
            panel p = { .j0 = j0, .i0 = i0, .table = t->s.table };
            p.height = smaller(c->panel_height, templ->height - j0);
            p.width = smaller(c->panel_width, templ->width - i0);
            table_fill(c, templ, j0, i0, t->s.table);
            for (int32_t done = 0; done < count; done += c->dot.rows) {
                int32_t live = smaller(c->dot.rows, count - done);
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
        int32_t count = smaller(t->c.gather_rows, a->height - done);
        gather(t, a->y + done, count);
        for (int32_t r = 0; r < count; r++)
            score_row(t, a->y + done + r, NULL, t->s.x64 + (ptrdiff_t)r * t->c.strip);
    }
}

void xncc_direct_area(const xncc_cpu_kernel *self, const xncc_job *job, void *memory,
                      const xncc_area *area)
{
    const xncc_direct_isa *isa = self->variant;
    strip t = { .job = job, .area = area, .c = cut_make(isa, job->problem) };
    (void)scratch_lay(&t.c, job->problem, memory, &t.s);
    int64_t rows = ring_rows(&t.c);
    for (int64_t i = 0; i < 2 * rows; i++)
        t.s.row[i] = t.s.ring + (i % rows) * t.c.row_bytes;
    for (int32_t x = 0; x < area->width; x += t.c.strip) {
        t.x = area->x + x;
        t.width = smaller(t.c.strip, area->width - x);
        xncc_windows_begin(&t.windows, isa->windows, job, t.c.narrow, t.c.strip, t.s.windows);
        xncc_windows_place(&t.windows, area, t.x, t.width);
        if (t.c.single)
            strip_single(&t);
        else
            strip_gathered(&t);
    }
}
