/* SPDX-License-Identifier: BSD-2-Clause */
/* Exact numbers in digits (reals_digits.h), in vectors of windows. Every operation below is exact
 * but for the rounding to 53 bits and the formula. */
#ifndef XNCC_CPU_KERNELS_REALS_DIGITS_BODY_H
#define XNCC_CPU_KERNELS_REALS_DIGITS_BODY_H

#include "cpu/kernels/reals_scores.h"

static const double digit_unit = 1 << XNCC_DIGIT_BITS;

/* Two vectors of windows side by side: a carry goes through all digits of a number, and those of
 * two vectors go at the same time. */
typedef struct pair_of_rd {
    rd a, b;
} rd2;
enum { DIGITS_AT_ONCE = 2 * REALS_LANES };

REALS_INLINE rd2 rd2_fill(double v)
{
    return (rd2){ rd_fill(v), rd_fill(v) };
}

REALS_INLINE rd2 rd2_load(const double *from)
{
    return (rd2){ rd_load(from), rd_load(from + REALS_LANES) };
}

REALS_INLINE void rd2_store(double *to, rd2 v)
{
    rd_store(to, v.a);
    rd_store(to + REALS_LANES, v.b);
}

REALS_INLINE rd2 rd2_add(rd2 v, rd2 w)
{
    return (rd2){ v.a + w.a, v.b + w.b };
}

REALS_INLINE rd2 rd2_less(rd2 v, rd2 w)
{
    return (rd2){ v.a - w.a, v.b - w.b };
}

/* v * w + z, which is exact. */
REALS_INLINE rd2 rd2_fma(rd2 v, rd2 w, rd2 z)
{
    return (rd2){ rd_fma(v.a, w.a, z.a), rd_fma(v.b, w.b, z.b) };
}

REALS_INLINE rd2 rd2_round(rd2 v, double unit)
{
    return (rd2){ round_to(v.a, unit), round_to(v.b, unit) };
}

/* What v is over a digit: v less that, times the unit, is the digit. */
REALS_INLINE rd2 digits_over(rd2 v)
{
    return rd2_round(v, digit_unit);
}

REALS_INLINE rd digits_load(const xncc_numbers *v, int32_t i, int32_t x)
{
    const float *from = v->digit + i * v->step;
    if (v->constant)
        return rd_fill((double)*from);
    rf some;
    memcpy(&some, from + x, sizeof some);
    return rd_of_floats(some);
}

REALS_INLINE rd2 digits_load2(const xncc_numbers *v, int32_t i, int32_t x)
{
    return (rd2){ digits_load(v, i, x), digits_load(v, i, x + REALS_LANES) };
}

REALS_INLINE void digits_store2(const xncc_numbers *v, int32_t i, int32_t x, rd2 digit)
{
    const rf a = __builtin_convertvector(digit.a, rf), b = __builtin_convertvector(digit.b, rf);
    float *to = v->digit + i * v->step + x;
    memcpy(to, &a, sizeof a);
    memcpy(to + REALS_LANES, &b, sizeof b);
}

/* The sum of the products of digits i and d - i. It is independent of the carry, so that the sums
 * of several digits are computed side by side. */
REALS_INLINE rd2 digits_product(const rd2 *a, int32_t count_a, const rd2 *b, int32_t count_b,
                                int32_t d)
{
    rd2 sum = rd2_fill(0.0);
    for (int32_t i = d - count_b + 1 > 0 ? d - count_b + 1 : 0; i < count_a && i <= d; i++)
        sum = rd2_fma(a[i], b[d - i], sum);
    return sum;
}

/* The sum of the products of digits i and d - i of one number: each product but that of a digit
 * with itself occurs twice. */
REALS_INLINE rd2 digits_square(const rd2 *a, int32_t count, int32_t d)
{
    rd2 sum = rd2_fill(0.0);
    for (int32_t i = d - count + 1 > 0 ? d - count + 1 : 0; 2 * i < d; i++)
        sum = rd2_fma(a[i], a[d - i], sum);
    sum = rd2_add(sum, sum);
    return d % 2 == 0 && d / 2 < count ? rd2_fma(a[d / 2], a[d / 2], sum) : sum;
}

