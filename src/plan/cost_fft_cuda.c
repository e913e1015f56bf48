/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel fft on CUDA: the sides of its transforms, its error bound and the search for blocks. */
#include "plan/cost_fft_cuda.h"

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
static const double measured_processors = 132.0;

/* The largest batch, in bytes. */
static const uint64_t batch_bytes = UINT64_C(1) << 30;

/* The passes other than the transforms: bytes per millisecond and multiprocessor. */
static const double bytes_per_ms = 2.65e7;
/* Transforms on devices with slow doubles: operations per millisecond and multiprocessor. */
static const double slow_flops_per_ms = 4.0e6;
static const double launch_ms = 0.004;

/* Let u = 2^-53, x the complex block (two real blocks side by side, or the two bytes of one), t the
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
double xncc_fft_error_bound(double points, double pixels)
{
    return 40.0 * log2(points) * 0x1p-53 * 255.0 * sqrt(2.0 * points) * 255.0 * sqrt(pixels);
}

xncc_fft_buffers xncc_fft_workspace(const xncc_problem *problem, const xncc_fft_blocks *blocks)
{
    xncc_fft_buffers buffers = { 0 };
    uint64_t transform = (uint64_t)blocks->width * (uint64_t)blocks->height * 2 * sizeof(double);
    buffers.data = transform * (uint64_t)blocks->batch;
    buffers.product = problem->pixel == XNCC_U8 ? 0 : buffers.data;
    buffers.spectrum = transform * (uint64_t)xncc_fft_planes(problem->pixel);
    buffers.area = buffers.data;
    buffers.total = buffers.data + buffers.product + buffers.spectrum + buffers.area;
    return buffers;
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
} search;

/* Returns 1 if doubles run at half the rate of floats. On other devices it is 1/32 or 1/64. */
static int has_fast_doubles(const xncc_machine *m)
{
    return m->cuda.minor == 0 && m->cuda.major >= 6 && m->cuda.major <= 10;
}

/* The time for one band. cost: picoseconds per point of a transform. runs: batches per band. */
static double blocks_ms(const search *s, const xncc_fft_blocks *b, int32_t cost, int64_t runs)
{
    double points = (double)b->width * (double)b->height, batch = (double)b->batch,
           planes = xncc_fft_planes(s->problem->pixel);
    double processors = xncc_machine_processors(s->machine);
    double transform = points * (double)cost * 1e-9 * measured_processors / processors;
    if (!has_fast_doubles(s->machine))
        transform += points * 5.0 * log2(points) / slow_flops_per_ms / processors;
    /* a point is loaded, multiplied by that of the template, and stored */
    double rest = points * (16.0 + planes * (32.0 + 16.0 / batch + 24.0)) / bytes_per_ms /
                  processors;
    double launches = launch_ms * (3.0 + planes * 4.0);
    double piece = (double)runs * (batch * ((1.0 + planes) * transform + rest) + launches) +
                   planes * (transform + 3.0 * launch_ms);
    return piece * (double)s->pieces;
}

/* Keeps blocks with these sides if they are accurate enough, fit, and are the cheapest. */
static void try_blocks(search *s, const side *across, const side *down)
{
    xncc_fft_blocks b = s->best;
    b.width = across->length;
    b.height = down->length;
    b.batch = 1;
    if (xncc_fft_error_bound((double)b.width * (double)b.height,
                             (double)b.columns * (double)b.rows) >= 0.25)
        return;
    xncc_fft_buffers one = xncc_fft_workspace(s->problem, &b);
    if (one.total > s->budget)
        return;
    int64_t slots = xncc_fft_blocks_per_transform(s->problem->pixel);
    int64_t transforms = ((int64_t)across->blocks * down->blocks + slots - 1) / slots;
    int64_t most = (int64_t)((s->budget - one.spectrum) / (one.total - one.spectrum));
    int64_t aim = (int64_t)(batch_bytes / one.data);
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
    if (problem->pixel == XNCC_F32)
        return xncc_fail(
            error, XNCC_ERROR_UNSUPPORTED,
            "fft serves pixels of 8 and 16 bits; sums of floats cannot be rounded to exact ones");
    if (!machine->cuda.fft)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "fft needs the cuFFT library, which cannot be loaded; install libcufft of "
                         "the CUDA Toolkit");
    search s = { .problem = problem, .machine = machine, .budget = budget, .ms = -1.0 };
    int32_t across = 1, down = 1;
    for (;;) {
        try_pieces(&s, fit, across, down);
        int32_t columns = s.best.columns, rows = s.best.rows;
        if (s.ms >= 0.0)
            break;
        if (columns <= 16 && rows <= 16)
            return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                             "fft finds no blocks in %llu bytes of device memory; raise "
                             "device_memory of the context",
                             (unsigned long long)budget);
        if (columns > rows)
            across *= 2;
        else
            down *= 2;
    }
    fit->fft = s.best;
    fit->estimate_ms = s.ms;
    return XNCC_OK;
}
