/* SPDX-License-Identifier: BSD-2-Clause */
/* Fits a kernel to a match on CUDA: first the steps, then blocks, bands, memory and time. */
#include "plan/fit_cuda.h"

#include "base/int_math.h"
#include "plan/cost_cuda.h"
#include "plan/cost_exact_cuda.h"
#include "plan/cost_fft_cuda.h"
#include "plan/cost_split_cuda.h"
#include "plan/cost_tensor.h"
#include "plan/float_sums.h"
#include "plan/problem.h"
#include "plan/search_cuda.h"
#include "plan/workspace_cuda.h"

#include "image/image.h"
#include "image/samples.h"

#include <assert.h>
#include <math.h>

/* Rates per millisecond and multiprocessor. Measured on one H200 (132 multiprocessors), November
 * 2026. */
static const double direct_rate = 6.6e6; /* kernel general: pixels of a window and channel */
/* Where kernels for floats compete with it: what its windows and their pixels take, as pixels. */
static const double direct_window = 36.0, direct_pixel = 2.2;
static const double border_rate = 1.0e7;         /* bytes of an image laid out with its border */
static const double plane_rate = 1.2e7;          /* bytes of planes laid out */
static const double window_rate = 3.0e6;         /* map elements of a window sum */
static const double term_rate = 4.5e6;           /* sums that the term score reads */
static const double masked_rate = 1.2e7;         /* sums that the masked score reads */
static const double masked_window_rate = 1.14e6; /* map elements, if it also makes N, S and Q */
/* Map elements of the sums down columns, the score and the windows in doubt of float-fft. */
static const double float_rate = 3.0e5, float_launches = 10.0;
/* Nanoseconds of a multiprocessor. Kernel general for floats: a window in a channel, and a pixel of
 * it, by whether the image varies and whether the template has a mask. The same by small_floats.cu:
 * a window, a window in a channel, and a pixel of it; and by small_masked.cu: a window, and a pixel
 * of it. Step float-sums: a sample of a plane, S and Q of a window from sums of columns, a sum of a
 * window that is read for its score, and the rest of the score. */
static const double float_window_ns[] = { 3.0, 6.6 },
                    float_pixel_ns[2][2] = { { 0.028, 0.038 }, { 0.069, 0.082 } }, small_ns = 1.35,
                    small_window_ns = 2.0, small_pixel_ns = 0.0124, masked_window_ns = 9.8,
                    masked_pixel_ns = 0.039;
/* A window of several channels under templates of more than 16 x 16 pixels, per channel; measured
 * at n = 17 with three. */
static const double float_channel_ns = 10.0;
static const double plane_ns = 0.9, own_sums_ns = 3.0, sum_ns = 0.7, sum_score_ns = 5.0;
/* Map elements of the channel score: this rate over a part of their own and a part per byte of the
 * pixel. */
static const double channel_rate = 1.6e6, channel_element = 0.36, channel_byte = 0.385;

/* The workspace of a band is kept below these, in bytes, even if more is free: that of kernels that
 * read whole pixels, that of the transforms of fft, and that of kernels that read byte planes. */
static const uint64_t max_pixel_workspace = UINT64_C(1) << 30;
static const uint64_t max_transforms = UINT64_C(5) << 29;
static const uint64_t max_plane_workspace = UINT64_C(5) << 29;

/* The most memory that serves only where many windows of floats are in doubt; with channels or
 * masks, twice as much. One block of many channels may take more. */
static const uint64_t max_for_doubts = UINT64_C(512) << 20;

static void add_step(xncc_decision *d, xncc_step step)
{
    d->step[d->step_count++] = step;
}

/* ---- the steps ---- */

/* Returns 1 for the recipes that the masked score passes and the fused masked kernel serve: one
 * channel of 8 bits with sums of 32 bits, in which not all pixels count, by all methods but
 * coverage. */
