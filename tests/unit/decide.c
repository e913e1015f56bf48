/* SPDX-License-Identifier: BSD-2-Clause */
/* The decision on a table of machines: kernel names, preferences, and what must hold for any
 * problem. */
#include "unit/machines.h"

#include "plan/cost_fft_cuda.h"
#include "plan/cost_split_cuda.h"
#include "plan/fft_blocking.h"
#include "plan/float_sums.h"

#include <math.h>
#include <string.h>

/* For one problem on one machine: the choice is the cheapest of the kernels that can be forced, and
 * all of them fit the machine. */
static void check_choice(const xncc_problem *p, const xncc_machine *m)
{
    xncc_decision chosen, again, forced, all[XNCC_KERNEL_COUNT];
    xncc_error error;
    xncc_status status = decide(p, m, NULL, &chosen, &error);
    CHECK_STATUS(decide(p, m, NULL, &again, &error), status);
    CHECK(memcmp(&chosen, &again, sizeof chosen) == 0);
    int feasible = 0;
    for (int k = 0; k < XNCC_KERNEL_COUNT; k++) {
        const xncc_kernel_info *row = &xncc_kernel_table[k];
        xncc_status one = xncc_decide(p, m,
                                      &(xncc_preference){ .size = sizeof(xncc_preference),
                                                          .device = row->engine,
                                                          .kernel = row->name },
                                      &forced, &error);
        if (one) {
            CHECK_STATUS(one, XNCC_ERROR_UNSUPPORTED);
            CHECK(status || chosen.kernel != (xncc_kernel)k);
            continue;
        }
        all[feasible++] = forced;
        CHECK_INT(forced.kernel, k);
        CHECK_INT(forced.engine, row->engine);
        CHECK(row->tasks & (1u << p->task));
        CHECK(row->engine == XNCC_DEVICE_CPU ? !m->cpu.absent : m->cuda.present);
        CHECK(forced.estimate_ms > 0.0);
        if (row->engine == XNCC_DEVICE_CUDA)
            check_cuda(p, m, &forced);
    }
    CHECK_INT(status == XNCC_OK, feasible > 0);
    if (status == XNCC_OK)
        check_cheapest(p, &chosen, all, feasible);
    /* the CPU's reference kernel serves everything */
    CHECK(m->cpu.absent || status == XNCC_OK);
}

static xncc_problem random_problem(kit_random *random)
{
    xncc_problem p = kit_problem((xncc_problem){ .task = (xncc_task)kit_below(random, 2),
                                                 .pixel = (xncc_pixel)kit_below(random, 3) });
    p.image_width = kit_between(random, 1, 1 << kit_below(random, 19));
    p.image_height = kit_between(random, 1, 1 << kit_below(random, 19));
    if (p.task == XNCC_TASK_CONVOLVE) {
        p.rule.border = (xncc_border)kit_below(random, 2);
        p.templ_width = kit_between(random, 1, XNCC_MAX_FILTER);
        p.templ_height = kit_between(random, 1, XNCC_MAX_FILTER);
        return p;
    }
    p.rule.method = (xncc_method)kit_below(random, 6);
    p.rule.mode = (xncc_mode)kit_below(random, 2);
    int valid = p.rule.mode == XNCC_VALID;
    p.templ_width = kit_between(random, 1, valid ? p.image_width : 1 << kit_below(random, 14));
    p.templ_height = kit_between(random, 1, valid ? p.image_height : 1 << kit_below(random, 14));
    while ((uint64_t)p.templ_width * (uint64_t)p.templ_height > UINT64_C(1) << 31)
        p.templ_height = 1 + p.templ_height / 2;
    return p;
}

static void check_sweep(void)
{
    kit_random random = kit_stream(1);
    for (int which = 0; which < MACHINES; which++) {
        xncc_machine m = machine(which);
        for (int i = 0; i < 1500; i++) {
            xncc_problem p = random_problem(&random);
            long before = kit_failures();
            check_choice(&p, &m);
            if (kit_failures() != before)
                kit_fail(__FILE__, __LINE__,
                         "on %s: task %d, pixel %d, image %dx%d, %dx%d, mode %d",
                         machine_name[which], (int)p.task, (int)p.pixel, p.image_width,
                         p.image_height, p.templ_width, p.templ_height, (int)p.rule.mode);
        }
        m.cpu.absent = 1;
        for (int i = 0; i < 300; i++) {
            xncc_problem p = random_problem(&random);
            check_choice(&p, &m);
        }
    }
}

