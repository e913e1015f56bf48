/* SPDX-License-Identifier: BSD-2-Clause */
#include "soak/soak.h"

#include <stdlib.h>
#include <string.h>

enum { W = 150, H = 110, TW = 14, TH = 11, MATCHES = 48, PIXELS = 7, METHODS = 7 };

/* Noise over a pattern that repeats, in each pixel type; one of them shifted by 3 pixels. */
typedef struct picture {
    xncc_image view;
    union {
        uint8_t u8[3 * W * H];
        int8_t s8[W * H];
        uint16_t u16[W * H];
        int16_t s16[W * H];
        uint32_t u32[W * H];
        float f32[W * H];
        double f64[W * H];
    } samples;
} picture;

static const xncc_pixel types[PIXELS] = { XNCC_U8,  XNCC_U16, XNCC_S8, XNCC_S16,
                                          XNCC_U32, XNCC_F32, XNCC_F64 };
static picture pictures[PIXELS], shifted[PIXELS], colour;
static uint8_t mask[W * H];

static uint32_t noise(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void put(picture *p, xncc_pixel type, size_t i, uint32_t value, uint32_t low)
{
    switch (type) {
    case XNCC_U8: p->samples.u8[i] = (uint8_t)value; break;
    case XNCC_S8: p->samples.s8[i] = (int8_t)((int)(value & 255) - 128); break;
    case XNCC_U16: p->samples.u16[i] = (uint16_t)(value * 7 + low % 3); break;
    case XNCC_S16: p->samples.s16[i] = (int16_t)((int)(value * 7 & 0xffff) - 32768); break;
    case XNCC_U32: p->samples.u32[i] = value * 60000u + low % 60000u; break;
    case XNCC_F32: p->samples.f32[i] = (float)value + (float)(low & 0xffff) / 65536.0f; break;
    default: p->samples.f64[i] = (double)value / 3.0 + (double)low / 16777216.0; break;
    }
}

static void fill(picture *p, xncc_pixel type, int32_t shift)
{
    uint32_t state = 7;
    for (size_t i = 0; i < (size_t)W * H; i++) {
        const uint32_t x = (uint32_t)(i % W) + (uint32_t)shift, y = (uint32_t)(i / W);
        const uint32_t value = x % 40 * (y % 40) * 5 + noise(&state) % 23;
        put(p, type, i, value, noise(&state));
    }
    p->view = (xncc_image){ .data = &p->samples, .width = W, .height = H, .pixel = type };
}

void soak_pictures_make(void)
{
    uint32_t state = 11;
    for (int t = 0; t < PIXELS; t++) {
        fill(&pictures[t], types[t], 0);
        fill(&shifted[t], types[t], 3);
    }
    for (size_t i = 0; i < (size_t)W * H; i++)
        mask[i] = noise(&state) % 9 != 0;
    for (size_t i = 0; i < (size_t)3 * W * H; i++)
        colour.samples.u8[i] = (uint8_t)(i % W * (i / W % 50) + noise(&state) % 31);
    colour.view = pictures[0].view;
    colour.view.data = &colour.samples;
    colour.view.channels = 3;
}

struct soak_room {
    float map[(W + TW) * (H + TH)];
    int32_t index[W * H];
    xncc_match match[MATCHES], kept[MATCHES];
    xncc_refined refined[MATCHES];
    xncc_candidate candidate[MATCHES];
    xncc_pose_match pose[MATCHES];
    xncc_displacement found[8];
};

soak_room *soak_room_make(void)
{
    return calloc(1, sizeof(soak_room));
}

void soak_room_free(soak_room *room)
{
    free(room);
}

/* A call that is being made. Its objects are destroyed when it is over, whatever has failed. */
typedef struct job {
    xncc_context *context;
    soak_room *room;
    xncc_status status;
    xncc_error error;
    uint64_t digest;
    xncc_template *templ[3];
    xncc_filter *filter;
    xncc_plan *plan;
    xncc_scan *scan;
    xncc_batch *batch;
} job;

/* 1: all is well so far. The call in its argument is made only if it was before. */
#define DO(call) (!j->status && !(j->status = (call)))

static void hash(job *j, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++)
        j->digest = (j->digest ^ at[i]) * UINT64_C(0x100000001b3);
}

/* Template number `slot`: a part of a picture. */
static int cut(job *j, int slot, const xncc_image *from, int32_t x, int32_t y)
{
    xncc_image part;
    return DO(xncc_image_crop(from, x, y, TW, TH, &part, &j->error)) &&
           DO(xncc_template_create(j->context, &part, &j->templ[slot], &j->error));
}

