/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers from text. */
#include "numbers.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int app_parse_integer(const char *text, int64_t low, int64_t high, int64_t *value)
{
    char *end;
    if (!isdigit((unsigned char)text[text[0] == '-']))
        return 0;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (*end || errno || number < low || number > high)
        return 0;
    *value = number;
    return 1;
}

/* strtod would also accept leading blanks and hexadecimal numbers. */
static int starts_number(const char *text)
{
    return *text && !isspace((unsigned char)*text) && !strpbrk(text, "xX");
}

int app_parse_float(const char *text, int infinite, float *value)
{
    char *end;
    float number = strtof(text, &end);
    if (!starts_number(text) || *end || isnan(number) ||
        (isinf(number) && !(infinite && strpbrk(text, "iI"))))
        return 0;
    *value = number;
    return 1;
}

int app_parse_double(const char *text, double *value)
{
    char *end;
    double number = strtod(text, &end);
    if (!starts_number(text) || *end || !isfinite(number))
        return 0;
    *value = number;
    return 1;
}

int app_parse_bytes(const char *text, uint64_t *value)
{
    static const char units[] = "KMGT";
    char *end;
    if (!isdigit((unsigned char)text[0]))
        return 0;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (errno)
        return 0;
    if (*end) {
        const char *unit = strchr(units, toupper((unsigned char)*end));
        if (!unit || end[1])
            return 0;
        int shift = 10 * (int)(unit - units + 1);
        if (number > UINT64_MAX >> shift)
            return 0;
        number <<= shift;
    }
    *value = number;
    return 1;
}
