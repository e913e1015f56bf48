/* How problems of the joint route are cut, and what is made of a template. */
#include "cpu/joint_parts.h"

#include <string.h>

enum {
    MOST_COLUMNS = 384,
    MOST_ROWS = 132,   /* a multiple of the rows that each kernel takes at a time */
    MANY_COLUMNS = 256 /* where every window keeps 128-bit numbers */
};

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t round_up(int32_t v, int32_t step)
{
    return (int32_t)(((int64_t)v + step - 1) / step * step);
}

/* num, var and what they are made of are at most channels * (n * m)^2 (joint.h). */
static int terms_fit(const cm_problem *p)
{
    const double most = (double)p->width * (double)p->height * (double)cm_pixel_max(p->pixel);
    return p->pixel != CM_U32 && (double)cm_problem_channels(p) * most * most < 0x1p62;
}

static int had_products(const cm_joint_cut *c, cm_sum_id sum)
{
    return c->needs.sum[sum] == CM_HAD_PRODUCTS;
}

/* Planes of the template: one that says what counts, the digits of each channel, and those of their squares. */
static void cut_parts(cm_joint_cut *c)
{
    c->parts = 1 + c->channels * c->digits * (had_products(c, CM_SUM_T2) ? 3 : 1);
    c->part_bytes = ((uint64_t)c->problem.width * (uint64_t)c->problem.height + 127) / 64 * 64 +
                    (c->shape.shared_bytes + 127) / 64 * 64;
}

int32_t cm_joint_part_index(const cm_joint_cut *c, const cm_plane_of *plane)
{
    if (plane->kind == CM_PLANE_COUNT)
        return 0;
    if (plane->kind == CM_PLANE_VALUE)
        return 1 + plane->channel * c->digits + plane->digit;
    return 1 + c->channels * c->digits + plane->channel * 2 * c->digits + plane->digit;
}

cm_joint_cut cm_joint_cut_make(const cm_joint_variant *variant, const cm_problem *problem)
{
    const cm_extent map = cm_problem_extent(problem);
    cm_joint_cut c = { .problem = *problem, .inner = cm_problem_inner(problem), .needs = cm_needs_of(problem) };
    c.channels = cm_problem_channels(problem);
    c.digits = cm_pixel_digits(problem->pixel);
    c.pieces = problem->pixel == CM_U32 ? JOINT_PIECES : 1;
    c.varies = problem->image_masked || (problem->border == CM_BORDER_OVERLAP && problem->mode != CM_VALID);
    c.fits = terms_fit(problem);
    c.centred = problem->method == CM_CCOEFF_NORMED || problem->method == CM_CCOEFF;
    c.late = c.fits && c.digits == 1 && problem->method != CM_COVERAGE;
    variant->inner->shape(variant->inner, &c.inner, &c.shape);
    c.pairs = variant->inner->pair != NULL;
    c.columns = c.shape.columns;
    c.rows = c.shape.rows;
    if (c.shape.least_rows == 0) {
        c.columns = smaller(c.columns, c.fits || c.channels == 1 ? MOST_COLUMNS : MANY_COLUMNS);
        c.rows = smaller(c.rows, MOST_ROWS);
        c.rows = smaller(c.rows, map.height);
    }
    c.columns = smaller(c.columns, map.width);
    c.stride = round_up(c.columns, CM_TILE);
    c.wide = c.columns + problem->width - 1;
    c.high = c.rows + problem->height - 1;
    c.pitch = ((int64_t)c.wide + 63) / 128 * 128 + 192; /* an odd cache line, as in the ring of direct.c */
    cut_parts(&c);
    return c;
}

static void *take(char *memory, uint64_t *total, uint64_t bytes)
{
    char *piece = memory ? memory + *total : NULL;
    *total += (bytes + 127) / 64 * 64;
    return piece;
}

/* Is a plane of this sum kept? */
static int kept(const cm_joint_cut *c, cm_sum_id sum)
{
    return had_products(c, sum) || c->needs.sum[sum] == CM_HAD_WINDOW;
}

int cm_joint_in_row(const cm_joint_cut *c, cm_sum_id sum)
{
    return c->late && (sum == CM_SUM_X || ((sum == CM_SUM_S || sum == CM_SUM_Q) && c->needs.sum[sum] == CM_HAD_WINDOW));
}

uint64_t cm_joint_lay(const cm_joint_cut *c, char *memory, cm_joint_memory *m)
{
    cm_joint_memory unused;
    const uint64_t windows = (uint64_t)c->stride * (uint64_t)c->rows, row = (uint64_t)c->stride * sizeof(uint64_t);
    const uint64_t plane = (uint64_t)c->pitch * (uint64_t)c->high;
    uint64_t total = 0;
    m = m ? m : &unused;
    memset(m, 0, sizeof *m);
    for (int i = 0; i < 1 + c->pairs; i++)
        m->inner[i] = take(memory, &total, c->shape.scratch_bytes);
    m->plane = take(memory, &total, plane * (c->digits > 1 ? 2 : 1));
    m->stage.count = c->varies ? take(memory, &total, plane) : NULL;
    char *rows = take(memory, &total, cm_stage_lay(&c->problem, c->wide, NULL, NULL));
    if (memory)
        (void)cm_stage_lay(&c->problem, c->wide, rows, &m->stage);
    for (int s = 0; s < CM_SUMS; s++) {
        m->constant[s] = take(memory, &total, row);
        for (int32_t i = 0; i < (s == CM_SUM_N ? 1 : c->pieces) && kept(c, (cm_sum_id)s); i++)
            m->sum[s][i] = take(memory, &total, cm_joint_in_row(c, (cm_sum_id)s) ? row : windows * sizeof(uint64_t));
    }
    m->none = take(memory, &total, row);
    for (int i = 0; i < 3 && c->fits; i++)
        m->term[i] = take(memory, &total, c->channels > 1 ? windows * sizeof(uint64_t) : row);
    if (!c->fits && c->channels > 1)
        m->joint = take(memory, &total, windows * sizeof(cm_joint));
    const cm_problem narrow = c->inner;
    m->windows = take(memory, &total, cm_windows_bytes(&narrow, 0, c->stride));
    return total;
}

