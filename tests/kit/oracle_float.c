/* The oracle for float pixels: long double arithmetic in two passes, centred on the window's own
 * mean, with the error bound of docs/numerics.md. */
#include "kit/oracle.h"

#include <math.h>

/* Moments of a window and the template about 0, about their own means, and about the pivot. The
 * pivot is the template's mean as a float, so it is known here up to a unit in its last place. */
typedef struct moments {
    long double n, mean_i, mean_t;
    long double q, x, t2;    /* about 0 */
    long double vi, vt, cov; /* about the means, times n */
    long double pq, pt2;     /* about the pivot, upper bounds */
    int flat_i, flat_t;      /* 1: all pixels are equal */
    int finite;
} moments;

typedef struct window {
    const xncc_image *image, *templ;
    int32_t x, y; /* top-left pixel in the image, whose edge is repeated */
} window;

static long double image_at(const window *w, int32_t i, int32_t j)
{
    int32_t x = w->x + i, y = w->y + j;
    x = x < 0 ? 0 : x >= w->image->width ? w->image->width - 1 : x;
    y = y < 0 ? 0 : y >= w->image->height ? w->image->height - 1 : y;
    return (long double)kit_pixel(w->image, x, y);
}

static long double templ_at(const window *w, int32_t i, int32_t j)
{
    return (long double)kit_pixel(w->templ, i, j);
}

static void first_pass(const window *w, moments *m)
{
    m->n = (long double)w->templ->width * w->templ->height;
    m->finite = m->flat_i = m->flat_t = 1;
    long double i0 = image_at(w, 0, 0), t0 = templ_at(w, 0, 0);
    for (int32_t j = 0; j < w->templ->height; j++)
        for (int32_t i = 0; i < w->templ->width; i++) {
            long double a = image_at(w, i, j), b = templ_at(w, i, j);
            m->finite &= isfinite(a) && isfinite(b);
            m->flat_i &= a == i0;
            m->flat_t &= b == t0;
            m->mean_i += a;
            m->mean_t += b;
            m->q += a * a;
            m->t2 += b * b;
            m->x += a * b;
        }
    m->mean_i /= m->n;
    m->mean_t /= m->n;
}

static void second_pass(const window *w, moments *m)
{
    long double unit = ldexpl(fabsl(m->mean_t), -23);
    for (int32_t j = 0; j < w->templ->height; j++)
        for (int32_t i = 0; i < w->templ->width; i++) {
            long double a = image_at(w, i, j), b = templ_at(w, i, j);
            m->vi += (a - m->mean_i) * (a - m->mean_i);
            m->vt += (b - m->mean_t) * (b - m->mean_t);
            m->cov += (a - m->mean_i) * (b - m->mean_t);
            m->pq += (fabsl(a - m->mean_t) + unit) * (fabsl(a - m->mean_t) + unit);
            m->pt2 += (fabsl(b - m->mean_t) + unit) * (fabsl(b - m->mean_t) + unit);
        }
}

/* The bound of docs/numerics.md with g = (w + h + 8) 2^-53. Where that page gives no bound, the
 * error of each sum is propagated through the formula. */
static oracle_bounded bounded(const moments *m, xncc_method method, long double g)
{
    oracle_bounded b = { 0, 0, 0, 0 };
    long double root = sqrtl(m->q) * sqrtl(m->t2), pivoted = sqrtl(m->pq) * sqrtl(m->pt2);
    long double distance = m->q - 2 * m->x + m->t2, half = 0x1p-25L;
    switch (method) {
    case XNCC_CCOEFF_NORMED: {
        /* The library calls a window flat if its variance is at most (w+h+8) 2^-52 (that is 2g)
         * times n*Q. The error of the library's own variance there is at most 3g. */
        int flat_i = m->flat_i || m->vi <= 5 * g * m->pq,
            flat_t = m->flat_t || m->vt <= 5 * g * m->pt2;
        b.maybe_flat = flat_i || flat_t;
        if (m->flat_i || m->flat_t)
            return b;
        b.value = m->cov / (sqrtl(m->vi) * sqrtl(m->vt));
        long double kappa = m->pq / m->vi + m->pt2 / m->vt;
        b.bound = b.maybe_flat || kappa * g > 0.125L ? 2.0L : 4 * g * kappa + half;
        return b;
    }
    case XNCC_CCOEFF:
        b.value = m->cov;
        b.bound = 4 * g * pivoted;
        return b;
    case XNCC_CCORR:
        b.value = m->x;
        b.bound = g * root;
        return b;
    case XNCC_CCORR_NORMED:
        b.maybe_flat = root == 0;
        b.value = root == 0 ? 0 : m->x / root;
        b.bound = root == 0 ? 0 : 4 * g + half;
        return b;
    case XNCC_SQDIFF:
        b.value = distance;
        b.bound = 4 * g * (m->pq + m->pt2);
        return b;
    case XNCC_SQDIFF_NORMED:
        b.maybe_flat = root == 0;
        b.value = root == 0 ? 0 : distance / root;
        b.bound = root == 0 ? 0 : g * ((m->q + 2 * root + m->t2) / root + 2 * fabsl(b.value));
        return b;
    case XNCC_COVERAGE: b.value = 1; return b;
    }
    return b;
}

oracle_bounded oracle_float(const xncc_image *image, const xncc_image *templ, xncc_mode mode,
                            xncc_method method, int32_t x, int32_t y)
{
    const int32_t x0 = mode == XNCC_SAME   ? templ->width / 2
                       : mode == XNCC_FULL ? templ->width - 1
                                           : 0;
    const int32_t y0 = mode == XNCC_SAME   ? templ->height / 2
                       : mode == XNCC_FULL ? templ->height - 1
                                           : 0;
    window w = { image, templ, x - x0, y - y0 };
    moments m = { .n = 0 };
    first_pass(&w, &m);
    if (!m.finite)
        return (oracle_bounded){ 0, 0, 0, 1 };
    second_pass(&w, &m);
    oracle_bounded b = bounded(&m, method,
                               ldexpl((long double)(templ->width + templ->height + 8), -53));
    if (method != XNCC_CCOEFF_NORMED && method != XNCC_CCORR_NORMED)
        b.bound += ldexpl(fabsl(b.value) + b.bound, -24) +
                   0x1p-149L; /* for the rounding to float */
    return b;
}
