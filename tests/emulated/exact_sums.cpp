// SPDX-License-Identifier: BSD-2-Clause
// The exact sums of all windows of a band (cuda/products/exact_sums.cu), run on the host: every
// window in doubt gets the score of the CPU engine, and no other one changes. Few and many
// primes, lines of 512 and 2048 points, a template mask, an image mask, and two channels.
#include "block.hpp"

#include "cuda/products/exact_sums.cu"

#include "scene.hpp"

extern "C" {
#include "plan/cost_exact_cuda.h"
}

using namespace xncc;
using namespace emulated;

namespace {

// A sample of a picture whose numerators are 0: of stripes, of rows 2^98 apart that cancel, or of
// few bits and, below row 100, of far larger noise.
double sample(const Problem &p, int x, int y, bool is_templ, kit_random *random)
{
    const bool stripes = p.kind == 0 || p.kind == 2;
    if (is_templ)
        return stripes ? (x % 2 ? 0.25 : 1e-3) : std::ldexp(1.0 + x % 2, y % 4 < 2 ? 0 : -60);
    if (p.kind == 2 && y >= 100)
        return std::ldexp(static_cast<double>(kit_below(random, 1024)), 40);
    if (stripes)
        return y % 3 ? 1.0 / 3.0 : -0.7;
    return std::ldexp((y % 2 ? -1.0 : 1.0) * (x % 31 + 1.0 / 3.0), y % 4 < 2 ? 0 : -98);
}

ExactJob job_of(Scene *scene)
{
    const Problem &p = scene->problem;
    ExactJob job = {};
    job.image.image = xncc_image_with_pitches(&scene->image.view);
    job.image.border = p.options.border;
    job.image.x = scene->x0;
    job.image.y = scene->y0;
    job.image.columns = scene->width + p.templ_width - 1;
    job.image.rows = scene->height + p.templ_height - 1;
    job.templ = { static_cast<const unsigned char *>(scene->templ.view.data),
                  xncc_image_with_pitches(&scene->templ.view).pitch, p.templ_width,
                  p.templ_height };
    job.varies = scene->varies();
    if (job.varies && scene->mask.empty()) // DeviceTemplate has one then
        scene->mask.assign(static_cast<size_t>(p.templ_width) * p.templ_height, 1);
    job.mask = scene->mask.empty() ? nullptr : scene->mask.data();
    job.masked = p.templ_mask;
    job.channels = p.channels;
    job.method = p.options.method;
    job.rule = scene->rule();
    job.width = scene->width;
    job.height = scene->height;
    job.map = scene->map.data();
    job.map_pitch = scene->width;
    job.alone_ns = job.hard_ns = 1000.0; // together takes less time
    return job;
}

xncc_exact_blocks blocks_of(const Scene &scene)
{
    const Problem &p = scene.problem;
    xncc_problem problem = XNCC_PROBLEM_INIT;
    problem.pixel = p.pixel;
    problem.channels = p.channels;
    problem.image_width = p.width;
    problem.image_height = p.height;
    problem.templ_width = p.templ_width;
    problem.templ_height = p.templ_height;
    problem.templ_masked = p.templ_mask;
    problem.image_masked = p.image_mask;
    problem.rule.method = p.options.method;
    xncc_machine machine = {};
    machine.cuda.major = 9;
    xncc_decision decision = {};
    decision.band_width = scene.width;
    decision.band_height = scene.height;
    xncc_fit_exact(&problem, &machine, UINT64_C(1) << 30, UINT64_C(1) << 30, &decision);
    return decision.exact;
}

// broken: a sample is not finite, so nothing is done.
void check_problem(const Problem &p, xncc_context *cpu, bool broken)
{
    constexpr int PROCESSORS = 16; // thread blocks: shares are small, so that there are groups
    kit_random random = kit_stream(3);
    Scene scene(p, cpu, &random,
                [&](int x, int y, bool is_templ) { return sample(p, x, y, is_templ, &random); });
    if (broken)
        kit_sample_set(&scene.image.view, p.width / 2, p.height / 2, p.channels - 1, INFINITY);
    const xncc_exact_blocks blocks = blocks_of(scene);
    if (!CHECK(blocks.width > 0))
        return;
    std::vector<double2> memory(blocks.bytes / sizeof(double2) + 1);
    std::memset(memory.data(), UNWRITTEN, memory.size() * sizeof(double2));
    uint32_t doubts = scene.doubts, hard = scene.doubts;
    ExactWork work = {};
    ExactJob job = job_of(&scene);
    job.doubts = &doubts;
    job.hard = &hard;
    job.work = &work;
    job.all_finite = broken;
    CHECK_INT(launch_exact_sums(job, blocks, memory.data(), PROCESSORS, nullptr), cudaSuccess);
    const uint32_t left = broken ? scene.doubts : 0;
    CHECK_INT(scene.check(), left);
    CHECK(doubts == left && hard == left);
}

} // namespace

int main(int argc, char **argv)
{
    static const Problem problems[] = {
        { 470, 120, 44, 46, 2, XNCC_F32, false, false, 0, 1, { XNCC_CCOEFF_NORMED } },
        { 500, 170, 36, 60, 1, XNCC_F32, false, false, 2, 1, { XNCC_SQDIFF } },
        { 500, 150, 60, 60, 1, XNCC_F32, true, true, 0, 1, { XNCC_CCOEFF_NORMED } },
        { 480, 130, 40, 50, 9, XNCC_F32, false, false, 0, 1, { XNCC_CCOEFF_NORMED } },
        { 490, 140, 41, 70, 1, XNCC_F64, false, false, 1, 1, { XNCC_CCOEFF_NORMED } },
        { 470, 140, 40, 42, 2, XNCC_F32, false, false, 2, 1, { XNCC_SQDIFF } },
        { 450, 150, 30, 35, 2, XNCC_F32, false, true, 1, 1, { XNCC_SQDIFF_NORMED } },
        { 460, 160, 33, 28, 1, XNCC_F64, true, false, 1, 1, { XNCC_CCORR_NORMED } },
        { 1800, 48, 660, 9, 1, XNCC_F32, false, false, 1, 1, { XNCC_CCOEFF_NORMED } },
        { 48, 1800, 9, 660, 1, XNCC_F64, false, false, 1, 1, { XNCC_CCOEFF_NORMED } },
    };
    kit_start(argc, argv);
    xncc_context *cpu = kit_context(XNCC_DEVICE_CPU, 2);
    const int count = kit_flag(argc, argv, "brief") ? 2 : static_cast<int>(std::size(problems));
    for (int i = 0; i < count; i++)
        check_problem(problems[i], cpu, false);
    check_problem(problems[0], cpu, true);
    xncc_context_destroy(cpu);
    return kit_finish("emulated_exact_sums");
}
