/* What a kernel of the CPU engine is: something that fills a rectangle of a map. The engine cuts the map into
 * rectangles and shares them out among its threads. */
#ifndef CM_CPU_KERNEL_H
#define CM_CPU_KERNEL_H

#include "model/template.h"
#include "plan/kernels.h"

#include <stddef.h>

/* A rectangle of the map, and where its elements go: element (x, y) of the map to out[(y - area.y) * pitch + (x -
 * area.x)]. */
typedef struct cm_sums cm_sums;
typedef struct cm_area {
    int32_t x, y, width, height;
    float *out;
    ptrdiff_t pitch;     /* elements */
    const cm_sums *sums; /* not NULL: exact sums go there instead, out is not looked at */
} cm_area;

/* Where the products of a plane of bytes go (u8 pixels, `direct` and `fft`): shifted, added to X or written. S and Q,
 * where they are not NULL, get the plane's window sums. All have the area's pitch. */
struct cm_sums {
    uint64_t *X, *S, *Q;
    const uint64_t *known; /* the plane's window sums, where they stand already, or NULL */
    int32_t shift, add;
    /* Told of every row that stands there, when it is not NULL: columns x .. x + width - 1 of the area's row y. */
    void (*row)(void *whom, int32_t x, int32_t y, int32_t width);
    void *whom;
};

/* One call: what every rectangle of it needs. Constant while the threads run. */
typedef struct cm_job {
    const cm_problem *problem;
    const cm_image *image;
    const cm_template *part; /* matching */
    const cm_filter *filter; /* convolution */
    cm_score_rule rule;      /* matching */
    cm_joint_rule joint;     /* matching, problems of the joint route */
    int32_t x0, y0;          /* window of the map's element (0, 0) */
    int32_t map_width, map_height;
    int32_t turned;     /* 1: the image's samples are signed, and are read with their bias */
    int32_t bare;       /* 1, with sums: the template has 128 added; the products wanted are those without it */
    const void *shared; /* what the kernel's begin wrote; depends on problem and template alone */
} cm_job;

/* What a kernel asks for, given the problem. */
typedef struct cm_shape {
    uint64_t shared_bytes;  /* memory for begin; 0: none */
    uint64_t scratch_bytes; /* memory for each thread; 0: none */
    int32_t columns, rows;  /* the rectangle that suits it; any other works */
    int32_t least_rows;     /* fewer rows, or no multiple of it, are a waste; 0: never */
} cm_shape;

typedef struct cm_cpu_kernel cm_cpu_kernel;
struct cm_cpu_kernel {
    void (*shape)(const cm_cpu_kernel *self, const cm_problem *problem, cm_shape *shape);
    /* Prepares the template or filter in shared; NULL when there is nothing to do. One thread, which has a scratch too.
     */
    void (*begin)(const cm_cpu_kernel *self, const cm_job *job, void *shared, void *scratch);
    /* Fills a rectangle. Any thread; scratch is its own. */
    void (*area)(const cm_cpu_kernel *self, const cm_job *job, void *scratch, const cm_area *area);
    /* NULL, or: two jobs of sums that differ only in template, shared and bare, and areas that differ only in sums;
     * each row's first sums before its second ones. A scratch for each. */
    void (*pair)(const cm_cpu_kernel *self, const cm_job job[2], void *const scratch[2], const cm_area area[2]);
    const void *variant; /* the instruction set's part, for kernels that have one */
};

/* The code behind a row of the kernel table for a task; NULL when there is none. */
const cm_cpu_kernel *cm_cpu_kernel_of(cm_kernel kernel, const cm_problem *problem);

/* The score of one window of the joint route, by plain loops. */
float cm_reference_joint(const cm_job *job, int64_t left, int64_t top);

extern const cm_cpu_kernel cm_reference_match;
extern const cm_cpu_kernel cm_reference_convolve;

#endif
