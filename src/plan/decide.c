/* SPDX-License-Identifier: BSD-2-Clause */
/* Tries every kernel of the table and keeps the cheapest; or, if names are asked for, the cheapest
 * of the first name that can serve the problem. */
#include "plan/decide.h"

#include "image/image.h"
#include "image/samples.h"
#include "plan/cost_cpu.h"
#include "plan/cost_exact_cuda.h"
#include "plan/fit_cuda.h"
#include "plan/problem.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Bytes per millisecond of a copy between host and device: pageable memory over PCIe 4 x16, rounded
 * down. It matters only for the choice between engines. */
static const double transfer_bytes_per_ms = 6.0e6;

/* One name of a list of names with commas between. */
typedef struct word {
    const char *text; /* not terminated */
    size_t length;
} word;

static word first_word(const char *list)
{
    const char *comma = strchr(list, ',');
    return (word){ list, comma ? (size_t)(comma - list) : strlen(list) };
}

/* Moves to the next name. Returns 0 if there is none. */
static int next_word(word *w)
{
    const char *end = w->text + w->length;
    if (*end == '\0')
        return 0;
    *w = first_word(end + 1);
    return 1;
}

/* Returns 1 if the wanted name (NULL: any) selects a kernel: "direct" selects direct-avx2 too,
 * "tex-tex" only itself. */
static int is_asked_for(const word *wanted, const char *name)
{
    return !wanted || (strncmp(wanted->text, name, wanted->length) == 0 &&
                       (name[wanted->length] == '\0' || name[wanted->length] == '-'));
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
    const xncc_kernel_info *row = &xncc_kernel_table[kernel];
    const int cpu = row->engine == XNCC_DEVICE_CPU,
              excluded = preference->device != XNCC_DEVICE_AUTO &&
                         preference->device != row->engine;
    *decision = (xncc_decision){ .kernel = kernel, .engine = row->engine };
    if (excluded || (cpu ? machine->cpu.absent : !machine->cuda.present))
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED, "kernel %s needs the %s engine, which %s",
                         row->name, cpu ? "CPU" : "CUDA",
                         excluded ? "the preference excludes" : "this context does not have");
    if (cpu) {
        if (preference->image_memory == XNCC_DEVICE || preference->map_memory == XNCC_DEVICE)
            return xncc_fail(
                error, XNCC_ERROR_UNSUPPORTED,
                "kernel %s runs on the CPU, but the image or the map is in device memory",
                row->name);
        decision->estimate_ms = xncc_cost_cpu(problem, machine, kernel, &decision->cpu);
        decision->has_cpu_half = xncc_cpu_half_blocks(problem, kernel, &decision->cpu_half);
        if (decision->estimate_ms < 0.0)
            return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                             "kernel %s cannot serve this problem on this machine (instruction "
                             "set, pixel type or size)",
                             row->name);
        decision->cpu_seats = machine->cpu.threads > 1 ? machine->cpu.threads : 1;
        decision->cpu_threads = xncc_cpu_threads_that_pay(decision->estimate_ms,
                                                          decision->cpu_seats);
        return XNCC_OK;
    }
    xncc_status status = xncc_fit_cuda(problem, machine, decision, error);
    decision->estimate_ms += transfer_ms(problem, preference);
    return status;
}

/* Writes the reason. feasible: the number of kernels that can serve the problem. */
static void explain(const xncc_decision *best, int feasible, int forced, char *reason)
{
    if (forced && feasible == 1)
        (void)snprintf(reason, XNCC_REASON_SIZE, "forced by name");
    else if (feasible == 1)
        (void)snprintf(reason, XNCC_REASON_SIZE, "the only kernel that can serve the problem");
    else
        (void)snprintf(reason, XNCC_REASON_SIZE,
                       "lowest estimate of %d feasible kernels: %.4g ms, next %s with %.4g ms",
                       feasible, best->estimate_ms, xncc_kernel_table[best->runner_up].name,
                       best->runner_up_ms);
}

/* Returns 1 if some kernel has the name. */
static int is_known(const word *name)
{
    for (int k = 0; k < XNCC_KERNEL_COUNT; k++)
        if (is_asked_for(name, xncc_kernel_table[k].name))
            return 1;
    return 0;
}

/* Can images and maps be in as many parts as the preference says? */
static xncc_status check_parts(const xncc_preference *preference, const xncc_problem *problem,
                               const xncc_machine *machine, xncc_error *error)
{
    const int32_t devices = machine->team.devices > 1 ? machine->team.devices : 1;
    if (preference->parts < 0 || preference->parts > devices)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "the preference has %d parts; the context has %d device%s, which can have "
                         "one each",
                         preference->parts, devices, xncc_plural(devices));
    if (preference->parts > 0 &&
        (problem->task != XNCC_TASK_MATCH || problem->rule.mode != XNCC_VALID))
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "images in parts can be matched in mode valid only; store the pixels that "
                         "the border adds around the image");
    return XNCC_OK;
}

static xncc_status check_preference(const xncc_preference *preference, xncc_task task,
                                    xncc_error *error)
{
    if ((unsigned)preference->device > XNCC_DEVICE_CUDA ||
        (unsigned)preference->image_memory > XNCC_DEVICE ||
        (unsigned)preference->map_memory > XNCC_DEVICE)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "the preference has an unknown device or memory");
    if (preference->images < 0 || (preference->images > 1 && task != XNCC_TASK_MATCH))
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "the preference has %d images at a time; matching takes 0 or more, "
                         "convolution 0 or 1",
                         preference->images);
    if (!preference->kernel)
        return XNCC_OK;
    word name = first_word(preference->kernel);
    do
        if (!is_known(&name))
            return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                             "there is no kernel named '%.*s' (`exactncc info --kernels` lists "
                             "them)",
                             (int)name.length, name.text);
    while (next_word(&name));
    return XNCC_OK;
}

