/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of the `direct` kernels that all instruction sets share.
 *
 * The result is divided into strips of columns. Each strip is computed from top to bottom in blocks
 * of a few rows. Image rows are staged in a ring, so that no kernel reads outside the caller's
 * pixels and the inner loops need no border handling. isa->u8 and isa->u16 compute the products;
 * window sums slide down with the rows. A template too large for the ring or for 32-bit sums is
 * processed in panels and in chunks of rows, and its sums are accumulated in 64 bits. */
#include "cpu/kernels/direct.h"

#include "cpu/kernels/border_row.h"
#include "cpu/kernels/windows.h"

#include <assert.h>
#include <string.h>

static uint64_t table_dwords(const xncc_direct_blocks *c)
{
    return (uint64_t)c->panel_height * (uint64_t)c->planes * (uint64_t)c->groups *
           (uint64_t)c->shifts;
}

/* One thread's memory. */
typedef struct direct_scratch {
    char *ring;
    /* Twice as many pointers as the ring has rows: for every k in the ring, row[k .. k + rows - 1]
     * are consecutive image rows. */
    const void **row;
    int32_t *x32; /* sums of one call of dot: rows * planes rows */
    int64_t *x64; /* sums in 64 bits, gather_rows rows; unused if narrow */
    void *raw;    /* an image row with its border */
    char *windows;
    int32_t *table; /* the current panel's table if there are several panels */
    char *line;     /* digits of a template row, with zeros around them */
} direct_scratch;

/* Divides `memory` into the parts of a scratch area and returns the bytes needed. If memory is
 * NULL, only returns the bytes. */
static uint64_t scratch_layout(const xncc_cpu_blocks *b, int32_t width, char *memory,
                               direct_scratch *s)
{
    const xncc_direct_blocks *c = &b->direct;
    const uint64_t strip = (uint64_t)c->strip, rows = (uint64_t)xncc_ring_rows(c);
    uint64_t total = 0;
    s->ring = xncc_carve(memory, &total, rows * (uint64_t)c->row_bytes);
    s->row = xncc_carve(memory, &total, 2 * rows * sizeof(void *));
    s->x32 = xncc_carve(memory, &total, strip * sizeof(int32_t) * (uint64_t)(c->rows * c->planes));
    s->x64 = xncc_carve(memory, &total,
                        b->narrow ? 0 : strip * sizeof(int64_t) * (uint64_t)c->gather_rows);
    s->raw = xncc_carve(memory, &total, (strip + (uint64_t)c->panel_width) * sizeof(uint16_t));
    s->windows = xncc_carve(memory, &total, xncc_windows_bytes(width, b->narrow, c->strip));
    s->table = xncc_carve(memory, &total, c->single ? 0 : table_dwords(c) * sizeof(int32_t));
    s->line = xncc_carve(memory, &total, ((uint64_t)c->groups + 3) * sizeof(int32_t));
    return total;
}

xncc_kernel_memory xncc_direct_memory(const xncc_product_kernel *self,
                                      const xncc_cpu_blocks *blocks, int32_t width)
{
    const xncc_direct_blocks *c = &blocks->direct;
    direct_scratch unused;
    (void)self;
    return (xncc_kernel_memory){ .shared = c->single ? table_dwords(c) * sizeof(int32_t) : 0,
                                 .scratch = scratch_layout(blocks, width, NULL, &unused) };
}

/* Writes the digits of a template row as elements of the dwords. */
static void digits_of_row(const xncc_direct_blocks *c, const xncc_template *templ, size_t at,
                          int32_t width, int32_t plane, char *line)
{
    const uint8_t *bytes = (const uint8_t *)templ->pixels + at;
    for (int32_t i = 0; i < width && c->phases == 4; i++)
        line[i] = (char)(int8_t)(bytes[i] - 128);
    for (int32_t i = 0; i < width && c->phases != 4; i++) {
        int32_t digit[2];
        xncc_template_digits(templ, at + (size_t)i, c->planes == 2, digit);
        if (c->phases == 2)
            memcpy(line + 2 * (ptrdiff_t)i, &(int16_t){ (int16_t)digit[plane] }, 2);
        else
            memcpy(line + 4 * (ptrdiff_t)i, &digit[plane], 4);
    }
}

/* Writes one plane of a row of the table. Shift p of dword g begins p pixels before the dword's
 * first pixel. shifts, and the bytes of a pixel: constants. */
__attribute__((always_inline)) static inline void
table_row(const xncc_direct_blocks *c, const char *line, int32_t *to, int32_t shifts, int32_t bytes)
{
    for (int32_t g = 0; g < c->groups; g++)
        for (int32_t p = 0; p < shifts; p++)
            memcpy(&to[(ptrdiff_t)g * c->planes * shifts + p],
                   line + 4 * (ptrdiff_t)g - (ptrdiff_t)p * bytes, 4);
}

