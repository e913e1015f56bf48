/* Costs of the CPU's kernels. */
#include "plan/cost.h"

double cm_cost_cpu(const cm_problem *problem, const cm_machine *machine, cm_kernel kernel)
{
    double threads = machine->cpu.threads > 1 ? (double)machine->cpu.threads : 1.0;
    double macs = (double)problem->image_width * (double)problem->image_height * (double)problem->width * (double)problem->height;
    double rate = 0.0; /* of one thread, 10^6 a millisecond */
    int floats = problem->pixel == CM_F32 || problem->task == CM_TASK_CONVOLVE;
    if (kernel == CM_KERNEL_REFERENCE)
        rate = 0.5;
    else if (floats && (kernel == CM_KERNEL_DIRECT_AVXVNNI || kernel >= CM_KERNEL_FFT_CUDA))
        return -1.0;
    else if (kernel == CM_KERNEL_DIRECT_PORTABLE)
        rate = 10;
    else if (kernel == CM_KERNEL_DIRECT_AVX2 && (machine->cpu.features & CM_CPU_AVX2_FMA))
        rate = 100;
    else if (kernel == CM_KERNEL_DIRECT_AVXVNNI && (machine->cpu.features & CM_CPU_AVXVNNI))
        rate = 200;
    else if (kernel == CM_KERNEL_DIRECT_AVX512 && (machine->cpu.features & CM_CPU_AVX512_VNNI))
        rate = 400;
    else if (kernel >= CM_KERNEL_FFT_PORTABLE && kernel <= CM_KERNEL_FFT_AVX512)
        return problem->width > 1500 || problem->height > 1500 ? -1.0 : macs * 1e-9;
    else
        return -1.0;
    return macs * 1e-6 / rate / threads;
}
