/* SPDX-License-Identifier: BSD-2-Clause */
/* Small maps of floats from what they share (small_reals.h). */
#include "cpu/kernels/small_reals_thread.h"

#include "image/image.h"
#include "math/method.h"

#include <math.h>
#include <string.h>

static const double u = 0x1p-53;

#define FLOATS(name, type)                                                                         \
    static void name(const void *row, int32_t count, float *restrict out)                          \
    {                                                                                              \
        const type *restrict in = row;                                                             \
        for (int32_t i = 0; i < count; i++)                                                        \
            out[i] = (float)in[i];                                                                 \
    }
FLOATS(floats_u8, uint8_t)
FLOATS(floats_s8, int8_t)
FLOATS(floats_u16, uint16_t)
FLOATS(floats_s16, int16_t)

void xncc_small_reals_floats(xncc_pixel pixel, const void *row, int32_t count, float *out)
{
    switch (pixel) {
    case XNCC_U8: floats_u8(row, count, out); return;
    case XNCC_S8: floats_s8(row, count, out); return;
    case XNCC_U16: floats_u16(row, count, out); return;
    default: floats_s16(row, count, out); return;
    }
}

/* What the maps of a call have in common. */
typedef struct run {
    const xncc_reals_isa *reals;
    xncc_job job;
    xncc_template templ;
    xncc_small_reals *s;
    int32_t pixels; /* of a chip */
} run;

/* ---- chips ---- */

/* Copies the samples of a chip, one row after the other, as floats or doubles. */
static const void *gather(const run *r, const xncc_image *chip, double *doubles)
{
    const xncc_pixel pixel = chip->pixel;
    const size_t size = pixel == XNCC_F64 ? sizeof(double) : sizeof(float),
                 bytes = (size_t)chip->width * size;
    char *to = pixel == XNCC_F64 ? (char *)doubles : (char *)r->s->floats;
    for (int32_t y = 0; y < chip->height; y++) {
        const void *row = xncc_image_row(chip, y);
        if (xncc_pixel_is_float(pixel))
            memcpy(to + (size_t)y * bytes, row, bytes);
        else
            xncc_small_reals_floats(pixel, row, chip->width, r->s->floats + y * chip->width);
    }
    return to;
}

/* The error of sums of samples less the pivot, relative to the sizes of what is added, the
 * roundings of the samples included; and of their squares. */
static double sum_error(const run *r)
{
    return 1.01 * u * ((double)r->pixels / 32.0 + 44.0);
}

/* The unit of the samples of a chip, if the scene has one. */
static double unit_of(const run *r, const double *value)
{
    xncc_reals_span span = { INFINITY, -INFINITY, INFINITY };
    if (r->s->unit == 0.0 || !xncc_pixel_is_float(r->job.problem->pixel))
        return r->s->unit;
    r->reals->span(value, r->pixels, &span);
    if (isinf(span.unit)) /* all samples are 0 */
        return r->s->unit;
    return xncc_reals_unit_is_usable(span.unit) ? span.unit : 0.0;
}

/* The power of two that makes the chip about as large as its scene, by their means of squares. */
static double factor_of(const run *r, double square)
{
    const xncc_small_reals *s = r->s;
    const double points = (double)s->fft.nx * s->fft.ny,
                 pixels = (double)(s->width + r->templ.width - 1) *
                          (double)(s->height + r->templ.height - 1),
                 ratio = s->norm * s->norm * points / pixels / square;
    return ratio > 0x1p-6 && ratio < 0x1p6       ? 1.0
           : ratio > 0x1p-800 && ratio < 0x1p800 ? ldexp(1.0, ilogb(ratio) / 2)
                                                 : 1.0;
}

/* Reads the samples of a chip, and subtracts their mean if the method does. Returns 0 if a sample
 * is not finite. */
