// exactncc in C++: options, rules and problems with the defaults in them.
// SPDX-License-Identifier: BSD-2-Clause
#ifndef EXACTNCC_CPP_OPTIONS_HPP
#define EXACTNCC_CPP_OPTIONS_HPP

#include "../batch.h"
#include "../convolve.h"
#include "../find.h"
#include "../plan.h"
#include "../pose.h"
#include "../suppress.h"
#include "../track.h"

namespace exactncc {

namespace detail {

// A C struct with the values of its initializer.
template <class Struct> Struct initial();
template <class Struct> struct Initialized : Struct {
    Initialized() : Struct(initial<Struct>())
    {
    }
    Initialized(const Struct &values) : Struct(values)
    {
    }
};
template <> inline xncc_context_options initial()
{
    return XNCC_CONTEXT_OPTIONS_INIT;
}
template <> inline xncc_match_rule initial()
{
    return XNCC_MATCH_RULE_INIT;
}
template <> inline xncc_peak_rule initial()
{
    return XNCC_PEAK_RULE_INIT;
}
template <> inline xncc_suppress_rule initial()
{
    return XNCC_SUPPRESS_RULE_INIT;
}
template <> inline xncc_correlate_options initial()
{
    return XNCC_CORRELATE_OPTIONS_INIT;
}
template <> inline xncc_find_options initial()
{
    return XNCC_FIND_OPTIONS_INIT;
}
template <> inline xncc_pose_options initial()
{
    return XNCC_POSE_OPTIONS_INIT;
}
template <> inline xncc_filter_options initial()
{
    return XNCC_FILTER_OPTIONS_INIT;
}
template <> inline xncc_convolve_options initial()
{
    return XNCC_CONVOLVE_OPTIONS_INIT;
}
template <> inline xncc_problem initial()
{
    return XNCC_PROBLEM_INIT;
}
template <> inline xncc_preference initial()
{
    return XNCC_PREFERENCE_INIT;
}
template <> inline xncc_batch_options initial()
{
    return XNCC_BATCH_OPTIONS_INIT;
}

template <> inline xncc_track_options initial()
{
    return XNCC_TRACK_OPTIONS_INIT;
}
template <> inline xncc_track_pass initial()
{
    return XNCC_TRACK_PASS_INIT;
}
template <> inline xncc_track_check_options initial()
{
    return XNCC_TRACK_CHECK_OPTIONS_INIT;
}
template <> inline xncc_track_source initial()
{
    return XNCC_TRACK_SOURCE_INIT;
}

} // namespace detail

using ContextOptions = detail::Initialized<xncc_context_options>;
using MatchRule = detail::Initialized<xncc_match_rule>;
using PeakRule = detail::Initialized<xncc_peak_rule>;
using SuppressRule = detail::Initialized<xncc_suppress_rule>;
using CorrelateOptions = detail::Initialized<xncc_correlate_options>;
using FindOptions = detail::Initialized<xncc_find_options>;
using FilterOptions = detail::Initialized<xncc_filter_options>;
using ConvolveOptions = detail::Initialized<xncc_convolve_options>;
using Problem = detail::Initialized<xncc_problem>;
using Preference = detail::Initialized<xncc_preference>;
using BatchOptions = detail::Initialized<xncc_batch_options>;
using PoseOptions = detail::Initialized<xncc_pose_options>;
using TrackOptions = detail::Initialized<xncc_track_options>;
using TrackPass = detail::Initialized<xncc_track_pass>;
using TrackCheckOptions = detail::Initialized<xncc_track_check_options>;
using TrackSource = detail::Initialized<xncc_track_source>;

} // namespace exactncc

#endif
