/* exactncc: suppression: one list of the matches of several templates.
 * SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_SUPPRESS_H
#define EXACTNCC_SUPPRESS_H

#include "context.h"
#include "image.h"
#include "rules.h"

#ifdef __cplusplus
extern "C" {
#endif

/* When two matches are taken for the same object, so that only the better one is kept. */
typedef enum xncc_suppress_kind {
    /* The centres of their windows are closer than the limit. */
    XNCC_SUPPRESS_DISTANCE = 0,
    /* The area that their windows share, divided by the area of their union (IoU), exceeds the
     * limit. */
    XNCC_SUPPRESS_OVERLAP = 1
} xncc_suppress_kind;

/* A match of one of several templates. */
typedef struct xncc_candidate {
    xncc_match match;
    int32_t templ;  /* the number of the template, in any numbering; breaks ties, smallest first */
    int32_t width;  /* the width of that template, in pixels, 1 .. XNCC_MAX_SIDE */
    int32_t height; /* the height of that template, in pixels, 1 .. XNCC_MAX_SIDE */
} xncc_candidate;

/* Which matches are suppressed. */
typedef struct xncc_suppress_rule {
    uint32_t size; /* sizeof(xncc_suppress_rule) */
    xncc_suppress_kind kind;
    /* The limit. XNCC_SUPPRESS_DISTANCE: pixels, 0 .. 2^31, compared with the larger of |dx| and
     * |dy|; 0 suppresses nothing. XNCC_SUPPRESS_OVERLAP: 0 .. 1; 1 suppresses nothing, 0 suppresses
     * every window that shares a pixel with a better one. */
    double limit;
    /* The largest number of matches to keep; XNCC_ALL: no limit. */
    size_t top;
} xncc_suppress_rule;

/* Windows that overlap by more than a half; all matches are kept. */
#define XNCC_SUPPRESS_RULE_INIT                                                                    \
    {                                                                                              \
        sizeof(xncc_suppress_rule), XNCC_SUPPRESS_OVERLAP, 0.5, XNCC_ALL                           \
    }

/* Makes one list of the matches of several templates, or of several searches of one image, by
 * non-maximum suppression:
 *
 * 1. Candidates whose score is NaN are removed.
 * 2. The others are ordered by score, best first. Equal scores are ordered by y, x, template
 *    number, width and height, smallest first.
 * 3. They are accepted in that order. A candidate that the rule takes for the same object as an
 *    accepted one is removed.
 *
 * The scores of the templates must be comparable, so they should come from a normed method.
 *
 * Distances are compared exactly. The overlap is the quotient of two exact integers, rounded to
 * double.
 *
 * - method: says whether large or small scores are good.
 * - candidate: an array of `count` candidates in host memory, reordered in place. Its first *kept
 *   elements are the result; the order of the others is not specified. May be NULL if count is 0.
 *   Coordinates must be within -XNCC_MAX_SIDE .. XNCC_MAX_SIDE.
 * - rule: NULL means XNCC_SUPPRESS_RULE_INIT.
 * - kept: receives the number of matches in the result; 0 after a failure.
 *
 * Returns XNCC_OK, or XNCC_ERROR_ARGUMENT for a null pointer or a value out of range; the array is
 * then unchanged. The call keeps no memory. Its time is proportional to count * *kept, plus
 * sorting. Any thread may call it. */
XNCC_API xncc_status xncc_suppress(xncc_method method, xncc_candidate *candidate, size_t count,
                                   const xncc_suppress_rule *rule, size_t *kept, xncc_error *error);

/* The largest number of candidates that a suppressor holds. */
#define XNCC_MAX_SUPPRESSOR 65536

