/* SPDX-License-Identifier: BSD-2-Clause */
/* Attacks the bounds of math/near.h, math/window_bounds.h and plan/fft_blocking.h: climbs, from
 * many starts, to inputs on which an error is as large a part of its bound as can be found, prints
 * the largest part, and fails above 1. --seconds N: how long, in all (2). */
#include "cpu/kernels/reals.h"
#include "cpu/kernels/variants.h"
#include "kit/kit.h"
#include "kit/process.h"
#include "math/window_bounds.h"
#include "unit/attack.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double some_number(const attack *a, kit_random *random)
{
    if (a->whole)
        return (double)kit_between(random, -(1 << 20), 1 << 20);
    const double m = 1.0 + (double)(kit_next(random) >> 12) * 0x1p-52;
    return ldexp(kit_below(random, 2) ? m : -m, kit_between(random, -3, 3));
}

/* Changes one or two numbers a little or altogether. */
static void change(const attack *a, input *in, kit_random *random)
{
    for (uint64_t i = 0; i <= kit_below(random, 2); i++) {
        double *v = &in->v[kit_below(random, (uint64_t)in->count)];
        switch (kit_below(random, 5)) {
        case 0: *v = some_number(a, random); break;
        case 1: *v = -*v; break;
        case 2: *v = a->whole ? *v + (double)kit_between(random, -9, 9) : *v * 1.0000001; break;
        case 3: *v = in->v[kit_below(random, (uint64_t)in->count)]; break;
        default:
            *v = a->whole ? (kit_below(random, 2) ? 0.0 : *v)
                          : *v + ldexp(*v, -kit_between(random, 1, 53));
        }
    }
}

/* Climbs from new starts until the time is over. Returns the largest ratio. */
static double climb(const attack *a, double seconds, kit_random *random)
{
    const double end = kit_seconds() + seconds;
    double most = 0.0;
    long tries = 0;
    do {
        input best;
        best.count = kit_between(random, a->least, a->most);
        for (int i = 0; i < best.count; i++)
            best.v[i] = some_number(a, random);
        double height = a->ratio(&best, a->state);
        for (int failed = 0; failed < 200 && kit_seconds() < end; tries++) {
            input next = best;
            change(a, &next, random);
            const double ratio = a->ratio(&next, a->state);
            failed = ratio > height ? 0 : failed + 1;
            if (ratio >= height) {
                best = next;
                height = ratio;
            }
        }
        most = fmax(most, height);
    } while (kit_seconds() < end);
    printf("%s: %ld tries, the largest error is %.3g of its bound\n", a->name, tries, most);
    if (!CHECK(most <= 1.0 && most > 0.0))
        kit_fail(__FILE__, __LINE__, "%s: %g", a->name, most);
    return most;
}

/* ---- pairs of doubles ---- */

/* Adds sign * a * b. */
static void add_pairs(exact_sum *s, xncc_twofold a, xncc_twofold b, double sign)
{
    xncc_wide_add_product(s->digit, sign * a.high, b.high);
    xncc_wide_add_product(s->digit, sign * a.high, b.low);
    xncc_wide_add_product(s->digit, sign * a.low, b.high);
    xncc_wide_add_product(s->digit, sign * a.low, b.low);
}

static const xncc_twofold one = { 1.0, 0.0 };

/* A sum of products in pairs of doubles (xncc_near_error): of all, one after the other, or of four
 * parts, whose sums are added two by two (state: the number of parts). */
static double of_sum(const input *in, void *state)
{
    const int parts = *(const int *)state, n = in->count / 2;
    xncc_twofold sum[4] = { { 0.0, 0.0 } };
    exact_sum exact = { { 0 } };
    double sizes = 0.0, k = (n + parts - 1) / parts;
    for (int i = 0; i < n; i++) {
        xncc_twofold_put_product(&sum[i % parts], in->v[2 * i], in->v[2 * i + 1]);
        xncc_wide_add_product(exact.digit, in->v[2 * i], in->v[2 * i + 1]);
        sizes += fabs(in->v[2 * i] * in->v[2 * i + 1]);
    }
    for (int step = parts / 2; step > 0; step /= 2, k++)
        for (int i = 0; i < step; i++)
            sum[i] = xncc_twofold_add(sum[i], sum[i + step]);
    const xncc_near got = xncc_near_of_sum(sum[0], k, sizes, 0);
    add_pairs(&exact, got.value, one, -1.0);
    return fabs(rounded(&exact)) / got.error;
}

