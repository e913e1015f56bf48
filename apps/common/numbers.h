/* Numbers out of text: the whole text must be the number, and it must lie in the range. 1 when it
 * does, else 0. */
#ifndef APP_NUMBERS_H
#define APP_NUMBERS_H

#include <stdint.h>

int app_parse_integer(const char *text, int64_t low, int64_t high, int64_t *value);
/* Decimal; infinities when allowed, never NaN. */
int app_parse_float(const char *text, int infinite, float *value);
int app_parse_double(const char *text, double *value);
/* A number with an optional K, M, G or T (powers of 1024). */
int app_parse_bytes(const char *text, uint64_t *value);

#endif
