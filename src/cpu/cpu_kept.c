/* SPDX-License-Identifier: BSD-2-Clause */
/* A short list of pieces, guarded by a mutex (cpu_kept.h). */
#include "cpu/cpu_kept.h"

#include "base/memory.h"

#include <stddef.h>

/* Stands before a piece. */
struct xncc_kept_piece {
    xncc_kept_piece *next; /* an older one */
    uint64_t bytes;
};
enum { HEADER = 64 };
_Static_assert(sizeof(xncc_kept_piece) <= HEADER, "the memory after the header is aligned");

void xncc_kept_init(xncc_kept *kept)
{
    *kept = (xncc_kept){ .first = NULL };
    pthread_mutex_init(&kept->mutex, NULL);
}

static void free_list(xncc_kept_piece *piece)
{
    while (piece) {
        xncc_kept_piece *next = piece->next;
        xncc_free(piece);
        piece = next;
    }
}

void xncc_kept_clear(xncc_kept *kept)
{
    pthread_mutex_lock(&kept->mutex);
    xncc_kept_piece *all = kept->first;
    kept->first = NULL;
    kept->count = 0;
    kept->bytes = 0;
    pthread_mutex_unlock(&kept->mutex);
    free_list(all);
}

void xncc_kept_destroy(xncc_kept *kept)
{
    xncc_kept_clear(kept);
    pthread_mutex_destroy(&kept->mutex);
}

/* Takes the smallest piece that is large enough out of the list, but none that would waste more
 * than half of it. Returns NULL if there is none. */
static xncc_kept_piece *find_piece(xncc_kept *kept, uint64_t bytes)
{
    xncc_kept_piece **best = NULL;
    for (xncc_kept_piece **at = &kept->first; *at; at = &(*at)->next)
        if ((*at)->bytes >= bytes && (*at)->bytes / 2 <= bytes &&
            (!best || (*at)->bytes < (*best)->bytes))
            best = at;
    if (!best)
        return NULL;
    xncc_kept_piece *piece = *best;
    *best = piece->next;
    kept->count--;
    kept->bytes -= piece->bytes;
    return piece;
}

void *xncc_kept_take(xncc_kept *kept, uint64_t bytes)
{
    pthread_mutex_lock(&kept->mutex);
    xncc_kept_piece *piece = find_piece(kept, bytes);
    pthread_mutex_unlock(&kept->mutex);
    if (piece && xncc_alloc_must_fail()) {
        xncc_kept_give(kept, (char *)piece + HEADER);
        return NULL;
    }
    if (!piece) {
        piece = bytes > UINT64_MAX - HEADER ? NULL : xncc_alloc(bytes + HEADER, 1);
        if (!piece)
            return NULL;
        piece->bytes = bytes;
    }
    return (char *)piece + HEADER;
}

/* Cuts the list where it exceeds the limits. Returns what was cut off. */
static xncc_kept_piece *cut(xncc_kept *kept)
{
    xncc_kept_piece **at = &kept->first;
    int32_t count = 0;
    uint64_t bytes = 0;
    while (*at && count < XNCC_KEPT_PIECES && bytes + (*at)->bytes <= XNCC_KEPT_BYTES) {
        count++;
        bytes += (*at)->bytes;
        at = &(*at)->next;
    }
    xncc_kept_piece *rest = *at;
    *at = NULL;
    kept->count = count;
    kept->bytes = bytes;
    return rest;
}

void xncc_kept_give(xncc_kept *kept, void *memory)
{
    if (!memory)
        return;
    xncc_kept_piece *piece = (void *)((char *)memory - HEADER), *rest = NULL;
    pthread_mutex_lock(&kept->mutex);
    piece->next = kept->first;
    kept->first = piece;
    kept->count++;
    kept->bytes += piece->bytes;
    if (kept->count > XNCC_KEPT_PIECES || kept->bytes > XNCC_KEPT_BYTES)
        rest = cut(kept);
    pthread_mutex_unlock(&kept->mutex);
    free_list(rest);
}
