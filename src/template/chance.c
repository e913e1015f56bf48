/* SPDX-License-Identifier: BSD-2-Clause */
/* Which scores chance explains. Formula and derivation: docs/chance.md. */
#include "exactncc/chance.h"

#include "base/error.h"
#include "base/float_env.h"
#include "image/image.h"
#include "image/samples.h"
#include "template/template.h"

#include <math.h>
#include <string.h>

enum {
    SIDE = 32, /* templates are reduced to at most SIDE x SIDE cells */
    FEW = 16   /* independent pixels */
};

static const double false_alarms = 0.01;

/* A rectangle of numbers whose mean is 0. */
typedef struct cells {
    int32_t width, height;
    float value[SIDE * SIDE];
} cells;

/* The mean of the pixels of a channel that count, and their squared deviations from it. */
typedef struct spread {
    double mean, energy;
    uint64_t count;
    int flat, finite;
} spread;

/* The value of a channel of pixel (x, y). Returns 0 if the pixel does not count. */
static int sample(const xncc_image *p, size_t channel, int32_t x, int32_t y, double *value)
{
    const int32_t channels = xncc_image_channels(p);
    const void *row = xncc_image_row(p, y);
    if (!xncc_pixel_counts(p, channels, row, xncc_image_mask_row(p, y), x))
        return 0;
    *value = xncc_sample_value(p->pixel, row, (int64_t)x * channels + (int64_t)channel);
    return 1;
}

static spread measure(const xncc_image *p, size_t channel)
{
    spread s = { .flat = 1, .finite = 1 };
    double first = 0.0, sum = 0.0, squares = 0.0, v;
    for (int32_t y = 0; y < p->height; y++)
        for (int32_t x = 0; x < p->width; x++) {
            if (!sample(p, channel, x, y, &v))
                continue;
            first = s.count++ ? first : v;
            s.flat &= v >= first && v <= first;
            s.finite &= isfinite(v) != 0;
            sum += v - first;
            squares += (v - first) * (v - first);
        }
    const double n = s.count ? (double)s.count : 1.0;
    s.mean = first + sum / n;
    s.energy = squares - sum * (sum / n);
    return s;
}

/* Sums the deviations from the mean in cells of `factor` x `factor` pixels, from pixel (x, y) on.
 * Pixels that do not count add nothing. */
static void fill(const xncc_image *p, size_t channel, double mean, int32_t x, int32_t y,
                 int32_t factor, cells *c)
{
    memset(c->value, 0, sizeof c->value);
    for (int32_t cy = 0; cy < c->height * factor && y + cy < p->height; cy++)
        for (int32_t cx = 0; cx < c->width * factor && x + cx < p->width; cx++) {
            double v;
            if (sample(p, channel, x + cx, y + cy, &v))
                c->value[cy / factor * c->width + cx / factor] += (float)(v - mean);
        }
}

/* The sum of products of the cells with themselves, moved by (dx, dy); dy is not negative. */
static double product(const cells *c, int32_t dx, int32_t dy)
{
    const int32_t first = dx < 0 ? -dx : 0, end = dx < 0 ? c->width : c->width - dx;
    double total = 0.0;
    for (int32_t y = 0; y + dy < c->height; y++) {
        const float *a = c->value + y * c->width, *b = a + dy * c->width + dx;
        float sum[8] = { 0 };
        int32_t x = first;
        for (; x + 8 <= end; x += 8)
            for (int k = 0; k < 8; k++)
                sum[k] += a[x + k] * b[x + k];
        for (; x < end; x++)
            sum[0] += a[x] * b[x];
        for (int k = 0; k < 8; k++)
            total += (double)sum[k];
    }
    return total;
}

/* The sum of the squared autocorrelation over all shifts; 1 for cells that are independent, and
 * more the smoother they are. 0 if all are 0. */
