/* exactncc: tracking: where the parts of one image are in another.
 * SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_TRACK_H
#define EXACTNCC_TRACK_H

#include "context.h"
#include "image.h"
#include "rules.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tracking. For each point a small rectangle of image 1, the chip, is sought in image 2. It is
 * compared with the windows of image 2 around a predicted displacement. The result is where the
 * score is best, to fractions of a pixel, with numbers that say how far to trust it.
 *
 * The scores are those of xncc_correlate for that chip on that part of image 2, bit for bit. So the
 * results depend neither on the number of threads, nor on the order of the points, nor on the
 * device. */

/* How the displacement is found to fractions of a pixel. docs/track.md has the measured errors. */
typedef enum xncc_track_fit {
    /* Not at all: whole pixels. */
    XNCC_TRACK_WHOLE = 0,
    /* By the quadratic surface of xncc_refine. */
    XNCC_TRACK_QUADRATIC = 1,
    /* By the same surface through the logarithms of the scores: the peak of a Gaussian. If one of
     * the nine scores is not positive, by XNCC_TRACK_QUADRATIC. */
    XNCC_TRACK_GAUSSIAN = 2,
    /* By oversampling: the scores are interpolated between the whole pixels by polynomials of
     * degree 7 through 8 x 8 of them, on a grid of 1/oversample pixel. The best grid point is found
     * in steps that are halved from 1/2 to 1/oversample. If the best score has fewer than four
     * scores on one of its sides, by XNCC_TRACK_QUADRATIC. */
    XNCC_TRACK_OVERSAMPLED = 3
} xncc_track_fit;

/* A coarse pass, which predicts where the passes after it search. docs/track.md has the formulas.
 *
 * - The chips of a coarse pass lie on a grid: the first one at the top-left pixel of image 1, the
 *   others at multiples of the step. Only those whose displacements are needed are tracked. The
 *   first pass searches around the prediction of the nearest point, every other one around the
 *   interpolated displacements of the pass before.
 * - Then outliers are marked and replaced as by xncc_track_check, with `limit` and a noise of 0.5
 *   pixels. A displacement that is missing and cannot be replaced is the predicted one.
 * - Then each displacement is replaced by the median of itself and its eight nearest neighbours, in
 *   x and in y.
 * - The next pass interpolates these by cubic convolution at the centres of its chips, and searches
 *   around the nearest whole pixels. */
typedef struct xncc_track_pass {
    uint32_t size;      /* sizeof(xncc_track_pass) */
    int32_t chip_width; /* pixels, at least 1, and no more than those of image 1 */
    int32_t chip_height;
    int32_t search_x; /* pixels, 0 .. 4096: the largest distance from the prediction */
    int32_t search_y;
    int32_t step_x; /* pixels from one chip to the next, at least 1 */
    int32_t step_y;
    int32_t median; /* 1: the median is taken; 0: it is not */
    double limit;   /* as in xncc_track_check_options; infinity: nothing is an outlier */
} xncc_track_pass;

/* Chips of 64 x 64 pixels, every 32 pixels, 16 pixels around the prediction. */
#define XNCC_TRACK_PASS_INIT                                                                       \
    {                                                                                              \
        sizeof(xncc_track_pass), 64, 64, 16, 16, 32, 32, 1, 2.0                                    \
    }

