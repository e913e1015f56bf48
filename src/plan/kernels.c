/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of kernels and steps, made from the lists in kernels.h and steps.h. */
#include "plan/kernels.h"

#include "base/float_env.h"
#include "base/options.h"

#include "plan/steps.h"

#include <string.h>

const xncc_kernel_info xncc_kernel_table[XNCC_KERNEL_COUNT] = {
#define XNCC_KERNEL_ROW(id, name, engine, tasks, ...)                                              \
    [XNCC_KERNEL_##id] = { sizeof(xncc_kernel_info), tasks, engine, name, __VA_ARGS__ },
    XNCC_KERNEL_LIST(XNCC_KERNEL_ROW)
#undef XNCC_KERNEL_ROW
};

const xncc_step_row xncc_step_table[XNCC_STEP_COUNT] = {
#define XNCC_STEP_ROW(id, name, first, last) { name, XNCC_STAGE_##first, XNCC_STAGE_##last },
    XNCC_STEP_LIST(XNCC_STEP_ROW)
#undef XNCC_STEP_ROW
};

size_t xncc_kernel_count(void)
{
    return XNCC_KERNEL_COUNT;
}

xncc_status xncc_kernel_describe(size_t number, xncc_kernel_info *info, xncc_error *error)
{
    XNCC_ENTER;
    if (!info)
        return xncc_fail_null(error, "info");
    if (number >= XNCC_KERNEL_COUNT)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "kernel %zu is not within 0 .. %d", number,
                         XNCC_KERNEL_COUNT - 1);
    return XNCC_GIVE(info, &xncc_kernel_table[number], xncc_kernel_info, result, error);
}
