// Every call of the C++ headers returns what the C call returns, bit for bit.
// SPDX-License-Identifier: BSD-2-Clause
#include "check.hpp"

#include <cmath>
#include <string>

namespace {

// The objects of C that the C calls use, made from those of C++.
struct Objects {
    Scene scene;
    exactncc::Context context;
    exactncc::Template templ[2] = { { context, scene.patch[0] }, { context, scene.patch[1] } };
    const xncc_template *list[2] = { templ[0].get(), templ[1].get() };
};

exactncc::FindOptions find_options()
{
    exactncc::FindOptions options;
    options.rule.method = XNCC_CCORR_NORMED;
    options.rule.mode = XNCC_SAME;
    options.rule.border = XNCC_BORDER_MIRROR;
    options.peaks.min_score = 0.5f;
    options.peaks.min_distance = 3;
    return options;
}

// What is added to a C struct is a constructor alone.
template <class Cpp, class C> void check_size()
{
    CHECK(sizeof(Cpp) == sizeof(C) && Cpp().size == sizeof(C));
}

void check_initializers()
{
    check_size<exactncc::ContextOptions, xncc_context_options>();
    check_size<exactncc::MatchRule, xncc_match_rule>();
    check_size<exactncc::PeakRule, xncc_peak_rule>();
    check_size<exactncc::SuppressRule, xncc_suppress_rule>();
    check_size<exactncc::CorrelateOptions, xncc_correlate_options>();
    check_size<exactncc::FindOptions, xncc_find_options>();
    check_size<exactncc::FilterOptions, xncc_filter_options>();
    check_size<exactncc::ConvolveOptions, xncc_convolve_options>();
    check_size<exactncc::Problem, xncc_problem>();
    check_size<exactncc::Preference, xncc_preference>();
    check_size<exactncc::BatchOptions, xncc_batch_options>();
    check_size<exactncc::TrackOptions, xncc_track_options>();
    check_size<exactncc::TrackPass, xncc_track_pass>();
    check_size<exactncc::TrackCheckOptions, xncc_track_check_options>();
    check_size<exactncc::TrackSource, xncc_track_source>();
    CHECK(exactncc::BatchOptions().peaks.top == XNCC_ALL);
    CHECK(exactncc::FindOptions().rule.min_valid == 0.5);
    CHECK(exactncc::CorrelateOptions().rule.size == sizeof(xncc_match_rule));

    const exactncc::MatchRule rule;
    CHECK(rule.method == XNCC_CCOEFF_NORMED && rule.mode == XNCC_VALID && rule.min_valid == 0.5);
    const exactncc::PeakRule peaks;
    CHECK(peaks.min_distance == XNCC_AUTO && peaks.top == XNCC_ALL && peaks.max_score == INFINITY);
    const exactncc::SuppressRule suppress;
    CHECK(suppress.kind == XNCC_SUPPRESS_OVERLAP && suppress.limit == 0.5);
    const exactncc::FilterOptions filter;
    CHECK(filter.correlate == 0 && filter.anchor_x == XNCC_AUTO && filter.anchor_y == XNCC_AUTO);
    const exactncc::Problem problem;
    CHECK(problem.channels == 1 && problem.pixel == XNCC_U8 && problem.rule.min_valid == 0.5);
}

void check_views()
{
    std::vector<float> floats(200);
    const xncc_image whole = exactncc::view(floats, 10, 4, 3, 160);
    CHECK(whole.data == floats.data() && whole.width == 10 && whole.height == 4 &&
          whole.channels == 3 && whole.pitch == 160 && whole.pixel == XNCC_F32 &&
          whole.memory == XNCC_HOST && !whole.mask && !whole.has_no_data);
    const std::int16_t words[6] = {};
    CHECK(exactncc::view(words, 3, 2).pixel == XNCC_S16);
    CHECK(exactncc::view(exactncc::span<const std::int16_t>(words), 3, 2).data == words);
    const xncc_image device = exactncc::view(words + 1, 3, 2, 1, 64, XNCC_DEVICE);
    CHECK(device.data == words + 1 && device.pitch == 64 && device.memory == XNCC_DEVICE);
    const xncc_map map = exactncc::map_view(floats, 20, 10);
    CHECK(map.data == floats.data() && map.width == 20 && map.height == 10 && map.pitch == 0);
    CHECK(exactncc::pixel_of<std::uint8_t>() == XNCC_U8);
    CHECK(exactncc::pixel_of<const std::int8_t>() == XNCC_S8);
    CHECK(exactncc::pixel_of<std::uint16_t>() == XNCC_U16);
    CHECK(exactncc::pixel_of<std::uint32_t>() == XNCC_U32);
    CHECK(exactncc::pixel_of<double>() == XNCC_F64);
}

void check_objects(const Objects &o)
{
    CHECK(o.context && o.context.progress() == 1 && o.context.warning().empty());
    exactncc::ContextOptions several;
    exactncc::Failure failure;
    const std::int32_t twice[] = { 1, 1 };
    several.cuda_list = twice;
    several.cuda_count = 2;
    CHECK(!exactncc::Context(several, &failure) && failure.status() == XNCC_ERROR_ARGUMENT);
    CHECK(o.templ[0].width() == 9 && o.templ[0].height() == 7 && o.templ[0].channels() == 1);
    CHECK(o.templ[0].pixel() == XNCC_U8 && !o.templ[0].is_masked());
    const std::vector<std::uint8_t> mask = noise<std::uint8_t>(9 * 7, 5);
    xncc_image masked = o.scene.patch[0];
    masked.mask = mask.data();
    CHECK(exactncc::Template(o.context, masked).is_masked());

    const auto devices = exactncc::devices();
    CHECK(devices.size() == xncc_device_count() && devices[0].device == XNCC_DEVICE_CPU &&
          devices[0].usable == 1 && devices[0].name[0]);
    const auto kernels = exactncc::kernels();
    CHECK(kernels.size() == xncc_kernel_count() && kernels[0].name && kernels.back().name);
    const auto problem = exactncc::problem(o.scene.image, o.templ[0]);
    std::vector<const char *> names(xncc_kernel_list(o.context.get(), &problem, nullptr, 0));
    xncc_kernel_list(o.context.get(), &problem, names.data(), names.size());
    CHECK(!names.empty() && exactncc::kernels(o.context, problem) == names);

    CHECK(exactncc::parse_method("sqdiff_normed") == XNCC_SQDIFF_NORMED);
    const xncc_extent extent = exactncc::measure_map(XNCC_FULL, 90, 70, 9, 7);
    CHECK(extent.width == 98 && extent.height == 76 && extent.x0 == -8 && extent.y0 == -6);
}

void check_correlate(const Objects &o)
{
    exactncc::CorrelateOptions options;
    options.rule = find_options().rule;
    std::vector<float> expected(90 * 70);
    const xncc_map out = { expected.data(), 90, 70, 0, XNCC_HOST };
    CHECK(!xncc_correlate(o.context.get(), &o.scene.image, o.list[0], &options, &out, nullptr));
    const exactncc::Map map = exactncc::correlate(o.context, o.scene.image, o.templ[0], options);
    CHECK(map.width == 90 && map.height == 70 && map.x0 == -4 && map.y0 == -3);
    CHECK(same(map.scores, expected));
    CHECK(map.at(7, 3) == expected[3 * 90 + 7]);
    std::vector<float> mine(90 * 70);
    exactncc::correlate(o.context, o.scene.image, o.templ[0], exactncc::map_view(mine, 90, 70),
                        options);
    CHECK(same(mine, expected));

    exactncc::Plan plan(o.context, exactncc::problem(o.scene.image, o.templ[0], options.rule));
    std::vector<float> planned(90 * 70);
    plan.correlate(o.scene.image, o.templ[0], exactncc::map_view(planned, 90, 70));
    CHECK(same(planned, expected));
    xncc_plan_info info = XNCC_PLAN_INFO_INIT;
    CHECK(!xncc_plan_describe(plan.get(), &info, nullptr));
    CHECK(std::string(info.kernel) == plan.describe().kernel);
    char text[2048];
    CHECK(plan.explain() == xncc_plan_explain(plan.get(), text, sizeof text));
    CHECK(!plan.explain().empty() && exactncc::Plan().explain().empty());
}

std::vector<xncc_match> expect_find(const Objects &o, const xncc_find_options &options)
{
    std::vector<xncc_match> match(90 * 70);
    std::size_t found = 0;
    CHECK(!xncc_find(o.context.get(), &o.scene.image, o.list[0], &options, match.data(),
                     match.size(), &found, nullptr));
    match.resize(found);
    return match;
}

void check_parts(const Objects &o)
{
    exactncc::Preference one;
    one.parts = 1;
    const exactncc::Problem problem = exactncc::problem(o.scene.image, o.templ[0]);
    exactncc::Plan plan(o.context, problem), whole(o.context, problem, one);
    const xncc_part part = whole.part(0);
    CHECK(part.image_height == o.scene.image.height);
    xncc_map map = {};
    map.width = problem.image_width - problem.templ_width + 1;
    map.height = part.map_height;
    std::vector<float> score(static_cast<std::size_t>(map.width * map.height)), same_score(score);
    map.data = score.data();
    whole.correlate_parts({ &o.scene.image, 1 }, o.templ[0], { &map, 1 });
    map.data = same_score.data();
    plan.correlate(o.scene.image, o.templ[0], map);
    CHECK(same(score, same_score));
    const std::vector<xncc_match> found = whole.find_parts({ &o.scene.image, 1 }, o.templ[0]);
    CHECK(!found.empty() && same(found, plan.find(o.scene.image, o.templ[0])));
    exactncc::Failure failure;
    whole.correlate_parts({ &o.scene.image, 1 }, o.templ[0], {}, {}, &failure);
    CHECK(failure.status() == XNCC_ERROR_ARGUMENT);
    CHECK(std::string(failure.text()) == "map is a null pointer");
    whole.part(1, &failure);
    CHECK(std::string(failure.text()) == "part: 1 is not one of 0 .. 0");
}

void check_find(const Objects &o)
{
    exactncc::FindOptions options = find_options();
    const std::vector<xncc_match> few = expect_find(o, options);
    CHECK(few.size() > 10 && few.size() < 1000);
    CHECK(same(exactncc::find(o.context, o.scene.image, o.templ[0], options), few));
    CHECK(same(exactncc::find(o.context, o.scene.image, o.templ[0]),
               expect_find(o, exactncc::FindOptions())));

    // More than the first room holds, all of them and a part; exactly the first room; and none.
    options.peaks.min_distance = 0;
    options.peaks.min_score = -INFINITY;
    std::vector<xncc_match> all = expect_find(o, options);
    CHECK(all.size() == 90 * 70);
    CHECK(same(exactncc::find(o.context, o.scene.image, o.templ[0], options), all));
    for (const std::size_t top : { 2000u, 1024u, 1u, 0u }) {
        options.peaks.top = top;
        all.resize(top);
        CHECK(same(exactncc::find(o.context, o.scene.image, o.templ[0], options), all));
    }

    options = find_options();
    exactncc::Plan plan(o.context, exactncc::problem(o.scene.image, o.templ[0], options.rule));
    CHECK(same(plan.find(o.scene.image, o.templ[0], options.peaks), few));
    std::vector<xncc_match> array(few.size() + 5);
    array.resize(plan.find_into(o.scene.image, o.templ[0], array, options.peaks));
    CHECK(same(array, few));
    const std::vector<xncc_image> images(3, o.scene.image);
    for (const std::size_t top : { std::size_t{ 0 }, few.size() - 1, std::size_t{ XNCC_ALL } }) {
        exactncc::PeakRule peaks = options.peaks;
        peaks.top = top;
        std::vector<xncc_match> best = few;
        best.resize(std::min(top, few.size()));
        const auto lists = plan.find_images(images, o.templ[0], peaks);
        CHECK(lists.size() == 3);
        for (const auto &list : lists)
            CHECK(same(list, best));
    }
    CHECK(plan.find_images({}, o.templ[0]).empty());

    exactncc::Scan scan(plan, o.scene.image, o.templ[0], 4000, options.peaks);
    const exactncc::Plan moved = std::move(plan); // the scan goes on
    for (const std::int32_t rows : { 1, 30, 69 })
        scan.rows(rows);
    CHECK(same(scan.finish(), few));

    const auto refined = exactncc::refine(o.context, o.scene.image, o.templ[0], few, options.rule);
    std::vector<xncc_refined> expected(few.size());
    CHECK(!xncc_refine(o.context.get(), &o.scene.image, o.list[0], &options.rule, few.data(),
                       few.size(), expected.data(), nullptr));
    CHECK(same(refined, expected));
}

// Images that are read by rows.
xncc_status read_rows(void *argument, std::size_t, std::int32_t which, std::int32_t y,
                      std::int32_t height, xncc_image *view, xncc_error *error)
{
    const xncc_track_pair *pair = static_cast<const xncc_track_pair *>(argument);
    const xncc_image *image = which == 1 ? pair->image1 : pair->image2;
    return xncc_image_crop(image, 0, y, image->width, height, view, error);
}

bool same_tracks(const std::vector<xncc_displacement> &a, const std::vector<xncc_displacement> &b)
{
    return a.size() == b.size() && !a.empty() &&
           std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0;
}

void check_track(const Objects &o)
{
    exactncc::TrackOptions options;
    options.chip_width = options.chip_height = 8;
    options.search_x = options.search_y = 4;
    const std::vector<xncc_track_point> points = { { 20, 20, 0, 0 }, { 40.5, 30.5, 1, -1 } };
    const xncc_image &image = o.scene.image;
    xncc_track_pair pair = { &image, &image };
    std::vector<xncc_displacement> want(2);
    CHECK(!xncc_track(o.context.get(), &pair, 1, &options, points.data(), 2, want.data(), nullptr));
    CHECK(want[1].whole_dx == 0 && want[1].whole_dy == 0 && want[1].score == 1.0f);
    CHECK(same_tracks(exactncc::track(o.context, image, image, points, options), want));
    exactncc::TrackSource source;
    source.pixel = image.pixel;
    source.width1 = source.width2 = image.width;
    source.height1 = source.height2 = image.height;
    source.read = read_rows;
    source.argument = &pair;
    CHECK(same_tracks(exactncc::track(o.context, source, points, options), want));
    exactncc::TrackCheckOptions check;
    std::vector<xncc_displacement> four(4, want[0]);
    for (int i = 0; i < 4; i++)
        four[std::size_t(i)].x = i;
    four[3].dx += 5;
    exactncc::check_tracks(four, check);
    CHECK(four[3].state == XNCC_TRACK_OUTLIER && four[0].state == want[0].state);
    exactncc::Failure failure;
    check.limit = 0;
    exactncc::check_tracks(four, check, &failure);
    CHECK(bool(failure));
    options.chip_width = 0;
    CHECK(exactncc::track(o.context, image, image, points, options, &failure).empty() && failure);
}

std::vector<xncc_candidate> expect_batch(const Objects &o, const xncc_find_options &options,
                                         const xncc_suppress_rule *suppress)
{
    std::vector<xncc_candidate> match(2 * 90 * 70);
    std::size_t found = 0;
    CHECK(!xncc_find_batch(o.context.get(), &o.scene.image, o.list, 2, &options, suppress,
                           match.data(), match.size(), &found, nullptr));
    match.resize(found);
    return match;
}

void check_poses(const Objects &o)
{
    exactncc::PoseOptions options;
    options.angles = { -6.0, 6.0, 3.0 };
    options.min_score = 0.4f;
    std::vector<xncc_pose_match> match(90 * 70);
    std::size_t found = 0;
    CHECK(!xncc_find_poses(o.context.get(), &o.scene.image, o.list, 2, &options, match.data(),
                           match.size(), &found, nullptr));
    match.resize(found);
    const auto got = exactncc::find_poses(o.context, o.scene.image, o.templ, options);
    CHECK(found > 0 && got.size() == found && got[0].score == match[0].score &&
          got[0].x == match[0].x && got[0].angle == match[0].angle);
    options.top = 1;
    CHECK(exactncc::find_poses(o.context, o.scene.image, o.templ[0], options).size() == 1);
    options.overlap = 2.0;
    exactncc::Failure failure;
    CHECK(exactncc::find_poses(o.context, o.scene.image, o.templ, options, &failure).empty() &&
          failure);
    const exactncc::Template turned = o.templ[0].resample(o.context, 90.0, 1.0);
    CHECK(turned.width() == o.templ[0].height() && turned.height() == o.templ[0].width());
    CHECK(!o.templ[0].resample(o.context, 0.0, 99.0, XNCC_SUPPORT_WHOLE, &failure) && failure);
}

void check_find_batch(const Objects &o)
{
    exactncc::FindOptions options = find_options();
    exactncc::SuppressRule suppress;
    suppress.limit = 0.25;
    for (const int distance : { 3, 0 }) {
        options.peaks.min_distance = distance; // few matches, and more than the first room holds
        for (const std::size_t top : { XNCC_ALL, std::size_t(17) }) {
            options.peaks.top = top;
            CHECK(same(exactncc::find_batch(o.context, o.scene.image, o.templ, options),
                       expect_batch(o, options, nullptr)));
            CHECK(same(exactncc::find_batch(o.context, o.scene.image, o.templ, options, &suppress),
                       expect_batch(o, options, &suppress)));
        }
    }
    auto candidates = expect_batch(o, options, nullptr);
    const auto kept = exactncc::suppress(XNCC_CCORR_NORMED, candidates, suppress);
    std::size_t count = 0;
    CHECK(!xncc_suppress(XNCC_CCORR_NORMED, candidates.data(), candidates.size(), &suppress, &count,
                         nullptr));
    candidates.resize(count);
    CHECK(count > 1 && same(kept, candidates));
}

void check_best(const Objects &o, xncc_mode mode, std::int32_t width, std::int32_t height)
{
    exactncc::Problem problem = exactncc::problem(o.scene.image, o.templ[0]);
    problem.rule.mode = mode;
    exactncc::BatchOptions options;
    options.capacity = 50;
    options.peaks.min_score = 0.2f;
    exactncc::Batch batch(o.context, problem, o.templ, options);

    std::vector<xncc_candidate> match(50);
    std::size_t found = 0;
    CHECK(!xncc_batch_find(batch.get(), &o.scene.image, match.data(), &found, nullptr, nullptr));
    match.resize(found);
    CHECK(found > 1 && same(batch.find(o.scene.image), match));
    CHECK(std::string(batch.describe(1).kernel).size() > 1);

    exactncc::Best expected;
    expected.score = { width, height, 0, 0, std::vector<float>(std::size_t(width * height)) };
    expected.index.resize(expected.score.scores.size());
    const xncc_best out = expected.view();
    CHECK(!xncc_batch_best(batch.get(), &o.scene.image, &out, nullptr, nullptr));
    const exactncc::Best best = batch.best(o.scene.image);
    CHECK(best.score.width == width && best.score.height == height);
    CHECK(same(best.score.scores, expected.score.scores) && same(best.index, expected.index));
}

void check_convolve(const Objects &o)
{
    const std::vector<float> coefficients = { 1, 2, 1, 0.5f, 4, 3, -2, -5, 0.25f, 1, 1, 7 };
    exactncc::FilterOptions placing;
    placing.correlate = 1;
    placing.anchor_x = 3;
    exactncc::ConvolveOptions options;
    options.border = XNCC_BORDER_ZERO;
    const exactncc::Filter filter(o.context, coefficients, 4, 3, placing);
    std::vector<float> expected(90 * 70), mine(90 * 70);
    xncc_filter *made = nullptr;
    const xncc_map out = exactncc::map_view(expected, 90, 70);
    CHECK(
        !xncc_filter_create(o.context.get(), coefficients.data(), 4, 3, &placing, &made, nullptr));
    CHECK(!xncc_convolve(o.context.get(), &o.scene.image, made, &options, &out, nullptr));
    xncc_filter_destroy(made);
    const exactncc::Map map = exactncc::convolve(o.context, o.scene.image, filter, options);
    CHECK(map.width == 90 && map.height == 70 && same(map.scores, expected));

    exactncc::Problem problem;
    problem.task = XNCC_TASK_CONVOLVE;
    problem.image_width = 90;
    problem.image_height = 70;
    problem.templ_width = 4;
    problem.templ_height = 3;
    problem.rule.border = XNCC_BORDER_ZERO;
    exactncc::Plan plan(o.context, problem);
    plan.convolve(o.scene.image, filter, exactncc::map_view(mine, 90, 70));
    CHECK(same(mine, expected));
}

} // namespace

int main()
{
    const Objects objects;
    check_initializers();
    check_views();
    check_objects(objects);
    check_correlate(objects);
    check_find(objects);
    check_parts(objects);
    check_find_batch(objects);
    check_poses(objects);
    check_track(objects);
    check_best(objects, XNCC_VALID, 90 - 9 + 1, 70 - 7 + 1);
    check_best(objects, XNCC_SAME, 90, 70);
    check_convolve(objects);
    return report();
}
