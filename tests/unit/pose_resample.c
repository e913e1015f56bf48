/* SPDX-License-Identifier: BSD-2-Clause */
/* Resampled templates against an oracle: positions in long double, and weighted sums as integers of
 * any size, rounded bit by bit. Positions that lie close to the middle between two 256ths of a
 * pixel are left out, because the library rounds its sines. */
#include "unit/pose.h"

#include "exactncc/pose.h"
#include "template/template.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 80 }; /* of 32 bits, from 2^-1200 on */

typedef struct big {
    int64_t word[WORDS]; /* signed digits until they are carried */
} big;

/* Adds value * weight. */
static void big_add(big *b, double value, long weight)
{
    int exponent;
    const double m = frexp(value, &exponent);
    const int64_t whole = (int64_t)ldexp(m, 53); /* value = whole * 2^(exponent - 53) */
    for (int bit = 0; bit < 20; bit++)
        if (weight >> bit & 1) {
            const int at = exponent - 53 + bit + 1200;
            const uint64_t size = (uint64_t)(whole < 0 ? -whole : whole);
            for (int k = 0; k < 54; k++)
                if (size >> k & 1)
                    b->word[(at + k) / 32] += (whole < 0 ? -1 : 1) *
                                              (INT64_C(1) << ((at + k) % 32));
        }
}

/* The sum times 2^-shift, rounded to `precision` bits, but to no bit below 2^least. */
static double big_round(big *b, int shift, int precision, int least)
{
    int negative = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < WORDS - 1; i++) {
            int64_t carry = b->word[i] / (INT64_C(1) << 32);
            if (b->word[i] % (INT64_C(1) << 32) < 0)
                carry--;
            b->word[i] -= carry * (INT64_C(1) << 32);
            b->word[i + 1] += carry;
        }
        if (b->word[WORDS - 1] >= 0)
            break;
        negative = 1;
        for (int i = 0; i < WORDS; i++)
            b->word[i] = -b->word[i];
    }
    int top = 32 * WORDS - 1;
    while (top >= 0 && !(b->word[top / 32] >> (top % 32) & 1))
        top--;
    if (top < 0)
        return 0.0;
    int lowest = top - precision + 1;
    if (lowest - 1200 - shift < least)
        lowest = least + 1200 + shift;
    int64_t kept = 0;
    for (int i = top; i >= lowest; i--)
        kept = 2 * kept + (b->word[i / 32] >> (i % 32) & 1);
    int half = lowest > 0 && lowest - 1 <= top &&
               (b->word[(lowest - 1) / 32] >> ((lowest - 1) % 32) & 1),
        rest = 0;
    for (int i = 0; i < lowest - 1; i++)
        rest |= (int)(b->word[i / 32] >> (i % 32) & 1);
    kept += half && (rest || (kept & 1));
    return (negative ? -1 : 1) * ldexp((double)kept, lowest - 1200 - shift);
}

/* What an oracle says of a pixel. */
typedef struct verdict {
    int doubtful, counts;
    double value[4]; /* per channel */
} verdict;

typedef struct pose {
    double angle, scale;
    xncc_support support;
    int32_t width, height;
} pose;

static double sample_at(const xncc_image *t, int32_t x, int32_t y, int32_t c)
{
    const int32_t channels = t->channels ? t->channels : 1;
    const char *row = (const char *)t->data + y * t->pitch;
    const int64_t i = (int64_t)x * channels + c;
    switch (t->pixel) {
    case XNCC_U8: return ((const uint8_t *)row)[i];
    case XNCC_S8: return ((const int8_t *)row)[i];
    case XNCC_U16: return ((const uint16_t *)(const void *)row)[i];
    case XNCC_S16: return ((const int16_t *)(const void *)row)[i];
    case XNCC_U32: return ((const uint32_t *)(const void *)row)[i];
    case XNCC_F32: return (double)((const float *)(const void *)row)[i];
    case XNCC_F64: break;
    }
    return ((const double *)(const void *)row)[i];
}

