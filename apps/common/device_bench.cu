// Device time with CUDA events. C at the edge.
#include "device_bench.h"

#include <algorithm>
#include <cuda_runtime_api.h>
#include <vector>

namespace {

struct Buffer {
    void *p = nullptr;
    size_t pitch = 0;
    ~Buffer() { cudaFree(p); }
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

cm_status fail(app_error *error, cudaError_t e, const char *what)
{
    return app_fail(error, CM_ERROR_DEVICE, "timing on the device: %s: %s", what, cudaGetErrorString(e));
}

double median(std::vector<float> &v)
{
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

// Everything that a timed run needs.
struct Setting {
    Buffer image, map;
    Stream stream;
    Event start, stop;
    cudaError_t open(size_t image_row, size_t image_rows, size_t map_row, size_t map_rows)
    {
        cudaError_t e = cudaMallocPitch(&image.p, &image.pitch, image_row, image_rows);
        if (e == cudaSuccess)
            e = cudaMallocPitch(&map.p, &map.pitch, map_row, map_rows);
        if (e == cudaSuccess)
            e = cudaStreamCreateWithFlags(&stream.s, cudaStreamNonBlocking);
        if (e == cudaSuccess)
            e = cudaEventCreate(&start.e);
        if (e == cudaSuccess)
            e = cudaEventCreate(&stop.e);
        return e;
    }
};

cm_status run_once(const app_device_job *job, const Setting &setting)
{
    cm_image image = *job->image;
    image.data = setting.image.p;
    image.pitch = (int64_t)setting.image.pitch;
    image.memory = CM_DEVICE;
    cm_map map = *job->map;
    map.data = static_cast<float *>(setting.map.p);
    map.pitch = (int64_t)setting.map.pitch;
    map.memory = CM_DEVICE;
    if (job->part)
        return cm_plan_correlate(job->plan, &image, job->part, &map, setting.stream.s);
    return cm_plan_convolve(job->plan, &image, job->filter, &map, setting.stream.s);
}

} // namespace

cm_status app_device_time(const app_device_job *job, double *ms, app_error *error)
{
    const size_t row = (size_t)job->image->width * cm_pixel_size(job->image->pixel), rows = (size_t)job->image->height;
    const size_t map_row = (size_t)job->map->width * sizeof(float), map_rows = (size_t)job->map->height;
    std::vector<float> times;
    Setting setting;
    *ms = 0.0;
    if (cudaError_t e = cudaSetDevice(job->cuda_index); e != cudaSuccess)
        return fail(error, e, "choosing the device");
    if (cudaError_t e = setting.open(row, rows, map_row, map_rows); e != cudaSuccess)
        return fail(error, e, "taking memory");
    cudaError_t e = cudaMemcpy2D(setting.image.p, setting.image.pitch, job->image->data, row, row, rows, cudaMemcpyHostToDevice);
    if (e != cudaSuccess)
        return fail(error, e, "copying the image");
    for (int32_t i = -2; i < job->repeat; i++) {
        float took = 0.0f;
        e = cudaEventRecord(setting.start.e, setting.stream.s);
        if (cm_status status = run_once(job, setting))
            return app_fail(error, status, "timing on the device: the kernel failed: %s", cm_status_string(status));
        if (e == cudaSuccess)
            e = cudaEventRecord(setting.stop.e, setting.stream.s);
        if (e == cudaSuccess)
            e = cudaEventSynchronize(setting.stop.e);
        if (e == cudaSuccess)
            e = cudaEventElapsedTime(&took, setting.start.e, setting.stop.e);
        if (e != cudaSuccess)
            return fail(error, e, "running the kernel");
        if (i >= 0)
            times.push_back(took);
    }
    e = cudaMemcpy2D(job->map->data, map_row, setting.map.p, setting.map.pitch, map_row, map_rows, cudaMemcpyDeviceToHost);
    if (e != cudaSuccess)
        return fail(error, e, "copying the map");
    *ms = median(times);
    return CM_OK;
}

cm_status app_device_copy_rate(int32_t cuda_index, double *bytes_per_second, app_error *error)
{
    const size_t bytes = (size_t)256 << 20; // beyond the caches of any device
    std::vector<float> times;
    Setting setting;
    *bytes_per_second = 0.0;
    if (cudaError_t e = cudaSetDevice(cuda_index); e != cudaSuccess)
        return fail(error, e, "choosing the device");
    if (cudaError_t e = setting.open(bytes, 1, bytes, 1); e != cudaSuccess)
        return fail(error, e, "taking memory");
    for (int i = -2; i < 9; i++) {
        float took = 0.0f;
        cudaError_t e = cudaEventRecord(setting.start.e, setting.stream.s);
        if (e == cudaSuccess)
            e = cudaMemcpyAsync(setting.map.p, setting.image.p, bytes, cudaMemcpyDeviceToDevice, setting.stream.s);
        if (e == cudaSuccess)
            e = cudaEventRecord(setting.stop.e, setting.stream.s);
        if (e == cudaSuccess)
            e = cudaEventSynchronize(setting.stop.e);
        if (e == cudaSuccess)
            e = cudaEventElapsedTime(&took, setting.start.e, setting.stop.e);
        if (e != cudaSuccess)
            return fail(error, e, "copying");
        if (i >= 0)
            times.push_back(took);
    }
    *bytes_per_second = 2.0 * (double)bytes / (median(times) * 1e-3);
    return CM_OK;
}
