/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that plans leave to later plans: who gets it, how much is kept, and that no score depends
 * on what it holds. */
#include "kit/pixels.h"

#include "api/objects.h"
#include "base/memory.h"
#include "cpu/cpu_plan.h"

#include <pthread.h>
#include <string.h>

enum { LEAST = 256, MEGA = 1 << 20, MOST = 64 * MEGA, THREADS = 3, SIDE = 150 };

/* ---- the list ---- */

static void check_list(void)
{
    xncc_kept kept;
    xncc_kept_init(&kept);
    char *a = xncc_kept_take(&kept, 1000), *b = xncc_kept_take(&kept, 1500);
    CHECK(a && b && (uintptr_t)a % 64 == 0 && (uintptr_t)b % 64 == 0);
    memset(a, 1, 1000);
    memset(b, 2, 1500);
    xncc_kept_give(&kept, NULL);
    xncc_kept_give(&kept, a);
    xncc_kept_give(&kept, b);
    CHECK_INT(kept.bytes, 2500);
    CHECK(xncc_kept_take(&kept, 900) == a); /* the smallest that is large enough */
    CHECK(xncc_kept_take(&kept, 900) == b);
    xncc_kept_give(&kept, b);
    xncc_kept_give(&kept, a);
    char *c = xncc_kept_take(&kept, 499), *d = xncc_kept_take(&kept, 1501);
    CHECK(c && c != a && c != b); /* more than half of a would be wasted */
    CHECK(d && d != a && d != b);
    xncc_kept_give(&kept, c);
    xncc_kept_give(&kept, d);
    CHECK_INT(kept.count, 4);
    CHECK_INT(kept.bytes, 4500);

    /* A request fails as one of xncc_alloc does, and what would have served it stays. */
    (void)xncc_alloc_fail(1, 0);
    CHECK(!xncc_kept_take(&kept, 1000));
    CHECK_INT(xncc_alloc_fail(0, 0), 1);
    CHECK_INT(kept.bytes, 4500);
    CHECK(xncc_kept_take(&kept, 1000) == a);
    xncc_kept_give(&kept, a);
    CHECK(!xncc_kept_take(&kept, UINT64_MAX));
    xncc_kept_clear(&kept);
    CHECK(kept.count == 0 && kept.bytes == 0);
    xncc_kept_give(&kept, xncc_kept_take(&kept, 1000));
    CHECK_INT(kept.bytes, 1000);
    xncc_kept_destroy(&kept);
}

/* Pages that are never touched cost nothing. */
static void check_limits(void)
{
    enum { MORE = 20 };
    void *piece[XNCC_KEPT_PIECES + MORE];
    xncc_kept kept;
    xncc_kept_init(&kept);
    for (int i = 0; i < 3; i++)
        piece[i] = xncc_kept_take(&kept, XNCC_KEPT_BYTES / 2);
    for (int i = 0; i < 3; i++)
        xncc_kept_give(&kept, piece[i]);
    CHECK_INT(kept.count, 2); /* the newest ones */
    CHECK_INT(kept.bytes, XNCC_KEPT_BYTES);
    CHECK(xncc_kept_take(&kept, XNCC_KEPT_BYTES / 2) == piece[2]);
    CHECK(xncc_kept_take(&kept, XNCC_KEPT_BYTES / 2) == piece[1]);
    xncc_kept_give(&kept, piece[1]);
    xncc_kept_give(&kept, xncc_kept_take(&kept, (uint64_t)XNCC_KEPT_BYTES + 1));
    CHECK(kept.bytes <= XNCC_KEPT_BYTES);
    xncc_kept_give(&kept, piece[2]);
    for (int i = 0; i < XNCC_KEPT_PIECES + MORE; i++)
        piece[i] = xncc_kept_take(&kept, 64);
    for (int i = 0; i < XNCC_KEPT_PIECES + MORE; i++)
        xncc_kept_give(&kept, piece[i]);
    CHECK_INT(kept.count, XNCC_KEPT_PIECES);
    CHECK_INT(kept.bytes, 64 * XNCC_KEPT_PIECES);
    xncc_kept_destroy(&kept);
}

