// SPDX-License-Identifier: BSD-2-Clause
// The launches of the tensor kernels, block by block of the template.
#include "cuda/engine/tensor_products.h"

namespace xncc {

namespace {

constexpr uint32_t BOX_WORD = 4; // bytes per element of a tensor map of the image

// cuTensorMapEncodeTiled of the driver.
using Encode = CUresult (*)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                            const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                            const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                            CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

// Returns the driver's function, or nullptr. The function is looked up once; it uses the host only.
Encode find_encode()
{
    static std::atomic<void *> found{ nullptr };
    void *f = found.load();
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
    if (!f) {
        const cudaError_t code = cudaGetDriverEntryPointByVersion(
            "cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &result);
        forgive(code); // the caller tells that there is no function
        if (code == cudaSuccess)
            found.store(f);
        else
            f = nullptr;
    }
    return reinterpret_cast<Encode>(f);
}

// Describes byte planes that are below each other to the copy engine (TMA): boxes of one period of
// rows, without swizzling. above: rows of the planes above the last one.
xncc_status encode(const TensorPlane &plane, int32_t above, const xncc_tensor_blocks &blocks,
                   CUtensorMap *map, xncc_error *error)
{
    Encode f = find_encode();
    const cuuint64_t extents[2] = { static_cast<cuuint64_t>(plane.width) / BOX_WORD,
                                    static_cast<cuuint64_t>(above) +
                                        static_cast<cuuint64_t>(plane.height) };
    const cuuint64_t pitch[1] = { static_cast<cuuint64_t>(plane.pitch) };
    const cuuint32_t box[2] = {
        static_cast<cuuint32_t>(xncc_tensor_row_bytes(blocks.chunks + blocks.half)) / BOX_WORD,
        XNCC_TENSOR_PERIOD
    };
    const cuuint32_t steps[2] = { 1, 1 };
    CUresult code = !f ? CUDA_ERROR_NOT_FOUND
                       : f(map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2,
                           const_cast<unsigned char *>(plane.data), extents, pitch, box, steps,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                           CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return code == CUDA_SUCCESS
               ? XNCC_OK
               : xncc_fail(error, XNCC_ERROR_DEVICE,
                           "CUDA: describing the image to the copy engine failed (driver error %d)",
                           static_cast<int>(code));
}

} // namespace

cudaError_t TensorProducts::make(const xncc_decision &decision, const xncc_machine &machine)
{
    const int most = static_cast<int>(machine.cuda.shared_optin);
    kernel = decision.kernel;
    blocks = decision.tensor;
    processors = machine.cuda.processors;
    cudaError_t code = toeplitz_may_use_pdl(&pdl);
    if (code == cudaSuccess && kernel == XNCC_KERNEL_TENSOR_WGMMA)
        code = wgmma_set_max_shared_memory(blocks, most);
    if (code == cudaSuccess && kernel == XNCC_KERNEL_TENSOR_MMA)
        code = mma_set_max_shared_memory(most);
    return code;
}

cudaError_t TensorProducts::lay_out(const Layout &layout, cudaStream_t stream) const
{
    const bool wgmma = kernel == XNCC_KERNEL_TENSOR_WGMMA, mma = kernel == XNCC_KERNEL_TENSOR_MMA;
    cudaError_t code = cudaSuccess;
    for (int first = 0, some; first < layout.count && code == cudaSuccess; first += some) {
        const int left = layout.count - first;
        some = mma ? 1 : left < LAYOUT_SLOTS ? left : LAYOUT_SLOTS;
        ToeplitzJob job = {};
        job.slots = some;
        job.slot_toeplitz = toeplitz_bytes();
        for (int i = 0; i < some; i++)
            job.pixels[i] = layout.plane[first + i].data;
        job.pitch = layout.plane[first].pitch;
        job.step = layout.plane[first].step;
        job.width = layout.width;
        job.height = layout.height;
        job.blocks = blocks;
        job.toeplitz = layout.to + first * toeplitz_bytes();
        for (int32_t block = 0; block < blocks.across * blocks.down && code == cudaSuccess;
             block++, job.toeplitz += blocks.toeplitz) {
            job.x = block % blocks.across * blocks.width;
            job.y = block / blocks.across * blocks.height;
            code = wgmma ? toeplitz_build(job, stream)
                   : mma ? mma_build(job, stream)
                         : fused_build(job, stream);
        }
    }
    return code;
}

xncc_status TensorProducts::multiply(const TensorPlane &image, const Group &group,
                                     cudaStream_t stream, xncc_error *error) const
{
    return kernel == XNCC_KERNEL_TENSOR_WGMMA ? multiply_wgmma(image, group, stream, error)
                                              : multiply_mma(image, group, stream, error);
}

xncc_status TensorProducts::multiply_wgmma(const TensorPlane &image, const Group &group,
                                           cudaStream_t stream, xncc_error *error) const
{
    TensorJob job = {};
    const int32_t below = group.planes > 1 ? group.planes : group.slot_planes;
    job.flip = image.flip;
    job.planes = group.planes > 1 ? group.planes : 1;
    job.plane_rows = group.image_rows;
    job.plane_toeplitz = group.toeplitz_step;
    job.slot_planes = group.slot_planes > 1 ? group.slot_planes : 1;
    xncc_status status = encode(image, below > 1 ? (below - 1) * group.image_rows : 0, blocks,
                                &job.image, error);
    if (status)
        return status;
    job.sums = group.sums;
    job.pitch = group.pitch;
    job.tiles_across = ceil_div<int32_t>(group.width, XNCC_TENSOR_COLUMNS);
    job.tiles = job.tiles_across * ceil_div<int32_t>(group.height, XNCC_TENSOR_ROWS);
    job.blocks = blocks;
    job.slots = group.count;
    job.slot_toeplitz = group.toeplitz_step;
    job.slot_sums = group.sums_step;
    job.bound = group.bound;
    cudaError_t code = cudaSuccess;
    for (int32_t block = 0; block < blocks.across * blocks.down && code == cudaSuccess; block++) {
        job.toeplitz = reinterpret_cast<const uint4 *>(
            group.toeplitz + static_cast<uint64_t>(block) * blocks.toeplitz);
        job.x = block % blocks.across * blocks.width / static_cast<int32_t>(BOX_WORD);
        job.y = block / blocks.across * blocks.height;
        job.add = block > 0 || group.add;
        job.pdl = pdl && group.pdl && block == 0;
        job.pdl_after_products = job.pdl && group.pdl_after_products;
        code = wgmma_launch(job, processors, stream);
    }
    return check(code, "launching the correlation", error);
}

xncc_status TensorProducts::multiply_mma(const TensorPlane &image, const Group &group,
                                         cudaStream_t stream, xncc_error *error) const
{
    MmaJob job = {};
    job.image = image;
    job.pitch = group.pitch;
    job.width = group.width;
    job.height = group.height;
    job.blocks = blocks;
    cudaError_t code = cudaSuccess;
    const int planes = group.slot_planes > 1 ? group.slot_planes : 1;
    for (int i = 0; i < group.count; i++) {
        job.image.data = image.data + i % planes * group.image_rows * image.pitch;
        for (int32_t block = 0; block < blocks.across * blocks.down && code == cudaSuccess;
             block++) {
            job.toeplitz = reinterpret_cast<const uint2 *>(
                group.toeplitz + i / planes * group.toeplitz_step +
                static_cast<uint64_t>(block) * blocks.toeplitz);
            job.sums = group.sums + i * group.sums_step;
            job.x = block % blocks.across * blocks.width;
            job.y = block / blocks.across * blocks.height;
            job.add = block > 0 || group.add;
            code = mma_launch(job, stream);
        }
    }
    return check(code, "launching the correlation", error);
}

} // namespace xncc
