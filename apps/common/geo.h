/* Where a picture lies on the ground: the GeoTIFF tags (OGC 19-008r4), carried from an input to
 * what is computed of it. Their meaning is not looked at; a tag of another type or count than the
 * standard's is left out. */
#ifndef APP_GEO_H
#define APP_GEO_H

#include <stddef.h>
#include <stdint.h>

typedef struct app_geo {
    int has_scale, has_matrix;
    double scale[3];              /* ModelPixelScale, 33550 */
    double matrix[16];            /* ModelTransformation, 34264 */
    double *tie;                  /* ModelTiepoint, 33922: I, J, K, X, Y, Z for each point */
    uint16_t *key;                /* GeoKeyDirectory, 34735 */
    double *number;               /* GeoDoubleParams, 34736 */
    char *text;                   /* GeoAsciiParams, 34737; ends with a zero */
    uint16_t ties, keys, numbers; /* values, not points */
} app_geo;

/* The place of a picture whose pixel (0, 0) is pixel (x, y) of the one that the tags are of. */
typedef struct app_place {
    const app_geo *geo; /* NULL: not known */
    int32_t x, y;
} app_place;

/* Frees what it points to, and zeroes it. */
void app_geo_free(app_geo *geo);

struct tiff; /* libtiff's TIFF */

/* Reads what the current directory has. */
void app_geo_read(struct tiff *tif, app_geo *geo);

/* Makes the tags known to a handle for writing. */
void app_geo_register(struct tiff *tif);
/* Sets them for the place; 1 when libtiff took them all. */
int app_geo_write(struct tiff *tif, const app_place *place);

/* GDAL's no-data value (tag 42113, text): 1 when the directory has one and it is a number; 0 when
 * there is none, or an empty one; -1 when it is something else, and text then holds what can be
 * printed of it (at most size bytes with the final zero, and at least 1). A number has fewer than
 * size characters. */
int app_no_data_read(struct tiff *tif, double *value, char *text, size_t size);
/* 1 when the text is a number in decimal, or nan, inf or -inf, with nothing around it. */
int app_no_data_parse(const char *text, double *value);
/* Sets it to "nan"; 1 when libtiff took it. */
int app_no_data_write_nan(struct tiff *tif);

#endif
