// SPDX-License-Identifier: BSD-2-Clause
// Kernels that rearrange a template's pixels in device memory: the groups of 4 pixels that the
// plain kernels read, and the byte planes that general problems multiply.
#ifndef XNCC_CUDA_PLANES_TEMPLATE_PLANES_H
#define XNCC_CUDA_PLANES_TEMPLATE_PLANES_H

#include "cuda/planes/device_template.h"

extern "C" {
#include "plan/general_planes.h"
}

namespace xncc {

// Fills `groups` of an 8-bit or 16-bit template from its `pixels`.
cudaError_t launch_template_groups(const DeviceTemplate &templ, cudaStream_t stream);

// Parameters of the kernel that writes the byte planes of a template.
struct TemplPlanes {
    const unsigned char *pixels; // as DeviceTemplate has them
    int64_t pitch;               // bytes per row of `pixels`
    const uint8_t *mask;         // tightly packed; nullptr: all pixels count
    int32_t width, height, channels;
    int32_t count;                                      // planes
    int64_t to_pitch;                                   // bytes per row of each plane
    xncc_general_term plane[XNCC_GENERAL_TEMPL_PLANES]; // sum: an xncc_plane; shift: 8 * digit
    unsigned char *to[XNCC_GENERAL_TEMPL_PLANES];       // the planes, in the order of `plane`
};

// Writes the template's planes that the list names: plane i to the pixels of to[i]. The caller then
// refreshes to[i]. A plane's value at a pixel is byte `digit` of the sample, byte `digit` of its
// square, or 1; samples that do not count are stored as 0, and so is their count. The template has
// integer pixels; the planes were made with make_plane.
cudaError_t launch_template_planes(const DeviceTemplate &templ, const xncc_general_planes &planes,
                                   const DeviceTemplate *to, cudaStream_t stream);

} // namespace xncc

#endif
