/* Limits, memory and cost of the CUDA kernels on plain problems. */
#include "plan/cost_cuda.h"

#include "plan/cost_fft_cuda.h"
#include "plan/cost_tensor.h"
#include "plan/problem.h"

#include <assert.h>
#include <math.h>

/* Rates per millisecond and multiprocessor, measured on one H200 (132 multiprocessors) in November
 * 2026. Here: multiply-adds. */
typedef struct rate {
    double u8, u16, f32;
} rate;
static const rate shared_rate = { 4.5e8, 8.0e7, 3.0e7 };
static const rate constant_rate = { 2.7e7, 2.6e7, 1.04e7 };
static const rate texture_rate = { 1.44e7, 1.4e7, 7.9e6 };
/* Map elements, for sums and score: in one pass, and otherwise. */
static const double one_pass_elements_per_ms = 1.35e6, score_elements_per_ms = 6.5e5;
static const double launch_ms = 0.004; /* per kernel launch */
/* Convolution: multiply-adds. */
static const double conv_registers_rate = 2.3e8, conv_unrolled_rate = 2.2e8,
                    conv_tiled_rate = 1.28e8;
static const double conv_global_rate = 1.3e7, conv_constant_rate = 1.2e7, conv_halo_rate = 9.0e6;
static const double conv_elements_per_ms = 6.3e6; /* convolution: elements read and written */

/* The workspace of a band, and that of the transforms of fft, are kept below these, in bytes, even
 * if more is free. */
static const uint64_t max_workspace = UINT64_C(1) << 30;
static const uint64_t max_transforms = UINT64_C(5) << 29;

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* The smaller of two numbers. */
static int32_t at_most(int32_t a, int64_t b)
{
    return a < b ? a : (int32_t)b;
}

static uint64_t pixel_bytes(xncc_pixel pixel)
{
    return pixel == XNCC_U8 ? 1 : pixel == XNCC_U16 ? 2 : 4;
}

static double rate_of(const rate *r, xncc_pixel pixel)
{
    return pixel == XNCC_U8 ? r->u8 : pixel == XNCC_U16 ? r->u16 : r->f32;
}

int xncc_cuda_sums_fit_u32(const xncc_problem *p)
{
    return p->pixel == XNCC_U8 &&
           (uint64_t)p->width * (uint64_t)p->height <= UINT32_MAX / (255u * 255u);
}

int xncc_cuda_is_one_pass(const xncc_problem *p)
{
    return xncc_cuda_sums_fit_u32(p) && p->width <= XNCC_WINDOW_WIDTH;
}

xncc_cuda_buffers xncc_cuda_workspace(const xncc_problem *p, int32_t band_width,
                                      int32_t band_height)
{
    xncc_cuda_buffers buffers = { 0 };
    /* sides are at most 2^30 and 2^16, so all products are below 2^63 for bands that fit any
     * device */
    uint64_t columns = (uint64_t)band_width + (uint64_t)p->width - 1,
             rows = (uint64_t)band_height + (uint64_t)p->height - 1;
    uint64_t image_width = (uint64_t)p->image_width, image_height = (uint64_t)p->image_height;
    uint64_t stage_columns = columns < image_width ? columns : image_width;
    uint64_t stage_rows = rows < image_height ? rows : image_height;
    buffers.stage_pitch = round_up(stage_columns * pixel_bytes(p->pixel), XNCC_STAGE_PITCH);
    buffers.stage = buffers.stage_pitch * stage_rows;
    buffers.map = (uint64_t)xncc_problem_extent(p).width * (uint64_t)band_height * 4;
    if (p->task == XNCC_TASK_MATCH) {
        buffers.rows_pitch = round_up((uint64_t)band_width, 32);
        if (!xncc_cuda_is_one_pass(p))
            buffers.rows = buffers.rows_pitch * rows * (p->pixel == XNCC_U8 ? 8 : 16);
        buffers.sums = xncc_cuda_sums_fit_u32(p) ? 0
                                                 : (uint64_t)band_width * (uint64_t)band_height * 8;
    }
    buffers.total = buffers.stage + buffers.map + buffers.rows + buffers.sums;
    return buffers;
}

