/* SPDX-License-Identifier: BSD-2-Clause */
/* What many images and places on the ground need, called directly: whether CUDA is started, for
 * described jobs; where pixels are on the ground; which scores are a ridge; names of outputs. */
#include "auto_device.h"
#include "find_ridge.h"
#include "geo.h"
#include "kit/kit.h"
#include "out_name.h"

#include <stdio.h>
#include <string.h>

/* The two sides of the threshold, in one page, in many, and where nobody knows how many. */
static void test_auto_device(void)
{
    static const struct {
        app_auto_job job;
        int cuda;
    } row[] = {
        { { .page_ms = 0.46, .pages = 1 }, 0 },
        { { .page_ms = APP_CUDA_START_MS, .pages = 1 }, 0 },
        { { .page_ms = APP_CUDA_START_MS + 1, .pages = 1 }, 1 },
        { { .page_ms = 0.46, .pages = 717 }, 0 },
        { { .page_ms = 0.46, .pages = 718 }, 1 },
        { { .page_ms = 1e6, .pages = 1 }, 1 },
        { { .page_ms = -1, .pages = 1 }, 1 },
        { { .page_ms = 1, .pages = 1, .spent_ms = 1000 }, 0 },
        { { .page_ms = 1, .pages = 1, .spent_ms = APP_CUDA_START_MS, .open_end = 1 }, 0 },
        { { .page_ms = 1, .pages = 1, .spent_ms = APP_CUDA_START_MS + 1, .open_end = 1 }, 1 },
        { { .page_ms = 1, .pages = 1000, .open_end = 1 }, 1 },
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        const app_auto_choice choice = app_auto_choose(&row[i].job);
        if (choice.cuda != row[i].cuda)
            printf("FAIL job %zu: %d, %s\n", i, choice.cuda, choice.why);
        CHECK(choice.cuda == row[i].cuda && choice.why[0]);
    }
    app_auto_choice why = app_auto_choose(&(app_auto_job){ .page_ms = 12.5, .pages = 2 });
    CHECK(strcmp(why.why, "the CPU is expected to take 25 ms, no more than the 330 ms that CUDA "
                          "takes to start") == 0);
    why = app_auto_choose(&(app_auto_job){ .page_ms = -1, .pages = 2 });
    CHECK(strcmp(why.why, "no kernel of the CPU can serve the problem") == 0);
}

static int is_at(const app_geo *geo, double x, double y)
{
    double gx = 0, gy = 0;
    /* The centre of a window of 16 x 11 at (37, 22). */
    return app_geo_ground(geo, 37 + 7.5, 22 + 5, &gx, &gy) && gx - x < 1e-9 && x - gx < 1e-9 &&
           gy - y < 1e-9 && y - gy < 1e-9;
}

/* The places are those that GDAL 3.10 gives (as rasterio's transform) for files with these tags. */
static void test_ground(void)
{
    double tie[] = { 3, 1, 0, 500000, 5400000, 0, 119, 79, 0, 600000, 5500000, 0 };
    uint16_t area[] = { 1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32632 };
    uint16_t point[] = { 1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 2, 3072, 0, 1, 32632 };
    const double m[16] = { 0.5, 0.125, 0, 1000, -0.25, -0.5, 0, 2000, 0, 0, 0, 0, 0, 0, 0, 1 };
    app_geo geo = { .has_scale = 1, .scale = { 0.5, 0.25, 0 }, .tie = tie, .ties = 6 };
    double x, y;
    CHECK(is_at(&geo, 500021, 5399993.375)); /* no keys: PixelIsArea */
    geo.key = area;
    geo.keys = 16;
    CHECK(is_at(&geo, 500021, 5399993.375));
    geo.key = point;
    CHECK(is_at(&geo, 500020.75, 5399993.5));
    geo.key = area;
    geo.ties = 12; /* of several tie points the first counts */
    CHECK(is_at(&geo, 500021, 5399993.375));
    geo.scale[1] = -0.25; /* the sign is passed over */
    CHECK(is_at(&geo, 500021, 5399993.375));
    geo.has_matrix = 1; /* scale and tie point come before the matrix */
    memcpy(geo.matrix, m, sizeof m);
    CHECK(is_at(&geo, 500021, 5399993.375));
    geo.scale[0] = 0; /* unless the scale says nothing */
    CHECK(is_at(&geo, 1025.9375, 1975));
    geo.has_scale = 0;
    CHECK(is_at(&geo, 1025.9375, 1975));
    geo.key = point;
    CHECK(is_at(&geo, 1025.625, 1975.375));
    geo.has_matrix = 0; /* tie points alone are no place */
    CHECK(!app_geo_ground(&geo, 0, 0, &x, &y));
    CHECK(!app_geo_ground(&(app_geo){ .has_scale = 1, .scale = { 1, 1, 0 } }, 0, 0, &x, &y));
    CHECK(!app_geo_ground(&(app_geo){ .has_scale = 0 }, 0, 0, &x, &y));
}

