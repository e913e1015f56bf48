/* SPDX-License-Identifier: BSD-2-Clause */
/* The float environment: how this thread rounds, whether it flushes subnormal numbers to zero, and
 * which exceptions trap. A program may have changed it (fesetround, -ffast-math, feenableexcept),
 * and results must not depend on that. So every public function computes in the default
 * environment of IEEE-754, and leaves that of its caller as it was, flags included. */
#ifndef XNCC_BASE_FLOAT_ENV_H
#define XNCC_BASE_FLOAT_ENV_H

#include <fenv.h>
#include <stdint.h>

/* The environment of the caller of a public function. */
typedef struct xncc_float_env {
    uint32_t mxcsr; /* x86: the control and status word of SSE */
    int whole;      /* 1: `saved` is set */
    fenv_t saved;
} xncc_float_env;

/* Begins the default environment, and returns the one that it replaces. */
xncc_float_env xncc_float_env_enter(void);

/* Restores an environment. */
void xncc_float_env_leave(const xncc_float_env *env);

/* The first statement of every public function that returns a status: until it returns, this thread
 * has the default environment. A lint asks for it. */
#define XNCC_ENTER                                                                                 \
    __attribute__((cleanup(xncc_float_env_leave), unused))                                         \
    xncc_float_env float_env = xncc_float_env_enter()

#endif
