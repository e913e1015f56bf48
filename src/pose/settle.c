/* SPDX-License-Identifier: BSD-2-Clause */
/* From a pose that is only about right to the best one nearby (settle.h). */
#include "pose/settle.h"

#include "pose/scorer.h"

enum { MOST_MOVES = 4 };

typedef struct settler {
    xncc_pose_scorer scorer;
    const xncc_pose_grid *grid;
    double sign; /* of the scores */
} settler;

/* Tries a pose of the grid in the nine windows around a centre. If one is better than *best, it
 * becomes *best. */
static xncc_status settle_pose(const settler *s, const xncc_grid_pose *at, xncc_grid_pose *to,
                               xncc_pose_hit *best, xncc_error *error)
{
    double score[XNCC_PROBE_WINDOWS];
    const xncc_pose_place place = xncc_pose_place_of(s->scorer.source,
                                                     xncc_pose_value(&s->grid->angle, to->angle),
                                                     xncc_pose_value(&s->grid->scale, to->scale));
    const int32_t x = at->x + (at->width - place.width) / 2,
                  y = at->y + (at->height - place.height) / 2;
    to->width = place.width;
    to->height = place.height;
    const xncc_pose_spot spot = { .place = place,
                                  .block = { x - 1, y - 1, XNCC_PROBE_SIDE, XNCC_PROBE_ALL },
                                  .score = score };
    const xncc_status status = xncc_pose_score_spots(&s->scorer, &spot, 1, error);
    for (int i = 0; i < XNCC_PROBE_WINDOWS && !status; i++)
        if (s->sign * score[i] > s->sign * (double)best->score) {
            to->x = x + i % XNCC_PROBE_SIDE - 1;
            to->y = y + i / XNCC_PROBE_SIDE - 1;
            best->pose = *to;
            best->score = (float)score[i];
        }
    return status;
}

xncc_status xncc_pose_settle(const xncc_pose_job *job, xncc_pose_hit *hit, xncc_error *error)
{
    const xncc_pose_subject *subject = &job->subject[hit->templ];
    const xncc_pose_grid *grid = &subject->grid;
    const settler s = { .scorer = { .job = job, .source = &subject->source },
                        .grid = grid,
                        .sign = hit->score < 0.0f ? -1.0 : 1.0 };
    xncc_status status = XNCC_OK;
    hit->score = 0.0f;
    for (int n = 0, moved = 1; n < MOST_MOVES && moved && !status; n++) {
        const xncc_grid_pose at = hit->pose;
        for (int j = -1; j <= 1 && !status; j++)
            for (int i = -1; i <= 1 && !status; i++) {
                xncc_grid_pose to = at;
                to.angle = grid->angle.count > 1 || i == 0
                               ? xncc_pose_index(&grid->angle, at.angle + i)
                               : -1;
                to.scale = xncc_pose_index(&grid->scale, at.scale + j);
                if (to.angle >= 0 && to.scale >= 0)
                    status = settle_pose(&s, &at, &to, hit, error);
            }
        moved = hit->pose.x != at.x || hit->pose.y != at.y || hit->pose.angle != at.angle ||
                hit->pose.scale != at.scale;
    }
    return status;
}
