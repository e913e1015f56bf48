/* SPDX-License-Identifier: BSD-2-Clause */
/* The result of the decision: a kernel, the steps around it, their blocks, bands and memory, and
 * the estimated time. Plain data that the engines bind; they search nothing again. */
#ifndef XNCC_PLAN_DECISION_H
#define XNCC_PLAN_DECISION_H

#include "plan/cpu_blocks.h"
#include "plan/general_planes.h"
#include "plan/kernels.h"
#include "plan/steps.h"

#include <stdint.h>

/* The size of a reason text, in bytes. */
enum { XNCC_REASON_SIZE = 200 };

/* How the tensor kernels divide a template: into across x down blocks, each `chunks` chunks of
 * bytes wide (16 bytes for tensor-wgmma, 32 for the others) and, if half is 1, half a chunk more.
 * All zero for other kernels. */
typedef struct xncc_tensor_blocks {
    int32_t across, down;
    int32_t width, height; /* pixels of a block; those beyond the template count as 0 */
    int32_t chunks, half;
    int32_t periods;   /* groups of XNCC_TENSOR_PERIOD image rows under a tile; 0: tensor-fused */
    int32_t stages;    /* groups of image rows per tile that shared memory holds; tensor-fused:
                          blocks per multiprocessor */
    int32_t staged;    /* 1: X is written to global memory through shared memory */
    int32_t planes;    /* tensor-wgmma: the most products that a launch adds to one term; their
                          templates are in shared memory together. 1: it adds none */
    int32_t row_bytes; /* from one image row to the next in shared memory */
    int32_t shared_bytes; /* shared memory per thread block */
    uint64_t toeplitz;    /* bytes of a block in the form that the products read */
} xncc_tensor_blocks;

/* How kernels fft, float-fft, float-split and float-tiles on CUDA divide image and template. Kernel
 * float-fused has no transforms, but the template. All zero for other kernels. */
typedef struct xncc_fft_blocks {
    int32_t width, height; /* points of a transform */
    int32_t batch;         /* transforms at a time */
    int32_t columns, rows; /* pixels of a piece of the template; usually there is one piece */
    int32_t count;         /* float-fft, float-split and float-tiles: transforms of a band */
    int32_t sums;          /* step float-sums: maps of sums, each with its bounds; else 0 */
    /* float-split: the most products of one transform of the image, or in one; and the channels
     * whose products are added up before they are transformed back. */
    int32_t together, channels;
} xncc_fft_blocks;

/* CUDA, kernels float-*: how the windows of a band are settled together if many are in doubt
 * (plan/cost_exact_cuda.h). */
typedef struct xncc_exact_blocks {
    int32_t width, height;  /* points of a transform; 0: they are settled one by one */
    int32_t step_x, step_y; /* map elements of a block */
    int32_t count;          /* of the blocks of a band */
    uint32_t most_alone;    /* windows in doubt that are settled one by one in any case, */
    uint32_t most_long;     /* and, of these, by long integers */
    int32_t most_levels;    /* of products that are made before, if that may do */
    uint64_t bytes;         /* of memory */
} xncc_exact_blocks;

/* The device memory of a plan. A plan allocates it when it is made, except for the two buffers at
 * the end of the list, which it allocates when a call first needs them. */
typedef enum xncc_buffer {
    XNCC_BUFFER_BAND,       /* the image under a band, as textures read it */
    XNCC_BUFFER_PLANES,     /* byte planes of the image under a band */
    XNCC_BUFFER_SUMS,       /* X of a band, or planes of partial sums */
    XNCC_BUFFER_ROWS,       /* sums along the image rows of a band, or down its columns */
    XNCC_BUFFER_TEMPLATE,   /* byte planes of the template */
    XNCC_BUFFER_TOEPLITZ,   /* the template as matrix products read it */
    XNCC_BUFFER_TRANSFORMS, /* the buffers of kernels fft and float-* */
    XNCC_BUFFER_DOUBTS, /* floats: what settles many windows in doubt together, or counts them */
    XNCC_BUFFER_MAP,    /* rows of the map */
    XNCC_BUFFER_SEARCH, /* the peak search in one map, with its results */
    XNCC_BUFFER_SOURCE, /* an image from the host, with its mask */
    XNCC_BUFFER_BATCH,  /* searches with several templates at a time */
    XNCC_BUFFERS
} xncc_buffer;

/* Sizes of the buffers, in bytes, and the pitches inside of them. */
typedef struct xncc_workspace {
    uint64_t bytes[XNCC_BUFFERS];
    uint64_t total;       /* the sum; UINT64_MAX if it does not fit 64 bits */
    uint64_t band_pitch;  /* bytes per row of XNCC_BUFFER_BAND */
    uint64_t plane_pitch; /* bytes per row of a byte plane */
    uint64_t plane;       /* bytes of a byte plane */
    uint64_t sums_pitch;  /* elements per row of a plane of sums */
    uint64_t sums;        /* bytes of a plane of sums */
    uint64_t rows_pitch;  /* elements per row of XNCC_BUFFER_ROWS */
    /* Kernels float-*: windows in doubt that each of the two lists behind X has room for. Where in
     * XNCC_BUFFER_ROWS the template's integral images begin, the sums of columns, what they reach,
     * and the sums of groups of rows. */
    uint64_t doubts, integrals, columns, reach, groups;
} xncc_workspace;