/* A pair of doubles from two numbers. */
static xncc_twofold pair_of(const double *v)
{
    return xncc_twofold_add(xncc_twofold_of(v[0], 0.0), xncc_twofold_of(0x1p-53 * v[1], 0.0));
}

/* a*b - c*d (xncc_near_difference). The smallest error of an operand keeps the result inexact. */
static double of_difference(const input *in, void *state)
{
    (void)state;
    xncc_near p[4];
    exact_sum exact = { { 0 } };
    for (int i = 0; i < 4; i++)
        p[i] = xncc_near_of(pair_of(in->v + 2 * i), 0x1p-1000);
    const xncc_near got = xncc_near_difference(p[0], p[1], p[2], p[3]);
    add_pairs(&exact, p[0].value, p[1].value, 1.0);
    add_pairs(&exact, p[2].value, p[3].value, -1.0);
    add_pairs(&exact, got.value, one, -1.0);
    return fabs(rounded(&exact)) / got.error;
}

static double of_near_sum(const input *in, void *state)
{
    (void)state;
    const xncc_near a = xncc_near_of(pair_of(in->v), 0x1p-1000),
                    b = xncc_near_of(pair_of(in->v + 2), 0x1p-1000), got = xncc_near_sum(a, b);
    exact_sum exact = { { 0 } };
    add_pairs(&exact, a.value, one, 1.0);
    add_pairs(&exact, b.value, one, 1.0);
    add_pairs(&exact, got.value, one, -1.0);
    return fabs(rounded(&exact)) / got.error;
}

/* ---- sums in double ---- */

/* Products in rows of 8, then down the rows, as the direct kernels add them. */
static double of_rows(const input *in, void *state)
{
    (void)state;
    const int n = in->count / 2, width = 8, height = (n + 7) / 8;
    double sum = 0.0, v2 = 0.0, t2 = 0.0;
    exact_sum exact = { { 0 } };
    for (int j = 0; j < height; j++) {
        double row = 0.0;
        for (int i = 8 * j; i < 8 * j + 8 && i < n; i++) {
            const double v = in->v[2 * i], t = in->v[2 * i + 1];
            row = v * t + row;
            xncc_wide_add_product(exact.digit, v, t);
            v2 += v * v;
            t2 += t * t;
        }
        sum += row;
    }
    xncc_wide_add_product(exact.digit, -sum, 1.0);
    return fabs(rounded(&exact)) / ((width + height + 6.0) * 0x1p-53 * sqrt(v2) * sqrt(t2));
}

/* Products cut in two as they are added, of doubles less pivots. */
static double of_cut(const input *in, void *state)
{
    const int n = in->count / 2 - 1;
    const double p = in->v[0], q = in->v[1], *v = in->v + 2, *t = in->v + 2 + n;
    const xncc_reals_isa *isa = state;
    double v2 = 0.0, t2 = 0.0;
    exact_sum exact = { { 0 } };
    for (int i = 0; i < n; i++) {
        v2 += (v[i] - p) * (v[i] - p);
        t2 += (t[i] - q) * (t[i] - q);
        xncc_wide_add_product(exact.digit, v[i], t[i]);
        xncc_wide_add_product(exact.digit, -v[i], q);
        xncc_wide_add_product(exact.digit, -p, t[i]);
        xncc_wide_add_product(exact.digit, p, q);
    }
    const double most = 1.0001 * sqrt(v2) * sqrt(t2);
    if (!(most > 0x1p-600))
        return 0.0;
    /* all windows are the same one, and the last one is looked at */
    const int32_t windows = n % 2 ? 1 : XNCC_CUT_WINDOWS;
    xncc_reals_cut_sums begun, sums[XNCC_CUT_WINDOWS];
    xncc_reals_cut_rows rows = { .line = { .pixel = XNCC_F64, .count = n, .pivot = p },
                                 .windows = windows,
                                 .templ = t,
                                 .pivot = q,
                                 .rows = 1 };
    xncc_reals_cut_begin(&begun, most);
    for (int32_t w = 0; w < windows; w++) {
        rows.enter[w] = v;
        sums[w] = begun;
    }
    isa->cut_products(&rows, sums);
    xncc_wide_add_product(exact.digit, -xncc_reals_cut_total(&sums[windows - 1], &begun), 1.0);
    return fabs(rounded(&exact)) / xncc_reals_cut_error(n, 1.0, most, most);
}

