// SPDX-License-Identifier: BSD-2-Clause
// The memory of batches of one search (batch_memory.h).
#include "cuda/engine/batch_memory.h"

namespace xncc {

namespace {

// All sets together keep at most this many bytes, and at most one of PARTS of the device memory.
constexpr uint64_t MOST_BYTES = UINT64_C(2) << 30, PARTS = 8;

cudaError_t make(BatchMemory *m)
{
    cudaError_t code = m->stream.make();
    if (code == cudaSuccess)
        code = m->before.make();
    return code == cudaSuccess ? m->done.make() : code;
}

void raise(std::atomic<uint64_t> *most, uint64_t bytes)
{
    uint64_t before = most->load();
    while (before < bytes && !most->compare_exchange_weak(before, bytes)) {
    }
}

} // namespace

xncc_status SpareMemory::take(BatchMemory **result, xncc_error *error)
{
    *result = nullptr;
    for (int i = 0; i < SETS && !*result; i++)
        *result = spare[i].exchange(nullptr);
    if (*result)
        return XNCC_OK;
    BatchMemory *made = create<BatchMemory>();
    if (!made)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for the batch");
    return hand_over(check(make(made), "making a stream", error), made, result);
}

void SpareMemory::give(BatchMemory *memory)
{
    const uint64_t bytes = memory->workspace.size() + memory->forms.size() + memory->image.size();
    const bool fits = bytes <= most;
    bool kept = false;
    if (fits) {
        raise(&workspace, memory->workspace.size());
        raise(&forms, memory->forms.size());
        raise(&image, memory->image.size());
        raise(&results, memory->fetched.batch.size());
    }
    for (int i = 0; i < SETS && fits && !kept; i++) {
        BatchMemory *none = nullptr;
        kept = spare[i].compare_exchange_strong(none, memory);
    }
    if (!kept)
        destroy(memory);
}

BatchRoom SpareMemory::usual() const
{
    const BatchRoom room = { workspace.load(), forms.load(), image.load(), results.load() };
    return room.workspace + room.forms + room.image <= most ? room : BatchRoom{};
}

bool SpareMemory::release()
{
    bool any = false;
    workspace = forms = image = results = 0;
    for (int i = 0; i < SETS; i++) {
        BatchMemory *memory = spare[i].exchange(nullptr);
        any = any || memory;
        destroy(memory);
    }
    return any;
}

void SpareMemory::set_limit(uint64_t device_bytes)
{
    const uint64_t all = device_bytes / PARTS < MOST_BYTES ? device_bytes / PARTS : MOST_BYTES;
    most = all / SETS;
}

} // namespace xncc
