/* SPDX-License-Identifier: BSD-2-Clause */
/* Times on a CUDA device, measured with events. Plain C on the CUDA runtime: no device code, so no
 * nvcc. */
#include "device_timer.h"

#include "bench_clock.h"

#include <cuda_runtime_api.h>
#include <string.h>

enum { MOST_RUNS = 10000 };

static const double hold_ms = 0.15;

static xncc_status fail(app_error *error, cudaError_t e, const char *what)
{
    return app_fail(error, XNCC_ERROR_DEVICE, "timing on the device: %s: %s", what,
                    cudaGetErrorString(e));
}

/* The times of the runs; one thread measures. */
static double took[MOST_RUNS];

static size_t row_bytes(const xncc_image *image)
{
    const size_t channels = image->channels ? (size_t)image->channels : 1;
    return (size_t)image->width * channels * xncc_pixel_size(image->pixel);
}

/* Keeps the stream waiting while the host queues a run behind it, so that the time between the
 * events is the device's alone. */
static void CUDART_CB hold(void *unused)
{
    const double end = bench_now_ms() + hold_ms;
    (void)unused;
    while (bench_now_ms() < end) {
    }
}

/* A stream, and the events around what is timed. */
typedef struct stopwatch {
    cudaStream_t stream;
    cudaEvent_t start, stop;
} stopwatch;

static cudaError_t stopwatch_open(stopwatch *w)
{
    cudaError_t e = cudaStreamCreateWithFlags(&w->stream, cudaStreamNonBlocking);
    if (e == cudaSuccess)
        e = cudaEventCreate(&w->start);
    if (e == cudaSuccess)
        e = cudaEventCreate(&w->stop);
    return e;
}

static void stopwatch_close(stopwatch *w)
{
    if (w->start)
        cudaEventDestroy(w->start);
    if (w->stop)
        cudaEventDestroy(w->stop);
    if (w->stream)
        cudaStreamDestroy(w->stream);
}

static cudaError_t stopwatch_begin(const stopwatch *w)
{
    const cudaError_t e = cudaLaunchHostFunc(w->stream, hold, NULL);
    return e == cudaSuccess ? cudaEventRecord(w->start, w->stream) : e;
}

static cudaError_t stopwatch_end(const stopwatch *w, double *ms)
{
    float elapsed = 0.0f;
    cudaError_t e = cudaEventRecord(w->stop, w->stream);
    if (e == cudaSuccess)
        e = cudaEventSynchronize(w->stop);
    if (e == cudaSuccess)
        e = cudaEventElapsedTime(&elapsed, w->start, w->stop);
    *ms = (double)elapsed;
    return e;
}

/* Everything that the runs of a job need on the device. */
typedef struct setting {
    stopwatch watch;
    void *image, *map, *match, *found;
    xncc_image image_view;
    xncc_map map_view;
} setting;

static cudaError_t setting_open(setting *s, const device_job *job)
{
    const size_t row = row_bytes(job->image), rows = (size_t)job->image->height;
    size_t pitch = 0, map_pitch = 0;
    memset(s, 0, sizeof *s);
    cudaError_t e = stopwatch_open(&s->watch);
    if (e == cudaSuccess)
        e = cudaMallocPitch(&s->image, &pitch, row, rows);
    if (e == cudaSuccess)
        e = cudaMemcpy2D(s->image, pitch, job->image->data, row, row, rows, cudaMemcpyHostToDevice);
    if (e == cudaSuccess && !job->peaks)
        e = cudaMallocPitch(&s->map, &map_pitch, (size_t)job->map->width * sizeof(float),
                            (size_t)job->map->height);
    if (e == cudaSuccess && job->peaks)
        e = cudaMalloc(&s->match, job->peaks->top * sizeof(xncc_match));
    if (e == cudaSuccess && job->peaks)
        e = cudaMalloc(&s->found, sizeof(uint32_t));
    s->image_view = *job->image;
    s->image_view.data = s->image;
    s->image_view.pitch = (int64_t)pitch;
    s->image_view.memory = XNCC_DEVICE;
    if (!job->peaks) {
        s->map_view = *job->map;
        s->map_view.data = s->map;
        s->map_view.pitch = (int64_t)map_pitch;
        s->map_view.memory = XNCC_DEVICE;
    }
    return e;
}

static void setting_close(setting *s)
{
    stopwatch_close(&s->watch);
    cudaFree(s->image);
    cudaFree(s->map);
    cudaFree(s->match);
    cudaFree(s->found);
}

