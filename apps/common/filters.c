/* SPDX-License-Identifier: BSD-2-Clause */
/* The filters of exactncc convolve: Gaussian, Sobel, and from a text file. */
#include "filters.h"

#include "inputs.h"
#include "numbers.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_TEXT = 1 << 20 }; /* bytes of a filter file; 127 x 127 numbers have half as many */

xncc_status app_filter_gaussian(double sigma, app_filter *filter, app_error *error)
{
    const double reach = ceil(4.0 * sigma);
    if (!(sigma > 0.0) || 2.0 * reach + 1.0 > XNCC_MAX_FILTER)
        return app_fail(
            error, XNCC_ERROR_ARGUMENT,
            "--gaussian %g: the filter has 2*ceil(4*SIGMA)+1 coefficients per side, which must "
            "not exceed %d",
            sigma, XNCC_MAX_FILTER);
    const int radius = (int)reach, side = 2 * radius + 1;
    const double spread = 2.0 * sigma * sigma; /* 0 if sigma is tiny */
    double line[XNCC_MAX_FILTER], sum = 0.0;
    for (int i = 0; i < side; i++) {
        line[i] = i == radius ? 1.0 : exp(-(double)((i - radius) * (i - radius)) / spread);
        sum += line[i];
    }
    filter->width = filter->height = side;
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            filter->value[y * side + x] = (float)(line[y] * line[x] / (sum * sum));
    return XNCC_OK;
}

void app_filter_gradient(char along, int side, app_filter *filter)
{
    static const float smooth[2][5] = { { 1, 2, 1 }, { 1, 4, 6, 4, 1 } };
    static const float turned[2][5] = { { 1, 0, -1 }, { 1, 2, 0, -2, -1 } };
    const int set = side == 5;
    filter->width = filter->height = side;
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            filter->value[y * side + x] = along == 'x' ? smooth[set][y] * turned[set][x]
                                                       : turned[set][y] * smooth[set][x];
}

/* Appends the numbers of a line to the filter. */
static xncc_status take_line(const char *path, int number, char *line, app_filter *filter,
                             app_error *error)
{
    static const char separators[] = " \t,;\r\n";
    int32_t width = 0;
    char *rest = NULL, *comment = strchr(line, '#');
    if (comment)
        *comment = 0;
    for (char *word = strtok_r(line, separators, &rest); word;
         word = strtok_r(NULL, separators, &rest)) {
        if (width == XNCC_MAX_FILTER || filter->height == XNCC_MAX_FILTER)
            return app_fail(error, XNCC_ERROR_ARGUMENT,
                            "%s: line %d: a filter has at most %d x %d coefficients", path, number,
                            XNCC_MAX_FILTER, XNCC_MAX_FILTER);
        int32_t at = filter->height * (filter->height ? filter->width : 0) + width;
        if (filter->height && width == filter->width)
            return app_fail(error, XNCC_ERROR_ARGUMENT,
                            "%s: line %d: has more than the %d numbers of the rows before it", path,
                            number, filter->width);
        if (!app_parse_float(word, 0, &filter->value[at]))
            return app_fail(error, XNCC_ERROR_ARGUMENT,
                            "%s: line %d: \"%.40s\" is not a finite number", path, number, word);
        width++;
    }
    if (width == 0)
        return XNCC_OK;
    if (filter->height && width != filter->width)
        return app_fail(
            error, XNCC_ERROR_ARGUMENT,
            "%s: line %d: has %d numbers, and the rows before it %d; all rows must have the "
            "same length",
            path, number, width, filter->width);
    filter->width = width;
    filter->height++;
    return XNCC_OK;
}

/* Opens the file; only a file or a pipe, because a device need not end. */
static FILE *open_filter(const char *path, app_error *error)
{
    struct stat info;
    const int standard = strcmp(path, "-") == 0;
    if ((standard ? fstat(STDIN_FILENO, &info) : stat(path, &info)) == 0 &&
        !S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode)) {
        app_fail(error, XNCC_ERROR_ARGUMENT,
                 "%s: is not a regular file or a pipe; name a text file", path);
        return NULL;
    }
    const int copy = standard ? dup(STDIN_FILENO) : -1;
    FILE *file = standard ? (copy >= 0 ? fdopen(copy, "r") : NULL) : fopen(path, "r");
    if (!file)
        app_fail_errno(error, path, "cannot open", errno);
    else if (fstat(fileno(file), &info) == 0 && app_inputs_add(&info, path, error) != XNCC_OK) {
        fclose(file);
        file = NULL;
    }
    if (!file && copy >= 0)
        close(copy);
    return file;
}

/* Reads the whole file into `text`, which has room for MOST_TEXT + 1 bytes, and ends it with 0. */
static xncc_status read_text(const char *path, char *text, app_error *error)
{
    FILE *file = open_filter(path, error);
    if (!file)
        return XNCC_ERROR_ARGUMENT;
    errno = 0;
    const size_t length = fread(text, 1, MOST_TEXT + 1, file);
    const int why = ferror(file) ? errno : 0;
    fclose(file);
    if (why)
        return app_fail_errno(error, path, "cannot read", why);
    if (length > MOST_TEXT)
        return app_fail(error, XNCC_ERROR_ARGUMENT,
                        "%s: has more than %d bytes; give rows of numbers, at most %d x %d", path,
                        MOST_TEXT, XNCC_MAX_FILTER, XNCC_MAX_FILTER);
    text[length] = 0;
    if (strlen(text) != length) {
        int line = 1;
        for (const char *c = text; *c; c++)
            line += *c == '\n';
        return app_fail(error, XNCC_ERROR_ARGUMENT,
                        "%s: line %d: is not text; give rows of numbers", path, line);
    }
    return XNCC_OK;
}

/* Lines end in LF, CR LF or CR. */
static xncc_status take_lines(const char *path, char *text, app_filter *filter, app_error *error)
{
    xncc_status status = XNCC_OK;
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3; /* the mark of UTF-8 */
    for (int number = 1; *text && !status; number++) {
        const size_t length = strcspn(text, "\r\n");
        const size_t end = text[length] == 0 ? 0 : strncmp(text + length, "\r\n", 2) == 0 ? 2 : 1;
        char *next = text + length + end;
        text[length] = 0;
        status = take_line(path, number, text, filter, error);
        text = next;
    }
    return status;
}

xncc_status app_filter_load(const char *path, app_filter *filter, app_error *error)
{
    char *text = malloc(MOST_TEXT + 2);
    if (!text)
        return app_fail(error, XNCC_ERROR_MEMORY, "%s: out of memory", path);
    filter->width = filter->height = 0;
    xncc_status status = read_text(path, text, error);
    if (!status)
        status = take_lines(path, text, filter, error);
    if (!status && filter->height == 0)
        status = app_fail(error, XNCC_ERROR_ARGUMENT,
                          "%s: contains no numbers; give rows of coefficients", path);
    free(text);
    return status;
}
