// Matching: the order of the passes over a band, and what becomes of its map.
#include "cuda/engine/match_passes.h"
#include "cuda/windows/row_sums.h"

#include <string.h>

namespace xncc {

namespace {

// Map rows that find fetches at a time take so many bytes, and there are at least two of them.
constexpr uint64_t PINNED_BYTES = 4u << 20;
constexpr int32_t KEPT_ROWS = 2;

CorrelateFamily family_of(xncc_kernel kernel)
{
    switch (kernel) {
    case XNCC_KERNEL_SHARED: return shared_family();
    case XNCC_KERNEL_TEX_CONSTANT: return constant_family();
    default: return texture_family();
    }
}

xncc_status sum_rows(const Call &call, const StageView &view, int32_t columns, int32_t rows)
{
    const xncc_engine_plan *plan = call.plan;
    RowSumsJob job = {};
    job.stage = view;
    job.size = plan->problem.width;
    job.columns = columns;
    job.rows = rows + plan->problem.height - 1;
    job.sums = plan->rows.as<void>();
    job.pitch = static_cast<int64_t>(plan->buffers.rows_pitch);
    job.pivot = call.rule.pivot;
    return check(launch_row_sums(plan->problem.pixel, job, call.stream),
                 "launching the window sums", call.error);
}

// All passes over a band, where the tensor kernels do all of it.
xncc_status run_tensor_band(const Call &call, int32_t bx, int32_t by, const Target &target)
{
    xncc_engine_plan *plan = call.plan;
    TensorPlane plane;
    xncc_status status = put_plane(call, bx, by, &plane);
    if (!status)
        status = plan->tensor.correlate(*call.templ, plane, plan->x.length(bx), plan->y.length(by),
                                        call.stream, call.error);
    return status ? status : put_tensor_scores(call, bx, by, plane, target, nullptr);
}

// All passes over a band.
xncc_status run_band(const Call &call, int32_t bx, int32_t by, const Target &target)
{
    if (is_all_tensor(call.plan))
        return run_tensor_band(call, bx, by, target);
    xncc_status status = put_image(call, bx, by, target);
    if (!status)
        status = put_sums(call, bx, by);
    return status ? status : put_scores(call, make_score_job(call, bx, by, target));
}

// All bands across the map in row `by` of bands. target: the map's first column in the band's first
// row.
xncc_status run_across(const Call &call, int32_t by, Target target)
{
    const xncc_engine_plan *plan = call.plan;
    if (plan->route == XNCC_ROUTE_GENERAL)
        return put_general(call, plan->y.start(by), plan->y.length(by), target);
    xncc_status status = XNCC_OK;
    for (int32_t bx = 0; bx < plan->x.count() && !status; bx++)
        status = run_band(call, bx, by, Target{ target.map + plan->x.start(bx), target.pitch });
    return status;
}

cudaError_t download(const xncc_map &map, int32_t row, int32_t rows, const Target &source,
                     cudaStream_t stream)
{
    size_t bytes = static_cast<size_t>(map.width) * sizeof(float);
    return cudaMemcpy2DAsync(xncc_map_row(&map, row), static_cast<size_t>(xncc_map_pitch(&map)),
                             source.map, static_cast<size_t>(source.pitch) * sizeof(float), bytes,
                             static_cast<size_t>(rows), cudaMemcpyDeviceToHost, stream);
}

// A chunk of map rows for the peak search. rows: address of the chunk's first row; the two rows
// before it are the chunk's before.
struct Chunk {
    float *rows;
    int32_t first, end;
};

// Feeds what can be fed: a row needs the one below it, so each chunk's last row goes with the next.
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

// Fetches a band of the map, a chunk at a time, and looks at it.
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

} // namespace

// X of a band, a block of template rows at a time.
xncc_status correlate(const Call &call, CorrelateJob job)
{
    const xncc_engine_plan *plan = call.plan;
    const xncc_decision &d = plan->decision;
    bool narrow = xncc_cuda_sums_fit_u32(&plan->problem) != 0;
    if (d.kernel == XNCC_KERNEL_FFT_CUDA)
        return call.plan->fft.correlate(job, narrow, *call.templ, call.stream, call.error);
    if (xncc_kernel_is_tensor(d.kernel))
        return call.plan->tensor.deliver(job, *call.templ, call.stream, call.error);
    CorrelateFamily family = family_of(d.kernel);
    int32_t step = d.constant_rows ? d.constant_rows : plan->problem.height;
    cudaError_t code = cudaSuccess;
    for (int32_t first = 0; first < plan->problem.height && code == cudaSuccess; first += step) {
        job.first = first;
        job.rows = plan->problem.height - first < step ? plan->problem.height - first : step;
        job.add = first > 0;
        if (d.tile_rows) {
            job.tile_rows = d.tile_height + job.rows - 1;
            job.shared_bytes = job.tile_rows * d.tile_pitch;
        }
        if (family.constant_cache == FAMILY_NONE) {
            code = family.launch(plan->problem.pixel, narrow, job, call.stream);
            continue;
        }
        ConstantTurn turn(plan->engine->constant_caches[family.constant_cache], call.stream);
        code = family.load(turn, *call.templ, first, job.rows);
        if (code == cudaSuccess)
            code = family.launch(plan->problem.pixel, narrow, job, call.stream);
    }
    return check(code, "launching the correlation", call.error);
}

Call make_call(xncc_engine_plan *plan, const xncc_image *image, const xncc_template *templ,
               cudaStream_t stream, xncc_error *error)
{
    Call call = {};
    call.plan = plan;
    call.image = image;
    call.source = templ;
    call.templ = device_template_of(templ->prepared);
    call.rule = xncc_score_rule_make(templ, plan->problem.method, plan->problem.flat);
    call.stream = stream;
    call.error = error;
    return call;
}

xncc_status put_sums(const Call &call, int32_t bx, int32_t by)
{
    const xncc_engine_plan *plan = call.plan;
    if (xncc_cuda_is_one_pass(&plan->problem))
        return XNCC_OK;
    return sum_rows(call, plan->stage.view(bx, by), plan->x.length(bx), plan->y.length(by));
}

xncc_status put_products(const Call &call, int32_t bx, int32_t by, const Target &target,
                         const BandRows &rows)
{
    xncc_engine_plan *plan = call.plan;
    const xncc_problem &p = plan->problem;
    CorrelateJob job = {};
    job.stage = plan->stage.view(bx, by);
    job.stage.top += rows.first;
    job.width = plan->x.length(bx);
    job.height = rows.count;
    job.size = p.width;
    job.tile_pitch = plan->decision.tile_pitch;
    if (xncc_cuda_sums_fit_u32(&p)) {
        job.pitch = target.pitch;
        job.sums = target.map + rows.first * job.pitch;
    } else {
        job.pitch = job.width;
        job.sums = plan->sums.as<uint64_t>() + rows.first * job.pitch;
    }
    job.pivot = call.rule.pivot;
    job.texture = call.templ->texture.get();
    return correlate(call, job);
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
    job.rows = plan->rows.as<void>();
    job.rows_pitch = static_cast<int64_t>(plan->buffers.rows_pitch);
    job.sums = narrow ? nullptr : plan->sums.as<void>();
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

// The band of an image of bytes on the device, with its edge repeated, straight to the tensor's
// plane.
static xncc_status pad_plane(const Call &call, int32_t bx, int32_t by, const TensorPlane &plane)
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

// An image that can be read as it lies is not copied.
xncc_status put_plane(const Call &call, int32_t bx, int32_t by, TensorPlane *plane)
{
    xncc_engine_plan *plan = call.plan;
    int32_t width = plan->x.length(bx), height = plan->y.length(by);
    *plane = plan->tensor.direct(*call.image, plan->x, plan->y, bx, by, plan->roomy);
    if (plane->data)
        return XNCC_OK;
    *plane = plan->tensor.plane(width, height);
    if (plan->tensor.split(*call.image, plan->x, plan->y, bx, by, plan->roomy, call.stream))
        return check(cudaGetLastError(), "splitting the image", call.error);
    if (call.image->memory == XNCC_DEVICE && plan->problem.pixel == XNCC_U8)
        return pad_plane(call, bx, by, *plane);
    xncc_status status = put_stage(call, bx, by);
    return status ? status
                  : check(plan->tensor.copy(plan->stage.view(bx, by), width, height, call.stream),
                          "splitting the image", call.error);
}

xncc_status put_tensor_scores(const Call &call, int32_t bx, int32_t by, const TensorPlane &plane,
                              const Target &target, const uint32_t *skip)
{
    const xncc_engine_plan *plan = call.plan;
    TensorTarget to = { call.rule,          target.map, target.pitch,         plan->x.length(bx),
                        plan->y.length(by), skip,       fp64_is_slow_on(plan) };
    return check(plan->tensor.score(plane, to, call.stream), "launching the score", call.error);
}

xncc_status put_scores(const Call &call, const ScoreJob &job)
{
    const xncc_problem &p = call.plan->problem;
    cudaError_t code = xncc_cuda_is_one_pass(&p)
                           ? launch_one_pass(job, call.stream)
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
    return check(code, "taking the plan's workspace", error);
}

xncc_status match_bind(xncc_engine_plan *plan, xncc_error *error)
{
    const xncc_problem &p = plan->problem;
    const xncc_decision &d = plan->decision;
    xncc_status status = bind_map(plan, d.band_width, d.band_height, error);
    if (status)
        return status;
    cudaError_t code = plan->stage.make(p.pixel, plan->x, plan->y, plan->buffers);
    if (code == cudaSuccess)
        code = plan->rows.take(plan->buffers.rows);
    if (code == cudaSuccess)
        code = plan->sums.take(plan->buffers.sums);
    status = check(code, "taking the plan's workspace", error);
    if (!status)
        status = find_bind(plan, error);
    if (!status && xncc_kernel_is_tensor(d.kernel))
        status = plan->tensor.make(p, d, plan->engine->machine, error);
    return status || d.kernel != XNCC_KERNEL_FFT_CUDA ? status : plan->fft.make(p, d.fft, error);
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
