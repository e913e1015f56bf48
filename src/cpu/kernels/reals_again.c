/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows in doubt are scored again, with sums of products of a smaller error: a few one by one, by
 * products that are cut in two as they are added, many by transforms (reals_sharpen.c). What each
 * costs is weighed as the rows are scored. */
#include "cpu/kernels/reals_run.h"

#include "image/image.h"
#include "image/samples.h"

#include <math.h>
#include <string.h>

/* ---- what it costs ---- */

/* Notes |v| and |t| of all channels, and the bound of the sums of products that are known. */
static void note_norms(xncc_reals_run *r)
{
    const int32_t channels = r->job->templ->channels;
    double image = 0.0, templ = 0.0;
    for (int32_t c = 0; c < channels; c++) {
        const double of_templ = r->shared->norm[c][XNCC_REALS_PLANE_VALUE];
        image += r->norm[c] * r->norm[c];
        templ += of_templ * of_templ;
    }
    r->all_norm = sqrt(image);
    r->all_templ = sqrt(templ);
    r->known = r->m.row[channels - 1].error.X;
}

/* Multiplications that scoring windows again may cost, per window of the rectangle, where only one
 * by one is possible. */
enum { AGAIN_PER_WINDOW = 128 };

/* What one window costs in about ns. */
static double cost_of_one(const xncc_reals_run *r)
{
    return 300.0 + 0.16 * xncc_reals_samples_of_window(r);
}

/* What all windows of the rectangle cost by transforms. */
static double cost_of_all(const xncc_reals_run *r)
{
    const xncc_fft_blocking *c = &r->job->blocks->fft;
    const double points = (double)c->nx * (double)c->ny;
    const double cost = 0.55 * points * (log2(points) + 10.0) * (double)r->job->templ->channels;
    return r->common ? 1.2 * cost / r->common : cost; /* and of the template, by all threads */
}

/* Writes down the pivots of each sample of a row of a window, whose channels are side by side. */
static void note_pivots(const xncc_reals_run *r)
{
    const int32_t channels = r->job->templ->channels;
    for (int32_t x = 0; x < r->job->templ->width && channels > 1; x++)
        for (int32_t c = 0; c < channels; c++) {
            const ptrdiff_t at = (ptrdiff_t)x * channels + c;
            r->m.pivots[0][at] = r->pivot[c];
            r->m.pivots[1][at] = r->shared->channel[c].pivot;
        }
}

void xncc_reals_again_begin(xncc_reals_run *r)
{
    const double windows = (double)r->area->width * (double)r->area->height,
                 most = r->variant->fft
                            ? cost_of_all(r) / cost_of_one(r)
                            : AGAIN_PER_WINDOW * windows / xncc_reals_samples_of_window(r);
    note_norms(r);
    note_pivots(r);
    r->parts = xncc_reals_choose_parts(r);
    r->again = (int64_t)most;
    r->tried = r->decided = r->many = r->listed = 0;
}

/* ---- one by one ---- */

/* A rectangle of a window. */
typedef struct part {
    int32_t left, top, width, height;
} part;

/* The part of a window that lies in the image. */
static part part_in_image(const xncc_reals_run *r, const xncc_reals_listed *of)
{
    const xncc_template *templ = r->job->templ;
    const xncc_image *image = r->job->image;
    const int64_t x = r->m.stage.left + of->x, y = r->m.stage.top + of->y;
    const int32_t left = xncc_clip_index(-x, templ->width),
                  top = xncc_clip_index(-y, templ->height);
    return (part){ .left = left,
                   .top = top,
                   .width = xncc_clip_index(image->width - x, templ->width) - left,
                   .height = xncc_clip_index(image->height - y, templ->height) - top };
}

static int is_whole(const xncc_reals_run *r, const part *of)
{
    return of->width == r->job->templ->width && of->height == r->job->templ->height;
}

/* The rows of the template under a part of a window, and the type of all samples. Pixels of several
 * channels are samples side by side. Windows and their rows are left to the caller. */
