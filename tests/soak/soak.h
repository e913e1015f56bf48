/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of the soak test. Any number of threads may make them at once, each with a room of its
 * own. What a call returns depends on its number alone, not on the context. */
#ifndef SOAK_SOAK_H
#define SOAK_SOAK_H

#include "exactncc/exactncc.h"

#include <stddef.h>
#include <stdint.h>

/* What a thread works in. */
typedef struct soak_room soak_room;

/* Makes the pictures; once, before the first thread. */
void soak_pictures_make(void);

/* NULL: out of memory. */
soak_room *soak_room_make(void);
void soak_room_free(soak_room *room);

/* The number of calls, the name of one, and whether it needs the CPU engine. */
size_t soak_count(void);
const char *soak_name(size_t call);
int soak_needs_cpu(size_t call);

/* Makes the call. *digest: of all bits that it returned. A failure, also a cancelled call, leaves
 * nothing behind, and its text is in error. */
xncc_status soak_make(size_t call, xncc_context *context, soak_room *room, uint64_t *digest,
                      xncc_error *error);

#endif
