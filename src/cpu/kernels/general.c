/* The general route for integer pixels: computes the sums of a rectangle plane by plane. */
#include "cpu/kernels/general_parts.h"

#include <assert.h>
#include <string.h>

/* Returns an image view of a plane in the thread's memory. */
static xncc_image plane_view(const xncc_general_run *r, const void *plane, xncc_pixel pixel)
{
    return (xncc_image){ .data = plane,
                         .width = r->m.stage.width,
                         .height = r->m.stage.height,
                         .pitch = r->tile.pitch * (pixel == XNCC_U16 ? 2 : 1),
                         .pixel = pixel };
}

/* Called when a row of X, the last sum of its channel, is complete. */
static void row_ready(void *user, int32_t x, int32_t y, int32_t width)
{
    xncc_general_row_terms(user, x, y, width);
}

/* The arguments with which the inner kernel computes one product of planes. */
typedef struct product_call {
    xncc_job job;
    xncc_sums sums;
    xncc_area area;
} product_call;

static int32_t piece_of(const xncc_general_run *r, const xncc_product_of *product)
{
    return r->tile.pieces > 1 ? product->shift / 16 : 0;
}

static void product_call_make(xncc_general_run *r, const xncc_product_of *product,
                              const xncc_image *plane, product_call *call)
{
    const xncc_templ_plane *plane_of_templ =
        &r->shared->templ_plane[xncc_templ_plane_index(&r->tile, &product->templ)];
    const int32_t piece = piece_of(r, product);
    call->sums = (xncc_sums){ .X = r->m.sum[product->sum][piece],
                              .shift = product->shift - 16 * piece };
    call->sums.add = r->started[product->sum][piece]++ > 0;
    call->area = (xncc_area){ .width = r->area->width,
                              .height = r->area->height,
                              .pitch = r->tile.stride };
    if (product->sum == XNCC_SUM_X && r->tile.digits == 1) {
        /* the plane is the channel itself */
        call->sums.S = r->source_of[XNCC_SUM_S] == XNCC_FROM_WINDOW ? r->m.sum[XNCC_SUM_S][0]
                                                                    : NULL;
        call->sums.Q = r->source_of[XNCC_SUM_Q] == XNCC_FROM_WINDOW ? r->m.sum[XNCC_SUM_Q][0]
                                                                    : NULL;
    }
    if (product->sum == XNCC_SUM_X && r->tile.fold_x) {
        call->sums.on_row = row_ready;
        call->sums.user = r;
        call->area.pitch = 0;
    }
    call->job = (xncc_job){ .problem = &r->tile.inner,
                            .image = plane,
                            .templ = &plane_of_templ->templ,
                            .rule = plane_of_templ->rule };
    call->job.shared = plane_of_templ->shared;
    call->job.map_width = r->area->width;
    call->job.map_height = r->area->height;
    call->job.no_offset = plane_of_templ->no_offset;
    /* If the whole template counts, the number of counted pixels is the window sum of the count
     * plane. */
    if (product->image.kind == XNCC_PLANE_COUNT && r->source_of[XNCC_SUM_N] == XNCC_FROM_WINDOW)
        call->sums.known = r->m.sum[XNCC_SUM_N][0];
}

/* Computes one product of a plane, or two products of the same plane at once. */
static void compute_product(xncc_general_run *r, const xncc_product_of *first,
                            const xncc_product_of *second, const xncc_image *plane)
{
    product_call a, b;
    product_call_make(r, first, plane, &a);
    a.area.sums = &a.sums;
    if (!second) {
        r->inner->area(r->inner, &a.job, r->m.inner[0], &a.area);
        return;
    }
    product_call_make(r, second, plane, &b);
    b.area.sums = &b.sums;
    const xncc_job jobs[2] = { a.job, b.job };
    const xncc_area areas[2] = { a.area, b.area };
    void *const scratch[2] = { r->m.inner[0], r->m.inner[1] };
    r->inner->pair(r->inner, jobs, scratch, areas);
}

static int same_plane(const xncc_plane_of *a, const xncc_plane_of *b)
{
    return a->kind == b->kind && a->digit == b->digit && a->channel == b->channel;
}

/* Is this product part of one of the sums first .. last of the current channel? A product with a
 * template plane that is all 0 is skipped, except for X of one-digit samples, which also yields the
 * window sums. */
static int wanted(const xncc_general_run *r, const xncc_product_of *p, xncc_sum_id first,
                  xncc_sum_id last)
{
    if (p->sum < first || p->sum > last || p->channel != r->channel ||
        r->source_of[p->sum] != XNCC_FROM_PRODUCTS)
        return 0;
    return (p->sum == XNCC_SUM_X && r->tile.digits == 1) ||
           !r->shared->templ_plane[xncc_templ_plane_index(&r->tile, &p->templ)].empty;
}

