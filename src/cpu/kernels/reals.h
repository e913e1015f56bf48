/* SPDX-License-Identifier: BSD-2-Clause */
/* Matching of floats. The score of a window is defined by math/exact_score.h. Computing it for
 * every window is slow, so a rectangle of the map takes three steps:
 *
 * 1. Approximate sums in double, by a kernel of products (`direct` or `fft`), with a proven bound
 * of each error. From them follows an interval that holds the score. Where both of its ends round
 * to one float, that float is the score. Elsewhere XNCC_DOUBT is written.
 * 2. For each window in doubt, the sums again in pairs of doubles (reals_refine.c), whose interval
 *    is about 2^-50 as wide.
 * 3. Where that does not decide, the exact sums.
 *
 * Many windows of doubles that are far apart have plain sums of scaled samples before step 2
 * (reals_far.c).
 *
 * Where the samples of the image and of the template are multiples of powers of two with few bits,
 * as integers are, step 1 makes all sums exact and scores them exactly (reals_grid.c).
 *
 * docs/numerics.md derives the bounds. Below, u = 2^-53, and |x| is the root of the sum of the
 * squares of all samples of the rectangle, less the pivot. */
#ifndef XNCC_CPU_KERNELS_REALS_H
#define XNCC_CPU_KERNELS_REALS_H

#include "cpu/kernels/fft.h"
#include "cpu/kernels/kernel.h"
#include "cpu/kernels/reals_digits.h"
#include "cpu/kernels/reals_moduli.h"
#include "cpu/kernels/stage.h"
#include "math/near.h"
#include "plan/recipe.h"

#include <math.h>

/* A row of samples that becomes doubles: sample - pivot, and 0 where the pixel does not count or is
 * not finite. */
typedef struct xncc_reals_line {
    const void *raw;  /* as the image stores it */
    xncc_pixel pixel; /* f32, f64 or u32 */
    int32_t channels, channel, width;
    double pivot;
    const uint8_t *count; /* 1 where the pixel counts, else 0; NULL: all count */
    int32_t power;        /* 2: the squares of the doubles; 0: 1 where the pixel counts */
    double *out;
} xncc_reals_line;

/* What a row was found to hold: the sum of squares of the doubles written, and whether a pixel that
 * counts is not finite. */
typedef struct xncc_reals_found {
    double square;
    int32_t bad;
} xncc_reals_found;

/* What a row of doubles was found to hold: the largest magnitude, and whether all of them equal a
 * number. */
typedef struct xncc_reals_range {
    double most;
    int32_t equal;
} xncc_reals_range;

/* Of numbers: the least and the largest, and the largest power of two of which all are multiples
 * (an infinity if all are 0). */
typedef struct xncc_reals_span {
    double low, high, unit;
} xncc_reals_span;

/* The largest magnitude of numbers with this span. */
static inline double xncc_reals_most(const xncc_reals_span *span)
{
    return fmax(fabs(span->low), fabs(span->high));
}

/* The sums of a row in pairs of doubles. */
typedef struct xncc_twofold_sums {
    xncc_twofold S, Q, X;
} xncc_twofold_sums;

/* Bounds of the errors of the sums of a channel, in every window of the rectangle. */
typedef struct xncc_reals_errors {
    double X, S, Q, T, T2; /* absolute */
    double of_Q;           /* relative to n*Q, of n*Q - S*S */
    double S_window;       /* of S, whatever it comes from */
    double of_X, of_rest;  /* X is also off by at most of_X times the root of Q, and of_rest; of_X
                              0: unknown */
} xncc_reals_errors;

