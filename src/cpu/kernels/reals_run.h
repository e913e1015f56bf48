/* SPDX-License-Identifier: BSD-2-Clause */
/* A rectangle of the map that is being computed by matching of floats (reals.h): reals_area.c
 * begins it, reals.c makes its sums and scores, reals_doubts.c settles what they leave in doubt. */
#ifndef XNCC_CPU_KERNELS_REALS_RUN_H
#define XNCC_CPU_KERNELS_REALS_RUN_H

#include "cpu/kernels/border_row.h"
#include "cpu/kernels/reals_memory.h"

/* The units of image and template if their samples may have few bits, else 0; and the least and the
 * largest sample of the rectangle, in any channel. */
typedef struct xncc_reals_grid {
    double unit, templ_unit, low, high;
} xncc_reals_grid;

/* A window in doubt that is to be scored again: its place in the map, a bound of |v|, and its sums
 * but X in each channel. */
typedef struct xncc_reals_listed {
    int32_t x, y;
    float *out;
    double norm, sum[XNCC_MAX_CHANNELS][XNCC_SUMS];
} xncc_reals_listed;

/* How products of planes of slices are made: by these transforms, which are off by at most factor *
 * |plane| * |template plane|, of which the part `of_rows` is relative to the largest norm of as
 * many adjacent rows of the plane as the template has. fft NULL: directly. */
typedef struct xncc_reals_transforms {
    const xncc_fft_isa *fft;
    const xncc_fft_blocking *blocking;
    const char *table;
    double factor, of_rows;
} xncc_reals_transforms;

typedef struct xncc_reals_run {
    const xncc_reals_variant *variant;
    const xncc_reals_isa *isa;
    const xncc_job *job;
    const xncc_reals_shared *shared;
    const xncc_area *area;
    xncc_reals_scratch m;
    xncc_sum_source source[XNCC_SUMS]; /* where each sum comes from in this rectangle */
    int32_t stride, bad;               /* bad: 1 if a sample that counts is not finite */
    int32_t grid_known;                /* 1: m.refine.exact is known */
    /* A product is off by at most factor * |x| * |template plane|. The part `of_rows` of the factor
     * is relative to the largest norm of as many adjacent rows as the template has, `band`. */
    double factor, of_rows;
    double pivot[XNCC_MAX_CHANNELS], norm[XNCC_MAX_CHANNELS],
        band[XNCC_MAX_CHANNELS]; /* norm: |x| */
    xncc_reals_grid grid;
    /* The parts of a map that threads fill together: grid, pivot and norm of all of it are known,
     * and X is in m.array[0]; 0: it is filled rectangle by rectangle. */
    int32_t common;
    int32_t exact;          /* 1: the sums of all channels so far are exact */
    int64_t again;          /* windows that may be scored again one by one */
    int64_t tried, decided; /* windows that were scored again, and those that this decided */
    int32_t listed;         /* of `list` */
    xncc_reals_listed list[XNCC_CUT_WINDOWS];
    xncc_reals_parts parts;            /* how samples are cut for that */
    double known, all_norm, all_templ; /* the bound of the X that is known, and |x| and |t| of all
                                          channels */
    /* The plane of the image whose spectrum is in m.kept (channel and power, as in
     * xncc_reals_line), and the root of the sum of its squares; power < 0: none. */
    int32_t kept_channel, kept_power;
    double kept_norm, kept_band;
    int32_t many; /* 1: so many are in doubt that all are scored again by transforms */
    xncc_reals_transforms of_slices;
} xncc_reals_run;

/* The same rectangle in the memory of another thread of the job's team, whose m.line is all zeros.
 */
void xncc_reals_run_in(const xncc_reals_run *r, int32_t slot, xncc_reals_run *own);

/* The same for up to `rows` rows of windows from row y on, whose rectangle goes to *area. Returns 0
 * if there are none. */
int xncc_reals_rows_in(const xncc_reals_run *r, int32_t slot, int32_t y, int32_t rows,
                       xncc_area *area, xncc_reals_run *own);

/* The parts that work of the rectangle is divided into: one for each thread of the job's team. */
static inline int32_t xncc_reals_parts_of(const xncc_reals_run *r)
{
    return r->job->team ? r->job->team->threads : 1;
}

/* Reads row yy of the rectangle as doubles. */
xncc_reals_found xncc_reals_read_line(const xncc_reals_run *r, int32_t yy, int32_t channel,
                                      double pivot, int power, double *out);

/* Do all pixels of all windows count? */
int xncc_reals_counts_all(const xncc_reals_run *r);

/* Can the rows of the rectangle be read where they are, because all their samples count and are
 * finite? */
int xncc_reals_are_in_place(const xncc_reals_run *r);

