/* exactncc: matching in one call: a map of scores, or the best matches.
 * SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXACTNCC_FIND_H
#define EXACTNCC_FIND_H

#include "rules.h"
#include "template.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options of xncc_correlate. */
typedef struct xncc_correlate_options {
    uint32_t size; /* sizeof(xncc_correlate_options) */
    xncc_match_rule rule;
    /* The name of the kernel to use (docs/guide.md lists them), or the beginning of several names
     * up to a hyphen; or a list of these with commas between and no blanks, such as
     * "shared,tex-tex", of which the first that can serve the request is used; NULL: the fastest.
     * If none can, the call fails with XNCC_ERROR_UNSUPPORTED and the error text names the limits.
     * A name that no kernel has is XNCC_ERROR_ARGUMENT. */
    const char *kernel;
} xncc_correlate_options;

/* The rule XNCC_MATCH_RULE_INIT and the fastest kernel. */
#define XNCC_CORRELATE_OPTIONS_INIT                                                                \
    {                                                                                              \
        sizeof(xncc_correlate_options), XNCC_MATCH_RULE_INIT, NULL                                 \
    }

/* Options of xncc_find. */
typedef struct xncc_find_options {
    uint32_t size; /* sizeof(xncc_find_options) */
    xncc_match_rule rule;
    xncc_peak_rule peaks;
    const char *kernel; /* as in xncc_correlate_options */
} xncc_find_options;

/* The rules XNCC_MATCH_RULE_INIT and XNCC_PEAK_RULE_INIT, and the fastest kernel. */
#define XNCC_FIND_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(xncc_find_options), XNCC_MATCH_RULE_INIT, XNCC_PEAK_RULE_INIT, NULL                 \
    }

/* Computes the score of every window of an image.
 *
 * - context: the engines to use. It must be the context of the template.
 * - image: in host or device memory, with the pixel type and the channels of the template.
 * - options: NULL means XNCC_CORRELATE_OPTIONS_INIT.
 * - map: receives the scores. In host or device memory, independently of the image. Its extents
 *   must be those of the mode (xncc_map_measure).
 *
 * Device memory requires a context with a CUDA device. The call returns when the map is complete.
 * It allocates its workspace and frees it again; xncc_plan_correlate keeps it between calls.
 *
 * Returns XNCC_OK, XNCC_ERROR_ARGUMENT, XNCC_ERROR_MEMORY, XNCC_ERROR_UNSUPPORTED (a kernel that
 * cannot serve the request) or XNCC_ERROR_DEVICE. After a failure the content of the map is
 * undefined. Several threads may call it at once with one context. */
XNCC_API xncc_status xncc_correlate(xncc_context *context, const xncc_image *image,
                                    const xncc_template *templ,
                                    const xncc_correlate_options *options, const xncc_map *map,
                                    xncc_error *error);

/* Finds the best matches of a template in an image, best first.
 *
 * - context, image, templ: as for xncc_correlate.
 * - options: NULL means XNCC_FIND_OPTIONS_INIT.
 * - match: receives at most `capacity` matches; in host memory. May be NULL if capacity is 0.
 * - found: receives the number of matches. 0 is a success: no position met the limits. 0 after a
 *   failure.
 *
 * Flat windows score as options->rule.flat says: with XNCC_FLAT_NAN they are never a match.
 *
 * Statuses, memory and threads as for xncc_correlate. */
XNCC_API xncc_status xncc_find(xncc_context *context, const xncc_image *image,
                               const xncc_template *templ, const xncc_find_options *options,
                               xncc_match *match, size_t capacity, size_t *found,
                               xncc_error *error);

#ifdef __cplusplus
}
#endif
#endif
