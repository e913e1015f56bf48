/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of CUDA plans, the exact sizes of their buffers, and the text that describes them. The
 * sizes are computed here from what the kernels read and write, not by the code that decides. */
#include "unit/machines.h"

#include "plan/decide.h"
#include "plan/search_cuda.h"

#include <stdio.h>
#include <string.h>

/* An H200 whose host has no engine. */
static xncc_machine gpu(void)
{
    xncc_machine m = machine(5);
    m.cpu.absent = 1;
    return m;
}

/* ---- which steps a problem gets ---- */

/* A problem with one channel, in mode valid, by ccoeff_normed, unless the fields say otherwise. */
typedef struct wanted {
    const char *kernel, *steps;
    xncc_pixel pixel;
    int32_t width, height; /* of the template; height 0: 20 */
    int32_t channels;
    xncc_method method;
    xncc_mode mode;
    xncc_border border;
    int templ_masked, image_masked;
} wanted;

static const wanted some_steps[] = {
    /* plain, by kernels that read whole pixels */
    { "shared", "band, pixel-products, window-score", .pixel = XNCC_U8, .width = 32 },
    { "fft", "band, pixel-products, window-score", .pixel = XNCC_U8, .width = 128 },
    { "tex-tex", "band, pixel-products, row-sums, column-score", .pixel = XNCC_U8, .width = 129 },
    { "shared", "band, pixel-products, row-sums, column-score", .pixel = XNCC_U16, .width = 32 },
    { "shared", "band, pixel-products, row-sums, column-score", .pixel = XNCC_F32, .width = 32 },
    /* plain, by tensor kernels */
    { "tensor-fused", "planes, fused", .pixel = XNCC_U8, .width = 32 },
    { "tensor-wgmma", "planes, plane-products, strip-score", .pixel = XNCC_U8, .width = 32 },
    { "tensor-mma", "planes, plane-products, strip-score", .pixel = XNCC_U16, .width = 32 },
    { "tensor-wgmma", "planes, plane-products, strip-score", .pixel = XNCC_U8, .width = 32,
      .method = XNCC_SQDIFF },
    { "tensor-mma", "planes, plane-products, channel-score", .pixel = XNCC_U16, .width = 32,
      .method = XNCC_SQDIFF },
    { "tensor-fused", "planes, fused", .pixel = XNCC_U8, .width = 32, .method = XNCC_CCOEFF },
    { "tensor-wgmma", "planes, plane-products, window-sums, term-score", .pixel = XNCC_U8,
      .width = 129, .method = XNCC_SQDIFF },
    /* another border, or signed samples */
    { "shared", "border, pixel-products, window-score", .pixel = XNCC_U8, .width = 32,
      .mode = XNCC_SAME, .border = XNCC_BORDER_ZERO },
    { "shared", "border, pixel-products, window-score", .pixel = XNCC_S8, .width = 32 },
    { "tensor-wgmma", "planes, plane-products, strip-score", .pixel = XNCC_U8, .width = 32,
      .mode = XNCC_SAME, .border = XNCC_BORDER_ZERO },
    { "tensor-wgmma", "planes, plane-products, strip-score", .pixel = XNCC_S16, .width = 32 },
    { "tensor-wgmma", "planes, plane-products, strip-score", .pixel = XNCC_S8, .width = 32,
      .method = XNCC_CCORR_NORMED },
    { "tensor-wgmma", "planes, plane-products, channel-score", .pixel = XNCC_S16, .width = 32,
      .method = XNCC_CCORR_NORMED },
    /* several channels */
    { "tensor-wgmma", "planes, plane-products, channel-score", .pixel = XNCC_U8, .width = 32,
      .channels = 3 },
    { "shared", "planes, plane-products, channel-score", .pixel = XNCC_U16, .width = 32,
      .channels = 4 },
    { "tensor-wgmma", "planes, plane-products, window-sums, term-score", .pixel = XNCC_U8,
      .width = 32, .channels = 5 },
    { "tensor-fused", "planes, fused-channels", .pixel = XNCC_U8, .width = 32, .channels = 3 },
    { "tensor-fused", "planes, fused", .pixel = XNCC_S8, .width = 32, .method = XNCC_CCORR },
    /* pixels that do not count */
    { "tensor-wgmma", "planes, plane-products, masked-score", .pixel = XNCC_U8, .width = 32,
      .templ_masked = 1 },
    { "fft", "planes, plane-products, masked-score", .pixel = XNCC_U8, .width = 32,
      .templ_masked = 1, .image_masked = 1 },
    { "tensor-wgmma", "planes, plane-products, masked-windows", .pixel = XNCC_U8, .width = 32,
      .image_masked = 1 },
    { "tensor-wgmma", "planes, plane-products, masked-windows", .pixel = XNCC_U8, .width = 32,
      .mode = XNCC_SAME, .border = XNCC_BORDER_OVERLAP },
    { "tensor-fused", "planes, fused-masked", .pixel = XNCC_U8, .width = 32, .image_masked = 1 },
    { "tensor-wgmma", "planes, plane-products, window-sums, term-score", .pixel = XNCC_U8,
      .width = 129, .image_masked = 1 },
    { "tensor-wgmma", "planes, plane-products, masked-score", .pixel = XNCC_U8, .width = 32,
      .templ_masked = 1, .method = XNCC_CCORR_NORMED },
    { "tensor-wgmma", "planes, plane-products, masked-windows", .pixel = XNCC_U8, .width = 32,
      .image_masked = 1, .method = XNCC_SQDIFF },
    { "tensor-wgmma", "planes, plane-products, window-sums, term-score", .pixel = XNCC_U8,
      .width = 32, .image_masked = 1, .method = XNCC_CCORR },
    { "tensor-fused", "planes, fused-masked", .pixel = XNCC_U8, .width = 32, .image_masked = 1,
      .method = XNCC_CCORR },
    { "tensor-wgmma", "planes, plane-products, term-score", .pixel = XNCC_U16, .width = 32,
      .templ_masked = 1 },
    /* the rest */
    { "tensor-wgmma", "planes, plane-products, window-sums, term-score", .pixel = XNCC_U32,
      .width = 32 },
    { "tex-tex", "planes, plane-products, term-score", .pixel = XNCC_U8, .width = 32,
      .method = XNCC_COVERAGE },
    { "tensor-wgmma", "planes, plane-products, term-score", .pixel = XNCC_U8, .width = 32,
      .templ_masked = 1, .image_masked = 1, .method = XNCC_COVERAGE },
    { "general", "pixels", .pixel = XNCC_F64, .width = 32 },
    { "float-fft", "float-products, column-sums, float-score", .pixel = XNCC_F32, .width = 64 },
    { "float-fft", "float-products, column-sums, float-score", .pixel = XNCC_U32, .width = 64,
      .mode = XNCC_SAME, .border = XNCC_BORDER_MIRROR },
    { "float-split", "float-products, column-sums, float-score", .pixel = XNCC_F32, .width = 64,
      .method = XNCC_CCORR },
    { "float-tiles", "float-products, column-sums, float-score", .pixel = XNCC_F64, .width = 32,
      .method = XNCC_SQDIFF_NORMED },
    { "float-fused", "fused-floats", .pixel = XNCC_F32, .width = 8, .height = 8 },
    { "float-fused", "fused-floats", .pixel = XNCC_U32, .width = 16, .height = 3,
      .method = XNCC_CCORR, .mode = XNCC_SAME, .border = XNCC_BORDER_WRAP },
    { "float-primes", "prime-sums", .pixel = XNCC_F64, .width = 64, .mode = XNCC_SAME,
      .border = XNCC_BORDER_ZERO },
    { "float-split", "float-sums, float-sum-score", .pixel = XNCC_F32, .width = 64,
      .templ_masked = 1 },
    { "float-split", "float-sums, float-sum-score", .pixel = XNCC_U32, .width = 64, .channels = 3,
      .mode = XNCC_SAME, .border = XNCC_BORDER_OVERLAP },
    { "general", "pixels", .pixel = XNCC_U8, .width = 32, .channels = 3 },
};

