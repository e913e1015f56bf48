/* SPDX-License-Identifier: BSD-2-Clause */
/* The maps of several pages of an image in one TIFF. */
#include "map_book.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

app_map_book *app_map_book_new(const char *path)
{
    app_map_book *b = calloc(1, sizeof *b);
    if (b)
        *b = (app_map_book){ .path = strdup(path), .output = { .fd = -1 } };
    if (b && b->path)
        return b;
    free(b);
    return NULL;
}

xncc_status app_map_book_begin(app_map_book *b, app_tiff_out *picture, app_error *error)
{
    if (!b->tiff) {
        xncc_status status = app_output_open(b->path, &b->output, error);
        if (status)
            return status;
        status = app_tiff_book_open(b->output.fd, b->path, &b->tiff, error);
        if (status)
            return app_output_close(&b->output, status, error);
    }
    picture->start = app_tiff_book_start(b->tiff);
    return XNCC_OK;
}

xncc_status app_map_book_end(app_map_book *b, const app_tiff_out *picture, app_error *error)
{
    return app_tiff_book_page(b->tiff, picture, error);
}

xncc_status app_map_book_add(app_map_book *b, const app_tiff_out *picture, app_error *error)
{
    app_tiff_out page = *picture;
    const xncc_status status = app_map_book_begin(b, &page, error);
    if (status)
        return status;
    const int why = app_tiff_put(b->output.fd, &page, 0, page.height, page.pixels);
    return why ? app_fail_errno(error, b->path, "cannot write", why)
               : app_map_book_end(b, &page, error);
}

xncc_status app_map_book_close(app_map_book *b, xncc_status status, app_error *error)
{
    if (b->tiff) {
        app_tiff_book_close(b->tiff);
        if (!status && fsync(b->output.fd) != 0)
            status = app_fail_errno(error, b->path, "cannot write", errno);
        status = app_output_close(&b->output, status, error);
    }
    free(b->path);
    free(b);
    return status;
}