static xncc_reals_cut_rows rows_of(const xncc_reals_run *r, const part *of)
{
    const xncc_template *templ = r->job->templ;
    const int32_t channels = templ->channels;
    const int raw = channels > 1 || templ->pixel == XNCC_F32;
    const ptrdiff_t size = (ptrdiff_t)xncc_pixel_size(raw ? templ->pixel : XNCC_F64),
                    pitch = (ptrdiff_t)templ->width * channels * size,
                    first = (ptrdiff_t)of->left * channels;
    const char *from = raw ? templ->pixels : (const char *)r->shared->value[0];
    xncc_reals_cut_rows cut = { .line = xncc_reals_slide_of(r, 1, of->width * channels),
                                .pitch = (ptrdiff_t)xncc_image_pitch(r->job->image),
                                .templ = from + of->top * pitch + first * size,
                                .templ_pitch = pitch,
                                .pivot = r->shared->channel[0].pivot };
    for (int i = 0; i < 2; i++)
        cut.pivots[i] = r->m.pivots[i] ? r->m.pivots[i] + first : NULL;
    return cut;
}

/* Adds the products of windows of the list, one or XNCC_CUT_WINDOWS, over a part that lies in the
 * image, so that their rows are read where they are. */
static void add_in_place(const xncc_reals_run *r, const xncc_reals_listed *list, int32_t windows,
                         const part *of, xncc_reals_cut_sums *sums)
{
    xncc_reals_cut_rows cut = rows_of(r, of);
    cut.windows = windows;
    cut.rows = of->height;
    for (int32_t i = 0; i < windows; i++)
        cut.enter[i] = xncc_reals_raw(r, list[i].x + of->left, list[i].y + of->top, of->width);
    r->isa->cut_products(&cut, sums);
}

/* Adds the products of a window of which some rows are the border's. */
static void add_by_rows(const xncc_reals_run *r, const xncc_reals_listed *window,
                        xncc_reals_cut_sums *sums)
{
    const xncc_template *templ = r->job->templ;
    xncc_reals_cut_rows cut = rows_of(r, &(part){ 0, 0, templ->width, templ->height });
    cut.windows = cut.rows = 1;
    for (int32_t j = 0; j < templ->height; j++) {
        cut.enter[0] = xncc_reals_raw(r, window->x, window->y + j, templ->width);
        r->isa->cut_products(&cut, sums);
        cut.templ = (const char *)cut.templ + cut.templ_pitch;
    }
}

/* What the sizes of a window's products may add up to. */
static double most_of(const xncc_reals_run *r, const xncc_reals_listed *of)
{
    return 1.01 * of->norm * r->all_templ;
}

/* The sums of the products of some windows, which can be computed: of one or XNCC_CUT_WINDOWS. */
static void window_products(xncc_reals_run *r, const xncc_reals_listed *list, int32_t windows,
                            double *product)
{
    const int clips = xncc_problem_image_clips(r->job->problem);
    xncc_reals_cut_sums sums[XNCC_CUT_WINDOWS], begun[XNCC_CUT_WINDOWS];
    part own[XNCC_CUT_WINDOWS];
    int together = windows > 1;
    for (int32_t i = 0; i < windows; i++) {
        xncc_reals_cut_begin(&begun[i], most_of(r, &list[i]));
        sums[i] = begun[i];
        own[i] = part_in_image(r, &list[i]);
        together = together && is_whole(r, &own[i]);
    }
    if (together)
        add_in_place(r, list, windows, own, sums);
    for (int32_t i = 0; i < windows && !together; i++)
        if (clips || is_whole(r, &own[i]))
            add_in_place(r, &list[i], 1, &own[i], &sums[i]);
        else
            add_by_rows(r, &list[i], &sums[i]);
    for (int32_t i = 0; i < windows; i++)
        product[i] = xncc_reals_cut_total(&sums[i], &begun[i]);
}

