// SPDX-License-Identifier: BSD-2-Clause
// What the plans of a batch share: the image, which is copied to the device once, the best score at
// each position, and for batches of one search the workspace, the templates' forms and a stream.
#include "cuda/engine/batch_context.h"

#include "cuda/engine/engine_plan.h"
#include "cuda/engine/find_masked.h"
#include "cuda/peaks/best_map.h"

#include <string.h>

struct xncc_batch_context {
    xncc::Engine *engine = nullptr;
    const xncc_watch *watch = nullptr; // of the batch's running call
    xncc::DeviceMemory image;          // the copy of a host image: pixels, then the mask
    xncc::Upload upload;               // copies host images
    bool from_host = false;            // the image of the current call is on the host
    xncc::DeviceMemory map;            // the score map of one template
    xncc::DeviceMemory device_best;    // the best on its way to the host: scores, then indices
    xncc_best best = {};               // the best in device memory
    xncc_best target = {};             // where the caller wants it
    xncc::Event done;                  // recorded after the last call's work that used the above
    cudaStream_t last = nullptr;       // the stream of the last call
    // Batches of one search.
    xncc::BatchMemory *own = nullptr; // from the engine's spare ones
    xncc_workspace left = {};         // of the last plan, if it left byte planes of the image
};

namespace xncc {

namespace {

// The best as the kernels see it.
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

xncc_status batch_context_open(xncc_engine *engine, const xncc_watch *watch,
                               xncc_batch_context **result, xncc_error *error)
{
    DeviceScope scope(engine_of(engine)->device);
    xncc_status status = scope.status(error);
    if (status)
        return status;
    xncc_batch_context *context = create<xncc_batch_context>();
    if (!context)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for the batch");
    context->engine = engine_of(engine);
    context->watch = watch;
    context->upload.serve(context->engine->copiers, watch);
    *result = context;
    return XNCC_OK;
}

void batch_context_close(xncc_batch_context *context)
{
    DeviceScope scope(context->engine->device);
    if (context->done.get())
        forgive(cudaEventSynchronize(context->done.get()));
    BatchMemory *own = context->own;
    if (own && cudaStreamSynchronize(own->stream.get()) == cudaSuccess) {
        context->engine->spare.give(own);
    } else if (own) {
        (void)cudaGetLastError(); // an earlier call has reported it
        destroy(own);
    }
    destroy(context);
}

// Ends a call that uses the context's memory.
cudaError_t end_on(xncc_batch_context *context, cudaStream_t stream)
{
    bool marked;
    const cudaError_t code = mark_end(context->done, stream, &marked);
    if (!marked)
        forgive(cudaStreamSynchronize(stream));
    return code;
}

// Grows a block of memory to at least `bytes`, after waiting for the work that may still use it.
// The first call makes the event, which batches without such memory do not need.
cudaError_t make_room(xncc_batch_context *context, DeviceMemory *memory, uint64_t bytes)
{
    if (bytes <= memory->size())
        return cudaSuccess;
    const cudaError_t code = context->done.get() ? cudaEventSynchronize(context->done.get())
                                                 : context->done.make();
    return code == cudaSuccess ? memory->need(bytes) : code;
}

// Puts all work that is on the default stream now, which may still write an image in device memory,
// in front of what will be on the batch's own stream.
xncc_status follow_caller(const xncc_batch_context *context, xncc_error *error)
{
    DeviceScope scope(context->engine->device);
    const BatchMemory &own = *context->own;
    cudaError_t code = scope.result();
    if (code == cudaSuccess)
        code = cudaEventRecord(own.before.get(), nullptr);
    if (code == cudaSuccess)
        code = cudaStreamWaitEvent(own.stream.get(), own.before.get(), 0);
    return check(code, "waiting for the image", error);
}

// Makes room for the copy of an image. What is the batch's own has one stream and is kept.
cudaError_t make_image_room(xncc_batch_context *context, uint64_t bytes, cudaStream_t stream)
{
    if (context->own)
        return context->own->image.need(bytes, context->engine->spare.usual().image);
    const cudaError_t code = make_room(context, &context->image, bytes);
    return code == cudaSuccess ? follow(context->done, &context->last, stream) : code;
}

xncc_status copy_image(xncc_batch_context *context, const xncc_image *image, xncc_image *shared,
                       xncc_stream stream, xncc_error *error)
{
    DeviceScope scope(context->engine->device);
    BatchMemory *own = context->own;
    const int64_t row = source_pitch(xncc_image_row_bytes(image)) +
                        (image->mask ? source_pitch(image->width) : 0);
    cudaError_t code = scope.result();
    if (code == cudaSuccess)
        code = make_image_room(
            context, static_cast<uint64_t>(row) * static_cast<uint64_t>(image->height), stream);
    xncc_status status = check(code, "making room for the image", error);
    if (!status)
        status = bring_to_device(shared, (own ? own->image : context->image).as<unsigned char>(),
                                 own ? &own->upload : &context->upload, stream, error);
    if (!status && !own)
        status = check(end_on(context, stream), "copying the image to the device", error);
    return status ? status : xncc_check_cancelled(context->watch, error);
}

xncc_status share_image(xncc_batch_context *context, const xncc_image *image, xncc_image *shared,
                        xncc_stream stream, xncc_error *error)
{
    *shared = *image;
    context->from_host = image->memory == XNCC_HOST;
    if (context->from_host)
        return copy_image(context, image, shared, stream, error);
    return context->own ? follow_caller(context, error) : XNCC_OK;
}

// The caller's image and maps are not used any more.
void abandon(xncc_batch_context *context, xncc_stream stream)
{
    DeviceScope scope(context->engine->device);
    forgive(cudaStreamSynchronize(stream));
}

xncc_status best_begin(xncc_batch_context *context, const xncc_best *best, xncc_map *map,
                       xncc_stream stream, xncc_error *error)
{
    DeviceScope scope(context->engine->device);
    const uint64_t bytes = static_cast<uint64_t>(best->score.width) *
                           static_cast<uint64_t>(best->score.height) * sizeof(float);
    cudaError_t code = scope.result();
    if (code == cudaSuccess)
        code = make_room(context, &context->map, bytes);
    context->target = context->best = *best;
    if (best->score.memory == XNCC_HOST) {
        if (code == cudaSuccess)
            code = make_room(context, &context->device_best, 2 * bytes);
        context->best.score.data = context->device_best.as<float>();
        context->best.index = reinterpret_cast<int32_t *>(context->device_best.as<unsigned char>() +
                                                          bytes);
        context->best.score.pitch = context->best.index_pitch = 0;
    }
    if (code == cudaSuccess)
        code = follow(context->done, &context->last, stream);
    if (code != cudaSuccess)
        return check(code, "allocating the best scores", error);
    *map = xncc_map{ context->map.as<float>(), best->score.width, best->score.height,
                     best->score.width * static_cast<int64_t>(sizeof(float)), XNCC_DEVICE };
    return check(launch_clear_best(view_of(context->best), stream),
                 "launching the search for the best template", error);
}

xncc_status best_fold(xncc_batch_context *context, const xncc_fold *fold, xncc_stream stream,
                      xncc_error *error)
{
    DeviceScope scope(context->engine->device);
    xncc_status status = scope.status(error);
    if (status)
        return status;
    BestView view = view_of(context->best);
    view.width = fold->map->width;
    view.height = fold->map->height;
    MapView map = { fold->map->data,
                    xncc_map_pitch(fold->map) / static_cast<int64_t>(sizeof(float)), *fold };
    map.fold.map = nullptr;
    return check(launch_fold_map(view, map, stream), "launching the search for the best template",
                 error);
}

// Copies the result to the caller's host memory.
cudaError_t fetch_best(xncc_batch_context *context, cudaStream_t stream)
{
    const BestView to = view_of(context->target);
    const size_t row = static_cast<size_t>(to.width) * sizeof(float),
                 rows = static_cast<size_t>(to.height);
    cudaError_t code = cudaMemcpy2DAsync(
        to.score, static_cast<size_t>(to.score_pitch) * sizeof(float), context->best.score.data,
        row, row, rows, cudaMemcpyDeviceToHost, stream);
    if (code == cudaSuccess)
        code = cudaMemcpy2DAsync(to.index, static_cast<size_t>(to.index_pitch) * sizeof(int32_t),
                                 context->best.index, row, row, rows, cudaMemcpyDeviceToHost,
                                 stream);
    return code;
}

xncc_status best_end(xncc_batch_context *context, xncc_stream stream, xncc_error *error)
{
    DeviceScope scope(context->engine->device);
    const bool to_host = context->target.score.memory == XNCC_HOST;
    cudaError_t code = scope.result();
    if (code == cudaSuccess && to_host)
        code = fetch_best(context, stream);
    if (code == cudaSuccess)
        code = end_on(context, stream);
    if (code == cudaSuccess && (to_host || context->from_host))
        code = cudaStreamSynchronize(stream);
    xncc_status status = check(code, "fetching the best scores", error);
    return status || !(to_host || context->from_host) ? status
                                                      : xncc_check_cancelled(context->watch, error);
}

int64_t most_height(const xncc_batch_context *context)
{
    return context->engine->machine.cuda.texture_height;
}

// Makes the forms, which are filled on the host.
xncc_status place_forms(const xncc_batch_context *context, xncc_template *const *templ,
                        size_t count, xncc_error *error)
{
    unsigned char *device = context->own->forms.as<unsigned char>(),
                  *host = context->own->staged.as<unsigned char>();
    cudaError_t code = cudaSuccess;
    for (size_t i = 0; i < count && code == cudaSuccess; i++) {
        DeviceTemplate *form = create<DeviceTemplate>();
        if (!form)
            return xncc_fail(error, XNCC_ERROR_MEMORY,
                             "no memory for the device's form of a template");
        templ[i]->prepared[1] = form; // the template frees it, also after a failure
        code = place_template(templ[i], most_height(context), device, host, form);
        const uint64_t bytes = form_bytes(templ[i], most_height(context));
        device += bytes;
        host += bytes;
    }
    return check(code, "placing the templates", error);
}

// Copies the forms to the device. The copy is not waited for: what reads it is on the same stream,
// and the next batch gets the memory when that stream is empty.
cudaError_t copy_forms(const BatchMemory &own, xncc_template *const *templ, size_t count,
                       uint64_t bytes)
{
    const cudaStream_t stream = own.stream.get();
    cudaError_t code = cudaMemcpyAsync(own.forms.as<void>(), own.staged.as<void>(), bytes,
                                       cudaMemcpyHostToDevice, stream);
    for (size_t i = 0; i < count && code == cudaSuccess; i++)
        code = static_cast<DeviceTemplate *>(templ[i]->prepared[1])->refresh(stream);
    return code;
}

xncc_status prepare_forms(xncc_batch_context *context, xncc_template *const *templ, size_t count,
                          xncc_error *error)
{
    DeviceScope scope(context->engine->device);
    xncc_status status = scope.status(error);
    if (!status && !context->own)
        status = context->engine->spare.take(&context->own, error);
    if (status)
        return status;
    BatchMemory *own = context->own;
    own->upload.serve(context->engine->copiers, context->watch);
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += form_bytes(templ[i], most_height(context));
    const uint64_t usual = context->engine->spare.usual().forms;
    cudaError_t code = own->forms.need(bytes, usual);
    if (code == cudaSuccess)
        code = own->staged.need(bytes, usual);
    status = check(code, "making room for the templates", error);
    if (status)
        return status;
    memset(own->staged.as<void>(), 0, bytes);
    status = place_forms(context, templ, count, error);
    return status ? status
                  : check(copy_forms(*own, templ, count, bytes),
                          "copying the templates to the device", error);
}

xncc_stream own_stream(xncc_batch_context *context)
{
    return context->own->stream.get();
}

constexpr xncc_batch_ops name_operations()
{
    xncc_batch_ops ops = {};
    ops.open = batch_context_open;
    ops.close = batch_context_close;
    ops.image = share_image;
    ops.abandon = abandon;
    ops.prepare = prepare_forms;
    ops.stream = own_stream;
    ops.best_begin = best_begin;
    ops.best_fold = best_fold;
    ops.best_end = best_end;
    return ops;
}

} // namespace

Engine *engine_behind(const xncc_batch_context *context)
{
    return context->engine;
}

namespace {

// Bytes of the batch's memory that a plan needs cleared. What the bounds of masked templates read
// has been written by the plan, or is multiplied by 0.
uint64_t bytes_to_clear(const xncc_engine_plan *plan, bool grew)
{
    const xncc_workspace &w = plan->decision.workspace;
    if (!grew && bounds_masked(plan))
        return 0;
    // window terms below the map are read, too
    return grew || plan->decision.batch.terms ? Workspace::shared_bytes(w)
                                              : Workspace::cleared_bytes(w);
}

// Tells whether the plan before has left the byte planes of the image where this one has its own,
// and notes what this one will leave.
bool takes_planes(xncc_batch_context *context, const xncc_engine_plan *plan)
{
    const xncc_workspace before = context->left, &w = plan->decision.workspace;
    context->left = bounds_masked(plan) && !w.bytes[XNCC_BUFFER_BAND] ? w : xncc_workspace{};
    return context->left.plane && before.plane == w.plane && before.plane_pitch == w.plane_pitch &&
           before.bytes[XNCC_BUFFER_PLANES] == w.bytes[XNCC_BUFFER_PLANES];
}

} // namespace

xncc_status lend_memory(xncc_batch_context *context, xncc_engine_plan *plan, xncc_error *error)
{
    BatchMemory *own = context->own;
    const xncc_workspace &w = plan->decision.workspace;
    const uint64_t bytes = Workspace::shared_bytes(w);
    const BatchRoom usual = context->engine->spare.usual();
    const cudaStream_t stream = own->stream.get();
    bool grew = false;
    cudaError_t code = bytes > own->workspace.size() ? cudaStreamSynchronize(stream) : cudaSuccess;
    if (code == cudaSuccess)
        code = own->workspace.need(bytes, usual.workspace, &grew);
    if (code == cudaErrorMemoryAllocation && context->engine->spare.release()) {
        forgive(code);
        code = own->workspace.need(bytes, 0, &grew);
    }
    const uint64_t clear = bytes_to_clear(plan, grew);
    if (code == cudaSuccess && clear)
        code = cudaMemsetAsync(own->workspace.as<void>(), 0, clear, stream);
    plan->planes_there = takes_planes(context, plan) && !grew;
    if (code == cudaSuccess)
        plan->memory.use(w, own->workspace.as<unsigned char>());
    own->fetched.usual = usual.results;
    plan->find.fetched = &own->fetched;
    plan->done.use(own->done.get());
    return check(code, "allocating the plan's workspace", error);
}

extern const xncc_batch_ops batch_operations = name_operations();

} // namespace xncc
