// The memory of the tensor kernels, and the order of their launches.
#include "cuda/engine/tensor_plan.h"

#include "cuda/products/combine_products.h"

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
    if (!f && cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000,
                                               cudaEnableDefault, &result) == cudaSuccess)
        found.store(f);
    return reinterpret_cast<Encode>(f);
}

// Describes a byte plane to the copy engine (TMA): boxes of one period of rows, without swizzling.
xncc_status encode(const TensorPlane &plane, const xncc_tensor_blocks &blocks, CUtensorMap *map,
                   xncc_error *error)
{
    Encode f = find_encode();
    const cuuint64_t extents[2] = { static_cast<cuuint64_t>(plane.width) / BOX_WORD,
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
    return fused    ? fused_set_max_shared_memory(blocks, most)
           : hopper ? wgmma_set_max_shared_memory(blocks, most)
                    : mma_set_max_shared_memory(most);
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
    // The ends of rows and the spare rows are read, but no score depends on them.
    if (code == cudaSuccess)
        code = cudaMemset(planes.as<void>(), 0, static_cast<size_t>(buffers.plane * count));
    if (code == cudaSuccess && !fused)
        code = cudaMemset(sums.as<void>(), 0, static_cast<size_t>(buffers.sums * count * count));
    if (code == cudaSuccess)
        code = cudaStreamSynchronize(nullptr);
    if (code == cudaSuccess)
        code = toeplitz_may_use_pdl(&pdl);
    if (code == cudaSuccess)
        code = set_max_shared_memory(machine);
    if (code == cudaSuccess && p.pixel == XNCC_U16)
        code = score_u16_set_max_shared_memory();
    return check(code, "allocating the plan's workspace", error);
}

TensorPlane TensorPlan::own_plane(int32_t width, int32_t height) const
{
    int64_t columns = static_cast<int64_t>(width) + problem.width - 1;
    return TensorPlane{ planes.as<unsigned char>(), static_cast<int64_t>(buffers.plane_pitch),
                        static_cast<int32_t>(ceil_div<int64_t>(columns, 16) * 16),
                        height + problem.height - 1 };
}

TensorPlane TensorPlan::view_in_place(const xncc_image &image, const Axis &x, const Axis &y,
                                      int32_t band_x, int32_t band_y, bool rows_padded) const
{
    TensorPlane none = {};
    int64_t pitch = xncc_image_pitch(&image);
    if (image.memory != XNCC_DEVICE || problem.pixel != XNCC_U8 || problem.mode != XNCC_VALID ||
        pitch % 16 != 0)
        return none;
    const unsigned char *row = static_cast<const unsigned char *>(
        xncc_image_row(&image, y.stage_start(band_y)));
    const unsigned char *data = row + x.stage_start(band_x);
    // Unless rows are padded, the last row ends with its last pixel.
    int32_t width = x.stage_length(band_x);
    if (rows_padded)
        width = ceil_div(width, 16) * 16;
    if (reinterpret_cast<uintptr_t>(data) % 16 != 0 || width % 16 != 0)
        return none;
    return TensorPlane{ data, pitch, width, y.stage_length(band_y) };
}

// The plan's planes from a row on.
PlaneTarget TensorPlan::plane_target(int32_t row) const
{
    const int64_t pitch = static_cast<int64_t>(buffers.plane_pitch);
    return PlaneTarget{ planes.as<unsigned char>() + row * pitch, pitch,
                        static_cast<int64_t>(buffers.plane) };
}

bool TensorPlan::split_in_place(const xncc_image &image, const Axis &x, const Axis &y,
                                int32_t band_x, int32_t band_y, bool rows_padded,
                                cudaStream_t stream)
{
    int64_t pitch = xncc_image_pitch(&image);
    int32_t width = x.stage_length(band_x), height = y.stage_length(band_y);
    if (rows_padded)
        width = ceil_div(width, 8) * 8;
    if (image.memory != XNCC_DEVICE || problem.pixel != XNCC_U16 || problem.mode != XNCC_VALID ||
        pitch % 16 != 0 || width % 8 != 0 || height > UINT16_MAX)
        return false;
    const unsigned char *data = static_cast<const unsigned char *>(
                                    xncc_image_row(&image, y.stage_start(band_y))) +
                                2 * static_cast<int64_t>(x.stage_start(band_x));
    if (reinterpret_cast<uintptr_t>(data) % 16 != 0)
        return false;
    launch_split_planes(data, pitch, plane_target(0), width, height, stream);
    return true;
}

cudaError_t TensorPlan::copy_staged(const StageView &stage, int32_t width, int32_t height,
                                    cudaStream_t stream)
{
    TensorPlane to = own_plane(width, height);
    int32_t columns = width + problem.width - 1;
    for (int32_t row = 0; row < to.height; row += UINT16_MAX) {
        StageView rest = stage;
        rest.top += row;
        const int32_t rows = to.height - row < UINT16_MAX ? to.height - row : UINT16_MAX;
        launch_copy_planes(problem.pixel, rest, plane_target(row), columns, rows, stream);
    }
    return cudaGetLastError();
}

// Lays out all blocks of all byte planes of the templates for the products. to: the first
// template's place; the others follow, toeplitz_bytes() apart.
cudaError_t TensorPlan::lay_out_templates(const TensorGroup &group, unsigned char *to,
                                          cudaStream_t stream) const
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

xncc_status TensorPlan::multiply_mma(const TensorPlane &plane, const Products &to,
                                     cudaStream_t stream, xncc_error *error) const
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

xncc_status TensorPlan::correlate(const DeviceTemplate &templ, const TensorPlane &from,
                                  int32_t width, int32_t height, cudaStream_t stream,
                                  xncc_error *error)
{
    const DeviceTemplate *one = &templ;
    xncc_status status = check(
        lay_out_templates(TensorGroup{ &one, 0, 1, width, height }, slot_toeplitz(0), stream),
        "laying out the template", error);
    if (fused)
        return status;
    // Multiply each byte plane of the band with each byte plane of the template.
    for (int i = 0; i < buffers.planes; i++)
        for (int j = 0; j < buffers.planes && !status; j++) {
            TensorPlane plane = from;
            plane.data += static_cast<uint64_t>(i) * buffers.plane;
            // The tensor score pass reads the sum of the two mixed products (low by high bytes).
            bool mixed = i > j && xncc_tensor_scores(&problem);
            int at = mixed ? buffers.planes * j + i : buffers.planes * i + j;
            Products to = { slot_toeplitz(0) + static_cast<uint64_t>(j) * buffers.toeplitz,
                            slot_sums(0) +
                                static_cast<uint64_t>(at) * (buffers.sums / sizeof(uint32_t)),
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

xncc_status TensorPlan::correlate_staged(const CorrelateJob &job, const DeviceTemplate &templ,
                                         cudaStream_t stream, xncc_error *error)
{
    xncc_status status = check(copy_staged(job.stage, job.width, job.height, stream),
                               "making the image's byte planes", error);
    if (!status)
        status = correlate(templ, own_plane(job.width, job.height), job.width, job.height, stream,
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
                     "copying the products", error);
    for (int32_t row = 0; row < job.height; row += UINT16_MAX) {
        int32_t rows = job.height - row < UINT16_MAX ? job.height - row : UINT16_MAX;
        launch_combine(from + row * pitch, elements, pitch,
                       static_cast<uint64_t *>(job.sums) + row * job.pitch, job.pitch, job.width,
                       rows, stream);
    }
    return check(cudaGetLastError(), "combining the products", error);
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

// Several templates on one image. Slot 0 has memory of its own; the slots from 1 on are one after
// the other.

uint32_t *TensorPlan::slot_sums(int slot) const
{
    return slot == 0 ? sums.as<uint32_t>()
                     : more_sums.as<uint32_t>() + (slot - 1) * products_plane();
}

unsigned char *TensorPlan::slot_toeplitz(int slot) const
{
    return slot == 0 ? toeplitz.as<unsigned char>()
                     : more_toeplitz.as<unsigned char>() + (slot - 1) * toeplitz_bytes();
}

int64_t TensorPlan::toeplitz_bytes() const
{
    return buffers.planes * static_cast<int64_t>(buffers.toeplitz);
}

int64_t TensorPlan::products_plane() const
{
    return buffers.planes * buffers.planes * static_cast<int64_t>(buffers.sums / sizeof(uint32_t));
}

uint64_t TensorPlan::slot_bytes() const
{
    return static_cast<uint64_t>(products_plane()) * sizeof(uint32_t) +
           static_cast<uint64_t>(toeplitz_bytes());
}

cudaError_t TensorPlan::make_slots(int count)
{
    uint64_t slots = static_cast<uint64_t>(count),
             bytes = slots * sizeof(uint32_t) * static_cast<uint64_t>(products_plane());
    more_sums.release();
    more_toeplitz.release();
    cudaError_t code = more_sums.take(bytes);
    if (code == cudaSuccess)
        code = more_toeplitz.take(buffers.toeplitz * static_cast<uint64_t>(buffers.planes) * slots);
    if (code == cudaSuccess)
        code = bytes == 0 ? cudaSuccess
                          : cudaMemset(more_sums.as<void>(), 0, static_cast<size_t>(bytes));
    if (code == cudaSuccess && bounds_tiles()) {
        code = terms.take(terms_bytes());
        // The terms below the map must be 0; no pass writes them.
        if (code == cudaSuccess)
            code = cudaMemset(terms.as<void>(), 0, static_cast<size_t>(terms_bytes()));
    }
    return code == cudaSuccess ? cudaStreamSynchronize(nullptr) : code;
}

xncc_status TensorPlan::correlate_group(const TensorGroup &group, const TensorPlane &plane,
                                        cudaStream_t stream, xncc_error *error)
{
    if (hopper) {
        xncc_status status = check(lay_out_templates(group, slot_toeplitz(group.first), stream),
                                   "laying out templates", error);
        Products to = { slot_toeplitz(group.first),
                        slot_sums(group.first),
                        group.width,
                        group.height,
                        false,
                        group.count,
                        toeplitz_bytes(),
                        products_plane(),
                        true };
        return status ? status : multiply_wgmma(plane, to, stream, error);
    }
    xncc_status status = XNCC_OK;
    for (int i = 0; i < group.count && !status; i++) {
        TensorGroup one = { group.templ + i, group.first + i, 1, group.width, group.height };
        status = check(lay_out_templates(one, slot_toeplitz(one.first), stream),
                       "laying out a template", error);
        Products to = { slot_toeplitz(one.first),
                        slot_sums(one.first),
                        group.width,
                        group.height,
                        false,
                        1,
                        0,
                        0,
                        false };
        if (!status && !fused)
            status = multiply_mma(plane, to, stream, error);
    }
    return status;
}

// The products can bound the tiles only if a template is a single block: then the thread that
// stores X has all of it in registers.
uint64_t TensorPlan::terms_bytes() const
{
    bool whole = hopper && problem.pixel == XNCC_U8 && blocks.across * blocks.down == 1;
    return whole && !fp64_is_slow ? buffers.sums / sizeof(uint32_t) * sizeof(WindowTerms) : 0;
}

// The fields that the passes for maps, tiles and window terms share.
TensorScoreJob TensorPlan::windows_job(const TensorPlane &image, const xncc_score_rule &rule,
                                       int32_t width, int32_t height) const
{
    TensorScoreJob job = {};
    job.image = image;
    job.rule = rule;
    job.window_width = problem.width;
    job.window_height = problem.height;
    job.sums_pitch = products_pitch();
    job.width = width;
    job.height = height;
    return job;
}

cudaError_t TensorPlan::compute_terms(const TensorPlane &image, const TensorGroup &group,
                                      const xncc_score_rule &rule, cudaStream_t stream) const
{
    return score_u8_terms_launch(windows_job(image, rule, group.width, group.height),
                                 terms.as<WindowTerms>(), processors, stream);
}

xncc_status TensorPlan::bound_group(const TensorGroup &group, const TensorPlane &plane,
                                    const TensorTiles &tiles, const xncc_score_rule *rules,
                                    cudaStream_t stream, xncc_error *error) const
{
    xncc_status status = check(lay_out_templates(group, slot_toeplitz(group.first), stream),
                               "laying out templates", error);
    for (int i = 0; i < group.count && !status; i += TENSOR_SLOTS) {
        const int slot = group.first + i,
                  count = group.count - i < TENSOR_SLOTS ? group.count - i : TENSOR_SLOTS;
        Products to = {
            slot_toeplitz(slot), slot_sums(slot),  group.width, group.height, false, count,
            toeplitz_bytes(),    products_plane(), true
        };
        to.pdl_after_products = i > 0;
        to.bound.terms = terms.as<WindowTerms>();
        to.bound.best = tiles.best + static_cast<int64_t>(i) * tiles.count;
        to.bound.rows = tiles.rows;
        to.bound.across = tiles.across;
        to.bound.count = tiles.count;
        to.bound.n = static_cast<double>(rules->n);
        to.bound.lowered = -to.bound.n * LIFT;
        for (int k = 0; k < count; k++) {
            to.bound.sum[k] = static_cast<double>(rules[i + k].sum);
            to.bound.unit[k] = unit_of(rules[i + k].root_var);
        }
        status = multiply_wgmma(plane, to, stream, error);
    }
    return status;
}

cudaError_t TensorPlan::best_of_tiles(const TensorPlane &image, const TensorTiles &tiles, int first,
                                      cudaStream_t stream) const
{
    TensorScoreJob job = windows_job(image, tiles.rule[0], tiles.width, tiles.height);
    TensorTiles of = tiles;
    of.plane = products_plane();
    job.sums = slot_sums(first);
    job.pdl = pdl;
    if (fused)
        return fused_tiles_launch(job, of, blocks, slot_toeplitz(first), processors, stream);
    return score_u8_tiles_launch(job, of, processors, stream);
}

// Products of byte planes for general problems.

xncc_status TensorPlan::make_planes(const xncc_problem &p, const xncc_decision &decision, int count,
                                    const xncc_machine &machine, xncc_error *error)
{
    set_up(p, decision, machine);
    cudaError_t code = toeplitz.take(buffers.toeplitz * static_cast<uint64_t>(count));
    if (code == cudaSuccess && !fused)
        code = set_max_shared_memory(machine);
    return check(code, "allocating the plan's workspace", error);
}

cudaError_t TensorPlan::lay_out_planes(const DeviceTemplate *templ, int count,
                                       cudaStream_t stream) const
{
    cudaError_t code = cudaSuccess;
    for (int first = 0, some; first < count && code == cudaSuccess; first += some) {
        const DeviceTemplate *some_templs[TENSOR_SLOTS] = {};
        some = !hopper ? 1 : count - first < TENSOR_SLOTS ? count - first : TENSOR_SLOTS;
        for (int i = 0; i < some; i++)
            some_templs[i] = templ + first + i;
        code = lay_out_templates(TensorGroup{ some_templs, 0, some, 0, 0 },
                                 toeplitz.as<unsigned char>() + first * toeplitz_bytes(), stream);
    }
    return code;
}

xncc_status TensorPlan::multiply_planes(const TensorPlane &image, const PlaneProducts &p,
                                        cudaStream_t stream, xncc_error *error) const
{
    Products to = { toeplitz.as<unsigned char>() + p.first * toeplitz_bytes(),
                    p.sums,
                    p.width,
                    p.height,
                    p.add,
                    p.count,
                    p.step * toeplitz_bytes(),
                    p.sums_step,
                    false };
    if (hopper)
        return multiply_wgmma(image, to, stream, error);
    xncc_status status = XNCC_OK;
    for (int i = 0; i < p.count && !status; i++) {
        status = multiply_mma(image, to, stream, error);
        to.toeplitz += to.slot_toeplitz;
        to.sums += to.slot_sums;
    }
    return status;
}

} // namespace xncc
