/* SPDX-License-Identifier: BSD-2-Clause */
/* Matches as GeoJSON. */
#include "find_geojson.h"

#include <math.h>
#include <string.h>

void find_geojson_begin(FILE *out, const app_geo *geo)
{
    char crs[256], name[300];
    fputs("{\n  \"type\": \"FeatureCollection\",\n", out);
    app_geo_crs(geo, crs, sizeof crs);
    const int number = strncmp(crs, "EPSG:", 5) == 0;
    snprintf(name, sizeof name, "%s%s", number ? "urn:ogc:def:crs:EPSG::" : "",
             crs + (number ? 5 : 0));
    if (name[0]) {
        fputs("  \"crs\": {\"type\": \"name\", \"properties\": {\"name\": ", out);
        app_json_string(out, name);
        fputs("}},\n", out);
    }
    fputs("  \"features\": [", out);
}

/* The outline of the window, against the clock as RFC 7946 asks, and closed. */
static void print_outline(FILE *out, const find_hit *h, const app_geo *geo)
{
    const double x[4] = { h->x - 0.5, h->x - 0.5, h->x + h->width - 0.5, h->x + h->width - 0.5 },
                 y[4] = { h->y - 0.5, h->y + h->height - 0.5, h->y + h->height - 0.5, h->y - 0.5 };
    double gx[4], gy[4], area = 0.0;
    for (int i = 0; i < 4; i++) {
        double px = x[i], py = y[i];
        if (isfinite(h->angle))
            find_hit_corner(h, 3 - i, &px, &py);
        (void)app_geo_ground(geo, px, py, &gx[i], &gy[i]);
    }
    area = (gx[1] - gx[0]) * (gy[2] - gy[0]) - (gy[1] - gy[0]) * (gx[2] - gx[0]);
    fputs("{\"type\": \"Polygon\", \"coordinates\": [[", out);
    for (int i = 0; i <= 4; i++) {
        const int k = area < 0.0 ? (4 - i) % 4 : i % 4;
        fprintf(out, "%s[%.15g, %.15g]", i ? ", " : "", gx[k], gy[k]);
    }
    fputs("]]}", out);
}

void find_geojson_feature(FILE *out, const app_rows *rows, size_t row, unsigned skip,
                          const find_hit *hit, const app_geo *geo, int first)
{
    fputs(first ? "\n    " : ",\n    ", out);
    fputs("{\"type\": \"Feature\", \"geometry\": ", out);
    print_outline(out, hit, geo);
    fputs(", \"properties\": ", out);
    app_row_print(out, rows, row, skip, APP_JSON);
    putc('}', out);
}

void find_geojson_end(FILE *out)
{
    fputs("\n  ]\n}\n", out);
}
