/* Sliding window sums of a strip, and the choice of the score function (windows.h). */
#include "cpu/kernels/windows.h"

#include "cpu/kernels/border_row.h"

#include <assert.h>
#include <string.h>

/* Elements past the last column that whole vectors may read. */
enum { SLACK = 64 };

static uint64_t columns_room(const xncc_problem *problem, int32_t strip)
{
    return (uint64_t)strip + (uint64_t)problem->width + SLACK;
}

uint64_t xncc_windows_bytes(const xncc_problem *problem, int narrow, int32_t strip)
{
    uint64_t numbers = (columns_room(problem, strip) + (uint64_t)strip) * (narrow ? 1 : 2);
    return numbers * sizeof(uint64_t) + 2 * columns_room(problem, strip) * sizeof(uint16_t) +
           4 * 64;
}

static char *carve(char **memory, uint64_t bytes)
{
    char *piece = *memory;
    *memory += (bytes + 63) / 64 * 64;
    return piece;
}

void xncc_windows_begin(xncc_windows *w, const xncc_isa_windows *isa, const xncc_job *job,
                        int narrow, int32_t strip, char *memory)
{
    assert(strip % 8 == 0);
    assert(!narrow || (job->templ->pixel == XNCC_U8 &&
                       (int64_t)job->templ->width * job->templ->height <= XNCC_MOST_PRODUCTS_U8));
    uint64_t room = columns_room(job->problem, strip), fields = narrow ? 1 : 2;
    *w = (xncc_windows){
        .isa = isa, .job = job, .narrow = narrow, .room = (int64_t)room, .strip = strip
    };
    w->column = (uint64_t *)(void *)carve(&memory, room * fields * sizeof(uint64_t));
    w->window = (uint64_t *)(void *)carve(&memory, (uint64_t)strip * fields * sizeof(uint64_t));
    w->raw[0] = carve(&memory, room * sizeof(uint16_t));
    w->raw[1] = carve(&memory, room * sizeof(uint16_t));
}

void xncc_windows_place(xncc_windows *w, const xncc_area *area, int32_t x, int32_t width)
{
    assert(width > 0 && width <= w->strip);
    w->area = area;
    w->x = x;
    w->width = width;
}

/* Turns gathered sums into X by undoing the shifts of image and template (see xncc_form):
 * - u8: X = X' + 128 * S.
 * - u16, with I = I' + 32768 and T = T' + 32896: X = X' + 32896 * S + 32768 * sum T', where sum T'
 *   = sumT - 32896 * n.
 *
 * All of it is modulo 2^64; the result is below 2^63. */
static void gathered_to_products(const xncc_windows *w, const int64_t *gathered, const uint64_t *S,
                                 uint64_t *X)
{
    const xncc_score_rule *rule = &w->job->rule;
    int u16 = w->job->templ->pixel == XNCC_U16;
    uint64_t factor = u16 ? 32896 : 128, constant = u16 ? 32768 * (rule->sum - 32896 * rule->n) : 0;
    for (int32_t x = 0; x < w->width; x++)
        X[x] = (uint64_t)gathered[x] + factor * S[x] + constant;
}

/* Slides the column sums to the windows of map row y. */
static void columns_to(xncc_windows *w, int32_t y, int fresh)
{
    const xncc_job *job = w->job;
    int32_t height = job->templ->height, count = w->width + job->templ->width - 1;
    int64_t top = (int64_t)job->y0 + y, left = (int64_t)job->x0 + w->x;
    uint64_t *S = w->column, *Q = w->column + w->room;
    xncc_pixel pixel = job->image->pixel;
    if (fresh) {
        memset(S, 0, (size_t)w->room * sizeof *S * (w->narrow ? 1 : 2));
        for (int32_t j = 0; j < height; j++) {
            const void *enter = xncc_border_row_pixels(job, top + j, left, count, w->raw[0]);
            if (w->narrow)
                w->isa->add_u8(S, enter, count);
            else
                w->isa->wide_add(S, Q, enter, pixel, count);
        }
        return;
    }
    const void *enter = xncc_border_row_pixels(job, top + height - 1, left, count, w->raw[0]);
    const void *leave = xncc_border_row_pixels(job, top - 1, left, count, w->raw[1]);
    if (w->narrow)
        w->isa->slide_u8(S, enter, leave, count);
    else
        w->isa->wide_slide(S, Q, enter, leave, pixel, count);
}

xncc_wide_row xncc_windows_sums(xncc_windows *w, int32_t y, int fresh)
{
    const int32_t width = w->job->templ->width;
    assert(!w->narrow);
    uint64_t *Q = w->window + w->strip;
    columns_to(w, y, fresh);
    w->isa->window(w->column, width, w->window, w->width);
    w->isa->window(w->column + w->room, width, Q, w->width);
    return (xncc_wide_row){ NULL, w->window, Q };
}

/* Writes the row's products and window sums to the sums that the area asks for. Pixels are u8. */
static void emit_sums(xncc_windows *w, int32_t y, int fresh, const int32_t *x32,
                      const int64_t *gathered)
{
    const xncc_sums *s = w->area->sums;
    const ptrdiff_t at = (ptrdiff_t)(y - w->area->y) * w->area->pitch + (w->x - w->area->x);
    xncc_emit_row row = {
        .x32 = w->narrow ? x32 : NULL, .gathered = gathered, .X = s->X + at, .count = w->width
    };
    row.shift = s->shift;
    row.add = s->add;
    row.S = s->known ? s->known + at : NULL;
    if (!w->job->no_offset && !s->known) {
        columns_to(w, y, fresh);
        w->isa->window(w->column, w->job->templ->width, w->window, w->width);
        row.S = w->window;
        row.packed = w->narrow;
        if (!w->narrow)
            w->isa->window(w->column + w->room, w->job->templ->width, w->window + w->strip,
                           w->width);
        row.Q = w->window + w->strip;
        row.out_S = s->S ? s->S + at : NULL;
        row.out_Q = s->Q ? s->Q + at : NULL;
    }
    w->isa->emit(&row);
    if (s->on_row)
        s->on_row(s->user, w->x - w->area->x, y - w->area->y, w->width);
}

void xncc_windows_score(xncc_windows *w, int32_t y, int fresh, const int32_t *x32,
                        int64_t *gathered)
{
    const xncc_job *job = w->job;
    const xncc_area *a = w->area;
    int32_t width = job->templ->width;
    xncc_method method = job->problem->method;
    if (a->sums) {
        emit_sums(w, y, fresh, x32, gathered);
        return;
    }
    float *out = a->out + (ptrdiff_t)(y - a->y) * a->pitch + (w->x - a->x);
    if (w->narrow) {
        columns_to(w, y, fresh);
        w->isa->window(w->column, width, w->window, w->width);
        w->isa->score(method, &job->rule, x32, w->window, out, w->width);
        return;
    }
    const xncc_wide_row sums = xncc_windows_sums(w, y, fresh);
    uint64_t *X = (uint64_t *)gathered;
    gathered_to_products(w, gathered, sums.S, X);
    w->isa->wide_score(method, &job->rule, &(xncc_wide_row){ X, sums.S, sums.Q }, out, w->width);
}
