/* exactncc: many templates of any mix of sizes on one image. SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef EXACTNCC_BATCH_H
#define EXACTNCC_BATCH_H

#include "merge.h"
#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds `count` templates in one image: of any mix of sizes, masked and whole, all of the image's
 * pixel type and channels. Each template's matches are those that xncc_find has for it alone, with
 * these options and an array of `capacity`; so options' top, min_distance and score limits are of
 * each template. Then merge is NULL   all of them are put into one order: best first, then by y, x,
 * template, width, height, smallest first otherwise       they are merged by xncc_matches_merge
 * (nms.h) under *merge, whose method is not looked at: options' counts (XNCC_COVERAGE: large is
 * good) and the first `capacity` of the result go to match, their number to *found; part says which
 * template, from 0. The result is fully determined: bit for bit what calls for single templates and
 * xncc_matches_merge give, on every device.
 *
 * Templates of one size and maskedness go through one plan as a bank (xncc_plan_find_batch), the
 * sizes one after the other; a GPU gets an image from host memory once for all of them. While it
 * runs it takes memory for count * (the smaller of options' top and capacity) candidates, and that
 * of a plan for each size. options and merge may be NULL; part may be NULL when count is 0, match
 * when capacity is 0. In mode XNCC_VALID every template must fit into the image.
 * XNCC_ERROR_ARGUMENT (where a template is at fault, the text has its number), XNCC_ERROR_MEMORY,
 * XNCC_ERROR_UNSUPPORTED, XNCC_ERROR_DEVICE; *found is 0 after a failure. Threads as xncc_find. */
XNCC_API xncc_status xncc_find_batch(xncc_context *context, const xncc_image *image,
                                     const xncc_template *const *templ, size_t count,
                                     const xncc_find_options *options,
                                     const xncc_merge_options *merge, xncc_candidate *match,
                                     size_t capacity, size_t *found);

/* The best template at each position: two maps of the same extents in the same memory. */
typedef struct xncc_best {
    xncc_map score; /* the best score; NaN where no template has one */
    int32_t *index; /* which template has it, from 0; of equal ones the first; -1 where none has a
                       score. Aligned to 4 bytes */
    int64_t index_pitch; /* bytes a row, a multiple of 4; 0: tight */
} xncc_best;

/* Writes, for each position, the best of the scores that xncc_correlate has for each of `count` (at
 * least 1) templates alone with these options: the largest, for the sqdiff methods the smallest.
 * NaN is no score. XNCC_SAME   positions are the pixels of the image, and a template's window is
 * centred there (xncc_mode); best is W x H XNCC_VALID  a position is the window's top-left pixel;
 * best is (W-w+1) x (H-h+1) with w the least of the templates' widths and h the least of their
 * heights. Where a template's window does not fit it has no score XNCC_FULL   is not offered
 * (XNCC_ERROR_UNSUPPORTED): its maps have no positions in common Every score has the bits of
 * xncc_correlate. While it runs it takes memory for one map more, in the memory of the engine;
 * nothing goes through the host but what lies there. options may be NULL. Errors, threads and
 * memory as xncc_correlate. */
XNCC_API xncc_status xncc_correlate_best(xncc_context *context, const xncc_image *image,
                                         const xncc_template *const *templ, size_t count,
                                         const xncc_options *options, const xncc_best *best);

/* The same bound to templates, sizes and workspace, for many images. One thread at a time may use
 * it. */
typedef struct xncc_batch xncc_batch;

/* What xncc_batch_find shall do. All zero: nothing is found, as for xncc_batch_best alone. */
typedef struct xncc_batch_options {
    const xncc_find_options
        *find; /* top, score limits and min_distance; the problem has the rest. NULL: all zero */
    const xncc_merge_options *merge; /* NULL: no merging */
    size_t capacity;                 /* elements of the arrays that xncc_batch_find will be given */
} xncc_batch_options;

/* Makes the plans (xncc_plan_create) of all sizes and takes the memory. problem: its width, height
 * and templ_masked are not looked at, the templates' count. All plans are of one engine: where the
 * preference leaves it open and the best kernels of the sizes are of different engines, the GPU's.
 * options may be NULL and is copied. The array part is copied too; the templates must outlive
 * *many. On success *many is the caller's, to be given to xncc_batch_destroy before the context
 * goes; on failure it is NULL. Errors as xncc_find_batch. */