/* xncc_suppress in device memory, for the matches of xncc_plan_find_on_device:
 *
 *     xncc_suppressor_clear(suppressor, stream, &error);
 *     for (i = 0; i < count; i++) {
 *         xncc_plan_find_on_device(plan[i], &image, templ[i], NULL, match, 64, found, stream,
 *                                  &error);
 *         xncc_suppressor_add(suppressor, match, found, i, width[i], height[i], stream, &error);
 *     }
 *     xncc_suppressor_run(suppressor, method, NULL, result, 64, kept, stream, &error);
 *
 * All work is put on the stream. No call waits, allocates memory or queries the device, so the
 * calls can be captured into a CUDA graph. One thread at a time may use a suppressor, and its calls
 * must go to one stream or to streams that wait for each other. */
typedef struct xncc_suppressor xncc_suppressor;

/* Makes an empty suppressor.
 *
 * - context: must have a CUDA device.
 * - room: the largest number of candidates that it holds, 1 .. XNCC_MAX_SUPPRESSOR. It takes about
 *   60 bytes of device memory per candidate.
 * - suppressor: receives the suppressor, or NULL after a failure. The caller owns it and must give
 *   it to xncc_suppressor_destroy before the context is destroyed.
 *
 * Returns XNCC_OK, XNCC_ERROR_ARGUMENT, XNCC_ERROR_MEMORY, XNCC_ERROR_UNSUPPORTED (the context has
 * no CUDA device) or XNCC_ERROR_DEVICE. */
XNCC_API xncc_status xncc_suppressor_create(xncc_context *context, size_t room,
                                            xncc_suppressor **suppressor, xncc_error *error);

/* Waits for the device and frees a suppressor. NULL is allowed. */
XNCC_API void xncc_suppressor_destroy(xncc_suppressor *suppressor);

/* Removes all candidates. Returns XNCC_OK, XNCC_ERROR_ARGUMENT (a null pointer) or
 * XNCC_ERROR_DEVICE. */
XNCC_API xncc_status xncc_suppressor_clear(xncc_suppressor *suppressor, xncc_stream stream,
                                           xncc_error *error);

/* Adds the matches of one template.
 *
 * - match: *found matches in device memory. match and found may be overwritten by later work on the
 *   stream.
 * - found: their number, in device memory.
 * - templ, width, height: the number and the size of the template, as in xncc_candidate.
 *
 * Statuses as for xncc_suppressor_clear. */
XNCC_API xncc_status xncc_suppressor_add(xncc_suppressor *suppressor, const xncc_match *match,
                                         const uint32_t *found, int32_t templ, int32_t width,
                                         int32_t height, xncc_stream stream, xncc_error *error);

/* Adds candidates.
 *
 * - candidate: `count` candidates in device memory, with the ranges that xncc_suppress requires.
 *   This is not checked.
 *
 * Statuses as for xncc_suppressor_clear. */
XNCC_API xncc_status xncc_suppressor_add_candidates(xncc_suppressor *suppressor,
                                                    const xncc_candidate *candidate, size_t count,
                                                    xncc_stream stream, xncc_error *error);

/* Makes one list of the candidates that were added. The result is that of xncc_suppress. The
 * candidates stay until xncc_suppressor_clear.
 *
 * - method, rule: as for xncc_suppress.
 * - result: receives the first `capacity` matches of the result; in device memory. The rest of the
 *   array is unchanged.
 * - capacity: at least 1.
 * - kept: receives the number of matches written; in device memory. If more candidates were added
 *   than the suppressor holds, it is UINT32_MAX and nothing is written to result.
 *
 * The work is proportional to the square of the number of candidates, spread over the device.
 * Statuses as for xncc_suppressor_clear; also XNCC_ERROR_ARGUMENT for a value out of range. */
XNCC_API xncc_status xncc_suppressor_run(xncc_suppressor *suppressor, xncc_method method,
                                         const xncc_suppress_rule *rule, xncc_candidate *result,
                                         size_t capacity, uint32_t *kept, xncc_stream stream,
                                         xncc_error *error);

#ifdef __cplusplus
}
#endif
#endif
