/* SPDX-License-Identifier: BSD-2-Clause */
/* The inner loops of `direct` for maps that are too narrow for dot.h: each lane of a vector is a
 * map column of its own. With dot.h a vector is as many columns as an image vector has pixels, so
 * that most of it is wasted on a map of 33 columns; here an image vector is made anew for each
 * dword of the template. Written once for all instruction sets. Beside what dot.h needs, which is
 * included before, the including file defines:
 * - lanes_bytes(at), lanes_words(at): a vector of which lane l has the pixels from pixel l on, as
 *   many as a dword of the template, in the form that vec_bytes or vec_words takes. `at` is the
 *   address of pixel 0 of a staged row.
 * - LANES_BYTES_TAPS: the bytes of a dword of the template, 4, or 2 if they are multiplied as words
 * - LANES_BYTES_ROWS, LANES_WORDS_ROWS: the most map rows at a time, at most 12
 *
 * Here a row of the template's table is `groups` dwords per plane, without shifts (direct.h). */
#ifndef XNCC_CPU_KERNELS_DOT_LANES_H
#define XNCC_CPU_KERNELS_DOT_LANES_H

/* The sums of one map row: per vector of columns, one per plane. */
typedef struct lanes_row {
    vec s[4];
} lanes_row;

typedef struct lanes_block {
    lanes_row row0, row1, row2, row3, row4, row5, row6, row7, row8, row9, row10, row11;
} lanes_block;

#define LANES_EACH_ROW(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)

/* What is the same for all blocks of a call; constant after inlining. vectors: of columns, 1 or 2.
 * live: map rows. */
typedef struct lanes_kind {
    int bytes, planes, vectors, live;
} lanes_kind;

/* The image vectors of one dword of the template. */
typedef struct lanes_image {
    vec v[2];
} lanes_image;

DOT_INLINE vec lanes_vector(lanes_kind kind, const char *row, int32_t g, int vector)
{
    /* a dword of the template has 4 bytes, or words */
    const int taps = kind.bytes ? (int)LANES_BYTES_TAPS : 2, element = kind.bytes ? 1 : 2;
    const char *at = row + ((ptrdiff_t)g * taps + vector * VEC_LANES) * element;
    return kind.bytes ? lanes_bytes(at) : lanes_words(at);
}

DOT_INLINE lanes_image lanes_load(lanes_kind kind, const char *row, int32_t g)
{
    lanes_image image;
    image.v[0] = lanes_vector(kind, row, g, 0);
    image.v[1] = kind.vectors > 1 ? lanes_vector(kind, row, g, 1) : image.v[0];
    return image;
}

DOT_INLINE void lanes_add(lanes_row *row, lanes_kind kind, const lanes_image *image,
                          const int32_t *t)
{
    for (int p = 0; p < kind.planes; p++)
        for (int v = 0; v < kind.vectors; v++)
            row->s[v * kind.planes + p] = kind.bytes ? vec_bytes(row->s[v * kind.planes + p],
                                                                 image->v[v], t, p)
                                                     : vec_words(row->s[v * kind.planes + p],
                                                                 image->v[v], t, p);
}

/* Multiplies one template row into each map row, as dot_pass does. */
DOT_INLINE void lanes_pass(const xncc_dot *d, lanes_kind kind, lanes_block *block, int split,
                           const char *upper, const int32_t *high, const char *lower,
                           const int32_t *low)
{
    const ptrdiff_t step = (ptrdiff_t)d->groups * kind.planes;
    for (int32_t g = 0; g < d->groups; g++) {
        const lanes_image above = lanes_load(kind, upper, g),
                          below = split < kind.live ? lanes_load(kind, lower, g) : above;
        const int32_t *ta = high + (ptrdiff_t)g * kind.planes,
                      *tb = low + (ptrdiff_t)g * kind.planes;
#define LANES_ADD(r)                                                                               \
    if (kind.live > (r))                                                                           \
        lanes_add(&block->row##r, kind, (r) < split ? &above : &below,                             \
                  ((r) < split ? ta : tb) - (r)*step);
        LANES_EACH_ROW(LANES_ADD)
    }
}

DOT_INLINE void lanes_store(const xncc_dot *d, lanes_kind kind, const lanes_row *row, int32_t r,
                            int32_t x)
{
    for (int p = 0; p < kind.planes; p++)
        for (int v = 0; v < kind.vectors; v++)
            __builtin_memcpy(d->out + (r * kind.planes + p) * d->stride + x + v * VEC_LANES,
                             &row->s[v * kind.planes + p], sizeof(vec));
}

