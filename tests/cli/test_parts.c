/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of the programs, called directly. */
#include "filters.h"
#include "flavour.h"
#include "kit/kit.h"
#include "numbers.h"
#include "picture.h"
#include "report.h"
#include "tiff_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>
#include <unistd.h>

static void test_pixel_joins(void)
{
    static const xncc_pixel u8 = XNCC_U8, u16 = XNCC_U16, f32 = XNCC_F32, s8 = XNCC_S8,
                            s16 = XNCC_S16, u32 = XNCC_U32, f64 = XNCC_F64;
    /* in the order of xncc_pixel */
    const xncc_pixel want[7][7] = {
        { u8, u16, f32, s16, s16, u32, f64 },  { u16, u16, f32, f32, f32, u32, f64 },
        { f32, f32, f32, f32, f32, f64, f64 }, { s16, f32, f32, s8, s16, f64, f64 },
        { s16, f32, f32, s16, s16, f64, f64 }, { u32, u32, f64, f64, f64, u32, f64 },
        { f64, f64, f64, f64, f64, f64, f64 },
    };
    for (int a = 0; a < 7; a++)
        for (int b = 0; b < 7; b++)
            CHECK(app_pixel_join((xncc_pixel)a, (xncc_pixel)b) == want[a][b]);
}

/* The smallest and largest value of each type are preserved in every type that represents them. */
static void test_conversions(void)
{
    static const double ends[7][2] = {
        { 0, 255 },     { 0, 65535 },      { -3.4028234663852886e38, 16777216 },
        { -128, 127 },  { -32768, 32767 }, { 0, 4294967295.0 },
        { -1e300, 0.1 }
    };
    for (int from = 0; from < 7; from++)
        for (int to = 0; to < 7; to++) {
            app_picture source = { .width = 1, .height = 2, .channels = 1, .pixel = XNCC_F64 };
            app_picture own = source, other = source;
            xncc_image view;
            void *a = NULL, *b = NULL;
            app_error error;
            double values[2] = { ends[from][0], ends[from][1] };
            if (app_pixel_join((xncc_pixel)from, (xncc_pixel)to) != (xncc_pixel)to)
                continue;
            source.pixels = values;
            own.pixel = (xncc_pixel)from;
            other.pixel = (xncc_pixel)to;
            CHECK(app_picture_view(&source, own.pixel, &view, &a, &error) == XNCC_OK);
            own.pixels = a ? a : values;
            CHECK(app_picture_view(&own, other.pixel, &view, &b, &error) == XNCC_OK &&
                  view.pixel == other.pixel);
            other.pixels = b ? b : own.pixels;
            CHECK(app_picture_value(&other, 0) == values[0] &&
                  app_picture_value(&other, 1) == values[1]);
            free(a);
            free(b);
        }
}

static void test_no_data_texts(void)
{
    static const char *const right[] = { "0",       "-9999",  "-3.4028234663852886e+38",
                                         "nan",     "NaN",    "-inf",
                                         "1e-5",    "+7",     "Infinity",
                                         "1.#QNAN", "-1.#IND" };
    static const char *const wrong[] = { "",    " 1",   "1 ",      "0x10",  "none",
                                         "1,5", "nano", "infinit", "1e999", "--1" };
    double v;
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++)
        CHECK(app_no_data_parse(right[i], &v) == 1);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK(app_no_data_parse(wrong[i], &v) == 0);
    CHECK(app_no_data_parse("-9999", &v) && v == -9999.0);
    CHECK(app_no_data_parse("NAN", &v) && isnan(v));
    CHECK(app_no_data_parse("-inf", &v) && isinf(v) && v < 0);
    CHECK(app_no_data_parse("-infinity", &v) && isinf(v) && v < 0);
    CHECK(app_no_data_parse("-1.#IND", &v) && isnan(v));
}

