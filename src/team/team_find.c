/* SPDX-License-Identifier: BSD-2-Clause */
/* Searches of one image that a team divides: each member searches a band, and the matches are
 * chosen among what the members found.
 *
 * Two ways lead to the matches of an undivided search. First, each member searches its band by the
 * caller's rule. Its list can differ from the whole search only because of another band: a match
 * near the edge may suppress another there, or be suppressed. So if the best `top` of all lists
 * hold no two matches from different bands that are closer than the minimum distance, and none in
 * the rows that a band computes for its neighbours only, they are the result: by induction from the
 * best candidate on, each one is accepted in its band if and only if the whole search accepts it.
 * Otherwise the members search again for candidates, before any is suppressed, and the choice is
 * made among those of all bands, as xncc_join does. */
#include "team/team_run.h"

#include "base/memory.h"
#include "peaks/peaks.h"
#include "plan/problem.h"
#include "team/team_call.h"

#define MOST_MATCHES (UINT64_C(1) << 31) /* of a search (xncc_search_rule) */

/* What a band contributes. */
typedef struct harvest {
    xncc_match *match; /* in coordinates of the map; those that the band owns come first */
    size_t owned, found;
} harvest;

typedef struct search {
    xncc_team_call call;   /* first, so that it is an argument of find_one */
    xncc_search_rule rule; /* of the members */
    uint64_t enough;       /* the best so many that a band owns can matter */
    int again;             /* 1: it is the second way */
    harvest *part;         /* of each part */
} search;

/* The most matches of a search of a map: none are neighbours if they must be apart. */
static uint64_t most_of(uint64_t width, uint64_t height, int32_t distance)
{
    return distance > 1 ? (width + 1) / 2 * ((height + 1) / 2) : width * height;
}

/* How many matches a member looks for. In the second way, those of rows that it does not own must
 * not take the place of its own. */
static uint64_t room_of(const search *s, const xncc_band *band, uint64_t width)
{
    const int32_t d = s->rule.min_distance;
    const uint64_t beside = (uint64_t)(band->above + band->below),
                   others = s->again ? most_of(width, 1, d) * beside : 0,
                   rows = (uint64_t)band->above + (uint64_t)band->count + (uint64_t)band->below,
                   all = most_of(width, rows, d);
    return s->enough < all && s->enough + others < all ? s->enough + others : all;
}

/* Moves the matches of owned rows to the front, in coordinates of the map. */
static void sort_out(harvest *h, const xncc_band *band)
{
    for (size_t i = 0; i < h->found; i++) {
        xncc_match m = h->match[i];
        m.y += band->first - band->above;
        h->match[i] = m;
        if (m.y < band->first || m.y >= band->first + band->count)
            continue;
        h->match[i] = h->match[h->owned];
        h->match[h->owned++] = m;
    }
}

static xncc_status find_part(xncc_team_plan *plan, void *argument, int32_t member, int32_t part,
                             xncc_error *error)
{
    search *s = argument;
    harvest *h = &s->part[part];
    const int apart = s->rule.min_distance > 1;
    const xncc_band band = xncc_spread_band(&plan->problem, &plan->decision.spread, part, apart);
    const uint64_t width = (uint64_t)xncc_problem_extent(&plan->problem).width;
    xncc_search_rule rule = s->rule;
    xncc_image view;
    rule.top = (size_t)room_of(s, &band, width);
    xncc_free(h->match);
    *h = (harvest){ .match = xncc_alloc(rule.top, sizeof *h->match) };
    if (!h->match)
        return xncc_fail(error, XNCC_ERROR_MEMORY,
                         "no memory for %zu matches of a band; ask for fewer with top", rule.top);
    xncc_status status = xncc_team_call_band(plan, &s->call, member, part, &band, &view, error);
    if (!status)
        status = plan->team->member[member].is.engine->ops->find(
            plan->seat[member].plan, &view, xncc_team_template(plan, s->call.templ, member), &rule,
            h->match, &h->found, xncc_team_stream(&s->call, member), error);
    if (!status)
        sort_out(h, &band);
    return status;
}

/* The whole search; its matches may stay in device memory. */
static xncc_status find_one(xncc_team_plan *plan, void *argument, int32_t member, int32_t part,
                            xncc_error *error)
{
    const xncc_team_call *call = argument;
    const xncc_engine_ops *ops = plan->team->member[member].is.engine->ops;
    const xncc_template *templ = xncc_team_template(plan, call->templ, member);
    const xncc_stream stream = xncc_team_stream(call, member);
    (void)part;
    if (call->target && !ops->find_on_device)
        return xncc_fail(error, XNCC_ERROR_ARGUMENT, "find: it has no device memory for matches");
    const xncc_status status = xncc_seat_take(plan, member, &plan->problem, error);
    if (status)
        return status;
    xncc_engine_plan *own = plan->seat[member].plan;
    return call->target ? ops->find_on_device(own, call->image, templ, call->target, stream, error)
                        : ops->find(own, call->image, templ, call->rule, call->match, call->found,
                                    stream, error);
}

