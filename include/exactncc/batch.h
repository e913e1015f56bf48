/* exactncc: several templates of any sizes on one image. SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_BATCH_H
#define EXACTNCC_BATCH_H

#include "find.h"
#include "plan.h"
#include "suppress.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds several templates in one image.
 *
 * Each template contributes the matches that xncc_find returns for it alone, with the same options
 * and an array of `capacity` matches. So top, min_distance and the score limits apply per template.
 * These matches become one list:
 *
 * - If suppress is NULL, they are ordered by score, best first. Equal scores are ordered by y, x,
 *   template number, width and height, smallest first.
 * - Otherwise xncc_suppress makes the list with *suppress.
 *
 * The result is fully determined: on every device it has the bits that calls for single templates
 * and xncc_suppress give.
 *
 * - context: the engines to use. It must be the context of the templates.
 * - image: in host or device memory.
 * - templ: `count` templates with the pixel type and the channels of the image. Their sizes may
 *   differ, and some may have masks. In mode XNCC_VALID each must fit into the image. May be NULL
 *   if count is 0.
 * - options: NULL means XNCC_FIND_OPTIONS_INIT.
 * - suppress: NULL means that no match is suppressed.
 * - match: receives the first `capacity` matches of the list; in host memory. The member templ is
 *   the index into the array of templates. May be NULL if capacity is 0.
 * - found: receives the number of matches written; 0 after a failure.
 *
 * Templates of equal size that are all masked or all unmasked share one plan and are searched
 * together; the groups follow one another. An image in host memory is copied to the GPU once for
 * all of them. While it runs, the call uses memory for count * min(top, capacity) matches and for
 * one plan per group.
 *
 * Returns XNCC_OK, XNCC_ERROR_ARGUMENT, XNCC_ERROR_MEMORY, XNCC_ERROR_UNSUPPORTED or
 * XNCC_ERROR_DEVICE. If the context, the type or the size of a template does not suit the image,
 * the error text has its index; if no kernel can serve it, the text has the kernel's limit. Several
 * threads may call it at once with one context. */
XNCC_API xncc_status xncc_find_batch(xncc_context *context, const xncc_image *image,
                                     const xncc_template *const *templ, size_t count,
                                     const xncc_find_options *options,
                                     const xncc_suppress_rule *suppress, xncc_candidate *match,
                                     size_t capacity, size_t *found, xncc_error *error);

/* The best template at each position: two maps with the same extents in the same memory. */
typedef struct xncc_best {
    xncc_map score;      /* the best score; NaN where no template has one */
    int32_t *index;      /* the index of its template; of equal scores the smallest; -1: none */
    int64_t index_pitch; /* bytes per row of index, a multiple of 4; 0: tightly packed */
} xncc_best;

/* Templates bound to plans and workspace, for many images of one size. One thread at a time may use
 * a batch. */
typedef struct xncc_batch xncc_batch;

/* What xncc_batch_find does. Set by XNCC_BATCH_OPTIONS_INIT: nothing is found, which is enough for
 * xncc_batch_best. */
typedef struct xncc_batch_options {
    uint32_t size; /* sizeof(xncc_batch_options) */
    /* For each template. */
    xncc_peak_rule peaks;
    /* As for xncc_find_batch; NULL: no match is suppressed. */
    const xncc_suppress_rule *suppress;
    /* The number of elements of the arrays that xncc_batch_find will receive. */
    size_t capacity;
} xncc_batch_options;

/* The rule XNCC_PEAK_RULE_INIT, nothing suppressed, capacity 0. */
#define XNCC_BATCH_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(xncc_batch_options), XNCC_PEAK_RULE_INIT, NULL, 0                                   \
    }