static void test_numbers(void)
{
    int64_t i = 0;
    uint64_t u = 0;
    float f = 0;
    double d = 0;
    CHECK(app_parse_integer("-5", -5, 5, &i) && i == -5);
    CHECK(!app_parse_integer("-6", -5, 5, &i) && !app_parse_integer("+5", -5, 5, &i) &&
          !app_parse_integer("-", -5, 5, &i));
    CHECK(app_parse_float("-inf", 1, &f) && isinf(f));
    CHECK(!app_parse_float("1e99", 1, &f) && !app_parse_float("nan", 1, &f) &&
          !app_parse_float("inf", 0, &f));
    CHECK(app_parse_float("0.1", 0, &f) && f == 0.1f);
    CHECK(app_parse_double("1e300", &d) && d == 1e300);
    CHECK(!app_parse_double("1e400", &d) && !app_parse_double("0x10", &d) &&
          !app_parse_double("", &d));
    CHECK(app_parse_bytes("3k", &u) && u == 3072);
    CHECK(app_parse_bytes("16T", &u) && u == (uint64_t)16 << 40);
    CHECK(!app_parse_bytes("16777216T", &u) && !app_parse_bytes("1KB", &u) &&
          !app_parse_bytes("K", &u));
    CHECK(app_parse_bytes("16777215T", &u));
}

static void check_json(const char *text, const char *want)
{
    char *got = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&got, &size);
    app_json_string(out, text);
    fclose(out);
    CHECK(strcmp(got, want) == 0);
    free(got);
}

static void test_json(void)
{
    check_json("a\"b\\c\n\x7f", "\"a\\\"b\\\\c\\u000a\\u007f\"");
    check_json("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
               "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"");
    check_json("\xc0\xaf", "\"\\ufffd\\ufffd\"");            /* overlong */
    check_json("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""); /* surrogate */
    check_json("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
    check_json("\xe2\x82", "\"\\ufffd\\ufffd\"");
    check_json("\xff", "\"\\ufffd\"");
}

static void test_filters(void)
{
    static app_filter f;
    app_error error;
    double sum = 0.0;
    CHECK(app_filter_gaussian(15.75, &f, &error) == XNCC_OK && f.width == 127 && f.height == 127);
    CHECK(app_filter_gaussian(15.76, &f, &error) == XNCC_ERROR_ARGUMENT);
    CHECK(app_filter_gaussian(1.0, &f, &error) == XNCC_OK && f.width == 9);
    for (int i = 0; i < 81; i++)
        sum += (double)f.value[i];
    CHECK(fabs(sum - 1.0) < 1e-6);
    CHECK(fabs((double)f.value[40] - 0.159155) < 1e-4 &&
          f.value[0] == f.value[80]); /* 1 / (2 pi) */
}

/* Colours that are not grey: the luma formula, rounded to nearest for integers only. */
static void check_luma(int bits, int palette)
{
    enum { COUNT = 256 };
    uint16_t value[3][COUNT];
    uint8_t row[COUNT * 12];
    app_error error = { .text = "" };
    app_picture p = { .pixels = NULL };
    for (int i = 0; i < 3 * COUNT; i++)
        value[i / COUNT][i % COUNT] = (uint16_t)((uint32_t)i * 40503u >> 3);
    for (int i = 0; i < COUNT; i++)
        for (int c = 0; c < 3; c++) {
            float f = (float)value[c][i] / 3.0f;
            if (palette)
                row[i] = (uint8_t)i;
            else if (bits == 8)
                row[3 * i + c] = (uint8_t)value[c][i];
            else
                memcpy(row + (3 * i + c) * bits / 8, bits == 16 ? (void *)&value[c][i] : (void *)&f,
                       (size_t)bits / 8);
        }
    TIFF *tif = TIFFOpen("parts.tif", "w");
    CHECK(tif != NULL);
    if (!tif)
        return;
    TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, COUNT);
    TIFFSetField(tif, TIFFTAG_IMAGELENGTH, 1);
    TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, bits);
    TIFFSetField(tif, TIFFTAG_SAMPLESPERPIXEL, palette ? 1 : 3);
    TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, palette ? PHOTOMETRIC_PALETTE : PHOTOMETRIC_RGB);
    TIFFSetField(tif, TIFFTAG_SAMPLEFORMAT, bits == 32 ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT);
    if (palette)
        TIFFSetField(tif, TIFFTAG_COLORMAP, value[0], value[1], value[2]);
    CHECK(TIFFWriteScanline(tif, row, 0, 0) == 1);
    TIFFClose(tif);
    CHECK(app_picture_load("parts.tif", 0, &app_default_reading, &p, &error) == XNCC_OK);
    int wrong = 0;
    for (int i = 0; i < COUNT && p.pixels; i++) {
        long v[3];
        for (int c = 0; c < 3; c++)
            v[c] = palette ? value[c][i] / 256 : bits == 8 ? value[c][i] % 256 : value[c][i];
        double want = floor((double)(299 * v[0] + 587 * v[1] + 114 * v[2]) / 1000.0 + 0.5);
        if (bits == 32)
            want = (double)(float)((299.0 * (double)((float)v[0] / 3.0f) +
                                    587.0 * (double)((float)v[1] / 3.0f) +
                                    114.0 * (double)((float)v[2] / 3.0f)) /
                                   1000.0);
        wrong += app_picture_value(&p, (size_t)i) != want;
    }
    CHECK(p.pixels && wrong == 0);
    app_picture_free(&p);
    unlink("parts.tif");
}

