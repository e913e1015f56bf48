/* SPDX-License-Identifier: BSD-2-Clause */
/* The nearest points of a point. */
#ifndef XNCC_TRACK_NEIGHBOURS_H
#define XNCC_TRACK_NEIGHBOURS_H

#include "base/error.h"
#include "exactncc/track.h"

enum { XNCC_MOST_NEIGHBOURS = 64 };

/* The points of a list in square cells. */
typedef struct xncc_neighbours {
    const xncc_displacement *found;
    double x0, y0, side;   /* the first cell's corner, and the side of a cell */
    int64_t across, down;  /* cells */
    size_t *first, *index; /* the points of cell c are index[first[c] .. first[c + 1] - 1] */
} xncc_neighbours;

/* Sorts the points that have a displacement into cells. After a failure, too,
 * xncc_neighbours_free frees the memory. */
xncc_status xncc_neighbours_make(const xncc_displacement *found, size_t count,
                                 xncc_neighbours *neighbours, xncc_error *error);
void xncc_neighbours_free(xncc_neighbours *neighbours);

/* Writes the `most` nearest points of point `at` without it, among those of the cells in whose
 * state none of the bits `without` is set; nearest first, and of equally near ones the first of the
 * list. Returns their number. */
int32_t xncc_neighbours_find(const xncc_neighbours *neighbours, size_t at, uint32_t without,
                             int32_t most, size_t *nearest);

#endif
