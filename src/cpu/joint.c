/* The sums of a rectangle of the joint route, plane by plane. */
#include "cpu/joint_parts.h"

#include <string.h>

/* A plane of the image in the thread's memory. */
static cm_image plane_view(const cm_joint_run *r, const void *plane, cm_pixel pixel)
{
    return (cm_image){ .data = plane,
                       .width = r->m.stage.width,
                       .height = r->m.stage.height,
                       .pitch = r->cut.pitch * (pixel == CM_U16 ? 2 : 1),
                       .pixel = pixel };
}

/* A product's sums, in the rectangle's planes. */
static void put_product(cm_joint_run *r, const cm_product_of *product, const cm_image *plane, int32_t add)
{
    const cm_joint_part *part = &r->shared->part[cm_joint_part_index(&r->cut, &product->part)];
    const int32_t piece = r->cut.pieces > 1 ? product->shift / 16 : 0;
    cm_sums sums = { .X = r->m.sum[product->sum][piece], .shift = product->shift - 16 * piece, .add = add };
    if (product->sum == CM_SUM_X && r->cut.digits == 1) {
        /* the plane is the channel itself */
        sums.S = r->had[CM_SUM_S] == CM_HAD_WINDOW ? r->m.sum[CM_SUM_S][0] : NULL;
        sums.Q = r->had[CM_SUM_Q] == CM_HAD_WINDOW ? r->m.sum[CM_SUM_Q][0] : NULL;
    }
    cm_job job = { .problem = &r->cut.inner, .image = plane, .part = &part->part, .rule = part->rule, .shared = part->shared };
    job.map_width = r->area->width;
    job.map_height = r->area->height;
    job.bare = part->bare;
    const cm_area area = { .width = job.map_width, .height = job.map_height, .pitch = r->cut.columns, .sums = &sums };
    r->inner->area(r->inner, &job, r->m.inner, &area);
}

static int same_plane(const cm_plane_of *a, const cm_plane_of *b)
{
    return a->kind == b->kind && a->digit == b->digit && a->channel == b->channel;
}

static void clear_sum(const cm_joint_run *r, cm_sum_id sum)
{
    const size_t bytes = (size_t)r->cut.columns * (size_t)r->area->height * sizeof(uint64_t);
    for (int i = 0; i < JOINT_PIECES; i++)
        if (r->m.sum[sum][i])
            memset(r->m.sum[sum][i], 0, bytes);
}

/* All products of sums first .. last of a channel. */
static void put_products(cm_joint_run *r, int32_t channel, cm_sum_id first, cm_sum_id last)
{
    const cm_plane_of count = { CM_PLANE_COUNT, 0, 0 };
    cm_plane_of staged = { CM_PLANE_COUNT, -1, 0 };
    uint32_t any = 1;
    int started[CM_SUMS][JOINT_PIECES] = { { 0 } };
    for (size_t i = 0; i < r->shared->products; i++) {
        const cm_product_of *p = &r->shared->product[i];
        if (p->sum < first || p->sum > last || p->channel != channel || r->had[p->sum] != CM_HAD_PRODUCTS)
            continue;
        const int counts = same_plane(&p->image, &count);
        if (!counts && !same_plane(&p->image, &staged))
            any = cm_stage_plane(&r->m.stage, r->isa, &p->image, 1, r->m.plane);
        staged = counts ? staged : p->image;
        const int32_t piece = r->cut.pieces > 1 ? p->shift / 16 : 0;
        const cm_joint_part *part = &r->shared->part[cm_joint_part_index(&r->cut, &p->part)];
        const int with_windows = p->sum == CM_SUM_X && r->cut.digits == 1;
        if ((!counts && any == 0 && !with_windows) || (part->empty && !with_windows))
            continue;
        const cm_image view = plane_view(r, counts ? (const void *)r->m.stage.count : r->m.plane, CM_U8);
        put_product(r, p, &view, started[p->sum][piece]);
        started[p->sum][piece] = 1;
    }
    const size_t bytes = (size_t)r->cut.columns * (size_t)r->area->height * sizeof(uint64_t);
    for (int s = (int)first; s <= (int)last; s++)
        for (int32_t i = 0; i < r->cut.pieces && r->had[s] == CM_HAD_PRODUCTS; i++)
            if (!started[s][i] && r->m.sum[s][i])
                memset(r->m.sum[s][i], 0, bytes);
}

/* Sums over whole windows of a plane, and of its squares, where S and Q are not NULL. */
static void put_windows(cm_joint_run *r, const void *plane, cm_pixel pixel, uint64_t *S, uint64_t *Q)
{
    const cm_image view = plane_view(r, plane, pixel);
    const cm_template part = { .width = r->job->part->width, .height = r->job->part->height, .pixel = pixel };
    const cm_job job = { .problem = &r->cut.inner, .image = &view, .part = &part };
    const size_t bytes = (size_t)r->area->width * sizeof(uint64_t);
    cm_windows windows;
    cm_windows_begin(&windows, r->isa, &job, 0, r->cut.columns, r->m.windows);
    cm_windows_place(&windows, NULL, 0, r->area->width);
    for (int32_t y = 0; y < r->area->height; y++) {
        const cm_wide_row row = cm_windows_sums(&windows, y, y == 0);
        if (S)
            memcpy(S + (ptrdiff_t)y * r->cut.columns, row.S, bytes);
        if (Q)
            memcpy(Q + (ptrdiff_t)y * r->cut.columns, row.Q, bytes);
    }
}

