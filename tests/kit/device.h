/* SPDX-License-Identifier: BSD-2-Clause */
/* Device memory, streams and graphs for tests, without a CUDA header. In builds without CUDA every
 * call fails. */
#ifndef KIT_DEVICE_H
#define KIT_DEVICE_H

#include "kit/pixels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns 1 if this build has CUDA and a device responds. */
int kit_device_present(void);

/* The bytes that the device reports as free; 0 means failure. All programs on the device count. */
size_t kit_device_free_bytes(void);

/* NULL and 0 mean failure. */
void *kit_device_alloc(size_t bytes);
void kit_device_free(void *memory);
int kit_device_upload(void *device, const void *host, size_t bytes);
int kit_device_download(void *host, const void *device, size_t bytes);

xncc_stream kit_device_stream(void);
int kit_device_wait(xncc_stream stream);
void kit_device_stream_destroy(xncc_stream stream);

/* Capture the work put on the stream between the first two calls into a CUDA graph.
 * kit_device_graph returns NULL if that failed. kit_device_graph_run waits for the graph to
 * finish. */
int kit_device_capture(xncc_stream stream);
void *kit_device_graph(xncc_stream stream);
int kit_device_graph_run(void *graph, xncc_stream stream);
void kit_device_graph_destroy(void *graph);

#ifdef __cplusplus
}
#endif
#endif
