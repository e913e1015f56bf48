/* exactncc: contexts and devices. SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_CONTEXT_H
#define EXACTNCC_CONTEXT_H

#include "status.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A CUDA stream. This is the type cudaStream_t, declared here so that no CUDA header is needed.
 * NULL is the default stream. */
typedef struct CUstream_st *xncc_stream;

/* The engines of a device and their threads. Templates, filters and plans are made with a context.
 *
 * A context keeps the workspace of its last calls and destroyed plans for floats and u32 on the
 * CPU, at most 512 MiB, so that the next call does not wait for fresh pages. On a CUDA device it
 * keeps the memory of exhaustive searches for poses (pose.h), at most 2 GiB and an eighth of the
 * device's memory, until a plan finds no memory. xncc_context_destroy frees both. */
typedef struct xncc_context xncc_context;

/* Which engines a context may use. */
typedef enum xncc_device {
    XNCC_DEVICE_AUTO = 0, /* the CPU, and the CUDA device if it is usable */
    XNCC_DEVICE_CPU = 1,  /* the CPU only */
    XNCC_DEVICE_CUDA = 2  /* the CUDA device only; if it is not usable, no context is made */
} xncc_device;

/* Options of xncc_context_create. Set by XNCC_CONTEXT_OPTIONS_INIT: every engine there is, one
 * thread per processor. */
typedef struct xncc_context_options {
    uint32_t size; /* sizeof(xncc_context_options) */
    /* Which engines to use. */
    xncc_device device;
    /* The number of the CUDA device, as the CUDA runtime counts them, from 0. Ignored for
     * XNCC_DEVICE_CPU. */
    int32_t cuda_index;
    /* CPU threads, 0 .. 1024. 0: one per processor that the process may use. A small map uses only
     * as many of them as pay. On a CUDA device up to four threads, but no more than this number,
     * copy images from pageable host memory. */
    int32_t threads;
    /* The most device memory of one plan, in bytes: of all its buffers together, also of those that
     * it takes on first use (xncc_plan_create). 0: a quarter of the device memory that is free when
     * the plan is made. The device hands out memory in units of 2 MiB, and a plan asks up to three
     * times, so that up to 6 MiB more may be in use. */
    uint64_t device_memory;
    /* Several CUDA devices that share calls, by their numbers, none of them twice. Copied. NULL if
     * cuda_count is not above 0. */
    const int32_t *cuda_list;
    /* How many devices cuda_list names, up to XNCC_MAX_DEVICES. 0: the device cuda_index alone.
     * XNCC_EVERY_DEVICE: every usable device of the machine. If it is not 0, cuda_index is ignored.
     *
     * - One call is divided if the library expects that to be faster; xncc_plan_explain says why or
     *   why not. xncc_plan_correlate, xncc_plan_find, xncc_plan_convolve and the one-call functions
     *   divide the rows of the map, if image and map are in host memory: each device reads its band
     *   of the image with the rows around it. xncc_batch_find divides the templates of one size,
     *   and xncc_plan_find_images the images. The results have the same bits for any number of
     *   devices.
     * - An image, a map or results in device memory lie on one device, which does the whole call.
     *   Two kinds of calls use several devices then: xncc_plan_find_images, whose images may lie on
     *   different devices, and those of exactncc/parts.h, where each device holds a part of image
     *   and map.
     * - The stream of a call belongs to the device that holds its memory, otherwise to the first
     *   one of the list; the other devices use their default streams. Tracking runs on one device.
     * - A divided plan allocates its workspace when a call first needs it, and keeps one workspace
     *   on each device, within device_memory. Once the image, the map or the results of a call for
     *   one image were in device memory, the plan divides no more rows.
     * - Each device has a host thread of its own.
     *
     * docs/performance.md says how fast two and four devices are. */
    int32_t cuda_count;
    /* What happens if one of several devices fails. 1: the call fails, with a text that names the
     * device. 0: the other devices do its work, the context does not use it again, and
     * xncc_context_warning says so; a call fails if the device holds its image, its map or its
     * results, or a part of them. It also fails after an error that CUDA reports on every device of
     * the process, such as that of a kernel that was stopped. */
    int32_t strict;
} xncc_context_options;

/* xncc_context_options: every usable CUDA device. */
#define XNCC_EVERY_DEVICE (-1)
/* The most devices of a context. */
#define XNCC_MAX_DEVICES 64

/* device XNCC_DEVICE_AUTO; the other members 0 or NULL. */
#define XNCC_CONTEXT_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(xncc_context_options), XNCC_DEVICE_AUTO, 0, 0, 0, NULL, 0, 0                        \
    }

/* Makes a context.
 *
 * - options: NULL means XNCC_CONTEXT_OPTIONS_INIT. Copied.
 * - context: receives the context, or NULL after a failure. The caller owns it and must give it to
 *   xncc_context_destroy, after everything that was made with it has been destroyed.
 *
 * Returns XNCC_OK or:
 * - XNCC_ERROR_ARGUMENT: a null pointer or an option out of range
 * - XNCC_ERROR_MEMORY: no memory, or a thread could not be started
 * - XNCC_ERROR_DEVICE: XNCC_DEVICE_CUDA was asked for, and there is no usable device or the library
 *   was built without CUDA
 *
 * Threads. Several threads at once may use a context and the templates and filters made with it.
 * One thread at a time may use a plan.
 *
 * A child of fork() must not use or destroy its parent's contexts and what was made with them:
 * their threads are in the parent only. It can make contexts of its own, on the CPU at any time,
 * and on a CUDA device if its parent has not used CUDA. */
