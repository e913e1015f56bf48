/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine of far_engine.h. An address of its memory is that of the bytes plus ROOM: there, no
 * page can be read. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "unit/far_engine.h"

#include "unit/machines.h"

#include "base/error.h"
#include "image/image.h"

#include <string.h>
#include <sys/mman.h>

enum { ROOM = 1 << 22, H200 = 5 };

far_notes far;
static char *storage;
static size_t used;

struct xncc_engine_plan {
    xncc_engine *engine;
};

static xncc_status answer(xncc_error *error)
{
    return far.runs_fail ? xncc_fail(error, XNCC_ERROR_DEVICE, "the far engine fails") : XNCC_OK;
}

static void destroy(xncc_engine *engine)
{
    (void)engine;
}

static xncc_status describe(const xncc_engine *engine, xncc_machine *m, xncc_error *error)
{
    (void)engine;
    (void)error;
    if (far.present)
        m->cuda = machine(H200).cuda;
    return XNCC_OK;
}

static xncc_status prepare(xncc_engine *engine, const xncc_template *templ,
                           const xncc_filter *filter, void **prepared, xncc_error *error)
{
    CHECK(!templ != !filter);
    const xncc_status status = answer(error);
    if (!status) {
        *prepared = engine;
        far.prepared++;
    }
    return status;
}

static void release(xncc_engine *engine, void *prepared)
{
    CHECK(prepared == engine);
    far.prepared--;
}

static struct xncc_engine_plan the_plan;

static xncc_status bind(xncc_engine *engine, const xncc_problem *problem,
                        const xncc_decision *decision, const xncc_stack_plan *stack,
                        const xncc_watch *watch, xncc_engine_plan **plan, xncc_error *error)
{
    (void)problem;
    (void)stack;
    (void)watch;
    CHECK_INT(decision->engine, XNCC_DEVICE_CUDA);
    const xncc_status status = answer(error);
    if (!status) {
        the_plan.engine = engine;
        *plan = &the_plan;
        far.plans++;
    }
    return status;
}

static void unbind(xncc_engine_plan *plan)
{
    CHECK(plan == &the_plan);
    far.plans--;
}

static xncc_status correlate(xncc_engine_plan *plan, const xncc_image *image,
                             const xncc_template *templ, const xncc_map *map, xncc_stream stream,
                             xncc_error *error)
{
    (void)plan;
    (void)templ;
    far.image = image;
    far.map = map;
    far.stream = stream;
    return answer(error);
}

/* One match, at the first position of the map. */
static xncc_status find(xncc_engine_plan *plan, const xncc_image *image, const xncc_template *templ,
                        const xncc_search_rule *rule, xncc_match *match, size_t *found,
                        xncc_stream stream, xncc_error *error)
{
    (void)plan;
    (void)templ;
    far.image = image;
    far.rule = *rule;
    far.stream = stream;
    *match = (xncc_match){ 0, 0, 1.0f };
    *found = 1;
    return answer(error);
}

static xncc_status convolve(xncc_engine_plan *plan, const xncc_image *image,
                            const xncc_filter *filter, const xncc_map *out, xncc_stream stream,
                            xncc_error *error)
{
    (void)filter;
    return correlate(plan, image, NULL, out, stream, error);
}

static xncc_status fetch(xncc_engine *engine, const xncc_image *image, void *host, int64_t pitch,
                         xncc_stream stream, xncc_error *error)
{
    (void)engine;
    far.stream = stream;
    CHECK_INT(image->memory, XNCC_DEVICE);
    if (++far.fetches == far.fails_at)
        return xncc_fail(error, XNCC_ERROR_DEVICE, "the far engine cannot copy");
    for (int32_t y = 0; y < image->height; y++)
        memcpy((char *)host + y * pitch, (const char *)xncc_image_row(image, y) - ROOM,
               (size_t)xncc_image_row_bytes(image));
    return XNCC_OK;
}

static xncc_status find_on_device(xncc_engine_plan *plan, const xncc_image *image,
                                  const xncc_template *templ, const xncc_peak_target *target,
                                  xncc_stream stream, xncc_error *error)
{
    (void)plan;
    (void)templ;
    far.image = image;
    far.target = *target;
    far.rule = *target->rule;
    far.stream = stream;
    return answer(error);
}