/* The transforms of the CPU's blocks are the cheapest of all that can serve. */
static void check_transforms(void)
{
    enum { PROBLEMS = 2000 };
    static const xncc_pixel pixels[] = { XNCC_U8, XNCC_U16, XNCC_F32 };
    kit_random random = kit_stream(2);
    for (int i = 0; i < PROBLEMS; i++) {
        const int32_t width = kit_between(&random, 1, 1 << kit_below(&random, 12)),
                      height = kit_between(&random, 1, 1 << kit_below(&random, 12)),
                      side = kit_between(&random, 1, 1 << kit_below(&random, 11));
        const xncc_problem p = matching(pixels[kit_below(&random, 3)], width + side - 1,
                                        height + side - 1, side, side);
        xncc_fft_blocking best, other;
        CHECK(xncc_fft_blocking_make(&p, &best));
        for (int j = 0; j < XNCC_FFT_SIDES * XNCC_FFT_SIDES; j++)
            if (xncc_fft_blocking_of(&p, xncc_fft_sides[j / XNCC_FFT_SIDES],
                                     xncc_fft_sides[j % XNCC_FFT_SIDES], INFINITY, &other))
                CHECK(other.points >= best.points);
    }
}

/* Under a small template, transforms have at most 2^19 points, and those of floats 2^20, if that is
 * cheaper. */
static void check_large_transforms(void)
{
    xncc_fft_blocking bytes, floats;
    const xncc_problem p = matching(XNCC_U8, 1920, 1080, 256, 256),
                       q = matching(XNCC_F32, 1920, 1080, 256, 256);
    CHECK(xncc_fft_blocking_make(&p, &bytes));
    CHECK(xncc_fft_blocking_make(&q, &floats));
    CHECK(bytes.nx * bytes.ny <= 1 << 19);
    CHECK(floats.nx * floats.ny > 1 << 19 && floats.nx * floats.ny <= 1 << 20);
}

