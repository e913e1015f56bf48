/* SPDX-License-Identifier: BSD-2-Clause */
/* The pool of threads: every task runs once, on no more threads than asked for, in slots of their
 * own, whatever else runs at the same time. */
#include "kit/kit.h"
#include "kit/sanitized.h"

#include "base/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { THREADS = 4, TASKS = 500, CALLERS = 3, ROUNDS = KIT_SANITIZED ? 50 : 1000 };

typedef struct run {
    int32_t most;
    atomic_int times[TASKS], busy[THREADS];
    atomic_int wrong; /* a slot out of range, or of two tasks at once */
} run;

static void task(void *argument, uint64_t index, int32_t slot)
{
    run *r = argument;
    if (slot < 0 || slot >= r->most || atomic_fetch_add(&r->busy[slot], 1) != 0) {
        atomic_store(&r->wrong, 1);
        return;
    }
    atomic_fetch_add(&r->times[index], 1);
    for (volatile int i = 0; i < 2000; i++)
        continue;
    atomic_fetch_sub(&r->busy[slot], 1);
}

static void check_run(xncc_pool *pool, int32_t most, uint64_t count)
{
    static const run empty;
    run r = empty;
    r.most = most;
    xncc_pool_run_on(pool, most, count, task, &r);
    int once = 1;
    for (uint64_t i = 0; i < TASKS; i++)
        once &= atomic_load(&r.times[i]) == (i < count);
    CHECK(once);
    CHECK_INT(atomic_load(&r.wrong), 0);
}

typedef struct meeting {
    atomic_int present, missed; /* missed: 1: somebody has waited in vain */
} meeting;

/* Waits until as many tasks run at the same time as there are threads, for at most ten seconds. */
static void meet(void *argument, uint64_t index, int32_t slot)
{
    enum { MOST_WAITS = 10000 };
    const struct timespec moment = { .tv_nsec = 1000000 };
    meeting *m = argument;
    (void)index;
    (void)slot;
    atomic_fetch_add(&m->present, 1);
    for (int i = 0; atomic_load(&m->present) < THREADS && !atomic_load(&m->missed); i++) {
        if (i == MOST_WAITS)
            atomic_store(&m->missed, 1);
        (void)nanosleep(&moment, NULL);
    }
}

/* All threads take part. A thread that has not fallen asleep yet needs nobody to wake it, so there
 * are several meetings, with a moment to fall asleep before each. */
static void check_meetings(xncc_pool *pool)
{
    enum { MEETINGS = 20 };
    const struct timespec moment = { .tv_nsec = 5000000 };
    meeting m = { 0, 0 };
    for (int i = 0; i < MEETINGS && !atomic_load(&m.missed); i++) {
        (void)nanosleep(&moment, NULL);
        atomic_store(&m.present, 0);
        xncc_pool_run_on(pool, THREADS, THREADS, meet, &m);
    }
    CHECK_INT(atomic_load(&m.missed), 0);
}

static void *call(void *argument)
{
    for (int i = 0; i < ROUNDS && kit_failures() == 0; i++)
        check_run(argument, 1 + i % THREADS, (uint64_t)(i * 37 % (TASKS + 1)));
    return NULL;
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    xncc_pool *pool = NULL;
    pthread_t caller[CALLERS];
    CHECK_STATUS(xncc_pool_create(THREADS, &pool, NULL), XNCC_OK);
    for (int32_t most = 1; most <= THREADS; most++)
        for (uint64_t count = 0; count < 8; count++)
            check_run(pool, most, count);
    check_meetings(pool);
    for (int i = 0; i < CALLERS; i++)
        CHECK_INT(pthread_create(&caller[i], NULL, call, pool), 0);
    for (int i = 0; i < CALLERS; i++)
        pthread_join(caller[i], NULL);
    xncc_pool_destroy(pool);
    return kit_finish("pool");
}
