/* SPDX-License-Identifier: BSD-2-Clause */
/* The inner loops of `direct` on vectors, written once for all instruction sets. The including file
 * defines:
 * - vec: a vector of 32-bit lanes; VEC_LANES: the number of lanes
 * - vec_fill(number), vec_load(address): the address need not be aligned
 * - vec_bytes(sum, image, t, i): sum + 4 products of u8 and s8 in each lane, with dword i of the
 *   group of dwords at t; i is a constant, 0 .. 3
 * - vec_words(sum, image, t, i): sum + 2 products of s16 in each lane, with dword i at t
 * - vec_store4(out, sum[4]), vec_store2(out, sum[2]): stores 4 or 2 phases as consecutive columns
 * - DOT_BYTES: 1 if bytes are multiplied by vec_bytes, 0 if they are staged as words and vec_bytes
 *   is never called; DOT_ROWS_U8, DOT_ROWS_U16: the most map rows at a time
 * - optionally vec_prepare(image, bytes): an image vector in the form that vec_bytes or vec_words
 *   takes, made once per load
 * - optionally vec_start(d): what each sum begins with, instead of 0
 */
#ifndef XNCC_CPU_KERNELS_DOT_H
#define XNCC_CPU_KERNELS_DOT_H

#define DOT_INLINE __attribute__((always_inline)) static inline

/* The sums of one map row, one per dword of a group. Rows and sums are written out one by one
 * instead of in loops, because compilers keep an array in registers only if all its indices become
 * constants early in compilation. */
typedef struct dot_row {
    vec s[4];
} dot_row;

/* Adds the products of one group of one template row. count: dwords per group, planes * phases. */
DOT_INLINE void dot_group(dot_row *row, vec image, const int32_t *t, int bytes, int count)
{
#define DOT_DWORD(i)                                                                               \
    row->s[i] = bytes ? vec_bytes(row->s[i], image, t, i) : vec_words(row->s[i], image, t, i);
    DOT_DWORD(0)
    DOT_DWORD(1)
    if (count == 4) {
        DOT_DWORD(2)
        DOT_DWORD(3)
    }
}

/* What is the same for all tiles of a call. All of it is constant after inlining. live: map rows.
 */
typedef struct dot_kind {
    int bytes, planes, count, live;
} dot_kind;

#ifndef vec_prepare
#define vec_prepare(image, bytes) (image)
#endif
#ifndef vec_start
#define vec_start(d) vec_fill(0)
#endif

DOT_INLINE vec dot_load(dot_kind kind, const char *row, int32_t g)
{
    (void)kind; /* most instruction sets prepare nothing */
    return vec_prepare(vec_load(row + 4 * (ptrdiff_t)g), kind.bytes);
}

typedef struct dot_block {
    dot_row row0, row1, row2, row3, row4, row5;
} dot_block;

#define DOT_EACH_ROW(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5)

/* Multiplies one template row into each map row. Map rows 0 .. split - 1 use image row `upper` and
 * table row `high`; the other map rows use image row `lower` and table row `low`. Map row r uses
 * the table r rows (r * step dwords) before that one. */
DOT_INLINE void dot_pass(const xncc_dot *d, dot_kind kind, dot_block *block, int split,
                         const char *upper, const int32_t *high, const char *lower,
                         const int32_t *low)
{
    const ptrdiff_t step = (ptrdiff_t)d->groups * kind.count;
    for (int32_t g = 0; g < d->groups; g++) {
        const vec above = dot_load(kind, upper, g);
        const vec below = split < kind.live ? dot_load(kind, lower, g) : above;
        const int32_t *ta = high + (ptrdiff_t)g * kind.count, *tb = low + (ptrdiff_t)g * kind.count;
#define DOT_GROUP(r)                                                                               \
    if (kind.live > (r))                                                                           \
        dot_group(&block->row##r, (r) < split ? above : below, ((r) < split ? ta : tb) - (r)*step, \
                  kind.bytes, kind.count);
        DOT_EACH_ROW(DOT_GROUP)
    }
}

/* Multiplies a whole template row into one map row; for templates lower than a block. */
DOT_INLINE void dot_single(const xncc_dot *d, dot_kind kind, int32_t jj, int r, const char *image,
                           dot_row *row)
{
    if (r >= kind.live || jj < r || jj - r >= d->rows)
        return;
    const int32_t *table = d->table + (ptrdiff_t)(jj - r) * d->groups * kind.count;
    for (int32_t g = 0; g < d->groups; g++)
        dot_group(row, dot_load(kind, image, g), table + (ptrdiff_t)g * kind.count, kind.bytes,
                  kind.count);
}

