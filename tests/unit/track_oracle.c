/* SPDX-License-Identifier: BSD-2-Clause */
/* The oracle of tracking (track_oracle.h): one chip after the other, one window after the other, by
 * the plainest loops. */
#include "track_oracle.h"

#include "kit/oracle_general.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The scores at the displacements of a search; element (i, j) is for (x0 + i, y0 + j). */
typedef struct scores {
    int32_t x0, y0, width, height;
    float *s;
} scores;

static float at(const scores *s, int32_t x, int32_t y)
{
    return x < 0 || y < 0 || x >= s->width || y >= s->height ? NAN : s->s[y * s->width + x];
}

static int counts(const xncc_image *image, int32_t x, int32_t y)
{
    int equal = 1, nan = 0;
    for (int32_t c = 0; c < kit_channels(image); c++) {
        const double v = kit_sample(image, x, y, c);
        equal &= v == image->no_data;
        nan |= isnan(v) != 0;
    }
    return (!image->mask || kit_mask(image, x, y)) &&
           !(image->has_no_data && (isnan(image->no_data) ? nan : equal));
}

/* The score of one window in one pair; NaN if there is none. */
static float score_of(const xncc_track_pair *pair, const xncc_track_options *o, int32_t left,
                      int32_t top, int32_t wx, int32_t wy)
{
    xncc_image chip, window;
    const int32_t w = o->chip_width, h = o->chip_height;
    int64_t n = 0;
    for (int32_t i = 0; i < w * h; i++)
        n += counts(pair->image1, left + i % w, top + i / w);
    if (n == 0 || (double)n < o->min_valid * w * h ||
        xncc_image_crop(pair->image1, left, top, w, h, &chip, NULL) ||
        xncc_image_crop(pair->image2, wx, wy, w, h, &window, NULL))
        return NAN;
    oracle_general g = oracle_general_make(&window, &chip, XNCC_VALID, XNCC_BORDER_CLAMP);
    const kit_options rule = { .method = o->method,
                               .flat = XNCC_FLAT_NAN,
                               .min_valid = o->min_valid > 0 ? o->min_valid : KIT_NONE_VALID };
    const int real = chip.pixel == XNCC_F32 || chip.pixel == XNCC_F64;
    const float s = real ? oracle_exact(&g, &rule, 0, 0) : oracle_general_score(&g, &rule, 0, 0);
    oracle_general_free(&g);
    return s;
}

/* The scores of a chip at (left, top) in windows from (wx, wy) on. */
static scores search(const xncc_track_pair *pair, size_t pairs, const xncc_track_options *o,
                     int32_t left, int32_t top, int32_t wx, int32_t wy)
{
    const xncc_image *second = pair->image2;
    scores s = { wx < 0 ? 0 : wx, wy < 0 ? 0 : wy, 0, 0, NULL };
    int32_t ex = wx + 2 * o->search_x, ey = wy + 2 * o->search_y;
    ex = ex > second->width - o->chip_width ? second->width - o->chip_width : ex;
    ey = ey > second->height - o->chip_height ? second->height - o->chip_height : ey;
    s.width = ex - s.x0 + 1 > 0 ? ex - s.x0 + 1 : 0;
    s.height = ey - s.y0 + 1 > 0 ? ey - s.y0 + 1 : 0;
    if (s.width == 0 || s.height == 0)
        s.width = s.height = 0;
    s.s = calloc((size_t)s.width * (size_t)s.height + 1, sizeof *s.s);
    for (int32_t i = 0; i < s.width * s.height; i++) {
        double sum = 0.0;
        int n = 0;
        for (size_t p = 0; p < pairs; p++) {
            const float one = score_of(&pair[p], o, left, top, s.x0 + i % s.width,
                                       s.y0 + i / s.width);
            n += !isnan(one);
            sum += isnan(one) ? 0.0 : (double)one;
        }
        s.s[i] = n ? (float)(sum / n) : NAN;
    }
    s.x0 -= left;
    s.y0 -= top;
    return s;
}

