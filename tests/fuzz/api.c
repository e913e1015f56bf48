/* SPDX-License-Identifier: BSD-2-Clause */
/* Sequences of calls of the library with arguments that the bytes choose, many of them wrong. What
 * the library must take on trust, that memory is as large as a view says, is kept: views that are
 * right lie inside of `arena`, and others are wrong in what the library checks. */
#include "fuzz/fuzz.h"

#include "exactncc/exactncc.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 3, SIDE = 24, CHANNELS = 4, ROOM = 4096, MATCHES = 6, CALLS = 24 };

static _Alignas(64) uint8_t arena[1 << 16]; /* pixels and masks; never written by the library */
static _Alignas(64) uint8_t output[1 << 16];
static xncc_context *context;
static xncc_template *templ[SLOTS];
static xncc_plan *plan;
static xncc_scan *scan;
static xncc_batch *batch;
static xncc_filter *filter;
static xncc_image kept; /* the image of `scan` */
static xncc_error error;
static fuzz_bytes *bytes;

/* One in `chance`. */
static int rarely(uint32_t chance)
{
    return fuzz_below(bytes, chance) == chance - 1;
}

static void ends(xncc_status status)
{
    fuzz_check_failure(status, error.text);
    FUZZ_HOLDS(status || error.text[0] == 0);
}

static float any_float(void)
{
    const uint32_t word = fuzz_word(bytes);
    float value;
    memcpy(&value, &word, sizeof value);
    return rarely(2) ? value : (float)(int8_t)word / 64.0f;
}

static double any_double(void)
{
    const uint64_t word = (uint64_t)fuzz_word(bytes) << 32 | fuzz_word(bytes);
    double value;
    memcpy(&value, &word, sizeof value);
    return rarely(4) ? value : (double)(int16_t)word / 256.0;
}

/* A number that no extent may be. */
static int32_t bad_extent(void)
{
    static const int32_t bad[] = { 0, -1, INT_MIN, INT_MAX, XNCC_MAX_SIDE + 1, -SIDE };
    return bad[fuzz_below(bytes, sizeof bad / sizeof *bad)];
}

/* An extent of a plan whose memory is not worth having, or a bad one. */
static int32_t any_extent(void)
{
    return rarely(2) ? bad_extent() : (int32_t)(fuzz_word(bytes) % 3000);
}

static xncc_image any_image(int32_t most)
{
    xncc_image image = { .data = arena + 64 * (size_t)fuzz_below(bytes, 8),
                         .width = 1 + (int32_t)fuzz_below(bytes, (uint32_t)most),
                         .height = 1 + (int32_t)fuzz_below(bytes, (uint32_t)most),
                         .pixel = (xncc_pixel)fuzz_below(bytes, 7),
                         .channels = rarely(4) ? 1 + (int32_t)fuzz_below(bytes, CHANNELS) : 0 };
    const int64_t size = (int64_t)xncc_pixel_size(image.pixel),
                  row = image.width * size * (image.channels ? image.channels : 1);
    if (rarely(3))
        image.pitch = row + size * (int64_t)fuzz_below(bytes, 9);
    if (rarely(4)) {
        image.mask = arena + fuzz_below(bytes, 4000);
        image.mask_pitch = rarely(2) ? image.width + (int64_t)fuzz_below(bytes, 20) : 0;
    }
    image.has_no_data = rarely(5);
    image.no_data = any_double();
    switch (fuzz_below(bytes, 48)) { /* one thing is wrong */
    case 1: image.width = bad_extent(); break;
    case 2: image.height = bad_extent(); break;
    case 3: image.pixel = (xncc_pixel)(7 + (int)fuzz_below(bytes, 1000)); break;
    case 4: image.channels = -1 - (int32_t)fuzz_below(bytes, 3); break;
    case 5: image.channels = XNCC_MAX_CHANNELS + 1 + (int32_t)fuzz_below(bytes, 1 << 30); break;
    case 6: image.pitch = row - 1; break;
    case 7: image.pitch = INT64_MIN; break;
    case 8: image.data = NULL; break;
    case 9: image.memory = (xncc_memory)(2 + fuzz_below(bytes, 9)); break;
    case 10: image.pitch = -row; break;
    case 11:
        image.mask = arena;
        image.mask_pitch = image.width - 1 - (image.width == 1);
        break;
    case 12: image.memory = XNCC_DEVICE; break; /* without a GPU that is refused */
    default: break;
    }
    return image;
}

