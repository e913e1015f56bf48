// Templates and filters as the device holds them, made once when they are created.
#ifndef CM_CUDA_PREPARED_CUH
#define CM_CUDA_PREPARED_CUH

#include "bank.cuh"

namespace cm {

struct Prepared {
    uint64_t serial = 0;
    int32_t width = 0, height = 0;
    cm_pixel pixel = CM_U8; // of a filter: CM_F32

    DeviceMemory pixels; // row by row
    size_t pitch = 0;    // bytes
    Texture texture;     // over pixels; templates only

    // Integer pixels once more, in groups of 4 adjacent pixels: group g of row j at element g * group_rows + j. Rows are padded to whole
    // groups, and groups to a multiple of 4 rows, with zeros.
    DeviceMemory groups;
    int32_t group_count = 0, group_rows = 0;

    size_t group_bytes() const
    {
        return CM_THREAD_COLUMNS * cm_pixel_size(pixel);
    }
};

// The device is the current one; the stream is used and waited for.
cm_status prepare_template(const cm_template *part, cudaStream_t stream, Prepared *prepared, cm_error *error);
cm_status prepare_filter(const cm_filter *filter, cudaStream_t stream, Prepared *prepared, cm_error *error);

} // namespace cm

#endif
