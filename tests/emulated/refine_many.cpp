// SPDX-License-Identifier: BSD-2-Clause
// Many windows in doubt under small templates (cuda/direct/refine_many.cu), run on the host: of
// random problems every window that the kernel settles has the score of the CPU engine, the others
// are as they were, and the list has those that are left. All pixel types and borders, pictures of
// few grey levels, and samples that are too far apart.
#include "block.hpp"
#include "cuda/direct/refine_many.cu"

#include "refine_scene.hpp"

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

struct Count {
    long settled, left, problems_left;
};

void check_problem(const Problem &p, xncc_context *cpu, kit_random *random, Count *count)
{
    RefineScene all(p, cpu, random, [&](int x, int y, bool is_templ) {
        return p.kind >= KINDS && p.pixel != XNCC_U32
                   ? grey(p.kind - KINDS, y, random)
                   : sample(p.kind, p.pixel, x + 3 * is_templ, y, random);
    });
    Scene &scene = all.scene;
    FloatConstants &constants = all.constants;
    RefineJob job = all.job();
    std::swap(job.doubts.list, job.doubts.hard);
    const bool has_room = kit_below(random, 8) != 0;
    const uint32_t few = kit_below(random, 2) ? 50 : 1u << 20;
    constants.hard = constants.doubts = scene.doubts;
    job.doubts.room -= !has_room;
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
    scene.check_list(job.doubts.hard, rest);
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
