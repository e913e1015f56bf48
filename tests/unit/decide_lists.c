/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of kernels, what a plan explains, and the memories of the kernel table. */
#include "unit/machines.h"

#include "api/objects.h"
#include "plan/decide.h"

#include <stddef.h>
#include <string.h>

static xncc_problem convolution(int32_t width, int32_t height)
{
    xncc_problem p = matching(XNCC_F32, 1920, 1080, width, height);
    p.task = XNCC_TASK_CONVOLVE;
    return p;
}

/* The machine table's H200, with the constant memory of the CUDA engine. */
static xncc_machine h200(void)
{
    xncc_machine m = machine(5);
    m.cuda.constant_bytes = 65024;
    return m;
}

/* Checks that a list takes a kernel, and that the text tells why the earlier ones were refused; ""
 * for the first. */
static void check_taken(const xncc_problem *p, const xncc_machine *m, const char *list,
                        xncc_kernel kernel, const char *refused)
{
    xncc_decision d, one;
    xncc_error error;
    char text[2048];
    if (!CHECK_STATUS(decide(p, m, list, &d, &error), XNCC_OK))
        return;
    CHECK_INT(d.kernel, kernel);
    CHECK_TEXT(d.refused, refused);
    xncc_decision_explain(&d, text, sizeof text);
    CHECK_INT(strstr(text, "\nrefused before it: ") != NULL, *refused != '\0');
    CHECK(strstr(text, refused) != NULL && strlen(text) < sizeof text - 1);
    /* apart from that, the decision is that of the name alone */
    CHECK_STATUS(decide(p, m, xncc_kernel_table[kernel].name, &one, &error), XNCC_OK);
    CHECK_TEXT(one.refused, "");
    memcpy(one.refused, d.refused, sizeof one.refused);
    CHECK(memcmp(&one, &d, sizeof d) == 0);
}

/* The two limits of `shared`: a tile beyond shared memory, and rows beyond constant memory. */
static void check_shared(void)
{
    static const char tile[] = "shared needs a tile of 288192 bytes, and a thread block has 232448";
    static const char constant[] =
        "shared needs 16 template rows of 8000 bytes in constant memory, which has 65024 bytes for "
        "them";
    const xncc_machine m = h200();
    const xncc_problem wide = matching(XNCC_U8, 8192, 8192, 3500, 16),
                       wider = matching(XNCC_U8, 16384, 4096, 8000, 16),
                       small = matching(XNCC_U8, 8192, 8192, 32, 32);
    xncc_decision d;
    xncc_error error;
    check_taken(&small, &m, "shared,tex-tex", XNCC_KERNEL_SHARED, "");
    check_taken(&small, &m, "tex-tex,shared", XNCC_KERNEL_TEX_TEX, ""); /* though it is slower */
    check_taken(&wide, &m, "shared,tex-tex", XNCC_KERNEL_TEX_TEX, tile);
    check_taken(&wide, &m, "tex-constant,shared", XNCC_KERNEL_TEX_CONSTANT, "");
    check_taken(&wider, &m, "shared,tex-tex", XNCC_KERNEL_TEX_TEX, constant);
    /* a single name is not replaced */
    CHECK_STATUS(decide(&wide, &m, "shared", &d, &error), XNCC_ERROR_UNSUPPORTED);
    CHECK_TEXT(error.text, tile);
    CHECK_STATUS(decide(&wider, &m, "shared", &d, &error), XNCC_ERROR_UNSUPPORTED);
    CHECK_TEXT(error.text, constant);
}

