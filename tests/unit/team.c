/* SPDX-License-Identifier: BSD-2-Clause */
/* Several devices that share calls: for any number of them the results are those of one, bit for
 * bit. With --device cuda the devices are engines of one CUDA device. */
#include "unit/team.h"

#include "kit/device.h"

#include "plan/problem.h"
#include "plan/spread.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 5000, TAPS = 9 };

xncc_context *team_alone;
static xncc_context *team[MEMBERS + 1]; /* by the number of devices; NULL: not tested */
static int on_cuda;

team_look team_look_draw(kit_random *random, const xncc_pixel *pixels, uint64_t count,
                         uint64_t number)
{
    team_look look = { .number = number };
    look.pixel = pixels[kit_below(random, count)];
    look.channels = kit_below(random, 4) ? 1 : 3;
    look.width = kit_between(random, 9, 40);
    look.height = kit_between(random, 9, 60);
    look.templ_width = kit_between(random, 1, 9);
    look.templ_height = kit_between(random, 1, 9);
    look.masks = kit_below(random, 3) ? 0 : kit_between(random, 1, 7);
    look.values = kit_below(random, 2) ? 3 : 100;
    return look;
}

team_scene team_scene_make(const team_look *look)
{
    kit_random random = kit_stream(look->number);
    team_scene s = { .image = kit_image_create_channels(look->pixel, look->channels, look->width,
                                                        look->height, (kit_room){ 3, KIT_AFTER }),
                     .pixels = kit_image_create_channels(look->pixel, look->channels,
                                                         look->templ_width, look->templ_height,
                                                         (kit_room){ 0, KIT_AFTER }) };
    kit_image *const both[] = { &s.image, &s.pixels };
    for (int i = 0; i < 2; i++) {
        const xncc_image *view = &both[i]->view;
        if (i == (look->masks & 4 ? 1 : 0) && look->masks & 5)
            kit_image_mask(both[i], (kit_room){ 2, KIT_AFTER });
        else if (i == 0 && look->masks & 1)
            kit_image_mask(both[i], (kit_room){ 2, KIT_AFTER });
        for (int32_t k = 0; k < view->width * view->height; k++) {
            const int32_t x = k % view->width, y = k / view->width;
            for (int32_t c = 0; c < look->channels; c++)
                kit_sample_set(view, x, y, c, (double)kit_below(&random, look->values));
            if (view->mask)
                kit_mask_set(view, x, y, k == 0 || kit_below(&random, 7) != 0);
        }
    }
    if (look->masks & 2) {
        s.image.view.has_no_data = 1;
        s.image.view.no_data = 1.0;
    }
    return s;
}

void team_scene_free(team_scene *s)
{
    kit_image_destroy(&s->image);
    kit_image_destroy(&s->pixels);
}

/* ---- one problem, by one device and by several ---- */

typedef struct trial {
    team_look look;
    xncc_match_rule rule;
    xncc_peak_rule peaks;
    size_t capacity;
} trial;

/* The results of a trial. */
typedef struct outcome {
    kit_map map;
    xncc_match match[MOST];
    size_t found;
} outcome;

static outcome want, got;

static xncc_problem problem_of(const trial *t, const team_scene *s, const xncc_template *templ)
{
    xncc_problem p = XNCC_PROBLEM_INIT;
    p.rule = t->rule;
    CHECK_STATUS(xncc_problem_set(&p, &s->image.view, templ, &kit_error), XNCC_OK);
    return p;
}

