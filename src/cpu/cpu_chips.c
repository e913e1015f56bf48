/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPU engine's part of tracking (engine/chip_ops.h): many small searches in one loop over the
 * pool. A task is a group of items that follow each other. Each thread has a template and the
 * kernel's memory of its own, so tasks share nothing but the images. */
#include "cpu/cpu_plan.h"

#include "base/memory.h"
#include "cpu/kernels/shared_windows.h"
#include "cpu/kernels/small.h"
#include "image/image.h"

#include <string.h>

/* Items per task, and the most window sums and the most columns that they share. */
enum { GROUP = 32, SHARED = 1 << 16, SHARED_WIDTH = 1024, SLACK = 64 };

/* A problem and its kernel. */
typedef struct kit {
    const xncc_cpu_kernel *kernel; /* NULL: no chip is of this kind */
    const xncc_cpu_blocks *blocks;
    xncc_kernel_memory memory;
} kit;

/* What a thread has. */
typedef struct slot_memory {
    char *shared, *scratch;
    float *map;
    uint64_t *sums; /* of windows that several chips have; NULL: they are not shared */
    char *sliding;  /* the memory for making them */
    xncc_small small;
    xncc_window_plane windows; /* what is in sums */
    xncc_chip chip[GROUP];
    xncc_status status; /* the first failure of this thread */
    xncc_error error;
} slot_memory;

typedef struct chips {
    const xncc_chip_run *run;
    kit kit[XNCC_CHIP_KINDS];
    slot_memory *slot;
    int32_t pitch; /* elements per row of a map */
} chips;

/* Computes the map of a chip under a template. windows: NULL, or the window sums of its scene. */
static void compute_map(const chips *c, const xncc_chip *chip, const xncc_template *templ,
                        const xncc_window_plane *windows, slot_memory *m)
{
    const kit *k = &c->kit[chip->kind];
    xncc_job job = { .problem = &c->run->problem[chip->kind],
                     .blocks = k->blocks,
                     .image = chip->scene,
                     .x0 = chip->x,
                     .y0 = chip->y,
                     .watch = c->run->watch,
                     .windows = windows,
                     .shared = m->shared };
    xncc_job_set_template(&job, templ);
    if (k->kernel->begin)
        k->kernel->begin(k->kernel, &job, m->shared, m->scratch);
    for (int32_t y = 0; y < chip->height; y += k->blocks->rows)
        for (int32_t x = 0; x < chip->width; x += k->blocks->columns) {
            const xncc_area area = { .x = x,
                                     .y = y,
                                     .width = xncc_min_i32(k->blocks->columns, chip->width - x),
                                     .height = xncc_min_i32(k->blocks->rows, chip->height - y),
                                     .out = m->map + (ptrdiff_t)y * c->pitch + x,
                                     .pitch = c->pitch };
            k->kernel->area(k->kernel, &job, m->scratch, &area);
        }
}

static int is_small(const chips *c, const xncc_chip *chip)
{
    return chip->kind == 0 && c->kit[0].blocks->small;
}

/* Computes the sums of a rectangle of windows and, for small maps, all that they share. */
static void share_windows(const chips *c, const xncc_image *scene, const xncc_area *area,
                          slot_memory *m)
{
    const kit *k = &c->kit[0];
    const xncc_job job = {
        .problem = &c->run->problem[0], .blocks = k->blocks, .image = scene, .watch = c->run->watch
    };
    xncc_shared_windows_fill(k->kernel, &job, area, m->sliding, m->sums);
    m->windows = (xncc_window_plane){ m->sums, area->x, area->y, area->pitch };
    if (k->blocks->small)
        xncc_small_stage(k->kernel, &job, area, &m->windows, &m->small);
}

/* Computes the map of a small chip. windows: NULL, or those of its scene. */
static void compute_small(const chips *c, const xncc_chip *chip, const xncc_window_plane *windows,
                          slot_memory *m)
{
    const kit *k = &c->kit[0];
    const xncc_job job = { .problem = &c->run->problem[0],
                           .blocks = k->blocks,
                           .watch = c->run->watch };
    xncc_area area = { .x = chip->x,
                       .y = chip->y,
                       .width = chip->width,
                       .height = chip->height,
                       .out = m->map,
                       .pitch = chip->width };
    if (!windows)
        share_windows(c, chip->scene, &area, m);
    area.pitch = c->pitch;
    if (!xncc_is_cancelled(c->run->watch))
        xncc_small_map(k->kernel, &job, &chip->pixels, &area, &m->small);
}

