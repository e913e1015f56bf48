// SPDX-License-Identifier: BSD-2-Clause
/* Device memory and streams for tests (kit/device.h). */
#include "kit/device.h"

#include <cuda_runtime.h>

extern "C" {

int kit_device_present(void)
{
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

size_t kit_device_free_bytes(void)
{
    size_t available = 0, total = 0;
    return cudaMemGetInfo(&available, &total) == cudaSuccess ? available : 0;
}

void *kit_device_alloc(size_t bytes)
{
    void *memory = nullptr;
    return cudaMalloc(&memory, bytes) == cudaSuccess ? memory : nullptr;
}

void kit_device_free(void *memory)
{
    (void)cudaFree(memory);
}

int kit_device_upload(void *device, const void *host, size_t bytes)
{
    /* a copy from pageable memory may return before the data has arrived */
    return cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice) == cudaSuccess &&
           cudaStreamSynchronize(nullptr) == cudaSuccess;
}

int kit_device_download(void *host, const void *device, size_t bytes)
{
    return cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
}

xncc_stream kit_device_stream(void)
{
    cudaStream_t stream = nullptr;
    return cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess ? stream
                                                                                    : nullptr;
}

int kit_device_wait(xncc_stream stream)
{
    return cudaStreamSynchronize(stream) == cudaSuccess;
}

void kit_device_stream_destroy(xncc_stream stream)
{
    (void)cudaStreamDestroy(stream);
}

int kit_device_capture(xncc_stream stream)
{
    return cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess;
}

void *kit_device_graph(xncc_stream stream)
{
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    if (cudaStreamEndCapture(stream, &graph) != cudaSuccess) {
        (void)cudaGetLastError();
        return nullptr;
    }
    cudaError_t code = cudaGraphInstantiate(&ready, graph, 0);
    (void)cudaGraphDestroy(graph);
    return code == cudaSuccess ? ready : nullptr;
}

int kit_device_graph_run(void *graph, xncc_stream stream)
{
    return cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), stream) == cudaSuccess &&
           cudaStreamSynchronize(stream) == cudaSuccess;
}

void kit_device_graph_destroy(void *graph)
{
    (void)cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph));
}
}
