/* SPDX-License-Identifier: BSD-2-Clause */
/* Attacks the bounds of plan/fft_blocking.h on whole transforms (attack.c). */
#include "cpu/kernels/reals_run.h"
#include "cpu/kernels/variants.h"
#include "kit/kit.h"
#include "unit/attack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDES = 3, MOST_SIDE = 96, TEMPL = 6, PERIOD = 8, PARTS = 3 };

/* The memory of a transform of side x side points. */
typedef struct transforms {
    const xncc_fft_isa *isa;
    xncc_fft_blocking blocking;
    void *table, *spectrum, *buffer;
    char *array;
} transforms;

static void *memory_of(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 127) / 64 * 64);
    if (!p)
        kit_give_up("no memory");
    memset(p, 0, bytes);
    return p;
}

static transforms transforms_of(const xncc_fft_isa *isa, int32_t side)
{
    transforms t = { .isa = isa,
                     .blocking = { .nx = side,
                                   .ny = side,
                                   .across = 2 * side - TEMPL + 1,
                                   .down = side - TEMPL + 1,
                                   .planes = 1 } };
    t.table = memory_of(isa->table_bytes(side, side));
    t.spectrum = memory_of((size_t)side * (size_t)side * 16);
    t.buffer = memory_of(XNCC_FFT_AT_ONCE * ((size_t)side + XNCC_FFT_PIECE) * XNCC_FFT_COLUMN);
    t.array = memory_of(isa->row_bytes(side) * (uint64_t)side);
    isa->tables(side, side, t.table);
    return t;
}

/* Sample (x, y) of a plane of the image: the first 64 numbers of the input, in both directions,
 * each three times, so that the samples that a step of any radix combines differ. Each plane begins
 * with another number, and so does each plane of the template. */
static double image_at(const input *in, int plane, int x, int y)
{
    return in->v[(x / 3 + 3 * plane) % PERIOD + PERIOD * (y / 3 % PERIOD)];
}

static double templ_at(const input *in, int plane, int x, int y)
{
    return in->v[PERIOD * PERIOD + (x + TEMPL * y + 5 * plane) % (TEMPL * TEMPL)];
}

static xncc_progress progress;
static const xncc_watch watch = { .progress = &progress };

/* Transforms a plane of the template. Returns the sum of its squares. */
static double transform_templ(const transforms *t, const input *in, int plane)
{
    const uint64_t step = t->isa->row_bytes(t->blocking.nx);
    double line[2 * MOST_SIDE] = { 0 }, square = 0.0;
    memset(t->array, 0xff, step * (uint64_t)t->blocking.ny); /* NaN, which counts as 0 */
    for (int j = 0; j < TEMPL; j++) {
        for (int i = 0; i < TEMPL; i++) {
            line[i] = templ_at(in, plane, i, j);
            square += line[i] * line[i];
        }
        t->isa->reals_in(t->table, &t->blocking, line, t->array + (uint64_t)j * step);
    }
    for (int part = 0; part < PARTS; part++)
        t->isa->columns(t->table, &t->blocking, &watch,
                        &(xncc_fft_part){ t->array, TEMPL, part, PARTS, t->spectrum });
    return square;
}

/* Transforms the rows of a plane of the image. Returns the bound of the error of its products with
 * a template of norm 1, of which `added` sums are added to it. */
static double transform_image(const transforms *t, const input *in, int plane, int added)
{
    const int32_t side = t->blocking.nx;
    const double of_rows = xncc_fft_rows_error(&t->blocking),
                 of_all = xncc_fft_real_error(&t->blocking) - of_rows + 1.01 * 0x1p-53 * added;
    double line[2 * MOST_SIDE] = { 0 }, square[MOST_SIDE] = { 0 };
    for (int y = 0; y < side; y++) {
        for (int x = 0; x < 2 * side; x++) {
            line[x] = image_at(in, plane, x, y);
            square[y] += line[x] * line[x];
        }
        t->isa->reals_in(t->table, &t->blocking, line,
                         t->array + (uint64_t)y * t->isa->row_bytes(side));
    }
    return of_all * xncc_reals_band(square, side, side) +
           of_rows * xncc_reals_band(square, side, TEMPL);
}

