/* SPDX-License-Identifier: BSD-2-Clause */
/* Exact sums of products of a rectangle by slices (reals_slices.h). */
#include "cpu/kernels/reals_slices.h"

#include <math.h>
#include <pthread.h>

/* ---- how to cut ---- */

enum { END_OF_RANGE = 900 }; /* the exponents of doubles that are multiplied by weights */

static xncc_slicing slicing_of(const xncc_reals_span *span, double unit)
{
    const double most = xncc_reals_most(span);
    xncc_slicing s = { .scale = 1.0, .exponent = isinf(unit) ? 0 : ilogb(unit) };
    s.bits = most > 0.0 ? ilogb(most) + 1 - s.exponent : 1;
    const int middle = s.exponent + s.bits / 2;
    if (s.exponent <= -END_OF_RANGE || s.exponent + s.bits > END_OF_RANGE)
        s.scale = ldexp(1.0, middle < -1000 ? 1000 : -middle);
    s.unit = ldexp(s.scale, s.exponent);
    return s;
}

/* Is the range of samples far enough from its ends, once they are scaled? */
static int fits_range(const xncc_slicing *s)
{
    return s->unit > ldexp(1.0, -END_OF_RANGE) &&
           ldexp(s->unit, s->bits) <= ldexp(1.0, END_OF_RANGE);
}

/* The largest sum of direct products, which are integers. */
static const double most_directly = 0x1p50;

/* Are sums of products of `pairs` pairs of planes exact? Transforms are then off by less than 0.45.
 * products: at least the sum, over the pairs, of the products of the planes' 2-norms. */
static int sums_fit(const xncc_reals_run *r, int32_t pairs, double products)
{
    return r->variant->fft ? (r->factor + pairs * 0x1p-51) * 1.01 * products <= 0.45
                           : 1.01 * products <= most_directly;
}

/* Are sums of `pairs` products of integers of two planes exact, of which each product is at most
 * `most` in magnitude? */
static int products_fit(const xncc_reals_run *r, double most, int32_t pairs)
{
    const double n = (double)r->job->templ->width * (double)r->job->templ->height,
                 samples = (double)r->m.stage.width * (double)r->m.stage.height,
                 products = pairs * most;
    return r->variant->fft ? sums_fit(r, pairs, sqrt(samples * n) * products)
                           : n * products <= most_directly;
}

/* The largest magnitude of an integer of a plane. The last plane has the bits that are left. */
static double most_of(const xncc_planes *planes)
{
    const int all = planes->kind == XNCC_PLANES_SQUARE ? 2 * planes->of.bits : planes->of.bits,
              left = all - planes->bits * (planes->count - 1);
    return planes->kind == XNCC_PLANES_COUNT
               ? 1.0
               : ldexp(1.0, left < planes->bits ? planes->bits - 1 : left);
}

int xncc_reals_planes_fit(const xncc_reals_run *r, const xncc_planes *image,
                          const xncc_planes *templ)
{
    return image->count <= XNCC_MOST_PLANES && templ->count <= XNCC_MOST_PLANES &&
           products_fit(r, most_of(image) * most_of(templ),
                        xncc_min_i32(image->count, templ->count));
}

void xncc_reals_read_templ_line(xncc_reals_run *r, int32_t channel, int32_t j)
{
    const xncc_template *templ = r->job->templ;
    const size_t width = (size_t)templ->width;
    memcpy(r->m.line, r->shared->value[channel] + (size_t)j * width, width * sizeof(double));
    memset(r->m.line + width, 0, XNCC_REALS_ROOM * sizeof(double));
}

/* The span of the samples of the rectangle. */
static xncc_reals_span measure(xncc_reals_run *r)
{
    xncc_reals_span span = { 0.0, 0.0, INFINITY };
    for (int32_t c = 0; c < r->job->templ->channels; c++)
        for (int32_t yy = 0; yy < r->m.stage.height && !xncc_is_cancelled(r->job->watch); yy++) {
            (void)xncc_reals_read_line(r, yy, c, 0.0, 1, r->m.line);
            r->isa->span(r->m.line, r->m.stage.width, &span);
        }
    return span;
}

