#include "plan/products.h"

#include "image/samples.h"

static int image_varies(const cm_problem *p)
{
    return p->image_masked || (p->border == CM_BORDER_OVERLAP && p->mode != CM_VALID);
}

cm_needs cm_needs_of(const cm_problem *p)
{
    const cm_had of_image = p->part_masked ? CM_HAD_PRODUCTS : CM_HAD_WINDOW;
    const cm_had of_part = image_varies(p) ? CM_HAD_PRODUCTS : CM_HAD_CONSTANT;
    const int centred = p->method == CM_CCOEFF_NORMED || p->method == CM_CCOEFF, biased = cm_pixel_bias(p->pixel) != 0;
    cm_needs needs = { { CM_HAD_UNUSED } };
    needs.sum[CM_SUM_N] = image_varies(p) ? of_image : CM_HAD_CONSTANT;
    if (p->method == CM_COVERAGE)
        return needs;
    needs.sum[CM_SUM_X] = CM_HAD_PRODUCTS;
    /* what unbiases X, Q and sumT2 is S and sumT */
    if (centred || biased) {
        needs.sum[CM_SUM_S] = of_image;
        needs.sum[CM_SUM_T] = of_part;
    }
    if (p->method != CM_CCOEFF && p->method != CM_CCORR) {
        needs.sum[CM_SUM_Q] = of_image;
        needs.sum[CM_SUM_T2] = of_part;
    }
    return needs;
}

/* A list that is written as far as there is room. */
typedef struct list {
    cm_product_of *product;
    size_t capacity, count;
} list;

static void add(list *l, const cm_product_of *product)
{
    if (l->count < l->capacity)
        l->product[l->count] = *product;
    l->count++;
}

/* All products of an image plane of a channel with the template's planes of a kind, if the sum is made of products. */
static void add_digits(list *l, const cm_needs *needs, cm_sum_id sum, const cm_plane_of *image, cm_plane kind, int digits)
{
    for (int d = 0; d < digits && needs->sum[sum] == CM_HAD_PRODUCTS; d++) {
        const int32_t channel = sum == CM_SUM_N ? 0 : image->channel;
        add(l, &(cm_product_of){ .image = *image,
                                 .part = { kind, d, kind == CM_PLANE_COUNT ? 0 : channel },
                                 .sum = sum,
                                 .channel = channel,
                                 .shift = 8 * (image->digit + d) });
    }
}

/* The products of the plane that says which pixels count: the image's channels have it in common, the template's sums have not. */
static void add_counts(list *l, const cm_needs *needs, int32_t channels, int digits)
{
    add_digits(l, needs, CM_SUM_N, &(cm_plane_of){ CM_PLANE_COUNT, 0, 0 }, CM_PLANE_COUNT, 1);
    for (int32_t c = 0; c < channels; c++)
        for (int kind = CM_PLANE_VALUE; kind <= CM_PLANE_SQUARE; kind++) {
            const cm_sum_id sum = kind == CM_PLANE_VALUE ? CM_SUM_T : CM_SUM_T2;
            const size_t first = l->count;
            add_digits(l, needs, sum, &(cm_plane_of){ CM_PLANE_COUNT, 0, c }, (cm_plane)kind,
                       kind == CM_PLANE_VALUE ? digits : 2 * digits);
            for (size_t i = first; i < l->count && i < l->capacity; i++)
                l->product[i].image.channel = 0;
        }
}

size_t cm_products_of(const cm_problem *p, cm_product_of *product, size_t capacity)
{
    const cm_needs needs = cm_needs_of(p);
    const int digits = cm_pixel_digits(p->pixel);
    list l = { product, capacity, 0 };
    for (int32_t c = 0; c < cm_problem_channels(p); c++) {
        for (int d = 0; d < digits; d++) {
            const cm_plane_of value = { CM_PLANE_VALUE, d, c };
            add_digits(&l, &needs, CM_SUM_X, &value, CM_PLANE_VALUE, digits);
            add_digits(&l, &needs, CM_SUM_S, &value, CM_PLANE_COUNT, 1);
        }
        for (int d = 0; d < 2 * digits; d++)
            add_digits(&l, &needs, CM_SUM_Q, &(cm_plane_of){ CM_PLANE_SQUARE, d, c }, CM_PLANE_COUNT, 1);
    }
    add_counts(&l, &needs, cm_problem_channels(p), digits);
    return l.count;
}
