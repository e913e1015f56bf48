/* SPDX-License-Identifier: BSD-2-Clause */
/* Which candidates go on from a level, against plain loops over all pairs. */
#include "unit/pose.h"

#include "pose/sieve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 600, ANGLES = 24 };

/* Does `a` stand before `b`? */
static int is_before(const xncc_pose_candidate *a, const xncc_pose_candidate *b)
{
    if (fabs(a->score) != fabs(b->score))
        return fabs(a->score) > fabs(b->score);
    if (a->y != b->y)
        return a->y < b->y;
    if (a->x != b->x)
        return a->x < b->x;
    return a->pose.scale != b->pose.scale ? a->pose.scale < b->pose.scale
                                          : a->pose.angle < b->pose.angle;
}

static int are_near(const xncc_pose_candidate *a, const xncc_pose_candidate *b, double distance,
                    int steps)
{
    const int apart = abs(a->pose.angle - b->pose.angle);
    return fabs(a->x - b->x) <= distance && fabs(a->y - b->y) <= distance &&
           (steps < 0 || (abs(a->pose.scale - b->pose.scale) <= steps &&
                          (apart <= steps || ANGLES - apart <= steps)));
}

static int is_any_near(const xncc_pose_candidate *list, size_t count, const xncc_pose_candidate *c,
                       double distance, int steps)
{
    for (size_t i = 0; i < count; i++)
        if (are_near(&list[i], c, distance, steps))
            return 1;
    return 0;
}

static void sort(xncc_pose_candidate *list, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = i; k > 0 && is_before(&list[k], &list[k - 1]); k--) {
            const xncc_pose_candidate c = list[k];
            list[k] = list[k - 1];
            list[k - 1] = c;
        }
}

static size_t thin(xncc_pose_candidate *list, size_t count, const xncc_pose_sieve *sieve,
                   double size)
{
    xncc_pose_candidate object[MOST];
    size_t kept = 0, objects = 0;
    double limit = sieve->limit;
    sort(list, count);
    for (size_t i = 0; i < count && objects < sieve->wanted; i++)
        if (!is_any_near(object, objects, &list[i], sieve->apart, -1)) {
            object[objects++] = list[i];
            if (objects == sieve->wanted && sieve->part > 0.0)
                limit = fmax(limit, sieve->part * fabs(list[i].score));
        }
    for (size_t i = 0; i < count && kept < sieve->most; i++)
        if (fabs(list[i].score) >= limit && !is_any_near(list, kept, &list[i], 1.5 * size, 1))
            list[kept++] = list[i];
    return kept;
}

/* Which of those after the first ones stay. *stands: 1 if the objects stand out. */
static size_t leave(xncc_pose_candidate *list, size_t first, size_t count, double reach,
                    const xncc_pose_sieve *sieve, int *stands)
{
    static xncc_pose_candidate ranked[MOST], object[MOST];
    size_t objects = 0, kept = first;
    double last = 0.0, next = 0.0;
    memcpy(ranked, list, first * sizeof *ranked);
    sort(ranked, first);
    for (size_t i = 0; i < first && next == 0.0; i++)
        if (!is_any_near(object, objects, &ranked[i], sieve->apart, -1)) {
            if (objects == sieve->wanted) {
                next = fabs(ranked[i].score);
            } else {
                object[objects++] = ranked[i];
                last = fabs(ranked[i].score);
            }
        }
    *stands = objects == sieve->wanted && last >= sieve->limit && next <= 0.99 * last &&
              1.0 - last <= 0.85 * (1.0 - next);
    for (size_t i = first; i < count; i++)
        if (!*stands || is_any_near(object, objects, &list[i], reach, -1))
            list[kept++] = list[i];
    return kept;
}

/* Some candidates have scores from 0.9 on, and the others at most as much as the case says: the
 * objects stand out by both rules, by one of them, or by none. */
