/* exactncc: plans, to run the same operation many times. SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_PLAN_H
#define EXACTNCC_PLAN_H

#include "convolve.h"
#include "template.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a plan is for. */
typedef enum xncc_task {
    XNCC_TASK_MATCH = 0,   /* xncc_plan_correlate and the searches */
    XNCC_TASK_CONVOLVE = 1 /* xncc_plan_convolve */
} xncc_task;

/* The sizes and rules that a plan is made for. Start with XNCC_PROBLEM_INIT and set the sizes, or
 * let xncc_problem_set do it. */
typedef struct xncc_problem {
    uint32_t size; /* sizeof(xncc_problem) */
    xncc_task task;
    xncc_pixel pixel;     /* the pixel type of the images (and of the template) */
    int32_t channels;     /* samples per pixel, 1 .. XNCC_MAX_CHANNELS; convolution: 1 */
    int32_t image_width;  /* pixels, 1 .. XNCC_MAX_SIDE */
    int32_t image_height; /* pixels, 1 .. XNCC_MAX_SIDE */
    int32_t templ_width;  /* of the template in pixels, or of the filter in coefficients */
    int32_t templ_height; /* as templ_width */
    int32_t image_masked; /* 1: images may have a mask or a no-data value; 0: they may not.
                             Convolution: 0 */
    int32_t templ_masked; /* xncc_template_is_masked of every template that is used. Convolution:
                             0 */
    xncc_match_rule rule; /* convolution: border; the other members as XNCC_MATCH_RULE_INIT sets
                             them */
} xncc_problem;

/* Matching of XNCC_U8 with one channel, without masks, by XNCC_MATCH_RULE_INIT. The sizes are 0. */
#define XNCC_PROBLEM_INIT                                                                          \
    {                                                                                              \
        sizeof(xncc_problem), XNCC_TASK_MATCH, XNCC_U8, 1, 0, 0, 0, 0, 0, 0, XNCC_MATCH_RULE_INIT  \
    }

/* Sets the sizes, the type and the masks of a problem from an image and a template. The task and
 * the rule stay as they are.
 *
 * - image: a view like those that the plan will be used with. Its pixels are not read.
 * - templ: NULL: only what the image says is set.
 * - problem: its member size must be set.
 *
 * Returns XNCC_OK or XNCC_ERROR_ARGUMENT. */
XNCC_API xncc_status xncc_problem_set(xncc_problem *problem, const xncc_image *image,
                                      const xncc_template *templ, xncc_error *error);

/* What the caller prefers to the library's own choice. Set by XNCC_PREFERENCE_INIT: no
 * preference. */
typedef struct xncc_preference {
    uint32_t size;            /* sizeof(xncc_preference) */
    xncc_device device;       /* the engine; XNCC_DEVICE_AUTO: any engine of the context */
    const char *kernel;       /* as in xncc_correlate_options; NULL: the fastest */
    xncc_memory image_memory; /* where the images will be; XNCC_DEVICE rules out the CPU engine */
    xncc_memory map_memory;   /* where the maps will be; XNCC_DEVICE rules out the CPU engine */
    /* How many images xncc_plan_find_images will be given at a time. A plan on the CUDA engine has
     * room to search so many of them in one launch as pay and fit. 0 and 1: image by image. The CPU
     * engine needs no room. The choice of the engine is that for one image. Batches and
     * convolutions: 0 or 1. */
    int32_t images;
    /* Into how many parts images and maps are divided, each on a device of its own
     * (exactncc/parts.h): at most as many as the context uses devices. 0: they are in one piece.
     * Batches, convolutions, and modes other than XNCC_VALID: 0. */
    int32_t parts;
} xncc_preference;

/* Any engine, the fastest kernel, images and maps in host memory and in one piece, one image at a
 * time. */
#define XNCC_PREFERENCE_INIT                                                                       \
    {                                                                                              \
        sizeof(xncc_preference), XNCC_DEVICE_AUTO, NULL, XNCC_HOST, XNCC_HOST, 1, 0                \
    }

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
 * CUDA graphs. Calls that do not wait, but not those of exactncc/parts.h, can be captured into a
 * CUDA graph if xncc_plan_info says `capturable`, after one call outside of a capture, which loads
 * the kernels. The other kernels share constant memory with other plans; in a capture their calls
 * fail with XNCC_ERROR_DEVICE. A graph uses the memory of the captured call, including that of the
 * plan. While it runs, no other call may use the plan. The plan, the template or filter, the image
 * and the results must outlive the graph. */
typedef struct xncc_plan xncc_plan;

