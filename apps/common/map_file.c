/* SPDX-License-Identifier: BSD-2-Clause */
/* A map that is written row by row. */
#include "map_file.h"

#include "inputs.h"
#include "npy_write.h"
#include "save.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct app_map_file {
    const char *path;
    app_output output;
    app_journal *journal; /* NULL: none */
    app_map_book *book;   /* NULL: none */
    app_form form;
    app_tiff_out picture;
    app_progress_line done; /* what has been written */
    char *partial;          /* the name of a shared file; NULL: it is not shared */
    int shared;             /* its descriptor */
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

/* Opens PATH.partial, which may have rows of other processes. */
static xncc_status open_shared(app_map_file *f, int create, app_error *error)
{
    const size_t size = strlen(f->path) + sizeof ".partial";
    f->partial = malloc(size);
    if (!f->partial)
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", f->path);
    snprintf(f->partial, size, "%s.partial", f->path);
    f->shared = open(f->partial, O_RDWR | (create ? O_CREAT : 0) | O_CLOEXEC, 0666);
    if (f->shared >= 0)
        return XNCC_OK;
    const xncc_status status = app_fail_errno(error, f->partial, "cannot write", errno);
    free(f->partial);
    return status;
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
        status = open_shared(f, shape->shared == 1, error);
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
    return f->partial ? f->shared : f->journal ? app_journal_data(f->journal) : f->output.fd;
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
    const int32_t skip = f->partial ? 0 : f->done.rows - first;
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

static xncc_status number_of(const app_map_file *f, uint64_t *number, app_error *error)
{
    struct stat info;
    if (fstat(f->shared, &info) != 0)
        return app_fail_errno(error, f->partial, "cannot read", errno);
    *number = (uint64_t)info.st_ino;
    return XNCC_OK;
}

xncc_status app_map_file_slice(app_map_file *f, app_progress_line *done, uint64_t *number,
                               app_error *error)
{
    *done = f->done;
    f->done = (app_progress_line){ .low = (double)NAN, .high = (double)NAN };
    if (fdatasync(f->shared) != 0)
        return fail_write(f, errno, error);
    return number_of(f, number, error);
}

int app_map_file_is(const app_map_file *f, uint64_t number)
{
    uint64_t here = 0;
    app_error unused;
    return number_of(f, &here, &unused) == XNCC_OK && here == number;
}

xncc_status app_map_file_add(app_map_file *f, const app_progress_line *done, uint64_t number,
                             app_error *error)
{
    uint64_t here = 0;
    const xncc_status status = number_of(f, &here, error);
    if (status)
        return status;
    if (here != number)
        return app_fail(error, XNCC_ERROR_ARGUMENT,
                        "%s: is not the file that the parts were written to; remove it and all "
                        "parts, and begin again",
                        f->partial);
    f->done.flags |= done->flags;
    if (!(done->low >= f->done.low))
        f->done.low = isnan(done->low) ? f->done.low : done->low;
    if (!(done->high <= f->done.high))
        f->done.high = isnan(done->high) ? f->done.high : done->high;
    return XNCC_OK;
}

/* Gives a shared file its name. */
static xncc_status deliver_shared(const app_map_file *f, app_error *error)
{
    if (app_inputs_has(f->path))
        return app_fail(error, XNCC_ERROR_ARGUMENT,
                        "%s: would overwrite an input; give another name", f->path);
    const xncc_status status = app_outputs_add(f->partial, f->path, error);
    if (!status && rename(f->partial, f->path) != 0)
        return app_fail_errno(error, f->path, "cannot rename the finished file", errno);
    return status;
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
    if (f->partial) {
        if (!status && frame)
            status = deliver_shared(f, error);
        close(f->shared);
        free(f->partial);
        free(f);
        return status;
    }
    status = f->journal ? app_journal_close(f->journal, status, error)
                        : app_output_close(&f->output, status, error);
    free(f);
    return status;
}
