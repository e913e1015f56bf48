/* SPDX-License-Identifier: BSD-2-Clause */
/* Pyramids: an image and its templates in 8 bits, and their halves, quarters and so on. Pixel i of
 * level l covers the pixels i * 2^l .. (i + 1) * 2^l - 1 of level 0. */
#ifndef XNCC_POSE_LEVELS_H
#define XNCC_POSE_LEVELS_H

#include "cpu/cpu_kept.h"
#include "pose/job.h"

enum { XNCC_MOST_LEVELS = 12 };

/* An image, level by level. Pixels beyond its right and lower edge repeat the last ones. */
typedef struct xncc_image_levels {
    xncc_kept *kept; /* where memory comes from */
    int32_t count;
    xncc_image level[XNCC_MOST_LEVELS];
    void *memory[XNCC_MOST_LEVELS]; /* that begins with this level; NULL: it is in another one's */
} xncc_image_levels;

/* A template, level by level. */
typedef struct xncc_templ_levels {
    int32_t count;
    xncc_pose_source level[XNCC_MOST_LEVELS];
    void *memory[XNCC_MOST_LEVELS]; /* owned: pixels and mask; NULL: they are the source's */
    /* The centre of the template relative to that of its level, in pixels of level 0. */
    double offset_x[XNCC_MOST_LEVELS], offset_y[XNCC_MOST_LEVELS];
} xncc_templ_levels;

/* The channel in which a template has the most contrast, in parts of the mean square. */
int32_t xncc_pose_channel(const xncc_pose_source *source);

/* Makes level 0 of an image in host memory, without a mask: the image itself, if it is of 8 bits
 * with one channel; otherwise a channel of it, of which the mean -+ 4 standard deviations become 0
 * .. 255. levels: empty, with `kept`. *finite: 0 if there is a NaN or an infinity, and no level was
 * made. After a failure, too, xncc_image_levels_clear must follow. */
xncc_status xncc_image_levels_begin(const xncc_image *image, int32_t channel,
                                    xncc_image_levels *levels, int *finite, xncc_error *error);

/* Adds levels until there are `count`. */
xncc_status xncc_image_levels_extend(const xncc_pose_job *job, xncc_image_levels *levels,
                                     int32_t count, xncc_error *error);
void xncc_image_levels_clear(xncc_image_levels *levels);

/* Makes all levels of a template on which its sides have at least `least` pixels. *finite as
 * above. */
xncc_status xncc_templ_levels_make(const xncc_pose_source *source, int32_t least,
                                   xncc_templ_levels *levels, int *finite, xncc_error *error);
void xncc_templ_levels_clear(xncc_templ_levels *levels);

#endif
