/* SPDX-License-Identifier: BSD-2-Clause */
/* The GeoTIFF tags (OGC 19-008r4) that place a picture on the ground. They are copied from an input
 * to the outputs computed from it, and say where its pixels are. A tag whose type or count differs
 * from the standard's is dropped. */
#ifndef APP_GEO_H
#define APP_GEO_H

#include <stddef.h>
#include <stdint.h>

typedef struct app_geo {
    int has_scale, has_matrix;
    double scale[3];              /* ModelPixelScale, 33550 */
    double matrix[16];            /* ModelTransformation, 34264 */
    double *tie;                  /* ModelTiepoint, 33922: I, J, K, X, Y, Z per point */
    uint16_t *key;                /* GeoKeyDirectory, 34735 */
    double *number;               /* GeoDoubleParams, 34736 */
    char *text;                   /* GeoAsciiParams, 34737; zero-terminated */
    uint16_t ties, keys, numbers; /* elements of the arrays */
} app_geo;

/* The place of a picture whose pixel (0, 0) is pixel (x, y) of the picture that has the tags. */
typedef struct app_place {
    const app_geo *geo; /* NULL: the place is unknown */
    int32_t x, y;
} app_place;

/* Where a position of the picture is on the ground. x, y: in pixels; (0, 0) is the centre of the
 * top-left pixel. Pixel scale and first tie point are used if both are there, otherwise the matrix;
 * the key GTRasterType says whether they speak of the corners of pixels or of their centres.
 * Returns 0 if the tags do not say. */
int app_geo_ground(const app_geo *geo, double x, double y, double *ground_x, double *ground_y);

/* The same as an affine function: ground x = a[0] x + a[1] y + a[2], ground y = a[3] x + a[4] y +
 * a[5]. Returns 0 if the tags do not say, or if it has no inverse. */
int app_geo_affine(const app_geo *geo, double a[6]);

/* The position of the picture that is at a place on the ground: the inverse of app_geo_ground. */
int app_geo_pixel(const app_geo *geo, double ground_x, double ground_y, double *x, double *y);

/* Makes the tags of a picture of which pixel (i, j) has its centre at (x0 + i * step_x, y0 + j *
 * step_y) of a picture with these tags. Returns 0 if they do not say where it is, or if there is no
 * memory; *coarser is then empty. Free it with app_geo_free. */
int app_geo_coarser(const app_geo *geo, double x0, double y0, double step_x, double step_y,
                    app_geo *coarser);

/* Writes the name of the coordinate system: "EPSG:32632", or the citation in the keys if there is
 * no such number. "" if neither is known. Returns text. */
const char *app_geo_crs(const app_geo *geo, char *text, size_t size);

/* Frees what *geo points to, and sets it to zero. */
void app_geo_free(app_geo *geo);

struct tiff; /* libtiff's TIFF */

/* Reads the tags of the current directory. */
void app_geo_read(struct tiff *tif, app_geo *geo);

/* Makes the tags known to a handle for writing. */
void app_geo_register(struct tiff *tif);

/* Sets the tags for a place. Returns 1 if libtiff accepted them all. */
int app_geo_write(struct tiff *tif, const app_place *place);

/* Reads GDAL's no-data value (tag 42113, a text). Returns 1 if it is a number, 0 if there is none
 * or it is empty, -1 if it is something else; then text has its printable form, cut to size bytes
 * (at least 1) with the final zero. A number has fewer than size characters. */
int app_no_data_read(struct tiff *tif, double *value, char *text, size_t size);

/* Parses a decimal number, nan, inf or -inf, with nothing around it. Returns 1 on success, else 0.
 */
int app_no_data_parse(const char *text, double *value);

/* Sets the no-data value to "nan". Returns 1 if libtiff accepted it. */
int app_no_data_write_nan(struct tiff *tif);

#endif
