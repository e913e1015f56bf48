/* SPDX-License-Identifier: BSD-2-Clause */
/* Suppression across templates, against the rule of suppress.h applied pixel by pixel. */
#include "kit/kit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 60 };

/* The order that suppress.h defines. */
static int before(const xncc_candidate *a, const xncc_candidate *b, int smallest)
{
    const long long key[][2] = { { a->match.y, b->match.y },
                                 { a->match.x, b->match.x },
                                 { a->templ, b->templ },
                                 { a->width, b->width },
                                 { a->height, b->height } };
    if (a->match.score != b->match.score)
        return smallest ? a->match.score < b->match.score : a->match.score > b->match.score;
    for (int i = 0; i < 5; i++)
        if (key[i][0] != key[i][1])
            return key[i][0] < key[i][1];
    return 0;
}

static int inside(const xncc_candidate *c, int32_t x, int32_t y)
{
    return x >= c->match.x && x < c->match.x + c->width && y >= c->match.y &&
           y < c->match.y + c->height;
}

static int same_thing(const xncc_candidate *a, const xncc_candidate *b,
                      const kit_suppress_options *o)
{
    if (o->kind == XNCC_SUPPRESS_DISTANCE) {
        const double dx = fabs(a->match.x + a->width / 2.0 - b->match.x - b->width / 2.0);
        const double dy = fabs(a->match.y + a->height / 2.0 - b->match.y - b->height / 2.0);
        return fmax(dx, dy) < o->limit;
    }
    int both = 0, either = 0;
    for (int32_t y = -20; y < 60; y++)
        for (int32_t x = -20; x < 60; x++) {
            const int in_a = inside(a, x, y), in_b = inside(b, x, y);
            both += in_a && in_b;
            either += in_a || in_b;
        }
    return (double)both / either > o->limit;
}

/* Repeatedly accepts the best candidate left and suppresses those that are the same thing. */
static size_t brute(const xncc_candidate *all, size_t count, const kit_suppress_options *o,
                    xncc_candidate *result)
{
    int gone[MOST] = { 0 };
    size_t kept = 0;
    for (;;) {
        size_t best = count;
        for (size_t i = 0; i < count; i++)
            if (!gone[i] && !isnan(all[i].match.score) &&
                (best == count || before(&all[i], &all[best], xncc_method_is_distance(o->method))))
                best = i;
        if (best == count || (o->top && kept == o->top))
            return kept;
        result[kept++] = all[best];
        gone[best] = 1;
        for (size_t i = 0; i < count; i++)
            gone[i] |= same_thing(&all[best], &all[i], o);
    }
}

static int same_candidate(const xncc_candidate *a, const xncc_candidate *b)
{
    return a->match.x == b->match.x && a->match.y == b->match.y &&
           a->match.score == b->match.score && a->templ == b->templ && a->width == b->width &&
           a->height == b->height;
}

static void check_random(void)
{
    static const double overlap[] = { 0, 0.1, 0.25, 1.0 / 3, 0.5, 0.7, 1 },
                        distance[] = { 0, 0.5, 1, 3, 7.5, 20 };
    kit_random random = kit_stream(1);
    for (int round = 0; round < 1000; round++) {
        xncc_candidate all[MOST], got[MOST], want[MOST];
        const size_t count = (size_t)kit_below(&random, MOST + 1);
        const int32_t sides = kit_between(&random, 1, 12);
        for (size_t i = 0; i < count; i++) {
            const int32_t templ = kit_between(&random, 0, 3);
            all[i] = (xncc_candidate){ .match = { kit_between(&random, -10, 30),
                                                  kit_between(&random, -10, 30), 0 },
                                       .templ = templ,
                                       .width = 1 + templ * sides / 3,
                                       .height = 1 + (3 - templ) * sides / 2 };
            all[i].match.score = kit_below(&random, 20) ? (float)kit_below(&random, 6) / 5.0f
                                                        : NAN; /* many ties */
            if (i > 0 && kit_below(&random, 8) == 0)
                all[i] = all[kit_below(&random, i)];
        }
        const xncc_suppress_kind rule = round & 1 ? XNCC_SUPPRESS_OVERLAP : XNCC_SUPPRESS_DISTANCE;
        const kit_suppress_options o = {
            .method = round & 2 ? XNCC_SQDIFF_NORMED : XNCC_CCOEFF_NORMED,
            .kind = rule,
            .limit = rule == XNCC_SUPPRESS_OVERLAP ? overlap[kit_below(&random, 7)]
                                                   : distance[kit_below(&random, 6)],
            .top = round % 3 ? 0 : 1 + (size_t)kit_below(&random, 10)
        };
        /* At these limits a candidate does not even suppress itself; the brute-force rule would
         * accept it for ever. */
        const int none = rule == XNCC_SUPPRESS_OVERLAP ? o.limit == 1.0 : o.limit == 0.0;
        size_t kept = 99, wanted = none ? 0 : brute(all, count, &o, want);
        memcpy(got, all, sizeof got);
        CHECK_STATUS(kit_suppress(got, count, &o, &kept), XNCC_OK);
        for (size_t i = 0; i < count && none; i++)
            wanted += !isnan(all[i].match.score) && (o.top == 0 || wanted < o.top);
        int same = kept == wanted;
        for (size_t i = 0; i < wanted && same; i++)
            same = none ? i == 0 || !before(&got[i], &got[i - 1], xncc_method_is_distance(o.method))
                        : same_candidate(&got[i], &want[i]);
        if (!CHECK(same))
            kit_fail(__FILE__, __LINE__,
                     "round %d: %s %g, %zu candidates: %zu kept, not %zu, or not those", round,
                     rule == XNCC_SUPPRESS_OVERLAP ? "overlap" : "distance", o.limit, count, kept,
                     wanted);
    }
}

