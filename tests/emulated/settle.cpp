// SPDX-License-Identifier: BSD-2-Clause
// The scores of single windows in doubt (cuda/direct/settle.cu), run on the host: of random
// problems all windows in doubt get the score of the CPU engine. All pixel types, methods, borders
// and masks, one to three channels: samples that are integers of few bits, and others.
#include "block.hpp"
#include "cuda/direct/settle.cu"

#include "pixels_scene.hpp"

using namespace xncc;
using namespace emulated;

namespace {

constexpr int STEPS = KINDS, ALL_KINDS = KINDS + 1;

// A kind of picture more, whose columns are far apart in turns: windows beside each other need
// other units.
double sample_of(const Problem &p, int x, int y, bool is_templ, kit_random *random)
{
    if (p.kind == 0 && is_templ && p.pixel != XNCC_U32)
        return x % 2 ? 0.25 : 1e-3;
    if (p.kind < STEPS || p.pixel == XNCC_U32)
        return sample(p.kind, p.pixel, x + 3 * is_templ, y, random);
    const double v = 1.0 + std::floor(below_one(random) * 0x1p20) * 0x1p-20;
    return is_templ ? v : std::ldexp(v, x / 12 % 2 ? 20 : -30);
}

void check_problem(Problem p, xncc_context *cpu, kit_random *random, long *settled)
{
    if (p.kind == STEPS) {
        p.pixel = XNCC_F32;
        p.templ_width = min(p.templ_width, 6);
    }
    Scene scene(p, cpu, random,
                [&](int x, int y, bool is_templ) { return sample_of(p, x, y, is_templ, random); });
    PixelsJob job = job_of(&scene);
    CHECK_INT(launch_settle(job, {}, 1, nullptr), cudaSuccess);
    CHECK_INT(scene.check(), 0);
    *settled += scene.doubts;
}

} // namespace

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    kit_random random = kit_stream(1);
    xncc_context *cpu = kit_context(XNCC_DEVICE_CPU, 2);
    long settled = 0;
    for (int i = 0; i < ALL_KINDS + 8; i++) {
        Problem p = problem_of(i, &random);
        p.kind = i < ALL_KINDS ? i : i % 2 ? 0 : STEPS;
        p.share = i < ALL_KINDS ? 400 : 12; // a window by all threads of a block takes milliseconds
        check_problem(p, cpu, &random, &settled);
    }
    CHECK(settled > 1000);
    xncc_context_destroy(cpu);
    return kit_finish("emulated_settle");
}
