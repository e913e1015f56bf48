// SPDX-License-Identifier: BSD-2-Clause
// Single windows in doubt by long integers (cuda/direct/settle_long.cu), run on the host: of random
// problems every window that the kernel settles has the score of the CPU engine, and those whose
// samples are too far apart are listed. Windows of one warp, of several, and of several blocks.
#include "block.hpp"
#include "cuda/direct/settle_long.cu"

#include "refine_scene.hpp"

using namespace xncc;
using namespace emulated;

namespace {

void check_problem(const Problem &p, xncc_context *cpu, kit_random *random, RefineCount *count)
{
    RefineScene all(p, cpu, random, [&](int x, int y, bool is_templ) {
        return sample(p.kind, p.pixel, x + 3 * is_templ, y, random);
    });
    all.scene.settle_nans();
    const RefineJob job = all.job();
    all.constants.last = all.scene.doubts;
    CHECK_INT(launch_settle_long(job, all.scene.rule(), 1, nullptr), cudaSuccess);
    all.check(job.doubts.hard, all.constants.far, count);
}

} // namespace

int main(int argc, char **argv)
{
    static const RefineShape shapes[] = { { 9, 12, 60 },   { 20, 31, 300 },  { 20, 31, 30 },
                                          { 52, 43, 200 }, { 52, 43, 2000 }, { 70, 61, 900 } };
    kit_start(argc, argv);
    kit_random random = kit_stream(1);
    xncc_context *cpu = kit_context(XNCC_DEVICE_CPU, 2);
    RefineCount count = {};
    for (int i = 0; i < 3 * KINDS; i++)
        check_problem(refine_problem(i, shapes[i % 6], &random), cpu, &random, &count);
    printf("%ld settled, %ld far\n", count.settled, count.left);
    CHECK(count.settled > 300 && count.left > 50);
    xncc_context_destroy(cpu);
    return kit_finish("emulated_settle_long");
}