static int is_masked_u8(const xncc_problem *p, const xncc_general_planes *planes)
{
    return !xncc_problem_counts_all(p) && p->rule.method != XNCC_COVERAGE && p->channels == 1 &&
           xncc_pixel_digits(p->pixel) == 1 && !planes->terms_u64;
}

/* Returns 1 if the recipe has the plane that says which pixels of the image count. */
static int has_counts(const xncc_general_planes *planes)
{
    for (int i = 0; i < planes->image_count; i++)
        if (planes->image[i].kind == XNCC_PLANE_COUNT)
            return 1;
    return 0;
}

/* Makes the recipe. fused: all sums are made from products, as if the template had a mask. */
static xncc_status make_recipe(const xncc_problem *p, xncc_kernel kernel, int fused,
                               int sums_windows, xncc_general_planes *planes, xncc_error *error)
{
    xncc_problem of = *p;
    of.templ_masked |= fused;
    if (xncc_general_planes_make(&of, xncc_kernel_is_tensor(kernel), sums_windows, planes))
        return XNCC_OK;
    return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                     "kernel %s makes a score from up to %d sums of bytes, and %d channels of %s "
                     "need more; kernel general serves them",
                     xncc_kernel_table[kernel].name, (int)XNCC_GENERAL_TERMS, p->channels,
                     xncc_pixel_name(p->pixel));
}

/* Steps 2 and 3 of a recipe whose products are planes of sums. */
static xncc_status choose_plane_score(const xncc_problem *p, const xncc_machine *m,
                                      xncc_decision *d, xncc_error *error)
{
    xncc_status status = make_recipe(p, d->kernel, 0, 0, &d->planes, error);
    if (status)
        return status;
    if (xncc_kernel_is_tensor(d->kernel) && xncc_tensor_scores(p)) {
        add_step(d, XNCC_STEP_STRIP_SCORE);
    } else if (xncc_channel_scores(p, m)) {
        add_step(d, XNCC_STEP_CHANNEL_SCORE);
    } else if (is_masked_u8(p, &d->planes) && p->templ_masked) {
        add_step(d, XNCC_STEP_MASKED_SCORE);
    } else if (is_masked_u8(p, &d->planes) && p->templ_width <= XNCC_WINDOW_WIDTH &&
               has_counts(&d->planes)) {
        add_step(d, XNCC_STEP_MASKED_WINDOWS);
    } else {
        status = make_recipe(p, d->kernel, 0, 1, &d->planes, error);
        if (d->planes.windows)
            add_step(d, XNCC_STEP_WINDOW_SUMS);
        add_step(d, XNCC_STEP_TERM_SCORE);
    }
    return status;
}

/* tensor-fused: everything behind the planes is one step. */
static xncc_status choose_fused(const xncc_problem *p, xncc_decision *d, xncc_error *error)
{
    if (xncc_fused_serves_channels(p)) {
        add_step(d, p->channels == 1 ? XNCC_STEP_FUSED : XNCC_STEP_FUSED_CHANNELS);
        return make_recipe(p, d->kernel, 0, 0, &d->planes, error);
    }
    xncc_status status = make_recipe(p, d->kernel, 1, 0, &d->planes, error);
    if (!status && !is_masked_u8(p, &d->planes))
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "kernel %s serves up to %d channels of 8 bits with sums of 32 bits, and "
                         "only one if not all pixels count, by every method but coverage; other "
                         "kernels serve the rest",
                         xncc_kernel_table[d->kernel].name, (int)XNCC_CHANNEL_SCORE_CHANNELS);
    add_step(d, XNCC_STEP_FUSED_MASKED);
    return status;
}

/* Kernels that read whole pixels. */
static void choose_pixel_steps(const xncc_problem *p, const xncc_problem *of, xncc_decision *d)
{
    add_step(d, xncc_problem_route(p) == XNCC_ROUTE_PADDED ? XNCC_STEP_BORDER : XNCC_STEP_BAND);
    add_step(d, XNCC_STEP_PIXEL_PRODUCTS);
    if (xncc_cuda_is_one_pass(of)) {
        add_step(d, XNCC_STEP_WINDOW_SCORE);
    } else {
        add_step(d, XNCC_STEP_ROW_SUMS);
        add_step(d, XNCC_STEP_COLUMN_SCORE);
    }
}