/* Computes the map of a chip that was described, and gives it away. */
static void run_chip(const chips *c, size_t item, size_t part, const xncc_chip *chip,
                     const xncc_window_plane *windows, int32_t slot)
{
    const xncc_chip_run *run = c->run;
    slot_memory *m = &c->slot[slot];
    xncc_template templ = { .serial = 0 };
    xncc_status status = XNCC_OK;
    if (chip->pixels.data && is_small(c, chip)) {
        compute_small(c, chip, windows, m);
    } else if (chip->pixels.data) {
        status = xncc_template_fill(&templ, &chip->pixels, &m->error);
        if (!status)
            compute_map(c, chip, &templ, windows, m);
        xncc_template_clear(&templ);
    }
    const float *map = chip->pixels.data && !status ? m->map : NULL;
    if (status == XNCC_ERROR_ARGUMENT) /* no pixel of the chip counts */
        status = XNCC_OK;
    if (!m->status)
        m->status = status;
    run->put(run->argument, item, part, chip, map, c->pitch, slot);
}

/* The smallest rectangle of windows that has those of all plain chips. Returns whether sharing
 * their sums is less work than making them for each. */
static int common_windows(const chips *c, const slot_memory *m, size_t count, xncc_area *area)
{
    int64_t left = INT64_MAX, top = INT64_MAX, right = 0, bottom = 0, alone = 0;
    for (size_t i = 0; i < count; i++) {
        const xncc_chip *chip = &m->chip[i];
        if (!chip->pixels.data || chip->kind != 0)
            continue;
        left = chip->x < left ? chip->x : left;
        top = chip->y < top ? chip->y : top;
        right = chip->x + chip->width > right ? chip->x + chip->width : right;
        bottom = chip->y + chip->height > bottom ? chip->y + chip->height : bottom;
        alone += (int64_t)chip->width * chip->height;
    }
    const int64_t width = right - left, height = bottom - top;
    if (!m->sums || alone == 0 || width > SHARED_WIDTH || width * height > SHARED ||
        width * height > alone ||
        (c->kit[0].blocks->small && !xncc_small_has_room(&c->run->problem[0], width, height)))
        return 0;
    *area = (xncc_area){ .x = (int32_t)left,
                         .y = (int32_t)top,
                         .width = (int32_t)width,
                         .height = (int32_t)height,
                         .pitch = (ptrdiff_t)width };
    return 1;
}

/* Runs a group of items with one part each, whose windows may overlap. */
static void run_group(const chips *c, size_t first, size_t count, int32_t slot)
{
    const xncc_chip_run *run = c->run;
    slot_memory *m = &c->slot[slot];
    xncc_area area;
    const xncc_window_plane *windows = NULL;
    for (size_t i = 0; i < count; i++)
        run->get(run->argument, first + i, 0, &m->chip[i]);
    if (common_windows(c, m, count, &area)) {
        const xncc_image *scene = NULL;
        for (size_t i = 0; i < count && !scene; i++)
            scene = m->chip[i].pixels.data && m->chip[i].kind == 0 ? m->chip[i].scene : NULL;
        share_windows(c, scene, &area, m);
        windows = &m->windows;
    }
    for (size_t i = 0; i < count && !xncc_is_cancelled(run->watch) && !m->status; i++)
        run_chip(c, first + i, 0, &m->chip[i], m->chip[i].kind == 0 ? windows : NULL, slot);
}

