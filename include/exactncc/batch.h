/* exactncc: several templates of any sizes on one image. SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_BATCH_H
#define EXACTNCC_BATCH_H

#include "merge.h"
#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds several templates in one image.
 *
 * Each template contributes the matches that xncc_find returns for it alone, with the same options
 * and an array of `capacity` matches. So top, min_distance and the score limits apply per template.
 * These matches become one list:
 *
 * - If merge is NULL, they are ordered by score, best first. Equal scores are ordered by y, x,
 *   template number, width and height, smallest first.
 * - Otherwise they are merged as by xncc_matches_merge with *merge. The method in *merge is
 *   ignored; that of the options applies, and with XNCC_COVERAGE a large score is good.
 *
 * The result is fully determined: on every device it has the bits that calls for single templates
 * and xncc_matches_merge give.
 *
 * - context: the engines to use. It must be the context of the templates.
 * - image: in host or device memory.
 * - templ: `count` templates with the pixel type and the channels of the image. Their sizes may
 *   differ, and some may have masks. In mode XNCC_VALID each must fit into the image. May be NULL
 *   if count is 0.
 * - options: NULL means all zero.
 * - merge: NULL means no merging.
 * - match: receives the first `capacity` matches of the list; in host memory. The member templ is
 *   the index into the array of templates. May be NULL if capacity is 0.
 * - found: receives the number of matches written; 0 after a failure.
 *
 * Templates of equal size that are all masked or all unmasked share one plan and go through
 * xncc_plan_find_batch; the groups follow one another. An image in host memory is copied to the GPU
 * once for all of them. While it runs, the call uses memory for count * min(top, capacity) matches
 * (top = 0: capacity) and for one plan per group.
 *
 * Returns XNCC_OK, XNCC_ERROR_ARGUMENT, XNCC_ERROR_MEMORY, XNCC_ERROR_UNSUPPORTED or
 * XNCC_ERROR_DEVICE. If a template is at fault, the error text has its index. Several threads may
 * call it at once with one context. */
XNCC_API xncc_status xncc_find_batch(xncc_context *context, const xncc_image *image,
                                     const xncc_template *const *templ, size_t count,
                                     const xncc_find_options *options,
                                     const xncc_merge_options *merge, xncc_candidate *match,
                                     size_t capacity, size_t *found);

/* The best template at each position: two maps with the same extents in the same memory. */
typedef struct xncc_best {
    xncc_map score;      /* the best score; NaN where no template has one */
    int32_t *index;      /* the index of its template; of equal scores the smallest; -1: none */
    int64_t index_pitch; /* bytes per row of index, a multiple of 4; 0: tightly packed */
} xncc_best;

/* Finds the best template at each position: the largest score that xncc_correlate gives for any of
 * the templates alone, or the smallest for XNCC_SQDIFF and XNCC_SQDIFF_NORMED. A NaN is not a
 * score.
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
 * - context, image: as for xncc_find_batch.
 * - templ: as for xncc_find_batch, but count is at least 1.
 * - options: NULL means all zero.
 * - best: receives the maps, in host or device memory.
 *
 * While it runs, the call uses memory for one more map, in the memory of the engine. Statuses and
 * threads as for xncc_correlate. */
XNCC_API xncc_status xncc_correlate_best(xncc_context *context, const xncc_image *image,
                                         const xncc_template *const *templ, size_t count,
                                         const xncc_options *options, const xncc_best *best);

/* Templates bound to plans and workspace, for many images of one size. One thread at a time may use
 * a batch. */
typedef struct xncc_batch xncc_batch;

/* What xncc_batch_find does. All zero: the capacity is 0 and nothing is found, which is enough for
 * xncc_batch_best. */
typedef struct xncc_batch_options {
    /* top, min_score, max_score and min_distance; the other members are ignored, as the problem has
     * them. NULL: all zero. */
    const xncc_find_options *find;
    /* As for xncc_find_batch; NULL: no merging. */
    const xncc_merge_options *merge;
    /* The number of elements of the arrays that xncc_batch_find will receive. */
    size_t capacity;
} xncc_batch_options;

/* Makes a batch: a plan for each group of templates, and the memory for their matches.
 *
 * - problem: copied. problem->width, height and templ_masked are ignored; each template supplies
 *   its own. The task must be XNCC_TASK_MATCH.
 * - preference: NULL means no preference. All plans use one engine. If the preference leaves it
 *   open and the best kernels belong to different engines, all plans use the CUDA engine, or the
 *   CPU engine if a template cannot be served there.
 * - templ: `count` templates as for xncc_find_batch. The array is copied; the templates must
 *   outlive the batch.
 * - options: NULL means all zero. Copied, with what it points to.
 * - batch: receives the batch, or NULL after a failure. The caller owns it and must give it to
 *   xncc_batch_destroy before the context is destroyed.
 *
 * Statuses as for xncc_find_batch. */
XNCC_API xncc_status xncc_batch_create(xncc_context *context, const xncc_problem *problem,
                                       const xncc_preference *preference,
                                       const xncc_template *const *templ, size_t count,
                                       const xncc_batch_options *options, xncc_batch **batch);

/* Waits for the work of a batch and frees it. NULL is allowed. */
XNCC_API void xncc_batch_destroy(xncc_batch *batch);

