/* SPDX-License-Identifier: BSD-2-Clause */
/* Several templates that are searched for in one image share its window sums and the spectra of its
 * blocks. Their matches are those of each template alone, for one image after the other, and after
 * a call that was cancelled. */
#include "kit/pixels.h"

#include "api/batch_object.h"
#include "base/memory.h"
#include "cpu/cpu_prepared.h"

#include <string.h>

enum { TEMPLS = 5, CAPACITY = 20, IMAGES = 2 };

typedef struct scene {
    xncc_context *context;
    kit_image image[IMAGES], piece[TEMPLS];
    xncc_template *templ[TEMPLS];
    size_t count;
    xncc_problem problem;
    const char *kernel;
    xncc_batch *batch;
} scene;

static scene scene_make(xncc_pixel pixel, xncc_border border, const char *kernel,
                        kit_random *random)
{
    const int32_t width = 8 + kit_between(random, 0, 40), height = 8 + kit_between(random, 0, 40);
    scene s = { .context = kit_context(XNCC_DEVICE_CPU, 1 + kit_between(random, 0, 2)),
                .count = 2 + (size_t)kit_below(random, TEMPLS - 1),
                .problem = XNCC_PROBLEM_INIT,
                .kernel = kernel };
    const int32_t columns = width + kit_between(random, 0, 400),
                  rows = height + kit_between(random, 0, 300);
    for (int i = 0; i < IMAGES; i++) {
        s.image[i] = kit_image_create(pixel, columns, rows, 3, KIT_AFTER);
        kit_image_fill(&s.image[i].view, i ? KIT_BLOCKS : KIT_NOISE, random);
    }
    for (size_t i = 0; i < s.count; i++) {
        s.piece[i] = kit_image_create(pixel, width, height, 0, KIT_AFTER);
        kit_image_copy(&s.piece[i].view, &s.image[i % IMAGES].view,
                       kit_between(random, 0, columns - width),
                       kit_between(random, 0, rows - height));
        CHECK_STATUS(xncc_template_create(s.context, &s.piece[i].view, &s.templ[i], &kit_error),
                     XNCC_OK);
    }
    CHECK_STATUS(xncc_problem_set(&s.problem, &s.image[0].view, NULL, &kit_error), XNCC_OK);
    s.problem.rule.border = border;
    s.problem.rule.mode = border == XNCC_BORDER_CLAMP ? XNCC_VALID : XNCC_SAME;
    return s;
}

static void scene_free(scene *s)
{
    xncc_batch_destroy(s->batch);
    for (size_t i = 0; i < s->count; i++) {
        xncc_template_destroy(s->templ[i]);
        kit_image_destroy(&s->piece[i]);
    }
    for (int i = 0; i < IMAGES; i++)
        kit_image_destroy(&s->image[i]);
    xncc_context_destroy(s->context);
}

static void check_image(const scene *s, const xncc_image *image)
{
    static xncc_candidate list[TEMPLS * CAPACITY];
    size_t count = 0, all = 0;
    CHECK_STATUS(xncc_batch_find(s->batch, image, list, &count, NULL, &kit_error), XNCC_OK);
    for (size_t i = 0; i < s->count; i++) {
        xncc_match want[CAPACITY];
        size_t wanted = 0, found = 0;
        xncc_find_options options = XNCC_FIND_OPTIONS_INIT;
        options.rule = s->problem.rule;
        options.peaks.top = CAPACITY;
        options.kernel = s->kernel;
        CHECK_STATUS(xncc_find(s->context, image, s->templ[i], &options, want, CAPACITY, &wanted,
                               &kit_error),
                     XNCC_OK);
        for (size_t k = 0; k < count; k++)
            if (list[k].templ == (int)i && CHECK(found < wanted))
                CHECK(memcmp(&list[k].match, &want[found++], sizeof *want) == 0);
        CHECK_INT(found, wanted);
        all += wanted;
    }
    CHECK_INT(count, all);
}

static void cancel(void *context)
{
    xncc_context_cancel(context);
}

/* Cancels calls at each allocation of the first one, then at few of the next ones. */
static void check_cancelled(const scene *s)
{
    static xncc_candidate list[TEMPLS * CAPACITY];
    size_t count = 0;
    xncc_status status = XNCC_ERROR_CANCELLED;
    for (uint64_t nth = 1; status; nth++) {
        (void)xncc_alloc_call(nth, cancel, s->context);
        status = xncc_batch_find(s->batch, &s->image[1].view, list, &count, NULL, &kit_error);
        if (status)
            CHECK_STATUS(status, XNCC_ERROR_CANCELLED);
        const uint64_t called = xncc_alloc_call(0, NULL, NULL);
        if (called < nth)
            break;
    }
}

static int shares(const scene *s, int spectra)
{
    const xncc_cpu_prepared *p = s->batch->group[0].plan->engine_plan->prepared;
    return p && (spectra ? p->spectra.data != NULL : p->sums != NULL);
}

int main(int argc, char **argv)
{
    static const char *const kernel[] = { "fft", "direct", NULL };
    static const xncc_border border[] = { XNCC_BORDER_CLAMP, XNCC_BORDER_CLAMP, XNCC_BORDER_MIRROR,
                                          XNCC_BORDER_ZERO };
    kit_start(argc, argv);
    int sums = 0, spectra = 0;
    const int rounds = kit_shortest() ? 6 : kit_short() ? 16 : 60;
    for (int n = 0; n < rounds; n++) {
        kit_random random = kit_stream((uint64_t)n);
        xncc_preference preference = XNCC_PREFERENCE_INIT;
        xncc_batch_options options = XNCC_BATCH_OPTIONS_INIT;
        scene s = scene_make(n % 5 == 4 ? XNCC_U16 : XNCC_U8, border[n / 3 % 4], kernel[n % 3],
                             &random);
        preference.kernel = s.kernel;
        options.peaks.top = CAPACITY;
        options.capacity = TEMPLS * CAPACITY;
        CHECK_STATUS(xncc_batch_create(s.context, &s.problem, &preference,
                                       (const xncc_template *const *)s.templ, s.count, &options,
                                       &s.batch, &kit_error),
                     XNCC_OK);
        if (n % 2)
            check_cancelled(&s);
        for (int i = 0; i < IMAGES; i++)
            check_image(&s, &s.image[i].view);
        check_cancelled(&s);
        check_image(&s, &s.image[0].view);
        sums += shares(&s, 0);
        spectra += shares(&s, 1);
        scene_free(&s);
    }
    CHECK(sums > rounds / 8 && spectra > rounds / 8); /* or nothing was tested */
    return kit_finish("prepared");
}