static void check_steps(void)
{
    const xncc_machine m = gpu();
    for (size_t i = 0; i < sizeof some_steps / sizeof *some_steps; i++) {
        const wanted *w = &some_steps[i];
        xncc_problem p = matching(w->pixel, 640, 480, w->width, w->height ? w->height : 20);
        p.channels = w->channels ? w->channels : 1;
        p.rule.method = w->method;
        p.rule.mode = w->mode;
        p.rule.border = w->border;
        p.templ_masked = w->templ_masked;
        p.image_masked = w->image_masked;
        xncc_decision d;
        xncc_error error;
        if (!CHECK_STATUS(decide(&p, &m, w->kernel, &d, &error), XNCC_OK))
            continue;
        char steps[200] = "";
        for (int32_t k = 0; k < d.step_count; k++) {
            strcat(steps, k ? ", " : "");
            strcat(steps, xncc_step_table[d.step[k]].name);
        }
        if (strcmp(steps, w->steps) != 0)
            kit_fail(__FILE__, __LINE__, "row %d, %s: %s; want %s", (int)i, w->kernel, steps,
                     w->steps);
    }
}

/* ---- how large the buffers are ---- */

static uint64_t up(int64_t value, int64_t unit)
{
    return (uint64_t)((value + unit - 1) / unit * unit);
}

