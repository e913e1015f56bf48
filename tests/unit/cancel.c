/* SPDX-License-Identifier: BSD-2-Clause */
/* xncc_context_cancel: every kind of call, with every kernel, is cancelled from another thread at a
 * random moment. It must return soon, with its status and text; after that, the same objects must
 * give the right results. Calls that begin later, and other contexts, must not notice.
 *
 * --device cuda   the calls of the CUDA engine
 * --calls, --prepare, --parts   only this part of the test
 * --worst         instead: large templates in large images, on one thread
 * --case NAME, --kernel NAME    with --worst: only these
 * --rounds N      with --worst: how often each problem is cancelled (8)
 * --tries N       with --worst: a limit is broken if it is in each of N series of rounds (4)
 * --limit MS      the most milliseconds from the cancellation to the return (1000)
 *
 * On the CPU milliseconds are those of processors, so that nothing depends on how busy the machine
 * is: with one thread those of the thread that calls, else those of all threads but this one. */
#include "cancel.h"

#include "kit/sanitized.h"

#include "base/memory.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What milliseconds are counted. */
typedef enum counted {
    COUNT_ELAPSED, /* the time that passes, for work on a device */
    COUNT_CALLER,  /* the processor time of the thread that calls */
    COUNT_OTHERS   /* the processor time of all threads but the one that cancels */
} counted;

static counted counting;
static clockid_t canceller; /* the clock of the thread that cancels */
static double limit_ms;
static int rounds;      /* how often a large problem is cancelled */
static int tries;       /* and how often again, if that took too long; 0: nothing is repeated */
static double worst_ms; /* the longest time so far from a cancellation to the return */
static kit_random delays;

