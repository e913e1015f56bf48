/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits, memory and cost of the tensor kernels. */
#include "plan/cost_tensor.h"

#include "base/int_math.h"
#include "image/samples.h"
#include "plan/problem.h"

#include <assert.h>
#include <math.h>

/* Rates per millisecond and multiprocessor. Measured on one H200 (132 multiprocessors), November
 * 2026, with images of 8192 x 8192 and templates of 8 to 128. Multiply-adds include those with
 * padding zeros. */
static const double product_rate = 6.6e9;       /* tensor-wgmma: multiply-adds */
static const double mma_rate = 3.5e9;           /* tensor-mma: multiply-adds */
static const double sum_rate = 5.2e6;           /* elements of X written: an upper limit */
static const double score_rate = 2.65e6;        /* map elements of the score pass for 8 bits */
static const double score_u16_rate = 1.03e6;    /* the same for 16 bits */
static const double fused_rate = 4.1e9;         /* tensor-fused: multiply-adds, */
static const double fused_element_rate = 3.0e6; /* followed by map elements */
/* tensor-fused of several channels: multiply-adds, and the part of a map element above that they
 * take of their own and per channel; both grow where fewer than the most thread blocks fit. */
static const double channels_rate = 3.9e9, channels_element = 1.3, channels_channel = 0.36,
                    channels_few = 1.17;
static const double planes_rate = 3.8e9; /* tensor-fused, general problems: multiply-adds, */
static const double planes_element_rate = 1.1e7; /* map elements, */
static const double planes_sum_rate = 3.1e7;     /* and map elements of each product */
/* Milliseconds per call. */
static const double fused_start_ms = 0.0145;   /* tensor-fused: launches and filling the rings; also
                                                  small images are searched faster in two passes */
static const double planes_start_ms = 0.006;   /* the same for general problems, */
static const double product_start_ms = 0.0035; /* and per product */

/* The largest template of the score pass for 16 bits: the sum of two products of bytes at a time
 * fits 32 bits. Numerator and variance then fit 63 bits (math/score.h). */
enum { MAX_PIXELS_U16 = (int)(UINT32_MAX / (2u * 255u * 255u)) };

/* tensor-fused: with fewer thread blocks a multiprocessor is idle too often. */
enum { FUSED_MIN_BLOCKS = 2 };

/* tensor-wgmma: bytes per barrier; stages of a ring, at least and at most; at least if X is
 * staged. */
enum { BARRIER_BYTES = 16, MIN_STAGES = 2, MAX_STAGES = 6, MIN_STAGES_IF_STAGED = 3 };

int xncc_kernel_is_tensor(xncc_kernel kernel)
{
    return kernel == XNCC_KERNEL_TENSOR_WGMMA || kernel == XNCC_KERNEL_TENSOR_MMA ||
           kernel == XNCC_KERNEL_TENSOR_FUSED;
}

int32_t xncc_tensor_row_bytes(int32_t arrays)
{
    /* 64 more than a multiple of 128, so that the two rows from which the halves of a chunk can
     * come are in different banks */
    return (XNCC_TENSOR_COLUMNS + 16 * arrays + 63) / 128 * 128 + 64;
}

int xncc_tensor_scores(const xncc_problem *p)
{
    uint64_t n = (uint64_t)p->templ_width * (uint64_t)p->templ_height;
    if (!xncc_fused_serves_channels(p) || p->channels > 1)
        return p->rule.method == XNCC_CCOEFF_NORMED &&
               xncc_problem_route(p) != XNCC_ROUTE_GENERAL && xncc_pixel_digits(p->pixel) == 2 &&
               p->templ_width <= XNCC_TENSOR_WIDTH && n <= MAX_PIXELS_U16;
    return p->templ_width <=
           (p->rule.method == XNCC_CCOEFF_NORMED ? XNCC_TENSOR_SCORE_WIDTH : XNCC_TENSOR_WIDTH);
}

