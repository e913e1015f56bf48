// What an engine offers for many templates (engine/many.h).
#ifndef XNCC_CUDA_ENGINE_BATCH_CONTEXT_H
#define XNCC_CUDA_ENGINE_BATCH_CONTEXT_H

#include "cuda/engine/engine_plan.h"

extern "C" {
#include "engine/batch_ops.h"
}

namespace xncc {

extern const xncc_batch_ops share_operations;
extern const xncc_merge_ops merge_operations;

} // namespace xncc

#endif
