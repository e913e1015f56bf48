/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of kernels: wherever the machine has what a kernel needs, its engine serves it, under
 * its own name and with its text. */
#include "kit/pixels.h"

#include "engine/engine.h"
#include "plan/decide.h"
#include "api/objects.h"

#include <stdio.h>
#include <string.h>

/* Does the machine have what the kernel needs for these pixels, whatever the sizes? Floats are
 * refused by the kernels whose sums are exact only for integers: the byte products of VNNI and of
 * the tensor cores, and the transforms of the GPU that are rounded; and integers by those whose
 * sums have bounds. */
static int serves(xncc_kernel kernel, xncc_pixel pixel, const xncc_machine *machine)
{
    uint32_t features = machine->cpu.features;
    int integers = pixel != XNCC_F32, major = machine->cuda.major;
    switch (kernel) {
    case XNCC_KERNEL_DIRECT_AVX2: return (features & XNCC_CPU_AVX2_FMA) != 0;
    case XNCC_KERNEL_DIRECT_AVXVNNI: return integers && (features & XNCC_CPU_AVXVNNI) != 0;
    case XNCC_KERNEL_DIRECT_AVX512: return (features & XNCC_CPU_AVX512_VNNI) != 0;
    case XNCC_KERNEL_DIRECT_NEON: return (features & XNCC_CPU_NEON) != 0;
    case XNCC_KERNEL_DIRECT_DOTPROD: return integers && (features & XNCC_CPU_DOTPROD) != 0;
    case XNCC_KERNEL_FFT_PORTABLE: return 1;
    case XNCC_KERNEL_FFT_AVX2: return (features & XNCC_CPU_AVX2_FMA) != 0;
    case XNCC_KERNEL_FFT_AVX512: return (features & XNCC_CPU_AVX512_VNNI) != 0;
    case XNCC_KERNEL_FFT_CUDA: return integers && machine->cuda.fft;
    case XNCC_KERNEL_FLOAT_FFT: return !integers && machine->cuda.fft;
    case XNCC_KERNEL_FLOAT_FUSED: return !integers && machine->cuda.shared_optin >= 56 << 10;
    case XNCC_KERNEL_FLOAT_SPLIT: return !integers && machine->cuda.shared_optin >= 160 << 10;
    case XNCC_KERNEL_FLOAT_TILES: return !integers && machine->cuda.shared_optin >= 76 << 10;
    case XNCC_KERNEL_FLOAT_PRIMES: return !integers;
    case XNCC_KERNEL_TENSOR_WGMMA: return integers && major == 9 && machine->cuda.minor == 0;
    case XNCC_KERNEL_TENSOR_MMA: return integers && major >= 8;
    case XNCC_KERNEL_TENSOR_FUSED: return pixel == XNCC_U8 && major >= 8;
    case XNCC_KERNEL_GENERAL: return 0; /* these problems are plain */
    default: return 1;
    }
}

static void run(xncc_context *context, const xncc_problem *problem, xncc_kernel kernel)
{
    const char *name = xncc_kernel_table[kernel].name;
    char text[2048];
    xncc_plan *plan = NULL;
    xncc_preference want = { .size = sizeof(xncc_preference), .kernel = name };
    if (!CHECK_STATUS(xncc_plan_create(context, problem, &want, &plan, &kit_error), XNCC_OK)) {
        kit_fail(__FILE__, __LINE__, "%s: %s", name, kit_error.text);
        return;
    }
    CHECK_TEXT(kit_plan_kernel(plan), name);
    CHECK(strstr(xncc_plan_explain(plan, text, sizeof text), name) != NULL);
    const int gpu = xncc_kernel_table[kernel].engine == XNCC_DEVICE_CUDA;
    CHECK((strstr(text, "\nsteps: ") != NULL) == (gpu && problem->task == XNCC_TASK_MATCH));
    CHECK((strstr(text, "\ndevice memory: ") != NULL) == gpu);
    CHECK(strlen(xncc_plan_explain(plan, text, 10)) == 9);
    kit_image image = kit_image_create(problem->pixel, problem->image_width, problem->image_height,
                                       1, KIT_AFTER);
    kit_image templ = kit_image_create(problem->pixel, problem->templ_width, problem->templ_height,
                                       1, KIT_AFTER);
    kit_random random = kit_stream(1);
    kit_image_fill(&image.view, KIT_NOISE, &random);
    kit_image_fill(&templ.view, KIT_NOISE, &random);
    int matches = problem->task == XNCC_TASK_MATCH;
    kit_map map = kit_map_create(problem->image_width - (matches ? problem->templ_width - 1 : 0),
                                 problem->image_height - (matches ? problem->templ_height - 1 : 0),
                                 0, KIT_AFTER);
    xncc_template *template = NULL;
    xncc_filter *filter = NULL;
    static const float tap[64];
    CHECK_STATUS(xncc_template_create(context, &templ.view, &template, &kit_error), XNCC_OK);
    CHECK_STATUS(
        kit_filter_create(context, tap, problem->templ_width, problem->templ_height, NULL, &filter),
        XNCC_OK);
    xncc_status right = matches ? XNCC_OK : XNCC_ERROR_ARGUMENT,
                other = matches ? XNCC_ERROR_ARGUMENT : XNCC_OK;
    CHECK_STATUS(xncc_plan_correlate(plan, &image.view, template, &map.view, NULL, &kit_error),
                 right);
    CHECK_STATUS(xncc_plan_convolve(plan, &image.view, filter, &map.view, NULL, &kit_error), other);
    xncc_template_destroy(template);
    xncc_filter_destroy(filter);
    xncc_plan_destroy(plan);
    kit_map_destroy(&map);
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
}