static xncc_map map_of(job *j, int32_t width, int32_t height)
{
    memset(j->room->map, 0, sizeof j->room->map);
    return (xncc_map){ .data = j->room->map, .width = width, .height = height };
}

static void correlate_with(job *j, const xncc_image *image, const xncc_correlate_options *o)
{
    xncc_extent e;
    if (!DO(xncc_map_measure(o->rule.mode, W, H, TW, TH, &e, &j->error)))
        return;
    const xncc_map map = map_of(j, e.width, e.height);
    if (DO(xncc_correlate(j->context, image, j->templ[0], o, &map, &j->error)))
        hash(j, j->room->map, (size_t)e.width * (size_t)e.height * sizeof(float));
}

/* Every type, method and mode. */
static void correlate(job *j, int variant)
{
    const xncc_image *image = &pictures[variant % PIXELS].view;
    xncc_correlate_options o = XNCC_CORRELATE_OPTIONS_INIT;
    o.rule.method = (xncc_method)(variant / PIXELS % METHODS);
    o.rule.mode = (xncc_mode)(variant / PIXELS / METHODS);
    o.rule.border = o.rule.mode == XNCC_FULL ? XNCC_BORDER_OVERLAP : XNCC_BORDER_MIRROR;
    if (cut(j, 0, image, 30, 20))
        correlate_with(j, image, &o);
}

/* Every type, with a mask of the image, of the template, or of both. */
static void correlate_masked(job *j, int variant)
{
    xncc_image masked = pictures[variant % PIXELS].view, plain = masked;
    const int which = variant / PIXELS;
    xncc_correlate_options o = XNCC_CORRELATE_OPTIONS_INIT;
    masked.mask = mask;
    if (cut(j, 0, which == 0 ? &plain : &masked, 30, 20))
        correlate_with(j, which == 1 ? &plain : &masked, &o);
}

static void correlate_colour(job *j, int variant)
{
    xncc_correlate_options o = XNCC_CORRELATE_OPTIONS_INIT;
    o.rule.method = (xncc_method)variant;
    if (cut(j, 0, &colour.view, 30, 20))
        correlate_with(j, &colour.view, &o);
}

static size_t find_some(job *j, const xncc_image *image)
{
    size_t found = 0;
    xncc_find_options o = XNCC_FIND_OPTIONS_INIT;
    o.peaks.min_score = 0.2f;
    if (DO(xncc_find(j->context, image, j->templ[0], &o, j->room->match, MATCHES, &found,
                     &j->error)))
        hash(j, j->room->match, found * sizeof *j->room->match);
    return found;
}

static void find(job *j, int variant)
{
    const xncc_image *image = &pictures[variant].view;
    if (!cut(j, 0, image, 30, 20))
        return;
    const size_t found = find_some(j, image);
    if (DO(xncc_refine(j->context, image, j->templ[0], NULL, j->room->match, found,
                       j->room->refined, &j->error)))
        hash(j, j->room->refined, found * sizeof *j->room->refined);
}

static int cut_three(job *j, const xncc_image *image)
{
    return cut(j, 0, image, 30, 20) && cut(j, 1, image, 71, 49) && cut(j, 2, image, 5, 60);
}

static void find_batch(job *j, int variant)
{
    const xncc_image *image = &pictures[variant % PIXELS].view;
    xncc_find_options o = XNCC_FIND_OPTIONS_INIT;
    xncc_suppress_rule rule = XNCC_SUPPRESS_RULE_INIT;
    size_t found = 0;
    rule.limit = 0.3;
    o.peaks.min_score = 0.3f;
    if (cut_three(j, image) &&
        DO(xncc_find_batch(j->context, image, (const xncc_template *const *)j->templ, 3, &o,
                           variant < PIXELS ? NULL : &rule, j->room->candidate, MATCHES, &found,
                           &j->error)))
        hash(j, j->room->candidate, found * sizeof *j->room->candidate);
}

/* A batch for several images: matches, and the best template everywhere. */
static void batch(job *j, int variant)
{
    const xncc_image *image = &pictures[variant].view;
    xncc_problem problem = XNCC_PROBLEM_INIT;
    xncc_batch_options o = XNCC_BATCH_OPTIONS_INIT;
    size_t found = 0;
    o.capacity = MATCHES;
    o.peaks.min_score = 0.3f;
    if (!cut_three(j, image) || !DO(xncc_problem_set(&problem, image, NULL, &j->error)) ||
        !DO(xncc_batch_create(j->context, &problem, NULL, (const xncc_template *const *)j->templ, 3,
                              &o, &j->batch, &j->error)))
        return;
    const xncc_map score = map_of(j, W - TW + 1, H - TH + 1);
    const xncc_best best = { .score = score, .index = j->room->index };
    for (int round = 0; round < 2; round++) {
        const xncc_image *which = round ? &shifted[variant].view : image;
        if (DO(xncc_batch_find(j->batch, which, j->room->candidate, &found, NULL, &j->error)))
            hash(j, j->room->candidate, found * sizeof *j->room->candidate);
    }
    const size_t elements = (size_t)score.width * (size_t)score.height;
    if (DO(xncc_batch_best(j->batch, image, &best, NULL, &j->error))) {
        hash(j, j->room->map, elements * sizeof(float));
        hash(j, j->room->index, elements * sizeof(int32_t));
    }
}

