/* SPDX-License-Identifier: BSD-2-Clause */
/* Problems on both sides of every limit of the CUDA kernels, and the kernels that take over beyond
 * it. */
#include "unit/machines.h"

#include "plan/cost_cuda.h"
#include "plan/cost_tensor.h"
#include "plan/decide.h"

#include <string.h>

/* Finds the widest template of a given height that a forced kernel takes, by bisection. One pixel
 * wider is refused. */
static int32_t widest(const xncc_machine *m, const char *kernel, xncc_pixel pixel, int32_t height)
{
    int32_t low = 0, high = 140000;
    xncc_decision d;
    xncc_error error;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        xncc_problem p = matching(pixel, 200000, 2000, middle, height);
        if (decide(&p, m, kernel, &d, &error) == XNCC_OK)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Both sides of the limits of `shared` and `tex-constant`: the last template accepted fits by plain
 * arithmetic, the first one refused does not, and the error text names the limit. */
void check_limits(void)
{
    for (int which = 2; which < MACHINES; which++)
        for (int p = XNCC_U8; p <= XNCC_F32; p++)
            for (int32_t height = 1; height <= 301; height += 75) {
                xncc_machine m = machine(which);
                int64_t size = pixel_size((xncc_pixel)p),
                        limit = m.cuda.shared_optin > m.cuda.shared_memory ? m.cuda.shared_optin
                                                                           : m.cuda.shared_memory;
                xncc_decision d;
                xncc_error error;
                int32_t last = widest(&m, "tex-constant", (xncc_pixel)p, height);
                xncc_problem next = matching((xncc_pixel)p, 200000, 2000, last + 1, height);
                CHECK_STATUS(decide(&next, &m, "tex-constant", &d, &error), XNCC_ERROR_UNSUPPORTED);
                CHECK(last * size <= m.cuda.constant_bytes);
                CHECK((last + 1) * size > m.cuda.constant_bytes ||
                      last == XNCC_CUDA_TEMPLATE_SIDE || strstr(error.text, "texture") ||
                      strstr(error.text, "memory"));
                CHECK(strstr(error.text, "tex-constant") == NULL ||
                      mentions(&error, m.cuda.constant_bytes));
                last = widest(&m, "shared", (xncc_pixel)p, height);
                next = matching((xncc_pixel)p, 200000, 2000, last + 1, height);
                CHECK_STATUS(decide(&next, &m, "shared", &d, &error), XNCC_ERROR_UNSUPPORTED);
                CHECK(mentions(&error, m.cuda.constant_bytes) || mentions(&error, limit) ||
                      mentions(&error, m.cuda.workspace) || strstr(error.text, "texture"));
                CHECK_STATUS(decide(&next, &m, NULL, &d, &error), XNCC_OK);
                CHECK(d.kernel != XNCC_KERNEL_SHARED);
                if (last == 0)
                    continue;
                next.templ_width = last;
                CHECK_STATUS(decide(&next, &m, "shared", &d, &error), XNCC_OK);
                check_cuda(&next, &m, &d);
                /* Each time constant memory is filled, image rows are read once more. So a filling
                 * must be worth it: the whole template if it is low, or at least 16 rows. */
                CHECK(d.constant_rows >= (height < 16 ? height : 16));
            }
}

/* The fallback that users expect: if the tile of `shared` exceeds the block's shared memory,
 * tex-tex (or tex-constant) takes over. */
void check_fallback(void)
{
    xncc_machine m = machine(2);
    m.cpu.absent = 1;
    xncc_decision d;
    xncc_error error;
    xncc_problem small = matching(XNCC_U8, 4096, 4096, 64, 64);
    CHECK_STATUS(decide(&small, &m, NULL, &d, &error), XNCC_OK);
    CHECK_INT(d.kernel, XNCC_KERNEL_SHARED);
    m.cuda.shared_memory = m.cuda.shared_optin = d.shared_bytes;
    CHECK_STATUS(decide(&small, &m, "shared", &d, &error), XNCC_OK);
    m.cuda.shared_memory = m.cuda.shared_optin = 1024;
    CHECK_STATUS(decide(&small, &m, "shared", &d, &error), XNCC_ERROR_UNSUPPORTED);
    CHECK(strstr(error.text, "shared") && strstr(error.text, "1024"));
    CHECK_STATUS(decide(&small, &m, NULL, &d, &error), XNCC_OK);
    CHECK(d.kernel == XNCC_KERNEL_TEX_TEX || d.kernel == XNCC_KERNEL_TEX_CONSTANT);
    m.cuda.constant_bytes = 63; /* less than one row of the template */
    CHECK_STATUS(decide(&small, &m, NULL, &d, &error), XNCC_OK);
    CHECK_INT(d.kernel, XNCC_KERNEL_TEX_TEX);
    m.cuda.constant_bytes = 64;
    CHECK_STATUS(decide(&small, &m, "tex-constant", &d, &error), XNCC_OK);
    CHECK_INT(d.constant_rows, 1);
    m.cuda.workspace = 1000;
    CHECK_STATUS(decide(&small, &m, NULL, &d, &error), XNCC_ERROR_UNSUPPORTED);
    CHECK_STATUS(decide(&small, &m, "tex-tex", &d, &error), XNCC_ERROR_UNSUPPORTED);
    CHECK(mentions(&error, 1000));
}

void check_fft(void)
{
    xncc_machine m = machine(5);
    m.cpu.absent = 1;
    xncc_decision d;
    xncc_error error;
    xncc_problem large = matching(XNCC_U8, 8192, 8192, 1000, 1000);
    CHECK_STATUS(decide(&large, &m, NULL, &d, &error), XNCC_OK);
    CHECK_INT(d.kernel, XNCC_KERNEL_FFT_CUDA);
    CHECK(d.fft.columns == 1000 && d.fft.rows == 1000);
    large.pixel = XNCC_F32;
    CHECK_STATUS(decide(&large, &m, "fft", &d, &error), XNCC_ERROR_UNSUPPORTED);
    large.pixel = XNCC_U8;
    m.cuda.fft = 0;
    CHECK_STATUS(decide(&large, &m, "fft", &d, &error), XNCC_ERROR_UNSUPPORTED);
    CHECK(strstr(error.text, "cuFFT") != NULL);
    CHECK_STATUS(decide(&large, &m, NULL, &d, &error), XNCC_OK);
    CHECK(d.kernel != XNCC_KERNEL_FFT_CUDA);
    m.cuda.fft = 1;
    /* beyond the bound in one piece, whatever the transform */
    xncc_problem huge = matching(XNCC_U16, 10000, 10000, 7000, 7000);
    CHECK_STATUS(decide(&huge, &m, "fft", &d, &error), XNCC_OK);
    CHECK(d.fft.columns < 7000 || d.fft.rows < 7000);
    check_cuda(&huge, &m, &d);
    m.cuda.workspace = INT64_C(1) << 20;
    CHECK_STATUS(decide(&large, &m, "fft", &d, &error), XNCC_ERROR_UNSUPPORTED);
    CHECK(mentions(&error, m.cuda.workspace));
}

/* The largest window that the score pass for several channels takes has sums that fit 32 bits: of
 * products of bytes over all channels, and of the samples of a channel. One row more has not, or
 * the shared memory is too small for any window. */
static void check_channel_sums(const xncc_machine *m, xncc_pixel pixel, int32_t channels)
{
    const int is_u16 = pixel == XNCC_U16 || pixel == XNCC_S16;
    xncc_problem p = matching(pixel, 4096, 4096, 128, 1);
    p.channels = channels;
    while (p.templ_height < 4096 && xncc_channel_scores(&p, m))
        p.templ_height++;
    const int64_t sums = INT64_C(128) * 255 * 255 * channels,
                  samples = INT64_C(128) * (is_u16 ? 65535 : 255), most = UINT32_MAX;
    const int64_t bytes = INT64_C(4) * 4 * 644 * (channels + (is_u16 ? 2 : 1)) +
                          INT64_C(4) * 2 * 640 * channels * (is_u16 ? 2 : 1);
    if (p.templ_height == 1) {
        CHECK(m->cuda.shared_optin < bytes);
        return;
    }
    CHECK(m->cuda.shared_optin >= bytes);
    CHECK(sums * (p.templ_height - 1) <= most && samples * (p.templ_height - 1) <= most);
    CHECK(sums * p.templ_height > most || samples * p.templ_height > most);
}

/* tensor-fused of all methods and channels: its step, its shared memory by plain arithmetic, and
 * what it refuses. */
static void check_fused_channels(void)
{
    xncc_machine m = machine(5);
    xncc_decision d;
    xncc_error error;
    xncc_problem p = matching(XNCC_S8, 2048, 1024, 41, 13);
    p.rule.method = XNCC_CCORR_NORMED;
    for (p.channels = 2; p.channels <= 4; p.channels++) {
        CHECK_STATUS(decide(&p, &m, "tensor-fused", &d, &error), XNCC_OK);
        CHECK(xncc_decision_has(&d, XNCC_STEP_FUSED_CHANNELS));
        CHECK_INT(d.planes.image_count, p.channels);
        CHECK_INT(d.planes.templ_count, p.channels);
        /* 16 template rows, each as four copies; 24 image rows; prefix sums of 4 map rows */
        const int64_t bytes = p.channels * (16 * 4 * (48 + 4) + 24 * 560) +
                              INT64_C(4) * 4 * 580 * (1 + (p.channels + 1) / 2),
                      blocks = (m.cuda.shared_optin + 1024) / (bytes + 1024);
        CHECK_INT(d.tensor.shared_bytes, bytes);
        CHECK_INT(d.tensor.stages, blocks < 3 ? blocks : 3);
    }
    p.channels = 3;
    p.templ_width = 42;
    CHECK_STATUS(decide(&p, &m, "tensor-fused", &d, &error), XNCC_ERROR_UNSUPPORTED);
    CHECK(mentions(&error, 41));
    p.templ_width = 41;
    p.templ_height = 200;
    CHECK_STATUS(decide(&p, &m, "tensor-fused", &d, &error), XNCC_ERROR_UNSUPPORTED);
    CHECK(mentions(&error, m.cuda.shared_optin));
    p.templ_height = 13;
    enum { REFUSED = 4 };
    xncc_problem no[REFUSED] = { p, p, p, p };
    no[0].rule.method = XNCC_COVERAGE;
    no[1].pixel = XNCC_U16;
    no[2].templ_masked = 1;
    no[3].channels = 5;
    for (int i = 0; i < REFUSED; i++)
        CHECK_STATUS(decide(&no[i], &m, "tensor-fused", &d, &error), XNCC_ERROR_UNSUPPORTED);
    /* one channel has a step of its own, by ccoeff_normed up to 57 wide */
    for (int width = 40; width < 60; width++)
        for (int method = 0; method < XNCC_COVERAGE; method++) {
            p = matching(XNCC_S8, 2048, 1024, width, 13);
            p.rule.method = (xncc_method)method;
            const int served = width <= (p.rule.method == XNCC_CCOEFF_NORMED ? 57 : 41);
            CHECK_STATUS(decide(&p, &m, "tensor-fused", &d, &error),
                         served ? XNCC_OK : XNCC_ERROR_UNSUPPORTED);
            CHECK(!served || xncc_decision_has(&d, XNCC_STEP_FUSED));
            CHECK(served || mentions(&error, p.rule.method == XNCC_CCOEFF_NORMED ? 57 : 41));
        }
}

/* tensor-wgmma adds the products of several planes: as many as follow each other in the recipe and
 * fit, counted by plain arithmetic. */
static void check_added_planes(void)
{
    static const struct {
        xncc_pixel pixel;
        int32_t channels, size, planes;
    } list[] = { { XNCC_U8, 1, 32, 1 },  { XNCC_U8, 3, 32, 3 }, { XNCC_S8, 4, 32, 4 },
                 { XNCC_U8, 3, 64, 2 },  { XNCC_U8, 3, 96, 1 }, { XNCC_U16, 1, 32, 2 },
                 { XNCC_U16, 3, 32, 2 }, { XNCC_U8, 3, 1, 3 },  { XNCC_U8, 3, 129, 1 } };
    const xncc_machine m = machine(5);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        xncc_problem p = matching(list[i].pixel, 2048, 1024, list[i].size, list[i].size);
        p.channels = list[i].channels;
        xncc_decision d;
        xncc_error error;
        CHECK_STATUS(decide(&p, &m, "tensor-wgmma", &d, &error), XNCC_OK);
        const xncc_tensor_blocks *b = &d.tensor;
        CHECK_INT(b->planes, list[i].planes);
        CHECK_INT(b->shared_bytes,
                  (int64_t)b->toeplitz * b->planes +
                      3 * (b->stages * (8 * b->row_bytes + 16) + b->staged * 16384) + 16);
        CHECK(b->shared_bytes <= m.cuda.shared_optin);
        int32_t longest = 0;
        for (int32_t at = 0, run; at < d.planes.products; at += run) {
            run = xncc_general_run(&d.planes, at, b->planes);
            CHECK(run >= 1 && run <= b->planes && at + run <= d.planes.products);
            longest = run > longest ? run : longest;
            for (int32_t k = 1; k < run; k++) {
                const xncc_general_step *s = &d.planes.step[at];
                CHECK(s[k].add && s[k].term == s->term);
                CHECK_INT(s[k].image - s->image, k * (s[1].image - s->image));
                CHECK_INT(s[k].templ - s->templ, k * (s[1].templ - s->templ));
            }
        }
        CHECK_INT(longest, b->planes);
    }
}