/* Rounds a position to 256ths; *doubtful: it is close to the middle between two. */
static long rounded(long double position, int *doubtful)
{
    const long double at = position * 256.0L + 0.5L;
    if (fabsl(at - rintl(at)) < 2e-3L)
        *doubtful = 1;
    return (long)floorl(at);
}

static verdict oracle(const xncc_image *t, const pose *p, int32_t x, int32_t y)
{
    const long double radians = (long double)p->angle * 3.14159265358979323846264338328L / 180.0L,
                      c = cosl(radians), s = sinl(radians), inverse = 1.0L / (long double)p->scale;
    const int32_t channels = t->channels ? t->channels : 1;
    long double dx = x - (p->width - 1) / 2.0L, dy = y - (p->height - 1) / 2.0L, step = 0.0L;
    verdict v = { 0, 1, { 0 } };
    big sum[4];
    int fine = 1, bits = 0;
    for (; fine < inverse; bits++)
        fine *= 2;
    if (fine > 1)
        step = sqrtl((inverse * inverse - 1) / ((long double)fine * fine - 1));
    memset(sum, 0, sizeof sum);
    if (p->support == XNCC_SUPPORT_DISC) {
        const int32_t side = t->width < t->height ? t->width : t->height;
        const long double radius = (long double)p->scale *
                                   ((side - 1) / 2.0L - step * (fine - 1) * sqrtl(0.5L) -
                                    1 / 64.0L);
        const long double from_centre = sqrtl(dx * dx + dy * dy);
        v.doubtful = fabsl(from_centre - radius) < 1e-6L;
        if (radius <= 0 || from_centre > radius)
            v.counts = 0;
    }
    for (int j = 0; j < fine && v.counts; j++)
        for (int i = 0; i < fine && v.counts; i++) {
            const long double fx = (i - (fine - 1) / 2.0L) * step,
                              fy = (j - (fine - 1) / 2.0L) * step;
            const long u = rounded((t->width - 1) / 2.0L + inverse * (c * dx - s * dy) + c * fx -
                                       s * fy,
                                   &v.doubtful),
                       w = rounded((t->height - 1) / 2.0L + inverse * (s * dx + c * dy) + s * fx +
                                       c * fy,
                                   &v.doubtful);
            for (int k = 0; k < 4; k++) {
                const long px = (long)floor((double)u / 256.0) + (k & 1),
                           py = (long)floor((double)w / 256.0) + k / 2;
                const long wx = 256 - labs(u - 256 * px), wy = 256 - labs(w - 256 * py);
                if (wx <= 0 || wy <= 0)
                    continue;
                if (px < 0 || py < 0 || px >= t->width || py >= t->height ||
                    (t->mask && !kit_mask(t, (int32_t)px, (int32_t)py))) {
                    v.counts = 0;
                    continue;
                }
                for (int32_t ch = 0; ch < channels; ch++) {
                    const double value = sample_at(t, (int32_t)px, (int32_t)py, ch);
                    if (isfinite(value))
                        big_add(&sum[ch], value, wx * wy);
                    else
                        v.value[ch] = NAN;
                }
            }
        }
    const int shift = 16 + 2 * bits;
    for (int32_t ch = 0; ch < channels && v.counts; ch++) {
        if (isnan(v.value[ch]))
            continue;
        if (t->pixel == XNCC_F32)
            v.value[ch] = big_round(&sum[ch], shift, 24, -149);
        else if (t->pixel == XNCC_F64)
            v.value[ch] = big_round(&sum[ch], shift, 53, -1074);
        else /* below 2^53, so that this is exact */
            v.value[ch] = floor(ldexp(big_round(&sum[ch], 0, 53, -1074), -shift) + 0.5);
    }
    return v;
}

