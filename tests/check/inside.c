/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that need access to the inside of the library, for programs linked with its own
 * objects. */
#include "check/check.h"

#ifdef CHECK_INSIDE
#include "cuda/engine/cuda_engine.h"
#include "api/objects.h"

void check_slow_doubles(xncc_context *context)
{
    if (!xncc_cuda_engine_slow_doubles(context->engine[xncc_slot(XNCC_DEVICE_CUDA)], 1))
        kit_skip("--slow-doubles needs a build with EXACTNCC_ALL_ARITHMETICS");
}
#else
void check_slow_doubles(xncc_context *context)
{
    (void)context;
    kit_skip("--slow-doubles needs a static library with CUDA");
}
#endif
