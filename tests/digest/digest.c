/* SPDX-License-Identifier: BSD-2-Clause */
/* Solves several thousand problems and hashes all results (maps, matches, positions, filtered
 * images) into one number. Two builds of the library that print the same number on one machine
 * returned the same bits. Use it for changes that must not change results: build it before and
 * after the change, run both, compare.
 *
 *     digest [--device cpu|cuda] [--threads N] [--list FILE] [--every N] [--group NAME]
 *            [--kernels common]
 *
 * - --list writes one line per call. `diff` of two lists shows the problem and the kernel that
 *   differ.
 * - --every N solves every Nth problem only; --group NAME one group only.
 *
 * - --kernels common leaves out the kernels that need an instruction set. Then all machines print
 *   the same number, whatever their processors. The library's own choice of a kernel is among what
 *   is left, so instruction sets are compared with each other.
 *
 * Results do not depend on the number of threads, but on the kernels that the machine can run.
 * All pixels come from the program's own generator. Buffers are filled before each call, and the
 * bytes between and around their rows are hashed too. A failed call counts with its status. NaNs
 * are hashed as one value, since the library promises none of their bits; their bits go into a
 * second hash, "nan", which may depend on the compiler.
 *
 * The program needs only the library and the C library. Built with DIGEST_CUDA and the CUDA
 * runtime, it also puts images and maps into device memory and runs the group "device". */
#include "digest.h"

#include <stdarg.h>
#include <time.h>

/* The kernels, their engines, and the most products that each may compute in one call here. */
static const struct {
    const char *name;
    xncc_device device;
    double most;
} kernels[] = {
    { "(own choice)", XNCC_DEVICE_AUTO, 1e30 },
    { "reference", XNCC_DEVICE_CPU, 2e7 },
    { "direct-portable", XNCC_DEVICE_CPU, 6e8 },
    { "direct-avx2", XNCC_DEVICE_CPU, 4e9 },
    { "direct-avxvnni", XNCC_DEVICE_CPU, 8e9 },
    { "direct-avx512", XNCC_DEVICE_CPU, 8e9 },
    { "direct-neon", XNCC_DEVICE_CPU, 4e9 },
    { "direct-dotprod", XNCC_DEVICE_CPU, 8e9 },
    { "fft-portable", XNCC_DEVICE_CPU, 2e10 },
    { "fft-avx2", XNCC_DEVICE_CPU, 4e10 },
    { "fft-avx512", XNCC_DEVICE_CPU, 1e11 },
    { "direct", XNCC_DEVICE_CPU, 3e6 }, /* the best of the direct-... */
    { "fft", XNCC_DEVICE_CPU, 3e6 },
    { "fft", XNCC_DEVICE_CUDA, 1e11 },
    { "tex-tex", XNCC_DEVICE_CUDA, 2e10 },
    { "tex-constant", XNCC_DEVICE_CUDA, 2e10 },
    { "shared", XNCC_DEVICE_CUDA, 4e10 },
    { "tensor-wgmma", XNCC_DEVICE_CUDA, 1e12 },
    { "tensor-mma", XNCC_DEVICE_CUDA, 1e12 },
    { "tensor-fused", XNCC_DEVICE_CUDA, 1e12 },
    { "tensor", XNCC_DEVICE_CUDA, 1e12 },
    { "general", XNCC_DEVICE_CUDA, 1e11 },
    { "conv-tiled", XNCC_DEVICE_CUDA, 1e12 },
    { "conv-registers", XNCC_DEVICE_CUDA, 1e12 },
    { "conv-global", XNCC_DEVICE_CUDA, 1e12 },
    { "conv-constant", XNCC_DEVICE_CUDA, 1e12 },
    { "conv-cached-halo", XNCC_DEVICE_CUDA, 1e12 },
    { "conv", XNCC_DEVICE_CUDA, 1e12 },
    { "no-such-kernel", XNCC_DEVICE_AUTO, 0 },
};
_Static_assert(sizeof kernels / sizeof *kernels == KERNELS, "one tally for each kernel");

const char *kernel_name(int k)
{
    return kernels[k].name;
}

/* Byte i of elements of 1 or 4 bytes, the lowest byte of each first, whatever the processor's order
 * of bytes. */
static unsigned char low_first(const unsigned char *bytes, size_t i, size_t element)
{
    static const uint32_t one = 1;
    const int little = *(const unsigned char *)&one;
    return bytes[little ? i : i / element * element + element - 1 - i % element];
}

static void hash_elements(digest *d, const void *from, size_t count, size_t element)
{
    const unsigned char *bytes = from;
    size_t at = 0;
    for (; count - at >= 8; at += 8) {
        uint64_t word = 0;
        for (size_t i = 0; i < 8; i++)
            word |= (uint64_t)low_first(bytes, at + i, element) << 8 * i;
        hash_word(d, word);
    }
    for (; at < count; at++)
        hash_word(d, 256u + low_first(bytes, at, element));
}