static void check_names(void)
{
    xncc_machine cpu = machine(1), gpu = machine(5);
    xncc_problem p = matching(XNCC_U8, 640, 480, 16, 16), filter = p;
    filter.task = XNCC_TASK_CONVOLVE;
    xncc_decision d;
    xncc_error error;
    CHECK_STATUS(decide(&p, &gpu, "nothing", &d, &error), XNCC_ERROR_ARGUMENT);
    CHECK(strstr(error.text, "nothing") != NULL);
    CHECK_STATUS(decide(&p, &gpu, "referenc", &d, &error),
                 XNCC_ERROR_ARGUMENT); /* a prefix of a name is not a name */
    CHECK_STATUS(decide(&p, &gpu, "", &d, &error), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(decide(&p, &gpu, "conv-tiled", &d, &error), XNCC_ERROR_UNSUPPORTED);
    CHECK_STATUS(decide(&filter, &gpu, "shared", &d, &error), XNCC_ERROR_UNSUPPORTED);
    CHECK_STATUS(decide(&p, &cpu, "tex-tex", &d, &error), XNCC_ERROR_UNSUPPORTED);
    CHECK_STATUS(decide(&p, &cpu, "direct", &d, &error), XNCC_OK);
    CHECK(strncmp(xncc_kernel_table[d.kernel].name, "direct-", 7) == 0);
    for (int k = 0; k < XNCC_KERNEL_COUNT; k++)
        CHECK(xncc_kernel_table[k].name && xncc_kernel_table[k].tasks &&
              xncc_kernel_table[k].engine != XNCC_DEVICE_AUTO);
    /* devices and memories of the preference */
    xncc_preference want = { .size = sizeof(xncc_preference), .device = XNCC_DEVICE_CPU };
    CHECK_STATUS(xncc_decide(&p, &gpu, &want, &d, &error), XNCC_OK);
    CHECK_INT(d.engine, XNCC_DEVICE_CPU);
    want = (xncc_preference){ .size = sizeof(xncc_preference), .device = XNCC_DEVICE_CUDA };
    CHECK_STATUS(xncc_decide(&p, &gpu, &want, &d, &error), XNCC_OK);
    CHECK_INT(d.engine, XNCC_DEVICE_CUDA);
    CHECK_STATUS(xncc_decide(&p, &cpu, &want, &d, &error), XNCC_ERROR_UNSUPPORTED);
    want = (xncc_preference){ .size = sizeof(xncc_preference), .image_memory = XNCC_DEVICE };
    CHECK_STATUS(xncc_decide(&p, &gpu, &want, &d, &error), XNCC_OK);
    CHECK_INT(d.engine, XNCC_DEVICE_CUDA);
    CHECK_STATUS(xncc_decide(&p, &cpu, &want, &d, &error), XNCC_ERROR_UNSUPPORTED);
    want = (xncc_preference){ .size = sizeof(xncc_preference), .map_memory = (xncc_memory)7 };
    CHECK_STATUS(xncc_decide(&p, &gpu, &want, &d, &error), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_decide(&p, &gpu, NULL, &d, NULL), XNCC_OK);
    /* a big problem with a small processor belongs on the GPU */
    xncc_problem big = matching(XNCC_U8, 8192, 8192, 64, 64);
    gpu.cpu.threads = 1;
    gpu.cpu.features = 0;
    CHECK_STATUS(decide(&big, &gpu, NULL, &d, &error), XNCC_OK);
    CHECK_INT(d.engine, XNCC_DEVICE_CUDA);
}

/* The kernel that was fastest on an H200 with image and map in its memory
 * (docs/tuning.md). */
typedef struct choice {
    int32_t width, height, n;
    const char *kernel;
} choice;

static void check_choices(const choice *some, size_t count, int32_t channels, int templ_masked,
                          int image_masked)
{
    xncc_machine m = machine(5);
    for (size_t i = 0; i < count; i++) {
        xncc_problem p = matching(XNCC_U8, some[i].width, some[i].height, some[i].n, some[i].n);
        p.channels = channels;
        p.templ_masked = templ_masked;
        p.image_masked = image_masked;
        xncc_decision d;
        xncc_error error;
        CHECK_STATUS(xncc_decide(&p, &m,
                                 &(xncc_preference){ .size = sizeof(xncc_preference),
                                                     .image_memory = XNCC_DEVICE,
                                                     .map_memory = XNCC_DEVICE },
                                 &d, &error),
                     XNCC_OK);
        if (strcmp(xncc_kernel_table[d.kernel].name, some[i].kernel) != 0)
            kit_fail(__FILE__, __LINE__, "%dx%d, %d, %d channels, masks %d %d: %s, %g ms; want %s",
                     some[i].width, some[i].height, some[i].n, channels, templ_masked, image_masked,
                     xncc_kernel_table[d.kernel].name, d.estimate_ms, some[i].kernel);
        CHECK(strcmp(xncc_kernel_table[d.kernel].name, some[i].kernel) == 0);
    }
}

static void check_measured(void)
{
    static const choice plain[] = {
        { 8192, 8192, 8, "tensor-fused" },  { 8192, 8192, 16, "tensor-fused" },
        { 8192, 8192, 24, "tensor-fused" }, { 8192, 8192, 32, "tensor-wgmma" },
        { 8192, 8192, 64, "tensor-wgmma" }, { 8192, 8192, 128, "tensor-wgmma" },
        { 8192, 8192, 256, "fft" },         { 8192, 8192, 512, "fft" },
        { 4096, 4096, 8, "tensor-fused" },  { 4096, 4096, 24, "tensor-fused" },
        { 4096, 4096, 32, "tensor-wgmma" }, { 1920, 1080, 8, "tensor-fused" },
        { 1920, 1080, 32, "tensor-wgmma" }, { 1920, 1080, 64, "tensor-wgmma" },
    };
    static const choice templ[] = {
        { 8192, 8192, 8, "tensor-fused" },  { 8192, 8192, 24, "tensor-fused" },
        { 8192, 8192, 32, "tensor-wgmma" }, { 8192, 8192, 64, "tensor-wgmma" },
        { 1920, 1080, 16, "tensor-fused" }, { 1920, 1080, 24, "tensor-fused" },
        { 1920, 1080, 32, "tensor-wgmma" },
    };
    static const choice image[] = {
        { 8192, 8192, 8, "tensor-fused" },  { 8192, 8192, 16, "tensor-fused" },
        { 8192, 8192, 24, "tensor-wgmma" }, { 8192, 8192, 32, "tensor-wgmma" },
        { 8192, 8192, 64, "tensor-wgmma" }, { 1920, 1080, 8, "tensor-fused" },
        { 1920, 1080, 16, "tensor-fused" }, { 1920, 1080, 24, "tensor-wgmma" },
    };
    static const choice both[] = {
        { 8192, 8192, 8, "tensor-fused" },
        { 8192, 8192, 24, "tensor-fused" },
        { 1920, 1080, 24, "tensor-fused" },
    };
    static const choice two[] = {
        { 8192, 8192, 16, "tensor-fused" },
        { 8192, 8192, 24, "tensor-fused" },
        { 8192, 8192, 32, "tensor-wgmma" },
    };
    static const choice three[] = {
        { 8192, 8192, 8, "tensor-fused" },  { 8192, 8192, 16, "tensor-fused" },
        { 8192, 8192, 24, "tensor-wgmma" }, { 8192, 8192, 32, "tensor-wgmma" },
        { 8192, 8192, 64, "tensor-wgmma" },
    };
    static const choice four[] = {
        { 8192, 8192, 8, "tensor-fused" },
        { 8192, 8192, 16, "tensor-fused" },
        { 8192, 8192, 24, "tensor-fused" },
        { 8192, 8192, 32, "tensor-wgmma" },
    };
    check_choices(plain, sizeof plain / sizeof *plain, 1, 0, 0);
    check_choices(templ, sizeof templ / sizeof *templ, 1, 1, 0);
    check_choices(image, sizeof image / sizeof *image, 1, 0, 1);
    check_choices(both, sizeof both / sizeof *both, 1, 1, 1);
    check_choices(two, sizeof two / sizeof *two, 2, 0, 0);
    check_choices(three, sizeof three / sizeof *three, 3, 0, 0);
    check_choices(four, sizeof four / sizeof *four, 4, 0, 0);
}

/* Floats and u32 with masks or several channels on an H200: windows one by one, or all sums by
 * transforms. */
static void check_float_sums(void)
{
    static const struct {
        xncc_pixel pixel;
        int32_t n, channels, templ_masked, image_masked;
        const char *kernel;
    } some[] = {
        { XNCC_F32, 24, 1, 1, 0, "general" },     { XNCC_F32, 32, 1, 1, 0, "float-split" },
        { XNCC_F64, 16, 1, 0, 1, "general" },     { XNCC_F64, 32, 1, 0, 1, "float-split" },
        { XNCC_F32, 11, 1, 0, 1, "general" },     { XNCC_F32, 16, 1, 1, 0, "general" },
        { XNCC_F32, 16, 1, 1, 1, "general" },     { XNCC_F32, 128, 1, 1, 1, "float-split" },
        { XNCC_F32, 8, 3, 0, 0, "general" },      { XNCC_F32, 64, 3, 0, 0, "float-split" },
        { XNCC_U32, 64, 1, 1, 0, "float-split" }, { XNCC_F32, 64, 9, 0, 0, "general" }
    };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        const xncc_machine m = machine(5);
        xncc_problem p = matching(some[i].pixel, 4096, 4096, some[i].n, some[i].n);
        const xncc_preference want = { .size = sizeof want,
                                       .image_memory = XNCC_DEVICE,
                                       .map_memory = XNCC_DEVICE };
        xncc_decision d;
        xncc_error error;
        p.channels = some[i].channels;
        p.templ_masked = some[i].templ_masked;
        p.image_masked = some[i].image_masked;
        CHECK_STATUS(xncc_decide(&p, &m, &want, &d, &error), XNCC_OK);
        CHECK_TEXT(xncc_kernel_table[d.kernel].name, some[i].kernel);
        CHECK_INT(d.exact.width != 0, some[i].n > 16 || (some[i].n > 11 && some[i].image_masked));
        check_cuda(&p, &m, &d);
    }
}