/* Lines of `count` samples: as the image stores them (raw), or doubles from which the pivot was
 * subtracted. The lines themselves are yet to be set. */
xncc_reals_slide xncc_reals_slide_of(const xncc_reals_run *r, int raw, int32_t count);

/* The samples of `count` pixels of row yy of the rectangle from column x on, of all channels. They
 * are read where they are if all pixels lie in the image. */
static inline const void *xncc_reals_raw(const xncc_reals_run *r, int32_t x, int32_t yy,
                                         int32_t count)
{
    const xncc_stage *stage = &r->m.stage;
    return xncc_border_row(r->job->image, r->job->problem->rule.border, stage->top + yy,
                           stage->left + x, count, stage->raw);
}

/* Chooses the pivot of a channel: the mean of some rows. Any number serves, and one near the mean
 * makes the bounds small. */
void xncc_reals_choose_pivot(xncc_reals_run *r, int32_t channel);

/* Makes the sums of a channel over the windows of row y, r->m.window, from sums over columns, which
 * slide down. To be called for each row from 0 on. */
void xncc_reals_slide_windows(xncc_reals_run *r, int32_t channel, int32_t y);

/* Has this sum a plane? Those of products do, and the number of pixels that count. */
int xncc_reals_is_stored(const xncc_reals_run *r, xncc_sum_id sum);

/* Counts the pixels of every window that count, in whole numbers. A zero is +0: where there is an
 * instruction for it, gcc rounds a double that becomes an integer and a double again to a double,
 * which may be -0. */
void xncc_reals_count_pixels(xncc_reals_run *r);

/* Computes N, T or T2 of a channel from an integral image of the template, and returns a bound of
 * its error. */
double xncc_reals_clip(const xncc_reals_run *r, xncc_sum_id sum, int32_t channel);

/* At least the largest norm of `height` adjacent rows, of so many, by the squares of their norms.
 */
double xncc_reals_band(const double *square, int32_t rows, int32_t height);

/* Computes the sums of a channel that come from products, but X, and sets the bounds of their
 * errors. */
void xncc_reals_products(xncc_reals_run *r, int32_t channel, xncc_reals_errors *e);

/* Computes X of the channels first .. end - 1: directly, one plane per channel; by transforms, that
 * of all of them together, whose rows follow one by one. Sets r->norm and, in row[c].error, the
 * bounds of X: those of transforms in the last channel. */
void xncc_reals_products_X(xncc_reals_run *r, int32_t first, int32_t end, xncc_reals_row *row);

/* Rows of the image, or of an array of transforms, that a thread takes at a time where all threads
 * fill a map together. */
enum { XNCC_REALS_BAND_ROWS = 32 };

/* Row y of an array of transforms. */
static inline char *xncc_reals_array_row(const xncc_reals_run *r, char *array, int32_t y)
{
    return array + (uint64_t)y * r->variant->fft->row_bytes(r->job->blocks->fft.nx);
}

/* Row y of the sums that were transformed last. To be called once per row. */
void xncc_reals_transformed_row(const xncc_reals_run *r, int32_t y, double *out);

/* Doubles of the sums of direct products of a weight. Those of several are written side by side,
 * and would compete for the same cache sets if they were a multiple of 4096 bytes apart. */
static inline size_t xncc_reals_sums_of_weight(const xncc_reals_run *r)
{
    return (size_t)r->stride * (size_t)r->area->height + XNCC_REALS_STAGGER;
}

/* Looks for the units of the samples. The second function returns those of two rectangles. */
xncc_reals_grid xncc_reals_find_grid(const xncc_reals_run *r);
xncc_reals_grid xncc_reals_merge_grids(const xncc_reals_grid *a, const xncc_reals_grid *b);

/* Are the sums of a channel exact once they are rounded to multiples of the units? e: the bounds of
 * those that come from products. */
int xncc_reals_sums_are_exact(const xncc_reals_run *r, int32_t channel, const xncc_reals_errors *e);

/* The index of the next window in doubt of a row from x on; `count` if there is none. */
int32_t xncc_reals_next_doubt(const float *row, int32_t x, int32_t count);

/* A row of one window from a row of many. sum: its sums, each at the beginning of a vector, of
 * which N, T and T2 are wanted where the row has them; total: room for the terms of several
 * channels. */
static inline xncc_reals_row xncc_reals_row_of_one(const xncc_reals_row *of,
                                                   double sum[XNCC_SUMS][XNCC_MOST_LANES],
                                                   double total[6][XNCC_MOST_LANES], float *out)
{
    xncc_reals_row row = *of;
    row.count = 1;
    row.X = sum[XNCC_SUM_X];
    row.S = sum[XNCC_SUM_S];
    row.Q = sum[XNCC_SUM_Q];
    row.N = of->N ? sum[XNCC_SUM_N] : NULL;
    row.T = of->T ? sum[XNCC_SUM_T] : NULL;
    row.T2 = of->T2 ? sum[XNCC_SUM_T2] : NULL;
    for (int i = 0; i < 6; i++)
        row.total[i] = of->total[i] ? total[i] : NULL;
    row.error.of_X = 0.0;
    row.out = out;
    return row;
}

