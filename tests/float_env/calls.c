/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures are made of bits, so that no float is computed here. */
#include "float_env/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { W = 150, H = 110, TW = 14, TH = 11, MATCHES = 24 };

static xncc_error error;

static void must(xncc_status status)
{
    if (status) {
        fprintf(stderr, "float_env: status %d: %s\n", (int)status, error.text);
        exit(1);
    }
}

static void hash(uint64_t *digest, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++)
        *digest = (*digest ^ at[i]) * UINT64_C(0x100000001b3);
}

static uint32_t noise(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

typedef enum fill { BYTES, WORDS, REALS, SUBNORMALS, DOUBLES } fill;

/* A picture of noise over a pattern that repeats every 40 pixels, or part of one. */
typedef struct picture {
    union {
        uint8_t u8[W * H];
        uint16_t u16[W * H];
        uint32_t u32[W * H];
        uint64_t u64[W * H];
    } bits;
    xncc_image view;
} picture;

static const xncc_pixel pixel_of[] = { XNCC_U8, XNCC_U16, XNCC_F32, XNCC_F32, XNCC_F64 };

static void picture_make(picture *p, fill kind, int32_t shift)
{
    uint32_t state = 7;
    for (size_t i = 0; i < (size_t)W * H; i++) {
        const uint32_t x = (uint32_t)(i % W) + (uint32_t)shift, y = (uint32_t)(i / W),
                       value = (x % 40 * (y % 40) * 5 + noise(&state) % 23) & 0xffffu;
        const uint32_t low = noise(&state);
        switch (kind) {
        case BYTES: p->bits.u8[i] = (uint8_t)value; break;
        case WORDS: p->bits.u16[i] = (uint16_t)(value * 7 + low % 3); break;
        case REALS: /* 1 .. 16 */
            p->bits.u32[i] = 0x3f800000u + (value & 3) * 0x800000u + (low & 0x7fffffu);
            break;
        case SUBNORMALS: p->bits.u32[i] = value * 100 + low % 100; break;
        case DOUBLES:
            p->bits.u64[i] = ((uint64_t)(0x3ff00000u + (value & 0x3fffffu)) << 32) + low;
            break;
        }
    }
    p->view = (xncc_image){ .data = &p->bits, .width = W, .height = H, .pixel = pixel_of[kind] };
}

static picture image, other;
static float map_data[W * H];
static xncc_match match[MATCHES];

/* The template: a part of the picture. */
static xncc_template *cut(xncc_context *context, int32_t x, int32_t y, int32_t width,
                          int32_t height)
{
    xncc_image part;
    xncc_template *templ = NULL;
    must(xncc_image_crop(&image.view, x, y, width, height, &part, &error));
    must(xncc_template_create(context, &part, &templ, &error));
    return templ;
}

static xncc_map map_of(int32_t width, int32_t height)
{
    memset(map_data, 0, sizeof map_data);
    return (xncc_map){ .data = map_data, .width = width, .height = height };
}

static void correlate(xncc_context *context, uint64_t *digest, fill kind, const char *kernel)
{
    picture_make(&image, kind, 0);
    xncc_template *templ = cut(context, 30, 20, TW, TH);
    const xncc_map map = map_of(W - TW + 1, H - TH + 1);
    xncc_correlate_options o = XNCC_CORRELATE_OPTIONS_INIT;
    o.kernel = kernel;
    for (int method = XNCC_CCOEFF_NORMED; method <= XNCC_SQDIFF_NORMED; method++) {
        o.rule.method = (xncc_method)method;
        must(xncc_correlate(context, &image.view, templ, &o, &map, &error));
        hash(digest, map_data, sizeof map_data);
    }
    xncc_template_destroy(templ);
}

static void correlate_integers(xncc_context *context, uint64_t *digest)
{
    correlate(context, digest, BYTES, NULL);
    correlate(context, digest, WORDS, "direct");
}

static void correlate_fft(xncc_context *context, uint64_t *digest)
{
    correlate(context, digest, WORDS, "fft");
    correlate(context, digest, REALS, "fft");
}

static void correlate_floats(xncc_context *context, uint64_t *digest)
{
    correlate(context, digest, REALS, "direct");
    correlate(context, digest, DOUBLES, NULL);
}

/* Tiny numbers times ordinary ones. */
static void correlate_subnormals(xncc_context *context, uint64_t *digest)
{
    picture_make(&image, SUBNORMALS, 0);
    xncc_template *templ = cut(context, 30, 20, TW, TH);
    picture_make(&image, REALS, 0);
    const xncc_map map = map_of(W - TW + 1, H - TH + 1);
    xncc_correlate_options o = XNCC_CORRELATE_OPTIONS_INIT;
    static const xncc_method method[] = { XNCC_CCORR, XNCC_CCOEFF, XNCC_CCOEFF_NORMED };
    for (size_t i = 0; i < 3; i++) {
        o.rule.method = method[i];
        must(xncc_correlate(context, &image.view, templ, &o, &map, &error));
        hash(digest, map_data, sizeof map_data);
    }
    xncc_template_destroy(templ);
}

static size_t find_some(xncc_context *context, xncc_template *templ)
{
    size_t found = 0;
    xncc_find_options o = XNCC_FIND_OPTIONS_INIT;
    o.peaks.min_score = 0.2f;
    must(xncc_find(context, &image.view, templ, &o, match, MATCHES, &found, &error));
    return found;
}

static void find_and_refine(xncc_context *context, uint64_t *digest)
{
    static xncc_refined refined[MATCHES];
    for (int kind = BYTES; kind <= SUBNORMALS; kind++) {
        picture_make(&image, (fill)kind, 0);
        xncc_template *templ = cut(context, 30, 20, TW, TH);
        const size_t found = find_some(context, templ);
        must(xncc_refine_on_stream(context, &image.view, templ, NULL, match, found, refined, NULL,
                                   &error));
        hash(digest, match, found * sizeof *match);
        hash(digest, refined, found * sizeof *refined);
        xncc_template_destroy(templ);
    }
}

static void convolve(xncc_context *context, uint64_t *digest)
{
    static const float bell[] = { 0.0625f, 0.125f,  0.0625f, 0.1f,   0.3f,  0.15f,
                                  -0.01f,  0.0001f, 0.7f,    0.013f, 1e-40f };
    static const fill kinds[] = { BYTES, REALS, SUBNORMALS };
    xncc_filter *filter = NULL;
    must(xncc_filter_create(context, bell, 11, 1, NULL, &filter, &error));
    const xncc_map out = map_of(W, H);
    for (size_t i = 0; i < 3; i++) {
        picture_make(&image, kinds[i], 0);
        must(xncc_convolve(context, &image.view, filter, NULL, &out, &error));
        hash(digest, map_data, sizeof map_data);
    }
    xncc_filter_destroy(filter);
}

static void batch(xncc_context *context, uint64_t *digest)
{
    static xncc_candidate candidate[MATCHES];
    static int32_t index[W * H];
    picture_make(&image, BYTES, 0);
    xncc_template *templ[2] = { cut(context, 30, 20, TW, TH), cut(context, 71, 49, TW, TH) };
    const xncc_template *const all[] = { templ[0], templ[1] };
    xncc_find_options o = XNCC_FIND_OPTIONS_INIT;
    o.peaks.min_score = 0.3f;
    size_t found = 0;
    must(xncc_find_batch(context, &image.view, all, 2, &o, NULL, candidate, MATCHES, &found,
                         &error));
    hash(digest, candidate, found * sizeof *candidate);

    xncc_problem problem = XNCC_PROBLEM_INIT;
    xncc_batch_options options = XNCC_BATCH_OPTIONS_INIT;
    xncc_batch *object = NULL;
    options.capacity = MATCHES;
    must(xncc_problem_set(&problem, &image.view, NULL, &error));
    must(xncc_batch_create(context, &problem, NULL, all, 2, &options, &object, &error));
    must(xncc_batch_find(object, &image.view, candidate, &found, NULL, &error));
    hash(digest, candidate, found * sizeof *candidate);
    const xncc_best best = { .score = map_of(W - TW + 1, H - TH + 1), .index = index };
    must(xncc_batch_best(object, &image.view, &best, NULL, &error));
    hash(digest, map_data, sizeof map_data);
    hash(digest, index, sizeof index);
    xncc_batch_destroy(object);
    xncc_template_destroy(templ[0]);
    xncc_template_destroy(templ[1]);
}

/* Windows whose overlap is near the limit. */
static void suppress(xncc_context *context, uint64_t *digest)
{
    (void)context;
    static xncc_candidate candidate[400];
    xncc_suppress_rule rule = XNCC_SUPPRESS_RULE_INIT;
    rule.limit = 1.0 / 3.0;
    uint32_t state = 3;
    for (int32_t i = 0; i < 400; i++)
        candidate[i] = (xncc_candidate){
            { (int32_t)(noise(&state) % 300), (int32_t)(noise(&state) % 300), 0.5f }, i, 30, 10
        };
    size_t kept = 0;
    must(xncc_suppress(XNCC_CCOEFF_NORMED, candidate, 400, &rule, &kept, &error));
    hash(digest, candidate, kept * sizeof *candidate);
}

static void resample(xncc_context *context, uint64_t *digest)
{
    picture_make(&image, REALS, 0);
    xncc_template *templ = cut(context, 30, 20, 33, 27), *turned = NULL;
    must(xncc_template_resample(templ, 31.7, 0.83, XNCC_SUPPORT_WHOLE, &turned, &error));
    const int32_t width = xncc_template_width(turned), height = xncc_template_height(turned);
    const xncc_map map = map_of(W - width + 1, H - height + 1);
    must(xncc_correlate(context, &image.view, turned, NULL, &map, &error));
    hash(digest, map_data, sizeof map_data);
    xncc_template_destroy(turned);
    xncc_template_destroy(templ);
}

static void poses(xncc_context *context, uint64_t *digest)
{
    static xncc_pose_match found_pose[MATCHES];
    static const xncc_pose_search search[] = { XNCC_POSES_EXHAUSTIVE, XNCC_POSES_PYRAMID };
    picture_make(&image, BYTES, 0);
    xncc_template *templ = cut(context, 30, 20, 40, 36);
    const xncc_template *const all[] = { templ };
    for (size_t i = 0; i < 2; i++) {
        xncc_pose_options o = XNCC_POSE_OPTIONS_INIT;
        size_t found = 0;
        o.search = search[i];
        o.angles.first = -6.0;
        o.angles.last = 6.0;
        must(
            xncc_find_poses(context, &image.view, all, 1, &o, found_pose, MATCHES, &found, &error));
        hash(digest, found_pose, found * sizeof *found_pose);
    }
    xncc_template_destroy(templ);
}

static const xncc_track_point point[] = {
    { 40.0, 40.0, 0.0, 0.0 }, { 60.25, 40.0, 1.5, 0.0 }, { 80.0, 40.5, 0.0, 0.0 },
    { 40.0, 60.0, 0.5, 0.5 }, { 60.0, 60.0, 0.0, 0.0 },  { 80.0, 60.0, 0.0, 0.0 },
};
enum { POINTS = sizeof point / sizeof *point };

static xncc_track_options track_options(void)
{
    xncc_track_options o = XNCC_TRACK_OPTIONS_INIT;
    o.chip_width = o.chip_height = 16;
    o.search_x = o.search_y = 8;
    o.back = 1;
    return o;
}

static void track(xncc_context *context, uint64_t *digest)
{
    static xncc_displacement found[POINTS];
    const xncc_track_options o = track_options();
    xncc_track_check_options check = XNCC_TRACK_CHECK_OPTIONS_INIT;
    check.neighbours = 4;
    for (int kind = BYTES; kind <= REALS; kind++) {
        picture_make(&image, (fill)kind, 0);
        picture_make(&other, (fill)kind, 3);
        const xncc_track_pair pair[] = { { &image.view, &other.view },
                                         { &image.view, &image.view } };
        must(xncc_track(context, pair, 2, &o, point, POINTS, found, &error));
        must(xncc_track_check(&check, found, POINTS, &error));
        hash(digest, found, sizeof found);
    }
}

static xncc_status read_rows(void *argument, size_t pair, int32_t which, int32_t y, int32_t height,
                             xncc_image *view, xncc_error *why)
{
    (void)argument;
    (void)pair;
    return xncc_image_crop(which == 1 ? &image.view : &other.view, 0, y, W, height, view, why);
}

static void track_rows(xncc_context *context, uint64_t *digest)
{
    static xncc_displacement found[POINTS];
    const xncc_track_options o = track_options();
    xncc_track_source source = XNCC_TRACK_SOURCE_INIT;
    picture_make(&image, BYTES, 0);
    picture_make(&other, BYTES, 3);
    source.width1 = source.width2 = W;
    source.height1 = source.height2 = H;
    source.rows = 40;
    source.read = read_rows;
    must(xncc_track_rows(context, &source, &o, point, POINTS, found, &error));
    hash(digest, found, sizeof found);
}

static void scan(xncc_context *context, uint64_t *digest)
{
    picture_make(&image, WORDS, 0);
    xncc_template *templ = cut(context, 30, 20, TW, TH);
    xncc_problem problem = XNCC_PROBLEM_INIT;
    xncc_plan *plan = NULL;
    xncc_scan *object = NULL;
    size_t found = 0;
    must(xncc_problem_set(&problem, &image.view, templ, &error));
    must(xncc_plan_create(context, &problem, NULL, &plan, &error));
    must(xncc_scan_create(plan, &image.view, templ, NULL, MATCHES, &object, &error));
    must(xncc_scan_rows(object, H / 2, &error));
    must(xncc_scan_finish(object, match, &found, NULL, &error));
    hash(digest, match, found * sizeof *match);
    xncc_scan_destroy(object);
    xncc_plan_destroy(plan);
    xncc_template_destroy(templ);
}

static void join(xncc_context *context, uint64_t *digest)
{
    picture_make(&image, BYTES, 0);
    xncc_template *templ = cut(context, 30, 20, TW, TH);
    static xncc_match kept[MATCHES];
    xncc_problem problem = XNCC_PROBLEM_INIT;
    const size_t some = find_some(context, templ);
    size_t found = 0;
    must(xncc_problem_set(&problem, &image.view, templ, &error));
    must(xncc_join(&problem, NULL, match, some, kept, MATCHES, &found, &error));
    hash(digest, kept, found * sizeof *kept);
    xncc_template_destroy(templ);
}

/* The choice of a kernel. */
static void decide(xncc_context *context, uint64_t *digest)
{
    const char *name[64];
    char text[1000];
    xncc_problem problem = XNCC_PROBLEM_INIT;
    xncc_plan *plan = NULL;
    xncc_plan_info info = XNCC_PLAN_INFO_INIT;
    problem.image_width = 700;
    problem.image_height = 500;
    problem.templ_width = 61;
    problem.templ_height = 47;
    const size_t count = xncc_kernel_list(context, &problem, name, 64);
    for (size_t i = 0; i < count; i++)
        hash(digest, name[i], strlen(name[i]));
    must(xncc_plan_create(context, &problem, NULL, &plan, &error));
    must(xncc_plan_describe(plan, &info, &error));
    hash(digest, &info.estimate_ms, sizeof info.estimate_ms);
    xncc_plan_explain(plan, text, sizeof text);
    hash(digest, text, strlen(text));
    xncc_plan_destroy(plan);
}

static const struct {
    const char *name;
    void (*make)(xncc_context *context, uint64_t *digest);
} calls[CALLS] = {
    { "correlate integers", correlate_integers },
    { "correlate by fft", correlate_fft },
    { "correlate floats", correlate_floats },
    { "correlate subnormals", correlate_subnormals },
    { "find and refine", find_and_refine },
    { "convolve", convolve },
    { "batch", batch },
    { "suppress", suppress },
    { "resample", resample },
    { "poses", poses },
    { "track", track },
    { "track by rows", track_rows },
    { "scan", scan },
    { "join", join },
    { "decide", decide },
};

const char *call_name(size_t call)
{
    return calls[call].name;
}

uint64_t call_digest(size_t call, xncc_context *context)
{
    uint64_t digest = UINT64_C(0xcbf29ce484222325);
    calls[call].make(context, &digest);
    return digest;
}
