/* SPDX-License-Identifier: BSD-2-Clause */
/* GeoTIFF tags and GDAL's no-data value. */
#include "geo.h"

#include "numbers.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <tiffio.h>

enum {
    SCALE = 33550,
    TIE = 33922,
    MATRIX = 34264,
    KEYS = 34735,
    NUMBERS = 34736,
    TEXT = 34737,
    NO_DATA = 42113
};

/* When libtiff writes these tags it counts their values in 16 bits. */
enum { MOST = 65535 };

static const TIFFFieldInfo fields[] = {
    { SCALE, -1, -1, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, (char *)(uintptr_t) "ModelPixelScale" },
    { TIE, -1, -1, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, (char *)(uintptr_t) "ModelTiepoint" },
    { MATRIX, -1, -1, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, (char *)(uintptr_t) "ModelTransformation" },
    { KEYS, -1, -1, TIFF_SHORT, FIELD_CUSTOM, 1, 1, (char *)(uintptr_t) "GeoKeyDirectory" },
    { NUMBERS, -1, -1, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, (char *)(uintptr_t) "GeoDoubleParams" },
    { TEXT, -1, -1, TIFF_ASCII, FIELD_CUSTOM, 1, 0, (char *)(uintptr_t) "GeoAsciiParams" },
    { NO_DATA, -1, -1, TIFF_ASCII, FIELD_CUSTOM, 1, 0, (char *)(uintptr_t) "GDAL_NODATA" },
};

/* The values of a tag in the current directory. libtiff returns the count in 16 bits, in 32 bits or
 * not at all, depending on what it knows about the tag. */
typedef struct values {
    const void *data; /* NULL: none */
    TIFFDataType type;
    uint32_t count;
} values;

static values read_tag(TIFF *tif, uint32_t tag)
{
    values v = { NULL, TIFF_NOTYPE, 0 };
    const void *data = NULL;
    uint16_t few = 0;
    const TIFFField *field = TIFFFindField(tif, tag, TIFF_ANY);
    if (!field)
        return v;
    v.type = TIFFFieldDataType(field);
    if (!TIFFFieldPassCount(field)) {
        if (v.type == TIFF_ASCII && TIFFGetField(tif, tag, &data) && data)
            v.count = (uint32_t)strlen(data);
    } else if (TIFFFieldReadCount(field) == TIFF_VARIABLE2) {
        if (!TIFFGetField(tif, tag, &v.count, &data))
            data = NULL;
    } else if (TIFFGetField(tif, tag, &few, &data)) {
        v.count = few;
    } else {
        data = NULL;
    }
    v.data = v.count ? data : NULL;
    return v;
}

/* Copies the values of a tag. NULL if it is missing, has another type, or if the number of values
 * is not a positive multiple of step. */
static void *copy_tag(TIFF *tif, uint32_t tag, TIFFDataType type, uint32_t step, uint16_t *count)
{
    const size_t size = type == TIFF_DOUBLE  ? sizeof(double)
                        : type == TIFF_SHORT ? sizeof(uint16_t)
                                             : 1;
    const values v = read_tag(tif, tag);
    *count = 0;
    if (!v.data || v.type != type || v.count > MOST || v.count % step != 0)
        return NULL;
    char *copy = malloc(v.count * size + 1);
    if (!copy)
        return NULL;
    memcpy(copy, v.data, v.count * size);
    copy[v.count * size] = 0;
    *count = (uint16_t)v.count;
    return copy;
}

static int copy_doubles(TIFF *tif, uint32_t tag, double *to, uint32_t want)
{
    const values v = read_tag(tif, tag);
    const int fits = v.data && v.type == TIFF_DOUBLE && v.count == want;
    if (fits)
        memcpy(to, v.data, want * sizeof *to);
    return fits;
}

void app_geo_read(TIFF *tif, app_geo *geo)
{
    uint16_t letters;
    memset(geo, 0, sizeof *geo);
    geo->has_scale = copy_doubles(tif, SCALE, geo->scale, 3);
    geo->has_matrix = copy_doubles(tif, MATRIX, geo->matrix, 16);
    geo->tie = copy_tag(tif, TIE, TIFF_DOUBLE, 6, &geo->ties);
    geo->key = copy_tag(tif, KEYS, TIFF_SHORT, 4, &geo->keys);
    geo->number = copy_tag(tif, NUMBERS, TIFF_DOUBLE, 1, &geo->numbers);
    geo->text = copy_tag(tif, TEXT, TIFF_ASCII, 1, &letters);
}

void app_geo_free(app_geo *geo)
{
    free(geo->tie);
    free(geo->key);
    free(geo->number);
    free(geo->text);
    memset(geo, 0, sizeof *geo);
}

/* Keys of the directory, and what they can say. */
enum {
    RASTER_TYPE = 1025,
    RASTER_IS_POINT = 2,
    CITATION = 1026,
    GEOGRAPHIC = 2048,
    GEOGRAPHIC_CITATION = 2049,
    PROJECTED = 3072,
    PROJECTED_CITATION = 3073,
    USER_DEFINED = 32767
};

