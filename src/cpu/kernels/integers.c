/* SPDX-License-Identifier: BSD-2-Clause */
/* Matching of integers: computes the sums of a rectangle plane by plane (integers.h). */
#include "cpu/kernels/integers.h"

#include "cpu/kernels/windows.h"

#include <string.h>

/* A rectangle that is being computed. */
typedef struct run {
    const xncc_job *job;
    const xncc_area *area;
    const xncc_tile_blocks *tile;
    const xncc_product_kernel *inner;
    const xncc_integers_shared *shared;
    xncc_integers_scratch m;
    xncc_scores scores;
    xncc_sum_source source_of[XNCC_SUMS]; /* where each sum comes from in this rectangle */
    int started[XNCC_SUMS];               /* number of products already added to each sum */
} run;

/* Returns an image view of a plane in the thread's memory. */
static xncc_image plane_view(const run *r, const void *plane, xncc_pixel pixel)
{
    return (xncc_image){ .data = plane,
                         .width = r->m.stage.width,
                         .height = r->m.stage.height,
                         .pitch = r->tile->pitch * (pixel == XNCC_U16 ? 2 : 1),
                         .pixel = pixel };
}

/* A product with a plane in the thread's memory or, if it is NULL, with the image. */
static xncc_plane_product product_of(const run *r, const xncc_image *plane)
{
    return (xncc_plane_product){ .blocks = r->job->blocks,
                                 .image = plane ? plane : r->job->image,
                                 .border = r->job->problem->rule.border,
                                 .left = plane ? 0 : r->m.stage.left,
                                 .top = plane ? 0 : r->m.stage.top,
                                 .width = r->area->width,
                                 .height = r->area->height,
                                 .templ = r->job->templ,
                                 .watch = r->job->watch,
                                 .windows = plane ? NULL : r->job->windows,
                                 .spectra = plane ? NULL : r->job->spectra,
                                 .sink = { .stride = r->tile->stride } };
}

static xncc_plane_product make_product(run *r, const xncc_product_of *product,
                                       const xncc_image *plane)
{
    const xncc_templ_plane *templ =
        &r->shared->plane[xncc_templ_plane_index(r->tile, &product->templ)];
    xncc_plane_product p = product_of(r, plane);
    p.templ = &templ->templ;
    p.shared = templ->shared;
    p.no_offset = templ->no_offset;
    p.sink.to = (xncc_emit){ .X = r->m.sum[product->sum], .shift = product->shift };
    p.sink.to.add = r->started[product->sum]++ > 0;
    if (product->sum == XNCC_SUM_X && r->tile->fold_x) {
        p.sink.scores = &r->scores;
    } else if (product->sum == XNCC_SUM_X && r->tile->digits == 1) {
        /* the plane is the channel itself */
        p.sink.to.S = r->source_of[XNCC_SUM_S] == XNCC_FROM_WINDOW ? r->m.sum[XNCC_SUM_S] : NULL;
        p.sink.to.Q = r->source_of[XNCC_SUM_Q] == XNCC_FROM_WINDOW ? r->m.sum[XNCC_SUM_Q] : NULL;
    }
    /* If the whole template counts, the number of counted pixels is the window sum of the count
     * plane. */
    if (product->image.kind == XNCC_PLANE_COUNT && r->source_of[XNCC_SUM_N] == XNCC_FROM_WINDOW)
        p.sink.known = r->m.sum[XNCC_SUM_N];
    return p;
}

static int same_plane(const xncc_plane_of *a, const xncc_plane_of *b)
{
    return a->kind == b->kind && a->digit == b->digit && a->channel == b->channel;
}

/* Is this product part of one of the sums first .. last of the current channel? A product with a
 * template plane that is all 0 is skipped, except for X of one-digit samples, which also yields the
 * window sums. */
static int wanted(const run *r, const xncc_product_of *p, xncc_sum_id first, xncc_sum_id last)
{
    if (p->sum < first || p->sum > last || p->channel != r->scores.channel ||
        r->source_of[p->sum] != XNCC_FROM_PRODUCTS)
        return 0;
    return (p->sum == XNCC_SUM_X && r->tile->digits == 1) ||
           !r->shared->plane[xncc_templ_plane_index(r->tile, &p->templ)].empty;
}

/* Sets the sums to 0 that no product has written. Exceptions are the sum `coming`, whose product is
 * about to be computed, and sums that are never stored. */
static void clear_missing(const run *r, xncc_sum_id first, xncc_sum_id last, xncc_sum_id coming)
{
    const size_t bytes = (size_t)r->tile->stride * (size_t)r->area->height * sizeof(uint64_t);
    for (int s = (int)first; s <= (int)last; s++)
        if (r->source_of[s] == XNCC_FROM_PRODUCTS && !r->started[s] && s != (int)coming &&
            r->m.sum[s])
            memset(r->m.sum[s], 0, bytes);
}

