/* SPDX-License-Identifier: BSD-2-Clause */
/* The row functions of isa_rows.h, in C that compilers vectorize. Each instruction set's file
 * includes this and so has its own build. */
#ifndef XNCC_CPU_KERNELS_ROWS_H
#define XNCC_CPU_KERNELS_ROWS_H

#include "cpu/kernels/bound_rows.h"
#include "cpu/kernels/isa_rows.h"
#include "cpu/kernels/store_part.h"
#include "image/samples.h"
#include "math/method.h"

#include <math.h>
#include <string.h>

/* For functions whose arguments must become constants. */
#define ROWS_INLINE __attribute__((always_inline)) static inline

static void rows_slide(uint64_t *restrict column, const uint8_t *restrict enter,
                       const uint8_t *restrict leave, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        int32_t a = enter[i], b = leave ? leave[i] : 0;
        column[i] += (uint64_t)(int64_t)(a - b) + ((uint64_t)(uint32_t)(a * a - b * b) << 32);
    }
}

/* The same with S and Q apart. A square is at most 65535^2 < 2^32. */
#define ROWS_WIDE(name, type)                                                                      \
    static inline void name(uint64_t *restrict S, uint64_t *restrict Q,                            \
                            const type *restrict enter, const type *restrict leave, int32_t count) \
    {                                                                                              \
        for (int32_t i = 0; i < count; i++) {                                                      \
            const uint32_t a = enter[i], b = leave ? leave[i] : 0;                                 \
            S[i] += (uint64_t)a - b;                                                               \
            Q[i] += (uint64_t)(a * a) - b * b;                                                     \
        }                                                                                          \
    }
ROWS_WIDE(rows_wide_u8, uint8_t)
ROWS_WIDE(rows_wide_u16, uint16_t)