static int read_samples(const run *r, const xncc_image *chip, xncc_small_chip *c)
{
    const int integers = !xncc_pixel_is_float(chip->pixel);
    xncc_reals_line line = { .raw = gather(r, chip, c->spectrum),
                             .pixel = chip->pixel == XNCC_F64 ? XNCC_F64 : XNCC_F32,
                             .channels = 1,
                             .width = r->pixels,
                             .power = 1,
                             .out = c->value };
    if (r->reals->line(&line).bad)
        return 0;
    memset(c->value + r->pixels, 0, XNCC_REALS_ROOM * sizeof(double));
    c->unit = unit_of(r, c->value);
    if (xncc_method_is_centred(r->job.problem->rule.method)) {
        r->reals->moments(c->value, r->pixels, &c->sum, &c->square);
        const double mean = c->sum / r->pixels;
        line.pivot = c->unit > 0.0 ? rint(mean / c->unit) * c->unit : mean;
    }
    line.out = c->part;
    (void)r->reals->line(&line);
    memset(c->part + r->pixels, 0, XNCC_REALS_ROOM * sizeof(double));
    r->reals->moments(c->part, r->pixels, &c->sum, &c->square);
    c->most = integers        ? XNCC_SMALL_REALS_MOST
              : c->unit > 0.0 ? r->reals->range(c->part, r->pixels, 0.0).most / c->unit
                              : 0.0;
    return c->square < 0x1p400;
}

/* A bound of |v|^2 of what is transformed for the window at (left, top): the squares of windows
 * that hold all its pixels. */
static double scene_square(const run *r, ptrdiff_t left, ptrdiff_t top)
{
    const xncc_small_reals *s = r->s;
    double square = 0.0;
    for (ptrdiff_t y = top; y < top + s->fft.ny; y += r->templ.height)
        for (ptrdiff_t x = left; x < left + s->fft.nx; x += r->templ.width)
            square += s->Q[(y < s->height ? y : s->height - 1) * s->stride +
                           (x < s->width ? x : s->width - 1)];
    return square + 0x1p-60 * s->norm * s->norm;
}

/* Reads a chip and transforms it with its scene. Returns 0 if a sample is not finite. */
static int read_chip(const run *r, const xncc_reals_map *map, xncc_small_chip *c)
{
    const xncc_small_reals *s = r->s;
    const size_t width = (size_t)r->templ.width;
    if (!read_samples(r, map->chip, c))
        return 0;
    c->factor = factor_of(r, c->square);
    for (size_t y = 0; y < (size_t)r->templ.height; y++) {
        double *to = c->rows + y * (size_t)s->fft.nx;
        memcpy(to, c->part + y * width, width * sizeof *to);
        for (size_t x = 0; x < width && c->factor != 1.0; x++)
            to[x] *= c->factor;
    }
    const ptrdiff_t left = map->area.x - s->left, top = map->area.y - s->top;
    const xncc_chip_fft_input input = { s->plane + top * s->pitch + left, s->pitch, c->rows,
                                        r->templ.height };
    s->isa->fft->forward(&s->fft, &input, c->spectrum);
    c->magnitude = 1.01 * (scene_square(r, left, top) / c->factor + c->square * c->factor);
    return 1;
}

/* ---- bounds ---- */

/* The root of the template's term of a normed method. Its error becomes one of X, which is at most
 * |v||t|: a relative error of the root is one of the numerator. Returns 0 if it is not known well.
 */
static int find_root(const run *r, const xncc_small_chip *c, xncc_reals_row *row)
{
    const double n = row->n, of_sums = sum_error(r), T2 = c->square, T = c->sum;
    double term = T2, error = of_sums * T2;
    if (xncc_method_is_centred(row->method)) {
        term = n * T2 - T * T;
        error = n * error + 2.0 * fabs(T) * row->error.T + row->error.T * row->error.T +
                4.0 * u * (n * T2 + T * T);
    }
    if (!(term > 0x1p-400) || !(error <= 0.125 * term))
        return 0;
    row->templ_root = sqrt(term);
    row->error.X += 0.8 * error / term * c->magnitude;
    return 1;
}