/* Chooses by the caller's rule among what the bands own. */
static xncc_status choose(const xncc_team_plan *plan, const search *s, xncc_error *error)
{
    const xncc_extent map = xncc_problem_extent(&plan->problem);
    xncc_peaks *peaks = NULL;
    xncc_status status = xncc_peaks_create(s->call.rule, (uint64_t)map.width * (uint64_t)map.height,
                                           &peaks, error);
    for (int32_t i = 0; i < plan->decision.spread.devices; i++)
        for (size_t k = 0; k < s->part[i].owned && !status; k++)
            status = xncc_peaks_add(peaks, s->part[i].match[k], error);
    if (!status)
        status = xncc_peaks_finish(peaks, s->call.match, s->call.found, error);
    xncc_peaks_destroy(peaks);
    return status;
}

/* Is the list that was chosen among the bands' own matches that of the whole search? */
static int is_settled(const xncc_team_plan *plan, const search *s)
{
    const size_t found = *s->call.found;
    const int full = found == s->call.rule->top;
    size_t before = 0; /* matches of all bands that are not after the last one of the list */
    for (int32_t i = 0; i < plan->decision.spread.devices; i++) {
        const harvest *h = &s->part[i];
        for (size_t k = 0; k < h->found; k++) {
            if (full &&
                xncc_match_before(&s->call.match[found - 1], &h->match[k], s->call.rule->smallest))
                continue;
            if (k >= h->owned)
                return 0;
            before++;
        }
    }
    return before == found;
}

/* Can a member list all candidates of its band that can matter? */
static int has_room(const xncc_team_plan *plan, const search *s)
{
    const xncc_spread *spread = &plan->decision.spread;
    const int32_t inner = spread->devices > 2; /* it has a neighbour on both sides */
    const xncc_band band = xncc_spread_band(&plan->problem, spread, inner, 1);
    const uint64_t width = (uint64_t)xncc_problem_extent(&plan->problem).width;
    return room_of(s, &band, width) <= MOST_MATCHES;
}

/* Searches the bands, first by the caller's rule. */
static xncc_status find_divided(xncc_team_plan *plan, search *s, xncc_error *error)
{
    const xncc_parts parts = { find_part, s, plan->decision.spread.devices, s->call.held };
    const uint64_t d = (uint64_t)s->call.rule->min_distance;
    s->enough = s->call.rule->top;
    xncc_status status = xncc_parts_run(plan, &parts, error);
    if (!status)
        status = choose(plan, s, error);
    if (status || is_settled(plan, s))
        return status;
    s->again = 1;
    s->rule.min_distance = 2;
    if (!xncc_mul_u64(s->enough, d * d, &s->enough))
        s->enough = UINT64_MAX;
    *s->call.found = 0;
    if (!has_room(plan, s))
        return s->call.held
                   ? xncc_fail(error, XNCC_ERROR_MEMORY,
                               "no room for the candidates of a part; ask for fewer matches with "
                               "top, or for a smaller minimum distance")
                   : xncc_parts_run(plan, &(xncc_parts){ find_one, s, 1, 0 }, error);
    status = xncc_parts_run(plan, &parts, error);
    return status ? status : choose(plan, s, error);
}

static xncc_status find_in_parts(xncc_team_plan *plan, search *s, xncc_error *error)
{
    s->part = xncc_alloc((uint64_t)plan->decision.spread.devices, sizeof *s->part);
    const xncc_status status = s->part ? find_divided(plan, s, error)
                                       : xncc_fail(error, XNCC_ERROR_MEMORY,
                                                   "no memory for the parts of a search");
    for (int32_t i = 0; s->part && i < plan->decision.spread.devices; i++)
        xncc_free(s->part[i].match);
    xncc_free(s->part);
    return status;
}

xncc_status xncc_team_find(xncc_engine_plan *engine_plan, const xncc_image *image,
                           const xncc_template *templ, const xncc_search_rule *rule,
                           xncc_match *match, size_t *found, xncc_stream stream, xncc_error *error)
{
    xncc_team_plan *plan = xncc_team_plan_of(engine_plan);
    search s = { .call = { .image = image,
                           .templ = templ,
                           .rule = rule,
                           .match = match,
                           .found = found,
                           .stream = stream },
                 .rule = *rule };
    if (xncc_team_call_stays(&s.call) || plan->stays || plan->decision.spread.devices < 2)
        return xncc_team_call_run(plan, &s.call, find_one, error);
    return find_in_parts(plan, &s, error);
}

xncc_status xncc_team_find_parts(xncc_engine_plan *engine_plan, const xncc_image *image,
                                 const xncc_template *templ, const xncc_search_rule *rule,
                                 xncc_match *match, size_t *found, const xncc_stream *stream,
                                 xncc_error *error)
{
    search s = { .call = { .held = 1,
                           .image = image,
                           .templ = templ,
                           .rule = rule,
                           .match = match,
                           .found = found,
                           .streams = stream },
                 .rule = *rule };
    return find_in_parts(xncc_team_plan_of(engine_plan), &s, error);
}

xncc_status xncc_team_find_on_device(xncc_engine_plan *engine_plan, const xncc_image *image,
                                     const xncc_template *templ, const xncc_peak_target *target,
                                     xncc_stream stream, xncc_error *error)
{
    xncc_team_call call = { .image = image, .templ = templ, .target = target, .stream = stream };
    return xncc_team_call_there(xncc_team_plan_of(engine_plan), &call, find_one, error);
}