/* Chooses the steps. of: the plain problem that the kernel computes. */
static xncc_status choose_steps(const xncc_problem *p, const xncc_problem *of,
                                const xncc_machine *m, xncc_decision *d, xncc_error *error)
{
    const char *name = xncc_kernel_table[d->kernel].name;
    const int general = xncc_problem_route(p) == XNCC_ROUTE_GENERAL,
              tensor = xncc_kernel_is_tensor(d->kernel);
    if (d->kernel == XNCC_KERNEL_GENERAL) {
        if (!general)
            return xncc_fail(
                error, XNCC_ERROR_UNSUPPORTED,
                "kernel general serves masks, no-data values, the overlap border, "
                "coverage, several channels, the pixel types u32 and f64, and s8 and s16 "
                "if the method depends on their sign; other kernels serve this problem");
        add_step(d, XNCC_STEP_PIXELS);
        d->shared_bytes = xncc_small_floats_shared(p, m);
        return XNCC_OK;
    }
    if (xncc_kernel_is_of_doubles(d->kernel)) {
        const int plain = xncc_problem_is_single(p);
        if (d->kernel == XNCC_KERNEL_FLOAT_SPLIT && !plain && xncc_pixel_is_of_doubles(p->pixel) &&
            p->channels <= XNCC_FLOAT_CHANNELS && p->rule.method != XNCC_COVERAGE) {
            add_step(d, XNCC_STEP_FLOAT_SUMS);
            add_step(d, XNCC_STEP_FLOAT_SUM_SCORE);
            return XNCC_OK;
        }
        if (!xncc_pixel_is_of_doubles(p->pixel) || !plain || p->rule.method == XNCC_COVERAGE)
            return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                             "kernel %s serves f32, f64 and u32 by every method but coverage, %s; "
                             "other kernels serve this problem",
                             name,
                             d->kernel == XNCC_KERNEL_FLOAT_SPLIT
                                 ? "with up to 8 channels"
                                 : "with one channel and all pixels counting");
        if (d->kernel == XNCC_KERNEL_FLOAT_FUSED) {
            add_step(d, XNCC_STEP_FUSED_FLOATS);
            return XNCC_OK;
        }
        if (d->kernel == XNCC_KERNEL_FLOAT_PRIMES) {
            add_step(d, XNCC_STEP_PRIME_SUMS);
            return XNCC_OK;
        }
        add_step(d, XNCC_STEP_FLOAT_PRODUCTS);
        add_step(d, XNCC_STEP_COLUMN_SUMS);
        add_step(d, XNCC_STEP_FLOAT_SCORE);
        return XNCC_OK;
    }
    if (general && xncc_pixel_is_float(p->pixel))
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "kernel %s serves floats only as f32 with one channel and all pixels "
                         "counting; kernel general serves the others",
                         name);
    if (of->image_width > XNCC_MAX_SIDE || of->image_height > XNCC_MAX_SIDE)
        return xncc_fail(
            error, XNCC_ERROR_UNSUPPORTED,
            "kernel %s: the image with its border has %d x %d pixels, and a side exceeds %d", name,
            of->image_width, of->image_height, XNCC_MAX_SIDE);
    if (!general && !tensor) {
        choose_pixel_steps(p, of, d);
        return XNCC_OK;
    }
    if (tensor && xncc_pixel_is_float(p->pixel))
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "%s serves integer pixels, and these are float", name);
    add_step(d, XNCC_STEP_PLANES);
    if (d->kernel == XNCC_KERNEL_TENSOR_FUSED)
        return choose_fused(p, d, error);
    add_step(d, XNCC_STEP_PLANE_PRODUCTS);
    return choose_plane_score(p, m, d, error);
}