/* The four numbers of a key: its number, the tag with its value (0: none), their count, and the
 * value or its place. NULL: there is no such key. */
static const uint16_t *find_key(const app_geo *g, int key)
{
    const unsigned keys = g->key ? g->keys / 4u : 0;
    for (unsigned i = 1; i < keys && i <= g->key[3]; i++)
        if (g->key[4 * i] == key)
            return g->key + 4 * i;
    return NULL;
}

/* The value of a key that is a number; 0 if there is none. */
static int key_number(const app_geo *g, int key)
{
    const uint16_t *k = find_key(g, key);
    return k && k[1] == 0 ? k[3] : 0;
}

/* Copies the value of a key that is a text, without the bar at its end. Returns 1 if there is one.
 */
static int key_text(const app_geo *g, int key, char *text, size_t size)
{
    const uint16_t *k = find_key(g, key);
    const size_t length = g->text ? strlen(g->text) : 0;
    if (!k || k[1] != TEXT || k[3] >= length)
        return 0;
    size_t count = length - k[3] < k[2] ? length - k[3] : k[2];
    if (count > 0 && g->text[k[3] + count - 1] == '|')
        count--;
    snprintf(text, size, "%.*s", (int)count, g->text + k[3]);
    return count > 0;
}

const char *app_geo_crs(const app_geo *g, char *text, size_t size)
{
    static const int numbers[] = { PROJECTED, GEOGRAPHIC };
    static const int texts[] = { PROJECTED_CITATION, CITATION, GEOGRAPHIC_CITATION };
    text[0] = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const int number = key_number(g, numbers[i]);
        if (number == USER_DEFINED)
            break;
        if (number > 0) {
            snprintf(text, size, "EPSG:%d", number);
            return text;
        }
    }
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (key_text(g, texts[i], text, size))
            return text;
    return text;
}

int app_geo_ground(const app_geo *g, double x, double y, double *ground_x, double *ground_y)
{
    const double corner = key_number(g, RASTER_TYPE) == RASTER_IS_POINT ? 0.0 : 0.5;
    const double i = x + corner, j = y + corner;
    const double *m = g->matrix;
    if (g->has_scale && g->scale[0] != 0.0 && g->scale[1] != 0.0 && g->tie) {
        *ground_x = g->tie[3] + (i - g->tie[0]) * g->scale[0];
        *ground_y = g->tie[4] - (j - g->tie[1]) * fabs(g->scale[1]);
        return 1;
    }
    if (!g->has_matrix)
        return 0;
    *ground_x = m[0] * i + m[1] * j + m[3];
    *ground_y = m[4] * i + m[5] * j + m[7];
    return 1;
}

int app_geo_affine(const app_geo *g, double a[6])
{
    if (!app_geo_ground(g, 0, 0, &a[2], &a[5]) || !app_geo_ground(g, 1, 0, &a[0], &a[3]) ||
        !app_geo_ground(g, 0, 1, &a[1], &a[4]))
        return 0;
    for (int i = 0; i < 5; i++)
        if (i != 2)
            a[i] -= a[i < 2 ? 2 : 5];
    const double det = a[0] * a[4] - a[1] * a[3];
    return isfinite(det) && det != 0.0;
}

int app_geo_pixel(const app_geo *g, double ground_x, double ground_y, double *x, double *y)
{
    double a[6];
    if (!app_geo_affine(g, a))
        return 0;
    const double det = a[0] * a[4] - a[1] * a[3], u = ground_x - a[2], v = ground_y - a[5];
    *x = (a[4] * u - a[1] * v) / det;
    *y = (a[0] * v - a[3] * u) / det;
    return 1;
}

/* Copies an array; NULL stays NULL. Returns 0 if there is no memory. */
static int copy_array(void *to, const void *from, size_t bytes)
{
    void *copy = from ? malloc(bytes) : NULL;
    if (copy)
        memcpy(copy, from, bytes);
    memcpy(to, &copy, sizeof copy);
    return copy || !from;
}

int app_geo_coarser(const app_geo *g, double x0, double y0, double step_x, double step_y,
                    app_geo *out)
{
    const double corner = key_number(g, RASTER_TYPE) == RASTER_IS_POINT ? 0.0 : 0.5;
    double unused[6];
    *out = *g;
    out->tie = NULL;
    out->key = NULL;
    out->number = NULL;
    out->text = NULL;
    if (!app_geo_affine(g, unused) || !copy_array(&out->tie, g->tie, g->ties * sizeof *g->tie) ||
        !copy_array(&out->key, g->key, g->keys * sizeof *g->key) ||
        !copy_array(&out->number, g->number, g->numbers * sizeof *g->number) ||
        !copy_array(&out->text, g->text, g->text ? strlen(g->text) + 1 : 0)) {
        app_geo_free(out);
        return 0;
    }
    out->scale[0] *= step_x;
    out->scale[1] *= step_y;
    for (uint32_t i = 0; i < out->ties; i += 6) {
        out->tie[i] = (out->tie[i] - corner - x0) / step_x + corner;
        out->tie[i + 1] = (out->tie[i + 1] - corner - y0) / step_y + corner;
    }
    for (int row = 0; row < 12; row += 4) {
        double *m = out->matrix + row;
        m[3] += m[0] * (x0 + corner - corner * step_x) + m[1] * (y0 + corner - corner * step_y);
        m[0] *= step_x;
        m[1] *= step_y;
    }
    return 1;
}