static xncc_match_rule any_rule(void)
{
    xncc_match_rule rule = XNCC_MATCH_RULE_INIT;
    rule.method = (xncc_method)fuzz_below(bytes, rarely(16) ? 200 : 7);
    rule.mode = (xncc_mode)fuzz_below(bytes, rarely(16) ? 200 : 3);
    rule.border = (xncc_border)fuzz_below(bytes, rarely(16) ? 200 : 5);
    rule.flat = (xncc_flat)fuzz_below(bytes, rarely(16) ? 200 : 2);
    if (rarely(3))
        rule.min_valid = any_double();
    if (rarely(60))
        rule.size = fuzz_word(bytes);
    return rule;
}

static xncc_peak_rule any_peaks(void)
{
    xncc_peak_rule peaks = XNCC_PEAK_RULE_INIT;
    if (rarely(3))
        peaks.min_score = any_float();
    if (rarely(3))
        peaks.max_score = any_float();
    if (rarely(3))
        peaks.min_distance = (int32_t)fuzz_word(bytes);
    if (rarely(3))
        peaks.top = fuzz_word(bytes);
    if (rarely(60))
        peaks.reserved = fuzz_word(bytes);
    return peaks;
}

static const char *any_kernel(void)
{
    static const char *const name[] = { NULL,     NULL,  NULL,         "reference",
                                        "direct", "fft", "shared",     "direct-portable",
                                        "",       ",",   "fft,direct", "a b" };
    return name[fuzz_below(bytes, sizeof name / sizeof *name)];
}

static xncc_template *any_templ(void)
{
    return templ[fuzz_below(bytes, SLOTS)];
}

/* A map that may be too small, but never larger than `output`. */
static xncc_map any_map(const xncc_image *image, const xncc_template *t, xncc_mode mode)
{
    xncc_extent extent = { 1, 1, 0, 0 };
    (void)xncc_map_measure(mode, image->width, image->height, xncc_template_width(t),
                           xncc_template_height(t), &extent, NULL);
    xncc_map map = { .data = (float *)(void *)output,
                     .width = extent.width,
                     .height = extent.height };
    if (rarely(20))
        map.width = rarely(2) ? bad_extent() : map.width + 1;
    if (rarely(20))
        map.pitch = (int64_t)fuzz_below(bytes, 4 * SIDE) - 2 * SIDE;
    if (rarely(40))
        map.data = NULL;
    if (map.width > 4 * SIDE || map.height > 4 * SIDE || map.pitch > 1024)
        map.width = -1; /* what the library accepts has to be there */
    return map;
}

static void check_matches(const xncc_match *match, size_t found, size_t most)
{
    FUZZ_HOLDS(found <= most);
    for (size_t i = 1; i < found; i++)
        FUZZ_HOLDS(match[i].score == match[i].score);
}

static void drop_plan(void)
{
    xncc_scan_destroy(scan);
    scan = NULL;
    xncc_plan_destroy(plan);
    plan = NULL;
}

static void call_template(void)
{
    const uint32_t at = fuzz_below(bytes, SLOTS);
    const xncc_image image = any_image(SIDE / 2);
    xncc_template *made = NULL;
    const xncc_status status = xncc_template_create(context, &image, &made, &error);
    ends(status);
    FUZZ_HOLDS(!status == (made != NULL));
    if (status)
        return;
    drop_plan(); /* a scan may use the old one */
    xncc_batch_destroy(batch);
    batch = NULL;
    xncc_template_destroy(templ[at]);
    templ[at] = made;
}

static void call_correlate(void)
{
    const xncc_image image = any_image(SIDE);
    const xncc_template *t = any_templ();
    xncc_correlate_options o = XNCC_CORRELATE_OPTIONS_INIT;
    o.rule = any_rule();
    o.kernel = any_kernel();
    const xncc_map map = any_map(&image, t, o.rule.mode);
    ends(xncc_correlate(context, rarely(30) ? NULL : &image, t, rarely(9) ? NULL : &o, &map,
                        &error));
}

static void call_find(void)
{
    static xncc_match match[MATCHES];
    static xncc_refined refined[MATCHES];
    const xncc_image image = any_image(SIDE);
    const xncc_template *t = any_templ();
    xncc_find_options o = XNCC_FIND_OPTIONS_INIT;
    size_t found = 99;
    o.rule = any_rule();
    o.peaks = any_peaks();
    o.kernel = any_kernel();
    xncc_status status = xncc_find(context, &image, t, &o, match, MATCHES, &found, &error);
    ends(status);
    FUZZ_HOLDS(!status || found == 0);
    check_matches(match, found, MATCHES);
    if (rarely(3)) {
        match[0].x = (int32_t)fuzz_word(bytes);
        match[0].y = (int32_t)fuzz_word(bytes);
        found = found ? found : 1;
    }
    status = xncc_refine(context, &image, t, &o.rule, match, found, refined, &error);
    ends(status);
}

