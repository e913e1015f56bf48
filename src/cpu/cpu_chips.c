/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPU engine's part of tracking (engine/chip_ops.h): many small searches in one loop over the
 * pool. A task is a group of items that follow each other. Each thread has a template and the
 * kernel's memory of its own, so tasks share nothing but the images. */
#include "cpu/cpu_plan.h"

#include "base/memory.h"
#include "cpu/kernels/shared_windows.h"
#include "cpu/kernels/small.h"
#include "cpu/kernels/small_reals.h"
#include "image/image.h"

#include <string.h>

/* Items per task, and the most window sums and the most columns that they share. */
enum { GROUP = 32, SHARED = 1 << 16, SHARED_WIDTH = 1024, SLACK = 64 };

/* A problem and its kernel. */
typedef struct kit {
    const xncc_cpu_kernel *kernel; /* NULL: no chip is of this kind */
    const xncc_cpu_blocks *blocks;
} kit;

/* What a thread has. */
typedef struct slot_memory {
    void *shared, **scratch;
    float *map[2];  /* the second for a small map of reals that is made with another one */
    uint64_t *sums; /* of windows that several chips have; NULL: they are not shared */
    char *sliding;  /* the memory for making them */
    xncc_small small;
    xncc_window_plane windows; /* what is in sums */
    xncc_small_reals *reals;
    xncc_chip chip[GROUP];
    xncc_status status; /* the first failure of this thread */
    xncc_error error;
} slot_memory;

typedef struct chips {
    const xncc_chip_run *run;
    kit kit[XNCC_CHIP_KINDS];
    slot_memory *slot;
    int32_t pitch;  /* elements per row of a map */
    int32_t shares; /* 1: chips may share their windows */
    const xncc_small_reals_isa *reals;
} chips;

/* A call in a scene whose first window is that of its first pixel. */
static xncc_job job_of(const chips *c, int32_t kind, const xncc_image *scene)
{
    return (xncc_job){ .problem = &c->run->problem[kind],
                       .blocks = c->kit[kind].blocks,
                       .image = scene,
                       .watch = c->run->watch };
}

/* Computes the map of a chip under a template. windows: NULL, or the window sums of its scene. */
static void compute_map(const chips *c, const xncc_chip *chip, const xncc_template *templ,
                        const xncc_window_plane *windows, slot_memory *m)
{
    const kit *k = &c->kit[chip->kind];
    xncc_job job = job_of(c, chip->kind, chip->scene);
    job.x0 = chip->x;
    job.y0 = chip->y;
    job.windows = windows;
    job.shared = m->shared;
    xncc_job_set_template(&job, templ);
    if (k->kernel->begin)
        k->kernel->begin(k->kernel, &job, m->shared, m->scratch);
    for (int32_t y = 0; y < chip->height; y += k->blocks->rows)
        for (int32_t x = 0; x < chip->width; x += k->blocks->columns) {
            const xncc_area area = { .x = x,
                                     .y = y,
                                     .width = xncc_min_i32(k->blocks->columns, chip->width - x),
                                     .height = xncc_min_i32(k->blocks->rows, chip->height - y),
                                     .out = m->map[0] + (ptrdiff_t)y * c->pitch + x,
                                     .pitch = c->pitch };
            k->kernel->area(k->kernel, &job, m->scratch, &area);
        }
}

/* The kind of a chip's map. */
static xncc_small_kind small_kind(const chips *c, const xncc_chip *chip)
{
    return chip->kind == 0 && chip->pixels.data ? c->kit[0].blocks->small : XNCC_SMALL_NONE;
}

/* Makes what the maps of a rectangle of windows share: their sums and, for small maps, more.
 * Returns 0 if this does not serve them. */
static int share_windows(const chips *c, const xncc_image *scene, const xncc_area *area,
                         slot_memory *m)
{
    const kit *k = &c->kit[0];
    const xncc_job job = job_of(c, 0, scene);
    if (k->blocks->small == XNCC_SMALL_REALS)
        return xncc_small_reals_stage(&job, area, m->reals);
    xncc_shared_windows_fill(k->kernel, &job, area, m->sliding, m->sums);
    m->windows = (xncc_window_plane){ m->sums, area->x, area->y, area->pitch };
    if (k->blocks->small)
        xncc_small_stage(k->kernel, &job, area, &m->windows, &m->small);
    return 1;
}

