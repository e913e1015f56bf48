/* SPDX-License-Identifier: BSD-2-Clause */
/* The peak of a map of scores (measure.h): first what is read of the map, then what follows. */
#include "track/measure.h"

#include "peaks/subpixel.h"
#include "track/lagrange.h"

#include <math.h>

static float score_at(const xncc_scored *m, int32_t x, int32_t y)
{
    const int inside = x >= 0 && x < m->width && y >= 0 && y < m->height;
    return inside ? m->score[y * m->pitch + x] : NAN;
}

static int find_best(const xncc_scored *m, int32_t *x, int32_t *y)
{
    float best = -INFINITY;
    *y = -1;
    for (int32_t j = 0; j < m->height; j++) {
        const float s = m->scan->best(m->score + j * m->pitch, m->width);
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

/* The best local maximum but the best window. The windows beside the best one are not above it, and
 * an equal one would be the best itself if it came before; so none of them is a local maximum. */
static float second_of(const xncc_scored *m, int32_t x, int32_t y)
{
    float second = -INFINITY;
    for (int32_t j = 0; j < m->height; j++) {
        const float *row = m->score + j * m->pitch;
        xncc_scan_row r = { .row = row,
                            .above = j > 0 ? row - m->pitch : NULL,
                            .below = j + 1 < m->height ? row + m->pitch : NULL,
                            .width = m->width,
                            .end = j == y ? x : m->width };
        if (!(m->row_best[j] > second))
            continue;
        second = m->scan->peak(&r, second);
        if (j != y)
            continue;
        r.first = x + 1;
        r.end = m->width;
        second = m->scan->peak(&r, second);
    }
    return second;
}

enum { PEAK_RADIUS = 2 }; /* what is farther from the best window is noise */

static int32_t clamp(int32_t v, int32_t most)
{
    return v < 0 ? 0 : v > most ? most : v;
}

/* The moments of the scores far from the best window. finite: 1 takes all scores for finite; if one
 * is not, a sum is not. */
static xncc_moments far_moments(const xncc_scored *m, int32_t x, int32_t y, double best, int finite)
{
    const int32_t left = clamp(x - PEAK_RADIUS, m->width),
                  right = clamp(x + PEAK_RADIUS + 1, m->width),
                  top = clamp(y - PEAK_RADIUS, m->height),
                  bottom = clamp(y + PEAK_RADIUS + 1, m->height);
    xncc_moments far = { 0, 0, 0 };
    for (int32_t j = 0; j < m->height; j++) {
        const float *row = m->score + j * m->pitch;
        const int near = j >= top && j < bottom;
        m->scan->add(row, near ? left : m->width, best, finite, &far);
        if (near)
            m->scan->add(row + right, m->width - right, best, finite, &far);
    }
    return far;
}

void xncc_scored_read(const xncc_scored *m, int32_t side, float *around, xncc_reading *r)
{
    int32_t x, y;
    *r = (xncc_reading){ .x = -1, .side = side, .around = around };
    if (!find_best(m, &x, &y))
        return;
    r->x = x;
    r->y = y;
    for (int32_t j = 0; j < side; j++)
        for (int32_t i = 0; i < side; i++)
            around[j * side + i] = score_at(m, x + i - side / 2, y + j - side / 2);
    const double best = (double)score_at(m, x, y);
    r->second = second_of(m, x, y);
    r->far = far_moments(m, x, y, best, 1);
    if (!isfinite(r->far.squares))
        r->far = far_moments(m, x, y, best, 0);
}

/* The score at (dx, dy) from the best window, which is within the reading. */
static float near_score(const xncc_reading *r, int32_t dx, int32_t dy)
{
    return r->around[(r->side / 2 + dy) * r->side + r->side / 2 + dx];
}

static double snr_of(const xncc_moments *far)
{
    const double mean = far->sum / far->n, variance = far->squares / far->n - mean * mean;
    return far->n >= 2.0 && variance > 0.0 ? mean / sqrt(variance) : NAN;
}

/* The scores around the best window as the fit takes them. logs: their logarithms; returns 0 if one
 * of them is not positive. */
static int around(const xncc_reading *r, int logs, xncc_fit_scores *out)
{
    for (int i = 0; i < 9; i++) {
        const float s = near_score(r, i % 3 - 1, i / 3 - 1);
        if (logs && s <= 0.0f)
            return 0;
        out->s[i / 3][i % 3] = logs ? logf(s) : s;
    }
    return 1;
}

/* The scores that the oversampling reads: TAPS - 1 of them before and after the best window, so
 * that it can be moved by up to a pixel. Returns 0 if one is missing. */
enum { TAPS = XNCC_LAGRANGE_TAPS, REACH = TAPS / 2, SIDE = 2 * REACH + 1 };
_Static_assert((int)SIDE == (int)XNCC_READING_OVERSAMPLED, "the scores of a reading");

typedef struct patch {
    double s[SIDE][SIDE];
} patch;

static int read_patch(const xncc_reading *r, patch *p)
{
    for (int32_t j = 0; j < SIDE; j++)
        for (int32_t i = 0; i < SIDE; i++) {
            p->s[j][i] = (double)near_score(r, i - REACH, j - REACH);
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

static int fit_oversampled(const xncc_reading *r, int32_t factor, xncc_displacement *d)
{
    patch p;
    if (!read_patch(r, &p))
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
static void fit(const xncc_reading *r, const xncc_track_options *o, xncc_displacement *d)
{
    xncc_fit_scores scores;
    d->dx = d->dy = 0.0;
    if (o->fit == XNCC_TRACK_WHOLE ||
        (o->fit == XNCC_TRACK_OVERSAMPLED && fit_oversampled(r, o->oversample, d)))
        return;
    if (o->fit != XNCC_TRACK_GAUSSIAN || !around(r, 1, &scores))
        (void)around(r, 0, &scores);
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

void xncc_reading_measure(const xncc_reading *r, const xncc_extent *map,
                          const xncc_track_options *o, double samples, xncc_displacement *d)
{
    const int normed = o->method == XNCC_CCOEFF_NORMED || o->method == XNCC_CCORR_NORMED;
    xncc_fit_scores s;
    (void)around(r, 0, &s);
    d->score = s.s[1][1];
    d->second = isinf(r->second) ? NAN : r->second;
    d->ratio = d->second > 0.0f   ? (double)d->score / (double)d->second
               : isnan(d->second) ? (double)NAN
                                  : (double)INFINITY;
    d->snr = snr_of(&r->far);
    const double c = 2.0 * (double)d->score;
    d->curve_xx = c - (double)s.s[1][2] - (double)s.s[1][0];
    d->curve_yy = c - (double)s.s[2][1] - (double)s.s[0][1];
    d->curve_xy = -((double)s.s[2][2] - (double)s.s[2][0] - (double)s.s[0][2] + (double)s.s[0][0]) /
                  4.0;
    set_covariance(normed ? samples : 0.0, d);
    fit(r, o, d);
    if (r->x == 0 || r->y == 0 || r->x == map->width - 1 || r->y == map->height - 1)
        d->state |= XNCC_TRACK_EDGE;
}
