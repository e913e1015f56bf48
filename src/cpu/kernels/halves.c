/* SPDX-License-Identifier: BSD-2-Clause */
/* Half images and the norms of their windows (halves.h). */
#include "cpu/kernels/halves.h"

#include "base/memory.h"
#include "cpu/kernels/windows.h"
#include "image/image.h"

#include <assert.h>

enum { PARITIES = 4 };

/* Elements past the last one that whole vectors may read or write. */
enum { SLACK = 64 };

int xncc_halves_make(const xncc_problem *problem, const xncc_isa_rows *isa, xncc_halves *halves)
{
    xncc_halves h = { .isa = isa,
                      .width = problem->image_width,
                      .height = problem->image_height,
                      .map_width = problem->image_width - problem->templ_width + 1,
                      .map_height = problem->image_height - problem->templ_height + 1,
                      .templ_width = problem->templ_width,
                      .templ_height = problem->templ_height };
    h.pitch = (int64_t)xncc_strip_columns(xncc_of_parity(h.width, 0)) + SLACK;
    h.stride = xncc_strip_columns(xncc_of_parity(h.map_width, 0));
    h.plane = (uint64_t)h.pitch * (uint64_t)xncc_of_parity(h.height, 0);
    h.windows = (uint64_t)h.stride * (uint64_t)xncc_of_parity(h.map_height, 0);
    for (int made = 0; made < 2; made++) {
        uint64_t total = 0;
        h.half = xncc_carve(h.memory, &total, PARITIES * h.plane);
        h.quad = xncc_carve(h.memory, &total, PARITIES * h.plane * sizeof(uint16_t));
        h.scale = xncc_carve(h.memory, &total, PARITIES * h.windows * sizeof(float));
        h.rest = xncc_carve(h.memory, &total, PARITIES * h.windows * sizeof(float));
        h.sum = xncc_carve(h.memory, &total, PARITIES * h.windows * sizeof(int32_t));
        if (!made)
            h.memory = xncc_alloc(total, 1);
        if (!h.memory)
            return 0;
    }
    *halves = h;
    return 1;
}

void xncc_halves_clear(xncc_halves *halves)
{
    xncc_free(halves->memory);
    *halves = (xncc_halves){ 0 };
}

xncc_image xncc_halves_view(const xncc_halves *h, int parity, xncc_pixel pixel)
{
    const uint64_t at = (uint64_t)parity * h->plane;
    const int words = pixel == XNCC_U16;
    return (xncc_image){ .data = words ? (const void *)(h->quad + at) : h->half + at,
                         .width = (h->width - parity % 2) / 2,
                         .height = (h->height - parity / 2) / 2,
                         .pitch = h->pitch * (words ? 2 : 1),
                         .pixel = pixel,
                         .channels = 1 };
}

void xncc_halves_sum(xncc_halves *halves, const xncc_image *image, int32_t first, int32_t end)
{
    assert(end < halves->height);
    for (int32_t y = first; y < end; y++) {
        const uint64_t row = (uint64_t)(y / 2) * (uint64_t)halves->pitch;
        xncc_halving rows = { .upper = xncc_image_row(image, y),
                              .lower = xncc_image_row(image, y + 1) };
        for (int p = 0; p < 2; p++) {
            const uint64_t at = (uint64_t)xncc_parity(y % 2, p) * halves->plane + row;
            rows.count[p] = (halves->width - p) / 2;
            rows.quad[p] = halves->quad + at;
            rows.half[p] = halves->half + at;
        }
        halves->isa->halve(&rows);
    }
}

/* Window sums: of the image, then of the quads and of the half pixels of each parity. */
enum { OF_IMAGE, OF_QUADS, OF_HALVES = OF_QUADS + PARITIES, SUMS = OF_HALVES + PARITIES };

typedef struct weighing {
    const xncc_halves *halves;
    xncc_template templ, half_templ; /* their extents alone */
    xncc_cpu_blocks bytes;           /* all 0 */
    xncc_image view[SUMS];
    xncc_plane_product product[SUMS];
    xncc_windows windows[SUMS];
} weighing;