/* Chooses a kernel for a problem and allocates its workspace.
 *
 * - problem: copied.
 * - preference: NULL means XNCC_PREFERENCE_INIT. Copied.
 * - plan: receives the plan, or NULL after a failure. The caller owns it and must give it to
 *   xncc_plan_destroy before the context is destroyed.
 *
 * Memory. On the CUDA engine a plan allocates its device memory when it is made, with three
 * exceptions, which it allocates on first use and keeps: a copy of images from the host, what a
 * batch needs, and what several images need (xncc_preference). All are part of the sum that
 * device_memory of the context limits, and that xncc_plan_explain prints. On both engines a search
 * may allocate host memory for its candidates while it runs; on the CUDA engine it may also
 * allocate page-locked host memory for results, on first use. Several devices that share a plan
 * allocate later (xncc_context_options).
 *
 * Returns XNCC_OK, XNCC_ERROR_ARGUMENT, XNCC_ERROR_MEMORY, XNCC_ERROR_UNSUPPORTED (no kernel, or
 * not the forced one, can serve the problem; the error text names the limit of each that was asked
 * for) or XNCC_ERROR_DEVICE. */
XNCC_API xncc_status xncc_plan_create(xncc_context *context, const xncc_problem *problem,
                                      const xncc_preference *preference, xncc_plan **plan,
                                      xncc_error *error);

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

/* What a program can ask of a plan. */
typedef struct xncc_plan_info {
    uint32_t size;            /* sizeof(xncc_plan_info), set by the caller */
    xncc_device engine;       /* XNCC_DEVICE_CPU or XNCC_DEVICE_CUDA */
    const char *kernel;       /* its name, as xncc_preference takes it; constant, not to be freed */
    int32_t capturable;       /* 1: calls that do not wait can be captured into a CUDA graph */
    int32_t bands;            /* pieces in which a map is computed, one after the other; CPU: 1 */
    uint64_t workspace_bytes; /* device memory, with what is allocated on first use. CPU: 0 */
    double estimate_ms;       /* the estimated time of one call, on one device */
    /* How many devices share a call with image and map in host memory, or have a part of both
     * (exactncc/parts.h). bands, workspace_bytes and estimate_ms are those of a plan that one of
     * them has to itself. */
    int32_t devices;
    /* The most images that one launch of xncc_plan_find_images searches; 1: image by image. CPU:
     * 1. */
    int64_t images;
} xncc_plan_info;

#define XNCC_PLAN_INFO_INIT                                                                        \
    {                                                                                              \
        sizeof(xncc_plan_info), XNCC_DEVICE_AUTO, NULL, 0, 0, 0, 0.0, 0, 0                         \
    }

/* Describes a plan for programs.
 *
 * - info: receives the description. Its member size must be set (XNCC_PLAN_INFO_INIT).
 *
 * Returns XNCC_OK or XNCC_ERROR_ARGUMENT. */
XNCC_API xncc_status xncc_plan_describe(const xncc_plan *plan, xncc_plan_info *info,
                                        xncc_error *error);

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
                                         xncc_stream stream, xncc_error *error);

/* xncc_find with a plan. It returns when the matches are complete.
 *
 * - peaks: NULL means XNCC_PEAK_RULE_INIT.
 * - match, capacity, found: as for xncc_find.
 *
 * The other parameters and the statuses are those of xncc_plan_correlate. */
XNCC_API xncc_status xncc_plan_find(xncc_plan *plan, const xncc_image *image,
                                    const xncc_template *templ, const xncc_peak_rule *peaks,
                                    xncc_match *match, size_t capacity, size_t *found,
                                    xncc_stream stream, xncc_error *error);

/* xncc_plan_find for many images of the plan's size, such as small chips or frames. The matches of
 * each image have the bits of xncc_plan_find for it alone.
 *
 * - image: `count` views. May be NULL if count is 0.
 * - match: receives the matches of image i from match + i * capacity on, at most `capacity` of
 *   them; count * capacity elements in host memory. May be NULL if capacity is 0.
 * - found: receives `count` numbers of matches; after a failure all are 0.
 *
 * The CPU engine searches each image on one thread, and as many at a time as pay. Its first call
 * allocates some rows of a map for each thread. The CUDA engine searches several images in one
 * launch if the plan has room for that (xncc_preference) and the images are all in host memory or
 * all in device memory. It reads them where they are if they follow each other in device memory
 * with the same pitch, at least as many as one launch searches; otherwise it copies them first.
 * Masks, no-data values, and modes other than XNCC_VALID take one launch per image;
 * xncc_plan_explain says so.
 *
 * Several devices share images in host memory, if the library expects that to be faster. An image
 * in device memory is searched by the device that holds it. All devices work at once. Fastest are
 * long runs of images on one device. `stream` is one of the device that holds the first image, or
 * of the first device of the context if that image is in host memory; the other devices use their
 * default streams.
 *
 * The other parameters and the statuses are those of xncc_plan_find. If an image is not valid or
 * does not suit the plan, no image is searched, and the error text has its index. */
