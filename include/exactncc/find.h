/* exactncc: the one-call conveniences for matching. SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_FIND_H
#define EXACTNCC_FIND_H

#include "template.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which windows a map has a score for. With a W x H image and a w x h template (either side of it
 * may exceed the image, but in XNCC_VALID): XNCC_VALID: the windows wholly inside the image; the
 * map is (W-w+1) x (H-h+1) and its element (x, y) belongs to the window whose top-left pixel is (x,
 * y). The template must not exceed the image. XNCC_SAME:  one window centred on each image pixel;
 * the map is W x H and its element (x, y) belongs to the window whose top-left pixel is (x - w/2, y
 * - h/2), integer division. Pixels outside the image come from the border. XNCC_FULL:  every window
 * that shares a pixel with the image; the map is (W+w-1) x (H+h-1) and its element (x, y) belongs
 * to the window whose top-left pixel is (x - w + 1, y - h + 1). Pixels outside the image come from
 * the border. */
typedef enum xncc_mode { XNCC_VALID = 0, XNCC_SAME = 1, XNCC_FULL = 2 } xncc_mode;

/* The pixels outside the image, in modes XNCC_SAME and XNCC_FULL. Where the image has a mask or a
 * no-data value, a pixel that is repeated counts when the one it repeats does; zeros count.
 * Convolution offers the first two. */
typedef enum xncc_border {
    XNCC_BORDER_CLAMP = 0,  /* the nearest pixel of the image, repeated */
    XNCC_BORDER_ZERO = 1,   /* 0 */
    XNCC_BORDER_MIRROR = 2, /* mirrored at the edge pixel, which is not repeated: c b a|b c d..., a
                               | the edge; period 2 * (W - 1) */
    XNCC_BORDER_WRAP = 3,   /* the image again and again */
    XNCC_BORDER_OVERLAP = 4 /* there are none: only the window's pixels inside the image count */
} xncc_border;

/* What a window scores where the method has no value (see xncc_method). */
typedef enum xncc_flat { XNCC_FLAT_ZERO = 0, XNCC_FLAT_NAN = 1 } xncc_flat;

/* All zero: NCC of every window inside the image.
 * min_valid matters where not every pixel counts (masks, no-data values, XNCC_BORDER_OVERLAP): a
 * window in which fewer than this fraction of the template's own pixels count scores NaN, and is
 * never a match. 0 .. 1; 0 means 0.5. At least one pixel must count. (Few pixels correlate well by
 * chance: two of them always score 1 or -1.) */
typedef struct xncc_options {
    xncc_method method;
    xncc_mode mode;
    xncc_border border;
    xncc_flat flat;
    double min_valid;
    const char *kernel; /* force a kernel by name (docs/guide.md lists them); NULL: the fastest. One
                           that cannot serve the request is XNCC_ERROR_UNSUPPORTED, and the text
                           names the limit */
} xncc_options;

/* A match: the top-left pixel of its window in image coordinates (so in mode XNCC_SAME it may lie
 * outside the image), and its score. */
typedef struct xncc_match {
    int32_t x;
    int32_t y;
    float score;
} xncc_match;

/* All zero: as many matches as the array holds, NCC, no window twice.
 * Which matches are found is fully determined, and the same on every device:
 * 1. Scores are ordered best first (largest first; smallest first for the sqdiff methods), then by
 * y, then by x, smallest first.
 * 2. A position is a candidate when its score is not NaN, keeps the limit below, and, with a
 * minimum distance over 1, comes before each of its eight neighbours in that order.
 * 3. Candidates are taken in that order; one that is closer than the minimum distance to one
 * already taken is passed over. The distance of two positions is the larger of |dx| and |dy|. */
typedef struct xncc_find_options {
    xncc_method method;
    xncc_mode mode;
    xncc_border border;
    double min_valid;   /* as in xncc_options */
    const char *kernel; /* as in xncc_options */
    size_t top;         /* how many at most; 0: the array's capacity */
    float min_score;    /* a match scores at least this; -INFINITY keeps all. Not used by the sqdiff
                           methods */
    float max_score;    /* sqdiff methods: a match scores at most this; 0: no limit. Not used by the
                           others */
    int32_t min_distance; /* pixels; 1: every position counts; 0: half the template's shorter side,
                             at least 1 */
} xncc_find_options;

/* Writes the map of the image under the template. The map must have the extents of the mode
 * (xncc_mode above; xncc_map_extent). options may be NULL. Image and template must have one pixel
 * type and as many channels. Image and map may lie in host or device memory, together or apart;
 * device memory needs a context with the CUDA device. The call returns when the map is written.
 * XNCC_ERROR_ARGUMENT, XNCC_ERROR_MEMORY, XNCC_ERROR_UNSUPPORTED, XNCC_ERROR_DEVICE; after a
 * failure the map's content is undefined. */
XNCC_API xncc_status xncc_correlate(xncc_context *context, const xncc_image *image,
                                    const xncc_template *templ, const xncc_options *options,
                                    const xncc_map *map);

/* Finds the best matches of the template in the image, best first: at most capacity of them into
 * match, and their number into *found (0 is a success: nothing kept the limit). options may be
 * NULL. match may be NULL when capacity is 0. Errors as xncc_correlate; *found is 0 after a
 * failure. */
XNCC_API xncc_status xncc_find(xncc_context *context, const xncc_image *image,
                               const xncc_template *templ, const xncc_find_options *options,
                               xncc_match *match, size_t capacity, size_t *found);

/* The extents of a map, in elements, and the top-left pixel of the window of its element (0, 0).
 * XNCC_ERROR_ARGUMENT when a side is not within 1 .. XNCC_MAX_SIDE or, in mode XNCC_VALID, the
 * template exceeds the image. */
XNCC_API xncc_status xncc_map_extent(xncc_mode mode, int32_t image_width, int32_t image_height,
                                     int32_t template_width, int32_t template_height,
                                     int32_t *width, int32_t *height, int32_t *x0, int32_t *y0);

#ifdef __cplusplus
}
#endif
#endif