/* ---- planes ---- */

void xncc_reals_clear_planes(xncc_reals_run *r)
{
    const size_t line = (size_t)r->m.stage.pitch;
    memset(r->m.line, 0, line * sizeof(double));
    memset(r->m.digit_rows, 0, line * XNCC_MOST_DIGITS * sizeof(double));
    memset(r->m.plane_rows, 0, line * XNCC_MOST_PLANES * sizeof(double));
}

/* Cuts the doubles in m.line into slices. */
static uint64_t slice_line(const xncc_reals_run *r, const xncc_slicing *of, int bits, int32_t count,
                           int32_t width, double *out, double *square)
{
    const xncc_reals_slicing slicing = { of->scale, of->unit, ldexp(1.0, bits), count,
                                         (ptrdiff_t)r->m.stage.pitch };
    double unused = 0.0;
    return r->isa->slices(r->m.line, width, &slicing, out, square ? square : &unused);
}

static uint64_t square_line(xncc_reals_run *r, const xncc_planes *planes, int32_t width,
                            double *out)
{
    const size_t line = (size_t)r->m.stage.pitch;
    const int32_t digits = xncc_slices_of(planes->of.bits, XNCC_DIGIT_BITS);
    uint64_t any = 0;
    (void)slice_line(r, &planes->of, XNCC_DIGIT_BITS, digits, width, r->m.digit_rows, NULL);
    r->isa->digits->squares(r->m.digit_rows, (ptrdiff_t)line, digits, width, out, planes->count);
    for (int32_t k = 0; k < planes->count; k++)
        any |= (uint64_t)(r->isa->range(out + (size_t)k * line, width, 0.0).most > 0.0) << k;
    return any;
}

/* Which pixels of row y count, 1 or 0 each. */
static uint64_t count_line(xncc_reals_run *r, const xncc_planes *planes, int32_t y, double *out)
{
    const xncc_template *templ = r->job->templ;
    if (!planes->of_templ) {
        (void)xncc_reals_read_line(r, y, 0, 0.0, 0, out);
        return 1;
    }
    for (int32_t i = 0; i < templ->width; i++)
        out[i] = !templ->mask || templ->mask[(size_t)y * (size_t)templ->width + (size_t)i];
    return 1;
}

uint64_t xncc_reals_read_planes(xncc_reals_run *r, const xncc_planes *planes, int32_t y,
                                double *out, double *square)
{
    const int32_t width = planes->of_templ ? r->job->templ->width : r->m.stage.width;
    if (planes->kind == XNCC_PLANES_COUNT)
        return count_line(r, planes, y, out);
    if (planes->of_templ)
        xncc_reals_read_templ_line(r, planes->channel, y);
    else
        (void)xncc_reals_read_line(r, y, planes->channel, 0.0, 1, r->m.line);
    return planes->kind == XNCC_PLANES_SQUARE
               ? square_line(r, planes, width, out)
               : slice_line(r, &planes->of, planes->bits, planes->count, width, out, square);
}

/* ---- the bits of slices ---- */

enum { LEAST_BITS = 7 };

/* Planes of samples in slices of so many bits, of the image or the template. */
static xncc_planes cut_planes(const xncc_cut *cut, int of_templ, int32_t channel, int bits)
{
    const xncc_slicing *of = of_templ ? &cut->templ : &cut->image;
    return (xncc_planes){ .kind = XNCC_PLANES_VALUE,
                          .of_templ = of_templ,
                          .channel = channel,
                          .of = *of,
                          .bits = bits,
                          .count = xncc_slices_of(of->bits, bits) - (of_templ ? 0 : cut->joined) };
}

