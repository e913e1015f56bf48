/* SPDX-License-Identifier: BSD-2-Clause */
/* An engine of the tests in the place of the GPU's. Its memory faults when the processor reads it,
 * so only what fetch copies can be used. It computes nothing: it notes what it is asked to do. */
#ifndef UNIT_FAR_ENGINE_H
#define UNIT_FAR_ENGINE_H

#include "kit/pixels.h"

#include "api/objects.h"
#include "engine/batch_ops.h"

/* What the engine was asked to do last, and what it answers. */
typedef struct far_notes {
    int present;   /* 1: decisions see an H200, and plans may be bound to it */
    int fails_at;  /* the fetch that fails, from 1; 0: none */
    int runs_fail; /* 1: every run and every operation fails */
    int fetches;   /* since the beginning */
    long prepared; /* templates and filters that were prepared and not released */
    long plans;    /* plans that were bound and not unbound */
    long works;    /* suppressors and batches that were opened and not closed */
    xncc_stream stream;
    xncc_search_rule rule;
    xncc_peak_target target;
    const xncc_image *image;
    const xncc_map *map;
    uint32_t count; /* candidates that were added */
    xncc_candidate form;
    xncc_suppress_target suppress;
} far_notes;

extern far_notes far;

/* Puts the engine beside the CPU's into a context. The context owns nothing of it. */
void far_attach(xncc_context *context);

/* A copy of a view and its mask in the engine's memory, until far_reset. */
xncc_image far_image(const xncc_image *host);
void far_reset(void);

#endif
