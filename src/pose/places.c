/* SPDX-License-Identifier: BSD-2-Clause */
/* A hash table of cells (places.h). */
#include "pose/places.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* A cell's side is SIDES of the distances that are near. So all points near another one lie in two
 * columns and two rows of cells, from the one on that has the point REACH distances before it;
 * SIDES / 2 = REACH > 1 makes up for rounding. */
#define SIDES 2.002
#define REACH 1.001

xncc_status xncc_places_open(xncc_places *places, size_t count, double near, xncc_error *error)
{
    *places = (xncc_places){ .near = near, .per_cell = 1.0 / (SIDES * near), .mask = 63 };
    while (places->mask < count)
        places->mask = 2 * places->mask + 1;
    places->first = xncc_alloc(places->mask + 1 + count, sizeof *places->first);
    if (!places->first)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for %zu places", count);
    places->next = places->first + places->mask + 1;
    return XNCC_OK;
}

void xncc_places_close(xncc_places *places)
{
    xncc_free(places->first);
    *places = (xncc_places){ 0 };
}

void xncc_places_empty(xncc_places *places, double near)
{
    memset(places->first, 0, (places->mask + 1) * sizeof *places->first);
    places->near = near;
    places->per_cell = 1.0 / (SIDES * near);
}

/* The column or row of cells that has a coordinate. */
static int64_t cell_of(const xncc_places *places, double at)
{
    const double cells = at * places->per_cell;
    const int64_t whole = (int64_t)cells;
    return whole - ((double)whole > cells);
}

static size_t chain_of(const xncc_places *places, int64_t i, int64_t j, int32_t kind)
{
    const uint64_t mixed = ((uint64_t)i * UINT64_C(0x9e3779b97f4a7c15)) ^
                           ((uint64_t)j * UINT64_C(0xc2b2ae3d27d4eb4f)) ^
                           ((uint64_t)kind * UINT64_C(0x165667b19e3779f9));
    return (size_t)(mixed >> 20) & places->mask;
}

void xncc_places_put(xncc_places *places, size_t i, double x, double y, int32_t kind)
{
    const size_t chain = chain_of(places, cell_of(places, x), cell_of(places, y), kind);
    places->next[i] = places->first[chain];
    places->first[chain] = (int32_t)i + 1;
}

int xncc_places_near(const xncc_places *places, double x, double y, int32_t kind,
                     int32_t chain[XNCC_PLACES_CHAINS])
{
    const int64_t i = cell_of(places, x - REACH * places->near),
                  j = cell_of(places, y - REACH * places->near);
    int count = 0;
    for (int down = 0; down <= 1; down++)
        for (int right = 0; right <= 1; right++) {
            const int32_t first = places->first[chain_of(places, i + right, j + down, kind)];
            chain[count] = first;
            count += first != 0;
        }
    return count;
}
