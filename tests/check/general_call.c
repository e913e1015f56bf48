/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls for the cases of general.h, each compared with what is expected (general_call.h). */
#include "check/general_call.h"

#include "exactncc/scan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

void general_request_draw(general_subject *s, const char *kernel, const xncc_map *map,
                          general_request *r)
{
    static const size_t top[] = { 1, 0, 5, 40 };
    static const int32_t distance[] = { 0, 1, 2, 7, 1000 };
    const kit_options *o = &s->c.options;
    const int smallest = o->method == XNCC_SQDIFF || o->method == XNCC_SQDIFF_NORMED;
    r->capacity = kit_next(&s->random) & 1 ? GENERAL_MATCHES : 9;
    const uint64_t some_top = kit_below(&s->random, 4), some_distance = kit_below(&s->random, 5);
    r->options = (kit_find_options){ .method = o->method,
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

/* Applies the defaults of kit_find_options as its comments describe them. */
void general_request_answer(const general_subject *s, const xncc_map *map, general_request *r)
{
    const kit_find_options *o = &r->options;
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

void general_compare(const general_subject *s, const general_request *r, const char *how,
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

void general_check_map(general_subject *s, const kit_options *forced, uint64_t slot, int where,
                       const xncc_map *want, const char *what)
{
    xncc_context *context = s->run->context[slot];
    placed at;
    placed_create(&at, &s->image.view, want, where, s->run->turn);
    xncc_status status = kit_correlate(context, at.image, s->prepared[slot], forced, at.map);
    placed_check(&at, check_ok(status, what), want, what);
    placed_destroy(&at);
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
static void check_graph(general_subject *s, xncc_plan *plan, const general_request *r,
                        const graph *g)
{
    const size_t bytes = GENERAL_MATCHES * sizeof(xncc_match);
    uint32_t found = 12345;
    if (!g->capturable)
        return;
    CHECK(kit_device_capture(g->stream));
    xncc_status status = kit_plan_find_on_device(plan, g->image, s->prepared[0], &r->options,
                                                 g->match, r->capacity, g->count, g->stream);
    void *made = kit_device_graph(g->stream);
    if (check_ok(status, s->name) && CHECK(made != NULL)) {
        memset(g->got, 0x5a, bytes);
        CHECK(kit_device_upload(g->match, g->got, bytes));
        CHECK(kit_device_graph_run(made, g->stream));
        CHECK(kit_device_download(&found, g->count, sizeof found) &&
              kit_device_download(g->got, g->match, bytes));
        general_compare(s, r, "by a graph", g->got, found);
    }
    if (made)
        kit_device_graph_destroy(made);
}

/* Returns 1 if a plan computes the map in bands. Its searches then wait for the device. */
static int works_in_bands(const general_subject *s, const xncc_plan *plan)
{
    char text[1024];
    int width = 0, height = 0;
    const char *bands = strstr(xncc_plan_explain(plan, text, sizeof text), "bands of ");
    return bands && sscanf(bands, "bands of %d x %d", &width, &height) == 2 &&
           (width < s->oracle.width || height < s->oracle.height);
}

void general_check_left_on_device(general_subject *s, xncc_plan *plan, const general_request *r)
{
    static xncc_match got[GENERAL_MATCHES];
    device_image twin = device_image_create(&s->image.view, 1);
    xncc_match *match = kit_device_alloc(sizeof got);
    uint32_t *count = kit_device_alloc(sizeof *count), found = 12345;
    xncc_stream stream = kit_device_stream();
    if (!match || !count || !stream)
        kit_give_up("no device memory or stream for the test");
    memset(got, 0x5a, sizeof got);
    CHECK(kit_device_upload(match, got, sizeof got));
    xncc_status status = kit_plan_find_on_device(plan, &twin.view, s->prepared[0], &r->options,
                                                 match, r->capacity, count, stream);
    if (check_ok(status, s->name)) {
        CHECK(kit_device_wait(stream) && kit_device_download(&found, count, sizeof found) &&
              kit_device_download(got, match, sizeof got));
        general_compare(s, r, "left on the device", got, found);
        const char *kernel = r->options.kernel;
        const int capturable = (strncmp(kernel, "tensor", 6) == 0 ||
                                strcmp(kernel, "tex-tex") == 0 || strcmp(kernel, "fft") == 0 ||
                                strcmp(kernel, "general") == 0) &&
                               !works_in_bands(s, plan);
        check_graph(s, plan, r, &(graph){ &twin.view, match, count, stream, got, capturable });
    }
    kit_device_stream_destroy(stream);
    kit_device_free(match);
    kit_device_free(count);
    device_image_destroy(&twin);
}

/* Rows arrive in steps. Rows that have not arrived hold other pixels and another mask. */
void general_check_rows(general_subject *s, xncc_plan *plan, const general_request *r)
{
    static xncc_match got[GENERAL_MATCHES];
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
            kit_scan_create(plan, &arriving.view, s->prepared[0], &r->options, r->capacity, &scan),
            s->name)) {
        const int32_t step = kit_between(&s->random, 1, image->height);
        for (int32_t y = 0; y < image->height; y++) {
            xncc_image row;
            CHECK_STATUS(xncc_image_crop(&arriving.view, 0, y, image->width, 1, &row, &kit_error),
                         XNCC_OK);
            kit_image_copy(&row, image, 0, y);
            for (int32_t x = 0; x < image->width && image->mask; x++)
                kit_mask_set(&arriving.view, x, y, (uint8_t)kit_mask(image, x, y));
            if ((y + 1) % step == 0)
                CHECK_STATUS(xncc_scan_rows(scan, y + 1, &kit_error), XNCC_OK);
        }
        if (check_ok(xncc_scan_finish(scan, got, &found, NULL, &kit_error), s->name))
            general_compare(s, r, "scanned", got, found);
    }
    xncc_scan_destroy(scan);
    kit_image_destroy(&arriving);
}