/* The value of a sample of a template object. */
static double stored(const xncc_template *t, size_t at)
{
    switch (t->pixel) {
    case XNCC_U8: return ((const uint8_t *)t->pixels)[at];
    case XNCC_S8: return ((const uint8_t *)t->pixels)[at] - 128.0;
    case XNCC_U16: return ((const uint16_t *)t->pixels)[at];
    case XNCC_S16: return ((const uint16_t *)t->pixels)[at] - 32768.0;
    case XNCC_U32: return ((const uint32_t *)t->pixels)[at];
    case XNCC_F32: return (double)((const float *)t->pixels)[at];
    case XNCC_F64: break;
    }
    return ((const double *)t->pixels)[at];
}

static int same(double a, double b)
{
    return a == b ? signbit(a) == signbit(b) : isnan(a) && isnan(b);
}

/* Compares a pose with the oracle, and returns how many of its pixels were doubtful. */
static long compare(const xncc_template *templ, const xncc_image *view, pose p)
{
    xncc_template *got = NULL;
    const xncc_status status = xncc_template_resample(templ, p.angle, p.scale, p.support, &got,
                                                      &kit_error);
    if (status == XNCC_ERROR_ARGUMENT && strstr(kit_error.text, "no pixel"))
        return 0;
    if (!CHECK_STATUS(status, XNCC_OK))
        return 0;
    const double radians = p.angle * 3.14159265358979 / 180.0, c = fabs(cos(radians)),
                 s = fabs(sin(radians)), w = view->width - 1, h = view->height - 1;
    p.width = got->width;
    p.height = got->height;
    const int disc = p.support == XNCC_SUPPORT_DISC;
    CHECK(fabs(p.width - 0.5 - p.scale * (disc ? fmin(w, h) : w * c + h * s)) <= 0.5005);
    CHECK(fabs(p.height - 0.5 - p.scale * (disc ? fmin(w, h) : w * s + h * c)) <= 0.5005);
    long doubtful = 0;
    for (int32_t y = 0; y < p.height; y++)
        for (int32_t x = 0; x < p.width; x++) {
            const verdict v = oracle(view, &p, x, y);
            const size_t at = (size_t)y * (size_t)p.width + (size_t)x;
            const int counts = !got->mask || got->mask[at];
            doubtful += v.doubtful;
            if (v.doubtful)
                continue;
            int right = counts == v.counts;
            for (int32_t ch = 0; ch < got->channels && right && counts; ch++)
                right = same(stored(got, at * (size_t)got->channels + (size_t)ch), v.value[ch]);
            if (right)
                CHECK(1);
            else
                kit_fail(__FILE__, __LINE__,
                         "%s: angle %.9g scale %.9g pixel (%d, %d): %.17g not %.17g",
                         xncc_pixel_name(view->pixel), p.angle, p.scale, x, y,
                         stored(got, at * (size_t)got->channels), v.counts ? v.value[0] : NAN);
        }
    xncc_template_destroy(got);
    return doubtful;
}

static double extreme(kit_random *r, xncc_pixel pixel)
{
    static const double f32[] = {
        0.0, -0.0, 1e30, -1e30, 1.0, 1e-30, 0x1p-149, -0x1p-140, 0x1p100
    };
    static const double f64[] = {
        0.0, 1e300, -1e300, 1.0, 1e-300, 0x1p-1074, 3.0, -0x1p-1060, 0.1
    };
    return pixel == XNCC_F32 ? f32[kit_below(r, 9)] : f64[kit_below(r, 9)];
}

static void fill(kit_random *r, const xncc_image *view, int wild)
{
    const int32_t channels = view->channels ? view->channels : 1;
    const size_t bytes = xncc_pixel_size(view->pixel);
    for (int32_t y = 0; y < view->height; y++)
        for (int32_t x = 0; x < view->width * channels; x++) {
            char *at = (char *)(uintptr_t)view->data + y * view->pitch + (size_t)x * bytes;
            const uint64_t any = kit_next(r);
            if (view->pixel == XNCC_F32) {
                const float v = wild ? (float)extreme(r, XNCC_F32) : (float)(any >> 40) / 100.0f;
                memcpy(at, &v, 4);
            } else if (view->pixel == XNCC_F64) {
                const double v = wild ? extreme(r, XNCC_F64) : (double)(any >> 11) / 100.0;
                memcpy(at, &v, 8);
            } else {
                memcpy(at, &any, bytes);
            }
        }
}

