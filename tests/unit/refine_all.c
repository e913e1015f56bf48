/* SPDX-License-Identifier: BSD-2-Clause */
/* Refinement in every mode, with every border, masks, no-data values, channels and pixel types. */
#include "unit/refine_all.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CASES = 420, MOST_PIXELS = 14 * 14, MOST_CHANNELS = 3 };

/* An image with room for any pixel type. */
typedef struct picture {
    xncc_image view;
    double memory[MOST_PIXELS * MOST_CHANNELS];
    uint8_t mask[MOST_PIXELS];
} picture;

static void set_sample(picture *p, int64_t i, double value)
{
    void *at = p->memory;
    switch (p->view.pixel) {
    case XNCC_U8: ((uint8_t *)at)[i] = (uint8_t)value; break;
    case XNCC_S8: ((int8_t *)at)[i] = (int8_t)(value - 100); break;
    case XNCC_U16: ((uint16_t *)at)[i] = (uint16_t)(value * 250); break;
    case XNCC_S16: ((int16_t *)at)[i] = (int16_t)((value - 100) * 250); break;
    case XNCC_U32: ((uint32_t *)at)[i] = (uint32_t)(value * 16000000); break;
    case XNCC_F32: ((float *)at)[i] = (float)(value * 0.37); break;
    case XNCC_F64: ((double *)at)[i] = value * 0.37; break;
    }
}

/* masks: bit 0 a mask, bit 1 a no-data value */
static void make(picture *p, kit_random *random, int32_t width, int32_t height, int masks)
{
    const int32_t count = width * height, channels = p->view.channels ? p->view.channels : 1;
    p->view.width = width;
    p->view.height = height;
    p->view.data = p->memory;
    for (int32_t i = 0; i < count * channels; i++)
        set_sample(p, i, (double)kit_below(random, 8) * 25);
    for (int32_t i = 0; i < count; i++)
        p->mask[i] = kit_below(random, 4) ? 200 : 0;
    p->mask[0] = 1;
    if (masks & 1)
        p->view.mask = p->mask;
    if (masks & 2) {
        const int nan = p->view.pixel == XNCC_F32 && kit_below(random, 2);
        p->view.has_no_data = 1;
        p->view.no_data = nan ? (double)NAN : 0.0;
        for (int32_t i = 0; nan && i < count * channels; i++)
            if (kit_below(random, 6) == 0)
                ((float *)(void *)p->memory)[i] = NAN;
    }
}

/* Copies the scene to device memory. Returns NULL if there is none. */
static void *upload(const xncc_image *host, xncc_image *device)
{
    const int32_t channels = host->channels ? host->channels : 1;
    const size_t pixels = (size_t)(host->width * host->height),
                 bytes = pixels * (size_t)channels * xncc_pixel_size(host->pixel);
    char *memory = kit_device_alloc(bytes + pixels);
    if (!memory)
        kit_give_up("no device memory for the test");
    *device = *host;
    device->data = memory;
    device->memory = XNCC_DEVICE;
    device->mask = host->mask ? (const uint8_t *)memory + bytes : NULL;
    CHECK(kit_device_upload(memory, host->data, bytes));
    if (host->mask)
        CHECK(kit_device_upload(memory + bytes, host->mask, pixels));
    return memory;
}

/* Does the context have a kernel for the whole map, and one for the map of the neighbourhood? */
static int is_served(xncc_context *context, const xncc_image *scene, const xncc_image *templ,
                     const kit_find_options *o)
{
    xncc_problem p = kit_problem(
        (xncc_problem){ .pixel = scene->pixel,
                        .image_width = scene->width,
                        .image_height = scene->height,
                        .templ_width = templ->width,
                        .templ_height = templ->height,
                        .rule.method = o->method,
                        .rule.mode = o->mode,
                        .rule.border = o->border,
                        .channels = scene->channels,
                        .image_masked = scene->mask || scene->has_no_data,
                        .templ_masked = templ->mask || templ->has_no_data });
    if (xncc_kernel_list(context, &p, NULL, 0) == 0)
        return 0;
    p.image_masked = p.image_masked || p.rule.border == XNCC_BORDER_OVERLAP;
    p.rule.mode = XNCC_VALID;
    p.image_width = p.templ_width + 2;
    p.image_height = p.templ_height + 2;
    return xncc_kernel_list(context, &p, NULL, 0) > 0;
}

void check_every_problem(xncc_context *context, int on_device)
{
    static picture scene, templ;
    static const double least[] = { 0, 0.2, 1 };
    kit_random random = kit_stream(31);
    for (int k = 0; k < CASES; k++) {
        memset(&scene, 0, sizeof scene);
        memset(&templ, 0, sizeof templ);
        scene.view.pixel = templ.view.pixel = (xncc_pixel)(k % 7);
        scene.view.channels = templ.view.channels = k % 3 ? 0
                                                          : kit_between(&random, 1, MOST_CHANNELS);
        const kit_find_options o = { .method = (xncc_method)kit_below(&random, 7),
                                     .mode = (xncc_mode)(k / 7 % 3),
                                     .border = (xncc_border)(k / 21 % 5),
                                     .min_valid = least[kit_below(&random, 3)] };
        const int beyond = o.mode != XNCC_VALID &&
                           k % 4 == 0; /* the template may be larger than the scene */
        int masks = kit_between(&random, 0, 3);
        masks = scene.view.pixel == XNCC_F32 || kit_below(&random, 2) ? masks : 0;
        const int32_t w = kit_between(&random, beyond ? 1 : 6, 14),
                      h = kit_between(&random, beyond ? 1 : 6, 14);
        make(&scene, &random, w, h, masks);
        const int32_t templ_width = kit_between(&random, 1, 6),
                      templ_height = kit_between(&random, 1, 6);
        const int templ_masks = (int)kit_below(&random, 2);
        make(&templ, &random, templ_width, templ_height, templ_masks);
        if (!is_served(context, &scene.view, &templ.view, &o)) {
            CHECK(on_device); /* the CPU serves everything */
            continue;
        }
        check_against_map(context, &scene.view, &templ.view, &o);
        if (on_device) {
            xncc_image there;
            void *memory = upload(&scene.view, &there);
            check_against_map(context, &there, &templ.view, &o);
            kit_device_free(memory);
        }
    }
}
