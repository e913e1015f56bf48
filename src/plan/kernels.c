/* The table of kernels, made from the list in kernels.h. */
#include "plan/kernels.h"

#include "plan/steps.h"

const xncc_kernel_row xncc_kernel_table[XNCC_KERNEL_COUNT] = {
#define XNCC_KERNEL_ROW(id, name, engine, tasks) [XNCC_KERNEL_##id] = { name, engine, tasks },
    XNCC_KERNEL_LIST(XNCC_KERNEL_ROW)
#undef XNCC_KERNEL_ROW
};

const xncc_step_row xncc_step_table[XNCC_STEP_COUNT] = {
#define XNCC_STEP_ROW(id, name, first, last) { name, XNCC_STAGE_##first, XNCC_STAGE_##last },
    XNCC_STEP_LIST(XNCC_STEP_ROW)
#undef XNCC_STEP_ROW
};