static xncc_status run_once(const setting *s, const device_job *job, xncc_error *why)
{
    const cudaStream_t stream = s->watch.stream;
    if (job->peaks)
        return xncc_plan_find_on_device(job->plan, &s->image_view, job->templ, job->peaks, s->match,
                                        job->peaks->top, s->found, stream, why);
    if (job->templ)
        return xncc_plan_correlate(job->plan, &s->image_view, job->templ, &s->map_view, stream,
                                   why);
    return xncc_plan_convolve(job->plan, &s->image_view, job->filter, &s->map_view, stream, why);
}

static cudaError_t fetch_result(const setting *s, const device_job *job)
{
    uint32_t count = 0;
    if (!job->peaks) {
        const size_t row = (size_t)job->map->width * sizeof(float);
        return cudaMemcpy2D(job->map->data, row, s->map, (size_t)s->map_view.pitch, row,
                            (size_t)job->map->height, cudaMemcpyDeviceToHost);
    }
    cudaError_t e = cudaMemcpy(&count, s->found, sizeof count, cudaMemcpyDeviceToHost);
    *job->found = count < job->peaks->top ? count : job->peaks->top;
    if (e == cudaSuccess)
        e = cudaMemcpy(job->match, s->match, *job->found * sizeof(xncc_match),
                       cudaMemcpyDeviceToHost);
    return e;
}

/* Two runs that are not counted, then job->repeat timed ones. */
static xncc_status time_runs(const setting *s, const device_job *job, app_error *error)
{
    for (int32_t i = -2; i < job->repeat; i++) {
        double ms = 0.0;
        xncc_error why;
        cudaError_t e = stopwatch_begin(&s->watch);
        const xncc_status status = run_once(s, job, &why);
        if (status)
            return app_pass_on(error, status, "timing on the device: the kernel failed", &why);
        if (e == cudaSuccess)
            e = stopwatch_end(&s->watch, &ms);
        if (e != cudaSuccess)
            return fail(error, e, "running the kernel");
        if (i >= 0)
            took[i] = ms;
    }
    return XNCC_OK;
}

xncc_status device_time(const device_job *job, double *ms, app_error *error)
{
    setting s;
    *ms = 0.0;
    cudaError_t e = cudaSetDevice(job->cuda_index);
    if (e != cudaSuccess)
        return fail(error, e, "selecting the device");
    e = setting_open(&s, job);
    xncc_status status = e == cudaSuccess
                             ? time_runs(&s, job, error)
                             : fail(error, e, "allocating memory and copying the image");
    if (!status) {
        e = fetch_result(&s, job);
        status = e == cudaSuccess ? XNCC_OK : fail(error, e, "copying the result");
    }
    if (!status)
        *ms = bench_median(took, job->repeat);
    setting_close(&s);
    return status;
}

xncc_status device_copy_rate(int32_t cuda_index, double *bytes_per_second, app_error *error)
{
    enum { RUNS = 9 };
    const size_t bytes = (size_t)256 << 20; /* larger than the caches of any device */
    stopwatch watch = { 0 };
    void *from = NULL, *to = NULL;
    *bytes_per_second = 0.0;
    cudaError_t e = cudaSetDevice(cuda_index);
    if (e == cudaSuccess)
        e = stopwatch_open(&watch);
    if (e == cudaSuccess)
        e = cudaMalloc(&from, bytes);
    if (e == cudaSuccess)
        e = cudaMalloc(&to, bytes);
    if (e == cudaSuccess)
        e = cudaMemset(from, 1, bytes);
    if (e == cudaSuccess)
        e = cudaDeviceSynchronize();
    for (int i = -2; i < RUNS && e == cudaSuccess; i++) {
        double ms = 0.0;
        e = stopwatch_begin(&watch);
        if (e == cudaSuccess)
            e = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, watch.stream);
        if (e == cudaSuccess)
            e = stopwatch_end(&watch, &ms);
        if (i >= 0)
            took[i] = ms;
    }
    stopwatch_close(&watch);
    cudaFree(from);
    cudaFree(to);
    if (e != cudaSuccess)
        return fail(error, e, "measuring the copy rate");
    *bytes_per_second = 2.0 * (double)bytes / (bench_median(took, RUNS) * 1e-3);
    return XNCC_OK;
}

/* Multiply-adds of 8-bit integers that the tensor cores of one multiprocessor do per clock, dense:
 * the vendor's figure for a whole device (990e12 for an H200 at 1.83 GHz, half of the operations)
 * divided by multiprocessors and clock. */
typedef struct mac_rate {
    int major, minor, macs;
} mac_rate;

