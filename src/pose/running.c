/* SPDX-License-Identifier: BSD-2-Clause */
/* Running sums (running.h). */
#include "pose/running.h"

#include "base/memory.h"
#include "image/image.h"

#include <string.h>

/* The most numbers that are kept: a quarter of a megabyte. The squares of so many pixels have a sum
 * below 2^32. */
enum { MOST = 1 << 15 };
_Static_assert(MOST *UINT64_C(65025) < UINT64_C(1) << 32, "squares have 32 bits");

/* Pixels on each side of what is asked for that get sums, too: the windows of the next question lie
 * close by. */
enum { AROUND = 4 };

/* What sums take in all, so that XNCC_RUNNING_BESIDE can be read from each one. */
enum { ROOM = MOST + XNCC_RUNNING_BESIDE };

xncc_status xncc_running_open(int32_t count, const xncc_running_loops *loops,
                              xncc_running **running, xncc_error *error)
{
    const uint64_t each = sizeof **running + ROOM * sizeof(uint64_t);
    *running = xncc_alloc((uint64_t)count, each);
    if (!*running)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for running sums");
    uint64_t *sum = (uint64_t *)(void *)(*running + count);
    for (int32_t i = 0; i < count; i++)
        (*running)[i] = (xncc_running){ .loops = loops, .sum = sum + (size_t)i * ROOM };
    return XNCC_OK;
}

static int has_part(const xncc_running *r, int32_t x, int32_t y, int32_t width, int32_t height)
{
    return r->width > 0 && x >= r->x && y >= r->y && x + width <= r->x + r->width &&
           y + height <= r->y + r->height;
}

/* What a pixel adds: itself, and 2^32 times its square. */
#define VALUE(v) ((uint64_t)(v) | (uint64_t)(v) * (v) << 32)
#define VALUES_4(v) VALUE(v), VALUE((v) + 1), VALUE((v) + 2), VALUE((v) + 3)
#define VALUES_16(v) VALUES_4(v), VALUES_4((v) + 4), VALUES_4((v) + 8), VALUES_4((v) + 12)
#define VALUES_64(v) VALUES_16(v), VALUES_16((v) + 16), VALUES_16((v) + 32), VALUES_16((v) + 48)
static const uint64_t value_of[256] = { VALUES_64(0), VALUES_64(64), VALUES_64(128),
                                        VALUES_64(192) };

static void add_up(const uint8_t *pixel, int64_t pitch, int32_t width, int32_t height,
                   uint64_t *sum)
{
    for (int32_t y = 0; y < height; y++, pixel += pitch, sum += width + 1) {
        uint64_t total = 0;
        for (int32_t i = 0; i < width; i++) {
            sum[i] = total;
            total += value_of[pixel[i]];
        }
        sum[width] = total;
    }
}

static void windows(const uint64_t *from, int32_t pitch, const int32_t *span, int32_t rows,
                    int32_t down, int32_t side, uint64_t *sum)
{
    for (int32_t j = 0; j < down; j++, from += pitch, sum += side) {
        uint64_t total[XNCC_RUNNING_BESIDE] = { 0 };
        const uint64_t *row = from;
        for (int32_t i = 0; i < rows; i++, row += pitch)
            for (int32_t k = 0; k < XNCC_RUNNING_BESIDE; k++)
                total[k] += row[span[2 * i + 1] + k] - row[span[2 * i] + k];
        memcpy(sum, total, sizeof total);
    }
}

const xncc_running_loops xncc_running_portable = { add_up, windows };

/* Reads something of each cache line of a rectangle. The lines come side by side, which takes a
 * fraction of the time: sums wait for one after the other, since each needs the one before it. */
static void touch(const uint8_t *first, int64_t pitch, int32_t width, int32_t height)
{
    enum { LINE = 64 };
    for (int32_t y = 0; y < height; y++, first += pitch) {
        for (int32_t x = 0; x < width; x += LINE)
            (void)*(const volatile uint8_t *)(first + x);
        (void)*(const volatile uint8_t *)(first + width - 1);
    }
}

int xncc_running_has_room(int32_t width, int32_t height)
{
    return ((int64_t)width + 2 * AROUND + 1) * ((int64_t)height + 2 * AROUND) <= MOST;
}

int xncc_running_cover(xncc_running *r, const xncc_image *image, int32_t x, int32_t y,
                       int32_t width, int32_t height)
{
    if (has_part(r, x, y, width, height))
        return 1;
    const int32_t left = x > AROUND ? x - AROUND : 0, top = y > AROUND ? y - AROUND : 0;
    const int64_t right = (int64_t)x + width, bottom = (int64_t)y + height;
    if (x < 0 || y < 0 || right > image->width || bottom > image->height)
        return 0;
    const int64_t end_x = right + AROUND < image->width ? right + AROUND : image->width,
                  end_y = bottom + AROUND < image->height ? bottom + AROUND : image->height;
    if ((end_x - left + 1) * (end_y - top) > MOST)
        return 0;
    r->x = left;
    r->y = top;
    r->width = (int32_t)(end_x - left);
    r->height = (int32_t)(end_y - top);
    const int64_t pitch = xncc_image_pitch(image);
    const uint8_t *first = (const uint8_t *)image->data + top * pitch + left;
    touch(first, pitch, r->width, r->height);
    r->loops->add_up(first, pitch, r->width, r->height, r->sum);
    return 1;
}

void xncc_running_windows(const xncc_running *r, int32_t x, int32_t y, const int32_t *span,
                          int32_t rows, int32_t down, int32_t side, uint64_t *sum)
{
    const int32_t pitch = r->width + 1;
    const uint64_t *from = r->sum + (size_t)(y - r->y) * (size_t)pitch + (size_t)(x - r->x);
    r->loops->windows(from, pitch, span, rows, down, side, sum);
}
