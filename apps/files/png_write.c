/* SPDX-License-Identifier: BSD-2-Clause */
/* PNG output, with libpng. */
#include "png_write.h"

#include "output.h"

#include "exactncc/image.h"

#include <errno.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct png_writer {
    const app_tiff_out *picture;
    double low, high; /* the smallest and the largest finite value */
    int has_nan;
    png_bytep row;
    FILE *file;
    png_structp png;
    png_infop info;
    char message[128];
} png_writer;

static void on_error(png_structp png, png_const_charp text)
{
    png_writer *w = png_get_error_ptr(png);
    snprintf(w->message, sizeof w->message, "%s", text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void find_range(png_writer *w)
{
    const float *value = w->picture->pixels;
    const size_t count = (size_t)w->picture->width * (size_t)w->picture->height;
    w->low = INFINITY;
    w->high = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        const double v = (double)value[i];
        w->has_nan |= isnan(v);
        if (isfinite(v)) {
            w->low = v < w->low ? v : w->low;
            w->high = v > w->high ? v : w->high;
        }
    }
    if (w->low > w->high)
        w->low = w->high = 0;
}

/* A row of 16-bit grey, the higher byte first, with alpha if there is a NaN. */
static void fill_row(const png_writer *w, const float *value)
{
    png_bytep to = w->row;
    const double span = w->high - w->low;
    for (int32_t x = 0; x < w->picture->width; x++) {
        const double v = (double)value[x];
        double level = span > 0 ? floor((v - w->low) / span * 65535 + 0.5) : 0;
        level = !(level > 0) ? 0 : level > 65535 ? 65535 : level; /* NaN: 0 */
        const unsigned grey = (unsigned)level;
        *to++ = (png_byte)(grey >> 8);
        *to++ = (png_byte)(grey & 255);
        if (w->has_nan) {
            const png_byte alpha = isnan(v) ? 0 : 255;
            *to++ = alpha;
            *to++ = alpha;
        }
    }
}

static void set_texts(const png_writer *w)
{
    char low[32], high[32], software[64];
    char keys[4][16] = { "Software", "Description", "low", "high" };
    char *description = (char *)(uintptr_t)w->picture->description; /* libpng only reads it */
    snprintf(low, sizeof low, "%.9g", w->low);
    snprintf(high, sizeof high, "%.9g", w->high);
    snprintf(software, sizeof software, "exactncc %s", xncc_version());
    char *const values[4] = { software, description, low, high };
    for (int i = 0; i < (w->picture->rgb ? 2 : 4); i++) {
        png_text text = { .compression = PNG_TEXT_COMPRESSION_NONE,
                          .key = keys[i],
                          .text = values[i] };
        if (values[i])
            png_set_text(w->png, w->info, &text, 1);
    }
}

static int colour_type(const png_writer *w)
{
    return w->picture->rgb ? PNG_COLOR_TYPE_RGB
           : w->has_nan    ? PNG_COLOR_TYPE_GRAY_ALPHA
                           : PNG_COLOR_TYPE_GRAY;
}

/* Returns 0 if libpng reports an error. */
static int write_picture(png_writer *w)
{
    const app_tiff_out *p = w->picture;
    if (setjmp(png_jmpbuf(w->png)))
        return 0;
    png_init_io(w->png, w->file);
    png_set_user_limits(w->png, XNCC_MAX_SIDE, XNCC_MAX_SIDE);
    png_set_IHDR(w->png, w->info, (png_uint_32)p->width, (png_uint_32)p->height, p->rgb ? 8 : 16,
                 colour_type(w), PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    set_texts(w);
    png_write_info(w->png, w->info);
    for (int64_t y = 0; y < p->height; y++) {
        if (p->rgb) {
            png_write_row(w->png, (png_const_bytep)p->pixels + 3 * y * p->width);
        } else {
            fill_row(w, (const float *)p->pixels + y * p->width);
            png_write_row(w->png, w->row);
        }
    }
    png_write_end(w->png, w->info);
    return fflush(w->file) == 0;
}

static int write_file(png_writer *w)
{
    const size_t pixel = w->has_nan ? 4 : 2;
    int done = 0;
    w->row = w->picture->rgb ? NULL : malloc((size_t)w->picture->width * pixel);
    w->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, w, on_error, on_warning);
    w->info = w->png ? png_create_info_struct(w->png) : NULL;
    if (w->info && (w->row || w->picture->rgb))
        done = write_picture(w);
    else
        snprintf(w->message, sizeof w->message, "out of memory");
    png_destroy_write_struct(&w->png, &w->info);
    free(w->row);
    return done;
}

xncc_status app_png_write(const char *path, const app_tiff_out *picture, app_error *error)
{
    app_output output;
    png_writer w = { .picture = picture };
    xncc_status status = app_output_open(path, &output, error);
    if (status)
        return status;
    if (!picture->rgb)
        find_range(&w);
    const int copy = dup(output.fd); /* app_output_close needs the other */
    w.file = copy >= 0 ? fdopen(copy, "wb") : NULL;
    errno = 0;
    int done = w.file && write_file(&w);
    int reason = errno;
    if (w.file && fclose(w.file) != 0 && done) {
        done = 0;
        reason = errno;
    }
    if (!done && reason)
        status = app_fail_errno(error, path, "cannot write", reason);
    else if (!done)
        status = app_fail(error, XNCC_ERROR_ARGUMENT,
                          "%s: cannot write PNG: %s; give a name that ends in .tif", path,
                          w.message[0] ? w.message : "write error");
    return app_output_close(&output, status, error);
}
