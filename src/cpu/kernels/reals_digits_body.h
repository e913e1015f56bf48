/* SPDX-License-Identifier: BSD-2-Clause */
/* Exact numbers in digits (reals_digits.h), in vectors of windows. Every operation below is exact
 * but for the rounding to 53 bits and the formula. */
#ifndef XNCC_CPU_KERNELS_REALS_DIGITS_BODY_H
#define XNCC_CPU_KERNELS_REALS_DIGITS_BODY_H

#include "cpu/kernels/reals_scores.h"

static const double digit_unit = 1 << XNCC_DIGIT_BITS;

/* What v is over a digit: v less that, times the unit, is the digit. */
REALS_INLINE rd digits_over(rd v)
{
    return round_to(v, digit_unit);
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

REALS_INLINE void digits_store(const xncc_numbers *v, int32_t i, int32_t x, rd digit)
{
    const rf some = __builtin_convertvector(digit, rf);
    memcpy(v->digit + i * v->step + x, &some, sizeof some);
}

/* The sum of the products of digits i and d - i. It is independent of the carry, so that the sums
 * of several digits are computed side by side. */
REALS_INLINE rd digits_product(const rd *a, int32_t count_a, const rd *b, int32_t count_b,
                               int32_t d)
{
    rd sum = { 0 };
    for (int32_t i = d - count_b + 1 > 0 ? d - count_b + 1 : 0; i < count_a && i <= d; i++)
        sum = rd_fma(a[i], b[d - i], sum);
    return sum;
}

/* The same for a = b: each product but that of a digit with itself occurs twice. */
REALS_INLINE rd digits_square(const rd *a, int32_t count, int32_t d)
{
    rd sum = { 0 };
    for (int32_t i = d - count + 1 > 0 ? d - count + 1 : 0; 2 * i < d; i++)
        sum = rd_fma(a[i], a[d - i], sum);
    sum += sum;
    return d % 2 == 0 && d / 2 < count ? rd_fma(a[d / 2], a[d / 2], sum) : sum;
}

static void digits_squares(const double *v, ptrdiff_t step, int32_t digits, int32_t count,
                           double *out, int32_t places)
{
    for (int32_t x = 0; x < count; x += REALS_LANES) {
        rd a[XNCC_MOST_DIGITS], carry = { 0 };
        for (int32_t i = 0; i < digits; i++)
            a[i] = rd_load(v + i * step + x);
        for (int32_t d = 0; d < places; d++) {
            const rd sum = digits_square(a, digits, d) + carry, over = digits_over(sum);
            rd_store(out + d * step + x, sum - over);
            carry = over * (1.0 / digit_unit);
        }
    }
}

static void digits_slide(double *to, const double *enter, const double *leave, size_t count)
{
    for (size_t x = 0; x < count; x += REALS_LANES) {
        const rd sum = rd_load(to + x) + rd_load(enter + x);
        rd_store(to + x, leave ? sum - rd_load(leave + x) : sum);
    }
}

/* The integers are made digits of `bits` bits each, from the lowest on, which are added where they
 * belong: a digit of a number holds few of them. */
static void digits_collect(const xncc_weighted *from, int32_t count, const xncc_numbers *to)
{
    const double unit = (double)(1 << from->bits);
    for (int32_t x = 0; x < count; x += REALS_LANES) {
        rd carry = { 0 }, digit = { 0 };
        double place = 1.0; /* of the next integer in the digit */
        for (int32_t w = 0, d = 0; d < to->count; w++) {
            if (w < from->count && from->row[w])
                carry += round_to(rd_load(from->row[w] + x), 1.0);
            const rd over = round_to(carry, unit);
            digit += (carry - over) * place;
            carry = over * (1.0 / unit);
            place *= unit;
            if (place < digit_unit)
                continue;
            if (from->more)
                digit += digits_load(to, d, x);
            const rd next = digits_over(digit);
            digits_store(to, d++, x, digit - next);
            digit = next * (1.0 / digit_unit);
            place *= 1.0 / digit_unit;
        }
    }
}

static void digits_term(const xncc_exact_term *term, int32_t count, const xncc_numbers *to)
{
    for (int32_t x = 0; x < count; x += REALS_LANES) {
        rd b[XNCC_MOST_DIGITS], c[XNCC_MOST_DIGITS], carry = { 0 };
        const rd factor = term->n ? rd_load(term->n + x) : rd_fill(term->factor[0]);
        for (int32_t i = 0; i < term->b.count; i++)
            b[i] = -digits_load(&term->b, i, x);
        for (int32_t i = 0; i < term->c.count; i++)
            c[i] = digits_load(&term->c, i, x);
        for (int32_t d = 0; d < to->count; d++) {
            rd sum = digits_product(b, term->b.count, c, term->c.count, d);
            if (term->more)
                sum += digits_load(to, d, x);
            for (int32_t k = 0; k < 3; k++)
                if (d < term->plus[k].count)
                    sum += (k == 0 ? factor : rd_fill(term->factor[k])) *
                           digits_load(&term->plus[k], d, x);
            sum += carry;
            const rd over = digits_over(sum);
            digits_store(to, d, x, sum - over);
            carry = over * (1.0 / digit_unit);
        }
    }
}

/* The four leading digits are two doubles, and of all that follow only the sign matters: the sum of
 * the doubles has a unit in the last place of 2^18 or more of the fourth digit's units, so that a
 * half of one, or up to a whole, of that unit leads to the same rounded sum. */
static void digits_round(const xncc_numbers *from, int32_t count, const xncc_rounded *to)
{
    const rd none = { 0 };
    for (int32_t x = 0; x < count; x += REALS_LANES) {
        rd high = none, low = none, rest = none, seen = none, place = none;
        for (int32_t d = from->count - 1; d >= -3; d--) {
            const rd digit = d >= 0 ? digits_load(from, d, x) : none;
            seen = rd_choose((seen > none) | (digit != none), seen + 1.0, none);
            high = rd_choose(seen <= rd_fill(2.0), high * digit_unit + digit, high);
            low = rd_choose((seen > rd_fill(2.0)) & (seen <= rd_fill(4.0)),
                            low * digit_unit + digit, low);
            place = rd_choose(seen == rd_fill(4.0), rd_fill((double)d), place);
            rest = rd_choose((seen > rd_fill(4.0)) & (rest == none), digit, rest);
        }
        const rd half = rd_choose(rest > none, rd_fill(0.5),
                                  rd_choose(rest < none, rd_fill(-0.5), none));
        rd_store(to->value + x, high * (digit_unit * digit_unit) + (low + half));
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

static const xncc_digits_isa digits_isa = { digits_squares, digits_slide, digits_collect,
                                            digits_term,    digits_round, digits_score };

#endif
