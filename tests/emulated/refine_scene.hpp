// SPDX-License-Identifier: BSD-2-Clause
// What kernels that score single windows of one channel in doubt are given of a scene
// (cuda/direct/refine.h).
#ifndef EMULATED_REFINE_SCENE_HPP
#define EMULATED_REFINE_SCENE_HPP

#include "cuda/direct/refine.h"
#include "plan/workspace_cuda.h"

#include "pixels_scene.hpp"

namespace emulated {

// The sides of a template, and one in how many windows is in doubt.
struct RefineShape {
    int width, height, share;
};

// A problem of one channel of which all pixels count.
inline Problem refine_problem(int number, const RefineShape &of, kit_random *random)
{
    Problem p = problem_of(number, random);
    p.width = of.width + kit_between(random, 20, 50);
    p.height = of.height + kit_between(random, 20, 50);
    p.templ_width = of.width;
    p.templ_height = of.height;
    p.channels = 1;
    p.templ_mask = p.image_mask = false;
    p.share = of.share;
    p.options.border = static_cast<xncc_border>(kit_below(random, 4));
    return p;
}

// Windows that kernels have settled, and left.
struct RefineCount {
    long settled, left;
};

// A scene with its lists of windows in doubt and the constants of its template.
class RefineScene {
  public:
    Scene scene;
    xncc::FloatConstants constants = {};
    std::vector<xncc::FloatDoubt> list, hard; // the first one has the windows in doubt

    template <class Sample>
    RefineScene(const Problem &p, xncc_context *cpu, kit_random *random, const Sample &sample)
        : scene(p, cpu, random, sample), parts_(XNCC_DOUBT_PARTS * XNCC_DOUBT_PART_BYTES)
    {
        const int width = p.templ_width, pixels = width * p.templ_height;
        long double sum = 0.0L, squares = 0.0L;
        const double first = kit_sample(&scene.templ.view, 0, 0, 0);
        constants.grid = xncc_grid_empty();
        for (int i = 0; i < pixels; i++) {
            const double v = kit_sample(&scene.templ.view, i % width, i / width, 0);
            const long double less = static_cast<long double>(v) - first;
            sum += less;
            squares += less * less;
            xncc_grid_add(&constants.grid, v);
            xncc_twofold_put(&constants.T, v);
            xncc_twofold_put_product(&constants.T2, v, v);
        }
        constants.templ.n = pixels;
        constants.templ.over_root = static_cast<double>(1.0L / sqrtl(pixels * squares - sum * sum));
        constants.templ.relative = 0x1p-48;
    }
    // Fills the list, after scene.settle_nans if the kernel is not given windows that score NaN.
    xncc::RefineJob job()
    {
        const Problem &p = scene.problem;
        for (int y = 0; y < scene.height; y++)
            for (int x = 0; x < scene.width; x++)
                if (is_doubt(scene.map[static_cast<size_t>(y) * scene.width + x]))
                    list.push_back({ x, y });
        list.resize(list.size() + 1);
        hard.resize(list.size());
        xncc::RefineJob job = {};
        job.image.image = xncc_image_with_pitches(&scene.image.view);
        job.image.border = p.options.border;
        job.image.x = scene.x0;
        job.image.y = scene.y0;
        job.image.columns = scene.width + p.templ_width - 1;
        job.image.rows = scene.height + p.templ_height - 1;
        job.templ = { static_cast<const unsigned char *>(scene.templ.view.data),
                      xncc_image_with_pitches(&scene.templ.view).pitch, p.templ_width,
                      p.templ_height };
        job.constants = &constants;
        job.doubts = { list.data(), hard.data(), scene.doubts, parts_.data() };
        job.templ_width = p.templ_width;
        job.templ_height = p.templ_height;
        job.method = p.options.method;
        job.map = scene.map.data();
        job.map_pitch = scene.width;
        return job;
    }
    // Checks the windows that a kernel has settled, and that those which are left are listed.
    void check(const xncc::FloatDoubt *left, uint32_t listed, RefineCount *count)
    {
        const uint32_t rest = scene.check();
        CHECK_INT(listed, rest);
        CHECK_INT(constants.done, 0);
        scene.check_list(left, rest);
        count->settled += scene.doubts - rest;
        count->left += rest;
    }

  private:
    std::vector<unsigned char> parts_;
};

} // namespace emulated

#endif