static double ms_of(clockid_t clock)
{
    struct timespec t = { 0, 0 };
    (void)clock_gettime(clock, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static double now_ms(void)
{
    return ms_of(CLOCK_MONOTONIC);
}

static void sleep_us(int32_t us)
{
    const struct timespec t = { us / 1000000, us % 1000000 * 1000L };
    (void)nanosleep(&t, NULL);
}

/* A call in a thread of its own. */
typedef struct running {
    cancel_scene *scene;
    const cancel_call *call;
    pthread_t thread;
    xncc_status status;
    xncc_error error; /* the text of the status */
    clockid_t clock;  /* of the thread */
    double end;       /* spent_ms at the return */
    atomic_int begun, ended, leave;
} running;

/* Of two clocks the one is read first that must not be too late. If a thread is interrupted between
 * the two, the call seems to return earlier and not later than it did. */
static double spent_ms(const running *r, int at_end)
{
    if (counting != COUNT_OTHERS)
        return ms_of(counting == COUNT_CALLER ? r->clock : CLOCK_MONOTONIC);
    const double first = ms_of(at_end ? CLOCK_PROCESS_CPUTIME_ID : canceller),
                 second = ms_of(at_end ? canceller : CLOCK_PROCESS_CPUTIME_ID);
    return at_end ? first - second : second - first;
}

static void *work(void *argument)
{
    running *r = argument;
    if (pthread_getcpuclockid(pthread_self(), &r->clock) != 0)
        kit_give_up("a thread has no clock");
    atomic_store(&r->begun, 1);
    r->status = r->call->run(r->scene);
    r->end = spent_ms(r, 1);
    r->error = kit_error;
    atomic_store(&r->ended, 1);
    while (!atomic_load(&r->leave)) /* the clock must be there until it was read */
        sleep_us(100);
    return NULL;
}

static void start(running *r, cancel_scene *scene, const cancel_call *call)
{
    r->scene = scene;
    r->call = call;
    atomic_init(&r->begun, 0);
    atomic_init(&r->ended, 0);
    atomic_init(&r->leave, 0);
    if (pthread_create(&r->thread, NULL, work, r) != 0)
        kit_give_up("pthread_create failed");
    while (!atomic_load(&r->begun))
        (void)sched_yield();
}

static void finish(running *r)
{
    atomic_store(&r->leave, 1);
    pthread_join(r->thread, NULL);
}

/* A problem that takes a moment, and what its call gives. */
typedef struct bystander {
    cancel_scene scene;
    const cancel_call *call;
    uint64_t want;
} bystander;

static const cancel_case plain_u8 = { "u8", XNCC_U8, 1, 16, 0, 0, 0 };

static bystander bystander_make(xncc_context *context)
{
    bystander b = { .scene = cancel_scene_make(context, &plain_u8, NULL, 40),
                    .call = cancel_call_of("xncc_plan_correlate") };
    CHECK_STATUS(b.call->run(&b.scene), XNCC_OK);
    b.want = cancel_results(&b.scene);
    return b;
}

static void bystander_check(bystander *b)
{
    cancel_forget(&b->scene);
    CHECK_STATUS(b->call->run(&b->scene), XNCC_OK);
    CHECK(cancel_results(&b->scene) == b->want);
}

/* Checks what a cancelled call leaves. */
static void check_cancelled(const running *r, double lag, const char *what)
{
    CHECK(strstr(r->error.text, "cancelled by xncc_context_cancel") != NULL);
    for (int i = 0; i < CANCEL_TEMPLS && r->call->finds; i++)
        CHECK_INT(r->scene->found[i], 0);
    CHECK(xncc_context_progress(r->scene->context) == 1.0);
    if (lag > limit_ms && !tries)
        kit_fail(__FILE__, __LINE__, "%s with %s, %s, %d x %d: returned after %.1f ms",
                 r->call->name, r->scene->kernel ? r->scene->kernel : "any kernel", what,
                 r->scene->problem.image_width, r->scene->problem.image_height, lag);
    if (lag > worst_ms)
        worst_ms = lag;
}

/* Runs a call and cancels it after a random delay, unless it returns before. Then a bystander
 * begins. Without one, the call is a long one: the delay begins with its progress, as it would take
 * too long if it were cancelled before it began. Returns the call's status. */
static xncc_status run_and_cancel(cancel_scene *scene, const cancel_call *call, const char *what,
                                  bystander *b, int32_t most_us)
{
    running r;
    cancel_forget(scene);
    start(&r, scene, call);
    while (!b && xncc_context_progress(scene->context) == 1.0 && !atomic_load(&r.ended))
        (void)sched_yield();
    sleep_us(kit_between(&delays, 0, most_us));
    const double progress = xncc_context_progress(scene->context);
    CHECK(progress >= 0.0 && progress <= 1.0);
    xncc_context_cancel(scene->context);
    const double before = spent_ms(&r, 0);
    if (b)
        bystander_check(b);
    finish(&r);
    if (r.status == XNCC_ERROR_CANCELLED)
        check_cancelled(&r, fmax(r.end - before, 0.0), what);
    else
        CHECK_STATUS(r.status, XNCC_OK);
    return r.status;
}

/* The results of the fastest kernel, computed by another context. */
static uint64_t expected(const cancel_case *c, const cancel_call *call, int32_t side)
{
    xncc_context *other = kit_context(XNCC_DEVICE_CPU, 2);
    cancel_scene s = cancel_scene_make(other, c, NULL, side);
    CHECK_STATUS(call->run(&s), XNCC_OK);
    const uint64_t want = cancel_results(&s);
    cancel_scene_free(&s);
    xncc_context_destroy(other);
    return want;
}

/* Cancels a call on larger and larger images, until it does not return before. */
static void test_call(xncc_context *context, const cancel_case *c, const cancel_call *call,
                      const char *kernel)
{
    enum { LARGEST = 8192 };
    const int32_t most_us = KIT_SANITIZED ? 20000 : 8000;
    bystander b = bystander_make(context);
    xncc_status status = XNCC_OK;
    for (int32_t side = 64; side <= LARGEST && !status; side *= 2) {
        cancel_scene scene = cancel_scene_make(context, c, kernel, side);
        for (int i = 0; i < 3 && !status; i++)
            status = run_and_cancel(&scene, call, c->name, &b, most_us);
        if (status) {
            cancel_forget(&scene);
            CHECK_STATUS(call->run(&scene), XNCC_OK);
            CHECK(cancel_results(&scene) == expected(c, call, side));
            CHECK(xncc_context_progress(context) == 1.0);
        }
        cancel_scene_free(&scene);
    }
    if (status != XNCC_ERROR_CANCELLED)
        kit_fail(__FILE__, __LINE__, "%s, %s, %s: never cancelled", call->name, c->name,
                 kernel ? kernel : "any kernel");
    cancel_scene_free(&b.scene);
}

/* The kinds of problems: every road through the kernels. */
static const cancel_case cases[] = {
    { "u8", XNCC_U8, 1, 16, 0, 0, 0 },
    { "u16", XNCC_U16, 1, 16, 0, 0, 0 },
    { "u32, masks", XNCC_U32, 1, 16, 1, 1, 0 },
    { "u8, 3 channels, masked template", XNCC_U8, 3, 16, 0, 1, 0 },
    { "f32", XNCC_F32, 1, 16, 0, 0, 0 },
    { "f64, masks", XNCC_F64, 1, 16, 1, 1, 0 },
    { "convolution of u8", XNCC_U8, 1, 15, 0, 0, 1 },
};
enum { CASES = sizeof cases / sizeof *cases };

/* The large problems. */
static const cancel_case large_cases[] = {
    { "u8", XNCC_U8, 1, 1500, 0, 0, 0 },         { "u16", XNCC_U16, 1, 3000, 0, 0, 0 },
    { "u32-masked", XNCC_U32, 1, 512, 1, 1, 0 }, { "u8x3-masked", XNCC_U8, 3, 512, 1, 1, 0 },
    { "f32", XNCC_F32, 1, 3000, 0, 0, 0 },       { "f64-masked", XNCC_F64, 1, 512, 1, 1, 0 },
    { "convolve", XNCC_F32, 1, 127, 0, 0, 1 },
};
enum { LARGE_CASES = sizeof large_cases / sizeof *large_cases, LARGE_SIDE = 4096 };

static size_t kernels_of(xncc_context *context, const cancel_case *c, int32_t side,
                         const char *name[32])
{
    const xncc_problem problem = cancel_problem(c, side);
    const size_t count = xncc_kernel_list(context, &problem, name, 32);
    CHECK(count > 0 && count <= 32);
    return count;
}

/* Every kernel of every kind of problem. */
static void test_kernels(xncc_context *context)
{
    for (int i = 0; i < CASES; i++) {
        const char *name[32];
        const size_t count = kernels_of(context, &cases[i], 64, name);
        for (size_t k = 0; k < count; k++)
            test_call(
                context, &cases[i],
                cancel_call_of(cases[i].convolve ? "xncc_plan_convolve" : "xncc_plan_correlate"),
                name[k]);
    }
}

static void test_calls(xncc_context *context)
{
    for (size_t i = 0; i < cancel_call_count; i++)
        test_call(context, &cases[cancel_calls[i].convolves ? CASES - 1 : 0], &cancel_calls[i],
                  NULL);
}

/* Cancels a large problem, which takes many seconds, several times with one kernel. Returns the
 * longest time to the return; ends at one beyond the limit. */
static double cancel_large(cancel_scene *scene, const cancel_case *c)
{
    const double before = worst_ms;
    worst_ms = 0.0;
    for (int n = 0; n < rounds && worst_ms <= limit_ms; n++) {
        const cancel_call *call = cancel_call_of(c->convolve ? "xncc_plan_convolve"
                                                 : n % 2     ? "xncc_plan_find"
                                                             : "xncc_plan_correlate");
        (void)run_and_cancel(scene, call, c->name, NULL, n < rounds / 2 ? 40000 : 150000);
    }
    const double longest = worst_ms;
    worst_ms = fmax(longest, before);
    return longest;
}

/* A processor that shares its caches and units may be slow for a while, so that a limit counts as
 * broken only if it is broken again and again. */
static void test_large(xncc_context *context, const cancel_case *c, const char *kernel)
{
    cancel_scene scene = cancel_scene_make(context, c, kernel, LARGE_SIDE);
    double best = INFINITY;
    for (int i = 0; i < tries && best > limit_ms; i++)
        best = fmin(best, cancel_large(&scene, c));
    printf("%s, %s: %.1f ms\n", c->name, kernel, best);
    if (!CHECK(best <= limit_ms))
        kit_fail(__FILE__, __LINE__, "%s, %s: returned after %.1f ms", c->name, kernel, best);
    cancel_scene_free(&scene);
}

/* All large problems with all kernels, or those of the names that are given. */
static void test_worst(xncc_context *context, const char *case_name, const char *kernel)
{
    for (int i = 0; i < LARGE_CASES; i++) {
        const cancel_case *c = &large_cases[i];
        const char *name[32];
        if (case_name && strcmp(case_name, c->name) != 0)
            continue;
        const size_t count = kernels_of(context, c, LARGE_SIDE, name);
        for (size_t k = 0; k < count; k++)
            if (!kernel || strcmp(kernel, name[k]) == 0)
                test_large(context, c, name[k]);
    }
}

/* Cancels a call while it prepares a template, which is most of its work here, and at other times.
 * The next call with the template must not take it for prepared. On a busy machine many calls end
 * before they are cancelled: then there are more. */
static void test_prepare(xncc_context *context)
{
    enum { MOST = 1000 };
    const int least = kit_short() ? 12 : 60;
    static const cancel_case c = { "u32, masks, prepared", XNCC_U32, 1, 300, 1, 1, 0 };
    const cancel_call *call = cancel_call_of("xncc_plan_correlate");
    cancel_scene s = cancel_scene_make(context, &c, NULL, 302),
                 fresh = cancel_scene_make(context, &c, NULL, 302);
    bystander b = bystander_make(context);
    int cancelled = 0;
    const double begin = now_ms();
    CHECK_STATUS(call->run(&s), XNCC_OK);
    const int32_t most_us = (int32_t)(1000.0 * (now_ms() - begin)) + 100;
    for (int i = 0; i < least || (cancelled == 0 && i < MOST); i++) {
        const xncc_template *first = s.templ[0]; /* both have one size */
        s.templ[0] = s.templ[1];
        s.templ[1] = (xncc_template *)(uintptr_t)first;
        cancelled += run_and_cancel(&s, call, c.name, &b, most_us) != XNCC_OK;
        cancel_forget(&s);
        CHECK_STATUS(call->run(&s), XNCC_OK);
        const xncc_map map = { .data = fresh.map.view.data,
                               .width = 3,
                               .height = 3,
                               .pitch = (int64_t)fresh.map.view.width * (int64_t)sizeof(float) };
        CHECK_STATUS(kit_correlate(context, &s.image.view, s.templ[0], NULL, &map), XNCC_OK);
        CHECK(cancel_results(&s) == cancel_results(&fresh));
    }
    CHECK(cancelled > 0);
    cancel_scene_free(&b.scene);
    cancel_scene_free(&s);
    cancel_scene_free(&fresh);
}

/* A cancellation of another context changes nothing. */
static void test_two_contexts(xncc_context *context)
{
    xncc_context *other = kit_context(XNCC_DEVICE_CPU, 1);
    const cancel_call *call = cancel_call_of("xncc_plan_find");
    cancel_scene scene = cancel_scene_make(context, &plain_u8, NULL, 1024);
    running r;
    start(&r, &scene, call);
    for (int i = 0; i < 20; i++) {
        sleep_us(200);
        xncc_context_cancel(other);
    }
    finish(&r);
    CHECK_STATUS(r.status, XNCC_OK);
    CHECK(cancel_results(&scene) == expected(&plain_u8, call, 1024));
    cancel_scene_free(&scene);
    xncc_context_destroy(other);
    xncc_context_cancel(NULL);
}

static void cancel(void *context)
{
    xncc_context_cancel(context);
}

/* Cancels a call in each of its allocations in turn: in all of its parts, and between them. After
 * the last checks of a search there are at most two, when it chooses its matches. */
static void test_parts(const cancel_call *call)
{
    const cancel_case *c = &cases[call->convolves ? CASES - 1 : 0];
    uint64_t total = 1;
    for (uint64_t n = 0; n <= total; n++) {
        xncc_context *context = kit_context(XNCC_DEVICE_CPU, 1);
        cancel_scene scene = cancel_scene_make(context, c, NULL, 48);
        (void)xncc_alloc_call(n, cancel, context);
        const xncc_status status = call->run(&scene);
        const uint64_t requests = xncc_alloc_call(0, NULL, NULL);
        if (n == 0)
            total = requests;
        if (n == 0 || status == XNCC_OK)
            CHECK_STATUS(status, XNCC_OK);
        else
            CHECK_STATUS(status, XNCC_ERROR_CANCELLED);
        if (n > 0 && status == XNCC_OK && !(call->finds && n + 2 > total))
            kit_fail(__FILE__, __LINE__, "%s: the cancellation in allocation %d of %d is lost",
                     call->name, (int)n, (int)total);
        cancel_forget(&scene);
        CHECK_STATUS(call->run(&scene), XNCC_OK);
        cancel_scene_free(&scene);
        xncc_context_destroy(context);
    }
}

/* A scan that was cancelled refuses to go on. Its plan is free once it is destroyed. */
static void test_cancelled_scan(xncc_context *context)
{
    cancel_scene s = cancel_scene_make(context, &plain_u8, NULL, 1024);
    xncc_scan *scan = NULL;
    size_t found = 1;
    CHECK_STATUS(kit_scan_create(s.plan, &s.image.view, s.templ[0], NULL, 1, &scan), XNCC_OK);
    (void)xncc_alloc_call(1, cancel, context); /* the first candidates are stored */
    CHECK_STATUS(xncc_scan_rows(scan, 1000, &kit_error), XNCC_ERROR_CANCELLED);
    (void)xncc_alloc_call(0, NULL, NULL);
    CHECK_STATUS(xncc_scan_rows(scan, 1001, &kit_error), XNCC_ERROR_CANCELLED);
    CHECK_STATUS(xncc_scan_finish(scan, s.match, &found, NULL, &kit_error), XNCC_ERROR_CANCELLED);
    CHECK_INT(found, 0);
    CHECK_TEXT(kit_error.text, "scan: it has failed; create a new one");
    xncc_scan_destroy(scan);
    CHECK_STATUS(cancel_call_of("xncc_plan_find")->run(&s), XNCC_OK);
    cancel_scene_free(&s);
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    limit_ms = strtod(kit_option(argc, argv, "limit", "1000"), NULL);
    rounds = atoi(kit_option(argc, argv, "rounds", "8"));
    delays = kit_stream(3);
    const int worst = kit_flag(argc, argv, "worst"), parts = kit_flag(argc, argv, "parts"),
              prepare = kit_flag(argc, argv, "prepare"), calls = kit_flag(argc, argv, "calls"),
              all = !worst && !parts && !prepare && !calls;
    tries = worst ? atoi(kit_option(argc, argv, "tries", "4")) : 0;
    const xncc_device device = kit_device_option(argc, argv);
    const int cpu = device == XNCC_DEVICE_CPU;
    counting = !cpu ? COUNT_ELAPSED : worst ? COUNT_CALLER : COUNT_OTHERS;
    if (pthread_getcpuclockid(pthread_self(), &canceller) != 0)
        kit_give_up("a thread has no clock");
    xncc_context *context = kit_context(device, worst ? 1 : 3);
    if (worst)
        test_worst(context, kit_option(argc, argv, "case", NULL),
                   kit_option(argc, argv, "kernel", NULL));
    if (all)
        test_kernels(context);
    if (all || calls)
        test_calls(context);
    if (all || prepare)
        test_prepare(context);
    if (all)
        test_two_contexts(context);
    if ((all && cpu) || parts)
        test_cancelled_scan(context);
    for (size_t i = 0; i < cancel_call_count && ((all && cpu) || parts); i++)
        test_parts(&cancel_calls[i]);
    xncc_context_destroy(context);
    printf("longest time from a cancellation to the return: %.2f ms\n", worst_ms);
    return kit_finish("cancel");
}
