/* SPDX-License-Identifier: BSD-2-Clause */
/* Exact scores of all windows in doubt of a rectangle (reals_run.h). */
#include "cpu/kernels/reals_cut.h"
#include "cpu/kernels/reals_planes.h"
#include "cpu/kernels/reals_residues.h"
#include "cpu/kernels/reals_slices.h"

#include "image/image.h"

#include <math.h>

/* The arguments of the formula. */
enum { NUMERATOR, IMAGE, TEMPL, TERMS };

/* Sums over columns that follow the rows of windows, of samples, [0], or of their squares, [1]. */
typedef struct following {
    xncc_digit_columns columns;
    int32_t count[2]; /* as in columns_of */
    int32_t row;      /* of windows, whose sums the columns have; -1: none yet */
} following;

typedef struct together {
    xncc_reals_run *r;
    const xncc_digits_isa *isa;
    xncc_cut cut;
    xncc_method method;
    int32_t channel;
    int32_t digits[XNCC_SUMS], places;   /* digits of each sum, and of a term */
    xncc_numbers sum[XNCC_SUMS];         /* of the current row of windows */
    xncc_numbers stored[XNCC_SUMS];      /* of all rows, if the sum comes from products */
    xncc_numbers total[TERMS];           /* the terms of the channels so far, of all rows */
    float of_templ[2][XNCC_MOST_PLACES]; /* the constant sumT and sumT2 */
} together;

static int32_t digits_for(int bits)
{
    return xncc_slices_of(bits, XNCC_DIGIT_BITS);
}

/* Numbers of `count` digits in the memory from *at on, for `rows` rows of windows. */
static xncc_numbers numbers_at(const xncc_reals_run *r, float **at, int32_t count, int32_t rows)
{
    const xncc_numbers v = { .digit = *at, .step = r->stride, .count = count };
    *at += (size_t)count * (size_t)rows * (size_t)r->stride;
    return v;
}

/* Those of row y. */
static xncc_numbers row_of(const xncc_numbers *all, int32_t y)
{
    xncc_numbers v = *all;
    v.digit += (ptrdiff_t)y * v.count * v.step;
    return v;
}

/* Has a term the numbers of all rows, or those of a row? */
static int32_t rows_of_terms(const xncc_reals_run *r)
{
    return r->job->templ->channels > 1 ? r->area->height : 1;
}

/* Divides the memory of the numbers of a row, which comes first: of sums that do not come from
 * products, and of terms. Returns its end. */
static float *lay_out_row(together *t)
{
    const xncc_reals_run *r = t->r;
    float *at = r->m.numbers;
    for (int s = 0; s < XNCC_SUMS; s++)
        if (r->source[s] != XNCC_FROM_PRODUCTS)
            t->sum[s] = numbers_at(r, &at, t->digits[s], 1);
    for (int i = 0; i < TERMS; i++)
        t->total[i] = numbers_at(r, &at, t->places, rows_of_terms(r));
    return at;
}

/* Divides the memory of numbers. Returns 0 if there is too little. */
static int lay_out(together *t)
{
    const xncc_reals_run *r = t->r;
    size_t needed = (size_t)(TERMS * t->places) * (size_t)rows_of_terms(r);
    for (int s = 0; s < XNCC_SUMS; s++)
        needed += (size_t)t->digits[s] *
                  (r->source[s] == XNCC_FROM_PRODUCTS ? (size_t)r->area->height : 1);
    if (needed * (size_t)r->stride > r->m.most_numbers)
        return 0;
    float *at = lay_out_row(t);
    for (int s = 0; s < XNCC_SUMS; s++)
        if (r->source[s] == XNCC_FROM_PRODUCTS)
            t->stored[s] = numbers_at(r, &at, t->digits[s], r->area->height);
    return 1;
}

/* Does the sum of the method take part in the score? */
static int is_needed(const together *t, xncc_sum_id sum)
{
    return sum != XNCC_SUM_N && t->r->source[sum] != XNCC_FROM_NOWHERE;
}

