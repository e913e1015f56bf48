/* SPDX-License-Identifier: BSD-2-Clause */
/* The code that the planted bugs change. */
#include "part.h"

int part_scale(int v)
{
    return PART_FACTOR * v;
}

int part_limit(int v)
{
    const int low = -10; /* no check goes below it */
    const int high = 10; // the text of a mutant leaves this comment out
    if (v < low)
        return low;
    return v > high ? high : v;
}
