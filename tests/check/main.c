/* SPDX-License-Identifier: BSD-2-Clause */
/* check AREA... [--device cpu|cuda] [--pixel NAME] [--group NAME] [--kernel NAME] [--slow-doubles]
 * [--full] [--seed N] [--stop]
 *
 * Compares every kernel bit for bit with the oracle of tests/kit and with the kernel "reference".
 * AREA: match, find, scan, general, convolve, device. */
#include "check/check.h"

#include <stdio.h>
#include <string.h>

size_t check_kernels(check_run *run, const xncc_problem *problem, const char **name)
{
    const char *all[CHECK_KERNELS];
    size_t count = xncc_kernel_list(run->context[0], problem, all, CHECK_KERNELS), kept = 0;
    if (count > CHECK_KERNELS)
        kit_give_up("xncc_kernel_list names %zu kernels", count);
    for (size_t i = 0; i < count; i++)
        if (!run->kernel || strcmp(run->kernel, all[i]) == 0)
            name[kept++] = all[i];
    if (!run->kernel)
        CHECK(kept > 0);
    return kept;
}

void check_count(check_run *run, const char *kernel)
{
    run->turn++;
    for (int i = 0; i < CHECK_KERNELS; i++) {
        if (!run->seen[i])
            run->seen[i] = kernel;
        if (strcmp(run->seen[i], kernel) == 0) {
            run->times[i]++;
            return;
        }
    }
}

int check_wants(const check_run *run, xncc_pixel pixel)
{
    return run->pixels >> pixel & 1;
}

int check_in_group(const check_run *run, const char *group)
{
    return !run->group || strcmp(run->group, group) == 0;
}

int check_is_brief(const check_run *run)
{
    return run->group && strcmp(run->group, "brief") == 0;
}

int check_is_threads(const check_run *run)
{
    return run->group && strcmp(run->group, "threads") == 0;
}

int check_walking(const check_run *run, check_run *walking)
{
    *walking = *run;
    walking->kernel = "tensor-fused";
    return run->device == XNCC_DEVICE_CUDA &&
           (!run->kernel || strcmp(run->kernel, walking->kernel) == 0);
}

static void open_contexts(check_run *run)
{
    static const int32_t any[CHECK_THREAD_COUNTS] = { 1, 2, 5 },
                         several[CHECK_THREAD_COUNTS] = { 2, 3, 5 };
    const int32_t *threads = check_is_threads(run) ? several : any;
    if (run->device == XNCC_DEVICE_CUDA) {
        xncc_context *cuda = kit_context(XNCC_DEVICE_CUDA, 0);
        for (int i = 0; i < CHECK_THREAD_COUNTS; i++)
            run->context[i] = cuda;
        if (run->fp64_is_slow)
            check_slow_doubles(cuda);
        run->cpu = kit_context(XNCC_DEVICE_CPU, 0);
        return;
    }
    for (int i = 0; i < CHECK_THREAD_COUNTS; i++)
        run->context[i] = kit_context(XNCC_DEVICE_CPU, threads[i]);
    run->cpu = run->context[1];
}

static void close_contexts(check_run *run)
{
    for (int i = 0; i < CHECK_THREAD_COUNTS; i++)
        if (run->device == XNCC_DEVICE_CPU || i == 0)
            xncc_context_destroy(run->context[i]);
    if (run->device == XNCC_DEVICE_CUDA)
        xncc_context_destroy(run->cpu);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*check)(check_run *run);
    } area[] = { { "match", check_match },       { "find", check_find },
                 { "scan", check_scan },         { "general", check_general },
                 { "convolve", check_convolve }, { "device", check_device } };
    kit_start(argc, argv);
    check_run run = { .device = kit_device_option(argc, argv),
                      .kernel = kit_option(argc, argv, "kernel", NULL),
                      .full = kit_flag(argc, argv, "full"),
                      .fp64_is_slow = kit_flag(argc, argv, "slow-doubles"),
                      .group = kit_option(argc, argv, "group", NULL) };
    const char *pixel = kit_option(argc, argv, "pixel", NULL);
    for (int p = XNCC_U8; p <= XNCC_F64; p++)
        if (!pixel || strcmp(pixel, xncc_pixel_name((xncc_pixel)p)) == 0)
            run.pixels |= 1 << p;
    if (!run.pixels)
        kit_give_up("--pixel %s: use u8, u16, f32, s8, s16, u32 or f64", pixel);
    int areas = 0;
    open_contexts(&run);
    for (size_t i = 0; i < sizeof area / sizeof *area; i++)
        for (int k = 1; k < argc && argv[k][0] != '-'; k++)
            if (strcmp(argv[k], area[i].name) == 0) {
                area[i].check(&run);
                areas++;
            }
    if (!areas)
        kit_give_up("check match|find|scan|general|convolve|device [--device cpu|cuda] [--pixel "
                    "NAME] [--group NAME] "
                    "[--kernel NAME]"
                    " [--slow-doubles] [--full] [--seed N] [--stop]");
    for (int i = 0; i < CHECK_KERNELS && run.seen[i]; i++)
        printf("%s: %ld results\n", run.seen[i], run.times[i]);
    if (run.kernel && !run.seen[0]) {
        close_contexts(&run);
        kit_skip("the kernel cannot serve anything here");
    }
    close_contexts(&run);
    return kit_finish("check");
}