/* BigTIFF above the limit, classic TIFF below; both are read back. */
static void test_writing(void)
{
    float pixels[35];
    for (int i = 0; i < 35; i++)
        pixels[i] = (float)(i - 3) / 7.0f;
    for (int big = 0; big < 2; big++) {
        app_error error = { .text = "" };
        app_picture p = { .pixels = NULL };
        unsigned char magic[4] = { 0 };
        const app_tiff_out out = { .pixels = pixels,
                                   .width = 7,
                                   .height = 5,
                                   .description = "{}",
                                   .big_above = big ? 139 : 140 };
        CHECK(app_tiff_write("parts.tif", &out, &error) == XNCC_OK);
        FILE *file = fopen("parts.tif", "rb");
        CHECK(file && fread(magic, 1, 4, file) == 4);
        if (file)
            fclose(file);
        CHECK((magic[2] | magic[3]) == (big ? 43 : 42));
        CHECK(app_picture_load("parts.tif", 0, &app_default_reading, &p, &error) == XNCC_OK);
        CHECK(p.width == 7 && p.height == 5 && p.pixel == XNCC_F32 &&
              memcmp(p.pixels, pixels, sizeof pixels) == 0);
        app_picture_free(&p);
        /* It has been read, so it is not replaced. */
        CHECK(app_tiff_write("parts.tif", &out, &error) != XNCC_OK &&
              strstr(error.text, "would overwrite an input"));
        unlink("parts.tif");
    }
}

/* Large strips are decoded line by line, or plane by plane; memory stays within the limit; rows
 * arrive from the top. */
