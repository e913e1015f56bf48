/* SPDX-License-Identifier: BSD-2-Clause */
/* Exact sums of products of a rectangle by slices (reals_slices.h). */
#include "cpu/kernels/reals_slices.h"

#include "cpu/kernels/reals_cut.h"
#include "cpu/kernels/reals_planes.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

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

/* Are the sums of a group exact, by the sums of the squares of each plane of the image, [0], and of
 * the template, [1]? band: the root of the largest one of adjacent rows of the image. */
static int are_exact(const group *g, double square[2][XNCC_MOST_PLANES], double band)
{
    xncc_slice_norms norms = { .count = { g->planes[0]->count, g->planes[1]->count },
                               .band = band };
    for (int i = 0; i < 2; i++)
        for (int32_t k = 0; k < norms.count[i]; k++)
            norms.of[i][k] = sqrt(square[i][k]);
    return g->sure || xncc_reals_slices_fit(g->r, &norms);
}

/* ---- transforms ---- */

/* The arrays of a group: `of` each plane of the image, [0], and of the template, [1], or -1 if it
 * is all 0; how many planes have one; and the sums of each weight that has some. */
typedef struct arrays {
    int of[2][XNCC_MOST_PLANES], planes[2];
    double square[2][XNCC_MOST_PLANES]; /* the sum of the squares of each */
    char *plane[2][XNCC_MOST_ARRAYS];
    int sums, weight[XNCC_MOST_ARRAYS]; /* weight: that of the first planes of the group is 0 */
} arrays;

/* Planes of a group whose rows threads transform. */
typedef struct row_work {
    const group *g;
    arrays *a;
    int of_templ;
    pthread_mutex_t mutex; /* of the arrays */
} row_work;

/* What a thread transforms of them, in its own memory; and the arrays of planes as far as it knows
 * them, or -1. */
typedef struct row_part {
    row_work *work;
    xncc_reals_run own;
    int of[XNCC_MOST_PLANES];
} row_part;

/* The array of plane k of the group, of which a row is not all 0. */
static int array_of(row_part *part, int32_t k)
{
    row_work *work = part->work;
    if (part->of[k] >= 0)
        return part->of[k];
    pthread_mutex_lock(&work->mutex);
    int *array = &work->a->of[work->of_templ][k];
    if (*array < 0)
        *array = work->a->planes[work->of_templ]++;
    part->of[k] = *array;
    pthread_mutex_unlock(&work->mutex);
    return part->of[k];
}

/* Transforms row y of plane k of the group. */
static void transform_row(row_part *part, int32_t k, int32_t y, const double *from)
{
    const row_work *work = part->work;
    const xncc_reals_run *r = work->g->r;
    const int array = array_of(part, k);
    r->m.given[work->of_templ][y] |= (uint64_t)1 << array;
    r->of_slices.fft->plane_row_in(r->of_slices.table, r->of_slices.blocking, from,
                                   part->own.m.points, work->a->plane[work->of_templ][array], y);
}

/* Transforms row y of all planes of the group, and adds the squares of plane k to square[k]. A
 * slice is transformed before the next one is taken off, since rows of all slices are too many for
 * the first cache. */
static void transform_planes(row_part *part, int32_t y, double *square)
{
    const group *g = part->work->g;
    const int of_templ = part->work->of_templ;
    xncc_reals_run *own = &part->own;
    const xncc_planes *planes = g->planes[of_templ];
    const int by_slices = planes->kind == XNCC_PLANES_VALUE;
    const int32_t first = g->first[of_templ], end = first + g->count[of_templ],
                  width = by_slices ? xncc_reals_read_samples(own, planes, y) : 0;
    const uint64_t any = by_slices
                             ? 0
                             : xncc_reals_read_planes(own, planes, y, own->m.plane_rows, square);
    for (int32_t k = planes->count - 1; k >= 0; k--) {
        double *row = own->m.plane_rows + (by_slices ? 0 : k * own->m.stage.pitch);
        const int some = by_slices ? xncc_reals_take_slice(own, planes, k, width, row, &square[k])
                                   : (int)(any >> k & 1);
        if (some && k >= first && k < end)
            transform_row(part, k - first, y, row);
    }
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
    double square[XNCC_MOST_PLANES] = { 0.0 };
    row_part part = { .work = work };
    xncc_reals_run_in(r, slot, &part.own);
    xncc_reals_clear_planes(&part.own, g->planes[of_templ]->count);
    for (int32_t k = 0; k < g->count[of_templ]; k++)
        part.of[k] = -1;
    for (int32_t y = first_row(r, rows, index); y < end && !xncc_is_cancelled(r->job->watch); y++) {
        double of_row[XNCC_MOST_PLANES] = { 0.0 }, sum = 0.0;
        transform_planes(&part, y, of_row);
        for (int32_t k = 0; k < g->planes[of_templ]->count; k++) {
            square[k] += of_row[k];
            sum += of_row[k];
        }
        if (!of_templ)
            r->m.slice_squares[y] = sum;
    }
    pthread_mutex_lock(&work->mutex);
    for (int32_t k = 0; k < g->planes[of_templ]->count; k++)
        work->a->square[of_templ][k] += square[k];
    pthread_mutex_unlock(&work->mutex);
}

