/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of integers.h, and what is prepared once per template. */
#include "cpu/kernels/integers.h"

#include "cpu/kernels/windows.h"

#include <string.h>

int32_t xncc_templ_plane_index(const xncc_tile_blocks *t, const xncc_plane_of *plane)
{
    if (plane->kind == XNCC_PLANE_COUNT)
        return 0;
    if (plane->kind == XNCC_PLANE_VALUE)
        return 1 + plane->channel * t->digits + plane->digit;
    return 1 + t->channels * t->digits + plane->channel * 2 * t->digits + plane->digit;
}

/* Is this sum stored as planes? */
static int is_stored(const xncc_tile_blocks *t, xncc_sum_id sum)
{
    const int with_x = sum == XNCC_SUM_S || sum == XNCC_SUM_Q; /* its window sums come with X */
    return t->recipe.sum[sum] == XNCC_FROM_PRODUCTS
               ? !(t->fold_x && sum == XNCC_SUM_X)
               : t->recipe.sum[sum] == XNCC_FROM_WINDOW && !(t->fold_x && with_x);
}

uint64_t xncc_integers_layout(const xncc_product_kernel *inner, const xncc_problem *problem,
                              const xncc_cpu_blocks *blocks, char *memory, xncc_integers_scratch *m)
{
    const xncc_tile_blocks *t = &blocks->tile;
    const uint64_t windows = (uint64_t)t->stride * (uint64_t)blocks->rows,
                   plane = (uint64_t)t->pitch * (uint64_t)t->plane_height;
    const xncc_kernel_memory needs = inner->memory(inner, blocks, problem->templ_width);
    uint64_t total = 0;
    memset(m, 0, sizeof *m);
    for (int i = 0; i < 1 + (inner->pairs && !t->whole); i++)
        m->inner[i] = xncc_carve(memory, &total, needs.scratch);
    if (t->whole)
        return total;
    m->plane = xncc_carve(memory, &total, plane * (t->digits > 1 ? 2 : 1));
    if (t->varies)
        m->stage.count = xncc_carve(memory, &total, plane);
    total += xncc_stage_layout(problem, t->plane_width, memory ? memory + total : NULL, &m->stage);
    for (int s = 0; s < XNCC_SUMS; s++)
        if (is_stored(t, (xncc_sum_id)s))
            m->sum[s] = xncc_carve(memory, &total, windows * sizeof(uint64_t));
    for (int i = 0; i < 3 && t->fits && t->channels > 1; i++)
        m->term[i] = xncc_carve(memory, &total, windows * sizeof(uint64_t));
    if (!t->fits && t->channels > 1)
        m->total = xncc_carve(memory, &total, windows * sizeof(xncc_general));
    m->windows = xncc_carve(memory, &total, xncc_windows_bytes(problem->templ_width, 0, t->stride));
    return total;
}

/* The parts of the shared memory: the head, the products, the planes of the template, and after
 * them what belongs to each plane, `step` bytes. */
typedef struct shared_parts {
    xncc_integers_shared *head;
    xncc_product_of *product;
    xncc_templ_plane *plane;
    char *first;
    uint64_t step, total;
} shared_parts;

static shared_parts shared_layout(const xncc_product_kernel *inner, const xncc_problem *problem,
                                  const xncc_cpu_blocks *blocks, char *memory)
{
    const uint64_t pixels = (uint64_t)problem->templ_width * (uint64_t)problem->templ_height,
                   planes = (uint64_t)blocks->tile.templ_planes;
    const size_t products = blocks->tile.whole ? 1 : xncc_products_of(problem, NULL, 0);
    shared_parts p = { .step = 0 };
    xncc_carve(NULL, &p.step, blocks->tile.whole ? 0 : pixels);
    xncc_carve(NULL, &p.step, inner->memory(inner, blocks, problem->templ_width).shared);
    p.head = xncc_carve(memory, &p.total, sizeof *p.head);
    p.product = xncc_carve(memory, &p.total, products * sizeof *p.product);
    p.plane = xncc_carve(memory, &p.total, planes * sizeof *p.plane);
    p.first = xncc_carve(memory, &p.total, planes * p.step);
    if (memory) {
        memset(memory, 0, (size_t)(p.first - memory));
        *p.head = (xncc_integers_shared){ .products = products,
                                          .product = p.product,
                                          .plane = p.plane };
    }
    return p;
}

