/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that grows. */
#ifndef XNCC_BASE_ROOM_H
#define XNCC_BASE_ROOM_H

#include <stdint.h>

/* Memory that is replaced by larger memory when more is needed. All zero: none yet. The owner frees
 * it. */
typedef struct xncc_room {
    void *memory;
    uint64_t bytes;
} xncc_room;

/* Returns memory of at least count * size bytes, which must be more than 0, with any contents; NULL
 * if there is none. */
void *xncc_room_take(xncc_room *room, uint64_t count, uint64_t size);

#endif