/* Chooses the largest bands that textures and workspace allow. If there are several, they are no
 * smaller than the template, so that only the first and the last two touch the edges of the
 * image. */
static xncc_status fit_bands(const xncc_problem *p, const xncc_machine *m, xncc_decision *fit,
                             xncc_error *error)
{
    int32_t map_width = xncc_problem_extent(p).width, map_height = xncc_problem_extent(p).height;
    int64_t across = m->cuda.texture_width, down = m->cuda.texture_height;
    int64_t pitch = m->cuda.texture_pitch / XNCC_STAGE_PITCH * XNCC_STAGE_PITCH /
                    (int64_t)pixel_bytes(p->pixel);
    if (p->width > XNCC_CUDA_TEMPLATE_SIDE)
        return xncc_fail(
            error, XNCC_ERROR_UNSUPPORTED,
            "the CUDA kernels serve templates up to %d pixels wide, and this one is %d",
            (int)XNCC_CUDA_TEMPLATE_SIDE, p->width);
    if (pitch < across)
        across = pitch;
    if (p->height > down)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "the template is %d pixels high, and a texture at most %lld", p->height,
                         (long long)down);
    fit->band_width = p->image_width <= across
                          ? map_width
                          : at_most(map_width, (across - p->width + 1) / 128 * 128);
    fit->band_height = p->image_height <= down
                           ? map_height
                           : at_most(map_height, (down - p->height + 1) / 64 * 64);
    if (fit->band_width < at_most(map_width, p->width) ||
        fit->band_height < at_most(map_height, p->height))
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "the image exceeds a texture (%lld x %lld), and the template, %d x %d, is "
                         "too large to divide the image into bands",
                         (long long)across, (long long)down, p->width, p->height);
    uint64_t limit = (uint64_t)(m->cuda.workspace > 0 ? m->cuda.workspace : 0);
    uint64_t aim = limit < max_workspace ? limit : max_workspace;
    int32_t least = at_most(map_height, p->height);
    while (fit->band_height > least &&
           xncc_cuda_workspace(p, fit->band_width, fit->band_height).total > aim) {
        int32_t half = (int32_t)round_up(((uint64_t)fit->band_height + 1) / 2,
                                         64); /* two bands, not two and one row */
        fit->band_height = half < least || half >= fit->band_height ? least : half;
    }
    uint64_t need = xncc_cuda_workspace(p, fit->band_width, fit->band_height).total;
    if (need > limit)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "the smallest band of the map needs %llu bytes of device memory, and a "
                         "plan may use %llu; raise device_memory of the context",
                         (unsigned long long)need, (unsigned long long)limit);
    return XNCC_OK;
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
    uint64_t width = (uint64_t)p->width;
    return (p->pixel == XNCC_F32 ? width : round_up(width, XNCC_THREAD_COLUMNS)) *
           pixel_bytes(p->pixel);
}

/* Chooses the tile of `shared` and the template rows per pass: as many as constant memory and the
 * tile hold. Unless they are the whole template, they are a multiple of 4, as the columns of the
 * template in constant memory are. */
static xncc_status fit_shared(const xncc_problem *p, const xncc_machine *m, xncc_decision *fit,
                              xncc_error *error)
{
    int64_t limit = m->cuda.shared_optin > m->cuda.shared_memory ? m->cuda.shared_optin
                                                                 : m->cuda.shared_memory;
    fit->tile_width = XNCC_TILE_WIDTH;
    fit->tile_height = XNCC_TILE_WARPS * thread_rows(p->pixel);
    uint64_t columns = XNCC_TILE_WIDTH + round_up((uint64_t)p->width, XNCC_THREAD_COLUMNS);
    uint64_t pitch = round_up(columns * pixel_bytes(p->pixel), XNCC_TILE_PITCH);
    fit->tile_pitch = (int32_t)pitch;
    int64_t rows_in_constant = m->cuda.constant_bytes / (int64_t)shared_row_bytes(p) / 4 * 4;
    int64_t tile_rows = limit / (int64_t)pitch - fit->tile_height + 1;
    if (tile_rows < p->height)
        tile_rows = tile_rows / 4 * 4;
    fit->constant_rows = at_most(at_most(p->height, rows_in_constant > 0 ? rows_in_constant : 0),
                                 tile_rows > 0 ? tile_rows : 0);
    int32_t least = at_most(p->height, 16);
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
static xncc_status fit_constant(const xncc_problem *p, const xncc_machine *m, xncc_decision *fit,
                                xncc_error *error)
{
    uint64_t row = (uint64_t)p->width * pixel_bytes(p->pixel);
    if (row > (uint64_t)m->cuda.constant_bytes)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "tex-constant needs %llu bytes of constant memory for a template row, and "
                         "%lld are available",
                         (unsigned long long)row, (long long)m->cuda.constant_bytes);
    fit->constant_rows = at_most(p->height, m->cuda.constant_bytes / (int64_t)row);
    return XNCC_OK;
}

