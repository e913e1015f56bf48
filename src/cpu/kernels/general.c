/* The sums of a rectangle of the joint route, plane by plane. */
#include "cpu/kernels/general_parts.h"

#include <string.h>

/* A plane of the image in the thread's memory. */
static xncc_image plane_view(const xncc_general_run *r, const void *plane, xncc_pixel pixel)
{
    return (xncc_image){ .data = plane,
                         .width = r->m.stage.width,
                         .height = r->m.stage.height,
                         .pitch = r->cut.pitch * (pixel == XNCC_U16 ? 2 : 1),
                         .pixel = pixel };
}

/* A row of X, the last sum of its channel, stands there. */
static void row_is_there(void *whom, int32_t x, int32_t y, int32_t width)
{
    xncc_general_row_terms(whom, x, y, width);
}

/* A product on its way to the rectangle's sums. */
typedef struct given {
    xncc_job job;
    xncc_sums sums;
    xncc_area area;
} given;

static int32_t piece_of(const xncc_general_run *r, const xncc_product_of *product)
{
    return r->cut.pieces > 1 ? product->shift / 16 : 0;
}

static void give(xncc_general_run *r, const xncc_product_of *product, const xncc_image *plane,
                 given *g)
{
    const xncc_general_templ *templ =
        &r->shared->templ[xncc_general_templ_index(&r->cut, &product->templ)];
    const int32_t piece = piece_of(r, product);
    g->sums = (xncc_sums){ .X = r->m.sum[product->sum][piece],
                           .shift = product->shift - 16 * piece };
    g->sums.add = r->started[product->sum][piece]++ > 0;
    g->area = (xncc_area){ .width = r->area->width,
                           .height = r->area->height,
                           .pitch = r->cut.stride };
    if (product->sum == XNCC_SUM_X && r->cut.digits == 1) {
        /* the plane is the channel itself */
        g->sums.S = r->source_of[XNCC_SUM_S] == XNCC_FROM_WINDOW ? r->m.sum[XNCC_SUM_S][0] : NULL;
        g->sums.Q = r->source_of[XNCC_SUM_Q] == XNCC_FROM_WINDOW ? r->m.sum[XNCC_SUM_Q][0] : NULL;
    }
    if (product->sum == XNCC_SUM_X && r->cut.late) {
        g->sums.row = row_is_there;
        g->sums.whom = r;
        g->area.pitch = 0;
    }
    g->job = (xncc_job){
        .problem = &r->cut.inner, .image = plane, .templ = &templ->templ, .rule = templ->rule
    };
    g->job.shared = templ->shared;
    g->job.map_width = r->area->width;
    g->job.map_height = r->area->height;
    g->job.bare = templ->bare;
    /* with all of the template, the windows' counts are the window sums of the plane that counts */
    if (product->image.kind == XNCC_PLANE_COUNT && r->source_of[XNCC_SUM_N] == XNCC_FROM_WINDOW)
        g->sums.known = r->m.sum[XNCC_SUM_N][0];
}