/* What the recipe of a problem is made of. The template has no byte planes of its own if they are
 * the bytes of its pixels, which the tensor kernels read as they are. */
typedef struct parts {
    uint64_t image_planes, templ_planes, terms, term_bytes;
    int templ_copied;
} parts;

static void check_bytes(const xncc_problem *p, const xncc_decision *d, xncc_buffer buffer,
                        uint64_t bytes, const char *what)
{
    const uint64_t got = d->workspace.bytes[buffer], want = up((int64_t)bytes, 512);
    if (got != want)
        kit_fail(__FILE__, __LINE__, "%dx%d under %dx%d, %s: %llu bytes; want %llu", p->image_width,
                 p->image_height, p->templ_width, p->templ_height, what, (unsigned long long)got,
                 (unsigned long long)want);
    CHECK(got == want);
}

/* The buffers of a problem in mode valid whose kernel reads byte planes. */
static void check_plane_buffers(const xncc_problem *p, const xncc_decision *d, const parts *q)
{
    const int64_t columns = d->band_width + p->templ_width - 1,
                  rows = d->band_height + p->templ_height - 1,
                  channels = p->channels ? p->channels : 1,
                  map_width = p->image_width - p->templ_width + 1;
    const uint64_t plane = up(columns, 512) * (uint64_t)rows,
                   sums = up(d->band_width, 512) * (up(d->band_height, 32) + 24) * q->term_bytes;
    const int tensor = strncmp(xncc_kernel_table[d->kernel].name, "tensor", 6) == 0;
    check_bytes(p, d, XNCC_BUFFER_PLANES, q->image_planes * plane, "planes of the image");
    check_bytes(p, d, XNCC_BUFFER_SUMS, q->terms * sums, "terms");
    check_bytes(p, d, XNCC_BUFFER_BAND, tensor ? 0 : plane, "a plane for textures");
    /* textures need rows of groups of 4 pixels as well */
    const uint64_t bytes = 512 * up(p->templ_width, 512) / 512 * (uint64_t)p->templ_height,
                   groups = tensor ? 0
                                   : up((int64_t)(up(p->templ_width, 4) * up(p->templ_height, 4)),
                                        512);
    check_bytes(p, d, XNCC_BUFFER_TEMPLATE,
                q->templ_copied ? q->templ_planes * (bytes + groups) : 0, "planes of the template");
    check_bytes(p, d, XNCC_BUFFER_TOEPLITZ,
                tensor ? q->templ_planes * d->tensor.toeplitz *
                             (uint64_t)(d->tensor.across * d->tensor.down)
                       : 0,
                "the template as matrix products read it");
    check_bytes(p, d, XNCC_BUFFER_SOURCE,
                (up(p->image_width * channels * pixel_size(p->pixel), 16) +
                 (p->image_masked ? up(p->image_width, 16) : 0)) *
                    (uint64_t)p->image_height,
                "the image from the host");
    check_bytes(p, d, XNCC_BUFFER_MAP, (uint64_t)map_width * (uint64_t)d->map_rows * 4, "the map");
    CHECK_INT((uint64_t)d->planes.image_count, q->image_planes);
    CHECK_INT((uint64_t)d->planes.templ_count, q->templ_planes);
}

