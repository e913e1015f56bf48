/* SPDX-License-Identifier: BSD-2-Clause */
/* The peak of a map of scores (measure.h). */
#include "track/measure.h"

#include "peaks/subpixel.h"
#include "track/lagrange.h"

#include <math.h>
#include <string.h>

static float score_at(const xncc_scored *m, int32_t x, int32_t y)
{
    const int inside = x >= 0 && x < m->width && y >= 0 && y < m->height;
    return inside ? m->score[y * m->pitch + x] : NAN;
}

/* Rows are read in groups of LANES elements, each with a result of its own, so that compilers use
 * vectors; the results do not depend on how. */
enum { LANES = 16 };

/* The largest score of a row, -INFINITY if it has none. */
static float row_best(const float *row, int32_t width)
{
    float lane[LANES], best = -INFINITY;
    int32_t x = 0;
    for (int k = 0; k < LANES; k++)
        lane[k] = -INFINITY;
    for (; x + LANES <= width; x += LANES)
        for (int k = 0; k < LANES; k++)
            lane[k] = row[x + k] > lane[k] ? row[x + k] : lane[k];
    for (; x < width; x++)
        lane[0] = row[x] > lane[0] ? row[x] : lane[0];
    for (int k = 0; k < LANES; k++)
        best = lane[k] > best ? lane[k] : best;
    return best;
}

int xncc_scored_best(const xncc_scored *m, int32_t *x, int32_t *y)
{
    float best = -INFINITY;
    *y = -1;
    for (int32_t j = 0; j < m->height; j++) {
        const float s = row_best(m->score + j * m->pitch, m->width);
        m->row_best[j] = s;
        if (s > best) {
            best = s;
            *y = j;
        }
    }
    for (*x = 0; *y >= 0 && m->score[*y * m->pitch + *x] != best;)
        ++*x;
    return *y >= 0;
}

/* Does the window precede each of its neighbours in the order of scores? */
static int is_local_maximum(const xncc_scored *m, int32_t x, int32_t y)
{
    const float s = m->score[y * m->pitch + x];
    for (int i = 0; i < 9; i++) {
        const float other = i == 4 ? NAN : score_at(m, x + i % 3 - 1, y + i / 3 - 1);
        if (i < 4 ? other >= s : other > s)
            return 0;
    }
    return 1;
}

/* The best local maximum but the best window. */
static float second_of(const xncc_scored *m, int32_t x, int32_t y)
{
    float second = -INFINITY;
    for (int32_t j = 0; j < m->height; j++) {
        const float *row = m->score + j * m->pitch;
        if (!(m->row_best[j] > second))
            continue;
        for (int32_t i = 0; i < m->width; i++)
            if (row[i] > second && (i != x || j != y) && is_local_maximum(m, i, j))
                second = row[i];
    }
    return isinf(second) ? NAN : second;
}

enum { PEAK_RADIUS = 2 }; /* what is farther from the best window is noise */

/* How many scores there are, and the sums of the differences from a score and of their squares. */
typedef struct moments {
    double n, sum, squares;
} moments;

/* Two scores at a time: what every processor has. */
typedef float pair_of_floats __attribute__((vector_size(8)));
typedef double pair_of_doubles __attribute__((vector_size(16)));
typedef int64_t pair_of_bits __attribute__((vector_size(16)));

typedef struct pair_of_moments {
    pair_of_doubles n, sum, squares;
} pair_of_moments;

/* Adds two scores; what is not finite is left out. */
__attribute__((always_inline)) static inline void add_pair(pair_of_floats scores, double best,
                                                           pair_of_moments *m)
{
    const pair_of_doubles one = { 1.0, 1.0 };
    pair_of_doubles d = best - __builtin_convertvector(scores, pair_of_doubles);
    const pair_of_bits finite = d - d == 0.0; /* neither NaN nor an infinity */
    d = (pair_of_doubles)((pair_of_bits)d & finite);
    m->n += (pair_of_doubles)((pair_of_bits)one & finite);
    m->sum += d;
    m->squares += d * d;
}

static void add_row(const float *row, int32_t width, double best, moments *m)
{
    pair_of_moments a = { { 0, 0 }, { 0, 0 }, { 0, 0 } }, b = a;
    pair_of_floats first, second;
    int32_t x = 0;
    for (; x + 4 <= width; x += 4) {
        memcpy(&first, row + x, sizeof first);
        memcpy(&second, row + x + 2, sizeof second);
        add_pair(first, best, &a);
        add_pair(second, best, &b);
    }
    for (; x < width; x++)
        add_pair((pair_of_floats){ row[x], NAN }, best, &a);
    m->n += a.n[0] + a.n[1] + b.n[0] + b.n[1];
    m->sum += a.sum[0] + a.sum[1] + b.sum[0] + b.sum[1];
    m->squares += a.squares[0] + a.squares[1] + b.squares[0] + b.squares[1];
}

static int32_t clamp(int32_t v, int32_t most)
{
    return v < 0 ? 0 : v > most ? most : v;
}

static double snr_of(const xncc_scored *m, int32_t x, int32_t y, double best)
{
    const int32_t left = clamp(x - PEAK_RADIUS, m->width),
                  right = clamp(x + PEAK_RADIUS + 1, m->width),
                  top = clamp(y - PEAK_RADIUS, m->height),
                  bottom = clamp(y + PEAK_RADIUS + 1, m->height);
    moments far = { 0, 0, 0 };
    for (int32_t j = 0; j < m->height; j++) {
        const float *row = m->score + j * m->pitch;
        const int near = j >= top && j < bottom;
        add_row(row, near ? left : m->width, best, &far);
        if (near)
            add_row(row + right, m->width - right, best, &far);
    }
    const double mean = far.sum / far.n, variance = far.squares / far.n - mean * mean;
    return far.n >= 2.0 && variance > 0.0 ? mean / sqrt(variance) : NAN;
}

