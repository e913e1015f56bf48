/* Matches in maps in which some windows have no score, and plans for such problems: used again with
 * other pixels and masks, for batches, for matches left on the device, and while the image's rows
 * are still arriving. */
#include "check/general.h"

#include "exactncc/scan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_MATCHES = 400, BATCH = 3 };

/* A request, and its answer by the rule of find.h. */
typedef struct request {
    xncc_find_options options;
    size_t capacity, wanted;
    xncc_match want[MOST_MATCHES];
} request;

/* Returns a score limit that some windows meet. */
static float some_limit(const xncc_map *map, kit_random *random)
{
    for (int i = 0; i < 20; i++) {
        const int32_t y = kit_between(random, 0, map->height - 1),
                      x = kit_between(random, 0, map->width - 1);
        const float v = kit_map_row(map, y)[x];
        if (isfinite(v) && v != 0.0f)
            return v;
    }
    return 0.5f;
}

static void request_draw(general_subject *s, const char *kernel, const xncc_map *map, request *r)
{
    static const size_t top[] = { 1, 0, 5, 40 };
    static const int32_t distance[] = { 0, 1, 2, 7, 1000 };
    const xncc_options *o = &s->c.options;
    const int smallest = o->method == XNCC_SQDIFF || o->method == XNCC_SQDIFF_NORMED;
    r->capacity = kit_next(&s->random) & 1 ? MOST_MATCHES : 9;
    const uint64_t some_top = kit_below(&s->random, 4), some_distance = kit_below(&s->random, 5);
    r->options = (xncc_find_options){ .method = o->method,
                                      .mode = o->mode,
                                      .border = o->border,
                                      .min_valid = o->min_valid,
                                      .kernel = kernel,
                                      .top = top[some_top],
                                      .min_distance = distance[some_distance] };
    r->options.min_score = smallest ? 1e30f
                                    : -INFINITY; /* the limit that does not apply must not matter */
    if (kit_next(&s->random) & 1) {
        float limit = some_limit(map, &s->random);
        *(smallest ? &r->options.max_score : &r->options.min_score) = limit;
    }
}

/* Applies the defaults of xncc_find_options as its comments describe them. */
static void request_answer(const general_subject *s, const xncc_map *map, request *r)
{
    const xncc_find_options *o = &r->options;
    const int32_t shorter = s->c.width < s->c.height ? s->c.width : s->c.height;
    oracle_peak_rule rule = { .smallest = o->method == XNCC_SQDIFF ||
                                          o->method == XNCC_SQDIFF_NORMED };
    rule.limit = !rule.smallest ? o->min_score : o->max_score == 0.0f ? INFINITY : o->max_score;
    rule.min_distance = o->min_distance ? o->min_distance : shorter < 4 ? 1 : shorter / 2;
    rule.top = o->top && o->top < r->capacity ? o->top : r->capacity;
    r->wanted = oracle_peaks(map, &rule, r->want);
    for (size_t i = 0; i < r->wanted; i++) {
        r->want[i].x += s->oracle.x0;
        r->want[i].y += s->oracle.y0;
    }
}

static void compare(const general_subject *s, const request *r, const char *how,
                    const xncc_match *got, size_t found)
{
    if (found == r->wanted)
        CHECK(1);
    else
        kit_fail(__FILE__, __LINE__, "%s, %s, %s: %zu matches, want %zu", s->name,
                 r->options.kernel, how, found, r->wanted);
    for (size_t i = 0; i < found && i < r->wanted; i++)
        if (memcmp(&got[i], &r->want[i], sizeof *got) != 0) {
            kit_fail(__FILE__, __LINE__,
                     "%s, %s, %s: match %zu is (%d, %d) %.9g, want (%d, %d) %.9g", s->name,
                     r->options.kernel, how, i, got[i].x, got[i].y, (double)got[i].score,
                     r->want[i].x, r->want[i].y, (double)r->want[i].score);
            return;
        }
}

/* Returns the image of a call: in host memory, or on every other turn its copy on the device if
 * there is one. */
