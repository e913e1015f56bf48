/* The interface of the CPU engine's kernels. A kernel fills a rectangle of a map; the engine
 * divides the map into rectangles and distributes them to its threads. */
#ifndef XNCC_CPU_KERNELS_KERNEL_H
#define XNCC_CPU_KERNELS_KERNEL_H

#include "template/template.h"
#include "plan/kernels.h"

#include <stddef.h>

typedef struct xncc_sums xncc_sums;

/* A rectangle of the map, and where its elements are written: element (x, y) of the map goes to
 * out[(y - area.y) * pitch + (x - area.x)]. */
typedef struct xncc_area {
    int32_t x, y, width, height;
    float *out;
    ptrdiff_t pitch;       /* elements from one row to the next */
    const xncc_sums *sums; /* if not NULL, exact sums are written there and out is ignored */
} xncc_area;

/* Where the sums of products of a plane of bytes go (u8 pixels; `direct` and `fft` kernels). The
 * products are shifted left by `shift` bits and added to X (add is 1) or stored in X. S and Q, if
 * not NULL, receive the plane's window sums. All have the area's pitch. */
struct xncc_sums {
    uint64_t *X, *S, *Q;
    const uint64_t *known; /* the plane's window sums, if they are known already; else NULL */
    int32_t shift, add;
    /* If not NULL, called after each row that is complete: columns x .. x + width - 1 of row y of
     * the area. */
    void (*on_row)(void *user, int32_t x, int32_t y, int32_t width);
    void *user;
};

/* A call: what all its rectangles share. Constant while the threads run. */
typedef struct xncc_job {
    const xncc_problem *problem;
    const xncc_image *image;
    const xncc_template *templ; /* for matching */
    const xncc_filter *filter;  /* for convolution */
    xncc_score_rule rule;       /* for matching */
    xncc_general_rule general;  /* for matching on the general route */
    int32_t x0, y0;             /* position of the window of map element (0, 0) */
    int32_t map_width, map_height;
    /* 1: the image's samples are signed and are read with their bias added. */
    int32_t sign_flipped;
    /* 1: 128 was added to the template's pixels, and the sums of products wanted are those without
     * it. Only with xncc_area.sums. */
    int32_t no_offset;
    /* What the kernel's begin wrote. Depends on the problem and the template alone. */
    const void *shared;
} xncc_job;

/* What a kernel needs for a problem. */
typedef struct xncc_shape {
    uint64_t shared_bytes;  /* shared memory, filled by begin; 0: none */
    uint64_t scratch_bytes; /* scratch memory per thread; 0: none */
    int32_t columns, rows;  /* the preferred rectangle; any other works */
    /* Rectangles should have a multiple of this many rows, since the kernel computes that many at a
     * time. 0: any number of rows is fine. */
    int32_t least_rows;
} xncc_shape;

typedef struct xncc_cpu_kernel xncc_cpu_kernel;
struct xncc_cpu_kernel {
    void (*shape)(const xncc_cpu_kernel *self, const xncc_problem *problem, xncc_shape *shape);
    /* Prepares the template or the filter in `shared`. NULL: nothing to prepare. One thread calls
     * it, and gives it its scratch memory. */
    void (*begin)(const xncc_cpu_kernel *self, const xncc_job *job, void *shared, void *scratch);
    /* Fills a rectangle. Any thread may call it with its own scratch memory. */
    void (*area)(const xncc_cpu_kernel *self, const xncc_job *job, void *scratch,
                 const xncc_area *area);
    /* Optional. Computes two products of the same image area in one pass. The jobs may differ only
     * in `templ`, `shared` and `no_offset`, the areas only in `sums`. Rows are delivered
     * alternately, first job first. Each job has its own scratch memory. */
    void (*pair)(const xncc_cpu_kernel *self, const xncc_job job[2], void *const scratch[2],
                 const xncc_area area[2]);
    const void *variant; /* the data of an instruction set, for kernels that have one build per
                            instruction set */
};

static inline int32_t xncc_min_i32(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* Returns the code of a kernel for a problem, or NULL if the kernel does not serve the problem. */
const xncc_cpu_kernel *xncc_cpu_kernel_of(xncc_kernel kernel, const xncc_problem *problem);

/* Returns the score of the window at (left, top) on the general route, computed by plain loops. */
float xncc_reference_general(const xncc_job *job, int64_t left, int64_t top);

extern const xncc_cpu_kernel xncc_reference_match;
extern const xncc_cpu_kernel xncc_reference_convolve;

#endif