/* Returns 1 + the index of the wanted product that precedes product i in the list, if it uses the
 * same image plane and the inner kernel takes pairs; otherwise 0. */
static size_t partner(const run *r, size_t i, xncc_sum_id first, xncc_sum_id last)
{
    for (size_t k = i; k-- > 0 && r->inner->pairs;)
        if (wanted(r, &r->shared->product[k], first, last))
            return same_plane(&r->shared->product[k].image, &r->shared->product[i].image) ? k + 1
                                                                                          : 0;
    return 0;
}

/* Computes all products of sums first .. last of the current channel, from the end of the list to
 * its beginning, so that X comes last. Two products of the same plane are computed at once. */
static void compute_products(run *r, xncc_sum_id first, xncc_sum_id last)
{
    const xncc_plane_of count = { XNCC_PLANE_COUNT, 0, 0 };
    xncc_plane_of staged = { XNCC_PLANE_COUNT, -1, 0 };
    uint32_t any = 1;
    memset(r->started, 0, sizeof r->started);
    for (size_t i = r->shared->products; i-- > 0 && !xncc_is_cancelled(r->job->watch);) {
        const xncc_product_of *p = &r->shared->product[i];
        if (!wanted(r, p, first, last))
            continue;
        const int counts = same_plane(&p->image, &count);
        if (!counts && !r->tile->whole && !same_plane(&p->image, &staged)) {
            any = xncc_stage_plane(&r->m.stage, r->inner->rows, &p->image, 1, r->m.plane);
            staged = p->image;
        }
        if (!counts && any == 0 && (p->sum != XNCC_SUM_X || r->tile->digits > 1))
            continue;
        const xncc_image view = plane_view(r, counts ? (const void *)r->m.stage.count : r->m.plane,
                                           XNCC_U8);
        const xncc_image *plane = r->tile->whole ? NULL : &view;
        const size_t other = partner(r, i, first, last);
        const xncc_product_of *second = &r->shared->product[other > 0 ? other - 1 : i];
        if (r->tile->fold_x && (p->sum == XNCC_SUM_X || second->sum == XNCC_SUM_X))
            clear_missing(r, first, last, p->sum);
        xncc_plane_product pair[2] = { make_product(r, p, plane) };
        if (other > 0) {
            pair[1] = make_product(r, second, plane);
            i = other - 1;
        }
        r->inner->compute(r->inner, pair, (void *const *)r->m.inner, other > 0 ? 2 : 1);
    }
    if (!r->tile->fold_x)
        clear_missing(r, first, last, XNCC_SUMS);
}

/* Computes the sums of a plane (to S) and of its squares (to Q) over whole windows. S and Q may be
 * NULL. */
static void compute_window_sums(run *r, const void *plane, xncc_pixel pixel, uint64_t *S,
                                uint64_t *Q)
{
    const xncc_image view = plane_view(r, plane, pixel);
    const xncc_plane_product p = product_of(r, &view);
    const size_t bytes = (size_t)r->area->width * sizeof(uint64_t);
    xncc_windows windows;
    xncc_windows_begin(&windows, r->inner->rows, &p, 0, r->tile->stride, r->m.windows);
    xncc_windows_place(&windows, 0, r->area->width);
    for (int32_t y = 0; y < r->area->height && !xncc_is_cancelled(p.watch); y++) {
        xncc_windows_sums(&windows, y, y == 0);
        if (S)
            memcpy(S + (ptrdiff_t)y * r->tile->stride, windows.window, bytes);
        if (Q)
            memcpy(Q + (ptrdiff_t)y * r->tile->stride, windows.window + windows.strip, bytes);
    }
}

/* Computes the window sums of a channel of 16 bits, which the products of its bytes did not yield.
 */
static void compute_channel_sums(run *r, int32_t channel)
{
    const int has_S = r->source_of[XNCC_SUM_S] == XNCC_FROM_WINDOW,
              has_Q = r->source_of[XNCC_SUM_Q] == XNCC_FROM_WINDOW;
    if (r->tile->digits == 1 || (!has_S && !has_Q))
        return;
    (void)xncc_stage_plane(&r->m.stage, r->inner->rows,
                           &(xncc_plane_of){ XNCC_PLANE_VALUE, 0, channel }, 2, r->m.plane);
    compute_window_sums(r, r->m.plane, XNCC_U16, has_S ? r->m.sum[XNCC_SUM_S] : NULL,
                        has_Q ? r->m.sum[XNCC_SUM_Q] : NULL);
}

