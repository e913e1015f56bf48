/* SPDX-License-Identifier: BSD-2-Clause */
/* The images of exactncc track. Rows are decoded into a picture that has no others. */
#include "track_images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A page may be larger than memory: the limit is for the rows that are read at once. */
static xncc_status open_file(const char *path, const app_reading *reading, track_file *f,
                             app_error *error)
{
    app_reading how = *reading;
    how.max_memory = UINT64_MAX;
    f->path = path;
    xncc_status status = app_file_open(path, &how, &f->file, error);
    return status ? status : app_file_select(f->file, 0, &f->info, error);
}

static void close_file(track_file *f)
{
    app_source_free(&f->rows);
    app_file_close(f->file);
    f->file = NULL;
}

/* Makes f->rows the rows y .. y + height - 1 of the page. */
static xncc_status read_rows(track_file *f, int32_t y, int32_t height, app_error *error)
{
    app_page part = f->info;
    app_page again;
    if (f->rows.picture.pixels && f->first == y && f->rows.picture.height == height)
        return XNCC_OK;
    app_source_free(&f->rows);
    part.height = height;
    xncc_status status = app_file_select(f->file, 0, &again, error);
    if (!status)
        status = app_picture_make(f->file, &part, &f->rows.picture, error);
    if (status)
        return status;
    f->rows.path = f->path;
    f->first = y;
    app_target to = app_picture_target(&f->rows.picture);
    to.first = y;
    for (int32_t ready = 0; ready < y + height && !status;)
        status = app_file_decode(f->file, &to, &ready, error);
    return status;
}

/* The source's read. */
static xncc_status give_rows(void *argument, size_t pair, int32_t which, int32_t y, int32_t height,
                             xncc_image *view, xncc_error *error)
{
    const track_images *images = argument;
    track_image *i = &images->image[2 * pair + (size_t)which - 1];
    app_error why = { .text = "" };
    const int fresh = !i->image.rows.picture.pixels || i->image.first != y ||
                      i->image.rows.picture.height != height;
    xncc_status status = read_rows(&i->image, y, height, &why);
    if (!status && i->mask.path && fresh) {
        status = read_rows(&i->mask, y, height, &why);
        if (!status)
            status = app_source_combine(&i->image.rows, i->mask.path, &i->mask.rows.picture, &why);
    }
    if (!status && fresh)
        app_picture_settle(&i->image.rows.picture);
    if (!status)
        status = app_source_view(&i->image.rows, images->pixel, view, &why);
    if (status)
        (void)snprintf(error->text, sizeof error->text, "%.*s", (int)sizeof error->text - 1,
                       why.text);
    return status;
}

static xncc_status open_image(const app_options *o, int number, track_image *i, app_error *error)
{
    const char *mask = number % 2 ? o->track_mask2 : o->track_mask1;
    app_reading how = o->reading;
    xncc_status status = open_file(o->files[number], &how, &i->image, error);
    if (!status)
        app_file_geo(i->image.file, &i->geo);
    if (status || !mask)
        return status;
    how.channels = APP_SUM;
    how.mask = 1;
    how.no_data = how.no_data == APP_NO_DATA_NONE ? APP_NO_DATA_NONE : APP_NO_DATA_TAG;
    status = open_file(mask, &how, &i->mask, error);
    if (!status &&
        (i->mask.info.width != i->image.info.width || i->mask.info.height != i->image.info.height))
        status = app_fail(error, XNCC_ERROR_ARGUMENT,
                          "%s: the mask has %d x %d pixels, but %s has %d x %d; give a mask of the "
                          "same size",
                          mask, i->mask.info.width, i->mask.info.height, i->image.path,
                          i->image.info.width, i->image.info.height);
    return status;
}

/* Checks an image against the first one of its kind, and joins its pixel type to the others. */
static xncc_status join_image(track_images *images, size_t number, app_error *error)
{
    const track_file *f = &images->image[number].image, *first = &images->image[0].image,
                     *like = &images->image[number % 2].image;
    images->pixel = number ? app_pixel_join(images->pixel, f->info.pixel) : f->info.pixel;
    if (f->info.channels != first->info.channels)
        return app_fail(error, XNCC_ERROR_ARGUMENT,
                        "%s: has %d channel%s, but %s has %d; leave out --channels sum", f->path,
                        f->info.channels, f->info.channels == 1 ? "" : "s", first->path,
                        first->info.channels);
    if (f->info.width != like->info.width || f->info.height != like->info.height)
        return app_fail(error, XNCC_ERROR_ARGUMENT,
                        "%s: has %d x %d pixels, but %s has %d x %d; all pairs must have the same "
                        "extents",
                        f->path, f->info.width, f->info.height, like->path, like->info.width,
                        like->info.height);
    return XNCC_OK;
}

/* The most rows of an image in memory at once. */
static int32_t most_rows(const app_options *o, const track_images *images)
{
    const app_page *a = &images->image[0].image.info, *b = &images->image[1].image.info;
    const uint64_t width = (uint64_t)(a->width > b->width ? a->width : b->width),
                   pixel = (uint64_t)a->channels * 16 + 2,
                   held = o->track.deform ? 3 : 2, /* of a pair, with the deformed one */
        rows = o->reading.max_memory / (held * images->pairs) / (width * pixel);
    return rows < 1 ? 1 : rows > XNCC_MAX_SIDE ? XNCC_MAX_SIDE : (int32_t)rows;
}

xncc_status track_images_open(const app_options *o, track_images *images, app_error *error)
{
    const xncc_track_source none = XNCC_TRACK_SOURCE_INIT;
    xncc_status status = XNCC_OK;
    *images = (track_images){ .source = none };
    if (o->file_count % 2)
        return app_fail(error, app_blame_usage(error, XNCC_ERROR_ARGUMENT),
                        "%d files given; give IMAGE1 and IMAGE2, or several such pairs",
                        o->file_count);
    images->image = calloc((size_t)o->file_count, sizeof *images->image);
    if (!images->image)
        return app_fail(error, XNCC_ERROR_MEMORY, "out of memory");
    images->pairs = (size_t)o->file_count / 2;
    for (int i = 0; i < o->file_count && !status; i++) {
        status = open_image(o, i, &images->image[i], error);
        if (!status)
            status = join_image(images, (size_t)i, error);
    }
    if (status)
        return status;
    const app_page *a = &images->image[0].image.info, *b = &images->image[1].image.info;
    images->source.pixel = images->pixel;
    images->source.channels = a->channels;
    images->source.width1 = a->width;
    images->source.height1 = a->height;
    images->source.width2 = b->width;
    images->source.height2 = b->height;
    images->source.rows = most_rows(o, images);
    images->source.pairs = images->pairs;
    images->source.read = give_rows;
    images->source.argument = images;
    return XNCC_OK;
}

void track_images_close(track_images *images)
{
    for (size_t i = 0; images->image && i < 2 * images->pairs; i++) {
        close_file(&images->image[i].image);
        close_file(&images->image[i].mask);
        app_geo_free(&images->image[i].geo);
    }
    free(images->image);
    images->image = NULL;
}