static xncc_area area_of(const xncc_chip *chip, float *out, ptrdiff_t pitch)
{
    return (xncc_area){ .x = chip->x,
                        .y = chip->y,
                        .width = chip->width,
                        .height = chip->height,
                        .out = out,
                        .pitch = pitch };
}

/* Computes the map of a small chip of bytes. shared: 1 if its windows are. */
static void compute_small(const chips *c, const xncc_chip *chip, int shared, slot_memory *m)
{
    const kit *k = &c->kit[0];
    const xncc_job job = job_of(c, 0, chip->scene);
    const xncc_area alone = area_of(chip, m->map[0], chip->width),
                    area = area_of(chip, m->map[0], c->pitch);
    if (!shared)
        (void)share_windows(c, chip->scene, &alone, m);
    if (!xncc_is_cancelled(c->run->watch))
        xncc_small_map(k->kernel, &job, &chip->pixels, &area, &m->small);
}

/* A chip that was described. */
typedef struct described {
    size_t item, part;
    const xncc_chip *chip;
    int32_t shared; /* 1: its windows are those that the thread shares */
} described;

/* Computes the map of a chip by the kernel, and gives it away. */
static void run_chip(const chips *c, const described *d, int32_t slot)
{
    const xncc_chip_run *run = c->run;
    const xncc_chip *chip = d->chip;
    slot_memory *m = &c->slot[slot];
    xncc_template templ = { .serial = 0 };
    xncc_status status = XNCC_OK;
    if (small_kind(c, chip) == XNCC_SMALL_BYTES) {
        compute_small(c, chip, d->shared, m);
    } else if (chip->pixels.data) {
        status = xncc_template_fill(&templ, &chip->pixels, &m->error);
        if (!status)
            compute_map(c, chip, &templ, d->shared && m->sums ? &m->windows : NULL, m);
        xncc_template_clear(&templ);
    }
    const float *map = chip->pixels.data && !status ? m->map[0] : NULL;
    if (status == XNCC_ERROR_ARGUMENT) /* no pixel of the chip counts */
        status = XNCC_OK;
    if (!m->status)
        m->status = status;
    run->put(run->argument, d->item, d->part, chip, map, c->pitch, slot);
}

/* Makes small maps of reals of one or two chips whose windows are shared, and gives them away.
 * Those that cannot be made so are computed by the kernel. */
static void run_reals(const chips *c, const described *d, int count, int32_t slot)
{
    const xncc_chip_run *run = c->run;
    slot_memory *m = &c->slot[slot];
    const xncc_job job = job_of(c, 0, d[0].chip->scene);
    xncc_reals_map map[2];
    for (int i = 0; i < count; i++)
        map[i] = (xncc_reals_map){ &d[i].chip->pixels, area_of(d[i].chip, m->map[i], c->pitch), 0 };
    xncc_small_reals_maps(&job, map, count, m->reals);
    for (int i = count; i-- > 0;) /* the kernel takes the memory of the first map */
        if (map[i].done)
            run->put(run->argument, d[i].item, d[i].part, d[i].chip, m->map[i], c->pitch, slot);
    for (int i = 0; i < count; i++)
        if (!map[i].done)
            run_chip(c, &d[i], slot);
}

/* Runs a chip whose windows are not shared. */
static void run_alone(const chips *c, const described *one, int32_t slot)
{
    const xncc_chip *chip = one->chip;
    if (small_kind(c, chip) == XNCC_SMALL_REALS) {
        const xncc_area area = area_of(chip, NULL, chip->width);
        if (share_windows(c, chip->scene, &area, &c->slot[slot])) {
            run_reals(c, one, 1, slot);
            return;
        }
    }
    run_chip(c, one, slot);
}

/* Have the maps of small chips room for what they share? */
static int has_room(const chips *c, int64_t width, int64_t height)
{
    const xncc_problem *p = &c->run->problem[0];
    switch (c->kit[0].blocks->small) {
    case XNCC_SMALL_BYTES: return xncc_small_has_room(p, width, height);
    case XNCC_SMALL_REALS: return xncc_small_reals_has_room(p, width, height);
    case XNCC_SMALL_NONE: break;
    }
    return 1;
}

