/* SPDX-License-Identifier: BSD-2-Clause */
/* exactncc info --kernels: every kernel, which memory holds what, and whether it can serve. */
#include "info_kernels.h"

#include "common/session.h"

#include <string.h>

enum { KERNEL, TASK, ENGINE, IMAGE, TEMPL, SUMS, RESULT, SERVES, WHY, COLUMNS };

static const app_column columns[COLUMNS] = {
    [KERNEL] = { "kernel", APP_TEXT, 0, 0 },  [TASK] = { "task", APP_TEXT, 0, 0 },
    [ENGINE] = { "engine", APP_TEXT, 0, 0 },  [IMAGE] = { "image", APP_TEXT, 0, 0 },
    [TEMPL] = { "template", APP_TEXT, 0, 0 }, [SUMS] = { "sums", APP_TEXT, 0, 0 },
    [RESULT] = { "result", APP_TEXT, 0, 0 },  [SERVES] = { "serves", APP_TEXT, 0, 0 },
    [WHY] = { "why_not", APP_TEXT, 0, 0 },
};

static const char *task_name(uint32_t tasks)
{
    const uint32_t match = 1u << XNCC_TASK_MATCH, convolve = 1u << XNCC_TASK_CONVOLVE;
    return tasks == (match | convolve) ? "match, convolve" : tasks == match ? "match" : "convolve";
}

/* Asks for a plan with the kernel. why: receives the text of a refusal, or "". The engine is asked
 * for too, because the name "fft" alone also selects the kernels fft-* of the CPU. */
static void ask(xncc_context *context, const xncc_problem *problem, const xncc_kernel_info *kernel,
                xncc_error *why)
{
    xncc_preference want = XNCC_PREFERENCE_INIT;
    xncc_plan *plan = NULL;
    want.device = kernel->engine;
    want.kernel = kernel->name;
    xncc_plan_create(context, problem, &want, &plan, why);
    xncc_plan_destroy(plan);
}

xncc_status info_kernels_open(const app_options *options, const xncc_problem *problem,
                              info_kernels *kernels, app_error *error)
{
    app_session session;
    xncc_kernel_info k = XNCC_KERNEL_INFO_INIT;
    memset(kernels, 0, sizeof *kernels);
    kernels->rows.columns = columns;
    kernels->rows.width = COLUMNS;
    xncc_status status = app_session_open(options, &session, error);
    if (status)
        return status;
    for (size_t i = 0; i < INFO_KERNELS && i < xncc_kernel_count() && !status; i++) {
        xncc_error *why = &kernels->why[i];
        xncc_kernel_describe(i, &k, NULL);
        ask(session.context, problem, &k, why);
        const app_value row[COLUMNS] = {
            [KERNEL].text = k.name,
            [TASK].text = task_name(k.tasks),
            [ENGINE].text = k.engine == XNCC_DEVICE_CPU ? "cpu" : "cuda",
            [IMAGE].text = k.image,
            [TEMPL].text = k.templ,
            [SUMS].text = k.sums,
            [RESULT].text = k.result,
            [SERVES].text = why->text[0] ? "no" : "yes",
            [WHY].text = why->text,
        };
        if (!app_rows_add(&kernels->rows, row))
            status = app_fail(error, XNCC_ERROR_MEMORY, "out of memory");
    }
    app_session_close(&session);
    return status;
}

void info_kernels_close(info_kernels *kernels)
{
    app_rows_free(&kernels->rows);
}
