/* The CUDA engine's door: C, and no CUDA header. */
#ifndef XNCC_CUDA_ENGINE_CUDA_ENGINE_H
#define XNCC_CUDA_ENGINE_CUDA_ENGINE_H

#include "base/error.h"
#include "engine/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the engine of CUDA device `index`. workspace_limit: the most bytes of device memory a plan
 * may take; 0: a quarter of what is free when the plan is made. threads >= 1: how many may copy an
 * image from the host, the caller counted; the engine takes fewer where more do not help. On
 * success *engine goes to its ops->destroy; on failure it is NULL. XNCC_ERROR_DEVICE with a text
 * that says why there is no usable device; XNCC_ERROR_MEMORY. */
xncc_status xncc_cuda_engine_create(int32_t index, uint64_t workspace_limit, int32_t threads,
                                    xncc_engine **engine, xncc_error *error);

/* For tests, before plans are made: treats the device as one whose double precision is slow (1) or
 * fast (0). Scores have the same bits. Returns 0, and changes nothing, when the build has no
 * kernels for that (EXACTNCC_ALL_ARITHMETICS has all). */
int xncc_cuda_engine_slow_doubles(xncc_engine *engine, int slow);

/* Describes up to capacity CUDA devices and returns how many entries there are: one a device, or
 * one with usable = 0 and index = -1 whose text says why there is none. */
size_t xncc_cuda_describe(xncc_device_info *info, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
