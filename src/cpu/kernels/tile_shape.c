/* Divides problems of the general route into tiles, and prepares their templates. */
#include "cpu/kernels/general_parts.h"

#include <string.h>

enum {
    MOST_COLUMNS = 384,
    MOST_ROWS = 132,           /* a multiple of the rows that each kernel computes at a time */
    MOST_COLUMNS_128_BIT = 256 /* if each window keeps 128-bit numbers */
};

static int32_t round_up(int32_t v, int32_t step)
{
    return (int32_t)(((int64_t)v + step - 1) / step * step);
}

/* The terms, and the products that they are made of, are at most channels * (n * m)^2 with m the
 * largest biased sample (math/general_score.h). */
static int terms_fit(const xncc_problem *p)
{
    const double most = (double)p->width * (double)p->height * (double)xncc_pixel_max(p->pixel);
    return p->pixel != XNCC_U32 && (double)xncc_problem_channels(p) * most * most < 0x1p62;
}

static int from_products(const xncc_tile_shape *c, xncc_sum_id sum)
{
    return c->recipe.sum[sum] == XNCC_FROM_PRODUCTS;
}

/* The template's planes are the count plane, the digits of each channel and, if T2 varies, the
 * digits of their squares. */
static void count_templ_planes(xncc_tile_shape *c)
{
    c->templ_planes = 1 + c->channels * c->digits * (from_products(c, XNCC_SUM_T2) ? 3 : 1);
    c->templ_plane_bytes = ((uint64_t)c->problem.width * (uint64_t)c->problem.height + 127) / 64 *
                               64 +
                           (c->shape.shared_bytes + 127) / 64 * 64;
}

int32_t xncc_templ_plane_index(const xncc_tile_shape *c, const xncc_plane_of *plane)
{
    if (plane->kind == XNCC_PLANE_COUNT)
        return 0;
    if (plane->kind == XNCC_PLANE_VALUE)
        return 1 + plane->channel * c->digits + plane->digit;
    return 1 + c->channels * c->digits + plane->channel * 2 * c->digits + plane->digit;
}

xncc_tile_shape xncc_tile_shape_make(const xncc_general_variant *variant,
                                     const xncc_problem *problem)
{
    const xncc_extent map = xncc_problem_extent(problem);
    xncc_tile_shape c = { .problem = *problem,
                          .inner = xncc_problem_inner(problem),
                          .recipe = xncc_sum_recipe_of(problem) };
    c.channels = xncc_problem_channels(problem);
    c.digits = xncc_pixel_digits(problem->pixel);
    c.pieces = problem->pixel == XNCC_U32 ? GENERAL_PIECES : 1;
    c.varies = problem->image_masked ||
               (problem->border == XNCC_BORDER_OVERLAP && problem->mode != XNCC_VALID);
    c.fits = terms_fit(problem);
    c.centred = problem->method == XNCC_CCOEFF_NORMED || problem->method == XNCC_CCOEFF;
    c.fold_x = c.fits && c.digits == 1 && problem->method != XNCC_COVERAGE;
    variant->inner->shape(variant->inner, &c.inner, &c.shape);
    c.pairs = variant->inner->pair != NULL;
    c.columns = c.shape.columns;
    c.rows = c.shape.rows;
    if (c.shape.least_rows == 0) {
        c.columns = xncc_min_i32(c.columns,
                                 c.fits || c.channels == 1 ? MOST_COLUMNS : MOST_COLUMNS_128_BIT);
        c.rows = xncc_min_i32(c.rows, MOST_ROWS);
        c.rows = xncc_min_i32(c.rows, map.height);
    }
    c.columns = xncc_min_i32(c.columns, map.width);
    c.stride = round_up(c.columns, XNCC_TILE);
    c.plane_width = c.columns + problem->width - 1;
    c.plane_height = c.rows + problem->height - 1;
    c.pitch = ((int64_t)c.plane_width + 63) / 128 * 128 +
              192; /* an odd number of cache lines, as in the ring of direct.c */
    count_templ_planes(&c);
    return c;
}