/* Shares the smallest rectangle of windows that has those of all plain chips of a group, if that is
 * less work than making them for each. Returns whether they are shared. */
static int share_group(const chips *c, const xncc_chip *chip, size_t count, slot_memory *m)
{
    int64_t left = INT64_MAX, top = INT64_MAX, right = 0, bottom = 0, alone = 0;
    const xncc_image *scene = NULL;
    for (size_t i = 0; i < count; i++) {
        const xncc_chip *one = &chip[i];
        if (!one->pixels.data || one->kind != 0)
            continue;
        left = one->x < left ? one->x : left;
        top = one->y < top ? one->y : top;
        right = one->x + one->width > right ? one->x + one->width : right;
        bottom = one->y + one->height > bottom ? one->y + one->height : bottom;
        alone += (int64_t)one->width * one->height;
        scene = scene ? scene : one->scene;
    }
    const int64_t width = right - left, height = bottom - top;
    if (!c->shares || alone == 0 || width > SHARED_WIDTH || width * height > SHARED ||
        width * height > alone || !has_room(c, width, height))
        return 0;
    const xncc_area area = { .x = (int32_t)left,
                             .y = (int32_t)top,
                             .width = (int32_t)width,
                             .height = (int32_t)height,
                             .pitch = (ptrdiff_t)width };
    return share_windows(c, scene, &area, m);
}

/* Runs the chips of a group of items with one part each, whose windows may overlap. Where sharing
 * them does not pay, each half of the group is tried. */
static void run_group(const chips *c, size_t first, const xncc_chip *chip, size_t count,
                      int32_t slot)
{
    const xncc_watch *watch = c->run->watch;
    slot_memory *m = &c->slot[slot];
    described waiting[2];
    int number = 0;
    const int shared = share_group(c, chip, count, m);
    if (!shared && count > 2 && c->shares) {
        run_group(c, first, chip, count / 2, slot);
        run_group(c, first + count / 2, chip + count / 2, count - count / 2, slot);
        return;
    }
    for (size_t i = 0; i < count && !xncc_is_cancelled(watch) && !m->status; i++) {
        const xncc_small_kind kind = small_kind(c, &chip[i]);
        const described one = { first + i, 0, &chip[i], shared && chip[i].kind == 0 };
        if (!shared) {
            run_alone(c, &one, slot);
        } else if (kind == XNCC_SMALL_REALS) {
            waiting[number++] = one;
            if (number == 2)
                run_reals(c, waiting, 2, slot);
            number %= 2;
        } else {
            run_chip(c, &one, slot);
        }
    }
    if (number && !xncc_is_cancelled(watch) && !m->status)
        run_reals(c, waiting, 1, slot);
}

static void chips_task(void *argument, uint64_t index, int32_t slot)
{
    const chips *c = argument;
    const xncc_chip_run *run = c->run;
    slot_memory *m = &c->slot[slot];
    const size_t first = (size_t)index * GROUP, left = run->count - first,
                 count = left < GROUP ? left : GROUP;
    for (size_t i = 0; i < count && run->parts == 1; i++)
        run->get(run->argument, first + i, 0, &m->chip[i]);
    if (run->parts == 1)
        run_group(c, first, m->chip, count, slot);
    for (size_t item = first; item < first + count && run->parts > 1; item++)
        for (size_t part = 0; part < run->parts; part++)
            if (!xncc_is_cancelled(run->watch) && !m->status) {
                run->get(run->argument, item, part, &m->chip[0]);
                run_alone(c, &(described){ item, part, m->chip, 0 }, slot);
            }
    xncc_progress_step(run->watch->progress, count);
}

/* Bytes of the memory of a thread. */
typedef struct slot_bytes {
    uint64_t shared, scratch, extra[XNCC_EXTRAS], sums, sliding, map[2];
} slot_bytes;