/* Window sums of a channel whose products have not brought them: by digits of 16 bits, so that nothing overflows. */
static void put_channel_windows(cm_joint_run *r, int32_t channel)
{
    const int S = r->had[CM_SUM_S] == CM_HAD_WINDOW, Q = r->had[CM_SUM_Q] == CM_HAD_WINDOW;
    if (r->cut.digits == 1 || (!S && !Q))
        return;
    if (r->cut.digits == 2) {
        (void)cm_stage_plane(&r->m.stage, r->isa, &(cm_plane_of){ CM_PLANE_VALUE, 0, channel }, 2, r->m.plane);
        put_windows(r, r->m.plane, CM_U16, S ? r->m.sum[CM_SUM_S][0] : NULL, Q ? r->m.sum[CM_SUM_Q][0] : NULL);
        return;
    }
    if (S)
        clear_sum(r, CM_SUM_S);
    for (int32_t d = 0; d < 2 && S; d++) {
        (void)cm_stage_plane(&r->m.stage, r->isa, &(cm_plane_of){ CM_PLANE_VALUE, d, channel }, 2, r->m.plane);
        put_windows(r, r->m.plane, CM_U16, r->m.sum[CM_SUM_S][d], NULL);
    }
    for (int32_t d = 0; d < 4 && Q; d++) {
        (void)cm_stage_plane(&r->m.stage, r->isa, &(cm_plane_of){ CM_PLANE_SQUARE, d, channel }, 2, r->m.plane);
        put_windows(r, r->m.plane, CM_U16, r->m.sum[CM_SUM_Q][d], NULL);
    }
}

static void fill_row(uint64_t *row, int32_t count, uint64_t value)
{
    for (int32_t i = 0; i < count; i++)
        row[i] = value;
}

/* What the sums of this rectangle come from: where all pixels count, those of the template alone are constants. */
static void settle_needs(cm_joint_run *r, cm_counts counts)
{
    for (int s = 0; s < CM_SUMS; s++)
        r->had[s] = r->cut.needs.sum[s];
    if (counts == CM_COUNTS_ALL) {
        r->m.stage.count = NULL;
        r->had[CM_SUM_N] = CM_HAD_CONSTANT;
        if (r->had[CM_SUM_T] != CM_HAD_UNUSED)
            r->had[CM_SUM_T] = CM_HAD_CONSTANT;
        if (r->had[CM_SUM_T2] != CM_HAD_UNUSED)
            r->had[CM_SUM_T2] = CM_HAD_CONSTANT;
    }
    fill_row(r->m.none, r->cut.columns, 0);
    fill_row(r->m.constant[CM_SUM_N], r->cut.columns, r->job->joint.whole);
}

static void score_nothing(const cm_joint_run *r)
{
    float score;
    (void)cm_joint_is_settled(r->job->problem->method, &r->job->joint, 0, &score);
    for (int32_t y = 0; y < r->area->height; y++)
        for (int32_t x = 0; x < r->area->width; x++)
            r->area->out[y * r->area->pitch + x] = score;
}

void cm_planes_area(const cm_cpu_kernel *self, const cm_job *job, void *scratch, const cm_area *area)
{
    const cm_joint_variant *variant = self->variant;
    cm_joint_run r = { .job = job, .area = area, .isa = variant->windows, .inner = variant->inner, .shared = job->shared };
    r.cut = cm_joint_cut_make(variant, job->problem);
    (void)cm_joint_lay(&r.cut, scratch, &r.m);
    r.m.stage.job = job;
    r.m.stage.left = (int64_t)job->x0 + area->x;
    r.m.stage.top = (int64_t)job->y0 + area->y;
    r.m.stage.width = area->width + job->part->width - 1;
    r.m.stage.height = area->height + job->part->height - 1;
    r.m.stage.pitch = r.cut.pitch;
    const cm_counts counts = r.cut.varies ? cm_stage_counts(&r.m.stage) : CM_COUNTS_ALL;
    if (counts == CM_COUNTS_NONE) {
        score_nothing(&r);
        return;
    }
    settle_needs(&r, counts);
    if (r.had[CM_SUM_N] == CM_HAD_WINDOW)
        put_windows(&r, r.m.stage.count, CM_U8, r.m.sum[CM_SUM_N][0], NULL);
    put_products(&r, 0, CM_SUM_N, CM_SUM_N);
    for (int32_t c = 0; c < r.cut.channels && job->problem->method != CM_COVERAGE; c++) {
        put_products(&r, c, CM_SUM_S, CM_SUM_T2);
        put_channel_windows(&r, c);
        cm_joint_terms(&r, c);
    }
    cm_joint_scores(&r);
}