static int best_of(const scores *s, int32_t *x, int32_t *y)
{
    int any = 0;
    for (int32_t i = 0; i < s->width * s->height; i++)
        if (!isnan(s->s[i]) && (!any || s->s[i] > at(s, *x, *y))) {
            *x = i % s->width;
            *y = i / s->width;
            any = 1;
        }
    return any;
}

/* Is there a better neighbour, or an equal one that comes first? */
static int is_peak(const scores *s, int32_t x, int32_t y)
{
    for (int32_t dy = -1; dy <= 1; dy++)
        for (int32_t dx = -1; dx <= 1; dx++) {
            const int first = dy < 0 || (dy == 0 && dx < 0);
            const float other = at(s, x + dx, y + dy), own = at(s, x, y);
            if ((dx || dy) && (other > own || (first && other == own)))
                return 0;
        }
    return 1;
}

static void statistics(const scores *s, int32_t x, int32_t y, xncc_displacement *d)
{
    const double c = (double)at(s, x, y);
    double n = 0, mean = 0, square = 0;
    d->second = NAN;
    for (int32_t j = 0; j < s->height; j++)
        for (int32_t i = 0; i < s->width; i++) {
            const float v = at(s, i, j);
            if (isnan(v))
                continue;
            if ((i != x || j != y) && is_peak(s, i, j) && !(d->second >= v))
                d->second = v;
            if (abs(i - x) > 2 || abs(j - y) > 2) {
                n++;
                mean += (double)v;
            }
        }
    mean /= n;
    for (int32_t i = 0; i < s->width * s->height; i++)
        if (!isnan(s->s[i]) && (abs(i % s->width - x) > 2 || abs(i / s->width - y) > 2))
            square += ((double)s->s[i] - mean) * ((double)s->s[i] - mean);
    d->ratio = isnan(d->second) ? NAN : d->second > 0 ? c / (double)d->second : INFINITY;
    d->snr = n >= 2 && square > 0 ? (c - mean) / sqrt(square / n) : NAN;
    d->curve_xx = 2 * c - (double)at(s, x + 1, y) - (double)at(s, x - 1, y);
    d->curve_yy = 2 * c - (double)at(s, x, y + 1) - (double)at(s, x, y - 1);
    d->curve_xy = ((double)at(s, x + 1, y - 1) + (double)at(s, x - 1, y + 1) -
                   (double)at(s, x + 1, y + 1) - (double)at(s, x - 1, y - 1)) /
                  4;
}

/* The peak of the surface of exactncc/refine.h through nine values. */
static void fit_surface(double v[9], double *dx, double *dy)
{
    const double c = v[4], gx = (v[5] - v[3]) / 2, gy = (v[7] - v[1]) / 2,
                 hxx = v[5] - 2 * c + v[3], hyy = v[7] - 2 * c + v[1],
                 hxy = (v[8] - v[6] - v[2] + v[0]) / 4;
    const int peak_x = v[3] <= c && v[5] <= c && hxx < 0 && isfinite(v[3] + v[5]),
              peak_y = v[1] <= c && v[7] <= c && hyy < 0 && isfinite(v[1] + v[7]);
    const double det = hxx * hyy - hxy * hxy;
    int all = peak_x && peak_y && det > 0;
    for (int i = 0; i < 9; i++)
        all = all && v[i] <= c;
    *dx = -(hyy * gx - hxy * gy) / det;
    *dy = -(hxx * gy - hxy * gx) / det;
    if (all && fabs(*dx) <= 1 && fabs(*dy) <= 1)
        return;
    *dx = peak_x ? -gx / hxx : 0;
    *dy = peak_y ? -gy / hyy : 0;
}

/* Neville's scheme: the polynomial through eight values at -3 .. 4. */
static double neville(const double value[8], double t)
{
    double p[8];
    for (int i = 0; i < 8; i++)
        p[i] = value[i];
    for (int step = 1; step < 8; step++)
        for (int i = 0; i + step < 8; i++)
            p[i] = ((t - (i + step - 3)) * p[i] - (t - (i - 3)) * p[i + 1]) / -step;
    return p[0];
}

