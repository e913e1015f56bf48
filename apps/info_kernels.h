/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of exactncc info --kernels. */
#ifndef APP_INFO_KERNELS_H
#define APP_INFO_KERNELS_H

#include "common/options.h"

enum { INFO_KERNELS = 64 };

/* Every kernel of the library, and why it cannot serve a problem. Large, so it should be static. */
typedef struct info_kernels {
    app_rows rows;
    xncc_error why[INFO_KERNELS];
} info_kernels;

/* Fills *kernels: asks the library for a plan with each kernel. Call info_kernels_close whatever is
 * returned. */
xncc_status info_kernels_open(const app_options *options, const xncc_problem *problem,
                              info_kernels *kernels, app_error *error);
void info_kernels_close(info_kernels *kernels);

#endif