/* The time of the kernels shared, tex-constant and tex-tex. */
static double match_ms(const xncc_problem *p, const xncc_machine *m, const rate *r,
                       const xncc_decision *fit)
{
    double processors = xncc_machine_processors(m);
    double elements = (double)xncc_problem_extent(p).width * (double)xncc_problem_extent(p).height;
    double pixels = (double)p->width * (double)p->height;
    double height = fit->tile_height ? (double)fit->tile_height : 1.0;
    /* filling a tile costs as much as this many multiply-adds per map element */
    double fill = fit->tile_rows ? (double)fit->tile_rows / height * (double)fit->tile_pitch /
                                       XNCC_TILE_WIDTH * 8.0
                                 : 0.0;
    return launch_ms * 4.0 + elements * (pixels + fill) / (rate_of(r, p->pixel) * processors) +
           elements /
               ((xncc_cuda_is_one_pass(p) ? one_pass_elements_per_ms : score_elements_per_ms) *
                processors);
}

/* Kernel fft: bands get half of the workspace, and transforms what is left. */
static xncc_status fit_fft(const xncc_problem *p, const xncc_machine *m, xncc_decision *fit,
                           xncc_error *error)
{
    xncc_machine half = *m;
    half.cuda.workspace = m->cuda.workspace / 2;
    xncc_status status = fit_bands(p, m, fit, error);
    if (status)
        return status;
    if (fit_bands(p, &half, fit, error) != XNCC_OK)
        return xncc_fail(
            error, XNCC_ERROR_UNSUPPORTED,
            "fft leaves half of the %lld bytes that a plan may use to bands of the map, "
            "which is too little; raise device_memory of the context",
            (long long)m->cuda.workspace);
    uint64_t rest = (uint64_t)m->cuda.workspace -
                    xncc_cuda_workspace(p, fit->band_width, fit->band_height).total;
    status = xncc_fit_fft_cuda(p, m, rest < max_transforms ? rest : max_transforms, fit, error);
    double elements = (double)xncc_problem_extent(p).width * (double)xncc_problem_extent(p).height;
    double bands = ceil((double)xncc_problem_extent(p).width / fit->band_width) *
                   ceil((double)xncc_problem_extent(p).height / fit->band_height);
    double processors = xncc_machine_processors(m);
    fit->estimate_ms = fit->estimate_ms * bands + launch_ms * 3.0 +
                       elements / (score_elements_per_ms * processors);
    return status;
}

/* The tensor kernels: the height of the bands is halved until they and the buffers of the products
 * fit. */
static xncc_status fit_tensor(const xncc_problem *p, const xncc_machine *m, xncc_kernel kernel,
                              xncc_decision *fit, xncc_error *error)
{
    xncc_status status = xncc_fit_tensor(p, m, kernel, fit, error);
    if (!status)
        status = fit_bands(p, m, fit, error);
    uint64_t limit = (uint64_t)(m->cuda.workspace > 0 ? m->cuda.workspace : 0);
    int32_t least = at_most(xncc_problem_extent(p).height, p->height);
    while (!status) {
        uint64_t need =
            xncc_cuda_workspace(p, fit->band_width, fit->band_height).total +
            xncc_tensor_workspace(p, &fit->tensor, fit->band_width, fit->band_height).total;
        if (need <= limit && (need <= max_workspace || fit->band_height <= least))
            break;
        if (fit->band_height <= least)
            return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                             "%s needs %llu bytes of device memory for the smallest band of the "
                             "map, and a plan may use %llu; raise device_memory of the context",
                             xncc_kernel_table[kernel].name, (unsigned long long)need,
                             (unsigned long long)limit);
        int32_t half = (int32_t)round_up((uint64_t)fit->band_height / 2, 64);
        fit->band_height = half < least || half >= fit->band_height ? least : half;
    }
    return status;
}

