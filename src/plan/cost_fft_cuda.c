/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel fft on CUDA: the sides of its transforms, its error bound and the search for blocks. */
#include "plan/cost_fft_cuda.h"

#include "plan/cost_cuda.h"
#include "plan/problem.h"

#include <assert.h>
#include <math.h>

/* Sides of transforms, and their cost in picoseconds per point. The cost of a 2-D transform is the
 * sum of those of its sides. Measured on one H200 (132 multiprocessors) with cuFFT 12.0 and batches
 * of at least 512 MB, in November 2026.
 *
 * No side has a prime factor above 7: for these cuFFT has specialized kernels, and the error bound
 * below holds. Sides that are never cheaper than a neighbour are omitted: 960, 1120, 1344, 1440,
 * 1680, 1920, 2160, 2240, 2400, 2688, 2880, 3072, 3360, 3840, 4320, 4480, 5376, 6144. */
static const struct {
    int32_t length, cost;
} sides[] = { { 32, 6 },    { 64, 10 },   { 128, 8 },   { 192, 8 },   { 224, 11 },  { 256, 8 },
              { 320, 9 },   { 384, 10 },  { 448, 11 },  { 512, 8 },   { 640, 13 },  { 768, 14 },
              { 896, 13 },  { 1024, 10 }, { 1152, 12 }, { 1280, 12 }, { 1536, 12 }, { 1568, 12 },
              { 1792, 13 }, { 2048, 11 }, { 2304, 12 }, { 2560, 13 }, { 3200, 13 }, { 3584, 15 },
              { 4096, 12 }, { 4608, 14 }, { 5120, 16 }, { 6400, 15 }, { 7168, 17 }, { 8192, 14 } };
enum { SIDES = sizeof sides / sizeof *sides };

/* The largest batch, in bytes: of bytes, and of doubles. */
static const uint64_t batch_bytes = UINT64_C(1) << 30, batch_bytes_of_doubles = UINT64_C(1) << 29;

/* The passes other than the transforms: bytes per millisecond and multiprocessor. */
static const double bytes_per_ms = 2.65e7;
/* Transforms on devices with slow doubles: operations per millisecond and multiprocessor. */
static const double slow_flops_per_ms = 4.0e6;
/* A transform of float-tiles there and back, in milliseconds on a multiprocessor. */
static const double tile_ms = 6.8e-3;
/* float-fft: windows in doubt per window and unit of 2^-53 of the bound, on pictures; and products
 * of such windows per millisecond and multiprocessor, half of what is reached on pictures, because
 * noise has ten times as many or more. */
static const double doubt_rate = 8.0e-7, refine_rate = 4.0e6;
/* What windows in doubt take besides, in nanoseconds of a multiprocessor per window of the map: the
 * mean over 24 templates of a picture, at n = 48 and 64. Under some templates so many are in doubt
 * that all windows are settled together. */
static const double doubt_ns = 5.0;
/* float-fused: multiply-adds per millisecond and multiprocessor; what sums and score of a window
 * take, as multiply-adds; and how many times as long it takes where doubles are slow. */
static const double fused_rate = 1.1e8, fused_score = 290.0, slow_fused = 32.0;

/* Bounds how far an element of an inverse transform can be from the exact integer X. Rounding gives
 * X if that is below 1/2; plans keep it below 1/4.
 *
 * Let u = 2^-53, x the complex block (two real blocks side by side, or the two bytes of one), t the
 * piece of the template, and N the points of a transform.
 *
 * One stage of radix r multiplies by twiddle factors and sums r terms.
 *
 * - A product has a relative error of sqrt(5) u, and 3 u is allowed for the twiddle factor: below
 *   5.3 u.
 * - The sum is at worst made one by one, with constants as inexact as twiddle factors. In the
 *   2-norm, relative to the result of the stage, the error is at most (5.3 + sqrt(r) (r - 1 + 5.3))
 *   u, or 6.7 u for r = 2, where the constants are 1 and -1.
 * - For r = 2, 3, 5 and 7 this is at most 13 u per doubling of the length. So a transform of N
 *   points has a relative error of at most e = 13 u log2 N. (Higham, "Accuracy and Stability of
 *   Numerical Algorithms", theorem 24.2, has r = 2.)
 *
 * The products of the spectra differ from the exact ones, summed over the N elements, by at most (2
 * e + 5 u) |X|_2 |T|_2 (Cauchy-Schwarz) = (2 e + 5 u) N |x|_2 |t|_2. The inverse divides by N. Each
 * of its outputs is a sum over all inputs, whose paths through the stages have errors as above
 * relative to the 1-norm of the input, which again is at most N |x|_2 |t|_2. In all
 *
 *     |error| <= (3 e + 5 u) |x|_2 |t|_2 <= 40 u log2 N |x|_2 |t|_2
 *
 * (Percival 2003 has this form for r = 2) with |x|_2 <= 255 sqrt(2 N) and |t|_2 <= 255
 * sqrt(pixels), because both parts of x, and t, are bytes.
 *
 * About cuFFT this assumes what its manual says: mixed-radix Cooley-Tukey for such lengths,
 * entirely in doubles. Measured errors are thousands of times smaller: at most 6e-6, where the
 * bound is 0.012 (2560 x 2560 points, noise under a nearly white template of 512 x 512). */
