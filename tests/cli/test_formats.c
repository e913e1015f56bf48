/* SPDX-License-Identifier: BSD-2-Clause */
/* Small files of each format, written byte by byte, with the pixels that must be read from them or
 * the words in which they must be refused. */
#include "picture.h"
#include "save.h"
#include "small_files.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int checks, failures;

static const uint8_t jpeg_cmyk[] = {
    0xff, 0xd8, 0xff, 0xee, 0x00, 0x0e, 0x41, 0x64, 0x6f, 0x62, 0x65, 0x00, 0x64, 0x00, 0x00, 0x00,
    0x00, 0x00, 0xff, 0xdb, 0x00, 0x43, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xc0, 0x00, 0x14, 0x08, 0x00, 0x01, 0x00, 0x01,
    0x04, 0x43, 0x11, 0x00, 0x4d, 0x11, 0x00, 0x59, 0x11, 0x00, 0x4b, 0x11, 0x00, 0xff, 0xc4, 0x00,
    0x14, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x03, 0xff, 0xc4, 0x00, 0x14, 0x10, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xda, 0x00, 0x0e, 0x04, 0x43, 0x00,
    0x4d, 0x00, 0x59, 0x00, 0x4b, 0x00, 0x00, 0x3f, 0x00, 0x42, 0x10, 0x8f, 0xff, 0xd9,
};

static const uint8_t jpeg_12[] = {
    0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10, 0x4a, 0x46, 0x49, 0x46, 0x00, 0x01, 0x01, 0x00, 0x00, 0x01,
    0x00, 0x01, 0x00, 0x00, 0xff, 0xdb, 0x00, 0x43, 0x00, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01,
    0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01,
    0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01,
    0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01,
    0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0xff, 0xc0, 0x00, 0x0b, 0x0c, 0x00, 0x02,
    0x00, 0x03, 0x01, 0x01, 0x11, 0x00, 0xff, 0xc4, 0x00, 0x14, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x09, 0xff, 0xc4, 0x00, 0x14,
    0x10, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0xff, 0xda, 0x00, 0x08, 0x01, 0x01, 0x00, 0x00, 0x3f, 0x00, 0x19, 0xdf, 0xff, 0xd9,
};

static const uint8_t jpeg_lossless[] = {
    0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10, 0x4a, 0x46, 0x49, 0x46, 0x00, 0x01, 0x01, 0x00, 0x00, 0x01,
    0x00, 0x01, 0x00, 0x00, 0xff, 0xdb, 0x00, 0x43, 0x00, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01,
    0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01,
    0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01,
    0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01,
    0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0xff, 0xc3, 0x00, 0x0b, 0x08, 0x00, 0x02,
    0x00, 0x03, 0x01, 0x01, 0x11, 0x00, 0xff, 0xc4, 0x00, 0x14, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x09, 0xff, 0xc4, 0x00, 0x14,
    0x10, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0xff, 0xda, 0x00, 0x08, 0x01, 0x01, 0x00, 0x00, 0x3f, 0x00, 0x19, 0xdf, 0xff, 0xd9,
};

/* A file that must be refused, and part of the text. */
typedef struct bad {
    const void *bytes;
    size_t size;
    const char *text;
    int needs;
} bad;

static const bad refuses[] = {
    { "", 0, "it is empty", 1 },
    { BYTES("nothing"), "its first bytes are those of no known format", 1 },
    { BYTES("RIFF\0\0\0\0WEBPVP8 "), "is a WebP file", 1 },
    { BYTES("GIF89a"), "is a GIF file", 1 },
    { BYTES("\0\0\0\x1c"
            "ftypavif"),
      "is an AVIF file", 1 },
    { BYTES("\0\0\0\x1c"
            "ftypheic"),
      "is a HEIF file", 1 },
    { BYTES("\0\0\0\x1c"
            "ftypisom"),
      "is an MP4 or QuickTime video", 1 },
    { BYTES("\0\0\0\x0cjP  \r\n\x87\n"), "is a JPEG 2000 file", 1 },
    { BYTES("PK\3\4"), "is a ZIP archive, such as an .npz file", 1 },
    { BYTES("%PDF-1.4"), "is a PDF file", 1 },
    { ARRAY(jpeg_cmyk), "is a CMYK JPEG", HAVE_JPEG },
    { ARRAY(jpeg_12), "is a JPEG with 12 bits per sample", HAVE_JPEG },
    { ARRAY(jpeg_lossless), "JPEG", HAVE_JPEG },
    { small_jpeg, sizeof small_jpeg - 4, "cannot be decoded as JPEG", HAVE_JPEG },
    { small_png, sizeof small_png - 20, "cannot be decoded as PNG", HAVE_PNG },
    { small_png, sizeof small_png, "without libpng", !HAVE_PNG },
    { small_jpeg, sizeof small_jpeg, "without libjpeg-turbo", !HAVE_JPEG },
    { BYTES("P5 2 2 255\n\1\2\3"), "row 1 cannot be read: the file is cut short", 1 },
    { BYTES("P5 2 1 9\n\1\xa"), "row 0 has a sample above the largest value, 9", 1 },
    { BYTES("P2 2 1 9 1 10"), "row 0 cannot be read", 1 },
    { BYTES("P5 0 1 255\n"), "the width is missing or out of range", 1 },
    { BYTES("P5 2 1 65536\n"), "the largest value is missing or out of range", 1 },
    { BYTES("P7\nWIDTH 2\nENDHDR\n"), "HEIGHT is missing", 1 },
    { BYTES("PF\n1 1\n-1.0\n"), "is a PFM file", 1 },
    { BYTES(BMP("\x36", "\1", "\1\0\0\0", "\x8", "\1")), "compression 1 (RLE8)", 1 },
    { BYTES(BMP("\x36", "\1", "\1\0\0\0", "\x18", "\0") "\1\2"), "row 0 cannot be read", 1 },
    { BYTES(BMP("\x36", "\0", "\1\0\0\0", "\x18", "\0")), "extents or planes", 1 },
    { BYTES(NPY("\x3b", "{'descr': '<i8', 'fortran_order': False, 'shape': (1, 2), }")),
      "type '<i8'", 1 },
    { BYTES(NPY("\x3a", "{'descr': '|O', 'fortran_order': False, 'shape': (1, 2), }")), "type '|O'",
      1 },
    { BYTES(NPY("\x3b", "{'descr': '<c8', 'fortran_order': False, 'shape': (1, 2), }")),
      "type '<c8'", 1 },
    { BYTES(NPY("\x39", "{'descr': '|u1', 'fortran_order': False, 'shape': (9,), }")),
      "with 1 axis", 1 },
    { BYTES(NPY("\x3b", "{'descr': '|u1', 'fortran_order': False, 'shape': (1,1,65)}")), "has 65",
      1 },
    { BYTES(NPY("\x3b", "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2), }") "\1"),
      "the file ends in the middle of it", 1 },
};

