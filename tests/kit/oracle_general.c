/* The oracle for masks, no-data values, borders, several channels and all pixel types. */
#include "kit/oracle_general.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- pixels of the image and its border ---- */

/* Finds the pixel that a border position repeats by walking there one step at a time. Returns -1 if
 * there is none. */
static int64_t pixel_at(xncc_border border, int64_t i, int64_t length)
{
    while (i < 0 || i >= length) {
        if (border == XNCC_BORDER_CLAMP)
            i = i < 0 ? i + 1 : i - 1;
        else if (border == XNCC_BORDER_WRAP)
            i = i < 0 ? i + length : i - length;
        else if (border == XNCC_BORDER_MIRROR && length == 1)
            i = 0;
        else if (border == XNCC_BORDER_MIRROR)
            i = i < 0 ? -i : 2 * (length - 1) - i;
        else
            return -1;
    }
    return i;
}

static int is_no_data(const xncc_image *image, int32_t x, int32_t y)
{
    int equal = 0, nan = 0, channels = kit_channels(image);
    for (int32_t c = 0; c < channels; c++) {
        double v = kit_sample(image, x, y, c);
        equal += v == image->no_data;
        nan += isnan(v) != 0;
    }
    return isnan(image->no_data) ? nan > 0 : equal == channels;
}

static int pixel_counts(const xncc_image *image, int32_t x, int32_t y)
{
    if (image->mask && !kit_mask(image, x, y))
        return 0;
    return !(image->has_no_data && is_no_data(image, x, y));
}

static void plane_put(oracle_plane *plane, size_t at, double value)
{
    if (plane->whole)
        plane->whole[at] = (int64_t)value;
    else
        plane->real[at] = (long double)value;
}

/* Copies the rectangle of width x height pixels at (x0, y0), which may reach beyond the image. */
static oracle_plane plane_make(const xncc_image *image, xncc_border border, int64_t x0, int64_t y0,
                               int64_t width, int64_t height)
{
    const int is_float = image->pixel == XNCC_F32 || image->pixel == XNCC_F64;
    const size_t pixels = (size_t)width * (size_t)height, channels = (size_t)kit_channels(image);
    oracle_plane plane = { .width = width, .height = height, .counts = calloc(pixels, 1) };
    if (is_float)
        plane.real = calloc(pixels * channels, sizeof *plane.real);
    else
        plane.whole = calloc(pixels * channels, sizeof *plane.whole);
    if (!plane.counts || (is_float ? (void *)plane.real : (void *)plane.whole) == NULL)
        kit_give_up("no memory for a plane of %lld x %lld", (long long)width, (long long)height);
    for (int64_t j = 0; j < height; j++)
        for (int64_t i = 0; i < width; i++) {
            size_t at = (size_t)(j * width + i);
            int64_t x = pixel_at(border, x0 + i, image->width),
                    y = pixel_at(border, y0 + j, image->height);
            if (x < 0 || y < 0) {
                plane.counts[at] =
                    border == XNCC_BORDER_ZERO; /* with the value 0 that the memory has already */
                continue;
            }
            plane.counts[at] = (unsigned char)pixel_counts(image, (int32_t)x, (int32_t)y);
            for (size_t c = 0; c < channels; c++)
                plane_put(&plane, at * channels + c,
                          kit_sample(image, (int32_t)x, (int32_t)y, (int32_t)c));
        }
    return plane;
}

oracle_general oracle_general_make(const xncc_image *image, const xncc_image *templ, xncc_mode mode,
                                   xncc_border border)
{
    oracle_general general = { .pixel = image->pixel, .channels = kit_channels(image) };
    const int32_t w = templ->width, h = templ->height;
    general.width = mode == XNCC_VALID  ? image->width - w + 1
                    : mode == XNCC_SAME ? image->width
                                        : image->width + w - 1;
    general.height = mode == XNCC_VALID  ? image->height - h + 1
                     : mode == XNCC_SAME ? image->height
                                         : image->height + h - 1;
    general.x0 = mode == XNCC_VALID ? 0 : mode == XNCC_SAME ? -(w / 2) : 1 - w;
    general.y0 = mode == XNCC_VALID ? 0 : mode == XNCC_SAME ? -(h / 2) : 1 - h;
    general.image = plane_make(image, border, general.x0, general.y0,
                               (int64_t)general.width + w - 1, (int64_t)general.height + h - 1);
    general.templ = plane_make(templ, XNCC_BORDER_ZERO, 0, 0, w, h);
    for (int64_t i = 0; i < (int64_t)w * h; i++)
        general.templ_counts += general.templ.counts[i];
    return general;
}