/* Are there windows in doubt in row y of the map? */
static inline int xncc_reals_has_doubts(const xncc_reals_run *r, int32_t y)
{
    const int32_t width = r->area->width;
    return xncc_reals_next_doubt(r->area->out + y * r->area->pitch, 0, width) < width;
}

/* Begins scoring windows again (reals_again.c), for channels whose sums are window sums. The sums
 * of products are known. */
void xncc_reals_again_begin(xncc_reals_run *r);

/* Scores the windows in doubt of row y again, with products of smaller error. whole: the rows of
 * all channels, of which the last one has X. Some windows are listed until there are as many as
 * are scored at a time; the second function scores those that are left. Both return 1 if some are
 * left in doubt. The first one may set r->many. */
int xncc_reals_score_again(xncc_reals_run *r, int32_t y, const xncc_reals_row *whole);
int xncc_reals_score_listed(xncc_reals_run *r, const xncc_reals_row *whole);

/* The same by direct products of windows (reals_few.c): for small templates of one channel, whose
 * windows are read where they are. May r be scored so? */
int xncc_reals_are_few(const xncc_reals_run *r);
void xncc_reals_few_begin(xncc_reals_run *r);
int xncc_reals_score_few(xncc_reals_run *r, int32_t y, const xncc_reals_row *whole);

/* The samples of a window, of all channels. */
static inline double xncc_reals_samples_of_window(const xncc_reals_run *r)
{
    return (double)r->job->general.whole * (double)r->job->templ->channels;
}

/* Chooses units for the samples' parts (reals_sharpen.c). */
xncc_reals_parts xncc_reals_choose_parts(const xncc_reals_run *r);

/* The array of m.arrays that holds what a smaller error comes from. */
enum { XNCC_SHARP_SUMS };

/* Computes what the sums of products of the rectangle need to have a smaller error, from those in
 * r->m.array[0], of which all rows were transformed back. Sets the bounds of X. Returns 1 if
 * something is gained. */
int xncc_reals_sharpen(xncc_reals_run *r, xncc_reals_errors *error);

/* Writes row y of the sums of products, once; with the smaller error, if `sharp`. */
void xncc_reals_sharp_row(const xncc_reals_run *r, int sharp, int32_t y, double *out);

/* Scores all channels: together, or one after the other. The sources and the grid are known.
 * Returns 1 if there is a doubt. Of a part of a map, all rows are transformed back, and if it sets
 * r->many, all are to be scored by the functions that follow: the first one sharpens the sums of
 * the whole map, and the second one scores a part, whose r->parts are the map's. */
int xncc_reals_score(xncc_reals_run *r);
int xncc_reals_sharpen_map(xncc_reals_run *all, xncc_reals_errors *error);
int xncc_reals_score_sharp(xncc_reals_run *r, int sharp, const xncc_reals_errors *error);

/* Sets the bounds of all sums of a part of a map, r->m.row, in the memory of a thread that may not
 * have scored any part. */
void xncc_reals_bound_part(xncc_reals_run *r);

/* Marks every window that holds a sample that is not finite: NaN, or in doubt if that sample may
 * not count in it. */
void xncc_reals_mark_bad(xncc_reals_run *r);

/* Scores the window at column x of row y, of which some pixels may not count, by sums of its own
 * samples alone (reals_masked.c). Returns 1 if that decides it. All windows were scored before. */
int xncc_reals_settle_masked(xncc_reals_run *r, int32_t x, int32_t y, float *score);

/* Scores windows in doubt whose samples are far from others of the rectangle (reals_far.c). Windows
 * may be left in doubt. */
void xncc_reals_settle_far(xncc_reals_run *r);

/* Scores the windows in doubt exactly, for many of them: by exact sums for all windows, in digits
 * (reals_digits.h). If they are those of a whole map, the threads of the job's team share the work.
 * Sums of products come from slices (reals_slices.h), and so do sums over the pixels that count; or
 * from residues (reals_residues.h).
 * Where all pixels count, sums of samples and of squares slide over the rectangle. Returns 0, and
 * does nothing, if the sums have more digits than there is room for. */
int xncc_reals_settle_together(xncc_reals_run *r);

/* Both settle windows in doubt one by one. The first one does so if they are few, and returns 1
 * then; the second one does so where exact sums of all windows do not serve. */
int xncc_reals_settle_few(xncc_reals_run *r);
void xncc_reals_settle_rest(xncc_reals_run *r);

#endif
