/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches of templates, the best of them, and suppressors, under which calls of CUDA fail. */
#include "cuda_world.h"

static void nothing(void)
{
}

static xncc_template *wide; /* of another size */
static xncc_batch *batch;

static xncc_status make_batch(xncc_batch **made)
{
    const xncc_template *const all[] = { w.templ[0], w.templ[1], wide };
    xncc_problem problem = w.problem;
    xncc_batch_options o = XNCC_BATCH_OPTIONS_INIT;
    xncc_suppress_rule suppress = XNCC_SUPPRESS_RULE_INIT;
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    problem.templ_width = problem.templ_height = problem.templ_masked = 0;
    o.capacity = TOP;
    o.suppress = &suppress;
    const xncc_status status = xncc_batch_create(context, &problem, &preference, all, 3, &o, made,
                                                 &kit_error);
    CHECK((status == XNCC_OK) == (*made != NULL));
    return status;
}

static void begin_batch(void)
{
    fill_constants();
    kit_image pixels = image_of(w.problem.templ_width + 5, w.problem.templ_height,
                                w.problem.templ_masked);
    CHECK_STATUS(xncc_template_create(context, &pixels.view, &wide, &kit_error), XNCC_OK);
    kit_image_destroy(&pixels);
    CHECK_STATUS(make_batch(&batch), XNCC_OK);
}

static void end_batch(void)
{
    xncc_batch_destroy(batch);
    xncc_template_destroy(wide);
}

static xncc_status create_batch(void)
{
    xncc_batch *made = NULL;
    const xncc_status status = make_batch(&made);
    quiet_begin();
    xncc_batch_destroy(made);
    quiet_end();
    return status;
}

static xncc_status find_batch(void)
{
    xncc_candidate match[TOP];
    size_t found = 77;
    const xncc_status status = xncc_batch_find(batch, &w.image.view, match, &found, w.stream,
                                               &kit_error);
    CHECK(status == XNCC_OK ? found <= TOP : found == 0);
    return status;
}

static xncc_status find_batch_once(void)
{
    xncc_candidate match[TOP];
    size_t found = 77;
    const xncc_template *const all[] = { w.templ[0], wide };
    const xncc_status status = kit_find_batch(context, &w.image.view, all, 2, NULL, NULL, match,
                                              TOP, &found);
    CHECK(status == XNCC_OK ? found <= TOP : found == 0);
    return status;
}

static xncc_status best(void)
{
    static int32_t index[1 << 21];
    return xncc_batch_best(batch, &w.image.view,
                           &(xncc_best){ .score = w.map.view, .index = index }, w.stream,
                           &kit_error);
}

static xncc_status best_there(void)
{
    int32_t *index = (int32_t *)(void *)w.map_there.data; /* nothing is computed */
    return xncc_batch_best(batch, &w.there, &(xncc_best){ .score = w.map_there, .index = index },
                           w.stream, &kit_error);
}

/* ---- the suppressor ---- */

static xncc_suppressor *suppressor;

static xncc_status create_suppressor(void)
{
    xncc_suppressor *made = NULL;
    const xncc_status status = xncc_suppressor_create(context, 5000, &made, &kit_error);
    CHECK((status == XNCC_OK) == (made != NULL));
    quiet_begin();
    xncc_suppressor_destroy(made);
    quiet_end();
    return status;
}

static void begin_suppressor(void)
{
    CHECK_STATUS(xncc_suppressor_create(context, 5000, &suppressor, &kit_error), XNCC_OK);
}

static void end_suppressor(void)
{
    xncc_suppressor_destroy(suppressor);
}

static xncc_status suppress(void)
{
    xncc_candidate *candidate = (xncc_candidate *)(void *)w.map_there.data;
    xncc_status status = xncc_suppressor_clear(suppressor, w.stream, &kit_error);
    if (!status)
        status = xncc_suppressor_add(suppressor, w.match_there, w.found_there, 0, 9, 9, w.stream,
                                     &kit_error);
    if (!status)
        status = xncc_suppressor_add_candidates(suppressor, candidate, 5, w.stream, &kit_error);
    if (!status)
        status = kit_suppressor_run(suppressor, NULL, candidate, 5, w.found_there, w.stream);
    return status;
}

static const scene of_batches[] = {
    { "batch", begin_batch, create_batch, end_batch, 1 },
    { "find a batch", begin_batch, find_batch, end_batch, 1 },
    { "find a batch at once", begin_batch, find_batch_once, end_batch, 1 },
};

static const scene of_best[] = {
    { "best", begin_batch, best, end_batch, 1 },
    { "best in device memory", begin_batch, best_there, end_batch, 0 },
};

static const scene of_suppressors[] = {
    { "suppressor", nothing, create_suppressor, nothing, 1 },
    { "suppress", begin_suppressor, suppress, end_suppressor, 0 },
};

void exhaust_batches(const char *part)
{
    EXHAUST_ALL(part, of_batches);
    EXHAUST_ALL(part, of_suppressors);
    if (w.problem.rule.mode != XNCC_FULL)
        EXHAUST_ALL(part, of_best);
}