/* Options of xncc_track. */
typedef struct xncc_track_options {
    uint32_t size;      /* sizeof(xncc_track_options) */
    xncc_method method; /* one for which a large score is good; not XNCC_COVERAGE */
    int32_t chip_width; /* pixels, at least 1 */
    int32_t chip_height;
    int32_t search_x; /* pixels, 0 .. 4096: the largest distance from the prediction */
    int32_t search_y;
    xncc_track_fit fit;
    int32_t oversample; /* for XNCC_TRACK_OVERSAMPLED: 2, 4, 8, 16, 32 or 64 */
    /* The fraction of a chip's pixels that must count in image 1, and the fraction of those that
     * must also count in a window of image 2, 0 .. 1. Windows with fewer have no score. */
    double min_valid;
    /* 1: what was found in image 2 is sought in image 1 in turn, from the whole-pixel displacement
     * back, and the two displacements are compared (xncc_displacement.loop). This doubles the
     * time. 0: it is not. */
    int32_t back;
    /* As in xncc_correlate_options: a kernel of the CPU, which then does all of it. */
    const char *kernel;
    /* The passes before that of the points, from coarse to fine. All have the size of the first
     * one. They have the method, fit, min_valid and kernel of these options. */
    const xncc_track_pass *coarse; /* may be NULL if coarse_count is 0 */
    size_t coarse_count;
    /* Iterative image deformation, for displacements that change within a chip: how often image 2
     * is deformed by what was found and the rest is tracked again, 0 .. 64. 3 is enough for most
     * images. docs/track.md has the formulas. From 1 on, before the pass of the points
     *
     * - chips of these extents are tracked on a grid, deform_step_x and deform_step_y apart, as
     *   by a coarse pass;
     * - deform - 1 times, image 2 is deformed by the displacements of the grid, smoothed and
     *   interpolated, and the chips of the grid are tracked again;
     *
     * and the pass of the points is tracked in image 2 deformed by what was found last. In deformed
     * images the search is up to 4 pixels in x and in y. Scores and all numbers that follow from
     * them are those in the deformed image; dx and dy are complete. */
    int32_t deform;
    int32_t deform_step_x; /* pixels from one chip of the grid to the next, at least 1 */
    int32_t deform_step_y;
    int32_t reserved; /* 0 */
} xncc_track_options;

/* NCC of chips of 32 x 32 pixels, 16 pixels around the prediction, a quadratic surface, one pass.
 */
#define XNCC_TRACK_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(xncc_track_options), XNCC_CCOEFF_NORMED, 32, 32, 16, 16, XNCC_TRACK_QUADRATIC, 16,  \
            0.5, 0, NULL, NULL, 0, 0, 16, 16, 0                                                    \
    }

/* Where to track, in pixels of image 1. */
typedef struct xncc_track_point {
    /* The wanted centre of the chip. A chip consists of whole pixels; its left column is
     * floor(x - (chip_width - 1) / 2 + 1/2), and its top row likewise. */
    double x;
    double y;
    double dx; /* the predicted displacement; the search is around the nearest whole pixels */
    double dy;
} xncc_track_point;

/* The bits of xncc_displacement.state. */
typedef enum xncc_track_state {
    /* There is no score: the chip is not inside image 1 or too few of its pixels count, no window
     * is inside image 2, or all windows are flat or have too few pixels that count. */
    XNCC_TRACK_MISSING = 1,
    /* The best window is at the edge of the search, so a better one may be beyond. Along that axis
     * the displacement has whole pixels. */
    XNCC_TRACK_EDGE = 2,
    /* The displacement differs too much from those around it (xncc_track_check). */
    XNCC_TRACK_OUTLIER = 4,
    /* dx and dy are the medians of the displacements around it (xncc_track_check). The other
     * numbers are those of what was found. */
    XNCC_TRACK_REPLACED = 8
} xncc_track_state;

/* The displacement of a chip. Numbers that do not exist are NaN; if XNCC_TRACK_MISSING is set,
 * these are all from dx on but `valid`, and the whole numbers are 0.
 *
 * Let s(i, j) be the scores of the windows, and c the best of them, at the whole-pixel
 * displacement. Equal scores are ordered by y, then by x, smallest first. With its neighbours,
 *
 *     hxx = s(1,0) - 2c + s(-1,0)        hyy = s(0,1) - 2c + s(0,-1)
 *     hxy = (s(1,1) - s(-1,1) - s(1,-1) + s(-1,-1)) / 4
 */