static double error_bound(double points, double pixels)
{
    return 40.0 * log2(points) * 0x1p-53 * 255.0 * sqrt(2.0 * points) * 255.0 * sqrt(pixels);
}

/* The constants are those of the CPU's transforms (plan/fft_blocking.h): with passes of radix 4 or
 * more, every doubling of the length adds once, and every second one multiplies by a twiddle
 * factor; 3 more multiplications are allowed for the sides' odd steps, and 9 u for the roundings of
 * the samples and of the scale. A pass of radix r = 3, 5 or 7 is at worst r products and r - 1
 * additions per output, one by one: an output is off by (2.95 + r - 1) u times the sum of the sizes
 * of its inputs, which is at most the root of r times their norm; in all (r + 2) sqrt(r) u, and
 * 2.95 u for the twiddle factor. There are three transforms. */
double xncc_fft_double_error(const xncc_fft_blocks *blocks)
{
    const int32_t side[] = { blocks->width, blocks->height };
    double levels = 0.0, odd = 0.0;
    for (int i = 0; i < 2; i++) {
        int32_t rest = side[i];
        for (; rest % 2 == 0; rest /= 2)
            levels += 1.0;
        for (int32_t radix = 3; radix <= 7; radix += 2)
            for (; rest % radix == 0; rest /= radix)
                odd += (radix + 2.0) * sqrt((double)radix) + 2.95;
        assert(rest == 1);
    }
    return 1.01 * 0x1p-53 * (3.0 * levels + 3.0 * 2.95 * (levels / 2.0 + 3.0) + 3.0 * odd + 9.0);
}

xncc_fft_buffers xncc_fft_workspace(const xncc_problem *problem, const xncc_fft_blocks *blocks)
{
    xncc_fft_buffers buffers = { 0 };
    uint64_t transform = (uint64_t)blocks->width * (uint64_t)blocks->height * 2 * sizeof(double);
    buffers.data = transform * (uint64_t)blocks->batch;
    buffers.product = problem->pixel == XNCC_U16 ? buffers.data : 0;
    buffers.spectrum = transform * (uint64_t)xncc_fft_planes(problem->pixel);
    buffers.area = buffers.data;
    buffers.bounds = xncc_pixel_is_of_doubles(problem->pixel)
                         ? XNCC_FFT_CONSTANTS +
                               sizeof(double) * ((uint64_t)blocks->count * 2 +
                                                 (uint64_t)blocks->columns * (uint64_t)blocks->rows)
                         : 0;
    buffers.total = buffers.data + buffers.product + buffers.spectrum + buffers.area +
                    buffers.bounds;
    return buffers;
}

int64_t xncc_fft_count(const xncc_fft_blocks *b, int32_t width, int32_t height)
{
    const int64_t across = b->width - b->columns + 1, down = b->height - b->rows + 1;
    return (width + across - 1) / across * ((height + down - 1) / down);
}

/* One way to cover an axis of the band: blocks of transforms of a length, with its cost above. */
typedef struct side {
    int32_t length, blocks, cost;
} side;

/* Lists the sides that hold a piece, up to the first that covers the axis with one block. Only
 * those with fewer points in all than every shorter one. Returns their number. */
