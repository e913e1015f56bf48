/* SPDX-License-Identifier: BSD-2-Clause */
/* soak [--seconds S | --calls N] [--threads N] [--device cpu|cuda] [--seed N]
 *      [--plant leak|file|digest]
 *
 * Threads make all kinds of calls in random order, each with a context of its own, with one that
 * all share, or with one that it makes and destroys. Calls on contexts of their own are cancelled
 * at random moments, and made again. Every digest is compared with that of the same call by
 * a CPU context with one thread.
 *
 * From time to time all threads pause, and what the process holds is measured: 40 times, evenly
 * spread over the seconds, or over the calls, which do not depend on how busy the machine is. If
 * the seconds count, each context has made every kind of call before, so that few calls in a fifth
 * of the time do not matter. After a fifth of the pauses it has to be flat: as many descriptors and
 * threads at every pause, no more memory in use (mallinfo2) than IN_USE_SLACK above the first, and
 * a resident size that grows by less than a twentieth and RSS_SLACK once what is free was given
 * back (malloc_trim). What contexts keep for later calls is freed at every pause; unit_kept tests
 * its limits. A sanitizer keeps what is free, and looks for leaks itself, so that the resident size
 * is not judged there. With CUDA the driver takes memory, too, and the free memory of the device is
 * measured.
 *
 * --plant: leaks memory, or descriptors, or spoils a digest, to show that it is seen. */
#define _GNU_SOURCE
#include "soak/soak.h"

#include "api/objects.h"
#include "cpu/cpu_plan.h"
#include "kit/device.h"
#include "kit/kit.h"
#include "kit/process.h"
#include "kit/sanitized.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

enum { MOST_THREADS = 64, PAUSES = 40, SHARED_THREADS = 4, OWN_THREADS = 2 };
enum { IN_USE_SLACK = 32 << 10, RSS_SLACK = 2 << 20 };
enum { DRIVER_SLACK = 8 << 20, DEVICE_SLACK = 64 << 20 }; /* a driver has memory of its own */

typedef enum plant { PLANT_NONE, PLANT_LEAK, PLANT_FILE, PLANT_DIGEST } plant;

/* Two contexts: of the engine that is tested, and of the CPU for calls that need it. */
typedef struct engines {
    xncc_context *tested, *cpu;
} engines;

typedef struct worker {
    pthread_t thread;
    int number;
    engines own;
    kit_random random;
    soak_room *room;
    long calls, cancelled, fresh;
} worker;

typedef struct measure {
    double seconds;
    long long in_use, rss, device_free;
    int descriptors, threads;
} measure;

static xncc_device device;
static plant planted;
static uint64_t *expected;
static engines shared;
static worker workers[MOST_THREADS];
static int worker_count;
static pthread_barrier_t barrier;
static atomic_int pausing, stopping;
static atomic_long calls_made, calls_due; /* due: before the next pause */

static engines engines_make(int32_t threads)
{
    engines e;
    e.tested = kit_context(device, threads);
    e.cpu = device == XNCC_DEVICE_CPU ? e.tested : kit_context(XNCC_DEVICE_CPU, threads);
    return e;
}

static void engines_destroy(engines e)
{
    if (e.cpu != e.tested)
        xncc_context_destroy(e.cpu);
    xncc_context_destroy(e.tested);
}

/* ---- the calls ---- */

