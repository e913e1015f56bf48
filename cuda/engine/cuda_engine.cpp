// SPDX-License-Identifier: BSD-2-Clause
// The operations of the CUDA engine (xncc_engine_ops), and the functions of cuda_engine.h.
#include "cuda/engine/cuda_engine.h"

#include "cuda/convolve/conv_kernels.h"
#include "cuda/engine/batch_context.h"
#include "cuda/engine/convolve_plan.h"
#include "cuda/engine/device_find.h"
#include "cuda/engine/engine_plan.h"
#include "cuda/engine/image_pass.h"
#include "cuda/engine/match.h"
#include "cuda/engine/product_pass.h"
#include "cuda/engine/score_pass.h"
#include "cuda/runtime/probe.h"
#include "cuda/runtime/score_arithmetic.h"
#include "cuda/track/track_chips.h"

#include <algorithm>
#include <tuple>

namespace xncc {

namespace {

// The status and text of a device that cannot be used.
xncc_status refuse(int32_t index, cudaError_t code, xncc_error *error)
{
    const char *why = why_unusable(code);
    (void)cudaGetLastError();
    return xncc_fail(error, XNCC_ERROR_DEVICE, "CUDA device %d cannot be used: %s", index,
                     why ? why : cudaGetErrorString(code));
}

// The most threads that copy host images to pinned memory. One thread reads pageable memory at 10
// to 20 GB/s; four fill the bus.
constexpr int32_t MAX_COPIERS = 4;

// A device has slow doubles if its float rate is more than this many times its double rate. The
// ratio is 2 for devices made for double precision, and 32 or 64 for the others.
constexpr int64_t FAST_RATIO = 4;
// Bytes of shared memory per block, at most, of devices of compute capability 7.5.
constexpr int64_t SHARED_BEFORE_8 = 64 << 10;

cudaError_t attribute(cudaDeviceAttr name, int device, int64_t *value)
{
    int v = 0;
    cudaError_t code = cudaDeviceGetAttribute(&v, name, device);
    *value = v;
    return code;
}

// 1: exact sums become scores in pairs of floats, since double precision is slow or is not built.
int32_t choose_arithmetic(int arch, int64_t ratio)
{
    if (!builds_float_float(arch) || !builds_fp64(arch))
        return builds_float_float(arch);
    return ratio > FAST_RATIO;
}

// Reads the properties of the device that plans need. Code that was built for devices before 8.0
// alone has no kernels of later ones. On a later device it counts as what it was built for.
cudaError_t read_limits(int device, int arch, xncc_machine *machine)
{
    auto &m = machine->cuda;
    int64_t major = 0, minor = 0, processors = 0, ratio = 0;
    struct {
        cudaDeviceAttr name;
        int64_t *value;
    } const wanted[] = { { cudaDevAttrComputeCapabilityMajor, &major },
                         { cudaDevAttrComputeCapabilityMinor, &minor },
                         { cudaDevAttrMultiProcessorCount, &processors },
                         { cudaDevAttrSingleToDoublePrecisionPerfRatio, &ratio },
                         { cudaDevAttrMaxSharedMemoryPerBlock, &m.shared_memory },
                         { cudaDevAttrMaxSharedMemoryPerBlockOptin, &m.shared_optin },
                         { cudaDevAttrMaxTexture2DLinearWidth, &m.texture_width },
                         { cudaDevAttrMaxTexture2DLinearHeight, &m.texture_height },
                         { cudaDevAttrMaxTexture2DLinearPitch, &m.texture_pitch } };
    cudaError_t code = cudaSuccess;
    for (const auto &w : wanted)
        if (code == cudaSuccess)
            code = attribute(w.name, device, w.value);
    if (arch < 800 && major >= 8) {
        major = 7;
        minor = 5;
        m.shared_optin = std::min(m.shared_optin, SHARED_BEFORE_8);
    }
    m.present = 1;
    m.major = static_cast<int32_t>(major);
    m.minor = static_cast<int32_t>(minor);
    m.processors = static_cast<int32_t>(processors);
    m.fp64_is_slow = choose_arithmetic(arch, ratio);
    m.constant_bytes = CONSTANT_BYTES;
    return code;
}

// Prepares the device: checks that it can run the kernels, reads its limits, raises the shared
// memory limits of kernels, and opens the constant caches.
cudaError_t open_device(Engine *engine)
{
    size_t available = 0, total = 0;
    cudaError_t code = find_device_code(&engine->code_arch);
    if (code == cudaSuccess)
        code = read_limits(engine->device, engine->code_arch, &engine->machine);
    if (code == cudaSuccess)
        code = cudaMemGetInfo(&available, &total);
    engine->spare.set_limit(total);
    int most = static_cast<int>(engine->machine.cuda.shared_optin);
    if (code == cudaSuccess)
        code = shared_set_max_shared_memory(most);
    if (code == cudaSuccess)
        code = convolve_set_max_shared_memory(most);
    if (code == cudaSuccess && engine->code_arch >= TRACK_ARCH)
        code = track_set_max_shared_memory(most);
    const void *const symbols[FAMILY_COUNT] = { texture_constant(), shared_constant(),
                                                convolve_constant() };
    for (int i = 0; i < FAMILY_COUNT && code == cudaSuccess; i++)
        code = constant_cache_open(static_cast<Family>(i), engine->device, symbols[i],
                                   &engine->constant_caches[i]);
    return code;
}

void destroy_engine(xncc_engine *engine)
{
    destroy(engine_of(engine));
}

xncc_status describe(const xncc_engine *base, xncc_machine *machine, xncc_error *error)
{
    const Engine *engine = reinterpret_cast<const Engine *>(base);
    DeviceScope scope(engine->device);
    machine->cuda = engine->machine.cuda;
    size_t available = 0, total = 0;
    uint64_t limit = engine->workspace_limit;
    cudaError_t code = cudaSuccess;
    if (limit == 0) {
        code = scope.result();
        if (code == cudaSuccess)
            code = cudaMemGetInfo(&available, &total);
        limit = available / 4;
    }
    machine->cuda.fft = !fft_library_missing();
    machine->cuda.workspace = static_cast<int64_t>(limit < INT64_MAX ? limit : INT64_MAX);
    return check(code, "asking for the free memory", error);
}

// The stream of its own neither waits for the work of other threads nor delays it.
xncc_status prepare(xncc_engine *base, const xncc_template *templ, const xncc_filter *filter,
                    void **prepared, xncc_error *error)
{
    const Engine *engine = engine_of(base);
    DeviceScope scope(engine->device);
    Stream stream;
    xncc_status status = scope.status(error);
    if (status)
        return status;
    DeviceTemplate *made = create<DeviceTemplate>();
    status = made ? check(stream.make(), "making a stream", error)
                  : xncc_fail(error, XNCC_ERROR_MEMORY,
                              "no memory for the device's form of a template or filter");
    if (!status)
        status = templ ? prepare_template(templ, engine->machine.cuda.texture_height, stream.get(),
                                          made, error)
                       : prepare_filter(filter, stream.get(), made, error);
    return hand_over(status, made, prepared);
}

void release(xncc_engine *engine, void *prepared)
{
    DeviceScope scope(engine_of(engine)->device);
    destroy(static_cast<DeviceTemplate *>(prepared));
}

// Makes everything that the steps of a match need. shared: where the memory is; nullptr: it is
// allocated.
xncc_status bind_match(xncc_engine_plan *plan, xncc_batch_context *shared, xncc_error *error)
{
    xncc_status status = shared ? lend_memory(shared, plan, error)
                                : plan->memory.make(plan->decision.workspace, error);
    if (!status)
        status = image_bind(plan, error);
    if (!status)
        status = product_bind(plan, error);
    if (!status)
        status = score_bind(plan, error);
    return status ? status : find_bind(plan, error);
}

void unbind(xncc_engine_plan *plan)
{
    DeviceScope scope(plan->engine->device);
    if (plan->stack.plan)
        unbind(plan->stack.plan);
    if (plan->done.get())
        forgive(cudaEventSynchronize(plan->done.get()));
    destroy(plan);
}

xncc_status wait(xncc_engine_plan *plan, xncc_error *error)
{
    return check(cudaEventSynchronize(plan->done.get()), "the work of the plan", error);
}

// Makes a plan. stack: as for bind. shared: the batch that has its memory, and the event of its
// last call; nullptr: they are its own.
xncc_status make_plan(Engine *engine, const xncc_problem *problem, const xncc_decision *decision,
                      const xncc_stack_plan *stack, xncc_batch_context *shared,
                      const xncc_watch *watch, xncc_engine_plan **result, xncc_error *error)
{
    xncc_engine_plan *plan = create<xncc_engine_plan>();
    if (!plan)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for the plan");
    plan->engine = engine;
    plan->problem = *problem;
    plan->decision = *decision;
    plan->watch = watch;
    plan->upload.serve(engine->copiers, watch);
    if (decision->stack.images > 1)
        plan->stack.of = *stack;
    xncc_status status = shared ? XNCC_OK : check(plan->done.make(), "making an event", error);
    if (!status)
        status = problem->task == XNCC_TASK_MATCH ? bind_match(plan, shared, error)
                                                  : filter_bind(plan, error);
    if (status)
        unbind(plan);
    else
        *result = plan;
    return status;
}

// If memory is short, that of no batch is given up first.
xncc_status bind(xncc_engine *base, const xncc_problem *problem, const xncc_decision *decision,
                 const xncc_stack_plan *stack, const xncc_watch *watch, xncc_engine_plan **result,
                 xncc_error *error)
{
    Engine *engine = engine_of(base);
    DeviceScope scope(engine->device);
    xncc_status status = scope.status(error);
    if (!status)
        status = make_plan(engine, problem, decision, stack, nullptr, watch, result, error);
    if (status == XNCC_ERROR_MEMORY && engine->spare.release())
        status = make_plan(engine, problem, decision, stack, nullptr, watch, result, error);
    return status;
}

xncc_status bind_shared(xncc_batch_context *shared, const xncc_problem *problem,
                        const xncc_decision *decision, const xncc_watch *watch,
                        xncc_engine_plan **result, xncc_error *error)
{
    Engine *engine = engine_behind(shared);
    DeviceScope scope(engine->device);
    xncc_status status = scope.status(error);
    return status ? status
                  : make_plan(engine, problem, decision, nullptr, shared, watch, result, error);
}

// The operation that begins a call on the plan's device and runs it by `function`. The last two of
// its arguments are the stream and the error.
template <auto function, class... Arguments>
xncc_status operation(xncc_engine_plan *plan, Arguments... arguments)
{
    constexpr size_t count = sizeof...(arguments);
    const auto all = std::tie(arguments...);
    DeviceScope scope(plan->engine->device);
    const xncc_status status = begin(plan, scope, std::get<count - 2>(all),
                                     std::get<count - 1>(all));
    return status ? status : function(plan, arguments...);
}

xncc_status find_images(xncc_engine_plan *plan, const xncc_image_group *group,
                        const xncc_template *templ, const xncc_search_rule *rule,
                        xncc_stream stream, xncc_error *error)
{
    DeviceScope scope(plan->engine->device);
    Stack &stack = plan->stack;
    xncc_status status = begin(plan, scope, stream, error);
    if (!status && uses_stack(plan, group, rule)) {
        if (!stack.plan)
            status = bind(&plan->engine->base, &stack.of.problem, &stack.of.decision, nullptr,
                          plan->watch, &stack.plan, error);
        if (!status)
            status = begin(stack.plan, scope, stream, error);
    }
    return status ? status : match_find_images(plan, group, templ, rule, stream, error);
}

int ready(xncc_engine *engine, xncc_kernel kernel)
{
    DeviceScope scope(engine_of(engine)->device);
    return (kernel != XNCC_KERNEL_FFT_CUDA && kernel != XNCC_KERNEL_FLOAT_FFT) ||
           fft_library() != nullptr;
}

// The default stream (NULL) sees the work that the caller has enqueued on blocking streams.
xncc_status fetch(xncc_engine *engine, const xncc_image *image, void *host, int64_t pitch,
                  xncc_stream stream, xncc_error *error)
{
    DeviceScope scope(engine_of(engine)->device);
    cudaError_t code = scope.result();
    if (code == cudaSuccess)
        code = cudaMemcpy2DAsync(host, static_cast<size_t>(pitch), image->data,
                                 static_cast<size_t>(xncc_image_pitch(image)),
                                 static_cast<size_t>(xncc_image_row_bytes(image)),
                                 static_cast<size_t>(image->height), cudaMemcpyDeviceToHost,
                                 stream);
    if (code == cudaSuccess)
        code = cudaStreamSynchronize(stream);
    return check(code, "copying pixels to the host", error);
}

// Memory that the driver moves between devices is held by none.
int holds(const xncc_engine *base, const void *address)
{
    const Engine *engine = reinterpret_cast<const Engine *>(base);
    cudaPointerAttributes attributes = {};
    const cudaError_t code = cudaPointerGetAttributes(&attributes, address);
    forgive(code);
    return code == cudaSuccess && attributes.type == cudaMemoryTypeDevice &&
           attributes.device == engine->device;
}

// The engine does not have the operations that are not named here.
constexpr xncc_engine_ops name_operations()
{
    xncc_engine_ops ops = {};
    ops.destroy = destroy_engine;
    ops.describe = describe;
    ops.prepare = prepare;
    ops.release = release;
    ops.bind = bind;
    ops.bind_shared = bind_shared;
    ops.unbind = unbind;
    ops.wait = wait;
    ops.correlate = operation<match_correlate>;
    ops.find = operation<match_find>;
    ops.convolve = operation<filter_convolve>;
    ops.ready = ready;
    ops.fetch = fetch;
    ops.find_on_device = operation<match_find_on_device>;
    ops.find_batch = operation<match_find_batch>;
    ops.find_images = find_images;
    ops.holds = holds;
    ops.can_read_chips = can_read_chips;
    ops.read_chips = read_chips;
    ops.share = &batch_operations;
    ops.suppress = &suppress_operations;
    return ops;
}

constexpr xncc_engine_ops operations = name_operations();

} // namespace

} // namespace xncc