static void check_leave(void)
{
    static xncc_pose_candidate want[MOST], got[MOST];
    kit_random r = kit_stream(15);
    int stood = 0, stayed = 0;
    for (int n = 0; n < 300; n++) {
        static const double most[] = { 0.5, 0.88, 0.895, 0.92, 1.0 };
        const size_t count = 2 + kit_below(&r, MOST - 2), first = 1 + kit_below(&r, count - 1);
        const xncc_pose_sieve sieve = { .limit = n % 6 ? 0.3 : 0.95,
                                        .wanted = 1 + kit_below(&r, 12),
                                        .apart = 20.0 };
        const size_t strong = n % 4 ? sieve.wanted : kit_below(&r, 14);
        memset(want, 0, sizeof want);
        for (size_t i = 0; i < count; i++) {
            xncc_pose_candidate *c = &want[i];
            const double at = (double)kit_below(&r, 1 << 20) / (double)(1 << 20);
            c->x = i < strong ? 40.0 * (double)i : 0.5 * (double)kit_below(&r, 1000);
            c->y = i < strong ? 30.0 : 0.5 * (double)kit_below(&r, 600);
            c->score = i < strong ? 0.9 + 0.1 * at : most[n % 5] * at;
            c->score *= kit_below(&r, 2) ? 1.0 : -1.0;
            c->pose.angle = (int32_t)kit_below(&r, ANGLES);
            c->pose.x = (int32_t)i;
        }
        memcpy(got, want, sizeof got);
        size_t kept = count;
        int stands;
        CHECK_STATUS(xncc_pose_leave(got, first, &kept, 4.0 * (1 + n % 3), &sieve, &kit_error),
                     XNCC_OK);
        CHECK_INT(kept, leave(want, first, count, 4.0 * (1 + n % 3), &sieve, &stands));
        CHECK(memcmp(got, want, kept * sizeof *got) == 0);
        stood += stands;
        stayed += !stands;
    }
    CHECK(stood > 50 && stayed > 50);
}

static void check_thin(void)
{
    static xncc_pose_candidate want[MOST], got[MOST];
    kit_random r = kit_stream(14);
    for (int n = 0; n < 200; n++) {
        const size_t count = n % 9 ? kit_below(&r, MOST) : (size_t)n / 9 % 3;
        const uint64_t side = n % 2 ? 300 : 60, scores = n % 5 ? 1u << 20 : 4; /* many are equal */
        const xncc_pose_rung rung = { .poses.grid.angle = { .count = ANGLES, .circular = 1 },
                                      .level = 2,
                                      .size = 4.0 };
        const xncc_pose_sieve sieve = { .limit = n % 3 ? 0.0 : 0.4,
                                        .part = n % 4 ? 0.0 : 0.8,
                                        .wanted = 1 + kit_below(&r, 20),
                                        .apart = 20.0,
                                        .most = n % 7 ? MOST : 50 };
        memset(want, 0, sizeof want);
        for (size_t i = 0; i < count; i++) {
            xncc_pose_candidate *c = &want[i];
            c->x = 0.5 * (double)kit_below(&r, 2 * side);
            c->y = 0.5 * (double)kit_below(&r, 2 * side);
            c->score = (double)(1 + kit_below(&r, scores)) / (double)scores;
            c->score *= kit_below(&r, 2) ? 1.0 : -1.0;
            c->pose.angle = (int32_t)kit_below(&r, ANGLES);
            c->pose.scale = (int32_t)kit_below(&r, 3);
            c->pose.x = (int32_t)i;
            for (size_t k = 0; k < i; k++) /* places and poses may be equal, but not both */
                if (!is_before(c, &want[k]) && !is_before(&want[k], c))
                    c->y += 1000.0 + (double)i;
        }
        memcpy(got, want, sizeof got);
        size_t kept = count;
        CHECK_STATUS(xncc_pose_thin(&rung, got, &kept, &sieve, &kit_error), XNCC_OK);
        CHECK_INT(kept, thin(want, count, &sieve, rung.size));
        CHECK(memcmp(got, want, kept * sizeof *got) == 0);
    }
}

void check_sieve(void)
{
    check_thin();
    check_leave();
}
