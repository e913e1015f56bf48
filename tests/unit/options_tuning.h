/* SPDX-License-Identifier: BSD-2-Clause */
/* A struct that grew with each version, as the headers of three versions had it: define
 * TUNING_VERSION as 10, 11 or 12 first. The library of this test has version 11. */
#ifndef UNIT_OPTIONS_TUNING_H
#define UNIT_OPTIONS_TUNING_H

#include "base/options.h"

typedef struct tuning {
    uint32_t size;
    int32_t top;
    double limit;
#if TUNING_VERSION >= 11
    const char *kernel;
    int32_t threads;
#endif
#if TUNING_VERSION >= 12
    int64_t added;
#endif
} tuning;

#if TUNING_VERSION == 10
#define TUNING_INIT                                                                                \
    {                                                                                              \
        sizeof(tuning), 5, 0.5                                                                     \
    }
#elif TUNING_VERSION == 11
#define TUNING_INIT                                                                                \
    {                                                                                              \
        sizeof(tuning), 5, 0.5, "auto", 4                                                          \
    }
#else
#define TUNING_INIT                                                                                \
    {                                                                                              \
        sizeof(tuning), 5, 0.5, "auto", 4, 0                                                       \
    }
#endif

/* What the library has read, in members that all versions understand. */
typedef struct tuning_seen {
    xncc_status status;
    xncc_error error;
    uint32_t size;
    int32_t top;
    double limit;
    char kernel[16];
    int32_t threads;
} tuning_seen;

/* The call of the library. */
tuning_seen tune(const struct tuning *options);

/* The programs. Each is compiled with the header of its version, and calls tune. */
tuning_seen old_program(int32_t top);                         /* 1.0 */
tuning_seen newer_program(const char *kernel, int64_t added); /* 1.2 */

#endif
