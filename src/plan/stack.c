/* SPDX-License-Identifier: BSD-2-Clause */
/* How many images a stack has, and its memory (stack.h). */
#include "plan/stack.h"

#include "base/int_math.h"
#include "plan/decide.h"
#include "plan/problem.h"
#include "plan/search_cuda.h"

#include "image/image.h"

/* More pixels than these fill a device for so long that a launch does not matter. */
static const int64_t enough_pixels = INT64_C(1) << 26;

/* The most images of a stack. While the device searches one stack, the host hands out the matches
 * of the one before; what it does after the last one takes 0.03 us per image. blockIdx.z has room
 * for 65535. */
enum { MOST_SLOTS = 4096 };

/* The most memory for the results of all images of a call. */
static const uint64_t most_results = UINT64_C(4) << 20;

/* Why images of this problem cannot form a stack; NULL: they can. */
static const char *refusal(const xncc_problem *p, const xncc_decision *d)
{
    const xncc_extent map = xncc_problem_extent(p);
    if (d->engine != XNCC_DEVICE_CUDA)
        return "the CPU engine searches each image on one thread";
    if (p->rule.mode != XNCC_VALID)
        return "windows that leave their image would reach into the next";
    if (p->image_masked)
        return "images with masks are not stacked";
    if (!xncc_peak_serves(map.width, map.height) ||
        (int64_t)p->image_width * p->image_height > enough_pixels / 2)
        return "one image keeps the device busy";
    return NULL;
}

/* Decides on a stack of `images` images. Returns 0 if it does not fit. room: bytes of device
 * memory. */
static int fit(const xncc_problem *p, const xncc_machine *machine,
               const xncc_preference *preference, int32_t images, xncc_stack_plan *s)
{
    const xncc_extent map = xncc_problem_extent(p);
    xncc_decision *d = &s->decision;
    xncc_workspace *w = &d->workspace;
    s->problem = *p;
    s->problem.image_height = images * p->image_height;
    if (xncc_decide(&s->problem, machine, preference, d, NULL) != XNCC_OK ||
        !w->bytes[XNCC_BUFFER_SEARCH])
        return 0;
    /* It brings its images itself, and has no batches of templates. */
    w->total -= w->bytes[XNCC_BUFFER_SOURCE] + w->bytes[XNCC_BUFFER_BATCH];
    w->bytes[XNCC_BUFFER_SOURCE] = 0;
    d->batch = (xncc_batch_slots){ 0 };
    const uint64_t row = (uint64_t)p->image_width * (uint64_t)p->channels *
                         xncc_pixel_size(p->pixel);
    s->image_pitch = xncc_round_up(row, 16);
    s->image_bytes = xncc_round_up(s->image_pitch * (uint64_t)s->problem.image_height, 256);
    s->search_bytes = xncc_round_up(
        xncc_search_bytes(xncc_peak_tiles(map.width, map.height), (uint64_t)images), 256);
    s->result_bytes = most_results;
    w->bytes[XNCC_BUFFER_BATCH] = 2 * s->image_bytes + s->search_bytes + s->result_bytes;
    w->total += w->bytes[XNCC_BUFFER_BATCH];
    return w->total <= (uint64_t)machine->cuda.workspace;
}

/* The images of a call that one device gets. */
static int32_t share_of(int32_t images, const xncc_machine *m, const xncc_decision *d)
{
    const int several = m->team.engine == d->engine && m->team.devices > 1;
    return several ? xncc_ceil_div(images, m->team.devices) : images;
}

xncc_stack xncc_stack_choose(const xncc_problem *p, const xncc_machine *machine,
                             const xncc_preference *preference, const xncc_decision *decision,
                             xncc_stack_plan *stack)
{
    xncc_stack s = { .wanted = preference->images };
    if (s.wanted < 2)
        return s;
    s.refusal = refusal(p, decision);
    if (s.refusal)
        return s;
    const int64_t pixels = (int64_t)p->image_width * p->image_height, most = enough_pixels / pixels,
                  slots = most < MOST_SLOTS ? most : MOST_SLOTS,
                  share = share_of(s.wanted, machine, decision),
                  stacks = (share + slots - 1) / slots; /* of about the same height */
    const uint64_t limit = (uint64_t)(machine->cuda.workspace > 0 ? machine->cuda.workspace : 0),
                   used = decision->workspace.total;
    xncc_machine rest = *machine;
    xncc_preference want = *preference;
    rest.cuda.workspace = (int64_t)(used < limit ? limit - used : 0);
    want.device = XNCC_DEVICE_CUDA;
    want.kernel = want.kernel ? xncc_kernel_table[decision->kernel].name : NULL;
    int32_t images = (int32_t)((share + stacks - 1) / stacks);
    while (images > 1 && !fit(p, &rest, &want, images, stack))
        images = images > 2 ? xncc_ceil_div(images, 2) : 1;
    if (images < 2) {
        s.refusal = share < 2 ? "a device gets only one"
                              : "device memory has no room for a stack of images";
        return s;
    }
    s.images = images;
    s.kernel = stack->decision.kernel;
    s.bytes = stack->decision.workspace.total;
    s.image_ms = stack->decision.estimate_ms / images;
    return s;
}
