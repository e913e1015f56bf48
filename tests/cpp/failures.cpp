// Failures of the C++ headers as exceptions and as values, and the lifetimes of its objects. The
// address sanitizer, where it is in use, sees what is freed too early, twice or never.
// SPDX-License-Identifier: BSD-2-Clause
#include "check.hpp"

#include <string>

namespace {

// Runs a call twice. With a Failure it must fail and not throw; without one it must throw. Both say
// the same: the status, and a text with `words`.
template <class Call> void fails(xncc_status status, const char *words, const Call &call)
{
    exactncc::Failure failure;
    try {
        call(&failure);
    } catch (const std::exception &) {
        CHECK(false && "a call that was given a Failure throws");
    }
    CHECK(failure && failure.status() == status);
    if (!std::strstr(failure.text(), words))
        std::printf("the text is: %s\n", failure.text());
    CHECK(std::strstr(failure.text(), words) != nullptr);
    bool thrown = false;
    try {
        call(nullptr);
    } catch (const exactncc::Error &error) {
        thrown = true;
        CHECK(error.status() == status && std::string(error.what()) == failure.text());
    }
    CHECK(thrown);
}

void check_refused_views()
{
    std::vector<std::uint16_t> words(100);
    std::vector<float> floats(100);
    using exactncc::Failure;
    const char *few = "too few", *none = "no image";
    fails(XNCC_ERROR_ARGUMENT, few, [&](Failure *f) { exactncc::view(words, 10, 11, 1, 0, f); });
    fails(XNCC_ERROR_ARGUMENT, few, [&](Failure *f) { exactncc::view(words, 10, 10, 1, 22, f); });
    fails(XNCC_ERROR_ARGUMENT, few, [&](Failure *f) { exactncc::view(words, 101, 1, 1, 0, f); });
    fails(XNCC_ERROR_ARGUMENT, few, [&](Failure *f) { exactncc::view(words, 10, 5, 3, 0, f); });
    fails(XNCC_ERROR_ARGUMENT, few,
          [&](Failure *f) { exactncc::view(words, 10, 2, 1, std::int64_t(1) << 62, f); });
    fails(XNCC_ERROR_ARGUMENT, none, [&](Failure *f) { exactncc::view(words, 0, 10, 1, 0, f); });
    fails(XNCC_ERROR_ARGUMENT, none, [&](Failure *f) { exactncc::view(words, 10, -1, 1, 0, f); });
    fails(XNCC_ERROR_ARGUMENT, none, [&](Failure *f) { exactncc::view(words, 10, 10, 0, 0, f); });
    fails(XNCC_ERROR_ARGUMENT, none, [&](Failure *f) { exactncc::view(words, 10, 2, 1, 18, f); });
    fails(XNCC_ERROR_ARGUMENT, few, [&](Failure *f) { exactncc::map_view(floats, 51, 2, 0, f); });
    // What fits to the last byte is taken.
    Failure failure;
    CHECK(exactncc::view(words, 10, 9, 1, 22, &failure).data && !failure && !failure.text()[0]);
    CHECK(exactncc::map_view(floats, 50, 2, 0, &failure).data && !failure);
    CHECK(!exactncc::view(words, 10, 11, 1, 0, &failure).data && failure);
    CHECK(exactncc::view(words, 10, 10, 1, 0, &failure).data && !failure && !failure.text()[0]);
}

void check_refused_calls(const Scene &scene, const exactncc::Context &context)
{
    using exactncc::Failure;
    const exactncc::Template templ(context, scene.patch[0]), none;
    const xncc_image small = exactncc::crop(scene.image, 0, 0, 5, 5);
    const xncc_status argument = XNCC_ERROR_ARGUMENT;
    fails(argument, "rectangle", [&](Failure *f) { exactncc::crop(small, 3, 3, 3, 3, f); });
    fails(argument, "", [&](Failure *f) { exactncc::correlate(context, small, templ, {}, f); });
    fails(argument, "",
          [&](Failure *f) { exactncc::correlate(context, scene.image, none, {}, f); });
    fails(argument, "", [&](Failure *f) { exactncc::find(context, small, templ, {}, f); });
    fails(argument, "", [&](Failure *f) { exactncc::find(context, scene.image, none, {}, f); });
    fails(argument, "", [&](Failure *f) { exactncc::Template(context, xncc_image{}, f); });
    fails(argument, "too few",
          [&](Failure *f) { exactncc::Filter(context, std::vector<float>(8), 3, 3, {}, f); });
    fails(argument, "",
          [&](Failure *f) { exactncc::convolve(context, scene.image, exactncc::Filter(), {}, f); });
    fails(argument, "", [&](Failure *f) { exactncc::parse_method("nothing", f); });
    fails(argument, "", [&](Failure *f) { exactncc::measure_map(XNCC_VALID, 3, 3, 4, 4, f); });
    fails(argument, "", [&](Failure *f) {
        exactncc::refine(context, scene.image, templ, std::vector<xncc_match>(1, { -1, 0, 0 }), {},
                         f);
    });
    fails(argument, "",
          [&](Failure *f) { exactncc::Plan().find(scene.image, templ, {}, nullptr, f); });
    fails(argument, "", [&](Failure *f) { exactncc::Plan(context, exactncc::Problem(), {}, f); });
    fails(argument, "", [&](Failure *f) { exactncc::Scan().rows(1, f); });
    fails(argument, "", [&](Failure *f) { exactncc::Batch().best(scene.image, nullptr, f); });
    const exactncc::Template both[2] = { templ, none };
    fails(argument, "",
          [&](Failure *f) { exactncc::find_batch(context, scene.image, both, {}, nullptr, f); });
    exactncc::SuppressRule wrong;
    wrong.limit = 2;
    const exactncc::Template pair[2] = { templ, templ };
    fails(argument, "",
          [&](Failure *f) { exactncc::find_batch(context, scene.image, pair, {}, &wrong, f); });
    exactncc::Problem full = exactncc::problem(scene.image, templ);
    full.rule.mode = XNCC_FULL;
    exactncc::Batch batch(context, full, pair);
    fails(XNCC_ERROR_UNSUPPORTED, "", [&](Failure *f) { batch.best(scene.image, nullptr, f); });
    exactncc::ContextOptions cpu;
    cpu.device = XNCC_DEVICE_CPU;
    fails(XNCC_ERROR_UNSUPPORTED, "",
          [&](Failure *f) { exactncc::Suppressor(exactncc::Context(cpu), 16, f); });
    cpu.threads = -1;
    fails(argument, "thread", [&](Failure *f) { exactncc::Context(cpu, f); });
    Failure failure;
    CHECK(!exactncc::Context(cpu, &failure));
    CHECK(!exactncc::Template(context, xncc_image{}, &failure));
    // A success after a failure says so.
    CHECK(!exactncc::find(context, scene.image, templ, {}, &failure).empty() && !failure &&
          failure.status() == XNCC_OK);
}

// Each object is used after the names of what it was made with are gone.
void check_lifetimes(const Scene &scene)
{
    exactncc::Template templ, last;
    exactncc::Filter filter;
    exactncc::Plan plan, second;
    exactncc::Batch batch, empty;
    std::size_t expected = 0;
    {
        const exactncc::Context context;
        const exactncc::Template made(context, scene.patch[0]);
        const std::vector<exactncc::Template> list = { made, { context, scene.patch[1] } };
        exactncc::BatchOptions options;
        options.capacity = 40;
        templ = made;
        filter = exactncc::Filter(context, std::vector<float>(9, 1.0f), 3, 3);
        last = exactncc::Template(context, scene.patch[0]);
        plan = exactncc::Plan(context, exactncc::problem(scene.image, made));
        second = exactncc::Plan(context, exactncc::problem(scene.image, made));
        batch = exactncc::Batch(context, exactncc::problem(scene.image, made), list, options);
        empty = exactncc::Batch(context, exactncc::problem(scene.image, made), {});
        expected = exactncc::find(context, scene.image, made).size();
    }
    CHECK(filter && templ.width() == 9);
    CHECK(plan.find(scene.image, templ).size() == expected);
    CHECK(batch.find(scene.image).size() == 40);
    CHECK(empty.find(scene.image).empty());
    {
        exactncc::Scan scan(plan, scene.image, last, 10);
        last = exactncc::Template();
        scan.rows(40);
        exactncc::Plan moved = std::move(plan);
        plan = exactncc::Plan();
        moved = exactncc::Plan();
        exactncc::Scan other = std::move(scan);
        CHECK(other.finish().size() == 10 && !scan);
    }
    exactncc::Plan moved = std::move(second);
    CHECK(moved && !second);
    moved = exactncc::Plan(); // frees the plan, then lets go of its context
    CHECK(!moved);
    exactncc::Context first, other(first);
    const auto users = [&first] { return first.share().use_count(); };
    CHECK(first.get() == other.get() && users() == 2);
    other.cancel(); // nothing runs
    {
        const exactncc::Template one(first, scene.patch[0]), same_one(one);
        CHECK(one.get() == same_one.get() && users() == 3);
        const exactncc::Filter smooth(first, std::vector<float>(4, 1.0f), 2, 2);
        CHECK(users() == 4);
        const exactncc::Plan owner(first, exactncc::problem(scene.image, one));
        CHECK(users() == 5);
    }
    CHECK(users() == 2);
}

} // namespace

int main()
{
    const Scene scene;
    check_refused_views();
    check_refused_calls(scene, exactncc::Context());
    check_lifetimes(scene);
    return report();
}
