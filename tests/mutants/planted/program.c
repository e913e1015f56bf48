/* SPDX-License-Identifier: BSD-2-Clause */
/* A small test program for the tests of the driver: planted [--skip] [--refuse]. It checks part.c
 * without including part.h, so that changes of part.h are changes of part.c alone. */
#include <stdio.h>
#include <string.h>

int part_scale(int v);
int part_limit(int v);

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--skip") == 0)
            return 77;
        if (strcmp(argv[i], "--refuse") == 0)
            return 2;
    }
    const int failed = (part_scale(3) != 6) + (part_limit(11) != 10) + (part_limit(5) != 5);
    printf("planted: 3 checks, %d failed\n", failed);
    return failed != 0;
}