void app_geo_register(TIFF *tif)
{
    TIFFMergeFieldInfo(tif, fields, sizeof fields / sizeof fields[0]);
}

/* The raster coordinates of the tie points move with the origin. */
static int write_ties(TIFF *tif, const app_place *place)
{
    const app_geo *g = place->geo;
    double *tie = malloc(g->ties * sizeof *tie);
    if (!tie)
        return 0;
    memcpy(tie, g->tie, g->ties * sizeof *tie);
    for (uint32_t i = 0; i < g->ties; i += 6) {
        tie[i] -= place->x;
        tie[i + 1] -= place->y;
    }
    const int ok = TIFFSetField(tif, TIE, (int)g->ties, tie);
    free(tie);
    return ok;
}

static int write_matrix(TIFF *tif, const app_place *place)
{
    double m[16];
    memcpy(m, place->geo->matrix, sizeof m);
    for (int row = 0; row < 12; row += 4)
        m[row + 3] += m[row] * place->x + m[row + 1] * place->y;
    return TIFFSetField(tif, MATRIX, 16, m);
}

int app_geo_write(TIFF *tif, const app_place *place)
{
    const app_geo *g = place->geo;
    return !g ||
           ((!g->has_scale || TIFFSetField(tif, SCALE, 3, g->scale)) &&
            (!g->has_matrix || write_matrix(tif, place)) && (!g->tie || write_ties(tif, place)) &&
            (!g->key || TIFFSetField(tif, KEYS, (int)g->keys, g->key)) &&
            (!g->number || TIFFSetField(tif, NUMBERS, (int)g->numbers, g->number)) &&
            (!g->text || TIFFSetField(tif, TEXT, g->text)));
}

int app_no_data_parse(const char *text, double *value)
{
    static const char *const nans[] = { "nan", "-nan", "1.#QNAN", "-1.#QNAN", "-1.#IND", NULL };
    static const char *const infinities[] = { "inf", "infinity", "1.#INF", NULL };
    for (int i = 0; nans[i]; i++)
        if (strcasecmp(text, nans[i]) == 0) {
            *value = (double)NAN;
            return 1;
        }
    for (int i = 0; infinities[i]; i++)
        if (strcasecmp(text + (*text == '-' || *text == '+'), infinities[i]) == 0) {
            *value = *text == '-' ? -(double)INFINITY : (double)INFINITY;
            return 1;
        }
    return app_parse_double(text, value);
}

/* Whether the text is a number beyond double. -DBL_MAX in 15 digits is one: what is as near as that
 * to the largest double is the largest double. Anything else is a value that no type can hold, so
 * it marks nothing, and *value is 0. Returns 0 if it is no such number, 1 if it is the largest, 2
 * if it is beyond. */
static int read_beyond(const char *text, double *value)
{
    char digits[80];
    *value = 0;
    const char *exponent = strpbrk(text, "eE");
    char *end;
    if (!exponent || strlen(text) >= sizeof digits || !isinf(strtod(text, &end)) || *end)
        return 0;
    /* The same digits, a thousandth as large, fit if the number is near the largest double. */
    snprintf(digits, sizeof digits, "%.*se%ld", (int)(exponent - text), text,
             strtol(exponent + 1, NULL, 10) - 3);
    double small;
    if (!app_parse_double(digits, &small))
        return strpbrk(text, "xX") ? 0 : 2;
    if (fabs(small) > DBL_MAX / 1000 * (1 + 1e-13))
        return 2;
    *value = copysign(DBL_MAX, small);
    return 1;
}

/* Copies the text without the blanks at both ends, in printable characters, cut to `size`. Returns
 * its whole length. */
static size_t trim(const char *data, size_t length, char *text, size_t size)
{
    size_t first = 0, count = 0;
    length = strnlen(data, length);
    while (first < length && isspace((unsigned char)data[first]))
        first++;
    while (length > first && isspace((unsigned char)data[length - 1]))
        length--;
    for (; first + count < length && count + 1 < size; count++)
        text[count] = isprint((unsigned char)data[first + count]) ? data[first + count] : '?';
    text[count] = 0;
    return length - first;
}

int app_no_data_read(TIFF *tif, double *value, char *text, size_t size)
{
    const values v = read_tag(tif, NO_DATA);
    text[0] = 0;
    if (!v.data)
        return 0;
    if (v.type != TIFF_ASCII)
        return -1;
    const size_t length = trim(v.data, v.count, text, size);
    if (length == 0)
        return 0;
    if (length < size && app_no_data_parse(text, value))
        return 1;
    const int beyond = length < size ? read_beyond(text, value) : 0;
    return beyond == 1 ? 1 : beyond == 2 ? 0 : -1;
}

int app_no_data_write_nan(TIFF *tif)
{
    return TIFFSetField(tif, NO_DATA, "nan");
}