/* Determines where the sums of this rectangle come from. If all its pixels count, the sums that
 * depend on the template alone are constants. */
static void resolve_sources(run *r, xncc_counts counts)
{
    if (counts == XNCC_COUNTS_ALL)
        r->m.stage.count = NULL;
    for (int s = 0; s < XNCC_SUMS; s++) {
        r->source_of[s] = xncc_sum_source_in(&r->tile->recipe, (xncc_sum_id)s,
                                             counts == XNCC_COUNTS_ALL);
        if (r->source_of[s] == XNCC_FROM_WINDOW || r->source_of[s] == XNCC_FROM_PRODUCTS)
            r->scores.sum[s] = r->m.sum[s];
    }
}

/* Scores the rows of a channel whose sums are all stored. */
static void score_stored(const run *r)
{
    for (int32_t y = 0; y < r->area->height && !xncc_is_cancelled(r->job->watch); y++) {
        const xncc_row row = { .x64 = (const int64_t *)r->m.sum[XNCC_SUM_X] +
                                      (ptrdiff_t)y * r->tile->stride,
                               .count = r->area->width };
        xncc_scores_row(&r->scores, 0, y, &row);
    }
}

/* The sums that templates of one mask share, for this rectangle: takes them, so that no product is
 * left to be computed, or hands over those that were computed. */
static void exchange_mask_sums(run *r, int known)
{
    const xncc_mask_sums *shared = r->job->mask_sums;
    if (!shared || shared->known != known)
        return;
    for (int32_t y = 0; y < r->area->height; y++) {
        const ptrdiff_t there = (ptrdiff_t)(r->area->y + y) * shared->width + r->area->x,
                        here = (ptrdiff_t)y * r->tile->stride;
        const size_t bytes = (size_t)r->area->width * sizeof(uint64_t);
        uint64_t *S = r->m.sum[XNCC_SUM_S] + here, *Q = r->m.sum[XNCC_SUM_Q] + here;
        memcpy(known ? S : shared->S + there, known ? shared->S + there : S, bytes);
        memcpy(known ? Q : shared->Q + there, known ? shared->Q + there : Q, bytes);
    }
    if (known)
        r->source_of[XNCC_SUM_S] = r->source_of[XNCC_SUM_Q] = XNCC_FROM_NOWHERE;
}

static void run_begin(run *r, void *scratch)
{
    const xncc_job *job = r->job;
    xncc_stage *stage = &r->m.stage;
    (void)xncc_integers_layout(r->inner, job->problem, job->blocks, scratch, &r->m);
    stage->job = job;
    stage->left = (int64_t)job->x0 + r->area->x;
    stage->top = (int64_t)job->y0 + r->area->y;
    stage->width = r->area->width + job->templ->width - 1;
    stage->height = r->area->height + job->templ->height - 1;
    stage->pitch = r->tile->pitch;
    r->scores = (xncc_scores){ .isa = r->inner->rows,
                               .job = job,
                               .area = r->area,
                               .templ = &r->shared->sums,
                               .total = r->m.total };
    memcpy(r->scores.term, r->m.term, sizeof r->m.term);
}

void xncc_integers_area(const xncc_cpu_kernel *self, const xncc_job *job, void *scratch,
                        const xncc_area *area)
{
    run r = { .job = job,
              .area = area,
              .tile = &job->blocks->tile,
              .inner = self->variant,
              .shared = job->shared };
    run_begin(&r, scratch);
    const xncc_counts counts = r.tile->varies ? xncc_stage_counts(&r.m.stage) : XNCC_COUNTS_ALL;
    if (counts == XNCC_COUNTS_NONE) {
        xncc_scores_from_counts(&r.scores, 1);
        return;
    }
    resolve_sources(&r, counts);
    if (r.source_of[XNCC_SUM_N] == XNCC_FROM_WINDOW)
        compute_window_sums(&r, r.m.stage.count, XNCC_U8, r.m.sum[XNCC_SUM_N], NULL);
    compute_products(&r, XNCC_SUM_N, XNCC_SUM_N);
    if (xncc_is_cancelled(job->watch))
        return;
    if (job->problem->rule.method == XNCC_COVERAGE) {
        xncc_scores_from_counts(&r.scores, 0);
        return;
    }
    for (int32_t c = 0; c < r.tile->channels && !xncc_is_cancelled(job->watch); c++) {
        xncc_scores_channel(&r.scores, c);
        exchange_mask_sums(&r, 1);
        compute_products(&r, XNCC_SUM_S, XNCC_SUM_T2);
        compute_channel_sums(&r, c);
        exchange_mask_sums(&r, 0);
        if (!r.tile->fold_x)
            score_stored(&r);
    }
}