/* Memory or descriptors that nobody gives back. A compiler may leave out what nobody reads. */
static volatile atomic_uintptr_t leaked;
static void plant_now(const worker *w)
{
    if (planted == PLANT_LEAK && w->calls % 16 == 0)
        atomic_store(&leaked, (uintptr_t)malloc(8192));
    if (planted == PLANT_FILE && w->calls % 16 == 0)
        (void)!open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void check_result(const worker *w, size_t call, xncc_status status, uint64_t digest,
                         const xncc_error *error)
{
    if (planted == PLANT_DIGEST && w->calls == 20)
        digest ^= 1;
    if (status)
        kit_fail(__FILE__, __LINE__, "%s (call %zu): status %d: %s", soak_name(call), call,
                 (int)status, error->text);
    else if (!CHECK(digest == expected[call]))
        kit_fail(__FILE__, __LINE__, "%s (call %zu): another digest than the first",
                 soak_name(call), call);
}

static xncc_status make_call(const engines *e, size_t call, worker *w, uint64_t *digest,
                             xncc_error *error)
{
    return soak_make(call, soak_needs_cpu(call) ? e->cpu : e->tested, w->room, digest, error);
}

/* A call that may be cancelled is made until it was not. */
static void work_once(worker *w)
{
    const size_t call = kit_below(&w->random, soak_count());
    const uint64_t where = kit_below(&w->random, 16);
    xncc_error error;
    uint64_t digest = 0;
    xncc_status status;
    w->calls++;
    if (where == 0) {
        const engines fresh = engines_make((int32_t)kit_below(&w->random, 3) + 1);
        status = make_call(&fresh, call, w, &digest, &error);
        engines_destroy(fresh);
        w->fresh++;
    } else if (where < 8) {
        status = make_call(&shared, call, w, &digest, &error);
    } else {
        while ((status = make_call(&w->own, call, w, &digest, &error)) == XNCC_ERROR_CANCELLED)
            w->cancelled++;
    }
    check_result(w, call, status, digest, &error);
    plant_now(w);
    atomic_fetch_add(&calls_made, 1);
}

/* A context starts its threads, and CUDA some of its own, in the first calls of some kinds. */
static void warm_up(const engines *e, worker *w)
{
    for (size_t call = 0; call < soak_count(); call++) {
        xncc_error error;
        uint64_t digest = 0;
        const xncc_status status = make_call(e, call, w, &digest, &error);
        check_result(w, call, status, digest, &error);
    }
}

static void *work(void *argument)
{
    worker *w = argument;
    while (!atomic_load(&stopping)) {
        if (atomic_load(&pausing)) {
            (void)pthread_barrier_wait(&barrier);
            (void)pthread_barrier_wait(&barrier);
        } else if (atomic_load(&calls_made) >= atomic_load(&calls_due)) {
            (void)nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
        } else {
            work_once(w);
        }
    }
    return NULL;
}

/* ---- what the process holds ---- */

static long long in_use(void)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    const struct mallinfo2 info = mallinfo2();
    return (long long)info.uordblks + (long long)info.hblkhd;
#else
    return 0;
#endif
}

static void clear_kept(const xncc_context *context)
{
    xncc_engine *const engine[] = { context->engine[xncc_slot(XNCC_DEVICE_CPU)],
                                    atomic_load(&context->helper) };
    for (int i = 0; i < 2; i++)
        if (engine[i])
            xncc_kept_clear(&((cpu_engine *)engine[i])->kept);
}

/* No call is running. */
static void clear_all_kept(void)
{
    clear_kept(shared.tested);
    clear_kept(shared.cpu);
    for (int i = 0; i < worker_count; i++) {
        clear_kept(workers[i].own.tested);
        clear_kept(workers[i].own.cpu);
    }
}

