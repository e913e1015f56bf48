/* SPDX-License-Identifier: BSD-2-Clause */
/* The cost of the CPU kernels: that of one product of planes, of floats, or of a convolution, and
 * how often the problem needs it.
 *
 * The rates are measured on one core of an AMD EPYC (Zen 5, 2 cores of a virtual machine,
 * 2026-11-20) as processor time of 1920 x 1080, gcc 12; docs/notes/2026-11-cpu-kernels.md has the
 * runs. Other processors have other rates, but similar ratios between kernels, and only the ratios
 * decide. Those of NEON are not measured: they follow from what an instruction multiplies, relative
 * to the others. Those of floats by direct products were measured again on 2026-11-29, on an AMD
 * EPYC (Zen 4): transforms take over at 6 x 6 pixels with AVX2, and at 7 x 7 with AVX-512, where
 * both take as long; exact sums of many windows in doubt are faster by transforms from there on.
 * The factors for several products are fitted to docs/notes/2026-11-cpu-masked.md and are within
 * about 25% there. */
#include "plan/cost_cpu.h"

#include "image/samples.h"
#include "plan/problem.h"

/* What a kernel can compute: matching of a pixel type, and convolution. */
enum { U8, U16, F32, FILTER, KINDS };

/* A kernel. */
typedef struct row {
    xncc_kernel kernel;
    uint32_t feature;      /* the XNCC_CPU_* that it needs */
    double element[KINDS]; /* nanoseconds per map element for sums and score */
    /* Products per nanosecond; 0: not served. For kernels of transforms, units of
     * xncc_fft_blocking.points per nanosecond. */
    double rate[KINDS];
} row;

static const row rows[] = {
    { XNCC_KERNEL_REFERENCE, 0, { 30, 30, 30, 10 }, { 0.5, 0.4, 0.2, 0.15 } },
    { XNCC_KERNEL_DIRECT_PORTABLE, 0, { 3.2, 6, 4, 1 }, { 12.4, 6.0, 7, 0.3 } },
    { XNCC_KERNEL_DIRECT_AVX2, XNCC_CPU_AVX2_FMA, { 1.65, 3, 4, 0.7 }, { 112, 50, 10.5, 40 } },
    { XNCC_KERNEL_DIRECT_AVXVNNI, XNCC_CPU_AVXVNNI, { 1.6, 3, 0, 0 }, { 232, 52, 0, 0 } },
    { XNCC_KERNEL_DIRECT_AVX512, XNCC_CPU_AVX512_VNNI, { 0.95, 2, 4, 0.5 }, { 475, 100, 20, 75 } },
    { XNCC_KERNEL_DIRECT_NEON, XNCC_CPU_NEON, { 2.4, 4.5, 4, 0.8 }, { 45, 22, 9, 20 } },
    { XNCC_KERNEL_DIRECT_DOTPROD, XNCC_CPU_DOTPROD, { 2.4, 4.5, 0, 0 }, { 180, 22, 0, 0 } },
    { XNCC_KERNEL_FFT_PORTABLE, 0, { 3.2, 6, 8, 0 }, { 1 / 0.31, 1 / 0.44, 1 / 0.31, 0 } },
    { XNCC_KERNEL_FFT_AVX2,
      XNCC_CPU_AVX2_FMA,
      { 1.65, 3, 4, 0 },
      { 1 / 0.21, 1 / 0.3, 1 / 0.21, 0 } },
    { XNCC_KERNEL_FFT_AVX512,
      XNCC_CPU_AVX512_VNNI,
      { 0.95, 2, 4, 0 },
      { 1 / 0.155, 1 / 0.21, 1 / 0.155, 0 } },
};

/* Products per template row, which direct kernels pad on both sides to whole dwords. */
static double row_products(const xncc_problem *p, const xncc_cpu_blocks *b)
{
    const int32_t group = b->direct.phases ? b->direct.phases : 1;
    return (double)((p->templ_width + 2 * group - 2) / group * group);
}

/* Nanoseconds of one thread for the problem's map once, with one product of planes; negative if the
 * kernel does not serve the kind. */
static double cost_of_one(const xncc_problem *p, const row *r, int kind, const xncc_cpu_blocks *b)
{
    if (r->rate[kind] == 0.0)
        return -1.0;
    const double work = b->fft.nx ? b->fft.points
                                  : xncc_problem_elements(p) * row_products(p, b) *
                                        (double)p->templ_height;
    return xncc_problem_elements(p) * r->element[kind] + work / r->rate[kind];
}

