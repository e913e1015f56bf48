// SPDX-License-Identifier: BSD-2-Clause
// The exact scores of tiles under small templates (cuda/direct/small_exact.cu), run on the host: of
// random problems every window that the kernel settles has the score of the CPU engine, the others
// are as they were, and the list has those that are left. All pixel types, methods, borders and
// masks, one to three channels, and samples that take each number of primes.
#include "block.hpp"
#include "cuda/direct/small_exact.cu"

#include "scene.hpp"

#include <cmath>
#include <limits>

using namespace xncc;
using namespace emulated;

namespace {

double below_one(kit_random *random)
{
    return static_cast<double>(kit_next(random) >> 11) * 0x1p-53;
}

// The kinds of pictures; the last ones span 8 bits more than a sample has, 36, and so on.
constexpr int FIRST_SPAN = 14, KINDS = 19;

// A sample of a picture.
double sample(int kind, xncc_pixel pixel, int x, int y, kit_random *random)
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

Problem problem_of(int number, kit_random *random)
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

PixelsJob job_of(Scene *scene)
{
    const Problem &p = scene->problem;
    PixelsJob job = {};
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

// Windows that the kernel has settled, of them those beside samples that are not finite, and those
// that it has left.
struct Count {
    long settled, broken, left;
};

void check_problem(const Problem &p, xncc_context *cpu, kit_random *random, Count *count)
{
    const bool broken = p.pixel != XNCC_U32 && kit_below(random, 4) == 0;
    Scene scene(p, cpu, random, [&](int x, int y, bool is_templ) {
        if (broken && !is_templ && x % 29 == 20 && y % 31 == 15)
            return y % 2 ? std::numeric_limits<double>::infinity() : -NAN;
        return p.kind == 0 && is_templ && p.pixel != XNCC_U32
                   ? (x % 2 ? 0.25 : 1e-3)
                   : sample(p.kind, p.pixel, x + 3 * is_templ, y, random);
    });
    if (broken)
        scene.settle_nans();
    constexpr uint32_t few = 3;
    std::vector<FloatDoubt> list(2000);
    uint32_t doubts = scene.doubts, listed = doubts, left = 0, done = 0;
    const DoubtsLeft again = { list.data(), static_cast<uint32_t>(list.size()),
                               &doubts,     &listed,
                               &left,       &done };
    PixelsJob job = job_of(&scene);
    job.finite = broken;
    CHECK_INT(launch_small_exact(job, &doubts, few, 8, again, 1, nullptr), cudaSuccess);
    const uint32_t rest = scene.check();
    count->settled += scene.doubts - rest;
    count->broken += broken ? scene.doubts - rest : 0;
    count->left += rest;
    CHECK(left == 0 && done == 0);
    if (scene.doubts <= few)
        return;
    CHECK_INT(doubts, rest);
    CHECK_INT(listed, min(rest, again.room));
    for (uint32_t i = 0; i < listed; i++) {
        float *at = &scene.map[static_cast<size_t>(list[i].y) * scene.width + list[i].x];
        CHECK(is_doubt(*at));
        *at = ELSEWHERE; // so that a window that is listed twice is seen
    }
}

} // namespace

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    kit_random random = kit_stream(1);
    xncc_context *cpu = kit_context(XNCC_DEVICE_CPU, 2);
    Count count = {};
    for (int i = 0; i < 6 * KINDS; i++)
        check_problem(problem_of(i, &random), cpu, &random, &count);
    CHECK(count.settled > 50000 && count.left > 5000 && count.broken > 5000);
    xncc_context_destroy(cpu);
    return kit_finish("emulated_small_exact");
}
