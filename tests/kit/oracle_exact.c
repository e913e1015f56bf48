/* SPDX-License-Identifier: BSD-2-Clause */
/* The oracle for float pixels: integers of any size, and every rounding written out in integer
 * arithmetic. A sample is mantissa * 2^exponent; the samples of a window become integers times the
 * smallest of these powers. */
#include "kit/oracle_general.h"

#include <math.h>
#include <string.h>

/* ---- integers of any size ---- */

enum {
    LIMBS = 140
}; /* of 32 bits: 4480 bits, twice the range of doubles and the number of pixels */

/* A sign and a magnitude, lowest limb first. Limbs from `used` on have no value. */
typedef struct big {
    int negative, used;
    uint32_t limb[LIMBS];
} big;

static void big_trim(big *a)
{
    while (a->used > 0 && a->limb[a->used - 1] == 0)
        a->used--;
}

static int compare_size(const big *a, const big *b)
{
    if (a->used != b->used)
        return a->used < b->used ? -1 : 1;
    for (int i = a->used; i-- > 0;)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

static int64_t limb_of(const big *a, int i)
{
    return i < a->used ? a->limb[i] : 0;
}

/* a += b, or a -= b if `minus`. */
static void big_add(big *a, const big *b, int minus)
{
    const int sign = b->negative ^ minus, same = a->negative == sign, order = compare_size(a, b);
    const int most = order < 0 ? b->used : a->used;
    int64_t carry = 0;
    int i = 0;
    for (; i < most || carry != 0; i++) {
        const int64_t mine = limb_of(a, i), other = limb_of(b, i);
        const int64_t v = carry + (same ? mine + other : order < 0 ? other - mine : mine - other);
        if (i >= LIMBS)
            kit_give_up("the oracle's integers are too small");
        a->limb[i] = (uint32_t)v;
        carry = v < 0 ? -1 : v >> 32;
        a->used = i + 1 > a->used ? i + 1 : a->used;
    }
    a->negative = order < 0 ? sign : a->negative;
    big_trim(a);
}

/* r = a * b; r is neither of them. */
static void big_product(big *r, const big *a, const big *b)
{
    r->negative = a->negative ^ b->negative;
    r->used = a->used + b->used;
    if (r->used > LIMBS)
        kit_give_up("the oracle's integers are too small");
    memset(r->limb, 0, (size_t)r->used * sizeof *r->limb);
    for (int i = 0; i < a->used; i++) {
        uint64_t carry = 0;
        for (int k = 0; k < b->used; k++) {
            const uint64_t v = (uint64_t)a->limb[i] * b->limb[k] + r->limb[i + k] + carry;
            r->limb[i + k] = (uint32_t)v;
            carry = v >> 32;
        }
        r->limb[i + b->used] = (uint32_t)carry;
    }
    big_trim(r);
}

/* a = v * 2^shift */
static void big_set(big *a, uint64_t v, int shift)
{
    const unsigned __int128 bits = (unsigned __int128)v << shift % 32;
    const int first = shift / 32;
    if (first + 3 > LIMBS)
        kit_give_up("the oracle's integers are too small");
    a->negative = 0;
    a->used = first + 3;
    memset(a->limb, 0, (size_t)first * sizeof *a->limb);
    for (int i = 0; i < 3; i++)
        a->limb[first + i] = (uint32_t)(bits >> (32 * i));
    big_trim(a);
}

static int bit_of(const big *a, int i)
{
    return i >= 0 && i / 32 < a->used ? (int)(a->limb[i / 32] >> (i % 32) & 1) : 0;
}

/* ---- numbers of 53 bits ---- */

/* (-1)^negative * bits * 2^exponent; bits is 0 or has 53 bits. */
typedef struct rounded {
    int negative;
    uint64_t bits;
    long exponent;
} rounded;

/* Rounds value * 2^exponent to `wanted` bits, to nearest, ties to even. sticky: 1 if something
 * below the last bit of value is not 0. */
static rounded round_bits(unsigned __int128 value, int sticky, long exponent, int wanted)
{
    rounded r = { 0, 0, 0 };
    int length = 0;
    while (length < 128 && value >> length != 0)
        length++;
    if (length == 0)
        return r;
    const int drop = length - wanted;
    if (drop <= 0) {
        if (sticky)
            kit_give_up("the oracle kept too few bits");
        r.bits = (uint64_t)(value << -drop);
        r.exponent = exponent + drop;
        return r;
    }
    const unsigned __int128 rest = value & (((unsigned __int128)1 << drop) - 1),
                            half = (unsigned __int128)1 << (drop - 1);
    r.bits = (uint64_t)(value >> drop);
    r.exponent = exponent + drop;
    if (rest > half || (rest == half && (sticky || (r.bits & 1))))
        r.bits++;
    if (r.bits >> wanted) {
        r.bits >>= 1;
        r.exponent++;
    }
    return r;
}

static rounded round_big(const big *a, long exponent)
{
    unsigned __int128 top = 0;
    int sticky = 0;
    const int length = 32 * a->used, kept = length > 112 ? 112 : length;
    for (int i = length - 1; i >= 0; i--) {
        if (i >= length - kept)
            top = top << 1 | (unsigned)bit_of(a, i);
        else
            sticky |= bit_of(a, i);
    }
    rounded r = round_bits(top, sticky, exponent + length - kept, 53);
    r.negative = a->negative;
    return r;
}

static rounded root_of(rounded a)
{
    const int shift = a.exponent & 1 ? 55 : 56; /* the exponent of the square becomes even */
    const unsigned __int128 square = (unsigned __int128)a.bits << shift;
    unsigned __int128 root = 0;
    for (int i = 62; i >= 0; i--) {
        const unsigned __int128 next = root | (unsigned __int128)1 << i;
        if (next * next <= square)
            root = next;
    }
    return round_bits(root, root * root != square, (a.exponent - shift) / 2, 53);
}

static rounded product_of(rounded a, rounded b)
{
    rounded r = round_bits((unsigned __int128)a.bits * b.bits, 0, a.exponent + b.exponent, 53);
    r.negative = a.negative ^ b.negative;
    return r;
}

static rounded quotient_of(rounded a, rounded b)
{
    const unsigned __int128 over = (unsigned __int128)a.bits << 64;
    rounded r = round_bits(over / b.bits, over % b.bits != 0, a.exponent - b.exponent - 64, 53);
    r.negative = a.negative ^ b.negative;
    return r;
}

/* Rounds to float: to 24 bits, or to a multiple of 2^-149. */
static float float_of(rounded a)
{
    if (a.bits == 0)
        return 0.0f;
    const long top = a.exponent + 52, wanted = top >= -126 ? 24 : top + 150;
    rounded r = { 0, 0, 0 };
    if (wanted > 0)
        r = round_bits(a.bits, 0, a.exponent, (int)wanted);
    else if (wanted == 0 && a.bits > UINT64_C(1) << 52) /* more than half of 2^-149 */
        r = (rounded){ 0, 1, -149 };
    const float size = r.exponent > 200 ? INFINITY : ldexpf((float)r.bits, (int)r.exponent);
    return a.negative ? -size : size;
}

/* ---- the score ---- */

/* A sample as an integer times 2^exponent. */
typedef struct sample {
    int64_t mantissa;
    int exponent;
} sample;

static sample sample_of(long double v)
{
    int exponent;
    const double mantissa = frexp((double)v, &exponent);
    sample s = { (int64_t)ldexp(mantissa, 53), exponent - 53 };
    if (s.mantissa != 0) {
        const int zeros = __builtin_ctzll(
            (unsigned long long)s.mantissa); /* the same with a sign */
        s.mantissa /= INT64_C(1) << zeros;
        s.exponent += zeros;
    }
    return s;
}

static void big_of_sample(big *r, sample s, int least)
{
    big_set(r, (uint64_t)(s.mantissa < 0 ? -s.mantissa : s.mantissa),
            s.mantissa == 0 ? 0 : s.exponent - least);
    r->negative = s.mantissa < 0;
}

/* The pairs of a window that count: both samples of every channel in turn. */
typedef struct window {
    const oracle_general *o;
    int32_t x, y;
    int64_t n;
    int least_i, least_t; /* the smallest exponents */
} window;

static int64_t next_pair(const window *w, int64_t k, size_t *i, size_t *t)
{
    const oracle_general *o = w->o;
    for (; k < o->templ.width * o->templ.height; k++) {
        const int64_t at = (w->y + k / o->templ.width) * o->image.width + w->x + k % o->templ.width;
        if (!o->templ.counts[k] || !o->image.counts[at])
            continue;
        *i = (size_t)at * (size_t)o->channels;
        *t = (size_t)k * (size_t)o->channels;
        return k + 1;
    }
    return -1;
}

/* Counts the pairs and finds the exponents. Returns 0 if a sample is not finite. */
static int survey(window *w)
{
    size_t i, t;
    int finite = 1;
    w->n = 0;
    w->least_i = w->least_t = 2000;
    for (int64_t k = 0; (k = next_pair(w, k, &i, &t)) >= 0; w->n++)
        for (int32_t c = 0; c < w->o->channels && finite; c++) {
            const long double a = w->o->image.real[i + (size_t)c],
                              b = w->o->templ.real[t + (size_t)c];
            finite = isfinite(a) && isfinite(b);
            if (!finite)
                break;
            const sample sa = sample_of(a), sb = sample_of(b);
            w->least_i = sa.mantissa && sa.exponent < w->least_i ? sa.exponent : w->least_i;
            w->least_t = sb.mantissa && sb.exponent < w->least_t ? sb.exponent : w->least_t;
        }
    /* a common power for all, so that Q - 2X + sumT2 is one integer */
    w->least_i = w->least_t = w->least_i < w->least_t ? w->least_i : w->least_t;
    return finite;
}

typedef struct terms {
    big numerator, image, templ;
} terms;

/* sum += a * b, or sum -= a * b if `minus`. */
static void add_product(big *sum, const big *a, const big *b, int minus)
{
    big product;
    big_product(&product, a, b);
    big_add(sum, &product, minus);
}

static void add_channel(const window *w, int32_t c, xncc_method method, terms *sum)
{
    big S = { 0 }, T = { 0 }, Q = { 0 }, X = { 0 }, T2 = { 0 };
    size_t i, t;
    for (int64_t k = 0; (k = next_pair(w, k, &i, &t)) >= 0;) {
        big a, b;
        big_of_sample(&a, sample_of(w->o->image.real[i + (size_t)c]), w->least_i);
        big_of_sample(&b, sample_of(w->o->templ.real[t + (size_t)c]), w->least_t);
        big_add(&S, &a, 0);
        big_add(&T, &b, 0);
        add_product(&Q, &a, &a, 0);
        add_product(&X, &a, &b, 0);
        add_product(&T2, &b, &b, 0);
    }
    if (method == XNCC_CCOEFF || method == XNCC_CCOEFF_NORMED) {
        big n;
        big_set(&n, (uint64_t)w->n, 0);
        add_product(&sum->numerator, &n, &X, 0);
        add_product(&sum->numerator, &S, &T, 1);
        add_product(&sum->image, &n, &Q, 0);
        add_product(&sum->image, &S, &S, 1);
        add_product(&sum->templ, &n, &T2, 0);
        add_product(&sum->templ, &T, &T, 1);
        return;
    }
    big_add(&sum->image, &Q, 0);
    big_add(&sum->templ, &T2, 0);
    if (method == XNCC_CCORR || method == XNCC_CCORR_NORMED) {
        big_add(&sum->numerator, &X, 0);
        return;
    }
    big_add(&sum->numerator, &Q, 0);
    big_add(&sum->numerator, &X, 1);
    big_add(&sum->numerator, &X, 1);
    big_add(&sum->numerator, &T2, 0);
}

static int templ_is_finite(const oracle_general *o)
{
    for (int64_t k = 0; k < o->templ.width * o->templ.height; k++)
        for (int32_t c = 0; c < o->channels && o->templ.counts[k]; c++)
            if (!isfinite(o->templ.real[k * o->channels + c]))
                return 0;
    return 1;
}

float oracle_exact(const oracle_general *o, const kit_options *options, int32_t x, int32_t y)
{
    const xncc_method method = options->method;
    window w = { .o = o, .x = x, .y = y };
    const int finite = survey(&w) && templ_is_finite(o);
    if (method == XNCC_COVERAGE)
        return (float)((double)w.n / (double)o->templ_counts);
    const double fraction = options->min_valid == 0.0 ? 0.5 : options->min_valid;
    if (w.n < 1 || (double)w.n < fraction * (double)o->templ_counts || !finite)
        return NAN;
    terms sum = { { .used = 0 }, { .used = 0 }, { .used = 0 } };
    for (int32_t c = 0; c < o->channels; c++)
        add_channel(&w, c, method, &sum);
    const rounded numerator = round_big(&sum.numerator, w.least_i + (long)w.least_t);
    if (method == XNCC_CCOEFF)
        return float_of(quotient_of(numerator, round_bits((unsigned __int128)w.n, 0, 0, 53)));
    if (method == XNCC_CCORR || method == XNCC_SQDIFF)
        return float_of(numerator);
    const rounded image = round_big(&sum.image, 2L * w.least_i),
                  templ = round_big(&sum.templ, 2L * w.least_t);
    if (image.bits == 0 || templ.bits == 0)
        return options->flat == XNCC_FLAT_NAN                        ? NAN
               : method == XNCC_SQDIFF_NORMED && numerator.bits != 0 ? 1.0f
                                                                     : 0.0f;
    return float_of(quotient_of(numerator, product_of(root_of(image), root_of(templ))));
}