/* The scores around the best window as the fit takes them. logs: their logarithms; returns 0 if one
 * of them is not positive. */
static int around(const xncc_scored *m, int32_t x, int32_t y, int logs, xncc_fit_scores *out)
{
    for (int i = 0; i < 9; i++) {
        const float s = score_at(m, x + i % 3 - 1, y + i / 3 - 1);
        if (logs && s <= 0.0f)
            return 0;
        out->s[i / 3][i % 3] = logs ? logf(s) : s;
    }
    return 1;
}

/* The scores that the oversampling reads: TAPS - 1 of them before and after the best window, so
 * that it can be moved by up to a pixel. Returns 0 if one is missing. */
enum { TAPS = XNCC_LAGRANGE_TAPS, REACH = TAPS / 2, SIDE = 2 * REACH + 1 };

typedef struct patch {
    double s[SIDE][SIDE];
} patch;

static int read_patch(const xncc_scored *m, int32_t x, int32_t y, patch *p)
{
    for (int32_t j = 0; j < SIDE; j++)
        for (int32_t i = 0; i < SIDE; i++) {
            p->s[j][i] = (double)score_at(m, x + i - REACH, y + j - REACH);
            if (!isfinite(p->s[j][i]))
                return 0;
        }
    return 1;
}

/* The score at (dx, dy) from the best window, each within -1 .. 1. */
static double interpolated(const patch *p, double dx, double dy)
{
    double wx[TAPS], wy[TAPS], sum = 0.0;
    const int left = dx < 0.0 ? 0 : 1, top = dy < 0.0 ? 0 : 1;
    xncc_lagrange_weights(dx < 0.0 ? dx + 1.0 : dx, wx);
    xncc_lagrange_weights(dy < 0.0 ? dy + 1.0 : dy, wy);
    for (int j = 0; j < TAPS; j++) {
        double row = 0.0;
        for (int i = 0; i < TAPS; i++)
            row += wx[i] * p->s[top + j][left + i];
        sum += wy[j] * row;
    }
    return sum;
}

static int fit_oversampled(const xncc_scored *m, int32_t x, int32_t y, int32_t factor,
                           xncc_displacement *d)
{
    patch p;
    if (!read_patch(m, x, y, &p))
        return 0;
    double best = p.s[REACH][REACH], cx = 0.0, cy = 0.0;
    for (int32_t part = 2; part <= factor; part *= 2) {
        const double step = 1.0 / (double)part, bx = cx, by = cy;
        for (int i = 0; i < 9; i++) {
            const double tx = bx + (i % 3 - 1) * step, ty = by + (i / 3 - 1) * step,
                         s = i == 4 ? best : interpolated(&p, tx, ty);
            if (s > best) {
                best = s;
                cx = tx;
                cy = ty;
            }
        }
    }
    d->dx = cx;
    d->dy = cy;
    return 1;
}

/* Sets dx and dy to fractions of a pixel. */
static void fit(const xncc_scored *m, int32_t x, int32_t y, const xncc_track_options *o,
                xncc_displacement *d)
{
    xncc_fit_scores scores;
    d->dx = d->dy = 0.0;
    if (o->fit == XNCC_TRACK_WHOLE ||
        (o->fit == XNCC_TRACK_OVERSAMPLED && fit_oversampled(m, x, y, o->oversample, d)))
        return;
    if (o->fit != XNCC_TRACK_GAUSSIAN || !around(m, x, y, 1, &scores))
        (void)around(m, x, y, 0, &scores);
    const xncc_fit peak = xncc_fit_peak(&scores, 0);
    d->dx = peak.dx;
    d->dy = peak.dy;
}

static void set_covariance(double samples, xncc_displacement *d)
{
    const double det = d->curve_xx * d->curve_yy - d->curve_xy * d->curve_xy,
                 noise = 2.0 * (1.0 - (double)d->score) / (samples - 2.0);
    d->cov_xx = d->cov_xy = d->cov_yy = NAN;
    if (!(det > 0.0) || !(d->curve_xx > 0.0) || samples <= 2.0)
        return;
    d->cov_xx = noise * d->curve_yy / det;
    d->cov_xy = -noise * d->curve_xy / det;
    d->cov_yy = noise * d->curve_xx / det;
}

void xncc_scored_measure(const xncc_scored *m, int32_t x, int32_t y, const xncc_track_options *o,
                         double samples, xncc_displacement *d)
{
    const int normed = o->method == XNCC_CCOEFF_NORMED || o->method == XNCC_CCORR_NORMED;
    xncc_fit_scores s;
    (void)around(m, x, y, 0, &s);
    d->score = s.s[1][1];
    d->second = second_of(m, x, y);
    d->ratio = d->second > 0.0f   ? (double)d->score / (double)d->second
               : isnan(d->second) ? (double)NAN
                                  : (double)INFINITY;
    d->snr = snr_of(m, x, y, (double)d->score);
    const double c = 2.0 * (double)d->score;
    d->curve_xx = c - (double)s.s[1][2] - (double)s.s[1][0];
    d->curve_yy = c - (double)s.s[2][1] - (double)s.s[0][1];
    d->curve_xy = -((double)s.s[2][2] - (double)s.s[2][0] - (double)s.s[0][2] + (double)s.s[0][0]) /
                  4.0;
    set_covariance(normed ? samples : 0.0, d);
    fit(m, x, y, o, d);
    if (x == 0 || y == 0 || x == m->width - 1 || y == m->height - 1)
        d->state |= XNCC_TRACK_EDGE;
}
