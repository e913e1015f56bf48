/* The decision over a table of machines: names, preferences, and what must hold for any problem. */
#include "unit/machines.h"

#include <math.h>
#include <string.h>

/* For one problem on one machine: the choice is the cheapest of what can be forced, and all of it fits. */
static void check_choice(const cm_problem *p, const cm_machine *m)
{
    cm_decision chosen, again, forced;
    cm_error error;
    cm_status status = decide(p, m, NULL, &chosen, &error);
    CHECK_STATUS(decide(p, m, NULL, &again, &error), status);
    CHECK(memcmp(&chosen, &again, sizeof chosen) == 0);
    int feasible = 0;
    for (int k = 0; k < CM_KERNEL_COUNT; k++) {
        const cm_kernel_row *row = &cm_kernel_table[k];
        cm_status one = cm_decide(p, m, &(cm_preference){ .device = row->engine, .kernel = row->name }, &forced, &error);
        if (one) {
            CHECK_STATUS(one, CM_ERROR_UNSUPPORTED);
            CHECK(status || chosen.kernel != (cm_kernel)k);
            continue;
        }
        feasible++;
        CHECK_INT(forced.kernel, k);
        CHECK_INT(forced.engine, row->engine);
        CHECK(row->tasks & (1 << p->task));
        CHECK(row->engine == CM_DEVICE_CPU ? !m->cpu.absent : m->cuda.present);
        CHECK(forced.estimate_ms > 0.0);
        if (row->engine == CM_DEVICE_CUDA)
            check_cuda(p, m, &forced);
        if (status == CM_OK) {
            CHECK(chosen.estimate_ms <= forced.estimate_ms);
            CHECK(chosen.kernel == (cm_kernel)k || (chosen.has_runner_up && chosen.runner_up_ms <= forced.estimate_ms));
        }
    }
    CHECK_INT(status == CM_OK, feasible > 0);
    if (status == CM_OK) {
        CHECK_INT(chosen.has_runner_up, feasible > 1);
        CHECK(!chosen.has_runner_up || chosen.runner_up != chosen.kernel);
    }
    /* the CPU's reference serves everything */
    CHECK(m->cpu.absent || status == CM_OK);
}

static cm_problem random_problem(kit_random *random)
{
    cm_problem p = { .task = (cm_task)kit_below(random, 2), .pixel = (cm_pixel)kit_below(random, 3) };
    p.image_width = kit_between(random, 1, 1 << kit_below(random, 19));
    p.image_height = kit_between(random, 1, 1 << kit_below(random, 19));
    p.method = (cm_method)kit_below(random, 6);
    p.mode = (cm_mode)kit_below(random, 2);
    if (p.task == CM_TASK_CONVOLVE) {
        p.border = (cm_border)kit_below(random, 2);
        p.width = kit_between(random, 1, CM_MAX_FILTER);
        p.height = kit_between(random, 1, CM_MAX_FILTER);
        return p;
    }
    int valid = p.mode == CM_VALID;
    p.width = kit_between(random, 1, valid ? p.image_width : 1 << kit_below(random, 14));
    p.height = kit_between(random, 1, valid ? p.image_height : 1 << kit_below(random, 14));
    while ((uint64_t)p.width * (uint64_t)p.height > UINT64_C(1) << 31)
        p.height = 1 + p.height / 2;
    return p;
}

static void check_sweep(void)
{
    kit_random random = kit_stream(1);
    for (int which = 0; which < MACHINES; which++) {
        cm_machine m = machine(which);
        for (int i = 0; i < 1500; i++) {
            cm_problem p = random_problem(&random);
            long before = kit_failures();
            check_choice(&p, &m);
            if (kit_failures() != before)
                kit_fail(__FILE__, __LINE__, "on %s: task %d, pixel %d, image %dx%d, %dx%d, mode %d", machine_name[which], (int)p.task,
                         (int)p.pixel, p.image_width, p.image_height, p.width, p.height, (int)p.mode);
        }
        m.cpu.absent = 1;
        for (int i = 0; i < 300; i++) {
            cm_problem p = random_problem(&random);
            check_choice(&p, &m);
        }
    }
}

