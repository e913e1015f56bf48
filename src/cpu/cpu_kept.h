/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that plans leave to later plans of their context. A call that makes a plan of its own
 * would otherwise pay for fresh pages, which under a large template takes longer than the
 * arithmetic. */
#ifndef XNCC_CPU_CPU_KEPT_H
#define XNCC_CPU_CPU_KEPT_H

#include <pthread.h>
#include <stdint.h>

/* The most pieces that are kept, and the most bytes of all of them together. */
enum { XNCC_KEPT_PIECES = 128, XNCC_KEPT_BYTES = 512 << 20 };

typedef struct xncc_kept_piece xncc_kept_piece;

typedef struct xncc_kept {
    pthread_mutex_t mutex;
    xncc_kept_piece *first; /* the newest */
    int32_t count;
    uint64_t bytes; /* of all pieces */
} xncc_kept;

void xncc_kept_init(xncc_kept *kept);

/* Frees all pieces. Any thread may call it. */
void xncc_kept_clear(xncc_kept *kept);

/* Frees all pieces and ends the list. */
void xncc_kept_destroy(xncc_kept *kept);

/* Returns at least `bytes` bytes, aligned to 64 bytes, that hold anything; NULL if there is no
 * memory. It counts as a request to xncc_alloc, of which tests make each fail. Any thread may call
 * it. */
void *xncc_kept_take(xncc_kept *kept, uint64_t bytes);

/* Keeps memory of xncc_kept_take, and frees the oldest pieces beyond the limits. NULL is allowed.
 * Any thread may call it. */
void xncc_kept_give(xncc_kept *kept, void *memory);

#endif