static const xncc_image *image_for(const general_subject *s, device_image *twin)
{
    *twin = (device_image){ .memory = NULL };
    if (s->run->device != XNCC_DEVICE_CUDA || !kit_device_present() || !(s->run->turn & 1))
        return &s->image.view;
    *twin = device_image_create(&s->image.view, (int32_t)(s->run->turn % 3));
    return &twin->view;
}

static void image_done(device_image *twin)
{
    if (twin->memory)
        device_image_destroy(twin);
}

/* Where a request's answer is on the device, and whether plan.h allows the call to be captured. */
typedef struct graph {
    const xncc_image *image;
    xncc_match *match;
    uint32_t *count;
    xncc_stream stream;
    xncc_match *got;
    int capturable;
} graph;

/* Captures the same call into a graph, runs it, and checks what it leaves. */
static void check_graph(general_subject *s, xncc_plan *plan, const request *r, const graph *g)
{
    const size_t bytes = MOST_MATCHES * sizeof(xncc_match);
    uint32_t found = 12345;
    if (!g->capturable)
        return;
    CHECK(kit_device_capture(g->stream));
    xncc_status status = xncc_plan_find_on_device(plan, g->image, s->prepared[0], &r->options,
                                                  g->match, r->capacity, g->count, g->stream);
    void *made = kit_device_graph(g->stream);
    if (check_ok(status, s->run->context[0], s->name) && CHECK(made != NULL)) {
        memset(g->got, 0x5a, bytes);
        CHECK(kit_device_upload(g->match, g->got, bytes));
        CHECK(kit_device_graph_run(made, g->stream));
        CHECK(kit_device_download(&found, g->count, sizeof found) &&
              kit_device_download(g->got, g->match, bytes));
        compare(s, r, "by a graph", g->got, found);
    }
    if (made)
        kit_device_graph_destroy(made);
}

static void check_left_on_device(general_subject *s, xncc_plan *plan, const request *r)
{
    static xncc_match got[MOST_MATCHES];
    device_image twin = device_image_create(&s->image.view, 1);
    xncc_match *match = kit_device_alloc(sizeof got);
    uint32_t *count = kit_device_alloc(sizeof *count), found = 12345;
    xncc_stream stream = kit_device_stream();
    if (!match || !count || !stream)
        kit_give_up("no device memory or stream for the test");
    memset(got, 0x5a, sizeof got);
    CHECK(kit_device_upload(match, got, sizeof got));
    xncc_status status = xncc_plan_find_on_device(plan, &twin.view, s->prepared[0], &r->options,
                                                  match, r->capacity, count, stream);
    if (check_ok(status, s->run->context[0], s->name)) {
        CHECK(kit_device_wait(stream) && kit_device_download(&found, count, sizeof found) &&
              kit_device_download(got, match, sizeof got));
        compare(s, r, "left on the device", got, found);
        const int capturable = strncmp(r->options.kernel, "tensor", 6) == 0 ||
                               strcmp(r->options.kernel, "tex-tex") == 0 ||
                               strcmp(r->options.kernel, "fft") == 0 ||
                               strcmp(r->options.kernel, "general") == 0;
        check_graph(s, plan, r, &(graph){ &twin.view, match, count, stream, got, capturable });
    }
    kit_device_stream_destroy(stream);
    kit_device_free(match);
    kit_device_free(count);
    device_image_destroy(&twin);
}