static void plane_free(oracle_plane *plane)
{
    free(plane->counts);
    free(plane->whole);
    free(plane->real);
}

void oracle_general_free(oracle_general *general)
{
    plane_free(&general->image);
    plane_free(&general->templ);
    memset(general, 0, sizeof *general);
}

/* ---- pairs of pixels that both count ---- */

/* Steps through a window: *i and *t become the indices of the next pair of pixels that both count.
 * Returns 0 at the end. *at is 0 to begin with. */
static int next_pair(const oracle_general *o, int32_t x, int32_t y, int64_t *at, size_t *i,
                     size_t *t)
{
    const int64_t w = o->templ.width, end = w * o->templ.height;
    for (int64_t k = *at; k < end; k++) {
        int64_t of_image = (y + k / w) * o->image.width + x + k % w;
        if (o->templ.counts[k] && o->image.counts[of_image]) {
            *at = k + 1;
            *i = (size_t)of_image * (size_t)o->channels;
            *t = (size_t)k * (size_t)o->channels;
            return 1;
        }
    }
    return 0;
}

static int64_t count_pairs(const oracle_general *o, int32_t x, int32_t y)
{
    int64_t n = 0;
    for (int64_t j = 0; j < o->templ.height; j++)
        for (int64_t k = 0; k < o->templ.width; k++)
            n += o->templ.counts[j * o->templ.width + k] &&
                 o->image.counts[(y + j) * o->image.width + x + k];
    return n;
}

static int has_score(const oracle_general *o, double min_valid, int64_t n)
{
    double fraction = min_valid == 0.0 ? 0.5 : min_valid;
    return n >= 1 && (double)n >= fraction * (double)o->templ_counts;
}

/* ---- integers ---- */

float oracle_general_score(const oracle_general *o, const kit_options *options, int32_t x,
                           int32_t y)
{
    oracle_terms terms = { .n = count_pairs(o, x, y), .whole = o->templ_counts };
    if (options->method == XNCC_COVERAGE)
        return oracle_formula(XNCC_COVERAGE, options->flat, &terms);
    if (!has_score(o, options->min_valid, (int64_t)terms.n))
        return NAN;
    for (int32_t c = 0; c < o->channels; c++) {
        __int128 S = 0, Q = 0, X = 0, T = 0, T2 = 0;
        int64_t at = 0;
        for (size_t i, t; next_pair(o, x, y, &at, &i, &t);) {
            __int128 a = o->image.whole[i + (size_t)c], b = o->templ.whole[t + (size_t)c];
            S += a;
            T += b;
            Q += a * a;
            X += a * b;
            T2 += b * b;
        }
        terms.spread += terms.n * X - S * T;
        terms.var_image += terms.n * Q - S * S;
        terms.var_templ += terms.n * T2 - T * T;
        terms.X += X;
        terms.Q += Q;
        terms.T2 += T2;
    }
    return oracle_formula(options->method, options->flat, &terms);
}

/* ---- floats ---- */

/* Moments over the pairs that count, summed over the channels. */
typedef struct moments {
    long double q, x, t2;    /* about 0 */
    long double distance;    /* sum of (I - T)^2, which is q - 2x + t2 without its cancellation */
    long double vi, vt, cov; /* about each channel's means, times n */
    long double pq, pt2;     /* about the pivot, upper bounds */
    int flat_i, flat_t, finite;
} moments;

/* Returns the range in which the library's pivot of a channel must be. The pivot is the mean of the
 * template's samples that count, from a plain sum in double, as a float for f32. */
static void pivot_of(const oracle_general *o, int32_t c, long double *mean,
                     long double *bound_margin)
{
    long double sum = 0, size = 0;
    for (int64_t k = 0; k < o->templ.width * o->templ.height; k++)
        if (o->templ.counts[k]) {
            sum += o->templ.real[k * o->channels + c];
            size += fabsl(o->templ.real[k * o->channels + c]);
        }
    long double n = (long double)o->templ_counts;
    *mean = sum / n;
    *bound_margin = ldexpl((n + 2) * size / n, -53) +
                    (o->pixel == XNCC_F32 ? ldexpl(fabsl(*mean), -23) : 0);
}

