/* SPDX-License-Identifier: BSD-2-Clause */
/* Running sums (running.h). */
#include "pose/running.h"

#include "base/memory.h"
#include "image/image.h"

/* The most numbers that are kept: a quarter of a megabyte. The squares of so many pixels have a sum
 * below 2^32. */
enum { MOST = 1 << 15 };
_Static_assert(MOST *UINT64_C(65025) < UINT64_C(1) << 32, "squares have 32 bits");

/* Pixels on each side of what is asked for that get sums, too: the windows of the next question lie
 * close by. */
enum { AROUND = 6 };

xncc_status xncc_running_open(int32_t count, xncc_running **running, xncc_error *error)
{
    const uint64_t each = sizeof **running + MOST * sizeof(uint64_t);
    *running = xncc_alloc((uint64_t)count, each);
    if (!*running)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for running sums");
    uint64_t *sum = (uint64_t *)(void *)(*running + count);
    for (int32_t i = 0; i < count; i++)
        (*running)[i].sum = sum + (size_t)i * MOST;
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

static void add_up(const uint8_t *pixel, int32_t width, uint64_t *sum)
{
    uint64_t total = 0;
    for (int32_t i = 0; i < width; i++) {
        sum[i] = total;
        total += value_of[pixel[i]];
    }
    sum[width] = total;
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
    for (int32_t i = 0; i < r->height; i++)
        add_up((const uint8_t *)image->data + (top + i) * xncc_image_pitch(image) + left, r->width,
               r->sum + (size_t)i * (size_t)(r->width + 1));
    return 1;
}

__attribute__((always_inline)) static inline void windows(const uint64_t *from, size_t pitch,
                                                          const int32_t *span, int32_t rows,
                                                          int32_t side, uint64_t *sum)
{
    uint64_t total[5] = { 0 };
    for (int32_t i = 0; i < rows; i++, from += pitch) {
        const uint64_t *first = from + span[2 * i], *end = from + span[2 * i + 1];
        for (int32_t k = 0; k < side; k++)
            total[k] += end[k] - first[k];
    }
    for (int32_t k = 0; k < side; k++)
        sum[k] = total[k];
}

void xncc_running_windows(const xncc_running *r, int32_t x, int32_t y, const int32_t *span,
                          int32_t rows, int32_t side, uint64_t *sum)
{
    const size_t pitch = (size_t)(r->width + 1);
    const uint64_t *from = r->sum + (size_t)(y - r->y) * pitch + (size_t)(x - r->x);
    if (side == 3)
        windows(from, pitch, span, rows, 3, sum);
    else
        windows(from, pitch, span, rows, 5, sum);
}