/* The planes whose products are a sum: of the image, and of the template. */
static void planes_of(const together *t, xncc_sum_id sum, xncc_planes planes[2])
{
    const int of_image = sum != XNCC_SUM_T && sum != XNCC_SUM_T2,
              of_templ = sum != XNCC_SUM_S && sum != XNCC_SUM_Q,
              squares = sum == XNCC_SUM_Q || sum == XNCC_SUM_T2,
              bits = sum == XNCC_SUM_X ? t->cut.bits : XNCC_DIGIT_BITS;
    for (int i = 0; i < 2; i++) {
        const xncc_slicing *of = i ? &t->cut.templ : &t->cut.image;
        planes[i] = (xncc_planes){
            .kind = XNCC_PLANES_COUNT, .of_templ = i, .channel = t->channel, .of = *of, .count = 1
        };
        if (i ? !of_templ : !of_image)
            continue;
        planes[i].kind = squares ? XNCC_PLANES_SQUARE : XNCC_PLANES_VALUE;
        planes[i].bits = bits;
        planes[i].count = xncc_slices_of(squares ? 2 * of->bits : of->bits, bits) -
                          (sum == XNCC_SUM_X ? t->cut.joined[i] : 0);
    }
}

/* Decides how many digits the sums have, and whether they can be computed. */
static int begin(together *t)
{
    xncc_reals_run *r = t->r;
    const xncc_template *templ = r->job->templ;
    const double n = (double)templ->width * templ->height;
    xncc_planes planes[2];
    if (r->m.most_numbers == 0 || n > 0x1p26 || (r->bad && !xncc_reals_counts_all(r)) ||
        !xncc_reals_cut(r, &t->cut))
        return 0;
    const int image = t->cut.image.bits, of_templ = t->cut.templ.bits, counted = ilogb(n) + 2,
              most = image > of_templ ? image : of_templ,
              bits[XNCC_SUMS] = { [XNCC_SUM_S] = image + counted,
                                  [XNCC_SUM_Q] = 2 * image + counted,
                                  [XNCC_SUM_X] = image + of_templ + counted,
                                  [XNCC_SUM_T] = of_templ + counted,
                                  [XNCC_SUM_T2] = 2 * of_templ + counted };
    for (int s = 0; s < XNCC_SUMS; s++) {
        t->digits[s] = is_needed(t, (xncc_sum_id)s) ? digits_for(bits[s]) : 0;
        planes_of(t, (xncc_sum_id)s, planes);
        if (s != XNCC_SUM_X && is_needed(t, (xncc_sum_id)s) && r->source[s] == XNCC_FROM_PRODUCTS &&
            !xncc_reals_planes_fit(r, &planes[0], &planes[1]))
            return 0;
    }
    t->places = digits_for(2 * (most + counted) + ilogb((double)templ->channels) + 3);
    return digits_for(most + counted) <= XNCC_MOST_DIGITS && t->places <= XNCC_MOST_PLACES &&
           lay_out(t);
}

/* ---- sums that are not products ---- */

/* The digits whose sums over columns slide: of the samples, [0], and of their squares, [1]. */
static xncc_digit_columns columns_of(const together *t, int of_templ, int32_t count[2])
{
    const xncc_reals_run *r = t->r;
    const size_t line = (size_t)r->m.stage.pitch;
    const xncc_slicing *of = of_templ ? &t->cut.templ : &t->cut.image;
    const int32_t places[2] = { digits_for(of->bits), digits_for(2 * of->bits) };
    for (int i = 0; i < 2; i++) {
        const xncc_sum_id sum = of_templ ? (i ? XNCC_SUM_T2 : XNCC_SUM_T)
                                         : (i ? XNCC_SUM_Q : XNCC_SUM_S);
        count[i] = is_needed(t, sum) && r->source[sum] != XNCC_FROM_PRODUCTS ? places[i] : 0;
    }
    const xncc_digit_columns c = { .sum = r->m.column_rows,
                                   .step = (ptrdiff_t)line,
                                   .scale = of->scale,
                                   .unit = of->unit,
                                   .digits = places[0],
                                   .values = count[0],
                                   .squares = count[1] };
    if (count[0] + count[1] == 0)
        return c;
    memset(c.sum, 0, (size_t)(count[0] + count[1]) * line * sizeof(double));
    xncc_reals_clear_planes(t->r, 0);
    memset(r->m.leaving_rows, 0, line * sizeof(double));
    return c;
}

