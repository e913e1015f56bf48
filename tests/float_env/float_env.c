/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that has changed its float environment gets the same bits as any other, and keeps its
 * environment, flags included: every rounding mode, flushing to zero, exceptions that trap, and
 * short long doubles. */
#include "float_env/calls.h"
#include "kit/kit.h"

#include "base/float_env.h"
#include "base/pool.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

/* What a program can set. x86: the control words of SSE and of x87; elsewhere: the rounding. */
typedef struct mode {
    const char *name;
    uint32_t sse, x87; /* x87: with the flags that are set, from bit 16 on */
} mode;

#if defined(__x86_64__)
#include <xmmintrin.h>
static const mode modes[] = {
    { "default", 0x1f80, 0x037f },
    { "upward", 0x5f80, 0x0b7f },
    { "downward", 0x3f80, 0x077f },
    { "toward zero", 0x7f80, 0x0f7f },
    { "upward, SSE alone", 0x5f80, 0x037f },
    { "flush to zero", 0x9f80, 0x037f },
    { "denormals are zero", 0x1fc0, 0x037f },
    { "upward, and both of these", 0xdfc0, 0x0b7f },
    { "exceptions trap", 0x0000, 0x0340 },
    { "flags are set", 0x1fbf, 0x14037f },
    { "x87 has 24 bits", 0x1f80, 0x007f },
};

static void mode_set(const mode *m)
{
    fenv_t env;
    (void)fesetenv(FE_DFL_ENV); /* with no flags */
    (void)fegetenv(&env);
    env.__control_word = (uint16_t)m->x87;
    env.__status_word = (uint16_t)(m->x87 >> 16);
    env.__mxcsr = m->sse;
    (void)fesetenv(&env);
}

static mode mode_now(const char *name)
{
    uint16_t control, status;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    __asm__ volatile("fnstsw %0" : "=m"(status));
    return (mode){ name, _mm_getcsr(), control | (status & 0x3fu) << 16 };
}
#else
static const mode modes[] = {
    { "default", FE_TONEAREST, 0 },
#ifdef FE_UPWARD
    { "upward", FE_UPWARD, 0 },
#endif
#ifdef FE_DOWNWARD
    { "downward", FE_DOWNWARD, 0 },
#endif
#ifdef FE_TOWARDZERO
    { "toward zero", FE_TOWARDZERO, 0 },
#endif
};

static void mode_set(const mode *m)
{
    (void)fesetround((int)m->sse);
}

static mode mode_now(const char *name)
{
    return (mode){ name, (uint32_t)fegetround(), 0 };
}
#endif
enum { MODES = sizeof modes / sizeof *modes };

static int is_same(const mode *a, const mode *b)
{
    return a->sse == b->sse && a->x87 == b->x87;
}

/* Makes every call in a mode. first: what they return in the default one. */
static void calls_in(const mode *m, xncc_context *context, const uint64_t first[CALLS])
{
    for (size_t i = 0; i < CALLS; i++) {
        mode_set(m);
        const mode before = mode_now(m->name);
        const uint64_t digest = call_digest(i, context);
        const mode after = mode_now(m->name);
        mode_set(&modes[0]);
        if (!CHECK(digest == first[i]))
            kit_fail(__FILE__, __LINE__, "%s: other bits with '%s'", call_name(i), m->name);
        if (!CHECK(is_same(&before, &after)))
            kit_fail(__FILE__, __LINE__, "%s: '%s' is %x, %x after it", call_name(i), m->name,
                     (unsigned)after.sse, (unsigned)after.x87);
    }
}

/* The rows that a program gives to xncc_track_rows are made in the program's own mode, which it may
 * change there. */
typedef struct giver {
    uint8_t pixels[64 * 64];
    const mode *mode; /* which the program has set */
    const mode *next; /* which it sets when it is asked */
    int asked;
} giver;

static xncc_status give(void *argument, size_t pair, int32_t which, int32_t y, int32_t height,
                        xncc_image *view, xncc_error *error)
{
    giver *g = argument;
    const mode now = mode_now("");
    (void)pair;
    (void)which;
    (void)error;
    mode_set(g->next);
    CHECK(is_same(&now, g->asked ? g->next : g->mode));
    g->asked = 1;
    *view = (xncc_image){ .data = g->pixels + 64 * y, .width = 64, .height = height };
    return XNCC_OK;
}

static void check_reader(xncc_context *context, const mode *m, const mode *next)
{
    static giver g;
    g = (giver){ .mode = m, .next = next };
    for (int i = 0; i < 64 * 64; i++)
        g.pixels[i] = (uint8_t)(i * i / 7);
    xncc_track_source source = XNCC_TRACK_SOURCE_INIT;
    source.width1 = source.width2 = source.height1 = source.height2 = 64;
    source.read = give;
    source.argument = &g;
    static const xncc_track_point point = { 32.0, 32.0, 0.0, 0.0 };
    xncc_displacement found;
    mode_set(m);
    const xncc_status status = xncc_track_rows(context, &source, NULL, &point, 1, &found,
                                               &kit_error);
    const mode after = mode_now("");
    mode_set(&modes[0]);
    CHECK_STATUS(status, XNCC_OK);
    CHECK(g.asked && is_same(&after, next));
}

/* Threads of a pool have the default mode, whoever starts them. */
static atomic_int others;
static atomic_int workers;

static void look(void *argument, uint64_t index, int32_t slot)
{
    (void)argument;
    (void)index;
    const mode now = mode_now("");
    if (slot > 0) {
        atomic_fetch_add(&workers, 1);
        atomic_fetch_add(&others, !is_same(&now, &modes[0]));
    }
    (void)nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

static void check_pool(const mode *m)
{
    xncc_pool *pool = NULL;
    mode_set(m);
    const xncc_status status = xncc_pool_create(3, &pool, &kit_error);
    for (int i = 0; !status && i < 100 && !atomic_load(&workers); i++)
        xncc_pool_run(pool, 50, look, NULL);
    mode_set(&modes[0]);
    xncc_pool_destroy(pool);
    CHECK_STATUS(status, XNCC_OK);
    CHECK(atomic_load(&workers) > 0);
    CHECK_INT(atomic_load(&others), 0);
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    xncc_context *context = kit_context(XNCC_DEVICE_CPU, 2);
    uint64_t first[CALLS];
    for (size_t i = 0; i < CALLS; i++)
        first[i] = call_digest(i, context);
    for (size_t m = 0; m < MODES; m++)
        calls_in(&modes[m], context, first);
    xncc_context_destroy(context);

    /* a context that is made in such a mode, too; the decision depends on its threads */
    const mode *const odd = &modes[MODES > 7 ? 7 : 1];
    xncc_context_options options = XNCC_CONTEXT_OPTIONS_INIT;
    options.device = XNCC_DEVICE_CPU;
    options.threads = 2;
    mode_set(odd);
    const xncc_status status = xncc_context_create(&options, &context, &kit_error);
    mode_set(&modes[0]);
    if (CHECK_STATUS(status, XNCC_OK))
        calls_in(odd, context, first);
    for (size_t m = 0; m < MODES; m++)
        check_reader(context, &modes[m], &modes[(m + 1) % MODES]);
    xncc_context_destroy(context);
    for (size_t m = 1; m < MODES; m++) {
        atomic_store(&workers, 0);
        check_pool(&modes[m]);
    }
    return kit_finish("float_env");
}
