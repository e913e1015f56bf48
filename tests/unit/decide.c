/* The decision over a table of machines: both sides of every limit, forced kernels, and what must hold for any problem. */
#include "kit/kit.h"

#include "plan/cost_cuda.h"
#include "plan/cost_fft_cuda.h"
#include "plan/decide.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MACHINES = 7 };

static const char *const machine_name[MACHINES] = { "one thread", "CPU", "48 KB", "T4", "A100", "H200", "tiny" };

static cm_machine machine(int which)
{
    cm_machine m = { .cpu.threads = 1 };
    if (which == 0)
        return m;
    m.cpu.threads = 8;
    m.cpu.features = CM_CPU_AVX2_FMA | (which > 3 ? CM_CPU_AVX512_VNNI : 0);
    if (which == 1)
        return m;
    m.cuda.present = 1;
    m.cuda.constant_bytes = 65536;
    m.cuda.texture_width = 131072;
    m.cuda.texture_height = 65000;
    m.cuda.texture_pitch = 2097120;
    m.cuda.workspace = INT64_C(4) << 30;
    m.cuda.fft = which != 2;
    static const struct {
        int32_t major, minor, processors;
        int64_t shared, optin;
    } gpu[] = { { 7, 5, 16, 49152, 49152 }, { 7, 5, 40, 49152, 65536 }, { 8, 0, 108, 49152, 166912 }, { 9, 0, 132, 49152, 232448 }, { 7, 5, 1, 8192, 8192 } };
    m.cuda.major = gpu[which - 2].major;
    m.cuda.minor = gpu[which - 2].minor;
    m.cuda.processors = gpu[which - 2].processors;
    m.cuda.shared_memory = gpu[which - 2].shared;
    m.cuda.shared_optin = gpu[which - 2].optin;
    if (which == 6) {
        m.cuda.constant_bytes = 1024;
        m.cuda.texture_width = 4096;
        m.cuda.texture_height = 512;
        m.cuda.texture_pitch = 8192;
        m.cuda.workspace = 4 << 20;
    }
    return m;
}

static cm_problem matching(cm_pixel pixel, int32_t image_width, int32_t image_height, int32_t width, int32_t height)
{
    return (cm_problem){ .pixel = pixel, .image_width = image_width, .image_height = image_height, .width = width, .height = height };
}

/* CM_OK, or not: then with one line of text. */
static cm_status decide(const cm_problem *problem, const cm_machine *m, const char *kernel, cm_decision *decision, cm_error *error)
{
    memset(decision, 0, sizeof *decision);
    memset(error, 0, sizeof *error);
    cm_status status = cm_decide(problem, m, &(cm_preference){ .kernel = kernel }, decision, error);
    if (status)
        CHECK(error->text[0] != '\0' && !strchr(error->text, '\n'));
    else
        CHECK(decision->reason[0] != '\0' && !strchr(decision->reason, '\n'));
    return status;
}

static int64_t pixel_size(cm_pixel pixel)
{
    return pixel == CM_U8 ? 1 : pixel == CM_U16 ? 2 : 4;
}

static int has_large_prime(int32_t n)
{
    for (int32_t prime = 2; prime <= 7; prime++)
        while (n % prime == 0)
            n /= prime;
    return n != 1;
}

/* Transforms hold what they are for, fit the memory beside the bands, and are short enough to be rounded to exact integers. */
static void check_fft_blocks(const cm_problem *p, const cm_machine *m, const cm_decision *d)
{
    const cm_fft_blocks *b = &d->fft;
    CHECK(p->pixel != CM_F32 && m->cuda.fft);
    CHECK(b->batch >= 1 && b->columns >= 1 && b->rows >= 1 && b->columns <= p->width && b->rows <= p->height);
    CHECK(b->width >= b->columns && b->height >= b->rows && !has_large_prime(b->width) && !has_large_prime(b->height));
    double points = (double)b->width * b->height, pixels = (double)b->columns * b->rows;
    /* worst case of all bytes 255 in both parts of the image's block: squares sum to 2 * points * 255^2 */
    CHECK(40 * log2(points) * pow(2, -53) * sqrt(2 * points * 255 * 255) * sqrt(pixels * 255 * 255) < 0.25);
    uint64_t bytes = (uint64_t)b->width * (uint64_t)b->height * 16, batches = p->pixel == CM_U8 ? 2 : 3, spectra = p->pixel == CM_U8 ? 1 : 2;
    CHECK(cm_cuda_workspace(p, d->band_width, d->band_height).total + bytes * (batches * (uint64_t)b->batch + spectra) <=
          (uint64_t)m->cuda.workspace);
}