static void convolve(job *j, int variant)
{
    static const float bell[] = {
        0.0625f, 0.125f, 0.0625f, 0.1f, 0.3f, 0.15f, -0.01f, 0.7f, 0.013f
    };
    static const int type[] = { 0, 1, 5 };
    const xncc_map out = map_of(j, W, H);
    if (DO(xncc_filter_create(j->context, bell, 3, 3, NULL, &j->filter, &j->error)) &&
        DO(xncc_convolve(j->context, &pictures[type[variant]].view, j->filter, NULL, &out,
                         &j->error)))
        hash(j, j->room->map, (size_t)W * H * sizeof(float));
}

static void poses(job *j, int variant)
{
    const xncc_image *image = &pictures[0].view;
    xncc_pose_options o = XNCC_POSE_OPTIONS_INIT;
    xncc_image part;
    size_t found = 0;
    o.search = variant ? XNCC_POSES_PYRAMID : XNCC_POSES_EXHAUSTIVE;
    o.angles.first = -3.0;
    o.angles.last = 3.0;
    if (DO(xncc_image_crop(image, 30, 20, 40, 36, &part, &j->error)) &&
        DO(xncc_template_create(j->context, &part, &j->templ[0], &j->error)) &&
        DO(xncc_find_poses(j->context, image, (const xncc_template *const *)j->templ, 1, &o,
                           j->room->pose, MATCHES, &found, &j->error)))
        hash(j, j->room->pose, found * sizeof *j->room->pose);
}

/* A template that is turned, and sought. */
static void resample(job *j, int variant)
{
    const xncc_image *image = &pictures[variant ? 5 : 0].view;
    if (!cut(j, 1, image, 30, 20) ||
        !DO(xncc_template_resample(j->templ[1], 31.7, 0.83, XNCC_SUPPORT_WHOLE, &j->templ[0],
                                   &j->error)))
        return;
    xncc_correlate_options o = XNCC_CORRELATE_OPTIONS_INIT;
    xncc_extent e;
    if (!DO(xncc_map_measure(XNCC_VALID, W, H, xncc_template_width(j->templ[0]),
                             xncc_template_height(j->templ[0]), &e, &j->error)))
        return;
    const xncc_map map = map_of(j, e.width, e.height);
    if (DO(xncc_correlate(j->context, image, j->templ[0], &o, &map, &j->error)))
        hash(j, j->room->map, (size_t)e.width * (size_t)e.height * sizeof(float));
}

static xncc_status read_rows(void *type, size_t pair, int32_t which, int32_t y, int32_t height,
                             xncc_image *view, xncc_error *error)
{
    (void)pair;
    const int t = *(const int *)type;
    return xncc_image_crop(which == 1 ? &pictures[t].view : &shifted[t].view, 0, y, W, height, view,
                           error);
}

/* Every type, from pictures or by rows. */
static void track(job *j, int variant)
{
    static const xncc_track_point point[] = {
        { 40.0, 40.0, 0.0, 0.0 }, { 60.25, 40.0, 1.5, 0.0 }, { 80.0, 40.5, 0.0, 0.0 },
        { 40.0, 60.0, 0.5, 0.5 }, { 60.0, 60.0, 0.0, 0.0 },  { 80.0, 60.0, 0.0, 0.0 },
    };
    enum { POINTS = sizeof point / sizeof *point };
    int type = variant % PIXELS;
    xncc_track_options o = XNCC_TRACK_OPTIONS_INIT;
    xncc_track_check_options check = XNCC_TRACK_CHECK_OPTIONS_INIT;
    o.chip_width = o.chip_height = 16;
    o.search_x = o.search_y = 6;
    check.neighbours = 4;
    if (variant < PIXELS) {
        const xncc_track_pair pair = { &pictures[type].view, &shifted[type].view };
        (void)DO(xncc_track(j->context, &pair, 1, &o, point, POINTS, j->room->found, &j->error));
    } else {
        xncc_track_source source = XNCC_TRACK_SOURCE_INIT;
        source.pixel = types[type];
        source.width1 = source.width2 = W;
        source.height1 = source.height2 = H;
        source.rows = 40;
        source.read = read_rows;
        source.argument = &type;
        (void)DO(
            xncc_track_rows(j->context, &source, &o, point, POINTS, j->room->found, &j->error));
    }
    if (DO(xncc_track_check(&check, j->room->found, POINTS, &j->error)))
        hash(j, j->room->found, POINTS * sizeof *j->room->found);
}

