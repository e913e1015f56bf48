/* SPDX-License-Identifier: BSD-2-Clause */
/* A map that is written row by row. */
#include "map_file.h"

#include "npy_write.h"
#include "save.h"
#include "shared_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct app_map_file {
    const char *path;
    app_output output;
    app_journal *journal; /* NULL: none */
    app_map_book *book;   /* NULL: none */
    app_form form;
    app_tiff_out picture;
    app_progress_line done; /* what has been written */
    app_shared_file shared; /* without a name: it is not shared */
};

static xncc_status fail_write(const app_map_file *f, int why, app_error *error)
{
    return app_fail_errno(error, f->path, "cannot write", why);
}

static xncc_status check_form(const char *path, app_form *form, app_error *error)
{
    const xncc_status status = app_save_form(path, form, error);
    if (status || *form != APP_FORM_PNG)
        return status;
    return app_fail(error, XNCC_ERROR_ARGUMENT,
                    "%s: PNG needs the whole map in memory; give a name that ends in .tif or .npy, "
                    "or raise --max-memory",
                    path);
}

xncc_status app_map_file_open(const char *path, const app_map_shape *shape, app_map_file **file,
                              app_error *error)
{
    app_map_file *f = calloc(1, sizeof *f);
    *file = NULL;
    if (!f)
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", path);
    f->path = path;
    f->picture = (app_tiff_out){ .width = shape->width,
                                 .height = shape->height,
                                 .tile = shape->tile };
    f->done = (app_progress_line){ .low = (double)NAN, .high = (double)NAN };
    xncc_status status = check_form(path, &f->form, error);
    f->book = shape->book;
    if (!status && f->book)
        status = app_map_book_begin(f->book, &f->picture, error);
    else if (!status && shape->shared)
        status = app_shared_open(path, shape->shared == 1, &f->shared, error);
    else if (!status && shape->key)
        status = app_journal_open(path, shape->key, &f->journal, &f->done, error);
    else if (!status)
        status = app_output_open(path, &f->output, error);
    if (status)
        free(f);
    else
        *file = f;
    return status;
}

static int descriptor(const app_map_file *f)
{
    if (f->book)
        return f->book->output.fd;
    return f->shared.name ? f->shared.fd : f->journal ? app_journal_data(f->journal) : f->output.fd;
}

int32_t app_map_file_rows(const app_map_file *f)
{
    return f->done.rows;
}

unsigned app_map_file_flags(const app_map_file *f)
{
    return f->done.flags;
}

void app_map_file_range(const app_map_file *f, double *low, double *high)
{
    *low = f->done.low;
    *high = f->done.high;
}

static void extend_range(app_progress_line *done, const float *value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double v = (double)value[i];
        if (!(v >= done->low))
            done->low = isnan(v) ? done->low : v;
        if (!(v <= done->high))
            done->high = isnan(v) ? done->high : v;
    }
}

static xncc_image npy_shape(const app_map_file *f)
{
    return (
        xncc_image){ .width = f->picture.width, .height = f->picture.height, .pixel = XNCC_F32 };
}

xncc_status app_map_file_put(app_map_file *f, int32_t first, int32_t count, const float *rows,
                             unsigned flags, app_error *error)
{
    const size_t width = (size_t)f->picture.width;
    const int32_t skip = f->shared.name ? 0 : f->done.rows - first;
    f->done.flags |= flags;
    if (skip >= count)
        return XNCC_OK;
    rows += (size_t)skip * width;
    first += skip;
    count -= skip;
    const xncc_image shape = npy_shape(f);
    const int why = f->form == APP_FORM_NPY
                        ? app_npy_put(descriptor(f), &shape, first, count, rows)
                        : app_tiff_put(descriptor(f), &f->picture, first, count, rows);
    if (why)
        return fail_write(f, why, error);
    extend_range(&f->done, rows, (size_t)count * width);
    f->done.rows = first + count;
    return f->journal ? app_journal_add(f->journal, &f->done, error) : XNCC_OK;
}

xncc_status app_map_file_slice(app_map_file *f, app_progress_line *done, uint64_t *number,
                               app_error *error)
{
    *done = f->done;
    f->done = (app_progress_line){ .low = (double)NAN, .high = (double)NAN };
    *number = f->shared.number;
    return fdatasync(f->shared.fd) == 0 ? XNCC_OK : fail_write(f, errno, error);
}

int app_map_file_is(const app_map_file *f, uint64_t number)
{
    return app_shared_is(&f->shared, number);
}

xncc_status app_map_file_add(app_map_file *f, const app_progress_line *done, uint64_t number,
                             app_error *error)
{
    if (!app_shared_is(&f->shared, number))
        return app_fail(error, XNCC_ERROR_ARGUMENT,
                        "%s: is not the file that the parts were written to; remove it and all "
                        "parts, and begin again",
                        f->shared.name);
    f->done.flags |= done->flags;
    if (!(done->low >= f->done.low))
        f->done.low = isnan(done->low) ? f->done.low : done->low;
    if (!(done->high <= f->done.high))
        f->done.high = isnan(done->high) ? f->done.high : done->high;
    return XNCC_OK;
}

/* Writes what is not rows, and brings everything to the disk. */
static xncc_status complete(app_map_file *f, const app_tiff_out *frame, app_error *error)
{
    const xncc_image shape = npy_shape(f);
    app_tiff_out all = f->picture;
    xncc_status status = XNCC_OK;
    all.description = frame->description;
    all.place = frame->place;
    all.has_nan = frame->has_nan;
    int why = 0;
    if (f->book)
        return app_map_book_end(f->book, &all, error);
    if (f->form == APP_FORM_NPY)
        why = app_npy_head(descriptor(f), &shape);
    else
        status = app_tiff_frame(descriptor(f), f->path, &all, error);
    if (!status && !why && fsync(descriptor(f)) != 0)
        why = errno;
    return why ? fail_write(f, why, error) : status;
}

xncc_status app_map_file_close(app_map_file *f, const app_tiff_out *frame, xncc_status status,
                               app_error *error)
{
    if (!f)
        return status;
    if (!status && frame)
        status = complete(f, frame, error);
    if (f->book) {
        free(f);
        return status;
    }
    if (f->shared.name) {
        if (!status && frame)
            status = app_shared_deliver(&f->shared, f->path, error);
        app_shared_close(&f->shared);
        free(f);
        return status;
    }
    status = f->journal ? app_journal_close(f->journal, status, error)
                        : app_output_close(&f->output, status, error);
    free(f);
    return status;
}
