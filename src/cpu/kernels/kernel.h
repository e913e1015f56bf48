/* What a kernel of the CPU engine is: something that fills a rectangle of a map. The engine cuts
 * the map into rectangles and shares them out among its threads. */
#ifndef XNCC_CPU_KERNELS_KERNEL_H
#define XNCC_CPU_KERNELS_KERNEL_H

#include "template/template.h"
#include "plan/kernels.h"

#include <stddef.h>

/* A rectangle of the map, and where its elements go: element (x, y) of the map to out[(y - area.y)
 * * pitch + (x - area.x)]. */
typedef struct xncc_sums xncc_sums;
typedef struct xncc_area {
    int32_t x, y, width, height;
    float *out;
    ptrdiff_t pitch;       /* elements */
    const xncc_sums *sums; /* not NULL: exact sums go there instead, out is not looked at */
} xncc_area;

/* Where the products of a plane of bytes go (u8 pixels, `direct` and `fft`): shifted, added to X or
 * written. S and Q, where they are not NULL, get the plane's window sums. All have the area's
 * pitch. */
struct xncc_sums {
    uint64_t *X, *S, *Q;
    const uint64_t *known; /* the plane's window sums, where they stand already, or NULL */
    int32_t shift, add;
    /* Told of every row that stands there, when it is not NULL: columns x .. x + width - 1 of the
     * area's row y. */
    void (*row)(void *whom, int32_t x, int32_t y, int32_t width);
    void *whom;
};

/* One call: what every rectangle of it needs. Constant while the threads run. */
typedef struct xncc_job {
    const xncc_problem *problem;
    const xncc_image *image;
    const xncc_template *templ; /* matching */
    const xncc_filter *filter;  /* convolution */
    xncc_score_rule rule;       /* matching */
    xncc_general_rule general;  /* matching, problems of the joint route */
    int32_t x0, y0;             /* window of the map's element (0, 0) */
    int32_t map_width, map_height;
    int32_t turned; /* 1: the image's samples are signed, and are read with their bias */
    int32_t bare; /* 1, with sums: the template has 128 added; the products wanted are those without
                     it */
    const void *shared; /* what the kernel's begin wrote; depends on problem and template alone */
} xncc_job;

/* What a kernel asks for, given the problem. */
typedef struct xncc_shape {
    uint64_t shared_bytes;  /* memory for begin; 0: none */
    uint64_t scratch_bytes; /* memory for each thread; 0: none */
    int32_t columns, rows;  /* the rectangle that suits it; any other works */
    int32_t least_rows;     /* fewer rows, or no multiple of it, are a waste; 0: never */
} xncc_shape;

typedef struct xncc_cpu_kernel xncc_cpu_kernel;
struct xncc_cpu_kernel {
    void (*shape)(const xncc_cpu_kernel *self, const xncc_problem *problem, xncc_shape *shape);
    /* Prepares the template or filter in shared; NULL when there is nothing to do. One thread,
     * which has a scratch too.
     */
    void (*begin)(const xncc_cpu_kernel *self, const xncc_job *job, void *shared, void *scratch);
    /* Fills a rectangle. Any thread; scratch is its own. */
    void (*area)(const xncc_cpu_kernel *self, const xncc_job *job, void *scratch,
                 const xncc_area *area);
    /* NULL, or: two jobs of sums that differ only in template, shared and bare, and areas that
     * differ only in sums; each row's first sums before its second ones. A scratch for each. */
    void (*pair)(const xncc_cpu_kernel *self, const xncc_job job[2], void *const scratch[2],
                 const xncc_area area[2]);
    const void *variant; /* the instruction set's part, for kernels that have one */
};

/* The code behind a row of the kernel table for a task; NULL when there is none. */
const xncc_cpu_kernel *xncc_cpu_kernel_of(xncc_kernel kernel, const xncc_problem *problem);

/* The score of one window of the joint route, by plain loops. */
float xncc_reference_general(const xncc_job *job, int64_t left, int64_t top);

extern const xncc_cpu_kernel xncc_reference_match;
extern const xncc_cpu_kernel xncc_reference_convolve;

#endif
