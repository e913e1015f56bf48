/* SPDX-License-Identifier: BSD-2-Clause */
/* The chain of a TIFF's pages. */
#include "tiff_pages.h"

#include <stdlib.h>

enum { FIRST_ROOM = 16, MOST_PAGES = 1 << 24 };

/* Reads an unsigned number of 2, 4 or 8 bytes at a position. */
static int number_at(tiff_pages *p, uint64_t position, unsigned bytes, uint64_t *value)
{
    uint8_t b[8];
    if (!app_input_seek(p->input, position) || app_input_read(p->input, b, bytes) != bytes)
        return 0;
    *value = 0;
    for (unsigned i = 0; i < bytes; i++)
        *value = *value << 8 | b[p->big_endian ? i : bytes - 1 - i];
    return 1;
}

/* The place of a directory in the hash table: its own, or an empty one. */
static uint32_t place_of(const tiff_pages *p, uint64_t directory)
{
    const uint32_t places = 2 * p->room;
    uint32_t place = (uint32_t)((directory * 0x9e3779b97f4a7c15u) >> 33) & (places - 1);
    while (p->seen[place] && p->seen[place] != directory)
        place = (place + 1) & (places - 1);
    return place;
}

static int grow(tiff_pages *p)
{
    const uint32_t room = p->room ? 2 * p->room : FIRST_ROOM;
    uint64_t *at = realloc(p->at, room * sizeof *at),
             *seen = calloc(2 * (size_t)room, sizeof *seen);
    if (at)
        p->at = at;
    if (!at || !seen) {
        free(seen);
        return 0;
    }
    free(p->seen);
    p->seen = seen;
    p->room = room;
    for (uint32_t i = 0; i < p->count; i++)
        p->seen[place_of(p, p->at[i])] = p->at[i];
    return 1;
}

xncc_status tiff_pages_open(app_input *input, tiff_pages *p, app_error *error)
{
    uint8_t head[4];
    uint64_t rest = 0;
    *p = (tiff_pages){ .input = input };
    int ok = app_input_seek(input, 0) && app_input_read(input, head, 4) == 4;
    if (ok) {
        p->big_endian = head[0] == 'M';
        p->big = head[p->big_endian ? 3 : 2] == 43;
        ok = p->big ? number_at(p, 4, 4, &rest) && number_at(p, 8, 8, &p->next)
                    : number_at(p, 4, 4, &p->next);
    }
    if (!ok)
        return app_fail(error, XNCC_ERROR_UNSUPPORTED, "cannot be read: its header: %s",
                        app_input_reason(input));
    if (p->big && rest != (p->big_endian ? 0x00080000u : 8u))
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "cannot be read: its BigTIFF header is damaged");
    return XNCC_OK;
}

void tiff_pages_close(tiff_pages *p)
{
    free(p->at);
    free(p->seen);
    *p = (tiff_pages){ .input = NULL };
}

/* Bytes of the number of entries, of an entry, and of an offset. */
static unsigned count_bytes(const tiff_pages *p)
{
    return p->big ? 8 : 2;
}

static unsigned entry_bytes(const tiff_pages *p)
{
    return p->big ? 20 : 12;
}

/* Adds the next directory, and finds where the one after it begins. A directory at the very end of
 * a file may lack that number: then it is the last, as for libtiff. */
static xncc_status take_next(tiff_pages *p, app_error *error)
{
    uint64_t entries, end;
    const uint64_t size = app_input_size(p->input), directory = p->next;
    if (p->count == p->room && (p->count >= MOST_PAGES || !grow(p)))
        return app_fail(error, XNCC_ERROR_MEMORY, "out of memory for a list of %u pages", p->count);
    const uint32_t place = place_of(p, directory);
    if (p->seen[place])
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "the chain of pages leads back to an earlier page; the file is damaged");
    if (!number_at(p, directory, count_bytes(p), &entries) ||
        __builtin_mul_overflow(entries, (uint64_t)entry_bytes(p), &end) ||
        __builtin_add_overflow(end, directory + count_bytes(p), &end) || end > size)
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "its directory at byte %llu is not completely in the file; the file is "
                        "damaged",
                        (unsigned long long)directory);
    if (!number_at(p, end, p->big ? 8 : 4, &p->next))
        p->next = 0;
    p->seen[place] = directory;
    p->at[p->count++] = directory;
    return XNCC_OK;
}

xncc_status tiff_pages_find(tiff_pages *p, uint32_t most, app_error *error)
{
    xncc_status status = XNCC_OK;
    while (p->count < most && p->next && !status)
        status = take_next(p, error);
    return status;
}

int tiff_pages_short(tiff_pages *p, uint32_t page, uint16_t tag)
{
    enum { SHORT = 3 };
    const unsigned size = entry_bytes(p);
    uint64_t entries, number, type, count, value, entry = p->at[page] + count_bytes(p);
    if (!number_at(p, p->at[page], count_bytes(p), &entries))
        return -1;
    for (; entries > 0 && number_at(p, entry, 2, &number); entries--, entry += size)
        if (number == tag && number_at(p, entry + 2, 2, &type) && type == SHORT &&
            number_at(p, entry + 4, p->big ? 8 : 4, &count) && count == 1 &&
            number_at(p, entry + size - (p->big ? 8 : 4), 2, &value))
            return (int)value;
    return -1;
}
