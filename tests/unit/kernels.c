/* The list of kernels: each is served by its engine wherever the machine has what it needs, under its own name, with its text. */
#include "kit/pixels.h"

#include "engine/engine.h"
#include "run/run.h"

#include <stdio.h>
#include <string.h>

/* Does the machine have what the kernel needs for these pixels, whatever the sizes? Floats are refused by the kernels whose sums are exact
 * as integers only: the bytes of the vector instructions of VNNI and of the tensor cores, and the transforms of fft, which are rounded. */
static int serves(cm_kernel kernel, cm_pixel pixel, const cm_machine *machine)
{
    uint32_t features = machine->cpu.features;
    int integers = pixel != CM_F32, major = machine->cuda.major;
    switch (kernel) {
    case CM_KERNEL_DIRECT_AVX2: return (features & CM_CPU_AVX2_FMA) != 0;
    case CM_KERNEL_DIRECT_AVXVNNI: return integers && (features & CM_CPU_AVXVNNI) != 0;
    case CM_KERNEL_DIRECT_AVX512: return (features & CM_CPU_AVX512_VNNI) != 0;
    case CM_KERNEL_FFT_PORTABLE: return integers;
    case CM_KERNEL_FFT_AVX2: return integers && (features & CM_CPU_AVX2_FMA) != 0;
    case CM_KERNEL_FFT_AVX512: return integers && (features & CM_CPU_AVX512_VNNI) != 0;
    case CM_KERNEL_FFT_CUDA: return integers && machine->cuda.fft;
    case CM_KERNEL_TENSOR_WGMMA: return integers && major == 9 && machine->cuda.minor == 0;
    case CM_KERNEL_TENSOR_MMA: return integers && major >= 8;
    case CM_KERNEL_TENSOR_FUSED: return pixel == CM_U8 && major >= 8;
    case CM_KERNEL_JOINT: return 0; /* these problems are plain */
    default: return 1;
    }
}

static void run(cm_context *context, const cm_problem *problem, cm_kernel kernel)
{
    const char *name = cm_kernel_table[kernel].name;
    char text[CM_ERROR_SIZE];
    cm_plan *plan = NULL;
    cm_preference want = { .kernel = name };
    if (!CHECK_STATUS(cm_plan_create(context, problem, &want, &plan), CM_OK)) {
        kit_fail(__FILE__, __LINE__, "%s: %s", name, cm_context_error(context, text, sizeof text));
        return;
    }
    CHECK_TEXT(cm_plan_kernel(plan), name);
    CHECK(strstr(cm_plan_explain(plan, text, sizeof text), name) != NULL);
    CHECK(strlen(cm_plan_explain(plan, text, 10)) == 9);
    kit_image image = kit_image_create(problem->pixel, problem->image_width, problem->image_height, 1, KIT_AFTER);
    kit_image part = kit_image_create(problem->pixel, problem->width, problem->height, 1, KIT_AFTER);
    kit_random random = kit_stream(1);
    kit_image_fill(&image.view, KIT_NOISE, &random);
    kit_image_fill(&part.view, KIT_NOISE, &random);
    int matches = problem->task == CM_TASK_MATCH;
    kit_map map = kit_map_create(problem->image_width - (matches ? problem->width - 1 : 0),
                                 problem->image_height - (matches ? problem->height - 1 : 0), 0, KIT_AFTER);
    cm_template *template = NULL;
    cm_filter *filter = NULL;
    static const float tap[64];
    CHECK_STATUS(cm_template_create(context, &part.view, &template), CM_OK);
    CHECK_STATUS(cm_filter_create(context, tap, problem->width, problem->height, NULL, &filter), CM_OK);
    cm_status right = matches ? CM_OK : CM_ERROR_ARGUMENT, other = matches ? CM_ERROR_ARGUMENT : CM_OK;
    CHECK_STATUS(cm_plan_correlate(plan, &image.view, template, &map.view, NULL), right);
    CHECK_STATUS(cm_plan_convolve(plan, &image.view, filter, &map.view, NULL), other);
    cm_template_destroy(template);
    cm_filter_destroy(filter);
    cm_plan_destroy(plan);
    kit_map_destroy(&map);
    kit_image_destroy(&image);
    kit_image_destroy(&part);
}

/* cm_kernels names what is feasible, once each, and writes no more than it is asked to. */
static void check_list(cm_context *context, const cm_problem *problem, size_t served)
{
    const char *name[CM_KERNEL_COUNT + 1], *guard = "guard";
    for (size_t i = 0; i <= CM_KERNEL_COUNT; i++)
        name[i] = guard;
    CHECK_INT(cm_kernels(context, problem, NULL, 0), served);
    CHECK_INT(cm_kernels(context, problem, name, 1), served);
    CHECK(name[1] == guard);
    CHECK_INT(cm_kernels(context, problem, name, CM_KERNEL_COUNT), served);
    for (size_t i = 0; i < served; i++)
        for (size_t k = 0; k < i; k++)
            CHECK(strcmp(name[i], name[k]) != 0);
    CHECK_INT(cm_kernels(NULL, problem, name, 1), 0);
    CHECK_INT(cm_kernels(context, NULL, name, 1), 0);
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    cm_device device = kit_device_option(argc, argv);
    cm_context *context = kit_context(device, 2);
    cm_machine machine = cm_context_machine(context);
    for (int task = CM_TASK_MATCH; task <= CM_TASK_CONVOLVE; task++)
        for (int pixel = CM_U8; pixel <= CM_F32; pixel++) {
            cm_problem problem = { .task = (cm_task)task, .pixel = (cm_pixel)pixel, .image_width = 90, .image_height = 60, .width = 8, .height = 7 };
            if (task == CM_TASK_CONVOLVE) /* conv-registers takes 3 x 3 and 5 x 5 only */
                problem.width = problem.height = 5;
            size_t served = 0;
            for (int k = 0; k < CM_KERNEL_COUNT; k++) {
                const cm_kernel_row *row = &cm_kernel_table[k];
                if (row->engine != device || !(row->tasks & (1 << task)))
                    continue;
                cm_decision decision;
                cm_status status = cm_decide(&problem, &machine, &(cm_preference){ .kernel = row->name }, &decision, NULL);
                CHECK_STATUS(status, serves((cm_kernel)k, problem.pixel, &machine) ? CM_OK : CM_ERROR_UNSUPPORTED);
                if (status == CM_OK) {
                    run(context, &problem, (cm_kernel)k);
                    served++;
                }
            }
            CHECK(served > 0);
            check_list(context, &problem, served);
        }
    cm_context_destroy(context);
    return kit_finish("kernels");
}
