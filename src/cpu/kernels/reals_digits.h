/* SPDX-License-Identifier: BSD-2-Clause */
/* Exact numbers in digits, for all windows of a row at once. A number is the sum of its digits
 * times 2^(XNCC_DIGIT_BITS * i) times a unit; a digit is an integer of at most
 * 2^(XNCC_DIGIT_BITS - 1) in magnitude. Floats hold digits, and doubles the products of digits and
 * the sums of such products, exactly. The last digit that is not 0 has the number's sign. */
#ifndef XNCC_CPU_KERNELS_REALS_DIGITS_H
#define XNCC_CPU_KERNELS_REALS_DIGITS_H

#include "exactncc/rules.h"

#include <stddef.h>

enum {
    XNCC_DIGIT_BITS = 24,
    XNCC_MOST_DIGITS = 22, /* of a sample, and of a sum of samples */
    XNCC_MOST_PLACES = 46  /* of a product, a sum of products, and an argument of the formula */
};

/* One number per window: digit i of the number of window x is digit[i * step + x]. */
typedef struct xncc_numbers {
    float *digit;
    ptrdiff_t step; /* a multiple of 32: whole vectors can be read and written */
    int32_t count;
    int32_t constant; /* 1: the same number for all windows, that of x = 0 */
} xncc_numbers;

/* Sums of integers times weights: the integer of weight 2^(bits * i) is row[i][x], of at most 2^50
 * in magnitude once it is rounded. row[i] may be NULL, for zeros. */
typedef struct xncc_weighted {
    const double *const *row;
    int32_t count, bits; /* bits: at most XNCC_DIGIT_BITS */
    int32_t more;        /* 1: they are added to the numbers that are there */
} xncc_weighted;

/* An argument of the formula: the sum of up to three numbers times factors, less a product. */
typedef struct xncc_exact_term {
    xncc_numbers plus[3], b, c; /* count 0: none */
    double factor[3];           /* integers of at most 2^26 in magnitude */
    const double *n;            /* the factor of plus[0] per window; NULL: factor[0] */
    int32_t more;               /* 1: it is added to the numbers that are there */
} xncc_exact_term;

/* Numbers rounded to 53 bits, to nearest, ties to even: value[x] times
 * 2^(XNCC_DIGIT_BITS * place[x]). */
typedef struct xncc_rounded {
    double *value, *place;
} xncc_rounded;

/* The formula for a row of windows. */
typedef struct xncc_exact_row {
    xncc_method method;
    int32_t count;
    const double *n; /* per window; NULL: whole */
    double whole;
    xncc_rounded numerator, image, templ;
    int32_t constant;  /* 1: the template's term is that of x = 0 for all windows */
    double exponent;   /* the logarithm of the numerator's unit */
    float flat, equal; /* as in xncc_reals_row */
    float *out;        /* where it holds XNCC_DOUBT, the score is written */
} xncc_exact_row;

/* A row of windows whose numerators are rounded once, and of whose image's terms the roots are
 * known within bounds. */
typedef struct xncc_near_row {
    int32_t count;
    xncc_rounded numerator;
    double exponent;                  /* the logarithm of the numerator's unit */
    const double *inverse, *relative; /* as in xncc_reals_inverses */
    double factor;                    /* the inverse of the template's root */
    float *out; /* where it holds XNCC_DOUBT, a score that is known is written */
} xncc_near_row;

/* Sums over the rows of a window, of the digits of samples and then of the digits of their squares:
 * digit i of column x is sum[i * step + x]. A row of samples enters them, and one leaves. */
typedef struct xncc_digit_columns {
    double *sum;
    ptrdiff_t step;
    const double *enter, *leave; /* leave: NULL: none */
    double scale, unit;          /* as in xncc_slicing */
    int32_t digits;              /* of a sample */
    int32_t values, squares;     /* digits that are summed, of samples and of squares */
} xncc_digit_columns;

/* The functions of an instruction set (reals_digits_body.h). `count`: windows. */
typedef struct xncc_digits_isa {
    /* The squares of numbers whose digits are doubles, v[i * step + x]. */
    void (*squares)(const double *v, ptrdiff_t step, int32_t digits, int32_t count, double *out,
                    int32_t places);
    void (*slide)(const xncc_digit_columns *columns, int32_t count);
    void (*collect)(const xncc_weighted *from, int32_t count, const xncc_numbers *to);
    void (*term)(const xncc_exact_term *term, int32_t count, const xncc_numbers *to);
    void (*round)(const xncc_numbers *from, int32_t count, const xncc_rounded *to);
    void (*score)(const xncc_exact_row *row);
    /* Returns 1 if a window is left in doubt. */
    int (*decide)(const xncc_near_row *row);
} xncc_digits_isa;

#endif