static double between(const scores *s, int32_t x, int32_t y, double dx, double dy)
{
    const int32_t fx = (int32_t)floor(dx), fy = (int32_t)floor(dy);
    double column[8];
    for (int j = 0; j < 8; j++) {
        double row[8];
        for (int i = 0; i < 8; i++)
            row[i] = (double)at(s, x + fx + i - 3, y + fy + j - 3);
        column[j] = neville(row, dx - fx);
    }
    return neville(column, dy - fy);
}

static void fit(const scores *s, int32_t x, int32_t y, const xncc_track_options *o, double *dx,
                double *dy)
{
    double v[9], low = INFINITY;
    *dx = *dy = 0;
    for (int i = 0; i < 9; i++) {
        v[i] = (double)at(s, x + i % 3 - 1, y + i / 3 - 1);
        low = v[i] < low ? v[i] : low;
    }
    int whole = 1;
    for (int i = 0; i < 81; i++)
        whole &= isfinite(at(s, x + i % 9 - 4, y + i / 9 - 4)) != 0;
    if (o->fit == XNCC_TRACK_WHOLE)
        return;
    if (o->fit == XNCC_TRACK_OVERSAMPLED && whole) {
        for (int part = 2; part <= o->oversample; part *= 2) {
            const double ox = *dx, oy = *dy;
            for (int i = 0; i < 9; i++) {
                const double tx = ox + (i % 3 - 1.0) / part, ty = oy + (i / 3 - 1.0) / part;
                if (between(s, x, y, tx, ty) > between(s, x, y, *dx, *dy)) {
                    *dx = tx;
                    *dy = ty;
                }
            }
        }
        return;
    }
    for (int i = 0; i < 9 && o->fit == XNCC_TRACK_GAUSSIAN && low > 0; i++)
        v[i] = log(v[i]);
    fit_surface(v, dx, dy);
}

/* The fraction of pixels of the chip that count in both images, or in the first one. */
static double valid_of(const xncc_track_pair *pair, size_t pairs, const xncc_track_options *o,
                       int32_t left, int32_t top, const int32_t *moved)
{
    double n = 0;
    for (size_t p = 0; p < pairs; p++)
        for (int32_t i = 0; i < o->chip_width * o->chip_height; i++) {
            const int32_t x = left + i % o->chip_width, y = top + i / o->chip_width;
            n += counts(pair[p].image1, x, y) &&
                 (!moved || counts(pair[p].image2, x + moved[0], y + moved[1]));
        }
    return n / o->chip_width / o->chip_height / (double)pairs;
}

static double loop_of(const xncc_track_pair *pair, size_t pairs, const xncc_track_options *o,
                      int32_t left, int32_t top, const xncc_displacement *d)
{
    xncc_track_pair swapped[8];
    for (size_t p = 0; p < pairs; p++)
        swapped[p] = (xncc_track_pair){ pair[p].image2, pair[p].image1 };
    const scores s = search(swapped, pairs, o, left + d->whole_dx, top + d->whole_dy,
                            left - o->search_x, top - o->search_y);
    int32_t x = 0, y = 0;
    double dx, dy, loop = NAN;
    if (best_of(&s, &x, &y)) {
        fit(&s, x, y, o, &dx, &dy);
        loop = hypot(d->dx + s.x0 + x + dx, d->dy + s.y0 + y + dy);
    }
    free(s.s);
    return loop;
}

