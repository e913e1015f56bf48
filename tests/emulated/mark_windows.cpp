// SPDX-License-Identifier: BSD-2-Clause
// Which windows score NaN (cuda/direct/mark_windows.cu), run on the host: of random problems those
// that hold a sample that is not finite, or all of them if the template has one, and all others are
// in doubt. All pixel types and borders, and templates of one row to more rows than a thread's
// strip has.
#include "block.hpp"
#include "cuda/direct/mark_windows.cu"

#include "scene.hpp"

#include <cmath>

using namespace xncc;
using namespace emulated;

namespace {

constexpr uint32_t NAN_SCORE = 0x7fc00000;

Problem problem_of(int number, kit_random *random)
{
    static const xncc_pixel pixels[] = { XNCC_F32, XNCC_F64, XNCC_U32 };
    const bool high = number % 4 == 3;
    Problem p = {};
    p.width = kit_between(random, 60, 300);
    p.height = number % 4 ? kit_between(random, high ? 150 : 20, 160)
                          : kit_between(random, 130, 290);
    p.templ_width = kit_between(random, 1, 60);
    p.templ_height = high ? kit_between(random, 130, 150) : kit_between(random, 1, 20);
    p.channels = 1;
    p.pixel = pixels[number % 7 == 6 ? 2 : number % 2];
    p.kind = number % 5; // how many samples are not finite
    p.share = 1;
    p.options.method = XNCC_CCOEFF_NORMED;
    p.options.border = static_cast<xncc_border>(number / 2 % 4);
    p.options.mode = number % 3 ? XNCC_SAME : XNCC_VALID;
    return p;
}

// The samples that are not finite, as the map that tells it of each pixel of the image.
bool is_bad(const xncc_image *image, xncc_border border, int64_t x, int64_t y)
{
    x = xncc_border_index(border, x, image->width);
    y = xncc_border_index(border, y, image->height);
    return x >= 0 && y >= 0 &&
           !std::isfinite(kit_sample(image, static_cast<int32_t>(x), static_cast<int32_t>(y), 0));
}

// Returns how many windows score NaN.
long check_problem(const Problem &p, xncc_context *cpu, kit_random *random)
{
    static const int one_in[] = { 1 << 30, 70000, 3000, 200, 20 };
    const bool bad_template = kit_below(random, 12) == 0 && p.pixel != XNCC_U32;
    Scene scene(p, cpu, random, [&](int x, int y, bool is_templ) {
        const double other = (x + y) % 3 ? NAN : (x + y) % 2 ? INFINITY : -INFINITY;
        const bool bad = is_templ
                             ? bad_template && x == p.templ_width - 1 && y == p.templ_height - 1
                             : kit_below(random, static_cast<uint64_t>(one_in[p.kind])) == 0;
        return bad && p.pixel != XNCC_U32 ? other : 1.0 + (x * 7 + y * 5) % 11;
    });
    const int columns = scene.width + p.templ_width - 1, pitch = (columns + 31) / 32;
    std::vector<uint32_t> bits(static_cast<size_t>(pitch) * scene.height, 0xabababab);
    uint32_t doubts = 5, bad = 0;
    MarkJob job = {};
    job.of.image = xncc_image_with_pitches(&scene.image.view);
    job.of.border = p.options.border;
    job.of.x = scene.x0;
    job.of.y = scene.y0;
    job.of.width = scene.width;
    job.of.rows = scene.height;
    job.of.pixels = static_cast<const unsigned char *>(scene.templ.view.data);
    job.of.pitch = xncc_image_with_pitches(&scene.templ.view).pitch;
    job.of.templ_width = p.templ_width;
    job.of.templ_height = p.templ_height;
    job.of.channels = 1;
    job.of.map = scene.map.data();
    job.of.map_pitch = scene.width;
    job.of.in_doubt = &doubts;
    job.columns = bits.data();
    job.pitch = pitch;
    job.bad = &bad;
    CHECK_INT(launch_mark_windows(job, nullptr), cudaSuccess);
    CHECK_INT(bad, bad_template);
    // bad samples above and to the left of each pixel that windows reach
    const size_t step = static_cast<size_t>(columns) + 1;
    std::vector<int> sum(step * static_cast<size_t>(scene.height + p.templ_height));
    for (int y = 0; y < scene.height + p.templ_height - 1; y++)
        for (int x = 0; x < columns; x++) {
            int *at = &sum[static_cast<size_t>(y + 1) * step + static_cast<size_t>(x) + 1];
            *at = at[-1] + at[-static_cast<ptrdiff_t>(step)] -
                  at[-static_cast<ptrdiff_t>(step) - 1] +
                  is_bad(&scene.image.view, p.options.border, scene.x0 + x, scene.y0 + y);
        }
    long wrong = 0, nans = 0;
    for (int y = 0; y < scene.height; y++)
        for (int x = 0; x < scene.width; x++) {
            const int *top = &sum[static_cast<size_t>(y) * step + static_cast<size_t>(x)],
                      *end = top + static_cast<size_t>(p.templ_height) * step;
            const bool holds = end[p.templ_width] - end[0] - top[p.templ_width] + top[0] > 0;
            const uint32_t score = __float_as_uint(
                scene.map[static_cast<size_t>(y) * static_cast<size_t>(scene.width) +
                          static_cast<size_t>(x)]);
            wrong += score != (holds || bad_template ? NAN_SCORE : XNCC_DOUBT);
            nans += score == NAN_SCORE;
        }
    CHECK_INT(wrong, 0);
    CHECK_INT(doubts, 5 + int64_t{ scene.width } * scene.height - nans);
    return nans;
}

} // namespace

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    kit_random random = kit_stream(1);
    xncc_context *cpu = kit_context(XNCC_DEVICE_CPU, 2);
    long nans = 0;
    for (int i = 0; i < 14; i++)
        nans += check_problem(problem_of(i, &random), cpu, &random);
    CHECK(nans > 20000);
    xncc_context_destroy(cpu);
    return kit_finish("emulated_mark_windows");
}