static void *carve(char *memory, uint64_t *total, uint64_t bytes)
{
    char *piece = memory ? memory + *total : NULL;
    *total += (bytes + 127) / 64 * 64;
    return piece;
}

/* Is this sum stored (not constant)? */
static int kept(const xncc_tile_shape *c, xncc_sum_id sum)
{
    return from_products(c, sum) || c->recipe.sum[sum] == XNCC_FROM_WINDOW;
}

int xncc_general_is_row_sum(const xncc_tile_shape *c, xncc_sum_id sum)
{
    return c->fold_x && (sum == XNCC_SUM_X || ((sum == XNCC_SUM_S || sum == XNCC_SUM_Q) &&
                                               c->recipe.sum[sum] == XNCC_FROM_WINDOW));
}

uint64_t xncc_general_layout(const xncc_tile_shape *c, char *memory, xncc_general_memory *m)
{
    xncc_general_memory unused;
    const uint64_t windows = (uint64_t)c->stride * (uint64_t)c->rows,
                   row = (uint64_t)c->stride * sizeof(uint64_t);
    const uint64_t plane = (uint64_t)c->pitch * (uint64_t)c->plane_height;
    uint64_t total = 0;
    m = m ? m : &unused;
    memset(m, 0, sizeof *m);
    for (int i = 0; i < 1 + c->pairs; i++)
        m->inner[i] = carve(memory, &total, c->shape.scratch_bytes);
    m->plane = carve(memory, &total, plane * (c->digits > 1 ? 2 : 1));
    m->stage.count = c->varies ? carve(memory, &total, plane) : NULL;
    char *rows = carve(memory, &total, xncc_stage_layout(&c->problem, c->plane_width, NULL, NULL));
    if (memory)
        (void)xncc_stage_layout(&c->problem, c->plane_width, rows, &m->stage);
    for (int s = 0; s < XNCC_SUMS; s++) {
        m->constant[s] = carve(memory, &total, row);
        for (int32_t i = 0; i < (s == XNCC_SUM_N ? 1 : c->pieces) && kept(c, (xncc_sum_id)s); i++)
            m->sum[s][i] = carve(
                memory, &total,
                xncc_general_is_row_sum(c, (xncc_sum_id)s) ? row : windows * sizeof(uint64_t));
    }
    m->none = carve(memory, &total, row);
    for (int i = 0; i < 3 && c->fits; i++)
        m->term[i] = carve(memory, &total, c->channels > 1 ? windows * sizeof(uint64_t) : row);
    if (!c->fits && c->channels > 1)
        m->general = carve(memory, &total, windows * sizeof(xncc_general));
    const xncc_problem narrow = c->inner;
    m->windows = carve(memory, &total, xncc_windows_bytes(&narrow, 0, c->stride));
    return total;
}

static uint64_t shared_head(const xncc_tile_shape *c, uint64_t *products, uint64_t *templ_planes)
{
    *products = (sizeof(xncc_general_shared) + 63) / 64 * 64;
    *templ_planes = *products +
                    (xncc_products_of(&c->problem, NULL, 0) * sizeof(xncc_product_of) + 63) / 64 *
                        64;
    return *templ_planes + ((uint64_t)c->templ_planes * sizeof(xncc_templ_plane) + 63) / 64 * 64;
}

void xncc_planes_shape(const xncc_cpu_kernel *self, const xncc_problem *problem, xncc_shape *shape)
{
    const xncc_tile_shape c = xncc_tile_shape_make(self->variant, problem);
    uint64_t products, templ_planes;
    *shape = (xncc_shape){ .columns = c.columns, .rows = c.rows, .least_rows = c.shape.least_rows };
    shape->scratch_bytes = xncc_general_layout(&c, NULL, NULL);
    shape->shared_bytes = shared_head(&c, &products, &templ_planes) +
                          (uint64_t)c.templ_planes * c.templ_plane_bytes;
}

static uint64_t template_sample(const xncc_template *templ, int64_t i)
{
    const int digits = xncc_pixel_digits(templ->pixel);
    return xncc_sample(digits == 1 ? XNCC_U8 : digits == 2 ? XNCC_U16 : XNCC_U32, templ->pixels, i);
}