/* xncc_find_batch with a batch.
 *
 * - image: must have the size and type of the batch's problem.
 * - match: receives at most the capacity of the batch's options; in host memory. May be NULL if the
 *   capacity is 0.
 * - found: receives the number of matches; 0 after a failure.
 * - stream: as for xncc_plan_find.
 *
 * The first call allocates what a first xncc_plan_find_batch allocates and, for an image in host
 * memory, a copy of the image on the GPU. Later calls allocate no more than xncc_plan_find does.
 * Statuses as for xncc_find_batch. */
XNCC_API xncc_status xncc_batch_find(xncc_batch *batch, const xncc_image *image,
                                     xncc_candidate *match, size_t *found, xncc_stream stream);

/* xncc_correlate_best with a batch of at least one template.
 *
 * - image: must have the size and type of the batch's problem.
 * - best: as for xncc_correlate_best.
 * - stream: where the CUDA engine puts its work. If image and best are in device memory, the call
 *   returns without waiting; lifetimes as for xncc_plan_correlate.
 *
 * The first call allocates memory for a map. Statuses as for xncc_correlate_best. */
XNCC_API xncc_status xncc_batch_best(xncc_batch *batch, const xncc_image *image,
                                     const xncc_best *best, xncc_stream stream);

/* The largest number of candidates that a merger holds. */
#define XNCC_MAX_MERGER 65536

/* xncc_matches_merge in device memory, for the matches of xncc_plan_find_on_device:
 *
 *     xncc_merger_clear(merger, stream);
 *     for (i = 0; i < count; i++) {
 *         xncc_candidate like = { .templ = i, .width = width[i], .height = height[i] };
 *         xncc_plan_find_on_device(plan[i], &image, templ[i], NULL, match, 64, found, stream);
 *         xncc_merger_add(merger, match, found, &like, stream);
 *     }
 *     xncc_merger_merge(merger, NULL, result, 64, kept, stream);
 *
 * All work is put on the stream. No call waits, allocates memory or queries the device, so the
 * calls can be captured into a CUDA graph. One thread at a time may use a merger, and its calls
 * must go to one stream or to streams that wait for each other. */
typedef struct xncc_merger xncc_merger;

/* Makes an empty merger.
 *
 * - context: must have a CUDA device.
 * - room: the largest number of candidates that it holds, 1 .. XNCC_MAX_MERGER. It takes about 60
 *   bytes of device memory per candidate.
 * - merger: receives the merger, or NULL after a failure. The caller owns it and must give it to
 *   xncc_merger_destroy before the context is destroyed.
 *
 * Returns XNCC_OK, XNCC_ERROR_ARGUMENT, XNCC_ERROR_MEMORY, XNCC_ERROR_UNSUPPORTED (the context has
 * no CUDA device) or XNCC_ERROR_DEVICE. */
XNCC_API xncc_status xncc_merger_create(xncc_context *context, size_t room, xncc_merger **merger);

/* Waits for the device and frees a merger. NULL is allowed. */
XNCC_API void xncc_merger_destroy(xncc_merger *merger);

/* Removes all candidates. Returns XNCC_OK, XNCC_ERROR_ARGUMENT (a null pointer) or
 * XNCC_ERROR_DEVICE. */
XNCC_API xncc_status xncc_merger_clear(xncc_merger *merger, xncc_stream stream);

/* Adds the matches of one template.
 *
 * - match: *found matches in device memory. match and found may be overwritten by later work on the
 *   stream.
 * - found: their number, in device memory.
 * - like: in host memory, free after the call. Its templ, width and height are those of the
 *   template; its match is ignored.
 *
 * Statuses as for xncc_merger_clear. */
XNCC_API xncc_status xncc_merger_add(xncc_merger *merger, const xncc_match *match,
                                     const uint32_t *found, const xncc_candidate *like,
                                     xncc_stream stream);

/* Adds candidates.
 *
 * - candidate: `count` candidates in device memory, with the ranges that xncc_matches_merge
 *   requires. This is not checked.
 *
 * Statuses as for xncc_merger_clear. */
XNCC_API xncc_status xncc_merger_add_candidates(xncc_merger *merger,
                                                const xncc_candidate *candidate, size_t count,
                                                xncc_stream stream);

/* Merges the candidates that were added. The result is that of xncc_matches_merge. The candidates
 * stay until xncc_merger_clear.
 *
 * - options: as for xncc_matches_merge; NULL has the same meaning.
 * - result: receives the first `capacity` matches of the result; in device memory. The rest of the
 *   array is unchanged.
 * - capacity: at least 1.
 * - kept: receives the number of matches written; in device memory. If more candidates were added
 *   than the merger holds, it is UINT32_MAX and nothing is written to result.
 *
 * The work is proportional to the square of the number of candidates, spread over the device.
 * Statuses as for xncc_merger_clear; also XNCC_ERROR_ARGUMENT for an option out of range. */
XNCC_API xncc_status xncc_merger_merge(xncc_merger *merger, const xncc_merge_options *options,
                                       xncc_candidate *result, size_t capacity, uint32_t *kept,
                                       xncc_stream stream);

#ifdef __cplusplus
}
#endif
#endif
