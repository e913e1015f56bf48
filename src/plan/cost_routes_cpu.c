/* The cost of padded and general problems on the CPU, derived from that of the plain problem inside
 * them. The factors are fitted to docs/notes/2026-11-cpu-masked.md (one core of an AMD EPYC, Zen 5,
 * 2026-11-21, 1920 x 1080, gcc 12) and are within about 25% there. */
#include "image/samples.h"
#include "plan/cost_cpu.h"
#include "plan/cost_routes.h"
#include "plan/fft_blocking.h"
#include "plan/problem.h"
#include "plan/recipe.h"

/* Elements of the map. */
static double elements(const xncc_problem *p)
{
    const xncc_extent map = xncc_problem_extent(p);
    return (double)map.width * (double)map.height;
}

/* The time on all threads, from that on one. */
static double milliseconds(double nanoseconds, const xncc_machine *machine)
{
    return nanoseconds * 1e-6 / (machine->cpu.threads > 1 ? (double)machine->cpu.threads : 1.0);
}

/* The reference kernel reads every pixel of every window, whatever the route. */
static double reference_cost(const xncc_problem *p, const xncc_machine *machine)
{
    xncc_problem plain = xncc_problem_inner(p);
    plain.pixel = xncc_pixel_is_float(p->pixel) ? XNCC_F32 : XNCC_U16;
    return 4.0 * xncc_problem_channels(p) * xncc_cost_cpu(&plain, machine, XNCC_KERNEL_REFERENCE);
}

/* Returns 1 if an fft kernel has acceptable memory needs. Blocks produce all of their sums at once,
 * and each plane of the template has a spectrum. 256 MB of either are too much, because other
 * kernels can serve the problem. */
static int fft_fits(const xncc_problem *p, const xncc_problem *inner)
{
    const double most = 256.0 * (1 << 20), sums = p->pixel == XNCC_U32 ? 24.0 : 6.0;
    xncc_fft_blocking blocking;
    if (!xncc_fft_blocking_make(inner, &blocking))
        return 0;
    const double planes = 1.0 + (double)xncc_problem_channels(p) * xncc_pixel_digits(p->pixel) *
                                    (xncc_problem_image_varies(p) ? 3.0 : 1.0);
    return planes * 16.0 * blocking.nx * blocking.ny <= most &&
           2.0 * blocking.across * blocking.down * (8.0 * sums + 112.0) <= most;
}

static int is_fft(xncc_kernel kernel)
{
    return kernel == XNCC_KERNEL_FFT_PORTABLE || kernel == XNCC_KERNEL_FFT_AVX2 ||
           kernel == XNCC_KERNEL_FFT_AVX512;
}

/* Integers. A product costs about as much as the plain problem: it has no score, but its planes are
 * made and its sums are stored. If the terms of the scores exceed 63 bits, scores are computed one
 * by one in 128 bits. */
static double products_cost(const xncc_problem *p, const xncc_machine *machine, xncc_kernel kernel)
{
    const xncc_problem inner = xncc_problem_inner(p);
    const double one = xncc_cost_cpu(&inner, machine, kernel),
                 products = (double)xncc_products_of(p, NULL, 0);
    const double channels = xncc_problem_channels(p),
                 most = (double)p->width * p->height * (double)xncc_pixel_max(p->pixel);
    if (one < 0.0 || (is_fft(kernel) && !fft_fits(p, &inner)))
        return -1.0;
    const double u128_ns = p->pixel == XNCC_U32 || channels * most * most >= 0x1p62
                               ? 60.0 * channels
                               : 0.0;
    return one * (products < 1.0 ? 1.0 : products) + milliseconds(u128_ns * elements(p), machine);
}

/* Floats. The sums are those of the plain problem; if the image varies, the sums of the template
 * are needed per window too. */
static double floats_cost(const xncc_problem *p, const xncc_machine *machine, xncc_kernel kernel)
{
    xncc_problem inner = xncc_problem_inner(p);
    inner.pixel = XNCC_F32;
    const double one = xncc_cost_cpu(&inner, machine, kernel), channels = xncc_problem_channels(p);
    if (one < 0.0)
        return -1.0;
    return channels * (one * (xncc_problem_image_varies(p) ? 3.5
                              : p->templ_masked            ? 1.5
                                                           : 1.0) +
                       milliseconds(6.0 * elements(p), machine));
}

double xncc_cost_cpu_routed(const xncc_problem *problem, const xncc_machine *machine,
                            xncc_kernel kernel)
{
    const xncc_route route = xncc_problem_route(problem);
    if (route == XNCC_ROUTE_PLAIN)
        return xncc_cost_cpu(problem, machine, kernel);
    if (kernel == XNCC_KERNEL_REFERENCE)
        return reference_cost(problem, machine);
    if (route == XNCC_ROUTE_GENERAL)
        return xncc_pixel_is_float(problem->pixel) ? floats_cost(problem, machine, kernel)
                                                   : products_cost(problem, machine, kernel);
    const xncc_problem inner = xncc_problem_inner(problem);
    return xncc_cost_cpu(&inner, machine, kernel);
}