DOT_INLINE const char *dot_image(const xncc_dot *d, dot_kind kind, int32_t jj, int32_t x)
{
    return (const char *)d->row[jj] + (ptrdiff_t)x * (kind.bytes ? 1 : 2);
}

DOT_INLINE void dot_low(const xncc_dot *d, dot_kind kind, int32_t x, dot_block *block)
{
    for (int32_t jj = 0; jj < d->rows + kind.live - 1; jj++) {
        const char *image = dot_image(d, kind, jj, x);
#define DOT_SINGLE(r) dot_single(d, kind, jj, r, image, &block->row##r);
        DOT_EACH_ROW(DOT_SINGLE)
    }
}

/* Map row r meets template row jj - r in image row jj. The first and the last live - 1 image rows
 * meet only some of the map rows; image rows jj and rows + jj together meet each map row exactly
 * once. */
DOT_INLINE void dot_high(const xncc_dot *d, dot_kind kind, int32_t x, dot_block *block)
{
    const ptrdiff_t step = (ptrdiff_t)d->groups * kind.count;
#define DOT_EDGE(jj)                                                                               \
    if (kind.live - 1 > (jj))                                                                      \
        dot_pass(d, kind, block, (jj) + 1, dot_image(d, kind, jj, x), d->table + (jj)*step,        \
                 dot_image(d, kind, d->rows + (jj), x), d->table + (d->rows + (jj)) * step);
    DOT_EACH_ROW(DOT_EDGE)
    for (int32_t jj = kind.live - 1; jj < d->rows; jj++) {
        const char *image = dot_image(d, kind, jj, x);
        const int32_t *table = d->table + jj * step;
        dot_pass(d, kind, block, kind.live, image, table, image, table);
    }
}

/* Computes `live` map rows of one vector's columns. */
DOT_INLINE void dot_tile(const xncc_dot *d, int32_t x, dot_kind kind)
{
    const vec start = vec_start(d);
    const dot_row none = { { start, start, start, start } };
    dot_block block = { none, none, none, none, none, none };
    if (d->rows >= kind.live - 1)
        dot_high(d, kind, x, &block);
    else
        dot_low(d, kind, x, &block);
#define DOT_STORE(r)                                                                               \
    if (kind.live > (r) && kind.bytes)                                                             \
        vec_store4(d->out + (r)*d->stride + x, block.row##r.s);                                    \
    if (kind.live > (r) && !kind.bytes)                                                            \
        vec_store2(d->out + (r)*kind.planes * d->stride + x, block.row##r.s);                      \
    if (kind.live > (r) && !kind.bytes && kind.planes == 2)                                        \
        vec_store2(d->out + ((r)*2 + 1) * d->stride + x, block.row##r.s + 2);
    DOT_EACH_ROW(DOT_STORE)
}

DOT_INLINE void dot_tiles(const xncc_dot *d, int bytes, int planes, int live)
{
    const dot_kind kind = { bytes, planes, planes * (bytes ? 4 : 2), live };
    for (int32_t x = d->first; x < d->columns; x += VEC_LANES * (bytes ? 4 : 2))
        dot_tile(d, x, kind);
}

/* Calls the loops specialized for the number of live rows, 1 .. most. */
DOT_INLINE void dot_live(const xncc_dot *d, int bytes, int planes, int most)
{
    switch (d->live < most ? d->live : most) {
    case 1: dot_tiles(d, bytes, planes, 1); return;
    case 2: dot_tiles(d, bytes, planes, 2); return;
    case 3: dot_tiles(d, bytes, planes, 3); return;
    case 4: dot_tiles(d, bytes, planes, most < 4 ? most : 4); return;
    case 5: dot_tiles(d, bytes, planes, most < 5 ? most : 5); return;
    default: dot_tiles(d, bytes, planes, most); return;
    }
}

/* The functions of xncc_direct_isa. */
static inline void dot_u8(const xncc_dot *d)
{
    dot_live(d, DOT_BYTES, 1, DOT_ROWS_U8);
}

static inline void dot_u16(const xncc_dot *d)
{
    dot_live(d, 0, 2, DOT_ROWS_U16);
}

#endif
