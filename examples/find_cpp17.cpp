// Finds a template in an image, in C++17: the objects of the library are owned by
// std::unique_ptr, and a failure is an exception. The output is that of find_c11.c.
#include <exactncc/exactncc.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Destroy {
    void operator()(xncc_context *context) const
    {
        xncc_context_destroy(context);
    }
    void operator()(xncc_template *templ) const
    {
        xncc_template_destroy(templ);
    }
};
using Context = std::unique_ptr<xncc_context, Destroy>;
using Template = std::unique_ptr<xncc_template, Destroy>;

// Throws what is wrong, unless the status is XNCC_OK.
void check(xncc_status status, const xncc_error &error)
{
    if (status != XNCC_OK)
        throw std::runtime_error(std::string(xncc_status_string(status)) + ": " + error.text);
}

Context make_context()
{
    xncc_error error;
    xncc_context *context = nullptr;
    check(xncc_context_create(nullptr, &context, &error), error); // nullptr: the best device
    return Context(context);
}

Template make_template(xncc_context *context, const xncc_image &pixels)
{
    xncc_error error;
    xncc_template *templ = nullptr;
    check(xncc_template_create(context, &pixels, &templ, &error), error);
    return Template(templ);
}

std::vector<xncc_match> find(xncc_context *context, const xncc_image &scene,
                             const xncc_template *templ, float min_score)
{
    xncc_error error;
    xncc_find_options options = XNCC_FIND_OPTIONS_INIT;
    options.peaks.min_score = min_score;
    std::vector<xncc_match> match(8);
    std::size_t found = 0;
    check(xncc_find(context, &scene, templ, &options, match.data(), match.size(), &found, &error),
          error);
    match.resize(found);
    return match;
}

// A scene of two equal patterns on a dark ground; yours comes from a camera or a file.
std::vector<std::uint8_t> draw(int width, int height, int side)
{
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(width) * height);
    for (const auto &[left, top] : { std::pair{ 30, 20 }, std::pair{ 90, 60 } })
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++)
                pixels[(top + y) * width + left + x] = static_cast<std::uint8_t>(
                    37 * (x * x + 3 * y) % 251);
    return pixels;
}

void run()
{
    const int width = 160, height = 120, side = 16;
    const std::vector<std::uint8_t> pixels = draw(width, height, side);
    xncc_image scene{}, pattern{};
    scene.data = pixels.data();
    scene.width = width;
    scene.height = height;
    scene.pixel = XNCC_U8;
    xncc_error error;
    check(xncc_image_crop(&scene, 30, 20, side, side, &pattern, &error), error);

    const Context context = make_context();
    const Template templ = make_template(context.get(), pattern); // destroyed before the context
    const std::vector<xncc_match> matches = find(context.get(), scene, templ.get(), 0.9f);
    std::printf("exactncc %s\n", xncc_version());
    for (const xncc_match &match : matches)
        std::printf("%d %d %.9g\n", match.x, match.y, static_cast<double>(match.score));
}

} // namespace

int main()
{
    try {
        run();
    } catch (const std::exception &problem) {
        std::fprintf(stderr, "find_cpp17: %s\n", problem.what());
        return 1;
    }
    return 0;
}
