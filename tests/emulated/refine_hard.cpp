// SPDX-License-Identifier: BSD-2-Clause
// Single windows in doubt by sums in pairs of doubles (cuda/direct/refine_hard.cu), run on the
// host: of random problems every window that the kernel settles has the score of the CPU engine,
// and the list has those that are left. Windows of one warp, of several, and of several blocks.
#include "block.hpp"
#include "cuda/direct/refine_hard.cu"

#include "refine_scene.hpp"

using namespace xncc;
using namespace emulated;

namespace {

void check_problem(const Problem &p, xncc_context *cpu, kit_random *random, RefineCount *count)
{
    RefineScene all(p, cpu, random, [&](int x, int y, bool is_templ) {
        const bool is_bad = p.kind == 0 && !is_templ && kit_below(random, 1000) == 0;
        return is_bad && p.pixel != XNCC_U32 ? static_cast<double>(INFINITY)
                                             : sample(p.kind, p.pixel, x + 3 * is_templ, y, random);
    });
    RefineJob job = all.job();
    std::swap(job.doubts.list, job.doubts.hard);
    all.constants.hard = all.scene.doubts;
    CHECK_INT(launch_refine_hard(job, 1, nullptr), cudaSuccess);
    all.check(job.doubts.list, all.constants.last, count);
}

} // namespace

int main(int argc, char **argv)
{
    static const RefineShape shapes[] = { { 9, 12, 40 },   { 20, 31, 200 },  { 20, 31, 9 },
                                          { 52, 43, 300 }, { 52, 43, 2000 }, { 70, 61, 900 } };
    kit_start(argc, argv);
    kit_random random = kit_stream(1);
    xncc_context *cpu = kit_context(XNCC_DEVICE_CPU, 2);
    RefineCount count = {};
    for (int i = 0; i < 2 * KINDS; i++)
        check_problem(refine_problem(i, shapes[i % 6], &random), cpu, &random, &count);
    printf("%ld settled, %ld left\n", count.settled, count.left);
    CHECK(count.settled > 2000 && count.left > 10);
    xncc_context_destroy(cpu);
    return kit_finish("emulated_refine_hard");
}