/* What the C library keeps of released memory is given back first. */
static long long resident(void)
{
    long long total = 0, pages = 0;
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lld %lld", &total, &pages) != 2)
        kit_give_up("/proc/self/statm cannot be read");
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

/* A thread that was joined may be listed for a moment. */
static measure take(double start, const measure *first)
{
    clear_all_kept();
    measure m = { kit_seconds() - start,
                  in_use(),
                  resident(),
                  device == XNCC_DEVICE_CUDA ? (long long)kit_device_free_bytes() : 0,
                  kit_entries("/proc/self/fd"),
                  kit_entries("/proc/self/task") };
    for (int i = 0; first && m.threads != first->threads && i < 200; i++) {
        (void)nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
        m.threads = kit_entries("/proc/self/task");
    }
    return m;
}

static int compare(const void *a, const void *b)
{
    const long long x = *(const long long *)a, y = *(const long long *)b;
    return x < y ? -1 : x > y;
}

static long long median_rss(const measure *m, int count)
{
    long long all[PAUSES];
    for (int i = 0; i < count; i++)
        all[i] = m[i].rss;
    qsort(all, (size_t)count, sizeof *all, compare);
    return all[count / 2];
}

static void judge(const measure *m, int count)
{
    const int warm = PAUSES / 5, third = (count - warm) / 3;
    if (!CHECK(count > warm + 6))
        return;
    const measure *first = m + warm;
    long long most = first->in_use;
    for (int i = warm + 1; i < count; i++) {
        most = m[i].in_use > most ? m[i].in_use : most;
        CHECK_INT(m[i].descriptors, first->descriptors);
        CHECK_INT(m[i].threads, first->threads);
    }
    const long long early = median_rss(first, third), late = median_rss(m + count - third, third);
    printf("in use: %lld bytes after warming up, at most %lld later\n", first->in_use, most);
    printf("resident: median %.1f MiB early, %.1f MiB late\n", (double)early / 1048576.0,
           (double)late / 1048576.0);
    printf("descriptors: %d; threads: %d\n", first->descriptors, first->threads);
    const long long slack = device == XNCC_DEVICE_CUDA ? DRIVER_SLACK : IN_USE_SLACK;
    if (device == XNCC_DEVICE_CUDA) {
        const long long lost = first->device_free - m[count - 1].device_free;
        printf("device memory: %.1f MiB less free at the end\n", (double)lost / 1048576.0);
        if (!CHECK(lost <= DEVICE_SLACK))
            kit_fail(__FILE__, __LINE__, "device memory in use grows by %lld bytes", lost);
    }
    if (!CHECK(most - first->in_use <= slack))
        kit_fail(__FILE__, __LINE__, "memory in use grows by %lld bytes", most - first->in_use);
    if (!KIT_SANITIZED && !CHECK(late - early <= early / 20 + RSS_SLACK))
        kit_fail(__FILE__, __LINE__, "the resident size grows by %lld bytes", late - early);
}

/* ---- the run ---- */

/* Until the next pause, after so many seconds or when the calls that are due were made, calls are
 * cancelled, some 100 per second. */
static void cancel_until(double seconds, kit_random *random)
{
    while (kit_seconds() < seconds && atomic_load(&calls_made) < atomic_load(&calls_due) &&
           kit_failures() == 0) {
        const uint64_t wait = 1000000 + kit_below(random, 18000000);
        (void)nanosleep(&(struct timespec){ .tv_nsec = (long)wait }, NULL);
        const worker *w = &workers[kit_below(random, (uint64_t)worker_count)];
        xncc_context_cancel(kit_below(random, 2) ? w->own.tested : w->own.cpu);
    }
}

/* When or after which calls a pause is: that of a number of PAUSES. calls: 0 if the seconds count
 */
static double pause_seconds(double start, double seconds, long calls, int pause)
{
    return calls ? INFINITY : start + seconds * (pause + 1) / PAUSES;
}

static long pause_calls(long calls, int pause)
{
    return calls ? calls * (pause + 1) / PAUSES : LONG_MAX;
}

static int run(double seconds, long calls, measure *m)
{
    const double start = kit_seconds();
    kit_random random = kit_stream(MOST_THREADS);
    int count = 0;
    atomic_store(&calls_due, pause_calls(calls, 0));
    for (int i = 0; i < worker_count; i++)
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            kit_give_up("a thread could not be started");
    for (; count < PAUSES && kit_failures() == 0; count++) {
        cancel_until(pause_seconds(start, seconds, calls, count), &random);
        atomic_store(&pausing, 1);
        (void)pthread_barrier_wait(&barrier);
        m[count] = take(start, count ? m : NULL);
        atomic_store(&calls_due, pause_calls(calls, count + 1));
        atomic_store(&stopping, count + 1 == PAUSES || kit_failures() > 0);
        atomic_store(&pausing, 0);
        (void)pthread_barrier_wait(&barrier);
    }
    if (!atomic_load(&stopping)) /* failed between two pauses */
        atomic_store(&stopping, 1);
    for (int i = 0; i < worker_count; i++)
        (void)pthread_join(workers[i].thread, NULL);
    return count;
}

static void expect(void)
{
    xncc_context *context = kit_context(XNCC_DEVICE_CPU, 1);
    soak_room *room = soak_room_make();
    xncc_error error;
    expected = calloc(soak_count(), sizeof *expected);
    if (!room || !expected)
        kit_give_up("out of memory");
    for (size_t i = 0; i < soak_count(); i++) {
        const xncc_status status = soak_make(i, context, room, &expected[i], &error);
        if (status)
            kit_give_up("%s (call %zu): %s", soak_name(i), i, error.text);
    }
    soak_room_free(room);
    xncc_context_destroy(context);
}

/* The C library keeps released memory for its threads. It counts as in use or as resident, and
 * grows until each thread has made the largest call. */
static void without_reserves(char **argv)
{
    static const char name[] = "GLIBC_TUNABLES";
    static const char value[] = "glibc.malloc.tcache_count=0:glibc.malloc.mmap_threshold=131072:"
                                "glibc.malloc.trim_threshold=131072";
    if (!getenv(name) && setenv(name, value, 1) == 0)
        (void)execv("/proc/self/exe", argv); /* if it fails, the numbers are less sharp */
}

int main(int argc, char **argv)
{
    static const char *const plants[] = { "none", "leak", "file", "digest" };
    measure m[PAUSES];
    without_reserves(argv);
    kit_start(argc, argv);
    device = kit_device_option(argc, argv);
    const double seconds = atof(kit_option(argc, argv, "seconds", "4"));
    const long wanted = atol(kit_option(argc, argv, "calls", "0"));
    const char *name = kit_option(argc, argv, "plant", "none");
    worker_count = atoi(kit_option(argc, argv, "threads", "8"));
    while (planted <= PLANT_DIGEST && strcmp(name, plants[planted]) != 0)
        planted++;
    if (worker_count < 1 || worker_count > MOST_THREADS || seconds <= 0 || wanted < 0 ||
        planted > PLANT_DIGEST)
        kit_give_up("soak: --threads 1 .. %d, --seconds or --calls above 0, --plant leak, file or "
                    "digest",
                    MOST_THREADS);

    soak_pictures_make();
    expect();
    shared = engines_make(SHARED_THREADS);
    if (pthread_barrier_init(&barrier, NULL, (unsigned)worker_count + 1) != 0)
        kit_give_up("no barrier");
    for (int i = 0; i < worker_count; i++) {
        workers[i].number = i;
        workers[i].own = engines_make(OWN_THREADS);
        workers[i].random = kit_stream((uint64_t)i);
        workers[i].room = soak_room_make();
        if (!workers[i].room)
            kit_give_up("out of memory");
    }
    if (!wanted) {
        for (int i = 0; i < worker_count; i++)
            warm_up(&workers[i].own, &workers[i]);
        warm_up(&shared, &workers[0]);
    }
    const int count = run(seconds, wanted, m);
    long calls = 0, cancelled = 0, fresh = 0;
    for (int i = 0; i < worker_count; i++) {
        calls += workers[i].calls;
        cancelled += workers[i].cancelled;
        fresh += workers[i].fresh;
        engines_destroy(workers[i].own);
        soak_room_free(workers[i].room);
    }
    engines_destroy(shared);
    printf("%.0f s, %d threads: %ld calls of %zu kinds, %ld cancelled, %ld with a new context\n",
           m[count - 1].seconds, worker_count, calls, soak_count(), cancelled, fresh);
    if (kit_failures() == 0)
        judge(m, count);
    CHECK(calls > 0);
    free(expected);
    return kit_finish("soak");
}
