/* SPDX-License-Identifier: BSD-2-Clause */
/* The vector part of matching floats (reals.h). The including file, one per instruction set,
 * defines REALS_LANES, REALS_ISA, the name of its functions, and REALS_KEEP(v) and the functions
 * that reals_vector.h declares, and is compiled without contraction. REALS_KEEP(v) keeps a vector
 * in a register where gcc would otherwise load it again for every use. */
#ifndef XNCC_CPU_KERNELS_REALS_BODY_H
#define XNCC_CPU_KERNELS_REALS_BODY_H

#include "cpu/kernels/reals_columns.h"
#include "cpu/kernels/reals_moduli_body.h"
#include "cpu/kernels/reals_pixels.h"
#include "cpu/kernels/reals_products.h"

/* ---- lines ---- */

/* The double that is written for a sample, and what is found on the way. */
REALS_INLINE rd line_value(rd sample, rl counts, const xncc_reals_line *line, rl *bad, rd *square)
{
    const rl finite = sample - sample == rd_fill(0.0);
    const rd v = sample - line->pivot;
    rd out = (rd)((rl)(line->power == 2 ? v * v : v) & counts & finite);
    if (line->power == 0)
        out = (rd)((rl)rd_fill(1.0) & counts);
    *bad |= counts & ~finite;
    *square += out * out;
    return out;
}

/* Rows of one channel that all count, which are the most frequent. Returns 0 if a double is not
 * finite. */
REALS_INLINE int plain_line(xncc_pixel pixel, const xncc_reals_line *line, double *square)
{
    rd sum = { 0 }, zero = { 0 };
    int32_t i = 0;
    for (; i + REALS_LANES <= line->width; i += REALS_LANES) {
        const rd out = rd_samples(pixel, line->raw, i) - line->pivot;
        zero += out * 0.0;
        sum += out * out;
        rd_store(line->out + i, out);
    }
    *square = rd_total(sum);
    double bad = rd_total(zero);
    const int32_t end = (line->width + REALS_LANES - 1) / REALS_LANES * REALS_LANES;
    for (; i < end; i++) {
        const double out = i < line->width ? xncc_sample_value(pixel, line->raw, i) - line->pivot
                                           : 0.0;
        bad += out * 0.0;
        *square += out * out;
        line->out[i] = out;
    }
    return bad == 0.0;
}

/* The channel of rows of several, as doubles. step: line->channels; it and pixel are constants, so
 * that vectors can be shuffled. */
REALS_INLINE void pick_samples(xncc_pixel pixel, const xncc_reals_line *line, int32_t step)
{
    for (int32_t i = 0; i < line->width; i++)
        line->out[i] = xncc_sample_value(pixel, line->raw, (int64_t)i * step + line->channel);
}

REALS_INLINE void pick_pixels(xncc_pixel pixel, const xncc_reals_line *line)
{
    if (line->channels == 3)
        pick_samples(pixel, line, 3);
    else if (line->channels == 4)
        pick_samples(pixel, line, 4);
    else
        pick_samples(pixel, line, line->channels);
}

static void pick_channel(const xncc_reals_line *line)
{
    REALS_OF_PIXEL(line->pixel, pick_pixels, line);
}

/* A row of one channel of which some samples may not count or may not be finite. raw may be out. */
REALS_INLINE xncc_reals_found any_samples(xncc_pixel pixel, const xncc_reals_line *line)
{
    rl bad = { 0 };
    rd square = { 0 };
    for (int32_t i = 0; i < line->width; i += REALS_LANES) {
        const int32_t left = line->width - i < REALS_LANES ? line->width - i : REALS_LANES;
        rl counts;
        rd sample;
        if (left == REALS_LANES) {
            sample = rd_samples(pixel, line->raw, i);
            counts = line->count ? rl_counts(line->count + i) : (rl){ 0 } - 1;
        } else {
            double v[REALS_LANES] = { 0 };
            uint8_t count[REALS_LANES] = { 0 };
            for (int32_t k = 0; k < left; k++) {
                v[k] = xncc_sample_value(pixel, line->raw, i + k);
                count[k] = !line->count || line->count[i + k];
            }
            sample = rd_load(v);
            counts = rl_counts(count);
        }
        rd_store(line->out + i, line_value(sample, counts, line, &bad, &square));
    }
    return (xncc_reals_found){ rd_total(square), rl_any(bad) };
}

static xncc_reals_found any_line(const xncc_reals_line *line)
{
    const xncc_reals_line own = *line; /* what is written is not a part of it */
    return REALS_OF_PIXEL(line->pixel, any_samples, &own);
}

