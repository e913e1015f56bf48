/* SPDX-License-Identifier: BSD-2-Clause */
/* Pages that are decoded row by row. */
#include "lines.h"

#include <stdlib.h>

enum { STEP_BYTES = 1 << 19 }; /* decoded per call */

static int is_alpha(const void *data, unsigned sample)
{
    return (int)sample == *(const int *)data;
}

xncc_status app_lines_begin(app_lines *l, const app_lines_source *source,
                            const app_reading *reading, app_page *info, app_error *error)
{
    app_samples *s = &l->samples;
    const app_pick how = { source->colours, 0, is_alpha, &source->alpha };
    if (l->width < 1 || l->height < 1 || l->width > XNCC_MAX_SIDE || l->height > XNCC_MAX_SIDE)
        return app_fail(error, XNCC_ERROR_UNSUPPORTED, "%d x %d pixels: each side must be 1 .. %d",
                        l->width, l->height, XNCC_MAX_SIDE);
    xncc_status status = app_samples_pick(s, &how, reading->channels, error);
    if (status)
        return status;
    if (reading->no_data == APP_NO_DATA_GIVEN)
        app_samples_no_data(s, reading->no_data_value);
    const int masked = app_samples_masked(s);
    l->row = 0;
    /* width < 2^31, per_pixel < 2^16 and bits < 2^7 */
    l->line_bytes = ((uint64_t)l->width * s->per_pixel * s->bits + 7) / 8;
    app_need need = {
        .width = l->width,
        .height = l->height,
        .pixel = s->channels * (uint64_t)xncc_pixel_size(s->pixel) + (masked ? 1u : 0u),
        .file_size = source->file_size,
        .most = source->most,
    };
    if (__builtin_mul_overflow(l->line_bytes, (uint64_t)l->height, &need.claim) ||
        __builtin_add_overflow(l->line_bytes, source->buffers, &need.buffers))
        return app_fail(error, XNCC_ERROR_UNSUPPORTED, "%d x %d pixels of %u samples are too large",
                        l->width, l->height, s->per_pixel);
    *info = (app_page){ .width = l->width,
                        .height = l->height,
                        .pixel = s->pixel,
                        .channels = s->channels,
                        .masked = masked,
                        .together = 1,
                        .buffers = need.buffers };
    return app_need_check(&need, reading, error);
}

static xncc_status decode_line(app_lines *l, void *state, const app_target *to, app_error *error)
{
    const uint8_t *row[1] = { l->line };
    const int64_t y = (int64_t)l->row - to->first;
    xncc_status status = l->next(state, l->line, error);
    if (status)
        return status;
    if (y >= 0 && y < to->rows)
        app_samples_convert(&l->samples, row, (uint32_t)l->width,
                            (uint8_t *)to->pixels + y * to->pitch,
                            to->mask ? to->mask + y * l->width : NULL);
    l->row++;
    return XNCC_OK;
}

xncc_status app_lines_decode(app_lines *l, void *state, const app_target *to, int32_t *ready,
                             app_error *error)
{
    xncc_status status = XNCC_OK;
    if (!l->line && !(l->line = calloc(1, (size_t)l->line_bytes)))
        return app_fail(error, XNCC_ERROR_MEMORY, "out of memory for a row; free some memory");
    if (l->skip && to->first > l->row) {
        status = l->skip(state, to->first, error);
        l->row = to->first;
    }
    const int64_t target = (int64_t)to->first + to->rows,
                  end = target < l->height ? target : l->height;
    for (uint64_t done = 0; done <= STEP_BYTES && l->row < end && !status; done += l->line_bytes)
        status = decode_line(l, state, to, error);
    *ready = l->row;
    return status;
}

void app_lines_free(app_lines *l)
{
    free(l->line);
    l->line = NULL;
}

void app_lines_swap(uint8_t *line, uint64_t bytes, unsigned sample, int big_endian)
{
    const uint16_t one = 1;
    const int native_big = *(const uint8_t *)&one == 0;
    if (sample < 2 || native_big == !!big_endian)
        return;
    for (uint64_t i = 0; i + sample <= bytes; i += sample)
        for (unsigned k = 0; k < sample / 2; k++) {
            const uint8_t kept = line[i + k];
            line[i + k] = line[i + sample - 1 - k];
            line[i + sample - 1 - k] = kept;
        }
}

xncc_status app_count_one(void *state, uint32_t most, uint32_t *pages, app_error *error)
{
    (void)state;
    (void)error;
    *pages = most < 1 ? most : 1;
    return XNCC_OK;
}
