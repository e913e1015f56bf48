/* SPDX-License-Identifier: BSD-2-Clause */
/* Watching and cancelling the running calls of a context from other threads. */
#ifndef XNCC_BASE_WATCH_H
#define XNCC_BASE_WATCH_H

#include "base/error.h"

#include <stdint.h>

#ifdef __cplusplus
#include <atomic>
typedef std::atomic<uint64_t> xncc_counter;
using std::memory_order_relaxed;
#else
#include <stdatomic.h>
typedef _Atomic uint64_t xncc_counter;
#endif

/* The counters of a context.
 * - done, total: the progress of the running calls, for xncc_context_progress. Engines add to
 *   `done`.
 * - cancels: how often xncc_context_cancel was called. It only grows, so nobody resets it. */
typedef struct xncc_progress {
    xncc_counter done, total, cancels;
} xncc_progress;

/* The running call of a plan or of a batch, as other threads see it. */
typedef struct xncc_watch {
    xncc_progress *progress; /* of the context */
    uint64_t since;          /* progress->cancels when the public call began */
    int joined;              /* 1: the call is a part of another one, which began at `since` */
} xncc_watch;

/* A public call of an object begins: a cancellation from now on is meant for it. */
static inline void xncc_watch_begin(xncc_watch *watch)
{
    if (!watch->joined)
        watch->since = atomic_load(&watch->progress->cancels);
}

/* Returns the watch of a public call that begins now. */
static inline xncc_watch xncc_watch_make(xncc_progress *progress)
{
    xncc_watch watch = { progress, 0, 0 };
    xncc_watch_begin(&watch);
    return watch;
}

/* From now on, the calls that `part` watches are parts of the call that `whole` watches. So no
 * cancellation is lost between two parts. */
static inline void xncc_watch_join(xncc_watch *part, const xncc_watch *whole)
{
    part->since = whole->since;
    part->joined = 1;
}

/* Begins a call of `units` units (map elements). The counts of finished calls are dropped first, so
 * that the fraction describes the calls that are running. */
static inline void xncc_progress_begin(xncc_progress *progress, uint64_t units)
{
    if (atomic_load(&progress->done) >= atomic_load(&progress->total)) {
        atomic_store(&progress->done, UINT64_C(0));
        atomic_store(&progress->total, UINT64_C(0));
    }
    atomic_fetch_add(&progress->total, units);
}

static inline void xncc_progress_step(xncc_progress *progress, uint64_t units)
{
    atomic_fetch_add(&progress->done, units);
}

/* Is this call cancelled? The only place that says so. Once the answer is 1, it stays 1 until the
 * call returns. So a function that stops early needs no status: its caller asks again. */
static inline int xncc_is_cancelled(const xncc_watch *watch)
{
    return atomic_load_explicit(&watch->progress->cancels, memory_order_relaxed) != watch->since;
}

/* Returns XNCC_OK, or XNCC_ERROR_CANCELLED with its text if the call is cancelled. */
static inline xncc_status xncc_check_cancelled(const xncc_watch *watch, xncc_error *error)
{
    return xncc_is_cancelled(watch)
               ? xncc_fail(error, XNCC_ERROR_CANCELLED,
                           "cancelled by xncc_context_cancel: the results are not complete; call "
                           "again to compute them")
               : XNCC_OK;
}

#endif
