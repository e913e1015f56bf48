/* SPDX-License-Identifier: BSD-2-Clause */
/* The device memory of a decision, buffer by buffer (decision.h). This is the only sum of it. */
#include "plan/workspace_cuda.h"

#include "base/int_math.h"
#include "plan/cost_cuda.h"
#include "plan/cost_fft_cuda.h"
#include "plan/cost_split_cuda.h"
#include "plan/cost_tensor.h"
#include "plan/float_sums.h"
#include "plan/problem.h"
#include "plan/search_cuda.h"

#include "image/image.h"

/* Rows of memory begin at multiples of this many bytes. The texture alignment of every device
 * divides it. */
enum { ALIGNMENT = XNCC_STAGE_PITCH };

/* The list of windows in doubt has room for one in so many, and for so many more. */
enum { XNCC_DOUBT_SHARE = 8, XNCC_LEAST_DOUBTS = 1024 };

/* The most memory for X or for the score maps of the templates that are searched at once, and for
 * the results of all templates of a call. */
static const uint64_t batch_bytes = UINT64_C(256) << 20, batch_results = UINT64_C(4) << 20;

/* Sums and products that saturate, since some lists of planes exceed 64 bits. */
static uint64_t plus(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t times(uint64_t a, uint64_t b)
{
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* An image from the host, with its mask. Rows begin at multiples of 16 bytes. */
static uint64_t source_bytes(const xncc_problem *p)
{
    const uint64_t row = (uint64_t)p->image_width * (uint64_t)p->channels *
                         xncc_pixel_size(p->pixel);
    return times(xncc_round_up(row, 16) +
                     (p->image_masked ? xncc_round_up((uint64_t)p->image_width, 16) : 0),
                 (uint64_t)p->image_height);
}

/* Is the template laid out for the matrix products from its own pixels? Otherwise its byte planes
 * are made first. */
static int reads_template_pixels(const xncc_problem *p, const xncc_decision *d)
{
    if (p->templ_masked || !xncc_kernel_is_tensor(d->kernel))
        return 0;
    for (int32_t i = 0; i < d->planes.templ_count; i++)
        if (d->planes.templ[i].kind != XNCC_PLANE_VALUE)
            return 0;
    return 1;
}

/* The byte planes of the template. Kernels that are not tensor kernels also read groups of 4
 * pixels. */
static uint64_t template_bytes(const xncc_problem *p, const xncc_decision *d)
{
    const uint64_t width = (uint64_t)p->templ_width, height = (uint64_t)p->templ_height;
    uint64_t plane = times(xncc_round_up(width, ALIGNMENT), height);
    if (reads_template_pixels(p, d))
        return 0;
    if (!xncc_kernel_is_tensor(d->kernel))
        plane += xncc_round_up(xncc_round_up(width, XNCC_THREAD_COLUMNS) * xncc_round_up(height, 4),
                               ALIGNMENT);
    return times(plane, (uint64_t)d->planes.templ_count);
}

/* A byte plane of the template as matrix products read it. */
static uint64_t toeplitz_bytes(const xncc_decision *d)
{
    return times(d->tensor.toeplitz, (uint64_t)d->tensor.across * (uint64_t)d->tensor.down);
}

/* Kernels that multiply byte planes. */
static void size_planes(const xncc_problem *p, xncc_decision *d)
{
    xncc_workspace *w = &d->workspace;
    const uint64_t columns = (uint64_t)d->band_width + (uint64_t)p->templ_width - 1,
                   rows = (uint64_t)d->band_height + (uint64_t)p->templ_height - 1;
    w->plane_pitch = xncc_round_up(columns, ALIGNMENT);
    w->plane = times(w->plane_pitch, rows);
    w->sums_pitch = xncc_round_up((uint64_t)d->band_width, XNCC_TENSOR_COLUMNS);
    if (d->kernel != XNCC_KERNEL_TENSOR_FUSED) /* it keeps the sums in registers */
        w->sums = times(w->sums_pitch * (d->planes.terms_u64 ? 8 : 4),
                        xncc_round_up((uint64_t)d->band_height, 2 * XNCC_TENSOR_ROWS) +
                            XNCC_TENSOR_SPARE_ROWS);
    if (xncc_decision_has(d, XNCC_STEP_WINDOW_SUMS)) {
        w->rows_pitch = w->sums_pitch;
        w->bytes[XNCC_BUFFER_ROWS] = times(4 * w->rows_pitch, rows);
    }
    w->bytes[XNCC_BUFFER_PLANES] = times(w->plane, (uint64_t)d->planes.image_count);
    w->bytes[XNCC_BUFFER_SUMS] = times(w->sums, (uint64_t)d->planes.term_count);
    w->bytes[XNCC_BUFFER_TEMPLATE] = template_bytes(p, d);
    if (xncc_kernel_is_tensor(d->kernel)) {
        w->bytes[XNCC_BUFFER_TOEPLITZ] = times(toeplitz_bytes(d), (uint64_t)d->planes.templ_count);
    } else {
        w->band_pitch = w->plane_pitch;
        w->bytes[XNCC_BUFFER_BAND] = w->plane;
    }
}

/* Kernels that read whole pixels through textures. */
static void size_pixels(const xncc_problem *p, xncc_decision *d)
{
    xncc_workspace *w = &d->workspace;
    const xncc_problem of = xncc_problem_read(p);
    const uint64_t width = (uint64_t)d->band_width, height = (uint64_t)d->band_height,
                   columns = width + (uint64_t)p->templ_width - 1,
                   rows = height + (uint64_t)p->templ_height - 1,
                   staged = smaller(columns, (uint64_t)of.image_width);
    w->band_pitch = xncc_round_up(staged * xncc_pixel_size(of.pixel), ALIGNMENT);
    w->bytes[XNCC_BUFFER_BAND] = times(w->band_pitch, smaller(rows, (uint64_t)of.image_height));
    if (xncc_decision_has(d, XNCC_STEP_ROW_SUMS) || xncc_decision_has(d, XNCC_STEP_COLUMN_SCORE)) {
        w->rows_pitch = xncc_round_up(width, 32);
        w->bytes[XNCC_BUFFER_ROWS] = times(w->rows_pitch * (of.pixel == XNCC_U8 ? 8 : 16), rows);
    }
    if (!xncc_cuda_sums_fit_u32(&of)) { /* otherwise X is in the map's memory */
        w->sums_pitch = width;
        w->sums = w->bytes[XNCC_BUFFER_SUMS] = times(width * 8, height);
    }
}

/* Buffer `rows`, from `begin` on: S and Q of columns of `count` planes, what they reach, and sums
 * of groups of the rows. */
static void size_columns(const xncc_decision *d, uint64_t begin, uint64_t count, uint64_t rows,
                         xncc_workspace *w)
{
    const uint64_t height = (uint64_t)d->band_height;
    w->reach = plus(begin, times(times(w->rows_pitch * 16, height), count));
    w->groups = plus(w->reach, w->rows_pitch / XNCC_COLUMN_BLOCK * 8 *
                                   (height / XNCC_COLUMN_STRIP + 1) * count);
    w->bytes[XNCC_BUFFER_ROWS] = plus(w->groups,
                                      times(w->rows_pitch * 32, rows / XNCC_COLUMN_GROUP + 1));
}

/* Kernels for floats that read the image itself: X, and two lists of windows in doubt with sums of
 * parts of them; S and Q of columns, what they reach, and sums of groups of rows. Of these,
 * float-fused has only the lists. */
static void size_floats(const xncc_problem *p, xncc_decision *d)
{
    xncc_workspace *w = &d->workspace;
    const uint64_t width = (uint64_t)d->band_width, height = (uint64_t)d->band_height,
                   pitch = xncc_round_up(width, 32);
    w->doubts = smaller(times(pitch, height) / XNCC_DOUBT_SHARE + XNCC_LEAST_DOUBTS, UINT32_MAX);
    const uint64_t lists = w->doubts * 2 * 8 + XNCC_DOUBT_PARTS * XNCC_DOUBT_PART_BYTES;
    if (xncc_decision_has(d, XNCC_STEP_FUSED_FLOATS)) {
        w->bytes[XNCC_BUFFER_SUMS] = lists;
        return;
    }
    w->sums_pitch = pitch;
    w->sums = times(w->sums_pitch * 8, height);
    w->bytes[XNCC_BUFFER_SUMS] = plus(w->sums, lists);
    w->rows_pitch = xncc_round_up(width + (uint64_t)p->templ_width - 1, XNCC_COLUMN_BLOCK);
    size_columns(d, 0, 1, height + (uint64_t)p->templ_height, w);
}

/* The template's integral images: of what counts, of the squares of all channels, and of the
 * samples of each. */
static uint64_t integrals_bytes(const xncc_problem *p)
{
    const uint64_t entries = ((uint64_t)p->templ_width + 1) * ((uint64_t)p->templ_height + 1);
    return xncc_round_up(times(entries, 8 * (2 + (uint64_t)p->channels)), 16);
}

/* Step float-sums: the sums; planes of the image, what is known of it and of the template, and the
 * template's integral images. For sums of windows, those of columns follow, per channel and of what
 * counts, what they reach, and sums of groups of rows. */
static void size_float_sums(const xncc_problem *p, xncc_decision *d)
{
    xncc_workspace *w = &d->workspace;
    const uint64_t width = (uint64_t)d->band_width, height = (uint64_t)d->band_height,
                   columns = width + (uint64_t)p->templ_width - 1,
                   rows = height + (uint64_t)p->templ_height - 1;
    w->sums_pitch = xncc_round_up(width, 32);
    w->sums = times(w->sums_pitch * 8, height);
    const xncc_float_sums sums = xncc_float_sums_of(p);
    w->bytes[XNCC_BUFFER_SUMS] = times(w->sums, (uint64_t)sums.count);
    w->rows_pitch = xncc_round_up(columns, XNCC_COLUMN_BLOCK);
    w->plane = times(w->rows_pitch * 8, rows);
    w->integrals = plus(times(w->plane, (uint64_t)sums.planes), XNCC_FLOAT_TERMS_BYTES);
    w->columns = plus(w->integrals, sums.clips ? integrals_bytes(p) : 0);
    w->bytes[XNCC_BUFFER_ROWS] = w->columns;
    if (sums.windows)
        size_columns(d, w->columns, (uint64_t)sums.columns, rows, w);
}

/* Step prime-sums: for each row of windows, a bit for each column of samples. */
static void size_marks(const xncc_problem *p, xncc_decision *d)
{
    xncc_workspace *w = &d->workspace;
    w->rows_pitch = ((uint64_t)d->band_width + (uint64_t)p->templ_width + 30) / 32;
    w->bytes[XNCC_BUFFER_ROWS] = times(w->rows_pitch * 4, (uint64_t)d->band_height);
}

void xncc_workspace_make(const xncc_problem *p, xncc_decision *d)
{
    xncc_workspace *w = &d->workspace;
    const xncc_extent map = xncc_problem_extent(p);
    *w = (xncc_workspace){ 0 };
    if (xncc_decision_has(d, XNCC_STEP_PLANES))
        size_planes(p, d);
    else if (xncc_decision_has(d, XNCC_STEP_FLOAT_SUMS))
        size_float_sums(p, d);
    else if (xncc_decision_has(d, XNCC_STEP_PRIME_SUMS))
        size_marks(p, d);
    else if (xncc_kernel_is_of_doubles(d->kernel))
        size_floats(p, d);
    else if (!xncc_decision_has(d, XNCC_STEP_PIXELS))
        size_pixels(p, d);
    if (!xncc_decision_has(d, XNCC_STEP_BAND))
        w->bytes[XNCC_BUFFER_SOURCE] = source_bytes(p);
    if (d->kernel == XNCC_KERNEL_FLOAT_SPLIT && d->fft.batch) {
        w->bytes[XNCC_BUFFER_TRANSFORMS] = xncc_split_workspace(&d->fft).total;
    } else if (d->fft.batch) {
        const xncc_problem of = xncc_kernel_is_of_doubles(d->kernel) ? *p : xncc_problem_read(p);
        w->bytes[XNCC_BUFFER_TRANSFORMS] = xncc_fft_workspace(&of, &d->fft).total;
    }
    const uint64_t count = xncc_counts_pixel_doubts(d) && xncc_pixel_is_of_doubles(p->pixel) &&
                                   p->rule.method != XNCC_COVERAGE
                               ? XNCC_PIXEL_DOUBTS
                               : 0,
                   levels = d->levels.batch ? xncc_split_workspace(&d->levels).total : 0;
    w->bytes[XNCC_BUFFER_DOUBTS] = count + (levels > d->exact.bytes ? levels : d->exact.bytes);
    w->bytes[XNCC_BUFFER_MAP] = times((uint64_t)map.width * 4, (uint64_t)d->map_rows);
    if (d->map_rows == map.height && xncc_peak_serves(map.width, map.height))
        w->bytes[XNCC_BUFFER_SEARCH] = xncc_round_up(
            xncc_search_bytes(xncc_peak_tiles(map.width, map.height), 1) +
                xncc_search_results(1, XNCC_PEAK_ROOM),
            ALIGNMENT);
    for (int i = 0; i < XNCC_BUFFERS; i++) {
        w->bytes[i] = xncc_round_up(w->bytes[i], ALIGNMENT);
        w->total = plus(w->total, w->bytes[i]);
    }
}

/* Chooses how many masks a batch of masked templates keeps what of, and returns the bytes. Each has
 * the window terms, S and Q, and is laid out for the products. */
static uint64_t size_masks(xncc_batch_slots *b, uint64_t rest)
{
    const uint64_t each = b->terms + XNCC_MASK_SUMS * b->sums + b->toeplitz,
                   most = smaller(rest / 2, batch_bytes) / each;
    b->masks = most < 1 ? 1 : most < XNCC_BATCH_MASKS ? (int32_t)most : XNCC_BATCH_MASKS;
    return times(each, (uint64_t)b->masks);
}

void xncc_batch_slots_make(const xncc_problem *p, uint64_t limit, xncc_decision *d)
{
    xncc_workspace *w = &d->workspace;
    xncc_batch_slots *b = &d->batch;
    const xncc_extent map = xncc_problem_extent(p);
    *b = (xncc_batch_slots){ 0 };
    if (!w->bytes[XNCC_BUFFER_SEARCH] || w->total >= limit)
        return;
    if (d->searches_products || d->bounds_tiles) {
        b->sums = w->sums;
        b->toeplitz = xncc_round_up(toeplitz_bytes(d), ALIGNMENT);
        if (d->bounds_tiles)
            b->terms = xncc_round_up(w->sums / 4 * XNCC_WINDOW_TERMS_BYTES, ALIGNMENT);
    } else {
        b->map = xncc_round_up((uint64_t)map.width * (uint64_t)map.height * 4, ALIGNMENT);
    }
    const uint64_t search = xncc_search_bytes(xncc_peak_tiles(map.width, map.height), 1),
                   rest = limit - w->total;
    b->results = smaller(batch_results, rest / 4) / ALIGNMENT * ALIGNMENT;
    const uint64_t shared = d->bounds_tiles && !d->searches_products ? size_masks(b, rest)
                                                                     : b->terms,
                   fixed = plus(b->results + ALIGNMENT, shared),
                   room = rest > fixed ? smaller(rest - fixed, batch_bytes) : 0,
                   each = b->map + b->sums + b->toeplitz + search;
    const uint64_t slots = room / each / XNCC_TENSOR_SLOTS * XNCC_TENSOR_SLOTS;
    b->slots = slots < XNCC_PEAK_SLOTS ? (int32_t)slots : XNCC_PEAK_SLOTS;
    if (b->slots == 0) {
        *b = (xncc_batch_slots){ 0 };
        return;
    }
    b->search = xncc_round_up(search * (uint64_t)b->slots, ALIGNMENT);
    w->bytes[XNCC_BUFFER_BATCH] = (b->map + b->sums + b->toeplitz) * (uint64_t)b->slots + shared +
                                  b->search + b->results;
    w->total += w->bytes[XNCC_BUFFER_BATCH];
}
