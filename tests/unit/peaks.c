/* SPDX-License-Identifier: BSD-2-Clause */
/* The peak search against the brute-force rule: ties, NaNs, bands cut anywhere, and merged sets. */
#include "kit/oracle.h"

#include "peaks/peaks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SIDE = 48, MOST_WIDTH = 300 }; /* of a map; that of check_strips is higher */

/* Few values, so many ties; some NaNs and infinities. */
static void fill(xncc_map *map, int kind, kit_random *random)
{
    for (int32_t y = 0; y < map->height; y++)
        for (int32_t x = 0; x < map->width; x++) {
            uint64_t r = kit_next(random);
            float v = kind == 0   ? (float)(r % 4)
                      : kind == 1 ? (float)(int64_t)(r % 2001) - 1000.0f
                      : kind == 2 ? 1.0f
                                  : (float)(r % 1000003) * 1e-6f;
            if (kind != 2 && (r >> 40) % 37 == 0)
                v = (r >> 50) % 3 == 0 ? NAN : (r >> 50) % 3 == 1 ? INFINITY : -INFINITY;
            if (kind == 4)
                v = (float)(x + y); /* a ridge that rises towards one corner */
            if (kind == 5)
                v = 0.0f * (r & 1 ? -1.0f : 1.0f); /* both zeros are one value */
            if (kind == 6)
                v = (float)(abs(x % 26 - 13) + abs(y % 18 - 9)); /* few peaks in a row */
            kit_map_row(map, y)[x] = v;
        }
}

static xncc_peaks *make(const xncc_search_rule *rule, const xncc_map *map)
{
    xncc_peaks *peaks = NULL;
    if (xncc_peaks_create(rule, (uint64_t)map->width * (uint64_t)map->height, &peaks, NULL) !=
        XNCC_OK)
        kit_give_up("xncc_peaks_create failed");
    return peaks;
}

/* Feeds the rows in random bands to random sets in random order, as several threads would. */
static void feed(xncc_peaks **set, int sets, const xncc_map *map, int one_row, kit_random *random)
{
    int32_t first[MOST_WIDTH], count[MOST_WIDTH];
    int bands = 0;
    for (int32_t y = 0; y < map->height; bands++) {
        first[bands] = y;
        count[bands] = one_row ? 1 : kit_between(random, 1, map->height - y);
        y += count[bands];
    }
    for (int i = 0; i < bands; i++) {
        int k = kit_between(random, i, bands - 1);
        int32_t f = first[k], c = count[k];
        first[k] = first[i];
        count[k] = count[i];
        CHECK_STATUS(xncc_peaks_feed(set[kit_below(random, (uint64_t)sets)], kit_map_row(map, f),
                                     map->pitch / 4, map->width, f, c, f > 0, f + c < map->height,
                                     NULL),
                     XNCC_OK);
    }
}

static void check_map(kit_map *map, int kind, const xncc_search_rule *rule, kit_random *random)
{
    static xncc_match want[MOST_WIDTH * MOST_SIDE], got[MOST_WIDTH * MOST_SIDE];
    oracle_peak_rule brute = { rule->smallest, rule->limit, rule->min_distance, rule->top };
    size_t wanted = oracle_peaks(&map->view, &brute, want);
    int sets = 1 + (int)kit_below(random, 3);
    xncc_peaks *set[3] = { NULL, NULL, NULL };
    for (int i = 0; i < sets; i++)
        set[i] = make(rule, &map->view);
    feed(set, sets, &map->view, kit_below(random, 3) == 0, random);
    for (int i = 1; i < sets; i++) {
        CHECK_STATUS(xncc_peaks_merge(set[0], set[i], NULL), XNCC_OK);
        xncc_peaks_destroy(set[i]);
    }
    size_t found = 0;
    CHECK_STATUS(xncc_peaks_finish(set[0], got, &found, NULL), XNCC_OK);
    xncc_peaks_destroy(set[0]);
    int same = found == wanted;
    for (size_t i = 0; i < wanted && same; i++)
        same = got[i].x == want[i].x && got[i].y == want[i].y && got[i].score == want[i].score;
    if (!same)
        kit_fail(__FILE__, __LINE__,
                 "map %dx%d kind %d, %s, limit %g, distance %d, top %zu: %zu matches, want %zu, or "
                 "another one",
                 map->view.width, map->view.height, kind, rule->smallest ? "smallest" : "largest",
                 (double)rule->limit, rule->min_distance, rule->top, found, wanted);
    CHECK(same);
}

static void check_random(void)
{
    static const float limit[] = { -INFINITY, 0.0f, 1.0f, 2.5f, INFINITY };
    kit_random random = kit_stream(1);
    for (int i = 0; i < 12000; i++) {
        kit_map map = kit_map_create(kit_between(&random, 1, i % 8 ? MOST_SIDE : MOST_WIDTH),
                                     kit_between(&random, 1, MOST_SIDE), kit_between(&random, 0, 9),
                                     i & 1 ? KIT_AFTER : KIT_BEFORE);
        int kind = (int)kit_below(&random, 7);
        fill(&map.view, kind, &random);
        xncc_search_rule rule = { .smallest = (int32_t)kit_below(&random, 2),
                                  .limit = limit[kit_below(&random, 5)] };
        rule.min_distance = (int32_t)(kit_below(&random, 3) == 0 ? 1 + kit_below(&random, 60)
                                                                 : 1 + kit_below(&random, 4));
        rule.top = kit_below(&random, 4) == 0 ? 100000 : 1 + kit_below(&random, 30);
        check_map(&map, kind, &rule, &random);
        kit_map_destroy(&map);
    }
}

