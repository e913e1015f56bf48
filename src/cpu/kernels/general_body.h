/* The row functions of general_rows.h, in C that compilers vectorize. Each instruction set's file
 * includes this after rows.h. */
#ifndef XNCC_CPU_KERNELS_GENERAL_BODY_H
#define XNCC_CPU_KERNELS_GENERAL_BODY_H

#include "cpu/kernels/rows.h"

static void general_emit(const xncc_emit_row *row)
{
    const xncc_emit_row r = *row;
    const uint64_t mask = r.packed ? 0xffffffffu : UINT64_MAX;
    for (int32_t i = 0; i < r.count; i++) {
        const uint64_t S = r.S ? r.S[i] & mask : 0;
        const uint64_t X =
            ((r.x32 ? (uint64_t)(int64_t)r.x32[i] : (uint64_t)r.gathered[i]) + 128 * S) << r.shift;
        r.X[i] = r.add ? r.X[i] + X : X;
    }
    for (int32_t i = 0; i < r.count && r.out_S; i++)
        r.out_S[i] = r.S[i] & mask;
    for (int32_t i = 0; i < r.count && r.out_Q; i++)
        r.out_Q[i] = r.packed ? r.S[i] >> 32 : r.Q[i];
}

/* Extracts one channel of several, with a loop of its own for 3 and for 4 channels. */
#define GENERAL_PICK(name, type)                                                                   \
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
GENERAL_PICK(general_pick_u8, uint8_t)
GENERAL_PICK(general_pick_u16, uint16_t)
GENERAL_PICK(general_pick_u32, uint32_t)

/* Extracts the digits of a row. A sample's square fits `number`. Returns all digits ORed
 * together. */
#define GENERAL_DIGITS(name, type, number, piece)                                                  \
    static inline uint32_t name(const xncc_plane_row *r, const type *restrict in, type flip,       \
                                piece *restrict out)                                               \
    {                                                                                              \
        const uint8_t *restrict counts = r->count;                                                 \
        const int32_t shift = 8 * (int32_t)sizeof(piece) * r->digit, count = r->pixels;            \
        piece any = 0;                                                                             \
        if (r->square)                                                                             \
            for (int32_t i = 0; i < count; i++) {                                                  \
                const number v = (number)((type)(in[i] ^ flip) & (type)(0u - counts[i]));          \
                out[i] = (piece)((number)(v * v) >> shift);                                        \
                any |= out[i];                                                                     \
            }                                                                                      \
        else                                                                                       \
            for (int32_t i = 0; i < count; i++) {                                                  \
                out[i] = (piece)((type)((type)(in[i] ^ flip) & (type)(0u - counts[i])) >> shift);  \
                any |= out[i];                                                                     \
            }                                                                                      \
        return any;                                                                                \
    }
GENERAL_DIGITS(general_bytes_u8, uint8_t, uint32_t, uint8_t)
GENERAL_DIGITS(general_bytes_u16, uint16_t, uint32_t, uint8_t)
GENERAL_DIGITS(general_bytes_u32, uint32_t, uint64_t, uint8_t)
GENERAL_DIGITS(general_words_u16, uint16_t, uint32_t, uint16_t)
GENERAL_DIGITS(general_words_u32, uint32_t, uint64_t, uint16_t)

static uint32_t general_plane(const xncc_plane_row *row)
{
    const xncc_plane_row *r = row;
    const void *in = r->channels > 1 ? r->buffer : r->raw;
    switch (r->pixel) {
    case XNCC_U8:
    case XNCC_S8:
        if (r->channels > 1 && r->every && !r->square && r->pixel == XNCC_U8) {
            general_pick_u8(r, r->out);
            return 1;
        }
        if (r->channels > 1)
            general_pick_u8(r, r->buffer);
        return general_bytes_u8(r, in, r->pixel == XNCC_S8 ? 0x80 : 0, r->out);
    case XNCC_U16:
    case XNCC_S16:
        if (r->channels > 1)
            general_pick_u16(r, r->buffer);
        if (r->bytes == 1)
            return general_bytes_u16(r, in, r->pixel == XNCC_S16 ? 0x8000 : 0, r->out);
        return general_words_u16(r, in, r->pixel == XNCC_S16 ? 0x8000 : 0, r->out);
    case XNCC_U32:
        if (r->channels > 1)
            general_pick_u32(r, r->buffer);
        return r->bytes == 1 ? general_bytes_u32(r, in, 0, r->out)
                             : general_words_u32(r, in, 0, r->out);
    case XNCC_F32:
    case XNCC_F64: break;
    }
    return 0;
}

static inline void general_store(uint64_t *to, uint64_t v, int add)
{
    *to = add ? *to + v : v;
}

