// SPDX-License-Identifier: BSD-2-Clause
// The first step of a plan: the image where the kernels can read it.
#ifndef XNCC_CUDA_ENGINE_IMAGE_PASS_H
#define XNCC_CUDA_ENGINE_IMAGE_PASS_H

#include "cuda/engine/call.h"

namespace xncc {

// Sets the axes of the map, and makes the textures of bands.
xncc_status image_bind(xncc_engine_plan *plan, xncc_error *error);

// Copies an image from the host to the device, unless the plan copies it band by band. call->image
// is then the copy.
xncc_status bring_image(Call *call);

// Does the image step of a band. If `target` is not nullptr, the products that go there are put on
// the stream as well, where they can begin before the whole band has arrived from the host;
// *multiplied tells whether they were.
xncc_status prepare_image(const Call &call, Band *band, const Target *target, bool *multiplied);

} // namespace xncc

#endif