static void digits_squares(const double *v, ptrdiff_t step, int32_t digits, int32_t count,
                           double *out, int32_t places)
{
    const rd2 down = rd2_fill(1.0 / digit_unit);
    for (int32_t x = 0; x < count; x += DIGITS_AT_ONCE) {
        rd2 a[XNCC_MOST_DIGITS], over = rd2_fill(0.0);
        for (int32_t i = 0; i < digits; i++)
            a[i] = rd2_load(v + i * step + x);
        for (int32_t d = 0; d < places; d++) {
            const rd2 sum = rd2_fma(over, down, digits_square(a, digits, d));
            over = digits_over(sum);
            rd2_store(out + d * step + x, rd2_less(sum, over));
        }
    }
}

/* What is left of a number is rounded to a multiple of a power of two, which is taken from it. */
REALS_INLINE rd take_slice(rd *rest, double unit)
{
    const rd slice = round_to(*rest, unit);
    *rest -= slice;
    return slice;
}

/* Adds digit k of a row that enters, and subtracts that of a row that leaves; or adds it to two
 * vectors of columns, if none leaves. */
REALS_INLINE void slide_digit(const xncc_digit_columns *c, int32_t k, int32_t x, rd2 digit)
{
    double *sum = c->sum + k * c->step + x;
    if (c->leave)
        rd_store(sum, rd_load(sum) + (digit.a - digit.b));
    else
        rd2_store(sum, rd2_add(rd2_load(sum), digit));
}

static void digits_slide(const xncc_digit_columns *c, int32_t count)
{
    const rd2 down = rd2_fill(1.0 / digit_unit);
    const double *second = c->leave ? c->leave : c->enter + REALS_LANES;
    double last = c->unit;
    for (int32_t k = 1; k < c->digits; k++)
        last *= digit_unit;
    for (int32_t x = 0; x < count; x += c->leave ? REALS_LANES : DIGITS_AT_ONCE) {
        rd2 digit[XNCC_MOST_DIGITS], over = rd2_fill(0.0);
        rd2 rest = { rd_load(c->enter + x) * c->scale, rd_load(second + x) * c->scale };
        double unit = last, over_unit = 1.0 / last;
        for (int32_t k = c->digits - 1; k >= 0; k--) {
            digit[k].a = take_slice(&rest.a, unit) * over_unit;
            digit[k].b = take_slice(&rest.b, unit) * over_unit;
            unit *= 1.0 / digit_unit;
            over_unit *= digit_unit;
        }
        for (int32_t k = 0; k < c->values; k++)
            slide_digit(c, k, x, digit[k]);
        for (int32_t k = 0; k < c->squares; k++) {
            const rd2 sum = rd2_fma(over, down, digits_square(digit, c->digits, k));
            over = digits_over(sum);
            slide_digit(c, c->values + k, x, rd2_less(sum, over));
        }
    }
}

/* The integers are made digits of `bits` bits each, from the lowest on, which are added where they
 * belong: a digit of a number holds few of them. */
static void digits_collect(const xncc_weighted *from, int32_t count, const xncc_numbers *to)
{
    const double unit = (double)(1 << from->bits);
    const rd2 down = rd2_fill(1.0 / unit), digit_down = rd2_fill(1.0 / digit_unit);
    for (int32_t x = 0; x < count; x += DIGITS_AT_ONCE) {
        rd2 over = rd2_fill(0.0), digit = over;
        double place = 1.0; /* of the next integer in the digit */
        for (int32_t w = 0, d = 0; d < to->count; w++) {
            rd2 sum = rd2_fill(0.0);
            if (w < from->count && from->row[w])
                sum = rd2_round(rd2_load(from->row[w] + x), 1.0);
            sum = rd2_fma(over, down, sum);
            over = rd2_round(sum, unit);
            digit = rd2_fma(rd2_less(sum, over), rd2_fill(place), digit);
            place *= unit;
            if (place < digit_unit)
                continue;
            if (from->more)
                digit = rd2_add(digit, digits_load2(to, d, x));
            const rd2 next = digits_over(digit);
            digits_store2(to, d++, x, rd2_less(digit, next));
            digit = rd2_fma(next, digit_down, rd2_fill(0.0));
            place *= 1.0 / digit_unit;
        }
    }
}

