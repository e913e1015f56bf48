/* SPDX-License-Identifier: BSD-2-Clause */
/* Suppression in device memory, against kit_suppress. */
#include "unit/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 5000 };

typedef struct device_lists {
    xncc_candidate *candidate, *result;
    uint32_t *kept;
    xncc_match *match;
    uint32_t *found;
    xncc_stream stream;
} device_lists;

static device_lists device_lists_make(void)
{
    device_lists t = { kit_device_alloc(ROOM * sizeof(xncc_candidate)),
                       kit_device_alloc(ROOM * sizeof(xncc_candidate)),
                       kit_device_alloc(sizeof(uint32_t)),
                       kit_device_alloc(ROOM * sizeof(xncc_match)),
                       kit_device_alloc(sizeof(uint32_t)),
                       kit_device_stream() };
    if (!t.candidate || !t.result || !t.kept || !t.match || !t.found || !t.stream)
        kit_give_up("no device memory or stream for the test");
    return t;
}

static void device_lists_free(device_lists *t)
{
    kit_device_stream_destroy(t->stream);
    kit_device_free(t->candidate);
    kit_device_free(t->result);
    kit_device_free(t->kept);
    kit_device_free(t->match);
    kit_device_free(t->found);
}

static uint32_t kept_of(const device_lists *t)
{
    uint32_t kept = 77;
    CHECK(kit_device_wait(t->stream));
    CHECK(kit_device_download(&kept, t->kept, sizeof kept));
    return kept;
}

/* want: the result of kit_suppress; its first `wanted` elements are compared. Elements after
 * them must be unchanged. */
static void compare(const device_lists *t, int round, const xncc_candidate *want, size_t wanted,
                    size_t unchanged)
{
    static xncc_candidate got[ROOM];
    static const unsigned char old = 0x5a;
    CHECK_INT(kept_of(t), wanted);
    CHECK(kit_device_download(got, t->result, (wanted + unchanged) * sizeof *got));
    int same = memcmp(got, want, wanted * sizeof *got) == 0;
    for (size_t i = 0; i < unchanged * sizeof *got; i++)
        same = same && ((const unsigned char *)&got[wanted])[i] == old;
    if (!CHECK(same))
        kit_fail(__FILE__, __LINE__, "round %d: %zu candidates, not those of kit_suppress", round,
                 wanted);
}

static void clear_result(const device_lists *t)
{
    static xncc_candidate old[ROOM];
    memset(old, 0x5a, sizeof old);
    CHECK(kit_device_upload(t->result, old, sizeof old));
}

static void fill(xncc_candidate *all, size_t count, int32_t spread, kit_random *random)
{
    for (size_t i = 0; i < count; i++) {
        const int32_t templ = kit_between(random, 0, 5);
        all[i] = (xncc_candidate){ .match = { kit_between(random, -spread, spread),
                                              kit_between(random, -9, 3 * spread), 0 },
                                   .templ = templ,
                                   .width = 4 + 3 * templ,
                                   .height = 20 - 2 * templ };
        all[i].match.score = kit_below(random, 30) ? (float)kit_below(random, 200) / 64.0f : NAN;
        if (i > 0 && kit_below(random, 9) == 0)
            all[i] = all[kit_below(random, i)];
    }
}