/* The largest part that a row's sums over the pixels that count are off by (reals_pixels.h), in
 * sums that began with 2^12 times their sizes. Every fifth pixel does not count. */
static double of_pixels(const input *in, void *state)
{
    enum { SUMS = 5 };
    static const xncc_sum_id sum[SUMS] = { XNCC_SUM_S, XNCC_SUM_Q, XNCC_SUM_X, XNCC_SUM_T,
                                           XNCC_SUM_T2 };
    const int n = in->count / 2 - 1;
    const double p = in->v[0], q = in->v[1], *v = in->v + 2, *t = in->v + 2 + n;
    const xncc_reals_isa *isa = state;
    uint8_t counts[MOST], mask[MOST];
    double sizes[XNCC_SUMS] = { 0.0 }, most = 0.0;
    exact_sum exact[XNCC_SUMS];
    xncc_reals_cut_sums begun[XNCC_SUMS], sums[XNCC_SUMS];
    memset(exact, 0, sizeof exact);
    for (int i = 0; i < n; i++) {
        counts[i] = i % 5 != 3;
        mask[i] = i % 10 == 8 ? 0 : 1;
        /* as products of a number and its pivot with others: the differences are no doubles */
        const double a[2] = { v[i], -p }, b[2] = { t[i], -q };
        for (int j = 0; j < 2 && counts[i] && mask[i]; j++) {
            xncc_wide_add_product(exact[XNCC_SUM_S].digit, a[j], 1.0);
            xncc_wide_add_product(exact[XNCC_SUM_T].digit, b[j], 1.0);
            for (int k = 0; k < 2; k++) {
                xncc_wide_add_product(exact[XNCC_SUM_Q].digit, a[j], a[k]);
                xncc_wide_add_product(exact[XNCC_SUM_X].digit, a[j], b[k]);
                xncc_wide_add_product(exact[XNCC_SUM_T2].digit, b[j], b[k]);
            }
        }
        if (counts[i] && mask[i]) {
            const double x = fabs(v[i] - p) * (1.0 + 0x1p-50), y = fabs(t[i] - q) * (1.0 + 0x1p-50);
            sizes[XNCC_SUM_S] += x;
            sizes[XNCC_SUM_Q] += x * x;
            sizes[XNCC_SUM_X] += x * y;
            sizes[XNCC_SUM_T] += y;
            sizes[XNCC_SUM_T2] += y * y;
        }
    }
    for (int i = 0; i < SUMS; i++) {
        if (!(sizes[sum[i]] > 0x1p-500))
            return 0.0;
        xncc_reals_cut_begin(&begun[sum[i]], 0x1p12 * sizes[sum[i]]);
        sums[sum[i]] = begun[sum[i]];
    }
    isa->pixels(&(xncc_reals_pixels){ .raw = v,
                                      .templ = t,
                                      .pixel = XNCC_F64,
                                      .width = n,
                                      .pivot = p,
                                      .templ_pivot = q,
                                      .count = counts,
                                      .mask = mask },
                sums);
    for (int i = 0; i < SUMS; i++) {
        const xncc_sum_id s = sum[i];
        xncc_wide_add_product(exact[s].digit, -xncc_reals_cut_total(&sums[s], &begun[s]), 1.0);
        most = fmax(most, fabs(rounded(&exact[s])) /
                              xncc_reals_cut_error(n, 1.0, sizes[s], 0x1p12 * sizes[s]));
    }
    return most;
}

/* The sums over a column that slides over the numbers, and over zeros after them: [0] of the last
 * HEIGHT numbers, [1] of their squares. Beside one rounding, or two of squares, they may be off by
 * xncc_reals_columns_error. Every other number is made small, or else all sums are exact. */