static int fits_surely(const xncc_reals_run *r, const xncc_cut *cut, int bits)
{
    const xncc_planes image = cut_planes(cut, 0, 0, bits), templ = cut_planes(cut, 1, 0, bits);
    return xncc_reals_planes_fit(r, &image, &templ);
}

/* About the sum of the squares of all planes of a channel, from some of their rows. */
static double sample_squares(xncc_reals_run *r, const xncc_planes *planes)
{
    enum { ROWS = 24 };
    const int32_t rows = planes->of_templ ? r->job->templ->height : r->m.stage.height,
                  step = rows / ROWS | 1; /* odd, since rows often differ by turns */
    double square = 0.0;
    for (int32_t y = step / 2; y < rows && !xncc_is_cancelled(r->job->watch); y += step)
        (void)xncc_reals_read_planes(r, planes, y, r->m.plane_rows, &square);
    return square * step;
}

/* Will slices of so many bits probably do? */
static int fits_probably(xncc_reals_run *r, const xncc_cut *cut, int bits)
{
    const double margin = 1.1;
    int fits = 1;
    for (int32_t c = 0; c < r->job->templ->channels && fits; c++) {
        const xncc_planes image = cut_planes(cut, 0, c, bits), templ = cut_planes(cut, 1, c, bits);
        fits = sums_fit(r, xncc_min_i32(image.count, templ.count),
                        margin * sqrt(sample_squares(r, &image)) * sqrt(sample_squares(r, &templ)));
    }
    return fits;
}

/* The 2-norms of planes are mostly far below their bounds: a sample has few slices that are not 0,
 * and few of those are as large as they may be. So wider slices than are sure to do are tried if
 * there are fewer of them then; and of those, the narrowest. If the last slice of the image has
 * hardly any bits, it is tried without. */
static void choose_bits(xncc_reals_run *r, xncc_cut *cut)
{
    enum { MOST_MORE = 4, FEW_BITS = 1 };
    const int most = xncc_min_i32(cut->sure + MOST_MORE, XNCC_DIGIT_BITS);
    for (cut->bits = most; cut->bits > cut->sure; cut->bits--) {
        const int32_t image = xncc_slices_of(cut->image.bits, cut->bits),
                      templ = xncc_slices_of(cut->templ.bits, cut->bits);
        cut->joined = image > 1 && cut->image.bits - cut->bits * (image - 1) <= FEW_BITS;
        if (cut->joined && fits_probably(r, cut, cut->bits))
            return;
        cut->joined = 0;
        if ((image < xncc_slices_of(cut->image.bits, cut->bits - 1) ||
             templ < xncc_slices_of(cut->templ.bits, cut->bits - 1)) &&
            fits_probably(r, cut, cut->bits))
            return;
    }
}

int xncc_reals_cut(xncc_reals_run *r, xncc_cut *cut)
{
    const xncc_reals_span image = measure(r), templ = r->shared->span;
    const int difference = xncc_method_of_difference(r->job->problem->rule.method);
    const double both = fmin(image.unit, templ.unit);
    cut->image = slicing_of(&image, difference ? both : image.unit);
    cut->templ = slicing_of(&templ, difference ? both : templ.unit);
    if (!fits_range(&cut->image) || !fits_range(&cut->templ))
        return 0;
    cut->joined = 0;
    for (cut->sure = XNCC_DIGIT_BITS; !fits_surely(r, cut, cut->sure); cut->sure--)
        if (cut->sure == LEAST_BITS)
            return 0;
    choose_bits(r, cut);
    return 1;
}

/* ---- groups of planes ---- */

/* The products of planes that are computed at a time: of planes first .. first + count - 1 of the
 * image, [0], and of the template, [1]. */
typedef struct group {
    xncc_reals_run *r;
    const xncc_planes *planes[2];
    int32_t first[2], count[2];
    int sure; /* 1: sums are exact in any case */
    const xncc_numbers *out;
    ptrdiff_t rows;
} group;