static void test_large_strips(void)
{
    enum { WIDTH = 1900, HEIGHT = 2500 };
    static const flavour kinds[] = {
        { "rgb", 8, SAMPLEFORMAT_UINT, 3, 2, 8, 0, 0, 0, NULL, 0,
          0 }, /* one strip of 14 MB, Deflate */
        { "planes", 16, SAMPLEFORMAT_UINT, 3, 2, 8, 1, 0, 0, NULL, 0, 0 }, /* three of 9.5 MB */
        { "f64", 64, SAMPLEFORMAT_IEEEFP, 1, 1, 5, 0, 0, 0, NULL, 0, 0 },  /* one of 38 MB, LZW */
        { "strips", 64, SAMPLEFORMAT_IEEEFP, 1, 1, 8, 0, 600, 0, NULL, 0, 0 }, /* four of 9 MB */
    };
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        const flavour *f = &kinds[k];
        app_file *file = NULL;
        app_page info;
        app_error error = { .text = "" };
        app_reading limits = { .max_memory = 64u << 20 };
        CHECK(flavour_write("parts.tif", f, WIDTH, HEIGHT, flavour_scene) == 1);
        CHECK(app_file_open("parts.tif", &limits, &file, &error) == XNCC_OK);
        CHECK(file && app_file_select(file, 0, &info, &error) == XNCC_OK);
        const size_t pitch = WIDTH * xncc_pixel_size(flavour_sample(f)) + 24; /* rows with a gap */
        uint8_t *pixels = calloc(HEIGHT, pitch);
        const app_target to = { pixels, (int64_t)pitch, NULL, 0, HEIGHT };
        int32_t ready = 0, before = 0, calls = 0;
        while (file && pixels && ready < HEIGHT &&
               app_file_decode(file, &to, &ready, &error) == XNCC_OK && ready > before) {
            before = ready;
            calls++;
        }
        CHECK(ready == HEIGHT);
        CHECK(calls > 1 || f->separate);
        int wrong = 0;
        for (int y = 0; y < HEIGHT && pixels; y++) {
            app_picture row = { .pixels = pixels + (size_t)y * pitch, .pixel = flavour_sample(f) };
            for (int x = 0; x < WIDTH; x++)
                wrong += app_picture_value(&row, (size_t)x) !=
                         flavour_expect(f, flavour_scene(x, y));
        }
        CHECK(wrong == 0);
        free(pixels);
        app_file_close(file);
        const app_area area = { 1800, 2100, 100, 60 };
        app_picture part;
        CHECK(app_picture_load_area("parts.tif", &area, &limits, &part, &error) == XNCC_OK);
        CHECK(part.width == area.width && part.height == area.height);
        for (int i = 0; i < part.width * part.height; i++)
            wrong += app_picture_value(&part, (size_t)i) !=
                     flavour_expect(f, flavour_scene(area.x + i % 100, area.y + i / 100));
        CHECK(wrong == 0);
        app_picture_free(&part);
        limits.max_memory = 4 << 20;
        CHECK(app_file_open("parts.tif", &limits, &file, &error) == XNCC_OK);
        CHECK(app_file_select(file, 0, &info, &error) == XNCC_ERROR_MEMORY &&
              strstr(error.text, "raise --max-memory"));
        app_file_close(file);
    }
    unlink("parts.tif");
}

/* A blank picture compresses well, and is accepted although its file is small. */
static uint8_t blank(int x, int y)
{
    (void)x;
    (void)y;
    return 0;
}

static void test_blank(void)
{
    static const uint16_t codecs[] = { COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE,
                                       COMPRESSION_PACKBITS, COMPRESSION_ZSTD, COMPRESSION_LZMA };
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++) {
        const flavour kind = {
            "blank", 8, SAMPLEFORMAT_UINT, 1, PHOTOMETRIC_MINISBLACK, codecs[i], 0, 0, 0, NULL, 0, 0
        };
        app_error error = { .text = "" };
        app_picture p = { .pixels = NULL };
        int wrote = flavour_write("parts.tif", &kind, 6000, 5000, blank);
        CHECK(wrote >= 0);
        if (wrote == 1)
            CHECK(app_picture_load("parts.tif", 0, &app_default_reading, &p, &error) == XNCC_OK);
        app_picture_free(&p);
    }
    unlink("parts.tif");
}

int main(void)
{
    test_pixel_joins();
    test_conversions();
    test_no_data_texts();
    test_numbers();
    test_json();
    test_filters();
    check_luma(8, 0);
    check_luma(16, 0);
    check_luma(32, 0);
    check_luma(8, 1);
    test_writing();
    test_large_strips();
    test_blank();
    return kit_finish("parts");
}