static void check_names(void)
{
    cm_machine cpu = machine(1), gpu = machine(5);
    cm_problem p = matching(CM_U8, 640, 480, 16, 16), filter = p;
    filter.task = CM_TASK_CONVOLVE;
    cm_decision d;
    cm_error error;
    CHECK_STATUS(decide(&p, &gpu, "nothing", &d, &error), CM_ERROR_ARGUMENT);
    CHECK(strstr(error.text, "nothing") != NULL);
    CHECK_STATUS(decide(&p, &gpu, "referenc", &d, &error), CM_ERROR_ARGUMENT); /* a beginning is no name */
    CHECK_STATUS(decide(&p, &gpu, "", &d, &error), CM_ERROR_ARGUMENT);
    CHECK_STATUS(decide(&p, &gpu, "conv-tiled", &d, &error), CM_ERROR_UNSUPPORTED);
    CHECK_STATUS(decide(&filter, &gpu, "shared", &d, &error), CM_ERROR_UNSUPPORTED);
    CHECK_STATUS(decide(&p, &cpu, "tex-tex", &d, &error), CM_ERROR_UNSUPPORTED);
    CHECK_STATUS(decide(&p, &cpu, "direct", &d, &error), CM_OK);
    CHECK(strncmp(cm_kernel_table[d.kernel].name, "direct-", 7) == 0);
    for (int k = 0; k < CM_KERNEL_COUNT; k++)
        CHECK(cm_kernel_table[k].name && cm_kernel_table[k].tasks && cm_kernel_table[k].engine != CM_DEVICE_AUTO);
    /* devices and memories of the preference */
    cm_preference want = { .device = CM_DEVICE_CPU };
    CHECK_STATUS(cm_decide(&p, &gpu, &want, &d, &error), CM_OK);
    CHECK_INT(d.engine, CM_DEVICE_CPU);
    want = (cm_preference){ .device = CM_DEVICE_CUDA };
    CHECK_STATUS(cm_decide(&p, &gpu, &want, &d, &error), CM_OK);
    CHECK_INT(d.engine, CM_DEVICE_CUDA);
    CHECK_STATUS(cm_decide(&p, &cpu, &want, &d, &error), CM_ERROR_UNSUPPORTED);
    want = (cm_preference){ .image_memory = CM_DEVICE };
    CHECK_STATUS(cm_decide(&p, &gpu, &want, &d, &error), CM_OK);
    CHECK_INT(d.engine, CM_DEVICE_CUDA);
    CHECK_STATUS(cm_decide(&p, &cpu, &want, &d, &error), CM_ERROR_UNSUPPORTED);
    want = (cm_preference){ .map_memory = (cm_memory)7 };
    CHECK_STATUS(cm_decide(&p, &gpu, &want, &d, &error), CM_ERROR_ARGUMENT);
    CHECK_STATUS(cm_decide(&p, &gpu, NULL, &d, NULL), CM_OK);
    /* a big problem beside a small processor belongs on the GPU */
    cm_problem big = matching(CM_U8, 8192, 8192, 64, 64);
    gpu.cpu.threads = 1;
    gpu.cpu.features = 0;
    CHECK_STATUS(decide(&big, &gpu, NULL, &d, &error), CM_OK);
    CHECK_INT(d.engine, CM_DEVICE_CUDA);
}

/* The kernel that was fastest on an H200, image and map in its memory (docs/performance-gpu.md). */
typedef struct choice {
    int32_t width, height, n;
    const char *kernel;
} choice;

static void check_choices(const choice *some, size_t count, int part_masked, int image_masked)
{
    cm_machine m = machine(5);
    for (size_t i = 0; i < count; i++) {
        cm_problem p = matching(CM_U8, some[i].width, some[i].height, some[i].n, some[i].n);
        p.part_masked = part_masked;
        p.image_masked = image_masked;
        cm_decision d;
        cm_error error;
        CHECK_STATUS(cm_decide(&p, &m, &(cm_preference){ .image_memory = CM_DEVICE, .map_memory = CM_DEVICE }, &d, &error), CM_OK);
        if (strcmp(cm_kernel_table[d.kernel].name, some[i].kernel) != 0)
            kit_fail(__FILE__, __LINE__, "%dx%d, %d, masks %d %d: %s, %g ms; want %s", some[i].width, some[i].height, some[i].n, part_masked,
                     image_masked, cm_kernel_table[d.kernel].name, d.estimate_ms, some[i].kernel);
        CHECK(strcmp(cm_kernel_table[d.kernel].name, some[i].kernel) == 0);
    }
}