/* The product of a plane, or two at once. */
static void put_product(xncc_general_run *r, const xncc_product_of *first,
                        const xncc_product_of *second, const xncc_image *plane)
{
    given a, b;
    give(r, first, plane, &a);
    a.area.sums = &a.sums;
    if (!second) {
        r->inner->area(r->inner, &a.job, r->m.inner[0], &a.area);
        return;
    }
    give(r, second, plane, &b);
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

/* Is this product one of the sums first .. last of the channel under way? A plane of the template
 * that is 0 all over has none, but X may have to bring the window sums. */
static int wanted(const xncc_general_run *r, const xncc_product_of *p, xncc_sum_id first,
                  xncc_sum_id last)
{
    if (p->sum < first || p->sum > last || p->channel != r->channel ||
        r->source_of[p->sum] != XNCC_FROM_PRODUCTS)
        return 0;
    return (p->sum == XNCC_SUM_X && r->cut.digits == 1) ||
           !r->shared->templ[xncc_general_templ_index(&r->cut, &p->templ)].empty;
}

static void clear_sum(const xncc_general_run *r, xncc_sum_id sum, int32_t piece)
{
    const size_t rows = xncc_general_in_row(&r->cut, sum) ? 1 : (size_t)r->area->height;
    if (r->m.sum[sum][piece])
        memset(r->m.sum[sum][piece], 0, (size_t)r->cut.stride * rows * sizeof(uint64_t));
}

/* Sums that no product has reached are 0; but for one that is on its way, and X where it is never
 * kept. */
static void clear_missing(const xncc_general_run *r, xncc_sum_id first, xncc_sum_id last,
                          xncc_sum_id coming)
{
    for (int s = (int)first; s <= (int)last; s++)
        for (int32_t k = 0; k < r->cut.pieces; k++)
            if (r->source_of[s] == XNCC_FROM_PRODUCTS && !r->started[s][k] && s != (int)coming &&
                !(s == XNCC_SUM_X && r->cut.late))
                clear_sum(r, (xncc_sum_id)s, k);
}

/* The wanted product before the one at i, from the same plane; 0: none (and the first is never it).
 */
static size_t partner(const xncc_general_run *r, size_t i, xncc_sum_id first, xncc_sum_id last)
{
    for (size_t k = i; k-- > 0 && r->cut.pairs;)
        if (wanted(r, &r->shared->product[k], first, last))
            return same_plane(&r->shared->product[k].image, &r->shared->product[i].image) ? k + 1
                                                                                          : 0;
    return 0;
}

/* All products of sums first .. last of the channel under way, from the list's end: so X comes
 * last. */
static void put_products(xncc_general_run *r, xncc_sum_id first, xncc_sum_id last)
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
        if (!counts && any == 0 && (p->sum != XNCC_SUM_X || r->cut.digits > 1))
            continue;
        const xncc_image view = plane_view(r, counts ? (const void *)r->m.stage.count : r->m.plane,
                                           XNCC_U8);
        const size_t other = partner(r, i, first, last);
        if (other > 0) {
            second = &r->shared->product[other - 1];
            i = other - 1;
        }
        if (r->cut.late && (p->sum == XNCC_SUM_X || (second && second->sum == XNCC_SUM_X)))
            clear_missing(r, first, last, p->sum);
        put_product(r, p, second, &view);
    }
    if (!r->cut.late)
        clear_missing(r, first, last, XNCC_SUMS);
}

/* Sums over whole windows of a plane, and of its squares, where S and Q are not NULL. */
static void put_windows(xncc_general_run *r, const void *plane, xncc_pixel pixel, uint64_t *S,
                        uint64_t *Q)
{
    const xncc_image view = plane_view(r, plane, pixel);
    const xncc_template templ = { .width = r->job->templ->width,
                                  .height = r->job->templ->height,
                                  .pixel = pixel };
    const xncc_job job = { .problem = &r->cut.inner, .image = &view, .templ = &templ };
    const size_t bytes = (size_t)r->area->width * sizeof(uint64_t);
    xncc_windows windows;
    xncc_windows_begin(&windows, r->isa, &job, 0, r->cut.stride, r->m.windows);
    xncc_windows_place(&windows, NULL, 0, r->area->width);
    for (int32_t y = 0; y < r->area->height; y++) {
        const xncc_wide_row row = xncc_windows_sums(&windows, y, y == 0);
        if (S)
            memcpy(S + (ptrdiff_t)y * r->cut.stride, row.S, bytes);
        if (Q)
            memcpy(Q + (ptrdiff_t)y * r->cut.stride, row.Q, bytes);
    }
}

/* Window sums of a channel whose products have not brought them: by digits of 16 bits, so that
 * nothing overflows. */
