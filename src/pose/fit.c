/* SPDX-License-Identifier: BSD-2-Clause */
/* Fits a quadratic surface, in two to four variables (fit.h). */
#include "pose/fit.h"

#include <math.h>

/* The gradient g and the Hessian h at the middle point, whose score is c. */
typedef struct surface {
    int axes;
    double c, g[XNCC_FIT_AXES], h[XNCC_FIT_AXES][XNCC_FIT_AXES];
} surface;

static surface differences(const double *score, const double far[2][2], int axes)
{
    int stride[XNCC_FIT_AXES], middle = 0;
    for (int k = 0, s = 1; k < axes; k++, s *= 3) {
        stride[k] = s;
        middle += s;
    }
    const double *m = score + middle;
    surface f = { .axes = axes, .c = m[0] };
    for (int k = 0; k < axes; k++) {
        const int s = stride[k];
        f.g[k] = 0.5 * (m[s] - m[-s]);
        f.h[k][k] = m[s] - 2.0 * m[0] + m[-s];
        if (k < 2 && far[k][0] - far[k][1] == far[k][0] - far[k][1]) {
            f.g[k] = (8.0 * (m[s] - m[-s]) - (far[k][1] - far[k][0])) / 12.0;
            f.h[k][k] = (16.0 * (m[s] + m[-s]) - 30.0 * m[0] - (far[k][1] + far[k][0])) / 12.0;
        }
        for (int i = 0; i < k; i++) {
            const int t = stride[i];
            f.h[k][i] = f.h[i][k] = 0.25 * (m[s + t] - m[s - t] - m[t - s] + m[-s - t]);
        }
    }
    return f;
}

/* Solves -h d = g by the decomposition of Cholesky. Returns 0 unless -h is positive definite. */
static int solve(const surface *f, double d[XNCC_FIT_AXES])
{
    double l[XNCC_FIT_AXES][XNCC_FIT_AXES];
    for (int i = 0; i < f->axes; i++)
        for (int j = 0; j <= i; j++) {
            double sum = -f->h[i][j];
            for (int k = 0; k < j; k++)
                sum -= l[i][k] * l[j][k];
            if (i == j && !(sum > 1e-12 * fabs(f->h[i][i])))
                return 0;
            l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
        }
    for (int i = 0; i < f->axes; i++) {
        d[i] = f->g[i];
        for (int k = 0; k < i; k++)
            d[i] -= l[i][k] * d[k];
        d[i] /= l[i][i];
    }
    for (int i = f->axes - 1; i >= 0; i--) {
        for (int k = i + 1; k < f->axes; k++)
            d[i] -= l[k][i] * d[k];
        d[i] /= l[i][i];
    }
    for (int i = 0; i < f->axes; i++)
        if (!(fabs(d[i]) <= 1.5))
            return 0;
    return 1;
}

static int axis_by_axis(const surface *f, double d[XNCC_FIT_AXES])
{
    for (int k = 0; k < f->axes; k++) {
        if (!(f->h[k][k] < 0.0) || !(fabs(f->g[k]) <= -f->h[k][k]))
            return 0;
        d[k] = -f->g[k] / f->h[k][k];
    }
    return 1;
}

xncc_pose_fit xncc_pose_fit_peak(const double *score, const double far[2][2], int axes)
{
    const surface f = differences(score, far, axes);
    xncc_pose_fit fit = { .found = 0, .score = f.c };
    if (!solve(&f, fit.at) && !axis_by_axis(&f, fit.at))
        return fit;
    fit.found = 1;
    for (int k = 0; k < axes; k++)
        fit.score += 0.5 * f.g[k] * fit.at[k];
    return fit;
}
