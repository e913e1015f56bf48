// SPDX-License-Identifier: BSD-2-Clause
// The exact scores of tiles under small templates (cuda/direct/small_exact.cu), run on the host: of
// random problems every window that the kernel settles has the score of the CPU engine, the others
// are as they were, and the list has those that are left. All pixel types, methods, borders and
// masks, one to three channels, and samples that take each number of primes.
#include "block.hpp"
#include "cuda/direct/small_exact.cu"

#include "pixels_scene.hpp"

#include <limits>

using namespace xncc;
using namespace emulated;

namespace {

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
    scene.check_list(list.data(), listed);
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