static xncc_decision decided(const xncc_problem *p, const char *kernel)
{
    const xncc_machine m = gpu();
    xncc_decision d;
    xncc_error error;
    CHECK_STATUS(decide(p, &m, kernel, &d, &error), XNCC_OK);
    return d;
}

static void check_planes(void)
{
    xncc_problem p = matching(XNCC_U8, 641, 480, 20, 30);
    xncc_decision d = decided(&p, "tensor-wgmma");
    check_plane_buffers(&p, &d, &(parts){ 1, 1, 1, 4, 0 });
    p.pixel = XNCC_U16; /* the two mixed products are one term */
    d = decided(&p, "tensor-wgmma");
    check_plane_buffers(&p, &d, &(parts){ 2, 2, 3, 4, 0 });
    p.pixel = XNCC_U8;
    p.channels = 3; /* X of all channels is one term, if the kernel can add */
    d = decided(&p, "tensor-mma");
    check_plane_buffers(&p, &d, &(parts){ 3, 3, 1, 4, 0 });
    d = decided(&p, "shared");
    check_plane_buffers(&p, &d, &(parts){ 3, 3, 3, 4, 1 });
    p.channels = 1;
    p.templ_masked = p.image_masked = 1; /* values, two of squares, counts; and all eight sums */
    d = decided(&p, "tensor-wgmma");
    check_plane_buffers(&p, &d, &(parts){ 4, 4, 8, 4, 1 });
    p = matching(XNCC_U8, 900, 700, 300, 300); /* sums of 300 x 300 products exceed 32 bits */
    p.channels = 2;
    d = decided(&p, "tex-tex");
    check_plane_buffers(&p, &d, &(parts){ 2, 2, 2 + 2 + 2, 8, 1 });
    check_bytes(&p, &d, XNCC_BUFFER_ROWS, 1024 * (uint64_t)p.image_height * 4, "sums of rows");
    p = matching(XNCC_U8, 900, 700, 200, 250); /* in several blocks */
    d = decided(&p, "tensor-wgmma");
    CHECK(d.tensor.across > 1 && d.tensor.down > 1);
    check_plane_buffers(&p, &d, &(parts){ 1, 1, 1, 4, 0 });
}

/* Kernels that read whole pixels. */
static void check_pixels(void)
{
    xncc_problem p = matching(XNCC_U8, 641, 480, 20, 30);
    xncc_decision d = decided(&p, "shared"); /* X is in the map */
    check_bytes(&p, &d, XNCC_BUFFER_BAND, 1024 * 480, "the image");
    check_bytes(&p, &d, XNCC_BUFFER_SUMS, 0, "X");
    check_bytes(&p, &d, XNCC_BUFFER_ROWS, 0, "sums of rows");
    check_bytes(&p, &d, XNCC_BUFFER_SOURCE, 0, "the image from the host");
    p.pixel = XNCC_U16;
    d = decided(&p, "shared");
    check_bytes(&p, &d, XNCC_BUFFER_BAND, 1536 * 480, "the image");
    check_bytes(&p, &d, XNCC_BUFFER_SUMS, 622 * 451 * 8, "X");
    check_bytes(&p, &d, XNCC_BUFFER_ROWS, 640 * 480 * 16, "sums of rows");
    p.rule.mode = XNCC_SAME;
    p.rule.border = XNCC_BORDER_WRAP; /* laid out with its border, from a copy */
    d = decided(&p, "shared");
    check_bytes(&p, &d, XNCC_BUFFER_BAND, 1536 * (480 + 29), "the image with its border");
    check_bytes(&p, &d, XNCC_BUFFER_SOURCE, 1296 * 480, "the image from the host");
}

/* All sums of floats by transforms. Maps of doubles; a plane of the image, five kilobytes of terms
 * with lists of 16384 samples and of 65536 and 4096 windows; integral images of the template where
 * the edges of the image clip windows; and where S and Q are sums of the plane's own pixels, what
 * sums of columns have, of each channel and of N. */