/* Adds a row of sums of products, of which row[i] has weight i, to the numbers. */
static void collect_row(const group *g, const double *const *row, int32_t y)
{
    const xncc_numbers to = { g->out->digit + y * g->rows, g->out->step, g->out->count, 0 };
    const xncc_weighted from = { .row = row,
                                 .count = g->first[0] + g->count[0] + g->first[1] + g->count[1] - 1,
                                 .bits = g->planes[0]->bits > g->planes[1]->bits
                                             ? g->planes[0]->bits
                                             : g->planes[1]->bits,
                                 .more = g->first[0] + g->first[1] > 0 };
    g->r->isa->digits->collect(&from, g->r->area->width, &to);
}

/* Are the sums of a group exact, by the sums of the squares of all planes of the image, [0], and of
 * the template, [1]? The sum of products of two norms is at most the product of their roots. */
static int are_exact(const group *g, const double square[2])
{
    return g->sure || sums_fit(g->r, xncc_min_i32(g->planes[0]->count, g->planes[1]->count),
                               sqrt(square[0]) * sqrt(square[1]));
}

/* ---- transforms ---- */

/* The arrays of a group: `of` each plane of the image, [0], and of the template, [1], or -1 if it
 * is all 0; how many planes have one; and the sums of each weight that has some. */
typedef struct arrays {
    int of[2][XNCC_MOST_PLANES], planes[2];
    double square[2]; /* the sums of the squares of all planes */
    char *plane[2][XNCC_MOST_ARRAYS];
    int sums, begin[XNCC_MOST_ARRAYS + 1], weight[XNCC_MOST_ARRAYS];
    uint8_t pair[XNCC_MOST_ARRAYS * XNCC_MOST_ARRAYS / 4][2];
} arrays;

/* Planes of a group whose rows threads transform. */
typedef struct row_work {
    const group *g;
    arrays *a;
    int of_templ;
    pthread_mutex_t mutex; /* of the arrays */
} row_work;

/* Gives the planes that have something in a row arrays, and writes which they are. */
static void give_arrays(row_work *work, uint64_t any, int of[XNCC_MOST_PLANES])
{
    const group *g = work->g;
    arrays *a = work->a;
    pthread_mutex_lock(&work->mutex);
    for (int32_t k = 0; k < g->count[work->of_templ]; k++) {
        int *array = &a->of[work->of_templ][k];
        if (any >> k & 1 && *array < 0)
            *array = a->planes[work->of_templ]++;
        of[k] = *array;
    }
    pthread_mutex_unlock(&work->mutex);
}

/* The first row of a part of so many rows. */
static int32_t first_row(const xncc_reals_run *r, int32_t rows, uint64_t part)
{
    return (int32_t)((int64_t)rows * (int64_t)part / xncc_reals_parts_of(r));
}

/* Transforms some of the rows. */
static void transform_part(void *argument, uint64_t index, int32_t slot)
{
    row_work *work = argument;
    const group *g = work->g;
    const int of_templ = work->of_templ;
    const xncc_reals_run *r = g->r;
    const int32_t rows = of_templ ? r->job->templ->height : r->m.stage.height,
                  end = first_row(r, rows, index + 1);
    double square = 0.0;
    int of[XNCC_MOST_PLANES];
    xncc_reals_run own;
    xncc_reals_run_in(r, slot, &own);
    xncc_reals_clear_planes(&own);
    for (int32_t y = first_row(r, rows, index); y < end && !xncc_is_cancelled(r->job->watch); y++) {
        const uint64_t any = xncc_reals_read_planes(&own, g->planes[of_templ], y, own.m.plane_rows,
                                                    &square) >>
                             g->first[of_templ];
        give_arrays(work, any, of);
        for (int32_t k = 0; k < g->count[of_templ]; k++) {
            const double *from = own.m.plane_rows + (k + g->first[of_templ]) * own.m.stage.pitch;
            if (!(any >> k & 1))
                continue;
            r->m.given[of_templ][y] |= (uint64_t)1 << of[k];
            r->variant->fft->plane_row_in(r->shared->table, &r->job->blocks->fft, from,
                                          own.m.points, work->a->plane[of_templ][of[k]], y);
        }
    }
    pthread_mutex_lock(&work->mutex);
    work->a->square[of_templ] += square;
    pthread_mutex_unlock(&work->mutex);
}