/* The largest error of the sums of products of some planes that were transformed. */
static double largest_error(const transforms *t, const input *in, int planes)
{
    const int32_t side = t->blocking.nx;
    const int apart = (side - TEMPL) / (PERIOD - 1), /* the windows that are looked at */
        across = (2 * side - TEMPL) / (PERIOD - 1);
    double out[2 * MOST_SIDE], most = 0.0;
    for (int y = 0; y < PERIOD * apart; y += apart) {
        t->isa->reals_out(t->table, &t->blocking, t->array + (uint64_t)y * t->isa->row_bytes(side),
                          2 * side - TEMPL + 1, out);
        for (int x = 0; x < PERIOD * across; x += across) {
            double want = 0.0;
            for (int p = 0; p < planes; p++)
                for (int j = 0; j < TEMPL; j++)
                    for (int i = 0; i < TEMPL; i++)
                        want += image_at(in, p, x + i, y + j) * templ_at(in, p, i, j);
            most = fmax(most, fabs(out[x] - want));
        }
    }
    return most;
}

/* The error of a transform of integers, whose products are exact in double. */
static double of_transform(const input *in, void *state)
{
    const transforms *t = state;
    const double t2 = transform_templ(t, in, 0), bound = transform_image(t, in, 0, 0);
    char *const array[2] = { t->array, NULL };
    void *const spectrum[2] = { t->spectrum, NULL };
    t->isa->convolve(t->table, &t->blocking, &watch, (xncc_fft_source){ .spectrum = NULL }, array,
                     (char *const *)spectrum, t->buffer);
    return largest_error(t, in, 1) / (bound * sqrt(t2) + 0x1p-1000);
}

static transforms portable[SIDES];

/* Two transforms of the same size, and the memory of a sum of products. */
static struct {
    transforms of[2];
    void *sum;
} together;

/* The same of three planes, of which first two and then one are added before they are transformed
 * back. */
static double of_planes(const input *in, void *state)
{
    enum { PLANES = 3 };
    const transforms *t = together.of;
    char *const array[] = { t[0].array, t[1].array };
    const void *const templ[] = { t[0].spectrum, t[1].spectrum };
    double bound = 0x1p-1000;
    (void)state;
    for (int p = 0; p < PLANES; p++) {
        const transforms *one = &t[p % 2];
        bound += sqrt(transform_templ(one, in, p)) * transform_image(one, in, p, PLANES - 1);
        if (p % 2 == 1 || p == PLANES - 1)
            t->isa->add(t->table, &t->blocking, &watch,
                        &(xncc_fft_products){ .count = 1 + p % 2,
                                              .array = array,
                                              .templ = templ,
                                              .sum = together.sum,
                                              .first = p < 2,
                                              .last = p == PLANES - 1,
                                              .buffer = t->buffer });
    }
    return largest_error(t, in, PLANES) / bound;
}

void attack_transforms_begin(attack attacks[TRANSFORM_ATTACKS])
{
    static const int32_t sides[SIDES] = { 64, 96, 80 };
    static const char *const names[SIDES] = { "transforms", "transforms of 3 times a power of two",
                                              "transforms of 5 times a power of two" };
    enum { NUMBERS = PERIOD * PERIOD + TEMPL * TEMPL };
    for (int i = 0; i < SIDES; i++) {
        portable[i] = transforms_of(&xncc_fft_isa_portable, sides[i]);
        attacks[i] = (attack){ names[i], of_transform, NUMBERS, NUMBERS, 1, &portable[i] };
    }
    for (int i = 0; i < 2; i++)
        together.of[i] = transforms_of(&xncc_fft_isa_portable, sides[0]);
    together.sum = memory_of((size_t)sides[0] * (size_t)sides[0] * 16);
    attacks[SIDES] = (attack){
        "sums of transforms of three planes", of_planes, NUMBERS, NUMBERS, 1, NULL
    };
}

static void transforms_end(transforms *t)
{
    free(t->table);
    free(t->spectrum);
    free(t->buffer);
    free(t->array);
}

void attack_transforms_end(void)
{
    for (int i = 0; i < SIDES; i++)
        transforms_end(&portable[i]);
    for (int i = 0; i < 2; i++)
        transforms_end(&together.of[i]);
    free(together.sum);
}
