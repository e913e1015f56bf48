/* make_video: writes a small video in YUV4MPEG2 to standard output, in which a square moves by
 * (3, 2) pixels per frame over noise. The argument is the name of the colours: 420jpeg, 422, 444,
 * mono, or none for none. SPDX-License-Identifier: BSD-2-Clause */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 101, HEIGHT = 67, SIDE = 16, FRAMES = 5 };

int main(int argc, char **argv)
{
    const char *space = argc > 1 ? argv[1] : "none";
    const int is_420 = strncmp(space, "420", 3) == 0 || strcmp(space, "none") == 0;
    const int columns = strcmp(space, "444") == 0 ? WIDTH : (WIDTH + 1) / 2;
    const int rows = is_420 ? (HEIGHT + 1) / 2 : HEIGHT;
    uint32_t state = 5;
    printf("YUV4MPEG2 W%d H%d F25:1 Ip A1:1", WIDTH, HEIGHT);
    printf(strcmp(space, "none") == 0 ? "\n" : " C%s\n", space);
    for (int frame = 0; frame < FRAMES; frame++) {
        printf("FRAME\n");
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++) {
                const int u = x - 20 - 3 * frame, v = y - 10 - 2 * frame;
                const int inside = u >= 0 && u < SIDE && v >= 0 && v < SIDE;
                state = state * 1664525u + 1013904223u;
                putchar(inside ? 37 * (u * u + 3 * v) % 251 : (int)(state >> 26));
            }
        for (int i = 0; strcmp(space, "mono") != 0 && i < 2 * columns * rows; i++)
            putchar(i % 256);
    }
    return fflush(stdout) != 0;
}
