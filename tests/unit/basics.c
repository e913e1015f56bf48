/* SPDX-License-Identifier: BSD-2-Clause */
/* Names, versions, map sizes, crops, and every bad argument that the public calls must refuse with
 * an error text. */
#include "kit/pixels.h"

#include <limits.h>
#include <stdio.h>
#include <math.h>
#include <string.h>

static void check_names(void)
{
    static const char *const status[] = { "done",          "invalid argument", "out of memory",
                                          "not supported", "device error",     "internal error" };
    static const char *const method[] = { "ccoeff_normed", "ccoeff", "ccorr",
                                          "ccorr_normed",  "sqdiff", "sqdiff_normed" };
    for (int i = 0; i < 6; i++) {
        CHECK_TEXT(xncc_status_string((xncc_status)i), status[i]);
        CHECK_TEXT(xncc_method_name((xncc_method)i), method[i]);
        xncc_method parsed = XNCC_CCORR;
        CHECK_STATUS(xncc_method_parse(method[i], &parsed, &kit_error), XNCC_OK);
        CHECK_INT(parsed, i);
        CHECK_INT(xncc_method_is_distance((xncc_method)i), i >= 4);
    }
    CHECK_TEXT(xncc_status_string(XNCC_ERROR_CANCELLED), "cancelled");
    CHECK_TEXT(xncc_status_string((xncc_status)7), "unknown status");
    CHECK_TEXT(xncc_status_string((xncc_status)-1), "unknown status");
    CHECK_TEXT(xncc_method_name((xncc_method)7), "?");
    CHECK_TEXT(xncc_method_name((xncc_method)-1), "?");
    xncc_method untouched = XNCC_SQDIFF;
    CHECK_STATUS(xncc_method_parse("ccoeff_norme", &untouched, &kit_error), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_method_parse("", &untouched, &kit_error), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_method_parse(NULL, &untouched, &kit_error), XNCC_ERROR_ARGUMENT);
    CHECK_INT(untouched, XNCC_SQDIFF);
    static const char *const pixel[] = { "u8", "u16", "f32", "s8", "s16", "u32", "f64", "?" };
    static const size_t size[] = { 1, 2, 4, 1, 2, 4, 8, 0 };
    for (int i = 0; i < 8; i++) {
        CHECK_TEXT(xncc_pixel_name((xncc_pixel)i), pixel[i]);
        CHECK_INT(xncc_pixel_size((xncc_pixel)i), size[i]);
    }
    int next = 0; /* the list has every type, in order */
#define CHECK_PIXEL(value, name, type)                                                             \
    CHECK_INT(value, next);                                                                        \
    CHECK_TEXT(#name, pixel[next]);                                                                \
    CHECK_INT(sizeof(type), size[next++]);
    XNCC_EACH_PIXEL(CHECK_PIXEL)
#undef CHECK_PIXEL
    CHECK_INT(next, 7);
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", XNCC_VERSION_MAJOR, XNCC_VERSION_MINOR,
             XNCC_VERSION_PATCH);
    CHECK_TEXT(xncc_version(), version);
}

static void check_extent(xncc_mode mode, const int32_t in[4], const int32_t want[4])
{
    int32_t got[4] = { -7, -7, -7, -7 };
    CHECK_STATUS(
        kit_map_extent(mode, in[0], in[1], in[2], in[3], &got[0], &got[1], &got[2], &got[3]),
        XNCC_OK);
    for (int i = 0; i < 4; i++)
        CHECK_INT(got[i], want[i]);
}

