/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds the lists of planes, terms and steps of a recipe. */
#include "plan/general_planes.h"

#include "image/samples.h"
#include "plan/problem.h"

#include <assert.h>
#include <string.h>

/* Returns the index of a plane in the list, and adds it if necessary; -1 if the list is full. */
static int place_plane(xncc_plane_of *list, int32_t *count, int32_t room,
                       const xncc_plane_of *plane)
{
    for (int32_t i = 0; i < *count; i++)
        if (list[i].kind == plane->kind && list[i].digit == plane->digit &&
            list[i].channel == plane->channel)
            return i;
    if (*count == room)
        return -1;
    list[*count] = *plane;
    return (*count)++;
}

/* The lists during construction. */
typedef struct builder {
    xncc_general_planes *planes;
    int32_t most; /* how many sums of n byte products a term holds without overflow */
    int32_t fills[XNCC_GENERAL_TERMS]; /* per term: how many it holds */
    int complete;                      /* 0: a list had too little room */
} builder;

/* Returns the index of the term for a sum, or -1 if the list is full. *add is 1 if the term already
 * holds something. */
static int place_term(builder *b, const xncc_general_term *term, uint8_t *add)
{
    xncc_general_planes *p = b->planes;
    *add = 0;
    for (int32_t i = 0; i < p->term_count; i++)
        if (memcmp(&p->term[i], term, sizeof *term) == 0 && b->fills[i] < b->most) {
            b->fills[i]++;
            *add = 1;
            return i;
        }
    if (p->term_count == XNCC_GENERAL_TERMS)
        return -1;
    p->term[p->term_count] = *term;
    b->fills[p->term_count] = 1;
    return p->term_count++;
}

/* Adds a step. templ: NULL for a window sum. */
static void add_step(builder *b, const xncc_plane_of *image, const xncc_plane_of *templ,
                     xncc_general_term term, int square)
{
    xncc_general_planes *p = b->planes;
    if (term.sum != XNCC_SUM_S && term.sum != XNCC_SUM_T) /* the others are over all channels */
        term.channel = 0;
    xncc_general_step step = { .templ = XNCC_GENERAL_WINDOW, .square = (uint8_t)square };
    int at = place_plane(p->image, &p->image_count, XNCC_GENERAL_IMAGE_PLANES, image);
    int with = templ ? place_plane(p->templ, &p->templ_count, XNCC_GENERAL_TEMPL_PLANES, templ)
                     : XNCC_GENERAL_WINDOW;
    int to = place_term(b, &term, &step.add);
    if (at < 0 || (templ && with < 0) || to < 0 || p->step_count == XNCC_GENERAL_STEPS) {
        b->complete = 0;
        return;
    }
    step.image = (int16_t)at;
    step.templ = (int16_t)with;
    step.term = (int16_t)to;
    p->step[p->step_count++] = step;
    p->products += templ != NULL;
    p->windows += templ == NULL;
}

/* Adds the window sums. Squares of samples of one byte need no plane: they are computed from the
 * bytes. */
static void add_windows(builder *b, const xncc_problem *p)
{
    const xncc_sum_recipe *needs = &b->planes->needs;
    const int digits = xncc_pixel_digits(p->pixel);
    if (needs->sum[XNCC_SUM_N] == XNCC_FROM_WINDOW)
        add_step(b, &(xncc_plane_of){ XNCC_PLANE_COUNT, 0, 0 }, NULL,
                 (xncc_general_term){ XNCC_SUM_N, 0, 0 }, 0);
    for (int32_t c = 0; c < p->channels; c++) {
        for (int d = 0; d < digits && needs->sum[XNCC_SUM_S] == XNCC_FROM_WINDOW; d++)
            add_step(b, &(xncc_plane_of){ XNCC_PLANE_VALUE, d, c }, NULL,
                     (xncc_general_term){ XNCC_SUM_S, (uint8_t)c, (uint8_t)(8 * d) }, 0);
        if (needs->sum[XNCC_SUM_Q] != XNCC_FROM_WINDOW)
            continue;
        for (int d = 0; d < 2 * digits; d++)
            if (digits == 1 && d == 0)
                add_step(b, &(xncc_plane_of){ XNCC_PLANE_VALUE, 0, c }, NULL,
                         (xncc_general_term){ XNCC_SUM_Q, 0, 0 }, 1);
            else if (digits > 1)
                add_step(b, &(xncc_plane_of){ XNCC_PLANE_SQUARE, d, c }, NULL,
                         (xncc_general_term){ XNCC_SUM_Q, 0, (uint8_t)(8 * d) }, 0);
    }
}

int xncc_general_planes_make(const xncc_problem *p, int adds, int sums_windows,
                             xncc_general_planes *planes)
{
    assert(!xncc_pixel_is_float(p->pixel));
    const uint64_t n = (uint64_t)p->templ_width * (uint64_t)p->templ_height,
                   most_u32 = UINT32_MAX / (255u * 255u); /* byte products that fit 32 bits */
    xncc_product_of product[XNCC_GENERAL_STEPS];
    *planes = (xncc_general_planes){ .needs = xncc_sum_recipe_of(p), .terms_u64 = n > most_u32 };
    const uint64_t most = planes->terms_u64 || !adds ? 1 : most_u32 / n;
    builder b = { .planes = planes,
                  .most = most < XNCC_GENERAL_STEPS ? (int32_t)most : XNCC_GENERAL_STEPS,
                  .complete = 1 };
    const size_t count = xncc_products_of(p, product, XNCC_GENERAL_STEPS);
    for (size_t i = 0; i < count && i < XNCC_GENERAL_STEPS; i++)
        add_step(&b, &product[i].image, &product[i].templ,
                 (xncc_general_term){ (uint8_t)product[i].sum, (uint8_t)product[i].channel,
                                      (uint8_t)product[i].shift },
                 0);
    if (sums_windows)
        add_windows(&b, p);
    /* all numbers of general_score.h are at most C (n m)^2, with C channels and m the largest
     * sample, and twice that for the differences of sqdiff */
    const double bound = (double)n * (double)xncc_pixel_max(p->pixel);
    planes->score_fits_s63 = 4.0 * p->channels * bound * bound < 9.2e18;
    return b.complete && count <= XNCC_GENERAL_STEPS;
}

int32_t xncc_general_run(const xncc_general_planes *planes, int32_t first, int32_t most)
{
    const xncc_general_step *s = planes->step + first;
    int32_t count = 1;
    for (; count < most && first + count < planes->products; count++) {
        const xncc_general_step *a = &s[count - 1], *b = &s[count];
        if (b->term != s->term || b->image <= a->image ||
            b->image - a->image != s[1].image - s->image ||
            b->templ - a->templ != s[1].templ - s->templ)
            break;
    }
    return count;
}
