/* SPDX-License-Identifier: BSD-2-Clause */
/* Images of one size (bench_several.h). */
#include "bench_several.h"

#include <stdlib.h>
#include <string.h>

static const size_t most_bytes = (size_t)1 << 31;

xncc_status bench_several_open(bench_several *s, const bench_case *c, size_t count,
                               app_error *error)
{
    const size_t sample = xncc_pixel_size(c->image.pixel), size = (size_t)c->image.width *
                                                                  (size_t)c->image.height * sample *
                                                                  (size_t)c->problem.channels;
    memset(s, 0, sizeof *s);
    s->count = count < BENCH_MOST_IMAGES ? count : BENCH_MOST_IMAGES;
    if (s->count > most_bytes / size)
        s->count = most_bytes / size;
    s->bytes = size * s->count;
    s->pixels = s->count ? malloc(s->bytes) : NULL;
    if (s->count && !s->pixels)
        return app_fail(error, XNCC_ERROR_MEMORY, "out of memory for %zu images", s->count);
    for (size_t i = 0; i < s->count; i++) {
        const size_t shift = i * 13 % (size / sample) * sample;
        char *to = s->pixels + i * size;
        memcpy(to, (const char *)c->image.data + shift, size - shift);
        memcpy(to + size - shift, c->image.data, shift);
        s->image[i] = c->image;
        s->image[i].data = to;
    }
    return XNCC_OK;
}

void bench_several_close(bench_several *s)
{
    free(s->pixels);
}
