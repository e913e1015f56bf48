/* SPDX-License-Identifier: BSD-2-Clause */
/* The score of one window of floats by sums in pairs of doubles (reals.h). */
#include "cpu/kernels/reals.h"

#include <math.h>
#include <string.h>

enum { BATCH = 2048 }; /* doubles that are summed at a time */

uint64_t xncc_refine_layout(const xncc_problem *problem, char *memory, xncc_refine_memory *m)
{
    const uint64_t width = (uint64_t)problem->templ_width,
                   room = (width > BATCH ? width : BATCH) + XNCC_REALS_ROOM;
    uint64_t total = 0;
    m->exact = m->far = 0; /* whatever the memory of *m held */
    m->count = xncc_carve(memory, &total, width);
    m->v = xncc_carve(memory, &total, room * sizeof(double));
    m->t = xncc_carve(memory, &total, room * sizeof(double));
    return total + xncc_stage_layout(problem, problem->templ_width, memory ? memory + total : NULL,
                                     &m->stage);
}

/* A window that is looked at. */
typedef struct window {
    const xncc_reals_isa *isa;
    const xncc_job *job;
    const xncc_reals_shared *shared;
    xncc_refine_memory *m;
    xncc_stage stage;
    int varies, masked;        /* do pixels of the image, or of the template, not count? */
    double scale, templ_scale; /* what samples are multiplied by: powers of two, or both 0: none */
    int64_t n;                 /* pixels of a channel that count */
    double first;              /* the first sample of a channel that counts */
    int bad, flat, empty;      /* a sample is not finite; all samples of each channel are equal, are
                                  0 */
} window;

/* Looks at the pixels of a row of which some may not count. */
static void note_pixels(window *w, const uint8_t *counts, const double *v)
{
    const int32_t width = w->job->templ->width;
    int32_t n = 0;
    for (int32_t i = 0; i < width; i++)
        n += counts[i] != 0;
    for (int32_t i = 0; w->n == 0 && i < width; i++)
        if (counts[i]) {
            w->first = v[i];
            break;
        }
    for (int32_t i = 0; w->flat && i < width; i++)
        w->flat = !counts[i] || v[i] == w->first;
    w->n += n;
}

/* Reads row j to v and, if pixels of the image may not count, the template's to t: 0 where a pixel
 * does not. */
static void read_row(window *w, int32_t j, int32_t channel, double *v, double *t)
{
    const xncc_template *templ = w->job->templ;
    const int32_t width = templ->width;
    const double *value = w->shared->value[channel] + (ptrdiff_t)j * width;
    const uint8_t *mask = w->masked ? templ->mask + (ptrdiff_t)j * width : NULL;
    xncc_reals_line line = { .raw = xncc_stage_raw(&w->stage, j),
                             .pixel = templ->pixel,
                             .channels = templ->channels,
                             .channel = channel,
                             .width = width,
                             .count = mask,
                             .power = 1,
                             .out = v };
    if (w->varies) {
        xncc_stage_count_row(&w->stage, j, w->m->count);
        for (int32_t i = 0; i < width && mask; i++)
            w->m->count[i] &= mask[i];
        for (int32_t i = 0; i < width; i++)
            t[i] = w->m->count[i] ? value[i] : 0.0;
        line.count = w->m->count;
    }
    w->bad |= w->isa->line(&line).bad;
    if (line.count)
        note_pixels(w, line.count, v);
}

/* If one channel has factors of its own for image and template, the largest sample of each becomes
 * 1 to 2. Then those below this become 0, which the slack of the bounds covers: products below the
 * smallest double take many times as long. */
static double least_scaled(const window *w)
{
    return w->job->templ->channels == 1 && !xncc_method_of_difference(w->job->problem->rule.method)
               ? 0x1p-300
               : 0.0;
}

/* The rows that are read at a time from row j on. */
static int32_t rows_from(const window *w, int32_t j)
{
    const xncc_template *templ = w->job->templ;
    const int32_t rows = templ->width < BATCH ? BATCH / templ->width : 1;
    return xncc_min_i32(rows, templ->height - j);
}

/* Reads `rows` rows from row j on to m->v, one after the other, with zeros up to whole vectors past
 * them. Returns those of the template. */
static const double *read_rows(window *w, int32_t j, int32_t rows, int32_t channel)
{
    const int32_t width = w->job->templ->width, count = rows * width;
    const int counts_all = !w->varies && !w->masked;
    const double *t = w->varies ? w->m->t : w->shared->value[channel] + (ptrdiff_t)j * width;
    double *v = w->m->v;
    for (int32_t k = 0; k < rows; k++)
        read_row(w, j + k, channel, v + (ptrdiff_t)k * width, w->m->t + (ptrdiff_t)k * width);
    if (counts_all) {
        w->first = w->n == 0 ? v[0] : w->first;
        w->flat = w->flat && w->isa->range(v, count, w->first).equal;
        w->n += count;
    }
    if (w->scale != 0.0) {
        xncc_reals_scale(v, count, w->scale, least_scaled(w), v);
        xncc_reals_scale(t, count, w->templ_scale, least_scaled(w), w->m->t);
        t = w->m->t;
    }
    memset(v + count, 0, XNCC_MOST_LANES * sizeof *v);
    memset(w->m->t + count, 0, XNCC_MOST_LANES * sizeof *v);
    return t;
}

