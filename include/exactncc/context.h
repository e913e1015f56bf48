/* exactncc: contexts and devices. SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_CONTEXT_H
#define EXACTNCC_CONTEXT_H

#include "status.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A CUDA stream: the same type as cudaStream_t, named here so that no CUDA header is needed. NULL
 * is the default stream. */
typedef struct CUstream_st *xncc_stream;

typedef struct xncc_context xncc_context;

/* Which engines a context may use. */
typedef enum xncc_device {
    XNCC_DEVICE_AUTO = 0, /* the CUDA device when there is a usable one, and the CPU */
    XNCC_DEVICE_CPU = 1,  /* the CPU only */
    XNCC_DEVICE_CUDA = 2  /* the CUDA device only; creating the context fails when there is none */
} xncc_device;

/* All zero: the best there is. */
typedef struct xncc_context_options {
    xncc_device device;
    int32_t cuda_index; /* which CUDA device, counted as the CUDA runtime counts; used by AUTO and
                           CUDA */
    int32_t
        threads; /* CPU threads, 0 .. 1024; 0: one per processor that this process may use. With a
                    CUDA device up to four of as many copy images from pageable host memory to it */
    uint64_t device_memory; /* the most bytes of device memory that one plan may take for its
                               workspace; 0: a quarter of what is free when the plan is made */
} xncc_context_options;

/* Enough for every error text with its final zero. */
#define XNCC_ERROR_SIZE 512

/* Makes a context: the engines, the CPU's threads, and the place where the text of the last error
 * is kept. options may be NULL (all zero). On success *context is the caller's, to be given to
 * xncc_context_destroy; on failure it is NULL. XNCC_ERROR_ARGUMENT, XNCC_ERROR_MEMORY,
 * XNCC_ERROR_DEVICE (XNCC_DEVICE_CUDA and no usable device, or the library was built without CUDA;
 * xncc_device_describe says why). Threads: a context, and the templates and filters made with it,
 * may be used by several threads at once. A plan may not. A fork()ed child must not use its
 * parent's contexts. */
XNCC_API xncc_status xncc_context_create(const xncc_context_options *options,
                                         xncc_context **context);

/* Frees a context. NULL is allowed. Everything made with it must have been destroyed before, and no
 * call that uses it may be under way. */
XNCC_API void xncc_context_destroy(xncc_context *context);

/* Copies the text of the last failure of any call that was given this context, or a plan, template
 * or filter made with it, into text (at most size bytes, always ended by a zero when size > 0) and
 * returns text. The text is one line, says what was wrong and what to do, and is empty when nothing
 * has failed yet. Threads that share a context share its text. */
XNCC_API const char *xncc_context_error(const xncc_context *context, char *text, size_t size);

/* How far the call that runs now on this context has come, 0 .. 1; 1 when none runs. Meant to be
 * asked from another thread, to show progress; it moves in steps of a band of rows and may stand
 * still on a GPU until the results are fetched. */
XNCC_API double xncc_context_progress(const xncc_context *context);

/* What the library knows of a device, for people and for bug reports. */
typedef struct xncc_device_info {
    xncc_device device;    /* XNCC_DEVICE_CPU or XNCC_DEVICE_CUDA */
    int32_t index;         /* CUDA: the device's number */
    int32_t usable;        /* 1, or 0 with the reason in text */
    int32_t major, minor;  /* CUDA: compute capability */
    int32_t processors;    /* CUDA: multiprocessors; CPU: processors this process may use */
    int64_t memory;        /* bytes of device memory; 0 for the CPU */
    int64_t shared_memory; /* CUDA: bytes of shared memory a block (sharedMemPerBlock) */
    int64_t shared_optin;  /* CUDA: the same after opting in */
    char name[128];        /* the device's own name */
    char text[256]; /* CPU: the instruction sets found; CUDA: why it is not usable, or empty */
} xncc_device_info;

/* Describes up to capacity devices into info (the CPU first, then every CUDA device) and returns
 * how many there are. Where CUDA was built in but has no driver or device, one entry with usable =
 * 0 and index = -1 says why; where it was not built in, the entry says that. Any thread. Never
 * fails; info may be NULL when capacity is 0. */
XNCC_API size_t xncc_device_describe(xncc_device_info *info, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