/* No two threads have a piece at a time. */
static void *take_and_give(void *kept)
{
    enum { ROUNDS = 3000 };
    kit_random random = kit_stream(7);
    for (int i = 0; i < ROUNDS; i++) {
        const uint64_t bytes = 1 + kit_below(&random, 4096);
        unsigned char *memory = xncc_kept_take(kept, bytes);
        memset(memory, i, (size_t)bytes);
        CHECK(memory[0] == (unsigned char)i && memory[bytes - 1] == (unsigned char)i);
        xncc_kept_give(kept, memory);
    }
    return NULL;
}

static void check_threads(void)
{
    xncc_kept kept;
    pthread_t thread[THREADS];
    xncc_kept_init(&kept);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, take_and_give, &kept) != 0)
            kit_give_up("pthread_create failed");
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    /* how many pieces there are depends on the order of the threads */
    CHECK(kept.count >= 1 && kept.count <= XNCC_KEPT_PIECES);
    CHECK(kept.bytes >= (uint64_t)kept.count && kept.bytes <= (uint64_t)kept.count * 4096);
    xncc_kept_clear(&kept);
    CHECK(kept.count == 0 && kept.bytes == 0);
    xncc_kept_destroy(&kept);
}

/* ---- scores ---- */

static xncc_kept *kept_of(const xncc_context *context)
{
    return &((cpu_engine *)context->engine[xncc_slot(XNCC_DEVICE_CPU)])->kept;
}

/* Fills the list with pieces from LEAST to MOST bytes, of which all bytes are `value`: as many of
 * each size as a plan takes. Only what a plan rarely touches is larger than 2 MB. */
static void soil(xncc_context *context, int value)
{
    enum { COPIES = 2 * THREADS + 1, SIZES = 32 };
    void *piece[COPIES * SIZES];
    int count = 0;
    for (uint64_t bytes = LEAST; bytes <= MOST; bytes *= 2)
        for (int i = 0; i < (bytes <= 2 * MEGA ? COPIES : THREADS); i++) {
            piece[count] = xncc_kept_take(kept_of(context), bytes);
            memset(piece[count++], value, (size_t)bytes);
        }
    while (count > 0)
        xncc_kept_give(kept_of(context), piece[--count]);
}

static kit_map map_of(xncc_context *context, const kit_image *image, const kit_image *templ,
                      const kit_options *o)
{
    int32_t width, height, x0, y0;
    xncc_template *template = NULL;
    CHECK_STATUS(kit_map_extent(o->mode, image->view.width, image->view.height, templ->view.width,
                                templ->view.height, &width, &height, &x0, &y0),
                 XNCC_OK);
    kit_map map = kit_map_create(width, height, 0, KIT_AFTER);
    CHECK_STATUS(xncc_template_create(context, &templ->view, &template, &kit_error), XNCC_OK);
    CHECK_STATUS(kit_correlate(context, &image->view, template, o, &map.view), XNCC_OK);
    xncc_template_destroy(template);
    return map;
}

/* An image and a template cut from it; floats have a range that sends some windows through every
 * step. */
static void make_scene(xncc_pixel pixel, kit_random *random, kit_image *image, kit_image *templ)
{
    const int32_t channels = kit_below(random, 4) ? 1 : 3, side = kit_between(random, 1, 50),
                  width = SIDE - kit_between(random, 0, 40),
                  height = SIDE - kit_between(random, 0, 40);
    *image = kit_image_create_channels(pixel, channels, width, height, (kit_room){ 0, KIT_AFTER });
    *templ = kit_image_create_channels(pixel, channels, side, side, (kit_room){ 0, KIT_AFTER });
    kit_image_fill(&image->view, kit_below(random, 2) ? KIT_NOISE : KIT_GRADIENT, random);
    if (pixel == XNCC_F32 || pixel == XNCC_F64)
        for (int32_t y = 0; y < height; y++)
            for (int32_t x = 0; x < width; x++)
                kit_pixel_set(&image->view, x, y,
                              kit_pixel(&image->view, x, y) * (kit_below(random, 9) ? 1.1 : 1e9));
    kit_image_copy(&templ->view, &image->view, kit_between(random, 0, width - side),
                   kit_between(random, 0, height - side));
    if (kit_below(random, 3) == 0 && side > 1) {
        kit_image_mask(templ, (kit_room){ 0, KIT_AFTER });
        kit_mask_set(&templ->view, side / 2, 0, 0);
    }
    if (kit_below(random, 3) == 0) {
        kit_image_mask(image, (kit_room){ 0, KIT_AFTER });
        kit_mask_set(&image->view, width / 2, height / 3, 0);
    }
}