static void call_plan(void)
{
    /* as large as the size that it may claim */
    struct {
        xncc_problem problem;
        uint8_t more[300];
    } room = { .problem = XNCC_PROBLEM_INIT };
    xncc_problem *problem = &room.problem;
    xncc_preference want = XNCC_PREFERENCE_INIT;
    const xncc_image image = any_image(SIDE);
    drop_plan();
    ends(xncc_problem_set(problem, &image, any_templ(), &error));
    problem->rule = any_rule();
    want.kernel = any_kernel();
    switch (fuzz_below(bytes, 24)) {
    case 1: problem->image_width = any_extent(); break;
    case 2: problem->templ_height = any_extent(); break;
    case 3: problem->channels = (int32_t)fuzz_word(bytes); break;
    case 4: problem->task = (xncc_task)fuzz_below(bytes, 9); break;
    case 5: problem->size = fuzz_word(bytes) % 300; break;
    case 6: want.device = (xncc_device)fuzz_below(bytes, 9); break;
    case 7: want.map_memory = (xncc_memory)fuzz_below(bytes, 9); break;
    default: break;
    }
    const xncc_status status = xncc_plan_create(context, problem, &want, &plan, &error);
    ends(status);
    FUZZ_HOLDS(!status == (plan != NULL));
    if (plan) {
        xncc_plan_info info = XNCC_PLAN_INFO_INIT;
        char text[600];
        ends(xncc_plan_describe(plan, &info, &error));
        FUZZ_HOLDS(strlen(xncc_plan_explain(plan, text, 1 + fuzz_below(bytes, 599))) < 600);
    }
}

static void call_plan_find(void)
{
    static xncc_match match[MATCHES];
    const xncc_image image = any_image(SIDE);
    const xncc_peak_rule peaks = any_peaks();
    size_t found = 99;
    const xncc_status status = xncc_plan_find(plan, &image, any_templ(), &peaks, match, MATCHES,
                                              &found, NULL, &error);
    ends(status);
    FUZZ_HOLDS(!status || found == 0);
    check_matches(match, found, MATCHES);
}

static void call_scan(void)
{
    static xncc_match match[MATCHES];
    size_t found = 99;
    if (!scan) {
        kept = any_image(SIDE);
        const xncc_peak_rule peaks = any_peaks();
        const xncc_status status = xncc_scan_create(plan, &kept, any_templ(), &peaks, MATCHES,
                                                    &scan, &error);
        ends(status);
        FUZZ_HOLDS(!status == (scan != NULL));
        return;
    }
    if (rarely(3)) {
        const xncc_status status = xncc_scan_finish(scan, match, &found, NULL, &error);
        ends(status);
        FUZZ_HOLDS(!status || found == 0);
        xncc_scan_destroy(scan);
        scan = NULL;
    } else {
        ends(xncc_scan_rows(
            scan, rarely(9) ? (int32_t)fuzz_word(bytes) : (int32_t)fuzz_below(bytes, SIDE + 2),
            &error));
    }
}

static void call_batch(void)
{
    static xncc_candidate match[MATCHES];
    static int32_t index[ROOM];
    const xncc_image image = any_image(SIDE);
    size_t found = 99;
    if (!batch) {
        const xncc_template *const all[] = { templ[0], any_templ(), templ[2] };
        xncc_problem problem = XNCC_PROBLEM_INIT;
        xncc_batch_options o = XNCC_BATCH_OPTIONS_INIT;
        xncc_suppress_rule rule = XNCC_SUPPRESS_RULE_INIT;
        rule.kind = (xncc_suppress_kind)fuzz_below(bytes, 3);
        rule.limit = any_double();
        o.capacity = MATCHES;
        o.peaks = any_peaks();
        o.suppress = rarely(2) ? &rule : NULL;
        ends(xncc_problem_set(&problem, &image, NULL, &error));
        problem.rule = any_rule();
        const xncc_status status = xncc_batch_create(context, &problem, NULL, all,
                                                     fuzz_below(bytes, 4), &o, &batch, &error);
        ends(status);
        FUZZ_HOLDS(!status == (batch != NULL));
        return;
    }
    if (rarely(2)) {
        const xncc_status status = xncc_batch_find(batch, &image, match, &found, NULL, &error);
        ends(status);
        FUZZ_HOLDS(status ? found == 0 : found <= MATCHES);
    } else {
        const xncc_best best = { .score = any_map(&image, any_templ(), XNCC_VALID),
                                 .index = index };
        ends(xncc_batch_best(batch, &image, &best, NULL, &error));
    }
    if (rarely(4)) {
        xncc_batch_destroy(batch);
        batch = NULL;
    }
}

