// SPDX-License-Identifier: BSD-2-Clause
// The product step of a plan: X and the other sums that are products of byte planes.
#ifndef XNCC_CUDA_ENGINE_PRODUCT_PASS_H
#define XNCC_CUDA_ENGINE_PRODUCT_PASS_H

#include "cuda/engine/call.h"

namespace xncc {

// Makes the template's byte planes, and what the plan's kernel needs.
xncc_status product_bind(xncc_engine_plan *plan, xncc_error *error);

// Lays out the template, for kernels that multiply byte planes. The tensor kernels' form goes to
// `toeplitz`.
xncc_status lay_out_template(const Call &call, unsigned char *toeplitz);

// Does the product step of a band. target: where the scores will go; X may use the memory.
// laid_out: lay_out_template was the last work put on the stream.
xncc_status multiply_band(const Call &call, const Band &band, const Target &target, bool laid_out);

// The same for `count` rows of the band from row `first` on, for kernels that read whole pixels.
xncc_status multiply_rows(const Call &call, const Band &band, const Target &target, int32_t first,
                          int32_t count);

} // namespace xncc

#endif
