/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of results, and the text formats that they are printed in. */
#include "report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 256 };

int app_rows_add(app_rows *rows, const app_value *row)
{
    if (rows->count == rows->room) {
        size_t room = rows->room ? 2 * rows->room : 16;
        app_value *more = realloc(rows->value, room * (size_t)rows->width * sizeof *more);
        if (!more)
            return 0;
        rows->value = more;
        rows->room = room;
    }
    memcpy(rows->value + rows->count * (size_t)rows->width, row, (size_t)rows->width * sizeof *row);
    rows->count++;
    return 1;
}

void app_rows_free(app_rows *rows)
{
    free(rows->value);
    rows->value = NULL;
    rows->count = rows->room = 0;
}

int app_utf8_length(const unsigned char *s)
{
    if (s[0] < 0x80)
        return 1;
    int length = s[0] >= 0xc2 && s[0] <= 0xdf   ? 2
                 : (s[0] & 0xf0) == 0xe0        ? 3
                 : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4
                                                : 0;
    for (int i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return length;
}

void app_json_string(FILE *out, const char *text)
{
    putc('"', out);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        int length = app_utf8_length(s);
        if (length == 0) {
            fputs("\\ufffd", out);
            length = 1;
        } else if (*s == '"' || *s == '\\') {
            putc('\\', out);
            putc(*s, out);
        } else if (*s < 0x20 || *s == 0x7f) {
            fprintf(out, "\\u%04x", (unsigned)*s);
        } else {
            fwrite(s, 1, (size_t)length, out);
        }
        s += length;
    }
    putc('"', out);
}

const char *app_printable(const char *text, char *buffer, size_t size)
{
    size_t i = 0;
    for (; text[i] && i + 1 < size; i++)
        buffer[i] = (unsigned char)text[i] < 32 || text[i] == 127 ? '?' : text[i];
    buffer[i] = 0;
    return buffer;
}