static void chips_task(void *argument, uint64_t index, int32_t slot)
{
    const chips *c = argument;
    const xncc_chip_run *run = c->run;
    slot_memory *m = &c->slot[slot];
    const size_t first = (size_t)index * GROUP, left = run->count - first,
                 count = left < GROUP ? left : GROUP;
    if (run->parts == 1 && !xncc_is_cancelled(run->watch) && !m->status)
        run_group(c, first, count, slot);
    for (size_t item = first; item < first + count && run->parts > 1; item++)
        for (size_t part = 0; part < run->parts; part++)
            if (!xncc_is_cancelled(run->watch) && !m->status) {
                run->get(run->argument, item, part, &m->chip[0]);
                run_chip(c, item, part, &m->chip[0], NULL, slot);
            }
    xncc_progress_step(run->watch->progress, count);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Bytes of the memory of a thread. */
typedef struct slot_bytes {
    uint64_t shared, scratch, sums, sliding, small, map;
} slot_bytes;

/* Lays the memory of a thread out from `base` on. Returns how many bytes it has. base: NULL to
 * count. */
static uint64_t lay_out(const chips *c, const slot_bytes *bytes, char *base, slot_memory *m)
{
    uint64_t used = 0;
    char *small;
    m->shared = xncc_carve(base, &used, bytes->shared);
    m->scratch = xncc_carve(base, &used, bytes->scratch);
    m->sums = xncc_carve(base, &used, bytes->sums);
    m->sliding = xncc_carve(base, &used, bytes->sliding);
    m->map = xncc_carve(base, &used, bytes->map);
    small = xncc_carve(base, &used, bytes->small);
    if (!bytes->sums)
        m->sums = NULL;
    if (bytes->small && base)
        (void)xncc_small_layout(&c->run->problem[0], c->kit[0].blocks, SHARED + SLACK, small,
                                &m->small);
    return used;
}

/* Finds the kernels, and counts their memory. */
static xncc_status find_kernels(chips *c, slot_bytes *bytes, xncc_error *error)
{
    for (int32_t i = 0; i < XNCC_CHIP_KINDS; i++) {
        kit *k = &c->kit[i];
        if (i & ~c->run->kinds)
            continue;
        k->kernel = xncc_cpu_kernel_of(c->run->decision[i].kernel, &c->run->problem[i]);
        k->blocks = &c->run->decision[i].cpu;
        if (!k->kernel)
            return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                             "kernel %s is not in this build's CPU engine",
                             xncc_kernel_table[c->run->decision[i].kernel].name);
        if (k->kernel->memory)
            k->memory = k->kernel->memory(k->kernel, &c->run->problem[i], k->blocks);
        bytes->shared = larger(bytes->shared, k->memory.shared);
        bytes->scratch = larger(bytes->scratch, k->memory.scratch);
    }
    return XNCC_OK;
}

/* Allocates the memory of the threads, one piece of *memory each. */
static xncc_status prepare(chips *c, int32_t threads, char **memory, xncc_error *error)
{
    const xncc_extent map = xncc_problem_extent(&c->run->problem[0]);
    slot_memory unused;
    slot_bytes bytes = { 0, 0, 0, 0, 0, 0 };
    uint64_t all = 0;
    xncc_status status = find_kernels(c, &bytes, error);
    if (status)
        return status;
    c->pitch = (int32_t)xncc_round_up((uint64_t)map.width, 16);
    bytes.map = (uint64_t)c->pitch * (uint64_t)map.height * sizeof(float);
    if ((c->run->parts == 1 && xncc_shares_windows(c->kit[0].kernel, c->kit[0].blocks)) ||
        c->kit[0].blocks->small) {
        bytes.sums = (SHARED + SLACK) * sizeof(uint64_t);
        bytes.sliding = xncc_shared_windows_bytes(c->run->problem[0].templ_width, SHARED_WIDTH);
    }
    if (c->kit[0].blocks->small)
        bytes.small = xncc_small_layout(&c->run->problem[0], c->kit[0].blocks, SHARED + SLACK, NULL,
                                        &unused.small);
    const uint64_t step = lay_out(c, &bytes, NULL, &unused);
    c->slot = xncc_alloc((uint64_t)threads, sizeof *c->slot);
    if (c->slot && xncc_mul_u64(step, (uint64_t)threads, &all))
        *memory = xncc_alloc(all, 1);
    if (!c->slot || !*memory)
        return xncc_fail(error, XNCC_ERROR_MEMORY,
                         "no memory for the tracking of %d x %d chips (%llu bytes for each of %d "
                         "threads)",
                         c->run->problem[0].templ_width, c->run->problem[0].templ_height,
                         (unsigned long long)step, threads);
    for (int32_t i = 0; i < threads; i++)
        (void)lay_out(c, &bytes, *memory + (uint64_t)i * step, &c->slot[i]);
    return XNCC_OK;
}

xncc_status xncc_cpu_chips(xncc_engine *engine, const xncc_chip_run *run, xncc_error *error)
{
    xncc_pool *pool = ((cpu_engine *)engine)->pool;
    const int32_t threads = xncc_pool_threads(pool);
    chips c = { .run = run };
    char *memory = NULL;
    xncc_status status = prepare(&c, threads, &memory, error);
    if (!status) {
        xncc_progress_begin(run->watch->progress, run->count);
        xncc_pool_run(pool, (run->count + GROUP - 1) / GROUP, chips_task, &c);
    }
    for (int32_t i = 0; i < threads && !status; i++)
        if (c.slot[i].status)
            status = xncc_fail(error, c.slot[i].status, "%s", c.slot[i].error.text);
    xncc_free(memory);
    xncc_free(c.slot);
    return status ? status : xncc_check_cancelled(run->watch, error);
}
