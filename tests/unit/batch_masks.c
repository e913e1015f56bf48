/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches of many templates of one size with several masks, more than are searched at once: each
 * template has the matches that it has alone. */
#include "unit/batch.h"

#include <math.h>
#include <string.h>

/* The map has 24 tiles of a search on a GPU, so that a template's bounds choose those of its
 * matches. */
enum { SIDE = 9, PIXELS = SIDE * SIDE, WIDE = 420, HIGH = 100, TOP = 3, MANY = 35 };

/* The number of each template's mask. A mask has templates of two groups of 24, then come more
 * masks than are kept at a time; one comes back. */
static int mask_of(int templ)
{
    static const int last[] = { 1, 2, 3, 4, 4, 5, 6, 0, 7 };
    const int first = MANY - (int)(sizeof last / sizeof *last);
    return templ < first ? 0 : last[templ - first];
}

typedef struct scene {
    uint8_t image[WIDE * HIGH], pixels[MANY][PIXELS], mask[8][PIXELS];
    xncc_image view;
    xncc_template *templ[MANY];
} scene;

/* dense_first: whether the first mask has the most pixels that count, or the last one. */
static void make(scene *s, xncc_context *context, uint64_t number, int dense_first)
{
    kit_random random = kit_stream(700 + number);
    for (int i = 0; i < WIDE * HIGH; i++)
        s->image[i] = (uint8_t)(kit_below(&random, 4) * 80);
    for (int m = 0; m < 8; m++)
        for (int i = 0; i < PIXELS; i++)
            s->mask[m][i] = i == 0 ||
                            kit_below(&random, 9) < (uint64_t)(dense_first ? 8 - m : 1 + m);
    s->view = (xncc_image){ .data = s->image, .width = WIDE, .height = HIGH };
    for (int t = 0; t < MANY; t++) {
        const int x = (int)kit_below(&random, WIDE - SIDE),
                  y = (int)kit_below(&random, HIGH - SIDE);
        for (int i = 0; i < PIXELS; i++)
            s->pixels[t][i] = (uint8_t)(s->image[(y + i / SIDE) * WIDE + x + i % SIDE] +
                                        kit_below(&random, 9));
        const xncc_image view = {
            .data = s->pixels[t], .width = SIDE, .height = SIDE, .mask = s->mask[mask_of(t)]
        };
        CHECK_STATUS(xncc_template_create(context, &view, &s->templ[t], &kit_error), XNCC_OK);
    }
}

/* Compares the matches of one template with those of a batch. */
static void compare(const scene *s, xncc_context *context, const kit_find_options *options, int t,
                    const xncc_candidate *got, size_t found)
{
    xncc_match want[TOP];
    size_t wanted, count = 0;
    CHECK_STATUS(kit_find(context, &s->view, s->templ[t], options, want, TOP, &wanted), XNCC_OK);
    int same = 1;
    for (size_t i = 0; i < found; i++)
        if (got[i].templ == t) {
            same = same && count < wanted && memcmp(&got[i].match, &want[count], sizeof *want) == 0;
            count++;
        }
    if (!CHECK(same && count == wanted))
        kit_fail(__FILE__, __LINE__, "template %d: %zu matches, not %zu, or not those", t, count,
                 wanted);
}

void check_batch_masks(xncc_context *context)
{
    static scene s;
    static xncc_candidate got[MANY * TOP];
    const kit_find_options find = { .min_score = -INFINITY, .min_valid = 0.9, .top = TOP };
    const kit_batch_options options = { .find = &find, .capacity = MANY * TOP };
    for (uint64_t k = 0; k < 4; k++) {
        const int forced = k % 2 == 0;
        make(&s, context, k, k < 2);
        const xncc_problem problem = kit_problem((xncc_problem){
            .image_width = WIDE, .image_height = HIGH, .rule.min_valid = find.min_valid });
        xncc_preference preference = XNCC_PREFERENCE_INIT;
        preference.kernel = forced ? "tensor-wgmma" : NULL;
        const xncc_template *templ[MANY];
        memcpy(templ, s.templ, sizeof templ);
        xncc_batch *batch = NULL;
        const xncc_status status = kit_batch_create(context, &problem, &preference, templ, MANY,
                                                    &options, &batch);
        CHECK(status == XNCC_OK || (status == XNCC_ERROR_UNSUPPORTED && forced));
        size_t found = 0;
        if (batch)
            CHECK_STATUS(xncc_batch_find(batch, &s.view, got, &found, NULL, &kit_error), XNCC_OK);
        for (int t = 0; t < MANY && batch; t++)
            compare(&s, context, &find, t, got, found);
        xncc_batch_destroy(batch);
        for (int t = 0; t < MANY; t++)
            xncc_template_destroy(s.templ[t]);
    }
}