static xncc_status find_batch(xncc_engine_plan *plan, const xncc_image *image,
                              const xncc_templ_group *group, const xncc_search_rule *rule,
                              xncc_stream stream, xncc_error *error)
{
    xncc_status status = XNCC_OK;
    for (size_t i = 0; i < group->count && !status; i++)
        status = find(plan, image, group->templ[i], rule, group->match + i * group->capacity,
                      &group->found[i], stream, error);
    return status;
}

/* ---- batches ---- */

static xncc_status batch_open(xncc_engine *engine, const xncc_watch *watch,
                              xncc_batch_context **context, xncc_error *error)
{
    (void)watch;
    *context = (xncc_batch_context *)(void *)engine;
    far.works++;
    return answer(error);
}

static void batch_close(xncc_batch_context *context)
{
    (void)context;
    far.works--;
}

static const xncc_batch_ops share = { .open = batch_open, .close = batch_close };

/* ---- suppression ---- */

static xncc_status open_work(xncc_engine *engine, uint32_t room, xncc_suppress_work **work,
                             xncc_error *error)
{
    const xncc_status status = answer(error);
    if (!status) {
        *work = (xncc_suppress_work *)(void *)engine;
        far.count = room;
        far.works++;
    }
    return status;
}

static void close_work(xncc_suppress_work *work)
{
    (void)work;
    far.works--;
}

static xncc_status clear(xncc_suppress_work *work, xncc_stream stream, xncc_error *error)
{
    (void)work;
    far.stream = stream;
    return answer(error);
}

static xncc_status add(xncc_suppress_work *work, const xncc_match *match, const uint32_t *found,
                       const xncc_candidate *form, xncc_stream stream, xncc_error *error)
{
    CHECK(match && found);
    far.form = *form;
    return clear(work, stream, error);
}

static xncc_status add_candidates(xncc_suppress_work *work, const xncc_candidate *candidate,
                                  uint32_t count, xncc_stream stream, xncc_error *error)
{
    CHECK(candidate != NULL);
    far.count = count;
    return clear(work, stream, error);
}

static xncc_status run(xncc_suppress_work *work, const xncc_suppress_target *target,
                       xncc_stream stream, xncc_error *error)
{
    far.suppress = *target;
    return clear(work, stream, error);
}

static const xncc_suppress_ops suppress = { .open = open_work,
                                            .close = close_work,
                                            .clear = clear,
                                            .add = add,
                                            .add_candidates = add_candidates,
                                            .run = run };

static const xncc_engine_ops operations = { .destroy = destroy,
                                            .describe = describe,
                                            .prepare = prepare,
                                            .release = release,
                                            .bind = bind,
                                            .unbind = unbind,
                                            .correlate = correlate,
                                            .find = find,
                                            .convolve = convolve,
                                            .fetch = fetch,
                                            .find_on_device = find_on_device,
                                            .find_batch = find_batch,
                                            .share = &share,
                                            .suppress = &suppress };

void far_attach(xncc_context *context)
{
    static xncc_engine engine = { &operations };
    context->engine[xncc_slot(XNCC_DEVICE_CUDA)] = &engine;
}

/* Returns where `bytes` bytes were copied to. */
static const char *far_bytes(const void *from, size_t bytes)
{
    if (!storage) {
        storage = mmap(NULL, 2 * ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (storage == MAP_FAILED || mprotect(storage, ROOM, PROT_READ | PROT_WRITE) != 0)
            kit_give_up("no memory for the far engine");
    }
    if (used + bytes > ROOM)
        kit_give_up("the far engine's memory is full");
    char *to = storage + used;
    memcpy(to, from, bytes);
    used += (bytes + 63) / 64 * 64;
    return to + ROOM;
}

xncc_image far_image(const xncc_image *host)
{
    xncc_image view = *host;
    const size_t rows = (size_t)host->height - 1;
    view.memory = XNCC_DEVICE;
    view.data = far_bytes(host->data, rows * (size_t)xncc_image_pitch(host) +
                                          (size_t)xncc_image_row_bytes(host));
    if (host->mask)
        view.mask = (const uint8_t *)far_bytes(
            host->mask, rows * (size_t)(host->mask_pitch ? host->mask_pitch : host->width) +
                            (size_t)host->width);
    return view;
}

void far_reset(void)
{
    used = 0;
    memset(&far, 0, sizeof far);
}