/* Transforms the rows of the planes of a group that are not all 0. */
static void transform_rows(const group *g, int of_templ, arrays *a)
{
    const xncc_reals_run *r = g->r;
    row_work work = { .g = g, .a = a, .of_templ = of_templ, .mutex = PTHREAD_MUTEX_INITIALIZER };
    memset(r->m.given[of_templ], 0,
           (size_t)r->of_slices.blocking->ny * sizeof *r->m.given[of_templ]);
    a->planes[of_templ] = 0;
    memset(a->square[of_templ], 0, sizeof a->square[of_templ]);
    for (int32_t k = 0; k < g->count[of_templ]; k++)
        a->of[of_templ][k] = -1;
    xncc_job_run(r->job, xncc_reals_parts_of(r), transform_part, &work);
    pthread_mutex_destroy(&work.mutex);
}

/* Is a product of two planes of the weight not 0? */
static int has_products(const group *g, const arrays *a, int32_t weight)
{
    for (int32_t i = 0; i < g->count[0] && i <= weight; i++)
        if (weight - i < g->count[1] && a->of[0][i] >= 0 && a->of[1][weight - i] >= 0)
            return 1;
    return 0;
}

static void list_weights(const group *g, arrays *a)
{
    a->sums = 0;
    for (int32_t w = 0; w < g->count[0] + g->count[1] - 1; w++)
        if (has_products(g, a, w))
            a->weight[a->sums++] = w;
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
        memcpy(a->square[1], kept->square, sizeof kept->square);
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
                                .arrays = a->planes[1] };
    memcpy(kept->of, a->of[1], sizeof kept->of);
    memcpy(kept->square, a->square[1], sizeof kept->square);
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
    r->of_slices.fft->sums(r->of_slices.table, r->of_slices.blocking, r->job->watch, &sums);
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
            r->of_slices.fft->plane_row_out(r->of_slices.table, r->of_slices.blocking,
                                            r->m.arrays[k], y, own.m.points, r->area->width, to);
            row[work->g->first[0] + work->g->first[1] + a->weight[k]] = to;
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
    if (!are_exact(g, a.square,
                   xncc_reals_band(r->m.slice_squares, r->m.stage.height, r->job->templ->height)))
        return 0;
    list_weights(g, &a);
    sum_work work = { .g = g,
                      .a = &a,
                      .sums = { .all = { g->count[0], g->count[1] },
                                .arrays = { a.planes[0], a.planes[1] },
                                .count = a.sums,
                                .array = { a.of[0], a.of[1] },
                                .plane = { a.plane[0], a.plane[1] },
                                .row = { r->m.given[0], r->m.given[1] },
                                .known = known,
                                .sum = r->m.arrays,
                                .wanted = r->area->height,
                                .weight = a.weight,
                                .parts = xncc_reals_parts_of(r) } };
    xncc_job_run(r->job, work.sums.parts, sum_part, &work);
    keep_template(g, &a);
    xncc_job_run(r->job, work.sums.parts, collect_part, &work);
    return 1;
}

/* ---- direct products ---- */

/* Cuts the template into planes, whose samples lie side by side, and adds the squares of plane k to
 * square[k]. */