extern "C" size_t xncc_cuda_count(void)
{
    return xncc::count_devices();
}

extern "C" void xncc_cuda_describe(size_t number, xncc_device_info *info)
{
    xncc::describe(number, info);
}

extern "C" int xncc_cuda_engine_slow_doubles(xncc_engine *engine, int slow)
{
    xncc::Engine *of = xncc::engine_of(engine);
    const int arch = of->code_arch;
    if (slow ? !xncc::builds_float_float(arch) : !xncc::builds_fp64(arch))
        return 0;
    of->machine.cuda.fp64_is_slow = slow;
    return 1;
}

extern "C" void xncc_cuda_engine_trim(xncc_engine *engine)
{
    (void)xncc::engine_of(engine)->spare.release();
}

extern "C" xncc_status xncc_cuda_engine_create(int32_t index, uint64_t workspace_limit,
                                               int32_t threads, xncc_engine **result,
                                               xncc_error *error)
{
    *result = nullptr;
    int count = 0;
    cudaError_t code = cudaGetDeviceCount(&count);
    if (code == cudaSuccess && count == 0)
        code = cudaErrorNoDevice;
    if (code != cudaSuccess)
        return xncc::refuse(index, code, error);
    if (index < 0 || index >= count)
        return xncc_fail(error, XNCC_ERROR_DEVICE,
                         "there is no CUDA device %d: this machine has %d, counted from 0", index,
                         count);
    xncc::Engine *engine = xncc::create<xncc::Engine>();
    if (!engine)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "no memory for the CUDA engine");
    engine->base.ops = &xncc::operations;
    engine->device = index;
    engine->workspace_limit = workspace_limit;
    xncc::DeviceScope scope(index);
    code = scope.result();
    if (code == cudaSuccess)
        code = xncc::open_device(engine);
    xncc_status status = code == cudaSuccess
                             ? xncc_pool_create(threads < xncc::MAX_COPIERS ? threads
                                                                            : xncc::MAX_COPIERS,
                                                &engine->copiers, error)
                             : xncc::refuse(index, code, error);
    if (status)
        xncc::destroy(engine);
    else
        *result = &engine->base;
    return status;
}
