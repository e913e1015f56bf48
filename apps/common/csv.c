/* SPDX-License-Identifier: BSD-2-Clause */
/* CSV files. */
#include "csv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads the whole file, and ends it with a zero. */
static xncc_status read_text(const char *path, char **text, app_error *error)
{
    size_t size = 0, room = 1 << 16;
    FILE *file = fopen(path, "rb");
    *text = file ? malloc(room) : NULL;
    if (!file)
        return app_fail_errno(error, path, "cannot open", errno);
    while (*text) {
        size += fread(*text + size, 1, room - size, file);
        if (size < room)
            break;
        char *more = realloc(*text, room *= 2);
        if (!more)
            free(*text);
        *text = more;
    }
    const int broken = ferror(file);
    fclose(file);
    if (!*text)
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", path);
    if (broken)
        return app_fail(error, XNCC_ERROR_ARGUMENT, "%s: cannot be read", path);
    (*text)[size] = 0;
    return strlen(*text) == size
               ? XNCC_OK
               : app_fail(error, XNCC_ERROR_ARGUMENT, "%s: is not text; give a CSV file", path);
}

static int begin_row(app_csv *c)
{
    if (c->rows + 2 > c->row_room) {
        c->row_room = c->row_room ? 2 * c->row_room : 64;
        size_t *more = realloc(c->first, c->row_room * sizeof *more);
        if (!more)
            return 0;
        c->first = more;
    }
    c->first[c->rows] = c->fields;
    return 1;
}

static int add_field(app_csv *c, char *text)
{
    if (c->fields == c->room) {
        c->room = c->room ? 2 * c->room : 256;
        char **more = realloc(c->field, c->room * sizeof *more);
        if (!more)
            return 0;
        c->field = more;
    }
    c->field[c->fields++] = text;
    return 1;
}

/* Takes one field in place, without its quotes. Returns where it ends, and NULL if a quote does not
 * end. */
static char *take_field(char *from)
{
    if (*from != '"')
        return from + strcspn(from, ",\r\n");
    char *to = from++;
    for (; *from && (*from != '"' || from[1] == '"'); from++) {
        from += *from == '"';
        *to++ = *from;
    }
    if (!*from)
        return NULL;
    char *end = from + 1;
    *to = 0;
    return end;
}

static xncc_status split(const char *path, app_csv *c, app_error *error)
{
    for (char *at = c->text; *at;) {
        if (*at == '\r' || *at == '\n') {
            at++;
            continue;
        }
        int ok = begin_row(c), more = 1;
        while (ok && more) {
            char *end = take_field(at);
            if (!end || (*end && !strchr(",\r\n", *end)))
                return app_fail(error, XNCC_ERROR_ARGUMENT,
                                "%s: row %zu: a quote does not end, or text follows it; put a "
                                "field with quotes in quotes and double the quotes in it",
                                path, c->rows + 1);
            ok = add_field(c, at);
            more = *end == ',';
            at = end + (*end != 0);
            *end = 0;
        }
        if (!ok)
            return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", path);
        c->first[++c->rows] = c->fields;
    }
    return c->rows ? XNCC_OK : app_fail(error, XNCC_ERROR_ARGUMENT, "%s: is empty", path);
}

xncc_status app_csv_read(const char *path, app_csv *c, app_error *error)
{
    *c = (app_csv){ .text = NULL };
    const xncc_status status = read_text(path, &c->text, error);
    return status ? status : split(path, c, error);
}

const char *app_csv_field(const app_csv *c, size_t row, int column)
{
    const size_t at = c->first[row] + (size_t)column;
    return at < c->first[row + 1] ? c->field[at] : "";
}

int app_csv_column(const app_csv *c, const char *name)
{
    for (size_t i = 0; i < c->first[1]; i++)
        if (strcmp(c->field[i], name) == 0)
            return (int)i;
    return -1;
}

void app_csv_free(app_csv *c)
{
    free(c->text);
    free(c->field);
    free(c->first);
    *c = (app_csv){ .text = NULL };
}
