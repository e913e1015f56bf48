/* SPDX-License-Identifier: BSD-2-Clause */
/* A hash table of cells (places.h). */
#include "pose/places.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
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

static size_t chain_of(const xncc_places *places, double x, double y, int right, int down)
{
    const int64_t i = (int64_t)floor(x / places->cell) + right,
                  j = (int64_t)floor(y / places->cell) + down;
    const uint64_t mixed = ((uint64_t)i * UINT64_C(0x9e3779b97f4a7c15)) ^
                           ((uint64_t)j * UINT64_C(0xc2b2ae3d27d4eb4f));
    return (size_t)(mixed >> 20) & places->mask;
}

void xncc_places_put(xncc_places *places, size_t i, double x, double y)
{
    const size_t chain = chain_of(places, x, y, 0, 0);
    places->next[i] = places->first[chain];
    places->first[chain] = (int32_t)i + 1;
}

int32_t xncc_places_near(const xncc_places *places, double x, double y, int part)
{
    return places->first[chain_of(places, x, y, part % 3 - 1, part / 3 - 1)];
}
