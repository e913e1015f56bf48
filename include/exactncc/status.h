/* exactncc: status codes, the version, and the export macro.
 * SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_STATUS_H
#define EXACTNCC_STATUS_H

#if defined(XNCC_SHARED) && defined(__GNUC__)
#define XNCC_API __attribute__((visibility("default")))
#else
#define XNCC_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header. The build system reads it from these lines. */
#define XNCC_VERSION_MAJOR 0
#define XNCC_VERSION_MINOR 1
#define XNCC_VERSION_PATCH 0

/* What every call that can fail returns. The numbers are part of the interface and never change. */
typedef enum xncc_status {
    /* The call did what was asked. */
    XNCC_OK = 0,
    /* A caller error: a null pointer, a value out of range, an unknown name. */
    XNCC_ERROR_ARGUMENT = 1,
    /* Host or device memory could not be allocated. */
    XNCC_ERROR_MEMORY = 2,
    /* The request is legal, but this build, device or kernel cannot serve it. */
    XNCC_ERROR_UNSUPPORTED = 3,
    /* There is no usable device, or the device failed. */
    XNCC_ERROR_DEVICE = 4,
    /* A defect of this library. */
    XNCC_ERROR_INTERNAL = 5,
    /* The call was cancelled (xncc_context_cancel). */
    XNCC_ERROR_CANCELLED = 6
} xncc_status;

/* Returns a short English phrase for a status, without a full stop, or "unknown status" for any
 * other number. The string is constant and must not be freed. Any thread may call it. */
XNCC_API const char *xncc_status_string(xncc_status status);

/* Returns the version of the linked library as "major.minor.patch". The string is constant and must
 * not be freed. Any thread may call it. */
XNCC_API const char *xncc_version(void);

#ifdef __cplusplus
}
#endif
#endif