static void test_crs(void)
{
    char text[64], cited[] = "Lambert|other|", *none = NULL;
    uint16_t projected[] = { 1, 1, 0, 2, 2048, 0, 1, 4258, 3072, 0, 1, 32632 };
    uint16_t geographic[] = { 1, 1, 0, 1, 2048, 0, 1, 4326 };
    uint16_t own[] = { 1, 1, 0, 2, 3072, 0, 1, 32767, 1026, 34737, 8, 0 };
    uint16_t wrong[] = { 1, 1, 0, 9, 1026, 34737, 8, 60 };
    app_geo geo = { .key = projected, .keys = 12 };
    CHECK(strcmp(app_geo_crs(&geo, text, sizeof text), "EPSG:32632") == 0);
    geo = (app_geo){ .key = geographic, .keys = 8 };
    CHECK(strcmp(app_geo_crs(&geo, text, sizeof text), "EPSG:4326") == 0);
    geo = (app_geo){ .key = own, .keys = 12, .text = cited };
    CHECK(strcmp(app_geo_crs(&geo, text, sizeof text), "Lambert") == 0);
    geo.text = none;
    CHECK(strcmp(app_geo_crs(&geo, text, sizeof text), "") == 0);
    geo = (app_geo){ .key = wrong, .keys = 8, .text = cited }; /* beyond the text and the keys */
    CHECK(strcmp(app_geo_crs(&geo, text, sizeof text), "") == 0);
    CHECK(strcmp(app_geo_crs(&(app_geo){ .keys = 0 }, text, sizeof text), "") == 0);
}

static void test_ridges(void)
{
    static const float peak[9] = { 0.7f, 0.8f, 0.7f, 0.8f, 1, 0.8f, 0.7f, 0.8f, 0.7f },
                       across[9] = { 0.5f, 1, 0.5f, 0.5f, 1, 0.5f, 0.5f, 1, 0.5f },
                       along[9] = { 0.5f, 0.5f, 0.5f, 1, 1, 1, 0.5f, 0.5f, 0.5f },
                       slanted[9] = { 1, 0.8f, 0.2f, 0.8f, 1, 0.8f, 0.2f, 0.8f, 1 },
                       weak[9] = { 0.49f, 0.99f, 0.49f, 0.5f, 1, 0.5f, 0.49f, 0.99f, 0.49f },
                       enough[9] = { 0.4f, 0.9f, 0.4f, 0.5f, 1, 0.5f, 0.4f, 0.9f, 0.4f },
                       flat[9] = { 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    float gap[9], low[9];
    memcpy(gap, along, sizeof gap);
    gap[0] = (float)NAN;
    for (int i = 0; i < 9; i++)
        low[i] = 1 - across[i];
    CHECK(!find_is_ridge(peak, 0));
    CHECK(find_is_ridge(across, 0) && find_is_ridge(along, 0) && find_is_ridge(slanted, 0));
    CHECK(find_is_ridge(weak, 0));    /* curvatures 1 and 0.02 */
    CHECK(!find_is_ridge(enough, 0)); /* 1 and 0.2 */
    CHECK(!find_is_ridge(flat, 0) && !find_is_ridge(gap, 0));
    CHECK(find_is_ridge(low, 1) && !find_is_ridge(low, 0));
}

static void test_names(void)
{
    app_named none = { .ids = 0 };
    app_written written = { .count = 0 };
    app_error error;
    char name[APP_OUT_NAME_SIZE];
    const app_out_of of = { "in/a.b.tif", 7, 3, "t/x.tif@1,2,3,4" };
    const app_out_of bare = { "noending", 1, 0, NULL }, hidden = { ".tif", 1, 0, "a@b.tif" };
    CHECK(app_out_name("-o", "{name}-{number}-{page}-{template}{x}.tif", &of, &none, name,
                       &error) == XNCC_OK);
    CHECK(strcmp(name, "a.b-7-3-x@1,2,3,4{x}.tif") == 0);
    CHECK(app_out_name("-o", "{name}{template}", &bare, &none, name, &error) == XNCC_OK);
    CHECK(strcmp(name, "noending{template}") == 0);
    CHECK(app_out_name("-o", "{name}{template}", &hidden, &none, name, &error) == XNCC_OK);
    CHECK(strcmp(name, ".tifa@b") == 0);
    CHECK(app_written_add(&written, "-o", "b", &error) == XNCC_OK);
    CHECK(app_written_add(&written, "-o", "a", &error) == XNCC_OK);
    CHECK(app_written_add(&written, "-o", "c", &error) == XNCC_OK);
    CHECK(app_written_add(&written, "-o", "a", &error) != XNCC_OK);
    CHECK(app_written_add(&written, "-o", "b", &error) != XNCC_OK);
    CHECK(app_written_add(&written, "-o", "c", &error) != XNCC_OK);
    CHECK(app_written_add(&written, "-o", "d", &error) == XNCC_OK && written.count == 4);
    app_written_free(&written);
}

int main(void)
{
    test_auto_device();
    test_ground();
    test_crs();
    test_ridges();
    test_names();
    return kit_finish("many");
}
