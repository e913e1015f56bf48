/* The cost of the CPU kernels on plain problems.
 *
 * Measured on one core of an AMD EPYC (Zen 5, 2 cores of a virtual machine, 2026-11-20) as
 * processor time of 1920 x 1080, gcc 12; docs/performance-cpu.md has the runs. Other processors
 * have other rates, but similar ratios between kernels, and only the ratios decide. */
#include "plan/cost_cpu.h"
#include "plan/fft_blocking.h"
#include "plan/problem.h"

/* A direct kernel and a pixel type. */
typedef struct rates {
    double element; /* nanoseconds per map element for sums and score */
    double rate;    /* products per nanosecond; 0: not served */
} rates;

/* A direct kernel. */
typedef struct row {
    xncc_kernel kernel;
    uint32_t feature;   /* the XNCC_CPU_* that it needs */
    int32_t group[2];   /* template rows are padded to a multiple of this: pixels, u8 and u16 */
    rates u8, u16, f32; /* matching */
    rates convolution;  /* all pixel types */
} row;

static const row direct[] = {
    { XNCC_KERNEL_REFERENCE, 0, { 1, 1 }, { 30, 0.5 }, { 30, 0.4 }, { 30, 0.2 }, { 10, 0.15 } },
    { XNCC_KERNEL_DIRECT_PORTABLE, 0, { 1, 1 }, { 3.2, 12.4 }, { 6, 6.0 }, { 4, 7 }, { 1, 0.3 } },
    { XNCC_KERNEL_DIRECT_AVX2,
      XNCC_CPU_AVX2_FMA,
      { 2, 2 },
      { 1.65, 112 },
      { 3, 50 },
      { 2, 20 },
      { 0.7, 40 } },
    { XNCC_KERNEL_DIRECT_AVXVNNI,
      XNCC_CPU_AVXVNNI,
      { 4, 2 },
      { 1.6, 232 },
      { 3, 52 },
      { 0, 0 },
      { 0, 0 } },
    { XNCC_KERNEL_DIRECT_AVX512,
      XNCC_CPU_AVX512_VNNI,
      { 4, 2 },
      { 0.95, 475 },
      { 2, 100 },
      { 2, 30 },
      { 0.5, 75 } },
};

/* A kernel of transforms. */
typedef struct fft_row {
    xncc_kernel kernel;
    uint32_t feature;  /* the XNCC_CPU_* that it needs */
    double element[2]; /* nanoseconds per map element for sums and score: u8, u16 */
    double point[2];   /* nanoseconds per unit of xncc_fft_blocking.points: u8, u16 */
} fft_row;

static const fft_row transforms[] = {
    { XNCC_KERNEL_FFT_PORTABLE, 0, { 3.2, 6 }, { 0.35, 0.5 } },
    { XNCC_KERNEL_FFT_AVX2, XNCC_CPU_AVX2_FMA, { 1.65, 3 }, { 0.24, 0.34 } },
    { XNCC_KERNEL_FFT_AVX512, XNCC_CPU_AVX512_VNNI, { 0.95, 2 }, { 0.175, 0.24 } },
};

/* Products per template row, which the kernel pads on both sides to groups. */
static int32_t padded(int32_t width, int32_t group)
{
    return (width + 2 * group - 2) / group * group;
}

/* Elements of the map. */
static double elements(const xncc_problem *p)
{
    const xncc_extent map = xncc_problem_extent(p);
    return (double)map.width * (double)map.height;
}

/* Nanoseconds of one thread; negative if the kernel cannot serve the problem. */
static double direct_cost(const xncc_problem *p, const row *r)
{
    int u16 = p->pixel == XNCC_U16;
    rates rate = p->task == XNCC_TASK_CONVOLVE ? r->convolution
                 : u16                         ? r->u16
                 : p->pixel == XNCC_U8         ? r->u8
                                               : r->f32;
    if (rate.rate == 0.0)
        return -1.0;
    int32_t width = p->task == XNCC_TASK_MATCH && p->pixel != XNCC_F32
                        ? padded(p->width, r->group[u16])
                        : p->width;
    return elements(p) * (rate.element + (double)width * (double)p->height / rate.rate);
}

/* The same for a kernel of transforms. */
static double fft_cost(const xncc_problem *p, const fft_row *r)
{
    xncc_fft_blocking blocking;
    int u16 = p->pixel == XNCC_U16;
    if (p->task != XNCC_TASK_MATCH || !xncc_fft_blocking_make(p, &blocking))
        return -1.0;
    return elements(p) * r->element[u16] + blocking.points * r->point[u16];
}

double xncc_cost_cpu(const xncc_problem *problem, const xncc_machine *machine, xncc_kernel kernel)
{
    double ns = -1.0, threads = machine->cpu.threads > 1 ? (double)machine->cpu.threads : 1.0;
    for (size_t i = 0; i < sizeof direct / sizeof *direct; i++)
        if (direct[i].kernel == kernel &&
            (machine->cpu.features & direct[i].feature) == direct[i].feature)
            ns = direct_cost(problem, &direct[i]);
    for (size_t i = 0; i < sizeof transforms / sizeof *transforms; i++)
        if (transforms[i].kernel == kernel &&
            (machine->cpu.features & transforms[i].feature) == transforms[i].feature)
            ns = fft_cost(problem, &transforms[i]);
    return ns < 0.0 ? -1.0 : ns * 1e-6 / threads;
}
