/* The table of kernels, made from the list in kernels.h. */
#include "plan/kernels.h"

const xncc_kernel_row xncc_kernel_table[XNCC_KERNEL_COUNT] = {
#define XNCC_KERNEL_ROW(id, name, engine, tasks) [XNCC_KERNEL_##id] = { name, engine, tasks },
    XNCC_KERNEL_LIST(XNCC_KERNEL_ROW)
#undef XNCC_KERNEL_ROW
};