static void check_sums_of_floats(void)
{
    static const struct {
        int32_t channels, templ_masked, image_masked, overlap;
        uint64_t maps, own, integrals;
    } of[] = { { 1, 1, 0, 0, 3, 0, 0 },                          /* X, Q, S */
               { 1, 0, 1, 0, 3, 2, 0 },                          /* X, T, T2 */
               { 1, 1, 1, 0, 6, 0, 0 }, { 3, 0, 0, 0, 1, 3, 0 }, /* X */
               { 2, 1, 1, 0, 8, 0, 0 },                          /* X, Q, N, T2, two S and two T */
               { 1, 0, 0, 1, 1, 1, 3 },                          /* X */
               { 3, 1, 0, 1, 5, 0, 5 },                          /* X, Q, three S */
               { 1, 0, 1, 1, 3, 2, 0 } };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        xncc_problem p = matching(XNCC_F32, 641, 480, 20, 30);
        p.channels = of[i].channels;
        p.templ_masked = of[i].templ_masked;
        p.image_masked = of[i].image_masked;
        if (of[i].overlap) {
            p.rule.mode = XNCC_SAME;
            p.rule.border = XNCC_BORDER_OVERLAP;
        }
        const xncc_decision d = decided(&p, "float-split");
        const int64_t width = of[i].overlap ? 641 : 622;
        const uint64_t height = of[i].overlap ? 480 : 451, rows = height + 29,
                       pitch = up(width + 19, 128),
                       known = pitch * rows * 8 * (of[i].templ_masked ? 1 : (uint64_t)p.channels) +
                               5120 + (16384 + 65536 + 4096) * 8 +
                               up(21 * 31 * 8 * (int64_t)of[i].integrals, 16),
                       columns = (pitch * height * 16 + pitch / 128 * 8 * (height / 64 + 1)) *
                                 of[i].own,
                       groups = pitch * 32 * (rows / 32 + 1);
        check_bytes(&p, &d, XNCC_BUFFER_SUMS, of[i].maps * up(width, 32) * height * 8, "sums");
        check_bytes(&p, &d, XNCC_BUFFER_ROWS, of[i].own ? known + columns + groups : known,
                    "a plane");
        CHECK_INT(d.fft.sums, (int64_t)of[i].maps);
    }
}

/* ---- the limit ---- */

/* All memory is below the limit, that of a batch included, and a batch has room for its slots. */
static void check_limit(const xncc_problem *p, const char *kernel, int *batches, int *part_maps)
{
    xncc_machine m = gpu();
    for (m.cuda.workspace = 1 << 18; m.cuda.workspace < INT64_C(1) << 33; m.cuda.workspace *= 2) {
        xncc_decision d;
        xncc_error error;
        if (decide(p, &m, kernel, &d, &error) != XNCC_OK)
            continue;
        check_cuda(p, &m, &d); /* the sum, and that it is below the limit */
        const xncc_batch_slots *b = &d.batch;
        const int32_t width = p->image_width - p->templ_width + 1,
                      height = p->image_height - p->templ_height + 1;
        const uint64_t slots = (uint64_t)b->slots, batch = d.workspace.bytes[XNCC_BUFFER_BATCH],
                       products = d.searches_products || d.bounds_tiles,
                       map = products ? 0 : (uint64_t)width * (uint64_t)height * 4,
                       sums = products ? d.workspace.sums : 0,
                       toeplitz = products ? d.workspace.bytes[XNCC_BUFFER_TOEPLITZ] /
                                                 (uint64_t)d.planes.templ_count
                                           : 0,
                       terms = d.bounds_tiles ? d.workspace.sums / 4 * 8 : 0,
                       masked = d.bounds_tiles && !d.searches_products, masks = (uint64_t)b->masks,
                       tiles = (uint64_t)xncc_peak_tiles(width, height);
        *part_maps += d.map_rows < height;
        CHECK(d.map_rows == height || d.workspace.bytes[XNCC_BUFFER_SEARCH] == 0);
        CHECK((batch != 0) == (slots != 0) && slots <= 24);
        if (!slots)
            continue;
        ++*batches;
        CHECK(masked ? masks >= 1 && masks <= 4 : masks == 0);
        CHECK(batch >= slots * (map + sums + toeplitz) + b->results +
                           (masked ? masks * (terms + 3 * sums + toeplitz) : terms) +
                           slots * (tiles * 16 + 4096 * 8));
        CHECK(b->results >= 28 + 12);
    }
}