/* One channel of 8 bits is searched without a map by every method, on one band of the map, by the
 * kernels that bound tiles; several channels and 16 bits are not. One match is then the best score.
 */
static void check_searches(void)
{
    static const char *const kernels[] = { "tensor-fused", "tensor-wgmma", "tensor-mma" };
    static const xncc_pixel pixels[] = { XNCC_U8, XNCC_S8, XNCC_U16 };
    const xncc_machine m = machine(5);
    xncc_error error;
    char text[4096];
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        for (size_t i = 0; i < sizeof pixels / sizeof *pixels; i++)
            for (int method = 0; method < XNCC_COVERAGE; method++)
                for (int channels = 1; channels <= 3; channels += 2) {
                    xncc_problem p = matching(pixels[i], 2048, 1024, 32, 32);
                    p.rule.method = (xncc_method)method;
                    p.channels = channels;
                    xncc_decision d;
                    if (decide(&p, &m, kernels[k], &d, &error))
                        continue;
                    CHECK_INT(d.searches_products, channels == 1 && pixels[i] != XNCC_U16);
                    for (uint64_t top = 0; top < 3; top++)
                        CHECK_INT(xncc_decision_takes_best(&d, top),
                                  d.searches_products && top == 1);
                    xncc_decision_explain(&d, text, sizeof text);
                    CHECK_INT(strstr(text, "one match by the best score") != NULL,
                              d.searches_products);
                    CHECK_INT(d.bounds_tiles,
                              d.searches_products && k == 1 && p.rule.method == XNCC_CCOEFF_NORMED);
                }
}