/* Scores a window with a sum of products. Returns 1 if it is left in doubt. */
static int score_window(xncc_reals_run *r, const xncc_reals_listed *of, double product,
                        const xncc_reals_row *whole)
{
    const xncc_template *templ = r->job->templ;
    const int32_t last = templ->channels - 1;
    double sum[XNCC_MAX_CHANNELS][XNCC_SUMS][XNCC_MOST_LANES],
        total[6][XNCC_MOST_LANES] = { { 0 } };
    xncc_reals_row row[XNCC_MAX_CHANNELS];
    for (int32_t c = 0; c <= last; c++) {
        memset(sum[c], 0, sizeof sum[c]);
        for (int s = 0; s < XNCC_SUMS; s++)
            sum[c][s][0] = s == XNCC_SUM_X ? product : of->sum[c][s];
        row[c] = xncc_reals_row_of_one(&whole[c], sum[c], total, of->out);
        row[c].X = c == last ? row[c].X : NULL;
    }
    row[last].error.X = xncc_reals_cut_error((double)templ->width * (last + 1), templ->height,
                                             most_of(r, of), most_of(r, of)) +
                        XNCC_REALS_TINY;
    return r->isa->score(row, last + 1);
}

/* Scores some windows of the list: one or XNCC_CUT_WINDOWS. */
static int score_some(xncc_reals_run *r, const xncc_reals_listed *list, int32_t windows,
                      const xncc_reals_row *whole)
{
    double product[XNCC_CUT_WINDOWS];
    int doubts = 0;
    window_products(r, list, windows, product);
    for (int32_t i = 0; i < windows; i++) {
        const int open = score_window(r, &list[i], product[i], whole);
        r->decided += !open;
        doubts |= open;
    }
    return doubts;
}

int xncc_reals_score_listed(xncc_reals_run *r, const xncc_reals_row *whole)
{
    const int32_t windows = r->listed == XNCC_CUT_WINDOWS ? XNCC_CUT_WINDOWS : 1;
    int doubts = 0;
    for (int32_t i = 0; i < r->listed; i += windows)
        doubts |= score_some(r, &r->list[i], windows, whole);
    r->tried += r->listed;
    r->listed = 0;
    return doubts;
}

static double value_at(const double *row, int32_t x)
{
    return row ? row[x] : 0.0;
}

/* Puts the window at column x of row y on the list, unless the sum of its products cannot be
 * computed, in which case it returns 0. Its |v| is bounded by Q of its channels. */
static int list_window(xncc_reals_run *r, int32_t x, int32_t y, const xncc_reals_row *whole)
{
    xncc_reals_listed *to = &r->list[r->listed];
    double square = 0.0;
    for (int32_t c = 0; c < r->job->templ->channels; c++) {
        double *sum = to->sum[c];
        sum[XNCC_SUM_S] = value_at(r->m.window[c][0], x);
        sum[XNCC_SUM_Q] = value_at(r->m.window[c][1], x);
        sum[XNCC_SUM_N] = value_at(whole[c].N, x);
        sum[XNCC_SUM_T] = value_at(whole[c].T, x);
        sum[XNCC_SUM_T2] = value_at(whole[c].T2, x);
        square += 1.01 * fabs(sum[XNCC_SUM_Q]) + 2.0 * whole[c].error.Q;
    }
    to->x = x;
    to->y = y;
    to->out = whole->out + x;
    to->norm = sqrt(square);
    const int listed = most_of(r, to) > 0x1p-600 && most_of(r, to) < 0x1p600;
    r->listed += listed;
    r->tried += !listed;
    return listed;
}

/* Should all windows be scored again by transforms? y: the row that is being scored. */
static int are_many(const xncc_reals_run *r, int32_t y)
{
    enum { LEAST = 16 };
    const double expected = (double)r->tried * r->area->height / (y + 1.0);
    return r->variant->fft && r->parts.unit > 0.0 && r->tried >= LEAST &&
           2 * r->decided >= r->tried && expected * cost_of_one(r) > cost_of_all(r);
}

int xncc_reals_score_again(xncc_reals_run *r, int32_t y, const xncc_reals_row *whole)
{
    enum { TRIES = 32 };
    int doubts = 0;
    for (int32_t x = 0; (x = xncc_reals_next_doubt(whole->out, x, whole->count)) < whole->count;
         x++) {
        r->many = are_many(r, y);
        if (r->many || r->again-- <= 0)
            return 1;
        /* Where windows cancel, a smaller bound decides none of them. */
        if (r->tried >= TRIES && 2 * r->decided < r->tried)
            return 1;
        doubts |= !list_window(r, x, y, whole);
        if (r->listed == XNCC_CUT_WINDOWS)
            doubts |= xncc_reals_score_listed(r, whole);
    }
    return doubts;
}
