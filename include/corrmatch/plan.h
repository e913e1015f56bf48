/* corrmatch: plans, for doing the same thing many times. SPDX-License-Identifier: BSD-2-Clause */
#ifndef CORRMATCH_PLAN_H
#define CORRMATCH_PLAN_H

#include "convolve.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a plan is for. */
typedef enum cm_task {
    CM_TASK_MATCH = 0,   /* cm_plan_correlate and cm_plan_find */
    CM_TASK_CONVOLVE = 1 /* cm_plan_convolve */
} cm_task;

/* The sizes and rules that a plan is bound to. */
typedef struct cm_problem {
    cm_task task;
    cm_pixel pixel;       /* of the image (and the template) */
    int32_t image_width;  /* pixels */
    int32_t image_height;
    int32_t width;        /* of the template or the filter */
    int32_t height;
    cm_method method;     /* CM_TASK_MATCH */
    cm_mode mode;         /* CM_TASK_MATCH */
    cm_border border;
    cm_flat flat;         /* CM_TASK_MATCH */
    int32_t channels;     /* CM_TASK_MATCH: samples a pixel; 0: 1 */
    int32_t image_masked; /* CM_TASK_MATCH: 1: images may come with a mask or a no-data value; 0: they may not */
    int32_t part_masked;  /* CM_TASK_MATCH: 1: for templates of which not every pixel counts (cm_template_masked); 0: for the others */
    double min_valid;     /* CM_TASK_MATCH: as in cm_options */
} cm_problem;

/* What the caller wants instead of the library's own choice. All zero: nothing. */
typedef struct cm_preference {
    cm_device device;       /* CM_DEVICE_AUTO: any engine of the context */
    const char *kernel;     /* a kernel's name; NULL: the fastest */
    cm_memory image_memory; /* where the images will lie; a hint for the choice */
    cm_memory map_memory;   /* where the maps will lie; a hint for the choice */
} cm_preference;

/* A decision bound to sizes and workspace. On the CUDA engine cm_plan_correlate, cm_plan_find_on_device and cm_plan_convolve, with all
 * images, maps and results in device memory, take no memory, ask the device nothing and do not wait. So they may be captured into a
 * CUDA graph, after one call outside of a capture (it loads the kernels), when the plan's kernel is tensor-wgmma, tensor-mma,
 * tensor-fused, tex-tex, fft, joint, conv-global, conv-registers, or conv-tiled with blocks of 128 x 64 (cm_plan_explain; float images
 * and filters 9, 17 or 27 columns wide); the others share constant memory with other plans, and their calls fail with CM_ERROR_DEVICE
 * in a capture. A graph works on the memory of the captured call, the plan's own included: while it runs no other call may use the
 * plan, and plan, template, image and results must outlive it. */
typedef struct cm_plan cm_plan;

/* Decides which kernel serves the problem, and takes all the memory that it will need.
 * preference may be NULL. On success *plan is the caller's, to be given to cm_plan_destroy before the context goes; on failure
 * it is NULL. CM_ERROR_ARGUMENT, CM_ERROR_MEMORY, CM_ERROR_UNSUPPORTED (a forced kernel that cannot serve it: the text names the
 * limit), CM_ERROR_DEVICE. One thread at a time may use a plan; any number of plans may run at once. */
CM_API cm_status cm_plan_create(cm_context *context, const cm_problem *problem, const cm_preference *preference,
                                cm_plan **plan);

/* Frees a plan, after waiting for its work. NULL is allowed. */
CM_API void cm_plan_destroy(cm_plan *plan);

/* Writes, in a few lines of text, which kernel the plan uses, why, its tile and memory, and the runner-up; at most size bytes with
 * the final zero. Returns text. */
CM_API const char *cm_plan_explain(const cm_plan *plan, char *text, size_t size);

/* The name of the plan's kernel, as --kernel and cm_options take it. The string is constant. */
CM_API const char *cm_plan_kernel(const cm_plan *plan);

/* cm_correlate with a plan. On the CUDA engine the work is put on the stream; when image and map lie in device memory the call
 * allocates nothing and returns without waiting, so image, map and template must live until the stream has passed it. When one of
 * them lies in host memory, and on the CPU engine (which ignores the stream), the call returns when the map is written. Calls of one plan
 * on several streams run one after the other, as they use the plan's memory in turn.
 * CM_ERROR_ARGUMENT when image, template or map do not fit the plan's problem, CM_ERROR_DEVICE. */
CM_API cm_status cm_plan_correlate(cm_plan *plan, const cm_image *image, const cm_template *part, const cm_map *map,
                                   cm_stream stream);

/* cm_find with a plan: options' method, mode, border and kernel are not looked at, the plan's count. Returns when the matches are
 * there. */
CM_API cm_status cm_plan_find(cm_plan *plan, const cm_image *image, const cm_template *part,
                              const cm_find_options *options, cm_match *match, size_t capacity, size_t *found,
                              cm_stream stream);

/* cm_plan_find with the matches left in device memory, for plans on the CUDA engine: match has room for capacity matches (at least 1),
 * and the smaller of capacity and options' top are written at most; *found becomes their number. Nothing less than what cm_plan_find
 * returns is ever reported: what the quick way cannot decide is decided by slower passes on the device.
 * The work is put on the stream and the call returns without waiting, so image, template, match and found must live until the stream
 * has passed it - except that it waits, and the result goes through the host, when the image lies in host memory or the plan works in
 * bands (cm_plan_explain shows them).
 * CM_ERROR_ARGUMENT (also: the plan runs on the CPU), CM_ERROR_MEMORY, CM_ERROR_DEVICE. */
CM_API cm_status cm_plan_find_on_device(cm_plan *plan, const cm_image *image, const cm_template *part,
                                        const cm_find_options *options, cm_match *match, size_t capacity, uint32_t *found,
                                        cm_stream stream);

/* cm_plan_find for `count` templates of the plan's size on one image: what depends on the image alone is done once, and several templates
 * are worked on at a time. The matches of template i go to match + i * capacity, their number to found[i]; both arrays lie in host
 * memory, with count * capacity and count elements. Returns when all are there. On the CUDA engine the first call, and the first with
 * more results than any before, takes memory. Errors as cm_plan_find; all of found is 0 after a failure. */
CM_API cm_status cm_plan_find_bank(cm_plan *plan, const cm_image *image, const cm_template *const *part, size_t count,
                                   const cm_find_options *options, cm_match *match, size_t capacity, size_t *found,
                                   cm_stream stream);

/* cm_convolve with a plan; stream and memory as cm_plan_correlate. */
CM_API cm_status cm_plan_convolve(cm_plan *plan, const cm_image *image, const cm_filter *filter, const cm_map *out,
                                  cm_stream stream);

/* The kernels that could serve a problem on this context, best first by the estimate that the decision uses.
 * Writes up to capacity names (constant strings) and returns how many there are. 0 when there is none or the problem is not valid.
 * Meant for benchmarks and tests. */
CM_API size_t cm_kernels(cm_context *context, const cm_problem *problem, const char **name, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
