#include "plan/cost_cuda.h"
#include "plan/cost_routes.h"

cm_status cm_fit_cuda_routed(const cm_problem *problem, const cm_machine *machine, cm_kernel kernel, cm_decision *fit, cm_error *error)
{
    if (cm_problem_route(problem) == CM_ROUTE_PLAIN)
        return cm_fit_cuda(problem, machine, kernel, fit, error);
    return cm_fail(error, CM_ERROR_UNSUPPORTED, "kernel %s serves no problem with this border, mask or pixel type",
                   cm_kernel_table[kernel].name);
}