/* A row of windows. Sums that are NULL are constants, or are not needed. */
typedef struct xncc_reals_row {
    xncc_method method;
    int32_t count;
    const double *X, *S, *Q, *N, *T, *T2;
    double n, templ_sum, templ_square; /* the constants for N, T and T2 */
    double templ_root;                 /* the constant root of the template's term, if no T2 */
    /* sqdiff_normed: the pivot of image and template, which the image's term is to be freed of. */
    double shift;
    xncc_reals_errors error;
    /* The terms of the channels before, and their errors, if there are several: numerator, image,
     * templ, and the errors of each. */
    double *total[6];
    const double *before_Q; /* at least Q of the channels before, all together; NULL: 0 */
    int32_t first, last;    /* 1: the first, the last channel */
    double least;           /* windows in which fewer pixels count score NaN */
    /* The units of the samples, less the pivots, if all sums are exact once they are rounded to
     * multiples of products of these units; else 0. */
    double unit, templ_unit;
    int32_t exact;     /* 1: that holds for all channels, so the score is exact */
    float flat, equal; /* the score where a normed method would divide by 0, if the numerator is not
                          0 and if it is 0 */
    float *out;
} xncc_reals_row;

/* Window sums of a row, and what becomes of them for the scores of normed methods: 1 / root of the
 * image's term, and a bound of its relative error, beside roundings; infinite if there is none. */
typedef struct xncc_reals_inverses {
    const double *S, *Q;
    double n;
    xncc_reals_errors error;
    int32_t centred, count;
    double *inverse, *relative;
} xncc_reals_inverses;

/* A row of windows whose scores of a normed method are products with inverses. */
typedef struct xncc_reals_quotients {
    const double *X, *S, *inverse, *relative;
    double n, templ_sum; /* 1 and 0 if the method does not subtract means */
    double factor;       /* the inverse of the template's root */
    double error, per_S; /* of the numerator: error + per_S * |S|, beside roundings */
    int32_t count;
    float *out; /* has room for whole vectors */
} xncc_reals_quotients;

/* A correlation of lines with a template plane whose rows have `width` doubles, by the direct
 * kernel. */
typedef struct xncc_reals_meeting {
    const double *line, *templ;
    int32_t width;
    int32_t y;           /* the line's row in the rectangle */
    int32_t first, last; /* the rows of windows that contain it */
    int32_t columns;     /* windows per row */
    double *sum;
    int32_t stride;
    const xncc_watch *watch;
} xncc_reals_meeting;

/* Products of windows with a part of the template. */
typedef struct xncc_reals_gathering {
    const double *line; /* the first row of the image, and of the first row of windows */
    ptrdiff_t step;     /* from one to the next */
    const double *templ;
    ptrdiff_t templ_step;  /* from one row to the next */
    int32_t width, height; /* of the part */
    int32_t rows, columns; /* of windows */
    double *sum;
    ptrdiff_t stride;
    int32_t more; /* 1: they are added to the sums that are there */
    const xncc_watch *watch;
} xncc_reals_gathering;

/* Products of windows of a plane of the image with several planes of a template. Those with plane k
 * go to sum + k * sum_step, and are added to what is there if bit k of `more` is set. */
typedef struct xncc_reals_spreading {
    const double *line; /* rows of the image, `step` apart */
    ptrdiff_t step;
    const uint64_t *used; /* rows of which used[y] has not this bit are all 0 */
    uint64_t bit;
    const double *templ; /* the samples of all planes side by side */
    int32_t planes, width, height;
    int32_t rows, columns; /* of windows */
    double *sum;
    ptrdiff_t stride, sum_step;
    uint32_t more;
    const xncc_watch *watch;
} xncc_reals_spreading;

/* Lines that enter column sums, one by one, and as many that leave unless `leave` is NULL: the
 * first one, and the bytes to the next. They are samples of f32, f64 or u32, from which the pivot
 * is to be subtracted. */
typedef struct xncc_reals_slide {
    const void *enter, *leave;
    xncc_pixel pixel;
    int32_t count, rows;
    ptrdiff_t pitch;
    double pivot;
} xncc_reals_slide;

/* Sums of the last rows that entered, per column: [0] of their samples, [1] of their squares. As
 * with products that are added (below), high begins at 1.5 times a power of two that the sums do
 * not reach, and low collects what high leaves. */