/* The same for what small maps need. */
static uint64_t lay_out_small(const chips *c, char *base, slot_memory *m)
{
    const xncc_problem *p = &c->run->problem[0];
    switch (c->kit[0].blocks->small) {
    case XNCC_SMALL_BYTES:
        return xncc_small_layout(p, c->kit[0].blocks, SHARED + SLACK, base, &m->small);
    case XNCC_SMALL_REALS: return xncc_small_reals_layout(c->reals, p, base, &m->reals);
    case XNCC_SMALL_NONE: break;
    }
    return 0;
}

/* Lays the memory of a thread out from `base` on. Returns how many bytes it has. base: NULL to
 * count. */
static uint64_t lay_out(const chips *c, const slot_bytes *bytes, char *base, slot_memory *m)
{
    uint64_t used = 0;
    m->shared = xncc_carve(base, &used, bytes->shared);
    m->scratch = xncc_carve(base, &used, bytes->scratch);
    for (int i = 0; i < XNCC_EXTRAS; i++) {
        void *extra = xncc_carve(base, &used, bytes->extra[i]);
        if (base && bytes->extra[XNCC_EXTRA_RARE])
            m->scratch[i] = extra;
    }
    m->sums = xncc_carve(base, &used, bytes->sums);
    m->sliding = xncc_carve(base, &used, bytes->sliding);
    m->map[0] = xncc_carve(base, &used, bytes->map[0]);
    m->map[1] = xncc_carve(base, &used, bytes->map[1]);
    if (!bytes->sums)
        m->sums = NULL;
    return used + lay_out_small(c, base ? base + used : NULL, m);
}

/* Finds the kernels, and counts their memory. */
static xncc_status find_kernels(chips *c, slot_bytes *bytes, xncc_error *error)
{
    for (int32_t i = 0; i < XNCC_CHIP_KINDS; i++) {
        kit *k = &c->kit[i];
        k->kernel = xncc_cpu_kernel_of(c->run->decision[i].kernel, &c->run->problem[i]);
        k->blocks = &c->run->decision[i].cpu;
        if (!k->kernel)
            return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                             "kernel %s is not in this build's CPU engine",
                             xncc_kernel_table[c->run->decision[i].kernel].name);
        if (i == 0)
            c->reals = xncc_small_reals_isa_of(c->run->decision[i].kernel);
        if (i == 0 && k->blocks->small == XNCC_SMALL_REALS && !c->reals)
            return xncc_fail(error, XNCC_ERROR_INTERNAL, "small maps are not in kernel %s",
                             xncc_kernel_table[c->run->decision[i].kernel].name);
        if (!k->kernel->memory)
            continue;
        const xncc_kernel_memory needs = k->kernel->memory(k->kernel, &c->run->problem[i],
                                                           k->blocks);
        bytes->shared = xncc_max_u64(bytes->shared, needs.shared);
        bytes->scratch = xncc_max_u64(bytes->scratch, needs.scratch);
        for (int e = 0; e < XNCC_EXTRAS; e++)
            bytes->extra[e] = xncc_max_u64(bytes->extra[e], needs.extra[e]);
    }
    return XNCC_OK;
}

/* Allocates the memory of the threads, one piece of *memory each. */
static xncc_status prepare(chips *c, int32_t threads, char **memory, xncc_error *error)
{
    const xncc_extent map = xncc_problem_extent(&c->run->problem[0]);
    slot_memory unused;
    slot_bytes bytes = { 0 };
    uint64_t all = 0;
    xncc_status status = find_kernels(c, &bytes, error);
    if (status)
        return status;
    c->pitch = (int32_t)xncc_round_up((uint64_t)map.width, 16);
    const xncc_cpu_blocks *blocks = c->kit[0].blocks;
    const int shares = c->run->parts == 1 && xncc_shares_windows(c->kit[0].kernel, blocks);
    c->shares = c->run->parts == 1 && (shares || blocks->small);
    bytes.map[0] = (uint64_t)c->pitch * (uint64_t)map.height * sizeof(float);
    bytes.map[1] = blocks->small == XNCC_SMALL_REALS ? bytes.map[0] : 0;
    if (shares || blocks->small == XNCC_SMALL_BYTES) {
        bytes.sums = (SHARED + SLACK) * sizeof(uint64_t);
        bytes.sliding = xncc_shared_windows_bytes(c->run->problem[0].templ_width, SHARED_WIDTH);
    }
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
