/* Window sums and scores row by row, in C that compilers vectorize. Each instruction set's file
 * includes this and so has its own build. */
#ifndef XNCC_CPU_KERNELS_ROWS_H
#define XNCC_CPU_KERNELS_ROWS_H

#include "cpu/kernels/direct.h"

#include <math.h>
#include <string.h>

static void rows_add_u8(uint64_t *restrict column, const uint8_t *restrict enter, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        uint32_t a = enter[i];
        column[i] += a + ((uint64_t)(a * a) << 32);
    }
}

static void rows_slide_u8(uint64_t *restrict column, const uint8_t *restrict enter,
                          const uint8_t *restrict leave, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        int32_t a = enter[i], b = leave[i];
        column[i] += (uint64_t)(int64_t)(a - b) + ((uint64_t)(uint32_t)(a * a - b * b) << 32);
    }
}

/* Serial: each addition depends on the previous one. */
__attribute__((unused)) static void rows_window(const uint64_t *restrict column, int32_t width,
                                                uint64_t *restrict window, int32_t count)
{
    uint64_t sum = 0;
    for (int32_t i = 0; i < width; i++)
        sum += column[i];
    window[0] = sum;
    for (int32_t x = 1; x < count; x++) {
        sum += column[x + width - 1] - column[x - 1];
        window[x] = sum;
    }
}

/* Scores are computed in vectors of ROWS_LANES doubles. The including file defines ROWS_LANES and
 * rows_sqrt. */
typedef double rows_double __attribute__((vector_size(8 * ROWS_LANES)));
typedef int64_t rows_long __attribute__((vector_size(8 * ROWS_LANES)));
typedef uint64_t rows_ulong __attribute__((vector_size(8 * ROWS_LANES)));
typedef int32_t rows_int __attribute__((vector_size(4 * ROWS_LANES)));
typedef float rows_float __attribute__((vector_size(4 * ROWS_LANES)));

static inline rows_double rows_sqrt(rows_double v);

/* Converts unsigned numbers below 2^32 exactly: the bits of 2^52 + v, minus 2^52. */
static inline rows_double rows_u32(rows_ulong v)
{
    return (rows_double)(v | UINT64_C(0x4330000000000000)) - 0x1p52;
}

/* Converts signed 64-bit numbers with one rounding to nearest. Let v = high * 2^32 + low. The first
 * bit pattern is the number 2^84 + 2^63 + high * 2^32. Subtracting 2^84 + 2^63 + 2^52 from it is
 * exact, because the difference is a multiple of 2^32 below 2^64. Adding 2^52 + low then rounds v
 * itself. */
static inline rows_double rows_i64(rows_ulong v)
{
    rows_double high = (rows_double)((v >> 32) ^ UINT64_C(0x4530000080000000));
    rows_double low = (rows_double)((v & UINT64_C(0xffffffff)) | UINT64_C(0x4330000000000000));
    return (high - 0x1.00000801p84) + low;
}

static inline rows_double rows_fill(double v)
{
    return v - (rows_double){ 0 };
}

static inline rows_double rows_choose(rows_long condition, rows_double yes, rows_double no)
{
    return (rows_double)((condition & (rows_long)yes) | (~condition & (rows_long)no));
}

/* The inputs of the formulas of xncc_score_integer, each rounded to double once. Only those that
 * the method needs are used. */
typedef struct rows_terms {
    rows_double num, var, Q, X, distance;
} rows_terms;

/* The rest of xncc_score_integer. Flat templates are handled before (rows_undefined). */
static inline rows_double rows_finish(xncc_method method, const xncc_score_rule *rule,
                                      const rows_terms *t)
{
    const rows_double undefined = rows_fill((double)rule->undefined);
    switch (method) {
    case XNCC_CCOEFF_NORMED:
        return rows_choose(t->var == 0.0, undefined, t->num / (rows_sqrt(t->var) * rule->root_var));
    case XNCC_CCOEFF: return t->num / (double)rule->n;
    case XNCC_CCORR: return t->X;
    case XNCC_CCORR_NORMED:
        return rows_choose(t->Q == 0.0, undefined, t->X / (rows_sqrt(t->Q) * rule->root_sum2));
    case XNCC_SQDIFF: return t->distance;
    case XNCC_SQDIFF_NORMED: {
        rows_double one = rows_choose(t->distance == 0.0, rows_fill(0.0), rows_fill(1.0));
        rows_double flat = rule->nan_flat ? undefined : one;
        return rows_choose(t->Q == 0.0, flat, t->distance / (rows_sqrt(t->Q) * rule->root_sum2));
    }
    case XNCC_COVERAGE: break;
    }
    return undefined;
}

/* Narrow windows have n <= 65792 pixels of u8, so n*X, n*Q, S*S and S*sumT are integers of at most
 * (65792 * 255)^2 < 2^49, and every product and difference here is exact in double. The template
 * was shifted by 128 (xncc_form). */
static inline rows_double rows_narrow(xncc_method method, const xncc_score_rule *rule,
                                      const int32_t *x, const uint64_t *window)
{
    const double n = (double)rule->n;
    rows_int products;
    rows_ulong sums;
    memcpy(&products, x, sizeof products);
    memcpy(&sums, window, sizeof sums);
    rows_double S = rows_u32(sums & UINT64_C(0xffffffff));
    rows_terms t = { .Q = rows_u32(sums >> 32),
                     .X = __builtin_convertvector(products, rows_double) + 128.0 * S };
    t.num = n * t.X - S * (double)rule->sum;
    t.var = n * t.Q - S * S;
    t.distance = t.Q + (double)rule->sum2 - 2.0 * t.X;
    return rows_finish(method, rule, &t);
}

