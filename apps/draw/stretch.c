/* SPDX-License-Identifier: BSD-2-Clause */
/* Which values of a picture are shown as black and as white. */
#include "stretch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 16, DIGITS = 64 / DIGIT_BITS, VALUES = 1 << DIGIT_BITS };

int app_stretch_channels(const app_picture *p)
{
    return p->channels >= 3 ? 3 : 1;
}

/* An integer that orders as the values do. */
static uint64_t to_key(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double from_key(uint64_t key)
{
    const uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Calls take with each sample that is considered. */
static void each_sample(const app_picture *p, void (*take)(void *data, double value), void *data)
{
    const size_t count = (size_t)p->width * (size_t)p->height, step = (size_t)p->channels;
    const int shown = app_stretch_channels(p);
    for (size_t i = 0; i < count; i++)
        for (int c = 0; c < shown && (!p->mask || p->mask[i]); c++) {
            const double v = app_picture_value(p, i * step + (size_t)c);
            if (isfinite(v))
                take(data, v);
        }
}

/* A sample of a given rank, found digit by digit: `prefix` holds its upper digits. */
typedef struct ranked {
    uint64_t prefix, rank; /* rank: among the samples that begin with the prefix, from 0 */
    uint64_t count[VALUES];
} ranked;

typedef struct search {
    uint64_t samples;
    double least, most;
    int digit; /* that is counted */
    ranked low, high;
} search;

static void measure(void *data, double v)
{
    search *s = data;
    s->least = s->samples == 0 || v < s->least ? v : s->least;
    s->most = s->samples == 0 || v > s->most ? v : s->most;
    s->samples++;
}

static void count_digit(void *data, double v)
{
    search *s = data;
    const int shift = (DIGITS - 1 - s->digit) * DIGIT_BITS;
    const uint64_t key = to_key(v), digit = key >> shift & (VALUES - 1);
    /* The digits above this one; a shift by 64 bits is not defined. */
    const uint64_t above = s->digit ? key >> shift >> DIGIT_BITS : 0;
    s->low.count[digit] += above == s->low.prefix;
    s->high.count[digit] += above == s->high.prefix;
}

/* Appends the digit with which the rank is reached. */
static void descend(ranked *r)
{
    uint64_t digit = 0;
    while (r->rank >= r->count[digit])
        r->rank -= r->count[digit++];
    r->prefix = r->prefix << DIGIT_BITS | digit;
    memset(r->count, 0, sizeof r->count);
}

/* How many digits differ between values of a type; the rest of a double is 0. */
static int digits_of(xncc_pixel pixel)
{
    switch (xncc_pixel_size(pixel)) {
    case 1:
    case 2: return 2; /* sign, 11 bits of exponent and at most 16 of fraction */
    case 4: return 3;
    default: return DIGITS;
    }
}

/* The value whose upper digits are known. */
static double complete(const ranked *r, int digits)
{
    const int rest = (DIGITS - digits) * DIGIT_BITS;
    const uint64_t key = rest ? r->prefix << rest : r->prefix;
    /* The bits of a negative number are inverted in its key. */
    return from_key(key >> 63 || !rest ? key : key | (((uint64_t)1 << rest) - 1));
}

static app_stretch search_levels(const app_picture *p, search *s)
{
    const int digits = digits_of(p->pixel);
    each_sample(p, measure, s);
    if (s->samples == 0)
        return (app_stretch){ 0, 0, 1 };
    s->low.rank = s->samples / 200;
    s->high.rank = s->samples - 1 - s->samples / 200;
    for (s->digit = 0; s->digit < digits; s->digit++) {
        each_sample(p, count_digit, s);
        descend(&s->low);
        descend(&s->high);
    }
    const double low = complete(&s->low, digits), high = complete(&s->high, digits);
    return low < high ? (app_stretch){ low, high, 1 } : (app_stretch){ s->least, s->most, 1 };
}

int app_stretch_find(const app_picture *p, app_stretch *stretch)
{
    *stretch = (app_stretch){ 0, 255, 0 };
    if (p->pixel == XNCC_U8)
        return 1;
    search *s = calloc(1, sizeof *s);
    if (!s)
        return 0;
    *stretch = search_levels(p, s);
    free(s);
    return 1;
}

unsigned char app_stretch_level(const app_stretch *s, double v)
{
    if (isnan(v) || !(s->high > s->low))
        return 0;
    /* Halves, so that a range of doubles does not overflow. */
    const double place = (v / 2 - s->low / 2) / (s->high / 2 - s->low / 2);
    return (unsigned char)floor((place < 0 ? 0 : place > 1 ? 1 : place) * 255 + 0.5);
}
