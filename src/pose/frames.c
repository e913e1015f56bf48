/* SPDX-License-Identifier: BSD-2-Clause */
/* Overlap of rotated frames, by clipping one with the sides of the other. */
#include "pose/frames.h"

#include "base/memory.h"
#include "pose/places.h"
#include "pose/turn.h"

#include <math.h>

static xncc_pose_frame frame_of(const xncc_pose_subject *subject, const xncc_pose_hit *hit)
{
    const xncc_turn turn = xncc_turn_of(xncc_pose_value(&subject->grid.angle, hit->pose.angle));
    const double scale = xncc_pose_value(&subject->grid.scale, hit->pose.scale);
    return (xncc_pose_frame){ .x = hit->pose.x + 0.5 * (hit->pose.width - 1),
                              .y = hit->pose.y + 0.5 * (hit->pose.height - 1),
                              .cos = (double)turn.cos * 0x1p-30,
                              .sin = (double)turn.sin * 0x1p-30,
                              .half_width = 0.5 * scale * subject->source.width,
                              .half_height = 0.5 * scale * subject->source.height };
}

typedef struct point {
    double x, y;
} point;

enum { MOST_CORNERS = 8 };

/* Keeps the part of a convex polygon with a*x + b*y <= c. Returns its number of corners. */
static int clip(point corner[MOST_CORNERS], int count, double a, double b, double c)
{
    point kept[MOST_CORNERS];
    int n = 0;
    for (int i = 0; i < count; i++) {
        const point p = corner[i], q = corner[(i + 1) % count];
        const double dp = a * p.x + b * p.y - c, dq = a * q.x + b * q.y - c;
        if (dp <= 0.0 && n < MOST_CORNERS)
            kept[n++] = p;
        if ((dp < 0.0) != (dq < 0.0) && dp != dq && dp != 0.0 && dq != 0.0 && n < MOST_CORNERS) {
            const double t = dp / (dp - dq);
            kept[n++] = (point){ p.x + t * (q.x - p.x), p.y + t * (q.y - p.y) };
        }
    }
    for (int i = 0; i < n; i++)
        corner[i] = kept[i];
    return n;
}

/* The corners of b, in the axes of a, around the centre of a. */
static void corners_in(const xncc_pose_frame *a, const xncc_pose_frame *b, point corner[4])
{
    static const int side[4][2] = { { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 } };
    for (int i = 0; i < 4; i++) {
        const double u = side[i][0] * b->half_width, v = side[i][1] * b->half_height;
        const double dx = b->x - a->x + b->cos * u + b->sin * v,
                     dy = b->y - a->y - b->sin * u + b->cos * v;
        corner[i] = (point){ a->cos * dx - a->sin * dy, a->sin * dx + a->cos * dy };
    }
}

/* The largest distance from a frame's centre within which it can have a point. */
static double reach_of(const xncc_pose_frame *f)
{
    return f->half_width + f->half_height;
}

double xncc_pose_overlap(const xncc_pose_frame *a, const xncc_pose_frame *b)
{
    const double reach = reach_of(a) + reach_of(b);
    if (fabs(a->x - b->x) >= reach || fabs(a->y - b->y) >= reach)
        return 0.0;
    point corner[MOST_CORNERS];
    corners_in(a, b, corner);
    int count = clip(corner, 4, 1.0, 0.0, a->half_width);
    count = clip(corner, count, -1.0, 0.0, a->half_width);
    count = clip(corner, count, 0.0, 1.0, a->half_height);
    count = clip(corner, count, 0.0, -1.0, a->half_height);
    double twice = 0.0;
    for (int i = 0; i < count; i++) {
        const point p = corner[i], q = corner[(i + 1) % count];
        twice += p.x * q.y - q.x * p.y;
    }
    const double shared = 0.5 * fabs(twice),
                 both = 4.0 * (a->half_width * a->half_height + b->half_width * b->half_height);
    return shared / (both - shared);
}

static double widest_reach(const xncc_pose_subject *subject, const xncc_pose_hit *hit, size_t count)
{
    double widest = 1.0;
    for (size_t i = 0; i < count; i++) {
        const xncc_pose_subject *s = &subject[hit[i].templ];
        widest = fmax(widest, 0.5 * xncc_pose_value(&s->grid.scale, hit[i].pose.scale) *
                                  (s->source.width + s->source.height));
    }
    return widest;
}

/* Does a frame overlap one of those that have a place by more than the limit? */
static int is_covered(const xncc_places *places, const xncc_pose_frame *frame,
                      const xncc_pose_frame *f, double limit)
{
    int32_t chain[XNCC_PLACES_CHAINS];
    const int chains = xncc_places_near(places, f->x, f->y, 0, chain);
    for (int k = 0; k < chains; k++)
        for (int32_t at = chain[k]; at; at = places->next[at - 1])
            if (xncc_pose_overlap(f, &frame[at - 1]) > limit)
                return 1;
    return 0;
}

xncc_status xncc_pose_suppress(const xncc_pose_subject *subject, xncc_pose_hit *hit, size_t count,
                               double limit, size_t top, size_t *kept, xncc_error *error)
{
    *kept = 0;
    if (count == 0 || top == 0)
        return XNCC_OK;
    const size_t most = count < top ? count : top;
    xncc_places places = { 0 };
    xncc_pose_frame *frame = xncc_alloc(most, sizeof *frame);
    xncc_status status = frame ? XNCC_OK
                               : xncc_fail(error, XNCC_ERROR_MEMORY,
                                           "poses: no memory for %zu matches", most);
    if (!status)
        status = xncc_places_open(&places, most, 2.0 * widest_reach(subject, hit, count), error);
    size_t n = 0;
    for (size_t i = 0; i < count && n < most && !status; i++) {
        const xncc_pose_frame f = frame_of(&subject[hit[i].templ], &hit[i]);
        if (limit < 1.0 && is_covered(&places, frame, &f, limit))
            continue;
        xncc_places_put(&places, n, f.x, f.y, 0);
        frame[n] = f;
        hit[n++] = hit[i];
    }
    xncc_places_close(&places);
    xncc_free(frame);
    *kept = n;
    return status;
}