/* Devices whose doubles are slow take sums of integers for floats, but near 17 x 17, where
 * float-tiles is estimated to take as long for f64. Others take them if they are told to, up to
 * templates of 1536 x 1536 pixels and from compute capability 7.5 on. */
static void check_slow_doubles(void)
{
    static const struct {
        int32_t major, minor, slow;
        int64_t shared;
    } device[] = { { 7, 5, 1, 65536 },   { 8, 6, 1, 101376 },  { 8, 9, 1, 101376 },
                   { 12, 0, 1, 101376 }, { 10, 3, 1, 232448 }, { 8, 0, 0, 166912 },
                   { 9, 0, 0, 232448 },  { 10, 0, 0, 232448 } };
    static const int32_t sides[] = { 3, 8, 16, 24, 48, 64, 128, 256, 512, 1000 };
    xncc_decision d;
    xncc_error error;
    for (size_t i = 0; i < sizeof device / sizeof *device; i++)
        for (size_t k = 0; k < 2 * sizeof sides / sizeof *sides; k++) {
            xncc_machine m = machine(5);
            m.cuda.major = device[i].major;
            m.cuda.minor = device[i].minor;
            m.cuda.fp64_is_slow = device[i].slow;
            m.cuda.shared_optin = device[i].shared;
            const xncc_problem p = matching(k % 2 ? XNCC_F64 : XNCC_F32, 4096, 4096, sides[k / 2],
                                            sides[k / 2]);
            const xncc_preference want = { .size = sizeof want,
                                           .image_memory = XNCC_DEVICE,
                                           .map_memory = XNCC_DEVICE };
            CHECK_STATUS(xncc_decide(&p, &m, &want, &d, &error), XNCC_OK);
            if (!CHECK((d.kernel == XNCC_KERNEL_FLOAT_PRIMES) == device[i].slow))
                kit_fail(__FILE__, __LINE__, "%d.%d takes %s for %s under %d x %d", device[i].major,
                         device[i].minor, xncc_kernel_table[d.kernel].name,
                         xncc_pixel_name(p.pixel), p.templ_width, p.templ_height);
            CHECK_STATUS(decide(&p, &m, "float-primes", &d, &error), XNCC_OK);
            check_cuda(&p, &m, &d);
            CHECK_STATUS(decide(&p, &m, "float-fft", &d, &error), XNCC_OK);
            check_cuda(&p, &m, &d);
        }
    xncc_machine m = machine(5);
    xncc_problem p = matching(XNCC_F32, 4096, 4096, 1537, 8);
    CHECK_STATUS(decide(&p, &m, "float-primes", &d, &error), XNCC_ERROR_UNSUPPORTED);
    CHECK(strstr(error.text, "1536 x 1536") != NULL && strstr(error.text, "1537 x 8") != NULL);
    p.templ_width = 1536;
    CHECK_STATUS(decide(&p, &m, "float-primes", &d, &error), XNCC_OK);
    m.cuda.workspace = 40 << 20;
    CHECK_STATUS(decide(&p, &m, "float-primes", &d, &error), XNCC_ERROR_UNSUPPORTED);
    CHECK(strstr(error.text, "device_memory") != NULL);
    m = machine(5);
    m.cuda.major = 7;
    m.cuda.minor = 0;
    CHECK_STATUS(decide(&p, &m, "float-primes", &d, &error), XNCC_ERROR_UNSUPPORTED);
    CHECK(strstr(error.text, "has 7.0") != NULL);
    p.templ_width = 8; /* tiles serve it */
    CHECK_STATUS(decide(&p, &m, "float-primes", &d, &error), XNCC_OK);
}