/* Runs the trial: a map, a search, and the map again. Returns how many devices share a call. */
static int32_t run(xncc_context *context, const trial *t, const team_scene *s, outcome *o)
{
    xncc_template *templ = NULL;
    xncc_plan *plan = NULL;
    xncc_plan_info info = XNCC_PLAN_INFO_INIT;
    xncc_extent extent;
    CHECK_STATUS(xncc_template_create(context, &s->pixels.view, &templ, &kit_error), XNCC_OK);
    const xncc_problem p = problem_of(t, s, templ);
    CHECK_STATUS(xncc_map_measure(t->rule.mode, p.image_width, p.image_height, p.templ_width,
                                  p.templ_height, &extent, NULL),
                 XNCC_OK);
    o->map = kit_map_create(extent.width, extent.height, 3, KIT_AFTER);
    if (!CHECK_STATUS(xncc_plan_create(context, &p, NULL, &plan, &kit_error), XNCC_OK))
        kit_give_up("%s", kit_error.text);
    for (int turn = 0; turn < 2; turn++) {
        kit_map_clear(&o->map);
        CHECK_STATUS(
            xncc_plan_correlate(plan, &s->image.view, templ, &o->map.view, NULL, &kit_error),
            XNCC_OK);
        if (turn == 0)
            CHECK_STATUS(xncc_plan_find(plan, &s->image.view, templ, &t->peaks, o->match,
                                        t->capacity, &o->found, NULL, &kit_error),
                         XNCC_OK);
    }
    CHECK(kit_map_padding_intact(&o->map));
    CHECK_STATUS(xncc_plan_describe(plan, &info, NULL), XNCC_OK);
    xncc_plan_destroy(plan);
    xncc_template_destroy(templ);
    return info.devices;
}

static int same_maps(const xncc_map *a, const xncc_map *b)
{
    for (int32_t y = 0; y < a->height; y++)
        if (memcmp(kit_map_row(a, y), kit_map_row(b, y), (size_t)a->width * sizeof(float)) != 0)
            return 0;
    return 1;
}

static void compare(const trial *t, int devices)
{
    team_scene s = team_scene_make(&t->look);
    CHECK_INT(run(team_alone, t, &s, &want), 1);
    const int32_t shared = run(team[devices], t, &s, &got);
    CHECK(shared <= devices && (devices == 1 || shared >= 2 || got.map.view.height == 1));
    const int maps = same_maps(&got.map.view, &want.map.view),
              lists = got.found == want.found &&
                      memcmp(got.match, want.match, got.found * sizeof *got.match) == 0;
    if (!CHECK(maps) || !CHECK(lists))
        kit_fail(__FILE__, __LINE__,
                 "trial %llu on %d devices: %s, %d x %d x %d, template %d x %d, masks %d, mode %d, "
                 "border %d, method %d, apart %d, top %zu: %zu matches instead of %zu",
                 (unsigned long long)t->look.number, devices, xncc_pixel_name(t->look.pixel),
                 t->look.width, t->look.height, t->look.channels, t->look.templ_width,
                 t->look.templ_height, t->look.masks, (int)t->rule.mode, (int)t->rule.border,
                 (int)t->rule.method, t->peaks.min_distance, t->capacity, got.found, want.found);
    kit_map_destroy(&want.map);
    kit_map_destroy(&got.map);
    team_scene_free(&s);
}

static trial random_trial(uint64_t number)
{
    static const xncc_pixel pixels[] = { XNCC_U8,  XNCC_U8,  XNCC_S8, XNCC_U16,
                                         XNCC_S16, XNCC_U32, XNCC_F32 };
    static const int32_t apart[] = { XNCC_AUTO, 1, 2, 3, 7, 30 };
    static const size_t tops[] = { 1, 2, 9, 60, MOST };
    const xncc_match_rule plain = XNCC_MATCH_RULE_INIT;
    const xncc_peak_rule best = XNCC_PEAK_RULE_INIT;
    kit_random random = kit_stream(number * 77 + 5);
    trial t = { .rule = plain, .peaks = best };
    t.look = team_look_draw(&random, pixels, 7, number);
    t.rule.mode = (xncc_mode)kit_below(&random, 3);
    t.rule.border = (xncc_border)kit_below(&random, 5);
    t.rule.method = kit_below(&random, 2) ? XNCC_CCOEFF_NORMED : (xncc_method)kit_below(&random, 6);
    t.peaks.min_distance = apart[kit_below(&random, 6)];
    t.peaks.min_score = xncc_method_is_distance(t.rule.method) ? t.peaks.min_score : 0.1f;
    t.capacity = tops[kit_below(&random, 5)];
    if (xncc_method_is_distance(t.rule.method))
        t.peaks.min_score = -INFINITY;
    return t;
}

