// Device time with CUDA events. C at the edge.
#include "device_bench.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

namespace {

struct Buffer {
    void *p = nullptr;
    size_t pitch = 0;
    ~Buffer()
    {
        cudaFree(p);
    }
};

struct Pinned {
    void *p = nullptr;
    ~Pinned()
    {
        cudaFreeHost(p);
    }
};

struct Stream {
    cudaStream_t s = nullptr;
    ~Stream()
    {
        if (s)
            cudaStreamDestroy(s);
    }
};

struct Event {
    cudaEvent_t e = nullptr;
    ~Event()
    {
        if (e)
            cudaEventDestroy(e);
    }
};

xncc_status fail(app_error *error, cudaError_t e, const char *what)
{
    return app_fail(error, XNCC_ERROR_DEVICE, "timing on the device: %s: %s", what,
                    cudaGetErrorString(e));
}

template <typename T> double median(std::vector<T> &v)
{
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

size_t row_bytes(const xncc_image *image)
{
    const size_t channels = image->channels ? (size_t)image->channels : 1;
    return (size_t)image->width * channels * xncc_pixel_size(image->pixel);
}

// Keeps the stream busy while the host puts a run behind it, so that the time between the events is
// the device's alone.
__global__ void hold(unsigned long long nanoseconds)
{
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - start < nanoseconds);
}

constexpr unsigned long long hold_ns = 150000;

// A stream with the two events around what is timed.
struct Clock {
    Stream stream;
    Event start, stop;
    cudaError_t open()
    {
        cudaError_t e = cudaStreamCreateWithFlags(&stream.s, cudaStreamNonBlocking);
        if (e == cudaSuccess)
            e = cudaEventCreate(&start.e);
        if (e == cudaSuccess)
            e = cudaEventCreate(&stop.e);
        return e;
    }
    cudaError_t begin()
    {
        hold<<<1, 1, 0, stream.s>>>(hold_ns);
        cudaError_t e = cudaGetLastError();
        return e == cudaSuccess ? cudaEventRecord(start.e, stream.s) : e;
    }
    cudaError_t end(float *ms)
    {
        cudaError_t e = cudaEventRecord(stop.e, stream.s);
        if (e == cudaSuccess)
            e = cudaEventSynchronize(stop.e);
        return e == cudaSuccess ? cudaEventElapsedTime(ms, start.e, stop.e) : e;
    }
};

// Everything that a timed run of a plan needs.
struct Setting {
    Clock clock;
    Buffer image, map, match, found;
    xncc_image image_view;
    xncc_map map_view;
    cudaError_t open(const app_device_job *job)
    {
        const size_t row = row_bytes(job->image), rows = (size_t)job->image->height;
        cudaError_t e = clock.open();
        if (e == cudaSuccess)
            e = cudaMallocPitch(&image.p, &image.pitch, row, rows);
        if (e == cudaSuccess)
            e = cudaMemcpy2D(image.p, image.pitch, job->image->data, row, row, rows,
                             cudaMemcpyHostToDevice);
        if (e == cudaSuccess && !job->find)
            e = cudaMallocPitch(&map.p, &map.pitch, (size_t)job->map->width * sizeof(float),
                                (size_t)job->map->height);
        if (e == cudaSuccess && job->find)
            e = cudaMalloc(&match.p, job->find->top * sizeof(xncc_match));
        if (e == cudaSuccess && job->find)
            e = cudaMalloc(&found.p, sizeof(uint32_t));
        image_view = *job->image;
        image_view.data = image.p;
        image_view.pitch = (int64_t)image.pitch;
        image_view.memory = XNCC_DEVICE;
        if (!job->find) {
            map_view = *job->map;
            map_view.data = static_cast<float *>(map.p);
            map_view.pitch = (int64_t)map.pitch;
            map_view.memory = XNCC_DEVICE;
        }
        return e;
    }
    xncc_status run(const app_device_job *job)
    {
        if (job->find)
            return xncc_plan_find_on_device(job->plan, &image_view, job->templ, job->find,
                                            static_cast<xncc_match *>(match.p), job->find->top,
                                            static_cast<uint32_t *>(found.p), clock.stream.s);
        if (job->templ)
            return xncc_plan_correlate(job->plan, &image_view, job->templ, &map_view,
                                       clock.stream.s);
        return xncc_plan_convolve(job->plan, &image_view, job->filter, &map_view, clock.stream.s);
    }
    cudaError_t fetch(const app_device_job *job)
    {
        uint32_t count = 0;
        if (!job->find) {
            const size_t row = (size_t)job->map->width * sizeof(float);
            return cudaMemcpy2D(job->map->data, row, map.p, map.pitch, row,
                                (size_t)job->map->height, cudaMemcpyDeviceToHost);
        }
        cudaError_t e = cudaMemcpy(&count, found.p, sizeof count, cudaMemcpyDeviceToHost);
        *job->found = std::min((size_t)count, job->find->top);
        if (e == cudaSuccess)
            e = cudaMemcpy(job->match, match.p, *job->found * sizeof(xncc_match),
                           cudaMemcpyDeviceToHost);
        return e;
    }
};

// Multiply-adds of 8-bit integers that the tensor cores of one multiprocessor do in a clock, dense:
// from the vendor's figures for a whole device (990e12 for an H200 at 1.83 GHz, half the
// operations), divided by multiprocessors and clock.
struct Rate {
    int major, minor, macs;
};
constexpr Rate rates[] = {
    { 7, 5, 1024 },  // T4: 65e12 / 40 / 1.59e9
    { 8, 0, 2048 },  // A100: 312e12 / 108 / 1.41e9
    { 8, 6, 1024 },  // A40: 150e12 / 84 / 1.74e9
    { 8, 7, 2048 },  // Orin: 43e12 / 16 / 1.3e9
    { 8, 9, 1024 },  // L40S: 366e12 / 142 / 2.52e9
    { 9, 0, 4096 },  // H200: 990e12 / 132 / 1.83e9
    { 10, 0, 8192 }, // B200: 2250e12 / 148 / 1.86e9
    { 12, 0, 1024 }, // RTX 5090: 419e12 / 170 / 2.41e9
};

} // namespace

