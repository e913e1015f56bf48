/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits and time of the CUDA kernels that read whole pixels through textures. */
#include "plan/cost_cuda.h"

#include "base/int_math.h"
#include "image/samples.h"
#include "plan/problem.h"

#include <math.h>

/* Rates per millisecond and multiprocessor, measured on one H200 (132 multiprocessors) in November
 * 2026. Here: multiply-adds. */
typedef struct rate {
    double u8, u16, f32;
} rate;
static const rate shared_rate = { 4.5e8, 8.0e7, 3.0e7 };
static const rate constant_rate = { 2.7e7, 2.6e7, 1.04e7 };
static const rate texture_rate = { 1.44e7, 1.4e7, 7.9e6 };
/* Map elements, for sums and score: in one pass, otherwise, and of floats, some of which are in
 * doubt. */
static const double one_pass_elements_per_ms = 1.35e6, score_elements_per_ms = 6.5e5,
                    float_elements_per_ms = 2.0e5;

static double rate_of(const rate *r, xncc_pixel pixel)
{
    return pixel == XNCC_U8 ? r->u8 : pixel == XNCC_U16 ? r->u16 : r->f32;
}

int xncc_cuda_sums_fit_u32(const xncc_problem *p)
{
    return p->pixel == XNCC_U8 &&
           (uint64_t)p->templ_width * (uint64_t)p->templ_height <= UINT32_MAX / (255u * 255u);
}

int xncc_cuda_is_one_pass(const xncc_problem *p)
{
    return xncc_cuda_sums_fit_u32(p) && p->templ_width <= XNCC_WINDOW_WIDTH;
}

static int32_t thread_rows(xncc_pixel pixel)
{
    return pixel == XNCC_U8    ? XNCC_THREAD_ROWS_U8
           : pixel == XNCC_U16 ? XNCC_THREAD_ROWS_U16
                               : XNCC_THREAD_ROWS_F32;
}

/* Bytes per template row in constant memory: integer pixels in groups of four, padded with
 * zeros. */
static uint64_t shared_row_bytes(const xncc_problem *p)
{
    uint64_t width = (uint64_t)p->templ_width;
    return (p->pixel == XNCC_F32 ? width : xncc_round_up(width, XNCC_THREAD_COLUMNS)) *
           xncc_pixel_size(p->pixel);
}

xncc_status xncc_fits_memory(const char *what, uint64_t needed, uint64_t limit, xncc_error *error)
{
    if (needed <= limit)
        return XNCC_OK;
    return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                     "%s needs %llu bytes of device memory, and a plan may use %llu; raise "
                     "device_memory of the context",
                     what, (unsigned long long)needed, (unsigned long long)limit);
}

/* Chooses the tile of `shared` and the template rows per pass: as many as constant memory and the
 * tile hold. Unless they are the whole template, they are a multiple of 4, as the columns of the
 * template in constant memory are. */
xncc_status xncc_fit_shared(const xncc_problem *p, const xncc_machine *m, xncc_decision *fit,
                            xncc_error *error)
{
    const int64_t limit = xncc_machine_shared_limit(m);
    fit->tile_width = XNCC_TILE_WIDTH;
    fit->tile_height = XNCC_TILE_WARPS * thread_rows(p->pixel);
    uint64_t columns = XNCC_TILE_WIDTH +
                       xncc_round_up((uint64_t)p->templ_width, XNCC_THREAD_COLUMNS);
    uint64_t pitch = xncc_round_up(columns * xncc_pixel_size(p->pixel), XNCC_TILE_PITCH);
    fit->tile_pitch = (int32_t)pitch;
    int64_t rows_in_constant = m->cuda.constant_bytes / (int64_t)shared_row_bytes(p) / 4 * 4;
    int64_t tile_rows = limit / (int64_t)pitch - fit->tile_height + 1;
    if (tile_rows < p->templ_height)
        tile_rows = tile_rows / 4 * 4;
    fit->constant_rows = xncc_smaller(
        xncc_smaller(p->templ_height, rows_in_constant > 0 ? rows_in_constant : 0),
        tile_rows > 0 ? tile_rows : 0);
    int32_t least = xncc_smaller(p->templ_height, 16);
    if (fit->constant_rows < least) {
        if (rows_in_constant < least)
            return xncc_fail(
                error, XNCC_ERROR_UNSUPPORTED,
                "shared needs %d template rows of %llu bytes in constant memory, which has "
                "%lld bytes for them",
                least, (unsigned long long)shared_row_bytes(p), (long long)m->cuda.constant_bytes);
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "shared needs a tile of %llu bytes, and a thread block has %lld",
                         (unsigned long long)pitch *
                             (unsigned long long)(fit->tile_height + least - 1),
                         (long long)limit);
    }
    fit->tile_rows = fit->tile_height + fit->constant_rows - 1;
    fit->shared_bytes = fit->tile_pitch * fit->tile_rows;
    return XNCC_OK;
}

/* Chooses the template rows that constant memory holds at a time, for tex-constant. */
xncc_status xncc_fit_constant(const xncc_problem *p, const xncc_machine *m, xncc_decision *fit,
                              xncc_error *error)
{
    uint64_t row = (uint64_t)p->templ_width * xncc_pixel_size(p->pixel);
    if (row > (uint64_t)m->cuda.constant_bytes)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "tex-constant needs %llu bytes of constant memory for a template row, and "
                         "%lld are available",
                         (unsigned long long)row, (long long)m->cuda.constant_bytes);
    fit->constant_rows = xncc_smaller(p->templ_height, m->cuda.constant_bytes / (int64_t)row);
    return XNCC_OK;
}

double xncc_pixels_ms(const xncc_problem *p, const xncc_machine *m, const xncc_decision *fit)
{
    const rate *r = fit->kernel == XNCC_KERNEL_SHARED         ? &shared_rate
                    : fit->kernel == XNCC_KERNEL_TEX_CONSTANT ? &constant_rate
                                                              : &texture_rate;
    double processors = xncc_machine_processors(m);
    double elements = xncc_problem_elements(p);
    double pixels = (double)p->templ_width * (double)p->templ_height;
    double height = fit->tile_height ? (double)fit->tile_height : 1.0;
    /* filling a tile costs as much as this many multiply-adds per map element */
    double fill = fit->tile_rows ? (double)fit->tile_rows / height * (double)fit->tile_pitch /
                                       XNCC_TILE_WIDTH * 8.0
                                 : 0.0;
    const int floats = xncc_pixel_is_float(p->pixel); /* whose sums are doubles */
    return XNCC_LAUNCH_MS * 4.0 + (floats ? xncc_machine_slowness(m) : 1.0) * elements /
                                      processors *
                                      ((pixels + fill) / rate_of(r, p->pixel) +
                                       1.0 / (xncc_cuda_is_one_pass(p) ? one_pass_elements_per_ms
                                              : floats                 ? float_elements_per_ms
                                                                       : score_elements_per_ms));
}

double xncc_fft_bands_ms(const xncc_problem *p, const xncc_decision *fit)
{
    const xncc_extent map = xncc_problem_extent(p);
    return fit->estimate_ms * ceil((double)map.width / fit->band_width) *
           ceil((double)map.height / fit->band_height);
}

double xncc_fft_ms(const xncc_problem *p, const xncc_machine *m, const xncc_decision *fit)
{
    return xncc_fft_bands_ms(p, fit) + XNCC_LAUNCH_MS * 3.0 +
           xncc_problem_elements(p) / (score_elements_per_ms * xncc_machine_processors(m));
}
