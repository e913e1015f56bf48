// SPDX-License-Identifier: BSD-2-Clause
// The launches of the tensor kernels, block by block of the template.
#include "cuda/engine/tensor_products.h"

#include "cuda/fused/fused_u8.h"
#include "cuda/products/correlate_mma.h"

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

xncc_status multiply_wgmma(const Call &call, const Band &band, const TensorGroup &group)
{
    const xncc_engine_plan *plan = call.plan;
    const xncc_tensor_blocks &blocks = plan->decision.tensor;
    TensorJob job = {};
    const int32_t below = group.planes > 1 ? group.planes : group.slot_planes;
    job.flip = band.image.flip;
    job.planes = group.planes > 1 ? group.planes : 1;
    job.plane_rows = group.image_rows;
    job.plane_toeplitz = group.toeplitz_step;
    job.slot_planes = group.slot_planes > 1 ? group.slot_planes : 1;
    xncc_status status = encode(band.image, below > 1 ? (below - 1) * group.image_rows : 0, blocks,
                                &job.image, call.error);
    if (status)
        return status;
    job.sums = group.sums;
    job.pitch = static_cast<int64_t>(plan->memory.sizes().sums_pitch);
    job.tiles_across = ceil_div<int32_t>(band.width, XNCC_TENSOR_COLUMNS);
    job.tiles = job.tiles_across * ceil_div<int32_t>(band.height, XNCC_TENSOR_ROWS);
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
        job.pdl = plan->may_use_pdl && group.pdl && block == 0;
        job.pdl_after_products = job.pdl && group.pdl_after_products;
        code = wgmma_launch(job, plan->engine->machine.cuda.processors, call.stream);
    }
    return check(code, "launching the correlation", call.error);
}

xncc_status multiply_mma(const Call &call, const Band &band, const TensorGroup &group)
{
    const xncc_tensor_blocks &blocks = call.plan->decision.tensor;
    const TensorPlane &image = band.image;
    MmaJob job = {};
    job.image = image;
    job.pitch = static_cast<int64_t>(call.plan->memory.sizes().sums_pitch);
    job.width = band.width;
    job.height = band.height;
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
            code = mma_launch(job, call.stream);
        }
    }
    return check(code, "launching the correlation", call.error);
}

} // namespace

cudaError_t tensor_bind(xncc_engine_plan *plan)
{
    const int most = static_cast<int>(plan->engine->machine.cuda.shared_optin);
    const xncc_decision &d = plan->decision;
    cudaError_t code = toeplitz_may_use_pdl(&plan->may_use_pdl);
    if (code == cudaSuccess && d.kernel == XNCC_KERNEL_TENSOR_WGMMA)
        code = wgmma_set_max_shared_memory(d.tensor, most);
    if (code == cudaSuccess && d.kernel == XNCC_KERNEL_TENSOR_MMA)
        code = mma_set_max_shared_memory(most);
    return code;
}

cudaError_t lay_out_planes(const Call &call, const TensorLayout &layout)
{
    const xncc_engine_plan *plan = call.plan;
    const xncc_tensor_blocks &blocks = plan->decision.tensor;
    const bool wgmma = plan->decision.kernel == XNCC_KERNEL_TENSOR_WGMMA,
               mma = plan->decision.kernel == XNCC_KERNEL_TENSOR_MMA;
    cudaError_t code = cudaSuccess;
    for (int first = 0, some; first < layout.count && code == cudaSuccess; first += some) {
        const int left = layout.count - first;
        some = mma ? 1 : left < LAYOUT_SLOTS ? left : LAYOUT_SLOTS;
        ToeplitzJob job = {};
        job.slots = some;
        job.slot_toeplitz = toeplitz_bytes(plan);
        for (int i = 0; i < some; i++)
            job.pixels[i] = layout.plane[first + i].data;
        job.pitch = layout.plane[first].pitch;
        job.step = layout.plane[first].step;
        job.width = plan->problem.templ_width;
        job.height = plan->problem.templ_height;
        job.blocks = blocks;
        job.toeplitz = layout.to + first * toeplitz_bytes(plan);
        for (int32_t block = 0; block < blocks.across * blocks.down && code == cudaSuccess;
             block++, job.toeplitz += blocks.toeplitz) {
            job.x = block % blocks.across * blocks.width;
            job.y = block / blocks.across * blocks.height;
            code = wgmma ? toeplitz_build(job, call.stream)
                   : mma ? mma_build(job, call.stream)
                         : fused_build(job, call.stream);
        }
    }
    return code;
}

xncc_status multiply_planes(const Call &call, const Band &band, const TensorGroup &group)
{
    return call.plan->decision.kernel == XNCC_KERNEL_TENSOR_WGMMA
               ? multiply_wgmma(call, band, group)
               : multiply_mma(call, band, group);
}

} // namespace xncc