/* Wide windows whose products fit 63 bits (rule->needs_u128 is 0). */
static inline rows_double rows_wide(xncc_method method, const xncc_score_rule *rule,
                                    const xncc_wide_row *row, int32_t i)
{
    rows_ulong S, Q, X;
    memcpy(&S, row->S + i, sizeof S);
    memcpy(&Q, row->Q + i, sizeof Q);
    memcpy(&X, row->X + i, sizeof X);
    rows_terms t = { .Q = rows_i64(Q), .X = rows_i64(X) };
    t.num = rows_i64(rule->n * X - S * rule->sum);
    t.var = rows_i64(rule->n * Q - S * S);
    t.distance = rows_i64(Q + rule->sum2 - 2 * X);
    return rows_finish(method, rule, &t);
}

/* What a row is scored from: x and window, or wide. */
typedef struct rows_source {
    const int32_t *x;
    const uint64_t *window;
    const xncc_wide_row *wide;
} rows_source;

/* All buffers have room for whole vectors past count; the map does not. */
static inline void rows_score_method(xncc_method method, const xncc_score_rule *rule,
                                     const rows_source *s, float *out, int32_t count)
{
    for (int32_t i = 0; i < count; i += ROWS_LANES) {
        rows_double score = s->wide ? rows_wide(method, rule, s->wide, i)
                                    : rows_narrow(method, rule, s->x + i, s->window + i);
        rows_float rounded = __builtin_convertvector(score, rows_float);
        if (count - i >= ROWS_LANES)
            memcpy(out + i, &rounded, sizeof rounded);
        else
            memcpy(out + i, &rounded, (size_t)(count - i) * sizeof *out);
    }
}

/* One loop per method. */
static inline void rows_score_methods(xncc_method method, const xncc_score_rule *rule,
                                      const rows_source *s, float *out, int32_t count)
{
    switch (method) {
    case XNCC_CCOEFF_NORMED: rows_score_method(XNCC_CCOEFF_NORMED, rule, s, out, count); return;
    case XNCC_CCOEFF: rows_score_method(XNCC_CCOEFF, rule, s, out, count); return;
    case XNCC_CCORR: rows_score_method(XNCC_CCORR, rule, s, out, count); return;
    case XNCC_CCORR_NORMED: rows_score_method(XNCC_CCORR_NORMED, rule, s, out, count); return;
    case XNCC_SQDIFF: rows_score_method(XNCC_SQDIFF, rule, s, out, count); return;
    case XNCC_SQDIFF_NORMED: rows_score_method(XNCC_SQDIFF_NORMED, rule, s, out, count); return;
    case XNCC_COVERAGE: return; /* general route only */
    }
}

/* Returns 1 if the template leaves the method without a value. The caller then uses
 * xncc_score_integer. */
static inline int rows_undefined(xncc_method method, const xncc_score_rule *rule)
{
    int normed = method == XNCC_CCORR_NORMED || method == XNCC_SQDIFF_NORMED;
    return (method == XNCC_CCOEFF_NORMED && rule->root_var == 0.0) || (normed && rule->sum2 == 0);
}

static void rows_score(xncc_method method, const xncc_score_rule *rule, const int32_t *x,
                       const uint64_t *window, float *out, int32_t count)
{
    if (!rows_undefined(method, rule)) {
        rows_score_methods(method, rule, &(rows_source){ .x = x, .window = window }, out, count);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        uint64_t S = window[i] & 0xffffffffu;
        out[i] = xncc_score_integer(method, rule, S, window[i] >> 32,
                                    (uint64_t)(x[i] + 128 * (int64_t)S));
    }
}

static void rows_wide_score(xncc_method method, const xncc_score_rule *rule,
                            const xncc_wide_row *row, float *out, int32_t count)
{
    if (!rule->needs_u128 && !rows_undefined(method, rule)) {
        rows_score_methods(method, rule, &(rows_source){ .wide = row }, out, count);
        return;
    }
    for (int32_t i = 0; i < count; i++)
        out[i] = xncc_score_integer(method, rule, row->S[i], row->Q[i], row->X[i]);
}

/* Wide rows: 64-bit sums. */
static inline void rows_add_any(uint64_t *restrict S, uint64_t *restrict Q,
                                const uint8_t *restrict u8, const uint16_t *restrict u16,
                                int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        uint32_t a = u8 ? u8[i] : u16[i];
        S[i] += a;
        Q[i] += a * a; /* at most 65535^2 < 2^32 */
    }
}

static void rows_wide_add(uint64_t *S, uint64_t *Q, const void *enter, xncc_pixel pixel,
                          int32_t count)
{
    if (pixel == XNCC_U8)
        rows_add_any(S, Q, enter, NULL, count);
    else
        rows_add_any(S, Q, NULL, enter, count);
}

static void rows_wide_slide(uint64_t *restrict S, uint64_t *restrict Q, const void *enter,
                            const void *leave, xncc_pixel pixel, int32_t count)
{
    if (pixel == XNCC_U8) {
        const uint8_t *restrict a = enter, *restrict b = leave;
        for (int32_t i = 0; i < count; i++) {
            S[i] += (uint64_t)a[i] - (uint64_t)b[i];
            Q[i] += (uint64_t)((uint32_t)a[i] * a[i]) - (uint64_t)((uint32_t)b[i] * b[i]);
        }
    } else {
        const uint16_t *restrict a = enter, *restrict b = leave;
        for (int32_t i = 0; i < count; i++) {
            S[i] += (uint64_t)a[i] - (uint64_t)b[i];
            Q[i] += (uint64_t)((uint32_t)a[i] * a[i]) - (uint64_t)((uint32_t)b[i] * b[i]);
        }
    }
}

#endif