static void check_types(xncc_context *context)
{
    static const double angles[] = { 0, 90, 180, 270, 45, 30, 1.7, 211.3, -77.7 };
    static const double scales[] = { 1, 2, 0.5, 0.73, 1.31, 0.26, 0.11 };
    kit_random r = kit_stream(7);
    long doubtful = 0, all = 0;
    for (int n = 0; n < 64; n++) {
        const xncc_pixel pixel = (xncc_pixel)(n % 7);
        const int32_t channels = n % 4 == 3 ? 3 : 1, w = kit_between(&r, 1, 21),
                      h = kit_between(&r, 1, 21);
        kit_image image = kit_image_create_channels(pixel, channels, w, h,
                                                    (kit_room){ n % 3, KIT_AFTER });
        fill(&r, &image.view, n % 5 == 2);
        if (n % 3 == 1) {
            kit_image_mask(&image, (kit_room){ 1, KIT_AFTER });
            for (int i = 0; i < w * h / 9; i++)
                kit_mask_set(&image.view, (int32_t)kit_below(&r, (uint64_t)w),
                             (int32_t)kit_below(&r, (uint64_t)h), 0);
        }
        xncc_template *templ = NULL;
        if (xncc_template_create(context, &image.view, &templ, &kit_error) == XNCC_OK)
            for (int k = 0; k < 6; k++) {
                const pose p = { .angle = angles[kit_below(&r, 9)] + (k == 5 ? 0.123 : 0),
                                 .scale = scales[kit_below(&r, 7)],
                                 .support = k % 3 == 2 ? XNCC_SUPPORT_DISC : XNCC_SUPPORT_WHOLE };
                all += (long)(p.scale * w + 1) * (long)(p.scale * h + 1);
                doubtful += compare(templ, &image.view, p);
            }
        xncc_template_destroy(templ);
        kit_image_destroy(&image);
    }
    CHECK(doubtful * 4 < all); /* whole angles put many positions on the middle */
}

/* Right angles at scale 1 copy the pixels. */
static void check_right_angles(xncc_context *context)
{
    enum { W = 5, H = 3 };
    uint8_t pixels[H][W];
    for (int i = 0; i < W * H; i++)
        pixels[i / W][i % W] = (uint8_t)(17 * i + 3);
    const xncc_image view = { .data = pixels, .width = W, .height = H, .pixel = XNCC_U8 };
    xncc_template *templ = NULL, *turned = NULL;
    CHECK_STATUS(xncc_template_create(context, &view, &templ, &kit_error), XNCC_OK);
    for (int quarter = -4; quarter <= 4; quarter++) {
        CHECK_STATUS(xncc_template_resample(templ, 90.0 * quarter, 1.0, XNCC_SUPPORT_WHOLE, &turned,
                                            &kit_error),
                     XNCC_OK);
        const int across = quarter & 1 ? H : W, down = quarter & 1 ? W : H;
        CHECK_INT(turned->width, across);
        CHECK_INT(turned->height, down);
        CHECK(turned->mask == NULL);
        for (int y = 0; y < down; y++)
            for (int x = 0; x < across; x++) {
                /* counter-clockwise as seen: the top row comes to the left, read from below */
                const int q = quarter & 3;
                const uint8_t want = q == 0   ? pixels[y][x]
                                     : q == 1 ? pixels[x][W - 1 - y]
                                     : q == 2 ? pixels[H - 1 - y][W - 1 - x]
                                              : pixels[H - 1 - x][y];
                CHECK_INT(((uint8_t *)turned->pixels)[y * across + x], want);
            }
        xncc_template_destroy(turned);
    }
    xncc_template_destroy(templ);
}