typedef struct xncc_reals_columns {
    double *high[2], *low[2];
    double *sum[2]; /* high and low together, rounded once */
    double begin[2];
    int32_t added; /* rows since low was made small */
    /* The doubles from the sums of a row that slides to those of the next one, of which there is
     * room for so many; of rows that only enter, the last one alone has sums. */
    ptrdiff_t step;
    int32_t rows;
} xncc_reals_columns;

/* Rows after which low is made small, so that its roundings stay so, too. */
enum { XNCC_COLUMN_ROWS = 16 };

/* Rows that slide at a time where they can: the sums of a vector stay in registers between them. */
enum { XNCC_SLIDE_ROWS = 4 };

/* Begins sums of at most `height` rows at a time, and the next one. norm: |x| of all rows. doubles:
 * of the rows of sums, all of them. Sums that may exceed 2^1000 are NaN, so that their windows stay
 * in doubt. */
static inline void xncc_reals_columns_begin(xncc_reals_columns *c, double norm, double height,
                                            size_t doubles)
{
    const double most[] = { 1.01 * sqrt(height + 1.0) * norm, 1.01 * norm * norm };
    for (int i = 0; i < 2; i++) {
        c->begin[i] = most[i] < 0x1p1000 ? 1.5 * ldexp(1.0, ilogb(most[i]) + 2) : INFINITY;
        for (size_t x = 0; x < doubles; x++) {
            c->high[i][x] = c->begin[i];
            c->low[i][x] = 0.0;
        }
        for (int32_t k = 0; k < c->rows; k++)
            for (size_t x = 0; x < doubles; x++)
                c->sum[i][k * c->step + (ptrdiff_t)x] = 0.0;
    }
    c->added = 0;
}

/* What the sums over `width` columns may be off by after so many rows have entered, beside
 * roundings: relative to norm times the root of the height, and to the square of norm. */
static inline double xncc_reals_columns_error(double width, double rows)
{
    return width * rows * 0x1p-98;
}

/* The bounds of the sums S and Q of windows that slide over so many rows, of those that are asked
 * for; of Q, what is added to its bound. norm: |x| of all rows. */
static inline void xncc_reals_slid_errors(double width, double height, double rows, double norm,
                                          int S, int Q, xncc_reals_errors *e)
{
    const double u = 0x1p-53, doublings = 4.0 + ceil(log2(width + 1.0)),
                 slid = xncc_reals_columns_error(width, rows);
    e->of_Q = 8.0 * u;
    if (S) {
        e->S = slid * sqrt(height) * norm;
        e->S_window = doublings * u * sqrt(width * height) * norm + e->S;
        e->of_Q += 2.0 * doublings * u;
    }
    if (Q) {
        e->Q += slid * norm * norm;
        e->of_Q += doublings * u;
    }
}

/* Samples of the image and of the template, less their pivots, are cut in two: the leading part is
 * the sample rounded to a multiple of a unit, a power of two, and the rest is what that leaves. The
 * units are 0 if the samples are not cut. */
typedef struct xncc_reals_parts {
    double unit, templ_unit;
} xncc_reals_parts;

/* Sums of products side by side. Each begins at `high` = 1.5 times a power of two that no partial
 * sum reaches, so that high collects numbers rounded to multiples of one unit, without an error;
 * low collects what that leaves. The numbers are sums of up to XNCC_CUT_PART products. */
enum { XNCC_CUT_SUMS = 16, XNCC_CUT_PART = 4 };
enum { XNCC_CUT_WINDOWS = 4 }; /* windows whose products may be added at a time */
typedef struct xncc_reals_cut_sums {
    double high[XNCC_CUT_SUMS], low[XNCC_CUT_SUMS];
} xncc_reals_cut_sums;

/* What is added to them: for each window, the products of `rows` rows of samples less the pivot and
 * of the template's less theirs. Pixels of several channels are samples side by side, of which each
 * has its own pivots. */
