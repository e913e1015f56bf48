/* SPDX-License-Identifier: BSD-2-Clause */
/* A pool of POSIX threads with a queue of jobs, guarded by one mutex. */
#include "base/pool.h"

#include "base/float_env.h"
#include "base/memory.h"

#include <assert.h>
#include <pthread.h>

/* A running xncc_pool_run. It is on the stack of its caller, and the pool's mutex guards all of its
 * fields. */
typedef struct job {
    struct job *next; /* in the pool's queue */
    xncc_task_fn function;
    void *argument;
    uint64_t count;    /* tasks */
    uint64_t started;  /* tasks that have been started */
    uint64_t finished; /* tasks that have returned */
    int32_t slots;     /* threads that have joined, at most `most` */
    int32_t most;
    pthread_cond_t done; /* signalled when finished == count */
} job;

struct xncc_pool {
    pthread_mutex_t mutex;
    pthread_cond_t wake; /* signalled when a job is queued, and to stop */
    job *jobs;           /* the queue: jobs with tasks left to start, oldest first */
    int stop;            /* 1: the workers end */
    int32_t threads;     /* the workers and the caller of xncc_pool_run */
    int32_t workers;     /* running threads of thread[] */
    pthread_t *thread;
};

static void job_remove(xncc_pool *pool, const job *finished)
{
    for (job **at = &pool->jobs; *at; at = &(*at)->next) {
        if (*at == finished) {
            *at = finished->next;
            return;
        }
    }
}

/* Runs tasks of a job until none is left to start. The mutex is held at entry and at return. */
static void job_work(xncc_pool *pool, job *j)
{
    int32_t slot = j->slots++;
    while (j->started < j->count) {
        uint64_t index = j->started++;
        if (j->started == j->count)
            job_remove(pool, j);
        pthread_mutex_unlock(&pool->mutex);
        j->function(j->argument, index, slot);
        pthread_mutex_lock(&pool->mutex);
        /* The owner may return, and the job disappear with it, once the last task is counted. So
         * whether tasks are left to start is read before that. */
        int last = j->started == j->count;
        if (++j->finished == j->count)
            pthread_cond_signal(&j->done);
        if (last)
            return;
    }
}

/* The oldest job that another thread can join; NULL: none. */
static job *open_job(const xncc_pool *pool)
{
    job *j = pool->jobs;
    while (j && j->slots == j->most)
        j = j->next;
    return j;
}

static void *worker(void *argument)
{
    xncc_pool *pool = argument;
    (void)xncc_float_env_enter();
    pthread_mutex_lock(&pool->mutex);
    while (!pool->stop) {
        job *j = open_job(pool);
        if (j)
            job_work(pool, j);
        else
            pthread_cond_wait(&pool->wake, &pool->mutex);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

void xncc_pool_run_on(xncc_pool *pool, int32_t threads, uint64_t count, xncc_task_fn function,
                      void *argument)
{
    assert(function && threads >= 1 && threads <= pool->threads);
    if (threads == 1 || count <= 1) {
        for (uint64_t i = 0; i < count; i++)
            function(argument, i, 0);
        return;
    }
    job j = { .function = function, .argument = argument, .count = count, .most = threads };
    const uint64_t helpers = count < (uint64_t)threads ? count - 1 : (uint64_t)threads - 1;
    pthread_cond_init(&j.done, NULL);
    pthread_mutex_lock(&pool->mutex);
    job **end = &pool->jobs;
    while (*end)
        end = &(*end)->next;
    *end = &j;
    for (uint64_t i = 0; i < helpers; i++)
        pthread_cond_signal(&pool->wake);
    job_work(pool, &j);
    while (j.finished < j.count)
        pthread_cond_wait(&j.done, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
    pthread_cond_destroy(&j.done);
}

void xncc_pool_run(xncc_pool *pool, uint64_t count, xncc_task_fn function, void *argument)
{
    xncc_pool_run_on(pool, pool->threads, count, function, argument);
}

xncc_status xncc_pool_create(int32_t threads, xncc_pool **result, xncc_error *error)
{
    assert(threads >= 1);
    *result = NULL;
    xncc_pool *pool = xncc_alloc(1, sizeof *pool);
    pthread_t *list = xncc_alloc((uint64_t)threads, sizeof *list);
    if (!pool || !list) {
        xncc_free(pool);
        xncc_free(list);
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for a pool of %d threads",
                         (int)threads);
    }
    pool->thread = list;
    pool->threads = threads;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    for (int32_t i = 0; i < threads - 1; i++) {
        if (pthread_create(&list[i], NULL, worker, pool) != 0) {
            xncc_pool_destroy(pool);
            return xncc_fail(error, XNCC_ERROR_MEMORY,
                             "thread %d of %d could not be started: ask for fewer threads",
                             (int)i + 2, (int)threads);
        }
        pool->workers++;
    }
    *result = pool;
    return XNCC_OK;
}

void xncc_pool_destroy(xncc_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->mutex);
    pool->stop = 1;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    for (int32_t i = 0; i < pool->workers; i++)
        pthread_join(pool->thread[i], NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    xncc_free(pool->thread);
    xncc_free(pool);
}

int32_t xncc_pool_threads(const xncc_pool *pool)
{
    return pool->threads;
}