/* xncc_kernel_list lists the kernels that can serve the problem, each once, and writes no more
 * names than the capacity. */
static void check_list(xncc_context *context, const xncc_problem *problem, size_t served)
{
    const char *name[XNCC_KERNEL_COUNT + 1], *guard = "guard";
    for (size_t i = 0; i <= XNCC_KERNEL_COUNT; i++)
        name[i] = guard;
    CHECK_INT(xncc_kernel_list(context, problem, NULL, 0), served);
    CHECK_INT(xncc_kernel_list(context, problem, name, 1), served);
    CHECK(name[1] == guard);
    CHECK_INT(xncc_kernel_list(context, problem, name, XNCC_KERNEL_COUNT), served);
    for (size_t i = 0; i < served; i++)
        for (size_t k = 0; k < i; k++)
            CHECK(strcmp(name[i], name[k]) != 0);
    CHECK_INT(xncc_kernel_list(NULL, problem, name, 1), 0);
    CHECK_INT(xncc_kernel_list(context, NULL, name, 1), 0);
}

/* What a program is told of a CUDA device is what decisions use. */
static void check_device_info(xncc_device device, const xncc_machine *m)
{
    const size_t count = xncc_device_count();
    for (size_t i = 0; i < count && device == XNCC_DEVICE_CUDA; i++) {
        xncc_device_info info = XNCC_DEVICE_INFO_INIT, *d = &info;
        CHECK_STATUS(xncc_device_describe(i, d, &kit_error), XNCC_OK);
        if (d->device != XNCC_DEVICE_CUDA || d->index != 0)
            continue;
        CHECK(d->usable && d->major == m->cuda.major && d->minor == m->cuda.minor);
        CHECK_INT(d->processors, m->cuda.processors);
        CHECK_INT(d->shared_memory, m->cuda.shared_memory);
        CHECK_INT(d->shared_optin, m->cuda.shared_optin);
        CHECK_INT(d->texture_width, m->cuda.texture_width);
        CHECK_INT(d->texture_height, m->cuda.texture_height);
        CHECK_INT(d->texture_pitch, m->cuda.texture_pitch);
        CHECK_INT(d->constant_memory, 65536); /* of every compute capability */
        CHECK(m->cuda.constant_bytes <= d->constant_memory);
        CHECK_INT(d->registers_per_block, 65536); /* of the compute capabilities from 7.0 on */
        CHECK_INT(d->registers_per_processor, 65536);
        CHECK(d->l2_cache > d->shared_optin);
    }
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    xncc_device device = kit_device_option(argc, argv);
    xncc_context *context = kit_context(device, 2);
    xncc_machine machine;
    CHECK_STATUS(xncc_context_machine(context, &machine, &kit_error), XNCC_OK);
    check_device_info(device, &machine);
    for (int task = XNCC_TASK_MATCH; task <= XNCC_TASK_CONVOLVE; task++)
        for (int pixel = XNCC_U8; pixel <= XNCC_F32; pixel++) {
            xncc_problem problem = kit_problem((xncc_problem){ .task = (xncc_task)task,
                                                               .pixel = (xncc_pixel)pixel,
                                                               .image_width = 90,
                                                               .image_height = 60,
                                                               .templ_width = 8,
                                                               .templ_height = 7 });
            if (task == XNCC_TASK_CONVOLVE) /* conv-registers takes only 3 x 3 and 5 x 5 */
                problem.templ_width = problem.templ_height = 5;
            size_t served = 0;
            for (int k = 0; k < XNCC_KERNEL_COUNT; k++) {
                const xncc_kernel_info *row = &xncc_kernel_table[k];
                if (row->engine != device || !(row->tasks & (1 << task)))
                    continue;
                xncc_decision decision;
                xncc_status status = xncc_decide(
                    &problem, &machine,
                    &(xncc_preference){ .size = sizeof(xncc_preference), .kernel = row->name },
                    &decision, NULL);
                CHECK_STATUS(status, serves((xncc_kernel)k, problem.pixel, &machine)
                                         ? XNCC_OK
                                         : XNCC_ERROR_UNSUPPORTED);
                if (status == XNCC_OK) {
                    run(context, &problem, (xncc_kernel)k);
                    served++;
                }
            }
            CHECK(served > 0);
            check_list(context, &problem, served);
        }
    xncc_context_destroy(context);
    return kit_finish("kernels");
}