/* ---- the blocks ---- */

static xncc_status fit_blocks(const xncc_problem *of, const xncc_machine *m, xncc_decision *d,
                              xncc_error *error)
{
    switch (d->kernel) {
    case XNCC_KERNEL_SHARED: return xncc_fit_shared(of, m, d, error);
    case XNCC_KERNEL_TEX_CONSTANT: return xncc_fit_constant(of, m, d, error);
    case XNCC_KERNEL_TENSOR_WGMMA:
    case XNCC_KERNEL_TENSOR_MMA: return xncc_fit_tensor(of, m, d, error);
    case XNCC_KERNEL_TENSOR_FUSED: return xncc_fit_fused(of, m, d, error);
    default: return XNCC_OK;
    }
}

/* ---- the bands ---- */

/* The largest bands that the kernel can read. If textures divide the map, bands are no smaller than
 * the template, so that only the first and the last two touch the edges of the image. */
static xncc_status fit_textures(const xncc_problem *of, const xncc_machine *m, xncc_decision *d,
                                xncc_error *error)
{
    const xncc_extent map = xncc_problem_extent(of);
    int64_t across = m->cuda.texture_width, down = m->cuda.texture_height;
    const int64_t pitch = m->cuda.texture_pitch / XNCC_STAGE_PITCH * XNCC_STAGE_PITCH /
                          (int64_t)xncc_pixel_size(of->pixel);
    if (of->templ_width > XNCC_CUDA_TEMPLATE_SIDE)
        return xncc_fail(
            error, XNCC_ERROR_UNSUPPORTED,
            "the CUDA kernels serve templates up to %d pixels wide, and this one is %d",
            (int)XNCC_CUDA_TEMPLATE_SIDE, of->templ_width);
    if (pitch < across)
        across = pitch;
    if (of->templ_height > down)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "the template is %d pixels high, and a texture at most %lld",
                         of->templ_height, (long long)down);
    d->band_width = of->image_width <= across
                        ? map.width
                        : xncc_smaller(map.width, (across - of->templ_width + 1) / 128 * 128);
    d->band_height = of->image_height <= down
                         ? map.height
                         : xncc_smaller(map.height, (down - of->templ_height + 1) / 64 * 64);
    if (d->band_width < xncc_smaller(map.width, of->templ_width) ||
        d->band_height < xncc_smaller(map.height, of->templ_height))
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "the image exceeds a texture (%lld x %lld), and the template, %d x %d, is "
                         "too large to divide the image into bands",
                         (long long)across, (long long)down, of->templ_width, of->templ_height);
    return XNCC_OK;
}

/* Halves the height of the bands, to at least `least`, until all buffers but the copy of the image
 * fit `aim`, and all of them fit `limit`. */
static xncc_status halve_bands(const xncc_problem *p, uint64_t aim, uint64_t limit, int32_t least,
                               xncc_decision *d, xncc_error *error)
{
    for (;;) {
        d->map_rows = d->band_height;
        xncc_workspace_make(p, d);
        const xncc_workspace *w = &d->workspace;
        const uint64_t band = w->total == UINT64_MAX ? w->total
                                                     : w->total - w->bytes[XNCC_BUFFER_SOURCE];
        if (w->total <= limit && (band <= aim || d->band_height <= least))
            return XNCC_OK;
        if (d->band_height <= least)
            return xncc_fits_memory(w->bytes[XNCC_BUFFER_SOURCE]
                                        ? "the smallest band of the map and a copy of the image"
                                        : "the smallest band of the map",
                                    w->total, limit, error);
        /* in whole tiles; two bands, not two and one row */
        const int32_t half = (d->band_height + 1) / 2,
                      tiles = half > 64 ? (half + 63) / 64 * 64 : half;
        d->band_height = tiles < least || tiles >= d->band_height ? least : tiles;
    }
}

/* Kernel general: whether windows in doubt may get exact sums. Those of small templates are settled
 * by tiles, which takes longer if the image decides which of many pixels count. */
