// SPDX-License-Identifier: BSD-2-Clause
// Divides the device memory of peak searches, and makes their jobs.
#include "cuda/peaks/peak_workspace.h"

namespace xncc {

cudaError_t PeakWorkspace::make(int32_t width, int32_t height, int slots, unsigned char *memory)
{
    all.width = width;
    all.height = height;
    all.tile_rows = xncc_peak_tile_rows(width, height);
    all.across = ceil_div(width, PEAK_COLUMNS);
    all.tiles = all.across * ceil_div(height, all.tile_rows);
    const int64_t tiles = static_cast<int64_t>(all.tiles) * slots;
    all.leader = reinterpret_cast<uint64_t *>(memory);
    all.candidate = all.leader + tiles;
    all.best = reinterpret_cast<uint32_t *>(all.candidate +
                                            static_cast<int64_t>(slots) * PEAK_ROOM);
    all.list = all.best + tiles;
    all.state = reinterpret_cast<PeakState *>(all.list + tiles);
    return peak_select_may_use_pdl(&all.pdl);
}

void PeakWorkspace::place_results(uint64_t searches)
{
    all.match = reinterpret_cast<xncc_match *>(all.state + searches);
}

PeakJob PeakWorkspace::job(const xncc_search_rule &rule) const
{
    PeakJob job = all;
    job.smallest = rule.smallest;
    job.limit = rule.limit;
    job.min_distance = rule.min_distance;
    job.top = static_cast<uint32_t>(rule.top);
    // The best tile has the first match. Each match suppresses candidates in at most `touched`
    // tiles, so the next match is in one of the 1 + touched * (top - 1) best tiles. A level that
    // too many tiles reach saves nothing, hence the limit.
    constexpr uint64_t MAX_WANTED = 384;
    uint64_t span = 2 * static_cast<uint64_t>(rule.min_distance) - 2;
    uint64_t touched = (span / PEAK_COLUMNS + 2) *
                       (span / static_cast<uint64_t>(job.tile_rows) + 2);
    uint64_t wanted = touched < MAX_WANTED && rule.top < MAX_WANTED ? 1 + touched * (rule.top - 1)
                                                                    : MAX_WANTED;
    job.wanted = static_cast<uint32_t>(wanted < MAX_WANTED ? wanted : MAX_WANTED);
    return job;
}

} // namespace xncc
