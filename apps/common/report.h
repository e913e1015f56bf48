/* Results as an aligned table, as CSV (RFC 4180) or as JSON (RFC 8259). Numbers do not depend on
 * the locale: the tool never sets one. */
#ifndef APP_REPORT_H
#define APP_REPORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum app_format { APP_TABLE, APP_CSV, APP_JSON } app_format;

typedef enum app_kind { APP_TEXT, APP_INTEGER, APP_REAL } app_kind;

typedef struct app_column {
    const char *name;
    app_kind kind;
    int digits; /* APP_REAL: significant digits in CSV and JSON; 9 are enough to read the same float
                   back */
    int places; /* APP_REAL: digits after the point in the table */
} app_column;

typedef union app_value {
    const char *text; /* borrowed until the table has been printed */
    int64_t integer;
    double real; /* NaN is an empty field in CSV, null in JSON */
} app_value;

typedef struct app_rows {
    const app_column *columns;
    int width; /* number of columns */
    app_value *value;
    size_t count, room; /* rows */
} app_rows;

/* Adds a row (copied). 0 when there is no memory. */
int app_rows_add(app_rows *rows, const app_value *row);
void app_rows_free(app_rows *rows);

/* Column c is left out when bit c of skip is set. JSON: an array of objects, to stand inside an
 * object. */
void app_rows_print(FILE *out, const app_rows *rows, unsigned skip, app_format format);

/* A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void app_json_string(FILE *out, const char *text);

/* The name without line breaks and other control characters, for messages and tables. Returns
 * buffer. */
const char *app_printable(const char *text, char *buffer, size_t size);

#endif
