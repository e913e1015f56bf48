/* exactncc: plans, to run the same operation many times. SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_PLAN_H
#define EXACTNCC_PLAN_H

#include "convolve.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a plan is for. */
typedef enum xncc_task {
    XNCC_TASK_MATCH = 0,   /* xncc_plan_correlate and the searches */
    XNCC_TASK_CONVOLVE = 1 /* xncc_plan_convolve */
} xncc_task;

/* The sizes and rules that a plan is made for. For XNCC_TASK_CONVOLVE the fields marked "match" are
 * not used; channels must be 0 or 1 and image_masked 0. */
typedef struct xncc_problem {
    xncc_task task;
    xncc_pixel pixel;     /* the pixel type of the images (and of the template) */
    int32_t image_width;  /* pixels, 1 .. XNCC_MAX_SIDE */
    int32_t image_height; /* pixels, 1 .. XNCC_MAX_SIDE */
    int32_t width;        /* of the template in pixels, or of the filter in coefficients */
    int32_t height;       /* as width */
    xncc_method method;   /* match */
    xncc_mode mode;       /* match */
    xncc_border border;   /* ignored for matching in mode XNCC_VALID */
    xncc_flat flat;       /* match */
    int32_t channels;     /* samples per pixel, 1 .. XNCC_MAX_CHANNELS; 0 means 1 */
    int32_t image_masked; /* 1: images may have a mask or a no-data value; 0: they may not */
    int32_t templ_masked; /* match: xncc_template_masked of every template that is used */
    double min_valid;     /* match: as in xncc_options */
} xncc_problem;

/* What the caller prefers to the library's own choice. All zero: no preference. */
typedef struct xncc_preference {
    xncc_device device;       /* the engine; XNCC_DEVICE_AUTO: any engine of the context */
    const char *kernel;       /* as in xncc_options; NULL: the fastest */
    xncc_memory image_memory; /* where the images will be; XNCC_DEVICE rules out the CPU engine */
    xncc_memory map_memory;   /* where the maps will be; XNCC_DEVICE rules out the CPU engine */
} xncc_preference;

/* A problem bound to an engine, a kernel and a workspace.
 *
 * One thread at a time may use a plan. Any number of plans may run at once.
 *
 * Streams. On the CUDA engine the work of a call is put on its stream. xncc_plan_correlate,
 * xncc_plan_find_on_device and xncc_plan_convolve allocate nothing, query nothing and do not wait
 * if all images, maps and results are in device memory; xncc_plan_find_on_device describes one
 * exception. Calls of one plan on several streams run one after the other, because they share its
 * workspace. The CPU engine ignores the stream.
 *
 * CUDA graphs. Calls that do not wait can be captured into a CUDA graph, after one call outside of
 * a capture, which loads the kernels. This holds for plans with one of these kernels:
 *
 * - tensor-wgmma, tensor-mma, tensor-fused
 * - tex-tex
 * - fft
 * - general
 * - conv-global, conv-registers
 * - conv-tiled with blocks of 128 x 64, as xncc_plan_explain prints them (XNCC_F32 images and
 *   filters of 9, 17 or 27 columns)
 *
 * The other kernels share constant memory with other plans; in a capture their calls fail with
 * XNCC_ERROR_DEVICE. A graph uses the memory of the captured call, including that of the plan.
 * While it runs, no other call may use the plan. The plan, the template or filter, the image and
 * the results must outlive the graph. */
typedef struct xncc_plan xncc_plan;

/* Chooses a kernel for a problem and allocates its workspace.
 *
 * - problem: copied.
 * - preference: NULL means no preference. Copied.
 * - plan: receives the plan, or NULL after a failure. The caller owns it and must give it to
 *   xncc_plan_destroy before the context is destroyed.
 *
 * Memory. On the CUDA engine a plan allocates its device memory when it is made, with two
 * exceptions, which it allocates on first use and keeps: a copy of images from the host, and what
 * xncc_plan_find_batch needs. Both are part of the sum that device_memory of the context limits,
 * and that xncc_plan_explain prints. On both engines a search may allocate host memory for its
 * candidates while it runs.
 *
 * Returns XNCC_OK, XNCC_ERROR_ARGUMENT, XNCC_ERROR_MEMORY, XNCC_ERROR_UNSUPPORTED (no kernel, or
 * not the forced one, can serve the problem; the error text names the limit of each that was asked
 * for) or XNCC_ERROR_DEVICE. */
XNCC_API xncc_status xncc_plan_create(xncc_context *context, const xncc_problem *problem,
                                      const xncc_preference *preference, xncc_plan **plan);

/* Waits for the work of a plan and frees it. NULL is allowed. */
XNCC_API void xncc_plan_destroy(xncc_plan *plan);

/* Describes a plan in a few lines of text: its engine and kernel, why it was chosen, the runner-up,
 * which memory holds image and template, and on the CUDA engine its steps, blocks, bands and device
 * memory. If the kernel is not the first of a list that was asked for, the text says why the
 * earlier ones could not serve. The text is for people; its form may change.
 *
 * - text: receives at most size bytes, always terminated by a zero if size > 0. 2048 bytes are
 *   always enough.
 *
 * Returns text, or "" if text is NULL or size is 0. */
XNCC_API const char *xncc_plan_explain(const xncc_plan *plan, char *text, size_t size);

/* Returns the name of the plan's kernel, as xncc_options and xncc_preference take it. The string is
 * constant and must not be freed. */
XNCC_API const char *xncc_plan_kernel(const xncc_plan *plan);