static double of_columns(const input *in, void *state)
{
    enum { HEIGHT = 8 };
    const xncc_reals_isa *isa = state;
    double room[6][XNCC_REALS_ROOM], v[2 * MOST], norm = 0.0, most = 0.0;
    xncc_reals_columns columns = { .high = { room[0], room[1] },
                                   .low = { room[2], room[3] },
                                   .sum = { room[4], room[5] },
                                   .rows = 1 };
    const double zero = 0.0;
    for (int i = 0; i < in->count; i++) {
        v[i] = i % 2 ? ldexp(in->v[i], -50) : in->v[i];
        norm += v[i] * v[i];
    }
    norm = 1.0001 * sqrt(norm);
    xncc_reals_columns_begin(&columns, norm, HEIGHT, XNCC_REALS_ROOM);
    for (int y = 0; y < in->count + HEIGHT; y++) {
        const double *enter = y < in->count ? &v[y] : &zero,
                     *leave = y < HEIGHT ? NULL : &v[y - HEIGHT];
        exact_sum exact[2] = { { { 0 } }, { { 0 } } };
        isa->slide(&columns,
                   &(xncc_reals_slide){
                       .enter = enter, .leave = leave, .pixel = XNCC_F64, .count = 1, .rows = 1 });
        for (int j = y < HEIGHT ? 0 : y - HEIGHT + 1; j <= y && j < in->count; j++) {
            xncc_wide_add_product(exact[0].digit, v[j], 1.0);
            xncc_wide_add_product(exact[1].digit, v[j], v[j]);
        }
        for (int i = 0; i < 2; i++) {
            const double sum = columns.sum[i][0], scale = i ? norm : sqrt(HEIGHT);
            xncc_wide_add_product(exact[i].digit, -sum, 1.0);
            most = fmax(most, fabs(rounded(&exact[i])) /
                                  ((i + 1) * 0x1p-53 * fabs(sum) +
                                   xncc_reals_columns_error(1.0, y + 1.0) * scale * norm));
        }
    }
    return most;
}

/* The numerator n*X - S*T of xncc_bounded_add_channel, from sums in double. */
static double of_bounded(const input *in, void *state)
{
    (void)state;
    const int n = in->count / 2;
    xncc_double_sums s = { 0, 0, 0, 0, 0 };
    xncc_exact_sums whole = { { 0 }, { 0 }, { 0 }, { 0 }, { 0 } };
    xncc_exact_terms terms = { { 0 }, { 0 }, { 0 } };
    xncc_bounded_terms got = { { 0, 0 }, { 0, 0 }, { 0, 0 } };
    for (int i = 0; i < n; i++) {
        const double v = in->v[2 * i], t = in->v[2 * i + 1];
        s.S += v;
        s.T += t;
        s.Q += v * v;
        s.X += v * t;
        s.T2 += t * t;
        xncc_exact_add_pair(&whole, XNCC_CCOEFF_NORMED, v, t);
    }
    xncc_bounded_add_channel(&got, XNCC_CCOEFF_NORMED, n, &s, (n + 12.0) * 0x1p-53);
    xncc_exact_normalize(&whole);
    xncc_exact_add_channel(&terms, XNCC_CCOEFF_NORMED, n, &whole);
    exact_sum exact;
    memcpy(exact.digit, terms.numerator, sizeof exact.digit);
    xncc_wide_add_product(exact.digit, -got.numerator.value, 1.0);
    return fabs(rounded(&exact)) / got.numerator.error;
}

/* The largest error of the numerator and of the image's term, which a normed method has, as a part
 * of its bound; 2 for a score that is decided and wrong. terms: exact, of n pixels. */