static void fail(const char *name, const char *what)
{
    failures++;
    printf("FAIL %s: %s\n", name, what);
}

static int write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    const int ok = file && fwrite(bytes, 1, size, file) == size;
    return file && fclose(file) == 0 && ok;
}

static int equal(const small_file *g, const app_picture *p)
{
    const size_t pixels = (size_t)g->width * (size_t)g->height;
    if (p->width != g->width || p->height != g->height || p->channels != g->channels ||
        p->pixel != g->pixel || (p->mask != NULL) != (g->counts != NULL))
        return 0;
    for (size_t i = 0; i < pixels * (size_t)g->channels; i++)
        if (app_picture_value(p, i) != g->value[i])
            return 0;
    for (size_t i = 0; i < pixels && g->counts; i++)
        if (p->mask[i] != g->counts[i] - '0')
            return 0;
    return 1;
}

static void test_reads(const char *path)
{
    app_reading reading = app_default_reading;
    reading.channels = APP_SUM;
    for (size_t i = 0; i < small_file_count; i++) {
        const small_file *g = &small_files[i];
        app_picture picture;
        app_error error = { .text = "" };
        if (!g->needs)
            continue;
        checks++;
        if (!write_file(path, g->bytes, g->size))
            fail(g->name, "the test cannot write its file");
        else if (app_picture_load(path, g->page, &reading, &picture, &error))
            fail(g->name, error.text);
        else if (!equal(g, &picture))
            fail(g->name, "other pixels");
        if (!error.text[0])
            app_picture_free(&picture);
    }
}

static void test_refuses(const char *path)
{
    for (size_t i = 0; i < sizeof refuses / sizeof refuses[0]; i++) {
        const bad *b = &refuses[i];
        app_picture picture;
        app_error error = { .text = "" };
        if (!b->needs)
            continue;
        checks++;
        if (!write_file(path, b->bytes, b->size))
            fail(b->text, "the test cannot write its file");
        else if (!app_picture_load(path, 0, &app_default_reading, &picture, &error))
            fail(b->text, "was read");
        else if (!strstr(error.text, b->text) || strchr(error.text, '\n'))
            fail(b->text, error.text);
        app_picture_free(&picture);
    }
}

/* A float map as PNG: scaled to its finite values, NaN transparent. */
static void test_png_map(const char *path)
{
    static const float map[] = { 0.0f, 0.5f, 1.0f, NAN, INFINITY, -INFINITY };
    const small_file want = { .width = 3,
                              .height = 2,
                              .channels = 1,
                              .pixel = XNCC_U16,
                              .value = { 0, 32768, 65535, 0, 65535, 0 },
                              .counts = "111011" };
    const app_tiff_out out = { .pixels = map, .width = 3, .height = 2, .description = "{}" };
    app_picture picture;
    app_error error;
    checks++;
    if (app_save(path, &out, &error) ||
        app_picture_load(path, 0, &app_default_reading, &picture, &error)) {
        fail("a map as PNG", error.text);
        return;
    }
    if (!equal(&want, &picture))
        fail("a map as PNG", "other pixels");
    app_picture_free(&picture);
}

int main(void)
{
    static const char path[] = "formats.tmp";
    test_reads(path);
    test_refuses(path);
    if (HAVE_PNG)
        test_png_map("formats.tmp.png");
    unlink("formats.tmp.png");
    unlink(path);
    printf("%d checks, %d failures\n", checks, failures);
    return failures != 0;
}
