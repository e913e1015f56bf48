/* SPDX-License-Identifier: BSD-2-Clause */
/* TIFF output: a float map, or 8-bit RGB. */
#include "tiff_write.h"

#include "output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <tiffio.h>
#include <unistd.h>

enum { STRIP_BYTES = 256 << 10 };

/* Stores the first error. */
static int on_error(TIFF *tif, void *data, const char *module, const char *format, va_list list)
{
    app_error *message = data;
    (void)tif;
    (void)module;
    if (!message->text[0])
        vsnprintf(message->text, sizeof message->text, format, list);
    return 1;
}

static int on_warning(TIFF *tif, void *data, const char *module, const char *format, va_list list)
{
    (void)tif;
    (void)data;
    (void)module;
    (void)format;
    (void)list;
    return 1;
}

static int set_tags(TIFF *tif, const app_tiff_out *picture, uint32_t rows)
{
    char software[64];
    snprintf(software, sizeof software, "exactncc %s", xncc_version());
    int ok = TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, (uint32_t)picture->width) &&
             TIFFSetField(tif, TIFFTAG_IMAGELENGTH, (uint32_t)picture->height) &&
             TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, picture->rgb ? 8 : 32) &&
             TIFFSetField(tif, TIFFTAG_SAMPLESPERPIXEL, picture->rgb ? 3 : 1) &&
             TIFFSetField(tif, TIFFTAG_SAMPLEFORMAT,
                          picture->rgb ? SAMPLEFORMAT_UINT : SAMPLEFORMAT_IEEEFP) &&
             TIFFSetField(tif, TIFFTAG_PHOTOMETRIC,
                          picture->rgb ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK) &&
             TIFFSetField(tif, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) &&
             TIFFSetField(tif, TIFFTAG_COMPRESSION, COMPRESSION_NONE) &&
             TIFFSetField(tif, TIFFTAG_ROWSPERSTRIP, rows) &&
             TIFFSetField(tif, TIFFTAG_SOFTWARE, software);
    if (ok && picture->description)
        ok = TIFFSetField(tif, TIFFTAG_IMAGEDESCRIPTION, picture->description);
    app_geo_register(tif);
    return ok && app_geo_write(tif, &picture->place) &&
           (!picture->has_nan || app_no_data_write_nan(tif));
}

static int write_strips(TIFF *tif, const app_tiff_out *picture)
{
    const uint64_t row = (uint64_t)picture->width * (picture->rgb ? 3 : 4);
    const uint64_t fit = STRIP_BYTES / row, height = (uint64_t)picture->height;
    const uint64_t rows = fit < 1 ? 1 : fit < height ? fit : height;
    if (!set_tags(tif, picture, (uint32_t)rows))
        return 0;
    uint32_t strip = 0;
    for (uint64_t y = 0; y < height; y += rows, strip++) {
        uint64_t bytes = (height - y < rows ? height - y : rows) * row;
        /* libtiff's parameter is not const; without compression it only reads from it. */
        void *from = (char *)(uintptr_t)picture->pixels + y * row;
        if (TIFFWriteEncodedStrip(tif, strip, from, (tmsize_t)bytes) != (tmsize_t)bytes)
            return 0;
    }
    return TIFFFlush(tif);
}

xncc_status app_tiff_write(const char *path, const app_tiff_out *picture, app_error *error)
{
    const uint64_t bytes = (uint64_t)picture->width * (uint64_t)picture->height *
                           (picture->rgb ? 3 : 4);
    const uint64_t big = picture->big_above ? picture->big_above : 3500000000u;
    app_error message = { .text = "" };
    app_output output;
    xncc_status status = app_output_open(path, &output, error);
    if (status)
        return status;
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    TIFF *tif = NULL;
    /* TIFFClose closes this copy without saying whether that worked; app_output_close checks it. */
    errno = 0;
    int fd = dup(output.fd);
    if (options) {
        TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, &message);
        TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, NULL);
        if (fd >= 0)
            tif = TIFFFdOpenExt(fd, output.name ? output.name : output.path,
                                bytes > big ? "w8" : "w", options);
        TIFFOpenOptionsFree(options);
    }
    int done = 0;
    if (tif) {
        done = write_strips(tif, picture) && !message.text[0] && fsync(fd) == 0;
        int reason = errno;
        TIFFClose(tif);
        errno = reason;
    } else if (fd >= 0) {
        close(fd);
    }
    if ((!done || message.text[0]) && errno)
        status = app_fail_errno(error, path, "cannot write", errno);
    else if (!done || message.text[0])
        status = app_fail(error, XNCC_ERROR_ARGUMENT,
                          "%s: cannot write: %.200s; free some space or give another name", path,
                          message.text[0] ? message.text : "libtiff gave no reason");
    return app_output_close(&output, status, error);
}