/* The constant sums of the template. */
static void sum_template(together *t)
{
    xncc_reals_run *r = t->r;
    int32_t count[2];
    xncc_digit_columns c = columns_of(t, 1, count);
    const size_t line = (size_t)r->m.stage.pitch;
    double total[XNCC_MOST_PLACES][XNCC_REALS_ROOM] = { { 0.0 } };
    const double *row[XNCC_MOST_PLACES];
    c.enter = r->m.line;
    for (int32_t j = 0; j < r->job->templ->height && !xncc_is_cancelled(r->job->watch); j++) {
        xncc_reals_read_templ_line(r, t->channel, j);
        t->isa->slide(&c, r->job->templ->width);
    }
    for (int i = 0, at = 0; i < 2; at += count[i++]) {
        const xncc_sum_id sum = i ? XNCC_SUM_T2 : XNCC_SUM_T;
        float digit[XNCC_MOST_PLACES * XNCC_REALS_ROOM];
        const xncc_numbers to = { digit, XNCC_REALS_ROOM, t->digits[sum], 0 };
        const xncc_weighted from = { .row = row, .count = count[i], .bits = XNCC_DIGIT_BITS };
        if (count[i] == 0)
            continue;
        for (int32_t k = 0; k < count[i]; k++) {
            total[k][0] = 0.0;
            for (int32_t x = 0; x < r->job->templ->width; x++)
                total[k][0] += r->m.column_rows[(size_t)(at + k) * line + (size_t)x];
            row[k] = total[k];
        }
        t->isa->collect(&from, 1, &to);
        for (int32_t k = 0; k < to.count; k++)
            t->of_templ[i][k] = digit[(ptrdiff_t)k * XNCC_REALS_ROOM];
        t->sum[sum] = (xncc_numbers){ t->of_templ[i], 1, to.count, 1 };
    }
}

/* The same columns for samples or squares alone. */
static following follow(const xncc_digit_columns *all, const int32_t count[2], int squares)
{
    following f = { *all, { 0 }, -1 };
    f.count[squares] = count[squares];
    f.columns.values = f.count[0];
    f.columns.squares = f.count[1];
    if (squares)
        f.columns.sum += count[0] * all->step;
    return f;
}

/* Row yy of samples enters, and the one that is the template's height above leaves, unless it is
 * above the windows of row `first`. */
static void slide_row(together *t, xncc_digit_columns *c, int32_t yy, int32_t first)
{
    xncc_reals_run *r = t->r;
    const int32_t leaves = yy - r->job->templ->height;
    c->enter = r->m.line;
    c->leave = leaves >= first ? r->m.leaving_rows : NULL;
    (void)xncc_reals_read_line(r, yy, t->channel, 0.0, 1, r->m.line);
    if (c->leave)
        (void)xncc_reals_read_line(r, leaves, t->channel, 0.0, 1, r->m.leaving_rows);
    t->isa->slide(c, r->m.stage.width);
}

/* Brings sums over columns to row y of windows: from the row where they are, or anew if that is
 * shorter. */
static void bring_columns(together *t, following *f, int32_t y)
{
    const int32_t height = t->r->job->templ->height;
    const int anew = f->row < 0 || y - f->row > height;
    if (f->count[0] + f->count[1] == 0 || f->row == y)
        return;
    if (anew)
        memset(f->columns.sum, 0,
               (size_t)(f->count[0] + f->count[1]) * (size_t)f->columns.step * sizeof(double));
    for (int32_t yy = anew ? y : f->row + height; yy < y + height; yy++)
        slide_row(t, &f->columns, yy, anew ? y : 0);
    f->row = y;
}