static uint64_t shared_head(const cm_joint_cut *c, uint64_t *products, uint64_t *parts)
{
    *products = (sizeof(cm_joint_shared) + 63) / 64 * 64;
    *parts = *products + (cm_products_of(&c->problem, NULL, 0) * sizeof(cm_product_of) + 63) / 64 * 64;
    return *parts + ((uint64_t)c->parts * sizeof(cm_joint_part) + 63) / 64 * 64;
}

void cm_planes_shape(const cm_cpu_kernel *self, const cm_problem *problem, cm_shape *shape)
{
    const cm_joint_cut c = cm_joint_cut_make(self->variant, problem);
    uint64_t products, parts;
    *shape = (cm_shape){ .columns = c.columns, .rows = c.rows, .least_rows = c.shape.least_rows };
    shape->scratch_bytes = cm_joint_lay(&c, NULL, NULL);
    shape->shared_bytes = shared_head(&c, &products, &parts) + (uint64_t)c.parts * c.part_bytes;
}

static uint64_t template_sample(const cm_template *part, int64_t i)
{
    const int digits = cm_pixel_digits(part->pixel);
    return cm_sample(digits == 1 ? CM_U8 : digits == 2 ? CM_U16 : CM_U32, part->pixels, i);
}

static void template_sums(const cm_template *part, cm_joint_shared *s)
{
    const int64_t samples = (int64_t)part->width * part->height * part->channels;
    for (int64_t i = 0; i < samples; i++) {
        const uint64_t t = template_sample(part, i);
        const int32_t c = (int32_t)(i % part->channels);
        s->T[c] += t;
        s->T2[c] = cm_u128_add(s->T2[c], cm_mul_wide(t, t));
    }
}

/* Pixel i of a plane of the template. */
static uint8_t part_pixel(const cm_template *part, const cm_plane_of *plane, int64_t i)
{
    if (plane->kind == CM_PLANE_COUNT)
        return !part->mask || part->mask[i];
    const uint64_t t = template_sample(part, i * part->channels + plane->channel);
    return (uint8_t)((plane->kind == CM_PLANE_SQUARE ? t * t : t) >> (8 * plane->digit));
}

/* Planes of counts are bare: their products need no window sums. */
static void make_part(const cm_joint_run *run, const cm_plane_of *plane, cm_joint_part *made, char *memory)
{
    const cm_template *part = run->job->part;
    const int64_t pixels = (int64_t)part->width * part->height;
    const int bare = plane->kind == CM_PLANE_COUNT;
    uint8_t *out = (uint8_t *)memory, any = 0;
    *made = (cm_joint_part){ .bare = bare, .made = 1 };
    made->part =
        (cm_template){ .width = part->width, .height = part->height, .pixel = CM_U8, .channels = 1, .pixels = out };
    made->part.whole = (uint64_t)pixels;
    for (int64_t i = 0; i < pixels; i++) {
        const uint8_t v = part_pixel(part, plane, i);
        any |= v;
        out[i] = (uint8_t)(v + (bare ? 128 : 0));
        made->part.sum += out[i];
        made->part.sum2 += (uint64_t)out[i] * out[i];
    }
    made->empty = any == 0;
    made->rule = cm_score_rule_make(&made->part, CM_CCORR, CM_FLAT_ZERO);
    made->shared = memory + ((uint64_t)pixels + 127) / 64 * 64;
    cm_job job = { .problem = &run->cut.inner, .part = &made->part, .rule = made->rule };
    run->inner->begin(run->inner, &job, made->shared, run->m.inner[0]);
}

void cm_planes_begin(const cm_cpu_kernel *self, const cm_job *job, void *shared, void *scratch)
{
    const cm_joint_variant *variant = self->variant;
    cm_joint_run run = { .job = job, .inner = variant->inner, .cut = cm_joint_cut_make(variant, job->problem) };
    const cm_joint_cut *c = &run.cut;
    cm_joint_shared *s = shared;
    uint64_t products, parts;
    char *memory = (char *)shared + shared_head(c, &products, &parts);
    (void)cm_joint_lay(c, scratch, &run.m);
    memset(shared, 0, (size_t)(memory - (char *)shared));
    s->product = (cm_product_of *)(void *)((char *)shared + products);
    s->part = (cm_joint_part *)(void *)((char *)shared + parts);
    s->products = cm_products_of(job->problem, NULL, 0);
    (void)cm_products_of(job->problem, s->product, s->products);
    template_sums(job->part, s);
    for (size_t i = 0; i < s->products; i++) {
        const int32_t at = cm_joint_part_index(c, &s->product[i].part);
        if (!s->part[at].made)
            make_part(&run, &s->product[i].part, &s->part[at], memory + (uint64_t)at * c->part_bytes);
    }
}