/* Transforms the rows of the planes of a group that are not all 0. */
static void transform_rows(const group *g, int of_templ, arrays *a)
{
    const xncc_reals_run *r = g->r;
    row_work work = { .g = g, .a = a, .of_templ = of_templ, .mutex = PTHREAD_MUTEX_INITIALIZER };
    memset(r->m.given[of_templ], 0, (size_t)r->job->blocks->fft.ny * sizeof *r->m.given[of_templ]);
    a->planes[of_templ] = 0;
    a->square[of_templ] = 0.0;
    for (int32_t k = 0; k < g->count[of_templ]; k++)
        a->of[of_templ][k] = -1;
    xncc_job_run(r->job, xncc_reals_parts_of(r), transform_part, &work);
    pthread_mutex_destroy(&work.mutex);
}

/* Lists the pairs of planes of each weight that has some. */
static void list_pairs(const group *g, arrays *a)
{
    int pairs = 0;
    a->sums = 0;
    for (int32_t w = 0; w < g->count[0] + g->count[1] - 1; w++) {
        const int before = pairs;
        for (int32_t i = 0; i < g->count[0]; i++) {
            const int32_t j = w - i;
            if (j < 0 || j >= g->count[1] || a->of[0][i] < 0 || a->of[1][j] < 0)
                continue;
            a->pair[pairs][0] = (uint8_t)a->of[0][i];
            a->pair[pairs++][1] = (uint8_t)a->of[1][j];
        }
        if (pairs == before)
            continue;
        a->begin[a->sums] = before;
        a->weight[a->sums++] = g->first[0] + g->first[1] + w;
    }
    a->begin[a->sums] = pairs;
}

/* Are the planes that are kept cut like the template's planes of a group? */
static int is_cut_alike(const xncc_kept_planes *kept, const group *g)
{
    const xncc_planes *a = &kept->planes, *b = g->planes[1];
    return kept->first == g->first[1] && kept->count == g->count[1] && a->kind == b->kind &&
           a->channel == b->channel && a->bits == b->bits && a->count == b->count &&
           a->of.scale == b->of.scale && a->of.unit == b->of.unit &&
           a->of.exponent == b->of.exponent && a->of.bits == b->of.bits;
}

/* Are the template's planes of a group those that are kept? */
static int are_kept(const group *g)
{
    const xncc_kept_planes *kept = g->r->m.kept_planes;
    const uint64_t serial = g->r->job->templ->serial;
    return serial != 0 && kept->serial == serial && is_cut_alike(kept, g);
}

/* The template's planes of a group, which are transformed but for their columns. Returns 1 if they
 * are kept, whose columns are, too. */
static int find_template(const group *g, arrays *a)
{
    xncc_kept_planes *kept = g->r->m.kept_planes;
    if (are_kept(g)) {
        memcpy(a->of[1], kept->of, sizeof kept->of);
        a->planes[1] = kept->arrays;
        a->square[1] = kept->square;
        return 1;
    }
    kept->serial = 0;
    transform_rows(g, 1, a);
    return 0;
}

/* Keeps the template's planes of a group, unless sums have taken their place: also that of planes
 * which were kept before. */