static xncc_reals_found reals_line(const xncc_reals_line *line)
{
    const int picked = line->channels > 1, plain = !line->count && line->power == 1;
    xncc_reals_line one = *line;
    double square;
    if (picked) {
        pick_channel(line);
        one.raw = line->out;
        one.pixel = XNCC_F64;
    }
    if (plain && REALS_OF_PIXEL(one.pixel, plain_line, &one, &square))
        return (xncc_reals_found){ square, 0 };
    if (picked && plain) /* the samples were overwritten */
        pick_channel(line);
    return any_line(&one);
}

/* ---- sums in pairs of doubles ---- */

typedef struct rd_pair {
    rd high, low;
} rd_pair;

REALS_INLINE void pair_add(rd_pair *sum, rd v)
{
    const rd s = sum->high + v;
    sum->low += rd_sum_error(sum->high, v, s);
    sum->high = s;
}

/* Adds a * b and the error of its rounding. */
REALS_INLINE void pair_add_product(rd_pair *sum, rd a, rd b)
{
    const rd p = a * b;
    pair_add(sum, p);
    sum->low += rd_product_error(a, b, p);
}

static void pair_finish(xncc_twofold *to, const rd_pair *sum)
{
    double high[REALS_LANES], low[REALS_LANES];
    memcpy(high, &sum->high, sizeof high);
    memcpy(low, &sum->low, sizeof low);
    for (int i = 0; i < REALS_LANES; i++) {
        xncc_twofold_put(to, high[i]);
        to->low += low[i];
    }
}

/* Rows of samples: of the image or of the template. pivots: of each sample, or NULL. */
typedef struct cut_line {
    xncc_reals_slide row;
    const double *pivots;
} cut_line;

/* The samples of a row, `line`, from x on, of which it may have fewer unless `whole`, less their
 * pivots. several: 1 if each has its own, a constant. */
REALS_INLINE rd cut_load(const cut_line *of, const void *line, int32_t x, int several, int whole)
{
    const xncc_reals_slide *row = &of->row;
    double v[REALS_LANES] = { 0 };
    if (!several)
        return whole ? slide_load(row, line, x) : slide_end(row, line, x);
    if (whole || x + REALS_LANES <= row->count)
        return rd_samples(row->pixel, line, x) - rd_load(of->pivots + x);
    for (int32_t i = x; i < row->count; i++)
        v[i - x] = xncc_sample_value(row->pixel, line, i) - of->pivots[i];
    return rd_load(v);
}

/* A row of some windows and of the template. */
typedef struct cut_row {
    cut_line image, templ;
    const char *enter[XNCC_CUT_WINDOWS];
} cut_row;

/* A vector of the sums of each window. */
typedef struct cut_vectors {
    rd high[XNCC_CUT_WINDOWS], low[XNCC_CUT_WINDOWS];
} cut_vectors;

/* Adds the sums of up to XNCC_CUT_PART products each to sums that are much larger, which rounds
 * them to a multiple of the sums' unit, and what that leaves to `low`. The products are of the
 * samples from x on, and one of the template is read once for all windows. times: products in each
 * sum. windows: how many, a constant; several, whole: as in cut_load. */
REALS_INLINE void add_parts(const cut_row *row, int32_t x, int times, int windows, int several,
                            int whole, cut_vectors *to)
{
    rd part[XNCC_CUT_WINDOWS];
    for (int w = 0; w < windows; w++)
        part[w] = rd_fill(0.0);
    for (int i = 0; i < times; i++, x += XNCC_CUT_SUMS) {
        const rd t = cut_load(&row->templ, row->templ.row.enter, x, several, whole);
        for (int w = 0; w < windows; w++)
            part[w] = rd_fma(cut_load(&row->image, row->enter[w], x, several, whole), t, part[w]);
    }
    for (int w = 0; w < windows; w++)
        rd_cut_add(part[w], &to->high[w], &to->low[w]);
}

