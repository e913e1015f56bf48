/* SPDX-License-Identifier: BSD-2-Clause */
/* A band of a pass of tracking: some points, and the rows of the images that they need. */
#ifndef XNCC_API_TRACK_BAND_H
#define XNCC_API_TRACK_BAND_H

#include "api/track_pass.h"
#include "api/track_warps.h"
#include "engine/chip_ops.h"
#include "track/scan.h"

/* A chip and the windows that it is compared with. */
typedef struct xncc_track_place {
    size_t index;      /* of the point */
    int32_t left, top; /* of the chip, in image 1 */
    int32_t wx, wy;    /* of the first window, in image 2; it may lie outside */
} xncc_track_place;

/* Rows first .. end - 1 of image 1, of image 2 and of the deformed image 2. */
enum { XNCC_IMAGE1, XNCC_IMAGE2, XNCC_DEFORMED, XNCC_TRACK_IMAGES };
typedef struct xncc_track_rows_of {
    int64_t first[XNCC_TRACK_IMAGES], end[XNCC_TRACK_IMAGES];
} xncc_track_rows_of;

typedef struct xncc_track_band {
    const xncc_track_call *call;
    xncc_displacement *found; /* of all points */
    const xncc_track_place *place;
    size_t count;
    xncc_track_rows_of rows;
    xncc_engine *device; /* that of CUDA if it serves the pass where all pixels count, or NULL */
    xncc_image *view;    /* of the rows: those of pair p are at 2 * p and 2 * p + 1 */
    xncc_image *plain;   /* the same without masks and no-data values */
    int32_t back;        /* 1: the run goes from image 2 to image 1 */
    float *row_best;     /* per thread, the best score of each row of a map */
    const xncc_scan *scan;
    double *sum;       /* several pairs: per thread, the sums of the scores of the windows, */
    int32_t *number;   /* how many scores there are, */
    float *mean;       /* and their means */
    xncc_chip_run run; /* the problems and decisions */
    const xncc_track_warps *warps; /* NULL: image 2 is as it is */
    char *deformed;                /* the deformed images of the band */
    void **fetched; /* per view, the copy on the host of one in device memory, or NULL */
} xncc_track_band;

/* Prepares the bands of a pass: the decisions and the memory. warps: NULL or, for a call with a
 * field, those of the pass. count: the points of the pass. After a failure, too,
 * xncc_track_band_clear frees it. */
xncc_status xncc_track_band_make(xncc_track_band *band, const xncc_track_call *call,
                                 const xncc_track_warps *warps, size_t count,
                                 xncc_displacement *found, xncc_error *error);

/* Reads the rows of a band, and tracks its points. */
xncc_status xncc_track_band_run(xncc_track_band *band, xncc_error *error);

void xncc_track_band_clear(xncc_track_band *band);

/* The pixels that the chips (scene: 0) or the windows (scene: 1) of a pair are taken from. */
const xncc_image *xncc_track_view(const xncc_track_band *band, size_t pair, int scene);

/* Counts the pixels of a rectangle of image a that count, and of those that also count at (bx, by)
 * and on in image b. b: NULL: only a is asked. */
int64_t xncc_track_count(const xncc_image *a, int64_t ax, int64_t ay, const xncc_image *b,
                         int64_t bx, int64_t by, int32_t width, int32_t height);

/* The functions of xncc_chip_reads; band: an xncc_track_band. The first one says where the chip of
 * a point is sought; all pairs have the same place. The second one fills the result of a point, or
 * on the way back what follows from it, from the map of its chip. */
void xncc_track_find_chip(void *band, size_t item, xncc_chip_place *chip);
void xncc_track_set(void *band, size_t item, const xncc_chip_place *chip,
                    const xncc_reading *reading);

#endif