static void template_sums(const xncc_template *templ, xncc_general_shared *s)
{
    const int64_t samples = (int64_t)templ->width * templ->height * templ->channels;
    for (int64_t i = 0; i < samples; i++) {
        const uint64_t t = template_sample(templ, i);
        const int32_t c = (int32_t)(i % templ->channels);
        s->T[c] += t;
        s->T2[c] = xncc_u128_add(s->T2[c], xncc_u128_of_product(t, t));
    }
}

/* Returns pixel i of a plane of the template. */
static uint8_t templ_plane_pixel(const xncc_template *templ, const xncc_plane_of *plane, int64_t i)
{
    if (plane->kind == XNCC_PLANE_COUNT)
        return !templ->mask || templ->mask[i];
    const uint64_t t = template_sample(templ, i * templ->channels + plane->channel);
    return (uint8_t)((plane->kind == XNCC_PLANE_SQUARE ? t * t : t) >> (8 * plane->digit));
}

/* Prepares a plane of the template. The count plane gets no_offset, because its products need no
 * window sums. */
static void make_templ_plane(const xncc_general_run *run, const xncc_plane_of *plane,
                             xncc_templ_plane *made, char *memory)
{
    const xncc_template *templ = run->job->templ;
    const int64_t pixels = (int64_t)templ->width * templ->height;
    const int no_offset = plane->kind == XNCC_PLANE_COUNT;
    uint8_t *out = (uint8_t *)memory, any = 0;
    *made = (xncc_templ_plane){ .no_offset = no_offset, .made = 1 };
    made->templ = (xncc_template){ .width = templ->width,
                                   .height = templ->height,
                                   .pixel = XNCC_U8,
                                   .channels = 1,
                                   .pixels = out };
    made->templ.whole = (uint64_t)pixels;
    for (int64_t i = 0; i < pixels; i++) {
        const uint8_t v = templ_plane_pixel(templ, plane, i);
        any |= v;
        out[i] = (uint8_t)(v + (no_offset ? 128 : 0));
        made->templ.sum += out[i];
        made->templ.sum2 += (uint64_t)out[i] * out[i];
    }
    made->empty = any == 0;
    made->rule = xncc_score_rule_make(&made->templ, XNCC_CCORR, XNCC_FLAT_ZERO);
    made->shared = memory + ((uint64_t)pixels + 127) / 64 * 64;
    xncc_job job = { .problem = &run->tile.inner, .templ = &made->templ, .rule = made->rule };
    run->inner->begin(run->inner, &job, made->shared, run->m.inner[0]);
}

void xncc_planes_begin(const xncc_cpu_kernel *self, const xncc_job *job, void *shared,
                       void *scratch)
{
    const xncc_general_variant *variant = self->variant;
    xncc_general_run run = { .job = job,
                             .inner = variant->inner,
                             .tile = xncc_tile_shape_make(variant, job->problem) };
    const xncc_tile_shape *c = &run.tile;
    xncc_general_shared *s = shared;
    uint64_t products, templ_planes;
    char *memory = (char *)shared + shared_head(c, &products, &templ_planes);
    (void)xncc_general_layout(c, scratch, &run.m);
    memset(shared, 0, (size_t)(memory - (char *)shared));
    s->product = (xncc_product_of *)(void *)((char *)shared + products);
    s->templ_plane = (xncc_templ_plane *)(void *)((char *)shared + templ_planes);
    s->products = xncc_products_of(job->problem, NULL, 0);
    (void)xncc_products_of(job->problem, s->product, s->products);
    template_sums(job->templ, s);
    for (size_t i = 0; i < s->products; i++) {
        const int32_t at = xncc_templ_plane_index(c, &s->product[i].templ);
        if (!s->templ_plane[at].made)
            make_templ_plane(&run, &s->product[i].templ, &s->templ_plane[at],
                             memory + (uint64_t)at * c->templ_plane_bytes);
    }
}