/* A plan for several images, and a scan with it. */
static void plan(job *j, int variant)
{
    const xncc_image *image = &pictures[variant].view;
    xncc_problem problem = XNCC_PROBLEM_INIT;
    size_t found = 0;
    if (!cut(j, 0, image, 30, 20) ||
        !DO(xncc_problem_set(&problem, image, j->templ[0], &j->error)) ||
        !DO(xncc_plan_create(j->context, &problem, NULL, &j->plan, &j->error)))
        return;
    const xncc_map map = map_of(j, W - TW + 1, H - TH + 1);
    for (int round = 0; round < 2; round++)
        if (DO(xncc_plan_correlate(j->plan, round ? &shifted[variant].view : image, j->templ[0],
                                   &map, NULL, &j->error)))
            hash(j, j->room->map, (size_t)map.width * (size_t)map.height * sizeof(float));
    if (DO(xncc_scan_create(j->plan, image, j->templ[0], NULL, MATCHES, &j->scan, &j->error)) &&
        DO(xncc_scan_rows(j->scan, H / 2, &j->error)) &&
        DO(xncc_scan_finish(j->scan, j->room->match, &found, NULL, &j->error)))
        hash(j, j->room->match, found * sizeof *j->room->match);
}

/* The list of matches, joined from parts that are the whole. */
static void join(job *j, int variant)
{
    const xncc_image *image = &pictures[variant].view;
    xncc_problem problem = XNCC_PROBLEM_INIT;
    size_t kept = 0;
    if (!cut(j, 0, image, 30, 20))
        return;
    const size_t found = find_some(j, image);
    if (DO(xncc_problem_set(&problem, image, j->templ[0], &j->error)) &&
        DO(xncc_join(&problem, NULL, j->room->match, found, j->room->kept, MATCHES, &kept,
                     &j->error)))
        hash(j, j->room->kept, kept * sizeof *j->room->kept);
}

static const struct {
    const char *name;
    int variants, needs_cpu;
    void (*make)(job *j, int variant);
} kinds[] = {
    { "correlate", PIXELS *METHODS * 3, 0, correlate },
    { "correlate with masks", PIXELS * 3, 0, correlate_masked },
    { "correlate colour", METHODS, 0, correlate_colour },
    { "find and refine", PIXELS, 0, find },
    { "find a batch", PIXELS * 2, 0, find_batch },
    { "batch", PIXELS, 0, batch },
    { "convolve", 3, 0, convolve },
    { "poses", 1, 0, poses },
    { "poses from coarse to fine", 2, 1, poses },
    { "turned template", 2, 0, resample },
    { "track", PIXELS * 2, 1, track },
    { "plan and scan", PIXELS, 0, plan },
    { "join", PIXELS, 0, join },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

size_t soak_count(void)
{
    size_t count = 0;
    for (size_t k = 0; k < KINDS; k++)
        count += (size_t)kinds[k].variants;
    return count;
}

static size_t kind_of(size_t call, int *variant)
{
    size_t k = 0;
    for (; call >= (size_t)kinds[k].variants; k++)
        call -= (size_t)kinds[k].variants;
    *variant = (int)call;
    return k;
}

const char *soak_name(size_t call)
{
    int variant;
    return kinds[kind_of(call, &variant)].name;
}

int soak_needs_cpu(size_t call)
{
    int variant;
    return kinds[kind_of(call, &variant)].needs_cpu;
}

xncc_status soak_make(size_t call, xncc_context *context, soak_room *room, uint64_t *digest,
                      xncc_error *error)
{
    int variant;
    const size_t kind = kind_of(call, &variant);
    job j = { .context = context, .room = room, .digest = UINT64_C(0xcbf29ce484222325) };
    kinds[kind].make(&j, variant);
    xncc_batch_destroy(j.batch);
    xncc_scan_destroy(j.scan);
    xncc_plan_destroy(j.plan);
    xncc_filter_destroy(j.filter);
    for (int i = 0; i < 3; i++)
        xncc_template_destroy(j.templ[i]);
    *digest = j.digest;
    *error = j.error;
    return j.status;
}
