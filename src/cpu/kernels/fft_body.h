/* SPDX-License-Identifier: BSD-2-Clause */
/* The transforms of `fft` in vectors of FFT_LANES doubles (2, 4 or 8). The including file, one per
 * instruction set, defines FFT_LANES and FFT_ISA, the name of its transforms, and may define
 * FFT_STREAM(to, v), which writes a vector past the caches. Multiplications and
 * additions may be contracted here, because only the rounded result matters and its error bound
 * holds either way.
 *
 * Along columns, every lane is a column. Along a row of N = lanes * m elements, lane l holds
 * elements l, l + lanes, and so on. The vectors are transformed over m as columns are, then
 * multiplied by w_N^(l * k). After a transposition of lanes x lanes elements, a transform of length
 * FFT_LANES combines the lanes.
 *
 * The twist of a row (fft.h) multiplies element j by w^j, w = w_4N^-1: vector i by w^(lanes * i) as
 * it is loaded, and lane l by w^l, which is a part of the factors between the lanes. */
#ifndef XNCC_CPU_KERNELS_FFT_BODY_H
#define XNCC_CPU_KERNELS_FFT_BODY_H

#include "cpu/kernels/fft_planes.h"
#include "cpu/kernels/store_part.h"
#include "cpu/kernels/variants.h"

#include <float.h>
#include <math.h>
#include <string.h>

static uint64_t table_bytes(int32_t nx, int32_t ny)
{
    return (uint64_t)lane_twiddles_at(nx, ny) * sizeof(double) +
           (uint64_t)(nx / FFT_LANES) * sizeof(vc);
}

/* Returns the frequency at position p of the output of a forward transform of length n. */
static int32_t frequency(int32_t n, int32_t p)
{
    if (n == 4)
        return p;
    if (n == 8)
        return p < 4 ? 2 * p : 2 * (p - 4) + 1;
    const int32_t r = xncc_fft_odd(n);
    if (r > 1)
        return r * frequency(n / r, p % (n / r)) + p / (n / r);
    return 4 * frequency(n / 4, p % (n / 4)) + p / (n / 4);
}

_Static_assert(LDBL_MANT_DIG >= 64, "the bound of the transforms needs roots rounded once");

static void root(int64_t k, int64_t n, double *re, double *im)
{
    const long double angle = -2.0L * 3.14159265358979323846264338327950288L *
                              (long double)(k % n) / (long double)n;
    *re = (double)cosl(angle);
    *im = (double)sinl(angle);
}

static void odd_table(int32_t n, double *table)
{
    const int32_t r = xncc_fft_odd(n);
    for (int32_t j = 0; j < n / r && r > 1; j++)
        for (int32_t k = 1; k < r; k++, table += 2)
            root((int64_t)j * k, n, &table[0], &table[1]);
}

static void tables(int32_t nx, int32_t ny, void *memory)
{
    double *table = memory;
    odd_table(nx / FFT_LANES, table + places_of(nx, ny).at[0]);
    odd_table(ny, table + places_of(nx, ny).at[1]);
    for (int32_t n = 16; n <= longest(nx, ny); n *= 2)
        for (int32_t j = 0; j < n / 4; j++)
            for (int32_t k = 1; k <= 3; k++)
                root((int64_t)j * k, n, &table[twiddle_at(n) + 6 * j + 2 * (k - 1)],
                     &table[twiddle_at(n) + 6 * j + 2 * (k - 1) + 1]);
    double *twist = table + places_of(nx, ny).at[2];
    vc *lanes = (vc *)(void *)(table + lane_twiddles_at(nx, ny));
    for (int32_t p = 0; p < nx / FFT_LANES; p++) {
        double re[FFT_LANES], im[FFT_LANES];
        root(p, 4 * (int64_t)(nx / FFT_LANES), &twist[2 * p], &twist[2 * p + 1]);
        for (int32_t l = 0; l < FFT_LANES; l++)
            root(l * (4 * (int64_t)frequency(nx / FFT_LANES, p) - 1), 4 * (int64_t)nx, &re[l],
                 &im[l]);
        memcpy(&lanes[p].re, re, sizeof re);
        memcpy(&lanes[p].im, im, sizeof im);
    }
}

