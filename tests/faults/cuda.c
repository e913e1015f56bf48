/* SPDX-License-Identifier: BSD-2-Clause */
/* Every call of CUDA that the library makes fails once, on a device that is pretended (pretend.h).
 * The rules:
 *
 * - The public call tells of it, with a status and a text that speaks of CUDA or cuFFT. It may
 *   succeed only if nothing is lost: what failed frees something, or waits although there is
 *   nothing to wait for, or there is another way (a library of another name). After a failed
 *   cudaGetDevice or cudaSetDevice it may do what needs no device; that nothing is made and no work
 *   is done on another device is checked by itself.
 * - Nothing leaks: device memory, page-locked memory, events, streams, textures, plans of cuFFT and
 *   the library's host memory are what they were.
 * - The caller's device is current again, and no error is left for the caller's next kernel.
 * - Nothing uses memory of the caller any more, if the call waits.
 * - The same call then works, and does all that the failed one had not done yet.
 *
 *   faulty_cuda [--brief]
 *
 * Of long scenes, which repeat their calls, each place and 100 more calls, evenly spread, fail.
 * --brief: of each scene, each place in the code fails once. */
#define _GNU_SOURCE
#include "cuda.h"

#include "pretend/pretend.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 8192, NAMES = 64, EACH = 100 };

xncc_context *context;

typedef struct step {
    const char *call, *detail;
    const void *place;
    int quiet;
} step;

/* What happens to the calls of CUDA. */
static struct {
    int on, lasting, cancels;
    size_t nth, count; /* calls are numbered from 1 */
    step list[MOST];
    int quiet;
} trace;

/* Numbers of calls that failed, by name. In memory that child processes share. */
typedef struct tally {
    struct {
        char name[48];
        long failed, told;
    } of[NAMES];
    long lasting, cancelled, places;
} tally;
static tally *counts;

int pretend_fails(const char *call, const char *detail, const void *place)
{
    if (!trace.on)
        return 0;
    const size_t number = ++trace.count;
    if (number <= MOST)
        trace.list[number - 1] = (step){ call, detail, place, trace.quiet };
    if (trace.cancels && number == 1)
        xncc_context_cancel(context);
    return trace.nth && (number == trace.nth || (number > trace.nth && trace.lasting));
}

void quiet_begin(void)
{
    trace.quiet++;
}

void quiet_end(void)
{
    trace.quiet--;
}

/* ---- host memory of the library ---- */

static atomic_long blocks;
void *__real_xncc_alloc(uint64_t count, uint64_t size);
void *__wrap_xncc_alloc(uint64_t count, uint64_t size);
void *__real_xncc_alloc_unset(uint64_t count, uint64_t size);
void *__wrap_xncc_alloc_unset(uint64_t count, uint64_t size);
void __real_xncc_free(void *memory);
void __wrap_xncc_free(void *memory);

static void *counted(void *made)
{
    if (made)
        atomic_fetch_add(&blocks, 1);
    return made;
}

void *__wrap_xncc_alloc(uint64_t count, uint64_t size)
{
    return counted(__real_xncc_alloc(count, size));
}

void *__wrap_xncc_alloc_unset(uint64_t count, uint64_t size)
{
    return counted(__real_xncc_alloc_unset(count, size));
}

void __wrap_xncc_free(void *memory)
{
    if (memory)
        atomic_fetch_sub(&blocks, 1);
    __real_xncc_free(memory);
}

/* ---- the rules ---- */

/* What is tried, for messages. */
typedef struct trial {
    const char *part;
    const scene *s;
    int warm; /* 1: the same call was made before */
    size_t nth;
    const char *how; /* "fails", ... */
} trial;

/* Reports each fault of a place once. */
static void broken(const trial *t, const step *at, const char *what)
{
    static struct {
        const void *place;
        char what[32];
    } seen[MOST];
    static size_t known;
    for (size_t i = 0; i < known; i++)
        if (seen[i].place == at->place && strncmp(seen[i].what, what, sizeof seen[i].what - 1) == 0)
            return;
    if (known < MOST) {
        seen[known].place = at->place;
        (void)snprintf(seen[known++].what, sizeof seen->what, "%.31s", what);
    }
    kit_fail(__FILE__, __LINE__, "%s, %s%s: call %zu, %s%s%s%s, %s: %s", t->part, t->s->name,
             t->warm ? ", again" : "", t->nth, at->call, at->detail ? " (" : "",
             at->detail ? at->detail : "", at->detail ? ")" : "", t->how, what);
}

static void rule(const trial *t, const step *at, int holds, const char *what)
{
    CHECK(1);
    if (!holds)
        broken(t, at, what);
}

/* May a public call succeed although this call fails? */
static int may_be_lost(const step *s)
{
    return s->quiet || pretend_may_be_lost(s->call, s->detail);
}

static int speaks_of_cuda(const char *text)
{
    return (strstr(text, "CUDA") || strstr(text, "cuFFT")) && !strchr(text, '\n');
}

