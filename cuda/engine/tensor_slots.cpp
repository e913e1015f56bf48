// Several templates on one image: their X side by side in memory, computed at once where the device
// allows it.
#include "cuda/engine/tensor_plan.cuh"

namespace xncc {

// A slot has X of all pairs of planes, and the template's planes. Slot 0 is the plan's own; the
// others lie behind each other.
uint32_t *TensorPlan::slot_sums(int of) const
{
    return of == 0 ? sums.as<uint32_t>() : more_sums.as<uint32_t>() + (of - 1) * products_plane();
}

unsigned char *TensorPlan::slot_toeplitz(int of) const
{
    return of == 0 ? toeplitz.as<unsigned char>()
                   : more_toeplitz.as<unsigned char>() + (of - 1) * toeplitz_bytes();
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
    uint64_t batch = static_cast<uint64_t>(count),
             bytes = batch * sizeof(uint32_t) * static_cast<uint64_t>(products_plane());
    more_sums.release();
    more_toeplitz.release();
    cudaError_t code = more_sums.take(bytes);
    if (code == cudaSuccess)
        code = more_toeplitz.take(buffers.toeplitz * static_cast<uint64_t>(buffers.planes) * batch);
    if (code == cudaSuccess)
        code = bytes == 0 ? cudaSuccess
                          : cudaMemset(more_sums.as<void>(), 0, static_cast<size_t>(bytes));
    if (code == cudaSuccess && bounds_tiles()) {
        code = terms.take(terms_bytes());
        // below the map they stay 0
        if (code == cudaSuccess)
            code = cudaMemset(terms.as<void>(), 0, static_cast<size_t>(terms_bytes()));
    }
    return code == cudaSuccess ? cudaStreamSynchronize(nullptr) : code;
}

xncc_status TensorPlan::correlate_group(const TensorGroup &group, const TensorPlane &plane,
                                    cudaStream_t stream, xncc_error *error)
{
    if (hopper) {
        xncc_status status = check(build(group, slot_toeplitz(group.first), stream),
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
        status = check(build(one, slot_toeplitz(one.first), stream), "laying out a template",
                       error);
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

// A template of one block has all of X in the registers of the thread that stores it.
uint64_t TensorPlan::terms_bytes() const
{
    bool whole = hopper && problem.pixel == XNCC_U8 && blocks.across * blocks.down == 1;
    return whole && !fp64_is_slow ? buffers.sums / sizeof(uint32_t) * sizeof(WindowTerms) : 0;
}

// Window sums have the same passes for a map, for tiles and for terms.
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

cudaError_t TensorPlan::put_terms(const TensorPlane &image, const TensorGroup &group,
                              const xncc_score_rule &rule, cudaStream_t stream) const
{
    return tensor_terms_launch(windows_job(image, rule, group.width, group.height),
                               terms.as<WindowTerms>(), processors, stream);
}

xncc_status TensorPlan::bound_group(const TensorGroup &group, const TensorPlane &plane,
                                const TensorTiles &tiles, const xncc_score_rule *rules,
                                cudaStream_t stream, xncc_error *error) const
{
    xncc_status status = check(build(group, slot_toeplitz(group.first), stream),
                               "laying out templates", error);
    for (int i = 0; i < group.count && !status; i += TENSOR_SLOTS) {
        const int of = group.first + i,
                  count = group.count - i < TENSOR_SLOTS ? group.count - i : TENSOR_SLOTS;
        Products to = {
            slot_toeplitz(of), slot_sums(of),    group.width, group.height, false, count,
            toeplitz_bytes(),  products_plane(), true
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
    return tensor_tiles_launch(job, of, processors, stream);
}

} // namespace xncc