static void clear_sum(const xncc_general_run *r, xncc_sum_id sum, int32_t piece)
{
    const size_t rows = xncc_general_is_row_sum(&r->tile, sum) ? 1 : (size_t)r->area->height;
    if (r->m.sum[sum][piece])
        memset(r->m.sum[sum][piece], 0, (size_t)r->tile.stride * rows * sizeof(uint64_t));
}

/* Sets the sums to 0 that no product has written. Exceptions are the sum `coming`, whose product is
 * about to be computed, and X if it is never stored. */
static void clear_missing(const xncc_general_run *r, xncc_sum_id first, xncc_sum_id last,
                          xncc_sum_id coming)
{
    for (int s = (int)first; s <= (int)last; s++)
        for (int32_t k = 0; k < r->tile.pieces; k++)
            if (r->source_of[s] == XNCC_FROM_PRODUCTS && !r->started[s][k] && s != (int)coming &&
                !(s == XNCC_SUM_X && r->tile.fold_x))
                clear_sum(r, (xncc_sum_id)s, k);
}

/* Returns 1 + the index of the wanted product that precedes product i in the list, if it uses the
 * same image plane and the inner kernel takes pairs; otherwise 0. */
static size_t partner(const xncc_general_run *r, size_t i, xncc_sum_id first, xncc_sum_id last)
{
    for (size_t k = i; k-- > 0 && r->tile.pairs;)
        if (wanted(r, &r->shared->product[k], first, last))
            return same_plane(&r->shared->product[k].image, &r->shared->product[i].image) ? k + 1
                                                                                          : 0;
    return 0;
}

/* Computes all products of sums first .. last of the current channel, from the end of the list to
 * its beginning, so that X comes last. */
static void compute_plane_products(xncc_general_run *r, xncc_sum_id first, xncc_sum_id last)
{
    const xncc_plane_of count = { XNCC_PLANE_COUNT, 0, 0 };
    xncc_plane_of staged = { XNCC_PLANE_COUNT, -1, 0 };
    uint32_t any = 1;
    memset(r->started, 0, sizeof r->started);
    for (size_t i = r->shared->products; i-- > 0;) {
        const xncc_product_of *p = &r->shared->product[i], *second = NULL;
        if (!wanted(r, p, first, last))
            continue;
        const int counts = same_plane(&p->image, &count);
        if (!counts && !same_plane(&p->image, &staged)) {
            any = xncc_stage_plane(&r->m.stage, r->isa, &p->image, 1, r->m.plane);
            staged = p->image;
        }
        if (!counts && any == 0 && (p->sum != XNCC_SUM_X || r->tile.digits > 1))
            continue;
        const xncc_image view = plane_view(r, counts ? (const void *)r->m.stage.count : r->m.plane,
                                           XNCC_U8);
        const size_t other = partner(r, i, first, last);
        if (other > 0) {
            second = &r->shared->product[other - 1];
            i = other - 1;
        }
        if (r->tile.fold_x && (p->sum == XNCC_SUM_X || (second && second->sum == XNCC_SUM_X)))
            clear_missing(r, first, last, p->sum);
        compute_product(r, p, second, &view);
    }
    if (!r->tile.fold_x)
        clear_missing(r, first, last, XNCC_SUMS);
}

/* Computes the sums of a plane (to S) and of its squares (to Q) over whole windows. S and Q may be
 * NULL. */
static void compute_window_sums(xncc_general_run *r, const void *plane, xncc_pixel pixel,
                                uint64_t *S, uint64_t *Q)
{
    const xncc_image view = plane_view(r, plane, pixel);
    const xncc_template templ = { .width = r->job->templ->width,
                                  .height = r->job->templ->height,
                                  .pixel = pixel };
    const xncc_job job = { .problem = &r->tile.inner, .image = &view, .templ = &templ };
    const size_t bytes = (size_t)r->area->width * sizeof(uint64_t);
    xncc_windows windows;
    xncc_windows_begin(&windows, r->isa, &job, 0, r->tile.stride, r->m.windows);
    xncc_windows_place(&windows, NULL, 0, r->area->width);
    for (int32_t y = 0; y < r->area->height; y++) {
        const xncc_wide_row row = xncc_windows_sums(&windows, y, y == 0);
        if (S)
            memcpy(S + (ptrdiff_t)y * r->tile.stride, row.S, bytes);
        if (Q)
            memcpy(Q + (ptrdiff_t)y * r->tile.stride, row.Q, bytes);
    }
}

/* Computes the window sums of a channel whose products did not yield them. They are computed from
 * digits of 16 bits, so that nothing overflows. */