/* What a CUDA decision claims must fit the machine. Written from the limits, not from the code that chooses. */
static void check_cuda(const cm_problem *p, const cm_machine *m, const cm_decision *d)
{
    int64_t limit = m->cuda.shared_optin > m->cuda.shared_memory ? m->cuda.shared_optin : m->cuda.shared_memory;
    int32_t map_width = p->image_width, map_height = p->image_height;
    if (p->task == CM_TASK_MATCH && p->mode == CM_VALID) {
        map_width -= p->width - 1;
        map_height -= p->height - 1;
    }
    CHECK(m->cuda.present);
    CHECK(d->shared_bytes <= limit);
    CHECK(d->tile_pitch % 64 == 0);
    CHECK(d->shared_bytes == d->tile_pitch * d->tile_rows);
    CHECK(d->band_width >= 1 && d->band_width <= map_width);
    CHECK(d->band_height >= 1 && d->band_height <= map_height);
    if (d->kernel == CM_KERNEL_SHARED) {
        CHECK(d->tile_pitch >= (d->tile_width + p->width - 1) * pixel_size(p->pixel));
        CHECK(d->tile_rows == d->tile_height + d->constant_rows - 1);
    }
    if (d->kernel == CM_KERNEL_SHARED || d->kernel == CM_KERNEL_TEX_CONSTANT) {
        CHECK(d->constant_rows >= 1 && d->constant_rows <= p->height);
        CHECK(d->constant_rows * p->width * pixel_size(p->pixel) <= m->cuda.constant_bytes);
    }
    if (p->task == CM_TASK_MATCH) {
        int64_t columns = (int64_t)d->band_width + p->width - 1, rows = (int64_t)d->band_height + p->height - 1;
        columns = columns < p->image_width ? columns : p->image_width;
        rows = rows < p->image_height ? rows : p->image_height;
        CHECK(columns <= m->cuda.texture_width && columns * pixel_size(p->pixel) <= m->cuda.texture_pitch);
        CHECK(rows <= m->cuda.texture_height);
    }
    if (d->kernel == CM_KERNEL_FFT_CUDA)
        check_fft_blocks(p, m, d);
    else
        CHECK_INT(d->fft.batch, 0);
    if (d->kernel == CM_KERNEL_CONV_TILED)
        CHECK(d->tile_pitch >= (d->tile_width + p->width - 1) * 4 && d->tile_rows == d->tile_height + p->height - 1);
}

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

/* The widest template of a height that a forced kernel takes, by halving; the next one is refused. */
static int32_t widest(const cm_machine *m, const char *kernel, cm_pixel pixel, int32_t height)
{
    int32_t low = 0, high = 140000;
    cm_decision d;
    cm_error error;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        cm_problem p = matching(pixel, 200000, 2000, middle, height);
        if (decide(&p, m, kernel, &d, &error) == CM_OK)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static int mentions(const cm_error *error, long long number)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", number);
    return strstr(error->text, text) != NULL;
}

/* Both sides of the limit of `shared` and `tex-constant`: the last template that fits does fit by plain arithmetic, and the first that is
 * refused would not, and the text names the limit. */
static void check_limits(void)
{
    for (int which = 2; which < MACHINES; which++)
        for (int p = CM_U8; p <= CM_F32; p++)
            for (int32_t height = 1; height <= 301; height += 75) {
                cm_machine m = machine(which);
                int64_t size = pixel_size((cm_pixel)p), limit = m.cuda.shared_optin > m.cuda.shared_memory ? m.cuda.shared_optin : m.cuda.shared_memory;
                cm_decision d;
                cm_error error;
                int32_t last = widest(&m, "tex-constant", (cm_pixel)p, height);
                cm_problem next = matching((cm_pixel)p, 200000, 2000, last + 1, height);
                CHECK_STATUS(decide(&next, &m, "tex-constant", &d, &error), CM_ERROR_UNSUPPORTED);
                CHECK(last * size <= m.cuda.constant_bytes);
                CHECK((last + 1) * size > m.cuda.constant_bytes || last == CM_CUDA_TEMPLATE_SIDE || strstr(error.text, "texture") ||
                      strstr(error.text, "memory"));
                CHECK(strstr(error.text, "tex-constant") == NULL || mentions(&error, m.cuda.constant_bytes));
                last = widest(&m, "shared", (cm_pixel)p, height);
                next = matching((cm_pixel)p, 200000, 2000, last + 1, height);
                CHECK_STATUS(decide(&next, &m, "shared", &d, &error), CM_ERROR_UNSUPPORTED);
                CHECK(mentions(&error, m.cuda.constant_bytes) || mentions(&error, limit) || mentions(&error, m.cuda.workspace) ||
                      strstr(error.text, "texture"));
                CHECK_STATUS(decide(&next, &m, NULL, &d, &error), CM_OK);
                CHECK(d.kernel != CM_KERNEL_SHARED);
                if (last == 0)
                    continue;
                next.width = last;
                CHECK_STATUS(decide(&next, &m, "shared", &d, &error), CM_OK);
                check_cuda(&next, &m, &d);
                /* rows are read once more for each filling, so a filling must be worth it: all of a low template, or 16 rows */
                CHECK(d.constant_rows >= (height < 16 ? height : 16));
            }
}

