// Searches without a map, where the tensor kernels do all of a match: the best score of each tile,
// within a bound; the level; exact scores of the tiles that reach it.
#include "match.cuh"

namespace xncc {

bool is_mapless(const xncc_work *work)
{
    const xncc_problem &p = work->problem;
    bool has_products = work->decision.kernel != XNCC_KERNEL_TENSOR_FUSED;
    // one pass: as narrow as WindowScores asks
    return is_all_tensor(work) && xncc_cuda_is_one_pass(&p) &&
           (has_products || windows_serve_pixels(p.width, p.height));
}

namespace {

// The tiles of some slots, but for their rules.
TensorTiles make_tiles(const xncc_work *work, const PeakJob &search, int first, int count)
{
    TensorTiles tiles = {};
    tiles.best = search.best + static_cast<int64_t>(first) * search.tiles;
    tiles.rows = search.tile_rows;
    tiles.across = search.across;
    tiles.count = search.tiles;
    tiles.slots = count;
    tiles.slow_doubles = has_slow_doubles(work);
    tiles.width = work->x.map;
    tiles.height = work->y.map;
    return tiles;
}

} // namespace

xncc_status put_tiles(xncc_work *work, const MaplessJob &m, int first, int count,
                      cudaStream_t stream, xncc_error *error)
{
    TensorTiles tiles = make_tiles(work, m.search, first, count);
    for (int i = 0; i < count; i++)
        tiles.rule[i] = m.rules[first + i];
    return check(work->tensor.best_of_tiles(m.plane, tiles, m.first_slot + first, stream),
                 "launching the pass over tiles", error);
}

xncc_status put_bank_tiles(xncc_work *work, const MaplessJob &m, bool begins, cudaStream_t stream,
                           xncc_error *error)
{
    TensorGroup group = { m.parts, m.first_slot, m.slots, work->x.map, work->y.map };
    const bool alone = begins && m.slots == 1; // for one template it takes longer
    if (work->tensor.judges() && !alone) {
        cudaError_t code = begins ? work->tensor.put_terms(m.plane, group, *m.rules, stream)
                                  : cudaSuccess;
        xncc_status status = check(code, "launching the pass over windows", error);
        return status ? status
                      : work->tensor.judge_group(group, m.plane,
                                                 make_tiles(work, m.search, 0, m.slots), m.rules,
                                                 stream, error);
    }
    xncc_status status = XNCC_OK;
    for (int i = 0; i < m.slots && !status; i += group.count) {
        group.part = m.parts + i;
        group.first = m.first_slot + i;
        group.count = m.slots - i < TENSOR_SLOTS ? m.slots - i : TENSOR_SLOTS;
        status = work->tensor.correlate_group(group, m.plane, stream, error);
        if (!status)
            status = put_tiles(work, m, i, group.count, stream, error);
    }
    return status;
}

xncc_status put_matches(xncc_work *work, const MaplessJob &m, cudaStream_t stream,
                        xncc_error *error)
{
    const xncc_problem &p = work->problem;
    WindowScores scores = {};
    scores.data = m.plane.data;
    scores.pitch = m.plane.pitch;
    scores.last_column = m.plane.width - 1;
    scores.last_row = m.plane.height - 1;
    scores.window_width = p.width;
    scores.window_height = p.height;
    scores.method = p.method;
    scores.products = work->tensor.products(m.first_slot);
    scores.part_pitch = static_cast<int64_t>(m.parts[0]->pitch);
    for (int i = 0; i < m.slots; i++) {
        scores.rule[i] = m.rules[i];
        scores.part[i] = m.parts[i]->pixels.as<unsigned char>();
    }
    PeakJob job = m.search;
    job.map = nullptr;
    job.pitch = work->tensor.products_pitch();
    job.plane = work->tensor.products_plane();
    job.slack = TENSOR_SLACK;
    cudaError_t code = launch_peak_select(job, m.slots, stream);
    if (code == cudaSuccess)
        code = launch_window_collect(job, scores, m.slots, stream);
    return check(code, "launching the search for matches", error);
}

} // namespace xncc