/* Rows arrive in steps. Rows that have not arrived hold other pixels and another mask. */
static void check_rows(general_subject *s, xncc_plan *plan, const request *r)
{
    static xncc_match got[MOST_MATCHES];
    const xncc_image *image = &s->image.view;
    const kit_room room = { 3, KIT_AFTER };
    kit_image arriving = kit_image_create_channels(image->pixel, image->channels, image->width,
                                                   image->height, room);
    kit_image_fill(&arriving.view, KIT_NOISE, &s->random);
    if (image->mask)
        kit_image_mask(&arriving, room);
    arriving.view.has_no_data = image->has_no_data;
    arriving.view.no_data = image->no_data;
    xncc_scan *scan = NULL;
    size_t found = 12345;
    if (check_ok(
            xncc_scan_create(plan, &arriving.view, s->prepared[0], &r->options, r->capacity, &scan),
            s->run->context[0], s->name)) {
        const int32_t step = kit_between(&s->random, 1, image->height);
        for (int32_t y = 0; y < image->height; y++) {
            xncc_image row;
            CHECK_STATUS(xncc_image_crop(&arriving.view, 0, y, image->width, 1, &row), XNCC_OK);
            kit_image_copy(&row, image, 0, y);
            for (int32_t x = 0; x < image->width && image->mask; x++)
                kit_mask_set(&arriving.view, x, y, (uint8_t)kit_mask(image, x, y));
            if ((y + 1) % step == 0)
                CHECK_STATUS(xncc_scan_rows(scan, y + 1), XNCC_OK);
        }
        if (check_ok(xncc_scan_finish(scan, got, &found, NULL), s->run->context[0], s->name))
            compare(s, r, "scanned", got, found);
    }
    xncc_scan_destroy(scan);
    kit_image_destroy(&arriving);
}

/* Checks the plan with the subject as it is now: a map, matches, and the other ways to find
 * them. */
static void check_plan(general_subject *s, xncc_plan *plan, request *r)
{
    static xncc_match got[MOST_MATCHES];
    /* A plan for images with masks accepts an image without one, even if its kernel could not serve
     * the problem without masks. */
    const int unmasked = s->problem.image_masked && !s->image.view.mask &&
                         !s->image.view.has_no_data;
    kit_map want = general_expected(s, unmasked ? NULL : r->options.kernel);
    kit_map map = kit_map_create(want.view.width, want.view.height, 2, KIT_AFTER);
    device_image twin;
    const xncc_image *image = image_for(s, &twin);
    size_t found = 12345;
    request_draw(s, r->options.kernel, &want.view, r);
    request_answer(s, &want.view, r);
    if (check_ok(xncc_plan_correlate(plan, image, s->prepared[0], &map.view, NULL),
                 s->run->context[0], s->name))
        check_same(&map.view, &want.view, s->name);
    if (check_ok(xncc_plan_find(plan, image, s->prepared[0], &r->options, got, r->capacity, &found,
                                NULL),
                 s->run->context[0], s->name))
        compare(s, r, "by a plan", got, found);
    image_done(&twin);
    check_rows(s, plan, r);
    if (s->run->device == XNCC_DEVICE_CUDA && kit_device_present())
        check_left_on_device(s, plan, r);
    check_count(s->run, r->options.kernel);
    kit_map_destroy(&map);
    kit_map_destroy(&want);
}

/* Several templates in one call, with one rule. All of them fit the plan's problem. */
static void check_batch(general_subject *s, xncc_plan *plan, const char *kernel)
{
    static xncc_match got[BATCH * MOST_MATCHES];
    static request want[BATCH];
    xncc_template *kept[BATCH] = { NULL };
    const xncc_template *templ[BATCH];
    size_t found[BATCH] = { 7, 7, 7 }, count = 0;
    do {
        kit_map map = general_expected(s, kernel);
        if (count == 0)
            request_draw(s, kernel, &map.view, &want[0]);
        want[count].options = want[0].options;
        want[count].capacity = want[0].capacity;
        request_answer(s, &map.view, &want[count]);
        kit_map_destroy(&map);
        templ[count] = kept[count] = s->prepared[0];
        s->prepared[0] = NULL;
        count++;
    } while (count < BATCH && general_change(s, GENERAL_OTHER_TEMPL));
    device_image twin;
    xncc_status status = xncc_plan_find_batch(plan, image_for(s, &twin), templ, count,
                                              &want[0].options, got, want[0].capacity, found, NULL);
    if (check_ok(status, s->run->context[0], s->name))
        for (size_t i = 0; i < count; i++)
            compare(s, &want[i], "in a batch", got + i * want[0].capacity, found[i]);
    image_done(&twin);
    for (size_t i = 0; i < count; i++)
        xncc_template_destroy(kept[i]);
}