typedef struct xncc_displacement {
    double x, y;   /* the centre of the chip in image 1 */
    double dx, dy; /* the displacement: the chip's centre is at (x + dx, y + dy) in image 2 */
    /* The displacement of the best window, in whole pixels. In deformed images: the nearest whole
     * pixels of dx and dy. */
    int32_t whole_dx;
    int32_t whole_dy;
    float score; /* of the best window: c */
    /* The best score among the local maxima beside the best window. A local maximum precedes each
     * of its eight neighbours in the order of scores. */
    float second;
    double ratio; /* c / second; infinity if second is not positive */
    /* (c - mean) / deviation, with the mean and the standard deviation of the scores that are more
     * than 2 pixels from the best window in x or in y. */
    double snr;
    /* How sharp the peak is: -hxx, -hxy and -hyy. */
    double curve_xx;
    double curve_xy;
    double curve_yy;
    /* The covariance of dx and dy in squared pixels, as least squares estimates it from the score
     * and the curvature: 2 (1 - c) / (n - 2) * inverse of ((-hxx, -hxy), (-hxy, -hyy)), where n is
     * the number of samples that count in the best window. It is the variance of a noise that is
     * independent from pixel to pixel. Only for the methods XNCC_CCOEFF_NORMED and
     * XNCC_CCORR_NORMED. */
    double cov_xx;
    double cov_xy;
    double cov_yy;
    /* The fraction of the chip's pixels that count in both images, in the best window. If there is
     * none, the fraction that counts in image 1. */
    double valid;
    /* With `back`: the length of the displacement found and the one found on the way back, added.
     * In deformed images, of what is found there. */
    double loop;
    double residual;   /* of the test of xncc_track_check; NaN before it */
    uint32_t state;    /* XNCC_TRACK_MISSING and others, combined */
    uint32_t reserved; /* 0 */
} xncc_displacement;

/* Two images of one scene, of the same pixel type and with the same channels. Their extents may
 * differ. Each may be in host memory or, for contexts with a device of CUDA, in its memory. */
typedef struct xncc_track_pair {
    const xncc_image *image1;
    const xncc_image *image2;
} xncc_track_pair;

/* Tracks points from image 1 to image 2.
 *
 * - context: a context with one device of CUDA tracks there what its kernel serves: images of the
 *   types XNCC_U8 and XNCC_U16 with one channel, without masks and no-data values, by the methods
 *   XNCC_CCOEFF_NORMED and XNCC_CCORR_NORMED, one pair, not deformed, and chips and searches that
 *   fit the memory of a multiprocessor (docs/track.md has examples). The CPU tracks the rest, also
 * for a context of XNCC_DEVICE_CUDA, which starts as many threads as its options say; images in
 * device memory are then copied to the host. With XNCC_DEVICE_AUTO, small calls for images in host
 * memory stay on the CPU. The results have the same bits in all cases.
 * - pair, pairs: the images. With several pairs the displacement is assumed to be the same in all
 * of them (ensemble correlation): the score at a displacement is the mean of the scores that exist,
 *   summed in the order of the pairs in double precision and rounded to float. All images 1 must
 *   have the same extents, and all images 2.
 * - options: NULL means XNCC_TRACK_OPTIONS_INIT.
 * - point: `count` points. May be NULL if count is 0.
 * - found: receives `count` displacements in the order of the points. May be NULL if count is 0.
 *
 * Masks and no-data values are honoured as everywhere (xncc_image): only pixels that count in both
 * images are compared.
 *
 * Memory: about 200 bytes per point, and a few chips and maps per thread; with coarse passes or
 * deformation also about 300 bytes per chip of a pass, as much again per point if predictions
 * differ, and the rows of image 2 that are in use a second time, deformed. On a device 4 MB, as
 * much page-locked memory of the host, and a copy of images in host memory; the context keeps all
 * but the copy. Images in device memory must be complete in the order of the default stream.
 *
 * Returns XNCC_OK, XNCC_ERROR_ARGUMENT, XNCC_ERROR_MEMORY, XNCC_ERROR_DEVICE or
 * XNCC_ERROR_UNSUPPORTED (images in device memory and a context without a device, or a kernel that
 * cannot serve the request).
 * After a failure the content of found is undefined. Several threads may call it at once with one
 * context. */
XNCC_API xncc_status xncc_track(xncc_context *context, const xncc_track_pair *pair, size_t pairs,
                                const xncc_track_options *options, const xncc_track_point *point,
                                size_t count, xncc_displacement *found, xncc_error *error);

