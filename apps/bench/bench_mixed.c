/* SPDX-License-Identifier: BSD-2-Clause */
/* The table `mixed`: templates of several sizes on one image, together (xncc_batch) and one by one
 * with a plan each. `find`: the best 16 matches of each template. `best`: the best template at each
 * position, next to the templates' maps alone. */
#include "bench_run.h"
#include "device_timer.h"
#include "exactncc/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TOP = 16, TEMPLATES = 24, SIDES = 4 };

static const int32_t sides[SIDES] = { 16, 24, 32, 64 }; /* of the templates, in turn */

static const bench_column columns[] = {
    BENCH_KIND,      BENCH_DEVICE,   BENCH_MEMORY, BENCH_PIXEL, BENCH_WIDTH,   BENCH_HEIGHT,
    BENCH_TEMPLATES, BENCH_ALONE_MS, BENCH_MS,     BENCH_SHARE, BENCH_CHECKED, BENCH_COLUMNS,
};

/* An image with its templates, bound to the engine of one context. */
typedef struct mixed {
    bench_case c; /* the image; its map has room for that of any template */
    xncc_context *context;
    xncc_peak_rule peaks;
    xncc_template *templ[TEMPLATES];
    xncc_plan *plan[TEMPLATES];
    xncc_batch *batch;
    /* In the memory that is timed, the host's or that of a device: */
    int32_t cuda_index;
    xncc_image image;
    xncc_map map;
    xncc_best best;
    /* The results, in host memory: */
    xncc_match match[TEMPLATES * TOP];
    size_t found[TEMPLATES];
    xncc_candidate together[TEMPLATES * TOP];
    size_t together_count;
} mixed;

static xncc_status pass_on(app_error *error, xncc_status status, const xncc_error *why)
{
    return status ? app_fail(error, status, "%d templates: %s", TEMPLATES, why->text) : XNCC_OK;
}

/* Templates are crops of the image, at places spread over it. */
static xncc_status make_templates(mixed *m, xncc_problem *problem,
                                  const xncc_preference *preference, xncc_error *why)
{
    xncc_status status = XNCC_OK;
    for (int i = 0; i < TEMPLATES && !status; i++) {
        const int32_t side = sides[i % SIDES];
        const int32_t x = (problem->image_width - side) / (TEMPLATES - 1) * i,
                      y = (problem->image_height - side) / (TEMPLATES - 1) * (i * 7 % TEMPLATES);
        xncc_image crop;
        problem->templ_width = problem->templ_height = side;
        status = xncc_image_crop(&m->c.image, x, y, side, side, &crop, why);
        if (!status)
            status = xncc_template_create(m->context, &crop, &m->templ[i], why);
        if (!status)
            status = xncc_plan_create(m->context, problem, preference, &m->plan[i], why);
    }
    return status;
}

static void unbind(mixed *m)
{
    xncc_batch_destroy(m->batch);
    m->batch = NULL;
    for (int i = 0; i < TEMPLATES; i++) {
        xncc_plan_destroy(m->plan[i]);
        xncc_template_destroy(m->templ[i]);
        m->plan[i] = NULL;
        m->templ[i] = NULL;
    }
}

/* Makes templates, plans and batch for images in the given memory. */
static xncc_status bind(mixed *m, xncc_device device, xncc_memory memory, app_error *error)
{
    xncc_problem problem = m->c.problem;
    xncc_preference preference = XNCC_PREFERENCE_INIT;
    xncc_batch_options options = XNCC_BATCH_OPTIONS_INIT;
    xncc_error why;
    preference.device = device;
    preference.image_memory = preference.map_memory = memory;
    options.peaks = m->peaks;
    options.capacity = TEMPLATES * TOP;
    xncc_status status = make_templates(m, &problem, &preference, &why);
    problem.templ_width = problem.templ_height = 0;
    if (!status)
        status = xncc_batch_create(m->context, &problem, &preference,
                                   (const xncc_template *const *)m->templ, TEMPLATES, &options,
                                   &m->batch, &why);
    return pass_on(error, status, &why);
}

static xncc_status find_alone(void *state, app_error *error)
{
    mixed *m = state;
    xncc_error why;
    xncc_status status = XNCC_OK;
    for (int i = 0; i < TEMPLATES && !status; i++)
        status = xncc_plan_find(m->plan[i], &m->image, m->templ[i], &m->peaks, m->match + i * TOP,
                                TOP, &m->found[i], NULL, &why);
    return pass_on(error, status, &why);
}

static xncc_status find_together(void *state, app_error *error)
{
    mixed *m = state;
    xncc_error why;
    const xncc_status status = xncc_batch_find(m->batch, &m->image, m->together, &m->together_count,
                                               NULL, &why);
    return pass_on(error, status, &why);
}