static void check_trials(int count)
{
    for (int i = 0; i < count; i++) {
        const trial t = random_trial((uint64_t)i);
        for (int devices = 1; devices <= MEMBERS; devices++)
            if (team[devices])
                compare(&t, devices);
    }
}

/* ---- convolutions ---- */

static void convolve(xncc_context *context, const kit_image *image, xncc_border border,
                     int32_t width, int32_t height, xncc_map *out)
{
    float taps[TAPS * TAPS];
    xncc_filter *filter = NULL;
    xncc_filter_options o = XNCC_FILTER_OPTIONS_INIT;
    xncc_convolve_options how = XNCC_CONVOLVE_OPTIONS_INIT;
    for (int32_t i = 0; i < width * height; i++)
        taps[i] = (float)(i * 7 % 11 - 4) * 0.37f;
    o.anchor_x = width / 3;
    o.anchor_y = height / 4;
    how.border = border;
    CHECK_STATUS(xncc_filter_create(context, taps, width, height, &o, &filter, &kit_error),
                 XNCC_OK);
    CHECK_STATUS(xncc_convolve(context, &image->view, filter, &how, out, &kit_error), XNCC_OK);
    xncc_filter_destroy(filter);
}

static void check_convolutions(int count)
{
    static const xncc_pixel pixels[] = { XNCC_U8, XNCC_U16, XNCC_F32 };
    for (int i = 0; i < count; i++) {
        kit_random random = kit_stream(900 + (uint64_t)i);
        const int32_t width = kit_between(&random, 3, 30), height = kit_between(&random, 3, 50);
        const int32_t w = kit_between(&random, 1, TAPS), h = kit_between(&random, 1, TAPS);
        kit_image image = kit_image_create(pixels[i % 3], width, height, 2, KIT_AFTER);
        kit_map one = kit_map_create(width, height, 1, KIT_AFTER),
                all = kit_map_create(width, height, 1, KIT_AFTER);
        kit_image_fill(&image.view, i % 4 ? KIT_NOISE : KIT_GRADIENT, &random);
        convolve(team_alone, &image, (xncc_border)(i % 2), w, h, &one.view);
        for (int devices = 1; devices <= MEMBERS; devices++) {
            if (!team[devices])
                continue;
            kit_map_clear(&all);
            convolve(team[devices], &image, (xncc_border)(i % 2), w, h, &all.view);
            CHECK(same_maps(&one.view, &all.view));
            CHECK(kit_map_padding_intact(&all));
        }
        kit_map_destroy(&one);
        kit_map_destroy(&all);
        kit_image_destroy(&image);
    }
}

/* ---- batches ---- */

enum { TEMPLS = 11, LIST = 400 };

typedef struct listing {
    xncc_candidate match[LIST];
    size_t found;
    float score[40 * 40];
    int32_t index[40 * 40];
} listing;

static listing of_one, of_all;

