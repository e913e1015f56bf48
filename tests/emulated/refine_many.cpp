// SPDX-License-Identifier: BSD-2-Clause
// Many windows in doubt under small templates (cuda/direct/refine_many.cu), run on the host: of
// random problems every window that the kernel settles has the score of the CPU engine, the others
// are as they were, and the list has those that are left. All pixel types and borders, pictures of
// few grey levels, and samples that are too far apart.
#include "block.hpp"
#include "cuda/direct/refine_many.cu"

#include "pixels_scene.hpp"

using namespace xncc;
using namespace emulated;

namespace {

constexpr int PICTURES = KINDS + 6; // those of other kernels, and of few grey levels

Problem problem(int number, kit_random *random)
{
    Problem p = problem_of(number, random);
    p.width = kit_between(random, 130, 150);
    p.height = kit_between(random, 130, 150);
    p.channels = 1;
    p.templ_mask = p.image_mask = false;
    p.kind = number % PICTURES;
    p.share = number % 5 ? 1 : 100;
    p.options.method = number % 7 ? XNCC_CCOEFF_NORMED : number % 3 ? XNCC_CCOEFF : XNCC_CCORR;
    p.options.border = static_cast<xncc_border>(kit_below(random, 4));
    return p;
}

double grey(int kind, int y, kit_random *random)
{
    static const double darkest[] = { 3.0, 25.0, 220.0, -6.0, 0.0, 12.0 };
    const double v = darkest[kind] +
                     static_cast<double>(kit_below(random, kind == 5 && y > 40 ? 90 : 4));
    return kind % 2 ? v / 255.0 : v / 65535.0;
}

// What the kernel reads of the template's sums.
FloatConstants constants_of(const Scene &scene)
{
    FloatConstants c = {};
    const kit_image &templ = scene.templ;
    const int width = scene.problem.templ_width, pixels = width * scene.problem.templ_height;
    long double sum = 0.0L, squares = 0.0L;
    const double first = kit_sample(&templ.view, 0, 0, 0);
    c.grid = xncc_grid_empty();
    for (int i = 0; i < pixels; i++) {
        const double v = kit_sample(&templ.view, i % width, i / width, 0);
        const long double less = static_cast<long double>(v) - first;
        sum += less;
        squares += less * less;
        xncc_grid_add(&c.grid, v);
    }
    c.templ.n = pixels;
    c.templ.over_root = static_cast<double>(1.0L / sqrtl(pixels * squares - sum * sum));
    c.templ.relative = 0x1p-48;
    return c;
}

struct Count {
    long settled, left, problems_left;
};

void check_problem(const Problem &p, xncc_context *cpu, kit_random *random, Count *count)
{
    Scene scene(p, cpu, random, [&](int x, int y, bool is_templ) {
        return p.kind >= KINDS && p.pixel != XNCC_U32
                   ? grey(p.kind - KINDS, y, random)
                   : sample(p.kind, p.pixel, x + 3 * is_templ, y, random);
    });
    FloatConstants constants = constants_of(scene);
    std::vector<FloatDoubt> hard, list;
    for (int y = 0; y < scene.height; y++)
        for (int x = 0; x < scene.width; x++)
            if (is_doubt(scene.map[static_cast<size_t>(y) * scene.width + x]))
                hard.push_back(FloatDoubt{ x, y });
    const bool has_room = kit_below(random, 8) != 0;
    const uint32_t few = kit_below(random, 2) ? 50 : 1u << 20;
    constants.hard = constants.doubts = scene.doubts;
    list.resize(hard.size() + 1);
    hard.resize(hard.size() + 1);
    RefineJob job = {};
    job.image.image = xncc_image_with_pitches(&scene.image.view);
    job.image.border = p.options.border;
    job.image.x = scene.x0;
    job.image.y = scene.y0;
    job.image.columns = scene.width + p.templ_width - 1;
    job.image.rows = scene.height + p.templ_height - 1;
    job.templ = { static_cast<const unsigned char *>(scene.templ.view.data),
                  xncc_image_with_pitches(&scene.templ.view).pitch, p.templ_width, p.templ_height };
    job.constants = &constants;
    job.doubts = { list.data(), hard.data(), scene.doubts - !has_room, nullptr };
    job.templ_width = p.templ_width;
    job.templ_height = p.templ_height;
    job.method = p.options.method;
    job.map = scene.map.data();
    job.map_pitch = scene.width;
    CHECK_INT(launch_refine_many(job, few, 1, nullptr), cudaSuccess);
    const uint32_t rest = scene.check();
    CHECK(constants.left == 0 && constants.done == 0);
    if (p.options.method == XNCC_CCORR || !has_room || scene.doubts < LEAST) {
        CHECK_INT(rest, scene.doubts);
        return;
    }
    count->settled += scene.doubts - rest;
    count->left += rest;
    CHECK_INT(constants.hard, rest);
    CHECK_INT(constants.doubts, rest);
    if (rest > few || rest == scene.doubts)
        return;
    count->problems_left += rest > 0;
    scene.check_list(hard.data(), rest);
}

} // namespace

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    kit_random random = kit_stream(1);
    xncc_context *cpu = kit_context(XNCC_DEVICE_CPU, 2);
    Count count = {};
    for (int i = 0; i < 3 * PICTURES; i++)
        check_problem(problem(i, &random), cpu, &random, &count);
    printf("%ld %ld %ld\n", count.settled, count.left, count.problems_left);
    CHECK(count.settled > 100000 && count.left > 50000 && count.problems_left > 1);
    xncc_context_destroy(cpu);
    return kit_finish("emulated_refine_many");
}
