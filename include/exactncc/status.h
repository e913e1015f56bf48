/* exactncc: statuses, version and the export macro. SPDX-License-Identifier: BSD-2-Clause */
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

/* The version of this header. It stands here alone; the build reads it from these lines. */
#define XNCC_VERSION_MAJOR 0
#define XNCC_VERSION_MINOR 1
#define XNCC_VERSION_PATCH 0

/* What every call that can fail returns. The numbers are part of the interface and never change. */
typedef enum xncc_status {
    XNCC_OK = 0, /* done */
    XNCC_ERROR_ARGUMENT =
        1, /* a null pointer, a size out of range, an unknown name: the caller's to mend */
    XNCC_ERROR_MEMORY = 2, /* host or device memory could not be had */
    XNCC_ERROR_UNSUPPORTED =
        3,                  /* a legal request that this build, device or kernel does not serve */
    XNCC_ERROR_DEVICE = 4,  /* no usable device, or the device failed */
    XNCC_ERROR_INTERNAL = 5 /* a defect of this library */
} xncc_status;

/* A short English phrase for a status, without a full stop; "unknown status" for a number that is
 * none. The string is constant. Any thread may call it. */
XNCC_API const char *xncc_status_string(xncc_status status);

/* The version of the library that is linked, as "major.minor.patch". The string is constant. Any
 * thread. */
XNCC_API const char *xncc_version(void);

#ifdef __cplusplus
}
#endif
#endif