/* Loads FFT_LANES pixels and subtracts the shift. */
FFT_INLINE vd pixels(const void *from, int words)
{
    if (!words) {
        vb v;
        memcpy(&v, from, sizeof v);
        return __builtin_convertvector(__builtin_convertvector(v, vi), vd) - 128.0;
    }
    vw v;
    memcpy(&v, from, sizeof v);
    return __builtin_convertvector(__builtin_convertvector(v, vi), vd) - 32768.0;
}

/* Loads vector i of a row of `count` pixels, with zeros past the row's end. */
FFT_INLINE vd some_pixels(const void *row, int words, int32_t i, int32_t count)
{
    const size_t size = words ? 2 : 1;
    const char *from = (const char *)row + (size_t)i * FFT_LANES * size;
    int32_t left = count - i * FFT_LANES;
    if (left >= FFT_LANES)
        return pixels(from, words);
    double value[FFT_LANES] = { 0 };
    for (int32_t k = 0; k < left; k++)
        value[k] = words ? (double)((const uint16_t *)from)[k] - 32768.0
                         : (double)((const uint8_t *)from)[k] - 128.0;
    vd v;
    memcpy(&v, value, sizeof v);
    return v;
}

static void row_in(const void *table, const xncc_fft_blocking *blocking, const xncc_fft_pixels *p,
                   void *row)
{
    vc *x = row;
    const int32_t m = blocking->nx / FFT_LANES;
    for (int32_t i = 0; i < m; i++) {
        x[i].re = some_pixels(p->row, p->words, i, p->count);
        x[i].im = some_pixels(p->row, p->words, m + i, p->count);
    }
    row_forward(table, blocking, place_of(x), x, place_of(x), FFT_ROW);
}

static void reals_in(const void *table, const xncc_fft_blocking *blocking, const double *line,
                     void *row)
{
    row_forward(table, blocking, place_of_reals(line, blocking), row, place_of(row), FFT_ROW);
}

/* A row has one vector more than it needs, so that rows are not a power of two apart. */
static uint64_t row_bytes(int32_t nx)
{
    return (uint64_t)(nx / FFT_LANES + 1) * sizeof(vc);
}

/* The first rows of column i of an array; 0: all of them. */
FFT_INLINE fft_place column_place(char *array, const xncc_fft_blocking *blocking, int32_t i,
                                  int32_t rows)
{
    return (fft_place){ .at = array + (ptrdiff_t)i * (ptrdiff_t)sizeof(vc),
                        .step = (ptrdiff_t)row_bytes(blocking->nx),
                        .rows = rows ? rows : blocking->ny };
}

/* Transforms a column of an array of a template into its spectrum, scaled. */
FFT_INLINE void templ_column(const fft_side *side, const xncc_fft_blocking *c, char *array,
                             int32_t i, int32_t rows, vc *column)
{
    const fft_place from = column_place(array, c, i, rows);
    first_step(side, &from, column, FFT_COLUMN);
    inner_steps(side, FORWARD, column, NULL);
    scale_points(column, c->ny, 1.0 / ((double)c->nx * (double)c->ny));
}

/* Transforms the rows of a template into its spectrum. The columns are stored one after the other,
 * as convolve reads them. */
static void columns(const void *table, const xncc_fft_blocking *blocking, const xncc_watch *watch,
                    const xncc_fft_part *p)
{
    const fft_side of_column = side_of(table, blocking, 1);
    const int32_t end = first_column(blocking, p->part + 1, p->parts);
    for (int32_t i = first_column(blocking, p->part, p->parts);
         i < end && !xncc_is_cancelled(watch); i++)
        templ_column(&of_column, blocking, p->array, i, p->rows,
                     (vc *)p->spectrum + (ptrdiff_t)i * blocking->ny);
}

