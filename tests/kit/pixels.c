/* SPDX-License-Identifier: BSD-2-Clause */
/* Images and maps between unmapped pages, their samples, and fills (pixels.h). */
#define _DEFAULT_SOURCE /* for MAP_ANONYMOUS */
#include "kit/pixels.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The bits of a signalling NaN, which no arithmetic yields. */
static const uint32_t untouched = 0x7fa5c3e1u;

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Allocates `bytes` bytes of memory between two unmapped pages. On the given side there is no gap
 * between the memory and the page. */
static void *pages_create(kit_pages *pages, size_t bytes, kit_side side)
{
    size_t page = page_size(), inner = (bytes + page - 1) / page * page;
    pages->mapped = inner + 2 * page;
    pages->mapping = mmap(NULL, pages->mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages->mapping == MAP_FAILED)
        kit_give_up("mmap of %zu bytes failed", pages->mapped);
    char *first = (char *)pages->mapping + page;
    if (mprotect(first, inner, PROT_READ | PROT_WRITE) != 0)
        kit_give_up("mprotect of %zu bytes failed", inner);
    return side == KIT_AFTER ? first + (inner - bytes) : first;
}

static void pages_destroy(kit_pages *pages)
{
    if (pages->mapping)
        munmap(pages->mapping, pages->mapped);
    memset(pages, 0, sizeof *pages);
}

/* Returns the bytes from the first pixel to the end of the last one: no padding after the last
 * row. */
static size_t extent(int64_t row, int64_t pitch, int32_t height)
{
    return (size_t)(pitch * (height - 1) + row);
}

int64_t kit_sample_size(xncc_pixel pixel)
{
    switch (pixel) {
    case XNCC_U8:
    case XNCC_S8: return 1;
    case XNCC_U16:
    case XNCC_S16: return 2;
    case XNCC_F32:
    case XNCC_U32: return 4;
    case XNCC_F64: return 8;
    }
    kit_give_up("%d is no pixel type", (int)pixel);
}

int32_t kit_channels(const xncc_image *image)
{
    return image->channels > 0 ? image->channels : 1;
}

kit_image kit_image_create(xncc_pixel pixel, int32_t width, int32_t height, int32_t pad,
                           kit_side side)
{
    return kit_image_create_channels(pixel, 0, width, height, (kit_room){ pad, side });
}

kit_image kit_image_create_channels(xncc_pixel pixel, int32_t channels, int32_t width,
                                    int32_t height, kit_room room)
{
    kit_image image;
    memset(&image, 0, sizeof image);
    image.view = (xncc_image){
        .width = width, .height = height, .pixel = pixel, .channels = channels
    };
    int64_t size = kit_sample_size(pixel), row = width * size * kit_channels(&image.view),
            pitch = row + room.pad * size;
    image.view.pitch = pitch;
    const kit_side side = room.side;
    size_t bytes = extent(row, pitch, height);
    char *data = pages_create(&image.pages, bytes, side);
    memset(data, 0xa5, bytes);
    image.view.data = data;
    return image;
}

void kit_image_mask(kit_image *image, kit_room room)
{
    int64_t row = image->view.width, pitch = row + room.pad;
    size_t bytes = extent(row, pitch, image->view.height);
    pages_destroy(&image->mask_pages);
    uint8_t *mask = pages_create(&image->mask_pages, bytes, room.side);
    memset(mask, 0xa5, bytes);
    image->view.mask = mask;
    image->view.mask_pitch = pitch;
}

static uint8_t *mask_at(const xncc_image *image, int32_t x, int32_t y)
{
    int64_t pitch = image->mask_pitch ? image->mask_pitch : image->width;
    return (uint8_t *)(uintptr_t)image->mask + y * pitch + x;
}

int kit_mask(const xncc_image *image, int32_t x, int32_t y)
{
    return *mask_at(image, x, y) != 0;
}

void kit_mask_set(const xncc_image *image, int32_t x, int32_t y, uint8_t value)
{
    *mask_at(image, x, y) = value;
}

kit_map kit_map_create(int32_t width, int32_t height, int32_t pad, kit_side side)
{
    kit_map map;
    memset(&map, 0, sizeof map);
    int64_t row = (int64_t)width * 4, pitch = row + (int64_t)pad * 4;
    map.view = (xncc_map){ .width = width, .height = height, .pitch = pitch };
    map.view.data = pages_create(&map.pages, extent(row, pitch, height), side);
    kit_map_clear(&map);
    return map;
}

void kit_map_clear(kit_map *map)
{
    size_t count = extent((int64_t)map->view.width * 4, map->view.pitch, map->view.height) / 4;
    for (size_t i = 0; i < count; i++)
        memcpy(map->view.data + i, &untouched, 4);
}

int kit_map_padding_intact(const kit_map *map)
{
    int64_t stride = map->view.pitch / 4;
    for (int32_t y = 0; y + 1 < map->view.height; y++)
        for (int64_t x = map->view.width; x < stride; x++)
            if (memcmp(map->view.data + y * stride + x, &untouched, 4) != 0)
                return 0;
    return 1;
}

static void pages_freeze(const kit_pages *pages)
{
    size_t page = page_size();
    if (pages->mapping &&
        mprotect((char *)pages->mapping + page, pages->mapped - 2 * page, PROT_READ) != 0)
        kit_give_up("mprotect to read-only failed");
}

void kit_image_freeze(kit_image *image)
{
    pages_freeze(&image->pages);
    pages_freeze(&image->mask_pages);
}

void kit_image_destroy(kit_image *image)
{
    pages_destroy(&image->pages);
    pages_destroy(&image->mask_pages);
}