static void call_convolve(void)
{
    float value[49];
    const int32_t width = rarely(20) ? bad_extent() : 1 + (int32_t)fuzz_below(bytes, 7),
                  height = rarely(20) ? bad_extent() : 1 + (int32_t)fuzz_below(bytes, 7);
    xncc_filter_options made = XNCC_FILTER_OPTIONS_INIT;
    xncc_convolve_options o = XNCC_CONVOLVE_OPTIONS_INIT;
    for (int i = 0; i < 49; i++)
        value[i] = i < 6 ? any_float() : 0.25f;
    made.correlate = rarely(2);
    if (rarely(4))
        made.anchor_x = (int32_t)fuzz_below(bytes, 9) - 2;
    xncc_filter_destroy(filter);
    const xncc_status status = xncc_filter_create(context, value, width, height, &made, &filter,
                                                  &error);
    ends(status);
    FUZZ_HOLDS(!status == (filter != NULL));
    const xncc_image image = any_image(SIDE);
    xncc_map out = { .data = (float *)(void *)output,
                     .width = image.width,
                     .height = image.height };
    o.border = (xncc_border)fuzz_below(bytes, 6);
    o.kernel = any_kernel();
    if (out.width > SIDE || out.height > SIDE)
        out.width = 0;
    ends(xncc_convolve(context, &image, filter, &o, &out, &error));
}

static void call_suppress(void)
{
    xncc_candidate candidate[8];
    xncc_suppress_rule rule = XNCC_SUPPRESS_RULE_INIT;
    const size_t count = fuzz_below(bytes, 9);
    size_t kept_count = 99;
    for (size_t i = 0; i < count; i++)
        candidate[i] = (xncc_candidate){ { (int32_t)fuzz_word(bytes), (int8_t)fuzz_byte(bytes),
                                           any_float() },
                                         (int32_t)i,
                                         rarely(9) ? bad_extent() : 1 + (int32_t)fuzz_byte(bytes),
                                         1 + (int32_t)fuzz_word(bytes) % XNCC_MAX_SIDE };
    rule.kind = (xncc_suppress_kind)fuzz_below(bytes, 3);
    rule.limit = any_double();
    rule.top = rarely(2) ? XNCC_ALL : fuzz_below(bytes, 9);
    const xncc_status status = xncc_suppress((xncc_method)fuzz_below(bytes, 9), candidate, count,
                                             rarely(9) ? NULL : &rule, &kept_count, &error);
    ends(status);
    FUZZ_HOLDS(status || kept_count <= count);
}

static void call_poses(void)
{
    static xncc_pose_match match[MATCHES];
    const xncc_template *const all[] = { any_templ() };
    const xncc_image image = any_image(SIDE);
    xncc_pose_options o = XNCC_POSE_OPTIONS_INIT;
    size_t found = 99;
    o.search = (xncc_pose_search)fuzz_below(bytes, 4);
    o.support = (xncc_support)fuzz_below(bytes, 3);
    o.any_polarity = (int32_t)fuzz_below(bytes, 3);
    o.refine = (int32_t)fuzz_below(bytes, 3);
    o.min_score = any_float();
    /* few poses, or a range that is refused */
    o.angles = (xncc_pose_range){ any_double(), 0.0, 30.0 };
    o.angles.last = o.angles.first + (double)fuzz_below(bytes, 90);
    if (rarely(8))
        o.angles.step = -any_double() * any_double();
    o.overlap = any_double();
    xncc_status status = xncc_find_poses(context, &image, all, 1, &o, match, MATCHES, &found,
                                         &error);
    ends(status);
    FUZZ_HOLDS(status ? found == 0 : found <= MATCHES);
    xncc_template *made = NULL;
    const double scale = rarely(4) ? any_double() : 0.25 + (double)fuzz_below(bytes, 16) / 8.0;
    if (scale > 4.0 && scale <= XNCC_MAX_SCALE)
        return; /* takes too long for what it shows */
    status = xncc_template_resample(all[0], any_double(), scale, (xncc_support)fuzz_below(bytes, 3),
                                    &made, &error);
    ends(status);
    FUZZ_HOLDS(!status == (made != NULL));
    xncc_template_destroy(made);
}

