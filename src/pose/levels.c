/* SPDX-License-Identifier: BSD-2-Clause */
/* Pyramids of means of 2 x 2 pixels (levels.h). */
#include "pose/levels.h"

#include "base/memory.h"
#include "image/image.h"
#include "image/samples.h"

#include <math.h>
#include <string.h>

/* A channel as numbers: where its samples are, and how they become 8 bits. */
typedef struct channel_view {
    xncc_image image;
    int32_t channel;
    const uint8_t *mask; /* tightly packed; NULL: all count */
    double low, factor;  /* (v - low) * factor is 0 .. 255 */
} channel_view;

static double value_at(const channel_view *v, const void *row, int64_t x)
{
    return xncc_sample_value(v->image.pixel, row, x * xncc_image_channels(&v->image) + v->channel);
}

static int counts(const channel_view *v, int32_t x, int32_t y)
{
    return !v->mask || v->mask[(size_t)y * (size_t)v->image.width + (size_t)x];
}

/* Sets low and factor from mean and standard deviation. Returns 0 if a value is not finite. */
static int measure(channel_view *v)
{
    double sum = 0.0, sum2 = 0.0, n = 0.0, least = INFINITY, most = -INFINITY;
    for (int32_t y = 0; y < v->image.height; y++) {
        const void *row = xncc_image_row(&v->image, y);
        double s = 0.0, s2 = 0.0;
        for (int32_t x = 0; x < v->image.width; x++) {
            if (!counts(v, x, y))
                continue;
            const double p = value_at(v, row, x);
            s += p;
            s2 += p * p;
            n += 1.0;
            least = p < least ? p : least;
            most = p > most ? p : most;
        }
        sum += s;
        sum2 += s2;
    }
    if (!(sum2 < INFINITY)) /* a NaN or an infinity, or squares beyond the range of doubles */
        return 0;
    const double mean = sum / n, deviation = sqrt(fmax(sum2 / n - mean * mean, 0.0));
    v->low = fmax(mean - 4.0 * deviation, least);
    const double high = fmin(mean + 4.0 * deviation, most);
    v->factor = high > v->low ? 255.0 / (high - v->low) : 0.0;
    return 1;
}

static void convert(const channel_view *v, uint8_t *out)
{
    for (int32_t y = 0; y < v->image.height; y++, out += v->image.width) {
        const void *row = xncc_image_row(&v->image, y);
        for (int32_t x = 0; x < v->image.width; x++) {
            const double p = counts(v, x, y) ? (value_at(v, row, x) - v->low) * v->factor : 0.0;
            out[x] = (uint8_t)(p <= 0.0 ? 0.0 : p >= 255.0 ? 255.0 : p + 0.5);
        }
    }
}

/* The biased samples of a template are unsigned. */
static channel_view view_of(const xncc_pose_source *source, int32_t channel)
{
    return (channel_view){ .image = { .data = source->pixels,
                                      .width = source->width,
                                      .height = source->height,
                                      .pixel = xncc_pixel_stored(source->pixel),
                                      .channels = source->channels },
                           .channel = channel,
                           .mask = source->mask,
                           .factor = 1.0 };
}

int32_t xncc_pose_channel(const xncc_pose_source *source)
{
    int32_t best = 0;
    double most = -1.0;
    for (int32_t c = 0; c < source->channels && source->channels > 1; c++) {
        const channel_view v = view_of(source, c);
        double sum = 0.0, sum2 = 0.0, n = 0.0;
        for (int32_t y = 0; y < source->height; y++)
            for (int32_t x = 0; x < source->width; x++)
                if (counts(&v, x, y)) {
                    const double p = value_at(&v, xncc_image_row(&v.image, y), x);
                    sum += p;
                    sum2 += p * p;
                    n += 1.0;
                }
        const double variance = sum2 / n - sum / n * (sum / n);
        if (variance > most) {
            most = variance;
            best = c;
        }
    }
    return best;
}

