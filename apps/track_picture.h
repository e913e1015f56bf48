/* SPDX-License-Identifier: BSD-2-Clause */
/* Image 1 with an arrow per displacement. */
#ifndef TRACK_PICTURE_H
#define TRACK_PICTURE_H

#include "track_out.h"

/* --vectors: writes an RGB TIFF, or a PNG if the name ends in .png.
 *
 * The image is drawn in grey as sheet.h and stretch.h say. An arrow begins at the centre of its
 * chip; its colour is that of the length on the colour scale, from 0 to the 95th percentile. A
 * small cross marks a point without a displacement, an outlier, or one at the edge of its search.
 * Below the image is a legend. */
xncc_status track_picture_write(const track_result *result, app_error *error);

#endif
