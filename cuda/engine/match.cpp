// Score maps: the order of the passes over a band, and where its scores go.
#include "cuda/engine/match.h"

#include "cuda/engine/general_plan.h"
#include "cuda/engine/staging.h"
#include "cuda/planes/make_planes.h"
#include "cuda/score/window_score_u8.h"
#include "cuda/windows/row_sums.h"

#include <string.h>

namespace xncc {

namespace {

// The size of the map chunks that find_by_fetching copies to the host. A chunk has at least
// KEPT_ROWS rows. The last KEPT_ROWS rows of the previous chunk are kept in front of it, since a
// candidate is compared with the rows above and below it.
constexpr uint64_t PINNED_BYTES = 4u << 20;
constexpr int32_t KEPT_ROWS = 2;

// Computes S and Q of the rows of the band's windows.
xncc_status launch_sums(const Call &call, const StageView &view, int32_t columns, int32_t rows)
{
    const xncc_engine_plan *plan = call.plan;
    RowSumsJob job = {};
    job.stage = view;
    job.size = plan->problem.width;
    job.columns = columns;
    job.rows = rows + plan->problem.height - 1;
    job.sums = plan->row_sums.as<void>();
    job.pitch = static_cast<int64_t>(plan->buffers.rows_pitch);
    job.pivot = call.rule.pivot;
    return check(launch_row_sums(plan->problem.pixel, job, call.stream),
                 "launching the window sums", call.error);
}

// Computes a band where the tensor kernels do everything.
xncc_status run_tensor_band(const Call &call, int32_t bx, int32_t by, const Target &target)
{
    xncc_engine_plan *plan = call.plan;
    TensorPlane plane;
    xncc_status status = prepare_plane(call, bx, by, &plane);
    if (!status)
        status = plan->tensor.correlate(*call.templ, plane, plan->x.length(bx), plan->y.length(by),
                                        call.stream, call.error);
    return status ? status : score_tensor_band(call, bx, by, plane, target, nullptr);
}

// Computes a band of a plain problem.
xncc_status run_band(const Call &call, int32_t bx, int32_t by, const Target &target)
{
    if (is_all_tensor(call.plan))
        return run_tensor_band(call, bx, by, target);
    xncc_status status = stage_and_multiply(call, bx, by, target);
    if (!status)
        status = sum_window_rows(call, bx, by);
    return status ? status : score_band(call, make_score_job(call, bx, by, target));
}

// Computes row `by` of bands across the whole map. target: the map's first column in the first row
// of the bands.
xncc_status run_across(const Call &call, int32_t by, Target target)
{
    const xncc_engine_plan *plan = call.plan;
    if (plan->route == XNCC_ROUTE_GENERAL)
        return plan->general->run(call, plan->y.start(by), plan->y.length(by), target);
    xncc_status status = XNCC_OK;
    for (int32_t bx = 0; bx < plan->x.count() && !status; bx++)
        status = run_band(call, bx, by, Target{ target.map + plan->x.start(bx), target.pitch });
    return status;
}

// Copies map rows to the caller's map on the host.
cudaError_t download(const xncc_map &map, int32_t row, int32_t rows, const Target &source,
                     cudaStream_t stream)
{
    size_t bytes = static_cast<size_t>(map.width) * sizeof(float);
    return cudaMemcpy2DAsync(xncc_map_row(&map, row), static_cast<size_t>(xncc_map_pitch(&map)),
                             source.map, static_cast<size_t>(source.pitch) * sizeof(float), bytes,
                             static_cast<size_t>(rows), cudaMemcpyDeviceToHost, stream);
}

// A chunk of map rows on the host.
struct Chunk {
    float *rows;        // its first row; the KEPT_ROWS rows of the map before it are in front of it
    int32_t first, end; // its rows in the map are first .. end - 1
};

// Feeds the search with the rows whose neighbours are known: a row needs the row below it, so the
// last row of each chunk is fed with the next chunk.
xncc_status feed(const Call &call, xncc_peaks *peaks, const Chunk &chunk)
{
    int32_t width = call.plan->x.map, height = call.plan->y.map;
    int32_t begin = chunk.first > 0 ? chunk.first - 1 : 0,
            end = chunk.end < height ? chunk.end - 1 : height;
    xncc_status status = XNCC_OK;
    if (end > begin)
        status = xncc_peaks_feed(
            peaks, chunk.rows + (static_cast<int64_t>(begin) - chunk.first) * width, width, width,
            begin, end - begin, begin > 0, end < height, call.error);
    float *kept = chunk.rows - static_cast<int64_t>(KEPT_ROWS) * width;
    memmove(kept, chunk.rows + (static_cast<int64_t>(chunk.end) - chunk.first - KEPT_ROWS) * width,
            static_cast<size_t>(KEPT_ROWS) * static_cast<size_t>(width) * sizeof(float));
    return status;
}

// Fetches a row of bands, chunk by chunk, and feeds the search with it.
xncc_status search_band(const Call &call, xncc_peaks *peaks, int32_t by, const Target &source)
{
    xncc_engine_plan *plan = call.plan;
    int32_t begin = plan->y.start(by), end = begin + plan->y.length(by), width = plan->x.map;
    xncc_map chunk_map = {};
    chunk_map.width = width;
    chunk_map.height = plan->pinned_rows;
    chunk_map.data = plan->pinned.as<float>() + static_cast<int64_t>(KEPT_ROWS) * width;
    xncc_status status = XNCC_OK;
    for (int32_t row = begin; row < end && !status; row += plan->pinned_rows) {
        int32_t count = end - row < plan->pinned_rows ? end - row : plan->pinned_rows;
        Target from = { source.map + static_cast<int64_t>(row - begin) * source.pitch,
                        source.pitch };
        status = check(download(chunk_map, 0, count, from, call.stream), "fetching the map",
                       call.error);
        if (!status)
            status = finish(plan, call.stream, true, call.error);
        if (!status)
            status = feed(call, peaks, Chunk{ chunk_map.data, row, row + count });
        progress_step(plan, count);
    }
    return status;
}

Axis make_axis(int32_t image, int32_t map, int32_t origin, int32_t size, int32_t band)
{
    Axis axis;
    axis.image = image;
    axis.map = map;
    axis.origin = origin;
    axis.size = size;
    axis.band = band;
    return axis;
}

// Copies a band of an 8-bit device image, with its edge repeated, to the tensor plan's plane.
xncc_status pad_plane(const Call &call, int32_t bx, int32_t by, const TensorPlane &plane)
{
    const xncc_engine_plan *plan = call.plan;
    const int32_t columns = plan->x.length(bx) + plan->problem.width - 1;
    const LayoutRect rect = { static_cast<int64_t>(plan->x.start(bx)) + plan->x.origin,
                              static_cast<int64_t>(plan->y.start(by)) + plan->y.origin, columns,
                              plane.height };
    const LayoutTarget to = { const_cast<unsigned char *>(plane.data), plane.pitch, 0 };
    return check(launch_padding(*call.image, XNCC_BORDER_CLAMP, rect, to, call.stream),
                 "laying out the image", call.error);
}

} // namespace

xncc_status sum_window_rows(const Call &call, int32_t bx, int32_t by)
{
    const xncc_engine_plan *plan = call.plan;
    if (xncc_cuda_is_one_pass(&plan->problem))
        return XNCC_OK;
    return launch_sums(call, plan->stage.view(bx, by), plan->x.length(bx), plan->y.length(by));
}

ScoreJob make_score_job(const Call &call, int32_t bx, int32_t by, const Target &target)
{
    const xncc_engine_plan *plan = call.plan;
    const xncc_problem &p = plan->problem;
    bool narrow = xncc_cuda_sums_fit_u32(&p) != 0;
    ScoreJob job = {};
    job.rule = call.rule;
    job.method = p.method;
    job.width = plan->x.length(bx);
    job.height = plan->y.length(by);
    job.size = p.height;
    job.window_width = p.width;
    job.stage = plan->stage.view(bx, by);
    job.rows = plan->row_sums.as<void>();
    job.rows_pitch = static_cast<int64_t>(plan->buffers.rows_pitch);
    job.sums = narrow ? nullptr : plan->products.as<void>();
    job.sums_pitch = narrow ? target.pitch : job.width;
    job.map = target.map;
    job.map_pitch = target.pitch;
    job.fp64_is_slow = fp64_is_slow_on(plan);
    job.pair_unit = xncc_ff_unit(p.method, &call.rule);
    return job;
}

bool is_all_tensor(const xncc_engine_plan *plan)
{
    return plan->route == XNCC_ROUTE_PLAIN && xncc_kernel_is_tensor(plan->decision.kernel) &&
           xncc_tensor_scores(&plan->problem);
}

xncc_status prepare_plane(const Call &call, int32_t bx, int32_t by, TensorPlane *plane)
{
    xncc_engine_plan *plan = call.plan;
    int32_t width = plan->x.length(bx), height = plan->y.length(by);
    *plane = plan->tensor.view_in_place(*call.image, plan->x, plan->y, bx, by, plan->rows_padded);
    if (plane->data)
        return XNCC_OK;
    *plane = plan->tensor.own_plane(width, height);
    if (plan->tensor.split_in_place(*call.image, plan->x, plan->y, bx, by, plan->rows_padded,
                                    call.stream))
        return check(cudaGetLastError(), "making the image's byte planes", call.error);
    if (call.image->memory == XNCC_DEVICE && plan->problem.pixel == XNCC_U8)
        return pad_plane(call, bx, by, *plane);
    xncc_status status = stage_band(call, bx, by);
    return status ? status
                  : check(plan->tensor.copy_staged(plan->stage.view(bx, by), width, height,
                                                   call.stream),
                          "making the image's byte planes", call.error);
}

xncc_status score_tensor_band(const Call &call, int32_t bx, int32_t by, const TensorPlane &plane,
                              const Target &target, const uint32_t *skip)
{
    const xncc_engine_plan *plan = call.plan;
    TensorTarget to = { call.rule,          target.map, target.pitch,         plan->x.length(bx),
                        plan->y.length(by), skip,       fp64_is_slow_on(plan) };
    return check(plan->tensor.score(plane, to, call.stream), "launching the score", call.error);
}

xncc_status score_band(const Call &call, const ScoreJob &job)
{
    const xncc_problem &p = call.plan->problem;
    cudaError_t code = xncc_cuda_is_one_pass(&p)
                           ? launch_window_score(job, call.stream)
                           : launch_score(p.pixel, xncc_cuda_sums_fit_u32(&p) != 0, job,
                                          call.stream);
    return check(code, "launching the score", call.error);
}

xncc_status bind_map(xncc_engine_plan *plan, int32_t band_width, int32_t band_height,
                     xncc_error *error)
{
    const xncc_problem &p = plan->problem;
    const xncc_extent map = xncc_problem_extent(&p);
    plan->x = make_axis(p.image_width, map.width, map.x0, p.width, band_width);
    plan->y = make_axis(p.image_height, map.height, map.y0, p.height, band_height);
    uint64_t row = static_cast<uint64_t>(plan->x.map) * sizeof(float), rows = PINNED_BYTES / row;
    rows = rows < KEPT_ROWS ? KEPT_ROWS : rows;
    plan->pinned_rows = rows < static_cast<uint64_t>(plan->y.map) ? static_cast<int32_t>(rows)
                                                                  : plan->y.map;
    cudaError_t code = plan->map.take(plan->buffers.map);
    if (code == cudaSuccess)
        code = plan->pinned.take(row * static_cast<uint64_t>(plan->pinned_rows + KEPT_ROWS));
    return check(code, "allocating the plan's workspace", error);
}

xncc_status match_correlate(xncc_engine_plan *plan, const xncc_image *image,
                            const xncc_template *templ, const xncc_map *map, xncc_stream stream,
                            xncc_error *error)
{
    Call call = make_call(plan, image, templ, stream, error);
    Target own = { plan->map.as<float>(), plan->x.map };
    xncc_status status = XNCC_OK;
    progress_begin(plan);
    for (int32_t by = 0; by < plan->y.count() && !status; by++) {
        int32_t row = plan->y.start(by), rows = plan->y.length(by);
        bool direct = map->memory == XNCC_DEVICE;
        Target target = direct ? Target{ xncc_map_row(map, row),
                                         xncc_map_pitch(map) / static_cast<int64_t>(sizeof(float)) }
                               : own;
        status = run_across(call, by, target);
        if (!status && !direct)
            status = check(download(*map, row, rows, own, stream), "copying the map to the host",
                           error);
        progress_step(plan, rows);
    }
    xncc_status ended = finish(plan, stream, image->memory == XNCC_HOST || map->memory == XNCC_HOST,
                               status ? nullptr : error);
    return status ? status : ended;
}

xncc_status find_by_fetching(const Call &call, const xncc_peak_rule *rule, xncc_match *match,
                             size_t *found)
{
    xncc_engine_plan *plan = call.plan;
    Target own = { plan->map.as<float>(), plan->x.map };
    xncc_peaks *peaks = nullptr;
    xncc_status status = xncc_peaks_create(
        rule, static_cast<uint64_t>(plan->x.map) * static_cast<uint64_t>(plan->y.map), &peaks,
        call.error);
    for (int32_t by = 0; by < plan->y.count() && !status; by++) {
        status = run_across(call, by, own);
        if (!status)
            status = search_band(call, peaks, by, own);
    }
    xncc_status ended = finish(plan, call.stream, true, status ? nullptr : call.error);
    if (!status)
        status = ended;
    if (!status)
        status = xncc_peaks_finish(peaks, match, found, call.error);
    xncc_peaks_destroy(peaks);
    return status;
}

} // namespace xncc
