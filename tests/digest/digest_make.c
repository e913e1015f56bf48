/* SPDX-License-Identifier: BSD-2-Clause */
/* Images, masks and maps of the digest program, and device memory. */
#include "digest.h"

#ifdef DIGEST_CUDA
#include <cuda_runtime_api.h>
#endif

enum { PATTERN = 0xA7 };

void *device_copy(const run *r, const void *bytes, size_t count)
{
    void *device = NULL;
    if (!r->device_memory)
        return NULL;
#ifdef DIGEST_CUDA
    if (cudaMalloc(&device, count) != cudaSuccess ||
        cudaMemcpy(device, bytes, count, cudaMemcpyHostToDevice) != cudaSuccess ||
        cudaDeviceSynchronize() != cudaSuccess) {
        fprintf(stderr, "digest: no device memory\n");
        exit(1);
    }
#else
    (void)bytes;
    (void)count;
#endif
    return device;
}

void device_back(void *bytes, const void *device, size_t count)
{
#ifdef DIGEST_CUDA
    if (cudaDeviceSynchronize() != cudaSuccess ||
        cudaMemcpy(bytes, device, count, cudaMemcpyDeviceToHost) != cudaSuccess) {
        fprintf(stderr, "digest: device memory cannot be read\n");
        exit(1);
    }
#else
    (void)bytes;
    (void)device;
    (void)count;
#endif
}

void device_free(void *device)
{
#ifdef DIGEST_CUDA
    if (device)
        (void)cudaFree(device);
#else
    (void)device;
#endif
}

static unsigned char *take(size_t size)
{
    unsigned char *memory = malloc(size);
    if (!memory) {
        fprintf(stderr, "digest: no memory\n");
        exit(1);
    }
    return memory;
}

/* Fills memory with junk. */
unsigned char *memory_junk(size_t size, rng *random)
{
    unsigned char *memory = take(size);
    uint64_t word = draw(random) | 1;
    for (size_t i = 0; i < size; i++, word = word * 6364136223846793005u + 1442695040888963407u)
        memory[i] = (unsigned char)(word >> 56);
    return memory;
}

sheet sheet_make(const run *r, int32_t width, int32_t height, rng *random, int on_device)
{
    sheet s = { .offset = GUARD + 4 * (size_t)below(random, 4) };
    s.pitch = 4 * ((int64_t)width + below(random, 4));
    s.size = s.offset + (size_t)(s.pitch * height) + GUARD;
    s.memory = take(s.size);
    memset(s.memory, PATTERN, s.size);
    s.view = (xncc_map){ (float *)(void *)(s.memory + s.offset), width, height, s.pitch,
                         XNCC_HOST };
    s.device = on_device ? device_copy(r, s.memory, s.size) : NULL;
    if (s.device) {
        s.view.data = (float *)(void *)((char *)s.device + s.offset);
        s.view.memory = XNCC_DEVICE;
    }
    if (s.pitch == 4 * (int64_t)width && once_in(random, 2))
        s.view.pitch = 0;
    return s;
}

static int holds_pattern(const unsigned char *bytes, size_t count)
{
    while (count > 0 && bytes[count - 1] == PATTERN)
        count--;
    return count == 0;
}

void sheet_hash(const sheet *s, digest *d)
{
    if (s->device)
        device_back(s->memory, s->device, s->size);
    const size_t row = 4 * (size_t)s->view.width, last = s->size - GUARD;
    int intact = holds_pattern(s->memory, s->offset) && holds_pattern(s->memory + last, GUARD);
    for (int32_t y = 0; y < s->view.height; y++) {
        const unsigned char *at = s->memory + s->offset + s->pitch * y;
        for (int32_t x = 0; x < s->view.width; x++) {
            float score;
            memcpy(&score, at + 4 * x, sizeof score);
            hash_float(d, score);
        }
        intact &= holds_pattern(at + row, (size_t)s->pitch - row);
    }
    hash_word(d, (uint64_t)intact);
}

void sheet_free(const sheet *s)
{
    device_free(s->device);
    free(s->memory);
}

int pixel_is_float(xncc_pixel pixel)
{
    return pixel == XNCC_F32 || pixel == XNCC_F64;
}

double pixel_largest(xncc_pixel pixel)
{
    static const double most[] = {
        [XNCC_U8] = 255,    [XNCC_U16] = 65535,        [XNCC_F32] = 4096, [XNCC_S8] = 127,
        [XNCC_S16] = 32767, [XNCC_U32] = 4294967295.0, [XNCC_F64] = 4096
    };
    return most[pixel];
}

static double smallest(xncc_pixel pixel)
{
    return pixel == XNCC_S8 ? -128 : pixel == XNCC_S16 ? -32768 : 0;
}

static unsigned char *sample_at(const xncc_image *v, int32_t x, int32_t y, int32_t c)
{
    size_t size = xncc_pixel_size(v->pixel), channels = v->channels ? (size_t)v->channels : 1;
    return (unsigned char *)v->data + v->pitch * y + ((size_t)x * channels + (size_t)c) * size;
}

