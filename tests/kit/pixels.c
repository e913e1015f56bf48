#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "kit/pixels.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A signalling pattern that no arithmetic gives. */
static const uint32_t untouched = 0x7fa5c3e1u;

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* bytes of readable and writable memory with an unmapped page on either side, the given one without a gap. */
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

/* Bytes from the first pixel to the end of the last: no padding after the last row. */
static size_t extent(int64_t row, int64_t pitch, int32_t height)
{
    return (size_t)(pitch * (height - 1) + row);
}

kit_image kit_image_create(cm_pixel pixel, int32_t width, int32_t height, int32_t pad, kit_side side)
{
    kit_image image;
    memset(&image, 0, sizeof image);
    int64_t size = pixel == CM_U8 ? 1 : pixel == CM_U16 ? 2 : 4;
    int64_t row = width * size, pitch = row + pad * size;
    image.view = (cm_image){ .width = width, .height = height, .pitch = pitch, .pixel = pixel };
    size_t bytes = extent(row, pitch, height);
    char *data = pages_create(&image.pages, bytes, side);
    memset(data, 0xa5, bytes);
    image.view.data = data;
    return image;
}

kit_map kit_map_create(int32_t width, int32_t height, int32_t pad, kit_side side)
{
    kit_map map;
    memset(&map, 0, sizeof map);
    int64_t row = (int64_t)width * 4, pitch = row + (int64_t)pad * 4;
    map.view = (cm_map){ .width = width, .height = height, .pitch = pitch };
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

void kit_image_freeze(kit_image *image)
{
    size_t page = page_size();
    if (mprotect((char *)image->pages.mapping + page, image->pages.mapped - 2 * page, PROT_READ) != 0)
        kit_give_up("mprotect to read-only failed");
}

void kit_image_destroy(kit_image *image)
{
    pages_destroy(&image->pages);
}

void kit_map_destroy(kit_map *map)
{
    pages_destroy(&map->pages);
}

static char *address(const cm_image *image, int32_t x, int32_t y)
{
    int64_t size = image->pixel == CM_U8 ? 1 : image->pixel == CM_U16 ? 2 : 4;
    int64_t pitch = image->pitch ? image->pitch : image->width * size;
    return (char *)(uintptr_t)image->data + y * pitch + x * size;
}

double kit_pixel(const cm_image *image, int32_t x, int32_t y)
{
    const char *at = address(image, x, y);
    if (image->pixel == CM_U8)
        return *(const uint8_t *)at;
    if (image->pixel == CM_U16) {
        uint16_t value;
        memcpy(&value, at, 2);
        return value;
    }
    float value;
    memcpy(&value, at, 4);
    return (double)value;
}

void kit_pixel_set(const cm_image *image, int32_t x, int32_t y, double value)
{
    char *at = address(image, x, y);
    if (image->pixel == CM_U8) {
        *(uint8_t *)at = (uint8_t)value;
    } else if (image->pixel == CM_U16) {
        uint16_t v = (uint16_t)value;
        memcpy(at, &v, 2);
    } else {
        float v = (float)value;
        memcpy(at, &v, 4);
    }
}

double kit_largest(cm_pixel pixel)
{
    return pixel == CM_U8 ? 255.0 : pixel == CM_U16 ? 65535.0 : 4096.0;
}

const char *kit_fill_name(kit_fill fill)
{
    static const char *const name[KIT_FILLS] = { "zero", "max", "checker", "blocks", "one-off",
                                                 "gradient", "noise", "near-flat", "flat" };
    return name[fill];
}

static double noise(cm_pixel pixel, kit_random *random)
{
    if (pixel != CM_F32)
        return (double)kit_below(random, (uint64_t)kit_largest(pixel) + 1);
    /* 24 significant bits on both sides of 0 */
    return ((double)kit_below(random, 1u << 24) - (1 << 23)) / (1 << 11);
}

static double value_at(cm_pixel pixel, kit_fill fill, int32_t x, int32_t y, kit_random *random)
{
    double most = kit_largest(pixel), step = pixel == CM_F32 ? 1.0 / 1024 : 1.0;
    switch (fill) {
    case KIT_ZERO: return 0.0;
    case KIT_MAX: return most;
    case KIT_CHECKER: return (x + y) & 1 ? most : 0.0;
    case KIT_BLOCKS: return (x / 5 + y / 3) & 1 ? most : 0.0;
    case KIT_GRADIENT: return pixel == CM_F32 ? 0.25 * x - 0.5 * y : (double)((x * 3 + y * 7) % ((int32_t)most + 1));
    case KIT_NOISE: return noise(pixel, random);
    case KIT_NEAR_FLAT: return most - 1 + (kit_next(random) & 1 ? step : 0.0);
    case KIT_ONE_OFF:
    case KIT_FLAT:
    case KIT_FILLS: break;
    }
    return (double)(int32_t)(most / 2);
}

void kit_image_fill(const cm_image *image, kit_fill fill, kit_random *random)
{
    for (int32_t y = 0; y < image->height; y++)
        for (int32_t x = 0; x < image->width; x++)
            kit_pixel_set(image, x, y, value_at(image->pixel, fill, x, y, random));
    if (fill == KIT_ONE_OFF) {
        int32_t x = (int32_t)kit_below(random, (uint64_t)image->width), y = (int32_t)kit_below(random, (uint64_t)image->height);
        kit_pixel_set(image, x, y, kit_pixel(image, x, y) + 1.0);
    }
}

void kit_image_copy(const cm_image *to, const cm_image *from, int32_t x, int32_t y)
{
    int64_t size = to->pixel == CM_U8 ? 1 : to->pixel == CM_U16 ? 2 : 4;
    for (int32_t row = 0; row < to->height; row++)
        memcpy(address(to, 0, row), address(from, x, y + row), (size_t)(to->width * size));
}
