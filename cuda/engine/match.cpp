// SPDX-License-Identifier: BSD-2-Clause
// Score maps: the order of the steps over the bands, and where the scores go.
#include "cuda/engine/match.h"

#include "cuda/engine/image_pass.h"
#include "cuda/engine/product_pass.h"
#include "cuda/engine/score_pass.h"

#include <string.h>

namespace xncc {

namespace {

// The size of the map chunks that find_by_fetching copies to the host. A chunk has at least
// KEPT_ROWS rows. The last KEPT_ROWS rows of the previous chunk are kept in front of it, since a
// candidate is compared with the rows above and below it.
constexpr uint64_t PINNED_BYTES = 4u << 20;
constexpr int32_t KEPT_ROWS = 2;

// The rows of a chunk.
int32_t chunk_rows(const xncc_engine_plan *plan)
{
    const uint64_t row = static_cast<uint64_t>(plan->x.map) * sizeof(float),
                   rows = PINNED_BYTES / row < KEPT_ROWS ? KEPT_ROWS : PINNED_BYTES / row;
    return rows < static_cast<uint64_t>(plan->y.map) ? static_cast<int32_t>(rows) : plan->y.map;
}

// Feeds the search with the rows whose neighbours are known: a row needs the row below it, so the
// last row of each chunk is fed with the next chunk. rows: map rows first .. last - 1, a chunk; the
// KEPT_ROWS rows of the map before it are in front of it.
xncc_status feed(const Call &call, xncc_peaks *peaks, float *rows, int32_t first, int32_t last)
{
    const int64_t width = call.plan->x.map;
    const int32_t height = call.plan->y.map, begin = first > 0 ? first - 1 : 0,
                  end = last < height ? last - 1 : height;
    xncc_status status = XNCC_OK;
    if (end > begin)
        status = xncc_peaks_feed(peaks, rows + (begin - first) * width, width, call.plan->x.map,
                                 begin, end - begin, begin > 0, end < height, call.error);
    memmove(rows - KEPT_ROWS * width, rows + (last - first - KEPT_ROWS) * width,
            static_cast<size_t>(KEPT_ROWS * width) * sizeof(float));
    return status;
}

// Fetches `rows` map rows from row `begin` on, chunk by chunk, and feeds the search with them. They
// count as done also after a failure.
xncc_status search_rows(const Call &call, xncc_peaks *peaks, int32_t begin, int32_t rows,
                        const Target &source)
{
    xncc_engine_plan *plan = call.plan;
    const int32_t end = begin + rows, width = plan->x.map, step = chunk_rows(plan);
    xncc_map chunk_map = {};
    chunk_map.width = width;
    chunk_map.height = step;
    chunk_map.data = plan->pinned.as<float>() + static_cast<int64_t>(KEPT_ROWS) * width;
    xncc_status status = XNCC_OK;
    for (int32_t row = begin; row < end; row += step) {
        int32_t count = end - row < step ? end - row : step;
        Target from = { source.map + static_cast<int64_t>(row - begin) * source.pitch,
                        source.pitch };
        if (!status)
            status = check(download(chunk_map, 0, count, from, call.stream), "fetching the map",
                           call.error);
        if (!status)
            status = finish(plan, call.stream, true, call.error);
        if (!status)
            status = feed(call, peaks, chunk_map.data, row, row + count);
        progress_step(plan, count);
    }
    return status;
}

} // namespace

xncc_status prepare_band(const Call &call, Band *band, const Target &target, bool first)
{
    bool multiplied = false;
    xncc_status status = xncc_check_cancelled(call.plan->watch, call.error);
    if (!status)
        status = prepare_image(call, band, &target, &multiplied);
    if (!status && first)
        status = lay_out_template(call, call.plan->memory.as<unsigned char>(XNCC_BUFFER_TOEPLITZ));
    if (!status && !multiplied)
        status = multiply_band(call, *band, target, first);
    return status ? status : sum_windows(call, *band);
}

xncc_status compute_rows(const Call &call, int32_t first, int32_t count, const Target &target)
{
    const xncc_engine_plan *plan = call.plan;
    xncc_status status = XNCC_OK;
    for (int32_t y = first / plan->y.band;
         y < plan->y.count() && plan->y.start(y) < first + count && !status; y++)
        for (int32_t x = 0; x < plan->x.count() && !status; x++) {
            Band band = make_band(plan, x, y);
            const int64_t row = plan->y.start(y) - first;
            const Target to = { target.map + row * target.pitch + plan->x.start(x), target.pitch };
            status = prepare_band(call, &band, to, x == 0 && y == 0);
            if (!status)
                status = score_band(call, band, to, nullptr);
        }
    return status;
}

xncc_status match_correlate(xncc_engine_plan *plan, const xncc_image *image,
                            const xncc_template *templ, const xncc_map *map, xncc_stream stream,
                            xncc_error *error)
{
    Call call = make_call(plan, image, templ, stream, error);
    const Target own = { plan->memory.as<float>(XNCC_BUFFER_MAP), plan->x.map };
    const bool there = map->memory == XNCC_DEVICE;
    xncc_status status = bring_image(&call);
    progress_begin(plan);
    for (int32_t y = 0; y < plan->y.count(); y++) {
        const int32_t row = plan->y.start(y), rows = plan->y.length(y);
        const Target target = there ? Target{ xncc_map_row(map, row),
                                              xncc_map_pitch(map) /
                                                  static_cast<int64_t>(sizeof(float)) }
                                    : own;
        if (!status)
            status = compute_rows(call, row, rows, target);
        if (!status && !there)
            status = check(download(*map, row, rows, own, stream), "copying the map to the host",
                           error);
        progress_step(plan, rows);
    }
    return finish_as(status, plan, stream, image->memory == XNCC_HOST || !there, error);
}

xncc_status find_by_fetching(const Call &call, const xncc_search_rule *rule, xncc_match *match,
                             size_t *found)
{
    xncc_engine_plan *plan = call.plan;
    const Target own = { plan->memory.as<float>(XNCC_BUFFER_MAP), plan->x.map };
    const uint64_t width = static_cast<uint64_t>(plan->x.map),
                   rows_there = static_cast<uint64_t>(chunk_rows(plan) + KEPT_ROWS);
    xncc_peaks *peaks = nullptr;
    xncc_status status = check(plan->pinned.need(width * sizeof(float) * rows_there),
                               "allocating host memory for the map", call.error);
    if (!status)
        status = xncc_peaks_create(rule, width * static_cast<uint64_t>(plan->y.map), &peaks,
                                   call.error);
    for (int32_t y = 0; y < plan->y.count(); y++) {
        const int32_t row = plan->y.start(y), rows = plan->y.length(y);
        if (!status)
            status = compute_rows(call, row, rows, own);
        if (!status)
            status = search_rows(call, peaks, row, rows, own);
        else
            progress_step(plan, rows);
    }
    status = finish_as(status, plan, call.stream, true, call.error);
    if (!status)
        status = xncc_peaks_finish(peaks, match, found, call.error);
    xncc_peaks_destroy(peaks);
    return status;
}

} // namespace xncc