/* The same from exact sums, rounded once. */
static double exact_root(const run *r, const xncc_small_chip *c, double n)
{
    const double T = c->sum, T2 = c->square, a = n * T2, b = T * T, d = a - b,
                 low = fma(n, T2, -a) - fma(T, T, -b);
    return sqrt(xncc_method_is_centred(r->job.problem->rule.method)
                    ? d + (xncc_sum_error(a, -b, d) + low)
                    : T2);
}

/* Are all sums exact once they are rounded to multiples of the units? */
static int is_exact(const run *r, const xncc_small_chip *c, const xncc_reals_errors *e)
{
    const double half = 0.49, v = r->s->unit, t = c->unit;
    return v > 0.0 && t > 0.0 && xncc_reals_sums_fit(&r->templ, fmax(r->s->most, c->most)) &&
           e->X <= half * v * t && e->S <= half * v && e->Q <= half * v * v;
}

/* What the rows of a map have in common. `magnitude`: |z|^2 of both transforms. Returns 0 if the
 * map cannot be scored. */
static int describe_rows(const run *r, const xncc_small_chip *c, double magnitude,
                         xncc_reals_row *row)
{
    const xncc_method method = r->job.problem->rule.method;
    *row = (xncc_reals_row){ .method = method,
                             .n = (double)r->pixels,
                             .templ_sum = c->sum,
                             .templ_square = c->square,
                             .error = r->s->error,
                             .first = 1,
                             .last = 1,
                             .least = (double)r->job.general.least,
                             .flat = xncc_flat_score(method, &r->job.general, 0),
                             .equal = xncc_flat_score(method, &r->job.general, 1) };
    row->error.X = 1.01 * xncc_chip_fft_error(r->s->fft.nx, r->s->fft.ny) * magnitude +
                   XNCC_REALS_TINY;
    if (is_exact(r, c, &row->error)) {
        row->exact = 1;
        row->unit = r->s->unit;
        row->templ_unit = c->unit;
        row->templ_root = exact_root(r, c, row->n);
        return 1;
    }
    row->error.T = sum_error(r) * sqrt((double)r->pixels * c->square);
    return xncc_pixel_is_float(r->job.problem->pixel) &&
           (!xncc_method_is_normed(method) || find_root(r, c, row));
}

/* ---- scores ---- */

/* The part of what matching knows of a template that the settling of single windows needs. */
static void share_template(const run *r, const xncc_small_chip *c, double root,
                           xncc_reals_shared *shared)
{
    const xncc_method method = r->job.problem->rule.method;
    const xncc_twofold zero = { 0.0, 0.0 };
    xncc_twofold_sums sums = { zero, zero, zero };
    memset(shared, 0, sizeof *shared);
    r->reals->twofold(c->value, NULL, r->pixels, &sums);
    shared->channel[0].T = xncc_twofold_add(sums.S, zero);
    shared->channel[0].T2 = xncc_twofold_add(sums.Q, zero);
    shared->value[0] = c->value;
    shared->zero_score = xncc_method_is_normed(method)
                             ? xncc_flat_score(method, &r->job.general, root == 0.0)
                             : 0.0f;
}

/* The windows of a map that are in doubt. */
typedef struct doubts {
    const run *r;
    const xncc_small_chip *chip;
    const xncc_area *area;
    xncc_reals_shared shared; /* made for the first one */
    int count;
} doubts;

/* Settles the windows of row y that are in doubt by sums in pairs of doubles. Returns 0 if there
 * are too many, or if one is left. */
static int settle_row(doubts *d, int32_t y, const xncc_reals_row *row)
{
    enum { MOST = 32 };
    xncc_job job = d->r->job;
    job.shared = &d->shared;
    for (int32_t x = 0; x < row->count; x++) {
        uint32_t bits;
        memcpy(&bits, row->out + x, sizeof bits);
        if (bits != XNCC_DOUBT)
            continue;
        if (d->count++ == 0)
            share_template(d->r, d->chip, row->templ_root, &d->shared);
        if (d->count > MOST ||
            !xncc_reals_refine(d->r->reals, &job, &d->r->s->refine, (int64_t)d->area->x + x,
                               (int64_t)d->area->y + y, row->out + x))
            return 0;
    }
    return 1;
}

