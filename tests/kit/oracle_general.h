/* What the results must be where not every pixel need count, for any number of channels, border,
 * mode and pixel type: from the definitions in image.h, find.h and template.h and nothing else. */
#ifndef KIT_ORACLE_GENERAL_H
#define KIT_ORACLE_GENERAL_H

#include "kit/oracle.h"

/* Pixels of every channel one after the other, and which of them count. */
typedef struct oracle_plane {
    int64_t width, height;
    unsigned char *counts;
    int64_t *whole;    /* integers */
    long double *real; /* floats */
} oracle_plane;

/* An image, its border laid out, under a template. */
typedef struct oracle_general {
    xncc_pixel pixel;
    int32_t channels;
    int32_t width, height; /* of the map */
    int32_t x0, y0;        /* top-left pixel of the window of its element (0, 0) */
    oracle_plane image, templ;
    int64_t templ_counts; /* pixels of the template that count */
} oracle_general;

/* Views in host memory, legal for the mode. */
oracle_general oracle_general_make(const xncc_image *image, const xncc_image *templ, xncc_mode mode,
                                   xncc_border border);
void oracle_general_free(oracle_general *general);

/* Integer pixels: element (x, y) of the map. Of options, method, flat and min_valid count. */
float oracle_general_score(const oracle_general *general, const xncc_options *options, int32_t x,
                           int32_t y);

/* Float pixels: the score in long double and how far from it a result may lie. A float that
 * overflows is bounded by infinity.
 *
 * The bound. A sum of the library runs along a row of the window, then down the rows, then over the
 * channels, of products of samples less a pivot, each rounded to double; so with u = 2^-53 and g =
 * (w + h + channels + 7) u every sum of products a*b is within g sqrt(A B) of the right one, A and
 * B the sums of a^2 and b^2 (Higham, section 3.1; over channels by Cauchy and Schwarz). From there
 * on as in docs/numerics.md, with g for N u. */
oracle_bounded oracle_general_real(const oracle_general *general, xncc_method method,
                                   double min_valid, int32_t x, int32_t y);

#endif