static void rows_wide_slide(uint64_t *S, uint64_t *Q, const void *enter, const void *leave,
                            int words, int32_t count)
{
    if (words)
        rows_wide_u16(S, Q, enter, leave, count);
    else
        rows_wide_u8(S, Q, enter, leave, count);
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

static void rows_emit(const xncc_row *row, const xncc_emit *to)
{
    const xncc_row r = *row;
    const xncc_emit t = *to;
    const uint64_t mask = r.packed ? 0xffffffffu : UINT64_MAX;
    for (int32_t i = 0; i < r.count; i++) {
        const uint64_t S = r.S ? r.factor * (r.S[i] & mask) + r.constant : 0;
        const uint64_t X = ((r.x32 ? (uint64_t)(int64_t)r.x32[i] : (uint64_t)r.x64[i]) + S)
                           << t.shift;
        t.X[i] = t.add ? t.X[i] + X : X;
    }
    for (int32_t i = 0; i < r.count && t.S; i++)
        t.S[i] = r.S[i] & mask;
    for (int32_t i = 0; i < r.count && t.Q; i++)
        t.Q[i] = r.packed ? r.S[i] >> 32 : r.Q[i];
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
ROWS_INLINE rows_double rows_u32(rows_ulong v)
{
    return (rows_double)(v | UINT64_C(0x4330000000000000)) - 0x1p52;
}

/* Converts signed 64-bit numbers with one rounding to nearest. Let v = high * 2^32 + low. The first
 * bit pattern is the number 2^84 + 2^63 + high * 2^32. Subtracting 2^84 + 2^63 + 2^52 from it is
 * exact, because the difference is a multiple of 2^32 below 2^64. Adding 2^52 + low then rounds v
 * itself. */
ROWS_INLINE rows_double rows_i64(rows_ulong v)
{
    rows_double high = (rows_double)((v >> 32) ^ UINT64_C(0x4530000080000000));
    rows_double low = (rows_double)((v & UINT64_C(0xffffffff)) | UINT64_C(0x4330000000000000));
    return (high - 0x1.00000801p84) + low;
}

ROWS_INLINE rows_double rows_fill(double v)
{
    return v - (rows_double){ 0 };
}

ROWS_INLINE rows_double rows_choose(rows_long condition, rows_double yes, rows_double no)
{
    return (rows_double)((condition & (rows_long)yes) | (~condition & (rows_long)no));
}

/* What the formulas are evaluated from, rounded to double once: num or X, var or Q, the squared
 * distance, the number of pixels that count, and the square root of the template's term. Only those
 * that the method needs are used. */
typedef struct rows_terms {
    rows_double a, b, distance, n, root;
} rows_terms;

/* The formulas of math/score.h and math/general_score.h. */
ROWS_INLINE rows_double rows_finish(xncc_method method, const xncc_general_rule *rule,
                                    const rows_terms *t)
{
    const rows_double undefined = rows_fill((double)rule->undefined);
    /* 0 if the window or the template is flat, else at least 1 */
    const rows_double roots = rows_sqrt(t->b) * t->root;
    switch (method) {
    case XNCC_CCOEFF_NORMED:
    case XNCC_CCORR_NORMED: return rows_choose(roots == 0.0, undefined, t->a / roots);
    case XNCC_CCOEFF: return t->a / t->n;
    case XNCC_CCORR: return t->a;
    case XNCC_SQDIFF: return t->distance;
    case XNCC_SQDIFF_NORMED: {
        const rows_double one = rows_choose(t->distance == 0.0, rows_fill(0.0), rows_fill(1.0));
        return rows_choose(roots == 0.0, rule->nan_flat ? undefined : one, t->distance / roots);
    }
    case XNCC_COVERAGE: break; /* has no row of X */
    }
    return undefined;
}

ROWS_INLINE rows_ulong rows_load(const uint64_t *from)
{
    rows_ulong v;
    memcpy(&v, from, sizeof v);
    return v;
}

/* Narrow rows: at most 65792 pixels of bytes, so n*X, n*Q, S*S and S*sumT are integers of at most
 * (65792 * 255)^2 < 2^49, and every product and difference here is exact in double. So are sums
 * over 64 channels: var is at most (n * 255 / 2)^2 < 2^46, num is not larger, and X and Q are below
 * 2^33. */
ROWS_INLINE rows_terms rows_narrow(int centred, const xncc_row *row, const xncc_score_args *s,
                                   int32_t i)
{
    const double n = (double)s->constant_n, T = (double)s->constant_T;
    rows_int products;
    memcpy(&products, row->x32 + i, sizeof products);
    const rows_ulong sums = rows_load(row->S + i);
    const rows_double S = rows_u32(sums & UINT64_C(0xffffffff)), Q = rows_u32(sums >> 32),
                      X = __builtin_convertvector(products, rows_double) + 128.0 * S;
    rows_terms t = { .n = rows_fill(n) };
    t.a = centred ? n * X - S * T : X;
    t.b = centred ? n * Q - S * S : Q;
    return t;
}

/* The sums of one channel. */
typedef struct rows_sums {
    rows_ulong n, S, Q, X, T, T2;
} rows_sums;

ROWS_INLINE rows_ulong rows_either(const uint64_t *from, int32_t i, rows_ulong otherwise)
{
    return from ? rows_load(from + i) : otherwise;
}

ROWS_INLINE rows_sums rows_get(const xncc_row *row, const xncc_score_args *s, int32_t i)
{
    const rows_ulong zero = { 0 };
    rows_ulong S = zero, Q = zero, X;
    if (row->S) {
        const rows_ulong sums = rows_load(row->S + i);
        S = row->packed ? sums & UINT64_C(0xffffffff) : sums;
        Q = row->packed ? sums >> 32 : rows_either(row->Q, i, zero);
    }
    if (row->x32) {
        rows_int products;
        memcpy(&products, row->x32 + i, sizeof products);
        X = (rows_ulong) __builtin_convertvector(products, rows_long);
    } else {
        X = rows_load((const uint64_t *)row->x64 + i);
    }
    return (rows_sums){ .n = rows_either(s->n, i, zero + s->constant_n),
                        .S = rows_either(s->S, i, S),
                        .Q = rows_either(s->Q, i, Q),
                        .X = X + row->factor * S + row->constant,
                        .T = rows_either(s->T, i, zero + s->constant_T),
                        .T2 = rows_either(s->T2, i, zero + s->constant_T2) };
}

/* The terms of one channel or, after the last one, of all: num or X, var or Q, and that of the
 * template. Integers of 63 bits. */
typedef struct rows_integers {
    rows_ulong a, b, c;
} rows_integers;

ROWS_INLINE rows_integers rows_channel(int centred, const rows_sums *v, uint64_t bias)
{
    if (centred)
        return (rows_integers){ v->n * v->X - v->S * v->T, v->n * v->Q - v->S * v->S,
                                v->n * v->T2 - v->T * v->T };
    const rows_ulong square = v->n * (bias * bias);
    return (rows_integers){ v->X + square - bias * (v->S + v->T), v->Q + square - 2 * bias * v->S,
                            v->T2 + square - 2 * bias * v->T };
}

/* Stores the first `count` elements of a vector of 64-bit integers. */
ROWS_INLINE void rows_keep(uint64_t *to, rows_ulong v, int32_t count)
{
    if (count >= ROWS_LANES) {
        memcpy(to, &v, sizeof v);
    } else {
        const rows_ulong part = v; /* so that v need not be in memory */
        xncc_store_part(to, &part, (size_t)count * sizeof *to);
    }
}

ROWS_INLINE void rows_write(float *to, rows_double score, int32_t count)
{
    const rows_float rounded = __builtin_convertvector(score, rows_float);
    if (count >= ROWS_LANES) {
        memcpy(to, &rounded, sizeof rounded);
    } else {
        const rows_float part = rounded;
        xncc_store_part(to, &part, (size_t)count * sizeof *to);
    }
}

/* Rows of any kind, and several channels. varies: 1 if T or T2 differs from window to window. */
ROWS_INLINE void rows_score_any(xncc_method method, const xncc_row *row, const xncc_score_args *s,
                                int varies)
{
    const int centred = xncc_method_is_centred(method);
    const rows_ulong zero = { 0 };
    const rows_double root = rows_fill(sqrt((double)s->templ_term));
    for (int32_t i = 0; i < row->count; i += ROWS_LANES) {
        const int32_t left = row->count - i;
        const rows_sums v = rows_get(row, s, i);
        rows_integers t = rows_channel(centred, &v, s->rule->bias);
        if (!s->first) {
            t.a += rows_load(s->term[0] + i);
            t.b += rows_load(s->term[1] + i);
            t.c += rows_either(varies ? s->term[2] : NULL, i, zero);
        }
        if (!s->last) {
            rows_keep(s->term[0] + i, t.a, left);
            rows_keep(s->term[1] + i, t.b, left);
            if (varies)
                rows_keep(s->term[2] + i, t.c, left);
            continue;
        }
        const rows_ulong c = varies ? t.c : zero + s->templ_term;
        const rows_terms d = { .a = rows_i64(t.a),
                               .b = rows_i64(t.b),
                               .distance = rows_i64(t.b + c - 2 * t.a),
                               .n = rows_i64(v.n),
                               .root = varies ? rows_sqrt(rows_i64(c)) : root };
        rows_double score = rows_finish(method, s->rule, &d);
        if (s->n)
            score = rows_choose(v.n < zero + s->rule->least, rows_fill((double)NAN), score);
        rows_write(s->out + i, score, left);
    }
}

/* Narrow rows whose other sums are constants. The terms of the channels before are doubles. */
ROWS_INLINE void rows_score_narrow(xncc_method method, const xncc_row *row,
                                   const xncc_score_args *s, int several)
{
    const int centred = xncc_method_is_centred(method);
    const double T2 = (double)(several ? s->templ_term : s->constant_T2);
    const rows_double root = rows_fill(sqrt((double)s->templ_term));
    for (int32_t i = 0; i < row->count; i += ROWS_LANES) {
        const int32_t left = row->count - i;
        rows_terms t = rows_narrow(centred, row, s, i);
        if (several && !s->first) {
            t.a += (rows_double)rows_load(s->term[0] + i);
            t.b += (rows_double)rows_load(s->term[1] + i);
        }
        if (several && !s->last) {
            rows_keep(s->term[0] + i, (rows_ulong)t.a, left);
            rows_keep(s->term[1] + i, (rows_ulong)t.b, left);
            continue;
        }
        t.distance = t.b + T2 - 2.0 * t.a;
        t.root = root;
        rows_write(s->out + i, rows_finish(method, s->rule, &t), left);
    }
}

ROWS_INLINE void rows_score_method(xncc_method method, const xncc_row *row,
                                   const xncc_score_args *s)
{
    const int varies = s->T || s->T2;
    /* the others do not change when a bias is added to image and template */
    const int biased = s->rule->bias && !xncc_method_is_centred(method) &&
                       (!xncc_method_ignores_offset(method) || s->term[0]);
    if (!row->x32 || !row->packed || s->n || s->S || s->Q || varies || biased)
        rows_score_any(method, row, s, varies);
    else if (s->term[0])
        rows_score_narrow(method, row, s, 1);
    else
        rows_score_narrow(method, row, s, 0);
}

/* One loop per method. The copies tell the compiler that no store changes an argument. */
static void rows_score(const xncc_row *from, const xncc_score_args *args)
{
    const xncc_row row = *from;
    const xncc_score_args s = *args;
    switch (s.method) {
#define ROWS_SCORE(method, name)                                                                   \
    case method: rows_score_method(method, &row, &s); return;
        XNCC_EACH_SCORE_METHOD(ROWS_SCORE)
#undef ROWS_SCORE
    case XNCC_COVERAGE: return; /* has no row of X */
    }
}

static void rows_inverses(const xncc_inverses *windows)
{
    const xncc_inverses w = *windows;
    const double n = (double)w.n;
    for (int32_t i = 0; i < w.count; i += ROWS_LANES) {
        const rows_ulong sums = rows_load(w.sums + i);
        const rows_double S = rows_u32(sums & UINT64_C(0xffffffff)), Q = rows_u32(sums >> 32),
                          term = w.centred ? n * Q - S * S : Q,
                          inverse = rows_choose(term == 0.0, rows_fill((double)NAN),
                                                1.0 / rows_sqrt(term));
        memcpy(w.out + i, &inverse, sizeof inverse);
    }
}

/* A score is a / (sqrt(b) * root), where the numerator a is exact, with each operation rounded.
 * Here it is a * (1 / sqrt(b)) * (1 / root). Beside the rounding of sqrt(b), which both have in
 * common, the formula rounds twice, and this four times, so that the two differ by at most 6 *
 * 2^-53 of the score (and what is of second order), less than 7 units in the last place. They
 * become the same float unless a number halfway between two floats is that near: one whose low 29
 * bits are 2^28. Then the row is in doubt. A NaN is certain, and so is 0. */
static int32_t rows_quotients(const xncc_quotients *from, int32_t first)
{
    const uint64_t near = 8; /* a power of two */
    const xncc_quotients q = *from;
    const rows_ulong shift = (rows_ulong){ 0 } + (near - (UINT64_C(1) << 28)),
                     rest = (rows_ulong){ 0 } + ((UINT64_C(1) << 29) - 2 * near);
    for (int32_t y = first; y < q.height; y++) {
        const int32_t *product = q.product + y * q.product_stride;
        const uint64_t *sums = q.sums + y * q.stride;
        const double *inverse = q.inverse + y * q.stride;
        float *out = q.out + y * q.pitch;
        rows_long doubt = { 0 };
        for (int32_t x = 0; x < q.width; x += ROWS_LANES) {
            rows_int products;
            rows_double inverses;
            memcpy(&products, product + x, sizeof products);
            memcpy(&inverses, inverse + x, sizeof inverses);
            const rows_double S = rows_u32(rows_load(sums + x) & UINT64_C(0xffffffff)),
                              a = q.per_product * __builtin_convertvector(products, rows_double) +
                                  q.per_sum * S,
                              score = a * inverses * q.factor;
            const rows_float rounded = __builtin_convertvector(score, rows_float);
            memcpy(out + x, &rounded, sizeof rounded);
            doubt |= (((rows_ulong)score + shift) & rest) == 0;
        }
        for (int k = 1; k < ROWS_LANES; k++)
            doubt[0] |= doubt[k];
        if (doubt[0])
            return y;
    }
    return q.height;
}

#define ROWS_DIGIT_SUMS(name, type)                                                                \
    static inline void name(const type *restrict digit, size_t count, int64_t *sum,                \
                            int64_t *squares)                                                      \
    {                                                                                              \
        int32_t s = 0, s2 = 0;                                                                     \
        for (size_t i = 0; i < count; i++) {                                                       \
            s += digit[i];                                                                         \
            s2 += digit[i] * digit[i];                                                             \
        }                                                                                          \
        *sum = s;                                                                                  \
        *squares = s2;                                                                             \
    }
ROWS_DIGIT_SUMS(rows_digits_s8, int8_t)
ROWS_DIGIT_SUMS(rows_digits_s16, int16_t)

static void rows_digit_sums(const void *digit, int words, size_t count, int64_t *sum,
                            int64_t *squares)
{
    if (words)
        rows_digits_s16(digit, count, sum, squares);
    else
        rows_digits_s8(digit, count, sum, squares);
}

/* Extracts one channel of several, with a loop of its own for 3 and for 4 channels. */
#define ROWS_PICK(name, type)                                                                      \
    static inline void name(const xncc_plane_row *r, type *restrict out)                           \
    {                                                                                              \
        const type *restrict in = (const type *)r->raw + r->channel;                               \
        const int32_t step = r->channels, count = r->pixels;                                       \
        if (step == 3)                                                                             \
            for (int32_t i = 0; i < count; i++)                                                    \
                out[i] = in[3 * (ptrdiff_t)i];                                                     \
        else if (step == 4)                                                                        \
            for (int32_t i = 0; i < count; i++)                                                    \
                out[i] = in[4 * (ptrdiff_t)i];                                                     \
        else                                                                                       \
            for (int32_t i = 0; i < count; i++)                                                    \
                out[i] = in[(ptrdiff_t)step * i];                                                  \
    }
ROWS_PICK(rows_pick_u8, uint8_t)
ROWS_PICK(rows_pick_u16, uint16_t)

/* Extracts the digits of a row. Returns all digits ORed together. */
#define ROWS_DIGITS(name, type, piece)                                                             \
    static inline uint32_t name(const xncc_plane_row *r, const type *restrict in, type flip,       \
                                piece *restrict out)                                               \
    {                                                                                              \
        const uint8_t *restrict counts = r->count;                                                 \
        const int32_t shift = 8 * (int32_t)sizeof(piece) * r->digit, count = r->pixels;            \
        piece any = 0;                                                                             \
        if (r->square)                                                                             \
            for (int32_t i = 0; i < count; i++) {                                                  \
                const uint32_t v = (type)(in[i] ^ flip) & (type)(0u - counts[i]);                  \
                out[i] = (piece)((v * v) >> shift);                                                \
                any |= out[i];                                                                     \
            }                                                                                      \
        else                                                                                       \
            for (int32_t i = 0; i < count; i++) {                                                  \
                out[i] = (piece)((type)((type)(in[i] ^ flip) & (type)(0u - counts[i])) >> shift);  \
                any |= out[i];                                                                     \
            }                                                                                      \
        return any;                                                                                \
    }
ROWS_DIGITS(rows_bytes_u8, uint8_t, uint8_t)
ROWS_DIGITS(rows_bytes_u16, uint16_t, uint8_t)
ROWS_DIGITS(rows_words_u16, uint16_t, uint16_t)

static uint32_t rows_plane(const xncc_plane_row *r)
{
    const void *in = r->channels > 1 ? r->buffer : r->raw;
    const uint32_t flip = (uint32_t)xncc_pixel_bias(r->pixel);
    switch (xncc_pixel_digits(r->pixel)) {
    case 1:
        if (r->channels > 1 && r->every && !r->square && !flip) {
            rows_pick_u8(r, r->out);
            return 1;
        }
        if (r->channels > 1)
            rows_pick_u8(r, r->buffer);
        return rows_bytes_u8(r, in, (uint8_t)flip, r->out);
    case 2:
        if (r->channels > 1)
            rows_pick_u16(r, r->buffer);
        if (r->bytes == 1)
            return rows_bytes_u16(r, in, (uint16_t)flip, r->out);
        return rows_words_u16(r, in, (uint16_t)flip, r->out);
    default: break;
    }
    return 0;
}

/* The table of this build. */
#define ROWS_TABLE(window)                                                                         \
    {                                                                                              \
        rows_slide, rows_wide_slide, window, rows_emit, rows_score, rows_plane, rows_halve,        \
            rows_norms, rows_bound, rows_inverses, rows_quotients, rows_digit_sums                 \
    }

#endif