static void run_batch(xncc_context *context, const kit_image *image, listing *l)
{
    xncc_template *templ[TEMPLS];
    xncc_problem p = XNCC_PROBLEM_INIT;
    xncc_batch *batch = NULL;
    xncc_batch_options o = XNCC_BATCH_OPTIONS_INIT;
    for (int32_t i = 0; i < TEMPLS; i++) { /* 8 of one size, 3 of others */
        xncc_image part;
        CHECK_STATUS(xncc_image_crop(&image->view, i * 2, i, i < 8 ? 6 : i - 3, 5, &part, NULL),
                     XNCC_OK);
        CHECK_STATUS(xncc_template_create(context, &part, &templ[i], &kit_error), XNCC_OK);
    }
    CHECK_STATUS(xncc_problem_set(&p, &image->view, NULL, NULL), XNCC_OK);
    p.rule.mode = XNCC_SAME;
    o.capacity = LIST;
    o.peaks.top = 20;
    CHECK_STATUS(xncc_batch_create(context, &p, NULL, (const xncc_template *const *)templ, TEMPLS,
                                   &o, &batch, &kit_error),
                 XNCC_OK);
    for (int turn = 0; turn < 2; turn++)
        CHECK_STATUS(xncc_batch_find(batch, &image->view, l->match, &l->found, NULL, &kit_error),
                     XNCC_OK);
    const xncc_best best = { .score = { .data = l->score, .width = 40, .height = 40 },
                             .index = l->index };
    CHECK_STATUS(xncc_batch_best(batch, &image->view, &best, NULL, &kit_error), XNCC_OK);
    xncc_batch_destroy(batch);
    for (int i = 0; i < TEMPLS; i++)
        xncc_template_destroy(templ[i]);
}

static void check_batches(void)
{
    kit_image image = kit_image_create(XNCC_U8, 40, 40, 0, KIT_AFTER);
    kit_random random = kit_stream(44);
    kit_image_fill(&image.view, KIT_NOISE, &random);
    run_batch(team_alone, &image, &of_one);
    for (int devices = 1; devices <= MEMBERS; devices++) {
        if (!team[devices])
            continue;
        memset(&of_all, 0, sizeof of_all);
        for (int i = 0; i < MEMBERS; i++)
            team_note[i].runs = 0;
        run_batch(team[devices], &image, &of_all);
        CHECK_INT(of_all.found, of_one.found);
        CHECK(of_one.found > TEMPLS &&
              memcmp(of_all.match, of_one.match, of_one.found * sizeof *of_one.match) == 0);
        CHECK(memcmp(of_all.score, of_one.score, sizeof of_one.score) == 0);
        CHECK(memcmp(of_all.index, of_one.index, sizeof of_one.index) == 0);
        for (int i = 0; i < devices && !on_cuda; i++)
            CHECK(team_note[i].runs > 0);
    }
    kit_image_destroy(&image);
}

/* ---- scans, refinement and calls without a plan ---- */

static void check_others(void)
{
    const trial t = { .look = { XNCC_U8, 1, 30, 40, 6, 5, 0, 100, 3 },
                      .rule = XNCC_MATCH_RULE_INIT,
                      .peaks = XNCC_PEAK_RULE_INIT };
    team_scene s = team_scene_make(&t.look);
    xncc_match first[9], match[9];
    xncc_refined refined[2][9];
    size_t found = 0;
    for (int devices = 0; devices <= MEMBERS; devices++) {
        xncc_context *context = devices ? team[devices] : team_alone;
        xncc_template *templ = NULL;
        xncc_plan *plan = NULL;
        xncc_scan *scan = NULL;
        size_t count = 0;
        if (!context)
            continue;
        CHECK_STATUS(xncc_template_create(context, &s.pixels.view, &templ, &kit_error), XNCC_OK);
        const xncc_problem p = problem_of(&t, &s, templ);
        CHECK_STATUS(xncc_find(context, &s.image.view, templ, NULL, match, 9, &count, &kit_error),
                     XNCC_OK);
        if (devices == 0) {
            memcpy(first, match, sizeof first);
            found = count;
        }
        CHECK(count == found && memcmp(first, match, count * sizeof *match) == 0);
        CHECK_STATUS(xncc_refine(context, &s.image.view, templ, NULL, match, count,
                                 refined[devices > 0], &kit_error),
                     XNCC_OK);
        CHECK(memcmp(refined[0], refined[devices > 0], count * sizeof refined[0][0]) == 0);
        CHECK_STATUS(xncc_plan_create(context, &p, NULL, &plan, &kit_error), XNCC_OK);
        CHECK_STATUS(xncc_scan_create(plan, &s.image.view, templ, NULL, 9, &scan, &kit_error),
                     XNCC_OK);
        CHECK_STATUS(xncc_scan_rows(scan, 20, &kit_error), XNCC_OK);
        CHECK_STATUS(xncc_scan_finish(scan, match, &count, NULL, &kit_error), XNCC_OK);
        CHECK(count == found && memcmp(first, match, count * sizeof *match) == 0);
        xncc_scan_destroy(scan);
        xncc_plan_destroy(plan);
        xncc_template_destroy(templ);
    }
    team_scene_free(&s);
}

