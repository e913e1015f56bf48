// What the files of the engine share: a device's state, and what a plan bound.
#ifndef XNCC_CUDA_ENGINE_ENGINE_PLAN_H
#define XNCC_CUDA_ENGINE_ENGINE_PLAN_H

#include "cuda/products/correlate_family.h"
#include "cuda/products/correlate_fft.h"
#include "cuda/engine/tensor_plan.h"
#include "cuda/engine/find_state.h"
#include "cuda/planes/image_source.h"

extern "C" {
#include "cuda/engine/cuda_engine.h"
#include "engine/engine.h"
}

namespace xncc {

struct Engine {
    xncc_engine base; // first: a xncc_engine pointer is an Engine pointer
    int32_t device = 0;
    int code_arch = 0; // of the loaded machine code, as __CUDA_ARCH__
    uint64_t workspace_limit = 0;
    xncc_machine machine = {}; // the CUDA half, but for the workspace
    ConstantCache *constant_caches[FAMILY_COUNT] = {};
    xncc_pool *copiers = nullptr; // threads that copy images to pinned memory

    ~Engine()
    {
        xncc_pool_destroy(copiers);
    }
};

inline Engine *engine_of(xncc_engine *engine)
{
    return reinterpret_cast<Engine *>(engine);
}

inline const DeviceTemplate *device_template_of(void *const *slots)
{
    return static_cast<const DeviceTemplate *>(slots[1]); // slot 1 is CUDA's
}

class GeneralPlan;

} // namespace xncc

// A plan's share of the engine. On the padded route it is another one, `inner`, that matches, on
// the padded image.
struct xncc_engine_plan {
    xncc::Engine *engine = nullptr;
    xncc_route route = XNCC_ROUTE_PLAIN;
    xncc_problem problem = {};
    xncc_decision decision = {};
    xncc_progress *progress = nullptr;
    xncc_cuda_buffers buffers = {};
    xncc::Axis x, y;
    xncc::Stage stage;             // matching
    xncc::DeviceMemory staged;     // convolution: rows of a host image
    xncc::DeviceMemory rows, sums; // matching: S and Q of window rows; X
    xncc::Fft fft;                 // matching with kernel fft
    xncc::TensorPlan tensor;       // matching with the tensor kernels
    xncc::DeviceMemory map;        // rows of a map whose home is the host
    xncc::PinnedMemory pinned;     // matching: map rows on their way to the peak search
    int32_t pinned_rows = 0;       // behind the two rows that are kept of the chunk before
    xncc::Find find;               // matching: the search on the device
    xncc::Upload upload;           // matching: images from the host
    xncc::ImageSource source;      // padded and joint: an image from the host
    xncc::DeviceMemory padded;     // the image with its border
    xncc_engine_plan *inner = nullptr;
    bool roomy = false; // device images' rows may be read to a multiple of 16 bytes past their end
    xncc::GeneralPlan *general = nullptr;
    xncc::Event done;            // behind the plan's last call
    cudaStream_t last = nullptr; // the stream it was put on
};

namespace xncc {

inline bool fp64_is_slow_on(const xncc_engine_plan *plan)
{
    return plan->engine->machine.cuda.fp64_is_slow != 0;
}

xncc_status match_bind(xncc_engine_plan *plan, xncc_error *error);
xncc_status match_correlate(xncc_engine_plan *plan, const xncc_image *image,
                            const xncc_template *templ, const xncc_map *map, xncc_stream stream,
                            xncc_error *error);
xncc_status match_find(xncc_engine_plan *plan, const xncc_image *image, const xncc_template *templ,
                       const xncc_peak_rule *rule, xncc_match *match, size_t *found,
                       xncc_stream stream, xncc_error *error);

// What the engine offers for matching: all of it for problems of every route. (match_*: for a plain
// or a joint one whose image is at hand.)
xncc_status dispatch_bind(xncc_engine_plan *plan, xncc_error *error);
void dispatch_unbind(xncc_engine_plan *plan);
xncc_status dispatch_correlate(xncc_engine_plan *plan, const xncc_image *image,
                               const xncc_template *templ, const xncc_map *map, xncc_stream stream,
                               xncc_error *error);
xncc_status dispatch_find(xncc_engine_plan *plan, const xncc_image *image,
                          const xncc_template *templ, const xncc_peak_rule *rule, xncc_match *match,
                          size_t *found, xncc_stream stream, xncc_error *error);
xncc_status dispatch_find_on_device(xncc_engine_plan *plan, const xncc_image *image,
                                    const xncc_template *templ, const xncc_peak_target *target,
                                    xncc_stream stream, xncc_error *error);
xncc_status dispatch_find_batch(xncc_engine_plan *plan, const xncc_image *image,
                                const xncc_plan_batch *constant_cache, const xncc_peak_rule *rule,
                                xncc_stream stream, xncc_error *error);

// As match_find, with matches and found in device memory; does not wait.
xncc_status match_find_on_device(xncc_engine_plan *plan, const xncc_image *image,
                                 const xncc_template *templ, const xncc_peak_target *target,
                                 xncc_stream stream, xncc_error *error);
xncc_status match_find_batch(xncc_engine_plan *plan, const xncc_image *image,
                             const xncc_plan_batch *constant_cache, const xncc_peak_rule *rule,
                             xncc_stream stream, xncc_error *error);

xncc_status filter_bind(xncc_engine_plan *plan, xncc_error *error);
xncc_status filter_convolve(xncc_engine_plan *plan, const xncc_image *image,
                            const xncc_filter *filter, const xncc_map *out, xncc_stream stream,
                            xncc_error *error);

// Progress in map elements.
inline void progress_begin(xncc_engine_plan *plan)
{
    xncc_progress_begin(plan->progress,
                        static_cast<uint64_t>(plan->x.map) * static_cast<uint64_t>(plan->y.map));
}

inline void progress_step(xncc_engine_plan *plan, int32_t rows)
{
    xncc_progress_step(plan->progress,
                       static_cast<uint64_t>(plan->x.map) * static_cast<uint64_t>(rows));
}

// Begins a call: where it comes on another stream than the call before, it waits there for that
// one, since both use the plan's memory.
inline xncc_status begin(xncc_engine_plan *plan, cudaStream_t stream, xncc_error *error)
{
    if (stream == plan->last)
        return XNCC_OK;
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    cudaError_t code = cudaStreamIsCapturing(stream, &capture);
    if (code == cudaSuccess && capture == cudaStreamCaptureStatusNone) {
        code = cudaStreamWaitEvent(stream, plan->done.get(), 0);
        plan->last = stream;
    }
    return check(code, "beginning the call", error);
}

// Ends a call: what it put on the stream is the plan's last work, and is waited for when `wait`
// says so. (What a captured graph does with the plan is the caller's to wait for.)
inline xncc_status finish(xncc_engine_plan *plan, cudaStream_t stream, bool wait, xncc_error *error)
{
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    cudaError_t code = cudaStreamIsCapturing(stream, &capture);
    if (code == cudaSuccess && capture == cudaStreamCaptureStatusNone)
        code = cudaEventRecord(plan->done.get(), stream);
    xncc_status status = check(code, "ending the call", error);
    if (!status && wait)
        status = check(cudaStreamSynchronize(stream), "the work on the stream", error);
    return status;
}

} // namespace xncc

#endif