/* xncc_correlate with a plan.
 *
 * - image, templ, map: must have the sizes and types of the plan's problem. Images and maps in
 *   device memory require a plan on the CUDA engine.
 * - stream: where the CUDA engine puts its work.
 *
 * If the image and the map are in device memory, the call returns without waiting; image, template
 * and map must then exist until the stream has executed the work. Otherwise the call returns when
 * the map is complete.
 *
 * Returns XNCC_OK, XNCC_ERROR_ARGUMENT, XNCC_ERROR_MEMORY or XNCC_ERROR_DEVICE. */
XNCC_API xncc_status xncc_plan_correlate(xncc_plan *plan, const xncc_image *image,
                                         const xncc_template *templ, const xncc_map *map,
                                         xncc_stream stream);

/* xncc_find with a plan. It returns when the matches are complete.
 *
 * - options: NULL means all zero. Its method, mode, border, min_valid and kernel are ignored; those
 *   of the plan apply.
 * - match, capacity, found: as for xncc_find.
 *
 * The other parameters and the statuses are those of xncc_plan_correlate. */
XNCC_API xncc_status xncc_plan_find(xncc_plan *plan, const xncc_image *image,
                                    const xncc_template *templ, const xncc_find_options *options,
                                    xncc_match *match, size_t capacity, size_t *found,
                                    xncc_stream stream);

/* xncc_plan_find with the matches in device memory, for plans on the CUDA engine. The result is
 * identical to that of xncc_plan_find: if the fast search is inconclusive, an exact search follows
 * on the device.
 *
 * - match: receives at most `capacity` matches; in device memory.
 * - capacity: at least 1.
 * - found: receives the number of matches; in device memory.
 * - options: as for xncc_plan_find.
 *
 * The call returns without waiting; image, template, match and found must exist until the stream
 * has executed the work. Exception: if the image is in host memory, or the plan works in bands
 * (xncc_plan_explain prints them), the call waits and the result passes through host memory.
 *
 * Returns XNCC_OK, XNCC_ERROR_ARGUMENT (also if the plan is on the CPU engine), XNCC_ERROR_MEMORY
 * or XNCC_ERROR_DEVICE. */
XNCC_API xncc_status xncc_plan_find_on_device(xncc_plan *plan, const xncc_image *image,
                                              const xncc_template *templ,
                                              const xncc_find_options *options, xncc_match *match,
                                              size_t capacity, uint32_t *found, xncc_stream stream);

/* xncc_plan_find for several templates on one image. What depends on the image alone is done once,
 * and on the CUDA engine several templates are processed at a time. It returns when all matches are
 * complete.
 *
 * - templ: `count` templates of the plan's problem. May be NULL if count is 0.
 * - options: as for xncc_plan_find, for each template.
 * - match: receives the matches of template i from match + i * capacity on; in host memory. May be
 *   NULL if capacity is 0.
 * - found: receives the number of matches of template i in found[i]; in host memory. All are 0
 *   after a failure. May be NULL if count is 0.
 *
 * On the CUDA engine the first call allocates memory, as does a call with more results than any
 * before. Statuses as for xncc_plan_find. */
XNCC_API xncc_status xncc_plan_find_batch(xncc_plan *plan, const xncc_image *image,
                                          const xncc_template *const *templ, size_t count,
                                          const xncc_find_options *options, xncc_match *match,
                                          size_t capacity, size_t *found, xncc_stream stream);

/* xncc_convolve with a plan. Image, filter and out must have the sizes and types of the plan's
 * problem. Stream, waiting, lifetimes and statuses as for xncc_plan_correlate. */
XNCC_API xncc_status xncc_plan_convolve(xncc_plan *plan, const xncc_image *image,
                                        const xncc_filter *filter, const xncc_map *out,
                                        xncc_stream stream);

/* What a kernel is, and which memory holds what it reads and writes. "A, then B": it copies A to B
 * once per thread block, or per thread for registers, and computes from B. The strings are constant
 * and must not be freed. */
typedef struct xncc_kernel_info {
    uint32_t size;      /* sizeof(xncc_kernel_info), set by the caller */
    uint32_t tasks;     /* 1 << XNCC_TASK_MATCH, 1 << XNCC_TASK_CONVOLVE, or both, combined */
    xncc_device engine; /* XNCC_DEVICE_CPU or XNCC_DEVICE_CUDA */
    const char *name;   /* as xncc_options and xncc_preference take it */
    const char *image;  /* which memory holds the image */
    const char *templ;  /* the template, or the filter */
    /* The sums of the template, where all pixels count. "none": a convolution needs none. */
    const char *sums;
    const char *result; /* the products of windows, or the output of a convolution */
} xncc_kernel_info;

/* Describes one kernel of the library, whether or not this build and machine can run it.
 *
 * - index: from 0. The order is fixed within a version of the library.
 * - info: its size must be set. Receives the description; unchanged if the index is too large.
 *   Members that the library does not know become 0. May be NULL.
 *
 * Returns the number of kernels. Never fails. Any thread may call it. */
XNCC_API size_t xncc_kernel_describe(size_t index, xncc_kernel_info *info);

/* Lists the kernels that can serve a problem on a context, for benchmarks and tests.
 *
 * - name: receives up to `capacity` constant strings, ordered by the estimated time, fastest first.
 *   May be NULL if capacity is 0.
 *
 * Returns the number of kernels, which may exceed capacity; 0 if there is none, a pointer is null,
 * or the problem is not valid. */
XNCC_API size_t xncc_kernels(xncc_context *context, const xncc_problem *problem, const char **name,
                             size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