static void call_track(void)
{
    const xncc_image first = any_image(SIDE);
    xncc_image second = any_image(SIDE);
    if (!rarely(8))
        second = first;
    const xncc_track_pair pair = { &first, &second };
    xncc_track_point point[3];
    xncc_displacement found[3];
    xncc_track_options o = XNCC_TRACK_OPTIONS_INIT;
    xncc_track_check_options check = XNCC_TRACK_CHECK_OPTIONS_INIT;
    for (int i = 0; i < 3; i++)
        point[i] = (xncc_track_point){ any_double(), any_double(), any_double(), any_double() };
    o.method = (xncc_method)fuzz_below(bytes, 8);
    o.chip_width = rarely(9) ? bad_extent() : 1 + (int32_t)fuzz_below(bytes, 12);
    o.chip_height = rarely(9) ? bad_extent() : 1 + (int32_t)fuzz_below(bytes, 12);
    o.search_x = rarely(9) ? bad_extent() : (int32_t)fuzz_below(bytes, 6);
    o.search_y = (int32_t)fuzz_below(bytes, 6);
    o.back = (int32_t)fuzz_below(bytes, 3);
    o.kernel = any_kernel();
    xncc_track_pass pass = XNCC_TRACK_PASS_INIT;
    pass.chip_width = rarely(9) ? bad_extent() : 1 + (int32_t)fuzz_below(bytes, 12);
    pass.chip_height = 1 + (int32_t)fuzz_below(bytes, 12);
    pass.search_x = pass.search_y = (int32_t)fuzz_below(bytes, 6);
    pass.step_x = (int32_t)fuzz_below(bytes, 9);
    pass.step_y = 1 + (int32_t)fuzz_below(bytes, 9);
    pass.median = (int32_t)fuzz_below(bytes, 2);
    pass.limit = any_double();
    o.coarse = rarely(9) ? NULL : &pass;
    o.coarse_count = fuzz_below(bytes, 2);
    o.deform = (int32_t)fuzz_below(bytes, 4);
    o.deform_step_x = (int32_t)fuzz_below(bytes, 9);
    o.deform_step_y = 1 + (int32_t)fuzz_below(bytes, 9);
    const xncc_status status = xncc_track(context, &pair, 1, &o, point, 3, found, &error);
    ends(status);
    if (!status) {
        check.neighbours = (int32_t)fuzz_below(bytes, 70);
        check.limit = any_double();
        ends(xncc_track_check(&check, found, 3, &error));
    }
}

static void begin(void)
{
    const xncc_context_options options = { .size = sizeof options,
                                           .device = XNCC_DEVICE_CPU,
                                           .threads = 1 };
    if (xncc_context_create(&options, &context, &error))
        abort();
}

/* Templates that are there when the calls begin, so that few bytes reach far. */
static void make_templates(void)
{
    static const xncc_pixel pixel[SLOTS] = { XNCC_U8, XNCC_F32, XNCC_U16 };
    for (int i = 0; i < SLOTS; i++) {
        const xncc_image image = {
            .data = arena + 640 * i, .width = 5 + i, .height = 4 + i, .pixel = pixel[i]
        };
        ends(xncc_template_create(context, &image, &templ[i], &error));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const calls[])(void) = { call_template, call_correlate, call_find,
                                           call_plan,     call_plan_find, call_scan,
                                           call_batch,    call_convolve,  call_suppress,
                                           call_poses,    call_track };
    fuzz_bytes given = { data, size };
    bytes = &given;
    if (!context)
        begin();
    for (size_t i = 0; i < sizeof arena; i++)
        arena[i] = (uint8_t)(i * i / 7 + i % 5 * 13);
    const size_t fixed = size < 2048 ? size : 2048; /* some of the pixels are given */
    memcpy(arena, data, fixed);
    make_templates();
    for (int i = 0; i < CALLS && given.left; i++) {
        const uint32_t call = fuzz_below(bytes, sizeof calls / sizeof *calls);
        if (calls[call] == call_plan_find || calls[call] == call_scan)
            if (!plan)
                call_plan();
        calls[call]();
    }
    drop_plan();
    xncc_batch_destroy(batch);
    batch = NULL;
    xncc_filter_destroy(filter);
    filter = NULL;
    for (int i = 0; i < SLOTS; i++) {
        xncc_template_destroy(templ[i]);
        templ[i] = NULL;
    }
    return 0;
}