static int list_sides(int32_t map, int32_t piece, side *list)
{
    int count = 0;
    double least = 0.0;
    for (int i = 0; i < SIDES; i++) {
        int32_t useful = sides[i].length - piece + 1;
        if (useful < 1)
            continue;
        side one = { sides[i].length, (int32_t)(((int64_t)map + useful - 1) / useful),
                     sides[i].cost };
        double points = (double)one.length * (double)one.blocks;
        if (count == 0 || points < least) {
            list[count++] = one;
            least = points;
        }
        if (one.blocks == 1)
            break;
    }
    return count;
}

/* The search for blocks. */
typedef struct search {
    const xncc_problem *problem;
    const xncc_machine *machine;
    uint64_t budget;      /* bytes for the buffers */
    int32_t pieces;       /* pieces of the template */
    xncc_fft_blocks best; /* the cheapest blocks so far */
    double ms;            /* their time; negative: none yet */
    double elements;      /* of the band's map */
} search;

/* The time of the windows that the bound of these blocks leaves in doubt, whose products are made
 * again: a part that grows with the bound relative to a window, and a mean per window. */
static double doubts_ms(const search *s, const xncc_fft_blocks *b)
{
    const double pixels = (double)b->columns * (double)b->rows, n = sqrt(pixels),
                 bound = xncc_fft_double_error(b) * 0x1p53 *
                         sqrt(2.0 * (double)b->width * (double)b->height) / n;
    const double per_window = doubt_rate * bound * fmin(1.0, 8.0 / sqrt(n)) * pixels / refine_rate +
                              doubt_ns * 1e-6;
    return s->elements * per_window * xncc_machine_slowness(s->machine) /
           xncc_machine_processors(s->machine);
}

/* The time for one band. cost: picoseconds per point of a transform. runs: batches per band. */
static double blocks_ms(const search *s, const xncc_fft_blocks *b, int32_t cost, int64_t runs)
{
    double points = (double)b->width * (double)b->height, batch = (double)b->batch,
           planes = xncc_fft_planes(s->problem->pixel);
    double processors = xncc_machine_processors(s->machine);
    double transform = points * (double)cost * 1e-9 * XNCC_MEASURED_PROCESSORS / processors;
    if (!xncc_machine_has_fast_doubles(s->machine))
        transform += points * 5.0 * log2(points) / slow_flops_per_ms / processors;
    /* a point is loaded, multiplied by that of the template, and stored */
    double rest = points * (16.0 + planes * (32.0 + 16.0 / batch + 24.0)) / bytes_per_ms /
                  processors;
    double launches = XNCC_LAUNCH_MS * (3.0 + planes * 4.0);
    /* the launches of a batch follow each other closely */
    if (xncc_pixel_is_of_doubles(s->problem->pixel))
        return (double)runs * (batch * (2.0 * transform + rest) + 0.5 * launches) + transform +
               3.0 * XNCC_LAUNCH_MS + doubts_ms(s, b);
    double piece = (double)runs * (batch * ((1.0 + planes) * transform + rest) + launches) +
                   planes * (transform + 3.0 * XNCC_LAUNCH_MS);
    return piece * (double)s->pieces;
}

/* Keeps blocks with these sides if they are accurate enough, fit, and are the cheapest. */
static void try_blocks(search *s, const side *across, const side *down)
{
    xncc_fft_blocks b = s->best;
    b.width = across->length;
    b.height = down->length;
    b.batch = 1;
    const int doubles = xncc_pixel_is_of_doubles(s->problem->pixel);
    if (!doubles &&
        error_bound((double)b.width * (double)b.height, (double)b.columns * (double)b.rows) >= 0.25)
        return;
    int64_t slots = xncc_fft_blocks_per_transform(s->problem->pixel);
    int64_t transforms = ((int64_t)across->blocks * down->blocks + slots - 1) / slots;
    if (transforms > INT32_MAX / 2)
        return;
    b.count = doubles ? (int32_t)transforms : 0;
    xncc_fft_buffers one = xncc_fft_workspace(s->problem, &b);
    if (one.total > s->budget)
        return;
    const uint64_t fixed = one.spectrum + one.bounds;
    int64_t most = (int64_t)((s->budget - fixed) / (one.total - fixed));
    int64_t aim = (int64_t)((doubles ? batch_bytes_of_doubles : batch_bytes) / one.data);
    if (most > aim)
        most = aim > 1 ? aim : 1;
    int64_t runs = (transforms + most - 1) / most;
    b.batch = (int32_t)((transforms + runs - 1) / runs);
    double ms = blocks_ms(s, &b, across->cost + down->cost, runs);
    if (s->ms < 0.0 || ms < s->ms) {
        s->ms = ms;
        s->best = b;
    }
}

