/* SPDX-License-Identifier: BSD-2-Clause */
/* A page that the reader does not support is refused with a text that names the tag and its value.
 */
#include "file_read.h"

#include <stdio.h>
#include <string.h>
#include <tiffio.h>
#include <unistd.h>

typedef struct refused {
    uint16_t bits, format, samples, photometric;
    const char *text;
} refused;

enum {
    UINT = SAMPLEFORMAT_UINT,
    INT = SAMPLEFORMAT_INT,
    FP = SAMPLEFORMAT_IEEEFP,
    GREY = PHOTOMETRIC_MINISBLACK
};

static const refused cases[] = {
    { 12, UINT, 1, GREY, "BitsPerSample 12 of unsigned samples" },
    { 24, UINT, 1, GREY, "BitsPerSample 24 of unsigned samples" },
    { 64, UINT, 1, GREY, "BitsPerSample 64 of unsigned samples" },
    { 64, INT, 1, GREY, "BitsPerSample 64 of signed samples" },
    { 12, INT, 1, GREY, "BitsPerSample 12 of signed samples" },
    { 16, FP, 1, GREY, "BitsPerSample 16 of float samples" },
    { 24, FP, 1, GREY, "BitsPerSample 24 of float samples" },
    { 64, SAMPLEFORMAT_COMPLEXIEEEFP, 1, GREY, "SampleFormat 6 (complex)" },
    { 32, SAMPLEFORMAT_COMPLEXINT, 1, GREY, "SampleFormat 5 (complex)" },
    { 8, UINT, 4, PHOTOMETRIC_SEPARATED, "PhotometricInterpretation 5 (CMYK)" },
    { 8, UINT, 3, PHOTOMETRIC_CIELAB, "PhotometricInterpretation 8 (CIE L*a*b*)" },
    { 8, UINT, 3, PHOTOMETRIC_ICCLAB, "PhotometricInterpretation 9 (ICC L*a*b*)" },
    { 8, UINT, 3, PHOTOMETRIC_ITULAB, "PhotometricInterpretation 10 (ITU L*a*b*)" },
    { 1, UINT, 1, PHOTOMETRIC_MASK, "PhotometricInterpretation 4 (transparency mask)" },
    { 8, UINT, 1, PHOTOMETRIC_CFA, "PhotometricInterpretation 32803 (colour filter array)" },
    { 8, UINT, 3, PHOTOMETRIC_YCBCR,
      "PhotometricInterpretation 6 (YCbCr without JPEG compression)" },
    { 8, UINT, 1, 4711, "PhotometricInterpretation 4711 (unknown)" },
    { 8, UINT, 2, PHOTOMETRIC_RGB, "SamplesPerPixel 2 with PhotometricInterpretation 2 (colour)" },
    { 16, UINT, 1, PHOTOMETRIC_PALETTE, "BitsPerSample 16 with a palette" },
};

static int failures;

static int write_case(const char *path, const refused *c)
{
    static uint8_t strip[8 * 8 * 8 * 4];
    TIFF *tif = TIFFOpen(path, "wl");
    if (!tif)
        return 0;
    TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, 8);
    TIFFSetField(tif, TIFFTAG_IMAGELENGTH, 8);
    TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, c->bits);
    TIFFSetField(tif, TIFFTAG_SAMPLEFORMAT, c->format);
    TIFFSetField(tif, TIFFTAG_SAMPLESPERPIXEL, c->samples);
    TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, c->photometric);
    TIFFSetField(tif, TIFFTAG_ROWSPERSTRIP, 8);
    if (c->photometric == PHOTOMETRIC_YCBCR)
        TIFFSetField(tif, TIFFTAG_YCBCRSUBSAMPLING, 1, 1);
    if (c->photometric == PHOTOMETRIC_PALETTE) {
        static uint16_t map[65536];
        TIFFSetField(tif, TIFFTAG_COLORMAP, map, map, map);
    }
    int ok = TIFFWriteRawStrip(tif, 0, strip, (tmsize_t)sizeof strip) > 0;
    TIFFClose(tif);
    return ok;
}

static void check(const char *path, const char *text)
{
    app_file *file;
    app_page info;
    app_error error = { .text = "" };
    xncc_status status = app_file_open(path, &app_default_reading, &file, &error);
    if (!status)
        status = app_file_select(file, 0, &info, &error);
    app_file_close(file);
    if (status != XNCC_ERROR_UNSUPPORTED || !strstr(error.text, text) ||
        !strstr(error.text, "refused.tif: page 0: ")) {
        printf("FAIL: status %d, \"%s\", not \"%s\"\n", status, error.text, text);
        failures++;
    }
}

/* Sets the value of a SHORT tag with one value in a little-endian file. */
static int patch_tag(const char *path, uint16_t tag, uint16_t value)
{
    uint8_t bytes[65536];
    FILE *file = fopen(path, "r+b");
    size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    const uint8_t entry[8] = { (uint8_t)tag, (uint8_t)(tag >> 8), 3, 0, 1, 0, 0, 0 };
    int done = 0;
    for (size_t i = 0; i + 12 <= size && !done; i++)
        if (memcmp(bytes + i, entry, 8) == 0) {
            const uint8_t number[2] = { (uint8_t)value, (uint8_t)(value >> 8) };
            done = fseek(file, (long)(i + 8), SEEK_SET) == 0 && fwrite(number, 1, 2, file) == 2;
        }
    return file && fclose(file) == 0 && done;
}

int main(void)
{
    const char *path = "refused.tif";
    const refused plain = { 8, UINT, 1, GREY, NULL };
    const int count = sizeof cases / sizeof cases[0];
    TIFFSetWarningHandler(NULL);
    for (int i = 0; i < count; i++) {
        if (!write_case(path, &cases[i])) {
            printf("FAIL: cannot write the case \"%s\"\n", cases[i].text);
            failures++;
        } else {
            check(path, cases[i].text);
        }
    }
    if (write_case(path, &plain) && patch_tag(path, TIFFTAG_COMPRESSION, 51234))
        check(path, "Compression 51234 (unknown) is not built into this libtiff");
    else
        failures++;
    unlink(path);
    printf("%d checks, %d failed\n", count + 1, failures);
    return failures != 0;
}