/* ---- an image on a CUDA device, between calls that are divided ---- */

static void check_there(void)
{
    const trial t = { .look = { XNCC_U8, 1, 300, 200, 16, 12, 0, 100, 8 },
                      .rule = XNCC_MATCH_RULE_INIT,
                      .peaks = XNCC_PEAK_RULE_INIT,
                      .capacity = 20 };
    team_scene s = team_scene_make(&t.look);
    const size_t bytes = (size_t)s.image.view.pitch * 200;
    xncc_template *templ = NULL;
    xncc_plan *plan = NULL;
    xncc_image there = s.image.view;
    xncc_match match[20];
    size_t found = 0;
    (void)run(team_alone, &t, &s, &want);
    kit_map map = kit_map_create(285, 189, 0, KIT_AFTER);
    void *memory = kit_device_alloc(bytes);
    /* the last row ends with its last pixel */
    CHECK(memory &&
          kit_device_upload(memory, s.image.view.data, bytes - (size_t)s.image.view.pitch + 300));
    there.data = memory;
    there.memory = XNCC_DEVICE;
    CHECK_STATUS(xncc_template_create(team[3], &s.pixels.view, &templ, &kit_error), XNCC_OK);
    const xncc_problem p = problem_of(&t, &s, templ);
    CHECK_STATUS(xncc_plan_create(team[3], &p, NULL, &plan, &kit_error), XNCC_OK);
    for (int turn = 0; turn < 4; turn++) {
        const xncc_image *image = turn == 1 || turn == 2 ? &there : &s.image.view;
        kit_map_clear(&map);
        CHECK_STATUS(xncc_plan_correlate(plan, image, templ, &map.view, NULL, &kit_error), XNCC_OK);
        CHECK(same_maps(&map.view, &want.map.view));
        CHECK_STATUS(xncc_plan_find(plan, image, templ, NULL, match, 20, &found, NULL, &kit_error),
                     XNCC_OK);
        CHECK(found == want.found && memcmp(match, want.match, found * sizeof *match) == 0);
    }
    xncc_plan_destroy(plan);
    xncc_template_destroy(templ);
    kit_device_free(memory);
    kit_map_destroy(&map);
    kit_map_destroy(&want.map);
    team_scene_free(&s);
}

/* ---- how a call is spread ---- */

