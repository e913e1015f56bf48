// SPDX-License-Identifier: BSD-2-Clause
// What float_split.cu and split_units.cu share: the parameters of their kernels, and the launches
// of those that choose the units of samples in two parts (float_split.h).
#ifndef XNCC_CUDA_PRODUCTS_SPLIT_UNITS_CUH
#define XNCC_CUDA_PRODUCTS_SPLIT_UNITS_CUH

#include "cuda/products/float_split.h"

namespace xncc {

// A batch of blocks, or the template.
struct SplitJob {
    FloatProductsJob products;
    TemplateView templ;
    FloatConstants *constants;
    SplitBlocks set;
    const double2 *row_turns, *column_turns;
    double2 *data;
    int32_t first, batch;
    const uint32_t *run; // nullptr, or what is 0 if there is nothing to do
};

__device__ __forceinline__ bool is_idle(const SplitJob &job)
{
    return job.run && !*job.run;
}

// Chooses the unit of the template's leading parts.
cudaError_t launch_template_unit(const SplitJob &job, cudaStream_t stream);

// Adds up the squares of the samples of all blocks of a band, and chooses units and bounds.
cudaError_t launch_units(const SplitJob &job, int processors, cudaStream_t stream);

} // namespace xncc

#endif
