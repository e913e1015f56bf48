/* SPDX-License-Identifier: BSD-2-Clause */
#include "track_scan.h"

#include "cpu/cpu.h"
#include "plan/machine.h"
#include "track/scan.h"

#include <math.h>
#include <string.h>

enum { HEIGHT = 3, MOST = 70 };

/* Three rows of scores with ties, few values, flat windows and numbers out of range. */
typedef struct rows {
    float score[HEIGHT][MOST + 2];
    int32_t width;
} rows;

static void make_rows(rows *r, kit_random *random)
{
    const int32_t values = kit_between(random, 2, 60);
    const int holes = kit_below(random, 3) == 0;
    r->width = kit_between(random, 1, MOST);
    for (int y = 0; y < HEIGHT; y++)
        for (int32_t x = 0; x < MOST + 2; x++) {
            r->score[y][x] = (float)kit_between(random, -values, values) / 64.0f;
            if (holes && kit_below(random, 9) == 0)
                r->score[y][x] = kit_below(random, 5) ? NAN : INFINITY;
            if (x >= r->width)
                r->score[y][x] = 9.0f; /* beyond the row */
        }
}

static float plain_best(const rows *r)
{
    float best = -INFINITY;
    for (int32_t x = 0; x < r->width; x++)
        best = r->score[1][x] > best ? r->score[1][x] : best;
    return best;
}

/* above, below: whether there is such a row. */
static float plain_peak(const rows *r, int above, int below, int32_t first, int32_t end,
                        float least)
{
    for (int32_t x = first; x < end; x++) {
        int lower = 0;
        for (int32_t y = above ? 0 : 1; y < (below ? 3 : 2); y++)
            for (int32_t i = x > 0 ? x - 1 : 0; i <= x + 1 && i < r->width; i++) {
                const int before = y < 1 || (y == 1 && i < x), self = y == 1 && i == x;
                const float s = r->score[1][x], other = r->score[y][i];
                lower = lower || (!self && (before ? other >= s : other > s));
            }
        if (!lower && r->score[1][x] > least)
            least = r->score[1][x];
    }
    return least;
}

static void check_moments(const rows *r, const xncc_scan *scan, double best)
{
    xncc_moments want = { 0, 0, 0 }, all = want, some = want, like = want;
    int finite = 1;
    for (int32_t x = 0; x < r->width; x++) {
        const double d = best - (double)r->score[1][x];
        finite &= isfinite(d) != 0;
        if (isfinite(d)) {
            want.n += 1;
            want.sum += d;
            want.squares += d * d;
        }
    }
    scan->add(r->score[1], r->width, best, 1, &all);
    scan->add(r->score[1], r->width, best, 0, &some);
    xncc_scan_portable.add(r->score[1], r->width, best, 0, &like);
    CHECK(some.n == want.n && fabs(some.sum - want.sum) <= 1e-12 * (1 + fabs(want.sum)) &&
          fabs(some.squares - want.squares) <= 1e-12 * (1 + want.squares));
    CHECK(memcmp(&some, &like, sizeof some) == 0);
    CHECK(finite ? memcmp(&all, &some, sizeof all) == 0 : !isfinite(all.squares));
}

static void check_scan(const xncc_scan *scan, kit_random *random)
{
    for (int k = 0; k < 2000; k++) {
        rows r;
        make_rows(&r, random);
        const float best = scan->best(r.score[1], r.width), least = k % 3 ? -INFINITY : 0.25f;
        CHECK(best == plain_best(&r));
        check_moments(&r, scan, isfinite(best) ? (double)best : 0.5);
        const int32_t first = kit_between(random, 0, r.width),
                      end = k % 2 ? r.width : kit_between(random, first, r.width);
        const xncc_scan_row row = { .row = r.score[1],
                                    .above = k % 5 ? r.score[0] : NULL,
                                    .below = k % 7 ? r.score[2] : NULL,
                                    .width = r.width,
                                    .first = first,
                                    .end = end };
        CHECK(scan->peak(&row, least) ==
              plain_peak(&r, row.above != NULL, row.below != NULL, first, end, least));
    }
}

void check_scans(kit_random *random)
{
    check_scan(&xncc_scan_portable, random);
#ifdef __x86_64__
    if (xncc_cpu_features() & XNCC_CPU_AVX2_FMA)
        check_scan(&xncc_scan_avx2, random);
#endif
}