/* What must be true after every call. */
static void check_after(const trial *t, const step *at)
{
    const char *misuse = pretend_misuse(), *left = pretend_last_error();
    rule(t, at, !misuse, misuse ? misuse : "");
    rule(t, at, !left, "an error is left for the caller's next kernel");
    rule(t, at, !t->s->waits || pretend_under_way() == 0, "memory of the caller is still in use");
    rule(t, at, pretend_device() == 0 || strcmp(at->call, "cudaSetDevice") == 0 || trace.lasting,
         "the caller's device is not current");
    pretend_clear_error();
    pretend_set_device(0);
}

static void check_nothing_left(const trial *t, const step *at, const pretend_objects *before,
                               long blocks_before)
{
    const pretend_objects now = pretend_count();
    char text[200];
    (void)snprintf(text, sizeof text,
                   "left behind: memory %ld, pinned %ld, events %ld, streams %ld, textures %ld, "
                   "transforms %ld, blocks of the host %ld",
                   now.memory - before->memory, now.pinned - before->pinned,
                   now.events - before->events, now.streams - before->streams,
                   now.textures - before->textures, now.transforms - before->transforms,
                   atomic_load(&blocks) - blocks_before);
    rule(t, at,
         pretend_count_all(&now) == pretend_count_all(before) &&
             atomic_load(&blocks) == blocks_before,
         text);
}

static xncc_status watch(xncc_status (*call)(void), size_t nth, int lasting, int cancels)
{
    trace.on = 1;
    trace.count = 0;
    trace.nth = nth;
    trace.lasting = lasting;
    trace.cancels = cancels;
    const xncc_status status = call();
    trace.on = 0;
    trace.quiet = 0;
    return status;
}

xncc_status calls_with_failing(xncc_status (*call)(void), const char *name)
{
    size_t nth = 0;
    CHECK_STATUS(watch(call, 0, 0, 0), XNCC_OK);
    while (nth < trace.count && strcmp(trace.list[nth].call, name) != 0)
        nth++;
    CHECK(nth < trace.count);
    return watch(call, nth + 1, 0, 0);
}

static int is_same(const step *a, const step *b)
{
    return strcmp(a->call, b->call) == 0 &&
           (a->detail == b->detail ||
            (a->detail && b->detail && strcmp(a->detail, b->detail) == 0));
}

/* Has the trace all the steps from `from` on? Those that free or wait depend on what was there. */
static const step *missing(const step *wanted, size_t from, size_t count)
{
    static char used[MOST];
    memset(used, 0, trace.count);
    for (size_t i = from; i < count; i++) {
        size_t k = 0;
        if (may_be_lost(&wanted[i]) || strstr(wanted[i].call, "Synchronize"))
            continue;
        while (k < trace.count && (used[k] || !is_same(&wanted[i], &trace.list[k])))
            k++;
        if (k == trace.count)
            return &wanted[i];
        used[k] = 1;
    }
    return NULL;
}

static void count_failure(const step *at, int told)
{
    for (int i = 0; i < NAMES; i++) {
        if (!counts->of[i].name[0])
            (void)snprintf(counts->of[i].name, sizeof counts->of[i].name, "%s", at->call);
        if (strcmp(counts->of[i].name, at->call) == 0) {
            counts->of[i].failed++;
            counts->of[i].told += told;
            return;
        }
    }
    kit_give_up("more than %d calls have names", NAMES);
}

/* How often a call from this place has failed: 0: never; 1: under other scenes only. */
static int how_known(const trial *t, const step *at)
{
    static struct {
        const void *place;
        xncc_status (*scene)(void);
    } seen[MOST];
    static size_t known;
    int result = 0;
    for (size_t i = 0; i < known && result < 2; i++)
        if (seen[i].place == at->place)
            result = seen[i].scene == t->s->call ? 2 : 1;
    if (result < 2) {
        CHECK(known < MOST);
        seen[known].place = at->place;
        seen[known++].scene = t->s->call;
    }
    return result;
}

static int brief;
static step wanted[MOST];

static void begin(const trial *t)
{
    t->s->begin();
    if (t->warm)
        CHECK_STATUS(t->s->call(), XNCC_OK);
}

/* The call without a failure after one with a failure. from: what it has to do again. */
static void recover(const trial *t, const step *at, size_t from, size_t count)
{
    const xncc_status status = watch(t->s->call, 0, 0, 0);
    const step *lacks = status ? NULL : missing(wanted, from, count);
    char text[300];
    (void)snprintf(text, sizeof text, "afterwards: %s; %.200s", xncc_status_string(status),
                   status ? kit_error.text : "");
    rule(t, at, status == XNCC_OK, text);
    (void)snprintf(text, sizeof text, "the next call leaves out %s %s", lacks ? lacks->call : "",
                   lacks && lacks->detail ? lacks->detail : "");
    rule(t, at, !lacks, text);
    check_after(t, at);
}