static void check_random(xncc_suppressor *suppressor, const device_lists *t, int rounds)
{
    static const double overlap[] = { 0, 0.1, 1.0 / 3, 0.5, 1 }, distance[] = { 0, 1, 3.5, 40 };
    static const size_t some[] = { ROOM, 1, 1025, 2049, 0, 257, 1023, 2, 33, 1024 };
    static xncc_candidate all[ROOM], want[ROOM];
    kit_random random = kit_stream(40);
    for (int k = 0; k < 80 && k < rounds; k++) {
        const size_t count = some[k % 10], first = kit_below(&random, count + 1);
        fill(all, count, k % 3 ? 300 : 20, &random);
        const xncc_suppress_kind rule = (xncc_suppress_kind)(k / 10 % 2);
        const kit_suppress_options o = { .method = k % 4 ? XNCC_CCOEFF_NORMED : XNCC_SQDIFF_NORMED,
                                         .kind = rule,
                                         .limit = rule == XNCC_SUPPRESS_OVERLAP ? overlap[k % 5]
                                                                                : distance[k % 4],
                                         .top = k % 5 ? 0 : 1 + kit_below(&random, 1500) };
        const size_t capacity = k % 7 ? ROOM : 1 + kit_below(&random, 300);
        size_t kept = 0;
        memcpy(want, all, sizeof all);
        CHECK_STATUS(kit_suppress(want, count, &o, &kept), XNCC_OK);
        kept = kept < capacity ? kept : capacity;
        CHECK(kit_device_upload(t->candidate, all, sizeof all));
        clear_result(t);
        CHECK_STATUS(xncc_suppressor_clear(suppressor, t->stream, &kit_error), XNCC_OK);
        CHECK_STATUS(
            xncc_suppressor_add_candidates(suppressor, t->candidate, first, t->stream, &kit_error),
            XNCC_OK);
        CHECK_STATUS(xncc_suppressor_add_candidates(suppressor, t->candidate + first, count - first,
                                                    t->stream, &kit_error),
                     XNCC_OK);
        for (int turn = 0; turn < 2; turn++) { /* what was added stays */
            CHECK_STATUS(
                kit_suppressor_run(suppressor, &o, t->result, capacity, t->kept, t->stream),
                XNCC_OK);
            compare(t, k, want, kept, kept < ROOM ? 1 : 0);
        }
    }
}

static void check_too_many(xncc_suppressor *suppressor, const device_lists *t)
{
    static xncc_candidate all[ROOM];
    kit_random random = kit_stream(41);
    xncc_candidate first;
    fill(all, ROOM, 50, &random);
    CHECK(kit_device_upload(t->candidate, all, sizeof all));
    clear_result(t);
    CHECK_STATUS(xncc_suppressor_clear(suppressor, t->stream, &kit_error), XNCC_OK);
    CHECK_STATUS(
        xncc_suppressor_add_candidates(suppressor, t->candidate, ROOM, t->stream, &kit_error),
        XNCC_OK);
    CHECK_STATUS(xncc_suppressor_add_candidates(suppressor, t->candidate, 1, t->stream, &kit_error),
                 XNCC_OK);
    CHECK_STATUS(kit_suppressor_run(suppressor, NULL, t->result, ROOM, t->kept, t->stream),
                 XNCC_OK);
    CHECK(kept_of(t) == UINT32_MAX);
    CHECK(kit_device_download(&first, t->result, sizeof first));
    CHECK_INT(first.templ, 0x5a5a5a5a);
    CHECK_STATUS(xncc_suppressor_clear(suppressor, t->stream, &kit_error), XNCC_OK);
    CHECK_STATUS(kit_suppressor_run(suppressor, NULL, t->result, ROOM, t->kept, t->stream),
                 XNCC_OK);
    CHECK_INT(kept_of(t), 0);
}