/* With one product and no spectrum to keep, a column is transformed, multiplied and transformed
 * back part by part, while the part is in the first-level cache. Only then may the template's
 * columns be yet to be transformed. */
static void convolve(const void *table, const xncc_fft_blocking *blocking, const xncc_watch *watch,
                     xncc_fft_source source, char *const array[2], char *const spectrum[2],
                     void *buffer)
{
    const fft_side of_column = side_of(table, blocking, 1);
    const int once = !source.spectrum && !source.known && blocking->planes == 1;
    vc *const product = (vc *)buffer + blocking->ny;
    const int32_t end = first_column(blocking, source.part + 1, source.parts);
    for (int32_t i = first_column(blocking, source.part, source.parts);
         i < end && !xncc_is_cancelled(watch); i++) {
        vc *column = source.spectrum ? (vc *)source.spectrum + (ptrdiff_t)i * blocking->ny : buffer;
        const fft_place from = column_place(array[0], blocking, i, source.rows);
        if (!source.known)
            first_step(&of_column, &from, column, FFT_COLUMN);
        if (!source.known && !once)
            inner_steps(&of_column, FORWARD, column, NULL);
        for (int32_t plane = 0; plane < blocking->planes; plane++) {
            const vc *t = (const vc *)(const void *)spectrum[plane] + (ptrdiff_t)i * blocking->ny;
            if (source.templ_rows) {
                templ_column(&of_column, blocking, spectrum[0], i, source.templ_rows, product);
                t = product;
            }
            const fft_place to = column_place(array[plane], blocking, i, source.wanted);
            vc *sum = once ? column : product;
            if (!once)
                multiply(column, t, product, blocking->ny);
            inner_steps(&of_column, once ? FORWARD | BACKWARD : BACKWARD, sum, once ? t : NULL);
            last_step(&of_column, sum, &to, FFT_COLUMN);
        }
    }
}

/* Points of columns of planes, of the spectra of their templates, and of the sum so far. */
typedef struct fft_sum {
    vc *column; /* of the first plane; those of the others follow, each `step` points later */
    ptrdiff_t step;
    const vc *templ[XNCC_FFT_AT_ONCE];
    vc *sum; /* NULL: none */
    int first, last;
} fft_sum;

/* The sums of products of the points from y on, in the place of the first column or in `sum`.
 * count: that of the planes, a constant. */
FFT_INLINE void sum_points(const fft_sum *s, int32_t y, int32_t end, int count)
{
    for (; y < end; y++) {
        vc sum = s->first ? (vc){ vd_fill(0.0), vd_fill(0.0) } : s->sum[y];
        for (int k = 0; k < count; k++)
            sum = vc_add(sum, vc_twiddle(s->column[k * s->step + y], s->templ[k][y].re,
                                         s->templ[k][y].im, 1));
        (s->last ? s->column : s->sum)[y] = sum;
    }
}

/* All planes of a column are transformed, multiplied and transformed back part by part, as in
 * convolve. */
static void add_products(const void *table, const xncc_fft_blocking *blocking,
                         const xncc_watch *watch, const xncc_fft_products *p)
{
    const fft_side of_column = side_of(table, blocking, 1);
    const fft_way forward = { of_column.table, FORWARD }, back = { of_column.table, BACKWARD };
    const int32_t ny = blocking->ny, part = ny / of_column.r;
    fft_sum s = {
        .column = p->buffer, .step = ny + XNCC_FFT_PIECE, .first = p->first, .last = p->last
    };
    const int32_t end = first_column(blocking, p->part + 1, p->parts);
    for (int32_t i = first_column(blocking, p->part, p->parts);
         i < end && !xncc_is_cancelled(watch); i++) {
        const ptrdiff_t at = (ptrdiff_t)i * ny;
        s.sum = p->sum ? (vc *)p->sum + at : NULL;
        for (int k = 0; k < p->count; k++) {
            const fft_place from = column_place(p->array[k], blocking, i, p->rows);
            s.templ[k] = (const vc *)p->templ[k] + at;
            first_step(&of_column, &from, s.column + k * s.step, FFT_COLUMN);
        }
        for (int32_t y = 0; y < ny; y += part) {
            for (int k = 0; k < p->count; k++)
                transform(&forward, s.column + k * s.step + y, part, NULL);
            switch (p->count) {
            case 1: sum_points(&s, y, y + part, 1); break;
            case 2: sum_points(&s, y, y + part, 2); break;
            case 3: sum_points(&s, y, y + part, 3); break;
            default: sum_points(&s, y, y + part, XNCC_FFT_AT_ONCE);
            }
            if (p->last)
                transform(&back, s.column + y, part, NULL);
        }
        const fft_place to = column_place(p->array[0], blocking, i, p->wanted);
        if (p->last)
            last_step(&of_column, s.column, &to, FFT_COLUMN);
    }
}

