/* SPDX-License-Identifier: BSD-2-Clause */
/* A team: several engines of one kind that share each call. It is an engine itself. It knows
 * nothing of devices but their engines.
 *
 * A call with image and map in host memory is divided as the decision says (plan/spread.h), each
 * part on a thread of its own, and the parts are joined to the bits of one engine. A call with an
 * image or a map in device memory runs on the member that holds it; of several images each member
 * searches those that it holds. Where image and map are in parts (exactncc/parts.h), part i is that
 * of member i.
 *
 * A part is what one member computes of a call: a band of map rows, some templates or some images.
 */
#ifndef XNCC_TEAM_TEAM_H
#define XNCC_TEAM_TEAM_H

#include "engine/engine.h"

/* The size of the name of a member, in bytes. */
enum { XNCC_MEMBER_NAME = 32 };

/* An engine, and what errors call it. */
typedef struct xncc_recruit {
    xncc_engine *engine;
    char name[XNCC_MEMBER_NAME];
} xncc_recruit;

/* What a team is made of. */
typedef struct xncc_team_options {
    xncc_device kind;   /* of all members */
    int strict;         /* 1: a member that fails ends the call; 0: the others do its work */
    double handover_ms; /* what it takes to share a call; XNCC_HANDOVER_MS, or 0 in tests, so that
                           every call is shared */
} xncc_team_options;

/* Waking a thread for each device, and joining their parts. An estimate; on four H200 it was some
 * 0.07 ms for maps in parts (docs/performance.md). */
#define XNCC_HANDOVER_MS 0.1

/* Makes a team of `count` members, at least 1. On success the team owns their engines and destroys
 * them with it; after a failure the caller still does. Returns XNCC_OK or XNCC_ERROR_MEMORY. */
xncc_status xncc_team_create(const xncc_recruit *recruit, int32_t count,
                             const xncc_team_options *options, xncc_engine **engine,
                             xncc_error *error);

#endif
