/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers from text. The whole text must be the number, and the number must be in the range. Every
 * function returns 1 on success, else 0. */
#ifndef APP_NUMBERS_H
#define APP_NUMBERS_H

#include <stdint.h>

/* low .. high, decimal. */
int app_parse_integer(const char *text, int64_t low, int64_t high, int64_t *value);

/* Decimal; never NaN. infinite: 1 to allow inf and -inf. */
int app_parse_float(const char *text, int infinite, float *value);

/* Decimal and finite. */
int app_parse_double(const char *text, double *value);

/* A whole number with an optional suffix K, M, G or T (powers of 1024). */
int app_parse_bytes(const char *text, uint64_t *value);

#endif
