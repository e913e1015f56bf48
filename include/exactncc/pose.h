/* exactncc: templates at any rotation and scale. SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_POSE_H
#define EXACTNCC_POSE_H

#include "rules.h"
#include "template.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A pose is a rotation and a scale of a template. The angle is in degrees, counter-clockwise as
 * seen; scale 2 doubles the sides. The centre of a template of w x h pixels is at
 * ((w-1)/2, (h-1)/2). An offset (tx, ty) from the centre of the template appears in the image at
 *
 *     scale * ( cos(angle) * tx + sin(angle) * ty,  -sin(angle) * tx + cos(angle) * ty )
 *
 * from the centre of the match. (y points down.) */

/* Which pixels of the template a pose uses. */
typedef enum xncc_support {
    XNCC_SUPPORT_WHOLE = 0, /* all that count */
    /* Those that count in the largest disc around the centre. All angles then have one mask, which
     * is faster, and the corners of the template do not matter. */
    XNCC_SUPPORT_DISC = 1
} xncc_support;

/* The range of scales, and the largest side of a template at any pose. */
#define XNCC_MIN_SCALE 0.0625
#define XNCC_MAX_SCALE 16.0
#define XNCC_MAX_POSE_SIDE 16384

/* Makes the template of a pose: the pixels of *templ, resampled once. The result has the same bits
 * on every machine.
 *
 * - Its width is floor(scale * ((w-1) * |cos| + (h-1) * |sin|)) + 1, its height is analogous with
 *   sin and cos exchanged; with XNCC_SUPPORT_DISC both are floor(scale * (min(w,h)-1)) + 1. The
 *   centre is the template's centre.
 * - Positions in the template are rounded to 1/256 pixel. A pixel is the bilinear mean of the up to
 *   four pixels around its position. Below scale 1 it is the mean of K x K such positions, where K
 *   is the smallest power of two that is at least 1/scale. They form a square grid that turns with
 *   the pose, of spacing sqrt((1/scale^2 - 1) / (K^2 - 1)) pixels, so that their spread is that of
 *   the area of the result's pixel.
 * - All weights are integers with a power of two as their sum. Integer pixels are rounded to the
 *   nearest integer, halves up. Floats are the exact weighted sum, rounded once to nearest, ties to
 *   even; a NaN or an infinity with a weight gives NaN.
 * - A pixel counts if all pixels with a weight lie in the template and count.
 *
 * At scale 1 and multiples of 90 degrees this is an exact copy, turned.
 *
 * - templ: a template of any pixel type, with or without a mask.
 * - angle: degrees; finite. It is used in units of 360/2^32 degrees.
 * - scale: XNCC_MIN_SCALE .. XNCC_MAX_SCALE.
 * - result: receives the template, or NULL after a failure. It belongs to the context of *templ.
 * The caller owns it and must give it to xncc_template_destroy.
 *
 * Returns XNCC_OK, XNCC_ERROR_ARGUMENT (also if no pixel counts at that pose), XNCC_ERROR_MEMORY,
 * XNCC_ERROR_UNSUPPORTED (a side above XNCC_MAX_POSE_SIDE) or XNCC_ERROR_DEVICE. Any thread may
 * call it. */
XNCC_API xncc_status xncc_template_resample(const xncc_template *templ, double angle, double scale,
                                            xncc_support support, xncc_template **result,
                                            xncc_error *error);

/* A range of angles or scales: first, first + step, ... up to last. */
typedef struct xncc_pose_range {
    double first;
    double last; /* not below first */
    /* Above 0. XNCC_AUTO: the widest step that moves no corner of the template by more than one
     * pixel (with XNCC_SUPPORT_DISC, no point of the disc), and that divides the range evenly. */
    double step;
} xncc_pose_range;

/* How poses are searched. */
typedef enum xncc_pose_search {
    /* XNCC_POSES_PYRAMID, where it can serve the request; otherwise XNCC_POSES_EXHAUSTIVE. */
    XNCC_POSES_AUTO = 0,
    /* Every pose at every position, on any engine of the context. */
    XNCC_POSES_EXHAUSTIVE = 1,
    /* From coarse to fine. The coarsest level is searched on any engine; the host's CPU does the
     * rest, also in a context of devices alone. The image must have no mask and no no-data value;
     * if it has floats, all must be finite. The library chooses the levels from the template's own
     * autocorrelation. A match can be missed; docs/poses.md says how often. */
    XNCC_POSES_PYRAMID = 2
} xncc_pose_search;

