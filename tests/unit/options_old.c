/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that was compiled with the header of version 1.0. */
#define TUNING_VERSION 10
#include "unit/options_tuning.h"

#include <stdlib.h>

tuning_seen old_program(int32_t top)
{
    /* Exactly as large as the struct, so that the address sanitizer sees a read behind it. */
    tuning *options = malloc(sizeof *options);
    if (!options)
        abort();
    *options = (tuning)TUNING_INIT;
    options->top = top;
    tuning_seen seen = tune(options);
    free(options);
    return seen;
}
