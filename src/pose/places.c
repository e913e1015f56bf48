/* SPDX-License-Identifier: BSD-2-Clause */
/* A hash table of cells (places.h). */
#include "pose/places.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

xncc_status xncc_places_open(xncc_places *places, size_t count, double cell, xncc_error *error)
{
    *places = (xncc_places){ .cell = cell, .mask = 63 };
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

void xncc_places_empty(xncc_places *places, double cell)
{
    memset(places->first, 0, (places->mask + 1) * sizeof *places->first);
    places->cell = cell;
}

/* The column or row of cells that has a coordinate. */
static int64_t cell_of(const xncc_places *places, double at)
{
    const double cells = at / places->cell;
    const int64_t whole = (int64_t)cells;
    return whole - ((double)whole > cells);
}

static size_t chain_of(const xncc_places *places, int64_t i, int64_t j)
{
    const uint64_t mixed = ((uint64_t)i * UINT64_C(0x9e3779b97f4a7c15)) ^
                           ((uint64_t)j * UINT64_C(0xc2b2ae3d27d4eb4f));
    return (size_t)(mixed >> 20) & places->mask;
}

void xncc_places_put(xncc_places *places, size_t i, double x, double y)
{
    const size_t chain = chain_of(places, cell_of(places, x), cell_of(places, y));
    places->next[i] = places->first[chain];
    places->first[chain] = (int32_t)i + 1;
}

int xncc_places_near(const xncc_places *places, double x, double y,
                     int32_t chain[XNCC_PLACES_CHAINS])
{
    const int64_t i = cell_of(places, x), j = cell_of(places, y);
    int count = 0;
    for (int64_t down = -1; down <= 1; down++)
        for (int64_t right = -1; right <= 1; right++) {
            const int32_t first = places->first[chain_of(places, i + right, j + down)];
            chain[count] = first;
            count += first != 0;
        }
    return count;
}