xncc_status xncc_image_levels_begin(const xncc_image *image, int32_t channel,
                                    xncc_image_levels *levels, int *finite, xncc_error *error)
{
    *finite = 1;
    if (image->pixel == XNCC_U8 && xncc_image_channels(image) == 1) {
        levels->level[levels->count++] = *image;
        return XNCC_OK;
    }
    channel_view v = { .image = *image, .channel = channel };
    *finite = measure(&v);
    if (!*finite)
        return XNCC_OK;
    uint8_t *pixels = xncc_kept_take(levels->kept,
                                     (uint64_t)image->height * (uint64_t)image->width);
    if (!pixels)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for %d x %d pixels",
                         image->width, image->height);
    convert(&v, pixels);
    levels->memory[0] = pixels;
    levels->level[0] = (xncc_image){
        .data = pixels, .width = image->width, .height = image->height, .pixel = XNCC_U8
    };
    levels->count = 1;
    return XNCC_OK;
}

/* Levels to be made out of the one before them, in strips of its rows. A strip has the rows of all
 * of these levels, so that it is read once, and stays in a cache. */
typedef struct halving {
    const xncc_image_levels *levels;
    int32_t first, count; /* of the levels */
} halving;

/* The most levels at a time, and the rows of the level before them in a strip. */
enum { STRIP_LEVELS = 6, STRIP_ROWS = 1 << STRIP_LEVELS };

static void halve_row(const uint8_t *a, const uint8_t *b, int32_t pairs, uint8_t *out)
{
    for (int32_t x = 0; x < pairs; x++)
        out[x] = (uint8_t)((a[2 * x] + a[2 * x + 1] + b[2 * x] + b[2 * x + 1] + 2) >> 2);
}

/* Makes the rows first .. end - 1 of a level. */
static void halve_rows(const xncc_image *from, const xncc_image *to, int32_t first, int32_t end)
{
    for (int32_t y = first; y < end; y++) {
        const uint8_t *a = xncc_image_row(from, 2 * y),
                      *b = 2 * y + 1 < from->height ? xncc_image_row(from, 2 * y + 1) : a;
        uint8_t *out = (uint8_t *)(uintptr_t)to->data + (size_t)y * (size_t)to->width;
        halve_row(a, b, from->width / 2, out);
        if (from->width % 2)
            out[to->width - 1] = (uint8_t)((a[from->width - 1] + b[from->width - 1] + 1) >> 1);
    }
}

static void halve_task(void *argument, uint64_t index, int32_t slot)
{
    (void)slot;
    const halving *h = argument;
    for (int32_t l = h->first; l < h->first + h->count; l++) {
        const xncc_image *to = &h->levels->level[l];
        const int32_t rows = STRIP_ROWS >> (l - h->first + 1), first = (int32_t)index * rows,
                      end = first + rows < to->height ? first + rows : to->height;
        halve_rows(to - 1, to, first, end);
    }
}

/* Allocates `count` levels. */
static xncc_status add_levels(xncc_image_levels *levels, int32_t count, xncc_error *error)
{
    const xncc_image *from = &levels->level[levels->count - 1];
    uint64_t bytes = 0;
    int32_t width = from->width, height = from->height;
    for (int32_t i = 0; i < count; i++) {
        width = width / 2 + width % 2;
        height = height / 2 + height % 2;
        levels->level[levels->count + i] = (xncc_image){ .width = width,
                                                         .height = height,
                                                         .pixel = XNCC_U8 };
        bytes += (uint64_t)width * (uint64_t)height;
    }
    uint8_t *memory = xncc_kept_take(levels->kept, bytes);
    if (!memory)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for %llu pixels",
                         (unsigned long long)bytes);
    levels->memory[levels->count] = memory;
    for (int32_t i = 0; i < count; i++) {
        xncc_image *level = &levels->level[levels->count++];
        level->data = memory;
        memory += (size_t)level->width * (size_t)level->height;
    }
    return XNCC_OK;
}

