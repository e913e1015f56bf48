/* SPDX-License-Identifier: BSD-2-Clause */
/* What a test asks of its process. */
#include "kit/process.h"

#include <dirent.h>
#include <time.h>

double kit_seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int kit_entries(const char *folder)
{
    DIR *opened = opendir(folder);
    int count = 0;
    for (const struct dirent *e; opened && (e = readdir(opened));)
        count += e->d_name[0] != '.';
    if (opened)
        closedir(opened);
    return count;
}
