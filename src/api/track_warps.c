/* SPDX-License-Identifier: BSD-2-Clause */
/* The deformed images of a pass of tracking (track_warps.h). A task is some rows. */
#include "api/track_warps.h"

#include "base/memory.h"
#include "cpu/cpu.h"
#include "image/image.h"

enum { ROWS = 8 }; /* per task */

static uint64_t tasks_of(int32_t rows)
{
    return ((uint64_t)rows + ROWS - 1) / ROWS;
}

static void reads_task(void *argument, uint64_t index, int32_t slot)
{
    xncc_track_warps *w = argument;
    for (int32_t i = (int32_t)index * ROWS; i < (int32_t)(index + 1) * ROWS; i++)
        if (i < w->warp.height && !xncc_is_cancelled(&w->call->watch))
            w->reads[i] = xncc_warp_find_reads(&w->warp, w->warp.top + i, slot);
}

xncc_status xncc_track_warps_make(xncc_track_warps *w, const xncc_track_call *call,
                                  xncc_error *error)
{
    const xncc_track_options *o = &call->options;
    const xncc_track_source *s = &call->source;
    *w = (xncc_track_warps){ .call = call,
                             .pool = xncc_cpu_engine_pool(call->engine),
                             .warp = { .field = call->field,
                                       .left = -o->search_x,
                                       .top = -o->search_y,
                                       .width = s->width1 + 2 * o->search_x,
                                       .height = s->height1 + 2 * o->search_y,
                                       .width2 = s->width2,
                                       .height2 = s->height2 } };
    w->reads = xncc_alloc((uint64_t)w->warp.height, sizeof *w->reads);
    if (!w->reads)
        return xncc_fail(error, XNCC_ERROR_MEMORY,
                         "track: no memory for a deformed image of %d rows", w->warp.height);
    const xncc_status status = xncc_warp_make(&w->warp, xncc_pool_threads(w->pool), error);
    if (!status)
        xncc_pool_run(w->pool, tasks_of(w->warp.height), reads_task, w);
    return status ? status : xncc_check_cancelled(&call->watch, error);
}

void xncc_track_warps_clear(xncc_track_warps *w)
{
    xncc_warp_clear(&w->warp);
    xncc_free(w->reads);
}

static uint64_t row_bytes(const xncc_track_warps *w, const xncc_image *image)
{
    return (uint64_t)w->warp.width * (uint64_t)xncc_image_channels(image) *
           (uint64_t)xncc_pixel_size(image->pixel);
}

uint64_t xncc_track_warps_bytes(const xncc_track_warps *w, const xncc_image *image, int32_t rows)
{
    return (uint64_t)rows * (row_bytes(w, image) + (uint64_t)w->warp.width);
}

/* Rows of one image. */
typedef struct job {
    const xncc_track_warps *warps;
    const xncc_image *from;
    int32_t first, y, rows;
    char *pixels;
    uint8_t *mask;
    xncc_counter missing; /* pixels that do not count */
} job;

static void rows_task(void *argument, uint64_t index, int32_t slot)
{
    job *j = argument;
    const xncc_track_warps *w = j->warps;
    for (int32_t i = (int32_t)index * ROWS; i < (int32_t)(index + 1) * ROWS && i < j->rows; i++) {
        if (xncc_is_cancelled(&w->call->watch))
            return;
        const xncc_warp_row row = {
            .image = j->from,
            .first = j->first,
            .pixels = j->pixels + (uint64_t)i * row_bytes(w, j->from),
            .mask = j->mask + (uint64_t)i * (uint64_t)w->warp.width,
        };
        atomic_fetch_add(&j->missing, (uint64_t)xncc_warp_make_row(&w->warp, j->y + i, slot, &row));
    }
}

xncc_status xncc_track_warps_run(const xncc_track_warps *w, const xncc_image *from, int32_t first,
                                 int32_t y, int32_t rows, char *memory, xncc_image *to,
                                 xncc_error *error)
{
    job j = { .warps = w,
              .from = from,
              .first = first,
              .y = y,
              .rows = rows,
              .pixels = memory,
              .mask = (uint8_t *)memory + (uint64_t)rows * row_bytes(w, from) };
    xncc_pool_run(w->pool, tasks_of(rows), rows_task, &j);
    *to = (xncc_image){ .data = j.pixels,
                        .width = w->warp.width,
                        .height = rows,
                        .pixel = from->pixel,
                        .channels = from->channels,
                        .mask = atomic_load(&j.missing) ? j.mask : NULL };
    return xncc_check_cancelled(&w->call->watch, error);
}