static const mac_rate mac_rates[] = {
    { 7, 5, 1024 },  /* T4: 65e12 / 40 / 1.59e9 */
    { 8, 0, 2048 },  /* A100: 312e12 / 108 / 1.41e9 */
    { 8, 6, 1024 },  /* A40: 150e12 / 84 / 1.74e9 */
    { 8, 7, 2048 },  /* Orin: 43e12 / 16 / 1.3e9 */
    { 8, 9, 1024 },  /* L40S: 366e12 / 142 / 2.52e9 */
    { 9, 0, 4096 },  /* H200: 990e12 / 132 / 1.83e9 */
    { 10, 0, 8192 }, /* B200: 2250e12 / 148 / 1.86e9 */
    { 12, 0, 1024 }, /* RTX 5090: 419e12 / 170 / 2.41e9 */
};

xncc_status device_mac_rate(int32_t cuda_index, double *macs_per_second, app_error *error)
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
        cudaGetLastError(); /* a device that does not report its clock has no known rate */
        return XNCC_OK;
    }
    for (size_t i = 0; i < sizeof mac_rates / sizeof mac_rates[0]; i++)
        if (mac_rates[i].major == major && mac_rates[i].minor == minor)
            *macs_per_second = (double)mac_rates[i].macs * processors * kilohertz * 1e3;
    return XNCC_OK;
}

/* Buffers of one copy time; the bytes that come down begin at `offset` on the device. */
typedef struct transfer {
    char *device;
    size_t up, down, offset;
} transfer;

/* The end of a pageable copy may still be running when the call returns, so this waits for the
 * device. */
static cudaError_t copy_both(const transfer *t, const void *from, void *to)
{
    cudaError_t e = cudaMemcpy(t->device, from, t->up, cudaMemcpyHostToDevice);
    if (e == cudaSuccess && t->down)
        e = cudaMemcpy(to, t->device + t->offset, t->down, cudaMemcpyDeviceToHost);
    return e == cudaSuccess ? cudaDeviceSynchronize() : e;
}

xncc_status device_copy_time(const device_copy *copy, double *ms, app_error *error)
{
    const xncc_map *map = copy->map;
    transfer t = { .up = row_bytes(copy->image) * (size_t)copy->image->height,
                   .down = map ? (size_t)map->width * sizeof(float) * (size_t)map->height : 0 };
    const void *from = copy->image->data;
    void *to = map ? map->data : NULL, *device = NULL, *pinned = NULL;
    *ms = 0.0;
    t.offset = (t.up + 255) / 256 * 256;
    cudaError_t e = cudaSetDevice(copy->cuda_index);
    if (e == cudaSuccess)
        e = cudaMalloc(&device, t.offset + t.down);
    if (e == cudaSuccess && copy->pinned)
        e = cudaMallocHost(&pinned, t.offset + t.down);
    if (e == cudaSuccess && copy->pinned) {
        memcpy(pinned, from, t.up);
        from = pinned;
        to = (char *)pinned + t.offset;
    }
    t.device = device;
    for (int32_t i = -1; i < copy->repeat && e == cudaSuccess; i++) {
        const double start = bench_now_ms();
        e = copy_both(&t, from, to);
        if (i >= 0)
            took[i] = bench_now_ms() - start;
    }
    cudaFree(device);
    cudaFreeHost(pinned);
    if (e != cudaSuccess)
        return fail(error, e, "copying");
    *ms = bench_median(took, copy->repeat);
    return XNCC_OK;
}

xncc_status device_image(const xncc_image *image, int32_t cuda_index, xncc_image *view,
                         app_error *error)
{
    const size_t row = row_bytes(image), rows = (size_t)image->height;
    void *p = NULL;
    size_t pitch = 0;
    *view = *image;
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

xncc_status device_alloc(int32_t cuda_index, size_t bytes, void **p, app_error *error)
{
    *p = NULL;
    cudaError_t e = cudaSetDevice(cuda_index);
    if (e == cudaSuccess)
        e = cudaMalloc(p, bytes);
    return e == cudaSuccess ? XNCC_OK : fail(error, e, "allocating memory");
}

void device_free(const void *p)
{
    cudaFree((void *)(uintptr_t)p);
}

xncc_status device_fetch(void *to, const void *from, size_t bytes, app_error *error)
{
    cudaError_t e = cudaDeviceSynchronize();
    if (e == cudaSuccess)
        e = cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost);
    return e == cudaSuccess ? XNCC_OK : fail(error, e, "copying the result");
}

xncc_status device_lock(void *memory, size_t bytes, app_error *error)
{
    const cudaError_t e = cudaHostRegister(memory, bytes, cudaHostRegisterPortable);
    return e == cudaSuccess ? XNCC_OK : fail(error, e, "locking host memory");
}

void device_unlock(void *memory)
{
    cudaHostUnregister(memory);
}

xncc_status device_wait(int32_t cuda_index, app_error *error)
{
    cudaError_t e = cudaSetDevice(cuda_index);
    if (e == cudaSuccess)
        e = cudaDeviceSynchronize();
    return e == cudaSuccess ? XNCC_OK : fail(error, e, "waiting for the device");
}
