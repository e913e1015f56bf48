/* SPDX-License-Identifier: BSD-2-Clause */
/* The float environment by fenv.h. On x86, where that takes as long as a small search, the usual
 * cases need no more than two instructions each way. */
#include "base/float_env.h"

#if defined(__SSE2__)
#include <xmmintrin.h>

enum {
    MXCSR_DEFAULT = 0x1f80, /* to nearest, subnormal numbers as they are, nothing traps, no flags */
    X87_CONTROL = 0x0f3f,   /* rounding, precision, and what does not trap */
    X87_DEFAULT = 0x033f,   /* to nearest, 64 bits, nothing traps */
    X87_FLAGS = 0x3f        /* the exceptions that have occurred */
};

static unsigned x87_flags(void)
{
    uint16_t status;
    __asm__ volatile("fnstsw %0" : "=m"(status));
    return status & X87_FLAGS;
}

/* Is the x87 unit, which computes long doubles, not in its default state? */
static int is_x87_changed(void)
{
    uint16_t control;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    return (control & X87_CONTROL) != X87_DEFAULT || x87_flags();
}

xncc_float_env xncc_float_env_enter(void)
{
    xncc_float_env env = { .mxcsr = _mm_getcsr(), .whole = is_x87_changed() };
    if (env.whole) {
        (void)fegetenv(&env.saved);
        (void)fesetenv(FE_DFL_ENV);
    }
    _mm_setcsr(MXCSR_DEFAULT);
    return env;
}

void xncc_float_env_leave(const xncc_float_env *env)
{
    if (env->whole)
        (void)fesetenv(&env->saved);
    else if (x87_flags())
        __asm__ volatile("fnclex");
    _mm_setcsr(env->mxcsr);
}

#else

xncc_float_env xncc_float_env_enter(void)
{
    xncc_float_env env = { .whole = 1 };
    (void)fegetenv(&env.saved);
    (void)fesetenv(FE_DFL_ENV);
    return env;
}

void xncc_float_env_leave(const xncc_float_env *env)
{
    (void)fesetenv(&env->saved);
}

#endif