static void check_limits_of_memory(void)
{
    static const char *const kernels[] = { "tensor-wgmma", "tensor-fused", "shared", "fft",
                                           "tex-tex" };
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        int batches = 0, part_maps = 0;
        xncc_problem p = matching(XNCC_U8, 1920, 1080, 24, 24);
        check_limit(&p, kernels[i], &batches, &part_maps);
        p.image_masked = 1;
        check_limit(&p, kernels[i], &batches, &part_maps);
        p.templ_masked = 1;
        p.image_masked = 0;
        check_limit(&p, kernels[i], &batches, &part_maps);
        CHECK(batches > 0 && part_maps > 0);
    }
}

/* Batches of masked templates do without maps where all that depends on the image is products with
 * one mask, the template is one block, and the device has fast doubles. */
static void check_masked_bounds(void)
{
    static const struct {
        const char *kernel;
        int32_t side, image_masked, slow;
        xncc_method method;
        int32_t bounds;
    } of[] = { { "tensor-wgmma", 64, 0, 0, XNCC_CCOEFF_NORMED, 1 },
               { "tensor-wgmma", 128, 0, 0, XNCC_CCOEFF_NORMED, 1 },
               { "tensor-wgmma", 130, 0, 0, XNCC_CCOEFF_NORMED, 0 },
               { "tensor-wgmma", 64, 1, 0, XNCC_CCOEFF_NORMED, 0 },
               { "tensor-wgmma", 64, 0, 1, XNCC_CCOEFF_NORMED, 0 },
               { "tensor-wgmma", 64, 0, 0, XNCC_CCORR_NORMED, 0 },
               { "tensor-mma", 64, 0, 0, XNCC_CCOEFF_NORMED, 0 } };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        xncc_machine m = gpu();
        xncc_problem p = matching(XNCC_U8, 1920, 1080, of[i].side, of[i].side);
        xncc_decision d;
        xncc_error error;
        m.cuda.fp64_is_slow = of[i].slow;
        p.templ_masked = 1;
        p.image_masked = of[i].image_masked;
        p.rule.method = of[i].method;
        CHECK_STATUS(decide(&p, &m, of[i].kernel, &d, &error), XNCC_OK);
        CHECK(d.bounds_tiles == of[i].bounds && !d.searches_products);
        CHECK((d.batch.map == 0) == (of[i].bounds != 0) && (d.batch.terms != 0) == of[i].bounds);
        CHECK(d.batch.masks == (of[i].bounds ? 4 : 0));
        if (!of[i].bounds)
            continue;
        /* what is multiplied with a mask follows each other in memory (find_masked.cpp) */
        CHECK(d.planes.image_count == 3 && d.planes.image[0].kind == XNCC_PLANE_VALUE);
        for (int k = 0; k < 2; k++)
            CHECK(d.planes.image[1 + k].kind == XNCC_PLANE_SQUARE &&
                  d.planes.image[1 + k].digit == k);
    }
}

/* ---- the text ---- */

/* Checks the text of a decision behind its first line, which has the estimates. */
static void check_text(const xncc_decision *d, const char *want)
{
    char text[2048], start[64];
    xncc_decision_explain(d, text, sizeof text);
    snprintf(start, sizeof start, "kernel %s on the %s engine: ", xncc_kernel_table[d->kernel].name,
             d->engine == XNCC_DEVICE_CPU ? "CPU" : "CUDA");
    CHECK(strncmp(text, start, strlen(start)) == 0);
    const char *rest = strchr(text, '\n');
    CHECK(rest != NULL && strncmp(text + strlen(start), d->reason, strlen(d->reason)) == 0);
    CHECK_TEXT(rest ? rest + 1 : "", want);
    for (size_t size = 1; size < strlen(text) + 3; size++) {
        char cut[2048];
        memset(cut, 'x', sizeof cut);
        xncc_decision_explain(d, cut, size);
        const size_t length = size <= strlen(text) ? size - 1 : strlen(text);
        CHECK(strlen(cut) == length && memcmp(cut, text, length) == 0 && cut[size] == 'x');
    }
}

