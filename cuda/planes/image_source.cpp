// SPDX-License-Identifier: BSD-2-Clause
// Copies an image from the host to the device, with its mask.
#include "cuda/planes/image_source.h"

namespace xncc {

xncc_status bring_to_device(xncc_image *image, unsigned char *memory, Upload *upload,
                            cudaStream_t stream, xncc_error *error)
{
    const xncc_image host = *image;
    const size_t row = static_cast<size_t>(xncc_image_row_bytes(&host)),
                 mask_row = static_cast<size_t>(host.width);
    image->memory = XNCC_DEVICE;
    image->data = memory;
    image->pitch = source_pitch(static_cast<int64_t>(row));
    cudaError_t code = upload->copy_rows(UploadRows{ static_cast<const unsigned char *>(host.data),
                                                     static_cast<size_t>(xncc_image_pitch(&host)),
                                                     memory, static_cast<size_t>(image->pitch), row,
                                                     host.height },
                                         stream);
    if (host.mask) {
        unsigned char *mask = memory + image->pitch * host.height;
        image->mask = mask;
        image->mask_pitch = source_pitch(host.width);
        if (code == cudaSuccess)
            code = upload->copy_rows(
                UploadRows{ host.mask, static_cast<size_t>(xncc_image_mask_pitch(&host)), mask,
                            static_cast<size_t>(image->mask_pitch), mask_row, host.height },
                stream);
    }
    return check(code, "copying the image to the device", error);
}

} // namespace xncc