static void compute_channel_sums(xncc_general_run *r, int32_t channel)
{
    const int S = r->source_of[XNCC_SUM_S] == XNCC_FROM_WINDOW,
              Q = r->source_of[XNCC_SUM_Q] == XNCC_FROM_WINDOW;
    if (r->tile.digits == 1 || (!S && !Q))
        return;
    if (r->tile.digits == 2) {
        (void)xncc_stage_plane(&r->m.stage, r->isa,
                               &(xncc_plane_of){ XNCC_PLANE_VALUE, 0, channel }, 2, r->m.plane);
        compute_window_sums(r, r->m.plane, XNCC_U16, S ? r->m.sum[XNCC_SUM_S][0] : NULL,
                            Q ? r->m.sum[XNCC_SUM_Q][0] : NULL);
        return;
    }
    for (int32_t d = 2; d < GENERAL_PIECES && S; d++)
        clear_sum(r, XNCC_SUM_S, d);
    for (int32_t d = 0; d < 2 && S; d++) {
        (void)xncc_stage_plane(&r->m.stage, r->isa,
                               &(xncc_plane_of){ XNCC_PLANE_VALUE, d, channel }, 2, r->m.plane);
        compute_window_sums(r, r->m.plane, XNCC_U16, r->m.sum[XNCC_SUM_S][d], NULL);
    }
    for (int32_t d = 0; d < 4 && Q; d++) {
        (void)xncc_stage_plane(&r->m.stage, r->isa,
                               &(xncc_plane_of){ XNCC_PLANE_SQUARE, d, channel }, 2, r->m.plane);
        compute_window_sums(r, r->m.plane, XNCC_U16, r->m.sum[XNCC_SUM_Q][d], NULL);
    }
}

static void fill_row(uint64_t *row, int32_t count, uint64_t value)
{
    for (int32_t i = 0; i < count; i++)
        row[i] = value;
}

/* Determines where the sums of this rectangle come from. If all its pixels count, the sums that
 * depend on the template alone are constants. */
static void resolve_sources(xncc_general_run *r, xncc_counts counts)
{
    for (int s = 0; s < XNCC_SUMS; s++)
        r->source_of[s] = r->tile.recipe.sum[s];
    if (counts == XNCC_COUNTS_ALL) {
        r->m.stage.count = NULL;
        r->source_of[XNCC_SUM_N] = XNCC_FROM_CONSTANT;
        if (r->source_of[XNCC_SUM_T] != XNCC_FROM_NOWHERE)
            r->source_of[XNCC_SUM_T] = XNCC_FROM_CONSTANT;
        if (r->source_of[XNCC_SUM_T2] != XNCC_FROM_NOWHERE)
            r->source_of[XNCC_SUM_T2] = XNCC_FROM_CONSTANT;
    }
    fill_row(r->m.none, r->tile.stride, 0);
    fill_row(r->m.constant[XNCC_SUM_N], r->tile.stride, r->job->general.whole);
}

static void score_nothing(const xncc_general_run *r)
{
    float score;
    (void)xncc_general_score_from_count(r->job->problem->method, &r->job->general, 0, &score);
    for (int32_t y = 0; y < r->area->height; y++)
        for (int32_t x = 0; x < r->area->width; x++)
            r->area->out[y * r->area->pitch + x] = score;
}

void xncc_planes_area(const xncc_cpu_kernel *self, const xncc_job *job, void *scratch,
                      const xncc_area *area)
{
    const xncc_general_variant *variant = self->variant;
    assert(!area->sums);
    xncc_general_run r = { .job = job,
                           .area = area,
                           .isa = variant->windows,
                           .inner = variant->inner,
                           .shared = job->shared };
    r.tile = xncc_tile_shape_make(variant, job->problem);
    (void)xncc_general_layout(&r.tile, scratch, &r.m);
    r.m.stage.job = job;
    r.m.stage.left = (int64_t)job->x0 + area->x;
    r.m.stage.top = (int64_t)job->y0 + area->y;
    r.m.stage.width = area->width + job->templ->width - 1;
    r.m.stage.height = area->height + job->templ->height - 1;
    r.m.stage.pitch = r.tile.pitch;
    const xncc_counts counts = r.tile.varies ? xncc_stage_counts(&r.m.stage) : XNCC_COUNTS_ALL;
    if (counts == XNCC_COUNTS_NONE) {
        score_nothing(&r);
        return;
    }
    resolve_sources(&r, counts);
    if (r.source_of[XNCC_SUM_N] == XNCC_FROM_WINDOW)
        compute_window_sums(&r, r.m.stage.count, XNCC_U8, r.m.sum[XNCC_SUM_N][0], NULL);
    compute_plane_products(&r, XNCC_SUM_N, XNCC_SUM_N);
    if (job->problem->method == XNCC_COVERAGE) {
        xncc_general_coverage(&r);
        return;
    }
    for (int32_t c = 0; c < r.tile.channels; c++) {
        xncc_general_channel(&r, c);
        compute_plane_products(&r, XNCC_SUM_S, XNCC_SUM_T2);
        compute_channel_sums(&r, c);
        for (int32_t y = 0; y < area->height && !r.tile.fold_x; y++)
            xncc_general_row_terms(&r, 0, y, area->width);
    }
}
