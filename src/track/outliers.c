/* SPDX-License-Identifier: BSD-2-Clause */
/* The normalized median test, and the replacement of what fails it (outliers.h). */
#include "track/outliers.h"

#include <math.h>

/* The median of at least one value; of an even number the mean of the two in the middle. Sorts the
 * values. */
static double median(double *value, int32_t count)
{
    for (int32_t i = 1; i < count; i++) {
        const double v = value[i];
        int32_t at = i;
        for (; at > 0 && value[at - 1] > v; at--)
            value[at] = value[at - 1];
        value[at] = v;
    }
    return count % 2 ? value[count / 2] : (value[count / 2 - 1] + value[count / 2]) / 2.0;
}

double xncc_median_of(const xncc_displacement *found, const size_t *near, int32_t count,
                      int vertical, double *spread)
{
    double value[XNCC_MOST_NEIGHBOURS];
    for (int32_t i = 0; i < count; i++)
        value[i] = vertical ? found[near[i]].dy : found[near[i]].dx;
    const double middle = median(value, count);
    for (int32_t i = 0; i < count; i++)
        value[i] = fabs(value[i] - middle);
    if (spread)
        *spread = median(value, count);
    return middle;
}

enum { FEWEST = 3 }; /* neighbours that a test needs */

static void test_point(const xncc_track_check_options *o, const xncc_neighbours *n,
                       xncc_displacement *found, size_t at)
{
    size_t near[XNCC_MOST_NEIGHBOURS];
    double sx, sy;
    found[at].residual = NAN;
    if (found[at].state & XNCC_TRACK_MISSING)
        return;
    const int32_t count = xncc_neighbours_find(n, at, XNCC_TRACK_MISSING, o->neighbours, near);
    if (count < FEWEST)
        return;
    const double mx = xncc_median_of(found, near, count, 0, &sx),
                 my = xncc_median_of(found, near, count, 1, &sy),
                 rx = (found[at].dx - mx) / (sx + o->noise),
                 ry = (found[at].dy - my) / (sy + o->noise);
    found[at].residual = sqrt(rx * rx + ry * ry);
}

/* Replaces a displacement by the medians of its neighbours that are not outliers. */
static void replace_point(const xncc_track_check_options *o, const xncc_neighbours *n,
                          xncc_displacement *found, size_t at)
{
    size_t near[XNCC_MOST_NEIGHBOURS];
    const int32_t count = xncc_neighbours_find(n, at, XNCC_TRACK_MISSING | XNCC_TRACK_OUTLIER,
                                               o->neighbours, near);
    if (count < FEWEST)
        return;
    found[at].dx = xncc_median_of(found, near, count, 0, NULL);
    found[at].dy = xncc_median_of(found, near, count, 1, NULL);
    found[at].state |= XNCC_TRACK_REPLACED;
}

xncc_status xncc_outliers_mark(const xncc_track_check_options *o, xncc_displacement *found,
                               size_t count, xncc_error *error)
{
    xncc_neighbours n;
    xncc_status status = xncc_neighbours_make(found, count, &n, error);
    for (size_t i = 0; i < count && !status; i++) /* every test sees what was found, not what is
                                                     replaced */
        test_point(o, &n, found, i);
    for (size_t i = 0; i < count && !status; i++)
        if (found[i].residual > o->limit)
            found[i].state |= XNCC_TRACK_OUTLIER;
    for (size_t i = 0; i < count && !status && o->replace; i++)
        if (found[i].state & (XNCC_TRACK_MISSING | XNCC_TRACK_OUTLIER))
            replace_point(o, &n, found, i);
    xncc_neighbours_free(&n);
    return status;
}