xncc_status xncc_image_levels_extend(const xncc_pose_job *job, xncc_image_levels *levels,
                                     int32_t count, xncc_error *error)
{
    xncc_status status = XNCC_OK;
    while (levels->count < count && !status) {
        const int32_t first = levels->count, left = count - first;
        const halving h = { levels, first, left < STRIP_LEVELS ? left : STRIP_LEVELS };
        status = add_levels(levels, h.count, error);
        if (!status)
            xncc_pool_run(job->pool,
                          (uint64_t)((levels->level[first - 1].height - 1) / STRIP_ROWS + 1),
                          halve_task, (void *)(uintptr_t)&h);
    }
    return status;
}

void xncc_image_levels_clear(xncc_image_levels *levels)
{
    xncc_kept *kept = levels->kept;
    for (int32_t i = 0; i < levels->count; i++)
        xncc_kept_give(kept, levels->memory[i]);
    *levels = (xncc_image_levels){ .kept = kept };
}

/* Allocates a level of a template, with a mask if `like` has one. */
static xncc_status add_templ_level(xncc_templ_levels *levels, int32_t width, int32_t height,
                                   const xncc_pose_source *like, uint8_t **pixels, uint8_t **mask,
                                   xncc_error *error)
{
    const size_t size = (size_t)width * (size_t)height;
    *pixels = xncc_alloc(size, 2);
    if (!*pixels)
        return xncc_fail(error, XNCC_ERROR_MEMORY, "poses: no memory for %d x %d pixels", width,
                         height);
    *mask = like->mask ? *pixels + size : NULL;
    levels->memory[levels->count] = *pixels;
    levels->level[levels->count++] = (xncc_pose_source){ .width = width,
                                                         .height = height,
                                                         .pixel = XNCC_U8,
                                                         .channels = 1,
                                                         .pixels = *pixels,
                                                         .mask = *mask,
                                                         .support = like->support,
                                                         .loops = like->loops };
    return XNCC_OK;
}

static xncc_status halve_templ(xncc_templ_levels *levels, xncc_error *error)
{
    const xncc_pose_source from = levels->level[levels->count - 1];
    const int32_t width = from.width / 2, height = from.height / 2;
    const uint8_t *old = from.pixels;
    uint8_t *pixels = NULL, *mask = NULL;
    const xncc_status status = add_templ_level(levels, width, height, &from, &pixels, &mask, error);
    if (status)
        return status;
    for (int32_t y = 0; y < height; y++) {
        const size_t at = 2 * (size_t)y * (size_t)from.width, to = (size_t)y * (size_t)width;
        halve_row(old + at, old + at + from.width, width, pixels + to);
        for (int32_t x = 0; x < width && mask; x++) {
            const uint8_t *m = from.mask + at + 2 * x;
            mask[to + (size_t)x] = m[0] && m[1] && m[from.width] && m[from.width + 1];
        }
    }
    return XNCC_OK;
}

xncc_status xncc_templ_levels_make(const xncc_pose_source *source, int32_t least,
                                   xncc_templ_levels *levels, int *finite, xncc_error *error)
{
    channel_view v = view_of(source, xncc_pose_channel(source));
    const int bytes = source->pixel == XNCC_U8 && source->channels == 1;
    *levels = (xncc_templ_levels){ 0 };
    *finite = bytes || measure(&v);
    if (!*finite)
        return XNCC_OK;
    uint8_t *pixels = NULL, *mask = NULL;
    xncc_status status = XNCC_OK;
    if (bytes)
        levels->level[levels->count++] = *source;
    else
        status = add_templ_level(levels, source->width, source->height, source, &pixels, &mask,
                                 error);
    if (pixels)
        convert(&v, pixels);
    if (mask)
        memcpy(mask, source->mask, (size_t)source->width * (size_t)source->height);
    for (int32_t l = 1; l < XNCC_MOST_LEVELS && !status; l++) {
        if (source->width >> l < least || source->height >> l < least)
            break;
        status = halve_templ(levels, error);
        levels->offset_x[l] = 0.5 * (source->width - (source->width >> l << l));
        levels->offset_y[l] = 0.5 * (source->height - (source->height >> l << l));
    }
    return status;
}

void xncc_templ_levels_clear(xncc_templ_levels *levels)
{
    for (int32_t i = 0; i < levels->count; i++)
        xncc_free(levels->memory[i]);
    *levels = (xncc_templ_levels){ 0 };
}
