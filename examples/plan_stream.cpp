// Searches frames that are in device memory, on a stream of the program, and leaves the matches in
// device memory: nothing is allocated and nothing waits while the frames go through.
// SPDX-License-Identifier: BSD-2-Clause
#include "cuda_memory.hpp"
#include "scene.hpp"

namespace {

constexpr int WIDTH = 1280, HEIGHT = 720, SIDE = 32, FRAMES = 4, MATCHES = 8;

void run(const exactncc::Context &context)
{
    std::vector<std::uint8_t> pattern(SIDE * SIDE);
    draw(pattern, SIDE, 0, 0, SIDE);
    const exactncc::Template templ(context, exactncc::view(pattern, SIDE, SIDE));

    DeviceRows<std::uint8_t> frame(WIDTH, HEIGHT);
    DeviceRows<xncc_match> match(MATCHES * FRAMES, 1); // MATCHES per frame
    DeviceRows<std::uint32_t> found(1, 1);
    exactncc::Preference preference;
    preference.image_memory = XNCC_DEVICE;
    exactncc::Plan plan(context, exactncc::problem(frame.view(), templ), preference);
    std::printf("kernel %s, %s\n", plan.describe().kernel,
                plan.describe().bands > 1 ? "in bands" : "in one pass");

    exactncc::PeakRule peaks;
    peaks.top = 1;
    const Stream stream;
    std::vector<std::vector<std::uint8_t>> pixels(FRAMES, ground(WIDTH, HEIGHT));
    for (int i = 0; i < FRAMES; i++) {
        draw(pixels[static_cast<std::size_t>(i)], WIDTH, 100 + 30 * i, 50 + 20 * i, SIDE);
        frame.upload(pixels[static_cast<std::size_t>(i)].data(), stream);
        plan.find_on_device(frame.view(), templ,
                            exactncc::span<xncc_match>(match.data() + MATCHES * i, MATCHES),
                            found.data(), peaks, stream);
    }
    // The first element of each frame's part is its best match.
    std::vector<xncc_match> best(MATCHES * FRAMES);
    check(cudaMemcpyAsync(best.data(), match.data(), best.size() * sizeof(xncc_match),
                          cudaMemcpyDeviceToHost, stream));
    stream.wait();
    for (int i = 0; i < FRAMES; i++) {
        const xncc_match &m = best[static_cast<std::size_t>(MATCHES * i)];
        std::printf("frame %d: %d %d %.9g\n", i, m.x, m.y, static_cast<double>(m.score));
    }
}

} // namespace

int main()
{
    return run_on_gpu("plan_stream", run);
}