static double largest_part(xncc_method method, int n, xncc_exact_terms *terms, float score,
                           xncc_bounded q, xncc_bounded root)
{
    const xncc_general_rule rule = { .undefined = 0.0f };
    exact_sum numerator, image;
    memcpy(numerator.digit, terms->numerator, sizeof numerator.digit);
    memcpy(image.digit, terms->image, sizeof image.digit);
    const float want = xncc_exact_score(method, &rule, n, terms);
    if (!xncc_same_float(score, xncc_float_of_bits(XNCC_DOUBT)) && !xncc_same_float(score, want))
        return 2.0;
    xncc_wide_add_product(numerator.digit, -q.value, 1.0);
    xncc_wide_add_product(image.digit, -root.value, 1.0);
    const double of_image = xncc_method_is_normed(method) ? fabs(rounded(&image)) / root.error
                                                          : 0.0;
    return fmax(fabs(rounded(&numerator)) / q.error, of_image);
}

/* The terms and the score of math/window_bounds.h by a method, of the same pairs. */
static double of_window_by(const input *in, xncc_method method)
{
    const int n = in->count / 2;
    const double e = (n + 12.0) * 0x1p-53;
    xncc_exact_sums whole = { { 0 }, { 0 }, { 0 }, { 0 }, { 0 } };
    xncc_exact_terms terms = { { 0 }, { 0 }, { 0 } };
    xncc_window_sums s = { 0, 0, 0, 0, 0, 0 };
    xncc_window_templ t = { .n = n, .relative = 0x1p-48 };
    for (int i = 0; i < n; i++) {
        const double v = in->v[2 * i], w = in->v[2 * i + 1];
        s.S += v;
        s.Q += v * v;
        s.X += v * w;
        t.T += w;
        t.T2 += w * w;
        xncc_exact_add_pair(&whole, method, v, w);
    }
    s.error_S = e * sqrt(n * (s.Q + XNCC_WINDOW_TINY)) + XNCC_WINDOW_TINY;
    s.error_Q = e * s.Q + XNCC_WINDOW_TINY;
    s.error_X = e * sqrt(s.Q + XNCC_WINDOW_TINY) * sqrt(t.T2 + XNCC_WINDOW_TINY) + XNCC_WINDOW_TINY;
    t.error_T = e * sqrt(n * (t.T2 + XNCC_WINDOW_TINY)) + XNCC_WINDOW_TINY;
    t.error_T2 = e * t.T2 + XNCC_WINDOW_TINY;
    xncc_exact_normalize(&whole);
    xncc_exact_add_channel(&terms, method, n, &whole);
    exact_sum templ;
    memcpy(templ.digit, terms.templ, sizeof templ.digit);
    t.over_root = xncc_method_is_normed(method) ? 1.0 / sqrt(rounded(&templ)) : 0.0;
    return largest_part(method, n, &terms, xncc_window_score(method, &t, &s),
                        xncc_window_numerator(method, &t, &s), xncc_window_image(method, &t, &s));
}

/* The largest of a function of a method. */
static double most_of_methods(const input *in, double (*of)(const input *in, xncc_method method))
{
    static const xncc_method methods[] = { XNCC_CCOEFF_NORMED, XNCC_CCOEFF, XNCC_CCORR_NORMED,
                                           XNCC_SQDIFF, XNCC_SQDIFF_NORMED };
    double most = 0.0;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        most = fmax(most, of(in, methods[i]));
    return most;
}

static double of_window(const input *in, void *state)
{
    (void)state;
    return most_of_methods(in, of_window_by);
}

/* The same of two channels, which have the even pairs and the odd ones. */
static double of_channels_by(const input *in, xncc_method method)
{
    const int n = in->count / 4;
    const xncc_channel_errors errors = { (n + 18.0) * 0x1p-53, (2.0 * n + 18.0) * 0x1p-53 };
    xncc_exact_terms terms = { { 0 }, { 0 }, { 0 } };
    xncc_channel_sums s = { 0, 0, 0 };
    xncc_window_templ t = { .n = n };
    for (int channel = 0; channel < 2; channel++) {
        xncc_exact_sums whole = { { 0 }, { 0 }, { 0 }, { 0 }, { 0 } };
        double S = 0.0, Q = 0.0, T = 0.0, T2 = 0.0;
        for (int i = 0; i < n; i++) {
            const double v = in->v[4 * i + 2 * channel], w = in->v[4 * i + 2 * channel + 1];
            S += v;
            Q += v * v;
            T += w;
            T2 += w * w;
            xncc_exact_add_pair(&whole, method, v, w);
        }
        for (int i = 0; i < n; i++) {
            const double v = in->v[4 * i + 2 * channel], w = in->v[4 * i + 2 * channel + 1];
            s.numerator = fma(v, xncc_method_is_centred(method) ? fma(n, w, -T) : w, s.numerator);
        }
        s.SS += S * S;
        s.Q += Q;
        xncc_channel_add_templ(&t, method, T, T2);
        xncc_exact_normalize(&whole);
        xncc_exact_add_channel(&terms, method, n, &whole);
    }
    xncc_channel_finish_templ(&t, method, errors);
    return largest_part(method, n, &terms, xncc_channel_decide(method, &t, &s, errors, 0.0f),
                        xncc_channel_numerator(method, &t, &s, errors),
                        xncc_channel_image(method, &t, &s, errors));
}

