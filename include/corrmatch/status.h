/* corrmatch: statuses, version and the export macro. SPDX-License-Identifier: BSD-2-Clause */
#ifndef CORRMATCH_STATUS_H
#define CORRMATCH_STATUS_H

#if defined(CM_SHARED) && defined(__GNUC__)
#define CM_API __attribute__((visibility("default")))
#else
#define CM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header. It stands here alone; the build reads it from these lines. */
#define CM_VERSION_MAJOR 0
#define CM_VERSION_MINOR 1
#define CM_VERSION_PATCH 0

/* What every call that can fail returns. The numbers are part of the interface and never change. */
typedef enum cm_status {
    CM_OK = 0,                /* done */
    CM_ERROR_ARGUMENT = 1,    /* a null pointer, a size out of range, an unknown name: the caller's to mend */
    CM_ERROR_MEMORY = 2,      /* host or device memory could not be had */
    CM_ERROR_UNSUPPORTED = 3, /* a legal request that this build, device or kernel does not serve */
    CM_ERROR_DEVICE = 4,      /* no usable device, or the device failed */
    CM_ERROR_INTERNAL = 5     /* a defect of this library */
} cm_status;

/* A short English phrase for a status, without a full stop; "unknown status" for a number that is none.
 * The string is constant. Any thread may call it. */
CM_API const char *cm_status_string(cm_status status);

/* The version of the library that is linked, as "major.minor.patch". The string is constant. Any thread. */
CM_API const char *cm_version(void);

#ifdef __cplusplus
}
#endif
#endif