/* Selects the kernel whose error text is returned if none can serve the problem: a requested one,
 * or else the most general one. */
static int most_informative(const word *wanted, xncc_kernel kernel)
{
    return wanted || kernel == XNCC_KERNEL_TEX_TEX || kernel == XNCC_KERNEL_CONV_GLOBAL;
}

/* The status and text if no kernel is even tried. */
static xncc_status refuse_task(const word *wanted, xncc_task task, xncc_error *error)
{
    if (!wanted)
        return xncc_fail(error, XNCC_ERROR_UNSUPPORTED,
                         "no engine of this context can serve the problem");
    return xncc_fail(error, XNCC_ERROR_UNSUPPORTED, "kernel %.*s does not serve %s",
                     (int)wanted->length, wanted->text,
                     task == XNCC_TASK_MATCH ? "matching" : "convolution");
}

int xncc_is_at_risk(const xncc_problem *p, const xncc_decision *d)
{
    const double much = 10.0;
    const xncc_extent map = xncc_problem_extent(p);
    const double windows = (double)map.width * map.height,
                 pixels = (double)p->templ_width * p->templ_height;
    return d->engine == XNCC_DEVICE_CUDA && p->task == XNCC_TASK_MATCH &&
           xncc_pixel_is_of_doubles(p->pixel) && xncc_problem_is_single(p) &&
           p->rule.method != XNCC_COVERAGE && !xncc_kernel_is_of_doubles(d->kernel) &&
           windows * xncc_exact_hard_ns(pixels) > much * 1e6 * d->estimate_ms;
}

/* Chooses among the kernels that a name selects (NULL: all), with those that are at risk or
 * without. Returns how many can serve the problem. */
static int choose_among(const xncc_problem *problem, const xncc_machine *machine,
                        const xncc_preference *want, const word *wanted, int risk,
                        xncc_decision *decision, xncc_error *error)
{
    xncc_decision best = { .kernel = XNCC_KERNEL_COUNT };
    int feasible = 0;
    for (int k = 0; k < XNCC_KERNEL_COUNT; k++) {
        xncc_decision one;
        if (!(xncc_kernel_table[k].tasks & (1u << problem->task)) ||
            !is_asked_for(wanted, xncc_kernel_table[k].name))
            continue;
        if (fit(problem, machine, want, (xncc_kernel)k, &one,
                most_informative(wanted, (xncc_kernel)k) ? error : NULL) != XNCC_OK)
            continue;
        assert(one.estimate_ms >= 0.0);
        if (!risk && xncc_is_at_risk(problem, &one))
            continue;
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
    if (feasible > 0) {
        explain(&best, feasible, wanted != NULL, best.reason);
        *decision = best;
    }
    return feasible;
}

/* Chooses among the kernels that a name selects: the fastest one, or the fastest one that is not at
 * risk. */
static xncc_status choose(const xncc_problem *problem, const xncc_machine *machine,
                          const xncc_preference *want, const word *wanted, xncc_decision *decision,
                          xncc_error *error)
{
    xncc_decision best, safe;
    const xncc_status refusal = refuse_task(wanted, problem->task, error);
    if (choose_among(problem, machine, want, wanted, 1, &best, error) == 0)
        return refusal;
    *decision = best;
    if (xncc_is_at_risk(problem, &best) &&
        choose_among(problem, machine, want, wanted, 0, &safe, NULL) > 0 &&
        safe.estimate_ms <= XNCC_SAFETY * best.estimate_ms)
        *decision = safe;
    return XNCC_OK;
}

/* Returns 1 if an error text says at its beginning which kernel it is about. */
static int names_kernel(const char *text, const word *name)
{
    static const char kernel[] = "kernel ";
    const size_t skip = strncmp(text, kernel, sizeof kernel - 1) == 0 ? sizeof kernel - 1 : 0;
    return strncmp(text + skip, name->text, name->length) == 0;
}

/* Adds the text of a kernel that cannot serve the problem to those before it. What does not fit is
 * cut. */
static void add_refusal(char refused[XNCC_ERROR_SIZE], const word *name, const char *text)
{
    const size_t used = strlen(refused), left = XNCC_ERROR_SIZE - used;
    const char *semicolon = used ? "; " : "";
    if (names_kernel(text, name))
        (void)snprintf(refused + used, left, "%s%s", semicolon, text);
    else
        (void)snprintf(refused + used, left, "%s%.*s: %s", semicolon, (int)name->length, name->text,
                       text);
}

/* Chooses the first name of the list that can serve the problem. */
static xncc_status choose_from_list(const xncc_problem *problem, const xncc_machine *machine,
                                    const xncc_preference *want, xncc_decision *decision,
                                    xncc_error *error)
{
    char refused[XNCC_ERROR_SIZE] = "";
    word name = first_word(want->kernel);
    do {
        xncc_error why = { "" };
        if (choose(problem, machine, want, &name, decision, &why) == XNCC_OK) {
            memcpy(decision->refused, refused, sizeof refused);
            return XNCC_OK;
        }
        add_refusal(refused, &name, why.text);
    } while (next_word(&name));
    return xncc_fail(error, XNCC_ERROR_UNSUPPORTED, "no kernel of the list can serve: %s", refused);
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
    if (!status)
        status = check_parts(want, problem, machine, error);
    if (status)
        return status;
    if (want->kernel && strchr(want->kernel, ','))
        return choose_from_list(problem, machine, want, decision, error);
    const word name = want->kernel ? first_word(want->kernel) : (word){ NULL, 0 };
    return choose(problem, machine, want, want->kernel ? &name : NULL, decision, error);
}
