/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE /* fopencookie */
#include "text_file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* Makes room for so many more bytes and a 0. */
static int grow(app_text *t, size_t bytes)
{
    size_t room = t->room ? t->room : 256;
    if (t->failed || bytes > SIZE_MAX / 4 || t->size > SIZE_MAX / 4)
        return 0;
    while (room < t->size + bytes + 1)
        room *= 2;
    if (room == t->room)
        return 1;
    char *more = realloc(t->bytes, room);
    if (!more)
        return 0;
    t->bytes = more;
    t->room = room;
    return 1;
}

static ssize_t append(void *argument, const char *from, size_t bytes)
{
    app_text *t = argument;
    if (!grow(t, bytes)) {
        t->failed = 1;
        return 0;
    }
    memcpy(t->bytes + t->size, from, bytes);
    t->size += bytes;
    return (ssize_t)bytes;
}

FILE *app_text_open(app_text *text)
{
    *text = (app_text){ .out = NULL };
    text->out = fopencookie(text, "w", (cookie_io_functions_t){ .write = append });
    return text->out;
}

char *app_text_close(app_text *text)
{
    const int failed = ferror(text->out);
    if (fclose(text->out) != 0 || failed || !grow(text, 0))
        text->failed = 1;
    if (text->failed) {
        free(text->bytes);
        return NULL;
    }
    text->bytes[text->size] = 0;
    return text->bytes;
}
