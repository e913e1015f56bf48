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
 * Nothing is copied between devices or to the host. The results are those of the whole image, bit
 * for bit.
 *
 * - Make a context with the devices (cuda_list), and a plan for the whole image with `parts` in the
 *   preference, and with image_memory and map_memory if they are in device memory. The mode is
 *   XNCC_VALID. For other modes, store the pixels that the border adds around the image.
 * - Ask for each part with xncc_plan_part, and put its rows on its device.
 * - Call xncc_plan_correlate_parts and xncc_plan_find_parts.
 *
 * With one part the calls serve every context, and the part is the whole image. A device that fails
 * ends the call, since no other device holds its part. If the context does not use it any more
 * (strict of xncc_context_options), make another context. */
typedef struct xncc_part {
    uint32_t size;        /* sizeof(xncc_part), set by the caller */
    int32_t device;       /* which device of the context has it: an index of cuda_list, from 0 */
    int32_t map_y;        /* the first row of the map, */
    int32_t map_height;   /* and the number of rows */
    int32_t image_y;      /* the first row of the image, */
    int32_t image_height; /* and the number of rows: those of its windows, and for searches one more
                             where another part follows */
} xncc_part;

#define XNCC_PART_INIT                                                                             \
    {                                                                                              \
        sizeof(xncc_part), 0, 0, 0, 0, 0                                                           \
    }

/* Describes a part of the images and maps of a plan.
 *
 * - number: 0 .. devices - 1; xncc_plan_info has `devices`. That is what the preference asked for,
 *   or fewer if the map has few rows, or 1 if the plan is not on the CUDA engine.
 * - part: receives the description. Its member size must be set (XNCC_PART_INIT).
 *
 * Returns XNCC_OK, or XNCC_ERROR_ARGUMENT (also if the plan was made without parts). */
XNCC_API xncc_status xncc_plan_part(const xncc_plan *plan, int32_t number, xncc_part *part,
                                    xncc_error *error);

/* xncc_plan_correlate for an image and a map in parts.
 *
 * - image: a view per part, of image_height rows and the full width, with the pixel type, channels
 *   and mask that the plan has. A view in device memory is on the device of its part; views in host
 *   memory are copied there.
 * - count: the number of parts.
 * - map: a view per part, of map_height rows and the full width.
 * - stream: a stream per part, of its device; NULL: the default streams.
 *
 * If all views are in device memory, the call returns without waiting; image, template and map must
 * then exist until the streams have executed the work. Otherwise it returns when the map is
 * complete.
 *
 * Returns XNCC_OK, XNCC_ERROR_ARGUMENT, XNCC_ERROR_MEMORY or XNCC_ERROR_DEVICE; the text names the
 * part or the device. */
XNCC_API xncc_status xncc_plan_correlate_parts(xncc_plan *plan, const xncc_image *image,
                                               size_t count, const xncc_template *templ,
                                               const xncc_map *map, const xncc_stream *stream,
                                               xncc_error *error);

/* xncc_plan_find for an image in parts. It returns when the matches are complete.
 *
 * - image, count, stream: as above.
 * - peaks, match, capacity, found: as for xncc_plan_find. The positions are those in the whole
 *   image.
 *
 * Returns XNCC_OK, XNCC_ERROR_ARGUMENT, XNCC_ERROR_MEMORY (also for so many matches, so close to
 * each other, that a part cannot list its candidates) or XNCC_ERROR_DEVICE. */
XNCC_API xncc_status xncc_plan_find_parts(xncc_plan *plan, const xncc_image *image, size_t count,
                                          const xncc_template *templ, const xncc_peak_rule *peaks,
                                          xncc_match *match, size_t capacity, size_t *found,
                                          const xncc_stream *stream, xncc_error *error);

#ifdef __cplusplus
}
#endif
#endif