static void check_kernel(const general_subject *like, const char *kernel)
{
    static request r;
    general_subject s;
    xncc_plan *plan = NULL;
    if (!general_make(&s, like->run, &like->c))
        return;
    r.options.kernel = kernel;
    if (check_ok(xncc_plan_create(s.run->context[0], &s.problem,
                                  &(xncc_preference){ .kernel = kernel }, &plan),
                 s.run->context[0], s.name)) {
        static const int change[] = { 0, GENERAL_OTHER_IMAGE, GENERAL_OTHER_TEMPL,
                                      GENERAL_UNMASKED_IMAGE,
                                      GENERAL_OTHER_IMAGE | GENERAL_OTHER_TEMPL };
        for (size_t i = 0; i < sizeof change / sizeof *change; i++)
            if (general_change(&s, change[i]))
                check_plan(&s, plan, &r);
        check_batch(&s, plan, kernel);
    }
    xncc_plan_destroy(plan);
    general_free(&s);
}

static void check_case(check_run *run, const general_case *c)
{
    static xncc_match got[MOST_MATCHES];
    static request r;
    general_subject s;
    const char *kernel[CHECK_KERNELS];
    size_t kernels = general_make(&s, run, c) ? check_kernels(run, &s.problem, kernel) : 0;
    if (kernels) {
        kit_map want = general_expected(&s, kernel[0]);
        for (size_t k = 0; k < kernels; k++) {
            device_image twin;
            size_t found = 12345;
            const uint64_t slot = run->turn % CHECK_THREAD_COUNTS;
            request_draw(&s, kernel[k], &want.view, &r);
            request_answer(&s, &want.view, &r);
            xncc_status status = xncc_find(run->context[slot], image_for(&s, &twin),
                                           s.prepared[slot], &r.options, got, r.capacity, &found);
            if (check_ok(status, run->context[slot], s.name))
                compare(&s, &r, "in one call", got, found);
            image_done(&twin);
            check_count(run, kernel[k]);
        }
        kit_map_destroy(&want);
        check_kernel(&s, kernel[run->turn % kernels]); /* the kernels take turns */
    }
    general_free(&s);
}

/* A map that engines search in bands. */
static void check_bands(check_run *run, xncc_pixel pixel)
{
    static const general_sizes size = { 1301, 907, 5, 4 };
    general_case c = general_some_case(pixel, 39000, &size, 1);
    c.channels = 1;
    c.image_fill = KIT_NOISE;
    c.templ_fill = KIT_NOISE;
    c.masks = GENERAL_BOTH;
    c.options = (xncc_options){ .mode = XNCC_FULL,
                                .border = pixel == XNCC_U8 ? XNCC_BORDER_OVERLAP : XNCC_BORDER_WRAP,
                                .min_valid = 0.3 };
    check_case(run, &c);
}

void general_check_find(check_run *run, xncc_pixel pixel)
{
    static const general_sizes size[] = { { 37, 29, 5, 7 },  { 24, 33, 8, 8 },  { 9, 7, 4, 3 },
                                          { 41, 13, 11, 6 }, { 6, 5, 7, 8 },    { 30, 26, 17, 3 },
                                          { 14, 131, 5, 7 }, { 11, 173, 4, 12 } };
    const uint64_t count = sizeof size / sizeof *size;
    const int on_gpu = run->device == XNCC_DEVICE_CUDA;
    for (uint64_t i = 0; i < (run->full             ? GENERAL_COMBINATIONS
                              : check_is_brief(run) ? 2u
                              : on_gpu              ? 35u
                                                    : 77u);
         i++) {
        uint64_t at = i + (uint64_t)pixel;
        general_case c;
        do {
            c = general_some_case(pixel, 30000 + i, &size[at++ % count], 3);
            general_combine(&c, i * 37 + (uint64_t)pixel * 11);
        } while (general_is_illegal(&c));
        c.options.flat = XNCC_FLAT_ZERO; /* xncc_find has no such option */
        check_case(run, &c);
    }
    if ((pixel == XNCC_U8 || pixel == XNCC_F32) && !check_is_brief(run))
        check_bands(run, pixel);
}