static void general_accumulate_terms(const xncc_terms_row *row)
{
    const xncc_terms_row r = *row;
    const uint64_t bias = r.bias, square = bias * bias;
    if (r.centred) {
        for (int32_t i = 0; i < r.count; i++)
            general_store(&r.a[i], r.n[i] * r.X[i] - r.S[i] * r.T[i], r.add);
        for (int32_t i = 0; i < r.count; i++)
            general_store(&r.b[i], r.n[i] * r.Q[i] - r.S[i] * r.S[i], r.add);
        for (int32_t i = 0; i < r.count && r.c; i++)
            general_store(&r.c[i], r.n[i] * r.T2[i] - r.T[i] * r.T[i], r.add);
        return;
    }
    for (int32_t i = 0; i < r.count; i++)
        general_store(&r.a[i], r.X[i] + r.n[i] * square - bias * (r.S[i] + r.T[i]), r.add);
    for (int32_t i = 0; i < r.count; i++)
        general_store(&r.b[i], r.Q[i] + r.n[i] * square - 2 * bias * r.S[i], r.add);
    for (int32_t i = 0; i < r.count && r.c; i++)
        general_store(&r.c[i], r.T2[i] + r.n[i] * square - 2 * bias * r.T[i], r.add);
}

static inline rows_ulong general_load(const uint64_t *from)
{
    rows_ulong v;
    memcpy(&v, from, sizeof v);
    return v;
}

/* xncc_general_score in vectors. root: the square root of row->templ_term. */
static inline rows_double general_lanes(xncc_method method, const xncc_general_rule *rule,
                                        const xncc_general_row *row, double root, int32_t i)
{
    const rows_ulong a = general_load(row->a + i), b = general_load(row->b + i);
    const rows_ulong c = row->c ? general_load(row->c + i) : row->templ_term - (rows_ulong){ 0 };
    const rows_double undefined = rows_fill((double)rule->undefined), B = rows_i64(b),
                      C = rows_i64(c);
    const rows_double roots = row->c ? rows_sqrt(C) : rows_fill(root);
    const rows_long flat = (B == 0.0) | (C == 0.0);
    const rows_double distance = rows_i64(b + c - 2 * a);
    switch (method) {
    case XNCC_CCOEFF_NORMED:
    case XNCC_CCORR_NORMED:
        return rows_choose(flat, undefined, rows_i64(a) / (rows_sqrt(B) * roots));
    case XNCC_CCOEFF: return rows_i64(a) / rows_i64(general_load(row->n + i));
    case XNCC_CCORR: return rows_i64(a);
    case XNCC_SQDIFF: return distance;
    case XNCC_SQDIFF_NORMED: {
        const rows_double one = rows_choose(distance == 0.0, rows_fill(0.0), rows_fill(1.0));
        return rows_choose(flat, rule->nan_flat ? undefined : one,
                           distance / (rows_sqrt(B) * roots));
    }
    case XNCC_COVERAGE: break;
    }
    return rows_i64(general_load(row->n + i)) / rows_fill((double)rule->whole);
}

static inline void general_score_method(xncc_method method, const xncc_general_rule *rule,
                                        const xncc_general_row *row)
{
    const double root = sqrt((double)row->templ_term);
    const rows_ulong least = rule->least - (rows_ulong){ 0 };
    for (int32_t i = 0; i < row->count; i += ROWS_LANES) {
        rows_double score = general_lanes(method, rule, row, root, i);
        if (method != XNCC_COVERAGE)
            score = rows_choose(general_load(row->n + i) < least, rows_fill((double)NAN), score);
        rows_float rounded = __builtin_convertvector(score, rows_float);
        if (row->count - i >= ROWS_LANES)
            memcpy(row->out + i, &rounded, sizeof rounded);
        else
            memcpy(row->out + i, &rounded, (size_t)(row->count - i) * sizeof rounded[0]);
    }
}

/* One loop per method. */
static void general_score(xncc_method method, const xncc_general_rule *rule,
                          const xncc_general_row *row)
{
    switch (method) {
    case XNCC_CCOEFF_NORMED: general_score_method(XNCC_CCOEFF_NORMED, rule, row); return;
    case XNCC_CCOEFF: general_score_method(XNCC_CCOEFF, rule, row); return;
    case XNCC_CCORR: general_score_method(XNCC_CCORR, rule, row); return;
    case XNCC_CCORR_NORMED: general_score_method(XNCC_CCORR_NORMED, rule, row); return;
    case XNCC_SQDIFF: general_score_method(XNCC_SQDIFF, rule, row); return;
    case XNCC_SQDIFF_NORMED: general_score_method(XNCC_SQDIFF_NORMED, rule, row); return;
    case XNCC_COVERAGE: general_score_method(XNCC_COVERAGE, rule, row); return;
    }
}

#endif
