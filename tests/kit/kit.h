/* SPDX-License-Identifier: BSD-2-Clause */
/* What every test uses: checks that count and print values, a seeded random generator, and the exit
 * status for CTest. */
#ifndef KIT_KIT_H
#define KIT_KIT_H

#include "exactncc/exactncc.h"
#include "kit/short.h"

#include <stdint.h>

/* Checks. Each is counted, returns 1 if it holds, and prints the file, the line and the values if
 * it fails. Any thread may call them. */
#define CHECK(condition) kit_check((condition) ? 1 : 0, __FILE__, __LINE__, #condition)
#define CHECK_INT(got, want)                                                                       \
    kit_check_int((long long)(got), (long long)(want), __FILE__, __LINE__, #got)
#define CHECK_TEXT(got, want) kit_check_text((got), (want), __FILE__, __LINE__, #got)
#define CHECK_STATUS(got, want) kit_check_status((got), (want), __FILE__, __LINE__, #got)
/* The same float, bit for bit; any NaN equals any NaN. */
#define CHECK_FLOAT(got, want) kit_check_float((got), (want), __FILE__, __LINE__, #got)

int kit_check(int holds, const char *file, int line, const char *what);
int kit_check_int(long long got, long long want, const char *file, int line, const char *what);
int kit_check_text(const char *got, const char *want, const char *file, int line, const char *what);
int kit_check_status(xncc_status got, xncc_status want, const char *file, int line,
                     const char *what);
int kit_check_float(float got, float want, const char *file, int line, const char *what);

/* Reports a failure with a text of its own (printf format). After the first 20 failures of a run,
 * further ones are only counted. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void kit_fail(const char *file, int line, const char *format, ...);

/* Returns how many checks have failed so far. */
long kit_failures(void);

/* Takes the seed from "--seed N" in the arguments, else from the environment variable
 * EXACTNCC_TEST_SEED, else uses a fixed one. With "--stop" the first failure ends the run. */
void kit_start(int argc, char **argv);

/* Prints the counts, and the seed if a check failed. Returns the exit status, 0 or 1. A run without
 * any check is a failure, too. */
int kit_finish(const char *name);

/* Prints the reason and exits with status 77, which CTest reports as skipped. */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void kit_skip(const char *why);

/* Ends the test at once, because the test itself cannot continue (printf format). */
#if defined(__GNUC__)
__attribute__((noreturn, format(printf, 1, 2)))
#endif
void kit_give_up(const char *format, ...);

/* kit_option returns the value that follows "--name" in the arguments, or fallback. kit_flag
 * returns whether "--name" is among the arguments. */
const char *kit_option(int argc, char **argv, const char *name, const char *fallback);
int kit_flag(int argc, char **argv, const char *name);

/* Is the run to be short? So says the environment variable EXACTNCC_TEST_SHORT, which
 * scripts/test.sh sets unless all is asked for. Tests then leave out cases that differ in values,
 * sizes or turns alone. */
int kit_short(void);
/* Is it a short run of instrumented code, which takes up to 50 times as long? Then even
 * fewer cases do. */
int kit_shortest(void);

/* A random generator (splitmix64), which yields the same numbers on every machine. */
typedef struct kit_random {
    uint64_t state;
} kit_random;

/* Returns a stream of the run's seed. Each stream number gives a different one. */
kit_random kit_stream(uint64_t number);
uint64_t kit_next(kit_random *random);
/* Returns a number in 0 .. limit - 1; limit >= 1. */
uint64_t kit_below(kit_random *random, uint64_t limit);
/* Returns a number in low .. high. */
int32_t kit_between(kit_random *random, int32_t low, int32_t high);

/* Creates a context for the device and thread count. The test is skipped if CUDA is requested and
 * there is no device; any other failure ends the test. */
xncc_context *kit_context(xncc_device device, int32_t threads);

/* The kernels that can serve an image and a template, at most `room` of them; returns how many. A
 * test without any fails. */
size_t kit_kernels(xncc_context *context, const xncc_image *image, const xncc_image *templ,
                   const kit_options *o, const char **name, size_t room);

/* Returns the device named by --device, "cpu" or "cuda"; the CPU by default. */
xncc_device kit_device_option(int argc, char **argv);

#endif
