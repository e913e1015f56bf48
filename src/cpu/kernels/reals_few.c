/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows in doubt under small templates, whose sums of products come from transforms
 * (reals_run.h). The bound of a transform is relative to all samples of a rectangle, that of a
 * direct product to those of the window. So direct products decide nearly all of them, and take a
 * fraction of the time that pairs of doubles do. */
#include "cpu/kernels/reals_run.h"

#include "image/image.h"

#include <string.h>

/* Windows that are scored at a time, and windows after which it is known whether they are decided.
 */
enum { AT_ONCE = 32, TRIES = 64 };

int xncc_reals_are_few(const xncc_reals_run *r)
{
    const xncc_template *templ = r->job->templ;
    return r->variant->fft && templ->channels == 1 && xncc_reals_counts_all(r) &&
           xncc_reals_padded(templ->width) * templ->height <= XNCC_SMALL_TEMPLATE &&
           xncc_reals_are_in_place(r);
}

void xncc_reals_few_begin(xncc_reals_run *r)
{
    const xncc_template *templ = r->job->templ;
    const double pivot = r->shared->channel[0].pivot;
    const int32_t step = xncc_reals_padded(templ->width);
    memset(r->m.small_templ, 0, XNCC_SMALL_TEMPLATE * sizeof *r->m.small_templ);
    for (int32_t j = 0; j < templ->height; j++)
        for (int32_t i = 0; i < templ->width; i++)
            r->m.small_templ[j * step + i] = r->shared->value[0][(ptrdiff_t)j * templ->width + i] -
                                             pivot;
    r->tried = r->decided = 0;
}

/* Some windows in doubt of a row. */
typedef struct few {
    int32_t count, x[AT_ONCE];
    double X[AT_ONCE], S[AT_ONCE], Q[AT_ONCE];
} few;

/* The sum of the products of the window at column x of row y. */
static double product_of(const xncc_reals_run *r, int32_t x, int32_t y)
{
    const xncc_template *templ = r->job->templ;
    xncc_reals_cut_rows rows = { .line = xncc_reals_slide_of(r, 1, templ->width),
                                 .pitch = (ptrdiff_t)xncc_image_pitch(r->job->image),
                                 .templ = r->m.small_templ,
                                 .rows = templ->height };
    rows.enter[0] = xncc_reals_raw(r, x, y, templ->width);
    return r->isa->products(&rows);
}

/* Scores some windows. Returns 1 if some are left in doubt. */
static int score_few(xncc_reals_run *r, few *f, const xncc_reals_row *whole)
{
    const xncc_template *templ = r->job->templ;
    const double u = 0x1p-53, additions = xncc_reals_padded(templ->width) / 2.0 * templ->height,
                 factor = 1.01 * u * (additions + XNCC_MOST_LANES + 4.0),
                 of_templ = factor * r->shared->norm[0][XNCC_REALS_PLANE_VALUE];
    float out[AT_ONCE];
    xncc_reals_row row = *whole;
    int open = 0;
    row.count = f->count;
    row.X = f->X;
    row.S = f->S;
    row.Q = f->Q;
    row.out = out;
    row.error.X = of_templ * r->norm[0] + XNCC_REALS_TINY;
    row.error.of_X = of_templ;
    row.error.of_rest = 0.0;
    (void)r->isa->score(&row, 1);
    for (int32_t i = 0; i < f->count; i++) {
        const int left = xncc_same_float(out[i], xncc_float_of_bits(XNCC_DOUBT));
        whole->out[f->x[i]] = out[i];
        r->decided += !left;
        open |= left;
    }
    r->tried += f->count;
    f->count = 0;
    return open;
}

int xncc_reals_score_few(xncc_reals_run *r, int32_t y, const xncc_reals_row *whole)
{
    few f = { .count = 0 };
    int open = 0;
    for (int32_t x = 0; (x = xncc_reals_next_doubt(whole->out, x, whole->count)) < whole->count;
         x++) {
        /* Where windows cancel, a smaller bound decides none of them. */
        if ((r->tried >= TRIES && 2 * r->decided < r->tried) ||
            x + xncc_reals_padded(r->job->templ->width) > r->m.stage.width) {
            open = 1;
            break;
        }
        f.x[f.count] = x;
        f.S[f.count] = r->m.window[0][0][x];
        f.Q[f.count] = r->m.window[0][1][x];
        f.X[f.count++] = product_of(r, x, y);
        if (f.count == AT_ONCE)
            open |= score_few(r, &f, whole);
    }
    return f.count > 0 ? score_few(r, &f, whole) | open : open;
}