/* Fits a kernel to a matching problem. */
static xncc_status fit_match(const xncc_problem *p, const xncc_machine *m, xncc_kernel kernel,
                             xncc_decision *fit, xncc_error *error)
{
    if (kernel == XNCC_KERNEL_FFT_CUDA)
        return fit_fft(p, m, fit, error);
    if (xncc_kernel_is_tensor(kernel))
        return fit_tensor(p, m, kernel, fit, error);
    const rate *r = kernel == XNCC_KERNEL_SHARED         ? &shared_rate
                    : kernel == XNCC_KERNEL_TEX_CONSTANT ? &constant_rate
                                                         : &texture_rate;
    xncc_status status = fit_bands(p, m, fit, error);
    if (!status && kernel == XNCC_KERNEL_SHARED)
        status = fit_shared(p, m, fit, error);
    if (!status && kernel == XNCC_KERNEL_TEX_CONSTANT)
        status = fit_constant(p, m, fit, error);
    if (!status)
        fit->estimate_ms = match_ms(p, m, r, fit);
    return status;
}

/* Chooses the bands of a convolution, which stages only images in host memory. */
static xncc_status fit_conv_bands(const xncc_problem *p, const xncc_machine *m, xncc_decision *fit,
                                  xncc_error *error)
{
    uint64_t limit = (uint64_t)(m->cuda.workspace > 0 ? m->cuda.workspace : 0);
    uint64_t aim = limit < max_workspace / 4 ? limit : max_workspace / 4;
    fit->band_width = p->image_width;
    fit->band_height = p->image_height;
    while (fit->band_height > 1 &&
           xncc_cuda_workspace(p, fit->band_width, fit->band_height).total > aim)
        fit->band_height = (fit->band_height + 1) / 2;
    uint64_t need = xncc_cuda_workspace(p, fit->band_width, fit->band_height).total;
    if (need > limit)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "a row of the convolution needs %llu bytes of device memory, and a plan "
                         "may use %llu; raise device_memory of the context",
                         (unsigned long long)need, (unsigned long long)limit);
    return XNCC_OK;
}

int xncc_conv_is_unrolled(const xncc_problem *p)
{
    return p->pixel == XNCC_F32 && (p->width == 9 || p->width == 17 || p->width == 27) &&
           round_up((uint64_t)p->width, 4) * (uint64_t)p->height * 4 <= XNCC_CONV_PARAMETER_BYTES;
}

/* The pitch of an unrolled tile. Against bank conflicts one of 9 vectors of 4 pixels stays empty,
 * and rows begin 4 vectors apart, modulo 8. */
static uint64_t unrolled_pitch(const xncc_problem *p)
{
    uint64_t columns = XNCC_TILE_WIDTH + (uint64_t)p->width - 1 +
                       XNCC_CONV_SHIFT((uint64_t)p->width);
    uint64_t vectors = round_up(columns, 4) / 4;
    return round_up((vectors + round_up(vectors, 8) / 8) * 16 + XNCC_TILE_PITCH,
                    2 * XNCC_TILE_PITCH) -
           XNCC_TILE_PITCH;
}

