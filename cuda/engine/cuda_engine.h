/* SPDX-License-Identifier: BSD-2-Clause */
/* The C interface of the CUDA engine. It includes no CUDA header. */
#ifndef XNCC_CUDA_ENGINE_CUDA_ENGINE_H
#define XNCC_CUDA_ENGINE_CUDA_ENGINE_H

#ifdef __cplusplus
#include <atomic> /* a C++ header, so not inside of extern "C" */
extern "C" {
#endif

#include "base/error.h"
#include "engine/engine.h"

/* Makes the engine of a CUDA device.
 *
 * index: CUDA's index of the device.
 * workspace_limit: the most bytes of device memory per plan; 0: a quarter of the memory that is
 * free when the plan is made. threads: how many threads may copy an image from the host, including
 * the caller; at least 1. The engine uses fewer where more do not help.
 *
 * On success the caller owns *engine and frees it with ops->destroy. On failure *engine is NULL:
 * XNCC_ERROR_DEVICE, with a text that says why the device cannot be used, or XNCC_ERROR_MEMORY. */
xncc_status xncc_cuda_engine_create(int32_t index, uint64_t workspace_limit, int32_t threads,
                                    xncc_engine **engine, xncc_error *error);

/* For tests: makes the engine treat the device as one with slow (1) or fast (0) double precision.
 * Call it before plans are made. The scores have the same bits. Returns 0, and changes nothing, if
 * the build has no kernels for that (EXACTNCC_ALL_ARITHMETICS builds all). */
int xncc_cuda_engine_slow_doubles(xncc_engine *engine, int slow);

/* For tests: frees what the engine keeps for later searches. */
void xncc_cuda_engine_trim(xncc_engine *engine);

/* Returns the number of CUDA devices; 1 if there is none. */
size_t xncc_cuda_count(void);

/* Describes CUDA device `number` in *info, whose members other than size are 0. If there is no
 * device, it gets usable = 0 and index = -1, and the text says why. */
void xncc_cuda_describe(size_t number, xncc_device_info *info);

#ifdef __cplusplus
}
#endif
#endif