xncc_status app_device_time(const app_device_job *job, double *ms, app_error *error)
{
    std::vector<float> times;
    Setting setting;
    *ms = 0.0;
    if (cudaError_t e = cudaSetDevice(job->cuda_index); e != cudaSuccess)
        return fail(error, e, "choosing the device");
    if (cudaError_t e = setting.open(job); e != cudaSuccess)
        return fail(error, e, "taking memory and copying the image");
    for (int32_t i = -2; i < job->repeat; i++) {
        float took = 0.0f;
        cudaError_t e = setting.clock.begin();
        if (xncc_status status = setting.run(job))
            return app_fail(error, status, "timing on the device: the kernel failed: %s",
                            xncc_status_string(status));
        if (e == cudaSuccess)
            e = setting.clock.end(&took);
        if (e != cudaSuccess)
            return fail(error, e, "running the kernel");
        if (i >= 0)
            times.push_back(took);
    }
    if (cudaError_t e = setting.fetch(job); e != cudaSuccess)
        return fail(error, e, "copying the result");
    *ms = median(times);
    return XNCC_OK;
}

xncc_status app_device_copy_rate(int32_t cuda_index, double *bytes_per_second, app_error *error)
{
    const size_t bytes = (size_t)256 << 20; // beyond the caches of any device
    std::vector<float> times;
    Clock clock;
    Buffer from, to;
    *bytes_per_second = 0.0;
    if (cudaError_t e = cudaSetDevice(cuda_index); e != cudaSuccess)
        return fail(error, e, "choosing the device");
    cudaError_t e = clock.open();
    if (e == cudaSuccess)
        e = cudaMalloc(&from.p, bytes);
    if (e == cudaSuccess)
        e = cudaMalloc(&to.p, bytes);
    if (e == cudaSuccess)
        e = cudaMemset(from.p, 1, bytes);
    if (e == cudaSuccess)
        e = cudaDeviceSynchronize();
    if (e != cudaSuccess)
        return fail(error, e, "taking memory");
    for (int i = -2; i < 9; i++) {
        float took = 0.0f;
        e = clock.begin();
        if (e == cudaSuccess)
            e = cudaMemcpyAsync(to.p, from.p, bytes, cudaMemcpyDeviceToDevice, clock.stream.s);
        if (e == cudaSuccess)
            e = clock.end(&took);
        if (e != cudaSuccess)
            return fail(error, e, "copying");
        if (i >= 0)
            times.push_back(took);
    }
    *bytes_per_second = 2.0 * (double)bytes / (median(times) * 1e-3);
    return XNCC_OK;
}

