// A plan's share of kernel tensor: what it keeps on the device, and the order of the products.
#include "cuda/engine/tensor_plan.cuh"

namespace xncc {

namespace {

constexpr int THREADS = 256;
constexpr uint32_t BOX_WORD = 4; // image boxes count in 32-bit elements

__host__ __device__ int arrays_of(const xncc_tensor_blocks &b)
{
    return b.chunks + b.half;
}

// One thread a byte. Step q of array c holds template row (last - q) of the block: 8 values of b
// times 16 bytes of K. The array of halves holds 8 bytes of that row and 8 of the next.
__global__ void build_toeplitz(ToeplitzJob job)
{
    let_next_begin();
    int64_t at = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;
    if (at >= static_cast<int64_t>(job.blocks.toeplitz))
        return;
    int k = static_cast<int>(at % 16), b = static_cast<int>(at / 16 % 8),
        core = static_cast<int>(at / XNCC_TENSOR_CORE);
    int array = core % arrays_of(job.blocks), step = core / arrays_of(job.blocks);
    int row = XNCC_TENSOR_PERIOD * job.blocks.periods - 1 - step, column = 16 * array - b;
    if (array < job.blocks.chunks) {
        column += k;
    } else {
        row += k / 8;
        column += k % 8;
    }
    const unsigned char *pixels = job.slot_pixels[blockIdx.y];
    bool inside = row >= 0 && row < job.blocks.height && job.y + row < job.height && column >= 0 &&
                  column < job.blocks.width && job.x + column < job.width;
    job.toeplitz[blockIdx.y * job.slot_toeplitz + at] =
        inside ? pixels[(job.y + row) * job.pitch +
                        static_cast<int64_t>(job.x + column) * job.size + job.plane]
               : 0;
}

// The band as the windows see it, with the image's edge repeated: one byte plane, or the low and
// the high bytes apart.
template <class Pixel>
__global__ void copy_planes(StageView stage, unsigned char *planes, int64_t pitch,
                            int64_t plane_bytes, int width)
{
    int x = blockIdx.x * THREADS + threadIdx.x;
    int64_t y = blockIdx.y;
    if (x >= width)
        return;
    unsigned v = tex2D<Pixel>(
        stage.pixels, static_cast<float>(min(max(x + stage.left, 0), stage.width - 1)),
        static_cast<float>(min(max(static_cast<int>(y) + stage.top, 0), stage.height - 1)));
    planes[y * pitch + x] = static_cast<unsigned char>(v);
    if (sizeof(Pixel) == 2)
        planes[plane_bytes + y * pitch + x] = static_cast<unsigned char>(v >> 8);
}

// Sixteen-bit pixels that lie aligned, eight a thread, to two planes.
__global__ void split_planes(const unsigned char *image, int64_t image_pitch, unsigned char *planes,
                             int64_t pitch, int64_t plane_bytes, int width)
{
    int x = (blockIdx.x * THREADS + threadIdx.x) * 8;
    int64_t y = blockIdx.y;
    if (x >= width)
        return;
    uint4 v = __ldcs(reinterpret_cast<const uint4 *>(image + y * image_pitch + 2 * x));
    constexpr unsigned LOW = 0x6420, HIGH = 0x7531; // bytes of two words
    uint2 *low = reinterpret_cast<uint2 *>(planes + y * pitch + x),
          *high = reinterpret_cast<uint2 *>(planes + plane_bytes + y * pitch + x);
    *low = make_uint2(__byte_perm(v.x, v.y, LOW), __byte_perm(v.z, v.w, LOW));
    *high = make_uint2(__byte_perm(v.x, v.y, HIGH), __byte_perm(v.z, v.w, HIGH));
}

// X of 16-bit pixels from the products of their bytes: part 2 i + j has byte i of the image and
// byte j of the template.
__global__ void combine(const uint32_t *buffers, int64_t templ_elements, int64_t pitch, uint64_t *sums,
                        int64_t sums_pitch, int width)
{
    int x = blockIdx.x * THREADS + threadIdx.x;
    if (x >= width)
        return;
    const uint32_t *p = buffers + blockIdx.y * pitch + x;
    uint64_t middle = static_cast<uint64_t>(p[templ_elements]) + p[2 * templ_elements];
    sums[blockIdx.y * sums_pitch + x] = p[0] + (middle << 8) +
                                        (static_cast<uint64_t>(p[3 * templ_elements]) << 16);
}

cudaError_t toeplitz_build(const ToeplitzJob &job, cudaStream_t stream)
{
    dim3 grid(static_cast<unsigned>(ceil_div<uint64_t>(job.blocks.toeplitz, THREADS)),
              static_cast<unsigned>(job.slots));
    build_toeplitz<<<grid, THREADS, 0, stream>>>(job);
    return cudaGetLastError();
}

dim3 rows_grid(int32_t width, int64_t rows)
{
    return dim3(static_cast<unsigned>(ceil_div<int32_t>(width, THREADS)),
                static_cast<unsigned>(rows));
}

using Encode = CUresult (*)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                            const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                            const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                            CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

// The driver's function, found once; computes on the host alone.
Encode find_encode()
{
    static std::atomic<void *> found{ nullptr };
    void *f = found.load();
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
    if (!f && cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000,
                                               cudaEnableDefault, &result) == cudaSuccess)
        found.store(f);
    return reinterpret_cast<Encode>(f);
}

xncc_status encode(const TensorPlane &plane, const xncc_tensor_blocks &blocks, CUtensorMap *map,
                   xncc_error *error)
{
    Encode f = find_encode();
    const cuuint64_t extents[2] = { static_cast<cuuint64_t>(plane.width) / BOX_WORD,
                                    static_cast<cuuint64_t>(plane.height) };
    const cuuint64_t pitch[1] = { static_cast<cuuint64_t>(plane.pitch) };
    const cuuint32_t box[2] = { static_cast<cuuint32_t>(xncc_tensor_row_bytes(arrays_of(blocks))) /
                                    BOX_WORD,
                                XNCC_TENSOR_PERIOD };
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

void TensorPlan::set_up(const xncc_problem &p, const xncc_decision &decision,
                    const xncc_machine &machine)
{
    problem = p;
    blocks = decision.tensor;
    hopper = decision.kernel == XNCC_KERNEL_TENSOR_WGMMA;
    fused = decision.kernel == XNCC_KERNEL_TENSOR_FUSED;
    fp64_is_slow = machine.cuda.fp64_is_slow != 0;
    processors = machine.cuda.processors;
    buffers = xncc_tensor_workspace(&p, &blocks, decision.band_width, decision.band_height);
}

cudaError_t TensorPlan::set_max_shared_memory(const xncc_machine &machine) const
{
    const int most = static_cast<int>(machine.cuda.shared_optin);
    return fused ? fused_set_max_shared_memory(blocks, most) : hopper ? wgmma_set_max_shared_memory(blocks, most) : mma_set_max_shared_memory(most);
}

xncc_status TensorPlan::make(const xncc_problem &p, const xncc_decision &decision,
                         const xncc_machine &machine, xncc_error *error)
{
    set_up(p, decision, machine);
    uint64_t count = static_cast<uint64_t>(buffers.planes);
    cudaError_t code = planes.take(buffers.plane * count);
    if (code == cudaSuccess)
        code = sums.take(buffers.sums * count * count);
    if (code == cudaSuccess)
        code = toeplitz.take(buffers.toeplitz * count);
    // rows' ends and spare rows are read, whatever they hold
    if (code == cudaSuccess)
        code = cudaMemset(planes.as<void>(), 0, static_cast<size_t>(buffers.plane * count));
    if (code == cudaSuccess && !fused)
        code = cudaMemset(sums.as<void>(), 0, static_cast<size_t>(buffers.sums * count * count));
    if (code == cudaSuccess)
        code = cudaStreamSynchronize(nullptr);
    if (code == cudaSuccess)
        code = may_use_pdl(build_toeplitz, &pdl);
    if (code == cudaSuccess)
        code = set_max_shared_memory(machine);
    if (code == cudaSuccess && p.pixel == XNCC_U16)
        code = score_u16_set_max_shared_memory();
    return check(code, "taking the plan's workspace", error);
}

TensorPlane TensorPlan::plane(int32_t width, int32_t height) const
{
    int64_t columns = static_cast<int64_t>(width) + problem.width - 1;
    return TensorPlane{ planes.as<unsigned char>(), static_cast<int64_t>(buffers.plane_pitch),
                        static_cast<int32_t>(ceil_div<int64_t>(columns, 16) * 16),
                        height + problem.height - 1 };
}

TensorPlane TensorPlan::direct(const xncc_image &image, const Axis &x, const Axis &y, int32_t band_x,
                           int32_t band_y, bool roomy) const
{
    TensorPlane none = {};
    int64_t pitch = xncc_image_pitch(&image);
    if (image.memory != XNCC_DEVICE || problem.pixel != XNCC_U8 || problem.mode != XNCC_VALID ||
        pitch % 16 != 0)
        return none;
    const unsigned char *row = static_cast<const unsigned char *>(
        xncc_image_row(&image, y.stage_start(band_y)));
    const unsigned char *data = row + x.stage_start(band_x);
    // the last row ends with its last pixel
    int32_t width = x.stage_length(band_x);
    if (roomy)
        width = ceil_div(width, 16) * 16;
    if (reinterpret_cast<uintptr_t>(data) % 16 != 0 || width % 16 != 0)
        return none;
    return TensorPlane{ data, pitch, width, y.stage_length(band_y) };
}

bool TensorPlan::split(const xncc_image &image, const Axis &x, const Axis &y, int32_t band_x,
                   int32_t band_y, bool roomy, cudaStream_t stream)
{
    int64_t pitch = xncc_image_pitch(&image);
    int32_t width = x.stage_length(band_x), height = y.stage_length(band_y);
    if (roomy)
        width = ceil_div(width, 8) * 8;
    if (image.memory != XNCC_DEVICE || problem.pixel != XNCC_U16 || problem.mode != XNCC_VALID ||
        pitch % 16 != 0 || width % 8 != 0 || height > UINT16_MAX)
        return false;
    const unsigned char *data = static_cast<const unsigned char *>(
                                    xncc_image_row(&image, y.stage_start(band_y))) +
                                2 * static_cast<int64_t>(x.stage_start(band_x));
    if (reinterpret_cast<uintptr_t>(data) % 16 != 0)
        return false;
    split_planes<<<rows_grid(width / 8, height), THREADS, 0, stream>>>(
        data, pitch, planes.as<unsigned char>(), static_cast<int64_t>(buffers.plane_pitch),
        static_cast<int64_t>(buffers.plane), width);
    return true;
}

cudaError_t TensorPlan::copy(const StageView &stage, int32_t width, int32_t height, cudaStream_t stream)
{
    TensorPlane to = plane(width, height);
    int32_t columns = width + problem.width - 1;
    for (int32_t row = 0; row < to.height; row += UINT16_MAX) {
        StageView templ = stage;
        templ.top += row;
        unsigned char *data = planes.as<unsigned char>() + row * to.pitch;
        int32_t rows = to.height - row < UINT16_MAX ? to.height - row : UINT16_MAX;
        if (problem.pixel == XNCC_U8)
            copy_planes<unsigned char><<<rows_grid(columns, rows), THREADS, 0, stream>>>(
                templ, data, to.pitch, 0, columns);
        else
            copy_planes<unsigned short><<<rows_grid(columns, rows), THREADS, 0, stream>>>(
                templ, data, to.pitch, static_cast<int64_t>(buffers.plane), columns);
    }
    return cudaGetLastError();
}

// All blocks of all planes of the template.
cudaError_t TensorPlan::build(const TensorGroup &group, unsigned char *to, cudaStream_t stream) const
{
    const DeviceTemplate &templ = **group.templ;
    ToeplitzJob job = {};
    for (int i = 0; i < group.count; i++)
        job.slot_pixels[i] = group.templ[i]->pixels.as<unsigned char>();
    job.slots = group.count;
    job.slot_toeplitz = toeplitz_bytes();
    job.pixels = templ.pixels.as<unsigned char>();
    job.pitch = static_cast<int64_t>(templ.pitch);
    job.size = static_cast<int32_t>(xncc_pixel_size(templ.pixel));
    job.width = templ.width;
    job.height = templ.height;
    job.blocks = blocks;
    job.toeplitz = to;
    cudaError_t code = cudaSuccess;
    for (job.plane = 0; job.plane < buffers.planes; job.plane++)
        for (int32_t block = 0; block < blocks.across * blocks.down && code == cudaSuccess;
             block++) {
            job.x = block % blocks.across * blocks.width;
            job.y = block / blocks.across * blocks.height;
            code = fused    ? fused_build(job, stream)
                   : hopper ? toeplitz_build(job, stream)
                            : mma_build(job, stream);
            job.toeplitz += blocks.toeplitz;
        }
    return code;
}

xncc_status TensorPlan::multiply_wgmma(const TensorPlane &plane, const Products &to,
                                   cudaStream_t stream, xncc_error *error) const
{
    TensorJob job = {};
    xncc_status status = encode(plane, blocks, &job.image, error);
    if (status)
        return status;
    job.sums = to.sums;
    job.pitch = static_cast<int64_t>(buffers.sums_pitch);
    job.tiles_across = ceil_div<int32_t>(to.width, XNCC_TENSOR_COLUMNS);
    job.tiles = job.tiles_across * ceil_div<int32_t>(to.height, XNCC_TENSOR_ROWS);
    job.blocks = blocks;
    job.slots = to.slots;
    job.slot_toeplitz = to.slot_toeplitz;
    job.slot_sums = to.slot_sums;
    job.bound = to.bound;
    cudaError_t code = cudaSuccess;
    for (int32_t block = 0; block < blocks.across * blocks.down && code == cudaSuccess; block++) {
        job.toeplitz = reinterpret_cast<const uint4 *>(to.toeplitz + static_cast<uint64_t>(block) *
                                                                         blocks.toeplitz);
        job.x = block % blocks.across * blocks.width / static_cast<int32_t>(BOX_WORD);
        job.y = block / blocks.across * blocks.height;
        job.add = block > 0 || to.add;
        job.pdl = pdl && to.pdl && block == 0;
        job.pdl_after_products = job.pdl && to.pdl_after_products;
        code = wgmma_launch(job, processors, stream);
    }
    return check(code, "launching the correlation", error);
}

xncc_status TensorPlan::multiply_mma(const TensorPlane &plane, const Products &to, cudaStream_t stream,
                                 xncc_error *error) const
{
    MmaJob job = {};
    job.image = plane;
    job.sums = to.sums;
    job.pitch = static_cast<int64_t>(buffers.sums_pitch);
    job.width = to.width;
    job.height = to.height;
    job.blocks = blocks;
    cudaError_t code = cudaSuccess;
    for (int32_t block = 0; block < blocks.across * blocks.down && code == cudaSuccess; block++) {
        job.toeplitz = reinterpret_cast<const uint2 *>(to.toeplitz + static_cast<uint64_t>(block) *
                                                                         blocks.toeplitz);
        job.x = block % blocks.across * blocks.width;
        job.y = block / blocks.across * blocks.height;
        job.add = block > 0 || to.add;
        code = mma_launch(job, stream);
    }
    return check(code, "launching the correlation", error);
}

xncc_status TensorPlan::correlate(const DeviceTemplate &templ, const TensorPlane &from, int32_t width,
                              int32_t height, cudaStream_t stream, xncc_error *error)
{
    const DeviceTemplate *one = &templ;
    xncc_status status = check(
        build(TensorGroup{ &one, 0, 1, width, height }, slot_toeplitz(0), stream),
        "laying out the template", error);
    if (fused)
        return status;
    // one byte plane of the band with one of the template
    for (int i = 0; i < buffers.planes; i++)
        for (int j = 0; j < buffers.planes && !status; j++) {
            TensorPlane plane = from;
            plane.data += static_cast<uint64_t>(i) * buffers.plane;
            // where the fused score reads them, the two mixed products of bytes are one
            bool mixed = i > j && xncc_tensor_scores(&problem);
            int to_templ = mixed ? buffers.planes * j + i : buffers.planes * i + j;
            Products to = { slot_toeplitz(0) + static_cast<uint64_t>(j) * buffers.toeplitz,
                            slot_sums(0) +
                                static_cast<uint64_t>(to_templ) * (buffers.sums / sizeof(uint32_t)),
                            width,
                            height,
                            mixed,
                            1,
                            0,
                            0,
                            i + j == 0 };
            status = hopper ? multiply_wgmma(plane, to, stream, error)
                            : multiply_mma(plane, to, stream, error);
        }
    return status;
}

xncc_status TensorPlan::deliver(const CorrelateJob &job, const DeviceTemplate &templ, cudaStream_t stream,
                            xncc_error *error)
{
    xncc_status status = check(copy(job.stage, job.width, job.height, stream),
                               "splitting the image", error);
    if (!status)
        status = correlate(templ, plane(job.width, job.height), job.width, job.height, stream,
                           error);
    if (status)
        return status;
    const uint32_t *from = sums.as<uint32_t>();
    int64_t pitch = static_cast<int64_t>(buffers.sums_pitch),
            elements = static_cast<int64_t>(buffers.sums / sizeof(uint32_t));
    if (problem.pixel == XNCC_U8)
        return check(cudaMemcpy2DAsync(job.sums, static_cast<size_t>(job.pitch) * sizeof(uint32_t),
                                       from, static_cast<size_t>(pitch) * sizeof(uint32_t),
                                       static_cast<size_t>(job.width) * sizeof(uint32_t),
                                       static_cast<size_t>(job.height), cudaMemcpyDeviceToDevice,
                                       stream),
                     "copying the sums", error);
    for (int32_t row = 0; row < job.height; row += UINT16_MAX) {
        int32_t rows = job.height - row < UINT16_MAX ? job.height - row : UINT16_MAX;
        combine<<<rows_grid(job.width, rows), THREADS, 0, stream>>>(
            from + row * pitch, elements, pitch,
            static_cast<uint64_t *>(job.sums) + row * job.pitch, job.pitch, job.width);
    }
    return check(cudaGetLastError(), "putting the sums together", error);
}

cudaError_t TensorPlan::score(const TensorPlane &image, const TensorTarget &target,
                          cudaStream_t stream) const
{
    TensorScoreJob job = windows_job(image, target.rule, target.width, target.height);
    job.plane = static_cast<int64_t>(buffers.plane);
    job.sums_step = static_cast<int64_t>(buffers.sums / sizeof(uint32_t));
    job.sums = slot_sums(0);
    job.map = target.map;
    job.map_pitch = target.pitch;
    job.skip = target.skip;
    job.fp64_is_slow = target.fp64_is_slow;
    job.pdl = pdl;
    if (fused)
        return fused_launch(job, blocks, slot_toeplitz(0), processors, stream);
    return problem.pixel == XNCC_U16 ? score_u16_launch(job, processors, stream)
                                     : score_u8_launch(job, processors, stream);
}

} // namespace xncc
