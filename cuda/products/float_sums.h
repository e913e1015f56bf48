// SPDX-License-Identifier: BSD-2-Clause
// The sums of windows of floats and u32 of which not all pixels count, or with several channels
// (plan/float_sums.h), as products of planes by the transforms of kernel float-split; and what the
// score makes the others from.
#ifndef XNCC_CUDA_PRODUCTS_FLOAT_SUMS_H
#define XNCC_CUDA_PRODUCTS_FLOAT_SUMS_H

#include "cuda/planes/float_planes.h"
#include "cuda/products/float_split.h"
#include "cuda/score/float_sum_score.h"
#include "cuda/windows/column_sums.h"

namespace xncc {

// Where the sums of a band go: map `number` begins `step` elements behind the one before.
struct SumMaps {
    double *first;
    int64_t step, pitch; // elements
    int32_t width, height;
};

class FloatSums {
  public:
    // Makes everything for the blocks that were decided, in memory which the caller owns: of the
    // transforms, and `rows` (xncc_workspace: the plane of the image begins there, and behind it is
    // what is known of the template). processors: of the device.
    xncc_status make(const xncc_problem &problem, const xncc_decision &decision, int processors,
                     unsigned char *transforms, unsigned char *rows, xncc_error *error);
    // Puts all sums of a band, and the bounds of their errors, on the stream.
    xncc_status correlate(const FloatSource &of, const SumMaps &to, cudaStream_t stream,
                          xncc_error *error);
    // Tells a score which sums there are, and what it makes the others from.
    void set_sums(FloatSumScoreJob *job) const;
    FloatTerms *terms_of_source() const
    {
        return terms;
    }

  private:
    struct Product; // of a plane of the image and one of the template
    FloatImage plane(const FloatSource &of, int number) const;
    FloatProductsJob job_of(const FloatSource &of, const SumMaps &to, int plane, int sum,
                            bool adds) const;
    // Makes products of the first plane; added: the sum of one product of each plane.
    cudaError_t multiply(const FloatSource &of, const Product *product, int count, bool added,
                         const SumMaps &to, cudaStream_t stream);
    // Makes the sums of columns `to` of a plane, for so many rows of windows.
    cudaError_t sum_columns(const FloatSource &of, int number, int to, int rows,
                            cudaStream_t stream);

    FloatSplit split;
    xncc_float_sums at = {};
    double *planes = nullptr;          // of the image
    int64_t pitch = 0, plane_step = 0; // elements
    FloatTerms *terms = nullptr;
    double *integrals = nullptr;     // at.clips: those of the template (float_planes.h)
    ColumnsOfPlanes columns = {};    // at.windows: of the channels, and of what counts
    unsigned char *groups = nullptr; // scratch of the sums of columns
};

} // namespace xncc

#endif
