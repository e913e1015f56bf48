// What the files of the engine share: a device's state, and what a plan bound.
#ifndef CM_CUDA_ENGINE_CUH
#define CM_CUDA_ENGINE_CUH

#include "correlate.cuh"
#include "fft.cuh"
#include "tensor.cuh"
#include "find.cuh"
#include "layout.cuh"

namespace cm {

struct Engine {
    cm_engine base; // first: a cm_engine pointer is an Engine pointer
    int32_t device = 0;
    uint64_t workspace_limit = 0;
    cm_machine machine = {}; // the CUDA half, but for the workspace
    Bank *banks[FAMILY_COUNT] = {};
    cm_pool *copiers = nullptr; // threads that copy images to pinned memory

    ~Engine()
    {
        cm_pool_destroy(copiers);
    }
};

inline Engine *engine_of(cm_engine *engine)
{
    return reinterpret_cast<Engine *>(engine);
}

inline const Prepared *prepared_of(void *const *slots)
{
    return static_cast<const Prepared *>(slots[1]); // slot 1 is CUDA's
}

// Says why the CUDA runtime has no usable device; nullptr when the code means something else.
const char *why_unusable(cudaError_t code);

class Joint;

} // namespace cm

// A plan's share of the engine. On the padded route it is another one, `inner`, that matches, on the padded image.
struct cm_work {
    cm::Engine *engine = nullptr;
    cm_route route = CM_ROUTE_PLAIN;
    cm_problem problem = {};
    cm_decision decision = {};
    cm_progress *progress = nullptr;
    cm_cuda_parts parts = {};
    cm::Axis x, y;
    cm::Stage stage;               // matching
    cm::DeviceMemory staged;       // convolution: rows of a host image
    cm::DeviceMemory rows, sums;   // matching: S and Q of window rows; X
    cm::Fft fft;                   // matching with kernel fft
    cm::Tensor tensor;             // matching with the tensor kernels
    cm::DeviceMemory map;          // rows of a map whose home is the host
    cm::PinnedMemory pinned;       // matching: map rows on their way to the peak search
    int32_t pinned_rows = 0;       // behind the two rows that are kept of the chunk before
    cm::Find find;                 // matching: the search on the device
    cm::Upload upload;             // matching: images from the host
    cm::Source source;             // padded and joint: an image from the host
    cm::DeviceMemory padded;       // the image with its border
    cm_work *inner = nullptr;
    bool roomy = false;            // device images' rows may be read to a multiple of 16 bytes past their end
    cm::Joint *joint = nullptr;
    cm::Event done;                // behind the plan's last call
    cudaStream_t last = nullptr;   // the stream it was put on
};

namespace cm {

inline bool has_slow_doubles(const cm_work *work)
{
    return work->engine->machine.cuda.slow_doubles != 0;
}

cm_status match_bind(cm_work *work, cm_error *error);
cm_status match_correlate(cm_work *work, const cm_image *image, const cm_template *part, const cm_map *map, cm_stream stream,
                          cm_error *error);
cm_status match_find(cm_work *work, const cm_image *image, const cm_template *part, const cm_peak_rule *rule, cm_match *match,
                     size_t *found, cm_stream stream, cm_error *error);

// What the engine offers for matching: all of it for problems of every route. (match_*: for a plain or a joint one whose image is at hand.)
cm_status routed_bind(cm_work *work, cm_error *error);
void routed_unbind(cm_work *work);
cm_status routed_correlate(cm_work *work, const cm_image *image, const cm_template *part, const cm_map *map, cm_stream stream,
                           cm_error *error);
cm_status routed_find(cm_work *work, const cm_image *image, const cm_template *part, const cm_peak_rule *rule, cm_match *match,
                      size_t *found, cm_stream stream, cm_error *error);
cm_status routed_find_on_device(cm_work *work, const cm_image *image, const cm_template *part, const cm_peak_target *target,
                                cm_stream stream, cm_error *error);
cm_status routed_find_bank(cm_work *work, const cm_image *image, const cm_bank *bank, const cm_peak_rule *rule, cm_stream stream,
                           cm_error *error);

// As match_find, with matches and found in device memory; does not wait.
cm_status match_find_on_device(cm_work *work, const cm_image *image, const cm_template *part, const cm_peak_target *target,
                               cm_stream stream, cm_error *error);
cm_status match_find_bank(cm_work *work, const cm_image *image, const cm_bank *bank, const cm_peak_rule *rule, cm_stream stream,
                          cm_error *error);

cm_status filter_bind(cm_work *work, cm_error *error);
cm_status filter_convolve(cm_work *work, const cm_image *image, const cm_filter *filter, const cm_map *out, cm_stream stream,
                          cm_error *error);

// Progress in map elements.
inline void progress_begin(cm_work *work)
{
    cm_progress_begin(work->progress, static_cast<uint64_t>(work->x.map) * static_cast<uint64_t>(work->y.map));
}

inline void progress_step(cm_work *work, int32_t rows)
{
    cm_progress_step(work->progress, static_cast<uint64_t>(work->x.map) * static_cast<uint64_t>(rows));
}

// Begins a call: where it comes on another stream than the call before, it waits there for that one, since both use the plan's memory.
inline cm_status begin(cm_work *work, cudaStream_t stream, cm_error *error)
{
    if (stream == work->last)
        return CM_OK;
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    cudaError_t code = cudaStreamIsCapturing(stream, &capture);
    if (code == cudaSuccess && capture == cudaStreamCaptureStatusNone) {
        code = cudaStreamWaitEvent(stream, work->done.get(), 0);
        work->last = stream;
    }
    return check(code, "beginning the call", error);
}

// Ends a call: what it put on the stream is the plan's last work, and is waited for when `wait` says so. (What a captured graph does with
// the plan is the caller's to wait for.)
inline cm_status finish(cm_work *work, cudaStream_t stream, bool wait, cm_error *error)
{
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    cudaError_t code = cudaStreamIsCapturing(stream, &capture);
    if (code == cudaSuccess && capture == cudaStreamCaptureStatusNone)
        code = cudaEventRecord(work->done.get(), stream);
    cm_status status = check(code, "ending the call", error);
    if (!status && wait)
        status = check(cudaStreamSynchronize(stream), "the work on the stream", error);
    return status;
}

} // namespace cm

#endif
