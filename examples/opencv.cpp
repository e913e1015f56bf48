// Searches a cv::Mat without copying it: a region of interest is the template, a colour image is
// matched by all of its channels, and the map of scores is a cv::Mat, too.
// SPDX-License-Identifier: BSD-2-Clause
//
// The same calls take a cv::cuda::GpuMat, with its stream: exactncc::view(gpu),
// exactncc::stream(queue). Only OpenCV's module core is needed.
#include <exactncc/opencv.hpp>

#include <cstdio>

namespace {

void run()
{
    // A colour image with the same patch in two places; yours comes from cv::imread or a camera.
    cv::Mat scene(240, 320, CV_8UC3);
    cv::theRNG().state = 7;
    cv::randu(scene, cv::Scalar::all(0), cv::Scalar::all(256));
    scene(cv::Rect(200, 90, 24, 20)).copyTo(scene(cv::Rect(40, 150, 24, 20)));
    const cv::Mat patch = scene(cv::Rect(200, 90, 24, 20));

    const exactncc::Context context;
    const exactncc::Template templ(context, exactncc::view(patch));
    exactncc::FindOptions options;
    options.peaks.min_score = 0.5f;
    for (const xncc_match &match : exactncc::find(context, exactncc::view(scene), templ, options)) {
        const cv::Rect window = exactncc::rect(match, templ);
        std::printf("%d %d %dx%d %.9g\n", window.x, window.y, window.width, window.height,
                    static_cast<double>(match.score));
    }

    // As cv::matchTemplate(scene, patch, map, cv::TM_CCOEFF_NORMED), with exact scores.
    const cv::Mat map = exactncc::correlate_mat(context, exactncc::view(scene), templ);
    double best = 0;
    cv::Point place;
    cv::minMaxLoc(map, nullptr, &best, nullptr, &place);
    std::printf("map %dx%d, best %.9g at %d %d\n", map.cols, map.rows, best, place.x, place.y);
}

} // namespace

int main()
{
    try {
        run();
    } catch (const std::exception &problem) {
        std::fprintf(stderr, "opencv: %s\n", problem.what());
        return 1;
    }
    return 0;
}
