/* The filters of exactncc convolve: Gaussian, Sobel, and from a text file. */
#define _POSIX_C_SOURCE 200809L /* getline */
#include "filters.h"

#include "numbers.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    double line[XNCC_MAX_FILTER], sum = 0.0;
    for (int i = 0; i < side; i++) {
        line[i] = exp(-(double)((i - radius) * (i - radius)) / (2.0 * sigma * sigma));
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

xncc_status app_filter_load(const char *path, app_filter *filter, app_error *error)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return app_fail_errno(error, path, "cannot open", errno);
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    xncc_status status = XNCC_OK;
    filter->width = filter->height = 0;
    errno = 0;
    for (int number = 1; !status && (length = getline(&line, &room, file)) >= 0; number++) {
        if (strlen(line) != (size_t)length)
            status = app_fail(error, XNCC_ERROR_ARGUMENT,
                              "%s: line %d: is not text; give rows of numbers", path, number);
        else
            status = take_line(path, number, line, filter, error);
    }
    if (!status && ferror(file))
        status = app_fail_errno(error, path, "cannot read", errno);
    if (!status && filter->height == 0)
        status = app_fail(error, XNCC_ERROR_ARGUMENT,
                          "%s: contains no numbers; give rows of coefficients", path);
    free(line);
    fclose(file);
    return status;
}