void hash_numbers(digest *d, const void *numbers, size_t bytes)
{
    hash_elements(d, numbers, bytes, 4);
}

void hash_text(digest *d, const char *text)
{
    hash_elements(d, text, strlen(text) + 1, 1);
}

void hash_matches(digest *d, const xncc_match *match, size_t found)
{
    hash_word(d, found);
    for (size_t i = 0; i < found; i++) {
        hash_word(d, (uint32_t)match[i].x);
        hash_word(d, (uint32_t)match[i].y);
        hash_float(d, match[i].score);
    }
}

/* Hashes a candidate field by field. */
void hash_candidates(digest *d, const xncc_candidate *candidate, size_t count)
{
    _Static_assert(sizeof *candidate == 24, "a match and three numbers, nothing between");
    hash_word(d, count);
    for (size_t i = 0; i < count; i++) {
        hash_matches(d, &candidate[i].match, 1);
        hash_numbers(d, (const char *)&candidate[i] + sizeof(xncc_match),
                     sizeof *candidate - sizeof(xncc_match));
    }
}

static uint64_t hash_of(const char *text)
{
    digest d = { 0, 0 };
    hash_text(&d, text);
    return mix(d.value);
}

rng problem_random(const run *r)
{
    return (rng){ mix(hash_of(r->now->name) + r->number) };
}

int problem_begins(run *r, const char *format, ...)
{
    const uint64_t number = r->number++;
    r->call = 0;
    if (r->every > 1 && number % (uint64_t)r->every)
        return 0;
    va_list list;
    va_start(list, format);
    (void)vsnprintf(r->text, sizeof r->text, format, list);
    va_end(list);
    r->now->problems++;
    return 1;
}

/* Digests are added, so that the order of the calls does not matter. */
static void add(tally *t, xncc_status status, uint64_t value, uint64_t nans)
{
    t->calls++;
    t->refused += status == XNCC_ERROR_UNSUPPORTED || status == XNCC_ERROR_ARGUMENT;
    t->failed += status && status != XNCC_ERROR_UNSUPPORTED && status != XNCC_ERROR_ARGUMENT;
    t->sum += value;
    t->nans += nans;
}

void record(run *r, int kernel, xncc_status status, const digest *d)
{
    const uint64_t call = hash_of(r->now->name) + r->number * 4096 + r->call++;
    const uint64_t result = status ? (uint64_t)status : mix(d->value) | 8;
    const uint64_t value = mix(mix(call) ^ mix(result) ^ hash_of(kernels[kernel].name));
    const uint64_t nans = status || !d->nans ? 0 : mix(call ^ mix(d->nans));
    add(r->now, status, value, nans);
    add(&r->kernel[kernel], status, value, nans);
    if (r->list)
        fprintf(r->list, "%s %llu.%llu %s status %d %016llx nan %016llx  %s\n", r->now->name,
                (unsigned long long)r->number - 1, (unsigned long long)r->call - 1,
                kernels[kernel].name, (int)status, (unsigned long long)(status ? 0 : mix(d->value)),
                (unsigned long long)nans, r->text);
}

int next_kernel(const run *r, xncc_task task, int k, double work)
{
    for (k++; k < KERNELS; k++)
        if ((r->tasks[k] >> task & 1) && (work <= kernels[k].most))
            return k;
    return -1;
}

/* Has every CPU a kernel of this name? */
static int is_common(const char *name)
{
    static const char *const common[] = { "(own choice)", "reference", "direct-portable",
                                          "fft-portable", "direct",    "fft" };
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (strcmp(name, common[i]) == 0)
            return 1;
    return 0;
}

/* Finds the kernels that this machine can run: those that serve an easy problem. The others are
 * left out. */
static void find_kernels(run *r)
{
    static const xncc_problem easy[] = {
        { .image_width = 64, .image_height = 48, .templ_width = 8, .templ_height = 8 },
        { .image_width = 64,
          .image_height = 48,
          .templ_width = 8,
          .templ_height = 8,
          .image_masked = 1 },
        { .task = XNCC_TASK_CONVOLVE,
          .image_width = 64,
          .image_height = 48,
          .templ_width = 3,
          .templ_height = 3 },
    };
    for (int k = 0; k < KERNELS; k++) {
        r->kernel[k].name = kernels[k].name;
        if (r->common && !is_common(kernels[k].name))
            continue;
        for (int i = 0;
             i < 3 && (kernels[k].device == XNCC_DEVICE_AUTO || kernels[k].device == r->device);
             i++) {
            const xncc_problem problem = kit_problem(easy[i]);
            xncc_plan *plan = NULL;
            xncc_preference want = { .size = sizeof(xncc_preference),
                                     .kernel = k ? kernel_name(k) : NULL };
            if (!xncc_plan_create(r->context[0], &problem, &want, &plan, &kit_error))
                r->tasks[k] |= 1 << easy[i].task;
            xncc_plan_destroy(plan);
        }
    }
}