typedef struct xncc_reals_cut_rows {
    xncc_reals_slide line;               /* what rows of samples are */
    const void *enter[XNCC_CUT_WINDOWS]; /* the first one of each window */
    int32_t windows;                     /* 1 or XNCC_CUT_WINDOWS */
    ptrdiff_t pitch;                     /* bytes to the next row */
    const void *templ;                   /* floats if the line is of floats, else doubles */
    ptrdiff_t templ_pitch;               /* bytes to its next row; `products` does not read it */
    double pivot;                        /* of the template */
    int32_t rows;
    /* The pivots of each sample of a row, of the image and of the template, which is then of the
     * line's type; NULL: all samples have the same. */
    const double *pivots[2];
} xncc_reals_cut_rows;

/* Begins sums of products whose sizes add up to less than `most`, between 2^-600 and 2^600. */
static inline void xncc_reals_cut_begin(xncc_reals_cut_sums *s, double most)
{
    const double high = 1.5 * ldexp(1.0, ilogb(most) + 3);
    for (int i = 0; i < XNCC_CUT_SUMS; i++) {
        s->high[i] = high;
        s->low[i] = 0.0;
    }
}

/* All of them together; begun: as they were at the beginning. */
static inline double xncc_reals_cut_total(const xncc_reals_cut_sums *s,
                                          const xncc_reals_cut_sums *begun)
{
    double high = 0.0, low = 0.0;
    for (int i = 0; i < XNCC_CUT_SUMS; i++) {
        high += s->high[i] - begun->high[i];
        low += s->low[i];
    }
    return high + low;
}

/* The bound of the total's error: of rows of `width` products, whose sizes add up to at most
 * `sizes`, in sums that began with `most`. */
static inline double xncc_reals_cut_error(double width, double rows, double sizes, double most)
{
    const double u = 0x1p-53, to_each = rows * (width / (XNCC_CUT_SUMS * XNCC_CUT_PART) + 2.0);
    return (XNCC_CUT_PART + 3.1) * u * sizes +
           8.0 * u * (to_each + XNCC_CUT_SUMS) * XNCC_CUT_SUMS * to_each * u * most;
}

/* A row of a window of which some pixels may not count: samples of one channel of the image and of
 * the template, and the pivots that are to be subtracted. */
typedef struct xncc_reals_pixels {
    const void *raw;
    const double *templ;
    xncc_pixel pixel; /* of raw */
    int32_t width;
    double pivot, templ_pivot;
    const uint8_t *count, *mask; /* 0 where a pixel of the image, or of the template, does not
                                    count; NULL: all do */
} xncc_reals_pixels;

/* The power of two that brings a number, unless it is 0, to 2^exponent, or near it if that is out
 * of range. */
static inline double xncc_reals_scale_to(double v, int exponent)
{
    const int by = exponent - (v > 0.0 ? ilogb(v) : 0);
    return ldexp(1.0, by < 1000 ? by : 1000);
}

/* Multiplies numbers by a power of two; those that are below `least` then become 0. */
static inline void xncc_reals_scale(const double *from, int32_t count, double scale, double least,
                                    double *to)
{
    least /= scale;
    for (int32_t i = 0; i < count; i++)
        to[i] = (fabs(from[i]) < least ? 0.0 : from[i]) * scale;
}

/* What products and squares may lose below the smallest double, in all windows together. */
#define XNCC_REALS_TINY 0x1p-1000

enum { XNCC_MOST_LANES = 8 };  /* of a vector of any instruction set */
enum { XNCC_REALS_ROOM = 64 }; /* doubles that every row of doubles has past its last element */

/* The doubles of a row in whole vectors of any instruction set. */
static inline int32_t xncc_reals_padded(int32_t width)
{
    return (width + XNCC_MOST_LANES - 1) / XNCC_MOST_LANES * XNCC_MOST_LANES;
}

