// Several templates of different sizes on many images, with a batch: its plans and its memory are
// made once. SPDX-License-Identifier: BSD-2-Clause
//
// For each image it prints the matches of all templates as one list, in which overlapping windows
// leave the best one; then, for the last image, how often each template is the best of a position.
#include "scene.hpp"

#include <exactncc/exactncc.hpp>

#include <algorithm>
#include <cstdio>

namespace {

constexpr int WIDTH = 320, HEIGHT = 240, KINDS = 3;
constexpr int SIDE[KINDS] = { 12, 16, 24 };

std::vector<exactncc::Template> make_templates(const exactncc::Context &context)
{
    std::vector<exactncc::Template> templates;
    for (int kind = 0; kind < KINDS; kind++) {
        std::vector<std::uint8_t> pattern(static_cast<std::size_t>(SIDE[kind] * SIDE[kind]));
        draw(pattern, SIDE[kind], 0, 0, SIDE[kind], kind);
        templates.emplace_back(context, exactncc::view(pattern, SIDE[kind], SIDE[kind]));
    }
    return templates;
}

void run()
{
    const exactncc::Context context;
    const std::vector<exactncc::Template> templates = make_templates(context);
    std::vector<std::uint8_t> pixels = ground(WIDTH, HEIGHT);
    const xncc_image image = exactncc::view(pixels, WIDTH, HEIGHT);

    exactncc::SuppressRule suppress; // windows that overlap by more than a half
    exactncc::BatchOptions options;
    options.peaks.min_score = 0.9f; // of each template
    options.capacity = 100;         // of the list
    options.suppress = &suppress;
    exactncc::Batch batch(context, exactncc::problem(image, templates[0]), templates, options);

    for (int frame = 0; frame < 3; frame++) {
        std::copy_n(ground(WIDTH, HEIGHT).begin(), pixels.size(), pixels.begin());
        for (int kind = 0; kind < KINDS; kind++)
            draw(pixels, WIDTH, 40 + 80 * kind + 5 * frame, 30 + 50 * kind, SIDE[kind], kind);
        for (const xncc_candidate &found : batch.find(image))
            std::printf("image %d: template %d at %d %d, score %.9g\n", frame, found.templ,
                        found.match.x, found.match.y, static_cast<double>(found.match.score));
    }
    const exactncc::Best best = batch.best(image);
    for (int kind = 0; kind < KINDS; kind++)
        std::printf("template %d is the best of %td positions\n", kind,
                    std::count(best.index.begin(), best.index.end(), kind));
}

} // namespace

int main()
{
    try {
        run();
    } catch (const std::exception &problem) {
        std::fprintf(stderr, "batch: %s\n", problem.what());
        return 1;
    }
    return 0;
}
