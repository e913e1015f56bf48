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

void check_problem(const Problem &p, xncc_context *cpu, kit_random *random, long *settled,
                   long *far)
{
    RefineScene all(p, cpu, random, [&](int x, int y, bool is_templ) {
        return sample(p.kind, p.pixel, x + 3 * is_templ, y, random);
    });
    all.scene.settle_nans();
    const RefineJob job = all.job();
    all.constants.last = all.scene.doubts;
    CHECK_INT(launch_settle_long(job, all.scene.rule(), 1, nullptr), cudaSuccess);
    const uint32_t rest = all.scene.check();
    CHECK_INT(all.constants.far, rest);
    CHECK_INT(all.constants.done, 0);
    all.scene.check_list(job.doubts.hard, rest);
    *settled += all.scene.doubts - rest;
    *far += rest;
}

} // namespace

int main(int argc, char **argv)
{
    // the sides of a template, and one in how many windows is in doubt
    static const int shapes[][3] = { { 9, 12, 60 },   { 20, 31, 300 },  { 20, 31, 30 },
                                     { 52, 43, 200 }, { 52, 43, 2000 }, { 70, 61, 900 } };
    kit_start(argc, argv);
    kit_random random = kit_stream(1);
    xncc_context *cpu = kit_context(XNCC_DEVICE_CPU, 2);
    long settled = 0, far = 0;
    for (int i = 0; i < 3 * KINDS; i++) {
        const int *of = shapes[i % 6];
        Problem p = problem_of(i, &random);
        p.width = of[0] + kit_between(&random, 20, 50);
        p.height = of[1] + kit_between(&random, 20, 50);
        p.templ_width = of[0];
        p.templ_height = of[1];
        p.channels = 1;
        p.templ_mask = p.image_mask = false;
        p.share = of[2];
        p.options.border = static_cast<xncc_border>(kit_below(&random, 4));
        check_problem(p, cpu, &random, &settled, &far);
    }
    printf("%ld settled, %ld far\n", settled, far);
    CHECK(settled > 300 && far > 50);
    xncc_context_destroy(cpu);
    return kit_finish("emulated_settle_long");
}