/* Ends a call that makes maps. Work in device memory is only queued by it. */
static xncc_status finish(const mixed *m, app_error *error, xncc_status status,
                          const xncc_error *why)
{
    if (status || m->map.memory == XNCC_HOST)
        return pass_on(error, status, why);
    return device_wait(m->cuda_index, error);
}

/* The map of template i. */
static xncc_map map_of(const mixed *m, int i, xncc_map map)
{
    map.width = m->image.width - xncc_template_width(m->templ[i]) + 1;
    map.height = m->image.height - xncc_template_height(m->templ[i]) + 1;
    return map;
}

static xncc_status maps_alone(void *state, app_error *error)
{
    mixed *m = state;
    xncc_error why;
    xncc_status status = XNCC_OK;
    for (int i = 0; i < TEMPLATES && !status; i++) {
        const xncc_map map = map_of(m, i, m->map);
        status = xncc_plan_correlate(m->plan[i], &m->image, m->templ[i], &map, NULL, &why);
    }
    return finish(m, error, status, &why);
}

static xncc_status best_together(void *state, app_error *error)
{
    mixed *m = state;
    xncc_error why;
    const xncc_status status = xncc_batch_best(m->batch, &m->image, &m->best, NULL, &why);
    return finish(m, error, status, &why);
}

/* 1 if the matches found together are those of the single searches, each template's in order. */
static int same_matches(const mixed *m)
{
    size_t sum = 0;
    for (int i = 0; i < TEMPLATES; i++) {
        size_t k = 0;
        for (size_t j = 0; j < m->together_count && k < m->found[i]; j++) {
            const xncc_match *a = &m->together[j].match, *b = &m->match[i * TOP + (int)k];
            k += m->together[j].templ == i && a->x == b->x && a->y == b->y &&
                 memcmp(&a->score, &b->score, sizeof a->score) == 0;
        }
        if (k != m->found[i])
            return 0;
        sum += k;
    }
    return m->together_count == sum;
}

/* Takes what is better in a map of template i into the expected best. */
static void fold(const mixed *m, int i, float *score, int32_t *index)
{
    const xncc_map map = map_of(m, i, m->c.map);
    const int32_t wide = m->best.score.width;
    const int small_is_good = xncc_method_is_distance(m->c.problem.rule.method);
    for (int32_t y = 0; y < map.height; y++)
        for (int32_t x = 0; x < map.width; x++) {
            const float v = map.data[(size_t)y * (size_t)map.width + (size_t)x];
            const size_t at = (size_t)y * (size_t)wide + (size_t)x;
            if (!isnan(v) && (index[at] < 0 || (small_is_good ? v < score[at] : v > score[at]))) {
                score[at] = v;
                index[at] = i;
            }
        }
}

/* Compares the best with that of single maps made in host memory. */
static xncc_status check_best(mixed *m, int *exact, app_error *error)
{
    const size_t count = (size_t)m->best.score.width * (size_t)m->best.score.height;
    const int device = m->best.score.memory == XNCC_DEVICE;
    float *score = malloc(count * sizeof *score), *got_score = malloc(count * sizeof *score);
    int32_t *index = malloc(count * sizeof *index), *got_index = malloc(count * sizeof *index);
    xncc_status status = XNCC_OK;
    xncc_error why;
    if (!score || !index || !got_score || !got_index)
        status = app_fail(error, XNCC_ERROR_MEMORY, "out of memory for the check of the best map");
    for (size_t i = 0; i < count && !status; i++) {
        score[i] = NAN;
        index[i] = -1;
    }
    for (int i = 0; i < TEMPLATES && !status; i++) {
        const xncc_map map = map_of(m, i, m->c.map);
        status = xncc_plan_correlate(m->plan[i], &m->c.image, m->templ[i], &map, NULL, &why);
        pass_on(error, status, &why);
        if (!status)
            fold(m, i, score, index);
    }
    if (!status && device)
        status = device_fetch(got_score, m->best.score.data, count * sizeof *score, error);
    if (!status && device)
        status = device_fetch(got_index, m->best.index, count * sizeof *index, error);
    *exact = !status && memcmp(device ? got_index : m->best.index, index, count * 4) == 0;
    for (size_t i = 0; i < count && *exact; i++)
        *exact = index[i] < 0 || memcmp(device ? &got_score[i] : &m->best.score.data[i], &score[i],
                                        sizeof(float)) == 0;
    free(score);
    free(index);
    free(got_score);
    free(got_index);
    return status;
}