/* Options of xncc_find_poses. Set by XNCC_POSE_OPTIONS_INIT. */
typedef struct xncc_pose_options {
    uint32_t size; /* sizeof(xncc_pose_options) */
    xncc_pose_search search;
    xncc_support support;
    /* 1: a match may have reversed contrast. Its score is then negative, and what is said below
     * about scores holds for their magnitude. */
    int32_t any_polarity;
    /* 1: matches are refined to fractions of a pixel, of a step of the angle and of a step of the
     * scale. 0: they keep the pose of the grid. */
    int32_t refine;
    /* The smallest score of a match, 0 .. 1. XNCC_AUTO: for each template the score that the best
     * of all its poses and windows exceeds by chance with a probability of at most 1 percent
     * (xncc_chance_limit), but within XNCC_POSE_LEAST_LIMIT .. XNCC_POSE_MOST_LIMIT. */
    float min_score;
    /* Degrees. A range of 360 is the full circle; its last angle is left out, as it is the first.
     * More than 360 is XNCC_ERROR_ARGUMENT. */
    xncc_pose_range angles;
    xncc_pose_range scales; /* XNCC_MIN_SCALE .. XNCC_MAX_SCALE */
    /* Two matches whose rotated frames share more than this part of their union are one object; the
     * better one is kept. 0 .. 1; 1 suppresses nothing. */
    double overlap;
    size_t top;         /* the largest number of matches; XNCC_ALL: the capacity of the array */
    double min_valid;   /* as in xncc_match_rule, of the pixels that count at the pose */
    const char *kernel; /* as in xncc_correlate_options */
} xncc_pose_options;

/* The range of min_score XNCC_AUTO. */
#define XNCC_POSE_LEAST_LIMIT 0.5
#define XNCC_POSE_MOST_LIMIT 0.8

/* The full circle at scale 1, scores that chance does not explain, frames that share no more than
 * 0.3. */
#define XNCC_POSE_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(xncc_pose_options), XNCC_POSES_AUTO, XNCC_SUPPORT_WHOLE, 0, 1, XNCC_AUTO,           \
            { 0.0, 360.0, XNCC_AUTO }, { 1.0, 1.0, XNCC_AUTO }, 0.3, XNCC_ALL, 0.5, NULL           \
    }

/* A template found at a pose. */
typedef struct xncc_pose_match {
    double center_x; /* the centre of the template in image coordinates */
    double center_y;
    double angle; /* degrees, counter-clockwise as seen */
    double scale;
    /* The exact NCC of the best pose of the grid: that of xncc_template_resample for grid_angle and
     * grid_scale, in the window at (x, y). */
    float score;
    int32_t templ; /* the index into the array of templates */
    int32_t x, y, width, height;
    double grid_angle, grid_scale;
    /* The fitted surface's value at the refined pose; `score` if there is no fit. */
    double fit_score;
} xncc_pose_match;

/* Finds templates in an image at any rotation and scale.
 *
 * The score of a pose is the NCC (XNCC_CCOEFF_NORMED) of its resampled template, exact as
 * everywhere in this library, so that every kernel gives the same bits. The result:
 *
 * 1. Each pose of each template contributes the matches that xncc_find returns for it with the
 *    default minimum distance, the best 4096 of them.
 * 2. All are ordered by score, best first. Equal scores are ordered by y and x of the window, then
 *    template, scale and angle, smallest first. The first 131072 are kept.
 * 3. They are accepted in that order. A match whose frame overlaps that of an accepted one by more
 *    than the limit is removed.
 * 4. The accepted ones are refined. A quadratic surface in x, y, angle and scale (in those of them
 *    that have a range) is fitted to exact scores around the pose. Further fits around the peak of
 *    the one before, with the template resampled there, remove most of what the first is biased by.
 *    The fits use the pixels of the template that are two pixels away from any that does not count
 *    and from its edge, so that shifted windows compare the object with itself; if these are less
 *    than half, they use all. A match keeps its pose where the windows of a fit would leave the
 * image or the surface has no peak nearby. docs/poses.md has the measured errors.
 *
 * With XNCC_POSES_PYRAMID, step 1 contributes only the poses to which the coarse levels led.
 *
 * - context: must be the context of the templates.
 * - image: in host or device memory. One in device memory is copied to the host for a pyramid, and
 *   if matches are refined.
 * - templ: `count` templates with the pixel type and the channels of the image. A pose that does
 *   not fit into the image is left out.
 * - options: NULL means XNCC_POSE_OPTIONS_INIT.
 * - match: receives at most `capacity` matches, best first; in host memory. May be NULL if capacity
 *   is 0.
 * - found: receives the number of matches; 0 after a failure.
 *
 * Returns XNCC_OK, XNCC_ERROR_ARGUMENT, XNCC_ERROR_MEMORY, XNCC_ERROR_UNSUPPORTED (more than a
 * million poses, a side above XNCC_MAX_POSE_SIDE, or what XNCC_POSES_PYRAMID or a kernel cannot
 * serve) or XNCC_ERROR_DEVICE. Several threads may call it at once with one context. */
XNCC_API xncc_status xncc_find_poses(xncc_context *context, const xncc_image *image,
                                     const xncc_template *const *templ, size_t count,
                                     const xncc_pose_options *options, xncc_pose_match *match,
                                     size_t capacity, size_t *found, xncc_error *error);

#ifdef __cplusplus
}
#endif
#endif