static void check_measured(void)
{
    static const choice plain[] = {
        { 8192, 8192, 8, "tensor-fused" },   { 8192, 8192, 16, "tensor-fused" },  { 8192, 8192, 24, "tensor-fused" },
        { 8192, 8192, 32, "tensor-wgmma" },  { 8192, 8192, 64, "tensor-wgmma" },  { 8192, 8192, 128, "tensor-wgmma" },
        { 8192, 8192, 256, "fft" },          { 8192, 8192, 512, "fft" },          { 4096, 4096, 8, "tensor-fused" },
        { 4096, 4096, 24, "tensor-fused" },  { 4096, 4096, 32, "tensor-wgmma" },  { 1920, 1080, 8, "tensor-fused" },
        { 1920, 1080, 32, "tensor-wgmma" },  { 1920, 1080, 64, "tensor-wgmma" },
    };
    static const choice part[] = {
        { 8192, 8192, 8, "tensor-fused" },  { 8192, 8192, 24, "tensor-fused" }, { 8192, 8192, 32, "tensor-wgmma" },
        { 8192, 8192, 64, "tensor-wgmma" }, { 1920, 1080, 16, "tensor-fused" }, { 1920, 1080, 24, "tensor-fused" },
        { 1920, 1080, 32, "tensor-wgmma" },
    };
    static const choice image[] = {
        { 8192, 8192, 8, "tensor-fused" },  { 8192, 8192, 16, "tensor-fused" }, { 8192, 8192, 24, "tensor-wgmma" },
        { 8192, 8192, 32, "tensor-wgmma" }, { 8192, 8192, 64, "tensor-wgmma" }, { 1920, 1080, 8, "tensor-fused" },
        { 1920, 1080, 16, "tensor-fused" }, { 1920, 1080, 24, "tensor-wgmma" },
    };
    static const choice both[] = {
        { 8192, 8192, 8, "tensor-fused" }, { 8192, 8192, 24, "tensor-fused" }, { 1920, 1080, 24, "tensor-fused" },
    };
    check_choices(plain, sizeof plain / sizeof *plain, 0, 0);
    check_choices(part, sizeof part / sizeof *part, 1, 0);
    check_choices(image, sizeof image / sizeof *image, 0, 1);
    check_choices(both, sizeof both / sizeof *both, 1, 1);
}

static void check_illegal(void)
{
    cm_machine m = machine(1);
    cm_error error;
    cm_decision d;
    cm_problem good = matching(CM_U8, 100, 100, 10, 10), bad[16];
    for (int i = 0; i < 16; i++)
        bad[i] = good;
    bad[0].task = (cm_task)2;
    bad[1].pixel = (cm_pixel)7;
    bad[2].image_width = 0;
    bad[3].image_height = CM_MAX_SIDE + 1;
    bad[4].width = -1;
    bad[5].height = 101;
    bad[6].method = (cm_method)7;
    bad[7].mode = (cm_mode)-1;
    bad[8].border = (cm_border)5;
    bad[9].flat = (cm_flat)2;
    bad[10] = matching(CM_U8, 1 << 20, 1 << 20, 1 << 16, (1 << 15) + 1);
    bad[11].task = CM_TASK_CONVOLVE;
    bad[11].width = 128;
    bad[12].channels = CM_MAX_CHANNELS + 1;
    bad[13].min_valid = 1.5;
    bad[14].min_valid = (double)NAN;
    bad[15] = matching(CM_U32, 1 << 20, 1 << 20, 1 << 14, (1 << 14) + 1);
    for (int i = 0; i < 16; i++)
        CHECK_STATUS(decide(&bad[i], &m, NULL, &d, &error), CM_ERROR_ARGUMENT);
    CHECK_STATUS(cm_decide(NULL, &m, NULL, &d, &error), CM_ERROR_ARGUMENT);
    bad[10].height = 1 << 15; /* 2^31 pixels are legal */
    CHECK_STATUS(cm_problem_check(&bad[10], &error), CM_OK);
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    check_names();
    check_illegal();
    check_measured();
    check_fallback();
    check_limits();
    check_fft();
    check_sweep();
    return kit_finish("decide");
}
