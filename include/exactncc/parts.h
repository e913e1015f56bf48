/* exactncc: images and maps in parts on several devices. SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_PARTS_H
#define EXACTNCC_PARTS_H

#include "find.h"
#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An image can lie on several devices, each of which holds a part: some rows of the map, and the
 * rows of the image that their windows read. Neighbouring parts have rows of the image in common.
 * No pixel and no score of views in device memory is copied to another device or to the host. The
 * results are those of the whole image, bit for bit.
 *
 * - Make a context with the devices (cuda_list), and a plan for the whole image with `parts` in the
 *   preference. Set image_memory and map_memory, too, if the parts will be in device memory. The
 *   mode is XNCC_VALID. For the other modes, put the pixels that the border adds around the image.
 * - Ask for each part with xncc_plan_part, and put its rows on its device.
 * - Call xncc_plan_correlate_parts or xncc_plan_find_parts.
 *
 * With one part the calls serve every context, and the part is the whole image.
 *
 * Workspace. A plan has one workspace on each device. The first call allocates it. Three kinds of
 * calls need different ones: maps in parts; searches in parts; and calls with an image in one
 * piece, which the plan serves, too. A call of another kind than the one before waits for the
 * device, frees the workspace and allocates its own. So make a plan for each kind that you use by
 * turns.
 *
 * CUDA graphs. A plan of several parts cannot be captured: `capturable` of xncc_plan_info is 0.
 *
 * Failures. No other device holds the part of a device that fails, so the call fails. The next call
 * uses the device again, unless the context has stopped using it in another call (strict of
 * xncc_context_options): then make another context. */
typedef struct xncc_part {
    uint32_t size;        /* sizeof(xncc_part), set by the caller */
    int32_t device;       /* which device of the context has it: an index of cuda_list, from 0. For
                             XNCC_EVERY_DEVICE: of the usable devices, in the order of
                             xncc_device_describe */
    int32_t map_y;        /* the first row of the map, */
    int32_t map_height;   /* and the number of rows */
    int32_t image_y;      /* the first row of the image, */
    int32_t image_height; /* and the number of rows: those of its windows, and for searches one more
                             on each side where there is another part */
} xncc_part;

#define XNCC_PART_INIT                                                                             \
    {                                                                                              \
        sizeof(xncc_part), 0, 0, 0, 0, 0                                                           \
    }

/* Describes a part of the images and maps of a plan.
 *
 * - number: 0 .. devices - 1; xncc_plan_info has `devices`. That is the number that the preference
 *   asked for, a smaller one if the map has few rows, or 1 if the plan is not on the CUDA engine.
 * - part: receives the description. Its member size must be set (XNCC_PART_INIT).
 *
 * Returns XNCC_OK, or XNCC_ERROR_ARGUMENT (also if the plan was made without parts). */
XNCC_API xncc_status xncc_plan_part(const xncc_plan *plan, int32_t number, xncc_part *part,
                                    xncc_error *error);

/* xncc_plan_correlate for an image and a map in parts.
 *
 * - image: a view per part, of image_height rows and the full width, with the pixel type and the
 *   channels of the plan. Views may have masks or no-data values if the plan has image_masked; a
 *   mask has the rows of its view and lies in the same memory. Rows that two parts have in common
 *   must have the same pixels and masks in both. A view in device memory must be on the device of
 *   its part, which is not checked. Views in host memory are copied there.
 * - count: the number of parts.
 * - map: a view per part, of map_height rows and the full width, where the views of the image may
 *   be.
 * - stream: a stream per part, of its device; NULL: the default streams.
 *
 * If all views are in device memory, the call returns without waiting; image, template and map must
 * then exist until all streams have executed the work. If a view is in host memory, the call waits
 * for the device of that part; if all are, it returns when the map is complete. A call that fails
 * or is cancelled waits for all devices.
 *
 * Returns XNCC_OK, XNCC_ERROR_ARGUMENT, XNCC_ERROR_MEMORY or XNCC_ERROR_DEVICE; the text names the
 * part or the device. */
XNCC_API xncc_status xncc_plan_correlate_parts(xncc_plan *plan, const xncc_image *image,
                                               size_t count, const xncc_template *templ,
                                               const xncc_map *map, const xncc_stream *stream,
                                               xncc_error *error);

/* xncc_plan_find for an image in parts. It returns when the matches are complete.
 *
 * - image, count, stream: as for xncc_plan_correlate_parts.
 * - peaks, match, capacity, found: as for xncc_plan_find. The positions are those in the whole
 *   image.
 *
 * Returns XNCC_OK, XNCC_ERROR_ARGUMENT, XNCC_ERROR_MEMORY (also if a part would have to list more
 * than 2^31 candidates; then ask for fewer matches or for a smaller minimum distance) or
 * XNCC_ERROR_DEVICE. */
XNCC_API xncc_status xncc_plan_find_parts(xncc_plan *plan, const xncc_image *image, size_t count,
                                          const xncc_template *templ, const xncc_peak_rule *peaks,
                                          xncc_match *match, size_t capacity, size_t *found,
                                          const xncc_stream *stream, xncc_error *error);

#ifdef __cplusplus
}
#endif
#endif