/* Times the calls that are together and alone, and adds a row. */
static xncc_status add_row(bench_run *run, bench_section *section, mixed *m, int best,
                           const char *device, app_error *error)
{
    double alone = 0.0, together = 0.0;
    int exact = 0;
    bench_note_set(&run->note, "timing %d templates of mixed sizes: %s", TEMPLATES,
                   best ? "best" : "find");
    xncc_status status = bench_wall(run, best ? maps_alone : find_alone, m, &alone, error);
    if (!status)
        status = bench_wall(run, best ? best_together : find_together, m, &together, error);
    if (status)
        return status;
    if (best)
        status = check_best(m, &exact, error);
    else
        exact = same_matches(m);
    if (status)
        return status;
    run->wrong += !exact;
    bench_row row = bench_row_of(run, &m->c, "", exact);
    app_value *v = row.value;
    v[BENCH_KIND].text = best ? "best" : "find";
    v[BENCH_DEVICE].text = device;
    v[BENCH_MEMORY].text = m->image.memory == XNCC_DEVICE ? "device" : "host";
    v[BENCH_TEMPLATES].integer = TEMPLATES;
    v[BENCH_ALONE_MS].real = alone;
    v[BENCH_MS].real = together;
    v[BENCH_SHARE].real = together / alone;
    return bench_section_row(section, &row, error);
}

/* Both rows with image and maps in host memory. */
static xncc_status add_host(bench_run *run, bench_section *section, mixed *m, xncc_device device,
                            app_error *error)
{
    const char *name = device == XNCC_DEVICE_CPU ? "cpu" : run->session.device;
    const size_t pixels = (size_t)m->c.image.width * (size_t)m->c.image.height;
    xncc_status status = bind(m, device, XNCC_HOST, error);
    m->image = m->c.image;
    m->map = m->c.map;
    m->best.score.data = malloc(pixels * sizeof(float));
    m->best.index = malloc(pixels * sizeof(int32_t));
    if (!status && (!m->best.score.data || !m->best.index))
        status = app_fail(error, XNCC_ERROR_MEMORY, "out of memory for the best map");
    for (int best = 0; best < 2 && !status; best++)
        status = add_row(run, section, m, best, name, error);
    free(m->best.score.data);
    free(m->best.index);
    unbind(m);
    return status;
}

/* Both rows with image and maps in device memory. */
static xncc_status add_device(bench_run *run, bench_section *section, mixed *m, app_error *error)
{
    const int32_t index = run->options->common.device.cuda_index;
    const size_t pixels = (size_t)m->c.image.width * (size_t)m->c.image.height;
    void *map = NULL, *score = NULL, *which = NULL;
    xncc_status status = bind(m, XNCC_DEVICE_CUDA, XNCC_DEVICE, error);
    m->image.data = NULL;
    m->cuda_index = index;
    if (!status)
        status = device_image(&m->c.image, index, &m->image, error);
    if (!status)
        status = device_alloc(index, pixels * sizeof(float), &map, error);
    if (!status)
        status = device_alloc(index, pixels * sizeof(float), &score, error);
    if (!status)
        status = device_alloc(index, pixels * sizeof(int32_t), &which, error);
    m->map = (xncc_map){ .data = map, .memory = XNCC_DEVICE };
    m->best.score.data = score;
    m->best.score.memory = XNCC_DEVICE;
    m->best.index = which;
    for (int best = 0; best < 2 && !status; best++)
        status = add_row(run, section, m, best, run->session.device, error);
    device_free(m->image.data);
    device_free(map);
    device_free(score);
    device_free(which);
    unbind(m);
    return status;
}

xncc_status bench_mixed(bench_run *run, app_error *error)
{
    static mixed m;
    const app_options *o = &run->options->common;
    const app_size size = bench_image_size(run, 1920, 1080);
    xncc_problem problem = app_options_problem(o, XNCC_TASK_MATCH, size,
                                               (app_size){ sides[0], sides[0] });
    bench_section *section = bench_section_add(
        &run->report, "mixed",
        "24 templates of 16, 24, 32 and 64 pixels on one image, one by one and together", columns);
    /* Each size has its own kernel, and templates must fit. */
    if (o->kernel || size.width < sides[SIDES - 1] || size.height < sides[SIDES - 1])
        return XNCC_OK;
    problem.rule.mode = XNCC_VALID;
    problem.rule.border = XNCC_BORDER_CLAMP;
    problem.templ_masked = 0;
    m = (mixed){ .context = run->session.context,
                 .peaks = XNCC_PEAK_RULE_INIT,
                 .best = { .score = { .width = size.width - sides[0] + 1,
                                      .height = size.height - sides[0] + 1 } } };
    m.peaks.top = TOP;
    m.peaks.min_score = -INFINITY;
    xncc_status status = bench_case_open(&problem, &m.c, error);
    if (!status)
        status = add_host(run, section, &m, run->cuda ? XNCC_DEVICE_CUDA : XNCC_DEVICE_CPU, error);
    if (!status && run->cuda)
        status = add_device(run, section, &m, error);
    bench_case_close(&m.c);
    return status;
}
