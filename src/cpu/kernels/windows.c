/* SPDX-License-Identifier: BSD-2-Clause */
/* Sliding window sums of a strip, and what becomes of its rows (windows.h). */
#include "cpu/kernels/windows.h"

#include "cpu/kernels/border_row.h"
#include "cpu/kernels/bounds.h"
#include "cpu/kernels/scores.h"

#include <assert.h>
#include <string.h>

/* Elements past the last column that whole vectors may read. */
enum { SLACK = 64 };

static uint64_t layout(xncc_windows *w, int32_t width, char *memory)
{
    uint64_t total = 0, fields = w->narrow ? 1 : 2;
    w->room = (int64_t)w->strip + width + SLACK;
    w->column = xncc_carve(memory, &total, (uint64_t)w->room * fields * sizeof(uint64_t));
    w->window = xncc_carve(memory, &total, (uint64_t)w->strip * fields * sizeof(uint64_t));
    for (int i = 0; i < 2; i++)
        w->raw[i] = xncc_carve(memory, &total, (uint64_t)w->room * sizeof(uint16_t));
    return total;
}

uint64_t xncc_windows_bytes(int32_t width, int narrow, int32_t strip)
{
    return layout(&(xncc_windows){ .narrow = narrow, .strip = strip }, width, NULL);
}

void xncc_windows_begin(xncc_windows *w, const xncc_isa_rows *isa,
                        const xncc_plane_product *product, int narrow, int32_t strip, char *memory)
{
    const xncc_template *templ = product->templ;
    assert(strip % 8 == 0);
    assert(!narrow || (!product->blocks->words &&
                       (int64_t)templ->width * templ->height <= XNCC_MOST_PRODUCTS_U8));
    *w = (xncc_windows){ .isa = isa, .product = product, .narrow = narrow, .strip = strip };
    (void)layout(w, templ->width, memory);
}

void xncc_windows_place(xncc_windows *w, int32_t x, int32_t width)
{
    assert(width > 0 && width <= w->strip);
    w->x = x;
    w->width = width;
}

/* Returns the pixels under row y of the strip, with their border. */
static const void *image_row(const xncc_windows *w, int64_t y, void *buffer)
{
    const xncc_plane_product *p = w->product;
    return xncc_border_row_biased(p->image, p->border, p->top + y, p->left + w->x,
                                  w->width + p->templ->width - 1, buffer);
}

/* Slides the column sums to the windows of row y. */
static void columns_to(xncc_windows *w, int32_t y, int fresh)
{
    const xncc_plane_product *p = w->product;
    const int32_t height = p->templ->height, count = w->width + p->templ->width - 1;
    const int words = xncc_pixel_digits(p->image->pixel) == 2;
    const void *leave = fresh ? NULL : image_row(w, (int64_t)y - 1, w->raw[1]);
    if (fresh)
        memset(w->column, 0, (size_t)w->room * sizeof *w->column * (w->narrow ? 1 : 2));
    for (int32_t j = fresh ? 0 : height - 1; j < height && !xncc_is_cancelled(p->watch); j++) {
        const void *enter = image_row(w, (int64_t)y + j, w->raw[0]);
        if (w->narrow)
            w->isa->slide(w->column, enter, leave, count);
        else
            w->isa->wide_slide(w->column, w->column + w->room, enter, leave, words, count);
    }
}

void xncc_windows_sums(xncc_windows *w, int32_t y, int fresh)
{
    const int32_t width = w->product->templ->width;
    columns_to(w, y, fresh);
    w->isa->window(w->column, width, w->window, w->width);
    if (!w->narrow)
        w->isa->window(w->column + w->room, width, w->window + w->strip, w->width);
}

/* The products become X when the shifts of image and template are undone (direct.h):
 * - bytes: X = X' + 128 * S.
 * - words, with I = I' + 32768 and T = T' + 32896: X = X' + 32896 * S + 32768 * sum T', where sum
 * T' = sumT - 32896 * n. */
static void undo_shifts(const xncc_plane_product *p, xncc_row *row)
{
    const xncc_template *templ = p->templ;
    row->factor = p->blocks->words ? 32896 : 128;
    if (p->blocks->words)
        row->constant = 32768 *
                        (templ->sum - 32896 * (uint64_t)templ->width * (uint64_t)templ->height);
}

void xncc_windows_row(xncc_windows *w, int32_t y, int fresh, const int32_t *x32, const int64_t *x64)
{
    const xncc_plane_product *p = w->product;
    const xncc_sink *sink = &p->sink;
    if (sink->bounds) {
        xncc_bounds_row(sink->bounds, w->x, y, x32, w->width);
        return;
    }
    const ptrdiff_t at = (ptrdiff_t)y * sink->stride + w->x;
    xncc_row row = { .x32 = w->narrow ? x32 : NULL, .x64 = x64, .count = w->width };
    if (!p->no_offset)
        undo_shifts(p, &row);
    if (sink->known) {
        row.S = sink->known + at;
    } else if (p->windows) {
        row.S = p->windows->packed + (p->top + y - p->windows->top) * p->windows->stride +
                (p->left + w->x - p->windows->left);
        row.packed = 1;
    } else if (!p->no_offset) {
        xncc_windows_sums(w, y, fresh);
        row.S = w->window;
        row.Q = w->window + w->strip;
        row.packed = w->narrow;
    }
    if (sink->scores) {
        xncc_scores_row(sink->scores, w->x, y, &row);
        return;
    }
    const xncc_emit to = { sink->to.X + at, sink->to.S ? sink->to.S + at : NULL,
                           sink->to.Q ? sink->to.Q + at : NULL, sink->to.shift, sink->to.add };
    w->isa->emit(&row, &to);
}