/* Families, other tasks, limits that do not name their kernel, and lists that nothing of fits. */
static void check_words(void)
{
    const xncc_machine m = h200(), cpu = machine(1), t4 = machine(3);
    const xncc_problem p = matching(XNCC_U8, 640, 480, 300, 200), filter = convolution(127, 127);
    xncc_decision d;
    xncc_error error;
    CHECK_STATUS(decide(&p, &cpu, "shared,direct,reference", &d, &error), XNCC_OK);
    CHECK(strncmp(xncc_kernel_table[d.kernel].name, "direct-", 7) == 0);
    CHECK_TEXT(d.refused, "kernel shared needs the CUDA engine, which this context does not have");
    xncc_preference no_gpu = XNCC_PREFERENCE_INIT;
    no_gpu.device = XNCC_DEVICE_CPU;
    no_gpu.kernel = "shared";
    CHECK_STATUS(xncc_decide(&p, &m, &no_gpu, &d, &error), XNCC_ERROR_UNSUPPORTED);
    CHECK_TEXT(error.text, "kernel shared needs the CUDA engine, which the preference excludes");
    check_taken(&filter, &t4, "tex-tex,conv-tiled,conv-global", XNCC_KERNEL_CONV_GLOBAL,
                "kernel tex-tex does not serve convolution; conv-tiled needs a tile of 161792 "
                "bytes, and a thread block has 65536");
    xncc_machine poor = m;
    poor.cuda.constant_bytes = 1024;
    check_taken(&filter, &poor, "conv-constant,conv-global", XNCC_KERNEL_CONV_GLOBAL,
                "conv-constant: the filter needs 65024 bytes of constant memory, and 1024 are "
                "available");
    CHECK_STATUS(decide(&filter, &poor, "conv-constant,conv-registers", &d, &error),
                 XNCC_ERROR_UNSUPPORTED);
    CHECK_TEXT(error.text,
               "no kernel of the list can serve: conv-constant: the filter needs 65024 bytes of "
               "constant memory, and 1024 are available; conv-registers serves filters of 3 x 3 "
               "and 5 x 5, and this one is 127 x 127");
    /* more than the text holds */
    CHECK_STATUS(decide(&filter, &m,
                        "tex-tex,tex-constant,shared,fft,general,tensor-mma,tensor-wgmma,"
                        "tensor-fused,tex-tex,tex-constant,shared,fft,general,tensor-mma",
                        &d, &error),
                 XNCC_ERROR_UNSUPPORTED);
    CHECK_INT(strlen(error.text), XNCC_ERROR_SIZE - 1);
    CHECK(strstr(error.text, "tensor-mma does not serve convolution") != NULL);
    CHECK_STATUS(
        xncc_decide(&filter, &m, &(xncc_preference){ .kernel = "shared,conv-tiled" }, &d, NULL),
        XNCC_OK);
}

/* A name that no kernel has is an error wherever it is in the list, and is named. */
static void check_unknown(void)
{
    static const struct {
        const char *list, *named;
    } some[] = { { "nothing,shared", "'nothing'" },
                 { "shared,nothing", "'nothing'" },
                 { "shared,,tex-tex", "''" },
                 { "shared,", "''" },
                 { ",shared", "''" },
                 { ",", "''" },
                 { "shared, tex-tex", "' tex-tex'" },
                 { "shared,tex-te", "'tex-te'" } };
    const xncc_machine m = h200();
    const xncc_problem p = matching(XNCC_U8, 640, 480, 16, 16);
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        xncc_decision d;
        xncc_error error;
        CHECK_STATUS(decide(&p, &m, some[i].list, &d, &error), XNCC_ERROR_ARGUMENT);
        CHECK(strstr(error.text, some[i].named) != NULL);
    }
}

/* What is explained of a filter: the reason, which memory holds what, the tile and its pitch. */
static void check_filter_text(void)
{
    static const struct {
        int32_t size;
        const char *kernel, *lines;
    } some[] = {
        { 3, NULL,
          "image: device memory, then registers; filter: kernel parameter; result: device "
          "memory\n" },
        { 7, "conv-tiled",
          "image: device memory, then shared memory; filter: constant memory; result: device "
          "memory\nblock of 128 x 32 map elements, tile pitch 576, 38 rows, 21888 bytes of shared "
          "memory\n" },
        { 27, "conv-tiled",
          "image: device memory, then shared memory; filter: kernel parameter; result: device "
          "memory\nblock of 128 x 64 map elements, tile pitch 832, 90 rows, 74880 bytes of shared "
          "memory\n" },
        { 7, "conv-constant",
          "image: device memory; filter: constant memory; result: device memory\n" },
    };
    xncc_machine m = h200();
    m.cpu.absent = 1;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        const xncc_problem p = convolution(some[i].size, some[i].size);
        xncc_decision d;
        xncc_error error;
        char text[2048];
        CHECK_STATUS(decide(&p, &m, some[i].kernel, &d, &error), XNCC_OK);
        xncc_decision_explain(&d, text, sizeof text);
        if (!CHECK(strstr(text, some[i].lines) != NULL))
            kit_fail(__FILE__, __LINE__, "the text is\n%s", text);
        CHECK(strstr(text, d.reason) != NULL && strstr(text, "\ndevice memory: ") != NULL);
    }
    const xncc_problem p = matching(XNCC_U8, 8192, 8192, 32, 32);
    xncc_decision d;
    xncc_error error;
    char text[2048];
    CHECK_STATUS(decide(&p, &m, "shared", &d, &error), XNCC_OK);
    xncc_decision_explain(&d, text, sizeof text);
    CHECK(strstr(text, "\nimage: texture, then shared memory; template: constant memory; sums of "
                       "the template: kernel parameter; result: device memory\n") != NULL);
}