XNCC_API xncc_status xncc_plan_find_images(xncc_plan *plan, const xncc_image *image, size_t count,
                                           const xncc_template *templ, const xncc_peak_rule *peaks,
                                           xncc_match *match, size_t capacity, size_t *found,
                                           xncc_stream stream, xncc_error *error);

/* xncc_plan_find with the matches in device memory, for plans on the CUDA engine. The result is
 * identical to that of xncc_plan_find: if the fast search is inconclusive, an exact search follows
 * on the device.
 *
 * - match: receives at most `capacity` matches; in device memory.
 * - capacity: at least 1.
 * - found: receives the number of matches; in device memory.
 * - peaks: as for xncc_plan_find.
 *
 * The call returns without waiting; image, template, match and found must exist until the stream
 * has executed the work. Exception: if the image is in host memory, or the plan works in bands
 * (xncc_plan_info), the call waits and the result passes through host memory.
 *
 * Returns XNCC_OK, XNCC_ERROR_ARGUMENT (also if the plan is on the CPU engine), XNCC_ERROR_MEMORY
 * or XNCC_ERROR_DEVICE. */
XNCC_API xncc_status xncc_plan_find_on_device(xncc_plan *plan, const xncc_image *image,
                                              const xncc_template *templ,
                                              const xncc_peak_rule *peaks, xncc_match *match,
                                              size_t capacity, uint32_t *found, xncc_stream stream,
                                              xncc_error *error);

/* xncc_convolve with a plan. Image, filter and out must have the sizes and types of the plan's
 * problem. Stream, waiting, lifetimes and statuses as for xncc_plan_correlate. */
XNCC_API xncc_status xncc_plan_convolve(xncc_plan *plan, const xncc_image *image,
                                        const xncc_filter *filter, const xncc_map *out,
                                        xncc_stream stream, xncc_error *error);

/* What a kernel is, and which memory holds what it reads and writes. "A, then B": it copies A to B
 * once per thread block, or per thread for registers, and computes from B. The strings are constant
 * and must not be freed. */
typedef struct xncc_kernel_info {
    uint32_t size;      /* sizeof(xncc_kernel_info), set by the caller */
    uint32_t tasks;     /* 1 << XNCC_TASK_MATCH, 1 << XNCC_TASK_CONVOLVE, or both, combined */
    xncc_device engine; /* XNCC_DEVICE_CPU or XNCC_DEVICE_CUDA */
    const char *name;   /* as xncc_preference takes it */
    const char *image;  /* which memory holds the image */
    const char *templ;  /* the template, or the filter */
    /* The sums of the template, where all pixels count. "none": a convolution needs none. */
    const char *sums;
    const char *result; /* the products of windows, or the output of a convolution */
} xncc_kernel_info;

#define XNCC_KERNEL_INFO_INIT                                                                      \
    {                                                                                              \
        sizeof(xncc_kernel_info), 0, XNCC_DEVICE_AUTO, NULL, NULL, NULL, NULL, NULL                \
    }

/* Returns the number of kernels of the library, whether or not this build and machine can run
 * them. Any thread may call it. */
XNCC_API size_t xncc_kernel_count(void);

/* Describes a kernel.
 *
 * - number: 0 .. xncc_kernel_count() - 1. The order is fixed within a version of the library.
 * - info: receives the description. Its member size must be set (XNCC_KERNEL_INFO_INIT).
 *
 * Returns XNCC_OK or XNCC_ERROR_ARGUMENT. Any thread may call it. */
XNCC_API xncc_status xncc_kernel_describe(size_t number, xncc_kernel_info *info, xncc_error *error);

/* Lists the kernels that can serve a problem on a context, for benchmarks and tests.
 *
 * - name: receives up to `capacity` constant strings, ordered by the estimated time, fastest first.
 *   May be NULL if capacity is 0.
 *
 * Returns the number of kernels, which may exceed capacity; 0 if there is none, a pointer is null,
 * the problem is not valid, or the device fails. */
XNCC_API size_t xncc_kernel_list(xncc_context *context, const xncc_problem *problem,
                                 const char **name, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
