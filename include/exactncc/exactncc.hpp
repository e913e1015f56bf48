// exactncc in C++17: objects that free themselves, vectors and spans, exceptions or error codes.
// SPDX-License-Identifier: BSD-2-Clause
//
// A thin layer over the C headers, which remain the manual: each function does what the C function
// of its name does, and the structs of the C headers are used as they are. No library beside
// exactncc's own is needed. exactncc/opencv.hpp has views of cv::Mat and cv::cuda::GpuMat.
//
//     exactncc::Context context;
//     exactncc::Template templ(context, exactncc::view(patch, 16, 16));
//     exactncc::FindOptions options;
//     options.peaks.min_score = 0.8f;
//     for (const xncc_match &match : exactncc::find(context, scene, templ, options))
//         std::printf("%d %d %g\n", match.x, match.y, match.score);
//
// - Options, rules and problems (FindOptions and others) are the C structs with a constructor that
//   sets the initializer's values. A C struct is accepted in their place.
// - The last parameter of a call that can fail is a Failure *. If it is nullptr, which is the
//   default, a failure is thrown as an Error. Otherwise nothing is thrown: *failure says whether
//   the call failed, and a call that failed returns an empty value. A vector for which there is no
//   memory is std::bad_alloc in both cases. A program that is compiled without exceptions ends in
//   std::terminate where they would be thrown.
// - Contexts, templates and filters are handles: copies share one object, which is freed with the
//   last of them. Plans, batches, scans and suppressors can be moved, not copied. Every object
//   keeps alive what it was made with: its context, the templates of a batch, the plan and the
//   template of a scan. The pixels of an image are always the caller's.
// - An object whose making failed, or that was moved from, is empty; other calls refuse it.
#ifndef EXACTNCC_HPP
#define EXACTNCC_HPP

#include "exactncc.h"

#include "cpp/batch.hpp"
#include "cpp/failure.hpp"
#include "cpp/find.hpp"
#include "cpp/image.hpp"
#include "cpp/objects.hpp"
#include "cpp/options.hpp"
#include "cpp/plan.hpp"
#include "cpp/pose.hpp"
#include "cpp/span.hpp"
#include "cpp/suppress.hpp"
#include "cpp/track.hpp"

#endif
