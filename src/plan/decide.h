/* The decision: which kernel serves a problem on a machine. A pure function of plain data, the same
 * answer everywhere. */
#ifndef XNCC_PLAN_DECIDE_H
#define XNCC_PLAN_DECIDE_H

#include "base/error.h"
#include "exactncc/plan.h"
#include "plan/kernels.h"

/* CPU features that kernels ask for. */
enum {
    XNCC_CPU_AVX2_FMA = 1,
    XNCC_CPU_AVXVNNI = 2,
    XNCC_CPU_AVX512_VNNI = 4 /* F, BW, VL, VNNI */
};

/* What a decision may know of a machine. All zero: a machine with one thread, no SIMD and no GPU.
 */
typedef struct xncc_machine {
    struct {
        int32_t absent; /* 1: the CPU engine may not be used */
        int32_t threads;
        uint32_t features; /* XNCC_CPU_* */
    } cpu;
    struct {
        int32_t present;
        int32_t major, minor;
        int32_t processors;
        int64_t shared_memory;  /* sharedMemPerBlock */
        int64_t shared_optin;   /* sharedMemPerBlockOptin */
        int64_t constant_bytes; /* of the bank that template pixels or filter taps may fill */
        int64_t texture_width, texture_height; /* limits of a pitch-linear 2-D texture, elements */
        int64_t texture_pitch;                 /* bytes */
        int64_t workspace;    /* the most bytes of device memory that a plan may take */
        int32_t fft;          /* 0: cuFFT cannot be loaded; 1: it can, or nobody has tried */
        int32_t fp64_is_slow; /* 1: scores are computed in pairs of floats (math/float_float.h) */
    } cuda;
} xncc_machine;

/* Multiprocessors of the CUDA device, at least 1, to divide times by. */
static inline double xncc_machine_processors(const xncc_machine *machine)
{
    return machine->cuda.processors > 0 ? (double)machine->cuda.processors : 1.0;
}

enum { XNCC_REASON_SIZE = 200 };

/* How the tensor kernels cut a template: across x down blocks, each `chunks` chunks of 16 bytes
 * wide (32 but for tensor-wgmma) and, with half, half a chunk more. Plain zeros for other kernels.
 */
typedef struct xncc_tensor_blocks {
    int32_t across, down;
    int32_t width, height; /* template pixels of a block; those past the template count as 0 */
    int32_t chunks, half;
    int32_t periods;   /* groups of image rows under a tile */
    int32_t stages;    /* groups of image rows that shared memory holds for a tile; tensor-fused:
                          blocks that a multiprocessor holds */
    int32_t staged;    /* 1: sums go to global memory through shared memory */
    int32_t row_bytes; /* from one image row to the next in shared memory */
    int32_t shared_bytes;
    uint64_t toeplitz; /* bytes of a block as the products read it */
} xncc_tensor_blocks;

/* How kernel fft on CUDA cuts image and template. Plain zeros for other kernels. */
typedef struct xncc_fft_blocks {
    int32_t width, height; /* of a transform */
    int32_t batch;         /* transforms at a time */
    int32_t columns, rows; /* of the template's pieces; as a rule there is one */
} xncc_fft_blocks;

/* How the CUDA engine works a joint problem. Plain zeros elsewhere. */
typedef struct xncc_general_blocks {
    int32_t map_rows; /* rows of the map that the plan keeps: all of them where there is room */
    int32_t products; /* of byte planes */
    int32_t windows;  /* sums over whole windows of the image */
} xncc_general_blocks;

typedef struct xncc_decision {
    xncc_kernel kernel;
    xncc_device engine;
    /* CUDA: a block's share of the map, the tile it reads into shared memory (pitch in bytes, a
     * multiple of 64), and the rows of the template that one filling of the constant bank holds. 0
     * where a kernel has no such thing. */
    int32_t tile_width, tile_height;
    int32_t tile_pitch, tile_rows;
    int32_t shared_bytes;
    int32_t constant_rows;
    /* The part of the map that is computed at a time (all of it when it fits). */
    int32_t band_width, band_height;
    xncc_fft_blocks fft;
    xncc_tensor_blocks tensor;
    xncc_general_blocks general;
    double estimate_ms; /* by the cost table; comparable within one machine only */
    int32_t has_runner_up;
    xncc_kernel runner_up;
    double runner_up_ms;
    char reason[XNCC_REASON_SIZE];
} xncc_decision;

/* Fills *decision. XNCC_ERROR_UNSUPPORTED when no kernel (or not the forced one) can serve the
 * problem; the text names the limit. XNCC_ERROR_ARGUMENT for an invalid problem or an unknown
 * kernel name. */
xncc_status xncc_decide(const xncc_problem *problem, const xncc_machine *machine,
                        const xncc_preference *preference, xncc_decision *decision,
                        xncc_error *error);

/* The map of a valid problem, and the image pixel where the window of its element (0, 0) begins. */
typedef struct xncc_extent {
    int32_t width, height, x0, y0;
} xncc_extent;
xncc_extent xncc_problem_extent(const xncc_problem *problem);

int32_t xncc_problem_channels(const xncc_problem *problem);

/* 1 when all pixels of every window count. */
int xncc_problem_counts_all(const xncc_problem *problem);

/* How a (valid) problem is worked on by kernels that are made for the plain one. */
typedef enum xncc_route {
    XNCC_ROUTE_PLAIN,  /* as it is: u8, u16 or f32, one channel, all pixels count, clamp border */
    XNCC_ROUTE_PADDED, /* the image is laid out with its border, signed samples biased;
                          xncc_problem_inner is the rest */
    XNCC_ROUTE_GENERAL /* exact sums of byte planes by xncc_problem_inner (integers), and the score
                        of general.h */
} xncc_route;
xncc_route xncc_problem_route(const xncc_problem *problem);

/* The plain problem inside a padded one, or that of one pair of byte planes inside a joint one: of
 * the image with its border, in mode XNCC_VALID. Its image can exceed XNCC_MAX_SIDE, and is then
 * not legal. */
xncc_problem xncc_problem_inner(const xncc_problem *problem);

/* Is the problem itself legal? XNCC_ERROR_ARGUMENT with a text, or XNCC_OK. */
xncc_status xncc_problem_check(const xncc_problem *problem, xncc_error *error);

#endif