/* From plans to one list without the host, and once more as a graph. */
static void check_pipeline(xncc_context *context, xncc_suppressor *suppressor,
                           const device_lists *t)
{
    enum { EACH = 50 };
    static batch_scene s;
    static xncc_candidate want[BATCH_TEMPLS * EACH];
    static xncc_match match[EACH];
    xncc_plan *plan[BATCH_TEMPLS] = { NULL };
    size_t count = 0, kept = 0, found;
    batch_scene_make(&s, context, &(batch_kind){ .pixel = XNCC_U8 }, 200, 1);
    const kit_find_options o = { .min_score = -INFINITY, .min_distance = 2, .kernel = "tex-tex" };
    for (int i = 0; i < s.count; i++) {
        const xncc_problem problem = kit_problem(
            (xncc_problem){ .image_width = s.device_scene.width,
                            .image_height = s.device_scene.height,
                            .templ_width = s.pixels[i].view.width,
                            .templ_height = s.pixels[i].view.height });
        CHECK_STATUS(xncc_plan_create(
                         context, &problem,
                         &(xncc_preference){ .size = sizeof(xncc_preference), .kernel = "tex-tex" },
                         &plan[i], &kit_error),
                     XNCC_OK);
        CHECK_STATUS(kit_find(context, &s.scene.view, s.templ[i], &o, match, EACH, &found),
                     XNCC_OK);
        for (size_t k = 0; k < found; k++)
            want[count++] = (xncc_candidate){ match[k], i, problem.templ_width,
                                              problem.templ_height };
    }
    CHECK_STATUS(kit_suppress(want, count, NULL, &kept), XNCC_OK);
    for (int turn = 0; turn < 2; turn++) {
        clear_result(t);
        if (turn)
            CHECK(kit_device_capture(t->stream));
        CHECK_STATUS(xncc_suppressor_clear(suppressor, t->stream, &kit_error), XNCC_OK);
        for (int i = 0; i < s.count; i++) {
            CHECK_STATUS(kit_plan_find_on_device(plan[i], &s.device_scene, s.templ[i], &o, t->match,
                                                 EACH, t->found, t->stream),
                         XNCC_OK);
            CHECK_STATUS(xncc_suppressor_add(suppressor, t->match, t->found, i,
                                             s.pixels[i].view.width, s.pixels[i].view.height,
                                             t->stream, &kit_error),
                         XNCC_OK);
        }
        CHECK_STATUS(kit_suppressor_run(suppressor, NULL, t->result, ROOM, t->kept, t->stream),
                     XNCC_OK);
        if (turn) {
            void *graph = kit_device_graph(t->stream);
            CHECK(graph && kit_device_graph_run(graph, t->stream));
            if (graph)
                kit_device_graph_destroy(graph);
        }
        compare(t, 1000 + turn, want, kept, 1);
    }
    for (int i = 0; i < s.count; i++)
        xncc_plan_destroy(plan[i]);
    batch_scene_free(&s);
}

static void check_refused(xncc_suppressor *suppressor, const device_lists *t)
{
    const kit_suppress_options bad = { .limit = -1 };
    CHECK_STATUS(
        xncc_suppressor_add(suppressor, t->match, t->found, 1, 0, 1, t->stream, &kit_error),
        XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_suppressor_add(suppressor, NULL, t->found, 1, 1, 1, t->stream, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_suppressor_add_candidates(suppressor, NULL, 1, t->stream, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(kit_suppressor_run(suppressor, &bad, t->result, 1, t->kept, t->stream),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(kit_suppressor_run(suppressor, NULL, t->result, 0, t->kept, t->stream),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(kit_suppressor_run(suppressor, NULL, NULL, 1, t->kept, t->stream),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_suppressor_clear(NULL, t->stream, &kit_error), XNCC_ERROR_ARGUMENT);
}

void check_suppressor(xncc_context *context, int rounds)
{
    xncc_suppressor *suppressor = NULL;
    CHECK_STATUS(xncc_suppressor_create(context, 0, &suppressor, &kit_error), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_suppressor_create(context, XNCC_MAX_SUPPRESSOR + 1, &suppressor, &kit_error),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_suppressor_create(context, 1, NULL, &kit_error), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_suppressor_create(NULL, 1, &suppressor, &kit_error), XNCC_ERROR_ARGUMENT);
    const xncc_status status = xncc_suppressor_create(context, ROOM, &suppressor, &kit_error);
    if (status == XNCC_ERROR_UNSUPPORTED) {
        CHECK(suppressor == NULL);
        CHECK_TEXT(
            kit_error.text,
            "suppressor: this context has no CUDA device; xncc_suppress works in host memory");
        xncc_suppressor_destroy(NULL);
        return;
    }
    CHECK_STATUS(status, XNCC_OK);
    device_lists t = device_lists_make();
    check_random(suppressor, &t, rounds);
    check_too_many(suppressor, &t);
    check_pipeline(context, suppressor, &t);
    check_refused(suppressor, &t);
    device_lists_free(&t);
    xncc_suppressor_destroy(suppressor);
}