xncc_status app_device_mac_rate(int32_t cuda_index, double *macs_per_second, app_error *error)
{
    int major = 0, minor = 0, processors = 0, kilohertz = 0;
    *macs_per_second = 0.0;
    cudaError_t e = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, cuda_index);
    if (e == cudaSuccess)
        e = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, cuda_index);
    if (e == cudaSuccess)
        e = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, cuda_index);
    if (e != cudaSuccess)
        return fail(error, e, "asking for the multiprocessors");
    if (cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, cuda_index) != cudaSuccess) {
        cudaGetLastError(); // a device that does not tell its clock has no known rate
        return XNCC_OK;
    }
    for (const Rate &rate : rates)
        if (rate.major == major && rate.minor == minor)
            *macs_per_second = (double)rate.macs * processors * kilohertz * 1e3;
    return XNCC_OK;
}

xncc_status app_device_copy_time(const app_device_copy *copy, double *ms, app_error *error)
{
    const size_t up = row_bytes(copy->image) * (size_t)copy->image->height;
    const size_t down = copy->map
                            ? (size_t)copy->map->width * sizeof(float) * (size_t)copy->map->height
                            : 0;
    const void *from = copy->image->data;
    void *to = copy->map ? copy->map->data : nullptr;
    std::vector<double> times;
    Buffer image, map;
    Pinned pinned;
    *ms = 0.0;
    cudaError_t e = cudaSetDevice(copy->cuda_index);
    if (e == cudaSuccess)
        e = cudaMalloc(&image.p, up);
    if (e == cudaSuccess && down)
        e = cudaMalloc(&map.p, down);
    if (e == cudaSuccess && copy->pinned)
        e = cudaMallocHost(&pinned.p, up + down);
    if (e != cudaSuccess)
        return fail(error, e, "taking memory");
    if (copy->pinned) {
        memcpy(pinned.p, from, up);
        from = pinned.p;
        to = static_cast<char *>(pinned.p) + up;
    }
    for (int32_t i = -1; i < copy->repeat; i++) {
        const auto start = std::chrono::steady_clock::now();
        e = cudaMemcpy(image.p, from, up, cudaMemcpyHostToDevice);
        if (e == cudaSuccess && down)
            e = cudaMemcpy(to, map.p, down, cudaMemcpyDeviceToHost);
        if (e == cudaSuccess)
            e = cudaDeviceSynchronize(); // the end of a pageable copy's last part may be under way
                                         // still
        if (e != cudaSuccess)
            return fail(error, e, "copying");
        if (i >= 0)
            times.push_back(
                std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
                    .count());
    }
    *ms = median(times);
    return XNCC_OK;
}

xncc_status app_device_image(const xncc_image *image, int32_t cuda_index, xncc_image *view,
                             app_error *error)
{
    const size_t row = row_bytes(image), rows = (size_t)image->height;
    void *p = nullptr;
    size_t pitch = 0;
    *view = *image;
    view->data = nullptr;
    cudaError_t e = cudaSetDevice(cuda_index);
    if (e == cudaSuccess)
        e = cudaMallocPitch(&p, &pitch, row, rows);
    view->data = p;
    view->pitch = (int64_t)pitch;
    view->memory = XNCC_DEVICE;
    if (e == cudaSuccess)
        e = cudaMemcpy2D(p, pitch, image->data, row, row, rows, cudaMemcpyHostToDevice);
    return e == cudaSuccess ? XNCC_OK : fail(error, e, "copying the image");
}

void app_device_image_free(xncc_image *view)
{
    cudaFree(const_cast<void *>(view->data));
    view->data = nullptr;
}
