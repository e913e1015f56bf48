/* Turns the sums of a rectangle of the general route into scores. */
#include "cpu/kernels/general_parts.h"

/* Returns the sums of row y from column x on, in their plane or in a row. They fit 64 bits. */
static const uint64_t *sum_row(const xncc_general_run *r, xncc_sum_id sum, int32_t x, int32_t y)
{
    switch (r->source_of[sum]) {
    case XNCC_FROM_NOWHERE: return r->m.none;
    case XNCC_FROM_CONSTANT: return r->m.constant[sum];
    case XNCC_FROM_WINDOW:
    case XNCC_FROM_PRODUCTS: break;
    }
    return r->m.sum[sum][0] +
           (xncc_general_is_row_sum(&r->tile, sum) ? 0 : (ptrdiff_t)y * r->tile.stride) + x;
}

static int templ_varies(const xncc_general_run *r)
{
    return r->source_of[XNCC_SUM_T2] == XNCC_FROM_PRODUCTS ||
           r->source_of[XNCC_SUM_T] == XNCC_FROM_PRODUCTS;
}

/* Columns x .. x + width - 1 of row y. Their terms are at index `at`. */
typedef struct stretch {
    int32_t x, y, width;
    ptrdiff_t at;
} stretch;

static void score_stretch(const xncc_general_run *r, const stretch *s)
{
    const xncc_general_row row = { .n = sum_row(r, XNCC_SUM_N, s->x, s->y),
                                   .a = r->m.term[0] + s->at,
                                   .b = r->m.term[1] + s->at,
                                   .c = templ_varies(r) ? r->m.term[2] + s->at : NULL,
                                   .templ_term = r->templ_term,
                                   .out = r->area->out + s->y * r->area->pitch + s->x,
                                   .count = s->width };
    r->isa->general_score(r->job->problem->method, &r->job->general, &row);
}

static void accumulate_stretch(const xncc_general_run *r, const stretch *s)
{
    const xncc_terms_row row = { .n = sum_row(r, XNCC_SUM_N, s->x, s->y),
                                 .S = sum_row(r, XNCC_SUM_S, s->x, s->y),
                                 .Q = sum_row(r, XNCC_SUM_Q, s->x, s->y),
                                 .X = sum_row(r, XNCC_SUM_X, s->x, s->y),
                                 .T = sum_row(r, XNCC_SUM_T, s->x, s->y),
                                 .T2 = sum_row(r, XNCC_SUM_T2, s->x, s->y),
                                 .a = r->m.term[0] + s->at,
                                 .b = r->m.term[1] + s->at,
                                 .c = templ_varies(r) ? r->m.term[2] + s->at : NULL,
                                 .bias = r->job->general.bias,
                                 .centred = r->tile.centred,
                                 .add = r->channel > 0,
                                 .count = s->width };
    r->isa->accumulate_terms(&row);
}

static void fill_constant(const xncc_general_run *r, xncc_sum_id sum, uint64_t value)
{
    for (int32_t i = 0; i < r->tile.stride; i++)
        r->m.constant[sum][i] = value;
}

/* Computes modulo 2^64. Where the template's term is used, it fits. */
void xncc_general_channel(xncc_general_run *r, int32_t channel)
{
    const uint64_t n = r->job->general.whole, bias = r->job->general.bias;
    const uint64_t T = r->shared->T[channel], T2 = r->shared->T2[channel].low;
    r->channel = channel;
    fill_constant(r, XNCC_SUM_T, T);
    fill_constant(r, XNCC_SUM_T2, T2);
    r->templ_term += r->tile.centred ? n * T2 - T * T : T2 + n * bias * bias - 2 * bias * T;
}

/* Adds up the 64-bit numbers that a sum consists of. */
static xncc_u128 sum_at(const xncc_general_run *r, xncc_sum_id sum, ptrdiff_t at)
{
    xncc_u128 total = xncc_u128_of(0);
    for (int i = 0; i < GENERAL_PIECES && r->m.sum[sum][i]; i++)
        total = xncc_u128_add(total, xncc_u128_shift(xncc_u128_of(r->m.sum[sum][i][at]), 16 * i));
    return total;
}

static int is_plane(const xncc_general_run *r, xncc_sum_id sum)
{
    return r->source_of[sum] == XNCC_FROM_WINDOW || r->source_of[sum] == XNCC_FROM_PRODUCTS;
}

static uint64_t count_at(const xncc_general_run *r, ptrdiff_t at)
{
    return is_plane(r, XNCC_SUM_N) ? r->m.sum[XNCC_SUM_N][0][at] : r->job->general.whole;
}

/* Sums that the method does not need are 0, and their terms are ignored. */
static void add_channel(const xncc_general_run *r, int32_t channel, ptrdiff_t at,
                        xncc_general *general)
{
    xncc_general_sums s = { .S = 0 };
    if (is_plane(r, XNCC_SUM_S))
        s.S = sum_at(r, XNCC_SUM_S, at).low;
    if (is_plane(r, XNCC_SUM_Q))
        s.Q = sum_at(r, XNCC_SUM_Q, at);
    s.X = sum_at(r, XNCC_SUM_X, at);
    s.T = is_plane(r, XNCC_SUM_T) ? sum_at(r, XNCC_SUM_T, at).low : r->shared->T[channel];
    s.T2 = is_plane(r, XNCC_SUM_T2) ? sum_at(r, XNCC_SUM_T2, at) : r->shared->T2[channel];
    xncc_general_add(general, &s, r->job->general.bias);
}

static void add_wide(const xncc_general_run *r, int32_t x, int32_t y)
{
    const ptrdiff_t at = (ptrdiff_t)y * r->tile.stride + x;
    xncc_general one = xncc_general_begin(count_at(r, at)),
                 *general = r->m.general ? &r->m.general[at] : &one;
    if (r->channel == 0)
        *general = one;
    add_channel(r, r->channel, at, general);
    if (r->channel == r->tile.channels - 1)
        r->area->out[y * r->area->pitch + x] = xncc_general_score(r->job->problem->method,
                                                                  &r->job->general, general);
}

void xncc_general_row_terms(const xncc_general_run *r, int32_t x, int32_t y, int32_t width)
{
    const stretch s = { x, y, width, r->tile.channels > 1 ? (ptrdiff_t)y * r->tile.stride + x : 0 };
    for (int32_t i = 0; i < width && !r->tile.fits; i++)
        add_wide(r, x + i, y);
    if (!r->tile.fits)
        return;
    accumulate_stretch(r, &s);
    if (r->channel == r->tile.channels - 1)
        score_stretch(r, &s);
}

void xncc_general_coverage(const xncc_general_run *r)
{
    for (int32_t y = 0; y < r->area->height; y++)
        for (int32_t x = 0; x < r->area->width; x++)
            (void)xncc_general_score_from_count(XNCC_COVERAGE, &r->job->general,
                                                count_at(r, (ptrdiff_t)y * r->tile.stride + x),
                                                &r->area->out[y * r->area->pitch + x]);
}