static void fail_one(trial *t, size_t count)
{
    const step at = wanted[t->nth - 1];
    const pretend_objects before = pretend_count();
    const long blocks_before = atomic_load(&blocks);
    t->how = "fails";
    begin(t);
    kit_error.text[0] = 0;
    const xncc_status status = watch(t->s->call, t->nth, 0, 0);
    rule(t, &at, trace.count >= t->nth && is_same(&at, &trace.list[t->nth - 1]),
         "the calls before it are others than without a failure");
    rule(t, &at, status != XNCC_OK || may_be_lost(&at), "the public call succeeds");
    rule(t, &at, status == XNCC_OK || speaks_of_cuda(kit_error.text), kit_error.text);
    rule(t, &at,
         status == XNCC_OK || status == XNCC_ERROR_DEVICE ||
             (status == XNCC_ERROR_MEMORY && strstr(at.call, "Malloc")),
         xncc_status_string(status));
    count_failure(&at, status != XNCC_OK);
    check_after(t, &at);
    recover(t, &at, status ? t->nth - 1 : count, count);
    t->s->end();
    check_nothing_left(t, &at, &before, blocks_before);
}

/* All calls fail from the nth on; or the call is cancelled, and the nth fails as well. */
static void fail_more(trial *t, int cancels)
{
    step at = wanted[t->nth - 1];
    const pretend_objects before = pretend_count();
    const long blocks_before = atomic_load(&blocks);
    t->how = cancels ? "fails after the call was cancelled" : "and all later ones fail";
    begin(t);
    const xncc_status status = watch(t->s->call, t->nth, !cancels, cancels);
    if (trace.count >= t->nth)
        at = trace.list[t->nth - 1];
    rule(t, &at, status == XNCC_OK || kit_error.text[0], "no text");
    trace.lasting = !cancels;
    check_after(t, &at);
    recover(t, &at, 0, 0);
    t->s->end();
    check_nothing_left(t, &at, &before, blocks_before);
    *(cancels ? &counts->cancelled : &counts->lasting) += 1;
}

void exhaust(const char *part, const scene *s)
{
    for (int warm = 0; warm < 2; warm++) {
        trial t = { part, s, warm, 0, "without a failure" };
        begin(&t);
        const xncc_status status = watch(s->call, 0, 0, 0);
        const size_t count = trace.count;
        const step first = { s->name, NULL, NULL, 0 };
        memcpy(wanted, trace.list, count * sizeof *wanted);
        rule(&t, &first, status == XNCC_OK && count <= MOST, kit_error.text);
        check_after(&t, &first);
        s->end();
        for (t.nth = 1; t.nth <= count && !status; t.nth++) {
            const int known = how_known(&t, &wanted[t.nth - 1]);
            counts->places += known == 0;
            if (known == 2 && (brief || t.nth % (1 + count / EACH) != 0))
                continue;
            fail_one(&t, count);
            if (known && brief)
                continue;
            fail_more(&t, 0);
            fail_more(&t, 1);
        }
    }
}

/* ---- what happens once per process ---- */

static void nothing(void)
{
}

/* A child's process: the nth call of its first calls fails. Returns how many there are. */
static size_t first_failure(size_t nth)
{
    static const scene s = { "the first calls", nothing, first_calls, nothing, 1 };
    trial t = { "a new process", &s, 0, nth, "fails" };
    const xncc_status status = watch(first_calls, nth, 0, 0);
    const size_t count = trace.count;
    step at = { "first_calls", NULL, NULL, 0 };
    if (nth && nth <= count)
        at = trace.list[nth - 1];
    const int other_way = strcmp(at.call, "cufftCreate") == 0; /* cuFFT under another name */
    rule(&t, &at, nth == 0 || status || may_be_lost(&at) || other_way, "the public call succeeds");
    rule(&t, &at, status == XNCC_OK || speaks_of_cuda(kit_error.text), kit_error.text);
    check_after(&t, &at);
    recover(&t, &at, 0, 0);
    if (nth && nth <= count)
        count_failure(&at, status != XNCC_OK);
    return count;
}

static void first_failures(void)
{
    size_t *count = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                         -1, 0);
    for (size_t nth = 0; nth == 0 || nth <= *count; nth++) {
        fflush(NULL);
        const long failures = kit_failures();
        const pid_t child = fork();
        if (child == 0) {
            const size_t made = first_failure(nth);
            *count = nth ? *count : made;
            fflush(NULL);
            _exit(kit_failures() > failures);
        }
        int status = 0;
        CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    }
    CHECK(*count > 50);
    printf("a new process: %zu calls\n", *count);
    munmap(count, sizeof *count);
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    brief = kit_flag(argc, argv, "brief");
    counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pretend_devices(2, FAULTS_DEVICE);
    first_failures();
    all_scenes();
    long failed = 0, told = 0;
    for (int i = 0; i < NAMES && counts->of[i].name[0]; i++) {
        printf("%-34s %7ld failed, %7ld told\n", counts->of[i].name, counts->of[i].failed,
               counts->of[i].told);
        failed += counts->of[i].failed;
        told += counts->of[i].told;
    }
    printf("%ld calls failed once, %ld of them told; %ld from then on; %ld after a cancelled "
           "call; %ld places\n",
           failed, told, counts->lasting, counts->cancelled, counts->places);
    CHECK(failed > 500);
    return kit_finish("calls of CUDA that fail");
}