/* Brings those of samples, f[0], to row y. wanted: were those of squares, f[1], in the row above?
 * Then both are there, and slide together, since they will be wanted again. */
static void bring_samples(together *t, following f[2], const xncc_digit_columns *both, int32_t y,
                          int wanted)
{
    if (wanted && f[1].row == y - 1) {
        xncc_digit_columns c = *both;
        slide_row(t, &c, y + t->r->job->templ->height - 1, 0);
        f[0].row = f[1].row = y;
    }
    bring_columns(t, &f[0], y);
}

/* Makes the sums over the windows of a row from sums over columns. */
static void sum_windows(together *t, const following *f)
{
    xncc_reals_run *r = t->r;
    const double *row[XNCC_MOST_PLACES];
    for (int i = 0; i < 2; i++) {
        const xncc_weighted from = { .row = row, .count = f->count[i], .bits = XNCC_DIGIT_BITS };
        for (int32_t k = 0; k < f->count[i]; k++) {
            double *window = r->m.weight_rows + (size_t)k * (size_t)r->stride;
            r->isa->window(f->columns.sum + k * f->columns.step, r->job->templ->width, r->m.room,
                           window, r->area->width);
            row[k] = window;
        }
        if (f->count[i])
            t->isa->collect(&from, r->area->width, &t->sum[i ? XNCC_SUM_Q : XNCC_SUM_S]);
    }
}

/* ---- terms and scores ---- */

static const double *counted_row(const together *t, int32_t y)
{
    const xncc_reals_run *r = t->r;
    return r->source[XNCC_SUM_N] == XNCC_FROM_CONSTANT
               ? NULL
               : r->m.sum[XNCC_SUM_N] + (ptrdiff_t)y * r->stride;
}

/* n * a - b * c */
static xncc_exact_term difference(const together *t, int32_t y, xncc_sum_id a, xncc_sum_id b,
                                  xncc_sum_id c)
{
    return (xncc_exact_term){ .plus = { t->sum[a] },
                              .factor = { (double)t->r->job->general.whole },
                              .n = counted_row(t, y),
                              .b = t->sum[b],
                              .c = t->sum[c] };
}

/* The terms of row y of the channel (math/exact_score.h). */
static void make_terms(const together *t, int32_t y, xncc_exact_term term[TERMS])
{
    if (xncc_method_is_centred(t->method)) {
        term[NUMERATOR] = difference(t, y, XNCC_SUM_X, XNCC_SUM_S, XNCC_SUM_T);
        term[IMAGE] = difference(t, y, XNCC_SUM_Q, XNCC_SUM_S, XNCC_SUM_S);
        term[TEMPL] = difference(t, y, XNCC_SUM_T2, XNCC_SUM_T, XNCC_SUM_T);
        return;
    }
    const xncc_numbers X = t->sum[XNCC_SUM_X], Q = t->sum[XNCC_SUM_Q], T2 = t->sum[XNCC_SUM_T2];
    term[NUMERATOR] = (xncc_exact_term){ .plus = { X }, .factor = { 1.0 } };
    if (xncc_method_of_difference(t->method))
        term[NUMERATOR] = (xncc_exact_term){ .plus = { X, Q, T2 }, .factor = { -2.0, 1.0, 1.0 } };
    term[IMAGE] = (xncc_exact_term){ .plus = { Q }, .factor = { 1.0 } };
    term[TEMPL] = (xncc_exact_term){ .plus = { T2 }, .factor = { 1.0 } };
}

/* Rows that sums over windows do not take: two for each term, inverses and their bounds, and sums
 * in double. */
