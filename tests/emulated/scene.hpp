// SPDX-License-Identifier: BSD-2-Clause
// An image, a template and a map of which some windows are in doubt, for kernels that settle these;
// and the scores that they have to get.
#ifndef EMULATED_SCENE_HPP
#define EMULATED_SCENE_HPP

#include "cuda/planes/float_image.h"
#include "math/general_score.h"
#include "math/window_bounds.h"

extern "C" {
#include "kit/pixels.h"
#include "kit/short.h"
}

namespace emulated {

constexpr float ELSEWHERE = 7.0f; // the score of windows that are not in doubt

struct Problem {
    int width, height, templ_width, templ_height, channels;
    xncc_pixel pixel;
    bool templ_mask, image_mask;
    int kind;  // of picture
    int share; // one window in so many is in doubt
    kit_options options;
};

inline bool is_doubt(float score)
{
    return __float_as_uint(score) == XNCC_DOUBT;
}

class Scene {
  public:
    Problem problem;
    kit_image image, templ;
    std::vector<uint8_t> mask; // of the template, if it has one
    int32_t width, height;     // of the map
    int32_t x0, y0;            // the image pixel where the first window begins
    std::vector<float> map;
    uint32_t doubts = 0;

    // sample(x, y, is_templ): of a picture. CPU makes the scores.
    template <class Sample>
    Scene(const Problem &p, xncc_context *cpu, kit_random *random, const Sample &sample)
        : problem(p), image(picture(p.width, p.height, p.image_mask, false, random, sample)),
          templ(picture(p.templ_width, p.templ_height, p.templ_mask, true, random, sample))
    {
        for (int i = 0; p.templ_mask && i < p.templ_width * p.templ_height; i++)
            mask.push_back(kit_mask(&templ.view, i % p.templ_width, i / p.templ_width) != 0);
        xncc_template *loaded = nullptr;
        CHECK_STATUS(xncc_template_create(cpu, &templ.view, &loaded, &kit_error), XNCC_OK);
        CHECK_STATUS(kit_map_extent(p.options.mode, p.width, p.height, p.templ_width,
                                    p.templ_height, &width, &height, &x0, &y0),
                     XNCC_OK);
        want_ = kit_map_create(width, height, 0, KIT_AFTER);
        CHECK_STATUS(kit_correlate(cpu, &image.view, loaded, &p.options, &want_.view), XNCC_OK);
        xncc_template_destroy(loaded);
        for (int64_t i = 0; i < int64_t{ width } * height; i++) {
            map.push_back(kit_below(random, static_cast<uint64_t>(p.share))
                              ? ELSEWHERE
                              : xncc_float_of_bits(XNCC_DOUBT));
            doubts += is_doubt(map.back());
        }
        before_ = map;
    }
    Scene(const Scene &) = delete;
    ~Scene()
    {
        kit_map_destroy(&want_);
        kit_image_destroy(&templ);
        kit_image_destroy(&image);
    }
    // Whether pixels of windows may not count because of the image or of its border.
    bool varies() const
    {
        return problem.image_mask ||
               (problem.options.mode == XNCC_SAME && problem.options.border == XNCC_BORDER_OVERLAP);
    }
    xncc_general_rule rule() const
    {
        xncc_general_rule of = {};
        for (int i = 0; i < problem.templ_width * problem.templ_height; i++)
            of.whole += mask.empty() || mask[static_cast<size_t>(i)];
        of.least = (of.whole + 1) / 2;
        return of;
    }
    // Takes windows that score NaN out of those in doubt.
    void settle_nans()
    {
        for (size_t i = 0; i < map.size(); i++) {
            const int32_t at = static_cast<int32_t>(i);
            if (!is_doubt(map[i]) || !std::isnan(kit_map_row(&want_.view, at / width)[at % width]))
                continue;
            map[i] = before_[i] = ELSEWHERE;
            doubts--;
        }
    }
    // Checks that windows which are not in doubt any more have their scores, and that the others
    // are as they were. Returns how many are in doubt still.
    uint32_t check() const
    {
        uint32_t left = 0, wrong = 0;
        for (size_t i = 0; i < map.size(); i++) {
            const int32_t at = static_cast<int32_t>(i);
            const float want = kit_map_row(&want_.view, at / width)[at % width];
            left += is_doubt(map[i]);
            if (!is_doubt(before_[i]))
                wrong += map[i] != ELSEWHERE;
            else if (!is_doubt(map[i]))
                wrong += __float_as_uint(map[i]) != __float_as_uint(want) &&
                         !(std::isnan(map[i]) && std::isnan(want));
        }
        const Problem &p = problem;
        if (!CHECK(wrong == 0))
            kit_fail(__FILE__, __LINE__,
                     "%d x %d x %d of %s under %d x %d, kind %d, masks %d %d, %s: %u windows are "
                     "wrong",
                     p.width, p.height, p.channels, xncc_pixel_name(p.pixel), p.templ_width,
                     p.templ_height, p.kind, p.templ_mask, p.image_mask,
                     xncc_method_name(p.options.method), wrong);
        return left;
    }
    // Checks that the windows of a list are in doubt, and that none is listed twice. They are not
    // in doubt afterwards.
    void check_list(const xncc::FloatDoubt *list, uint32_t count)
    {
        for (uint32_t i = 0; i < count; i++) {
            float *at = &map[static_cast<size_t>(list[i].y) * width + list[i].x];
            CHECK(is_doubt(*at));
            *at = ELSEWHERE;
        }
    }

  private:
    kit_map want_;
    std::vector<float> before_;

    template <class Sample>
    kit_image picture(int across, int down, bool masked, bool is_templ, kit_random *random,
                      const Sample &sample)
    {
        constexpr kit_room room = { 0, KIT_AFTER };
        const Problem &p = problem;
        kit_image of = kit_image_create_channels(p.pixel, p.channels, across, down, room);
        if (masked)
            kit_image_mask(&of, room);
        for (int y = 0; y < down; y++)
            for (int x = 0; x < across; x++) {
                for (int c = 0; c < p.channels; c++)
                    kit_sample_set(&of.view, x, y, c, sample(x, y + 5 * c, is_templ));
                if (masked)
                    kit_mask_set(&of.view, x, y, x + y == 0 || kit_below(random, 4) != 0);
            }
        return of;
    }
};

} // namespace emulated

#endif