/* Fills a panel's table with template rows j0, j0 + 1, ... and columns i0, i0 + 1, ... line: room
 * for a row of digits, with zeros before and after them. */
static void table_fill(const xncc_direct_blocks *c, const xncc_template *templ, int32_t j0,
                       int32_t i0, int32_t *table, char *line)
{
    const int32_t rows = xncc_min_i32(c->panel_height, templ->height - j0),
                  width = xncc_min_i32(c->panel_width, templ->width - i0);
    const ptrdiff_t step = (ptrdiff_t)c->groups * c->planes * c->shifts;
    memset(line, 0, (size_t)(c->groups + 3) * 4);
    for (int32_t j = 0; j < rows; j++)
        for (int32_t plane = 0; plane < c->planes; plane++) {
            int32_t *to = table + j * step + (ptrdiff_t)plane * c->shifts;
            digits_of_row(c, templ, (size_t)(j0 + j) * (size_t)templ->width + (size_t)i0, width,
                          plane, line + 4);
            switch (c->shifts) {
            case 4: table_row(c, line + 4, to, 4, 1); break;
            case 2: table_row(c, line + 4, to, 2, 2); break;
            default: table_row(c, line + 4, to, 1, 0); break;
            }
        }
    memset(table + rows * step, 0, (size_t)(c->panel_height - rows) * (size_t)step * sizeof *table);
}

void xncc_direct_begin(const xncc_product_kernel *self, const xncc_cpu_blocks *blocks,
                       const xncc_template *templ, const xncc_watch *watch, void *shared,
                       void *scratch)
{
    (void)self;
    (void)watch; /* a panel is small */
    direct_scratch s;
    (void)scratch_layout(blocks, templ->width, scratch, &s);
    if (blocks->direct.single)
        table_fill(&blocks->direct, templ, 0, 0, shared, s.line);
}

/* A strip of the result that is being computed. */
typedef struct strip {
    const xncc_direct_isa *isa;
    const xncc_plane_product *product;
    const xncc_direct_blocks *c;
    int narrow;
    direct_scratch s;
    xncc_windows windows;
    int32_t x, width; /* first column, number of columns */
    int32_t step;     /* columns to compute before asking whether the call is cancelled */
} strip;

static void stage_words(const void *raw, int words, int16_t *restrict out, int32_t count)
{
    if (words) {
        const uint16_t *restrict in = raw;
        for (int32_t i = 0; i < count; i++)
            out[i] = (int16_t)(in[i] ^ 0x8000); /* I - 32768 */
    } else {
        const uint8_t *restrict in = raw;
        for (int32_t i = 0; i < count; i++)
            out[i] = in[i];
    }
}

/* Stages image row y, from the column that panel column i0 meets at the strip's first window, in a
 * slot of the ring. */
static void stage_row(const strip *t, int32_t i0, int32_t panel_width, int64_t y, int64_t slot)
{
    const xncc_plane_product *p = t->product;
    int32_t count = t->width + panel_width - 1;
    char *to = t->s.ring + slot * t->c->row_bytes;
    const void *raw = xncc_border_row_biased(p->image, p->border, y, p->left + t->x + i0, count,
                                             t->s.raw);
    if (t->c->element == 1)
        memcpy(to, raw, (size_t)count);
    else
        stage_words(raw, p->blocks->words, (int16_t *)(void *)to, count);
}

/* A panel of the template that moves down the rows of a strip. */
typedef struct panel {
    int32_t j0, i0, height, width;
    const int32_t *table;
    int64_t staged; /* number of image rows staged so far in this pass */
} panel;

/* Stages the image rows that the block at row first + done needs and are missing, and returns the
 * pointers to them. */
static const void *const *panel_rows(const strip *t, panel *p, int32_t first, int32_t done,
                                     int32_t live)
{
    int64_t rows = xncc_ring_rows(t->c), need = (int64_t)done + live - 1 + p->height;
    int64_t top = t->product->top + first + p->j0;
    for (; p->staged < need; p->staged++)
        stage_row(t, p->i0, p->width, top + p->staged, p->staged % rows);
    return t->s.row + done % rows;
}

/* Computes the columns of `dot` from left to right, and asks between them whether the call is
 * cancelled. */
static void dot_columns(const strip *t, xncc_dot *dot)
{
    const int32_t columns = t->c->lanes ? t->width : xncc_strip_columns(t->width),
                  step = t->c->lanes ? columns : t->step;
    for (int32_t x = 0; x < columns && !xncc_is_cancelled(t->product->watch); x += step) {
        dot->first = x;
        dot->columns = xncc_min_i32(x + step, columns);
        if (t->c->lanes)
            (t->c->planes == 2 ? t->isa->u16_lanes : t->isa->u8_lanes)(dot);
        else if (t->c->planes == 2)
            t->isa->u16(dot);
        else
            t->isa->u8(dot);
    }
}

