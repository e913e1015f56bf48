#include "plan/cost_fft_cuda.h"

#include "plan/cost_cuda.h"

#include <math.h>

/* Sides of transforms, and picoseconds that a point costs along one: a 2-D transform costs the sum
 * of its sides. Measured on one H200 (132 processors) with cuFFT 12.0 and batches of 512 MB and
 * more, in November 2026. No side has a prime factor over 7: for those cuFFT has kernels of its
 * own, and the error bound holds. Sides that lost to a neighbour (960, 1120, 1344, 1440, 1680,
 * 1920, 2160, 2240, 2400, 2688, 2880, 3072, 3360, 3840, 4320, 4480, 5376, 6144) are left out. */
static const struct {
    int32_t length, cost;
} sides[] = { { 32, 6 },    { 64, 10 },   { 128, 8 },   { 192, 8 },   { 224, 11 },  { 256, 8 },
              { 320, 9 },   { 384, 10 },  { 448, 11 },  { 512, 8 },   { 640, 13 },  { 768, 14 },
              { 896, 13 },  { 1024, 10 }, { 1152, 12 }, { 1280, 12 }, { 1536, 12 }, { 1568, 12 },
              { 1792, 13 }, { 2048, 11 }, { 2304, 12 }, { 2560, 13 }, { 3200, 13 }, { 3584, 15 },
              { 4096, 12 }, { 4608, 14 }, { 5120, 16 }, { 6400, 15 }, { 7168, 17 }, { 8192, 14 } };
enum { SIDES = sizeof sides / sizeof *sides };
static const double measured_processors = 132.0;

/* Batches are as large as memory allows up to this. */
static const uint64_t batch_bytes = UINT64_C(1) << 30;

/* The passes beside the transforms: bytes a millisecond and processor. Devices whose double units
 * are no match for their memory: flops. */
static const double bytes_per_ms = 2.65e7;
static const double slow_flops_per_ms = 4.0e6;
static const double launch_ms = 0.004;

/* With u = 2^-53, x the complex block (two real blocks side by side, or the two bytes of one), t
 * the template's piece, N points.
 *
 * One stage of radix r multiplies by twiddles (relative error sqrt(5) u for the product, 3 u
 * allowed for the twiddle: below 5.3 u) and sums r terms, at worst one by one and with constants as
 * inexact as twiddles: in the 2-norm, relative to the stage's result, that is at most (5.3 +
 * sqrt(r) (r - 1 + 5.3)) u, or 6.7 u for r = 2, where the constants are 1 and -1. For r = 2, 3, 5,
 * 7 that is at most 13 u for each doubling of the length, so a transform of N points has a relative
 * error of at most e = 13 u log2 N (Higham, Accuracy and Stability of Numerical Algorithms,
 * theorem 24.2, has r = 2). Products of spectra differ from the exact ones, summed over the N
 * elements, by at most (2 e + 5 u) |X|_2 |T|_2 (Cauchy-Schwarz) = (2 e + 5 u) N |x|_2 |t|_2. The
 * inverse divides by N, and each of its outputs is a sum over all inputs, whose paths through the
 * stages have errors as above relative to the 1-norm of the input, which again is at most N |x|_2
 * |t|_2. In all |error| <= (3 e + 5 u) |x|_2 |t|_2 <= 40 u log2 N |x|_2 |t|_2            (Percival
 * 2003 has this form for r = 2) with |x|_2 <= 255 sqrt(2 N) and |t|_2 <= 255 sqrt(pixels), since
 * both parts of x and t are bytes.
 *
 * Of cuFFT this takes what its manual says: mixed-radix Cooley-Tukey for such lengths, all in
 * doubles. Measured errors are thousands of times smaller: at most 6e-6, where the bound is 0.012
 * (2560 x 2560 points, noise under a nearly white template of 512 x 512). */
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

/* One way to cover an axis. */
typedef struct side {
    int32_t length, blocks, cost;
} side;

/* Sides that hold a piece, up to the first that covers the axis with one block; only those that are
 * cheaper than every shorter one. */
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

typedef struct search {
    const xncc_problem *problem;
    const xncc_machine *machine;
    uint64_t budget;
    int32_t pieces;
    xncc_fft_blocks best;
    double ms;
} search;

/* Do doubles run at half the rate of floats? Elsewhere it is 1/32 or 1/64. */
static int has_fast_doubles(const xncc_machine *m)
{
    return m->cuda.minor == 0 && m->cuda.major >= 6 && m->cuda.major <= 10;
}

/* cost: picoseconds a point of a transform. */
static double blocks_ms(const search *s, const xncc_fft_blocks *b, int32_t cost, int64_t runs)
{
    double points = (double)b->width * (double)b->height, batch = (double)b->batch,
           planes = xncc_fft_planes(s->problem->pixel);
    double processors = xncc_machine_processors(s->machine);
    double transform = points * (double)cost * 1e-9 * measured_processors / processors;
    if (!has_fast_doubles(s->machine))
        transform += points * 5.0 * log2(points) / slow_flops_per_ms / processors;
    /* a point is loaded, multiplied by the template's and stored */
    double rest = points * (16.0 + planes * (32.0 + 16.0 / batch + 24.0)) / bytes_per_ms /
                  processors;
    double launches = launch_ms * (3.0 + planes * 4.0);
    double piece = (double)runs * (batch * ((1.0 + planes) * transform + rest) + launches) +
                   planes * (transform + 3.0 * launch_ms);
    return piece * (double)s->pieces;
}

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

/* The best blocks for a template cut into across x down pieces. */
static void try_pieces(search *s, const xncc_decision *fit, int32_t across, int32_t down)
{
    side wide[SIDES], high[SIDES];
    s->best = (xncc_fft_blocks){ .columns = (s->problem->width + across - 1) / across,
                                 .rows = (s->problem->height + down - 1) / down };
    s->pieces = across * down;
    s->ms = -1.0;
    int wides = list_sides(fit->band_width, s->best.columns, wide),
        highs = list_sides(fit->band_height, s->best.rows, high);
    for (int i = 0; i < wides; i++)
        for (int j = 0; j < highs; j++)
            try_blocks(s, &wide[i], &high[j]);
}

xncc_status xncc_fit_fft_cuda(const xncc_problem *problem, const xncc_machine *machine,
                              uint64_t budget, xncc_decision *fit, xncc_error *error)
{
    if (problem->pixel == XNCC_F32)
        return xncc_fail(
            error, XNCC_ERROR_UNSUPPORTED,
            "fft serves 8 and 16 bit pixels: sums of floats cannot be rounded to exact ones");
    if (!machine->cuda.fft)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "fft needs the cuFFT library, which cannot be loaded; install the CUDA "
                         "Toolkit's libcufft");
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
