/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/room.h"

#include "base/memory.h"

void *xncc_room_take(xncc_room *room, uint64_t count, uint64_t size)
{
    uint64_t bytes;
    if (!xncc_mul_u64(count, size, &bytes))
        return NULL;
    if (bytes > room->bytes) {
        xncc_free(room->memory);
        room->memory = xncc_alloc(bytes, 1);
        room->bytes = room->memory ? bytes : 0;
    }
    return room->memory;
}
