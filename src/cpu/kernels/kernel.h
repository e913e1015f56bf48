/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface of the CPU engine's kernels. A kernel fills a rectangle of a map; the engine
 * divides the map into rectangles and distributes them to its threads. */
#ifndef XNCC_CPU_KERNELS_KERNEL_H
#define XNCC_CPU_KERNELS_KERNEL_H

#include "base/pool.h"
#include "base/watch.h"
#include "plan/cpu_blocks.h"
#include "plan/problem.h"
#include "template/template.h"

#include <stddef.h>
#include <string.h>

/* A rectangle of the map, and where its elements are written: element (x, y) of the map goes to
 * out[(y - area.y) * pitch + (x - area.x)]. */
typedef struct xncc_area {
    int32_t x, y, width, height;
    float *out;
    ptrdiff_t pitch; /* elements from one row to the next */
} xncc_area;

/* The sums S and Q of all windows of a map under one mask, for templates that have it in common.
 * Element (x, y) of the map is at y * width + x. */
typedef struct xncc_mask_sums {
    uint64_t *S, *Q;
    int32_t width; /* of the map */
    int known;     /* 1: to be used; 0: the call computes them and writes them here, too */
} xncc_mask_sums;

/* Window sums that are known before a kernel runs: S of the window at (x, y) in the low 32 bits of
 * packed[(y - top) * stride + (x - left)], and Q in the high ones. Whole vectors can be read beyond
 * the last one. */
typedef struct xncc_window_plane {
    const uint64_t *packed;
    int64_t left, top;
    ptrdiff_t stride;
} xncc_window_plane;

/* The spectra of the blocks of an image that the `fft` kernels transform, for templates that are
 * searched for in it one after the other. The first search writes them; if it is cancelled, they
 * are incomplete. Those of a row of blocks follow one another. Rectangles of the map begin at
 * blocks. */
typedef struct xncc_image_spectra {
    char *data;
    char *known;       /* per block, 1: its spectrum is there */
    int64_t across;    /* blocks in a row */
    int64_t left, top; /* of the first window of the map in the image */
} xncc_image_spectra;

/* Threads that help a kernel, each with its scratch memory. */
typedef struct xncc_team {
    xncc_pool *pool;
    int32_t threads;
    void **scratch;
} xncc_team;

/* A call: what all its rectangles share. Constant while the threads run. */
typedef struct xncc_job {
    const xncc_problem *problem;
    const xncc_cpu_blocks *blocks; /* the decision's */
    const xncc_image *image;
    const xncc_template *templ; /* for matching */
    const xncc_filter *filter;  /* for convolution */
    xncc_score_rule rule;       /* for matching of integers, if the problem is not general */
    xncc_general_rule general;  /* for matching */
    int32_t x0, y0;             /* position of the window of map element (0, 0) */
    /* A kernel asks it (xncc_is_cancelled) at least every few milliseconds, on the slowest machine
     * and for the largest templates. If the call is cancelled, it returns, and what it has not
     * written stays as it was. */
    const xncc_watch *watch;
    /* For a template of several with one mask; else NULL. Only for xncc_mask_sums_fit. */
    const xncc_mask_sums *mask_sums;
    /* NULL, or those of all windows of the call; only if blocks->narrow and blocks->tile.whole. */
    const xncc_window_plane *windows;
    /* NULL, or those of the image; only if blocks->tile.whole. */
    const xncc_image_spectra *spectra;
    /* For begin, and for the rectangle that is the whole map if blocks->fft.common is 1. NULL: the
     * thread works alone. */
    const xncc_team *team;
    /* What the kernel's begin wrote. Depends on the problem and the template alone. */
    const void *shared;
} xncc_job;

/* Runs tasks on the job's team, or on this thread alone, in slot 0. */
static inline void xncc_job_run(const xncc_job *job, int32_t count, xncc_task_fn task,
                                void *argument)
{
    const xncc_team *team = job->team;
    if (team)
        xncc_pool_run_on(team->pool, team->threads, (uint64_t)count, task, argument);
    for (int32_t i = 0; i < count && !team; i++)
        task(argument, (uint64_t)i, 0);
}

/* Can window sums under a mask be shared? For bytes of one channel where all pixels of the image
 * count, and kernels of products. */
static inline int xncc_mask_sums_fit(const xncc_problem *p, const xncc_cpu_blocks *b)
{
    return p->templ_masked && !b->tile.varies && !b->tile.whole && b->tile.digits == 1 &&
           b->tile.channels == 1 && b->tile.recipe.sum[XNCC_SUM_S] == XNCC_FROM_PRODUCTS &&
           b->tile.recipe.sum[XNCC_SUM_Q] == XNCC_FROM_PRODUCTS;
}

/* Memory that not all calls touch: many do, or few. */
enum { XNCC_EXTRA_OFTEN, XNCC_EXTRA_RARE, XNCC_EXTRAS };

/* Memory that a kernel needs, in bytes. 0: none. */
typedef struct xncc_kernel_memory {
    uint64_t shared;             /* filled by begin */
    uint64_t scratch;            /* per thread */
    uint64_t extra[XNCC_EXTRAS]; /* per thread. The first words of scratch point to them; the first
                                    word of what is rare is 0 at the beginning */
} xncc_kernel_memory;

typedef struct xncc_cpu_kernel xncc_cpu_kernel;
struct xncc_cpu_kernel {
    /* NULL: none. */
    xncc_kernel_memory (*memory)(const xncc_cpu_kernel *self, const xncc_problem *problem,
                                 const xncc_cpu_blocks *blocks);
    /* Prepares the template in `shared`. NULL: nothing to prepare. One thread calls it, and gives
     * it its scratch memory, which is the first of job->team if there is one. */
    void (*begin)(const xncc_cpu_kernel *self, const xncc_job *job, void *shared, void *scratch);
    /* Fills a rectangle. Any thread may call it with its own scratch memory. */
    void (*area)(const xncc_cpu_kernel *self, const xncc_job *job, void *scratch,
                 const xncc_area *area);
    const void *variant; /* the data of an instruction set, for kernels that have one build per
                            instruction set */
};

static inline uint64_t xncc_max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline int32_t xncc_min_i32(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* Returns how many columns of a row of tiles, a multiple of `tile`, to compute before asking again
 * whether the call is cancelled. products: the multiply-adds per column. The slowest kernels do a
 * thousand million of them per second. */
static inline int32_t xncc_columns_to_ask(int64_t products, int32_t tile)
{
    enum { PRODUCTS = 4 << 20, MOST = 1 << 24 };
    const int64_t tiles = PRODUCTS / products / tile;
    return tiles < 1 ? tile : tiles > MOST / tile ? MOST : (int32_t)tiles * tile;
}

/* Takes `bytes` bytes from the memory at *total on, aligned to cache lines, with at least 64 bytes
 * between two pieces. memory: NULL only counts. */
static inline void *xncc_carve(char *memory, uint64_t *total, uint64_t bytes)
{
    char *piece = memory ? memory + *total : NULL;
    *total += (bytes + 127) / 64 * 64;
    return piece;
}

/* Returns the code of a kernel for a problem, or NULL if the kernel does not serve the problem. */
const xncc_cpu_kernel *xncc_cpu_kernel_of(xncc_kernel kernel, const xncc_problem *problem);

/* The exact score of the window of floats at (left, top), by the plainest loop. */
float xncc_reference_real(const xncc_job *job, int64_t left, int64_t top);

extern const xncc_cpu_kernel xncc_reference_match;
extern const xncc_cpu_kernel xncc_reference_convolve;

#endif
