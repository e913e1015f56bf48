// What an engine offers for many templates (engine/many.h).
#ifndef CM_CUDA_MANY_CUH
#define CM_CUDA_MANY_CUH

#include "engine.cuh"

extern "C" {
#include "engine/many.h"
}

namespace cm {

extern const cm_share_ops share_operations;
extern const cm_merge_ops merge_operations;

} // namespace cm

#endif