/* A description as a newer program would take it. */
typedef struct newer_info {
    xncc_kernel_info known;
    uint64_t added;
} newer_info;

/* Every kernel is described once, by its name, with all of its memories, whatever the size that the
 * caller knows. */
static void check_descriptions(void)
{
    CHECK_INT(xncc_kernel_count(), XNCC_KERNEL_COUNT);
    CHECK_STATUS(xncc_kernel_describe(0, NULL, &kit_error), XNCC_ERROR_ARGUMENT);
    for (size_t k = 0; k < XNCC_KERNEL_COUNT; k++) {
        const xncc_kernel_info *row = &xncc_kernel_table[k];
        newer_info info;
        memset(&info, 0xff, sizeof info);
        info.known.size = sizeof info;
        CHECK_STATUS(xncc_kernel_describe(k, &info.known, &kit_error), XNCC_OK);
        const xncc_kernel_info *i = &info.known;
        CHECK(i->size == sizeof info && info.added == 0);
        CHECK_TEXT(i->name, row->name);
        CHECK(i->engine == row->engine && i->tasks == (uint32_t)row->tasks);
        CHECK(*i->image && *i->templ && *i->sums && *i->result);
        CHECK_INT(strcmp(i->sums, "none") == 0, row->tasks == XNCC_CONVOLVES);
        CHECK_INT(strcmp(i->image, "host memory") == 0, row->engine == XNCC_DEVICE_CPU);
    }
    xncc_kernel_info other = XNCC_KERNEL_INFO_INIT;
    CHECK_STATUS(xncc_kernel_describe(XNCC_KERNEL_COUNT, &other, &kit_error), XNCC_ERROR_ARGUMENT);
    CHECK(other.name == NULL);
    other.size--;
    CHECK_STATUS(xncc_kernel_describe(0, &other, &kit_error), XNCC_ERROR_ARGUMENT);
    CHECK(other.name == NULL && strstr(kit_error.text, "XNCC_KERNEL_INFO_INIT") != NULL);
}

/* What programs are told of a plan on a GPU: only kernels that share constant memory cannot be
 * captured, and bands are counted. */
static void check_plan_info(void)
{
    static const struct {
        const char *kernel;
        int32_t filter; /* its side; 0: matching */
        int32_t capturable;
    } some[] = {
        { "tex-tex", 0, 1 },       { "tex-constant", 0, 0 },   { "shared", 0, 0 },
        { "tensor-wgmma", 0, 1 },  { "tensor-mma", 0, 1 },     { "general", 0, 1 },
        { "fft", 0, 1 },           { "float-fft", 0, 1 },      { "float-split", 0, 1 },
        { "float-tiles", 0, 1 },   { "float-primes", 0, 1 },   { "conv-global", 5, 1 },
        { "conv-constant", 5, 0 }, { "conv-registers", 5, 1 }, { "conv-cached-halo", 5, 0 },
        { "conv-tiled", 5, 0 },    { "conv-tiled", 9, 1 }
    };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        xncc_machine m = h200();
        const int floats = strcmp(some[i].kernel, "general") == 0 ||
                           strncmp(some[i].kernel, "float-", 6) == 0;
        const xncc_problem p = some[i].filter
                                   ? convolution(some[i].filter, some[i].filter)
                                   : matching(floats ? XNCC_F64 : XNCC_U8, 4096, 4096, 48, 48);
        m.cpu.absent = 1; /* its kernels fft-* have the same beginning */
        const xncc_extent map = xncc_problem_extent(&p);
        xncc_decision d;
        xncc_error error;
        xncc_plan_info info;
        if (!CHECK_STATUS(decide(&p, &m, some[i].kernel, &d, &error), XNCC_OK))
            continue;
        xncc_decision_describe(&d, map.width, map.height, &info);
        CHECK_TEXT(info.kernel, some[i].kernel);
        if (!CHECK_INT(info.capturable, some[i].capturable))
            kit_fail(__FILE__, __LINE__, "%s, filter %d", some[i].kernel, some[i].filter);
        CHECK(info.size == sizeof info && info.engine == XNCC_DEVICE_CUDA && info.bands == 1 &&
              info.workspace_bytes == d.workspace.total && info.estimate_ms == d.estimate_ms);
    }
    xncc_machine small = h200();
    const xncc_problem p = matching(XNCC_U8, 400000, 700, 64, 64);
    xncc_decision d;
    xncc_error error;
    xncc_plan_info info;
    small.cuda.workspace = INT64_C(1) << 30;
    CHECK_STATUS(decide(&p, &small, "tex-tex", &d, &error), XNCC_OK);
    xncc_decision_describe(&d, 399937, 637, &info);
    const int32_t across = (399937 + d.band_width - 1) / d.band_width,
                  down = (637 + d.band_height - 1) / d.band_height;
    CHECK(across > 1 && info.workspace_bytes <= 1u << 30);
    CHECK_INT(info.bands, across * down);
}