xncc_displacement oracle_track(const xncc_track_pair *pair, size_t pairs,
                               const xncc_track_options *o, const xncc_track_point *point)
{
    const double left = floor(point->x - (o->chip_width - 1) / 2.0 + 0.5),
                 top = floor(point->y - (o->chip_height - 1) / 2.0 + 0.5);
    xncc_displacement d = { .x = point->x, .y = point->y, .dx = NAN, .dy = NAN };
    d.score = d.second = NAN;
    d.ratio = d.snr = d.curve_xx = d.curve_xy = d.curve_yy = NAN;
    d.cov_xx = d.cov_xy = d.cov_yy = d.loop = d.residual = NAN;
    d.state = XNCC_TRACK_MISSING;
    if (!(left >= 0 && top >= 0 && left <= pair->image1->width - o->chip_width &&
          top <= pair->image1->height - o->chip_height))
        return d;
    const int32_t l = (int32_t)left, t = (int32_t)top;
    d.x = l + (o->chip_width - 1) / 2.0;
    d.y = t + (o->chip_height - 1) / 2.0;
    const scores s = search(pair, pairs, o, l, t, l + (int32_t)floor(point->dx + 0.5) - o->search_x,
                            t + (int32_t)floor(point->dy + 0.5) - o->search_y);
    int32_t x = 0, y = 0;
    d.valid = valid_of(pair, pairs, o, l, t, NULL);
    if (best_of(&s, &x, &y)) {
        const int32_t moved[2] = { s.x0 + x, s.y0 + y };
        d.state = x == 0 || y == 0 || x == s.width - 1 || y == s.height - 1 ? XNCC_TRACK_EDGE : 0;
        d.score = at(&s, x, y);
        d.whole_dx = moved[0];
        d.whole_dy = moved[1];
        d.valid = valid_of(pair, pairs, o, l, t, moved);
        statistics(&s, x, y, &d);
        const double n = d.valid * o->chip_width * o->chip_height * (double)pairs *
                         kit_channels(pair->image1);
        const double det = d.curve_xx * d.curve_yy - d.curve_xy * d.curve_xy,
                     noise = 2 * (1 - (double)d.score) / (n - 2);
        if ((o->method == XNCC_CCOEFF_NORMED || o->method == XNCC_CCORR_NORMED) && n > 2 &&
            d.curve_xx > 0 && det > 0) {
            d.cov_xx = noise * d.curve_yy / det;
            d.cov_xy = -noise * d.curve_xy / det;
            d.cov_yy = noise * d.curve_xx / det;
        }
        fit(&s, x, y, o, &d.dx, &d.dy);
        d.dx += moved[0];
        d.dy += moved[1];
        if (o->back)
            d.loop = loop_of(pair, pairs, o, l, t, &d);
    }
    free(s.s);
    return d;
}

static void near(const char *what, double got, double want, double most)
{
    if ((isnan(got) && isnan(want)) || got == want || fabs(got - want) <= most)
        (void)CHECK(1);
    else
        kit_fail(__FILE__, __LINE__, "%s: %.17g, not %.17g within %g", what, got, want, most);
}

void check_displacement(const xncc_displacement *got, const xncc_displacement *want)
{
    CHECK_INT(got->state, want->state);
    CHECK_INT(got->whole_dx, want->whole_dx);
    CHECK_INT(got->whole_dy, want->whole_dy);
    CHECK_INT(got->reserved, 0);
    CHECK_FLOAT(got->score, want->score);
    CHECK_FLOAT(got->second, want->second);
    near("x", got->x, want->x, 0);
    near("y", got->y, want->y, 0);
    near("ratio", got->ratio, want->ratio, 0);
    near("valid", got->valid, want->valid, 1e-12);
    near("dx", got->dx, want->dx, 2e-5); /* logarithms are floats */
    near("dy", got->dy, want->dy, 2e-5);
    CHECK(isnan(got->residual));
    near("loop", got->loop, want->loop, 4e-5);
    near("snr", got->snr, want->snr, 1e-6 * fabs(want->snr));
    near("curve_xx", got->curve_xx, want->curve_xx, 0);
    near("curve_xy", got->curve_xy, want->curve_xy, 1e-15 * fabs((double)want->score));
    near("curve_yy", got->curve_yy, want->curve_yy, 0);
    near("cov_xx", got->cov_xx, want->cov_xx, 1e-9 * fabs(want->cov_xx));
    near("cov_xy", got->cov_xy, want->cov_xy, 1e-9 * fabs(want->cov_xy) + 1e-12 * want->cov_xx);
    near("cov_yy", got->cov_yy, want->cov_yy, 1e-9 * fabs(want->cov_yy));
}