/* The maps of all kernels are the same from memory that is dirty as from memory that is fresh. */
static void check_scene(xncc_context *dirty, xncc_pixel pixel, kit_random *random)
{
    static const xncc_method methods[] = { XNCC_CCOEFF_NORMED, XNCC_CCOEFF_NORMED,
                                           XNCC_SQDIFF_NORMED, XNCC_CCORR, XNCC_COVERAGE };
    kit_options o = { .method = methods[kit_below(random, 5)],
                      .mode = kit_below(random, 2) ? XNCC_SAME : XNCC_VALID,
                      .border = kit_below(random, 2) ? XNCC_BORDER_OVERLAP : XNCC_BORDER_CLAMP };
    const char *name[XNCC_KERNEL_COUNT];
    kit_image image, templ;
    make_scene(pixel, random, &image, &templ);
    xncc_problem problem = XNCC_PROBLEM_INIT;
    xncc_template *template = NULL;
    CHECK_STATUS(xncc_template_create(dirty, &templ.view, &template, &kit_error), XNCC_OK);
    CHECK_STATUS(xncc_problem_set(&problem, &image.view, template, &kit_error), XNCC_OK);
    xncc_template_destroy(template);
    problem.rule = kit_match_rule(&o);
    const size_t kernels = xncc_kernel_list(dirty, &problem, name, XNCC_KERNEL_COUNT);
    CHECK(kernels > 1);
    for (size_t k = 0; k < kernels; k++) {
        if (strcmp(name[k], "reference") == 0) /* it is slow, and takes no memory */
            continue;
        xncc_context *fresh = kit_context(XNCC_DEVICE_CPU, THREADS);
        o.kernel = name[k];
        soil(dirty, kit_below(random, 2) ? 0xff : kit_between(random, 0, 255));
        const uint64_t bytes = kept_of(dirty)->bytes;
        kit_map a = map_of(fresh, &image, &templ, &o), b = map_of(dirty, &image, &templ, &o);
        for (int32_t y = 0; y < a.view.height; y++)
            if (memcmp(kit_map_row(&a.view, y), kit_map_row(&b.view, y),
                       (size_t)a.view.width * sizeof(float)) != 0) {
                kit_fail(__FILE__, __LINE__, "%s: row %d of %d differs", name[k], y, a.view.height);
                break;
            }
        CHECK_INT(kept_of(dirty)->bytes, bytes); /* so that all memory was dirty */
        kit_map_destroy(&a);
        kit_map_destroy(&b);
        xncc_context_destroy(fresh);
    }
    kit_image_destroy(&image);
    kit_image_destroy(&templ);
}

int main(int argc, char **argv)
{
    static const xncc_pixel pixels[] = { XNCC_U8,  XNCC_S8,  XNCC_U16, XNCC_S16,
                                         XNCC_U32, XNCC_F32, XNCC_F64 };
    kit_start(argc, argv);
    check_list();
    check_limits();
    check_threads();
    kit_random random = kit_stream(1);
    xncc_context *dirty = kit_context(XNCC_DEVICE_CPU, THREADS);
    for (int i = 0; i < (kit_shortest() ? 1 : 3); i++)
        for (size_t p = 0; p < sizeof pixels / sizeof *pixels; p++)
            check_scene(dirty, pixels[p], &random);
    xncc_context_destroy(dirty);
    return kit_finish("kept");
}
