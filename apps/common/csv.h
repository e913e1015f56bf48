/* SPDX-License-Identifier: BSD-2-Clause */
/* CSV files (RFC 4180): rows of fields with commas between; a field with commas, quotes or line
 * ends is in quotes, and a quote in it is doubled. Lines may end in CR LF. Empty lines are left
 * out. */
#ifndef APP_CSV_H
#define APP_CSV_H

#include "fail.h"

#include <stddef.h>

typedef struct app_csv {
    char *text;
    char **field;  /* of all rows, one after the other */
    size_t *first; /* of each row: the index of its first field; one more at the end */
    size_t rows, fields, room, row_room;
} app_csv;

/* Reads a file with at least one row. Call app_csv_free whatever is returned. */
xncc_status app_csv_read(const char *path, app_csv *csv, app_error *error);

/* A field of a row; "" if the row has fewer. */
const char *app_csv_field(const app_csv *csv, size_t row, int column);

/* The column with this name in row 0; -1: none. */
int app_csv_column(const app_csv *csv, const char *name);

void app_csv_free(app_csv *csv);

#endif
