/* SPDX-License-Identifier: BSD-2-Clause */
#include "pixels.h"

app_sample_kind app_pixel_kind(xncc_pixel pixel)
{
    switch (pixel) {
#define CASE(pixel, name, type)                                                                    \
    case pixel:                                                                                    \
        return (type)0.5 > 0 ? APP_FLOAT : (double)(type)-1 < 0.0 ? APP_SIGNED : APP_UNSIGNED;
        XNCC_EACH_PIXEL(CASE)
#undef CASE
    }
    return APP_UNSIGNED;
}

char app_pixel_letter(xncc_pixel pixel)
{
    static const char letters[] = { [APP_UNSIGNED] = 'u', [APP_SIGNED] = 'i', [APP_FLOAT] = 'f' };
    return letters[app_pixel_kind(pixel)];
}

int app_pixel_find(app_sample_kind kind, unsigned bits, xncc_pixel *pixel)
{
    for (int i = 0; i < APP_PIXELS; i++)
        if (app_pixel_kind((xncc_pixel)i) == kind && 8 * xncc_pixel_size((xncc_pixel)i) == bits) {
            *pixel = (xncc_pixel)i;
            return 1;
        }
    return 0;
}

/* The bits of the integers that a type represents all. */
static unsigned whole_bits(xncc_pixel pixel)
{
    const unsigned bits = 8 * (unsigned)xncc_pixel_size(pixel);
    switch (app_pixel_kind(pixel)) {
    case APP_UNSIGNED: break;
    case APP_SIGNED: return bits - 1;
    case APP_FLOAT: return bits == 32 ? 24 : 53;
    }
    return bits;
}

/* Whether type a represents every value of type b. */
static int holds(xncc_pixel a, xncc_pixel b)
{
    const app_sample_kind kind = app_pixel_kind(a);
    return app_pixel_kind(b) <= kind && whole_bits(b) <= whole_bits(a);
}

xncc_pixel app_pixel_join(xncc_pixel a, xncc_pixel b)
{
    xncc_pixel pixel;
    for (unsigned bits = 8; bits < 64; bits *= 2)
        for (int kind = APP_UNSIGNED; kind <= APP_FLOAT; kind++)
            if (app_pixel_find((app_sample_kind)kind, bits, &pixel) && holds(pixel, a) &&
                holds(pixel, b))
                return pixel;
    return XNCC_F64;
}
