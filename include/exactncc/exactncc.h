/* exactncc: finds templates in images by normalized cross-correlation. SPDX-License-Identifier:
 * BSD-2-Clause
 *
 * A tour, in the order of use:
 *   context.h    a context: which engines (CPU, CUDA) and how many threads; the text of the last
 * error image.h     borrowed views of your pixels and of the maps that the library writes
 *   template.h  templates, prepared once; the methods, each by its formula; what is exact
 *   find.h      one call: a map of scores (xncc_correlate), or the best matches (xncc_find)
 *   refine.h    the positions of matches to fractions of a pixel
 *   nms.h     one list of the matches of several templates
 *   convolve.h  convolution and plain correlation with float coefficients
 *   plan.h      the same as plans, for many images, device memory and your own CUDA stream
 *   batch.h      many templates of any sizes at once: their matches, or the best of them at each
 * position scan.h      finding in an image while its rows still arrive status.h    statuses and the
 * version
 *
 * Conventions. x runs right, y down, both from 0. Extents are in pixels, pitches in bytes. A
 * position is the top-left pixel of a window. Options structs may be NULL and mean the defaults
 * where they are zero. Every call that can fail returns a xncc_status and writes results through
 * pointers; after a failure xncc_context_error has a line of text. The library prints nothing,
 * never exits, reads no environment variable, and keeps nothing outside its objects but the
 * bookkeeping of each GPU's constant memory and, once a plan wanted it, the loaded cuFFT library.
 *
 *     xncc_context *context = NULL;   xncc_context_create(NULL, &context);
 *     xncc_template *part = NULL;   xncc_template_create(context, &templ_pixels, &part);
 *     xncc_match match[16];   size_t found = 0;
 *     xncc_find(context, &scene, part, &(xncc_find_options){ .min_score = 0.8f }, match, 16,
 * &found);
 */
#ifndef EXACTNCC_H
#define EXACTNCC_H

#include "convolve.h"
#include "context.h"
#include "find.h"
#include "image.h"
#include "batch.h"
#include "merge.h"
#include "plan.h"
#include "refine.h"
#include "scan.h"
#include "status.h"
#include "template.h"

#endif