/* Options of xncc_track_check. */
typedef struct xncc_track_check_options {
    uint32_t size;      /* sizeof(xncc_track_check_options) */
    int32_t neighbours; /* how many of the nearest points are compared with, 3 .. 64 */
    double limit;       /* the largest residual of a displacement that is no outlier; above 0 */
    double noise;       /* what a displacement may differ anyway, in pixels; above 0 */
    int32_t replace;    /* 1: outliers and missing displacements are replaced; 0: they are marked */
    uint32_t reserved;  /* 0 */
} xncc_track_check_options;

/* Eight neighbours, residuals up to 2, noise of 0.1 pixels; outliers are marked. */
#define XNCC_TRACK_CHECK_OPTIONS_INIT                                                              \
    {                                                                                              \
        sizeof(xncc_track_check_options), 8, 2.0, 0.1, 0, 0                                        \
    }

/* Looks for outliers by the normalized median test: displacements that differ from those around
 * them. (Westerweel and Scarano, "Universal outlier detection for PIV data", 2005.)
 *
 * Let u be the dx of a displacement, m the median of the dx of its neighbours, and r the median of
 * their distances from m. Its residual in x is (u - m) / (r + noise); in y likewise. The residual
 * is the root of the sum of both squares. If it exceeds the limit, XNCC_TRACK_OUTLIER is set. The
 * median of an even number of values is the mean of the two in the middle.
 *
 * The neighbours are the nearest points by the distance of (x, y) that have a displacement; of
 * equally near ones the first of the list. With fewer than three there is no test. With `replace`,
 * dx and dy of outliers and of missing displacements become the medians of the nearest points that
 * are neither, if there are three, and XNCC_TRACK_REPLACED is set.
 *
 * - options: NULL means XNCC_TRACK_CHECK_OPTIONS_INIT.
 * - found: `count` displacements of xncc_track, which have not been checked before. May be NULL if
 *   count is 0.
 *
 * Returns XNCC_OK, XNCC_ERROR_ARGUMENT or XNCC_ERROR_MEMORY. Any thread may call it. */
XNCC_API xncc_status xncc_track_check(const xncc_track_check_options *options,
                                      xncc_displacement *found, size_t count, xncc_error *error);

/* Images that are read as they are needed, for those that are larger than memory. */
typedef struct xncc_track_source {
    uint32_t size;    /* sizeof(xncc_track_source) */
    xncc_pixel pixel; /* the type of all images */
    int32_t channels; /* samples per pixel of all images, 1 .. XNCC_MAX_CHANNELS */
    int32_t width1;   /* the extents of all images 1, in pixels */
    int32_t height1;
    int32_t width2; /* the extents of all images 2, in pixels */
    int32_t height2;
    /* The most rows of an image that are asked for at once. More are asked for if one chip with its
     * search needs more. */
    int32_t rows;
    size_t pairs; /* the number of pairs, at least 1 */
    /* Gives rows y .. y + height - 1 of an image.
     *
     * - argument: as below.
     * - pair: the number of the pair, from 0.
     * - which: 1 or 2, the image of the pair.
     * - view: receives a view of the image's width, `height` rows, type and channels; with a mask
     * or a no-data value, if there is one. It is in host memory or in that of the context's device.
     * It is valid until the next call for that pair and image.
     *
     * Returns XNCC_OK, or any other status, which then is that of xncc_track_rows. Only the thread
     * that called xncc_track_rows calls it. The ranges asked for overlap. They move down the image,
     * except where the predictions of neighbouring points differ by many rows. */
    xncc_status (*read)(void *argument, size_t pair, int32_t which, int32_t y, int32_t height,
                        xncc_image *view, xncc_error *error);
    void *argument;
} xncc_track_source;

/* No images; all members are set by the caller. */
#define XNCC_TRACK_SOURCE_INIT                                                                     \
    {                                                                                              \
        sizeof(xncc_track_source), XNCC_U8, 1, 0, 0, 0, 0, 1024, 1, NULL, NULL                     \
    }

/* xncc_track for images that are read by rows. The results are the same, bit for bit. */
XNCC_API xncc_status xncc_track_rows(xncc_context *context, const xncc_track_source *source,
                                     const xncc_track_options *options,
                                     const xncc_track_point *point, size_t count,
                                     xncc_displacement *found, xncc_error *error);

#ifdef __cplusplus
}
#endif
#endif
