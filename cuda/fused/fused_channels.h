// SPDX-License-Identifier: BSD-2-Clause
// Scores of two to four channels of one byte per sample in one kernel, for small templates of which
// all pixels count, by every method but coverage: the kernel `tensor-fused`. For compute capability
// 8.0 and later. Method and data mapping: fused_channels.cu.
#ifndef XNCC_CUDA_FUSED_FUSED_CHANNELS_H
#define XNCC_CUDA_FUSED_FUSED_CHANNELS_H

#include "cuda/score/channel_score.h"

namespace xncc {

// Sets the dynamic shared-memory limit of the kernels for this shape of template on the current
// device to `most` bytes. The last call holds for all plans, so pass the device's maximum.
cudaError_t fused_channels_set_max_shared_memory(const xncc_tensor_blocks &blocks, int most);

// Scores of a band, as launch_channel_score, but X is computed in the kernel; the terms of the job
// are not read. job.digits: 1. taps: the template's planes as fused_build laid
// them out, contiguous, in the order of the channels. processors: multiprocessors of the device.
// pdl: launch before the previous kernel has ended (pdl.cuh). The previous kernel must be that
// fused_build, and the image must have been complete before it.
cudaError_t launch_fused_channels(const ChannelScoreJob &job, const xncc_tensor_blocks &blocks,
                                  const unsigned char *taps, int processors, bool pdl,
                                  cudaStream_t stream);

} // namespace xncc

#endif
