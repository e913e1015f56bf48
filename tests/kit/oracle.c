/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact oracle for integer pixels, the peak rule by brute force, and convolution by its
 * definition. */
#include "kit/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int32_t clamp(int32_t at, int32_t length)
{
    return at < 0 ? 0 : at >= length ? length - 1 : at;
}

/* The pixels that the windows of a map cover, border included, one number per pixel. */
typedef struct plane {
    int64_t width, height;
    uint32_t *at;
} plane;

static plane plane_make(const xncc_image *image, int64_t x0, int64_t y0, int64_t width,
                        int64_t height)
{
    plane p = { width, height, calloc((size_t)(width * height), sizeof(uint32_t)) };
    if (!p.at)
        kit_give_up("no memory for a plane of %lld x %lld", (long long)width, (long long)height);
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++)
            p.at[y * width + x] = (uint32_t)kit_pixel(image, clamp((int32_t)(x + x0), image->width),
                                                      clamp((int32_t)(y + y0), image->height));
    return p;
}

static void window_sums(const plane *scene, const plane *templ, int64_t x, int64_t y, uint64_t *S,
                        uint64_t *Q, uint64_t *X)
{
    uint64_t s = 0, q = 0, c = 0;
    for (int64_t j = 0; j < templ->height; j++) {
        const uint32_t *a = scene->at + (y + j) * scene->width + x,
                       *b = templ->at + j * templ->width;
        for (int64_t i = 0; i < templ->width; i++) {
            s += a[i];
            q += (uint64_t)a[i] * a[i];
            c += (uint64_t)a[i] * b[i];
        }
    }
    *S = s;
    *Q = q;
    *X = c;
}

oracle_sums oracle_sums_make(const xncc_image *image, const xncc_image *templ, xncc_mode mode)
{
    int32_t w = templ->width, h = templ->height;
    const int32_t more = mode == XNCC_VALID ? -1 : mode == XNCC_FULL ? 1 : 0;
    const int32_t x0 = mode == XNCC_VALID  ? 0
                       : mode == XNCC_FULL ? w - 1
                                           : w / 2,
                  y0 = mode == XNCC_VALID  ? 0
                       : mode == XNCC_FULL ? h - 1
                                           : h / 2;
    oracle_sums sums = { image->width + more * (w - 1),
                         image->height + more * (h - 1),
                         (uint64_t)w * (uint64_t)h,
                         0,
                         0,
                         NULL,
                         NULL,
                         NULL };
    plane scene = plane_make(image, -x0, -y0, (int64_t)sums.width + w - 1,
                             (int64_t)sums.height + h - 1);
    plane tmpl = plane_make(templ, 0, 0, w, h);
    for (size_t i = 0; i < sums.n; i++) {
        sums.sum += tmpl.at[i];
        sums.sum2 += (uint64_t)tmpl.at[i] * tmpl.at[i];
    }
    size_t count = (size_t)sums.width * (size_t)sums.height;
    uint64_t *memory = calloc(3 * count, sizeof(uint64_t));
    if (!memory)
        kit_give_up("no memory for the sums of %zu windows", count);
    sums.S = memory;
    sums.Q = memory + count;
    sums.X = memory + 2 * count;
    for (int32_t y = 0; y < sums.height; y++)
        for (int32_t x = 0; x < sums.width; x++) {
            size_t i = (size_t)y * (size_t)sums.width + (size_t)x;
            window_sums(&scene, &tmpl, x, y, sums.S + i, sums.Q + i, sums.X + i);
        }
    free(scene.at);
    free(tmpl.at);
    return sums;
}

void oracle_sums_free(oracle_sums *sums)
{
    free(sums->S);
    memset(sums, 0, sizeof *sums);
}

/* Rounds with the quotient and the remainder of the bits that do not fit. This uses neither the
 * compiler's conversion nor the sticky bit of score.h, so that it is independent of both. */
double oracle_round(__int128 value)
{
    if (value < 0)
        return -oracle_round(-value);
    unsigned __int128 v = (unsigned __int128)value;
    int length = 0;
    while (length < 128 && v >> length)
        length++;
    if (length <= 53)
        return (double)(uint64_t)v;
    int dropped = length - 53;
    unsigned __int128 unit = (unsigned __int128)1 << dropped, rest = v % unit;
    uint64_t kept = (uint64_t)(v / unit);
    if (rest > unit / 2 || (rest == unit / 2 && (kept & 1)))
        kept++;
    return ldexp((double)kept, dropped);
}

