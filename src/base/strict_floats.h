/* SPDX-License-Identifier: BSD-2-Clause */
/* Included before every C source of the project (see exactncc_flags in CMakeLists.txt): refuses
 * compiler options with which floats are not IEEE-754 arithmetic. Results are promised to the last
 * bit, and so is every bound. Programs that use the library can be compiled with such options. */
#ifndef XNCC_BASE_STRICT_FLOATS_H
#define XNCC_BASE_STRICT_FLOATS_H

#include <float.h>

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) ||     \
    (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error "exactncc: compile without -ffast-math, -Ofast and the options that they contain"
#endif

/* 16 differs from 0 for types below float alone. Processors with arithmetic of 16 bits have it. */
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16
#error "exactncc: floats are evaluated with excess precision; on 32-bit x86 use -msse2 -mfpmath=sse"
#endif

#endif