xncc_kernel_memory xncc_integers_memory(const xncc_cpu_kernel *self, const xncc_problem *problem,
                                        const xncc_cpu_blocks *blocks)
{
    xncc_integers_scratch unused;
    return (xncc_kernel_memory){
        .shared = shared_layout(self->variant, problem, blocks, NULL).total,
        .scratch = xncc_integers_layout(self->variant, problem, blocks, NULL, &unused)
    };
}

/* Template samples that are read before asking again whether the call is cancelled. */
enum { SAMPLES_TO_ASK = 1 << 16 };

static uint64_t template_sample(const xncc_template *templ, int64_t i)
{
    return xncc_sample(xncc_pixel_stored(templ->pixel), templ->pixels, i);
}

static void template_sums(const xncc_job *job, xncc_templ_sums *s)
{
    const xncc_template *templ = job->templ;
    const int64_t samples = (int64_t)templ->width * templ->height * templ->channels;
    if (templ->channels == 1) { /* the template has them */
        s->T[0] = templ->sum;
        s->T2[0] = templ->sum2;
        return;
    }
    for (int64_t i = 0; i < samples; i++) {
        if (i % SAMPLES_TO_ASK == 0 && xncc_is_cancelled(job->watch))
            return;
        const uint64_t t = template_sample(templ, i);
        const int32_t c = (int32_t)(i % templ->channels);
        s->T[c] += t;
        s->T2[c] += t * t;
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

/* Writes the pixels of a plane of the template. The count plane gets no_offset, because its
 * products need no window sums. */
static void write_templ_plane(const xncc_job *job, const xncc_plane_of *plane,
                              xncc_templ_plane *made, uint8_t *out)
{
    const xncc_template *templ = job->templ;
    const int64_t pixels = (int64_t)templ->width * templ->height;
    uint8_t any = 0;
    made->no_offset = plane->kind == XNCC_PLANE_COUNT;
    made->templ = (xncc_template){
        .width = templ->width, .height = templ->height, .pixel = XNCC_U8, .channels = 1
    };
    made->templ.pixels = out;
    for (int64_t i = 0; i < pixels; i++) {
        if (i % SAMPLES_TO_ASK == 0 && xncc_is_cancelled(job->watch))
            return;
        const uint8_t v = templ_plane_pixel(templ, plane, i);
        any |= v;
        out[i] = (uint8_t)(v + (made->no_offset ? 128 : 0));
        made->templ.sum += out[i];
    }
    made->empty = any == 0;
}

void xncc_integers_begin(const xncc_cpu_kernel *self, const xncc_job *job, void *shared,
                         void *scratch)
{
    const xncc_product_kernel *inner = self->variant;
    const xncc_tile_blocks *tile = &job->blocks->tile;
    const shared_parts p = shared_layout(inner, job->problem, job->blocks, shared);
    const uint64_t pixels = (uint64_t)job->templ->width * (uint64_t)job->templ->height;
    xncc_integers_scratch m;
    (void)xncc_integers_layout(inner, job->problem, job->blocks, scratch, &m);
    template_sums(job, &p.head->sums);
    if (tile->whole)
        p.product[0] = (xncc_product_of){ .sum = XNCC_SUM_X };
    else
        (void)xncc_products_of(job->problem, p.product, p.head->products);
    for (size_t i = 0; i < p.head->products && !xncc_is_cancelled(job->watch); i++) {
        const int32_t at = xncc_templ_plane_index(tile, &p.product[i].templ);
        xncc_templ_plane *plane = &p.plane[at];
        if (plane->made)
            continue;
        uint64_t used = 0;
        char *memory = p.first + (uint64_t)at * p.step,
             *own = xncc_carve(memory, &used, tile->whole ? 0 : pixels);
        plane->made = 1;
        if (tile->whole)
            plane->templ = *job->templ;
        else
            write_templ_plane(job, &p.product[i].templ, plane, (uint8_t *)own);
        plane->shared = memory + used;
        inner->begin(inner, job->blocks, &plane->templ, job->watch, plane->shared, m.inner[0]);
    }
}