static void check_extents(void)
{
    check_extent(XNCC_VALID, (int32_t[]){ 10, 8, 3, 2 }, (int32_t[]){ 8, 7, 0, 0 });
    check_extent(XNCC_VALID, (int32_t[]){ 10, 8, 10, 8 }, (int32_t[]){ 1, 1, 0, 0 });
    check_extent(XNCC_SAME, (int32_t[]){ 10, 8, 3, 2 }, (int32_t[]){ 10, 8, -1, -1 });
    check_extent(XNCC_SAME, (int32_t[]){ 10, 8, 4, 5 }, (int32_t[]){ 10, 8, -2, -2 });
    check_extent(XNCC_SAME, (int32_t[]){ 2, 2, 9, 1 }, (int32_t[]){ 2, 2, -4, 0 });
    check_extent(XNCC_FULL, (int32_t[]){ 10, 8, 3, 2 }, (int32_t[]){ 12, 9, -2, -1 });
    check_extent(XNCC_FULL, (int32_t[]){ 2, 2, 9, 1 }, (int32_t[]){ 10, 2, -8, 0 });
    check_extent(XNCC_FULL, (int32_t[]){ XNCC_MAX_SIDE, 1, XNCC_MAX_SIDE, 1 },
                 (int32_t[]){ INT32_MAX, 1, 1 - XNCC_MAX_SIDE, 0 });
    check_extent(XNCC_VALID, (int32_t[]){ XNCC_MAX_SIDE, XNCC_MAX_SIDE, 1, 1 },
                 (int32_t[]){ XNCC_MAX_SIDE, XNCC_MAX_SIDE, 0, 0 });
    static const int32_t bad[][4] = { { 0, 8, 1, 1 },
                                      { 8, -1, 1, 1 },
                                      { 8, 8, 0, 1 },
                                      { 8, 8, 1, INT32_MIN },
                                      { XNCC_MAX_SIDE + 1, 8, 1, 1 },
                                      { 8, 8, 9, 1 },
                                      { 8, 8, 1, 9 } };
    int32_t x;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_STATUS(
            kit_map_extent(XNCC_VALID, bad[i][0], bad[i][1], bad[i][2], bad[i][3], &x, &x, &x, &x),
            XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(kit_map_extent((xncc_mode)3, 8, 8, 1, 1, &x, &x, &x, &x), XNCC_ERROR_ARGUMENT);
}

static void check_crop(void)
{
    static const uint16_t pixel[6 * 7];
    xncc_image image = { .data = pixel, .width = 5, .height = 7, .pitch = 12, .pixel = XNCC_U16 },
               crop = { .width = -3 };
    CHECK_STATUS(xncc_image_crop(&image, 2, 3, 3, 4, &crop, &kit_error), XNCC_OK);
    CHECK(crop.data == pixel + 3 * 6 + 2 && crop.width == 3 && crop.height == 4 &&
          crop.pitch == 12 && crop.pixel == XNCC_U16);
    image.pitch = 0;
    CHECK_STATUS(xncc_image_crop(&image, 1, 1, 1, 1, &crop, &kit_error), XNCC_OK);
    CHECK(crop.data == pixel + 6 && crop.pitch == 10);
    xncc_image before = crop;
    static const int32_t bad[][4] = { { -1, 0, 1, 1 },       { 0, -1, 1, 1 },
                                      { 0, 0, 0, 1 },        { 0, 0, 1, 0 },
                                      { 3, 0, 3, 1 },        { 0, 4, 1, 4 },
                                      { 5, 0, 1, 1 },        { 1, 1, INT32_MAX, 1 },
                                      { INT32_MAX, 0, 1, 1 } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_STATUS(
            xncc_image_crop(&image, bad[i][0], bad[i][1], bad[i][2], bad[i][3], &crop, &kit_error),
            XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_image_crop(NULL, 0, 0, 1, 1, &crop, &kit_error), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_image_crop(&image, 0, 0, 1, 1, NULL, &kit_error), XNCC_ERROR_ARGUMENT);
    CHECK(memcmp(&before, &crop, sizeof crop) == 0);
}

/* Checks that the call was refused, with one line of text. */
static void refused(xncc_status status, xncc_status want, const char *what)
{
    if (status != want)
        kit_fail(__FILE__, __LINE__, "%s: status %d, want %d", what, (int)status, (int)want);
    CHECK(status == want);
    if (!CHECK(kit_error.text[0] != '\0' && !strchr(kit_error.text, '\n')))
        kit_fail(__FILE__, __LINE__, "%s: the text is '%s'", what, kit_error.text);
}

static void check_views(xncc_context *context)
{
    static const uint16_t pixel[64];
    const xncc_image good = {
        .data = pixel, .width = 5, .height = 4, .pitch = 12, .pixel = XNCC_U16
    };
    xncc_image bad[14];
    for (int i = 0; i < 14; i++)
        bad[i] = good;
    bad[0].data = NULL;
    bad[1].width = 0;
    bad[2].height = 0;
    bad[3].width = -5;
    bad[4].height = INT32_MIN;
    bad[5].width = XNCC_MAX_SIDE + 1;
    bad[6].pitch = 9;  /* shorter than a row */
    bad[7].pitch = 13; /* not a multiple of a pixel */
    bad[8].pitch = -12;
    bad[9].pixel = (xncc_pixel)7;
    bad[10].memory = (xncc_memory)2;
    bad[11].pitch = INT64_MAX - 1;
    bad[12].data = (const char *)pixel + 1; /* not aligned to a pixel */
    bad[13].memory = XNCC_DEVICE;           /* the context has no device */
    xncc_template *templ = NULL, *one = NULL;
    CHECK_STATUS(xncc_template_create(context, &good, &templ, &kit_error), XNCC_OK);
    CHECK(xncc_template_width(templ) == 5 && xncc_template_height(templ) == 4 &&
          xncc_template_pixel(templ) == XNCC_U16);
    float score[32];
    xncc_map map = { .data = score, .width = 1, .height = 1 };
    for (int i = 0; i < 14; i++) {
        char what[32];
        snprintf(what, sizeof what, "bad view %d", i);
        one = (xncc_template *)(uintptr_t)8;
        refused(xncc_template_create(context, &bad[i], &one, &kit_error), XNCC_ERROR_ARGUMENT,
                what);
        CHECK(one == NULL);
        xncc_status status = kit_correlate(context, &bad[i], templ, NULL, &map);
        refused(status, i == 13 ? XNCC_ERROR_UNSUPPORTED : XNCC_ERROR_ARGUMENT, what);
    }
    refused(xncc_template_create(context, NULL, &one, &kit_error), XNCC_ERROR_ARGUMENT,
            "template of NULL");
    refused(xncc_template_create(context, &good, NULL, &kit_error), XNCC_ERROR_ARGUMENT,
            "template to NULL");
    CHECK_STATUS(xncc_template_create(NULL, &good, &one, &kit_error), XNCC_ERROR_ARGUMENT);
    xncc_template_destroy(templ);
    xncc_template_destroy(NULL);
}

static void check_maps(xncc_context *context)
{
    static const uint8_t pixel[6 * 6];
    xncc_image image = { .data = pixel, .width = 6, .height = 6 },
               small = { .data = pixel, .width = 3, .height = 2 };
    xncc_template *templ = NULL;
    CHECK_STATUS(xncc_template_create(context, &small, &templ, &kit_error), XNCC_OK);
    float score[64];
    const xncc_map good = { .data = score, .width = 4, .height = 5 };
    xncc_map bad[7] = { good, good, good, good, good, good, good };
    bad[0].data = NULL;
    bad[1].width = 6;
    bad[2].height = 6;
    bad[3].pitch = 15;
    bad[4].pitch = 18;
    bad[5].data = (float *)(void *)((char *)score + 2);
    bad[6].width = 0;
    CHECK_STATUS(kit_correlate(context, &image, templ, NULL, &good), XNCC_OK);
    for (int i = 0; i < 7; i++)
        refused(kit_correlate(context, &image, templ, NULL, &bad[i]), XNCC_ERROR_ARGUMENT,
                "bad map");
    refused(kit_correlate(context, &image, templ, NULL, NULL), XNCC_ERROR_ARGUMENT, "no map");
    refused(kit_correlate(context, &image, NULL, NULL, &good), XNCC_ERROR_ARGUMENT, "no template");
    refused(kit_correlate(context, NULL, templ, NULL, &good), XNCC_ERROR_ARGUMENT, "no image");
    CHECK_STATUS(kit_correlate(NULL, &image, templ, NULL, &good), XNCC_ERROR_ARGUMENT);
    kit_options wrong[] = { { .method = (xncc_method)7 },   { .mode = (xncc_mode)3 },
                            { .border = (xncc_border)5 },   { .flat = (xncc_flat)2 },
                            { .kernel = "no-such-kernel" }, { .kernel = "" },
                            { .min_valid = -0.1 },          { .min_valid = (double)NAN },
                            { .kernel = "conv-tiled" } };
    for (int i = 0; i < 9; i++)
        refused(kit_correlate(context, &image, templ, &wrong[i], &good),
                i < 8 ? XNCC_ERROR_ARGUMENT : XNCC_ERROR_UNSUPPORTED, "bad options");
    image.pixel = XNCC_U16;
    image.width = 3;
    refused(kit_correlate(context, &image, templ, NULL, &good), XNCC_ERROR_ARGUMENT,
            "image and template of two types");
    xncc_context *other = kit_context(XNCC_DEVICE_CPU, 1);
    image = (xncc_image){ .data = pixel, .width = 6, .height = 6 };
    refused(kit_correlate(other, &image, templ, NULL, &good), XNCC_ERROR_ARGUMENT,
            "template of another context");
    xncc_context_destroy(other);
    image.width = 2;
    refused(kit_correlate(context, &image, templ, NULL, &good), XNCC_ERROR_ARGUMENT,
            "template wider than the image");
    xncc_template_destroy(templ);
}

static void check_find_arguments(xncc_context *context)
{
    static const uint8_t pixel[6 * 6];
    xncc_image image = { .data = pixel, .width = 6, .height = 6 },
               small = { .data = pixel, .width = 3, .height = 2 };
    xncc_template *templ = NULL;
    xncc_match match[4];
    size_t found = 9;
    CHECK_STATUS(xncc_template_create(context, &small, &templ, &kit_error), XNCC_OK);
    CHECK_STATUS(kit_find(context, &image, templ, NULL, NULL, 0, &found), XNCC_OK);
    CHECK_INT(found, 0);
    found = 9;
    refused(kit_find(context, &image, templ, &(kit_find_options){ .min_distance = -2 }, match, 4,
                     &found),
            XNCC_ERROR_ARGUMENT, "negative distance");
    CHECK_INT(found, 0);
    refused(
        kit_find(context, &image, templ, &(kit_find_options){ .min_score = NAN }, match, 4, &found),
        XNCC_ERROR_ARGUMENT, "limit NaN");
    refused(kit_find(context, &image, templ, NULL, NULL, 4, &found), XNCC_ERROR_ARGUMENT,
            "no array");
    refused(kit_find(context, &image, templ, NULL, match, 4, NULL), XNCC_ERROR_ARGUMENT,
            "no count");
    refused(kit_find(context, &image, NULL, NULL, match, 4, &found), XNCC_ERROR_ARGUMENT,
            "no template");
    xncc_template_destroy(templ);
}

static void check_filters(xncc_context *context)
{
    float tap[4] = { 1, 2, 3, 4 }, wild[2] = { 1, INFINITY };
    xncc_filter *filter = NULL;
    CHECK_STATUS(kit_filter_create(context, tap, 2, 2, NULL, &filter), XNCC_OK);
    xncc_filter_destroy(filter);
    xncc_filter_destroy(NULL);
    refused(kit_filter_create(context, tap, 0, 2, NULL, &filter), XNCC_ERROR_ARGUMENT, "no width");
    refused(kit_filter_create(context, tap, 2, 128, NULL, &filter), XNCC_ERROR_ARGUMENT,
            "too high");
    refused(kit_filter_create(context, NULL, 2, 2, NULL, &filter), XNCC_ERROR_ARGUMENT,
            "no coefficients");
    refused(kit_filter_create(context, wild, 2, 1, NULL, &filter), XNCC_ERROR_ARGUMENT,
            "infinite coefficient");
    wild[1] = NAN;
    refused(kit_filter_create(context, wild, 2, 1, NULL, &filter), XNCC_ERROR_ARGUMENT,
            "coefficient NaN");
    kit_filter_options outside = { .anchored = 1, .anchor_x = 2 };
    refused(kit_filter_create(context, tap, 2, 2, &outside, &filter), XNCC_ERROR_ARGUMENT,
            "anchor outside");
    outside = (kit_filter_options){ .anchored = 1, .anchor_y = -2 };
    refused(kit_filter_create(context, tap, 2, 2, &outside, &filter), XNCC_ERROR_ARGUMENT,
            "anchor above");
    CHECK(filter == NULL);
}

static void check_devices(void)
{
    xncc_device_info info = XNCC_DEVICE_INFO_INIT;
    const size_t count = xncc_device_count();
    CHECK(count >= 2);
    CHECK_STATUS(xncc_device_describe(0, &info, &kit_error), XNCC_OK);
    CHECK(info.device == XNCC_DEVICE_CPU && info.usable == 1 && info.processors >= 1 &&
          info.text[0]);
    for (size_t i = 1; i < count; i++) {
        CHECK_STATUS(xncc_device_describe(i, &info, &kit_error), XNCC_OK);
        CHECK(info.size == sizeof info && info.device == XNCC_DEVICE_CUDA &&
              (info.usable || info.text[0]));
        if (info.index == -1)
            CHECK(!info.constant_memory && !info.l2_cache && !info.registers_per_block &&
                  !info.registers_per_processor && !info.texture_width && !info.texture_height &&
                  !info.texture_pitch);
    }
    refused(xncc_device_describe(count, &info, &kit_error), XNCC_ERROR_ARGUMENT, "no such device");
    refused(xncc_device_describe(0, NULL, &kit_error), XNCC_ERROR_ARGUMENT, "no description");
    info.size = 8;
    refused(xncc_device_describe(0, &info, &kit_error), XNCC_ERROR_ARGUMENT, "a short struct");
}

static void check_contexts(void)
{
    xncc_context *context = (xncc_context *)(uintptr_t)8;
    const xncc_context_options fine = XNCC_CONTEXT_OPTIONS_INIT;
    xncc_context_options bad[5] = { fine, fine, fine, fine, fine };
    bad[0].device = (xncc_device)3;
    bad[1].threads = -1;
    bad[2].threads = 1025;
    bad[3].cuda_index = -1;
    bad[4].size = 0;
    for (int i = 0; i < 5; i++) {
        refused(xncc_context_create(&bad[i], &context, &kit_error), XNCC_ERROR_ARGUMENT,
                "options of a context");
        CHECK(context == NULL);
    }
    CHECK_STATUS(xncc_context_create(NULL, NULL, &kit_error), XNCC_ERROR_ARGUMENT);
    CHECK_STATUS(xncc_context_create(NULL, &context, &kit_error),
                 XNCC_OK); /* works with and without a GPU */
    CHECK_TEXT(kit_error.text, "");
    CHECK(xncc_context_progress(context) == 1.0);
    refused(xncc_template_create(context, NULL, NULL, &kit_error), XNCC_ERROR_ARGUMENT,
            "no result");
    CHECK_STATUS(xncc_template_create(context, NULL, NULL, NULL), XNCC_ERROR_ARGUMENT);
    xncc_context_destroy(context);
    xncc_context_destroy(NULL);
    check_devices();
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    check_names();
    check_extents();
    check_crop();
    check_contexts();
    xncc_context *context = kit_context(XNCC_DEVICE_CPU, 2);
    check_views(context);
    check_maps(context);
    check_find_arguments(context);
    check_filters(context);
    xncc_context_destroy(context);
    return kit_finish("basics");
}
