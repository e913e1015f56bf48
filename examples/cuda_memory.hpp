// What the examples with device memory share: owners of CUDA objects, and an end that says why
// where there is no GPU. SPDX-License-Identifier: BSD-2-Clause
#ifndef EXAMPLES_CUDA_MEMORY_HPP
#define EXAMPLES_CUDA_MEMORY_HPP

#include <cuda_runtime_api.h>
#include <exactncc/exactncc.hpp>

#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>

inline void check(cudaError_t status)
{
    if (status != cudaSuccess)
        throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(status));
}

// Device memory for `height` rows of `width` elements. cudaMallocPitch aligns the rows.
template <class T> class DeviceRows {
  public:
    DeviceRows(int width, int height) : width_(width), height_(height)
    {
        check(cudaMallocPitch(&memory_, &pitch_, static_cast<std::size_t>(width) * sizeof(T),
                              static_cast<std::size_t>(height)));
    }
    ~DeviceRows()
    {
        cudaFree(memory_);
    }
    DeviceRows(const DeviceRows &) = delete;
    DeviceRows &operator=(const DeviceRows &) = delete;

    T *data() const
    {
        return static_cast<T *>(memory_);
    }
    xncc_image view() const
    {
        return exactncc::view(data(), width_, height_, 1, static_cast<std::int64_t>(pitch_),
                              XNCC_DEVICE);
    }
    // Both are put on the stream. The host rows are adjacent.
    void upload(const T *from, cudaStream_t stream)
    {
        check(cudaMemcpy2DAsync(memory_, pitch_, from, row(), row(),
                                static_cast<std::size_t>(height_), cudaMemcpyHostToDevice, stream));
    }
    void download(T *to, cudaStream_t stream) const
    {
        check(cudaMemcpy2DAsync(to, row(), memory_, pitch_, row(),
                                static_cast<std::size_t>(height_), cudaMemcpyDeviceToHost, stream));
    }

  private:
    std::size_t row() const
    {
        return static_cast<std::size_t>(width_) * sizeof(T);
    }
    void *memory_ = nullptr;
    std::size_t pitch_ = 0;
    int width_, height_;
};

class Stream {
  public:
    Stream()
    {
        check(cudaStreamCreate(&stream_));
    }
    ~Stream()
    {
        cudaStreamDestroy(stream_);
    }
    Stream(const Stream &) = delete;
    Stream &operator=(const Stream &) = delete;
    operator cudaStream_t() const
    {
        return stream_;
    }
    void wait() const
    {
        check(cudaStreamSynchronize(stream_));
    }

  private:
    cudaStream_t stream_ = nullptr;
};

// Runs an example on the first GPU. Returns the exit status: 77 where there is no GPU, which CTest
// reports as skipped.
inline int run_on_gpu(const char *name, void (*run)(const exactncc::Context &))
{
    try {
        exactncc::ContextOptions options;
        options.device = XNCC_DEVICE_CUDA;
        exactncc::Failure failure;
        const exactncc::Context context(options, &failure);
        if (failure) {
            std::printf("%s: skipped: %s\n", name, failure.text());
            return failure.status() == XNCC_ERROR_DEVICE ? 77 : 1;
        }
        run(context);
    } catch (const std::exception &problem) {
        std::fprintf(stderr, "%s: %s\n", name, problem.what());
        return 1;
    }
    return 0;
}

#endif