/* Fills the tile fields of conv-tiled. */
static void size_conv_tile(const xncc_problem *p, int unrolled, xncc_decision *fit)
{
    uint64_t columns = XNCC_TILE_WIDTH + round_up((uint64_t)p->width, XNCC_CONV_CHUNK);
    fit->tile_width = XNCC_TILE_WIDTH;
    fit->tile_height = unrolled ? XNCC_CONV_UNROLLED_HEIGHT : XNCC_CONV_TILE_HEIGHT;
    fit->tile_pitch = (int32_t)(unrolled ? unrolled_pitch(p)
                                         : round_up(columns * 4, XNCC_TILE_PITCH));
    fit->tile_rows = fit->tile_height + p->height - 1;
    fit->shared_bytes = fit->tile_pitch * fit->tile_rows;
}

/* Chooses the tile of conv-tiled, unrolled if possible. */
static xncc_status fit_conv_tile(const xncc_problem *p, const xncc_machine *m, xncc_decision *fit,
                                 xncc_error *error)
{
    int64_t limit = m->cuda.shared_optin > m->cuda.shared_memory ? m->cuda.shared_optin
                                                                 : m->cuda.shared_memory;
    size_conv_tile(p, xncc_conv_is_unrolled(p), fit);
    if (fit->shared_bytes > limit)
        size_conv_tile(p, 0, fit);
    if (fit->shared_bytes > limit)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "conv-tiled needs a tile of %d bytes, and a thread block has %lld",
                         fit->shared_bytes, (long long)limit);
    return XNCC_OK;
}

/* Multiply-adds per millisecond and multiprocessor of a convolution kernel. */
static double conv_rate(xncc_kernel kernel, const xncc_decision *fit)
{
    switch (kernel) {
    case XNCC_KERNEL_CONV_TILED:
        return fit->tile_height == XNCC_CONV_UNROLLED_HEIGHT ? conv_unrolled_rate : conv_tiled_rate;
    case XNCC_KERNEL_CONV_REGISTERS: return conv_registers_rate;
    case XNCC_KERNEL_CONV_CONSTANT: return conv_constant_rate;
    case XNCC_KERNEL_CONV_CACHED_HALO: return conv_halo_rate;
    default: return conv_global_rate;
    }
}

/* Fits a kernel to a convolution. */
static xncc_status fit_convolve(const xncc_problem *p, const xncc_machine *m, xncc_kernel kernel,
                                xncc_decision *fit, xncc_error *error)
{
    xncc_status status = kernel == XNCC_KERNEL_CONV_TILED ? fit_conv_tile(p, m, fit, error)
                                                          : XNCC_OK;
    if (status)
        return status;
    if (kernel == XNCC_KERNEL_CONV_REGISTERS &&
        (p->width != p->height || (p->width != 3 && p->width != 5)))
        return xncc_fail(
            error, XNCC_ERROR_UNSUPPORTED,
            "conv-registers serves filters of 3 x 3 and 5 x 5, and this one is %d x %d", p->width,
            p->height);
    if (kernel != XNCC_KERNEL_CONV_GLOBAL) {
        uint64_t bytes = round_up((uint64_t)p->width, 4) * (uint64_t)p->height * 4;
        if (bytes > (uint64_t)m->cuda.constant_bytes)
            return xncc_fail(
                error, XNCC_ERROR_UNSUPPORTED,
                "the filter needs %llu bytes of constant memory, and %lld are available",
                (unsigned long long)bytes, (long long)m->cuda.constant_bytes);
        fit->constant_rows = p->height;
    }
    status = fit_conv_bands(p, m, fit, error);
    double processors = xncc_machine_processors(m);
    double elements = (double)p->image_width * (double)p->image_height;
    fit->estimate_ms = launch_ms +
                       elements * (double)p->width * (double)p->height /
                           (conv_rate(kernel, fit) * processors) +
                       elements / (conv_elements_per_ms * processors);
    return status;
}

xncc_status xncc_fit_cuda(const xncc_problem *problem, const xncc_machine *machine,
                          xncc_kernel kernel, xncc_decision *fit, xncc_error *error)
{
    assert(xncc_problem_route(problem) == XNCC_ROUTE_PLAIN);
    if (!machine->cuda.present)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED, "kernel %s needs a CUDA device",
                         xncc_kernel_table[kernel].name);
    return problem->task == XNCC_TASK_MATCH ? fit_match(problem, machine, kernel, fit, error)
                                            : fit_convolve(problem, machine, kernel, fit, error);
}