/* Computes the map of a scene with every kernel. */
static void map_scene(run *r, scene *s)
{
    const xncc_problem *p = &s->problem;
    const double work = scene_work(s);
    int32_t width = 1, height = 1, x0, y0;
    (void)kit_map_extent(p->rule.mode, p->image_width, p->image_height, p->templ_width,
                         p->templ_height, &width, &height, &x0, &y0);
    for (int k = next_kernel(r, XNCC_TASK_MATCH, -1, work); !s->made && k >= 0;
         k = next_kernel(r, XNCC_TASK_MATCH, k, work)) {
        digest d = { 0, 0 };
        kit_options options = scene_options(s, k);
        sheet map = sheet_make(r, width, height, &s->random, s->map_there);
        xncc_status status = kit_correlate(s->context, scene_image(s), s->templ, &options,
                                           &map.view);
        if (!status)
            sheet_hash(&map, &d);
        record(r, k, status, &d);
        sheet_free(&map);
    }
    scene_free(s);
}

static void group_tiny(run *r)
{
    for (int i = 0; i < 1100; i++) {
        scene s = scene_rules(r, i % 3 == 0);
        scene_tiny(&s);
        if (scene_make(r, &s))
            map_scene(r, &s);
    }
}

static void group_small(run *r)
{
    for (int i = 0; i < 500; i++) {
        scene s = scene_rules(r, i % 2);
        scene_small(&s);
        if (scene_make(r, &s))
            map_scene(r, &s);
    }
}

/* Wide and high templates and images, sums at the limits of what fits a word, sizes beyond those of
 * textures. */
static void group_shapes(run *r)
{
    static const int32_t shape[][4] = {
        { 4100, 9, 4000, 3 },   { 9, 2100, 3, 2000 },   { 260, 240, 200, 190 },
        { 200, 190, 182, 182 }, { 400, 290, 300, 200 }, { 640, 480, 57, 57 },
        { 257, 263, 57, 3 },    { 1000, 20, 257, 5 },   { 140001, 6, 16, 5 },
        { 17, 66007, 9, 5 },    { 131073, 2, 2, 2 },    { 8051, 26, 8000, 24 },
        { 33051, 5, 33000, 3 }, { 300, 300, 130, 130 }, { 515, 130, 100, 64 },
        { 2100, 40, 1030, 7 },  { 70, 1500, 33, 500 },  { 600, 400, 64, 128 },
        { 270, 261, 257, 257 }, { 320, 200, 320, 200 },
    };
    for (size_t i = 0; i < 7 * sizeof shape / sizeof *shape; i++) {
        const int32_t *z = shape[i / 7];
        const int large = z[2] * z[3] > 5000;
        scene s = scene_rules(r, 0);
        s.problem.pixel = (xncc_pixel)(i % 7);
        if (i / 7 % 2 || large)
            s.image_mask = s.image_no_data = s.templ_mask = 0;
        if (large)
            s.problem.rule.mode = XNCC_VALID;
        if (i / 7 % 2 || large || z[0] * z[1] > 100000)
            s.problem.channels = below(&s.random, 2);
        if (s.problem.pixel == XNCC_U32 && z[0] * z[1] > 300000) /* else it takes seconds */
            s.image_mask = s.image_no_data = s.templ_mask = 0,
            s.problem.rule.border = XNCC_BORDER_MIRROR;
        if (i % 7 < 3 && i / 7 % 3)
            s.fill = s.templ_fill = FILL_MAX;
        s.problem.image_width = z[0];
        s.problem.image_height = z[1];
        s.problem.templ_width = z[2];
        s.problem.templ_height = z[3];
        if (scene_make(r, &s))
            map_scene(r, &s);
    }
}

static void group_middle(run *r)
{
    for (int i = 0; i < 80; i++) {
        scene s = scene_rules(r, i % 2);
        s.problem.image_width = between(&s.random, 330, 420);
        s.problem.image_height = between(&s.random, 220, 310);
        scene_template_sides(&s);
        if (scene_make(r, &s))
            map_scene(r, &s);
    }
}