/* Stores the first `left` of FFT_LANES elements, each of `size` bytes. A whole vector is stored at
 * once, without the call that a number of bytes takes that the compiler does not know. */
FFT_INLINE void store_left(void *out, const void *vector, int32_t left, size_t size)
{
    if (left >= FFT_LANES)
        memcpy(out, vector, FFT_LANES * size);
    else if (left > 0)
        xncc_store_part(out, vector, (size_t)left * size);
}

/* Rounds to the nearest integers. For |v| below 2^51, the low bits of 1.5 * 2^52 + v are those of
 * v. */
FFT_INLINE void round_out(vd v, int32_t left, int64_t *out)
{
    vl bits = (vl)(v + 0x1.8p52) - (vl)vd_fill(0x1.8p52);
    store_left(out, &bits, left, sizeof *out);
}

static void row_out(const void *table, const xncc_fft_blocking *blocking, void *row, int32_t count,
                    int64_t *out)
{
    vc *x = row;
    row_backward(table, blocking, place_of(x), FFT_ROW, x, count, NULL);
    for (int32_t at = 0; at < count && at < blocking->nx; at += FFT_LANES) {
        const int32_t i = at / FFT_LANES, second = at + blocking->nx;
        round_out(x[i].re, count - at, out + at);
        round_out(x[i].im, count - second, out + second);
    }
}

/* The same to 32 bits. */
FFT_INLINE void round_out_narrow(vd v, int32_t more, int32_t left, int32_t *out)
{
    const vd whole = (v + 0x1.8p52) - 0x1.8p52;
    const vi value = __builtin_convertvector(whole, vi) + more;
    store_left(out, &value, left, sizeof *out);
}

static void row_out_narrow(const void *table, const xncc_fft_blocking *blocking, void *row,
                           int32_t count, int32_t more, int32_t *out)
{
    vc *x = row;
    row_backward(table, blocking, place_of(x), FFT_ROW, x, count, NULL);
    for (int32_t at = 0; at < count && at < blocking->nx; at += FFT_LANES) {
        const int32_t i = at / FFT_LANES, second = at + blocking->nx;
        round_out_narrow(x[i].re, more, count - at, out + at);
        round_out_narrow(x[i].im, more, count - second, out + second);
    }
}

static void results(const xncc_fft_blocking *blocking, const void *row, int32_t count, double *out)
{
    const vc *x = row;
    for (int32_t at = 0; at < count && at < blocking->nx; at += FFT_LANES) {
        const int32_t i = at / FFT_LANES, second = at + blocking->nx;
        store_left(out + at, &x[i].re, count - at, sizeof *out);
        store_left(out + second, &x[i].im, count - second, sizeof *out);
    }
}

static void reals_out(const void *table, const xncc_fft_blocking *blocking, void *row,
                      int32_t count, double *out)
{
    row_backward(table, blocking, place_of(row), FFT_ROW, row, count, out);
}

/* The transforms of this build. */
const xncc_fft_isa FFT_ISA = { row_bytes,   table_bytes,    tables,           row_in,
                               reals_in,    columns,        convolve,         add_products,
                               plane_bytes, plane_row_in,   sums_of_products, plane_row_out,
                               row_out,     row_out_narrow, reals_out,        results };

#endif