int xncc_channel_scores(const xncc_problem *p, const xncc_machine *m)
{
    const int32_t channels = p->channels;
    const uint64_t n = (uint64_t)p->templ_width * (uint64_t)p->templ_height;
    if (p->rule.method == XNCC_COVERAGE || !xncc_problem_counts_all(p) ||
        xncc_pixel_is_float(p->pixel) || xncc_pixel_is_wide(p->pixel) ||
        channels > XNCC_CHANNEL_SCORE_CHANNELS || p->templ_width > XNCC_TENSOR_WIDTH)
        return 0;
    /* products of bytes, summed over all channels, and the sum of a channel fit 32 bits */
    if ((uint64_t)channels * n > UINT32_MAX / (255u * 255u) ||
        n * xncc_pixel_max(p->pixel) > UINT32_MAX)
        return 0;
    return m->cuda.present && m->cuda.major >= 8 &&
           xncc_channel_score_bytes(channels, channels, xncc_pixel_digits(p->pixel)) <=
               m->cuda.shared_optin;
}

int xncc_fused_serves_channels(const xncc_problem *p)
{
    const int32_t channels = p->channels;
    return p->rule.method != XNCC_COVERAGE && xncc_problem_counts_all(p) &&
           xncc_pixel_digits(p->pixel) == 1 && channels <= XNCC_CHANNEL_SCORE_CHANNELS &&
           (uint64_t)channels * (uint64_t)p->templ_width * (uint64_t)p->templ_height <=
               UINT32_MAX / (255u * 255u);
}

/* Divides a template row into chunks. For 8 map elements it has width + 7 bytes: whole chunks and,
 * if at most half of one is left, half a chunk. */
static void split_row(xncc_tensor_blocks *b, int32_t chunk)
{
    int32_t bytes = b->width + 7, rest = bytes % chunk;
    b->half = rest > 0 && rest <= chunk / 2;
    b->chunks = bytes / chunk + (rest > chunk / 2);
}

/* tensor-wgmma: chunks of 16 bytes. */
static void fit_chunks(xncc_tensor_blocks *b)
{
    split_row(b, 16);
    b->periods = xncc_ceil_div(b->height + XNCC_TENSOR_ROWS - 1, XNCC_TENSOR_PERIOD);
    int32_t arrays = b->chunks + b->half,
            slides = XNCC_TENSOR_PERIOD * b->periods + XNCC_TENSOR_ROWS - 1;
    b->row_bytes = xncc_tensor_row_bytes(arrays);
    b->toeplitz = (uint64_t)arrays * (uint64_t)slides * XNCC_TENSOR_CORE;
}

/* tensor-mma: chunks of 32 bytes, image rows in groups of 16. All image rows of a thread block are
 * in shared memory. Returns 0 if they do not fit. */
static int fit_mma(xncc_tensor_blocks *b, int64_t limit)
{
    enum { CHUNK = 32, FRAGMENT = 256 };
    b->chunks = xncc_ceil_div(b->width + 7, CHUNK);
    b->periods = xncc_ceil_div(b->height + XNCC_TENSOR_ROWS - 1, XNCC_TENSOR_ROWS) *
                 (XNCC_TENSOR_ROWS / XNCC_TENSOR_PERIOD);
    b->row_bytes = XNCC_TENSOR_COLUMNS + CHUNK * b->chunks;
    int64_t rows = XNCC_TENSOR_ROWS * (XNCC_TENSOR_MMA_DOWN - 1) + XNCC_TENSOR_PERIOD * b->periods;
    b->toeplitz = (uint64_t)b->chunks *
                  (uint64_t)(XNCC_TENSOR_PERIOD * b->periods + XNCC_TENSOR_ROWS) * FRAGMENT;
    if (rows * b->row_bytes > limit)
        return 0;
    b->shared_bytes = (int32_t)(rows * b->row_bytes);
    return 1;
}

/* tensor-wgmma: chooses the stages of the ring, and whether X is written through shared memory too.
 * must_stage: 1 if it must be. Returns 0 if shared memory is too small. */
