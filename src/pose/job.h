/* SPDX-License-Identifier: BSD-2-Clause */
/* A search for poses: what its parts share, and the list of its hits. */
#ifndef XNCC_POSE_JOB_H
#define XNCC_POSE_JOB_H

#include "api/objects.h"
#include "base/pool.h"
#include "cpu/cpu_kept.h"
#include "pose/frames.h"
#include "pose/probe.h"

/* The limits that pose.h states: matches per pose, and matches in all. */
enum { XNCC_POSE_PEAKS = 4096, XNCC_MOST_HITS = 1 << 17 };

/* A growing list that keeps the best XNCC_MOST_HITS. */
typedef struct xncc_pose_hits {
    xncc_pose_hit *hit;
    size_t count, room;
} xncc_pose_hits;

typedef struct xncc_pose_job {
    xncc_context *context;
    xncc_watch watch;        /* of the call */
    const xncc_image *image; /* where the search takes it from */
    const xncc_pose_options *options;
    const xncc_pose_subject *subject; /* `count` templates with their grids */
    size_t count;
    xncc_pool *pool;
    xncc_kept *kept; /* memory for images, of the CPU engine */
    int probes;      /* 1: probes can score the image */
    size_t peaks;    /* most matches per pose */
    int32_t apart;   /* their minimum distance, as in xncc_peak_rule */
    int helped;      /* 1: the host's CPU may search, also if the context has none */
    xncc_pose_hits hits;
} xncc_pose_job;

/* The pixels of a template, to be turned. */
xncc_pose_source xncc_pose_source_of(const xncc_template *templ, xncc_support support);

/* Adds a hit. Returns XNCC_OK or XNCC_ERROR_MEMORY. */
xncc_status xncc_pose_hits_add(xncc_pose_hits *hits, const xncc_pose_hit *hit, xncc_error *error);

/* Orders the hits and drops those beyond XNCC_MOST_HITS. */
void xncc_pose_hits_settle(xncc_pose_hits *hits);

/* Makes a library template of a pose for xncc_batch_create_once, by xncc_template_make, whose
 * statuses it returns. *pixels is changed. */
xncc_status xncc_pose_template_make(xncc_context *context, const xncc_pose_source *source,
                                    xncc_pose_pixels *pixels, xncc_template **templ,
                                    xncc_error *error);

#endif