static void csv_text(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

/* The next column after c that is printed, or rows->width. */
static int next_column(const app_rows *rows, unsigned skip, int c)
{
    do
        c++;
    while (c < rows->width && (skip >> c & 1));
    return c;
}

static void print_value(FILE *out, const app_column *column, const app_value *value,
                        app_format format)
{
    if (column->kind == APP_INTEGER)
        fprintf(out, "%lld", (long long)value->integer);
    else if (column->kind == APP_REAL && isfinite(value->real))
        fprintf(out, "%.*g", column->digits, value->real);
    else if (column->kind == APP_REAL && format == APP_JSON)
        fputs("null", out);
    else if (column->kind == APP_REAL)
        fputs(isnan(value->real) ? "" : value->real > 0 ? "inf" : "-inf", out);
    else if (format == APP_JSON && !value->text)
        fputs("null", out);
    else if (format == APP_JSON)
        app_json_string(out, value->text);
    else
        csv_text(out, value->text);
}

void app_header_print(FILE *out, const app_rows *rows, unsigned skip)
{
    const char *comma = "";
    for (int c = next_column(rows, skip, -1); c < rows->width; c = next_column(rows, skip, c)) {
        fprintf(out, "%s%s", comma, rows->columns[c].name);
        comma = ",";
    }
    putc('\n', out);
}

void app_row_print(FILE *out, const app_rows *rows, size_t row, unsigned skip, app_format format)
{
    const int json = format != APP_CSV;
    const app_value *value = rows->value + row * (size_t)rows->width;
    const char *comma = "";
    if (json)
        putc('{', out);
    for (int c = next_column(rows, skip, -1); c < rows->width; c = next_column(rows, skip, c)) {
        fputs(comma, out);
        comma = json ? ", " : ",";
        if (json) {
            app_json_string(out, rows->columns[c].name);
            fputs(": ", out);
        }
        print_value(out, &rows->columns[c], &value[c], json ? APP_JSON : APP_CSV);
    }
    putc(json ? '}' : '\n', out);
}

static void print_csv(FILE *out, const app_rows *rows, unsigned skip)
{
    app_header_print(out, rows, skip);
    for (size_t r = 0; r < rows->count; r++)
        app_row_print(out, rows, r, skip, APP_CSV);
}

static void print_json(FILE *out, const app_rows *rows, unsigned skip)
{
    putc('[', out);
    for (size_t r = 0; r < rows->count; r++) {
        fputs(r ? ",\n    " : "\n    ", out);
        app_row_print(out, rows, r, skip, APP_JSON);
    }
    fputs(rows->count ? "\n  ]" : "]", out);
}

static const char *table_cell(const app_column *column, const app_value *value, char *cell)
{
    if (column->kind == APP_TEXT)
        return app_printable(value->text, cell, CELL);
    if (column->kind == APP_INTEGER)
        snprintf(cell, CELL, "%lld", (long long)value->integer);
    else if (isnan(value->real))
        snprintf(cell, CELL, "-");
    else if (fabs(value->real) < 1e9)
        snprintf(cell, CELL, "%.*f", column->places, value->real);
    else
        snprintf(cell, CELL, "%.*g", column->digits, value->real);
    return cell;
}

/* Aligned columns: text to the left, numbers to the right. */
static void print_table(FILE *out, const app_rows *rows, unsigned skip)
{
    char cell[CELL];
    int size[32] = { 0 };
    for (int c = next_column(rows, skip, -1); c < rows->width; c = next_column(rows, skip, c)) {
        size[c] = (int)strlen(rows->columns[c].name);
        for (size_t r = 0; r < rows->count; r++) {
            int length = (int)strlen(table_cell(
                &rows->columns[c], &rows->value[r * (size_t)rows->width + (size_t)c], cell));
            size[c] = length > size[c] ? length : size[c];
        }
    }
    for (size_t line = 0; line <= rows->count; line++) {
        const char *gap = "";
        for (int c = next_column(rows, skip, -1); c < rows->width; c = next_column(rows, skip, c)) {
            const char *text = rows->columns[c].name;
            if (line > 0)
                text = table_cell(&rows->columns[c],
                                  &rows->value[(line - 1) * (size_t)rows->width + (size_t)c], cell);
            int left = rows->columns[c].kind == APP_TEXT,
                last = next_column(rows, skip, c) == rows->width;
            fprintf(out, "%s%*s", gap, left && last ? 0 : left ? -size[c] : size[c], text);
            gap = "  ";
        }
        putc('\n', out);
    }
}

/* A table of GitHub's Markdown. A vertical bar in a cell is escaped. */
static void print_markdown_cell(FILE *out, const char *text)
{
    fputs(" ", out);
    for (; *text; text++) {
        if (*text == '|')
            putc('\\', out);
        putc(*text, out);
    }
    fputs(" |", out);
}

static void print_markdown(FILE *out, const app_rows *rows, unsigned skip)
{
    char cell[CELL];
    putc('|', out);
    for (int c = next_column(rows, skip, -1); c < rows->width; c = next_column(rows, skip, c))
        print_markdown_cell(out, rows->columns[c].name);
    fputs("\n|", out);
    for (int c = next_column(rows, skip, -1); c < rows->width; c = next_column(rows, skip, c))
        fputs(rows->columns[c].kind == APP_TEXT ? "---|" : "---:|", out);
    putc('\n', out);
    for (size_t r = 0; r < rows->count; r++) {
        putc('|', out);
        for (int c = next_column(rows, skip, -1); c < rows->width; c = next_column(rows, skip, c))
            print_markdown_cell(out, table_cell(&rows->columns[c],
                                                &rows->value[r * (size_t)rows->width + (size_t)c],
                                                cell));
        putc('\n', out);
    }
}

void app_rows_print(FILE *out, const app_rows *rows, unsigned skip, app_format format)
{
    if (format == APP_CSV)
        print_csv(out, rows, skip);
    else if (format == APP_JSON)
        print_json(out, rows, skip);
    else if (format == APP_MARKDOWN)
        print_markdown(out, rows, skip);
    else
        print_table(out, rows, skip);
}

xncc_status app_finish(FILE *out, const char *name, xncc_status status, app_error *error)
{
    errno = 0;
    if ((fflush(out) != 0 || ferror(out)) && !status)
        return app_fail_errno(error, name, "cannot write", errno ? errno : EIO);
    return status;
}

xncc_status app_finish_close(FILE *out, const char *name, xncc_status status, app_error *error)
{
    status = app_finish(out, name, status, error);
    return fclose(out) == 0 || status ? status : app_fail_errno(error, name, "cannot write", errno);
}

xncc_status app_finish_stdout(app_error *error)
{
    return app_finish(stdout, "standard output", XNCC_OK, error);
}