static int has_exact_pixels(const xncc_problem *p, const xncc_decision *d)
{
    enum { many = 128 };
    const int tiles = xncc_is_small_template(p) &&
                      !(xncc_problem_image_varies(p) && p->templ_width * p->templ_height > many);
    return xncc_decision_has(d, XNCC_STEP_PIXELS) &&
           (xncc_pixel_is_float(p->pixel) || d->shared_bytes) && p->rule.method != XNCC_COVERAGE &&
           !tiles;
}

/* Chooses bands and transforms. The plan holds the whole map if there is room. */
static xncc_status fit_bands(const xncc_problem *p, const xncc_problem *of, const xncc_machine *m,
                             xncc_decision *d, xncc_error *error)
{
    const xncc_extent map = xncc_problem_extent(p);
    const int floats = xncc_kernel_is_of_doubles(d->kernel),
              primes = d->kernel == XNCC_KERNEL_FLOAT_PRIMES,
              fft = floats || d->kernel == XNCC_KERNEL_FFT_CUDA,
              textures = !xncc_kernel_is_tensor(d->kernel) && d->kernel != XNCC_KERNEL_GENERAL &&
                         !floats;
    const uint64_t limit = (uint64_t)(m->cuda.workspace > 0 ? m->cuda.workspace : 0),
                   most = xncc_decision_has(d, XNCC_STEP_PLANES) ||
                                  xncc_decision_has(d, XNCC_STEP_FLOAT_SUMS)
                              ? max_plane_workspace
                              : max_pixel_workspace;
    d->band_width = map.width;
    d->band_height = map.height;
    xncc_status status = textures ? fit_textures(of, m, d, error) : XNCC_OK;
    if (status)
        return status;
    /* half is left for transforms, if the bands allow that */
    const uint64_t aim = fft ? limit / 2 : limit;
    status = halve_bands(p, aim < most ? aim : most, limit,
                         textures ? xncc_smaller(map.height, p->templ_height) : 1, d, error);
    if (!status && fft && !primes) {
        const uint64_t rest = limit - d->workspace.total,
                       budget = rest < max_transforms ? rest : max_transforms;
        status = d->kernel == XNCC_KERNEL_FLOAT_FUSED ? xncc_fit_float_fused(p, m, budget, d, error)
                 : d->kernel == XNCC_KERNEL_FLOAT_SPLIT
                     ? xncc_fit_float_split(p, m, budget, d, error)
                 : d->kernel == XNCC_KERNEL_FLOAT_TILES
                     ? xncc_fit_float_tiles(p, m, budget, d, error)
                     : xncc_fit_fft_cuda(floats ? p : of, m, budget, d, error);
    }
    if (status)
        return status;
    d->map_rows = map.height;
    xncc_workspace_make(p, d);
    if (d->workspace.total > limit) {
        d->map_rows = d->band_height;
        xncc_workspace_make(p, d);
    }
    if ((floats || has_exact_pixels(p, d)) && d->workspace.total < limit) {
        const int several = !xncc_problem_is_single(p);
        const uint64_t half = (limit - d->workspace.total) / 2,
                       most_of_these = several ? 2 * max_for_doubts : max_for_doubts,
                       budget = half < most_of_these ? half : most_of_these;
        xncc_fit_exact(p, m, budget, half, d);
        if (floats && !several)
            xncc_fit_levels(p, m, budget, d);
        xncc_workspace_make(p, d);
    }
    return primes ? xncc_fit_primes(p, m, d, error) : XNCC_OK;
}

