/* SPDX-License-Identifier: BSD-2-Clause */
/* The library's calls on made pictures, each with a digest of the bits that it returns. They use
 * the public interface alone, and compute no float themselves, so a program can make them in any
 * float environment and with any compiler options. */
#ifndef FLOAT_ENV_CALLS_H
#define FLOAT_ENV_CALLS_H

#include "exactncc/exactncc.h"

#include <stddef.h>
#include <stdint.h>

enum { CALLS = 15 };

/* The name of call 0 .. CALLS - 1. */
const char *call_name(size_t call);

/* Makes the call. The digest of what it returns; a failure prints its text and ends the program. */
uint64_t call_digest(size_t call, xncc_context *context);

#endif