/* Finds the cheapest blocks for a template divided into across x down pieces. */
static void try_pieces(search *s, const xncc_decision *fit, int32_t across, int32_t down)
{
    side columns[SIDES], rows[SIDES];
    s->best = (xncc_fft_blocks){ .columns = (s->problem->templ_width + across - 1) / across,
                                 .rows = (s->problem->templ_height + down - 1) / down };
    s->pieces = across * down;
    s->ms = -1.0;
    int column_count = list_sides(fit->band_width, s->best.columns, columns),
        row_count = list_sides(fit->band_height, s->best.rows, rows);
    for (int i = 0; i < column_count; i++)
        for (int j = 0; j < row_count; j++)
            try_blocks(s, &columns[i], &rows[j]);
}

xncc_status xncc_fit_fft_cuda(const xncc_problem *problem, const xncc_machine *machine,
                              uint64_t budget, xncc_decision *fit, xncc_error *error)
{
    assert(fit->band_width >= 1 && fit->band_height >= 1);
    const char *name = xncc_kernel_table[fit->kernel].name;
    if (problem->pixel == XNCC_F32 && fit->kernel == XNCC_KERNEL_FFT_CUDA)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "fft serves pixels of 8 and 16 bits; kernel float-fft serves floats");
    if (!machine->cuda.fft)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "%s needs the cuFFT library, which cannot be loaded; install libcufft of "
                         "the CUDA Toolkit",
                         name);
    search s = { .problem = problem,
                 .machine = machine,
                 .budget = budget,
                 .ms = -1.0,
                 .elements = (double)fit->band_width * (double)fit->band_height };
    int32_t across = 1, down = 1;
    for (;;) {
        try_pieces(&s, fit, across, down);
        int32_t columns = s.best.columns, rows = s.best.rows;
        if (s.ms >= 0.0)
            break;
        if ((columns <= 16 && rows <= 16) || xncc_pixel_is_of_doubles(problem->pixel))
            return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                             "%s finds no blocks in %llu bytes of device memory; raise "
                             "device_memory of the context",
                             name, (unsigned long long)budget);
        if (columns > rows)
            across *= 2;
        else
            down *= 2;
    }
    fit->fft = s.best;
    fit->estimate_ms = s.ms;
    return XNCC_OK;
}

xncc_status xncc_fits_limits(xncc_kernel kernel, const xncc_problem *problem, int32_t most_side,
                             const xncc_machine *machine, int32_t shared, xncc_error *error)
{
    const char *name = xncc_kernel_table[kernel].name;
    const int64_t limit = xncc_machine_shared_limit(machine);
    if (problem->templ_width > most_side || problem->templ_height > most_side)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "kernel %s serves templates up to %d x %d pixels, and this one is %d x %d",
                         name, (int)most_side, (int)most_side, problem->templ_width,
                         problem->templ_height);
    if (shared > limit)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "kernel %s needs %d bytes of shared memory, and a thread block has %lld",
                         name, (int)shared, (long long)limit);
    return XNCC_OK;
}

/* Rows of the template, in whole parts that are multiplied at a time. */
static int32_t fused_rows(int32_t templ_height)
{
    return (templ_height + XNCC_FLOAT_FUSED_ROWS - 1) / XNCC_FLOAT_FUSED_ROWS *
           XNCC_FLOAT_FUSED_ROWS;
}

int32_t xncc_float_fused_shared(int32_t templ_width, int32_t templ_height)
{
    const int32_t rows = fused_rows(templ_height), samples = XNCC_FLOAT_FUSED_HEIGHT + rows - 1,
                  pitch = XNCC_FLOAT_FUSED_WIDTH + XNCC_FLOAT_FUSED_TEMPLATE - 1;
    return (int32_t)sizeof(double) *
           (rows * templ_width + samples * pitch + samples * (XNCC_FLOAT_FUSED_WIDTH + 1));
}

