#include "plan/kernels.h"

const cm_kernel_row cm_kernel_table[CM_KERNEL_COUNT] = {
#define CM_KERNEL_ROW(id, name, engine, tasks) [CM_KERNEL_##id] = { name, engine, tasks },
    CM_KERNEL_LIST(CM_KERNEL_ROW)
#undef CM_KERNEL_ROW
};
