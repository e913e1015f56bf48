/* SPDX-License-Identifier: BSD-2-Clause */
/* The surface through nine scores, or a parabola per axis where its peak is not reliable. */
#include "peaks/subpixel.h"

#include <math.h>

/* The parabola through three scores of one axis: slope and second difference at the middle. */
typedef struct axis {
    double slope, bend;
    int peaked; /* 1: the middle is not below its neighbours, and above at least one */
} axis;

/* All zero unless the three scores exist and have a peak. */
static axis axis_of(double before, double middle, double after)
{
    const axis a = { (after - before) / 2, before - 2 * middle + after, 0 };
    if (!isfinite(a.slope) || !isfinite(a.bend) || before > middle || after > middle ||
        !(a.bend < 0))
        return (axis){ 0, 0, 0 };
    return (axis){ a.slope, a.bend, 1 };
}

/* Fits both axes and their cross term. Returns 0 if the peak cannot be trusted: an axis without a
 * peak, a missing or better corner, an indefinite surface, or a peak more than a pixel away. */
static int fit_surface(double v[3][3], const axis *x, const axis *y, xncc_fit *fit)
{
    const double cross = (v[2][2] - v[2][0] - v[0][2] + v[0][0]) / 4, middle = v[1][1];
    if (!x->peaked || !y->peaked || !isfinite(cross))
        return 0;
    for (int corner = 0; corner < 4; corner++)
        if (v[corner & 2][(corner & 1) * 2] > middle)
            return 0;
    const double determinant = x->bend * y->bend - cross * cross;
    const double dx = -(y->bend * x->slope - cross * y->slope) / determinant;
    const double dy = -(x->bend * y->slope - cross * x->slope) / determinant;
    if (!(determinant > 0) || !(fabs(dx) <= 1) || !(fabs(dy) <= 1))
        return 0;
    *fit = (xncc_fit){ dx, dy, middle + (x->slope * dx + y->slope * dy) / 2 };
    return 1;
}

xncc_fit xncc_fit_peak(const xncc_fit_scores *scores, int smallest)
{
    const double sign = smallest ? -1.0 : 1.0;
    double v[3][3];
    for (int i = 0; i < 9; i++)
        v[i / 3][i % 3] = sign * (double)scores->s[i / 3][i % 3];
    xncc_fit fit = { 0, 0, v[1][1] };
    const axis x = axis_of(v[1][0], v[1][1], v[1][2]), y = axis_of(v[0][1], v[1][1], v[2][1]);
    if (!fit_surface(v, &x, &y, &fit)) {
        fit.dx = x.peaked ? -x.slope / x.bend : 0;
        fit.dy = y.peaked ? -y.slope / y.bend : 0;
        fit.score += (x.slope * fit.dx + y.slope * fit.dy) / 2;
    }
    fit.score *= sign;
    return fit;
}