/* The score pass for several channels: which problems it serves, and that the decision then has no
 * window sums. */
void check_channel_pass(void)
{
    static const xncc_pixel pixels[] = { XNCC_U8, XNCC_S8, XNCC_U16, XNCC_S16 };
    xncc_machine h200 = machine(5), small = h200;
    small.cuda.shared_optin = 101376;
    for (int i = 0; i < 4; i++)
        for (int32_t channels = 1; channels <= 4; channels++) {
            check_channel_sums(&h200, pixels[i], channels);
            check_channel_sums(&small, pixels[i], channels);
        }
    xncc_problem colour = matching(XNCC_U8, 2048, 1024, 128, 128);
    colour.channels = 3;
    enum { REFUSED = 9 };
    xncc_problem no[REFUSED];
    for (int i = 0; i < REFUSED; i++)
        no[i] = colour;
    no[0].templ_width = 129;
    no[1].channels = 5;
    no[2].rule.method = XNCC_COVERAGE;
    no[3].templ_masked = 1;
    no[4].image_masked = 1;
    no[5].rule.border = XNCC_BORDER_OVERLAP;
    no[5].rule.mode = XNCC_SAME;
    no[6].pixel = XNCC_U32;
    no[7].pixel = XNCC_F32;
    no[8].pixel = XNCC_F64;
    for (int i = 0; i < REFUSED; i++)
        CHECK_INT(xncc_channel_scores(&no[i], &h200), 0);
    for (int which = 0; which < MACHINES; which++) {
        xncc_machine m = machine(which);
        const int serves = m.cuda.present && m.cuda.major >= 8;
        CHECK_INT(xncc_channel_scores(&colour, &m), serves);
        xncc_decision d;
        xncc_error error;
        if (m.cuda.present && which != 6) {
            CHECK_STATUS(decide(&colour, &m, "shared", &d, &error), XNCC_OK);
            CHECK_INT(d.planes.products, 3);
            CHECK_INT(d.planes.windows, serves ? 0 : 6);
        }
    }
    check_fused_channels();
    check_added_planes();
    check_searches();
}

