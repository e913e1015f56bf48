/* Window sums and scores by the row, in C that compilers turn into vectors. Included by the file of each instruction set, so that each has
 * its own build of it. */
#ifndef CM_CPU_ROWS_H
#define CM_CPU_ROWS_H

#include "cpu/direct.h"

#include <math.h>

static void rows_add_u8(uint64_t *restrict column, const uint8_t *restrict enter, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        uint32_t a = enter[i];
        column[i] += a + ((uint64_t)(a * a) << 32);
    }
}

static void rows_slide_u8(uint64_t *restrict column, const uint8_t *restrict enter, const uint8_t *restrict leave, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        int32_t a = enter[i], b = leave[i];
        column[i] += (uint64_t)(int64_t)(a - b) + ((uint64_t)(uint32_t)(a * a - b * b) << 32);
    }
}

/* One addition a step stands in the way of the next. */
static inline void rows_window(const uint64_t *restrict column, int32_t width, uint64_t *restrict window, int32_t count)
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

/* An unsigned number below 2^32 in the low half of v: the bits of 2^52 + v, less 2^52. */
static inline double rows_u32(uint64_t v)
{
    return (double)(int64_t)(v & 0xffffffffu);
}

/* The score from doubles that hold the exact sums. Narrow windows have n <= 65792 pixels of u8, so n*X, n*Q, S*S and S*sumT are integers of
 * at most (65792 * 255)^2 < 2^49 and every product and difference below is exact in double; then come the operations of
 * cm_score_integer, one rounding each. Flat templates are dealt with before. */
static inline float rows_score_one(cm_method method, const cm_score_rule *rule, double S, double Q, double X)
{
    double n = (double)rule->n, sum = (double)rule->sum, sum2 = (double)rule->sum2;
    switch (method) {
    case CM_CCOEFF_NORMED: {
        double var = n * Q - S * S, num = n * X - S * sum;
        float score = (float)(num / (sqrt(var) * rule->root_var));
        return var == 0.0 ? rule->undefined : score;
    }
    case CM_CCOEFF:
        return (float)((n * X - S * sum) / n);
    case CM_CCORR:
        return (float)X;
    case CM_CCORR_NORMED: {
        float score = (float)(X / (sqrt(Q) * rule->root_sum2));
        return Q == 0.0 ? rule->undefined : score;
    }
    case CM_SQDIFF:
        return (float)(Q + sum2 - 2.0 * X);
    case CM_SQDIFF_NORMED: {
        double d = Q + sum2 - 2.0 * X;
        float flat = rule->nan_flat ? rule->undefined : d == 0.0 ? 0.0f : 1.0f;
        float score = (float)(d / (sqrt(Q) * rule->root_sum2));
        return Q == 0.0 ? flat : score;
    }
    }
    return 0.0f;
}

static inline void rows_score_method(cm_method method, const cm_score_rule *rule, const int32_t *restrict x,
                                     const uint64_t *restrict window, float *restrict out, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        double S = rows_u32(window[i]), Q = rows_u32(window[i] >> 32);
        double X = (double)x[i] + 128.0 * S; /* the template was shifted by 128 (cm_form) */
        out[i] = rows_score_one(method, rule, S, Q, X);
    }
}

/* The rare: a flat or black template, by the plain function. */
static void rows_score_flat(cm_method method, const cm_score_rule *rule, const int32_t *x, const uint64_t *window, float *out,
                            int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        uint64_t S = window[i] & 0xffffffffu;
        out[i] = cm_score_integer(method, rule, S, window[i] >> 32, (uint64_t)(x[i] + 128 * (int64_t)S));
    }
}

static void rows_score(cm_method method, const cm_score_rule *rule, const int32_t *x, const uint64_t *window, float *out,
                       int32_t count)
{
    int normed = method == CM_CCORR_NORMED || method == CM_SQDIFF_NORMED;
    if ((method == CM_CCOEFF_NORMED && rule->root_var == 0.0) || (normed && rule->sum2 == 0)) {
        rows_score_flat(method, rule, x, window, out, count);
        return;
    }
    switch (method) {
    case CM_CCOEFF_NORMED:
        rows_score_method(CM_CCOEFF_NORMED, rule, x, window, out, count);
        return;
    case CM_CCOEFF:
        rows_score_method(CM_CCOEFF, rule, x, window, out, count);
        return;
    case CM_CCORR:
        rows_score_method(CM_CCORR, rule, x, window, out, count);
        return;
    case CM_CCORR_NORMED:
        rows_score_method(CM_CCORR_NORMED, rule, x, window, out, count);
        return;
    case CM_SQDIFF:
        rows_score_method(CM_SQDIFF, rule, x, window, out, count);
        return;
    case CM_SQDIFF_NORMED:
        rows_score_method(CM_SQDIFF_NORMED, rule, x, window, out, count);
        return;
    }
}

/* Wide rows: 64-bit sums. */
static inline void rows_add_any(uint64_t *restrict S, uint64_t *restrict Q, const uint8_t *restrict u8,
                                const uint16_t *restrict u16, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        uint32_t a = u8 ? u8[i] : u16[i];
        S[i] += a;
        Q[i] += a * a; /* at most 65535^2 < 2^32 */
    }
}

static void rows_wide_add(uint64_t *S, uint64_t *Q, const void *enter, cm_pixel pixel, int32_t count)
{
    if (pixel == CM_U8)
        rows_add_any(S, Q, enter, NULL, count);
    else
        rows_add_any(S, Q, NULL, enter, count);
}

static void rows_wide_slide(uint64_t *restrict S, uint64_t *restrict Q, const void *enter, const void *leave, cm_pixel pixel,
                            int32_t count)
{
    if (pixel == CM_U8) {
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

/* NCC with products that fit 64 bits (rule->wide is 0); the conversion of a 64-bit integer rounds once. */
static void rows_wide_ncc(const cm_score_rule *rule, const cm_wide_row *row, float *restrict out, int32_t count)
{
    const uint64_t *restrict X = row->X, *restrict S = row->S, *restrict Q = row->Q;
    uint64_t n = rule->n, sum = rule->sum;
    double root = rule->root_var;
    float undefined = rule->undefined;
    for (int32_t i = 0; i < count; i++) {
        double var = (double)(int64_t)(n * Q[i] - S[i] * S[i]), num = (double)(int64_t)(n * X[i] - S[i] * sum);
        float score = (float)(num / (sqrt(var) * root));
        out[i] = var == 0.0 ? undefined : score;
    }
}

static void rows_wide_score(cm_method method, const cm_score_rule *rule, const cm_wide_row *row, float *out, int32_t count)
{
    if (method == CM_CCOEFF_NORMED && !rule->wide && rule->root_var != 0.0) {
        rows_wide_ncc(rule, row, out, count);
        return;
    }
    for (int32_t i = 0; i < count; i++)
        out[i] = cm_score_integer(method, rule, row->S[i], row->Q[i], row->X[i]);
}

#endif
