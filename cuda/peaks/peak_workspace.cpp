// Allocates the device memory of peak searches and makes their jobs.
#include "cuda/peaks/peak_workspace.h"

namespace xncc {

bool PeakWorkspace::serves(int32_t width, int32_t height)
{
    return static_cast<uint64_t>(width) * static_cast<uint64_t>(height) < UINT32_MAX;
}

cudaError_t PeakWorkspace::make(int32_t map_width, int32_t map_height, int slots)
{
    // Maps up to this size have few tiles. With tiles half as high there are enough to choose from.
    constexpr int64_t SMALL = 1 << 22;
    width = map_width;
    height = map_height;
    rows = static_cast<int64_t>(width) * height < SMALL ? PEAK_ROWS / 2 : PEAK_ROWS;
    across = ceil_div(width, PEAK_COLUMNS);
    tiles = across * ceil_div(height, rows);
    uint64_t all = static_cast<uint64_t>(tiles) * static_cast<uint64_t>(slots);
    cudaError_t code = best.take(all * sizeof(uint32_t));
    if (code == cudaSuccess)
        code = list.take(all * sizeof(uint32_t));
    if (code == cudaSuccess)
        code = leader.take(all * sizeof(uint64_t));
    if (code == cudaSuccess)
        code = candidate.take(static_cast<uint64_t>(slots) * PEAK_ROOM * sizeof(uint64_t));
    return code == cudaSuccess ? peak_select_may_use_pdl(&pdl) : code;
}

cudaError_t PeakWorkspace::make_results(uint64_t slots, uint64_t top)
{
    cudaError_t code = cudaSuccess;
    if (slots > state_room) {
        state_room = 0;
        state.release();
        code = state.take(slots * sizeof(PeakState));
        state_room = code == cudaSuccess ? slots : 0;
    }
    if (code == cudaSuccess && slots * top > match_room) {
        match_room = 0;
        match.release();
        code = match.take(slots * top * sizeof(xncc_match));
        // all of them are copied to the host, even if fewer are found
        if (code == cudaSuccess)
            code = cudaMemset(match.as<void>(), 0, slots * top * sizeof(xncc_match));
        if (code == cudaSuccess)
            code = cudaStreamSynchronize(nullptr);
        match_room = code == cudaSuccess ? slots * top : 0;
    }
    return code;
}

PeakJob PeakWorkspace::job(const xncc_peak_rule &rule) const
{
    PeakJob job = {};
    job.width = width;
    job.height = height;
    job.tile_rows = rows;
    job.across = across;
    job.tiles = tiles;
    job.smallest = rule.smallest;
    job.limit = rule.limit;
    job.min_distance = rule.min_distance;
    job.top = static_cast<uint32_t>(rule.top);
    // The best tile has the first match. Each match suppresses candidates in at most `touched`
    // tiles, so the next match is in one of the 1 + touched * (top - 1) best tiles. A level that
    // too many tiles reach saves nothing, hence the limit.
    constexpr uint64_t MAX_WANTED = 384;
    uint64_t span = 2 * static_cast<uint64_t>(rule.min_distance) - 2;
    uint64_t touched = (span / PEAK_COLUMNS + 2) * (span / static_cast<uint64_t>(rows) + 2);
    uint64_t wanted = touched < MAX_WANTED && rule.top < MAX_WANTED ? 1 + touched * (rule.top - 1)
                                                                    : MAX_WANTED;
    job.wanted = static_cast<uint32_t>(wanted < MAX_WANTED ? wanted : MAX_WANTED);
    job.best = best.as<uint32_t>();
    job.list = list.as<uint32_t>();
    job.candidate = candidate.as<uint64_t>();
    job.leader = leader.as<uint64_t>();
    job.state = state.as<PeakState>();
    job.match = match.as<xncc_match>();
    job.pdl = pdl;
    return job;
}

} // namespace xncc
