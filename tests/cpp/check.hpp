// What the tests of the C++ headers share. SPDX-License-Identifier: BSD-2-Clause
#ifndef TESTS_CPP_CHECK_HPP
#define TESTS_CPP_CHECK_HPP

#include "exactncc/exactncc.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

inline int failures = 0, checks = 0;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        checks++;                                                                                  \
        if (!(condition)) {                                                                        \
            failures++;                                                                            \
            std::printf("FAIL %s:%d: %s\n", __FILE__, __LINE__, #condition);                       \
        }                                                                                          \
    } while (0)

// The exit status of a test: 0 if all checks hold.
inline int report()
{
    std::printf("%d checks, %d failures\n", checks, failures);
    return failures || !checks;
}

// The bytes of the elements are equal. The elements have no padding.
template <class T> bool same(const std::vector<T> &a, const std::vector<T> &b)
{
    return a.size() == b.size() &&
           (a.empty() || !std::memcmp(a.data(), b.data(), a.size() * sizeof(T)));
}

// Pseudo-random samples, always the same.
template <class T> std::vector<T> noise(std::size_t count, std::uint32_t seed = 1)
{
    std::vector<T> samples(count);
    for (T &sample : samples) {
        seed = seed * 1664525u + 1013904223u;
        sample = static_cast<T>(seed >> 25);
    }
    return samples;
}

// The scene and two templates of most tests.
struct Scene {
    enum { WIDTH = 90, HEIGHT = 70 };
    std::vector<std::uint8_t> pixels = noise<std::uint8_t>(WIDTH * HEIGHT);
    xncc_image image = exactncc::view(pixels, WIDTH, HEIGHT);
    xncc_image patch[2] = { exactncc::crop(image, 30, 20, 9, 7),
                            exactncc::crop(image, 5, 40, 12, 12) };
};

#endif