enum {
    FIRST_ROW = XNCC_MOST_PLACES,
    INVERSE = FIRST_ROW + 2 * TERMS,
    RELATIVE,
    OWN_SUMS,
    ROWS = OWN_SUMS + 2
};
_Static_assert(ROWS <= (int)XNCC_MOST_ARRAYS, "there are rows for all");

static double *own_row(const together *t, int row)
{
    return t->r->m.weight_rows + (size_t)row * (size_t)t->r->stride;
}

/* Where term i of a row of windows is, rounded. */
static xncc_rounded rounded_term(const together *t, int i)
{
    return (xncc_rounded){ own_row(t, FIRST_ROW + 2 * i), own_row(t, FIRST_ROW + 2 * i + 1) };
}

/* The logarithm of the numerator's unit. */
static double unit_exponent(const together *t)
{
    return (double)t->cut.image.exponent + (double)t->cut.templ.exponent;
}

/* Is there one number for all windows? */
static int is_constant(const together *t, int i)
{
    return i == TEMPL && t->r->source[XNCC_SUM_T2] != XNCC_FROM_PRODUCTS;
}

/* Scores row y, of which all terms are rounded. */
static void score_row(const together *t, int32_t y)
{
    const xncc_reals_run *r = t->r;
    const xncc_method method = t->method;
    const xncc_exact_row row = { .method = method,
                                 .count = r->area->width,
                                 .n = counted_row(t, y),
                                 .whole = (double)r->job->general.whole,
                                 .numerator = rounded_term(t, NUMERATOR),
                                 .image = rounded_term(t, IMAGE),
                                 .templ = rounded_term(t, TEMPL),
                                 .constant = is_constant(t, TEMPL),
                                 .exponent = unit_exponent(t),
                                 .flat = xncc_flat_score(method, &r->job->general, 0),
                                 .equal = xncc_flat_score(method, &r->job->general, 1),
                                 .out = r->area->out + y * r->area->pitch };
    t->isa->score(&row);
}

/* Is a term of one channel a sum as it is? */
static int is_sum(const xncc_exact_term *term)
{
    return term->plus[1].count + term->plus[2].count + term->b.count + term->c.count == 0 &&
           term->factor[0] == 1.0 && !term->n;
}

/* Adds term i of row y of the channel. After the last channel, rounds it. */
static void add_term(together *t, int i, xncc_exact_term *term, int32_t y)
{
    const int32_t channels = t->r->job->templ->channels,
                  count = is_constant(t, i) ? 1 : t->r->area->width;
    xncc_numbers total = channels > 1 ? row_of(&t->total[i], y) : t->total[i];
    term->more = t->channel > 0;
    if (channels == 1 && is_sum(term))
        total = term->plus[0];
    else
        t->isa->term(term, count, &total);
    if (t->channel == channels - 1) {
        const xncc_rounded to = rounded_term(t, i);
        t->isa->round(&total, count, &to);
    }
}

/* Adds the terms of row y of the channel, from `first` on: those before are rounded already. After
 * the last channel, scores the row. */
static void finish_row(together *t, int32_t y, int first)
{
    const int terms = xncc_method_is_normed(t->method) ? TERMS : 1;
    xncc_exact_term term[TERMS];
    make_terms(t, y, term);
    for (int i = first; i < terms; i++)
        add_term(t, i, &term[i], y);
    if (t->channel == t->r->job->templ->channels - 1)
        score_row(t, y);
}

/* ---- image terms within bounds ---- */

/* A normed score needs no more of its image's term than a bound that leaves one float, and none at
 * all where the numerator is 0 and the term is not. Sums in double give that bound, mostly. So
 * exact sums of squares, which are most of the digits, are made for the rows of windows that are
 * left. */