int32_t xncc_small_floats_shared(const xncc_problem *p, const xncc_machine *m)
{
    const int varies = xncc_problem_image_varies(p);
    if (!xncc_pixel_is_of_doubles(p->pixel) || p->templ_masked || (varies && p->channels > 1) ||
        p->rule.method == XNCC_COVERAGE || !xncc_is_small_template(p))
        return 0;
    if (p->pixel == XNCC_U32 && !xncc_machine_has_fast_doubles(m))
        return 0; /* integers are faster there */
    const int32_t rows = fused_rows(p->templ_height), samples = XNCC_FLOAT_FUSED_HEIGHT + rows - 1,
                  more = (int32_t)sizeof(double) *
                         (samples * (XNCC_FLOAT_FUSED_WIDTH + 2) + rows * p->templ_width),
                  shared = xncc_float_fused_shared(p->templ_width, p->templ_height) +
                           (varies ? more : 0);
    return shared + XNCC_FLOAT_FUSED_STATIC <= xncc_machine_shared_limit(m) ? shared : 0;
}

xncc_status xncc_fit_float_fused(const xncc_problem *problem, const xncc_machine *machine,
                                 uint64_t budget, xncc_decision *fit, xncc_error *error)
{
    const int32_t width = problem->templ_width, height = problem->templ_height;
    fit->shared_bytes = xncc_is_small_template(problem) ? xncc_float_fused_shared(width, height)
                                                        : 0;
    fit->fft = (xncc_fft_blocks){ .batch = 1, .columns = width, .rows = height };
    xncc_status status = xncc_fits_limits(XNCC_KERNEL_FLOAT_FUSED, problem,
                                          XNCC_FLOAT_FUSED_TEMPLATE, machine,
                                          fit->shared_bytes + XNCC_FLOAT_FUSED_STATIC, error);
    if (!status)
        status = xncc_fits_memory("kernel float-fused",
                                  xncc_fft_workspace(problem, &fit->fft).total, budget, error);
    if (status)
        return status;
    const double slow = xncc_machine_has_fast_doubles(machine) ? 1.0 : slow_fused,
                 each = (double)width * (double)fused_rows(height) + fused_score;
    fit->estimate_ms = XNCC_LAUNCH_MS * 5.0 + (double)fit->band_width * (double)fit->band_height *
                                                  each * slow /
                                                  (fused_rate * xncc_machine_processors(machine));
    return XNCC_OK;
}

/* Each of the three transforms is off by 30 u (cuda/products/float_tiles.cu), the product of the
 * spectra by 3 u, and the samples of image and template by 1 u each; 5 u are for their products
 * with each other. */
double xncc_float_tiles_error(void)
{
    return 1.01 * 0x1p-53 * (3.0 * 30.0 + 3.0 + 2.0 + 5.0);
}

xncc_status xncc_fit_float_tiles(const xncc_problem *problem, const xncc_machine *machine,
                                 uint64_t budget, xncc_decision *fit, xncc_error *error)
{
    xncc_status status = xncc_fits_limits(XNCC_KERNEL_FLOAT_TILES, problem,
                                          XNCC_FLOAT_TILES_TEMPLATE, machine,
                                          XNCC_FLOAT_TILES_SHARED, error);
    if (status)
        return status;
    fit->fft = (xncc_fft_blocks){ .width = XNCC_FLOAT_TILE,
                                  .height = XNCC_FLOAT_TILE,
                                  .batch = 1,
                                  .columns = problem->templ_width,
                                  .rows = problem->templ_height };
    const int64_t pairs = (xncc_fft_count(&fit->fft, fit->band_width, fit->band_height) + 1) / 2;
    fit->fft.count = pairs < INT32_MAX / 2 ? (int32_t)pairs : INT32_MAX / 2;
    const uint64_t needed = pairs < INT32_MAX / 2 ? xncc_fft_workspace(problem, &fit->fft).total
                                                  : UINT64_MAX;
    status = xncc_fits_memory("kernel float-tiles", needed, budget, error);
    if (status)
        return status;
    fit->estimate_ms = XNCC_LAUNCH_MS * 4.0 + (double)pairs * tile_ms *
                                                  xncc_machine_slowness(machine) /
                                                  xncc_machine_processors(machine);
    return XNCC_OK;
}
