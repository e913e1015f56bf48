// Pictures for the examples; yours come from a camera or a file. SPDX-License-Identifier:
// BSD-2-Clause
#ifndef EXAMPLES_SCENE_HPP
#define EXAMPLES_SCENE_HPP

#include <cstdint>
#include <vector>

// Weak noise on grey, with 8 bits per pixel.
inline std::vector<std::uint8_t> ground(int width, int height)
{
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(width) *
                                     static_cast<std::size_t>(height));
    std::uint32_t state = 1;
    for (std::uint8_t &pixel : pixels) {
        state = state * 1664525u + 1013904223u;
        pixel = static_cast<std::uint8_t>(120 + (state >> 28));
    }
    return pixels;
}

// Draws pattern number `kind`, of side x side pixels, with its top-left pixel at (left, top).
inline void draw(std::vector<std::uint8_t> &pixels, int width, int left, int top, int side,
                 int kind = 0)
{
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            pixels[static_cast<std::size_t>(top + y) * static_cast<std::size_t>(width) +
                   static_cast<std::size_t>(left + x)] =
                static_cast<std::uint8_t>((37 + 2 * kind) * (x * x + (3 + kind) * y) % 251);
}

#endif
