// SPDX-License-Identifier: BSD-2-Clause
// Divides the device memory of peak searches, and makes their jobs.
#include "cuda/peaks/peak_workspace.h"

namespace xncc {

cudaError_t PeakWorkspace::make(int32_t map_width, int32_t map_height, int slots,
                                unsigned char *memory)
{
    width = map_width;
    height = map_height;
    rows = xncc_peak_tile_rows(width, height);
    across = ceil_div(width, PEAK_COLUMNS);
    tiles = across * ceil_div(height, rows);
    const int64_t all = static_cast<int64_t>(tiles) * slots;
    leader = reinterpret_cast<uint64_t *>(memory);
    candidate = leader + all;
    best = reinterpret_cast<uint32_t *>(candidate + static_cast<int64_t>(slots) * PEAK_ROOM);
    list = best + all;
    state = reinterpret_cast<PeakState *>(list + all);
    return peak_select_may_use_pdl(&pdl);
}

void PeakWorkspace::place_results(uint64_t searches)
{
    match = reinterpret_cast<xncc_match *>(state + searches);
}

PeakJob PeakWorkspace::job(const xncc_search_rule &rule) const
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
    job.best = best;
    job.list = list;
    job.candidate = candidate;
    job.leader = leader;
    job.state = state;
    job.match = match;
    job.pdl = pdl;
    return job;
}

} // namespace xncc
