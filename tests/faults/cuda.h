/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of CUDA that fail, under every public call (cuda.c has the rules, cuda_scenes.c the
 * calls). */
#ifndef FAULTS_CUDA_H
#define FAULTS_CUDA_H

#include "kit/pixels.h"

/* The device of all contexts. The thread's own is 0. */
enum { FAULTS_DEVICE = 1 };

/* One or several public calls. */
typedef struct scene {
    const char *name;
    void (*begin)(void);       /* makes what the calls use */
    xncc_status (*call)(void); /* makes them up to the first failure; its text is in kit_error */
    void (*end)(void);
    /* 1: the calls return when their work is done, so that nobody uses memory of the caller any
     * more. */
    int waits;
} scene;

/* The context that scenes use. */
extern xncc_context *context;

/* Tries each failure under a scene. part: what is tried, for example the kernel. */
void exhaust(const char *part, const scene *s);

/* Between these, a call returns nothing: it cannot tell of a failure. */
void quiet_begin(void);
void quiet_end(void);

/* Makes calls twice. The second time, the first call of CUDA of a name fails. */
xncc_status calls_with_failing(xncc_status (*call)(void), const char *name);

/* Tries all scenes. */
void all_scenes(void);
/* What a process does first, with nothing that was there before. Returns as scene.call does. */
xncc_status first_calls(void);

#endif
