/* SPDX-License-Identifier: BSD-2-Clause */
/* How many images one launch searches, on machines with more and less memory. */
#include "unit/machines.h"

#include "plan/search_cuda.h"
#include "plan/stack.h"

#include <string.h>

enum { LIMIT_STEPS = 24 };

typedef struct asked {
    xncc_problem problem;
    int32_t images, wanted; /* for one call; in one launch with much memory: 0 is image by image */
    const char *refusal;
} asked;

/* The decision of a plan, and its stack. */
static xncc_stack choose(const asked *a, const xncc_machine *m, const char *kernel,
                         xncc_stack_plan *stack)
{
    xncc_preference want = XNCC_PREFERENCE_INIT;
    xncc_decision d;
    want.device = XNCC_DEVICE_CUDA;
    want.images = a->images;
    want.kernel = kernel;
    if (!CHECK_STATUS(xncc_decide(&a->problem, m, &want, &d, &kit_error), XNCC_OK))
        kit_give_up("no decision");
    const xncc_stack s = xncc_stack_choose(&a->problem, m, &want, &d, stack);
    if (s.images > 1 && d.workspace.total + s.bytes > (uint64_t)m->cuda.workspace)
        kit_fail(__FILE__, __LINE__, "%d images exceed the memory", s.images);
    return s;
}

/* The parts of the memory, added up independently. */
static void check_memory(const asked *a, const xncc_stack *s, const xncc_stack_plan *stack)
{
    const xncc_problem *p = &a->problem;
    const uint64_t row = (uint64_t)p->image_width * (uint64_t)p->channels *
                         (uint64_t)pixel_size(p->pixel),
                   copies = (row + 15) / 16 * 16 * (uint64_t)p->image_height * (uint64_t)s->images,
                   map = 4 * (uint64_t)(p->image_width - p->templ_width + 1) *
                         ((uint64_t)p->image_height * (uint64_t)s->images -
                          (uint64_t)p->templ_height + 1);
    const xncc_workspace *w = &stack->decision.workspace;
    uint64_t sum = 0;
    for (int i = 0; i < XNCC_BUFFERS; i++)
        sum += w->bytes[i];
    CHECK_INT(s->bytes, sum);
    CHECK_INT(w->total, sum);
    CHECK(w->bytes[XNCC_BUFFER_MAP] >= map);
    CHECK(stack->image_bytes >= copies);
    CHECK(stack->search_bytes >= (uint64_t)s->images * XNCC_PEAK_ROOM * 8);
    CHECK_INT(w->bytes[XNCC_BUFFER_BATCH],
              2 * stack->image_bytes + stack->search_bytes + stack->result_bytes);
    CHECK(stack->result_bytes >= (uint64_t)XNCC_PEAK_ROOM * 12 + 28);
    CHECK_INT(stack->problem.image_height, s->images * p->image_height);
}

void check_stacks(void)
{
    asked all[] = { { matching(XNCC_U8, 64, 64, 16, 16), 1000, 1000, NULL },
                    { matching(XNCC_U8, 640, 480, 32, 32), 1000, 200, NULL },
                    { matching(XNCC_U16, 320, 240, 32, 32), 37, 37, NULL },
                    { matching(XNCC_F32, 64, 64, 16, 16), 100, 100, NULL },
                    { matching(XNCC_U8, 8192, 4096, 64, 64), 2, 2, NULL },
                    { matching(XNCC_U8, 8192, 4097, 64, 64), 9, 0, "one image keeps" },
                    { matching(XNCC_U8, 64, 64, 16, 16), 1, 0, NULL },
                    { matching(XNCC_U8, 64, 64, 16, 16), INT32_MAX, 0, NULL },
                    { matching(XNCC_U8, 64, 64, 16, 16), 50, 0, "windows that leave" },
                    { matching(XNCC_U8, 64, 64, 16, 16), 50, 0, "images with masks" } };
    xncc_machine m = machine(MACHINES - 1);
    all[7].wanted = 4096; /* (2^31 - 1) / 4096 is whole but for one image */
    all[8].problem.rule.mode = XNCC_SAME;
    all[9].problem.image_masked = 1;
    m.cuda.workspace = INT64_C(1) << 36;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        xncc_stack_plan stack;
        const xncc_stack s = choose(&all[i], &m, NULL, &stack);
        CHECK_INT(s.wanted, all[i].images);
        CHECK_INT(s.images, all[i].wanted);
        if (all[i].refusal)
            CHECK(s.refusal && strstr(s.refusal, all[i].refusal));
        if (s.images > 1)
            check_memory(&all[i], &s, &stack);
    }
    /* Less memory: fewer images, until there is no room for two. */
    int32_t last = INT32_MAX;
    for (int i = 0; i < LIMIT_STEPS; i++, m.cuda.workspace /= 2) {
        xncc_stack_plan stack;
        xncc_decision d;
        if (decide(&all[0].problem, &m, "tex-tex", &d, &kit_error) != XNCC_OK)
            break;
        const xncc_stack s = choose(&all[0], &m, "tex-tex", &stack);
        CHECK(s.images <= last);
        last = s.images;
        if (s.images > 1)
            CHECK_INT(s.kernel, XNCC_KERNEL_TEX_TEX); /* the forced one */
        else
            CHECK(s.refusal && strstr(s.refusal, "device memory"));
    }
    CHECK_INT(last, 0);
    /* Several devices. */
    m = machine(MACHINES - 1);
    m.cuda.workspace = INT64_C(1) << 36;
    m.team.engine = XNCC_DEVICE_CUDA;
    m.team.devices = 2;
    xncc_stack_plan stack;
    const xncc_stack s = choose(&all[0], &m, NULL, &stack);
    CHECK_INT(s.images, (all[0].wanted + 1) / 2); /* each has half of them */
    CHECK(s.image_ms > 0.0);
}
