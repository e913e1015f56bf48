/* SPDX-License-Identifier: BSD-2-Clause */
/* make_huge OUT WIDTH HEIGHT SIDE DISTINCT: writes an 8-bit BigTIFF with tiles of SIDE x SIDE
 * pixels. Only DISTINCT tiles are in the file; the others share their data in turn, so the file is
 * small however large the picture is. DISTINCT 0: every tile has its own. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
    uint16_t tag, type;
    uint64_t count, value;
} entry;

enum { SHORT = 3, LONG8 = 16 };

static uint32_t scramble(uint32_t h)
{
    h = (h ^ h >> 15) * 2246822519u;
    h = (h ^ h >> 13) * 3266489917u;
    return h ^ h >> 16;
}

static void put(FILE *out, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        putc((int)(value >> 8 * i & 255), out);
}

/* Noise over a gradient, so that neighbouring windows have something in common. */
static void put_tile(FILE *out, uint32_t number, uint32_t side)
{
    for (uint32_t y = 0; y < side; y++)
        for (uint32_t x = 0; x < side; x++)
            putc((int)((scramble((number * side + y) * side + x) >> 25) + ((x / 7 + y / 5) & 63)),
                 out);
}

static void put_directory(FILE *out, const entry *e, size_t count)
{
    put(out, count, 8);
    for (size_t i = 0; i < count; i++) {
        put(out, e[i].tag, 2);
        put(out, e[i].type, 2);
        put(out, e[i].count, 8);
        put(out, e[i].value, 8);
    }
    put(out, 0, 8);
}

int main(int argc, char **argv)
{
    if (argc != 6)
        return 2;
    const uint64_t width = strtoull(argv[2], NULL, 10), height = strtoull(argv[3], NULL, 10),
                   side = strtoull(argv[4], NULL, 10), bytes = side * side;
    const uint64_t tiles = ((width + side - 1) / side) * ((height + side - 1) / side);
    uint64_t distinct = strtoull(argv[5], NULL, 10);
    FILE *out = fopen(argv[1], "wb");
    if (!out || side % 16 || !tiles)
        return 2;
    if (!distinct || distinct > tiles)
        distinct = tiles;
    const uint64_t offsets = 16 + distinct * bytes, sizes = offsets + 8 * tiles;
    const entry entries[] = {
        { 256, LONG8, 1, width },
        { 257, LONG8, 1, height },
        { 258, SHORT, 1, 8 },
        { 259, SHORT, 1, 1 },
        { 262, SHORT, 1, 1 },
        { 277, SHORT, 1, 1 },
        { 322, LONG8, 1, side },
        { 323, LONG8, 1, side },
        { 324, LONG8, tiles, tiles > 1 ? offsets : 16 },
        { 325, LONG8, tiles, tiles > 1 ? sizes : bytes },
    };
    fwrite("II\x2b\0\x08\0\0\0", 1, 8, out);
    put(out, sizes + 8 * tiles, 8);
    for (uint64_t i = 0; i < distinct; i++)
        put_tile(out, (uint32_t)i, (uint32_t)side);
    for (uint64_t i = 0; i < tiles; i++)
        put(out, 16 + i % distinct * bytes, 8);
    for (uint64_t i = 0; i < tiles; i++)
        put(out, bytes, 8);
    put_directory(out, entries, sizeof entries / sizeof entries[0]);
    return fclose(out) == 0 ? 0 : 1;
}