static void keep_template(const group *g, const arrays *a)
{
    xncc_kept_planes *kept = g->r->m.kept_planes;
    kept->serial = 0;
    if (a->sums + a->planes[1] > g->r->m.planes_at_once || xncc_is_cancelled(g->r->job->watch))
        return;
    *kept = (xncc_kept_planes){ .serial = g->r->job->templ->serial,
                                .planes = *g->planes[1],
                                .first = g->first[1],
                                .count = g->count[1],
                                .arrays = a->planes[1],
                                .square = a->square[1] };
    memcpy(kept->of, a->of[1], sizeof kept->of);
}

/* Sums of products that threads compute. */
typedef struct sum_work {
    const group *g;
    const arrays *a;
    xncc_fft_sums sums;
} sum_work;

/* Some columns of all sums. */
static void sum_part(void *argument, uint64_t index, int32_t slot)
{
    const sum_work *work = argument;
    const xncc_reals_run *r = work->g->r;
    xncc_fft_sums sums = work->sums;
    xncc_reals_run own;
    xncc_reals_run_in(r, slot, &own);
    sums.part = (int32_t)index;
    sums.buffer = own.m.points;
    r->variant->fft->sums(r->shared->table, &r->job->blocks->fft, r->job->watch, &sums);
}

/* Some rows of windows: transforms the sums back, and collects them. */
static void collect_part(void *argument, uint64_t index, int32_t slot)
{
    const sum_work *work = argument;
    const arrays *a = work->a;
    const xncc_reals_run *r = work->g->r;
    const int32_t rows = r->area->height, end = first_row(r, rows, index + 1);
    const double *row[2 * XNCC_MOST_PLANES] = { NULL };
    xncc_reals_run own;
    xncc_reals_run_in(r, slot, &own);
    for (int32_t y = first_row(r, rows, index); y < end && !xncc_is_cancelled(r->job->watch); y++) {
        for (int k = 0; k < a->sums; k++) {
            double *to = own.m.weight_rows + (size_t)k * (size_t)r->stride;
            r->variant->fft->plane_row_out(r->shared->table, &r->job->blocks->fft, r->m.arrays[k],
                                           y, own.m.points, r->area->width, to);
            row[a->weight[k]] = to;
        }
        collect_row(work->g, row, y);
    }
}

/* Planes of the image, and sums, have the first arrays, and planes of the template the last ones.
 * Returns 0 if sums would not be exact. */
static int multiply_by_transforms(const group *g)
{
    const xncc_reals_run *r = g->r;
    arrays a;
    for (int32_t k = 0; k < r->m.planes_at_once; k++) {
        a.plane[0][k] = r->m.arrays[k];
        a.plane[1][k] = r->m.arrays[r->m.planes_at_once - 1 - k];
    }
    transform_rows(g, 0, &a);
    const int known = find_template(g, &a);
    if (!are_exact(g, a.square))
        return 0;
    list_pairs(g, &a);
    sum_work work = { .g = g,
                      .a = &a,
                      .sums = { .planes = { a.planes[0], a.planes[1] },
                                .count = a.sums,
                                .plane = { a.plane[0], a.plane[1] },
                                .row = { r->m.given[0], r->m.given[1] },
                                .known = known,
                                .sum = r->m.arrays,
                                .wanted = r->area->height,
                                .begin = a.begin,
                                .pair = (const uint8_t(*)[2])a.pair,
                                .parts = xncc_reals_parts_of(r) } };
    xncc_job_run(r->job, work.sums.parts, sum_part, &work);
    keep_template(g, &a);
    xncc_job_run(r->job, work.sums.parts, collect_part, &work);
    return 1;
}

/* ---- direct products ---- */

/* Cuts the template into planes. Returns a bit for each that is not all 0, and adds the squares of
 * all of them to *square. */
static uint64_t cut_template(const group *g, double *square)
{
    xncc_reals_run *r = g->r;
    const size_t line = (size_t)r->m.stage.pitch, width = (size_t)r->job->templ->width,
                 height = (size_t)r->job->templ->height;
    uint64_t any = 0;
    for (size_t j = 0; j < height; j++) {
        any |= xncc_reals_read_planes(r, g->planes[1], (int32_t)j, r->m.plane_rows, square);
        for (int32_t k = 0; k < g->count[1]; k++)
            memcpy(r->m.templ_slices + ((size_t)k * height + j) * width,
                   r->m.plane_rows + (size_t)(g->first[1] + k) * line, width * sizeof(double));
    }
    return any >> g->first[1];
}

