/* SPDX-License-Identifier: BSD-2-Clause */
/* The accepted matches of a search by where they are: a hash table of square cells, as wide as
 * matches must be apart, with at most one match per cell. */
#ifndef XNCC_PEAKS_CELLS_H
#define XNCC_PEAKS_CELLS_H

#include "base/error.h"
#include "exactncc/find.h"

#include <stdint.h>

/* Open addressing, at most half full. */
typedef struct xncc_cells {
    uint64_t mask;  /* number of slots - 1; the number is a power of two */
    uint32_t *slot; /* index in match + 1; 0: empty */
    const xncc_match *match;
    int32_t side;
} xncc_cells;

/* Makes a table for up to `most` elements of match, which must be at least `side` apart. Returns
 * XNCC_OK or XNCC_ERROR_MEMORY. */
xncc_status xncc_cells_make(xncc_cells *cells, uint64_t most, const xncc_match *match, int32_t side,
                            xncc_error *error);
void xncc_cells_free(xncc_cells *cells);

/* Returns 1 if an accepted match is closer than the minimum distance to the candidate. */
int xncc_cells_is_close(const xncc_cells *c, const xncc_match *candidate);

/* Accepts match[index], unless an accepted one is too close to it. Returns 1 if it was accepted. */
int xncc_cells_accept(xncc_cells *cells, uint64_t index);

#endif