float oracle_formula(xncc_method method, xncc_flat flat, const oracle_terms *t)
{
    __int128 distance = t->Q - 2 * t->X + t->T2;
    double undefined = flat == XNCC_FLAT_NAN ? (double)NAN : 0.0, score = 0.0;
    switch (method) {
    case XNCC_CCOEFF_NORMED:
        score = t->var_image == 0 || t->var_templ == 0
                    ? undefined
                    : oracle_round(t->spread) /
                          (sqrt(oracle_round(t->var_image)) * sqrt(oracle_round(t->var_templ)));
        break;
    case XNCC_CCOEFF: score = oracle_round(t->spread) / oracle_round(t->n); break;
    case XNCC_CCORR: score = oracle_round(t->X); break;
    case XNCC_CCORR_NORMED:
        score = t->Q == 0 || t->T2 == 0
                    ? undefined
                    : oracle_round(t->X) / (sqrt(oracle_round(t->Q)) * sqrt(oracle_round(t->T2)));
        break;
    case XNCC_SQDIFF: score = oracle_round(distance); break;
    case XNCC_SQDIFF_NORMED:
        if (t->Q == 0 || t->T2 == 0)
            score = flat == XNCC_FLAT_NAN ? (double)NAN : distance == 0 ? 0.0 : 1.0;
        else
            score = oracle_round(distance) / (sqrt(oracle_round(t->Q)) * sqrt(oracle_round(t->T2)));
        break;
    case XNCC_COVERAGE: score = oracle_round(t->n) / oracle_round(t->whole); break;
    }
    return (float)score;
}

float oracle_score(const oracle_sums *sums, xncc_method method, xncc_flat flat, size_t index)
{
    __int128 n = sums->n, S = sums->S[index], Q = sums->Q[index], X = sums->X[index], T = sums->sum,
             T2 = sums->sum2;
    oracle_terms t = { n, n, n * X - S * T, n * Q - S * S, n * T2 - T * T, X, Q, T2 };
    return oracle_formula(method, flat, &t);
}

/* Orders matches: a better score first, then the smaller y, then the smaller x. */
static int comes_before(const xncc_match *a, const xncc_match *b, int smallest)
{
    if (a->score < b->score)
        return smallest;
    if (a->score > b->score)
        return !smallest;
    return a->y != b->y ? a->y < b->y : a->x < b->x;
}

static int descending(const void *a, const void *b)
{
    return comes_before(a, b, 0) ? -1 : 1;
}

static int ascending(const void *a, const void *b)
{
    return comes_before(a, b, 1) ? -1 : 1;
}

static int is_candidate(const xncc_map *map, const oracle_peak_rule *rule, const xncc_match *m)
{
    if (m->score != m->score || (rule->smallest ? m->score > rule->limit : m->score < rule->limit))
        return 0;
    if (rule->min_distance <= 1)
        return 1;
    for (int32_t y = m->y - 1; y <= m->y + 1; y++)
        for (int32_t x = m->x - 1; x <= m->x + 1; x++) {
            if (x < 0 || y < 0 || x >= map->width || y >= map->height || (x == m->x && y == m->y))
                continue;
            xncc_match other = { x, y, kit_map_row(map, y)[x] };
            if (other.score == other.score && comes_before(&other, m, rule->smallest))
                return 0;
        }
    return 1;
}

size_t oracle_peaks(const xncc_map *map, const oracle_peak_rule *rule, xncc_match *match)
{
    xncc_match *all = malloc((size_t)map->width * (size_t)map->height * sizeof *all);
    if (!all)
        kit_give_up("no memory for the candidates");
    size_t count = 0, taken = 0;
    for (int32_t y = 0; y < map->height; y++)
        for (int32_t x = 0; x < map->width; x++) {
            xncc_match m = { x, y, kit_map_row(map, y)[x] };
            if (is_candidate(map, rule, &m))
                all[count++] = m;
        }
    qsort(all, count, sizeof *all, rule->smallest ? ascending : descending);
    for (size_t i = 0; i < count && taken < rule->top; i++) {
        int close = 0;
        for (size_t k = 0; k < taken && !close; k++) {
            int32_t dx = abs(all[i].x - match[k].x), dy = abs(all[i].y - match[k].y);
            close = (dx > dy ? dx : dy) < rule->min_distance;
        }
        if (!close)
            match[taken++] = all[i];
    }
    free(all);
    return taken;
}

static float bordered(const xncc_image *image, int32_t x, int32_t y, xncc_border border)
{
    if (border == XNCC_BORDER_ZERO && (x < 0 || y < 0 || x >= image->width || y >= image->height))
        return 0.0f;
    return (float)kit_pixel(image, clamp(x, image->width), clamp(y, image->height));
}

float oracle_convolve(const xncc_image *image, const float *filter, int32_t width, int32_t height,
                      const kit_filter_options *options, xncc_border border, int32_t x, int32_t y)
{
    kit_filter_options none = { 0, 0, 0, 0 };
    const kit_filter_options *o = options ? options : &none;
    int32_t a = o->anchored ? o->anchor_x : width / 2, b = o->anchored ? o->anchor_y : height / 2;
    float result = 0.0f;
    if (o->correlate) {
        for (int32_t j = 0; j < height; j++)
            for (int32_t i = 0; i < width; i++)
                result = fmaf(filter[j * width + i], bordered(image, x - a + i, y - b + j, border),
                              result);
        return result;
    }
    /* the topmost, leftmost pixel meets the last coefficient */
    for (int32_t j = height - 1; j >= 0; j--)
        for (int32_t i = width - 1; i >= 0; i--)
            result = fmaf(filter[j * width + i], bordered(image, x + a - i, y + b - j, border),
                          result);
    return result;
}