static int fit_shared_memory(xncc_tensor_blocks *b, int64_t limit, int must_stage)
{
    uint64_t stage = (uint64_t)XNCC_TENSOR_PERIOD * (uint64_t)b->row_bytes + BARRIER_BYTES;
    for (int staged = 1; staged >= must_stage; staged--)
        for (int stages = MAX_STAGES; stages >= (staged ? MIN_STAGES_IF_STAGED : MIN_STAGES);
             stages--) {
            uint64_t out = staged ? XNCC_TENSOR_COLUMNS * XNCC_TENSOR_PERIOD * 4 : 0;
            uint64_t bytes = b->toeplitz * (uint64_t)b->planes +
                             XNCC_TENSOR_WARPGROUPS * (stage * (uint64_t)stages + out) +
                             BARRIER_BYTES;
            if ((int64_t)bytes <= limit) {
                b->stages = stages;
                b->staged = staged;
                b->shared_bytes = (int32_t)bytes;
                return 1;
            }
        }
    return 0;
}

/* What a thread block of tensor-fused has in shared memory, and its limits. */
typedef struct fused_shape {
    int32_t windows;   /* bytes of window sums */
    int32_t rings;     /* rings of image rows, one per image plane */
    int32_t planes;    /* template planes */
    int32_t blocks;    /* the most thread blocks per multiprocessor */
    int32_t widest;    /* the widest template that has a kernel, in pixels */
    const char *where; /* when it is the widest, for error texts */
} fused_shape;

/* tensor-fused: chunks of 32 bytes. A multiprocessor has a kilobyte more shared memory than a
 * thread block may use, and reserves a kilobyte per block. Returns 0 if too few blocks fit. */
static int fit_fused(const xncc_problem *p, const fused_shape *shape, xncc_tensor_blocks *b,
                     int64_t limit)
{
    enum { CHUNK = 32, RESERVED = 1024 };
    int32_t rows = xncc_tensor_fused_rows(p->templ_height);
    *b = (xncc_tensor_blocks){
        .across = 1, .down = 1, .width = p->templ_width, .height = p->templ_height
    };
    split_row(b, CHUNK);
    b->row_bytes = b->chunks < 2 ? XNCC_TENSOR_FUSED_NARROW_PITCH : XNCC_TENSOR_FUSED_PITCH;
    b->toeplitz = (uint64_t)rows * (uint64_t)(16 * (8 * b->chunks + 4 * b->half + 1));
    uint64_t ring = (uint64_t)(rows + XNCC_TENSOR_FUSED_SPARE) * (uint64_t)b->row_bytes;
    uint64_t shared = (uint64_t)shape->windows + (uint64_t)shape->rings * ring +
                      (uint64_t)shape->planes * b->toeplitz;
    int64_t blocks = (limit + RESERVED) / (int64_t)(shared + RESERVED);
    b->stages = blocks < shape->blocks ? (int32_t)blocks : shape->blocks;
    b->shared_bytes = blocks > 0 ? (int32_t)shared : 0;
    return b->stages >= FUSED_MIN_BLOCKS;
}

/* Multiply-adds per map element, including those with padding zeros. The first and the last period
 * of a tile of tensor-wgmma count half. */
static double products(const xncc_tensor_blocks *b, xncc_kernel kernel)
{
    double blocks = (double)b->across * b->down;
    if (kernel == XNCC_KERNEL_TENSOR_MMA)
        return blocks * 32.0 * b->chunks * XNCC_TENSOR_PERIOD * b->periods;
    return blocks * (16.0 * b->chunks + 8.0 * b->half) * (XNCC_TENSOR_PERIOD * (b->periods - 1.0));
}

/* Fits one block of the template into shared memory. Returns 0 if it does not fit. */
static int fit_block(xncc_tensor_blocks *b, xncc_kernel kernel, int64_t limit)
{
    if (kernel == XNCC_KERNEL_TENSOR_MMA)
        return fit_mma(b, limit);
    fit_chunks(b);
    return fit_shared_memory(b, limit, b->across * b->down > 1);
}

/* Finds the cheapest division of the template into blocks. Blocks begin at multiples of 16 pixels,
 * so that image rows are read in aligned pieces. Returns 0 if there is none. */