/* Decides how matches are found, and what a batch of templates takes. */
static void fit_search(const xncc_problem *p, const xncc_problem *of, const xncc_machine *m,
                       xncc_decision *d)
{
    const xncc_extent map = xncc_problem_extent(p);
    const int whole = d->band_width == map.width && d->band_height == map.height,
              fused = xncc_decision_has(d, XNCC_STEP_FUSED);
    /* xncc_cuda_is_one_pass: the sums and the window width are in the range of the pass that
     * computes the scores of a few tiles */
    d->searches_products = whole && (fused || xncc_decision_has(d, XNCC_STEP_STRIP_SCORE)) &&
                           xncc_cuda_is_one_pass(of) &&
                           (!fused || xncc_collect_words(p->templ_width, p->templ_height) <=
                                          XNCC_COLLECT_WORDS);
    /* Window terms of masked templates come from products with their mask. The proof of the bound
     * (tile_best.cuh) is for n, sumT and sumT2 that are the same in every window. */
    const int centred_root = p->rule.method == XNCC_CCOEFF_NORMED,
              masked = whole && centred_root && xncc_decision_has(d, XNCC_STEP_MASKED_SCORE) &&
                       !xncc_problem_image_varies(p);
    d->bounds_tiles = ((d->searches_products && centred_root) || masked) &&
                      d->kernel == XNCC_KERNEL_TENSOR_WGMMA &&
                      d->tensor.across * d->tensor.down == 1 && !m->cuda.fp64_is_slow;
    const uint64_t limit = (uint64_t)(m->cuda.workspace > 0 ? m->cuda.workspace : 0);
    xncc_batch_slots_make(p, limit, d);
    if (masked && d->bounds_tiles && d->batch.slots == 0) { /* maps take less memory */
        d->bounds_tiles = 0;
        xncc_batch_slots_make(p, limit, d);
    }
}

/* ---- the time ---- */

/* The time of laying out byte planes or the image with its border. */
static double layout_ms(const xncc_problem *p, const xncc_problem *of, const xncc_machine *m,
                        const xncc_decision *d)
{
    const double processors = xncc_machine_processors(m);
    const xncc_route route = xncc_problem_route(p);
    if (route == XNCC_ROUTE_GENERAL)
        return xncc_problem_elements(p) * d->planes.image_count / plane_rate / processors;
    if (route == XNCC_ROUTE_PLAIN)
        return 0.0;
    return XNCC_LAUNCH_MS + (double)of->image_width * (double)of->image_height *
                                (double)xncc_pixel_size(of->pixel) / (border_rate * processors);
}

/* The time of window sums and scores, in milliseconds times processors per map element. */
static double plane_score(const xncc_problem *p, const xncc_decision *d)
{
    if (xncc_decision_has(d, XNCC_STEP_CHANNEL_SCORE))
        return (channel_element + channel_byte * p->channels * xncc_pixel_digits(p->pixel)) /
               channel_rate;
    if (xncc_decision_has(d, XNCC_STEP_MASKED_WINDOWS))
        return 1.0 / masked_window_rate;
    if (xncc_decision_has(d, XNCC_STEP_MASKED_SCORE))
        return (1.0 + d->planes.term_count) / masked_rate;
    return d->planes.windows / window_rate + (1.0 + d->planes.term_count) / term_rate;
}

