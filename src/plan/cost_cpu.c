/* Costs of the CPU's kernels. */
#include "plan/cost.h"

double cm_cost_cpu(const cm_problem *problem, const cm_machine *machine, cm_kernel kernel)
{
    double threads = machine->cpu.threads > 1 ? (double)machine->cpu.threads : 1.0;
    double macs = (double)problem->image_width * (double)problem->image_height * (double)problem->width * (double)problem->height;
    if (kernel != CM_KERNEL_REFERENCE)
        return -1.0;
    return macs * 1e-6 / threads;
}
