// Peak search without a score map: bounds of the tiles' best scores from X, then exact scores of
// the tiles that may reach the level.
#include "cuda/engine/find_from_products.h"

#include "cuda/engine/match.h"

namespace xncc {

bool finds_from_products(const xncc_engine_plan *plan)
{
    const xncc_problem &p = plan->problem;
    bool has_products = plan->decision.kernel != XNCC_KERNEL_TENSOR_FUSED;
    // xncc_cuda_is_one_pass: the sums and the window width are in the range of WindowScores
    return is_all_tensor(plan) && xncc_cuda_is_one_pass(&p) &&
           (has_products || windows_serve_pixels(p.width, p.height));
}

namespace {

// The tiles of `count` slots of the search from slot `first` on, without their rules.
TensorTiles make_tiles(const xncc_engine_plan *plan, const PeakJob &search, int first, int count)
{
    TensorTiles tiles = {};
    tiles.best = search.best + static_cast<int64_t>(first) * search.tiles;
    tiles.rows = search.tile_rows;
    tiles.across = search.across;
    tiles.count = search.tiles;
    tiles.slots = count;
    tiles.fp64_is_slow = fp64_is_slow_on(plan);
    tiles.width = plan->x.map;
    tiles.height = plan->y.map;
    return tiles;
}

} // namespace

xncc_status bound_tiles(xncc_engine_plan *plan, const ProductSearch &m, int first, int count,
                        cudaStream_t stream, xncc_error *error)
{
    TensorTiles tiles = make_tiles(plan, m.search, first, count);
    for (int i = 0; i < count; i++)
        tiles.rule[i] = m.rules[first + i];
    return check(plan->tensor.best_of_tiles(m.plane, tiles, m.first_slot + first, stream),
                 "launching the tiles' best scores", error);
}

xncc_status bound_batch_tiles(xncc_engine_plan *plan, const ProductSearch &m, bool begins,
                              cudaStream_t stream, xncc_error *error)
{
    TensorGroup group = { m.templs, m.first_slot, m.slots, plan->x.map, plan->y.map };
    // Window terms pay off if several templates share them; for a single one they take longer.
    const bool alone = begins && m.slots == 1;
    if (plan->tensor.bounds_tiles() && !alone) {
        cudaError_t code = begins ? plan->tensor.compute_terms(m.plane, group, *m.rules, stream)
                                  : cudaSuccess;
        xncc_status status = check(code, "launching the window sums", error);
        return status ? status
                      : plan->tensor.bound_group(group, m.plane,
                                                 make_tiles(plan, m.search, 0, m.slots), m.rules,
                                                 stream, error);
    }
    xncc_status status = XNCC_OK;
    for (int i = 0; i < m.slots && !status; i += group.count) {
        group.templ = m.templs + i;
        group.first = m.first_slot + i;
        group.count = m.slots - i < TENSOR_SLOTS ? m.slots - i : TENSOR_SLOTS;
        status = plan->tensor.correlate_group(group, m.plane, stream, error);
        if (!status)
            status = bound_tiles(plan, m, i, group.count, stream, error);
    }
    return status;
}

xncc_status choose_matches(xncc_engine_plan *plan, const ProductSearch &m, cudaStream_t stream,
                           xncc_error *error)
{
    const xncc_problem &p = plan->problem;
    WindowScores scores = {};
    scores.data = m.plane.data;
    scores.pitch = m.plane.pitch;
    scores.last_column = m.plane.width - 1;
    scores.last_row = m.plane.height - 1;
    scores.window_width = p.width;
    scores.window_height = p.height;
    scores.method = p.method;
    scores.products = plan->tensor.products(m.first_slot);
    scores.templ_pitch = static_cast<int64_t>(m.templs[0]->pitch);
    for (int i = 0; i < m.slots; i++) {
        scores.rule[i] = m.rules[i];
        scores.templ[i] = m.templs[i]->pixels.as<unsigned char>();
    }
    PeakJob job = m.search;
    job.map = nullptr;
    job.pitch = plan->tensor.products_pitch();
    job.plane = plan->tensor.products_plane();
    job.bound_margin = BOUND_MARGIN;
    cudaError_t code = launch_peak_select(job, m.slots, stream);
    if (code == cudaSuccess)
        code = launch_window_collect(job, scores, m.slots, stream);
    return check(code, "launching the search for matches", error);
}

} // namespace xncc