static int fit_blocks(const xncc_problem *p, xncc_kernel kernel, int64_t limit,
                      xncc_tensor_blocks *best)
{
    int found = 0;
    int32_t least = xncc_ceil_div(p->templ_width, XNCC_TENSOR_WIDTH);
    for (int32_t across = least; across <= least + 2 && across <= p->templ_width; across++)
        for (int32_t down = 1; down <= p->templ_height; down++) {
            xncc_tensor_blocks b = { .planes = 1 };
            b.width = across == 1 ? p->templ_width
                                  : (int32_t)xncc_round_up(
                                        (uint64_t)xncc_ceil_div(p->templ_width, across), 16);
            b.height = xncc_ceil_div(p->templ_height, down);
            b.across = xncc_ceil_div(p->templ_width, b.width);
            b.down = xncc_ceil_div(p->templ_height, b.height);
            if (b.width > XNCC_TENSOR_WIDTH)
                break;
            if (!fit_block(&b, kernel, limit))
                continue;
            if (!found || products(&b, kernel) < products(best, kernel))
                *best = b;
            found = 1;
            break;
        }
    return found;
}

/* tensor-wgmma: adds as many products in registers as follow each other in the recipe and fit, so
 * that fewer sums are written and read again. Only for templates of one block, and only if X is
 * written through shared memory. */
static void fit_planes(const xncc_general_planes *recipe, int64_t limit, xncc_tensor_blocks *best)
{
    int32_t most = 1;
    for (int32_t i = 0, run; i < recipe->products; i += run) {
        run = xncc_general_run(recipe, i, recipe->products);
        most = run > most ? run : most;
    }
    if (best->across * best->down > 1 || best->chunks + best->half > XNCC_TENSOR_ADDED_ARRAYS)
        return;
    for (; most > 1; most--) {
        xncc_tensor_blocks b = *best;
        b.planes = most;
        if (fit_shared_memory(&b, limit, 1)) {
            *best = b;
            return;
        }
    }
}

/* Refuses what does not depend on sizes of memory: pixel types, devices, and sums over 32 bits. */
static xncc_status check_device(const xncc_problem *p, const xncc_machine *m, xncc_kernel kernel,
                                xncc_error *error)
{
    const char *name = xncc_kernel_table[kernel].name;
    int hopper = m->cuda.major == 9 && m->cuda.minor == 0;
    if (kernel == XNCC_KERNEL_TENSOR_WGMMA && !hopper)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "%s needs a device of compute capability 9.0, and this one has %d.%d",
                         name, m->cuda.major, m->cuda.minor);
    if (m->cuda.major < 8)
        return xncc_fail(
            error, XNCC_ERROR_UNSUPPORTED,
            "%s needs a device of compute capability 8.0 or later, and this one has %d.%d", name,
            m->cuda.major, m->cuda.minor);
    if ((uint64_t)p->templ_width * (uint64_t)p->templ_height > UINT32_MAX / (255u * 255u))
        return xncc_fail(
            error, XNCC_ERROR_UNSUPPORTED,
            "%s serves templates up to %u pixels, whose sums fit 32 bits, and this one has %d x %d",
            name, UINT32_MAX / (255u * 255u), p->templ_width, p->templ_height);
    return XNCC_OK;
}

double xncc_tensor_products_ms(const xncc_problem *p, const xncc_machine *m, const xncc_decision *d)
{
    const xncc_tensor_blocks *b = &d->tensor;
    const double elements = xncc_problem_elements(p),
                 rate = d->kernel == XNCC_KERNEL_TENSOR_MMA ? mma_rate : product_rate,
                 one = elements * products(b, d->kernel) / rate,
                 write = elements * b->across * b->down / sum_rate;
    double ms = 0.0;
    for (int32_t i = 0, run; i < d->planes.products; i += run) {
        run = xncc_general_run(&d->planes, i, b->planes);
        /* Products and sums overlap, but not wholly, and sums that are added to are read, too. The
         * rates of recipes without added products are fitted as if they did. */
        const double all = run * one, sums = d->planes.step[i].add ? 2.0 * write : write;
        ms += b->planes > 1 ? sqrt(all * all + sums * sums) : one > write ? one : write;
    }
    return ms / xncc_machine_processors(m);
}

/* Multiply-adds of tensor-fused per map element, including those with padding zeros. */
static double fused_products(const xncc_tensor_blocks *b)
{
    return (32.0 * b->chunks + 16.0 * b->half) * xncc_tensor_fused_rows(b->height);
}

