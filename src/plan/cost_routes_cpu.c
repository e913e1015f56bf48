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
    if (cm_problem_route(problem) == CM_ROUTE_PLAIN)
        return cm_cost_cpu(problem, machine, kernel);
    return kernel == CM_KERNEL_REFERENCE ? reference_cost(problem, machine) : -1.0;
}