/* Large enough for tiles, bands and blocks. */
static void group_large(run *r)
{
    static const int32_t side[][2] = { { 5, 5 },   { 57, 41 },  { 130, 64 }, { 64, 64 },
                                       { 31, 33 }, { 100, 17 }, { 16, 16 },  { 8, 130 } };
    for (int i = 0; i < 22; i++) {
        scene s = scene_rules(r, i % 4 != 3);
        const int larger = i >= 20;
        s.problem.channels = 0;
        s.problem.image_width = larger ? 2103 : between(&s.random, 900, 1030);
        s.problem.image_height = larger ? 1301 : between(&s.random, 600, 720);
        s.problem.templ_width = side[i % 8][0];
        s.problem.templ_height = side[i % 8][1];
        if (larger)
            s.problem.pixel = i % 2 ? XNCC_U8 : XNCC_U16;
        if (scene_make(r, &s))
            map_scene(r, &s);
    }
}

static const struct {
    const char *name;
    void (*work)(run *r);
} groups[] = {
    { "tiny", group_tiny },
    { "small", group_small },
    { "shapes", group_shapes },
    { "middle", group_middle },
    { "large", group_large },
    { "find", group_find },
    { "refine", group_refine },
    { "merge", group_merge },
    { "batch", group_batch },
    { "best", group_best },
    { "bound", group_bound },
    { "plan", group_plan },
    { "plan-batch", group_plan_batch },
    { "scan", group_scan },
    { "convolve", group_convolve },
    { "filters", group_filters },
    { "calls", group_calls },
    { "device", group_device },
};

static double seconds(void)
{
    struct timespec now;
    (void)timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void print_tally(const tally *t, const char *what)
{
    printf("%-8s %-16s %5ld problems %6ld calls, %5ld refused, %2ld failed  %016llx  nan %016llx  "
           "%5.1f s\n",
           what, t->name, t->problems, t->calls, t->refused, t->failed, (unsigned long long)t->sum,
           (unsigned long long)t->nans, t->seconds);
}

static void work_groups(run *r)
{
    tally all = { .name = "all" };
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        tally *t = r->now = &r->group[i];
        t->name = groups[i].name;
        if (r->only && strcmp(r->only, t->name) != 0)
            continue;
        r->number = 0;
        t->seconds = -seconds();
        groups[i].work(r);
        t->seconds += seconds();
        print_tally(t, "group");
        (void)fflush(stdout);
        all.problems += t->problems;
        all.calls += t->calls;
        all.refused += t->refused;
        all.failed += t->failed;
        all.seconds += t->seconds;
        all.sum += t->sum;
        all.nans += t->nans;
    }
    for (int k = 0; k < KERNELS; k++)
        if (r->kernel[k].calls)
            print_tally(&r->kernel[k], "kernel");
    print_tally(&all, "all");
    printf("%ld problems\ndigest %016llx\n", all.problems, (unsigned long long)mix(all.sum));
}

/* The first context has the requested threads. The second has another number of threads and, on a
 * GPU, little memory, so that maps are computed in bands. */
static void open_contexts(run *r)
{
    for (int i = 0; i < CONTEXTS; i++) {
        xncc_context_options options = { .size = sizeof(xncc_context_options),
                                         .device = r->device,
                                         .threads = i ? 2 * r->threads + 1 : r->threads,
                                         .device_memory = i ? (uint64_t)12 << 20
                                                            : (uint64_t)1 << 31 };
        if (xncc_context_create(&options, &r->context[i], &kit_error)) {
            fprintf(stderr, "digest: no context for this device\n");
            exit(1);
        }
    }
#ifdef DIGEST_CUDA
    r->device_memory = r->device == XNCC_DEVICE_CUDA;
#endif
}

int main(int argc, char **argv)
{
    static run r = { .device = XNCC_DEVICE_CPU, .threads = 2, .every = 1 };
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *name = argv[i], *value = argv[i + 1];
        if (strcmp(name, "--device") == 0)
            r.device = strcmp(value, "cuda") == 0 ? XNCC_DEVICE_CUDA : XNCC_DEVICE_CPU;
        else if (strcmp(name, "--threads") == 0)
            r.threads = (int32_t)strtol(value, NULL, 10);
        else if (strcmp(name, "--every") == 0)
            r.every = strtol(value, NULL, 10);
        else if (strcmp(name, "--group") == 0)
            r.only = value;
        else if (strcmp(name, "--kernels") == 0)
            r.common = strcmp(value, "common") == 0;
        else if (strcmp(name, "--list") == 0)
            r.list = fopen(value, "w");
    }
    if (argc % 2 == 0) {
        fprintf(stderr, "usage: digest [--device cpu|cuda] [--threads N] [--list FILE] [--every N] "
                        "[--group NAME] [--kernels common]\n");
        return 2;
    }
    open_contexts(&r);
    find_kernels(&r);
    work_groups(&r);
    for (int i = 0; i < CONTEXTS; i++)
        xncc_context_destroy(r.context[i]);
    return r.list && fclose(r.list) ? 1 : 0;
}