/* What is added to digit d of a term, but for products. */
REALS_INLINE rd2 term_added(const xncc_exact_term *term, rd2 factor, int32_t d, int32_t x, rd2 sum)
{
    for (int32_t k = 0; k < 3; k++)
        if (d < term->plus[k].count)
            sum = rd2_fma(k == 0 ? factor : rd2_fill(term->factor[k]),
                          digits_load2(&term->plus[k], d, x), sum);
    return sum;
}

static void digits_term(const xncc_exact_term *term, int32_t count, const xncc_numbers *to)
{
    const rd2 down = rd2_fill(1.0 / digit_unit);
    const xncc_numbers *const b = &term->b, *const c = &term->c;
    const int is_square = b->digit == c->digit && b->count == c->count;
    for (int32_t x = 0; x < count; x += DIGITS_AT_ONCE) {
        rd2 of_b[XNCC_MOST_DIGITS], of_c[XNCC_MOST_DIGITS], over = rd2_fill(0.0);
        const rd2 factor = term->n ? rd2_load(term->n + x) : rd2_fill(term->factor[0]);
        for (int32_t i = 0; i < b->count && !is_square; i++)
            of_b[i] = digits_load2(b, i, x);
        for (int32_t i = 0; i < c->count; i++)
            of_c[i] = digits_load2(c, i, x);
        for (int32_t d = 0; d < to->count; d++) {
            const rd2 product = is_square ? digits_square(of_c, c->count, d)
                                          : digits_product(of_b, b->count, of_c, c->count, d);
            rd2 sum = term->more ? digits_load2(to, d, x) : rd2_fill(0.0);
            sum = rd2_less(term_added(term, factor, d, x, sum), product);
            sum = rd2_fma(over, down, sum);
            over = digits_over(sum);
            digits_store2(to, d, x, rd2_less(sum, over));
        }
    }
}

/* Digit d of a number, 0 below its lowest one. */
REALS_INLINE rd digit_or_zero(const xncc_numbers *from, int32_t d, int32_t x)
{
    return d >= 0 ? digits_load(from, d, x) : rd_fill(0.0);
}

/* Numbers, rounded, of which those in question have digit d as the last one that is not 0. The four
 * leading digits are two doubles, and of all that follow only the sign matters: the sum of the
 * doubles has a unit in the last place of 2^18 or more of the fourth digit's units, so that a half
 * of one, or up to a whole, of that unit leads to the same rounded sum. Mostly the sign does not
 * matter, either. */
REALS_INLINE rd round_from(const xncc_numbers *from, int32_t d, int32_t x, rl in_question)
{
    const rd none = { 0 };
    const rd high = (digit_or_zero(from, d, x) * digit_unit + digit_or_zero(from, d - 1, x)) *
                    (digit_unit * digit_unit),
             low = digit_or_zero(from, d - 2, x) * digit_unit + digit_or_zero(from, d - 3, x),
             above = high + (low + 0.5);
    rd rest = none;
    if (!rl_any(in_question & (above != high + (low - 0.5))))
        return above;
    for (int32_t i = 0; i < d - 3; i++) {
        const rd digit = digits_load(from, i, x);
        rest = rd_choose(digit != none, digit, rest);
    }
    const rd half = rd_choose(rest > none, rd_fill(0.5),
                              rd_choose(rest < none, rd_fill(-0.5), none));
    return high + (low + half);
}

/* Most numbers of a vector have as many digits as the others: those of each number of digits are
 * rounded together. */
static void digits_round(const xncc_numbers *from, int32_t count, const xncc_rounded *to)
{
    const rd none = { 0 };
    for (int32_t x = 0; x < count; x += REALS_LANES) {
        rd value = none, place = none;
        rl open = (rl){ 0 } - 1;
        for (int32_t d = from->count - 1; d >= 0; d--) {
            const rl here = open & (digits_load(from, d, x) != none);
            if (!rl_any(here))
                continue;
            value = rd_choose(here, round_from(from, d, x, here), value);
            place = rd_choose(here, rd_fill((double)(d - 3)), place);
            open &= ~here;
            if (!rl_any(open))
                break;
        }
        rd_store(to->value + x, value);
        rd_store(to->place + x, place);
    }
}

/* 2 to the power of v, an integer; within 2^-900 .. 2^900, beyond which every float is 0 or
 * infinite. */