/* Can numerators be made without Q, and are the terms' roots and their product doubles? */
static int has_bounds(const together *t)
{
    enum { MOST = 400 };
    const xncc_reals_run *r = t->r;
    const xncc_slicing *of[] = { &t->cut.image, &t->cut.templ };
    for (int i = 0; i < 2; i++)
        if (of[i]->exponent < -MOST || of[i]->exponent + of[i]->bits > MOST)
            return 0;
    return (t->method == XNCC_CCOEFF_NORMED ||
            (t->method == XNCC_CCORR_NORMED && r->pivot[0] == 0.0)) &&
           r->job->templ->channels == 1 && xncc_reals_counts_all(r) &&
           r->source[XNCC_SUM_Q] == XNCC_FROM_WINDOW && r->shared->templ_root > 0.0;
}

/* Scores the windows of row y in doubt that a bound of the image's term decides: from sums S and Q
 * in double, whose errors are at most `error`. The numerators are rounded. Returns 1 if some are
 * left. */
static int decide(const together *t, int32_t y, const double *S, const double *Q,
                  const xncc_reals_errors *error)
{
    const xncc_reals_run *r = t->r;
    double *const inverse = own_row(t, INVERSE), *const relative = own_row(t, RELATIVE);
    r->isa->inverses(&(xncc_reals_inverses){ .S = S,
                                             .Q = Q,
                                             .n = (double)r->job->general.whole,
                                             .error = *error,
                                             .centred = xncc_method_is_centred(t->method),
                                             .count = r->area->width,
                                             .inverse = inverse,
                                             .relative = relative });
    return t->isa->decide(&(xncc_near_row){ .count = r->area->width,
                                            .numerator = rounded_term(t, NUMERATOR),
                                            .exponent = unit_exponent(t),
                                            .inverse = inverse,
                                            .relative = relative,
                                            .factor = 1.0 / r->shared->templ_root,
                                            .out = r->area->out + y * r->area->pitch });
}

/* The same with sums of the windows' own samples alone, for windows much fainter than others. Under
 * a high template exact sums, which slide, take less time. */
static int decide_by_own(const together *t, int32_t y)
{
    enum { MOST_ROWS = 64 };
    const xncc_reals_run *r = t->r;
    const int32_t width = r->job->templ->width, height = r->job->templ->height;
    const double additions = height + 5.0 + ceil(log2(width + 1.0));
    double *const column = r->m.leaving_rows;
    xncc_reals_slide rows = xncc_reals_slide_of(r, 1, r->m.stage.width);
    if (height > MOST_ROWS || !xncc_reals_are_in_place(r))
        return 1;
    rows.enter = xncc_stage_raw(&r->m.stage, y);
    rows.rows = height;
    rows.pitch = (ptrdiff_t)xncc_image_pitch(r->job->image);
    rows.pivot = 0.0;
    r->isa->columns(&rows, column, column + r->m.stage.pitch);
    for (int i = 0; i < 2; i++)
        r->isa->window(column + i * r->m.stage.pitch, width, r->m.room, own_row(t, OWN_SUMS + i),
                       r->area->width);
    const xncc_reals_errors error = { .Q = XNCC_REALS_TINY,
                                      .of_Q = 1.01 * 0x1p-53 * (3.0 * additions + 4.0) };
    return decide(t, y, own_row(t, OWN_SUMS), own_row(t, OWN_SUMS + 1), &error);
}

/* Rounds the numerators of row y, and scores its windows in doubt that bounds decide. Returns 1 if
 * some are left. To be called for each row from 0 on. */
static int score_within_bounds(together *t, int32_t y, int doubts)
{
    xncc_reals_run *r = t->r;
    xncc_exact_term term[TERMS];
    xncc_reals_slide_windows(r, 0, y);
    if (!doubts)
        return 0;
    make_terms(t, y, term);
    add_term(t, NUMERATOR, &term[NUMERATOR], y);
    return decide(t, y, r->m.window[0][0], r->m.window[0][1], &r->m.row[0].error) &&
           decide_by_own(t, y);
}

/* ---- rows ---- */

/* Adds a channel to the terms of the windows, of which the sums of products are there: those of
 * row 0 are in row `first` of the sums. Bounds are no longer looked for where they leave most of
 * some rows. */
