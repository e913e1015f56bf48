/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of kit/device.h for builds without CUDA: all of them fail. */
#include "kit/device.h"

int kit_device_present(void)
{
    return 0;
}

size_t kit_device_free_bytes(void)
{
    return 0;
}

void *kit_device_alloc(size_t bytes)
{
    (void)bytes;
    return NULL;
}

void kit_device_free(void *memory)
{
    (void)memory;
}

int kit_device_upload(void *device, const void *host, size_t bytes)
{
    (void)device;
    (void)host;
    (void)bytes;
    return 0;
}

int kit_device_download(void *host, const void *device, size_t bytes)
{
    (void)device;
    (void)host;
    (void)bytes;
    return 0;
}

xncc_stream kit_device_stream(void)
{
    return NULL;
}

int kit_device_wait(xncc_stream stream)
{
    (void)stream;
    return 0;
}

void kit_device_stream_destroy(xncc_stream stream)
{
    (void)stream;
}

int kit_device_capture(xncc_stream stream)
{
    (void)stream;
    return 0;
}

void *kit_device_graph(xncc_stream stream)
{
    (void)stream;
    return NULL;
}

int kit_device_graph_run(void *graph, xncc_stream stream)
{
    (void)graph;
    (void)stream;
    return 0;
}

void kit_device_graph_destroy(void *graph)
{
    (void)graph;
}
