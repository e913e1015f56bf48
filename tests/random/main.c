/* SPDX-License-Identifier: BSD-2-Clause */
/* random [--device cpu|cuda] [--seed N] [--seconds S] [--problems N] [--at K]
 *
 * Draws problems at random and compares every kernel that can solve one with the kernel "reference"
 * of the CPU, bit for bit; matches with the rule of find.h on the map of that kernel; and now and
 * then that kernel with the oracles of tests/kit. At the first difference the run ends, and says
 * how to repeat the problem. Without --seed the seed is the time. --at K: only problem K. */
#include "random/random.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Above this work the plain loops run once per problem only, for the expected result. */
static const double most_for_reference = 1e6;

static const char *const task_name[RANDOM_TASKS] = { "map", "find", "plan", "batch", "convolve" };
static const char *const mode_name[] = { "valid", "same", "full" };
static const char *const border_name[] = { "clamp", "zero", "mirror", "wrap", "overlap" };
static const char *const masks_name[] = { "none", "template", "image", "no-data", "both" };

size_t random_kernels(random_run *run, const xncc_problem *problem, double work, const char **name)
{
    const char *all[CHECK_KERNELS];
    const size_t count = xncc_kernel_list(run->check.context[0], problem, all, CHECK_KERNELS);
    size_t kept = 0;
    if (count > CHECK_KERNELS)
        kit_give_up("xncc_kernel_list names %zu kernels", count);
    for (size_t i = 0; i < count; i++)
        if (count == 1 || work < most_for_reference || strcmp(all[i], "reference") != 0)
            name[kept++] = all[i];
    if (!kept && run->check.device == XNCC_DEVICE_CUDA)
        run->refused++;
    else
        CHECK(kept > 0);
    return kept;
}

void random_count(random_run *run, const char *kernel)
{
    int i = 0;
    while (run->check.seen[i] && strcmp(run->check.seen[i], kernel) != 0)
        i++;
    run->check.seen[i] = kernel;
    run->check.times[i]++;
}

/* What is printed when the run ends within a problem. */
static const char *unfinished;

void random_note(random_run *run, const random_problem *p, const char *name)
{
    const size_t used = strlen(run->problem);
    snprintf(run->problem + used, sizeof run->problem - used, " # %s, context %d, %s%s%s\n",
             task_name[p->task], (int)p->context, name, p->levels ? ", few levels" : "",
             p->copies ? ", planted" : "");
}

static void say_problem(void)
{
    if (unfinished && write(STDERR_FILENO, unfinished, strlen(unfinished)) < 0)
        return;
    unfinished = NULL;
}

static void leave_by(int number)
{
    static const char late[] = "random: the problem took more than 300 s\n";
    if (number == SIGALRM && write(STDERR_FILENO, late, sizeof late - 1) < 0)
        _exit(1);
    say_problem();
    signal(number, SIG_DFL);
    raise(number);
}

/* The text is printed at any end but the proper one: a failed check, a crash, or a problem that
 * takes minutes, or on request (SIGTERM). The handlers of a sanitizer stay; it reports in its own
 * way. */
