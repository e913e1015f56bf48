/* exactncc: exact template matching by normalized cross-correlation (NCC). SPDX-License-Identifier:
 * BSD-2-Clause
 *
 * The headers, in the order of use:
 *
 *     context.h   contexts: engines (CPU, CUDA), threads, and the text of the last error
 *     image.h     borrowed views of images and of the maps that the library writes
 *     template.h  templates; the methods and their formulas; what is exact
 *     find.h      one call: a map of scores (xncc_correlate) or the best matches (xncc_find)
 *     refine.h    positions of matches to fractions of a pixel
 *     merge.h     one list of the matches of several templates
 *     convolve.h  convolution and plain correlation with float coefficients
 *     plan.h      plans: the same for many images, device memory and a CUDA stream of the caller
 *     batch.h     several templates of any sizes: their matches, or the best one at each position
 *     scan.h      search of an image whose rows are still arriving
 *     status.h    status codes and the version
 *
 * Conventions:
 *
 * - x points right and y down, both from 0. Extents are in pixels, pitches in bytes.
 * - A position is the top-left pixel of a window.
 * - A pointer to options may be NULL, which means all zero. The defaults are the zeros.
 * - Every call that can fail returns an xncc_status and writes its results through pointers. After
 *   a failure xncc_context_error has a line of text, unless the call had no context.
 * - The destroy functions accept NULL. Other calls do not accept null pointers unless they say so;
 *   those that return a status check them.
 * - The library prints nothing, never exits, and reads no environment variable. Outside of its
 *   objects it keeps only the state of the constant memory of each GPU and, once a plan has needed
 *   it, the loaded cuFFT library.
 *
 * An example:
 *
 *     xncc_context *context = NULL;
 *     xncc_template *templ = NULL;
 *     xncc_match match[16];
 *     size_t found = 0;
 *     xncc_context_create(NULL, &context);
 *     xncc_template_create(context, &template_pixels, &templ);
 *     xncc_find(context, &scene, templ, &(xncc_find_options){ .min_score = 0.8f }, match, 16,
 *               &found); */
#ifndef EXACTNCC_H
#define EXACTNCC_H

#include "batch.h"
#include "context.h"
#include "convolve.h"
#include "find.h"
#include "image.h"
#include "merge.h"
#include "plan.h"
#include "refine.h"
#include "scan.h"
#include "status.h"
#include "template.h"

#endif