static int is_narrow(int sums)
{
    return sums < OF_QUADS || sums >= OF_HALVES;
}

/* Takes the memory of window sums from `scratch`. */
static char *windows_memory(const xncc_halves *h, int sums, char *scratch, uint64_t *used)
{
    const int whole = sums == OF_IMAGE;
    return xncc_carve(scratch, used,
                      xncc_windows_bytes(whole ? h->templ_width : h->templ_width / 2,
                                         is_narrow(sums),
                                         whole ? xncc_strip_columns(h->map_width) : h->stride));
}

uint64_t xncc_halves_scratch(const xncc_halves *halves)
{
    uint64_t used = 0;
    for (int sums = 0; sums < SUMS; sums++)
        (void)windows_memory(halves, sums, NULL, &used);
    return used;
}

static void weigh_begin(weighing *w, const xncc_image *image, const xncc_watch *watch,
                        int32_t first, char *scratch)
{
    const xncc_halves *h = w->halves;
    uint64_t used = 0;
    w->templ = (xncc_template){ .width = h->templ_width, .height = h->templ_height };
    w->half_templ = (xncc_template){ .width = h->templ_width / 2, .height = h->templ_height / 2 };
    w->bytes = (xncc_cpu_blocks){ 0 };
    for (int i = 0; i < SUMS; i++) {
        const int whole = i == OF_IMAGE, parity = (i - OF_QUADS) % PARITIES;
        const int32_t count = whole ? h->map_width : xncc_of_parity(h->map_width, parity % 2);
        char *memory = windows_memory(h, i, scratch, &used);
        w->view[i] = whole ? *image
                           : xncc_halves_view(h, parity, is_narrow(i) ? XNCC_U8 : XNCC_U16);
        w->product[i] = (xncc_plane_product){ .blocks = &w->bytes,
                                              .image = &w->view[i],
                                              .top = whole ? first : first / 2,
                                              .templ = whole ? &w->templ : &w->half_templ,
                                              .watch = watch };
        if (count == 0)
            continue;
        xncc_windows_begin(&w->windows[i], h->isa, &w->product[i], is_narrow(i),
                           whole ? xncc_strip_columns(count) : h->stride, memory);
        xncc_windows_place(&w->windows[i], 0, count);
    }
}

/* Row y of the map, whose first row is `first` here: the windows of one parity. */
static void weigh_parity(weighing *w, int32_t y, int32_t first, int column)
{
    const xncc_halves *h = w->halves;
    const int parity = xncc_parity(y % 2, column), fresh = y - first < 2;
    const uint64_t at = (uint64_t)parity * h->windows + (uint64_t)(y / 2) * (uint64_t)h->stride;
    xncc_windows *quads = &w->windows[OF_QUADS + parity], *halves = &w->windows[OF_HALVES + parity];
    xncc_windows_sums(quads, (y - first) / 2, fresh);
    xncc_windows_sums(halves, (y - first) / 2, fresh);
    h->isa->norms(
        &(xncc_norms){ .sums = w->windows[OF_IMAGE].window + column,
                       .S = quads->window,
                       .Q = quads->window + quads->strip,
                       .half = halves->window,
                       .pixels = (uint64_t)h->templ_width * (uint64_t)h->templ_height,
                       .quads = (uint64_t)(h->templ_width / 2) * (uint64_t)(h->templ_height / 2),
                       .scale = h->scale + at,
                       .rest = h->rest + at,
                       .sum = h->sum + at,
                       .count = xncc_of_parity(h->map_width, column) });
}

void xncc_halves_weigh(xncc_halves *halves, const xncc_image *image, const xncc_watch *watch,
                       int32_t first, int32_t end, char *scratch)
{
    weighing w = { .halves = halves };
    assert(first % 2 == 0);
    weigh_begin(&w, image, watch, first, scratch);
    for (int32_t y = first; y < end && !xncc_is_cancelled(watch); y++) {
        xncc_windows_sums(&w.windows[OF_IMAGE], y - first, y == first);
        for (int column = 0; column < 2 && column < halves->map_width; column++)
            weigh_parity(&w, y, first, column);
    }
}