/* Halves and quarters of even sides are means of 2 x 2 and 4 x 4 pixels, halves up. */
static void check_means(xncc_context *context)
{
    enum { SIDE = 16 };
    uint8_t pixels[SIDE][SIDE];
    kit_random r = kit_stream(8);
    for (int i = 0; i < SIDE * SIDE; i++)
        pixels[i / SIDE][i % SIDE] = (uint8_t)kit_next(&r);
    const xncc_image view = { .data = pixels, .width = SIDE, .height = SIDE, .pixel = XNCC_U8 };
    xncc_template *templ = NULL, *small = NULL;
    CHECK_STATUS(xncc_template_create(context, &view, &templ, &kit_error), XNCC_OK);
    for (int by = 2; by <= 4; by *= 2) {
        CHECK_STATUS(
            xncc_template_resample(templ, 0.0, 1.0 / by, XNCC_SUPPORT_WHOLE, &small, &kit_error),
            XNCC_OK);
        CHECK_INT(small->width, SIDE / by);
        for (int y = 0; y < SIDE / by; y++)
            for (int x = 0; x < SIDE / by; x++) {
                int sum = 0;
                for (int i = 0; i < by * by; i++)
                    sum += pixels[by * y + i / by][by * x + i % by];
                CHECK_INT(((uint8_t *)small->pixels)[y * SIDE / by + x],
                          (sum + by * by / 2) / (by * by));
            }
        xncc_template_destroy(small);
    }
    xncc_template_destroy(templ);
}

static void check_refusals(xncc_context *context)
{
    const uint8_t pixel[4] = { 1, 2, 3, 4 };
    xncc_image view = { .data = pixel, .width = 2, .height = 2, .pixel = XNCC_U8 };
    xncc_template *templ = NULL, *got = NULL;
    CHECK_STATUS(xncc_template_create(context, &view, &templ, &kit_error), XNCC_OK);
    const struct {
        double angle, scale;
        int support;
        xncc_status want;
    } call[] = { { NAN, 1, 0, XNCC_ERROR_ARGUMENT },
                 { INFINITY, 1, 0, XNCC_ERROR_ARGUMENT },
                 { 0, 0.06, 0, XNCC_ERROR_ARGUMENT },
                 { 0, 16.1, 0, XNCC_ERROR_ARGUMENT },
                 { 0, NAN, 0, XNCC_ERROR_ARGUMENT },
                 { 0, 1, 2, XNCC_ERROR_ARGUMENT },
                 { 0, 0.0625, 1, XNCC_ERROR_ARGUMENT },
                 { 1e300, 16, 0, XNCC_OK },
                 { -720, 1, 0, XNCC_OK } };
    for (size_t i = 0; i < sizeof call / sizeof call[0]; i++) {
        got = templ;
        CHECK_STATUS(xncc_template_resample(templ, call[i].angle, call[i].scale,
                                            (xncc_support)call[i].support, &got, &kit_error),
                     call[i].want);
        CHECK((got == NULL) == (call[i].want != XNCC_OK));
        CHECK((kit_error.text[0] != 0) == (call[i].want != XNCC_OK));
        xncc_template_destroy(got);
    }
    CHECK_STATUS(xncc_template_resample(NULL, 0, 1, XNCC_SUPPORT_WHOLE, &got, NULL),
                 XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_template_resample(templ, 0, 1, XNCC_SUPPORT_WHOLE, NULL, NULL),
                 XNCC_ERROR_ARGUMENT);
    xncc_template_destroy(templ);
    static uint8_t row[2000];
    view = (xncc_image){ .data = row, .width = 2000, .height = 1, .pixel = XNCC_U8 };
    CHECK_STATUS(xncc_template_create(context, &view, &templ, &kit_error), XNCC_OK);
    CHECK_STATUS(xncc_template_resample(templ, 0, 16, XNCC_SUPPORT_WHOLE, &got, &kit_error),
                 XNCC_ERROR_UNSUPPORTED);
    xncc_template_destroy(templ);
}

void check_resampling(xncc_context *context)
{
    check_types(context);
    check_right_angles(context);
    check_means(context);
    check_refusals(context);
}