XNCC_API xncc_status xncc_context_create(const xncc_context_options *options,
                                         xncc_context **context, xncc_error *error);

/* Frees a context. NULL is allowed. Everything made with the context must have been destroyed, and
 * no call that uses it may be running. */
XNCC_API void xncc_context_destroy(xncc_context *context);

/* Returns how much of the running call is done, 0 .. 1, for a progress display in another thread.
 * Several running calls are counted as one. The value advances in steps of about a band of rows; on
 * a GPU it may stay the same until the results are fetched. It is 1 before the first call and after
 * the last one has succeeded. Once a call has failed, the value is not reliable. */
XNCC_API double xncc_context_progress(const xncc_context *context);

/* Says which devices of a list (cuda_list) the context has stopped using, and why.
 *
 * - text: receives at most size bytes, always terminated by a zero if size > 0: one line, or "" if
 *   no device has failed. XNCC_ERROR_SIZE bytes are always enough.
 *
 * Returns text, or "" if text is NULL or size is 0. Any thread may call it. */
XNCC_API const char *xncc_context_warning(const xncc_context *context, char *text, size_t size);

/* Cancels the calls that are running on this context, in all threads: each of them soon returns
 * XNCC_ERROR_CANCELLED, unless it is done before it notices. Calls that begin later are not
 * affected.
 *
 * - On the CPU, a call returns within 50 ms. Not interrupted are: creating a template, a filter or
 *   a plan; sorting the candidates of a search; making the one list of a batch; and xncc_suppress.
 * - On a GPU, a call returns after the band, the chunk of a host image or the group of templates
 *   that it is working on. A call that leaves its results in device memory and does not wait is not
 *   affected once it has returned.
 * - After a cancelled call, the contents of its map, of its refined positions and of its results in
 *   device memory are undefined. The number of matches found, in host memory, is 0. Its plan,
 *   batch, templates and context can be used again at once. A scan that was cancelled in
 *   xncc_scan_rows or xncc_scan_finish can only be destroyed.
 *
 * NULL is allowed. Any thread may call it, and so may a signal handler: it is one atomic
 * operation. */
XNCC_API void xncc_context_cancel(xncc_context *context);

/* What the library knows about a device, for display and for bug reports. */
typedef struct xncc_device_info {
    uint32_t size;         /* sizeof(xncc_device_info), set by the caller */
    xncc_device device;    /* XNCC_DEVICE_CPU or XNCC_DEVICE_CUDA */
    int32_t index;         /* CUDA: the number of the device; -1: there is none. CPU: 0 */
    int32_t usable;        /* 1; or 0, and text says why */
    int32_t major, minor;  /* CUDA: the compute capability */
    int32_t processors;    /* CUDA: multiprocessors. CPU: processors that the process may use */
    int64_t memory;        /* CUDA: bytes of device memory. CPU: 0 */
    int64_t shared_memory; /* CUDA: bytes of shared memory per block (sharedMemPerBlock) */
    int64_t shared_optin;  /* CUDA: the same after opting in (sharedMemPerBlockOptin) */
    char name[128];        /* the name of the device */
    char text[256];        /* CPU: the instruction sets found. CUDA: why it is not usable, or "" */
    /* CUDA; 0 in other entries: */
    int64_t constant_memory;         /* bytes of constant memory (totalConstMem) */
    int64_t l2_cache;                /* bytes of the second-level cache */
    int32_t registers_per_block;     /* 32-bit registers that a block can have */
    int32_t registers_per_processor; /* 32-bit registers of a multiprocessor */
    int64_t texture_width;           /* the widest 2-D texture over linear memory, in elements */
    int64_t texture_height;          /* the highest one, in rows */
    int64_t texture_pitch;           /* its largest pitch, bytes */
} xncc_device_info;

#define XNCC_DEVICE_INFO_INIT                                                                      \
    {                                                                                              \
        sizeof(xncc_device_info), XNCC_DEVICE_CPU, 0, 0, 0, 0, 0, 0, 0, 0, "", "", 0, 0, 0, 0, 0,  \
            0, 0                                                                                   \
    }

/* Returns the number of devices: the CPU, and every CUDA device. If there is no CUDA driver or
 * device, or the library was built without CUDA, one entry with usable = 0 and index = -1 says so.
 * Never fails. Any thread may call it. */
XNCC_API size_t xncc_device_count(void);

/* Describes a device.
 *
 * - number: 0 for the CPU, 1 .. xncc_device_count() - 1 for the CUDA devices.
 * - info: receives the description. Its member size must be set (XNCC_DEVICE_INFO_INIT).
 *
 * Returns XNCC_OK or XNCC_ERROR_ARGUMENT. Any thread may call it. */
XNCC_API xncc_status xncc_device_describe(size_t number, xncc_device_info *info, xncc_error *error);

#ifdef __cplusplus
}
#endif
#endif