/* Returns 0 if sums would not be exact. */
static int multiply_directly(const group *g)
{
    xncc_reals_run *r = g->r;
    const int32_t height = r->job->templ->height, rows = r->area->height,
                  weights = g->count[0] + g->count[1] - 1;
    const size_t line = (size_t)r->m.stage.pitch, plane = (size_t)r->stride * (size_t)rows,
                 templ = (size_t)r->job->templ->width * (size_t)height;
    const double *row[2 * XNCC_MOST_PLANES] = { NULL };
    xncc_reals_clear_planes(r);
    double square[2] = { 0.0, 0.0 };
    const uint64_t of_templ = cut_template(g, &square[1]);
    xncc_reals_meeting meeting = { .width = r->job->templ->width,
                                   .columns = r->area->width,
                                   .stride = r->stride,
                                   .watch = r->job->watch };
    xncc_reals_clear_planes(r);
    memset(r->m.weight_sums, 0, plane * (size_t)weights * sizeof(double));
    for (int32_t yy = 0; yy < r->m.stage.height && !xncc_is_cancelled(r->job->watch); yy++) {
        const uint64_t any = xncc_reals_read_planes(r, g->planes[0], yy, r->m.plane_rows,
                                                    &square[0]) >>
                             g->first[0];
        meeting.y = yy;
        meeting.first = yy - height + 1 > 0 ? yy - height + 1 : 0;
        meeting.last = yy < rows - 1 ? yy : rows - 1;
        for (int32_t i = 0; i < g->count[0]; i++)
            for (int32_t j = 0; j < g->count[1] && any >> i & 1; j++) {
                meeting.line = r->m.plane_rows + (size_t)(g->first[0] + i) * line;
                meeting.templ = r->m.templ_slices + (size_t)j * templ;
                meeting.sum = r->m.weight_sums + (size_t)(i + j) * plane;
                if (of_templ >> j & 1)
                    r->isa->meet(&meeting);
            }
    }
    if (!are_exact(g, square))
        return 0;
    for (int32_t y = 0; y < rows && !xncc_is_cancelled(r->job->watch); y++) {
        for (int32_t w = 0; w < weights; w++)
            row[g->first[0] + g->first[1] + w] = r->m.weight_sums + (size_t)w * plane +
                                                 (size_t)y * (size_t)r->stride;
        collect_row(g, row, y);
    }
    return 1;
}

int xncc_reals_multiply(xncc_reals_run *r, const xncc_planes *image, const xncc_planes *templ,
                        const xncc_numbers *out, ptrdiff_t rows)
{
    const int32_t most = r->m.planes_at_once, half = most / 2,
                  of_image = xncc_min_i32(image->count, most - xncc_min_i32(templ->count, half)),
                  of_templ = xncc_min_i32(xncc_min_i32(templ->count, most - of_image),
                                          r->variant->fft ? most : r->m.templ_planes);
    group g = { .r = r,
                .planes = { image, templ },
                .sure = xncc_reals_planes_fit(r, image, templ),
                .out = out,
                .rows = rows };
    for (int32_t i = 0; i < image->count; i += of_image)
        for (int32_t j = 0; j < templ->count && !xncc_is_cancelled(r->job->watch); j += of_templ) {
            g.first[0] = i;
            g.first[1] = j;
            g.count[0] = xncc_min_i32(of_image, image->count - i);
            g.count[1] = xncc_min_i32(of_templ, templ->count - j);
            if (!(r->variant->fft ? multiply_by_transforms(&g) : multiply_directly(&g)))
                return 0;
        }
    return 1;
}