static void watch(void)
{
    static const int number[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGTERM };
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        struct sigaction now;
        if (sigaction(number[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            signal(number[i], leave_by);
    }
    atexit(say_problem);
}

static void solve(random_run *run, unsigned long long seed, uint64_t number)
{
    static void (*const task[RANDOM_TASKS])(random_run *, const random_problem *) = {
        random_map, random_find, random_plan, random_batch, random_convolve
    };
    const random_problem p = random_draw(run, number);
    for (int i = 0; i < CHECK_THREAD_COUNTS; i++)
        run->check.context[i] = run->context[p.context];
    snprintf(
        run->problem, sizeof run->problem, "random: repeat with --device %s --seed %llu --at %llu",
        run->check.device == XNCC_DEVICE_CUDA ? "cuda" : "cpu", seed, (unsigned long long)number);
    unfinished = run->problem;
    alarm(300); /* seconds, as leave_by says */
    task[p.task](run, &p);
    alarm(0);
    unfinished = NULL;
    run->problems++;
    run->task[p.task]++;
    run->pixel[p.c.pixel]++;
    if (p.task == RANDOM_CONVOLVE)
        return;
    run->channels[p.c.channels]++;
    run->method[p.c.options.method]++;
    run->place[p.c.options.mode][p.c.options.border]++;
    run->masks[p.c.masks]++;
}

static void print_counts(const random_run *run)
{
    long calls = 0;
    for (int i = 0; i < CHECK_KERNELS && run->check.seen[i]; i++)
        calls += run->check.times[i];
    printf("%ld problems, %ld calls, %ld maps compared with an oracle, %ld problems without a "
           "kernel that fits\n",
           run->problems, calls, run->oracle, run->refused);
    for (int i = 0; i < CHECK_KERNELS && run->check.seen[i]; i++)
        printf("kernel %s: %ld\n", run->check.seen[i], run->check.times[i]);
    for (int i = 0; i < RANDOM_TASKS; i++)
        printf("task %s: %ld\n", task_name[i], run->task[i]);
    for (int i = XNCC_U8; i <= XNCC_F64; i++)
        printf("pixel %s: %ld\n", xncc_pixel_name((xncc_pixel)i), run->pixel[i]);
    printf("channels: %ld %ld %ld %ld\n", run->channels[0] + run->channels[1], run->channels[2],
           run->channels[3], run->channels[4]);
    for (int i = XNCC_CCOEFF_NORMED; i <= XNCC_COVERAGE; i++)
        printf("method %s: %ld\n", xncc_method_name((xncc_method)i), run->method[i]);
    for (int i = XNCC_VALID; i <= XNCC_FULL; i++)
        for (int k = XNCC_BORDER_CLAMP; k <= XNCC_BORDER_OVERLAP; k++)
            printf("mode %s, border %s: %ld\n", mode_name[i], border_name[k], run->place[i][k]);
    for (int i = 0; i < GENERAL_MASKS; i++)
        printf("masks %s: %ld\n", masks_name[i], run->masks[i]);
}

static xncc_context *open_context(const random_run *run, int i)
{
    static const uint64_t memory[RANDOM_CONTEXTS] = { 0, 0, 0, 1 << 18, 1 << 20, 1 << 23, 1 << 26 };
    xncc_context *context = NULL;
    const xncc_context_options options = { .size = sizeof(xncc_context_options),
                                           .device = run->check.device,
                                           .threads = 1 + i % 4,
                                           .device_memory = memory[i] };
    CHECK_STATUS(xncc_context_create(&options, &context, &kit_error), XNCC_OK);
    return context;
}

/* Opens the contexts. The test is skipped if there is no device. */
static void open_contexts(random_run *run)
{
    const int gpu = run->check.device == XNCC_DEVICE_CUDA;
    if (gpu)
        xncc_context_destroy(kit_context(XNCC_DEVICE_CUDA, 1));
    run->on_gpu = gpu && kit_device_present();
    run->check.cpu = kit_context(XNCC_DEVICE_CPU, gpu ? 0 : 1);
    for (int i = 0; i < RANDOM_CONTEXTS; i++)
        run->context[i] = open_context(run, i);
}

int main(int argc, char **argv)
{
    static random_run run;
    char now[32];
    snprintf(now, sizeof now, "%lld", (long long)time(NULL));
    const char *seed = kit_option(argc, argv, "seed", now),
               *at = kit_option(argc, argv, "at", NULL),
               *problems = kit_option(argc, argv, "problems", NULL),
               *seconds = kit_option(argc, argv, "seconds", problems ? "1e9" : "10");
    const uint64_t part = kit_short() ? 4 : 1; /* of the problems */
    const uint64_t first = at ? strtoull(at, NULL, 0) : 0,
                   most = at         ? 1
                          : problems ? strtoull(problems, NULL, 0) / part
                                     : UINT64_MAX;
    char *start[] = { argv[0], "--seed", (char *)(uintptr_t)seed, "--stop" };
    kit_start(sizeof start / sizeof *start, start);
    run.check.device = kit_device_option(argc, argv);
    printf("seed %s\n", seed);
    open_contexts(&run);
    watch();
    const time_t begun = time(NULL);
    for (uint64_t i = 0; i < most && difftime(time(NULL), begun) < atof(seconds); i++)
        solve(&run, strtoull(seed, NULL, 0), first + i);
    print_counts(&run);
    for (int i = 0; i < RANDOM_CONTEXTS; i++)
        xncc_context_destroy(run.context[i]);
    xncc_context_destroy(run.check.cpu);
    return kit_finish("random");
}