/* Every row belongs to one band, and bands meet. */
static void check_bands(void)
{
    xncc_problem p = XNCC_PROBLEM_INIT;
    xncc_machine m = { .team = { XNCC_DEVICE_CUDA, 0, 0.0 } };
    const xncc_preference any = XNCC_PREFERENCE_INIT;
    const xncc_decision d = { .engine = XNCC_DEVICE_CUDA, .estimate_ms = 1.0 };
    p.image_width = p.templ_width = 10;
    p.templ_height = 4;
    for (int32_t height = 1; height <= 40; height++)
        for (m.team.devices = 2; m.team.devices <= 9; m.team.devices++) {
            p.image_height = height + 3;
            const xncc_spread s = xncc_spread_choose(&p, &m, &any, &d);
            int32_t row = 0;
            CHECK(s.devices >= 1 && s.devices <= m.team.devices && s.devices <= height);
            CHECK(height == 1 || s.devices > 1);
            CHECK_INT(s.present, m.team.devices);
            for (int32_t i = 0; i < s.devices; i++) {
                const xncc_band map = xncc_spread_band(&p, &s, i, 0),
                                list = xncc_spread_band(&p, &s, i, 1);
                const xncc_problem part = xncc_spread_problem(&p, &list);
                CHECK(map.first == row && map.count >= 1 && !map.above && !map.below);
                CHECK(list.first == map.first && list.count == map.count);
                CHECK_INT(list.above, row > 0);
                row += map.count;
                CHECK_INT(list.below, row < height);
                CHECK_INT(xncc_problem_extent(&part).height, list.above + list.count + list.below);
                CHECK_INT(xncc_problem_extent(&part).width, 1);
            }
            CHECK_INT(row, height);
        }
    p.image_height = 1000;
    m.team.devices = 4;
    CHECK_INT(xncc_spread_choose(&p, &m, &any, &d).devices, 4);
    m.team.handover_ms = 0.7; /* 1 ms becomes 0.7 + 0.25 */
    CHECK_INT(xncc_spread_choose(&p, &m, &any, &d).devices, 4);
    m.team.handover_ms = 0.8;
    CHECK_INT(xncc_spread_choose(&p, &m, &any, &d).devices, 1);
    m.team.handover_ms = 0.0;
    m.team.engine = XNCC_DEVICE_CPU; /* of another kind than the plan's engine */
    CHECK_INT(xncc_spread_choose(&p, &m, &any, &d).devices, 1);
    CHECK_INT(xncc_spread_items(&m, &d, 1.0, 100), 1);
    m.team.engine = XNCC_DEVICE_CUDA;
    for (int memory = 1; memory <= 3; memory++) {
        xncc_preference there = any;
        there.image_memory = memory & 1 ? XNCC_DEVICE : XNCC_HOST;
        there.map_memory = memory & 2 ? XNCC_DEVICE : XNCC_HOST;
        CHECK_INT(xncc_spread_choose(&p, &m, &there, &d).devices, 1);
    }
    p.rule.mode = XNCC_FULL;
    p.image_width = XNCC_MAX_SIDE; /* a band with its border would be too wide */
    CHECK_INT(xncc_spread_choose(&p, &m, &any, &d).devices, 1);
    p.image_width = 10;
    p.image_height = p.templ_height = XNCC_MAX_SIDE; /* or too high */
    CHECK_INT(xncc_spread_choose(&p, &m, &any, &d).devices, 1);
}

static void check_items(void)
{
    xncc_machine m = { .team = { XNCC_DEVICE_CUDA, 4, 0.0 } };
    const xncc_decision d = { .engine = XNCC_DEVICE_CUDA, .estimate_ms = 1.0 };
    static const int32_t devices[] = { 1, 2, 3, 4, 3, 3, 4, 4, 3, 4 };
    for (size_t count = 1; count <= 10; count++)
        CHECK_INT(xncc_spread_items(&m, &d, 1.0, count), devices[count - 1]);
    m.team.handover_ms = 1.0; /* two templates are as fast on one device */
    CHECK_INT(xncc_spread_items(&m, &d, 1.0, 2), 1);
    CHECK_INT(xncc_spread_items(&m, &d, 1.0, 3), 3);
}