xncc_status xncc_fit_fused(const xncc_problem *p, const xncc_machine *m, xncc_decision *d,
                           xncc_error *error)
{
    const int32_t images = d->planes.image_count;
    const int centred_root = p->rule.method == XNCC_CCOEFF_NORMED;
    const fused_shape plain = { XNCC_TENSOR_FUSED_WINDOWS,
                                1,
                                1,
                                XNCC_TENSOR_FUSED_BLOCKS,
                                centred_root ? 57 : XNCC_TENSOR_FUSED_CHANNELS_WIDTH,
                                centred_root ? "" : " unless the method is ccoeff_normed" },
                      masks = { 0,
                                d->planes.image_count,
                                d->planes.templ_count,
                                XNCC_TENSOR_PLANES_BLOCKS,
                                41,
                                " if not all pixels count" },
                      channels = { xncc_fused_channels_windows(images),
                                   images,
                                   images,
                                   XNCC_TENSOR_FUSED_CHANNEL_BLOCKS,
                                   XNCC_TENSOR_FUSED_CHANNELS_WIDTH,
                                   " with several channels" };
    const fused_shape *shape = xncc_decision_has(d, XNCC_STEP_FUSED_MASKED)     ? &masks
                               : xncc_decision_has(d, XNCC_STEP_FUSED_CHANNELS) ? &channels
                                                                                : &plain;
    xncc_status status = check_device(p, m, XNCC_KERNEL_TENSOR_FUSED, error);
    if (!status && p->templ_width > shape->widest)
        status = xncc_fail(
            error, XNCC_ERROR_UNSUPPORTED,
            "tensor-fused serves templates up to %d pixels wide%s, and this one is %d",
            shape->widest, shape->where, p->templ_width);
    if (!status && !fit_fused(p, shape, &d->tensor, m->cuda.shared_optin))
        status = xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                           "tensor-fused needs shared memory for %d thread blocks with a template "
                           "of %d rows, and %lld bytes are too few",
                           (int)FUSED_MIN_BLOCKS, p->templ_height, (long long)m->cuda.shared_optin);
    return status;
}

double xncc_fused_ms(const xncc_problem *p, const xncc_machine *m, const xncc_decision *d)
{
    const double channels = d->planes.image_count, sums = d->planes.products,
                 products = fused_products(&d->tensor);
    double start = fused_start_ms, each = 1.0 / fused_element_rate + products / fused_rate;
    if (xncc_decision_has(d, XNCC_STEP_FUSED_MASKED)) {
        start = planes_start_ms + product_start_ms * sums;
        each = 1.0 / planes_element_rate + sums * (1.0 / planes_sum_rate + products / planes_rate);
    } else if (xncc_decision_has(d, XNCC_STEP_FUSED_CHANNELS)) {
        const double few = d->tensor.stages < XNCC_TENSOR_FUSED_CHANNEL_BLOCKS ? channels_few : 1.0;
        each = few * (channels_element + channels_channel * channels) / fused_element_rate +
               channels * products / channels_rate;
    }
    return start + xncc_problem_elements(p) * each / xncc_machine_processors(m);
}

xncc_status xncc_fit_tensor(const xncc_problem *p, const xncc_machine *m, xncc_decision *d,
                            xncc_error *error)
{
    xncc_status status = check_device(p, m, d->kernel, error);
    if (!status && !fit_blocks(p, d->kernel, m->cuda.shared_optin, &d->tensor))
        status = xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                           "%s needs more shared memory than the %lld bytes of a thread block",
                           xncc_kernel_table[d->kernel].name, (long long)m->cuda.shared_optin);
    if (!status && d->kernel == XNCC_KERNEL_TENSOR_WGMMA)
        fit_planes(&d->planes, m->cuda.shared_optin, &d->tensor);
    return status;
}

double xncc_tensor_ms(const xncc_problem *p, const xncc_machine *m, const xncc_decision *d)
{
    const double processors = xncc_machine_processors(m), elements = xncc_problem_elements(p);
    const double score_ms = elements / (p->pixel == XNCC_U16 ? score_u16_rate : score_rate);
    return 3.0 * XNCC_LAUNCH_MS + xncc_tensor_products_ms(p, m, d) + score_ms / processors;
}
