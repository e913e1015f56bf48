/* SPDX-License-Identifier: BSD-2-Clause */
/* The maps of several pages of an image in one TIFF. */
#ifndef APP_MAP_BOOK_H
#define APP_MAP_BOOK_H

#include "output.h"
#include "tiff_write.h"

typedef struct app_map_book {
    char *path;
    app_output output;   /* created with the first page */
    app_tiff_book *tiff; /* NULL: no page yet */
    struct app_map_book *next;
} app_map_book;

/* A book without a page. NULL: no memory. */
app_map_book *app_map_book_new(const char *path);

/* Begins a page, whose pixels the caller puts to the descriptor of output: sets picture->start. */
xncc_status app_map_book_begin(app_map_book *book, app_tiff_out *picture, app_error *error);

/* Ends the page. */
xncc_status app_map_book_end(app_map_book *book, const app_tiff_out *picture, app_error *error);

/* Adds a page that is in memory. */
xncc_status app_map_book_add(app_map_book *book, const app_tiff_out *picture, app_error *error);

/* Gives the file its name, if it has a page and the status is a success, and frees the book.
 * Returns the first failure. */
xncc_status app_map_book_close(app_map_book *book, xncc_status status, app_error *error);

#endif
