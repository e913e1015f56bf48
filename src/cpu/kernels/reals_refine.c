/* SPDX-License-Identifier: BSD-2-Clause */
/* The score of one window of floats by sums in pairs of doubles (reals.h). */
#include "cpu/kernels/reals.h"

#include <math.h>
#include <string.h>

uint64_t xncc_refine_layout(const xncc_problem *problem, char *memory, xncc_refine_memory *m)
{
    const uint64_t width = (uint64_t)problem->templ_width, room = width + XNCC_REALS_ROOM;
    uint64_t total = 0;
    m->count = xncc_carve(memory, &total, width);
    m->v = xncc_carve(memory, &total, room * sizeof(double));
    m->t = xncc_carve(memory, &total, room * sizeof(double));
    if (memory) {
        memset(m->v, 0, (size_t)room * sizeof(double));
        memset(m->t, 0, (size_t)room * sizeof(double));
    }
    return total + xncc_stage_layout(problem, problem->templ_width, memory ? memory + total : NULL,
                                     &m->stage);
}

/* A window that is looked at. */
typedef struct window {
    const xncc_reals_isa *isa;
    const xncc_job *job;
    const xncc_reals_shared *shared;
    const xncc_refine_memory *m;
    xncc_stage stage;
    int varies;
    int64_t n;            /* pixels that count */
    int bad, flat, empty; /* a sample is not finite; all samples of each channel are equal, are 0 */
} window;

/* Fills the doubles of row j: 0 where a pixel does not count, in both arrays. Returns the
 * template's array. */
static const double *fill_row(window *w, int32_t j, int32_t channel, double *first, int64_t *n)
{
    const xncc_template *templ = w->job->templ;
    const int32_t width = templ->width;
    const double *t = w->shared->value[channel] + (ptrdiff_t)j * width;
    const uint8_t *mask = templ->mask ? templ->mask + (ptrdiff_t)j * width : NULL;
    xncc_reals_line line = { .raw = xncc_stage_raw(&w->stage, j),
                             .pixel = templ->pixel,
                             .channels = templ->channels,
                             .channel = channel,
                             .width = width,
                             .count = mask,
                             .power = 1,
                             .out = w->m->v };
    if (w->varies) {
        xncc_stage_count_row(&w->stage, j, w->m->count);
        for (int32_t i = 0; i < width && mask; i++)
            w->m->count[i] &= mask[i];
        line.count = w->m->count;
    }
    w->bad |= w->isa->line(&line).bad;
    if (!line.count) { /* the doubles past the row meet zeros */
        *first = *n == 0 ? w->m->v[0] : *first;
        w->flat = w->flat && w->isa->range(w->m->v, width, *first).equal;
        *n += width;
        return t;
    }
    for (int32_t i = 0; i < width; i++) {
        w->m->t[i] = line.count[i] ? t[i] : 0.0;
        if (!line.count[i])
            continue;
        *first = *n == 0 ? w->m->v[i] : *first;
        w->flat &= w->m->v[i] == *first;
        *n += 1;
    }
    return w->m->t;
}

/* Adds a channel to the terms. Returns 0 if a sample that counts is not finite. */
static int add_channel(window *w, int32_t channel, xncc_near_terms *terms)
{
    const xncc_template *templ = w->job->templ;
    const xncc_reals_channel *of_templ = &w->shared->channel[channel];
    xncc_twofold_sums v = { { 0, 0 }, { 0, 0 }, { 0, 0 } }, t = v;
    double first = 0.0;
    int64_t n = 0;
    for (int32_t j = 0; j < templ->height && !w->bad; j++) {
        const double *of_row = fill_row(w, j, channel, &first, &n);
        w->isa->twofold(w->m->v, of_row, templ->width, &v);
        if (w->varies)
            w->isa->twofold(of_row, NULL, templ->width, &t);
    }
    w->n = n;
    w->empty &= w->flat && first == 0.0;
    const xncc_near_sums sums = { .n = (double)n,
                                  .S = v.S,
                                  .Q = v.Q,
                                  .X = v.X,
                                  .T = w->varies ? t.S : of_templ->T,
                                  .T2 = w->varies ? t.Q : of_templ->T2 };
    xncc_near_add_channel(terms, w->job->problem->rule.method, &sums,
                          (double)templ->width * (double)templ->height, w->m->exact);
    return !w->bad;
}

int xncc_reals_refine(const xncc_reals_isa *isa, const xncc_job *job, const xncc_refine_memory *m,
                      int64_t left, int64_t top, float *score)
{
    const xncc_template *templ = job->templ;
    const xncc_method method = job->problem->rule.method;
    window w = { .isa = isa,
                 .job = job,
                 .shared = job->shared,
                 .m = m,
                 .stage = m->stage,
                 .varies = xncc_problem_image_varies(job->problem),
                 .flat = 1,
                 .empty = 1 };
    xncc_near_terms terms = { { { 0.0, 0.0 }, 0.0 }, { { 0.0, 0.0 }, 0.0 }, { { 0.0, 0.0 }, 0.0 } };
    w.stage.job = job;
    w.stage.left = left;
    w.stage.top = top;
    w.stage.width = templ->width;
    w.stage.height = templ->height;
    for (int32_t c = 0; c < templ->channels; c++) {
        if (!add_channel(&w, c, &terms)) {
            *score = xncc_float_of_bits(UINT32_C(0x7fc00000));
            return 1;
        }
    }
    if (xncc_general_score_from_count(method, &job->general, (uint64_t)w.n, score))
        return 1;
    if (w.flat && xncc_method_is_centred(method)) { /* num and var are exactly 0 */
        *score = method == XNCC_CCOEFF ? 0.0f : job->general.undefined;
        return 1;
    }
    if (w.empty && !w.varies) {
        *score = w.shared->zero_score;
        return 1;
    }
    return xncc_near_score(method, (double)w.n, &terms, score);
}