static void put_channel_windows(xncc_general_run *r, int32_t channel)
{
    const int S = r->source_of[XNCC_SUM_S] == XNCC_FROM_WINDOW,
              Q = r->source_of[XNCC_SUM_Q] == XNCC_FROM_WINDOW;
    if (r->cut.digits == 1 || (!S && !Q))
        return;
    if (r->cut.digits == 2) {
        (void)xncc_stage_plane(&r->m.stage, r->isa,
                               &(xncc_plane_of){ XNCC_PLANE_VALUE, 0, channel }, 2, r->m.plane);
        put_windows(r, r->m.plane, XNCC_U16, S ? r->m.sum[XNCC_SUM_S][0] : NULL,
                    Q ? r->m.sum[XNCC_SUM_Q][0] : NULL);
        return;
    }
    for (int32_t d = 2; d < GENERAL_PIECES && S; d++)
        clear_sum(r, XNCC_SUM_S, d);
    for (int32_t d = 0; d < 2 && S; d++) {
        (void)xncc_stage_plane(&r->m.stage, r->isa,
                               &(xncc_plane_of){ XNCC_PLANE_VALUE, d, channel }, 2, r->m.plane);
        put_windows(r, r->m.plane, XNCC_U16, r->m.sum[XNCC_SUM_S][d], NULL);
    }
    for (int32_t d = 0; d < 4 && Q; d++) {
        (void)xncc_stage_plane(&r->m.stage, r->isa,
                               &(xncc_plane_of){ XNCC_PLANE_SQUARE, d, channel }, 2, r->m.plane);
        put_windows(r, r->m.plane, XNCC_U16, r->m.sum[XNCC_SUM_Q][d], NULL);
    }
}

static void fill_row(uint64_t *row, int32_t count, uint64_t value)
{
    for (int32_t i = 0; i < count; i++)
        row[i] = value;
}

/* What the sums of this rectangle come from: where all pixels count, those of the template alone
 * are constants. */
static void settle_needs(xncc_general_run *r, xncc_counts counts)
{
    for (int s = 0; s < XNCC_SUMS; s++)
        r->source_of[s] = r->cut.needs.sum[s];
    if (counts == XNCC_COUNTS_ALL) {
        r->m.stage.count = NULL;
        r->source_of[XNCC_SUM_N] = XNCC_FROM_CONSTANT;
        if (r->source_of[XNCC_SUM_T] != XNCC_FROM_NOWHERE)
            r->source_of[XNCC_SUM_T] = XNCC_FROM_CONSTANT;
        if (r->source_of[XNCC_SUM_T2] != XNCC_FROM_NOWHERE)
            r->source_of[XNCC_SUM_T2] = XNCC_FROM_CONSTANT;
    }
    fill_row(r->m.none, r->cut.stride, 0);
    fill_row(r->m.constant[XNCC_SUM_N], r->cut.stride, r->job->general.whole);
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
    xncc_general_run r = { .job = job,
                           .area = area,
                           .isa = variant->windows,
                           .inner = variant->inner,
                           .shared = job->shared };
    r.cut = xncc_tile_shape_make(variant, job->problem);
    (void)xncc_general_lay(&r.cut, scratch, &r.m);
    r.m.stage.job = job;
    r.m.stage.left = (int64_t)job->x0 + area->x;
    r.m.stage.top = (int64_t)job->y0 + area->y;
    r.m.stage.width = area->width + job->templ->width - 1;
    r.m.stage.height = area->height + job->templ->height - 1;
    r.m.stage.pitch = r.cut.pitch;
    const xncc_counts counts = r.cut.varies ? xncc_stage_counts(&r.m.stage) : XNCC_COUNTS_ALL;
    if (counts == XNCC_COUNTS_NONE) {
        score_nothing(&r);
        return;
    }
    settle_needs(&r, counts);
    if (r.source_of[XNCC_SUM_N] == XNCC_FROM_WINDOW)
        put_windows(&r, r.m.stage.count, XNCC_U8, r.m.sum[XNCC_SUM_N][0], NULL);
    put_products(&r, XNCC_SUM_N, XNCC_SUM_N);
    if (job->problem->method == XNCC_COVERAGE) {
        xncc_general_coverage(&r);
        return;
    }
    for (int32_t c = 0; c < r.cut.channels; c++) {
        xncc_general_channel(&r, c);
        put_products(&r, XNCC_SUM_S, XNCC_SUM_T2);
        put_channel_windows(&r, c);
        for (int32_t y = 0; y < area->height && !r.cut.late; y++)
            xncc_general_row_terms(&r, 0, y, area->width);
    }
}
