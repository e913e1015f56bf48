/* What every test stands on: checks that count and print values, a seeded generator, and the exit
 * status for CTest. */
#ifndef KIT_KIT_H
#define KIT_KIT_H

#include "exactncc/exactncc.h"

#include <stdint.h>

/* Checks. Each prints file, line and the values when it fails, counts, and gives 1 when it holds.
 * Any thread. */
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

/* A failure with a text of its own (printf rules). Past the first 20 of a run, failures are only
 * counted. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void kit_fail(const char *file, int line, const char *format, ...);

/* How many checks have failed so far. */
long kit_failures(void);

/* Takes the seed from "--seed N" in the arguments, else from EXACTNCC_TEST_SEED, else a fixed one.
 * With "--stop" the first failure ends the run. */
void kit_start(int argc, char **argv);

/* Prints the counts, and the seed when something failed; 0 or 1 for exit. No checks at all is a
 * failure too. */
int kit_finish(const char *name);

/* Prints why and exits with 77, which CTest reports as skipped. */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void kit_skip(const char *why);

/* Ends the test at once: the test itself cannot go on. */
#if defined(__GNUC__)
__attribute__((noreturn, format(printf, 1, 2)))
#endif
void kit_give_up(const char *format, ...);

/* The value that follows "--name" in the arguments, or fallback; whether "--name" is there at all.
 */
const char *kit_option(int argc, char **argv, const char *name, const char *fallback);
int kit_flag(int argc, char **argv, const char *name);

/* A generator (splitmix64): the same stream everywhere for a seed. */
typedef struct kit_random {
    uint64_t state;
} kit_random;

/* A stream of the run's seed; each stream number gives another one. */
kit_random kit_stream(uint64_t number);
uint64_t kit_next(kit_random *random);
/* 0 .. limit-1, limit >= 1. */
uint64_t kit_below(kit_random *random, uint64_t limit);
/* low .. high */
int32_t kit_between(kit_random *random, int32_t low, int32_t high);

/* A context for the device and thread count. Where CUDA is asked for and there is none, the test is
 * skipped; any other failure ends the test. */
xncc_context *kit_context(xncc_device device, int32_t threads);

/* "cpu" or "cuda" from --device, cpu when it is not given. */
xncc_device kit_device_option(int argc, char **argv);

#endif