/* An engine of the H200 that finds out that cuFFT is missing when a plan needs it. */
typedef struct fake_engine {
    xncc_engine base;
    xncc_machine machine;
    xncc_kernel bound;
} fake_engine;

static xncc_status fake_describe(const xncc_engine *engine, xncc_machine *m, xncc_error *error)
{
    (void)error;
    m->cuda = ((const fake_engine *)(const void *)engine)->machine.cuda;
    return XNCC_OK;
}

static int fake_ready(xncc_engine *engine, xncc_kernel kernel)
{
    fake_engine *fake = (fake_engine *)(void *)engine;
    if (kernel == XNCC_KERNEL_FFT_CUDA)
        fake->machine.cuda.fft = 0;
    return kernel != XNCC_KERNEL_FFT_CUDA;
}

static xncc_status fake_bind(xncc_engine *engine, const xncc_problem *problem,
                             const xncc_decision *decision, const xncc_stack_plan *stack,
                             const xncc_watch *watch, xncc_engine_plan **plan, xncc_error *error)
{
    (void)problem;
    (void)stack;
    (void)watch;
    (void)error;
    *plan = NULL;
    ((fake_engine *)(void *)engine)->bound = decision->kernel;
    return XNCC_OK;
}

static void check_missing_library(void)
{
    static const xncc_engine_ops ops = { .describe = fake_describe,
                                         .bind = fake_bind,
                                         .ready = fake_ready };
    fake_engine fake = { { &ops }, h200(), XNCC_KERNEL_COUNT };
    xncc_context context = { .engine = { NULL, &fake.base } };
    const xncc_problem p = matching(XNCC_U8, 4096, 4096, 300, 300);
    xncc_plan *plan = NULL;
    char text[2048];
    CHECK_STATUS(xncc_plan_create(
                     &context, &p,
                     &(xncc_preference){ .size = sizeof(xncc_preference), .kernel = "fft,tex-tex" },
                     &plan, &kit_error),
                 XNCC_OK);
    if (plan) {
        CHECK_TEXT(kit_plan_kernel(plan), "tex-tex");
        CHECK_INT(fake.bound, XNCC_KERNEL_TEX_TEX);
        CHECK(strstr(xncc_plan_explain(plan, text, sizeof text),
                     "\nrefused before it: fft needs the cuFFT library") != NULL);
    }
    xncc_plan_destroy(plan);
    fake.machine.cuda.fft = 1;
    CHECK_STATUS(
        xncc_plan_create(&context, &p,
                         &(xncc_preference){ .size = sizeof(xncc_preference), .kernel = "fft" },
                         &plan, &kit_error),
        XNCC_ERROR_UNSUPPORTED);
    CHECK(strstr(kit_error.text, "cuFFT") != NULL);
}

void check_lists(void)
{
    check_shared();
    check_words();
    check_unknown();
    check_filter_text();
    check_descriptions();
    check_plan_info();
    check_missing_library();
}
