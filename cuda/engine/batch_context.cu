// What many templates share: the image, copied to the device once, and the best score at each
// position.
#include "cuda/engine/batch_context.h"

struct xncc_batch_context {
    xncc::Engine *engine = nullptr;
    xncc::DeviceMemory image; // of an image from the host: pixels, then the mask
    uint64_t image_room = 0;
    xncc::Upload upload;
    bool from_host = false; // the image of the call under way
    xncc::DeviceMemory map;
    uint64_t map_room = 0;
    xncc::DeviceMemory held; // a best whose home is the host: scores, then indices
    uint64_t held_room = 0;
    xncc_best best = {}, home = {}; // on the device, and where it belongs
    xncc::Event done;               // behind the last call
    cudaStream_t last = nullptr;    // the stream that it was put on
};

namespace xncc {

namespace {

constexpr int COLUMNS = 256;
constexpr unsigned MOST_ROWS = 65535; // of a grid
constexpr uint64_t PITCH = 512;

uint64_t pitch_of(uint64_t bytes)
{
    return ceil_div(bytes, PITCH) * PITCH;
}

// A best as the kernels see it; pitches in elements.
struct BestView {
    float *score;
    int32_t *index;
    int64_t score_pitch, index_pitch;
    int32_t width, height;
};

BestView view_of(const xncc_best &best)
{
    const int64_t tight = static_cast<int64_t>(best.score.width) * 4;
    return BestView{ best.score.data,
                     best.index,
                     (best.score.pitch ? best.score.pitch : tight) / 4,
                     (best.index_pitch ? best.index_pitch : tight) / 4,
                     best.score.width,
                     best.score.height };
}

__global__ void clear_best(BestView b)
{
    const int32_t x = static_cast<int32_t>(blockIdx.x * COLUMNS + threadIdx.x);
    if (x >= b.width)
        return;
    for (int32_t y = static_cast<int32_t>(blockIdx.y); y < b.height;
         y += static_cast<int32_t>(gridDim.y)) {
        b.score[y * b.score_pitch + x] = NAN;
        b.index[y * b.index_pitch + x] = -1;
    }
}

// A map with the extents of the view, and what it is of.
struct MapView {
    const float *score;
    int64_t pitch; // elements
    xncc_fold fold;
};

__global__ void fold_map(BestView b, MapView m)
{
    const int32_t x = static_cast<int32_t>(blockIdx.x * COLUMNS + threadIdx.x);
    if (x >= b.width)
        return;
    for (int32_t y = static_cast<int32_t>(blockIdx.y); y < b.height;
         y += static_cast<int32_t>(gridDim.y)) {
        const float score = m.score[y * m.pitch + x];
        float *best = b.score + y * b.score_pitch + x;
        int32_t *index = b.index + y * b.index_pitch + x;
        if (xncc_best_takes(&m.fold, score, *best, *index)) {
            *best = score;
            *index = m.fold.index;
        }
    }
}

dim3 grid_of(const BestView &b)
{
    const unsigned rows = static_cast<unsigned>(b.height);
    return dim3(static_cast<unsigned>(ceil_div(b.width, COLUMNS)),
                rows < MOST_ROWS ? rows : MOST_ROWS);
}

xncc_status share_open(xncc_engine *engine, xncc_batch_context **result, xncc_error *error)
{
    DeviceScope scope(engine_of(engine)->device);
    xncc_batch_context *share = create<xncc_batch_context>();
    if (!share)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for many templates");
    share->engine = engine_of(engine);
    share->upload.set_copiers(share->engine->copiers);
    xncc_status status = check(share->done.make(), "making an event", error);
    if (status)
        destroy(share);
    else
        *result = share;
    return status;
}

void share_close(xncc_batch_context *share)
{
    DeviceScope scope(share->engine->device);
    (void)cudaEventSynchronize(share->done.get());
    destroy(share);
}

// A call on another stream than the one before waits there for that one: both use the share's
// memory.
cudaError_t begin_on(xncc_batch_context *share, cudaStream_t stream)
{
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    if (stream == share->last)
        return cudaSuccess;
    cudaError_t code = cudaStreamIsCapturing(stream, &capture);
    if (code == cudaSuccess && capture == cudaStreamCaptureStatusNone) {
        code = cudaStreamWaitEvent(stream, share->done.get(), 0);
        share->last = stream;
    }
    return code;
}

cudaError_t end_on(xncc_batch_context *share, cudaStream_t stream)
{
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    cudaError_t code = cudaStreamIsCapturing(stream, &capture);
    if (code == cudaSuccess && capture == cudaStreamCaptureStatusNone)
        code = cudaEventRecord(share->done.get(), stream);
    return code;
}

// Room for so many bytes, after what may still use the memory.
cudaError_t make_room(xncc_batch_context *share, DeviceMemory *memory, uint64_t *room,
                      uint64_t bytes)
{
    if (bytes <= *room)
        return cudaSuccess;
    cudaError_t code = cudaEventSynchronize(share->done.get());
    *room = 0;
    memory->release();
    if (code == cudaSuccess)
        code = memory->take(bytes);
    *room = code == cudaSuccess ? bytes : 0;
    return code;
}

// The image's place on the device: pixels, then the mask.
xncc_image place_of(const xncc_image *image, unsigned char *memory)
{
    xncc_image there = *image;
    there.memory = XNCC_DEVICE;
    there.data = memory;
    there.pitch = static_cast<int64_t>(
        pitch_of(static_cast<uint64_t>(xncc_image_row_bytes(image))));
    if (image->mask) {
        there.mask = memory + there.pitch * image->height;
        there.mask_pitch = static_cast<int64_t>(pitch_of(static_cast<uint64_t>(image->width)));
    }
    return there;
}

xncc_status share_image(xncc_batch_context *share, const xncc_image *image, xncc_image *shared,
                        xncc_stream stream, xncc_error *error)
{
    *shared = *image;
    share->from_host = image->memory == XNCC_HOST;
    if (!share->from_host)
        return XNCC_OK;
    DeviceScope scope(share->engine->device);
    const xncc_image wanted = place_of(image, nullptr);
    const uint64_t rows = static_cast<uint64_t>(image->height);
    const uint64_t bytes = (static_cast<uint64_t>(wanted.pitch) +
                            static_cast<uint64_t>(image->mask ? wanted.mask_pitch : 0)) *
                           rows;
    cudaError_t code = make_room(share, &share->image, &share->image_room, bytes);
    if (code == cudaSuccess)
        code = begin_on(share, stream);
    if (code != cudaSuccess)
        return check(code, "making room for the image", error);
    *shared = place_of(image, share->image.as<unsigned char>());
    UploadRows copy = {};
    copy.source = static_cast<const unsigned char *>(image->data);
    copy.source_pitch = static_cast<size_t>(xncc_image_pitch(image));
    copy.target = share->image.as<unsigned char>();
    copy.target_pitch = static_cast<size_t>(shared->pitch);
    copy.row_bytes = static_cast<size_t>(xncc_image_row_bytes(image));
    copy.rows = image->height;
    code = share->upload.copy_rows(copy, stream);
    if (code == cudaSuccess && image->mask) {
        copy.source = image->mask;
        copy.source_pitch = static_cast<size_t>(image->mask_pitch ? image->mask_pitch
                                                                  : image->width);
        copy.target += shared->pitch * image->height;
        copy.target_pitch = static_cast<size_t>(shared->mask_pitch);
        copy.row_bytes = static_cast<size_t>(image->width);
        code = share->upload.copy_rows(copy, stream);
    }
    if (code == cudaSuccess)
        code = end_on(share, stream);
    return check(code, "copying the image to the device", error);
}

xncc_status best_begin(xncc_batch_context *share, const xncc_best *best, xncc_map *map,
                       xncc_stream stream, xncc_error *error)
{
    DeviceScope scope(share->engine->device);
    const uint64_t bytes = static_cast<uint64_t>(best->score.width) *
                           static_cast<uint64_t>(best->score.height) * sizeof(float);
    cudaError_t code = make_room(share, &share->map, &share->map_room, bytes);
    share->home = share->best = *best;
    if (best->score.memory == XNCC_HOST) {
        if (code == cudaSuccess)
            code = make_room(share, &share->held, &share->held_room, 2 * bytes);
        share->best.score.data = share->held.as<float>();
        share->best.index = reinterpret_cast<int32_t *>(share->held.as<unsigned char>() + bytes);
        share->best.score.pitch = share->best.index_pitch = 0;
    }
    if (code == cudaSuccess)
        code = begin_on(share, stream);
    if (code != cudaSuccess)
        return check(code, "taking memory for the best scores", error);
    *map = xncc_map{ share->map.as<float>(), best->score.width, best->score.height,
                     best->score.width * static_cast<int64_t>(sizeof(float)), XNCC_DEVICE };
    const BestView view = view_of(share->best);
    clear_best<<<grid_of(view), COLUMNS, 0, stream>>>(view);
    return check(cudaGetLastError(), "launching the search for the best template", error);
}

xncc_status best_fold(xncc_batch_context *share, const xncc_fold *fold, xncc_stream stream,
                      xncc_error *error)
{
    DeviceScope scope(share->engine->device);
    BestView view = view_of(share->best);
    view.width = fold->map->width;
    view.height = fold->map->height;
    MapView map = { fold->map->data,
                    xncc_map_pitch(fold->map) / static_cast<int64_t>(sizeof(float)), *fold };
    map.fold.map = nullptr;
    fold_map<<<grid_of(view), COLUMNS, 0, stream>>>(view, map);
    return check(cudaGetLastError(), "launching the search for the best template", error);
}

cudaError_t bring_home(xncc_batch_context *share, cudaStream_t stream)
{
    const BestView to = view_of(share->home);
    const size_t row = static_cast<size_t>(to.width) * sizeof(float),
                 rows = static_cast<size_t>(to.height);
    cudaError_t code = cudaMemcpy2DAsync(
        to.score, static_cast<size_t>(to.score_pitch) * sizeof(float), share->best.score.data, row,
        row, rows, cudaMemcpyDeviceToHost, stream);
    if (code == cudaSuccess)
        code = cudaMemcpy2DAsync(to.index, static_cast<size_t>(to.index_pitch) * sizeof(int32_t),
                                 share->best.index, row, row, rows, cudaMemcpyDeviceToHost, stream);
    return code;
}

xncc_status best_end(xncc_batch_context *share, xncc_stream stream, xncc_error *error)
{
    DeviceScope scope(share->engine->device);
    const bool home = share->home.score.memory == XNCC_HOST;
    cudaError_t code = home ? bring_home(share, stream) : cudaSuccess;
    if (code == cudaSuccess)
        code = end_on(share, stream);
    if (code == cudaSuccess && (home || share->from_host))
        code = cudaStreamSynchronize(stream);
    return check(code, "fetching the best scores", error);
}

constexpr xncc_batch_ops name_operations()
{
    xncc_batch_ops ops = {};
    ops.open = share_open;
    ops.close = share_close;
    ops.image = share_image;
    ops.best_begin = best_begin;
    ops.best_fold = best_fold;
    ops.best_end = best_end;
    return ops;
}

} // namespace

extern const xncc_batch_ops share_operations = name_operations();

} // namespace xncc
