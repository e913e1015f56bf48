// Finds a template in an image, in C++20, without exceptions: each call is given a Failure, and
// says there what is wrong. The output is that of find_c11.c. SPDX-License-Identifier: BSD-2-Clause
#include <exactncc/exactncc.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

namespace {

std::vector<xncc_match> find(std::span<const std::uint8_t> pixels, int width, int height, int side,
                             exactncc::Failure &failure)
{
    const xncc_image scene = exactncc::view(pixels, width, height, 1, 0, &failure);
    if (failure)
        return {};
    const xncc_image pattern = exactncc::crop(scene, 30, 20, side, side, &failure);
    if (failure)
        return {};
    const exactncc::Context context({}, &failure); // {}: the best device there is
    if (failure)
        return {};
    const exactncc::Template templ(context, pattern, &failure);
    if (failure)
        return {};
    exactncc::FindOptions options;
    options.peaks.min_score = 0.9f;
    return exactncc::find(context, scene, templ, options, &failure); // empty after a failure
}

} // namespace

int main()
{
    // A scene of two equal patterns on a dark ground; yours comes from a camera or a file.
    constexpr int width = 160, height = 120, side = 16;
    std::vector<std::uint8_t> pixels(width * height);
    for (const auto &corner : { std::array{ 30, 20 }, std::array{ 90, 60 } })
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++)
                pixels[static_cast<std::size_t>((corner[1] + y) * width + corner[0] + x)] =
                    static_cast<std::uint8_t>(37 * (x * x + 3 * y) % 251);

    exactncc::Failure failure;
    const std::vector<xncc_match> matches = find(pixels, width, height, side, failure);
    if (failure) {
        std::fprintf(stderr, "find_cpp20: %s: %s\n", xncc_status_string(failure.status()),
                     failure.text());
        return 1;
    }
    std::printf("exactncc %s\n", xncc_version());
    for (const xncc_match &match : matches)
        std::printf("%d %d %.9g\n", match.x, match.y, static_cast<double>(match.score));
    return 0;
}