/* Adds a row's products to the sums from k on, which a vector has room for. */
REALS_INLINE void add_to_vector(const cut_row *row, int32_t k, int windows, int several,
                                xncc_reals_cut_sums *sums)
{
    enum { STEP = XNCC_CUT_SUMS * XNCC_CUT_PART };
    const int32_t count = row->image.row.count;
    cut_vectors to;
    for (int w = 0; w < windows; w++) {
        to.high[w] = rd_load(sums[w].high + k);
        to.low[w] = rd_load(sums[w].low + k);
    }
    int32_t x = 0;
    for (; x + STEP <= count; x += STEP)
        add_parts(row, x + k, XNCC_CUT_PART, windows, several, 1, &to);
    const int times = (count - x) / XNCC_CUT_SUMS;
    if (times > 0)
        add_parts(row, x + k, times, windows, several, 1, &to);
    if (x + times * XNCC_CUT_SUMS < count)
        add_parts(row, x + times * XNCC_CUT_SUMS + k, 1, windows, several, 0, &to);
    for (int w = 0; w < windows; w++) {
        rd_store(sums[w].high + k, to.high[w]);
        rd_store(sums[w].low + k, to.low[w]);
    }
}

/* windows, several: constants. The rows of an image are far apart, so the cache is asked for a row
 * some rows ahead: for the last window, which lies lowest, so that the others come to its rows
 * later. */
REALS_INLINE void cut_rows(xncc_pixel pixel, const xncc_reals_cut_rows *cut, int windows,
                           int several, xncc_reals_cut_sums *sums)
{
    enum { AHEAD = 4 };
    const xncc_pixel templ = pixel == XNCC_U32 && !several ? XNCC_F64 : pixel;
    const ptrdiff_t size = (ptrdiff_t)xncc_pixel_size(pixel) * cut->line.count;
    cut_row row = { .image = { cut->line, cut->pivots[0] },
                    .templ = { cut->line, cut->pivots[1] } };
    row.image.row.pixel = pixel;
    row.templ.row.pixel = templ;
    row.templ.row.pivot = cut->pivot;
    row.templ.row.enter = cut->templ;
    for (int w = 0; w < windows; w++)
        row.enter[w] = cut->enter[w];
    for (int32_t y = 0; y < cut->rows; y++) {
        const ptrdiff_t ahead = y + AHEAD < cut->rows ? AHEAD * cut->pitch : 0;
        for (ptrdiff_t at = 0; at < size; at += 64)
            __builtin_prefetch(row.enter[windows - 1] + ahead + at);
        for (int32_t k = 0; k < XNCC_CUT_SUMS; k += REALS_LANES)
            add_to_vector(&row, k, windows, several, sums);
        for (int w = 0; w < windows; w++)
            row.enter[w] += cut->pitch;
        row.templ.row.enter = (const char *)row.templ.row.enter + cut->templ_pitch;
    }
}

REALS_INLINE void cut_windows(const xncc_reals_cut_rows *cut, int several,
                              xncc_reals_cut_sums *sums)
{
    if (cut->windows == XNCC_CUT_WINDOWS)
        REALS_OF_PIXEL(cut->line.pixel, cut_rows, cut, XNCC_CUT_WINDOWS, several, sums);
    else
        REALS_OF_PIXEL(cut->line.pixel, cut_rows, cut, 1, several, sums);
}

static void reals_cut_products(const xncc_reals_cut_rows *cut, xncc_reals_cut_sums *sums)
{
    if (cut->pivots[0])
        cut_windows(cut, 1, sums);
    else
        cut_windows(cut, 0, sums);
}

REALS_INLINE double few_products(xncc_pixel pixel, const xncc_reals_cut_rows *rows)
{
    const double *t = rows->templ;
    const char *line = rows->enter[0];
    rd sum = { 0 };
    for (int32_t y = 0; y < rows->rows; y++, line += rows->pitch) {
        for (int32_t x = 0; x < rows->line.count; x += REALS_LANES)
            sum = rd_fma(rd_samples(pixel, line, x) - rows->line.pivot, rd_load(t + x), sum);
        t += xncc_reals_padded(rows->line.count);
    }
    return rd_total(sum);
}

static double reals_few_products(const xncc_reals_cut_rows *rows)
{
    return REALS_OF_PIXEL(rows->line.pixel, few_products, rows);
}

static void reals_moments(const double *v, int32_t count, double *sum, double *square)
{
    enum { VECTORS = 32 / REALS_LANES };
    rd s[VECTORS], q[VECTORS];
    for (int k = 0; k < VECTORS; k++)
        s[k] = q[k] = rd_fill(0.0);
    for (int32_t i = 0; i < count; i += 32)
        for (int k = 0; k < VECTORS; k++) {
            const rd a = rd_load(v + i + k * REALS_LANES);
            s[k] += a;
            q[k] = rd_fma(a, a, q[k]);
        }
    *sum = *square = 0.0;
    for (int k = 0; k < VECTORS; k++) {
        *sum += rd_total(s[k]);
        *square += rd_total(q[k]);
    }
}