/* Computes the products of one block of rows with one panel. If narrow, they are in x32; otherwise
 * they are added to the rows at x64. */
static void panel_block(const strip *t, const panel *p, const void *const *row, int32_t live,
                        int64_t *x64)
{
    const xncc_direct_blocks *c = t->c;
    assert(live >= 1 && live <= c->rows);
    for (int32_t j = 0; j < p->height; j += c->chunk) {
        xncc_dot dot = { .row = row + j,
                         .table = p->table +
                                  (size_t)j * (size_t)(c->planes * c->groups * c->shifts),
                         .rows = xncc_min_i32(c->chunk, p->height - j),
                         .groups = c->groups,
                         .live = live,
                         .out = t->s.x32,
                         .stride = c->strip };
        dot_columns(t, &dot);
        for (int32_t r = 0; r < live && !t->narrow; r++) {
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

/* Computes `count` rows with one panel. Row `done` of them is row first + done of the strip in the
 * panel's pass. */
static void panel_pass(const strip *t, panel *p, int32_t first, int32_t done, int32_t count)
{
    for (int32_t r = 0; r < count && !xncc_is_cancelled(t->product->watch); r += t->c->rows) {
        int32_t live = xncc_min_i32(t->c->rows, count - r);
        panel_block(t, p, panel_rows(t, p, first, done + r, live), live,
                    t->s.x64 + (ptrdiff_t)r * t->c->strip);
    }
}

/* Computes rows first .. first + count - 1 with all panels of the template. */
static void gather_panels(const strip *t, int32_t first, int32_t count)
{
    const xncc_direct_blocks *c = t->c;
    const xncc_template *templ = t->product->templ;
    for (int32_t j0 = 0; j0 < templ->height; j0 += c->panel_height) {
        for (int32_t i0 = 0; i0 < templ->width && !xncc_is_cancelled(t->product->watch);
             i0 += c->panel_width) {
            panel p = { .j0 = j0, .i0 = i0, .table = t->s.table };
            p.height = xncc_min_i32(c->panel_height, templ->height - j0);
            p.width = xncc_min_i32(c->panel_width, templ->width - i0);
            table_fill(c, templ, j0, i0, t->s.table, t->s.line);
            panel_pass(t, &p, first, 0, count);
        }
    }
}

static void compute_strip(strip *t)
{
    const xncc_direct_blocks *c = t->c;
    panel whole = { .height = t->product->templ->height,
                    .width = t->product->templ->width,
                    .table = t->product->shared };
    for (int32_t done = 0; done < t->product->height && !xncc_is_cancelled(t->product->watch);
         done += c->gather_rows) {
        int32_t count = xncc_min_i32(c->gather_rows, t->product->height - done);
        if (!t->narrow)
            memset(t->s.x64, 0, (size_t)count * (size_t)c->strip * sizeof *t->s.x64);
        if (c->single)
            panel_pass(t, &whole, 0, done, count);
        else
            gather_panels(t, done, count);
        for (int32_t r = 0; r < count && !xncc_is_cancelled(t->product->watch); r++)
            xncc_windows_row(&t->windows, done + r, done + r == 0,
                             t->s.x32 + (ptrdiff_t)r * c->strip,
                             t->s.x64 + (ptrdiff_t)r * c->strip);
    }
}

void xncc_direct_compute(const xncc_product_kernel *self, const xncc_plane_product *product,
                         void *const *scratch, int count)
{
    const xncc_cpu_blocks *b = product->blocks;
    strip t = { .isa = self->variant, .product = product, .c = &b->direct, .narrow = b->narrow };
    assert(count == 1);
    (void)count;
    (void)scratch_layout(b, product->templ->width, scratch[0], &t.s);
    t.step = xncc_columns_to_ask(
        (int64_t)t.c->rows * t.c->chunk * t.c->groups * t.c->phases * t.c->planes, XNCC_STRIP_STEP);
    int64_t rows = xncc_ring_rows(t.c);
    for (int64_t i = 0; i < 2 * rows; i++)
        t.s.row[i] = t.s.ring + (i % rows) * t.c->row_bytes;
    xncc_windows_begin(&t.windows, self->rows, product, b->narrow, t.c->strip, t.s.windows);
    for (int32_t x = 0; x < product->width; x += t.c->strip) {
        t.x = x;
        t.width = xncc_min_i32(t.c->strip, product->width - x);
        xncc_windows_place(&t.windows, t.x, t.width);
        compute_strip(&t);
    }
}