/* Adds a channel to the terms. Returns 0 if a sample that counts is not finite. */
static int add_channel(window *w, int32_t channel, xncc_near_terms *terms)
{
    const xncc_template *templ = w->job->templ;
    const xncc_reals_channel *of_templ = &w->shared->channel[channel];
    const int own_templ = w->varies || w->scale != 0.0; /* other sums than those that are known */
    xncc_twofold_sums v = { { 0, 0 }, { 0, 0 }, { 0, 0 } }, t = v;
    w->n = 0;
    w->first = 0.0;
    for (int32_t j = 0, rows; j < templ->height && !w->bad; j += rows) {
        rows = rows_from(w, j);
        const int32_t count = rows * templ->width;
        const double *of_rows = read_rows(w, j, rows, channel);
        w->isa->twofold(w->m->v, of_rows, count, &v);
        if (own_templ)
            w->isa->twofold(of_rows, NULL, count, &t);
    }
    w->empty &= w->flat && w->first == 0.0;
    const xncc_near_sums sums = { .n = (double)w->n,
                                  .S = v.S,
                                  .Q = v.Q,
                                  .X = v.X,
                                  .T = own_templ ? t.S : of_templ->T,
                                  .T2 = own_templ ? t.Q : of_templ->T2 };
    const double pixels = (double)templ->width * (double)templ->height;
    xncc_near_add_channel(terms, w->job->problem->rule.method, &sums, pixels, pixels,
                          w->m->exact && w->scale == 0.0);
    return !w->bad;
}

/* Scores the window from the sums of all channels. Returns 1 if it is decided. */
static int score_window(window *w, float *score)
{
    const xncc_job *job = w->job;
    const xncc_method method = job->problem->rule.method;
    xncc_near_terms terms = { { { 0.0, 0.0 }, 0.0 }, { { 0.0, 0.0 }, 0.0 }, { { 0.0, 0.0 }, 0.0 } };
    w->flat = w->empty = 1;
    for (int32_t c = 0; c < job->templ->channels; c++) {
        if (!add_channel(w, c, &terms)) {
            *score = xncc_float_of_bits(UINT32_C(0x7fc00000));
            return 1;
        }
    }
    if (xncc_general_score_from_count(method, &job->general, (uint64_t)w->n, score))
        return 1;
    if (w->flat && xncc_method_is_centred(method)) { /* num and var are exactly 0 */
        *score = method == XNCC_CCOEFF ? 0.0f : job->general.undefined;
        return 1;
    }
    if (w->empty && !w->varies) {
        *score = w->shared->zero_score;
        return 1;
    }
    return xncc_near_score(method, (double)w->n, &terms, score);
}

/* Squares of samples near the ends of their range are beyond the range of doubles. A score that is
 * a quotient is the same if all samples of the image, or of the template, are multiplied by one
 * number; differences want the same for both. Returns 0 if that changes nothing. */
static int choose_scales(window *w)
{
    const xncc_template *templ = w->job->templ;
    const xncc_method method = w->job->problem->rule.method;
    double most = 0.0, templ_most = 0.0;
    if (!xncc_method_is_normed(method))
        return 0;
    w->scale = 0.0;
    for (int32_t c = 0; c < templ->channels; c++)
        for (int32_t j = 0, rows; j < templ->height; j += rows) {
            rows = rows_from(w, j);
            const int32_t count = rows * templ->width;
            const double *t = read_rows(w, j, rows, c);
            most = fmax(most, w->isa->range(w->m->v, count, 0.0).most);
            templ_most = fmax(templ_most, w->isa->range(t, count, 0.0).most);
        }
    if (xncc_method_of_difference(method))
        most = templ_most = fmax(most, templ_most);
    w->scale = xncc_reals_scale_to(most, 0);
    w->templ_scale = xncc_reals_scale_to(templ_most, 0);
    return fmax(most, templ_most) > 0x1p400 || fmin(most, templ_most) < 0x1p-400;
}

int xncc_reals_refine(const xncc_reals_isa *isa, const xncc_job *job, xncc_refine_memory *m,
                      int64_t left, int64_t top, float *score)
{
    window w = { .isa = isa,
                 .job = job,
                 .shared = job->shared,
                 .m = m,
                 .stage = m->stage,
                 .varies = xncc_problem_image_varies(job->problem),
                 .masked = job->templ->mask != NULL };
    w.stage.job = job;
    w.stage.left = left;
    w.stage.top = top;
    w.stage.width = job->templ->width;
    w.stage.height = job->templ->height;
    if (!m->far && score_window(&w, score))
        return 1;
    if (choose_scales(&w) && score_window(&w, score))
        return 2;
    w.scale = 0.0;
    return m->far && score_window(&w, score);
}