static void add_channel(const oracle_general *o, int32_t c, int32_t x, int32_t y, moments *m)
{
    long double n = 0, si = 0, st = 0, pivot, bound_margin, i0 = 0, t0 = 0;
    int64_t at = 0;
    int flat_i = 1, flat_t = 1;
    for (size_t i, t; next_pair(o, x, y, &at, &i, &t); n += 1) {
        long double a = o->image.real[i + (size_t)c], b = o->templ.real[t + (size_t)c];
        i0 = n == 0 ? a : i0;
        t0 = n == 0 ? b : t0;
        m->finite &= isfinite(a) && isfinite(b);
        flat_i &= a == i0;
        flat_t &= b == t0;
        si += a - i0; /* relative to the first sample: a large common offset must not cost digits */
        st += b - t0;
        m->distance += (a - b) * (a - b);
        m->q += a * a;
        m->x += a * b;
        m->t2 += b * b;
    }
    m->flat_i &= flat_i;
    m->flat_t &= flat_t;
    pivot_of(o, c, &pivot, &bound_margin);
    at = 0;
    for (size_t i, t; next_pair(o, x, y, &at, &i, &t);) {
        long double a = o->image.real[i + (size_t)c], b = o->templ.real[t + (size_t)c];
        long double da = a - i0 - si / n, db = b - t0 - st / n,
                    pa = fabsl(a - pivot) + bound_margin, pb = fabsl(b - pivot) + bound_margin;
        m->vi += da * da;
        m->vt += db * db;
        m->cov += da * db;
        m->pq += pa * pa;
        m->pt2 += pb * pb;
    }
}

static oracle_bounded bounded_ncc(const moments *m, long double g)
{
    oracle_bounded b = { 0, 0, 0, 0 };
    /* The library calls a variance flat if it is at most 2g times n*Q. Its own error there is at
     * most 3g. */
    b.maybe_flat = m->flat_i || m->flat_t || m->vi <= 5 * g * m->pq || m->vt <= 5 * g * m->pt2;
    if (m->flat_i || m->flat_t)
        return b;
    b.value = m->cov / (sqrtl(m->vi) * sqrtl(m->vt));
    long double kappa = m->pq / m->vi + m->pt2 / m->vt;
    b.bound = b.maybe_flat || kappa * g > 0.125L ? 2.0L : 4 * g * kappa + 0x1p-25L;
    return b;
}

static oracle_bounded bounded(const moments *m, xncc_method method, long double g)
{
    const long double root = sqrtl(m->q) * sqrtl(m->t2);
    oracle_bounded b = { 0, 0, 0, 0 };
    switch (method) {
    case XNCC_CCOEFF_NORMED: return bounded_ncc(m, g);
    case XNCC_CCOEFF:
        b.value = m->cov;
        b.bound = 4 * g * sqrtl(m->pq) * sqrtl(m->pt2);
        break;
    case XNCC_CCORR:
        b.value = m->x;
        b.bound = g * root;
        break;
    case XNCC_CCORR_NORMED:
        b.maybe_flat = root == 0;
        b.value = root == 0 ? 0 : m->x / root;
        b.bound = root == 0 ? 0 : 4 * g + 0x1p-25L;
        return b;
    case XNCC_SQDIFF:
        b.value = m->distance;
        b.bound = 4 * g * (m->pq + m->pt2);
        break;
    case XNCC_SQDIFF_NORMED: {
        b.maybe_flat = root == 0;
        if (root == 0)
            return b;
        b.value = m->distance / root;
        b.bound = g * ((m->q + 2 * root + m->t2) / root + 2 * fabsl(b.value));
        break;
    }
    case XNCC_COVERAGE: break;
    }
    b.bound += ldexpl(fabsl(b.value) + b.bound, -24) + 0x1p-149L; /* for the rounding to float */
    return b;
}

oracle_bounded oracle_general_real(const oracle_general *o, xncc_method method, double min_valid,
                                   int32_t x, int32_t y)
{
    const int64_t n = count_pairs(o, x, y);
    if (method == XNCC_COVERAGE) /* no sums: the same float as for integers */
        return (oracle_bounded){ (long double)(float)((double)n / (double)o->templ_counts), 0, 0,
                                 0 };
    if (!has_score(o, min_valid, n))
        return (oracle_bounded){ 0, 0, 0, 1 };
    moments m = { .flat_i = 1, .flat_t = 1, .finite = 1 };
    for (int32_t c = 0; c < o->channels; c++)
        add_channel(o, c, x, y, &m);
    if (!m.finite)
        return (oracle_bounded){ 0, 0, 0, 1 };
    return bounded(&m, method,
                   ldexpl((long double)(o->templ.width + o->templ.height + o->channels + 7), -53));
}