static void check_limits(void)
{
    /* 8 x 8 windows, shifted by 4: they share 32 of 96 pixels, which is 1/3; their centres are 4
     * apart. */
    const xncc_candidate pair[2] = { { { 4, 0, 0.5f }, 1, 8, 8 }, { { 0, 0, 0.75f }, 0, 8, 8 } };
    static const struct {
        xncc_suppress_kind rule;
        double limit;
        size_t kept;
    } row[] = { { XNCC_SUPPRESS_OVERLAP, 0.33, 1 },   { XNCC_SUPPRESS_OVERLAP, 32.0 / 96.0, 2 },
                { XNCC_SUPPRESS_OVERLAP, 0.34, 2 },   { XNCC_SUPPRESS_DISTANCE, 4.0, 2 },
                { XNCC_SUPPRESS_DISTANCE, 4.001, 1 }, { XNCC_SUPPRESS_DISTANCE, 2147483648.0, 1 } };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        xncc_candidate c[2];
        size_t kept = 0;
        memcpy(c, pair, sizeof c);
        CHECK_STATUS(
            kit_suppress(
                c, 2, &(kit_suppress_options){ .kind = row[i].rule, .limit = row[i].limit }, &kept),
            XNCC_OK);
        CHECK_INT(kept, row[i].kept);
        CHECK_INT(c[0].templ, 0);
    }
    /* The largest windows: their areas fit neither 32 bits nor a float. */
    xncc_candidate large[2] = { { { -XNCC_MAX_SIDE, 0, 1 }, 0, XNCC_MAX_SIDE, XNCC_MAX_SIDE },
                                { { XNCC_MAX_SIDE, 0, 1 }, 1, XNCC_MAX_SIDE, XNCC_MAX_SIDE } };
    size_t kept = 0;
    CHECK_STATUS(
        kit_suppress(large, 2, &(kit_suppress_options){ .kind = XNCC_SUPPRESS_OVERLAP }, &kept),
        XNCC_OK);
    CHECK_INT(kept, 2);
    large[0].match.x = large[1].match.x - 1;
    large[1].match.x -= 2;
    CHECK_STATUS(kit_suppress(large, 2, NULL, &kept), XNCC_OK);
    CHECK_INT(kept, 1);
    CHECK_INT(large[0].match.x, XNCC_MAX_SIDE - 2);
}

static void check_refusals(void)
{
    const xncc_candidate good = { { 1, 2, 0.5f }, 0, 3, 4 };
    const kit_suppress_options bad[] = { { .limit = -1 },
                                         { .limit = (double)NAN },
                                         { .limit = 2147483649.0 },
                                         { .kind = XNCC_SUPPRESS_OVERLAP, .limit = 1.01 },
                                         { .kind = (xncc_suppress_kind)2 },
                                         { .method = (xncc_method)7 } };
    xncc_candidate c = good;
    size_t kept = 9;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK_STATUS(kit_suppress(&c, 1, &bad[i], &kept), XNCC_ERROR_ARGUMENT);
        CHECK_INT(kept, 0);
    }
    for (int i = 0; i < 6; i++) {
        c = good;
        *(i < 2   ? &c.width
          : i < 4 ? &c.height
          : i < 5 ? &c.match.x
                  : &c.match.y) = i > 3   ? -XNCC_MAX_SIDE - 1
                                  : i & 1 ? XNCC_MAX_SIDE + 1
                                          : 0;
        CHECK_STATUS(kit_suppress(&c, 1, NULL, &kept), XNCC_ERROR_ARGUMENT);
    }
    CHECK_STATUS(kit_suppress(NULL, 1, NULL, &kept), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(kit_suppress(&c, 1, NULL, NULL), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(kit_suppress(NULL, 0, NULL, &kept), XNCC_OK);
    CHECK_INT(kept, 0);
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    check_random();
    check_limits();
    check_refusals();
    return kit_finish("merge");
}