static double of_channels(const input *in, void *state)
{
    (void)state;
    return most_of_methods(in, of_channels_by);
}

/* ---- the steps of transforms ---- */

#define FFT_LANES 2
#include "cpu/kernels/fft_points.h"
#include "cpu/kernels/fft_weights.h"

/* A complex number of 64 bits. */
typedef struct wide_complex {
    long double re, im;
} wide_complex;

static wide_complex product_of(wide_complex a, wide_complex b)
{
    return (wide_complex){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

/* The root of one of n, power k, as a transform forward takes it. */
static wide_complex root_of(long k, long n)
{
    const long double angle = -2.0L * 3.14159265358979323846264338327950288L *
                              (long double)(k % n) / (long double)n;
    return (wide_complex){ cosl(angle), sinl(angle) };
}

/* Point i of an input, in all lanes. */
static vc point_of(const input *in, int i)
{
    return (vc){ vd_fill(in->v[2 * i]), vd_fill(in->v[2 * i + 1]) };
}

static double size_of(wide_complex a)
{
    return (double)sqrtl(a.re * a.re + a.im * a.im);
}

static double error_of(vc got, wide_complex want)
{
    return size_of(
        (wide_complex){ (long double)got.re[0] - want.re, (long double)got.im[0] - want.im });
}

/* A step of radix 3 or 5: its error over its bounds, in a transform forward (2-norms) or back (one
 * output, relative to the sum of the sizes of the inputs). */
static double of_odd_step(const input *in, void *state)
{
    const int r = *(const int *)state;
    vc forward[5], back[5];
    double inputs = 0.0, outputs = 0.0, error = 0.0, most = 0.0;
    for (int i = 0; i < r; i++) {
        forward[i] = back[i] = point_of(in, i);
        inputs += hypot(in->v[2 * i], in->v[2 * i + 1]);
    }
    odd_points(forward, r, -1);
    odd_points(back, r, 1);
    for (int k = 0; k < r; k++) {
        wide_complex want[2] = { { 0, 0 }, { 0, 0 } };
        for (int i = 0; i < r; i++)
            for (int d = 0; d < 2; d++) {
                const wide_complex x = { in->v[2 * i], in->v[2 * i + 1] },
                                   y = product_of(x, root_of((long)i * (d ? r - k : k), r));
                want[d].re += y.re;
                want[d].im += y.im;
            }
        const double e = error_of(forward[k], want[0]);
        error += e * e;
        outputs += size_of(want[0]) * size_of(want[0]);
        most = fmax(most, error_of(back[k], want[1]));
    }
    const double of_forward = 0x1p-53 * (r == 3 ? XNCC_FFT_OF_3_FORWARD : XNCC_FFT_OF_5_FORWARD),
                 of_back = 0x1p-53 * (r == 3 ? XNCC_FFT_OF_3_BACK : XNCC_FFT_OF_5_BACK);
    return fmax(sqrt(error) / (of_forward * sqrt(outputs) + 0x1p-1000),
                most / (of_back * inputs + 0x1p-1000));
}

/* A multiplication by a root of one, of which the parts were rounded. */
static double of_root(const input *in, void *state)
{
    const long n = 4096, k = (long)fabs(in->v[2] * 1e6) % n;
    const wide_complex x = { in->v[0], in->v[1] }, w = root_of(k, n);
    (void)state;
    const vc got = vc_twiddle(point_of(in, 0), vd_fill((double)w.re), vd_fill((double)w.im), -1);
    return error_of(got, product_of(x, w)) / (XNCC_FFT_OF_ROOT * 0x1p-53 * size_of(x) + 0x1p-1000);
}

/* A multiplication by an eighth root of one. */
static double of_eighth(const input *in, void *state)
{
    const wide_complex x = { in->v[0], in->v[1] };
    (void)state;
    return error_of(eighth(point_of(in, 0), -1), product_of(x, root_of(1, 8))) /
           (XNCC_FFT_OF_EIGHTH * 0x1p-53 * size_of(x) + 0x1p-1000);
}

/* A point of a sum of products of pairs of planes, of which each has four numbers. */
static double of_pairs(const input *in, void *state)
{
    const int pairs = in->count / 4;
    const xncc_fft_sums planes = { .all = { pairs, pairs } };
    fft_sum_columns c = { .s = &planes };
    vc point[2][MOST], sum[FFT_WEIGHTS], *to[FFT_WEIGHTS];
    wide_complex want = { 0, 0 };
    double bound = 0x1p-1000;
    (void)state;
    for (int q = 0; q < FFT_WEIGHTS; q++)
        to[q] = &sum[q];
    for (int i = 0; i < pairs; i++) {
        const double *v = &in->v[4 * i];
        const wide_complex a = { v[0], v[1] }, b = { v[2], -v[3] }, ab = product_of(a, b);
        const int roundings = i == 0 ? pairs : pairs - i + 1;
        point[0][i] = point_of(in, 2 * i);
        point[1][i] = point_of(in, 2 * i + 1);
        c.image[i] = &point[0][i];
        c.templ[FFT_WEIGHTS - 1 + pairs - 1 - i] = &point[1][i];
        want.re += ab.re;
        want.im += ab.im;
        bound += (XNCC_FFT_OF_PAIR + XNCC_FFT_OF_PAIR_ROUNDING * roundings) * 0x1p-53 * size_of(a) *
                 size_of(b);
    }
    sum_weights(&c, 0, pairs - 1, to);
    return error_of(sum[0], want) / bound;
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    const double seconds = atof(kit_option(argc, argv, "seconds", "2"));
    kit_random random = kit_stream(1);
    int radix[] = { 3, 5 }, parts[] = { 1, 4 };
    xncc_reals_isa isa[] = { xncc_reals_isa_portable };
    const attack attacks[] = {
        { "sums of products in pairs of doubles", of_sum, 4, MOST, 0, &parts[0] },
        { "sums of such sums", of_sum, 4, MOST, 0, &parts[1] },
        { "differences of products of pairs", of_difference, 8, 8, 0, NULL },
        { "sums of pairs", of_near_sum, 4, 4, 0, NULL },
        { "sums of products in rows", of_rows, 4, 2 * MOST, 0, NULL },
        { "products cut in two", of_cut, 6, 2 * MOST, 0, isa },
        { "sums of pixels that count", of_pixels, 6, 2 * MOST, 0, isa },
        { "columns that slide", of_columns, 20, 2 * MOST, 0, isa },
        { "numerators from sums in double", of_bounded, 4, MOST, 0, NULL },
        { "windows from sums with bounds", of_window, 4, MOST, 0, NULL },
        { "windows of two channels", of_channels, 4, MOST, 0, NULL },
        { "steps of radix 3", of_odd_step, 6, 6, 0, &radix[0] },
        { "steps of radix 5", of_odd_step, 10, 10, 0, &radix[1] },
        { "multiplications by roots of one", of_root, 3, 3, 0, NULL },
        { "multiplications by eighth roots of one", of_eighth, 2, 2, 0, NULL },
        { "sums of products of planes", of_pairs, 4, 32, 0, NULL },
    };
    const int count = sizeof attacks / sizeof *attacks, all = count + TRANSFORM_ATTACKS;
    attack of_transforms[TRANSFORM_ATTACKS];
    attack_transforms_begin(of_transforms);
    for (int i = 0; i < all; i++)
        (void)climb(i < count ? &attacks[i] : &of_transforms[i - count], seconds / all, &random);
    attack_transforms_end();
    return kit_finish("attack");
}
