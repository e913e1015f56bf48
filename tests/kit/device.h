/* Device memory and streams for tests, without a CUDA header. Where the build has no CUDA every
 * call fails. */
#ifndef KIT_DEVICE_H
#define KIT_DEVICE_H

#include "kit/pixels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 1 when this build has CUDA and a device answers. */
int kit_device_present(void);

/* NULL and 0 mean failure. */
void *kit_device_alloc(size_t bytes);
void kit_device_free(void *memory);
int kit_device_upload(void *device, const void *host, size_t bytes);
int kit_device_download(void *host, const void *device, size_t bytes);

xncc_stream kit_device_stream(void);
int kit_device_wait(xncc_stream stream);
void kit_device_stream_destroy(xncc_stream stream);

/* A CUDA graph out of what is put on the stream between the two calls; NULL when that failed. run
 * waits for it. */
int kit_device_capture(xncc_stream stream);
void *kit_device_graph(xncc_stream stream);
int kit_device_graph_run(void *graph, xncc_stream stream);
void kit_device_graph_destroy(void *graph);

#ifdef __cplusplus
}
#endif
#endif