/* Whether many windows in doubt are settled together: by tiles, or by exact sums of all. */
static int settles_together(const xncc_problem *p, const xncc_decision *d)
{
    return d->exact.width != 0 || (is_small(p) && (xncc_decision_has(d, XNCC_STEP_PIXELS) ||
                                                   xncc_decision_has(d, XNCC_STEP_FLOAT_SUMS) ||
                                                   xncc_decision_has(d, XNCC_STEP_FUSED_FLOATS) ||
                                                   xncc_decision_has(d, XNCC_STEP_PRIME_SUMS)));
}

/* Whatever the size of a template, the masks and the border: if all windows of a large map are in
 * doubt on an H200, they are not settled one by one. */
static void check_doubts(void)
{
    static const xncc_pixel pixels[] = { XNCC_F32, XNCC_F64, XNCC_U32 };
    for (int i = 0; i < 3 * 6 * 120; i++) {
        const int kind = i % 6, n = i / 18 < 64 ? 1 + i / 18 : (i / 18 - 60) * 20;
        xncc_machine m = machine(5);
        m.cuda.workspace = INT64_C(64) << 30;
        xncc_problem p = matching(pixels[i / 6 % 3], 4096, 4096, n, n);
        p.channels = kind == 1 ? 3 : kind == 2 ? (i / 18 % 2 ? 8 : 20) : 1;
        p.templ_masked = kind == 3;
        p.image_masked = kind == 4;
        p.rule.mode = kind == 5 ? XNCC_SAME : XNCC_VALID;
        p.rule.border = kind == 5 ? XNCC_BORDER_OVERLAP : XNCC_BORDER_CLAMP;
        const xncc_preference want = { .size = sizeof want,
                                       .image_memory = XNCC_DEVICE,
                                       .map_memory = XNCC_DEVICE };
        xncc_decision d;
        xncc_error error;
        CHECK_STATUS(xncc_decide(&p, &m, &want, &d, &error), XNCC_OK);
        const int of_doubles = xncc_kernel_is_of_doubles(d.kernel) ||
                               (d.kernel == XNCC_KERNEL_GENERAL && d.shared_bytes),
                  is_of_integers = p.pixel == XNCC_U32 && !of_doubles;
        if (!CHECK(is_of_integers || settles_together(&p, &d)))
            kit_fail(__FILE__, __LINE__, "%s of kind %d under %d x %d, kernel %s",
                     xncc_pixel_name(p.pixel), kind, n, n, xncc_kernel_table[d.kernel].name);
    }
}

