/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenes for the batch test. */
#include "unit/batch.h"

#include <stdio.h>
#include <string.h>

static int32_t channels_of(const xncc_image *image)
{
    return image->channels ? image->channels : 1;
}

static void set_sample(batch_picture *p, int64_t i, uint64_t value)
{
    void *at = p->memory;
    switch (p->view.pixel) {
    case XNCC_U8: ((uint8_t *)at)[i] = (uint8_t)(value * 31); break;
    case XNCC_U16: ((uint16_t *)at)[i] = (uint16_t)(value * 8111); break;
    case XNCC_S16: ((int16_t *)at)[i] = (int16_t)((int)value * 4001 - 16000); break;
    case XNCC_F32: ((float *)at)[i] = (float)value * 0.37f; break;
    case XNCC_S8:
    case XNCC_U32:
    case XNCC_F64: kit_give_up("a pixel type that the scenes have not");
    }
}

static void fill(batch_picture *p, kit_random *random)
{
    const int64_t count = (int64_t)p->view.width * p->view.height;
    for (int64_t i = 0; i < count * channels_of(&p->view); i++)
        set_sample(p, i, kit_below(random, 8));
    for (int64_t i = 0; i < count; i++)
        p->mask[i] = kit_below(random, 5) != 0;
    p->mask[count / 2] = 1;
}

/* Every second template has the mask of an earlier one of its size, if there is one. */
static void share_mask(batch_scene *s, int i, kit_random *random)
{
    batch_picture *p = &s->pixels[i];
    const int64_t count = (int64_t)p->view.width * p->view.height;
    const int wanted = kit_below(random, 2) == 0;
    for (int k = 0; k < i && wanted; k++)
        if (s->pixels[k].view.width == p->view.width && s->pixels[k].view.height == p->view.height)
            memcpy(p->mask, s->pixels[k].mask, (size_t)count);
}

static void make(batch_picture *p, const batch_kind *kind, int32_t width, int32_t height)
{
    p->view = (xncc_image){ .data = p->memory,
                            .width = width,
                            .height = height,
                            .pixel = kind->pixel,
                            .channels = kind->channels };
}

static size_t pixel_bytes(const xncc_image *image)
{
    return xncc_pixel_size(image->pixel) * (size_t)channels_of(image);
}

/* Copies a template's pixels into the scene. */
static void plant(batch_scene *s, const xncc_image *templ, kit_random *random)
{
    const xncc_image *scene = &s->scene.view;
    if (templ->width > scene->width || templ->height > scene->height)
        return;
    const size_t size = pixel_bytes(scene);
    const int32_t left = kit_between(random, 0, scene->width - templ->width),
                  top = kit_between(random, 0, scene->height - templ->height);
    for (int32_t y = 0; y < templ->height; y++)
        memcpy((char *)s->scene.memory +
                   ((size_t)(top + y) * (size_t)scene->width + (size_t)left) * size,
               (const char *)templ->data + (size_t)y * (size_t)templ->width * size,
               (size_t)templ->width * size);
}

static void upload(batch_scene *s)
{
    const size_t pixels = (size_t)(s->scene.view.width * s->scene.view.height),
                 bytes = pixels * pixel_bytes(&s->scene.view);
    s->device_scene = s->scene.view;
    s->device_scene.memory = XNCC_DEVICE;
    s->device_scene.data = s->memory;
    CHECK(kit_device_upload(s->memory, s->scene.memory, bytes));
    if (s->scene.view.mask) {
        s->device_scene.mask = (uint8_t *)s->memory + sizeof s->scene.memory;
        CHECK(kit_device_upload((uint8_t *)s->memory + sizeof s->scene.memory, s->scene.mask,
                                pixels));
    }
}

void batch_scene_change(batch_scene *s, kit_random *random)
{
    fill(&s->scene, random);
    for (int i = (s->count - 1) / 2 * 2; i >= 0;
         i -= 2) /* the first template comes last, so that it stays whole */
        plant(s, &s->pixels[i].view, random);
    if (s->memory)
        upload(s);
}

void batch_scene_make(batch_scene *s, xncc_context *context, const batch_kind *kind,
                      uint64_t number, int on_device)
{
    static const int32_t size[][2] = {
        { 5, 4 }, { 9, 7 }, { 3, 8 }, { 5, 4 }
    }; /* one of them twice */
    kit_random random = kit_stream(900 + number);
    memset(s, 0, sizeof *s);
    s->context = context;
    s->count = 1 + (int)kit_below(&random, BATCH_TEMPLS);
    const int32_t width = kit_between(&random, 20, 48), height = kit_between(&random, 16, 40);
    make(&s->scene, kind, width, height);
    for (int i = 0; i < s->count; i++) {
        const int32_t *z = size[kit_below(&random, 4)];
        make(&s->pixels[i], kind, z[0], z[1]);
        fill(&s->pixels[i], &random);
        share_mask(s, i, &random);
        if (kind->masks && kit_below(&random, 2))
            s->pixels[i].view.mask = s->pixels[i].mask;
        CHECK_STATUS(xncc_template_create(context, &s->pixels[i].view, &s->templ[i], &kit_error),
                     XNCC_OK);
    }
    if (kind->masks)
        s->scene.view.mask = s->scene.mask;
    if (on_device && !(s->memory = kit_device_alloc(sizeof s->scene.memory + sizeof s->scene.mask)))
        kit_give_up("no device memory for the test");
    batch_scene_change(s, &random);
    (void)snprintf(s->name, sizeof s->name,
                   "round %d: %s x %d, mode %d, border %d, masks %d, %d templates in %d x %d",
                   (int)number, xncc_pixel_name(kind->pixel), channels_of(&s->scene.view),
                   (int)kind->mode, (int)kind->border, kind->masks, s->count, s->scene.view.width,
                   s->scene.view.height);
}

int batch_scene_served(const batch_scene *s, const xncc_problem *problem)
{
    int served = 1;
    for (int i = 0; i < s->count; i++) {
        xncc_problem p = *problem;
        p.templ_width = s->pixels[i].view.width;
        p.templ_height = s->pixels[i].view.height;
        p.templ_masked = xncc_template_is_masked(s->templ[i]);
        served = served && xncc_kernel_list(s->context, &p, NULL, 0) > 0;
    }
    if (!served)
        printf("not served: %s\n", s->name);
    return served || !CHECK(s->memory != NULL);
}

void batch_scene_free(batch_scene *s)
{
    for (int i = 0; i < s->count; i++)
        xncc_template_destroy(s->templ[i]);
    if (s->memory)
        kit_device_free(s->memory);
}
