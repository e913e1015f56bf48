// Copies an image from the host to the plan's memory, with its mask.
#include "cuda/planes/image_source.h"

#include "cuda/planes/make_planes.h"

namespace xncc {

xncc_status ImageSource::bring(const xncc_image &image, Upload *upload, cudaStream_t stream,
                               xncc_image *result, xncc_error *error)
{
    *result = image;
    if (image.memory == XNCC_DEVICE)
        return XNCC_OK;
    const xncc_image full = with_pitches(image);
    size_t row = static_cast<size_t>(xncc_image_row_bytes(&image)),
           mask_row = static_cast<size_t>(image.width);
    uint64_t rows = static_cast<uint64_t>(image.height);
    cudaError_t code = pixels.as<void>() ? cudaSuccess : pixels.take(row * rows);
    if (code == cudaSuccess && image.mask && !mask.as<void>())
        code = mask.take(mask_row * rows);
    if (code == cudaSuccess)
        code = upload->copy_rows(UploadRows{ static_cast<const unsigned char *>(image.data),
                                             static_cast<size_t>(full.pitch),
                                             pixels.as<unsigned char>(), row, row, image.height },
                                 stream);
    if (code == cudaSuccess && image.mask)
        code = upload->copy_rows(UploadRows{ image.mask, static_cast<size_t>(full.mask_pitch),
                                             mask.as<unsigned char>(), mask_row, mask_row,
                                             image.height },
                                 stream);
    result->memory = XNCC_DEVICE;
    result->data = pixels.as<void>();
    result->pitch = static_cast<int64_t>(row);
    result->mask = image.mask ? mask.as<uint8_t>() : nullptr;
    result->mask_pitch = static_cast<int64_t>(mask_row);
    return check(code, "copying the image to the plan's memory", error);
}

} // namespace xncc
