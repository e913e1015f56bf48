// Finds a template in an image, in C++17. A failure is an exception. The output is that of
// find_c11.c. SPDX-License-Identifier: BSD-2-Clause
#include <exactncc/exactncc.hpp>

#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

namespace {

// A scene of two equal patterns on a dark ground; yours comes from a camera or a file.
std::vector<std::uint8_t> draw(int width, int height, int side)
{
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(width * height));
    for (const auto &[left, top] : { std::pair{ 30, 20 }, std::pair{ 90, 60 } })
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++)
                pixels[static_cast<std::size_t>((top + y) * width + left + x)] =
                    static_cast<std::uint8_t>(37 * (x * x + 3 * y) % 251);
    return pixels;
}

void run()
{
    const int width = 160, height = 120, side = 16;
    const std::vector<std::uint8_t> pixels = draw(width, height, side);
    const xncc_image scene = exactncc::view(pixels, width, height);

    const exactncc::Context context; // the best device there is
    const exactncc::Template templ(context, exactncc::crop(scene, 30, 20, side, side));
    exactncc::FindOptions options;
    options.peaks.min_score = 0.9f;
    std::printf("exactncc %s\n", xncc_version());
    for (const xncc_match &match : exactncc::find(context, scene, templ, options))
        std::printf("%d %d %.9g\n", match.x, match.y, static_cast<double>(match.score));
}

} // namespace

int main()
{
    try {
        run();
    } catch (const std::exception &problem) {
        std::fprintf(stderr, "find_cpp17: %s\n", problem.what());
        return 1;
    }
    return 0;
}