/* How a batch of templates is searched: so many at a time. 0: one by one. */
typedef struct xncc_batch_slots {
    int32_t slots;
    uint64_t map;      /* bytes of the score map of a slot; 0: the search needs no map */
    uint64_t sums;     /* otherwise: bytes of X of a slot, */
    uint64_t toeplitz; /* of its template as matrix products read it, */
    uint64_t terms;    /* and of the window terms, once or per mask */
    int32_t masks;     /* masks whose window terms are kept at a time; 0: all pixels count */
    uint64_t search;   /* bytes of the search, all slots, without its results */
    uint64_t results;  /* bytes of the results, all templates of a call */
} xncc_batch_slots;

/* How the devices of a context share a call with images and maps in host memory, or in parts
 * (plan/spread.h). devices 1: they do not. */
typedef struct xncc_spread {
    int32_t present;    /* devices of the context; 0: it has only one */
    int32_t devices;    /* that share a call */
    int32_t rows;       /* map rows of each; the last may have fewer */
    int32_t stays;      /* 1: images or maps are in device memory, so they cannot share it */
    int32_t parts;      /* 1: each holds a part of image and map, as the preference says */
    double alone_ms;    /* one device, with reading the image from the host */
    double estimate_ms; /* the devices together */
} xncc_spread;

/* How several images of the plan's size are searched (plan/stack.h). wanted 0 or 1: nobody asks. */
typedef struct xncc_stack {
    int32_t wanted;      /* images that a call brings, as the preference says */
    int32_t images;      /* that are searched in one launch; below 2: image by image, */
    const char *refusal; /* for this reason; a constant */
    xncc_kernel kernel;  /* that computes their maps */
    uint64_t bytes;      /* of device memory, besides that of the plan */
    double image_ms;     /* the estimated time of one of them */
} xncc_stack;

/* Fields that a kernel does not use are 0. */
typedef struct xncc_decision {
    xncc_kernel kernel;
    xncc_device engine;
    xncc_cpu_blocks cpu;      /* CPU */
    xncc_cpu_blocks cpu_half; /* CPU, batches: the products of half images, if has_cpu_half is 1 */
    int32_t has_cpu_half;
    int32_t cpu_threads; /* CPU: the threads that pay for one map, at least 1 */
    int32_t cpu_seats;   /* CPU: the most threads of a call, for several maps, at least 1 */
    /* CUDA. The map elements of a thread block, the tile that it reads into shared memory (pitch in
     * bytes, a multiple of 64), and the rows of the template that constant memory holds at a
     * time. */
    int32_t tile_width, tile_height;
    int32_t tile_pitch, tile_rows;
    int32_t shared_bytes;
    int32_t constant_rows;
    /* CUDA. The part of the map that is computed at a time, in elements: all of it if it fits. */
    int32_t band_width, band_height;
    int32_t map_rows; /* rows of the map that the plan holds: all of them if there is room */
    /* CUDA, matching. The steps, in order. */
    int32_t step_count;
    xncc_step step[XNCC_MAX_STEPS];
    int32_t searches_products; /* 1: matches are found without a map, from X or from the pixels */
    /* 1: products of a batch yield the best score of each tile as well, so that a batch needs no
     * map. Without searches_products: of masked templates, which do need one for a single search */
    int32_t bounds_tiles;
    xncc_general_planes planes; /* the recipe, if the kernel multiplies byte planes */
    xncc_workspace workspace;
    xncc_batch_slots batch;
    xncc_fft_blocks fft;
    xncc_fft_blocks levels; /* CUDA, float-fft and float-tiles: of X by levels; batch 0: none */
    xncc_exact_blocks exact;
    xncc_tensor_blocks tensor;
    xncc_spread spread;    /* set by xncc_plan_create */
    xncc_stack stack;      /* set by xncc_plan_create */
    double estimate_ms;    /* on one device, from the cost tables; comparable on one machine only */
    int32_t has_runner_up; /* 1: the next two fields are valid */
    xncc_kernel runner_up; /* the kernel with the second lowest estimate */
    double runner_up_ms;
    char reason[XNCC_REASON_SIZE]; /* why the kernel was chosen, for people */
    /* Why the kernels before it in the list that was asked for cannot serve; "": there are none. */
    char refused[XNCC_ERROR_SIZE];
} xncc_decision;

/* Returns 1 if a decision has a step. */
static inline int xncc_decision_has(const xncc_decision *decision, xncc_step step)
{
    for (int32_t i = 0; i < decision->step_count; i++)
        if (decision->step[i] == step)
            return 1;
    return 0;
}

/* Returns 1 if a search for at most `top` matches has kernels that look for the best score alone
 * (launch_window_best, cuda/peaks/collect.h). They are always conclusive: no tournament follows. */
static inline int xncc_decision_takes_best(const xncc_decision *decision, uint64_t top)
{
    return decision->searches_products && top == 1;
}

#endif
