/* SPDX-License-Identifier: BSD-2-Clause */
/* Points by their place, in square cells, so that those near a point are found without a look at
 * all. */
#ifndef XNCC_POSE_PLACES_H
#define XNCC_POSE_PLACES_H

#include "exactncc/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct xncc_places {
    double near;           /* the distance on each axis within which points are near */
    double per_cell;       /* 1 / the side of a cell */
    size_t mask;           /* 2^k - 1; there are 2^k chains */
    int32_t *first, *next; /* of a chain; one more than a point's number, 0 at the end */
} xncc_places;

/* Makes room for points 0 .. count - 1, of which none is there yet. xncc_places_close must follow
 * in any case. Returns XNCC_OK or XNCC_ERROR_MEMORY. */
xncc_status xncc_places_open(xncc_places *places, size_t count, double near, xncc_error *error);
void xncc_places_close(xncc_places *places);

/* Takes all points out and changes the distance. */
void xncc_places_empty(xncc_places *places, double near);

/* Puts point i at (x, y). kind: any number; points of other kinds are found only by chance. */
void xncc_places_put(xncc_places *places, size_t i, double x, double y, int32_t kind);

enum { XNCC_PLACES_CHAINS = 4 };

/* Finds the chains that together have all points of a kind near (x, y), and others, perhaps twice.
 * Of each that is not empty it writes the first point's number plus 1; the one after p is
 * places->next[p - 1]. Returns how many it has written. */
int xncc_places_near(const xncc_places *places, double x, double y, int32_t kind,
                     int32_t chain[XNCC_PLACES_CHAINS]);

#endif
