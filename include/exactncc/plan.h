/* exactncc: plans, for doing the same thing many times. SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_PLAN_H
#define EXACTNCC_PLAN_H

#include "convolve.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a plan is for. */
typedef enum xncc_task {
    XNCC_TASK_MATCH = 0,   /* xncc_plan_correlate and xncc_plan_find */
    XNCC_TASK_CONVOLVE = 1 /* xncc_plan_convolve */
} xncc_task;

/* The sizes and rules that a plan is bound to. */
typedef struct xncc_problem {
    xncc_task task;
    xncc_pixel pixel;    /* of the image (and the template) */
    int32_t image_width; /* pixels */
    int32_t image_height;
    int32_t width; /* of the template or the filter */
    int32_t height;
    xncc_method method; /* XNCC_TASK_MATCH */
    xncc_mode mode;     /* XNCC_TASK_MATCH */
    xncc_border border;
    xncc_flat flat;       /* XNCC_TASK_MATCH */
    int32_t channels;     /* XNCC_TASK_MATCH: samples a pixel; 0: 1 */
    int32_t image_masked; /* XNCC_TASK_MATCH: 1: images may come with a mask or a no-data value; 0:
                             they may not */
    int32_t templ_masked; /* XNCC_TASK_MATCH: 1: for templates of which not every pixel counts
                            (xncc_template_masked); 0: for the others */
    double min_valid;     /* XNCC_TASK_MATCH: as in xncc_options */
} xncc_problem;

/* What the caller wants instead of the library's own choice. All zero: nothing. */
typedef struct xncc_preference {
    xncc_device device;       /* XNCC_DEVICE_AUTO: any engine of the context */
    const char *kernel;       /* a kernel's name; NULL: the fastest */
    xncc_memory image_memory; /* where the images will lie; a hint for the choice */
    xncc_memory map_memory;   /* where the maps will lie; a hint for the choice */
} xncc_preference;

/* A decision bound to sizes and workspace. On the CUDA engine xncc_plan_correlate,
 * xncc_plan_find_on_device and xncc_plan_convolve, with all images, maps and results in device
 * memory, take no memory, ask the device nothing and do not wait. So they may be captured into a
 * CUDA graph, after one call outside of a capture (it loads the kernels), when the plan's kernel is
 * tensor-wgmma, tensor-mma, tensor-fused, tex-tex, fft, joint, conv-global, conv-registers, or
 * conv-tiled with blocks of 128 x 64 (xncc_plan_explain; float images and filters 9, 17 or 27
 * columns wide); the others share constant memory with other plans, and their calls fail with
 * XNCC_ERROR_DEVICE in a capture. A graph works on the memory of the captured call, the plan's own
 * included: while it runs no other call may use the plan, and plan, template, image and results
 * must outlive it. */
typedef struct xncc_plan xncc_plan;

/* Decides which kernel serves the problem, and takes all the memory that it will need.
 * preference may be NULL. On success *plan is the caller's, to be given to xncc_plan_destroy before
 * the context goes; on failure it is NULL. XNCC_ERROR_ARGUMENT, XNCC_ERROR_MEMORY,
 * XNCC_ERROR_UNSUPPORTED (a forced kernel that cannot serve it: the text names the limit),
 * XNCC_ERROR_DEVICE. One thread at a time may use a plan; any number of plans may run at once. */
XNCC_API xncc_status xncc_plan_create(xncc_context *context, const xncc_problem *problem,
                                      const xncc_preference *preference, xncc_plan **plan);

/* Frees a plan, after waiting for its work. NULL is allowed. */
XNCC_API void xncc_plan_destroy(xncc_plan *plan);

/* Writes, in a few lines of text, which kernel the plan uses, why, its tile and memory, and the
 * runner-up; at most size bytes with the final zero. Returns text. */
XNCC_API const char *xncc_plan_explain(const xncc_plan *plan, char *text, size_t size);

/* The name of the plan's kernel, as --kernel and xncc_options take it. The string is constant. */
XNCC_API const char *xncc_plan_kernel(const xncc_plan *plan);

/* xncc_correlate with a plan. On the CUDA engine the work is put on the stream; when image and map
 * lie in device memory the call allocates nothing and returns without waiting, so image, map and
 * template must live until the stream has passed it. When one of them lies in host memory, and on
 * the CPU engine (which ignores the stream), the call returns when the map is written. Calls of one
 * plan on several streams run one after the other, as they use the plan's memory in turn.
 * XNCC_ERROR_ARGUMENT when image, template or map do not fit the plan's problem, XNCC_ERROR_DEVICE.
 */
XNCC_API xncc_status xncc_plan_correlate(xncc_plan *plan, const xncc_image *image,
                                         const xncc_template *templ, const xncc_map *map,
                                         xncc_stream stream);

/* xncc_find with a plan: options' method, mode, border and kernel are not looked at, the plan's
 * count. Returns when the matches are there. */
XNCC_API xncc_status xncc_plan_find(xncc_plan *plan, const xncc_image *image,
                                    const xncc_template *templ, const xncc_find_options *options,
                                    xncc_match *match, size_t capacity, size_t *found,
                                    xncc_stream stream);

/* xncc_plan_find with the matches left in device memory, for plans on the CUDA engine: match has
 * room for capacity matches (at least 1), and the smaller of capacity and options' top are written
 * at most; *found becomes their number. Nothing less than what xncc_plan_find returns is ever
 * reported: what the quick way cannot decide is decided by slower passes on the device. The work is
 * put on the stream and the call returns without waiting, so image, template, match and found must
 * live until the stream has passed it - except that it waits, and the result goes through the host,
 * when the image lies in host memory or the plan works in bands (xncc_plan_explain shows them).
 * XNCC_ERROR_ARGUMENT (also: the plan runs on the CPU), XNCC_ERROR_MEMORY, XNCC_ERROR_DEVICE. */
XNCC_API xncc_status xncc_plan_find_on_device(xncc_plan *plan, const xncc_image *image,
                                              const xncc_template *templ,
                                              const xncc_find_options *options, xncc_match *match,
                                              size_t capacity, uint32_t *found, xncc_stream stream);

/* xncc_plan_find for `count` templates of the plan's size on one image: what depends on the image
 * alone is done once, and several templates are worked on at a time. The matches of template i go
 * to match + i * capacity, their number to found[i]; both arrays lie in host memory, with count *
 * capacity and count elements. Returns when all are there. On the CUDA engine the first call, and
 * the first with more results than any before, takes memory. Errors as xncc_plan_find; all of found
 * is 0 after a failure. */
XNCC_API xncc_status xncc_plan_find_batch(xncc_plan *plan, const xncc_image *image,
                                          const xncc_template *const *templ, size_t count,
                                          const xncc_find_options *options, xncc_match *match,
                                          size_t capacity, size_t *found, xncc_stream stream);

/* xncc_convolve with a plan; stream and memory as xncc_plan_correlate. */
XNCC_API xncc_status xncc_plan_convolve(xncc_plan *plan, const xncc_image *image,
                                        const xncc_filter *filter, const xncc_map *out,
                                        xncc_stream stream);

/* The kernels that could serve a problem on this context, best first by the estimate that the
 * decision uses. Writes up to capacity names (constant strings) and returns how many there are. 0
 * when there is none or the problem is not valid. Meant for benchmarks and tests. */
XNCC_API size_t xncc_kernels(xncc_context *context, const xncc_problem *problem, const char **name,
                             size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