/* Returns 1 if the planes of a general problem take acceptable memory with an fft kernel. Blocks
 * produce all of their sums at once, and each plane of the template has a spectrum. 256 MB of
 * either are too much, because other kernels can serve the problem. */
static int fft_fits(const xncc_cpu_blocks *b)
{
    const double most = 256.0 * (1 << 20), sums = 6.0;
    const double planes = 1.0 +
                          (double)b->tile.channels * b->tile.digits * (b->tile.varies ? 3.0 : 1.0);
    return planes * 16.0 * b->fft.nx * b->fft.ny <= most &&
           (double)b->fft.across * b->fft.down * (8.0 * sums + 112.0) <= most;
}

/* Integers. Each product costs about as much as a problem that needs only one: it has no score, but
 * its planes are made and its sums are stored. If the terms of the scores exceed 63 bits, scores
 * are computed one by one in 128 bits. */
static double integers_cost(const xncc_problem *p, const row *r, const xncc_cpu_blocks *b)
{
    const double one = cost_of_one(p, r, b->words ? U16 : U8, b);
    if (b->tile.whole || one < 0.0)
        return one;
    if (b->fft.nx && !fft_fits(b))
        return -1.0;
    const double products = (double)xncc_products_of(p, NULL, 0);
    return one * (products < 1.0 ? 1.0 : products) +
           (b->tile.fits ? 0.0 : 60.0 * b->tile.channels * xncc_problem_elements(p));
}

/* Floats and u32. If the image is masked, the sums of the template are products, too. Blocks of
 * transforms at its edges read their samples one by one. */
static double floats_cost(const xncc_problem *p, const row *r, const xncc_cpu_blocks *b)
{
    const double one = cost_of_one(p, r, F32, b);
    if (xncc_problem_route(p) != XNCC_ROUTE_GENERAL || one < 0.0)
        return one;
    const double clipped = b->fft.nx ? 2.3 : 1.3;
    return p->channels * (one * (p->image_masked               ? 3.5
                                 : xncc_problem_image_clips(p) ? clipped
                                 : p->templ_masked             ? 1.5
                                                               : 1.0) +
                          6.0 * xncc_problem_elements(p));
}

/* The reference kernel reads every pixel of every window. Its rates are those of plain problems. */
static double reference_cost(const xncc_problem *p, const row *r, const xncc_cpu_blocks *b)
{
    const int plain = xncc_problem_route(p) == XNCC_ROUTE_PLAIN;
    const int kind = xncc_pixel_is_float(p->pixel) ? F32 : plain && p->pixel == XNCC_U8 ? U8 : U16;
    return cost_of_one(p, r, kind, b) * (plain ? 1.0 : 4.0 * p->channels);
}

static double nanoseconds(const xncc_problem *p, const row *r, const xncc_cpu_blocks *b)
{
    if (p->task == XNCC_TASK_CONVOLVE)
        return cost_of_one(p, r, FILTER, b);
    if (r->kernel == XNCC_KERNEL_REFERENCE)
        return reference_cost(p, r, b);
    return xncc_pixel_is_of_doubles(p->pixel) ? floats_cost(p, r, b) : integers_cost(p, r, b);
}

double xncc_cost_cpu(const xncc_problem *problem, const xncc_machine *machine, xncc_kernel kernel,
                     xncc_cpu_blocks *blocks)
{
    const double threads = machine->cpu.threads > 1 ? (double)machine->cpu.threads : 1.0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].kernel == kernel &&
            (machine->cpu.features & rows[i].feature) == rows[i].feature &&
            xncc_cpu_blocks_make(problem, kernel, blocks)) {
            const double ns = nanoseconds(problem, &rows[i], blocks);
            return ns < 0.0 ? -1.0 : ns * 1e-6 / threads;
        }
    return -1.0;
}

/* Measured on 2 processors: two threads take as long as one for a map of about 0.04 ms. */
int32_t xncc_cpu_threads_that_pay(double milliseconds, int32_t all)
{
    const double worth_ms = 0.02, most = milliseconds * all / worth_ms;
    return most < 1.0 ? 1 : most < all ? (int32_t)most : all;
}