XNCC_API xncc_status xncc_batch_create(xncc_context *context, const xncc_problem *problem,
                                       const xncc_preference *preference,
                                       const xncc_template *const *templ, size_t count,
                                       const xncc_batch_options *options, xncc_batch **batch);

/* Frees it, after waiting for its work. NULL is allowed. */
XNCC_API void xncc_batch_destroy(xncc_batch *batch);

/* xncc_find_batch with what was bound; stream as xncc_plan_find. match has the capacity given to
 * xncc_batch_create. The first call takes what xncc_plan_find_batch's first takes, and device
 * memory for an image from the host; later ones take no memory beyond what xncc_plan_find takes. */
XNCC_API xncc_status xncc_batch_find(xncc_batch *batch, const xncc_image *image,
                                     xncc_candidate *match, size_t *found, xncc_stream stream);

/* xncc_correlate_best with what was bound. The first call takes memory for a map, later ones none.
 * On the CUDA engine the work is put on the stream, and where image and best lie in device memory
 * the call does not wait (xncc_plan_correlate). */
XNCC_API xncc_status xncc_batch_best(xncc_batch *batch, const xncc_image *image,
                                     const xncc_best *best, xncc_stream stream);

/* The most candidates that are merged on a GPU. */
#define XNCC_MAX_MERGER 65536

/* xncc_matches_merge in device memory, for the matches that xncc_plan_find_on_device leaves there:
 *
 *     xncc_merger_clear(merger, stream);
 *     for (i = 0; i < count; i++) {
 *         xncc_plan_find_on_device(plan[i], &image, part[i], NULL, match, 64, found, stream);
 *         xncc_merger_add(merger, match, found, &(xncc_candidate){ .part = i, .width = w[i],
 * .height = h[i] }, stream);
 *     }
 *     xncc_merger_merge(merger, NULL, result, 64, kept, stream);
 *
 * All that is put on the stream: no call waits, takes memory or asks the device anything, so they
 * may be captured into a CUDA graph. One thread at a time may use a merger, and its calls go to one
 * stream or to streams that wait for each other. */
typedef struct xncc_merger xncc_merger;

/* Takes device memory for `room` candidates, 1 .. XNCC_MAX_MERGER (some 60 bytes each), and empties
 * it. On success *merger is the caller's, to be given to xncc_merger_destroy before the context
 * goes; on failure it is NULL. XNCC_ERROR_ARGUMENT, XNCC_ERROR_MEMORY, XNCC_ERROR_UNSUPPORTED (the
 * context has no CUDA device), XNCC_ERROR_DEVICE. */
XNCC_API xncc_status xncc_merger_create(xncc_context *context, size_t room, xncc_merger **merger);

/* Frees it, after waiting for the device. NULL is allowed. */
XNCC_API void xncc_merger_destroy(xncc_merger *merger);

/* Empties it. */
XNCC_API xncc_status xncc_merger_clear(xncc_merger *merger, xncc_stream stream);

/* Adds *found matches; match and found lie in device memory, and may be used again for what follows
 * on the stream. like, in host memory and free after the call, says whose they are: its part, width
 * and height. */
XNCC_API xncc_status xncc_merger_add(xncc_merger *merger, const xncc_match *match,
                                     const uint32_t *found, const xncc_candidate *like,
                                     xncc_stream stream);

/* Adds `count` candidates in device memory. They must be as xncc_matches_merge takes them, which is
 * not checked. */
XNCC_API xncc_status xncc_merger_add_candidates(xncc_merger *merger,
                                                const xncc_candidate *candidate, size_t count,
                                                xncc_stream stream);

/* Merges what was added: the result of xncc_matches_merge, its first `capacity` (at least 1) into
 * result and their number into *kept, both in device memory. The rest of result is as it was. Where
 * more was added than there is room for, *kept is UINT32_MAX and nothing is written to result.
 * options may be NULL, as there. What was added stays, until xncc_merger_clear. The time grows as
 * count * count, spread over the device. XNCC_ERROR_ARGUMENT, XNCC_ERROR_DEVICE. */
XNCC_API xncc_status xncc_merger_merge(xncc_merger *merger, const xncc_merge_options *options,
                                       xncc_candidate *result, size_t capacity, uint32_t *kept,
                                       xncc_stream stream);

#ifdef __cplusplus
}
#endif
#endif
