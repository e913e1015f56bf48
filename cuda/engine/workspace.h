// SPDX-License-Identifier: BSD-2-Clause
// The device memory of a plan: one block for everything that each call needs, and two that the
// first call that needs them allocates. The decision has the sizes (plan/decision.h).
#ifndef XNCC_CUDA_ENGINE_WORKSPACE_H
#define XNCC_CUDA_ENGINE_WORKSPACE_H

#include "cuda/runtime/handles.h"

extern "C" {
#include "plan/decision.h"
}

namespace xncc {

class Workspace {
  public:
    // Allocates all buffers but SOURCE and BATCH, filled with zeros: the ends of rows are read,
    // although no score depends on them.
    xncc_status make(const xncc_workspace &sizes, xncc_error *error);
    // Uses a block of `shared_bytes` bytes of which another owner has cleared the first
    // cleared_bytes, for all buffers but SOURCE.
    void use(const xncc_workspace &sizes, unsigned char *block);
    static uint64_t shared_bytes(const xncc_workspace &sizes);
    static uint64_t cleared_bytes(const xncc_workspace &sizes);
    // Makes sure that XNCC_BUFFER_SOURCE or XNCC_BUFFER_BATCH is there. A new one has zeros.
    xncc_status need(xncc_buffer buffer, xncc_error *error);
    // A buffer; nullptr if it has no bytes or is not there yet.
    template <class T> T *as(xncc_buffer buffer) const
    {
        return reinterpret_cast<T *>(at(buffer));
    }
    const xncc_workspace &sizes() const
    {
        return w;
    }

  private:
    unsigned char *at(xncc_buffer buffer) const;

    xncc_workspace w = {};
    DeviceMemory all, source, batch;
};

} // namespace xncc

#endif
