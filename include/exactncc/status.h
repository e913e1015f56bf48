/* exactncc: status codes, error texts, the version, and the export macro.
 * SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_STATUS_H
#define EXACTNCC_STATUS_H

/* Marks the functions of the library. The build of a shared library defines XNCC_BUILD. A program
 * defines nothing, except that it may define XNCC_SHARED on Windows if it uses the DLL. */
#if defined(XNCC_BUILD) && defined(_WIN32)
#define XNCC_API __declspec(dllexport)
#elif defined(XNCC_BUILD) && defined(__GNUC__)
#define XNCC_API __attribute__((visibility("default")))
#elif defined(XNCC_SHARED) && defined(_WIN32)
#define XNCC_API __declspec(dllimport)
#else
#define XNCC_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header. The build system reads it from these lines. */
#define XNCC_VERSION_MAJOR 1
#define XNCC_VERSION_MINOR 0
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

/* The size in bytes of an error text with its terminating zero. */
#define XNCC_ERROR_SIZE 512

/* The text of a failure. Every call that can fail takes a pointer to one as its last parameter,
 * which may be NULL. After a failure the text is one line that says what was wrong, names the
 * value, and says what to do. After a success it is empty. Its size never changes. */
typedef struct xncc_error {
    char text[XNCC_ERROR_SIZE];
} xncc_error;

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