void kit_map_destroy(kit_map *map)
{
    pages_destroy(&map->pages);
}

static char *address(const xncc_image *image, int32_t x, int32_t y)
{
    int64_t size = kit_sample_size(image->pixel) * kit_channels(image);
    int64_t pitch = image->pitch ? image->pitch : image->width * size;
    return (char *)(uintptr_t)image->data + y * pitch + x * size;
}

/* One sample of any type. */
typedef union any_sample {
    uint8_t u8;
    int8_t s8;
    uint16_t u16;
    int16_t s16;
    uint32_t u32;
    float f32;
    double f64;
} any_sample;

double kit_sample(const xncc_image *image, int32_t x, int32_t y, int32_t channel)
{
    const int64_t size = kit_sample_size(image->pixel);
    any_sample value;
    memcpy(&value, address(image, x, y) + channel * size, (size_t)size);
    switch (image->pixel) {
    case XNCC_U8: return value.u8;
    case XNCC_S8: return value.s8;
    case XNCC_U16: return value.u16;
    case XNCC_S16: return value.s16;
    case XNCC_U32: return value.u32;
    case XNCC_F32: return (double)value.f32;
    case XNCC_F64: break;
    }
    return value.f64;
}

void kit_sample_set(const xncc_image *image, int32_t x, int32_t y, int32_t channel, double value)
{
    const int64_t size = kit_sample_size(image->pixel);
    any_sample sample;
    switch (image->pixel) {
    case XNCC_U8: sample.u8 = (uint8_t)value; break;
    case XNCC_S8: sample.s8 = (int8_t)value; break;
    case XNCC_U16: sample.u16 = (uint16_t)value; break;
    case XNCC_S16: sample.s16 = (int16_t)value; break;
    case XNCC_U32: sample.u32 = (uint32_t)value; break;
    case XNCC_F32: sample.f32 = (float)value; break;
    case XNCC_F64: sample.f64 = value; break;
    }
    memcpy(address(image, x, y) + channel * size, &sample, (size_t)size);
}

double kit_pixel(const xncc_image *image, int32_t x, int32_t y)
{
    return kit_sample(image, x, y, 0);
}

void kit_pixel_set(const xncc_image *image, int32_t x, int32_t y, double value)
{
    kit_sample_set(image, x, y, 0, value);
}

double kit_largest(xncc_pixel pixel)
{
    switch (pixel) {
    case XNCC_U8: return 255.0;
    case XNCC_S8: return 127.0;
    case XNCC_U16: return 65535.0;
    case XNCC_S16: return 32767.0;
    case XNCC_U32: return 4294967295.0;
    case XNCC_F32:
    case XNCC_F64: break;
    }
    return 4096.0;
}

double kit_smallest(xncc_pixel pixel)
{
    return pixel == XNCC_S8 ? -128.0 : pixel == XNCC_S16 ? -32768.0 : 0.0;
}

static int is_float(xncc_pixel pixel)
{
    return pixel == XNCC_F32 || pixel == XNCC_F64;
}

const char *kit_fill_name(kit_fill fill)
{
    static const char *const name[KIT_FILLS] = { "zero",   "max",       "checker",
                                                 "blocks", "one-off",   "gradient",
                                                 "noise",  "near-flat", "flat" };
    return name[fill];
}

static double noise(xncc_pixel pixel, kit_random *random)
{
    double least = kit_smallest(pixel);
    if (!is_float(pixel))
        return least + (double)kit_below(random, (uint64_t)(kit_largest(pixel) - least) + 1);
    /* 24 significant bits, positive and negative */
    return ((double)kit_below(random, 1u << 24) - (1 << 23)) / (1 << 11);
}

static double value_at(xncc_pixel pixel, kit_fill fill, int32_t x, int32_t y, kit_random *random)
{
    double most = kit_largest(pixel), least = kit_smallest(pixel),
           step = is_float(pixel) ? 1.0 / 1024 : 1.0;
    switch (fill) {
    case KIT_ZERO: return 0.0;
    case KIT_MAX: return most;
    case KIT_CHECKER: return (x + y) & 1 ? most : least;
    case KIT_BLOCKS: return (x / 5 + y / 3) & 1 ? most : least;
    case KIT_GRADIENT:
        return is_float(pixel) ? 0.25 * x - 0.5 * y
                               : (double)((x * 3 + y * 7) % ((int64_t)most + 1));
    case KIT_NOISE: return noise(pixel, random);
    case KIT_NEAR_FLAT: return most - 1 + (kit_next(random) & 1 ? step : 0.0);
    case KIT_ONE_OFF:
    case KIT_FLAT:
    case KIT_FILLS: break;
    }
    return (double)(int64_t)(most / 2);
}

void kit_image_fill(const xncc_image *image, kit_fill fill, kit_random *random)
{
    for (int32_t y = 0; y < image->height; y++)
        for (int32_t x = 0; x < image->width; x++)
            for (int32_t c = 0; c < kit_channels(image); c++)
                kit_sample_set(image, x, y, c, value_at(image->pixel, fill, x + c, y, random));
    if (fill == KIT_ONE_OFF) {
        int32_t x = (int32_t)kit_below(random, (uint64_t)image->width),
                y = (int32_t)kit_below(random, (uint64_t)image->height);
        kit_pixel_set(image, x, y, kit_pixel(image, x, y) + 1.0);
    }
}

void kit_image_copy(const xncc_image *to, const xncc_image *from, int32_t x, int32_t y)
{
    int64_t size = kit_sample_size(to->pixel) * kit_channels(to);
    for (int32_t row = 0; row < to->height; row++)
        memcpy(address(to, 0, row), address(from, x, y + row), (size_t)(to->width * size));
}