static void add_rows(together *t, int32_t first)
{
    enum { TRIES = 8 };
    xncc_reals_run *r = t->r;
    int32_t count[2];
    const xncc_digit_columns both = columns_of(t, 0, count);
    following f[] = { follow(&both, count, 0), follow(&both, count, 1) };
    int bounds = has_bounds(t), tried = 0, decided = 0, open = 0;
    for (int32_t y = 0; y < r->area->height && !xncc_is_cancelled(r->job->watch); y++) {
        const int doubts = xncc_reals_has_doubts(r, y);
        for (int s = 0; s < XNCC_SUMS; s++)
            if (r->source[s] == XNCC_FROM_PRODUCTS)
                t->sum[s] = row_of(&t->stored[s], first + y);
        if (doubts) {
            bring_samples(t, f, &both, y, open);
            sum_windows(t, &f[0]);
        }
        open = bounds ? score_within_bounds(t, y, doubts) : doubts;
        if (open) {
            bring_columns(t, &f[1], y);
            sum_windows(t, &f[1]);
            finish_row(t, y, bounds ? IMAGE : NUMERATOR);
        }
        tried += doubts;
        decided += doubts && !open;
        bounds = bounds && (tried < TRIES || 2 * decided >= tried);
    }
}

/* The same for some rows, in the memory of a thread, where the numbers of a row are its own. */
static void add_part(void *argument, uint64_t index, int32_t slot)
{
    const together *all = argument;
    const int32_t rows = xncc_ceil_div(all->r->area->height, xncc_reals_parts_of(all->r)),
                  first = (int32_t)index * rows;
    together t = *all;
    xncc_area area;
    xncc_reals_run own;
    if (!xncc_reals_rows_in(all->r, slot, first, rows, &area, &own))
        return;
    xncc_reals_bound_part(&own);
    t.r = &own;
    (void)lay_out_row(&t);
    t.sum[XNCC_SUM_T] = all->sum[XNCC_SUM_T];
    t.sum[XNCC_SUM_T2] = all->sum[XNCC_SUM_T2];
    add_rows(&t, first);
}

/* Makes a sum of the channel from products: modulo primes if that takes less time, else by slices.
 * If there are too many bits in a slice, the image is cut again. */
static void multiply(together *t, xncc_sum_id sum)
{
    const xncc_numbers *to = &t->stored[sum];
    xncc_planes planes[2];
    const ptrdiff_t rows = (ptrdiff_t)to->count * to->step;
    planes_of(t, sum, planes);
    if (xncc_reals_multiply_residues(t->r, &planes[0], &planes[1], to, rows))
        return;
    if (sum == XNCC_SUM_X && t->channel == 0) {
        xncc_reals_widen_slices(t->r, &t->cut, XNCC_DIGIT_BITS);
        planes_of(t, sum, planes);
    }
    while (!xncc_reals_multiply(t->r, &planes[0], &planes[1], to, rows)) {
        xncc_reals_widen_slices(t->r, &t->cut, t->cut.bits - 1);
        planes_of(t, sum, planes);
    }
}

int xncc_reals_settle_together(xncc_reals_run *r)
{
    together t = { .r = r, .isa = r->isa->digits, .method = r->job->problem->rule.method };
    if (!begin(&t))
        return 0;
    if (r->m.table)
        r->of_slices.fft->tables(r->of_slices.blocking->nx, r->of_slices.blocking->ny, r->m.table);
    for (t.channel = 0; t.channel < r->job->templ->channels; t.channel++) {
        for (int s = 0; s < XNCC_SUMS; s++)
            if (is_needed(&t, (xncc_sum_id)s) && r->source[s] == XNCC_FROM_PRODUCTS)
                multiply(&t, (xncc_sum_id)s);
        sum_template(&t);
        if (r->common)
            xncc_job_run(r->job, xncc_reals_parts_of(r), add_part, &t);
        else
            add_rows(&t, 0);
    }
    return 1;
}