/* Checks that a kernel refuses a problem, and that the text has these words. */
static void check_refused(const xncc_problem *p, const xncc_machine *m, const char *kernel,
                          const char *words)
{
    xncc_decision d;
    xncc_error error;
    CHECK_STATUS(decide(p, m, kernel, &d, &error), XNCC_ERROR_UNSUPPORTED);
    if (!CHECK(strstr(error.text, words) != NULL))
        kit_fail(__FILE__, __LINE__, "%s: %s; want %s", kernel, error.text, words);
}

/* Sums of many channels, more than a recipe has room for: kernel general serves them. */
static void check_recipe_room(const xncc_machine *m)
{
    static const char *const kernels[] = { "tensor-wgmma", "tensor-mma", "shared", "tex-tex" };
    xncc_problem p = matching(XNCC_U32, 640, 480, 8, 8);
    xncc_decision d;
    xncc_error error;
    p.channels = XNCC_MAX_CHANNELS;
    p.image_masked = p.templ_masked = 1;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        check_refused(&p, m, kernels[i],
                      "up to 64 sums of bytes, and 64 channels of u32 need more");
    CHECK_STATUS(decide(&p, m, "general", &d, &error), XNCC_OK);
    /* up to the limit, all lists have room */
    for (p.channels = 1; p.channels <= XNCC_MAX_CHANNELS; p.channels++) {
        const xncc_status status = decide(&p, m, "tensor-wgmma", &d, &error);
        CHECK_STATUS(status, status ? XNCC_ERROR_UNSUPPORTED : XNCC_OK);
        CHECK(status || (d.planes.term_count <= XNCC_GENERAL_TERMS &&
                         d.planes.step_count <= XNCC_GENERAL_STEPS));
    }
}

