// SPDX-License-Identifier: BSD-2-Clause
// Allocates the device memory of plans.
#include "cuda/engine/workspace.h"

namespace xncc {

namespace {

// Allocates memory and fills it with zeros.
xncc_status take_zeros(DeviceMemory *memory, uint64_t bytes, xncc_error *error)
{
    cudaError_t code = memory->take(bytes);
    if (code == cudaSuccess && bytes)
        code = cudaMemset(memory->as<void>(), 0, static_cast<size_t>(bytes));
    if (code == cudaSuccess)
        code = cudaStreamSynchronize(nullptr);
    if (code != cudaSuccess)
        memory->release(); // the next call shall not take it for filled
    return check(code, "allocating the plan's workspace", error);
}

} // namespace

uint64_t Workspace::cleared_bytes(const xncc_workspace &sizes)
{
    uint64_t bytes = 0;
    for (int i = 0; i < XNCC_BUFFER_SOURCE; i++)
        bytes += sizes.bytes[i];
    return bytes;
}

uint64_t Workspace::shared_bytes(const xncc_workspace &sizes)
{
    return cleared_bytes(sizes) + sizes.bytes[XNCC_BUFFER_BATCH];
}

xncc_status Workspace::make(const xncc_workspace &sizes, xncc_error *error)
{
    w = sizes;
    return take_zeros(&all, cleared_bytes(w), error);
}

void Workspace::use(const xncc_workspace &sizes, unsigned char *block)
{
    w = sizes;
    all.use(block);
    batch.use(block + cleared_bytes(w));
}

xncc_status Workspace::need(xncc_buffer buffer, xncc_error *error)
{
    DeviceMemory *memory = buffer == XNCC_BUFFER_SOURCE ? &source : &batch;
    return memory->as<void>() ? XNCC_OK : take_zeros(memory, w.bytes[buffer], error);
}

unsigned char *Workspace::at(xncc_buffer buffer) const
{
    if (buffer == XNCC_BUFFER_SOURCE || buffer == XNCC_BUFFER_BATCH)
        return (buffer == XNCC_BUFFER_SOURCE ? source : batch).as<unsigned char>();
    unsigned char *at = all.as<unsigned char>();
    for (int i = 0; i < buffer; i++)
        at += w.bytes[i];
    return w.bytes[buffer] ? at : nullptr;
}

} // namespace xncc