void sample_put(const xncc_image *v, int32_t x, int32_t y, int32_t c, double number)
{
    unsigned char *at = sample_at(v, x, y, c);
    switch (v->pixel) {
    case XNCC_U8: *at = (uint8_t)number; break;
    case XNCC_S8: memcpy(at, &(int8_t){ (int8_t)number }, 1); break;
    case XNCC_U16: memcpy(at, &(uint16_t){ (uint16_t)number }, 2); break;
    case XNCC_S16: memcpy(at, &(int16_t){ (int16_t)number }, 2); break;
    case XNCC_U32: memcpy(at, &(uint32_t){ (uint32_t)number }, 4); break;
    case XNCC_F32: memcpy(at, &(float){ (float)number }, 4); break;
    case XNCC_F64: memcpy(at, &number, 8); break;
    }
}

double sample_get(const xncc_image *v, int32_t x, int32_t y, int32_t c)
{
    const unsigned char *at = sample_at(v, x, y, c);
    union {
        int8_t s8;
        uint16_t u16;
        int16_t s16;
        uint32_t u32;
        float f32;
        double f64;
    } u;
    memcpy(&u, at, xncc_pixel_size(v->pixel));
    switch (v->pixel) {
    case XNCC_U8: return *at;
    case XNCC_S8: return u.s8;
    case XNCC_U16: return u.u16;
    case XNCC_S16: return u.s16;
    case XNCC_U32: return u.u32;
    case XNCC_F32: return (double)u.f32;
    case XNCC_F64: return u.f64;
    }
    return 0.0;
}

static double fill_value(const xncc_image *v, int kind, int32_t x, int32_t y, rng *random)
{
    const double low = smallest(v->pixel), high = pixel_largest(v->pixel);
    switch (kind) {
    case FILL_ZERO: return 0;
    case FILL_MAX: return high;
    case FILL_CHECKER: return (x + y) % 2 ? high : low;
    case FILL_BLOCKS: return (x / 5 + y / 3) % 2 ? high : low;
    case FILL_GRADIENT: return fmod(3.0 * x + 7.0 * y, 101.0);
    case FILL_NEAR_FLAT: return high - (double)below(random, 2);
    case FILL_FLAT: return 77;
    case FILL_FEW: return (double)below(random, 4);
    case FILL_HALF: return x >= v->width / 2 ? 0 : (double)below(random, 100);
    case FILL_BLOBS:
        return 40 + abs(x % 40 - 20) + abs((y + x / 7) % 54 - 27) + (double)below(random, 3);
    default: break;
    }
    if (pixel_is_float(v->pixel))
        return ((double)(draw(random) >> 40) - 0x1p23) * 0x1p-11;
    return low + floor((double)(draw(random) >> 32) * 0x1p-32 * (high - low + 1));
}

void picture_fill(const xncc_image *v, int kind, rng *random)
{
    static const double scale[] = { 1, 1, 1, 0x1p-40, 0x1p20, 0x1p450 },
                        offset[] = { 0, 0, 1e6, -3e7, 1e12 };
    double by = pixel_is_float(v->pixel) ? scale[below(random, v->pixel == XNCC_F64 ? 6 : 4)] : 1,
           add = 0;
    if (pixel_is_float(v->pixel) && by < 1e100)
        add = offset[below(random, v->pixel == XNCC_F64 ? 5 : 3)];
    const int32_t channels = v->channels ? v->channels : 1;
    for (int32_t y = 0; y < v->height; y++)
        for (int32_t x = 0; x < v->width; x++)
            for (int32_t c = 0; c < channels; c++)
                sample_put(v, x, y, c,
                           fill_value(v, kind == FILL_ONE_OFF ? FILL_FLAT : kind, x, y, random) *
                                   by +
                               add);
    if (kind == FILL_ONE_OFF) {
        int32_t x = below(random, v->width), y = below(random, v->height);
        sample_put(v, x, y, 0, 78 * by + add);
    }
}

picture picture_make(xncc_pixel pixel, int32_t channels, int32_t width, int32_t height, rng *random)
{
    const size_t sample = xncc_pixel_size(pixel),
                 row = (size_t)width * (size_t)(channels ? channels : 1) * sample;
    picture p = { .view = {
                      .width = width, .height = height, .pixel = pixel, .channels = channels } };
    size_t before = GUARD + sample * (size_t)below(random, 4);
    p.view.pitch = (int64_t)(row + sample * (size_t)below(random, 6));
    size_t size = before + (size_t)p.view.pitch * (size_t)height + GUARD;
    p.memory = memory_junk(size, random);
    p.view.data = p.memory + before;
    return p;
}

static size_t bytes_of(const unsigned char *memory, const void *data, int64_t pitch, int32_t height)
{
    return (size_t)((const unsigned char *)data - memory) + (size_t)pitch * (size_t)height + GUARD;
}

void picture_upload(const run *r, picture *p)
{
    const xncc_image *v = &p->view;
    p->twin = *v;
    p->device = device_copy(r, p->memory, bytes_of(p->memory, v->data, v->pitch, v->height));
    if (!p->device)
        return;
    p->twin.memory = XNCC_DEVICE;
    p->twin.data = (char *)p->device + ((const unsigned char *)v->data - p->memory);
    if (v->mask) {
        p->device_mask = device_copy(r, p->mask_memory,
                                     bytes_of(p->mask_memory, v->mask, v->mask_pitch, v->height));
        p->twin.mask = (const uint8_t *)p->device_mask + (v->mask - p->mask_memory);
    }
}

void picture_free(picture *p)
{
    device_free(p->device);
    device_free(p->device_mask);
    free(p->memory);
    free(p->mask_memory);
    *p = (picture){ .memory = NULL };
}
