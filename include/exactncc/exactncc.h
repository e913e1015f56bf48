/* exactncc: exact template matching by normalized cross-correlation (NCC). SPDX-License-Identifier:
 * BSD-2-Clause
 *
 * The headers, in the order of use:
 *
 *     status.h    status codes, error texts, the version
 *     context.h   contexts: engines (CPU, CUDA) and threads
 *     image.h     borrowed views of images and of the maps that the library writes
 *     rules.h     methods, modes and borders; which positions are matches; what is exact
 *     template.h  templates
 *     find.h      one call: a map of scores (xncc_correlate) or the best matches (xncc_find)
 *     chance.h    which scores chance explains
 *     refine.h    positions of matches to fractions of a pixel
 *     join.h      one list of the matches of crops of an image
 *     parts.h     images and maps of which each device holds a part
 *     suppress.h  one list of the matches of several templates
 *     pose.h      templates at any rotation and scale
 *     convolve.h  convolution and plain correlation with float coefficients
 *     plan.h      plans: the same for many images, device memory and a CUDA stream of the caller
 *     batch.h     several templates of any sizes: their matches, or the best one at each position
 *     scan.h      search of an image whose rows are still arriving
 *     track.h     where the parts of one image are in another
 *
 * Conventions:
 *
 * - x points right and y down, both from 0. Extents are in pixels, pitches in bytes.
 * - A position is the top-left pixel of a window.
 * - Structs of options, rules, problems, preferences and descriptions (xncc_plan_info and others)
 *   begin with their size. Start from the initializer with the name of the struct and _INIT, which
 *   has the defaults, and change members; a struct that was not initialized is refused. So later
 *   versions can add members (not to xncc_match_rule and xncc_peak_rule, which are parts of
 * others). A pointer to options, a rule or a preference may be NULL, which means the initializer. A
 * 0 that the caller writes is a 0.
 * - Every call that can fail returns an xncc_status and writes its results through pointers. Its
 *   last parameter is NULL or receives the text of the failure.
 * - Calls that search, correlate, convolve or refine, and those that make a batch, can also return
 *   XNCC_ERROR_CANCELLED (xncc_context_cancel). The lists of statuses do not repeat it.
 * - The destroy functions accept NULL. Other calls do not accept null pointers unless they say so;
 *   those that return a status check them.
 * - Calls that return a status compute in the default float environment of IEEE-754, in every
 *   thread, and leave the caller's as it was, flags included. So a program that rounds otherwise,
 *   flushes subnormal numbers to zero (-ffast-math does), or traps exceptions gets the same
 *   results. A function of the program that they call, as xncc_track_source.read, has the
 *   program's environment.
 * - The library prints nothing, never exits, and reads no environment variable. Outside of its
 *   objects it keeps only the state of the constant memory of each GPU and, once a plan has needed
 *   it, the loaded cuFFT library.
 *
 * An example:
 *
 *     xncc_error error;
 *     xncc_context *context = NULL;
 *     xncc_template *templ = NULL;
 *     xncc_find_options options = XNCC_FIND_OPTIONS_INIT;
 *     xncc_match match[16];
 *     size_t found = 0;
 *     options.peaks.min_score = 0.8f;
 *     if (xncc_context_create(NULL, &context, &error) ||
 *         xncc_template_create(context, &template_pixels, &templ, &error) ||
 *         xncc_find(context, &scene, templ, &options, match, 16, &found, &error))
 *         puts(error.text); */
#ifndef EXACTNCC_H
#define EXACTNCC_H

#include "batch.h"
#include "chance.h"
#include "context.h"
#include "convolve.h"
#include "find.h"
#include "image.h"
#include "join.h"
#include "parts.h"
#include "plan.h"
#include "pose.h"
#include "refine.h"
#include "rules.h"
#include "scan.h"
#include "status.h"
#include "suppress.h"
#include "template.h"
#include "track.h"

#endif