static void cut_template(const group *g, double *square)
{
    xncc_reals_run *r = g->r;
    const size_t line = (size_t)r->m.stage.pitch, width = (size_t)r->job->templ->width,
                 planes = (size_t)g->count[1];
    double *to = r->m.templ_slices;
    for (int32_t j = 0; j < r->job->templ->height; j++, to += width * planes) {
        (void)xncc_reals_read_planes(r, g->planes[1], j, r->m.plane_rows, square);
        for (size_t k = 0; k < planes; k++)
            for (size_t i = 0; i < width; i++)
                to[i * planes + k] = r->m.plane_rows[((size_t)g->first[1] + k) * line + i];
    }
}

/* The same for the image. Returns a bit for each plane that is not all 0. */
static uint64_t cut_image(const group *g, double *square)
{
    xncc_reals_run *r = g->r;
    uint64_t all = 0;
    const size_t line = (size_t)r->m.stage.pitch, height = (size_t)r->m.stage.height,
                 read = (size_t)(r->m.stage.width + XNCC_MOST_LANES);
    for (size_t yy = 0; yy < height && !xncc_is_cancelled(r->job->watch); yy++) {
        const uint64_t any = xncc_reals_read_planes(r, g->planes[0], (int32_t)yy, r->m.plane_rows,
                                                    square) >>
                             g->first[0];
        r->m.image_rows[yy] = any;
        all |= any;
        for (int32_t k = 0; k < g->count[0]; k++)
            if (any >> k & 1)
                memcpy(r->m.image_slices + ((size_t)k * height + yy) * line,
                       r->m.plane_rows + (size_t)(g->first[0] + k) * line, read * sizeof(double));
    }
    return all;
}

/* Returns 0 if sums would not be exact. */
static int multiply_directly(const group *g)
{
    xncc_reals_run *r = g->r;
    const int32_t rows = r->area->height, weights = g->count[0] + g->count[1] - 1;
    const size_t line = (size_t)r->m.stage.pitch, plane = xncc_reals_sums_of_weight(r),
                 image = line * (size_t)r->m.stage.height;
    const double *row[2 * XNCC_MOST_PLANES] = { NULL };
    double square[2][XNCC_MOST_PLANES] = { { 0.0 } };
    uint64_t added = 0; /* weights that have sums */
    xncc_reals_clear_planes(r, XNCC_MOST_PLANES);
    cut_template(g, square[1]);
    const uint64_t any = cut_image(g, square[0]);
    if (!are_exact(g, square, 0.0))
        return 0;
    xncc_reals_spreading spreading = { .step = (ptrdiff_t)line,
                                       .used = r->m.image_rows,
                                       .templ = r->m.templ_slices,
                                       .planes = g->count[1],
                                       .width = r->job->templ->width,
                                       .height = r->job->templ->height,
                                       .rows = rows,
                                       .columns = r->area->width,
                                       .stride = r->stride,
                                       .sum_step = (ptrdiff_t)plane,
                                       .watch = r->job->watch };
    for (int32_t i = 0; i < g->count[0]; i++) {
        spreading.line = r->m.image_slices + (size_t)i * image;
        spreading.bit = (uint64_t)1 << i;
        spreading.sum = r->m.weight_sums + (size_t)i * plane;
        spreading.more = (uint32_t)(added >> i);
        if (!(any & spreading.bit))
            continue;
        r->isa->spread(&spreading);
        added |= (((uint64_t)1 << g->count[1]) - 1) << i;
    }
    for (int32_t y = 0; y < rows && !xncc_is_cancelled(r->job->watch); y++) {
        for (int32_t w = 0; w < weights; w++)
            row[g->first[0] + g->first[1] + w] = added >> w & 1
                                                     ? r->m.weight_sums + (size_t)w * plane +
                                                           (size_t)y * (size_t)r->stride
                                                     : NULL;
        collect_row(g, row, y);
    }
    return 1;
}

int xncc_reals_multiply(xncc_reals_run *r, const xncc_planes *image, const xncc_planes *templ,
                        const xncc_numbers *out, ptrdiff_t rows)
{
    const int32_t most = r->m.planes_at_once, half = most / 2,
                  fit = most - xncc_min_i32(templ->count, half),
                  of_image = xncc_min_i32(
                      image->count, r->of_slices.fft ? fit : xncc_min_i32(fit, r->m.image_planes)),
                  of_templ = xncc_min_i32(xncc_min_i32(templ->count, most - of_image),
                                          r->of_slices.fft ? most : r->m.templ_planes);
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
            if (!(r->of_slices.fft ? multiply_by_transforms(&g) : multiply_directly(&g)))
                return 0;
        }
    return 1;
}
