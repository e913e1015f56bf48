// What an engine offers for many templates (engine/many.h).
#ifndef XNCC_CUDA_MANY_CUH
#define XNCC_CUDA_MANY_CUH

#include "engine.cuh"

extern "C" {
#include "engine/many.h"
}

namespace xncc {

extern const xncc_share_ops share_operations;
extern const xncc_merge_ops merge_operations;

} // namespace xncc

#endif
