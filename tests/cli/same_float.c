/* SPDX-License-Identifier: BSD-2-Clause */
/* same_float A B: exit status 0 if both decimal numbers are read as the same float. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    float a = strtof(argv[1], NULL), b = strtof(argv[2], NULL);
    printf("%s %s: %.9g %.9g\n", argv[1], argv[2], (double)a, (double)b);
    return memcmp(&a, &b, sizeof a) != 0;
}