/* What serves floats and u32 on an H200: sums in one pass, transforms in shared memory, large ones,
 * cuFFT, or without it the direct kernels. */
static void check_floats(void)
{
    static const struct {
        xncc_pixel pixel;
        int32_t n;
        int without_fft;
        const char *kernel;
    } some[] = { { XNCC_F32, 8, 0, "float-fused" },   { XNCC_F32, 32, 0, "float-tiles" },
                 { XNCC_F32, 64, 0, "float-split" },  { XNCC_F32, 512, 0, "float-split" },
                 { XNCC_F32, 1100, 0, "float-fft" },  { XNCC_F32, 48, 0, "float-split" },
                 { XNCC_F64, 16, 0, "float-fused" },  { XNCC_F64, 128, 0, "float-split" },
                 { XNCC_U32, 3, 0, "float-fused" },   { XNCC_U32, 20, 0, "float-tiles" },
                 { XNCC_U32, 256, 0, "float-split" }, { XNCC_F32, 32, 1, "float-tiles" },
                 { XNCC_F32, 64, 1, "float-split" },  { XNCC_F64, 1025, 1, "float-primes" },
                 { XNCC_F64, 1537, 1, "general" } };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        xncc_machine m = machine(5);
        const xncc_problem p = matching(some[i].pixel, 4096, 4096, some[i].n, some[i].n);
        const xncc_preference want = { .size = sizeof want,
                                       .image_memory = XNCC_DEVICE,
                                       .map_memory = XNCC_DEVICE };
        xncc_decision d;
        xncc_error error;
        m.cuda.fft = !some[i].without_fft;
        CHECK_STATUS(xncc_decide(&p, &m, &want, &d, &error), XNCC_OK);
        CHECK_TEXT(xncc_kernel_table[d.kernel].name, some[i].kernel);
        check_cuda(&p, &m, &d);
        if (!some[i].without_fft)
            continue;
        CHECK_STATUS(decide(&p, &m, "float-fft", &d, &error), XNCC_ERROR_UNSUPPORTED);
        CHECK(strstr(error.text, "float-fft needs the cuFFT library") != NULL);
    }
    /* limits: the template, the shared memory, and what is not served */
    xncc_machine m = machine(5);
    xncc_problem p = matching(XNCC_F32, 4096, 4096, 49, 8);
    xncc_decision d;
    xncc_error error;
    CHECK_STATUS(decide(&p, &m, "float-tiles", &d, &error), XNCC_ERROR_UNSUPPORTED);
    CHECK(strstr(error.text, "48 x 48") != NULL && strstr(error.text, "49 x 8") != NULL);
    p.templ_width = 48;
    CHECK_STATUS(decide(&p, &m, "float-tiles", &d, &error), XNCC_OK);
    p.templ_width = 1025;
    CHECK_STATUS(decide(&p, &m, "float-split", &d, &error), XNCC_ERROR_UNSUPPORTED);
    CHECK(strstr(error.text, "1024 x 1024") != NULL && strstr(error.text, "1025 x 8") != NULL);
    p.templ_width = 1024;
    CHECK_STATUS(decide(&p, &m, "float-split", &d, &error), XNCC_OK);
    check_cuda(&p, &m, &d);
    m.cuda.shared_optin = m.cuda.shared_memory = 100000;
    CHECK_STATUS(decide(&p, &m, "float-split", &d, &error), XNCC_ERROR_UNSUPPORTED);
    CHECK(strstr(error.text, "100000") != NULL);
    p.templ_width = 48;
    m.cuda.shared_optin = m.cuda.shared_memory = 65536;
    CHECK_STATUS(decide(&p, &m, "float-tiles", &d, &error), XNCC_ERROR_UNSUPPORTED);
    CHECK(strstr(error.text, "65536") != NULL);
    m = machine(5);
    p = matching(XNCC_F32, 4096, 4096, 8, 17);
    CHECK_STATUS(decide(&p, &m, "float-fused", &d, &error), XNCC_ERROR_UNSUPPORTED);
    CHECK(strstr(error.text, "16 x 16") != NULL && strstr(error.text, "8 x 17") != NULL);
    p.templ_height = 16;
    CHECK_STATUS(decide(&p, &m, "float-fused", &d, &error), XNCC_OK);
    check_cuda(&p, &m, &d);
    m.cuda.shared_optin = m.cuda.shared_memory = 49152;
    CHECK_STATUS(decide(&p, &m, "float-fused", &d, &error), XNCC_ERROR_UNSUPPORTED);
    CHECK(strstr(error.text, "49152") != NULL);
    m = machine(5);
    p = matching(XNCC_F32, 4096, 4096, 48, 8);
    p.templ_masked = 1;
    CHECK_STATUS(decide(&p, &m, "float-fft", &d, &error), XNCC_ERROR_UNSUPPORTED);
    p = matching(XNCC_U16, 4096, 4096, 64, 64);
    CHECK_STATUS(decide(&p, &m, "float-fft", &d, &error), XNCC_ERROR_UNSUPPORTED);
    /* the error of a transform: radix 2 against radix 3 */
    const xncc_fft_blocks two = { .width = 1024, .height = 1024 },
                          three = { .width = 1152, .height = 1152 };
    const double u = ldexp(1.0, -53);
    CHECK(xncc_fft_double_error(&two) > (60 + 88 + 26) * u &&
          xncc_fft_double_error(&two) < 190 * u);
    CHECK(xncc_fft_double_error(&three) > 250 * u && xncc_fft_double_error(&three) < 300 * u);
    CHECK(xncc_float_tiles_error() > 95 * u);
    /* samples in two parts: the units are so large that the product of both exceeds the error of a
     * transform, and so small that the rest, times the power of two, is below the leading part */
    for (int32_t side = 512; side <= 4096; side *= 2)
        for (int32_t n = 1; n <= 1024 && n <= side; n *= 2) {
            const xncc_fft_blocks b = { .width = side, .height = side, .columns = n, .rows = n };
            const xncc_split s = xncc_split_make(&b);
            CHECK(s.relative > 200 * u && s.relative < 400 * u);
            CHECK(s.unit * s.unit >= s.relative / 0.45 * side * n);
            CHECK(ldexp(s.unit, s.bits) <= 1.15 && ldexp(s.unit, s.bits) > 0.5 && s.bits >= 8);
        }
}

