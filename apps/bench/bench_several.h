/* SPDX-License-Identifier: BSD-2-Clause */
/* Images of one size, to be searched in one call. */
#ifndef BENCH_SEVERAL_H
#define BENCH_SEVERAL_H

#include "bench_case.h"

enum { BENCH_MOST_IMAGES = 1000 };

typedef struct bench_several {
    char *pixels; /* of all images, one after the other */
    size_t bytes; /* of them */
    size_t count;
    xncc_image image[BENCH_MOST_IMAGES];
} bench_several;

/* Makes `count` images of the image of a case, each shifted by some samples; fewer if they would
 * take more than 2 GiB. Call bench_several_close whatever is returned. */
xncc_status bench_several_open(bench_several *several, const bench_case *c, size_t count,
                               app_error *error);
void bench_several_close(bench_several *several);

#endif
