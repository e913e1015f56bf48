/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls that the tests of cancelling run, and the problems that they run them on. */
#ifndef UNIT_CANCEL_H
#define UNIT_CANCEL_H

#include "kit/pixels.h"

enum { CANCEL_TEMPLS = 4, CANCEL_TOP = 20 };

/* A kind of problem. */
typedef struct cancel_case {
    const char *name;
    xncc_pixel pixel;
    int32_t channels, size; /* size: the side of the template or filter */
    int image_masked, templ_masked;
    int convolve;
} cancel_case;

/* A problem with everything that its calls need, and the results of the last call. */
typedef struct cancel_scene {
    xncc_context *context;
    const char *kernel;
    xncc_problem problem;
    kit_image image;
    xncc_template *templ[CANCEL_TEMPLS]; /* of two sizes */
    xncc_filter *filter;
    xncc_plan *plan;
    xncc_batch *batch;
    kit_map map, index;
    xncc_match match[CANCEL_TEMPLS * CANCEL_TOP];
    xncc_candidate candidate[CANCEL_TOP];
    size_t found[CANCEL_TEMPLS];
    xncc_match *position; /* where to refine */
    xncc_refined *refined;
    size_t positions;
} cancel_scene;

/* A public call. */
typedef struct cancel_call {
    const char *name;
    xncc_status (*run)(cancel_scene *scene);
    int convolves, finds;
} cancel_call;

extern const cancel_call cancel_calls[];
extern const size_t cancel_call_count;

const cancel_call *cancel_call_of(const char *name);

/* The problem of a case on images of side x side pixels. */
xncc_problem cancel_problem(const cancel_case *c, int32_t side);

/* Makes a problem with an image of side x side pixels. The same arguments give the same pixels.
 * kernel: NULL means the fastest. */
cancel_scene cancel_scene_make(xncc_context *context, const cancel_case *c, const char *kernel,
                               int32_t side);
void cancel_scene_free(cancel_scene *scene);

/* Returns a hash of all results. */
uint64_t cancel_results(const cancel_scene *scene);
/* Overwrites all results. */
void cancel_forget(cancel_scene *scene);

#endif