/* On the CPU: as many threads as have work for 0.02 ms or more, so one for few windows, and all for
 * a large image. */
static void check_threads(void)
{
    static const struct {
        xncc_pixel pixel;
        int32_t width, height, size, least, most;
    } some[] = { { XNCC_U8, 16, 16, 8, 1, 1 },      { XNCC_U8, 87, 87, 8, 1, 1 },
                 { XNCC_U8, 111, 111, 32, 1, 2 },   { XNCC_U8, 320, 240, 16, 4, 7 },
                 { XNCC_U8, 640, 480, 32, 16, 16 }, { XNCC_U8, 1920, 1080, 32, 16, 16 },
                 { XNCC_F32, 24, 24, 8, 1, 1 },     { XNCC_F32, 128, 128, 16, 3, 8 },
                 { XNCC_F32, 640, 480, 16, 16, 16 } };
    xncc_machine m = machine(0);
    xncc_error error;
    xncc_decision d;
    m.cpu.features = UINT32_MAX;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        const xncc_problem p = matching(some[i].pixel, some[i].width, some[i].height, some[i].size,
                                        some[i].size);
        m.cpu.threads = 16;
        CHECK_STATUS(decide(&p, &m, NULL, &d, &error), XNCC_OK);
        if (!CHECK(d.cpu_threads >= some[i].least && d.cpu_threads <= some[i].most))
            kit_fail(__FILE__, __LINE__, "%d x %d: %d threads", some[i].width, some[i].height,
                     d.cpu_threads);
        CHECK(d.cpu_threads == 1 || d.estimate_ms * 16 / d.cpu_threads >= 0.02);
        m.cpu.threads = 1;
        CHECK_STATUS(decide(&p, &m, NULL, &d, &error), XNCC_OK);
        CHECK_INT(d.cpu_threads, 1);
    }
}

