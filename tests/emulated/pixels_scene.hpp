// SPDX-License-Identifier: BSD-2-Clause
// Random problems for kernels that settle windows in doubt under small templates.
#ifndef EMULATED_PIXELS_SCENE_HPP
#define EMULATED_PIXELS_SCENE_HPP

#include "cuda/direct/general.h"

#include "scene.hpp"

#include <cmath>

namespace emulated {

inline double below_one(kit_random *random)
{
    return static_cast<double>(kit_next(random) >> 11) * 0x1p-53;
}

// The kinds of pictures; the last ones span 8 bits more than a sample has, 36, and so on.
constexpr int FIRST_SPAN = 14, KINDS = 19;

// A sample of a picture.
inline double sample(int kind, xncc_pixel pixel, int x, int y, kit_random *random)
{
    const double v = below_one(random), sign = y % 2 ? -1.0 : 1.0;
    if (pixel == XNCC_U32)
        return kind % 3 == 0 ? (y % 3 ? 3e9 : 7e8) : kind % 3 == 1 ? std::floor(v * 4e9) : 5.0;
    switch (kind) {
    case 0: return y % 3 ? 1.0 / 3.0 : -0.7;
    case 1: return v - 0.3;
    case 2: return sign * std::ldexp(1.0 + x % 5, y % 4 < 2 ? 0 : -90);
    case 3: return std::ldexp(v, -(x / 4) * 6);
    case 4: return std::floor(5.0 * v) - 2.0;
    case 5: return std::ldexp(v - 0.5, y % 4 < 2 ? 0 : -98);
    case 6: return kit_below(random, 7) ? 0.0 : std::ldexp(v, kit_between(random, -70, 70));
    case 7: return y > 70 ? std::ldexp(v, 100) : v;
    case 8: return std::ldexp(v, -(x % 7) * 18);
    case 9: return std::ldexp(std::floor(v * 0x1p26) - 0x1p25, kit_between(random, 0, 2) * 52);
    case 10: return std::ldexp(v, (x * 5 + y) % 4 * (pixel == XNCC_F64 ? 26 : 35));
    case 11: return x % 13 == 5 && y % 11 == 3 ? 1.0 : 0x1p54 - 2.0; // the largest sums
    case 12:
        return std::ldexp(x % 13 == 5 && y % 11 == 3 ? 1.0 : 0x1p53 - 1.0,
                          x % 3 * 52 - (x % 3 == 2));
    case 13: return 0.0;
    default: return std::ldexp(v - 0.5, -(x + 3 * y) % 5 * (7 * (kind - FIRST_SPAN) + 2));
    }
}

inline Problem problem_of(int number, kit_random *random)
{
    static const xncc_pixel pixels[] = { XNCC_F32, XNCC_F64, XNCC_U32 };
    Problem p = {};
    p.width = kit_between(random, 40, 80);
    p.height = kit_between(random, 40, 80);
    p.templ_width = number % 4 ? kit_between(random, 1, 16) : 16;
    p.templ_height = number % 4 ? kit_between(random, 1, 16) : 16;
    p.channels = number % 3 ? 1 : kit_between(random, 1, 3);
    p.pixel = pixels[kit_below(random, 3)];
    p.templ_mask = kit_below(random, 3) == 0;
    p.image_mask = kit_below(random, 3) == 0;
    p.kind = number % KINDS;
    p.share = kit_below(random, 4) ? 1 : kit_between(random, 3, 400);
    p.options.method = static_cast<xncc_method>(kit_below(random, 6));
    p.options.border = static_cast<xncc_border>(kit_below(random, 5));
    p.options.mode = kit_below(random, 2) ? XNCC_SAME : XNCC_VALID;
    return p;
}

inline xncc::PixelsJob job_of(Scene *scene)
{
    const Problem &p = scene->problem;
    xncc::PixelsJob job = {};
    job.image = xncc_image_with_pitches(&scene->image.view);
    job.border = p.options.border;
    job.x = scene->x0;
    job.y = scene->y0;
    job.width = scene->width;
    job.rows = scene->height;
    job.pixels = static_cast<const unsigned char *>(scene->templ.view.data);
    job.pitch = xncc_image_with_pitches(&scene->templ.view).pitch;
    job.mask = scene->mask.empty() ? nullptr : scene->mask.data();
    job.templ_width = p.templ_width;
    job.templ_height = p.templ_height;
    job.channels = p.channels;
    job.method = p.options.method;
    job.rule = scene->rule();
    job.map = scene->map.data();
    job.map_pitch = scene->width;
    job.varies = scene->varies();
    return job;
}

} // namespace emulated

#endif
