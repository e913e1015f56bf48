#include "image/samples.h"
#include "plan/cost.h"
#include "plan/cost_routes.h"
#include "plan/products.h"

/* The plain loops look at every pixel of every window, whatever the route. */
static double reference_cost(const cm_problem *p, const cm_machine *machine)
{
    cm_problem plain = cm_problem_inner(p);
    plain.pixel = cm_pixel_is_float(p->pixel) ? CM_F32 : CM_U16;
    return 4.0 * cm_problem_channels(p) * cm_cost_cpu(&plain, machine, CM_KERNEL_REFERENCE);
}

double cm_cost_cpu_routed(const cm_problem *problem, const cm_machine *machine, cm_kernel kernel)
{
    const cm_route route = cm_problem_route(problem);
    if (route == CM_ROUTE_PLAIN)
        return cm_cost_cpu(problem, machine, kernel);
    if (kernel == CM_KERNEL_REFERENCE)
        return reference_cost(problem, machine);
    cm_problem inner = cm_problem_inner(problem);
    if (route == CM_ROUTE_JOINT && cm_pixel_is_float(problem->pixel))
        inner.pixel = CM_F32;
    const double one = cm_cost_cpu(&inner, machine, kernel);
    if (one < 0.0 || route == CM_ROUTE_PADDED)
        return one;
    if (cm_pixel_is_float(problem->pixel))
        return 2.0 * one * cm_problem_channels(problem);
    return one * (1.0 + (double)cm_products_of(problem, NULL, 0));
}
