/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that was compiled with the header of version 1.2. */
#define TUNING_VERSION 12
#include "unit/options_tuning.h"

tuning_seen newer_program(const char *kernel, int64_t added)
{
    tuning options = TUNING_INIT;
    options.kernel = kernel;
    options.added = added;
    return tune(&options);
}
