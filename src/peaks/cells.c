/* SPDX-License-Identifier: BSD-2-Clause */
/* The accepted matches of a search by where they are. */
#include "peaks/cells.h"

#include "base/memory.h"

#include <stdlib.h>

xncc_status xncc_cells_make(xncc_cells *c, uint64_t most, const xncc_match *match, int32_t side,
                            xncc_error *error)
{
    uint64_t size = 16;
    while (size < 2 * most)
        size *= 2;
    *c = (xncc_cells){ size - 1, xncc_alloc(size, sizeof *c->slot), match, side };
    return c->slot
               ? XNCC_OK
               : xncc_fail(error, XNCC_ERROR_MEMORY, "no memory to choose among %llu candidates",
                           (unsigned long long)most);
}

void xncc_cells_free(xncc_cells *c)
{
    xncc_free(c->slot);
}

/* The slot of a cell, or the empty slot where it belongs. */
static uint64_t slot_of(const xncc_cells *c, int32_t cx, int32_t cy)
{
    uint64_t h = ((uint64_t)(uint32_t)cx * UINT64_C(0x9e3779b97f4a7c15)) ^
                 ((uint64_t)(uint32_t)cy * UINT64_C(0xc2b2ae3d27d4eb4f));
    h ^= h >> 29;
    while (c->slot[h & c->mask] != 0) {
        const xncc_match *m = &c->match[c->slot[h & c->mask] - 1];
        if (m->x / c->side == cx && m->y / c->side == cy)
            break;
        h++;
    }
    return h & c->mask;
}

int xncc_cells_is_close(const xncc_cells *c, const xncc_match *candidate)
{
    int32_t cx = candidate->x / c->side, cy = candidate->y / c->side;
    for (int32_t y = cy - 1; y <= cy + 1; y++)
        for (int32_t x = cx - 1; x <= cx + 1; x++) {
            uint32_t taken = c->slot[slot_of(c, x, y)];
            if (taken == 0)
                continue;
            const xncc_match *m = &c->match[taken - 1];
            if (abs(m->x - candidate->x) < c->side && abs(m->y - candidate->y) < c->side)
                return 1;
        }
    return 0;
}

int xncc_cells_accept(xncc_cells *c, uint64_t index)
{
    const xncc_match *candidate = &c->match[index];
    if (xncc_cells_is_close(c, candidate))
        return 0;
    c->slot[slot_of(c, candidate->x / c->side, candidate->y / c->side)] = (uint32_t)index + 1;
    return 1;
}
