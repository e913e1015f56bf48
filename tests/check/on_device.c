/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies of test images and maps in device memory (on_device.h). */
#include "check/on_device.h"

#include <stdlib.h>
#include <string.h>

enum { MARGIN = 256, PATTERN = 0x5c };

static size_t bytes_of(const xncc_image *image)
{
    size_t pixel = (size_t)kit_channels(image) * (size_t)kit_sample_size(image->pixel);
    return (size_t)image->pitch * (size_t)(image->height - 1) + (size_t)image->width * pixel;
}

static size_t mask_bytes_of(const xncc_image *image)
{
    return (size_t)image->mask_pitch * (size_t)(image->height - 1) + (size_t)image->width;
}

device_image device_image_create(const xncc_image *host, int32_t shift)
{
    device_image image = { .view = *host };
    size_t start = (size_t)shift * (size_t)kit_sample_size(host->pixel);
    image.memory = kit_device_alloc(start + bytes_of(host));
    image.mask = host->mask ? kit_device_alloc((size_t)shift + mask_bytes_of(host)) : NULL;
    if (!image.memory || (host->mask && !image.mask))
        kit_give_up("no device memory for an image of %d x %d", host->width, host->height);
    image.view.data = (char *)image.memory + start;
    if (host->mask)
        image.view.mask = (const uint8_t *)image.mask + shift;
    image.view.memory = XNCC_DEVICE;
    device_image_update(&image, host);
    return image;
}

void device_image_update(const device_image *image, const xncc_image *host)
{
    if (!kit_device_upload((void *)(uintptr_t)image->view.data, host->data, bytes_of(host)))
        kit_give_up("upload of %zu bytes failed", bytes_of(host));
    if (host->mask &&
        !kit_device_upload((void *)(uintptr_t)image->view.mask, host->mask, mask_bytes_of(host)))
        kit_give_up("upload of a mask of %zu bytes failed", mask_bytes_of(host));
}

void device_image_destroy(device_image *image)
{
    kit_device_free(image->memory);
    if (image->mask)
        kit_device_free(image->mask);
    memset(image, 0, sizeof *image);
}

device_map device_map_create(int32_t width, int32_t height, int32_t pad)
{
    device_map map = { .view = { .width = width,
                                 .height = height,
                                 .pitch = ((int64_t)width + pad) * 4,
                                 .memory = XNCC_DEVICE } };
    map.bytes = (size_t)map.view.pitch * (size_t)height + 2 * MARGIN;
    char *pattern = malloc(map.bytes);
    map.memory = kit_device_alloc(map.bytes);
    if (!map.memory || !pattern)
        kit_give_up("no memory for a map of %d x %d", width, height);
    memset(pattern, PATTERN, map.bytes);
    if (!kit_device_upload(map.memory, pattern, map.bytes))
        kit_give_up("upload of %zu bytes failed", map.bytes);
    free(pattern);
    map.view.data = (float *)(void *)((char *)map.memory + MARGIN);
    return map;
}

static int untouched(const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != PATTERN)
            return 0;
    return 1;
}

void device_map_check(const device_map *map, const xncc_map *want, const char *what)
{
    char *copy = malloc(map->bytes);
    if (!copy || !kit_device_download(copy, map->memory, map->bytes))
        kit_give_up("download of %zu bytes failed (%s)", map->bytes, what);
    xncc_map got = map->view;
    got.data = (float *)(void *)(copy + MARGIN);
    got.memory = XNCC_HOST;
    check_same(&got, want, what);
    size_t row = (size_t)got.width * 4, pitch = (size_t)got.pitch;
    int clean = untouched(copy, MARGIN) && untouched(copy + map->bytes - MARGIN, MARGIN);
    for (int32_t y = 0; y < got.height; y++)
        clean &= untouched(copy + MARGIN + (size_t)y * pitch + row, pitch - row);
    if (!clean)
        kit_fail(__FILE__, __LINE__, "%s: bytes outside the map's rows were written", what);
    CHECK(clean);
    free(copy);
}

void device_map_destroy(device_map *map)
{
    kit_device_free(map->memory);
    memset(map, 0, sizeof *map);
}

void placed_create(placed *p, const xncc_image *image, const xncc_map *want, int where,
                   uint64_t turn)
{
    memset(p, 0, sizeof *p);
    if (where & 1)
        p->twin = device_image_create(image, (int32_t)(turn % 5));
    if (where & 2)
        p->on_device = device_map_create(want->width, want->height, (int32_t)(turn % 4));
    else
        p->on_host = kit_map_create(want->width, want->height, (int32_t)(turn / 3 % 3) * 3,
                                    turn & 1 ? KIT_AFTER : KIT_BEFORE);
    p->image = where & 1 ? &p->twin.view : image;
    p->map = where & 2 ? &p->on_device.view : &p->on_host.view;
}

void placed_check(placed *p, int done, const xncc_map *want, const char *what)
{
    if (done && p->on_device.memory) {
        device_map_check(&p->on_device, want, what);
    } else if (done) {
        check_same(&p->on_host.view, want, what);
        CHECK(kit_map_padding_intact(&p->on_host));
    }
}

void placed_destroy(placed *p)
{
    if (p->twin.memory)
        device_image_destroy(&p->twin);
    if (p->on_device.memory)
        device_map_destroy(&p->on_device);
    kit_map_destroy(&p->on_host);
}