/* The functions of an instruction set (reals_body.h). */
typedef struct xncc_reals_isa {
    xncc_reals_found (*line)(const xncc_reals_line *line);
    /* The samples of a line of several channels themselves: only raw, pixel, channels, channel,
     * width and out are read. */
    void (*pick)(const xncc_reals_line *line);
    void (*meet)(const xncc_reals_meeting *meeting);
    void (*gather)(const xncc_reals_gathering *gathering);
    void (*spread)(const xncc_reals_spreading *spreading);
    /* Column sums of lines and of their squares. */
    void (*slide)(xncc_reals_columns *columns, const xncc_reals_slide *slide);
    /* The sums of columns of the rows that enter, and of their squares, without subtractions. sum,
     * square: in whole vectors of four. */
    void (*columns)(const xncc_reals_slide *rows, double *sum, double *square);
    /* window[x] = sum of column[x .. x + width - 1] for x < count. room: count + width doubles and
     * XNCC_REALS_ROOM more. */
    void (*window)(const double *column, int32_t width, double *room, double *window,
                   int32_t count);
    /* Writes scores or XNCC_DOUBT, after the last channel; row: those of some channels that follow
     * each other. Returns 1 if there is a doubt. */
    int (*score)(const xncc_reals_row *row, int32_t channels);
    void (*inverses)(const xncc_reals_inverses *row);
    /* The same as score, by fewer divisions; the intervals are a little wider. */
    int (*quotients)(const xncc_reals_quotients *row);
    /* The largest magnitude, and whether all `count` doubles equal `first`. */
    xncc_reals_range (*range)(const double *v, int32_t count, double first);
    /* Extends *span by `count` doubles. */
    void (*span)(const double *v, int32_t count, xncc_reals_span *span);
    /* Multiplies doubles by a factor, a power of two, and takes the nearest integers off, which are
     * below 2^51 and go to `out`, in whole vectors or one more. Returns 1 if one is not 0. Adds
     * their squares to *square. */
    int (*slice)(double *rest, int32_t count, double factor, double *out, double *square);
    /* Adds the products of rows, every 16th of each row to each sum. sums: of each window. */
    void (*cut_products)(const xncc_reals_cut_rows *cut, xncc_reals_cut_sums *sums);
    /* The sum of the products of rows of one channel and one window. The template's rows are of
     * doubles less the pivot, in whole vectors of XNCC_MOST_LANES, with zeros past their ends, and
     * the samples past the ends of the image's rows are finite. */
    double (*products)(const xncc_reals_cut_rows *rows);
    /* Adds a row to sums[XNCC_SUM_X], S and Q, and if pixels of the image may not count, to T and
     * T2, all of the pixels that count. */
    void (*pixels)(const xncc_reals_pixels *row, xncc_reals_cut_sums *sums);
    /* The sums of v and of v^2 over `count` doubles, by 32 sums side by side. Zeros follow them, up
     * to a multiple of 32. */
    void (*moments)(const double *v, int32_t count, double *sum, double *square);
    /* Adds the sums of v, of v^2 and, unless t is NULL, of v*t over `count` doubles. */
    void (*twofold)(const double *v, const double *t, int32_t count, xncc_twofold_sums *sums);
    const xncc_digits_isa *digits;
    const xncc_moduli_isa *moduli;
} xncc_reals_isa;

/* A kernel for floats: self->variant of its xncc_cpu_kernel. */
typedef struct xncc_reals_variant {
    const xncc_reals_isa *isa;
    const xncc_fft_isa *fft;   /* NULL: direct */
    const xncc_fft_isa *exact; /* the transforms of exact sums, if these are not direct */
} xncc_reals_variant;

/* What begin computes from a template, per channel. */
typedef struct xncc_reals_channel {
    double pivot;   /* what was subtracted from the template's samples */
    xncc_twofold T; /* the sum of the samples, without a pivot, and of their squares */
    xncc_twofold T2;
    double sum; /* of the samples less the pivot, and of their squares */
    double square;
    double sum_error; /* of `sum` */
} xncc_reals_channel;

