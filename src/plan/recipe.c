/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the sums and products of general problems. */
#include "plan/recipe.h"

#include "image/samples.h"
#include "math/method.h"
#include "plan/problem.h"

xncc_sum_recipe xncc_sum_recipe_of(const xncc_problem *p)
{
    const xncc_sum_source of_image = p->templ_masked ? XNCC_FROM_PRODUCTS : XNCC_FROM_WINDOW;
    const int varies = xncc_problem_image_varies(p);
    const xncc_sum_source of_templ = varies ? XNCC_FROM_PRODUCTS : XNCC_FROM_CONSTANT;
    const int centred = xncc_method_is_centred(p->rule.method),
              biased = xncc_pixel_bias(p->pixel) != 0;
    xncc_sum_recipe needs = { { XNCC_FROM_NOWHERE } };
    needs.sum[XNCC_SUM_N] = varies ? of_image : XNCC_FROM_CONSTANT;
    if (p->rule.method == XNCC_COVERAGE)
        return needs;
    needs.sum[XNCC_SUM_X] = XNCC_FROM_PRODUCTS;
    /* S and sumT are also needed to remove the bias from X, Q and sumT2 */
    if (centred || biased) {
        needs.sum[XNCC_SUM_S] = of_image;
        needs.sum[XNCC_SUM_T] = of_templ;
    }
    if (p->rule.method != XNCC_CCOEFF && p->rule.method != XNCC_CCORR) {
        needs.sum[XNCC_SUM_Q] = of_image;
        needs.sum[XNCC_SUM_T2] = of_templ;
    }
    return needs;
}

xncc_sum_source xncc_sum_source_in(const xncc_sum_recipe *recipe, xncc_sum_id sum, int all_count)
{
    const int of_templ = sum == XNCC_SUM_N || sum == XNCC_SUM_T || sum == XNCC_SUM_T2;
    return of_templ && all_count && recipe->sum[sum] != XNCC_FROM_NOWHERE ? XNCC_FROM_CONSTANT
                                                                          : recipe->sum[sum];
}

/* A list of products. Those beyond its capacity are only counted. */
typedef struct list {
    xncc_product_of *product;
    size_t capacity, count;
} list;

static void add(list *l, const xncc_product_of *product)
{
    if (l->count < l->capacity)
        l->product[l->count] = *product;
    l->count++;
}

/* Adds the products of an image plane with all template planes of a kind and the same channel, if
 * the sum comes from products. */
static void add_digits(list *l, const xncc_sum_recipe *needs, xncc_sum_id sum,
                       const xncc_plane_of *image, xncc_plane kind, int digits)
{
    for (int d = 0; d < digits && needs->sum[sum] == XNCC_FROM_PRODUCTS; d++) {
        const int32_t channel = sum == XNCC_SUM_N ? 0 : image->channel;
        add(l, &(xncc_product_of){ .image = *image,
                                   .templ = { kind, d, kind == XNCC_PLANE_COUNT ? 0 : channel },
                                   .sum = sum,
                                   .channel = channel,
                                   .shift = 8 * (image->digit + d) });
    }
}

/* Adds the products of the image plane that says which pixels count. It is common to all channels,
 * but sumT and sumT2 are per channel of the template. */
static void add_counts(list *l, const xncc_sum_recipe *needs, int32_t channels, int digits)
{
    add_digits(l, needs, XNCC_SUM_N, &(xncc_plane_of){ XNCC_PLANE_COUNT, 0, 0 }, XNCC_PLANE_COUNT,
               1);
    for (int32_t c = 0; c < channels; c++)
        for (int kind = XNCC_PLANE_VALUE; kind <= XNCC_PLANE_SQUARE; kind++) {
            const xncc_sum_id sum = kind == XNCC_PLANE_VALUE ? XNCC_SUM_T : XNCC_SUM_T2;
            const size_t first = l->count;
            add_digits(l, needs, sum, &(xncc_plane_of){ XNCC_PLANE_COUNT, 0, c }, (xncc_plane)kind,
                       kind == XNCC_PLANE_VALUE ? digits : 2 * digits);
            for (size_t i = first; i < l->count && i < l->capacity; i++)
                l->product[i].image.channel = 0;
        }
}

size_t xncc_products_of(const xncc_problem *p, xncc_product_of *product, size_t capacity)
{
    const xncc_sum_recipe needs = xncc_sum_recipe_of(p);
    const int digits = xncc_pixel_digits(p->pixel);
    list l = { product, capacity, 0 };
    for (int32_t c = 0; c < p->channels; c++) {
        for (int d = 0; d < digits; d++) {
            const xncc_plane_of value = { XNCC_PLANE_VALUE, d, c };
            add_digits(&l, &needs, XNCC_SUM_X, &value, XNCC_PLANE_VALUE, digits);
            add_digits(&l, &needs, XNCC_SUM_S, &value, XNCC_PLANE_COUNT, 1);
        }
        for (int d = 0; d < 2 * digits; d++)
            add_digits(&l, &needs, XNCC_SUM_Q, &(xncc_plane_of){ XNCC_PLANE_SQUARE, d, c },
                       XNCC_PLANE_COUNT, 1);
    }
    add_counts(&l, &needs, p->channels, digits);
    return l.count;
}