/* Scores a row. Returns 1 if there is a doubt. */
static int score_row(const run *r, const xncc_reals_row *row, ptrdiff_t at)
{
    const xncc_small_reals *s = r->s;
    const int centred = xncc_method_is_centred(row->method);
    const xncc_reals_errors *e = &row->error;
    const double n = centred ? row->n : 1.0, T = centred ? row->templ_sum : 0.0;
    const xncc_reals_quotients q = { .X = row->X,
                                     .S = row->S,
                                     .inverse = s->inverse + at,
                                     .relative = s->relative + at,
                                     .n = n,
                                     .templ_sum = T,
                                     .factor = 1.0 / row->templ_root,
                                     .error = n * e->X + (fabs(T) + e->T) * e->S_window,
                                     .per_S = centred ? e->T : 0.0,
                                     .count = row->count,
                                     .out = row->out };
    if (!xncc_method_is_normed(row->method))
        return r->reals->score(row, 1);
    /* exact sums leave no doubt */
    return r->reals->quotients(&q) && (!row->exact || r->reals->score(row, 1));
}

/* Scores a map from its products. Returns 0 if some scores are not known. */
static int score(const run *r, const xncc_small_chip *c, double magnitude, const xncc_area *area)
{
    const xncc_small_reals *s = r->s;
    const ptrdiff_t at = (area->y - s->top) * s->stride + (area->x - s->left);
    doubts d;
    xncc_reals_row row;
    d.r = r;
    d.chip = c;
    d.area = area;
    d.count = 0;
    if (!describe_rows(r, c, magnitude, &row))
        return 0;
    row.count = area->width;
    for (int32_t y = 0; y < area->height; y++) {
        row.X = c->product + y * s->product_stride;
        row.S = s->S + at + y * s->stride;
        row.Q = s->Q + at + y * s->stride;
        row.out = area->out + y * area->pitch;
        if (score_row(r, &row, at + y * s->stride) && !settle_row(&d, y, &row))
            return 0;
    }
    return 1;
}

void xncc_small_reals_maps(const xncc_job *job, xncc_reals_map *map, int count, xncc_small_reals *s)
{
    const xncc_problem *p = job->problem;
    run r = { .reals = s->isa->reals, .job = *job, .s = s };
    r.pixels = p->templ_width * p->templ_height;
    r.templ = (xncc_template){ .width = p->templ_width,
                               .height = p->templ_height,
                               .pixel = p->pixel,
                               .channels = 1,
                               .whole = (uint64_t)r.pixels,
                               .finite = 1 };
    r.job.templ = &r.templ;
    r.job.general = xncc_general_rule_make(&r.templ, p->rule.flat, p->rule.min_valid);
    const double points = 1.0 / ((double)s->fft.nx * s->fft.ny);
    const xncc_small_chip *made[2] = { NULL, NULL };
    xncc_chip_fft_output output = { .stride = s->product_stride };
    int last = -1;
    for (int i = 0; i < count; i++) {
        map[i].done = read_chip(&r, &map[i], &s->chip[i]);
        last = map[i].done ? i : last;
        if (map[i].area.width > output.width)
            output.width = map[i].area.width;
    }
    if (last < 0)
        return;
    for (int i = 0; i < 2; i++) /* one that is missing is computed twice */
        made[i] = &s->chip[i < count && map[i].done ? i : last];
    for (int i = 0; i < 2; i++) {
        output.spectrum[i] = made[i]->spectrum;
        output.scale[i] = points / made[i]->factor;
        output.map[i] = s->chip[i].product;
    }
    s->isa->fft->backward(&s->fft, &output);
    const double magnitude = made[0]->magnitude + made[1]->magnitude;
    for (int i = 0; i < count; i++)
        if (map[i].done)
            map[i].done = score(&r, &s->chip[i], magnitude, &map[i].area);
}
