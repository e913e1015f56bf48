/* Tries every kernel of the list and keeps the cheapest. */
#include "plan/decide.h"

#include "image/image.h"
#include "plan/cost_cpu.h"
#include "plan/fit_cuda.h"
#include "plan/problem.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Bytes per millisecond of a copy between host and device: pageable memory over PCIe 4 x16, rounded
 * down. It matters only for the choice between engines. */
static const double transfer_bytes_per_ms = 6.0e6;

/* Returns 1 if the wanted name selects a kernel: "direct" selects direct-avx2 too, "tex-tex" only
 * itself. */
static int is_asked_for(const char *wanted, const char *name)
{
    if (!wanted)
        return 1;
    size_t length = strlen(wanted);
    return strncmp(wanted, name, length) == 0 && (name[length] == '\0' || name[length] == '-');
}

/* Returns 1 if the machine has the engine and the preference allows it. */
static int engine_allowed(xncc_device engine, const xncc_machine *machine,
                          const xncc_preference *preference)
{
    if (preference->device != XNCC_DEVICE_AUTO && preference->device != engine)
        return 0;
    return engine == XNCC_DEVICE_CPU ? !machine->cpu.absent : machine->cuda.present;
}

/* The time of copying the image to the device and the map back, if they are in host memory. A map
 * is taken to have as many elements as the image has pixels. */
static double transfer_ms(const xncc_problem *p, const xncc_preference *preference)
{
    double pixels = (double)p->image_width * (double)p->image_height, bytes = 0.0;
    if (preference->image_memory == XNCC_HOST)
        bytes += pixels * (double)(xncc_pixel_size(p->pixel) * (size_t)p->channels);
    if (preference->map_memory == XNCC_HOST)
        bytes += pixels * (double)sizeof(float);
    return bytes / transfer_bytes_per_ms;
}

/* Returns XNCC_OK and fills the decision, with its estimate, if a kernel can serve the problem. */
static xncc_status fit(const xncc_problem *problem, const xncc_machine *machine,
                       const xncc_preference *preference, xncc_kernel kernel,
                       xncc_decision *decision, xncc_error *error)
{
    const xncc_kernel_row *row = &xncc_kernel_table[kernel];
    *decision = (xncc_decision){ .kernel = kernel, .engine = row->engine };
    if (!engine_allowed(row->engine, machine, preference))
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "kernel %s needs the %s engine, which this context does not have",
                         row->name, row->engine == XNCC_DEVICE_CPU ? "CPU" : "CUDA");
    if (row->engine == XNCC_DEVICE_CPU) {
        if (preference->image_memory == XNCC_DEVICE || preference->map_memory == XNCC_DEVICE)
            return xncc_fail(
                error, XNCC_ERROR_UNSUPPORTED,
                "kernel %s runs on the CPU, but the image or the map is in device memory",
                row->name);
        decision->estimate_ms = xncc_cost_cpu(problem, machine, kernel, &decision->cpu);
        if (decision->estimate_ms < 0.0)
            return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                             "kernel %s cannot serve this problem on this machine (instruction "
                             "set, pixel type or size)",
                             row->name);
        return XNCC_OK;
    }
    xncc_status status = xncc_fit_cuda(problem, machine, kernel, decision, error);
    decision->estimate_ms += transfer_ms(problem, preference);
    return status;
}

/* Writes the reason. feasible: the number of kernels that can serve the problem. */
static void explain(const xncc_decision *best, int feasible, const char *wanted, char *reason)
{
    if (wanted && feasible == 1)
        (void)snprintf(reason, XNCC_REASON_SIZE, "forced by name");
    else if (feasible == 1)
        (void)snprintf(reason, XNCC_REASON_SIZE, "the only kernel that can serve the problem");
    else
        (void)snprintf(reason, XNCC_REASON_SIZE,
                       "lowest estimate of %d feasible kernels: %.4g ms, next %s with %.4g ms",
                       feasible, best->estimate_ms, xncc_kernel_table[best->runner_up].name,
                       best->runner_up_ms);
}

static xncc_status check_preference(const xncc_preference *preference, xncc_task task,
                                    xncc_error *error)
{
    if ((unsigned)preference->device > XNCC_DEVICE_CUDA ||
        (unsigned)preference->image_memory > XNCC_DEVICE ||
        (unsigned)preference->map_memory > XNCC_DEVICE)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "the preference has an unknown device or memory");
    int known = 0, serves = 0;
    for (int k = 0; k < XNCC_KERNEL_COUNT; k++)
        if (is_asked_for(preference->kernel, xncc_kernel_table[k].name)) {
            known = 1;
            serves |= xncc_kernel_table[k].tasks & (1 << task);
        }
    if (!known)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "there is no kernel named '%s' (`exactncc info` lists them)",
                         preference->kernel);
    if (!serves)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED, "kernel %s does not serve %s",
                         preference->kernel, task == XNCC_TASK_MATCH ? "matching" : "convolution");
    return XNCC_OK;
}

/* Selects the kernel whose error text is returned if none can serve the problem: a requested one,
 * or else the most general one. */
static int most_informative(const xncc_preference *preference, xncc_kernel kernel)
{
    return preference->kernel || kernel == XNCC_KERNEL_TEX_TEX || kernel == XNCC_KERNEL_CONV_GLOBAL;
}

xncc_status xncc_decide(const xncc_problem *problem, const xncc_machine *machine,
                        const xncc_preference *preference, xncc_decision *decision,
                        xncc_error *error)
{
    static const xncc_preference none = XNCC_PREFERENCE_INIT;
    const xncc_preference *want = preference ? preference : &none;
    xncc_status status = xncc_problem_check(problem, error);
    if (!status)
        status = check_preference(want, problem->task, error);
    if (status)
        return status;
    xncc_decision best = { .kernel = XNCC_KERNEL_COUNT };
    int feasible = 0;
    xncc_status refusal = xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                                    "no engine of this context can serve the problem");
    for (int k = 0; k < XNCC_KERNEL_COUNT; k++) {
        xncc_decision one;
        if (!(xncc_kernel_table[k].tasks & (1 << problem->task)) ||
            !is_asked_for(want->kernel, xncc_kernel_table[k].name))
            continue;
        if (fit(problem, machine, want, (xncc_kernel)k, &one,
                most_informative(want, (xncc_kernel)k) ? error : NULL) != XNCC_OK)
            continue;
        assert(one.estimate_ms >= 0.0);
        if (feasible++ == 0 || one.estimate_ms < best.estimate_ms) {
            if (feasible > 1) {
                one.has_runner_up = 1;
                one.runner_up = best.kernel;
                one.runner_up_ms = best.estimate_ms;
            }
            best = one;
        } else if (!best.has_runner_up || one.estimate_ms < best.runner_up_ms) {
            best.has_runner_up = 1;
            best.runner_up = one.kernel;
            best.runner_up_ms = one.estimate_ms;
        }
    }
    if (feasible == 0)
        return refusal;
    explain(&best, feasible, want->kernel, best.reason);
    *decision = best;
    return XNCC_OK;
}
