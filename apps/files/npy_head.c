/* SPDX-License-Identifier: BSD-2-Clause */
/* The head of a .npy file: a Python dictionary such as
 * {'descr': '<f4', 'fortran_order': False, 'shape': (480, 640), }. */
#include "npy_head.h"

#include <string.h>

enum { MOST_TEXT = 4096 };

static xncc_status fail_head(const char *what, app_error *error)
{
    return app_fail(error, XNCC_ERROR_UNSUPPORTED, "its .npy header is damaged: %s", what);
}

/* What follows a key of the dictionary; NULL: it is missing. */
static const char *value_of(const char *text, const char *key)
{
    const size_t length = strlen(key);
    for (const char *at = text; (at = strpbrk(at, "'\"")); at++)
        if (strncmp(at + 1, key, length) == 0 && at[length + 1] == *at) {
            at += length + 2;
            at += strspn(at, " ");
            if (*at != ':')
                return NULL;
            return at + 1 + strspn(at + 1, " ");
        }
    return NULL;
}

static xncc_status refuse_type(const char *text, app_error *error)
{
    const int length = (int)strcspn(text, ",}");
    return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                    "is an .npy array of type %.*s, which is not supported; convert with astype to "
                    "uint8, int8, uint16, int16, uint32, float32 or float64",
                    length < 60 ? length : 60, text);
}

static xncc_status take_type(const char *text, npy_head *h, app_error *error)
{
    static const char *const types[] = { "b1", "u1", "i1", "u2", "i2", "u4",
                                         "i4", "f2", "f4", "f8", NULL };
    if (*text != '\'' && *text != '"')
        return refuse_type(text, error);
    const char order = text[1];
    for (int i = 0; types[i]; i++)
        if (strncmp(text + 2, types[i], 2) == 0 && text[4] == *text && order &&
            strchr("<>|=", order)) {
            h->kind = types[i][0];
            h->bytes = (unsigned)(types[i][1] - '0');
            const uint16_t one = 1;
            h->big_endian = order == '>' || (order == '=' && *(const uint8_t *)&one == 0);
            return XNCC_OK;
        }
    return refuse_type(text, error);
}

static int take_number(const char **text, uint64_t *value)
{
    const char *at = *text;
    *value = 0;
    for (; *at >= '0' && *at <= '9' && at - *text < 18; at++)
        *value = 10 * *value + (uint64_t)(*at - '0');
    const int ok = at > *text;
    *text = at + (*at == 'L');
    return ok;
}

static int take_shape(const char *text, npy_head *h)
{
    if (*text++ != '(')
        return 0;
    for (;;) {
        text += strspn(text, " ");
        if (*text == ')')
            return 1;
        if (h->axes == NPY_MOST_AXES || !take_number(&text, &h->size[h->axes]))
            return 0;
        h->axes++;
        text += strspn(text, " ");
        if (*text == ',')
            text++;
        else if (*text != ')')
            return 0;
    }
}

static xncc_status parse(const char *text, npy_head *h, app_error *error)
{
    const char *type = value_of(text, "descr"), *order = value_of(text, "fortran_order"),
               *shape = value_of(text, "shape");
    if (!type || !order || !shape)
        return fail_head("descr, fortran_order or shape is missing", error);
    h->fortran = strncmp(order, "True", 4) == 0;
    if (!h->fortran && strncmp(order, "False", 5) != 0)
        return fail_head("fortran_order is neither True nor False", error);
    if (!take_shape(shape, h))
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "is an .npy array of shape %.*s, which is not supported; it must have 2 to "
                        "4 axes: (height, width), (height, width, samples) or (pages, height, "
                        "width, samples)",
                        (int)strcspn(shape, ")}") + (strchr(shape, ')') != NULL), shape);
    return take_type(type, h, error);
}

xncc_status npy_head_read(app_input *input, npy_head *h, app_error *error)
{
    uint8_t start[12];
    char text[MOST_TEXT + 1];
    *h = (npy_head){ .axes = 0 };
    if (app_input_read(input, start, 8) != 8)
        return fail_head("it is cut short", error);
    const unsigned width = start[6] == 1 ? 2 : 4; /* bytes of the length */
    if (start[6] < 1 || start[6] > 3 || app_input_read(input, start + 8, width) != width)
        return fail_head("its version is not 1, 2 or 3", error);
    uint32_t length = 0;
    for (unsigned i = 0; i < width; i++)
        length |= (uint32_t)start[8 + i] << (8 * i);
    if (length > MOST_TEXT)
        return refuse_type("of several fields", error);
    if (app_input_read(input, text, length) != length)
        return fail_head("it is cut short", error);
    text[length] = 0;
    if (strlen(text) != length || text[strspn(text, " ")] != '{')
        return fail_head("it is no dictionary", error);
    for (char *c = text; *c; c++) /* what an error repeats is one line */
        *c = (unsigned char)*c < 32 || (unsigned char)*c > 126 ? ' ' : *c;
    return parse(text, h, error);
}
