/* SPDX-License-Identifier: BSD-2-Clause */
/* From sums to scores: in vectors while the terms fit 63 bits, else one by one (scores.h). */
#include "cpu/kernels/scores.h"

void xncc_scores_channel(xncc_scores *s, int32_t channel)
{
    const uint64_t n = s->job->general.whole, bias = s->job->general.bias;
    const uint64_t T = s->templ->T[channel], T2 = s->templ->T2[channel];
    s->channel = channel;
    s->templ_term += s->job->blocks->tile.centred ? n * T2 - T * T
                                                  : T2 + n * bias * bias - 2 * bias * T;
}

static int is_last(const xncc_scores *s)
{
    return s->channel == s->job->blocks->tile.channels - 1;
}

/* Scores a row in vectors. */
static void score_in_vectors(const xncc_scores *s, int32_t x, int32_t y, const xncc_row *row)
{
    const ptrdiff_t at = (ptrdiff_t)y * s->job->blocks->tile.stride + x;
    xncc_score_args args = { .method = s->job->problem->rule.method,
                             .rule = &s->job->general,
                             .constant_n = s->job->general.whole,
                             .constant_T = s->templ->T[s->channel],
                             .constant_T2 = s->templ->T2[s->channel],
                             .templ_term = s->templ_term,
                             .first = s->channel == 0,
                             .last = is_last(s),
                             .out = s->area->out + y * s->area->pitch + x };
    const uint64_t **const rows[XNCC_SUMS] = { [XNCC_SUM_N] = &args.n,
                                               [XNCC_SUM_S] = &args.S,
                                               [XNCC_SUM_Q] = &args.Q,
                                               [XNCC_SUM_T] = &args.T,
                                               [XNCC_SUM_T2] = &args.T2 };
    for (int i = 0; i < XNCC_SUMS; i++)
        if (rows[i] && s->sum[i])
            *rows[i] = s->sum[i] + at;
    for (int i = 0; i < 3 && s->term[0]; i++)
        args.term[i] = s->term[i] + at;
    s->isa->score(row, &args);
}

/* A sum of a window; `constant` if it is not stored. */
static uint64_t sum_at(const xncc_scores *s, xncc_sum_id sum, ptrdiff_t at, uint64_t constant)
{
    return s->sum[sum] ? s->sum[sum][at] : constant;
}

static uint64_t count_at(const xncc_scores *s, ptrdiff_t at)
{
    return sum_at(s, XNCC_SUM_N, at, s->job->general.whole);
}

/* Scores a window from stored sums. Those that the method does not need are 0, and their terms are
 * ignored. */
static void score_one(const xncc_scores *s, ptrdiff_t at, float *out)
{
    xncc_general one = xncc_general_begin(count_at(s, at)),
                 *total = s->total ? &s->total[at] : &one;
    const xncc_general_sums sums = { .S = sum_at(s, XNCC_SUM_S, at, 0),
                                     .Q = xncc_u128_of(sum_at(s, XNCC_SUM_Q, at, 0)),
                                     .X = xncc_u128_of(sum_at(s, XNCC_SUM_X, at, 0)),
                                     .T = sum_at(s, XNCC_SUM_T, at, s->templ->T[s->channel]),
                                     .T2 = xncc_u128_of(
                                         sum_at(s, XNCC_SUM_T2, at, s->templ->T2[s->channel])) };
    if (s->channel == 0)
        *total = one;
    xncc_general_add(total, &sums, s->job->general.bias);
    if (is_last(s))
        *out = xncc_general_score(s->job->problem->rule.method, &s->job->general, total);
}

void xncc_scores_row(const xncc_scores *s, int32_t x, int32_t y, const xncc_row *row)
{
    const xncc_tile_blocks *tile = &s->job->blocks->tile;
    float *out = s->area->out + y * s->area->pitch + x;
    if (tile->fits) {
        score_in_vectors(s, x, y, row);
        return;
    }
    for (int32_t i = 0; i < row->count; i++) {
        if (tile->whole) /* rows of X in 64 bits, with window sums */
            out[i] = xncc_score_integer(
                s->job->problem->rule.method, &s->job->rule, row->S[i], row->Q[i],
                (uint64_t)row->x64[i] + row->factor * row->S[i] + row->constant);
        else
            score_one(s, (ptrdiff_t)y * tile->stride + x + i, out + i);
    }
}

void xncc_scores_from_counts(const xncc_scores *s, int nothing)
{
    const xncc_area *area = s->area;
    for (int32_t y = 0; y < area->height; y++)
        for (int32_t x = 0; x < area->width; x++) {
            const ptrdiff_t at = (ptrdiff_t)y * s->job->blocks->tile.stride + x;
            (void)xncc_general_score_from_count(s->job->problem->rule.method, &s->job->general,
                                                nothing ? 0 : count_at(s, at),
                                                &area->out[y * area->pitch + x]);
        }
}
