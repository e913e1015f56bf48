/* SPDX-License-Identifier: BSD-2-Clause */
/* A running call of a team's plan, and the ways to run it on one member. */
#ifndef XNCC_TEAM_TEAM_CALL_H
#define XNCC_TEAM_TEAM_CALL_H

#include "team/parts.h"

/* The arguments of a call. Those that it does not have are NULL. */
typedef struct xncc_team_call {
    int held; /* 1: image and map are in parts: arrays of views, of which member i holds number i */
    int whole; /* 1: one part is the whole call; set when it is run */
    const xncc_image *image;
    const xncc_template *templ;
    const xncc_filter *filter;
    const xncc_map *map;
    const xncc_search_rule *rule;
    xncc_match *match;
    size_t *found;
    const xncc_templ_group *templs; /* of a batch */
    const xncc_image_group *images; /* of a search of several */
    size_t each;                    /* templates or images of a part; the last one has the rest */
    int32_t *holder; /* the member that searches each image; NULL: all are in host memory */
    const xncc_peak_target *target;
    xncc_stream stream; /* of the member that holds the caller's device memory, else of member 0 */
    const xncc_stream *streams; /* held: of each member; NULL: the default streams */
} xncc_team_call;

/* Is the call's image or map in device memory? */
int xncc_team_call_stays(const xncc_team_call *call);

/* The stream of a part of a call on a member. */
static inline xncc_stream xncc_team_stream(const xncc_team_call *call, int32_t member)
{
    if (call->held)
        return call->streams ? call->streams[member] : NULL;
    return member == 0 || xncc_team_call_stays(call) ? call->stream : NULL;
}

/* Binds the member's plan to a band of a match, which is that of part `part` with or without the
 * rows for its neighbours, and makes a view of what the band reads. If the part is the whole call,
 * that is the plan's own problem and image. */
xncc_status xncc_team_call_band(xncc_team_plan *plan, const xncc_team_call *call, int32_t member,
                                int32_t part, const xncc_band *band, xncc_image *view,
                                xncc_error *error);

/* Runs the whole call on the member that holds its device memory. part: computes it. */
xncc_status xncc_team_call_there(xncc_team_plan *plan, xncc_team_call *call, xncc_part_fn part,
                                 xncc_error *error);

/* Runs a call: on the member that holds its device memory; divided, if the decision says so; or
 * else on one member. part: computes part of it, or the whole. */
xncc_status xncc_team_call_run(xncc_team_plan *plan, xncc_team_call *call, xncc_part_fn part,
                               xncc_error *error);

#endif