REALS_INLINE rd power_of_two(rd v)
{
    const rd most = rd_fill(900.0),
             limited = rd_choose(v < -most, -most, rd_choose(v > most, most, v));
    return (rd)((rl)(limited + (0x1.8p52 + 1023.0)) << 52);
}

/* Units of square roots are powers of 2 too, because those of digits are even powers. */
REALS_INLINE ri exact_score(const xncc_exact_row *row, int32_t x)
{
    const double bits = XNCC_DIGIT_BITS;
    rd q = rd_load(row->numerator.value + x), power = rd_load(row->numerator.place + x) * bits;
    if (!xncc_method_is_normed(row->method)) {
        if (row->method == XNCC_CCOEFF)
            q = q / (row->n ? rd_load(row->n + x) : rd_fill(row->whole));
        return (ri) __builtin_convertvector(q * power_of_two(power + row->exponent), rf);
    }
    const int32_t t = row->constant ? 0 : x;
    rd image = rd_load(row->image.value + x), templ = rd_load(row->templ.value + t),
       place = rd_load(row->templ.place + t);
    if (row->constant) {
        templ = rd_fill(templ[0]);
        place = rd_fill(place[0]);
    }
    const ri flat = __builtin_convertvector((image == 0.0) | (templ == 0.0), ri),
             zero = __builtin_convertvector(q == 0.0, ri);
    int32_t of_flat, of_equal;
    memcpy(&of_flat, &row->flat, sizeof of_flat);
    memcpy(&of_equal, &row->equal, sizeof of_equal);
    power -= (rd_load(row->image.place + x) + place) * (bits / 2.0);
    q = q / (rd_sqrt(image) * rd_sqrt(templ)) * power_of_two(power);
    const ri score = (ri) __builtin_convertvector(q, rf);
    return (score & ~flat) | (flat & ((of_equal & zero) | (of_flat & ~zero)));
}

static void digits_score(const xncc_exact_row *row)
{
    const ri doubt = (ri){ 0 } + (int32_t)XNCC_DOUBT;
    for (int32_t x = 0; x < row->count; x += REALS_LANES) {
        const int32_t left = row->count - x < REALS_LANES ? row->count - x : REALS_LANES;
        ri before = { 0 };
        memcpy(&before, row->out + x, (size_t)left * sizeof(float));
        const ri open = before == doubt, after = (exact_score(row, x) & open) | (before & ~open);
        memcpy(row->out + x, &after, (size_t)left * sizeof(float));
    }
}

/* The score of windows from x on, and where it is known: where both ends of its interval are one
 * float. The numerator's rounding and those of the formula and of its evaluation here are at most
 * 24 u. Where a numerator is not a double, or might not be, it is no number. */
REALS_INLINE ri near_score(const xncc_near_row *row, int32_t x, ri *score)
{
    const double bits = XNCC_DIGIT_BITS, most = 700.0;
    const rd power = rd_load(row->numerator.place + x) * bits + row->exponent,
             term = rd_load(row->numerator.value + x) * power_of_two(power),
             value = term * (rd_load(row->inverse + x) * row->factor),
             wide = (rd_load(row->relative + x) + 0x1.8p-49) * rd_size(value);
    const rf low = __builtin_convertvector(value - wide, rf),
             high = __builtin_convertvector(value + wide, rf);
    *score = (ri)low;
    return ((ri)low == (ri)high) & (low == low) &
           __builtin_convertvector((power >= -most) & (power <= most), ri);
}

static int digits_decide(const xncc_near_row *row)
{
    const ri doubt = (ri){ 0 } + (int32_t)XNCC_DOUBT;
    ri left_open = { 0 };
    for (int32_t x = 0; x < row->count; x += REALS_LANES) {
        const int32_t left = row->count - x < REALS_LANES ? row->count - x : REALS_LANES;
        ri before = { 0 }, score;
        memcpy(&before, row->out + x, (size_t)left * sizeof(float));
        const ri open = before == doubt, known = near_score(row, x, &score) & open,
                 after = (score & known) | (before & ~known);
        memcpy(row->out + x, &after, (size_t)left * sizeof(float));
        left_open |= open & ~known;
    }
    return ri_any(left_open);
}

static const xncc_digits_isa digits_isa = { digits_squares, digits_slide, digits_collect,
                                            digits_term,    digits_round, digits_score,
                                            digits_decide };

#endif