REALS_INLINE void twofold_row(const double *v, const double *t, int32_t count, int products,
                              xncc_twofold_sums *sums)
{
    const rd zero = { 0 };
    rd_pair S = { zero, zero }, Q = S, X = S;
    for (int32_t i = 0; i < count; i += REALS_LANES) {
        const rd a = rd_load(v + i);
        pair_add(&S, a);
        pair_add_product(&Q, a, a);
        if (products)
            pair_add_product(&X, a, rd_load(t + i));
    }
    pair_finish(&sums->S, &S);
    pair_finish(&sums->Q, &Q);
    pair_finish(&sums->X, &X);
}

/* v and t have zeros past their end, up to whole vectors. */
static void reals_twofold(const double *v, const double *t, int32_t count, xncc_twofold_sums *sums)
{
    if (t)
        twofold_row(v, t, count, 1, sums);
    else
        twofold_row(v, t, count, 0, sums);
}

static xncc_reals_range reals_range(const double *v, int32_t count, double first)
{
    xncc_reals_range r = { 0.0, 1 };
    rd most = { 0 };
    rl differ = { 0 };
    int32_t i = 0;
    for (; i + REALS_LANES <= count; i += REALS_LANES) {
        const rd a = rd_load(v + i), size = rd_size(a);
        most = rd_choose(size > most, size, most);
        differ |= a != rd_fill(first);
    }
    for (int k = 0; k < REALS_LANES; k++) {
        r.most = most[k] > r.most ? most[k] : r.most;
        r.equal &= !differ[k];
    }
    for (; i < count; i++) {
        const double size = v[i] < 0.0 ? -v[i] : v[i];
        r.most = size > r.most ? size : r.most;
        r.equal &= v[i] == first;
    }
    return r;
}

/* The last bit that is set in a double v is v less the number whose mantissa lacks it; of a power
 * of two, which has no such bit, it is v itself. */
REALS_INLINE rd last_bit(rd v)
{
    const rl bits = (rl)v, fraction = bits & ((INT64_C(1) << 52) - 1);
    return rd_size(rd_choose(fraction != 0, v - (rd)(bits - (fraction & -fraction)), v));
}

static void reals_span(const double *v, int32_t count, xncc_reals_span *span)
{
    rd low = rd_fill(span->low), high = rd_fill(span->high), unit = rd_fill(span->unit);
    for (int32_t i = 0; i < count; i += REALS_LANES) {
        double some[REALS_LANES];
        const int32_t left = count - i < REALS_LANES ? count - i : REALS_LANES;
        for (int k = 0; k < REALS_LANES; k++)
            some[k] = v[i];
        memcpy(some, v + i, (size_t)left * sizeof *some);
        const rd a = rd_load(some), bit = last_bit(a);
        low = rd_choose(a < low, a, low);
        high = rd_choose(a > high, a, high);
        unit = rd_choose((bit < unit) & (a != 0.0), bit, unit);
    }
    for (int k = 0; k < REALS_LANES; k++) {
        span->low = low[k] < span->low ? low[k] : span->low;
        span->high = high[k] > span->high ? high[k] : span->high;
        span->unit = unit[k] < span->unit ? unit[k] : span->unit;
    }
}

static int reals_slice(double *rest, int32_t count, double factor, double *out, double *square)
{
    rd2 some = rd2_fill(0.0), squares = some;
    for (int32_t i = 0; i < count; i += DIGITS_AT_ONCE) {
        rd2 v = rd2_load(rest + i);
        v = (rd2){ v.a * factor, v.b * factor };
        const rd2 slice = rd2_round(v, 1.0);
        rd2_store(rest + i, rd2_less(v, slice));
        rd2_store(out + i, slice);
        some = (rd2){ (rd)((rl)some.a | (rl)slice.a), (rd)((rl)some.b | (rl)slice.b) };
        squares = rd2_fma(slice, slice, squares);
    }
    *square += rd_total(squares.a + squares.b);
    return rl_any((rl)some.a | (rl)some.b);
}

/* The functions of this build. */
const xncc_reals_isa REALS_ISA = { reals_line,         pick_channel,    reals_meet,
                                   reals_gather,       reals_spread,    reals_slide,
                                   reals_add_columns,  reals_window,    reals_score,
                                   reals_inverses,     reals_quotients, reals_range,
                                   reals_span,         reals_slice,     reals_cut_products,
                                   reals_few_products, reals_pixels,    reals_moments,
                                   reals_twofold,      &digits_isa,     &moduli_isa };

#endif