/* The user's rule: the tile of `shared` exceeds the block's shared memory, so tex-tex (or tex-constant) takes over. */
static void check_fallback(void)
{
    cm_machine m = machine(2);
    m.cpu.absent = 1;
    cm_decision d;
    cm_error error;
    cm_problem small = matching(CM_U8, 4096, 4096, 64, 64);
    CHECK_STATUS(decide(&small, &m, NULL, &d, &error), CM_OK);
    CHECK_INT(d.kernel, CM_KERNEL_SHARED);
    m.cuda.shared_memory = m.cuda.shared_optin = d.shared_bytes;
    CHECK_STATUS(decide(&small, &m, "shared", &d, &error), CM_OK);
    m.cuda.shared_memory = m.cuda.shared_optin = 1024;
    CHECK_STATUS(decide(&small, &m, "shared", &d, &error), CM_ERROR_UNSUPPORTED);
    CHECK(strstr(error.text, "shared") && strstr(error.text, "1024"));
    CHECK_STATUS(decide(&small, &m, NULL, &d, &error), CM_OK);
    CHECK(d.kernel == CM_KERNEL_TEX_TEX || d.kernel == CM_KERNEL_TEX_CONSTANT);
    m.cuda.constant_bytes = 63; /* less than one row of the template */
    CHECK_STATUS(decide(&small, &m, NULL, &d, &error), CM_OK);
    CHECK_INT(d.kernel, CM_KERNEL_TEX_TEX);
    m.cuda.constant_bytes = 64;
    CHECK_STATUS(decide(&small, &m, "tex-constant", &d, &error), CM_OK);
    CHECK_INT(d.constant_rows, 1);
    m.cuda.workspace = 1000;
    CHECK_STATUS(decide(&small, &m, NULL, &d, &error), CM_ERROR_UNSUPPORTED);
    CHECK(mentions(&error, 1000));
}

static void check_fft(void)
{
    cm_machine m = machine(5);
    m.cpu.absent = 1;
    cm_decision d;
    cm_error error;
    cm_problem large = matching(CM_U8, 8192, 8192, 1000, 1000);
    CHECK_STATUS(decide(&large, &m, NULL, &d, &error), CM_OK);
    CHECK_INT(d.kernel, CM_KERNEL_FFT_CUDA);
    CHECK(d.fft.columns == 1000 && d.fft.rows == 1000);
    large.pixel = CM_F32;
    CHECK_STATUS(decide(&large, &m, "fft", &d, &error), CM_ERROR_UNSUPPORTED);
    large.pixel = CM_U8;
    m.cuda.fft = 0;
    CHECK_STATUS(decide(&large, &m, "fft", &d, &error), CM_ERROR_UNSUPPORTED);
    CHECK(strstr(error.text, "cuFFT") != NULL);
    CHECK_STATUS(decide(&large, &m, NULL, &d, &error), CM_OK);
    CHECK(d.kernel != CM_KERNEL_FFT_CUDA);
    m.cuda.fft = 1;
    /* past the bound in one piece, whatever the transform */
    cm_problem huge = matching(CM_U16, 10000, 10000, 7000, 7000);
    CHECK_STATUS(decide(&huge, &m, "fft", &d, &error), CM_OK);
    CHECK(d.fft.columns < 7000 || d.fft.rows < 7000);
    check_cuda(&huge, &m, &d);
    m.cuda.workspace = INT64_C(1) << 20;
    CHECK_STATUS(decide(&large, &m, "fft", &d, &error), CM_ERROR_UNSUPPORTED);
    CHECK(mentions(&error, m.cuda.workspace));
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
    /* a big problem on a big GPU in device memory belongs there */
    cm_problem big = matching(CM_U8, 8192, 8192, 64, 64);
    CHECK_STATUS(decide(&big, &gpu, NULL, &d, &error), CM_OK);
    CHECK_INT(d.engine, CM_DEVICE_CUDA);
}

static void check_illegal(void)
{
    cm_machine m = machine(1);
    cm_error error;
    cm_decision d;
    cm_problem good = matching(CM_U8, 100, 100, 10, 10), bad[12];
    for (int i = 0; i < 12; i++)
        bad[i] = good;
    bad[0].task = (cm_task)2;
    bad[1].pixel = (cm_pixel)3;
    bad[2].image_width = 0;
    bad[3].image_height = CM_MAX_SIDE + 1;
    bad[4].width = -1;
    bad[5].height = 101;
    bad[6].method = (cm_method)6;
    bad[7].mode = (cm_mode)-1;
    bad[8].border = (cm_border)2;
    bad[9].flat = (cm_flat)2;
    bad[10] = matching(CM_U8, 1 << 20, 1 << 20, 1 << 16, (1 << 15) + 1);
    bad[11].task = CM_TASK_CONVOLVE;
    bad[11].width = 128;
    for (int i = 0; i < 12; i++)
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
    check_fallback();
    check_limits();
    check_fft();
    check_sweep();
    return kit_finish("decide");
}