static void check_illegal(void)
{
    xncc_machine m = machine(1);
    xncc_error error;
    xncc_decision d;
    xncc_problem good = matching(XNCC_U8, 100, 100, 10, 10), bad[16];
    for (int i = 0; i < 16; i++)
        bad[i] = good;
    bad[0].task = (xncc_task)2;
    bad[1].pixel = (xncc_pixel)7;
    bad[2].image_width = 0;
    bad[3].image_height = XNCC_MAX_SIDE + 1;
    bad[4].templ_width = -1;
    bad[5].templ_height = 101;
    bad[6].rule.method = (xncc_method)7;
    bad[7].rule.mode = (xncc_mode)-1;
    bad[8].rule.border = (xncc_border)5;
    bad[9].rule.flat = (xncc_flat)2;
    bad[10] = matching(XNCC_U8, 1 << 20, 1 << 20, 1 << 16, (1 << 15) + 1);
    bad[11].task = XNCC_TASK_CONVOLVE;
    bad[11].templ_width = 128;
    bad[12].channels = XNCC_MAX_CHANNELS + 1;
    bad[13].rule.min_valid = 1.5;
    bad[14].rule.min_valid = (double)NAN;
    bad[15] = matching(XNCC_U32, 1 << 20, 1 << 20, 1 << 14, (1 << 14) + 1);
    for (int i = 0; i < 16; i++)
        CHECK_STATUS(decide(&bad[i], &m, NULL, &d, &error), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_decide(NULL, &m, NULL, &d, &error), XNCC_ERROR_ARGUMENT);
    bad[10].templ_height = 1 << 15; /* 2^31 pixels are legal */
    CHECK_STATUS(xncc_problem_check(&bad[10], &error), XNCC_OK);
}

/* Samples of norm 1 have a unit of which the bound E is at most 0.45 units of both, among those
 * that are tried, wherever the templates' unit lies: b = c / sqrt(n) times 1 to 2
 * (docs/numerics.md). */
static void check_split_units(void)
{
    for (int32_t side = XNCC_SPLIT_LEAST; side <= XNCC_SPLIT_MOST; side *= 2)
        for (int32_t n = 24; n < side && n <= XNCC_SPLIT_TEMPLATE; n += n / 3)
            for (int32_t channels = 1; channels <= XNCC_FLOAT_CHANNELS; channels++) {
                const xncc_split s = xncc_split_make(&(xncc_fft_blocks){
                    .width = side, .height = side, .columns = n, .rows = n, .channels = channels });
                const double larger = ldexp(1.0, s.bits), root = sqrt((double)channels) * side;
                CHECK(s.bits >= 8);
                for (double r = 1.0; r <= 2.0; r += 0.125) {
                    const double off = 0.5 * r * s.unit, b = r * s.unit / (sqrt(channels) * n),
                                 templ = 1.01 * hypot(1.0 + off, larger * off),
                                 a = 8.0 * s.relative / 0.45 * templ / b,
                                 norm = 1.01 * hypot(1.0 + 0.5 * a * root, larger * 0.5 * a * root);
                    CHECK(s.relative * templ * norm <= 0.45 * a * b);
                }
            }
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    check_split_units();
    check_names();
    check_illegal();
    check_measured();
    check_floats();
    check_float_sums();
    check_slow_doubles();
    check_doubts();
    check_threads();
    check_fallback();
    check_limits();
    check_transforms();
    check_large_transforms();
    check_fft();
    check_channel_pass();
    check_rare_limits();
    check_lists();
    check_stacks();
    check_sweep();
    return kit_finish("decide");
}