static void check_texts(void)
{
    xncc_decision d = { .kernel = XNCC_KERNEL_DIRECT_AVX2, .engine = XNCC_DEVICE_CPU };
    snprintf(d.reason, sizeof d.reason, "forced by name");
    check_text(&d, "all data: host memory\n");
    d = (xncc_decision){ .kernel = XNCC_KERNEL_TENSOR_WGMMA,
                         .engine = XNCC_DEVICE_CUDA,
                         .step_count = 3,
                         .step = { XNCC_STEP_PLANES, XNCC_STEP_PLANE_PRODUCTS,
                                   XNCC_STEP_STRIP_SCORE },
                         .planes = { .products = 1 },
                         .tensor = { .across = 2, .down = 1, .width = 112, .height = 250 },
                         .band_width = 701,
                         .band_height = 451,
                         .reason = "the only kernel that can serve the problem" };
    for (int i = 0; i < XNCC_BUFFERS; i++)
        d.workspace.bytes[i] = i % 2 ? 512u << 2 * i : 0;
    d.workspace.total = UINT64_C(5) << 40;
    check_text(&d, "image: device memory, then shared memory; template: device memory, then shared "
                   "memory; sums of the template: kernel parameter; result: device memory\n"
                   "steps: planes, plane-products, strip-score\n"
                   "sums: 1 product of byte planes\n"
                   "template in 2 x 1 blocks of 112 x 250 pixels\n"
                   "bands of 701 x 451 map elements\n"
                   "device memory: at most 5242880.0 MiB\n"
                   "  for every call: image planes 2.0 KiB, row sums 32.0 KiB, "
                   "template layout 512.0 KiB, windows in doubt 8.0 MiB, search 128.0 MiB\n"
                   "  on first use: batch 2048.0 MiB\n");
    d = (xncc_decision){
        .kernel = XNCC_KERNEL_FFT_CUDA,
        .engine = XNCC_DEVICE_CUDA,
        .step_count = 1,
        .step = { XNCC_STEP_TERM_SCORE },
        .planes = { .products = 16, .windows = 12, .needs.sum[XNCC_SUM_T] = XNCC_FROM_PRODUCTS },
        .fft = { .width = 512, .height = 32, .batch = 9, .columns = 150, .rows = 10 }
    };
    for (int i = 0; i < XNCC_BUFFERS; i++)
        d.workspace.bytes[i] = i % 2 ? 0 : 512;
    d.workspace.total = 3072;
    check_text(&d, "image: texture; template: device memory; sums of the template: device memory; "
                   "result: device memory\nsteps: term-score\n"
                   "sums: 16 products of byte planes, 12 window sums\n"
                   "transforms of 512 x 32 points, 9 at a time, template pieces of 150 x 10\n"
                   "device memory: at most 3.0 KiB\n"
                   "  for every call: image band 512 bytes, products 512 bytes, "
                   "template planes 512 bytes, transforms 512 bytes, map 512 bytes\n"
                   "  on first use: image from the host 512 bytes\n");
    d = (xncc_decision){ .kernel = XNCC_KERNEL_CONV_TILED,
                         .engine = XNCC_DEVICE_CUDA,
                         .tile_width = 128,
                         .tile_height = 64,
                         .tile_pitch = 704,
                         .tile_rows = 72,
                         .shared_bytes = 50688,
                         .reason = "forced by name",
                         .refused = "kernel shared does not serve convolution" };
    check_text(&d, "refused before it: kernel shared does not serve convolution\n"
                   "image: device memory, then shared memory; filter: kernel parameter; result: "
                   "device memory\nblock of 128 x 64 map elements, tile pitch 704, 72 rows, 50688 "
                   "bytes of shared "
                   "memory\ndevice memory: at most 0 bytes\n");
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    check_steps();
    check_planes();
    check_pixels();
    check_sums_of_floats();
    check_limits_of_memory();
    check_masked_bounds();
    check_texts();
    return kit_finish("steps");
}