/* Limits of memory and sides that only unusual devices and problems reach. */
void check_rare_limits(void)
{
    xncc_machine m = machine(5);
    xncc_problem p = matching(XNCC_U8, XNCC_MAX_SIDE, 1, 2, 1);
    check_recipe_room(&m);
    p.rule.mode = XNCC_FULL;
    p.rule.border = XNCC_BORDER_ZERO;
    check_refused(&p, &m, "shared", "the image with its border has 1073741826 x 1 pixels");
    /* a device without shared memory for the smallest block */
    p = matching(XNCC_U8, 640, 480, 64, 64);
    m.cuda.shared_optin = m.cuda.shared_memory = 1024;
    check_refused(&p, &m, "tensor-mma",
                  "tensor-mma needs more shared memory than the 1024 bytes of a thread block");
    m = machine(1);
    check_refused(&p, &m, "tex-tex", "which this context does not have");
    /* float-tiles beside its bands: from too little memory to enough, each refusal names the
     * setting, whether the bands or the bounds have no room */
    p = matching(XNCC_F32, 4096, 4096, 16, 16);
    int bounds = 0, served = 0;
    for (int64_t bytes = 1 << 16; bytes < INT64_C(1) << 32; bytes += bytes / 256) {
        xncc_decision d;
        xncc_error error;
        m = machine(5);
        m.cuda.workspace = bytes;
        if (decide(&p, &m, "float-tiles", &d, &error) == XNCC_OK) {
            check_cuda(&p, &m, &d);
            served++;
            continue;
        }
        CHECK(strstr(error.text, "raise device_memory of the context") != NULL);
        bounds += strstr(error.text, "kernel float-tiles needs") != NULL;
    }
    CHECK(bounds > 0 && served > 0 && bounds < served);
}