/* What a plan says. A small problem runs on one device, unless sharing costs nothing. */
static void check_words(void)
{
    xncc_context *slow = team_context(3, 0, XNCC_HANDOVER_MS);
    xncc_problem p = XNCC_PROBLEM_INIT;
    xncc_preference there = XNCC_PREFERENCE_INIT;
    char text[2048];
    p.image_width = p.image_height = 64;
    p.templ_width = p.templ_height = 8;
    struct {
        xncc_context *context;
        xncc_memory image;
        int32_t side, devices;
        const char *says;
    } const cases[] = {
        { team[3], XNCC_HOST, 64, 3, "devices: 3 of 3, bands of 19 map rows: about " },
        { slow, XNCC_HOST, 64, 1, "devices: 1 of 3: about " },
        { slow, XNCC_HOST, 8192, 3, "devices: 3 of 3, bands of 2729 map rows: about " },
        { slow, XNCC_DEVICE, 8192, 1,
          "devices: 1 of 3: an image or a map in device memory stays on its device\n" },
        { team_alone, XNCC_HOST, 64, 1, NULL },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        xncc_plan *plan = NULL;
        xncc_plan_info info = XNCC_PLAN_INFO_INIT;
        p.image_width = p.image_height = cases[i].side;
        there.image_memory = cases[i].image;
        CHECK_STATUS(xncc_plan_create(cases[i].context, &p, &there, &plan, &kit_error), XNCC_OK);
        CHECK_STATUS(xncc_plan_describe(plan, &info, &kit_error), XNCC_OK);
        CHECK_INT(info.devices, cases[i].devices);
        const char *line = strstr(xncc_plan_explain(plan, text, sizeof text), "devices: ");
        CHECK((line != NULL) == (cases[i].says != NULL));
        if (line && cases[i].says &&
            !CHECK(strncmp(line, cases[i].says, strlen(cases[i].says)) == 0))
            kit_fail(__FILE__, __LINE__, "%s", line);
        xncc_plan_destroy(plan);
    }
    xncc_context_destroy(slow);
}

/* Options are checked before any device is asked for. */
static void check_options(void)
{
    static const int32_t numbers[] = { 0, 3, 0, -1 };
    static const struct {
        int32_t count, first, strict;
        const char *text;
    } cases[] = {
        { 3, 0, 0, "context: CUDA device 0 is twice in the list; name each once" },
        { 2, 2, 0, "context: the device number -1 is negative" },
        { 65, 0, 0, "context: cuda_count is 65, not XNCC_EVERY_DEVICE or 0 .. 64" },
        { -2, 0, 0, "context: cuda_count is -2, not XNCC_EVERY_DEVICE or 0 .. 64" },
        { 1, -1, 0, "cuda_list is a null pointer" },
        { 0, 0, 2, "context: strict is 2, not 0 or 1" },
    };
    char text[8] = "x";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        xncc_context_options o = XNCC_CONTEXT_OPTIONS_INIT;
        xncc_context *context = NULL;
        o.cuda_list = cases[i].first < 0 ? NULL : numbers + cases[i].first;
        o.cuda_count = cases[i].count;
        o.strict = cases[i].strict;
        CHECK_STATUS(xncc_context_create(&o, &context, &kit_error), XNCC_ERROR_ARGUMENT);
        CHECK_TEXT(kit_error.text, cases[i].text);
        CHECK(context == NULL);
    }
    CHECK_TEXT(xncc_context_warning(team_alone, text, sizeof text), "");
    CHECK_TEXT(text, "");
    CHECK_TEXT(xncc_context_warning(NULL, text, sizeof text), "");
    CHECK_TEXT(xncc_context_warning(team_alone, NULL, 3), "");
    CHECK_TEXT(xncc_context_warning(team_alone, text, 0), "");
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    on_cuda = kit_device_option(argc, argv) == XNCC_DEVICE_CUDA;
    team_alone = kit_context(XNCC_DEVICE_CPU, 2);
    for (int i = 1; i <= MEMBERS; i++)
        if (on_cuda ? i == 2 || i == 3 : i != 4)
            team[i] = on_cuda ? team_context_cuda(i) : team_context(i, 0, 0.0);
    check_trials(kit_short() || on_cuda ? 60 : 400);
    check_convolutions(kit_short() || on_cuda ? 20 : 60);
    check_batches();
    check_others();
    check_parts(team, on_cuda);
    if (on_cuda) {
        check_there();
    } else {
        check_bands();
        check_items();
        check_words();
        check_options();
    }
    for (int i = 1; i <= MEMBERS; i++)
        xncc_context_destroy(team[i]);
    team_reset();
    if (!on_cuda)
        check_faults();
    xncc_context_destroy(team_alone);
    return kit_finish("team");
}