static double smoothness(const cells *c)
{
    const double energy = product(c, 0, 0);
    double sum = 1.0;
    if (!(energy > 0.0))
        return 0.0;
    for (int32_t dy = 0; dy < c->height; dy++)
        for (int32_t dx = dy ? 1 - c->width : 1; dx < c->width; dx++) {
            const double r = product(c, dx, dy) / energy;
            sum += 2.0 * r * r; /* and the opposite shift */
        }
    return sum;
}

/* The effective number of independent pixels of a channel. */
static double independent(const xncc_image *p, size_t channel, const spread *s)
{
    const int32_t longer = p->width > p->height ? p->width : p->height;
    const int32_t factor = (longer + SIDE - 1) / SIDE;
    cells c = { .width = (p->width + factor - 1) / factor,
                .height = (p->height + factor - 1) / factor };
    fill(p, channel, s->mean, 0, 0, factor, &c);
    double worst = smoothness(&c);
    if (factor > 1) {
        /* The part of the energy that is left when every cell is replaced by its mean. */
        const double area = (double)factor * factor;
        const double kept = product(&c, 0, 0) / area / s->energy;
        worst *= area * kept * kept;
        c.width = p->width < SIDE ? p->width : SIDE;
        c.height = p->height < SIDE ? p->height : SIDE;
        fill(p, channel, s->mean, (p->width - c.width) / 2, (p->height - c.height) / 2, 1, &c);
        worst = fmax(worst, smoothness(&c));
    }
    const double n = (double)s->count, e = n / fmax(worst, 1.0);
    /* The noise of an estimated autocorrelation doubles the sum of its squares; with few pixels the
     * estimate is too rough to correct. */
    return fmin(n, fmax(e, 2.0 * e - FEW));
}

/* As xncc_chance_look, for a legal view in host memory. */
static xncc_chance chance_of(const xncc_image *p)
{
    xncc_chance chance = { .flat = 1 };
    int finite = 1;
    for (int32_t channel = 0; channel < xncc_image_channels(p); channel++) {
        const spread s = measure(p, (size_t)channel);
        finite &= s.finite;
        if (s.flat || !finite || !(s.energy > 0.0)) {
            chance.flat &= s.flat;
            continue;
        }
        const double pixels = independent(p, (size_t)channel, &s);
        chance.pixels = chance.flat || pixels < chance.pixels ? pixels : chance.pixels;
        chance.flat = 0;
    }
    if (!finite)
        chance.pixels = 0.0;
    return chance;
}

double xncc_template_independent(const xncc_template *t)
{
    uint64_t bits = __atomic_load_n(&t->independent, __ATOMIC_RELAXED);
    double pixels;
    if (bits == 0) {
        const xncc_image view = { .data = t->pixels, /* biased; that moves the mean alone */
                                  .width = t->width,
                                  .height = t->height,
                                  .pixel = xncc_pixel_stored(t->pixel),
                                  .channels = t->channels,
                                  .mask = t->mask };
        pixels = chance_of(&view).pixels;
        memcpy(&bits, &pixels, sizeof bits);
        __atomic_store_n(&((xncc_template *)(uintptr_t)t)->independent, bits, __ATOMIC_RELAXED);
    }
    memcpy(&pixels, &bits, sizeof pixels);
    return pixels;
}

xncc_status xncc_chance_look(const xncc_image *templ, xncc_chance *chance, xncc_error *error)
{
    XNCC_ENTER;
    if (!chance)
        return xncc_fail_null(error, "chance");
    *chance = (xncc_chance){ 0 };
    xncc_status status = xncc_image_check(templ, "template", error);
    if (!status && templ->memory != XNCC_HOST)
        status = xncc_fail(error, XNCC_ERROR_ARGUMENT,
                           "the template must be in host memory to be looked at");
    if (!status)
        *chance = chance_of(templ);
    return xncc_done(status, error);
}

double xncc_chance_limit(double pixels, double windows)
{
    XNCC_ENTER;
    if (!(pixels > 2.0) || !(windows > 0.0))
        return 1.0;
    const double tail = 2.0 * false_alarms / windows;
    return tail < 1.0 ? sqrt(1.0 - pow(tail, 2.0 / (pixels - 2.0))) : 0.0;
}
