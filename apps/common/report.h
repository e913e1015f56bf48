/* SPDX-License-Identifier: BSD-2-Clause */
/* Results as an aligned table, as CSV (RFC 4180), as JSON (RFC 8259) or as a Markdown table.
 * Numbers do not depend on the locale, because the programs never set one. */
#ifndef APP_REPORT_H
#define APP_REPORT_H

#include "fail.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum app_format {
    APP_TABLE,
    APP_CSV,
    APP_JSON,
    APP_MARKDOWN,
    APP_JSONL,  /* one JSON object per row and line */
    APP_GEOJSON /* find only */
} app_format;

typedef enum app_kind { APP_TEXT, APP_INTEGER, APP_REAL } app_kind;

typedef struct app_column {
    const char *name;
    app_kind kind;
    int digits; /* APP_REAL: significant digits in CSV and JSON; 9 restore a float exactly */
    int places; /* APP_REAL: digits after the decimal point in the other formats */
} app_column;

typedef union app_value {
    const char *text; /* borrowed until the table is printed; NULL is null in JSON only */
    int64_t integer;
    double real; /* NaN is an empty field in CSV, null in JSON, and - elsewhere */
} app_value;

typedef struct app_rows {
    const app_column *columns;
    int width; /* number of columns, at most 32 */
    app_value *value;
    size_t count, room; /* in rows */
} app_rows;

/* Copies a row into the table. Returns 0 if there is no memory. */
int app_rows_add(app_rows *rows, const app_value *row);
void app_rows_free(app_rows *rows);

/* Prints the table. Column c is left out if bit c of skip is set. JSON: an array of objects, to be
 * placed inside an object. */
void app_rows_print(FILE *out, const app_rows *rows, unsigned skip, app_format format);

/* Length of the UTF-8 sequence at s; 0 if it is not valid (RFC 3629: no overlong forms, no
 * surrogates). */
int app_utf8_length(const unsigned char *s);

/* Prints one row, for tables that are printed as they grow: a line of CSV, or a JSON object without
 * a line end. */
void app_row_print(FILE *out, const app_rows *rows, size_t row, unsigned skip, app_format format);

/* Prints the names of the columns as a line of CSV. */
void app_header_print(FILE *out, const app_rows *rows, unsigned skip);

/* Prints a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void app_json_string(FILE *out, const char *text);

/* Copies the text to buffer with control characters replaced by '?', for messages and tables; what
 * does not fit is cut. Returns buffer. */
const char *app_printable(const char *text, char *buffer, size_t size);

/* Flushes a file, and fails if anything printed to it could not be written. name: for the text.
 * Returns the status if it is a failure already; that one and its text stay. */
xncc_status app_finish(FILE *out, const char *name, xncc_status status, app_error *error);

/* The same, and closes the file in any case. */
xncc_status app_finish_close(FILE *out, const char *name, xncc_status status, app_error *error);

/* Flushes stdout, and fails if anything printed to it could not be written. */
xncc_status app_finish_stdout(app_error *error);

#endif
