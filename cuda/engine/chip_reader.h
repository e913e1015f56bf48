// SPDX-License-Identifier: BSD-2-Clause
// Tracking on a device: runs of chips (engine/chip_ops.h).
#ifndef XNCC_CUDA_ENGINE_CHIP_READER_H
#define XNCC_CUDA_ENGINE_CHIP_READER_H

#include "cuda/runtime/handles.h"

extern "C" {
#include "engine/engine.h"
}

namespace xncc {

// What a run needs besides the images: streams, and memory for two blocks of chips. An engine keeps
// one from run to run.
struct ChipReader;

void destroy_chip_reader(ChipReader *reader);

// The engine's operations of these names.
int can_read_chips(const xncc_engine *engine, const xncc_problem *problem);
xncc_status read_chips(xncc_engine *engine, const xncc_chip_reads *run, xncc_error *error);

} // namespace xncc

#endif