/* Computes `live` map rows from row r on, of one or two vectors of columns. The edges are those of
 * dot_high; live is at most one more than the template's rows. */
DOT_INLINE void lanes_tile(const xncc_dot *d, lanes_kind kind, int32_t r, int32_t x)
{
    const vec none = vec_fill(0);
    const lanes_row empty = { { none, none, none, none } };
    lanes_block block = { empty, empty, empty, empty, empty, empty,
                          empty, empty, empty, empty, empty, empty };
    const ptrdiff_t step = (ptrdiff_t)d->groups * kind.planes, at = kind.bytes ? x : 2 * x;
    const void *const *row = d->row + r;
#define LANES_EDGE(jj)                                                                             \
    if (kind.live - 1 > (jj))                                                                      \
        lanes_pass(d, kind, &block, (jj) + 1, (const char *)row[jj] + at, d->table + (jj)*step,    \
                   (const char *)row[d->rows + (jj)] + at, d->table + (d->rows + (jj)) * step);
    LANES_EACH_ROW(LANES_EDGE)
    for (int32_t jj = kind.live - 1; jj < d->rows; jj++) {
        const char *image = (const char *)row[jj] + at;
        const int32_t *table = d->table + jj * step;
        lanes_pass(d, kind, &block, kind.live, image, table, image, table);
    }
#define LANES_STORE(i)                                                                             \
    if (kind.live > (i))                                                                           \
        lanes_store(d, kind, &block.row##i, r + (i), x);
    LANES_EACH_ROW(LANES_STORE)
}

/* Calls the loop specialized for the number of live rows. vectors: a constant. */
DOT_INLINE void lanes_live(const xncc_dot *d, int bytes, int planes, int vectors, int32_t live,
                           int32_t r, int32_t x)
{
    const int most = bytes ? (int)LANES_BYTES_ROWS : (int)LANES_WORDS_ROWS;
    switch (live) {
#define LANES_CASE(i)                                                                              \
    case (i) + 1:                                                                                  \
        if ((i) < most)                                                                            \
            lanes_tile(d, (lanes_kind){ bytes, planes, vectors, (i) + 1 }, r, x);                  \
        return;
        LANES_EACH_ROW(LANES_CASE)
    default: return;
    }
}

/* The pixels of a dword of the template, as they are in a lane. */
DOT_INLINE int32_t lanes_dword(int bytes, const char *at)
{
    int32_t dword;
    if (bytes && LANES_BYTES_TAPS == 2)
        return (uint8_t)at[0] | (int32_t)(uint8_t)at[1] << 16;
    __builtin_memcpy(&dword, at, sizeof dword);
    return dword;
}

/* Dwords of image rows, one array per dword of the template's rows. */
enum { LANES_GROUPS = 16, LANES_ROWS = 64, LANES_DWORDS = LANES_ROWS + 2 * VEC_LANES };
typedef struct lanes_columns {
    int32_t dword[LANES_GROUPS][LANES_DWORDS];
} lanes_columns;

/* Copies the dwords from group g on of `rows` image rows. Those of groups beyond the last one are
 * 0, up to a multiple of 4. */
DOT_INLINE int32_t lanes_turn(const xncc_dot *d, int bytes, const void *const *row, int32_t rows,
                              int32_t x, int32_t g, lanes_columns *to)
{
    const int taps = bytes ? (int)LANES_BYTES_TAPS : 2, element = bytes ? 1 : 2;
    const int32_t left = d->groups - g, count = left < LANES_GROUPS ? left : LANES_GROUPS,
                  all = (count + 3) / 4 * 4;
    for (int32_t y = 0; y < rows; y++) {
        const char *from = (const char *)row[y] + ((ptrdiff_t)g * taps + x) * element;
        for (int32_t i = 0; i < count; i++)
            to->dword[i][y] = lanes_dword(bytes, from + (ptrdiff_t)i * taps * element);
    }
    for (int32_t i = count; i < all; i++)
        __builtin_memset(to->dword[i], 0, sizeof to->dword[i]);
    return all;
}

/* Sums modulo 2^32: those of lanes beyond the last row may be of any size. */
typedef uint32_t lanes_sum __attribute__((vector_size(sizeof(vec))));

/* Computes map rows from row r on of the single column x: each lane is a map row. Every fourth
 * dword has sums of its own, so that no addition waits for the one before. Lanes beyond the last
 * row are computed from whatever the memory holds. */
DOT_INLINE void lanes_column(const xncc_dot *d, lanes_kind kind, int32_t r, int32_t x)
{
    const vec none = vec_fill(0);
    const lanes_row empty = { { none, none, none, none } };
    lanes_row part[4] = { empty, empty, empty, empty };
    lanes_columns columns;
    for (int32_t g0 = 0; g0 < d->groups; g0 += LANES_GROUPS)
        for (int32_t j0 = 0; j0 < d->rows; j0 += LANES_ROWS) {
            const int32_t rows = d->rows - j0 < LANES_ROWS ? d->rows - j0 : LANES_ROWS;
            const int32_t groups = lanes_turn(d, kind.bytes, d->row + r + j0, rows + kind.live - 1,
                                              x, g0, &columns);
            for (int32_t j = 0; j < rows; j++) {
                const int32_t *t = d->table + ((ptrdiff_t)(j0 + j) * d->groups + g0) * kind.planes;
                for (int32_t g = 0; g < groups; g += 4)
                    for (int q = 0; q < 4; q++) {
                        const int32_t *at = &columns.dword[g + q][j];
                        const lanes_image image = {
                            { vec_load(at), vec_load(at + (kind.vectors > 1 ? VEC_LANES : 0)) }
                        };
                        lanes_add(&part[q], kind, &image, t + (g + q) * kind.planes);
                    }
            }
        }
    for (int p = 0; p < kind.planes; p++) {
        int32_t sum[2 * VEC_LANES];
        for (int v = 0; v < kind.vectors; v++) {
            const int i = v * kind.planes + p;
            const lanes_sum all = ((lanes_sum)part[0].s[i] + (lanes_sum)part[1].s[i]) +
                                  ((lanes_sum)part[2].s[i] + (lanes_sum)part[3].s[i]);
            __builtin_memcpy(sum + v * VEC_LANES, &all, sizeof all);
        }
        for (int32_t i = 0; i < kind.live; i++)
            d->out[((r + i) * kind.planes + p) * d->stride + x] = sum[i];
    }
}

/* The rows of a tile, as alike as can be: at most `most`, and one more than the template has. */
DOT_INLINE int32_t lanes_rows(const xncc_dot *d, int32_t most)
{
    const int32_t limit = d->rows + 1 < most ? d->rows + 1 : most,
                  tiles = (d->live + limit - 1) / limit;
    return (d->live + tiles - 1) / tiles;
}

/* Computes all columns. Up to three beyond the last whole vector are computed one by one, which
 * takes less time than another vector. */
DOT_INLINE void lanes_map(const xncc_dot *d, int bytes, int planes)
{
    enum { SINGLE = 3 };
    const int32_t over = d->columns % VEC_LANES,
                  whole = over > SINGLE ? d->columns - over + VEC_LANES : d->columns - over,
                  rows = lanes_rows(d, bytes ? (int)LANES_BYTES_ROWS : (int)LANES_WORDS_ROWS);
    int32_t x = 0;
    for (; x + VEC_LANES < whole; x += 2 * VEC_LANES)
        for (int32_t r = 0; r < d->live; r += rows)
            lanes_live(d, bytes, planes, 2, d->live - r < rows ? d->live - r : rows, r, x);
    for (; x < whole; x += VEC_LANES)
        for (int32_t r = 0; r < d->live; r += rows)
            lanes_live(d, bytes, planes, 1, d->live - r < rows ? d->live - r : rows, r, x);
    for (; x < d->columns; x++)
        for (int32_t r = 0; r < d->live;) {
            const int32_t left = d->live - r;
            if (left > VEC_LANES)
                lanes_column(
                    d,
                    (lanes_kind){ bytes, planes, 2, left < 2 * VEC_LANES ? left : 2 * VEC_LANES },
                    r, x);
            else
                lanes_column(d, (lanes_kind){ bytes, planes, 1, left }, r, x);
            r += left > VEC_LANES ? 2 * VEC_LANES : VEC_LANES;
        }
}

/* The functions of xncc_direct_isa. */
static void dot_u8_lanes(const xncc_dot *d)
{
    lanes_map(d, 1, 1);
}

static void dot_u16_lanes(const xncc_dot *d)
{
    lanes_map(d, 0, 2);
}

#endif