/* The planes of a channel of the template. */
enum { XNCC_REALS_PLANE_VALUE, XNCC_REALS_PLANE_SQUARE, XNCC_REALS_PLANES };

typedef struct xncc_reals_shared {
    xncc_reals_channel channel[XNCC_MAX_CHANNELS];
    double templ_root;    /* the root of the template's term of the formula; 0: it is flat */
    xncc_reals_span span; /* of all samples */
    double grid;          /* the largest power of two of which all samples and pivots are multiples,
                             if sums may be exact in double; else 0 */
    double largest;       /* the largest magnitude of a sample less its pivot */
    double shift;         /* sqdiff_normed: the pivot of image and template; 0: none */
    float zero_score;     /* of a window of zeros in which all pixels count */
    xncc_sum_recipe recipe;
    double *value[XNCC_MAX_CHANNELS];                         /* the samples, as doubles */
    void *plane[XNCC_MAX_CHANNELS][XNCC_REALS_PLANES], *mask; /* as the kernel of products reads */
    double norm[XNCC_MAX_CHANNELS][XNCC_REALS_PLANES];        /* the root of the sum of squares */
    /* If only the edges of the image clip windows: integral images of the planes whose sums over
     * the template a window wants, and of what counts (reals_clips.c); else NULL. */
    double *integral[XNCC_MAX_CHANNELS][XNCC_REALS_PLANES], *integral_count;
    char *table;
} xncc_reals_shared;

/* The functions of an xncc_cpu_kernel. self->variant is an xncc_reals_variant. */
xncc_kernel_memory xncc_reals_memory(const xncc_cpu_kernel *self, const xncc_problem *problem,
                                     const xncc_cpu_blocks *blocks);
void xncc_reals_begin(const xncc_cpu_kernel *self, const xncc_job *job, void *shared,
                      void *scratch);
void xncc_reals_area(const xncc_cpu_kernel *self, const xncc_job *job, void *scratch,
                     const xncc_area *area);

/* Row j of the template, of a channel, which is to be read to `out` without a pivot. */
xncc_reals_line xncc_reals_templ_line(const xncc_job *job, int32_t channel, int32_t j, double *out);

/* Divides the shared memory and returns the bytes needed; NULL only counts. */
uint64_t xncc_reals_shared_layout(const xncc_reals_variant *variant, const xncc_problem *problem,
                                  const xncc_cpu_blocks *blocks, xncc_reals_shared *shared);

/* May this be the unit of exact sums? Their products must neither overflow nor underflow. */
static inline int xncc_reals_unit_is_usable(double unit)
{
    return unit > 0x1p-200 && unit < 0x1p200;
}

/* Are all sums over a window, of numbers of at most `most` units, exact in double? The sums of
 * squares and products are below 2^51 units squared, so that they can be rounded to multiples, and
 * so is Q - 2X + T2. With several channels, their terms must be exact too. */
static inline int xncc_reals_sums_fit(const xncc_template *templ, double most)
{
    const double n = (double)templ->width * (templ->height + 1.0), sum = n * most * most;
    return sum <= 0x1p49 && (templ->channels == 1 || 2.0 * templ->channels * n * sum <= 0x1p52);
}

/* The memory that a refinement needs, and what it may rely on. */
typedef struct xncc_refine_memory {
    int32_t exact; /* 1: sums in pairs of doubles are exact in all windows of the rectangle */
    int32_t far;   /* 1: the last window was decided by samples that were scaled */
    xncc_stage stage;
    uint8_t *count;
    double *v, *t;
} xncc_refine_memory;
uint64_t xncc_refine_layout(const xncc_problem *problem, char *memory, xncc_refine_memory *m);

/* Returns 1 and the score of the window at (left, top), if sums in pairs of doubles decide it; 2 if
 * those of samples that are scaled do. */
int xncc_reals_refine(const xncc_reals_isa *isa, const xncc_job *job, xncc_refine_memory *m,
                      int64_t left, int64_t top, float *score);

#endif