static double estimate(const xncc_problem *p, const xncc_problem *of, const xncc_machine *m,
                       const xncc_decision *d)
{
    const double processors = xncc_machine_processors(m), elements = xncc_problem_elements(p),
                 layout = layout_ms(p, of, m, d);
    if (d->kernel == XNCC_KERNEL_GENERAL) {
        const double pixels = (double)p->templ_width * p->templ_height * p->channels;
        const int varies = xncc_problem_image_varies(p);
        const double slow = xncc_machine_slowness(m);
        if (d->shared_bytes)
            return XNCC_LAUNCH_MS + elements * 1e-6 / processors * slow *
                                        (varies ? masked_window_ns + masked_pixel_ns * pixels
                                                : small_ns + small_window_ns * p->channels +
                                                      small_pixel_ns * pixels);
        if (xncc_pixel_is_float(p->pixel) && p->rule.method != XNCC_COVERAGE)
            return XNCC_LAUNCH_MS + elements * 1e-6 / processors * slow *
                                        ((p->channels > 1 ? float_channel_ns * p->channels
                                                          : float_window_ns[varies]) +
                                         float_pixel_ns[varies][p->templ_masked] * pixels);
        return XNCC_LAUNCH_MS + elements *
                                    (xncc_pixel_is_wide(p->pixel)
                                         ? direct_window * p->channels + direct_pixel * pixels
                                         : pixels) /
                                    (direct_rate * processors);
    }
    if (xncc_decision_has(d, XNCC_STEP_FUSED_FLOATS) || xncc_decision_has(d, XNCC_STEP_PRIME_SUMS))
        return xncc_fft_bands_ms(p, d);
    if (xncc_decision_has(d, XNCC_STEP_FLOAT_SUMS)) {
        const xncc_float_sums sums = xncc_float_sums_of(p);
        const int own = sums.windows ? sums.channels + sums.varies : 0;
        return xncc_fft_bands_ms(p, d) + float_launches * sums.products * XNCC_LAUNCH_MS +
               xncc_machine_slowness(m) * elements * 1e-6 / processors *
                   (plane_ns * sums.passes + own_sums_ns * own + sum_ns * sums.count +
                    sum_score_ns);
    }
    if (xncc_kernel_is_of_doubles(d->kernel))
        return xncc_fft_bands_ms(p, d) + float_launches * XNCC_LAUNCH_MS +
               xncc_machine_slowness(m) * elements / (float_rate * processors);
    if (xncc_decision_has(d, XNCC_STEP_STRIP_SCORE))
        return layout + xncc_tensor_ms(of, m, d);
    if (xncc_decision_has(d, XNCC_STEP_FUSED_MASKED))
        return layout + 2.0 * XNCC_LAUNCH_MS + xncc_fused_ms(of, m, d);
    if (d->kernel == XNCC_KERNEL_TENSOR_FUSED)
        return layout + xncc_fused_ms(of, m, d);
    const int tensor = xncc_kernel_is_tensor(d->kernel);
    const double product = tensor                              ? 0.0
                           : d->kernel == XNCC_KERNEL_FFT_CUDA ? xncc_fft_ms(of, m, d)
                                                               : xncc_pixels_ms(of, m, d);
    if (!xncc_decision_has(d, XNCC_STEP_PLANES))
        return layout + product;
    /* the product of a plain problem of 16 bits is that of all its bytes */
    const double products = xncc_problem_route(p) == XNCC_ROUTE_GENERAL ? d->planes.products : 1.0;
    const double products_ms = tensor ? xncc_tensor_products_ms(of, m, d) : product * products;
    /* fitted to measurements; masked windows are one launch, but a slow one for small maps */
    const double launches = 4.0 + d->planes.step_count +
                            (xncc_decision_has(d, XNCC_STEP_MASKED_WINDOWS) ? 3.0 : 0.0);
    return products_ms + XNCC_LAUNCH_MS * launches + layout +
           elements * plane_score(p, d) / processors;
}

static xncc_status fit_match(const xncc_problem *p, const xncc_machine *m, xncc_decision *d,
                             xncc_error *error)
{
    const xncc_problem of = xncc_problem_read(p);
    xncc_status status = choose_steps(p, &of, m, d, error);
    if (!status)
        status = fit_blocks(&of, m, d, error);
    if (!status)
        status = fit_bands(p, &of, m, d, error);
    if (status)
        return status;
    fit_search(p, &of, m, d);
    d->estimate_ms = estimate(p, &of, m, d);
    return XNCC_OK;
}

xncc_status xncc_fit_cuda(const xncc_problem *problem, const xncc_machine *machine,
                          xncc_decision *fit, xncc_error *error)
{
    assert(machine->cuda.present); /* kernels of absent engines are not fitted */
    return problem->task == XNCC_TASK_MATCH ? fit_match(problem, machine, fit, error)
                                            : xncc_fit_convolve_cuda(problem, machine, fit, error);
}
