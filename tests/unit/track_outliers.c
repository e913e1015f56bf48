/* SPDX-License-Identifier: BSD-2-Clause */
/* The normalized median test against an oracle that looks at all pairs of points. */
#include "track_outliers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 500 };

typedef struct other {
    double distance;
    size_t index;
} other;

static int by_distance(const void *a, const void *b)
{
    const other *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *v, size_t n)
{
    qsort(v, n, sizeof *v, ascending);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* Writes the medians of the nearest points without the bits, and how far they spread. Returns
 * whether there are three. */
static int medians(const xncc_displacement *d, size_t count, size_t at, unsigned without, int most,
                   double middle[2], double spread[2])
{
    static other all[POINTS];
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (i != at && !(d[i].state & without) && isfinite(d[i].x) && isfinite(d[i].y))
            all[n++] = (other){
                (d[i].x - d[at].x) * (d[i].x - d[at].x) + (d[i].y - d[at].y) * (d[i].y - d[at].y), i
            };
    qsort(all, n, sizeof *all, by_distance);
    n = n < (size_t)most ? n : (size_t)most;
    for (int axis = 0; axis < 2 && n >= 3; axis++) {
        double v[64];
        for (size_t i = 0; i < n; i++)
            v[i] = axis ? d[all[i].index].dy : d[all[i].index].dx;
        middle[axis] = median(v, n);
        for (size_t i = 0; i < n; i++)
            v[i] = fabs(v[i] - middle[axis]);
        spread[axis] = median(v, n);
    }
    return n >= 3;
}

static void expect(const xncc_displacement *from, size_t count, const xncc_track_check_options *o,
                   xncc_displacement *to)
{
    double m[2], s[2];
    memcpy(to, from, count * sizeof *to);
    for (size_t i = 0; i < count; i++) {
        to[i].residual = NAN;
        if ((from[i].state & XNCC_TRACK_MISSING) ||
            !medians(from, count, i, XNCC_TRACK_MISSING, o->neighbours, m, s))
            continue;
        const double rx = (from[i].dx - m[0]) / (s[0] + o->noise),
                     ry = (from[i].dy - m[1]) / (s[1] + o->noise);
        to[i].residual = sqrt(rx * rx + ry * ry);
        to[i].state |= to[i].residual > o->limit ? XNCC_TRACK_OUTLIER : 0u;
    }
    static xncc_displacement marked[POINTS];
    memcpy(marked, to, count * sizeof *to);
    const unsigned bad = XNCC_TRACK_MISSING | XNCC_TRACK_OUTLIER;
    for (size_t i = 0; i < count && o->replace; i++)
        if ((marked[i].state & bad) && isfinite(marked[i].x) && isfinite(marked[i].y) &&
            medians(marked, count, i, bad, o->neighbours, m, s)) {
            to[i].dx = m[0];
            to[i].dy = m[1];
            to[i].state |= XNCC_TRACK_REPLACED;
        }
}

/* Points on a grid, on a line, at one place, or anywhere; some displacements wrong or missing. */
static size_t make(int kind, kit_random *random, xncc_displacement *d)
{
    const size_t count = kind == 5 ? kit_below(random, 6) : 40 + kit_below(random, POINTS - 40);
    for (size_t i = 0; i < count; i++) {
        const double a = (double)kit_between(random, 0, 4000) / 7,
                     b = (double)kit_between(random, -900, 300) / 3;
        d[i] = (xncc_displacement){ .x = kind == 0   ? (double)(i % 17) * 8
                                         : kind == 2 ? 5
                                                     : a,
                                    .y = kind == 0  ? (double)(i / 17) * 8
                                         : kind < 3 ? 7
                                                    : b,
                                    .residual = NAN };
        d[i].dx = 0.01 * d[i].x + (double)kit_between(random, -9, 9) / 50;
        d[i].dy = 3 - 0.02 * d[i].y + (double)kit_between(random, -9, 9) / 50;
        if (kind == 4 && i % 50 == 0)
            d[i].x = i % 100 ? 1e7 : -1e5; /* a few far away */
        if (kit_below(random, 12) == 0)
            d[i].dx += kit_between(random, -9, 9);
        if (kit_below(random, 9) == 0) {
            d[i].state = XNCC_TRACK_MISSING;
            d[i].dx = d[i].dy = NAN;
            if (kit_below(random, 4) == 0)
                d[i].x = NAN;
        }
    }
    return count;
}

static int same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void refuse(const xncc_track_check_options *o, const char *word)
{
    xncc_displacement d = { .state = 0 };
    CHECK_STATUS(xncc_track_check(o, &d, 1, &kit_error), XNCC_ERROR_ARGUMENT);
    CHECK(strstr(kit_error.text, word) != NULL);
}

static void check_refusals(void)
{
    const xncc_track_check_options good = XNCC_TRACK_CHECK_OPTIONS_INIT;
    xncc_track_check_options o = good;
#define REFUSE(member, value, word) (o = good, o.member = (value), refuse(&o, (word)))
    REFUSE(size, 4, "XNCC_TRACK_CHECK_OPTIONS_INIT");
    REFUSE(neighbours, 2, "2 neighbours");
    REFUSE(neighbours, 65, "65");
    REFUSE(limit, 0, "limit of 0");
    REFUSE(limit, NAN, "limit");
    REFUSE(noise, 0, "noise of 0");
    REFUSE(noise, INFINITY, "noise of inf");
    REFUSE(replace, 2, "replace is 2");
    REFUSE(reserved, 1, "reserved");
#undef REFUSE
    CHECK_STATUS(xncc_track_check(NULL, NULL, 1, &kit_error), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_track_check(NULL, NULL, 0, &kit_error), XNCC_OK);
}

void check_outliers(kit_random *random)
{
    static xncc_displacement from[POINTS], got[POINTS], want[POINTS];
    check_refusals();
    for (int k = 0; k < 60; k++) {
        xncc_track_check_options o = XNCC_TRACK_CHECK_OPTIONS_INIT;
        const size_t count = make(k % 6, random, from);
        size_t outliers = 0;
        o.neighbours = k % 3 ? 8 : kit_between(random, 3, 64);
        o.replace = k % 2;
        memcpy(got, from, sizeof got);
        CHECK_STATUS(xncc_track_check(&o, got, count, &kit_error), XNCC_OK);
        expect(from, count, &o, want);
        for (size_t i = 0; i < count; i++) {
            outliers += (got[i].state & XNCC_TRACK_OUTLIER) != 0;
            if (!CHECK(got[i].state == want[i].state && same(got[i].dx, want[i].dx) &&
                       same(got[i].dy, want[i].dy) && same(got[i].residual, want[i].residual)))
                printf("case %d, point %zu: state %u, not %u\n", k, i, got[i].state, want[i].state);
        }
        CHECK(k % 6 == 5 || outliers > 0);
    }
}