/* Maps with room for few more matches than are wanted: the best candidates of strips tell which
 * others cannot matter. On the left are better ones, which are too close to each other. */
static void check_strips(void)
{
    enum { WIDTH = MOST_WIDTH, HEIGHT = MOST_WIDTH };
    kit_random random = kit_stream(2);
    int cut = 0;
    for (int i = 0; i < 60; i++) {
        kit_map map = kit_map_create(WIDTH, HEIGHT, 0, KIT_AFTER);
        const int smallest = i % 2, width = i % 3 ? 0 : kit_between(&random, 75, 100);
        for (int32_t y = 0; y < HEIGHT; y++)
            for (int32_t x = 0; x < WIDTH; x++) {
                const float v = (float)kit_below(&random, 1 << 20) + (x < width ? 0x1p20f : 0.0f);
                kit_map_row(&map.view, y)[x] = smallest ? -v : v;
            }
        const xncc_search_rule rule = { smallest, smallest ? INFINITY : -INFINITY, 40,
                                        width ? 16 : (size_t)kit_between(&random, 9, 16) };
        check_map(&map, 7, &rule, &random);
        xncc_peaks *peaks = make(&rule, &map.view);
        CHECK_STATUS(xncc_peaks_feed(peaks, kit_map_row(&map.view, 0), map.view.pitch / 4, WIDTH, 0,
                                     HEIGHT, 0, 0, NULL),
                     XNCC_OK);
        cut += xncc_peaks_limit(peaks) != rule.limit;
        xncc_peaks_destroy(peaks);
        kit_map_destroy(&map);
    }
    CHECK(cut >= 3);
}

/* More candidates than the set keeps, all ties: the first ones in order are kept. */
static void check_overflow(void)
{
    enum { WIDTH = 1000, HEIGHT = 30 };
    kit_map map = kit_map_create(WIDTH, HEIGHT, 0, KIT_AFTER);
    for (int32_t y = 0; y < HEIGHT; y++)
        for (int32_t x = 0; x < WIDTH; x++)
            kit_map_row(&map.view, y)[x] = y == HEIGHT - 1 && x == WIDTH - 1 ? 2.0f : 1.0f;
    xncc_search_rule rule = { 0, 0.0f, 1, 3 };
    xncc_peaks *peaks = make(&rule, &map.view);
    for (int32_t y = HEIGHT - 1; y >= 0; y--)
        CHECK_STATUS(xncc_peaks_feed(peaks, kit_map_row(&map.view, y), WIDTH, WIDTH, y, 1, y > 0,
                                     y + 1 < HEIGHT, NULL),
                     XNCC_OK);
    xncc_match got[3];
    size_t found = 0;
    CHECK_STATUS(xncc_peaks_finish(peaks, got, &found, NULL), XNCC_OK);
    CHECK_INT(found, 3);
    CHECK(got[0].x == WIDTH - 1 && got[0].y == HEIGHT - 1 && got[0].score == 2.0f);
    CHECK(got[1].x == 0 && got[1].y == 0 && got[2].x == 1 && got[2].y == 0);
    xncc_peaks_destroy(peaks);
    xncc_peaks_destroy(NULL);
    kit_map_destroy(&map);
}

/* Two good candidates come first, with a worse one and so many bad ones that the set is cut. A
 * better one then takes the place of both good ones, so the worse one is a match. */
static void check_replaced(void)
{
    enum { WIDTH = 1200, HEIGHT = 5 };
    kit_map map = kit_map_create(WIDTH, HEIGHT, 0, KIT_AFTER);
    for (int32_t i = 0; i < WIDTH * HEIGHT; i++)
        kit_map_row(&map.view, i / WIDTH)[i % WIDTH] = i / WIDTH == 2 && i % 2 == 0 ? 10.0f : 1.0f;
    kit_map_row(&map.view, 0)[100] = 90.0f;
    kit_map_row(&map.view, 0)[112] = 89.0f;
    kit_map_row(&map.view, 0)[300] = 50.0f;
    kit_map_row(&map.view, 4)[106] = 95.0f;
    const xncc_search_rule rule = { 0, 0.0f, 10, 2 };
    xncc_peaks *peaks = make(&rule, &map.view);
    for (int32_t y = 0; y < HEIGHT; y++)
        CHECK_STATUS(xncc_peaks_feed(peaks, kit_map_row(&map.view, y), WIDTH, WIDTH, y, 1, y > 0,
                                     y + 1 < HEIGHT, NULL),
                     XNCC_OK);
    CHECK(xncc_peaks_limit(peaks) > 1.0f); /* the set was cut */
    xncc_match got[2];
    size_t found = 0;
    CHECK_STATUS(xncc_peaks_finish(peaks, got, &found, NULL), XNCC_OK);
    CHECK_INT(found, 2);
    CHECK(got[0].x == 106 && got[0].y == 4 && got[1].x == 300 && got[1].y == 0);
    xncc_peaks_destroy(peaks);
    kit_map_destroy(&map);
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    check_random();
    check_strips();
    check_overflow();
    check_replaced();
    return kit_finish("peaks");
}
