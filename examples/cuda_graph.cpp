// Captures a search into a CUDA graph and launches it for each frame: the host then does one call
// per frame. SPDX-License-Identifier: BSD-2-Clause
#include "cuda_memory.hpp"
#include "scene.hpp"

namespace {

constexpr int WIDTH = 640, HEIGHT = 480, SIDE = 24, FRAMES = 4, MATCHES = 4;

class Graph {
  public:
    // Captures what `work` puts on the stream.
    template <class Work> Graph(cudaStream_t stream, const Work &work)
    {
        cudaGraph_t graph = nullptr;
        check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        exactncc::Failure failure;
        work(&failure);
        check(cudaStreamEndCapture(stream, &graph)); // also after a failure
        if (failure)
            throw exactncc::Error(failure);
        const cudaError_t status = cudaGraphInstantiate(&executable_, graph, 0);
        cudaGraphDestroy(graph);
        check(status);
    }
    ~Graph()
    {
        cudaGraphExecDestroy(executable_);
    }
    Graph(const Graph &) = delete;
    Graph &operator=(const Graph &) = delete;
    void launch(cudaStream_t stream) const
    {
        check(cudaGraphLaunch(executable_, stream));
    }

  private:
    cudaGraphExec_t executable_ = nullptr;
};

void run(const exactncc::Context &context)
{
    std::vector<std::uint8_t> pattern(SIDE * SIDE);
    draw(pattern, SIDE, 0, 0, SIDE);
    const exactncc::Template templ(context, exactncc::view(pattern, SIDE, SIDE));
    DeviceRows<std::uint8_t> frame(WIDTH, HEIGHT);
    DeviceRows<xncc_match> match(MATCHES, 1);
    DeviceRows<std::uint32_t> found(1, 1);

    // Kernels that share constant memory with other plans cannot be captured. Of those that can
    // serve, fastest first, take the first one that can be.
    const exactncc::Problem problem = exactncc::problem(frame.view(), templ);
    exactncc::Preference preference;
    preference.image_memory = XNCC_DEVICE;
    exactncc::Plan plan;
    for (const char *kernel : exactncc::kernels(context, problem)) {
        preference.kernel = kernel;
        exactncc::Failure failure;
        plan = exactncc::Plan(context, problem, preference, &failure);
        if (!failure && plan.describe().capturable)
            break;
        plan = exactncc::Plan();
    }
    if (!plan)
        throw std::runtime_error("no kernel of this problem can be captured into a graph");

    exactncc::PeakRule peaks;
    peaks.top = 1;
    const Stream stream;
    const auto search = [&](exactncc::Failure *failure) {
        plan.find_on_device(frame.view(), templ, exactncc::span<xncc_match>(match.data(), MATCHES),
                            found.data(), peaks, stream, failure);
    };
    std::vector<std::uint8_t> pixels = ground(WIDTH, HEIGHT);
    frame.upload(pixels.data(), stream);
    search(nullptr); // once outside of a capture, which loads the kernels
    stream.wait();
    const Graph graph(stream, search);

    for (int i = 0; i < FRAMES; i++) {
        pixels = ground(WIDTH, HEIGHT);
        draw(pixels, WIDTH, 60 + 40 * i, 80 + 10 * i, SIDE);
        frame.upload(pixels.data(), stream);
        graph.launch(stream);
        xncc_match best;
        check(cudaMemcpyAsync(&best, match.data(), sizeof best, cudaMemcpyDeviceToHost, stream));
        stream.wait();
        std::printf("frame %d: %d %d %.9g\n", i, best.x, best.y, static_cast<double>(best.score));
    }
}

} // namespace

int main()
{
    return run_on_gpu("cuda_graph", run);
}
