// Finds a template in an image, in C++20, without exceptions: a result holds either the matches or
// the text of the failure. The output is that of find_c11.c.
#include <exactncc/exactncc.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace {

// Calls a destroy function of the library.
template <auto function> using Destroy = decltype([](auto *object) { function(object); });
using Context = std::unique_ptr<xncc_context, Destroy<xncc_context_destroy>>;
using Template = std::unique_ptr<xncc_template, Destroy<xncc_template_destroy>>;

struct Failure {
    std::string text;
};
using Matches = std::vector<xncc_match>;

Failure failure(xncc_status status, const xncc_error &error)
{
    return { std::string(xncc_status_string(status)) + ": " + error.text };
}

xncc_image view(std::span<const std::uint8_t> pixels, std::int32_t width)
{
    xncc_image image{};
    image.data = pixels.data();
    image.width = width;
    image.height = static_cast<std::int32_t>(pixels.size()) / width;
    image.pixel = XNCC_U8;
    return image;
}

std::variant<Matches, Failure> find(const xncc_image &scene, const xncc_image &pattern,
                                    const xncc_find_options &options)
{
    xncc_error error;
    xncc_context *made = nullptr;
    if (const auto status = xncc_context_create(nullptr, &made, &error)) // nullptr: the best device
        return failure(status, error);
    const Context context(made);
    xncc_template *prepared = nullptr;
    if (const auto status = xncc_template_create(made, &pattern, &prepared, &error))
        return failure(status, error);
    const Template templ(prepared); // destroyed before the context

    Matches match(8);
    std::size_t found = 0;
    if (const auto status = xncc_find(made, &scene, prepared, &options, match.data(), match.size(),
                                      &found, &error))
        return failure(status, error);
    match.resize(found);
    return match;
}

} // namespace

int main()
{
    // A scene of two equal patterns on a dark ground; yours comes from a camera or a file.
    constexpr int width = 160, height = 120, side = 16;
    std::vector<std::uint8_t> pixels(width * height);
    for (const auto &corner : { std::array{ 30, 20 }, std::array{ 90, 60 } })
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++)
                pixels[(corner[1] + y) * width + corner[0] + x] = static_cast<std::uint8_t>(
                    37 * (x * x + 3 * y) % 251);

    const xncc_image scene = view(pixels, width);
    xncc_image pattern{};
    if (xncc_image_crop(&scene, 30, 20, side, side, &pattern, nullptr) != XNCC_OK)
        return 1;
    xncc_find_options options = XNCC_FIND_OPTIONS_INIT;
    options.peaks.min_score = 0.9f;
    const auto result = find(scene, pattern, options);
    if (const auto *problem = std::get_if<Failure>(&result)) {
        std::fprintf(stderr, "find_cpp20: %s\n", problem->text.c_str());
        return 1;
    }
    std::printf("exactncc %s\n", xncc_version());
    for (const auto &match : std::get<Matches>(result))
        std::printf("%d %d %.9g\n", match.x, match.y, static_cast<double>(match.score));
    return 0;
}
