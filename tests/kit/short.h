/* SPDX-License-Identifier: BSD-2-Clause */
/* Short forms of the library's calls, for tests that make very many of them. Their options are flat
 * structs in which 0 means the default, and what a method does not use is ignored. The text of
 * a failure is left in kit_error. Options that are NULL are passed on as NULL. */
#ifndef KIT_SHORT_H
#define KIT_SHORT_H

#include "exactncc/exactncc.h"

/* The text of the last failure of a call of this thread that was given it. A variable of the thread
 * itself is behind a function: where gcc 12 checks that the address of one of another file is not
 * NULL (-O1, undefined-behaviour sanitizer), the linker drops the comparison. */
xncc_error *kit_error_of_thread(void);
#define kit_error (*kit_error_of_thread())

typedef struct kit_options {
    xncc_method method;
    xncc_mode mode;
    xncc_border border;
    xncc_flat flat;
    double min_valid; /* 0: 0.5; KIT_NONE_VALID: 0 */
    const char *kernel;
} kit_options;

#define KIT_NONE_VALID (-1.0)

typedef struct kit_find_options {
    xncc_method method;
    xncc_mode mode;
    xncc_border border;
    double min_valid; /* as above */
    const char *kernel;
    size_t top;           /* 0: all */
    float min_score;      /* for methods where large is good */
    float max_score;      /* for the others; 0: no limit */
    int32_t min_distance; /* 0: XNCC_AUTO */
} kit_find_options;

typedef struct kit_filter_options {
    int32_t correlate, anchored, anchor_x, anchor_y; /* anchored 0: the middle */
} kit_filter_options;

typedef struct kit_convolve_options {
    xncc_border border;
    const char *kernel;
} kit_convolve_options;

typedef struct kit_suppress_options {
    xncc_method method;
    xncc_suppress_kind kind;
    double limit;
    size_t top; /* 0: all */
} kit_suppress_options;

typedef struct kit_batch_options {
    const kit_find_options *find;
    const kit_suppress_options *suppress;
    size_t capacity;
} kit_batch_options;

/* The problem, with struct sizes, channels and rule.min_valid as in XNCC_PROBLEM_INIT where they
 * are 0. */
xncc_problem kit_problem(xncc_problem problem);

/* The library's forms of the structs. method: says which limit applies. */
xncc_match_rule kit_match_rule(const kit_options *o);
xncc_peak_rule kit_peak_rule(const kit_find_options *o, xncc_method method);
xncc_suppress_rule kit_suppress_rule(const kit_suppress_options *o);

xncc_status kit_correlate(xncc_context *context, const xncc_image *image,
                          const xncc_template *templ, const kit_options *o, const xncc_map *map);
xncc_status kit_find(xncc_context *context, const xncc_image *image, const xncc_template *templ,
                     const kit_find_options *o, xncc_match *match, size_t capacity, size_t *found);
xncc_status kit_refine(xncc_context *context, const xncc_image *image, const xncc_template *templ,
                       const kit_find_options *o, const xncc_match *match, size_t count,
                       xncc_refined *refined);
xncc_status kit_filter_create(xncc_context *context, const float *coefficients, int32_t width,
                              int32_t height, const kit_filter_options *o, xncc_filter **filter);
xncc_status kit_convolve(xncc_context *context, const xncc_image *image, const xncc_filter *filter,
                         const kit_convolve_options *o, const xncc_map *out);

/* With a plan; o->method must be that of its problem. */
xncc_status kit_plan_find(xncc_plan *plan, const xncc_image *image, const xncc_template *templ,
                          const kit_find_options *o, xncc_match *match, size_t capacity,
                          size_t *found, xncc_stream stream);
xncc_status kit_plan_find_on_device(xncc_plan *plan, const xncc_image *image,
                                    const xncc_template *templ, const kit_find_options *o,
                                    xncc_match *match, size_t capacity, uint32_t *found,
                                    xncc_stream stream);
xncc_status kit_scan_create(xncc_plan *plan, const xncc_image *image, const xncc_template *templ,
                            const kit_find_options *o, size_t capacity, xncc_scan **scan);

xncc_status kit_find_batch(xncc_context *context, const xncc_image *image,
                           const xncc_template *const *templ, size_t count,
                           const kit_find_options *o, const kit_suppress_options *suppress,
                           xncc_candidate *match, size_t capacity, size_t *found);
xncc_status kit_batch_create(xncc_context *context, const xncc_problem *problem,
                             const xncc_preference *preference, const xncc_template *const *templ,
                             size_t count, const kit_batch_options *o, xncc_batch **batch);
/* The best of the templates at each position, by a batch of its own. */
xncc_status kit_correlate_best(xncc_context *context, const xncc_image *image,
                               const xncc_template *const *templ, size_t count,
                               const kit_options *o, const xncc_best *best);
/* The matches of each template, by a batch of its own: those of template i begin at match + i *
 * capacity, and found[i] is their number. problem: its template is ignored. o: not NULL. */
xncc_status kit_find_each(xncc_context *context, const xncc_problem *problem,
                          const xncc_image *image, const xncc_template *const *templ, size_t count,
                          const kit_find_options *o, xncc_match *match, size_t capacity,
                          size_t *found);

xncc_status kit_suppress(xncc_candidate *candidate, size_t count, const kit_suppress_options *o,
                         size_t *kept);
xncc_status kit_suppressor_run(xncc_suppressor *suppressor, const kit_suppress_options *o,
                               xncc_candidate *result, size_t capacity, uint32_t *kept,
                               xncc_stream stream);

/* The extents of a map, each in a variable. */
xncc_status kit_map_extent(xncc_mode mode, int32_t image_width, int32_t image_height,
                           int32_t templ_width, int32_t templ_height, int32_t *width,
                           int32_t *height, int32_t *x0, int32_t *y0);

/* The name of a plan's kernel. */
const char *kit_plan_kernel(const xncc_plan *plan);

#endif