/* Makes a batch: a plan for each group of templates, and the memory for their matches.
 *
 * - problem: copied. Each template supplies its own size and mask: templ_width, templ_height and
 *   templ_masked must be 0. The task must be XNCC_TASK_MATCH.
 * - preference: NULL means XNCC_PREFERENCE_INIT. All plans use one engine. If the preference leaves
 *   it open and the best kernels belong to different engines, all plans use the CUDA engine, or the
 *   CPU engine if a template cannot be served there.
 * - templ: `count` templates as for xncc_find_batch. The array is copied; the templates must
 *   outlive the batch.
 * - options: NULL means XNCC_BATCH_OPTIONS_INIT. Copied, with what it points to.
 * - batch: receives the batch, or NULL after a failure. The caller owns it and must give it to
 *   xncc_batch_destroy before the context is destroyed.
 *
 * Statuses as for xncc_find_batch. */
XNCC_API xncc_status xncc_batch_create(xncc_context *context, const xncc_problem *problem,
                                       const xncc_preference *preference,
                                       const xncc_template *const *templ, size_t count,
                                       const xncc_batch_options *options, xncc_batch **batch,
                                       xncc_error *error);

/* Waits for the work of a batch and frees it. NULL is allowed. */
XNCC_API void xncc_batch_destroy(xncc_batch *batch);

/* Describes the plan that searches one of the templates. Templates of one size share a plan.
 *
 * - number: of the template, below the number of templates.
 * - info: as for xncc_plan_describe.
 *
 * Returns XNCC_OK or XNCC_ERROR_ARGUMENT. */
XNCC_API xncc_status xncc_batch_describe(const xncc_batch *batch, size_t number,
                                         xncc_plan_info *info, xncc_error *error);

/* xncc_find_batch with a batch.
 *
 * - image: must have the size and type of the batch's problem.
 * - match: receives at most the capacity of the batch's options; in host memory. May be NULL if the
 *   capacity is 0.
 * - found: receives the number of matches; 0 after a failure.
 * - stream: as for xncc_plan_find.
 *
 * On the CPU engine the first call with three or more templates of 8 bits may allocate up to 15
 * bytes per pixel of the image, and no more than 128 MB, for bounds that skip most of the work; and
 * the first call with two or more, no more than 192 MB for what their searches share. On
 * the CUDA engine the first call allocates memory for what several templates need at once, and for
 * an image in host memory a copy on the GPU. Later calls allocate no more than xncc_plan_find
 * does. Statuses as for xncc_find_batch. */
XNCC_API xncc_status xncc_batch_find(xncc_batch *batch, const xncc_image *image,
                                     xncc_candidate *match, size_t *found, xncc_stream stream,
                                     xncc_error *error);

/* Finds the best template at each position: the largest score that xncc_correlate gives for any of
 * the templates alone, or the smallest for XNCC_SQDIFF and XNCC_SQDIFF_NORMED. A NaN is not a
 * score. The batch must have at least one template.
 *
 * The positions depend on the mode:
 *
 * - XNCC_SAME: the pixels of the image. The windows of all templates are centred there (xncc_mode).
 *   The maps are W x H.
 * - XNCC_VALID: the top-left pixels of the windows. The maps are (W-w+1) x (H-h+1), where w is the
 *   smallest width of a template and h the smallest height. A template has no score where its
 *   window does not fit into the image.
 * - XNCC_FULL: XNCC_ERROR_UNSUPPORTED, because the maps have no positions in common.
 *
 * Every score has the bits of xncc_correlate.
 *
 * - image: must have the size and type of the batch's problem.
 * - best: receives the maps, in host or device memory.
 * - stream: where the CUDA engine puts its work. If image and best are in device memory, the call
 *   returns without waiting; lifetimes as for xncc_plan_correlate.
 *
 * The first call allocates memory for a map. Statuses as for xncc_correlate. */
XNCC_API xncc_status xncc_batch_best(xncc_batch *batch, const xncc_image *image,
                                     const xncc_best *best, xncc_stream stream, xncc_error *error);

#ifdef __cplusplus
}
#endif
#endif
